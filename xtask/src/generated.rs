//! Generated files: writes them, or with `--check` compares them with the new content.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use similar::TextDiff;

/// Whether to write or check a generated file.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Write nothing; fail, and print the difference, if the file is stale
    #[arg(long)]
    pub(crate) check: bool,
}

/// The workspace's folder.
pub(crate) fn root() -> PathBuf {
    let manifest = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    manifest.parent().expect("xtask is in the workspace").to_owned()
}

/// Writes the file, or checks it.
pub(crate) fn settle(args: &Args, file: &str, text: &str) -> Result<(), Box<dyn Error>> {
    settle_in(&root(), args, file, text)
}

fn settle_in(root: &Path, args: &Args, file: &str, text: &str) -> Result<(), Box<dyn Error>> {
    let path = root.join(file);
    if !args.check {
        fs::write(&path, text)?;
        println!("wrote {file}");
        return Ok(());
    }
    let there = fs::read_to_string(&path).unwrap_or_default();
    match difference(file, &there, text) {
        None => {
            println!("{file} is up to date");
            Ok(())
        }
        Some(difference) => {
            println!("{difference}");
            Err(format!("{file} is stale: generate it again").into())
        }
    }
}

/// The difference between the file and the expected content; `None` if they are equal.
fn difference(file: &str, there: &str, wanted: &str) -> Option<String> {
    let diff = || TextDiff::from_lines(there, wanted).unified_diff().header(file, "generated now").to_string();
    (there != wanted).then(diff)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_check_fails_for_a_stale_file_and_touches_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let document = crate::openapi::text().expect("a document");
        let client = crate::sdk::text().expect("a client");
        for (file, text) in [(crate::openapi::FILE, document), (crate::sdk::FILE, client)] {
            let settle = |check| settle_in(folder.path(), &Args { check }, file, &text).map_err(|e| e.to_string());
            let stale = Err(format!("{file} is stale: generate it again"));
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().expect("it is in a folder")).expect("a folder");
            assert_eq!(settle(true), stale, "it is missing");
            assert!(!path.exists());

            assert_eq!(settle(false), Ok(()));
            assert_eq!(settle(true), Ok(()));

            let altered = text.replacen("itinerary", "Itinerary", 1);
            fs::write(&path, &altered).expect("a file");
            assert_eq!(settle(true), stale);
            assert_eq!(fs::read_to_string(&path).expect("a file"), altered);
        }
    }

    #[test]
    fn a_stale_file_is_told_with_its_difference() {
        assert_eq!(difference("f", "a\nb\n", "a\nb\n"), None);
        let difference = difference("f", "a\nb\n", "a\nc\n").expect("they differ");
        assert!(difference.contains("-b") && difference.contains("+c"), "{difference}");
    }
}
