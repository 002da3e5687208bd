//! The files of an import: read whole, within the service's limits.

use std::fs;
use std::io::{self, IsTerminal as _};
use std::path::{Path, PathBuf};

use itinerary_sdk::ImportFile;
use itinerary_sdk::types::{ImportIgnored, ImportIgnoredCode};

use crate::failure::{Exit, Failure};
use crate::{file, text};

/// The service's limits.
const MOST_FILES: usize = 20;
const LARGEST: usize = 5 << 20;
const LARGEST_TOGETHER: usize = 20 << 20;

/// Stands for standard input.
const INPUT: &str = "-";

pub(super) struct Files {
    pub(super) files: Vec<ImportFile>,
    /// Those that are too large, in the words of the service.
    pub(super) too_large: Vec<ImportIgnored>,
}

/// Reads files, the files of folders, and standard input.
///
/// All are sent in one request: only then does the service unite what several files say of one booking, and know which is
/// the newest. So more than the service accepts at once are refused.
pub(super) async fn read(arguments: &[PathBuf]) -> Result<Files, Failure> {
    let paths = paths(arguments)?;
    if paths.len() > MOST_FILES {
        let message = format!(
            "{} files: at most {MOST_FILES} at once. Import some, then the others with --into last",
            paths.len()
        );
        return Err(Failure::usage(message));
    }
    let (mut files, mut too_large) = (Vec::new(), Vec::new());
    for path in &paths {
        let content = file::bytes(path, LARGEST as u64).await?;
        if content.is_empty() && path.as_os_str() == INPUT {
            return Err(Failure::usage("standard input is empty: pipe a mail, or pass a FILE"));
        }
        // The folders are not the service's business.
        let name = file::name(path.file_name().map_or(path, Path::new));
        if content.len() > LARGEST {
            too_large.push(ignored(name));
        } else {
            files.push(ImportFile::new(name, content));
        }
    }
    if files.is_empty() {
        let named = too_large.iter().map(|ignored| &*ignored.file).collect::<Vec<_>>().join(", ");
        return Err(Failure::new(Exit::Invalid, format!("{named}: larger than 5 MB")));
    }
    let size: usize = files.iter().map(|file| file.content.len()).sum();
    if size > LARGEST_TOGETHER {
        let message = "the files are larger than 20 MB together: import some, then the others with --into last";
        return Err(Failure::new(Exit::Invalid, message));
    }
    Ok(Files { files, too_large })
}

fn ignored(file: String) -> ImportIgnored {
    let message = "The file has more than 5 MB.".to_owned();
    ImportIgnored { file, code: ImportIgnoredCode::TooLarge.into(), message }
}

/// The files that the arguments name. Without arguments, standard input, unless a person would have to type it.
fn paths(arguments: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    if arguments.is_empty() {
        if io::stdin().is_terminal() {
            return Err(Failure::usage("pass a FILE or a folder, or pipe a mail"));
        }
        return Ok(vec![INPUT.into()]);
    }
    let mut paths = Vec::new();
    for argument in arguments {
        if argument.as_os_str() != INPUT && argument.is_dir() {
            paths.extend(in_folder(argument)?);
        } else {
            paths.push(argument.clone());
        }
    }
    Ok(paths)
}

/// The files of a folder by name, without hidden ones and without those of folders in it.
fn in_folder(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let named = |error: io::Error| Failure::new(Exit::Failure, format!("{}: {error}", folder.display()));
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).map_err(named)? {
        let path = entry.map_err(named)?.path();
        let is_hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        if !is_hidden && path.is_file() {
            paths.push(path);
        }
    }
    if paths.is_empty() {
        let name = text::clean(&folder.display().to_string());
        return Err(Failure::usage(format!("{name}: the folder has no files")));
    }
    paths.sort();
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(paths: &[PathBuf]) -> Vec<String> {
        paths.iter().map(|path| path.file_name().unwrap().to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn a_folder_is_its_visible_files_by_name() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["b.eml", "a.ics", ".DS_Store"] {
            fs::write(folder.path().join(name), "x").unwrap();
        }
        fs::create_dir(folder.path().join("older")).unwrap();
        fs::write(folder.path().join("older").join("c.eml"), "x").unwrap();
        let absent = folder.path().join("absent.eml");
        let found = paths(&[folder.path().to_owned(), absent.clone(), INPUT.into()]).unwrap();
        assert_eq!(named(&found[..3]), ["a.ics", "b.eml", "absent.eml"]);
        assert_eq!(found[3], Path::new(INPUT));

        let empty = tempfile::tempdir().unwrap();
        assert_eq!(paths(&[empty.path().to_owned()]).unwrap_err().exit, Exit::Usage);
    }
}
