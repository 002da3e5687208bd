//! Reading and writing files.

use std::fs;
use std::io::{self, Read as _, Write as _};
use std::path::Path;

use tempfile::NamedTempFile;

use crate::failure::{Exit, Failure};

/// Larger input is not a trip: the service accepts 512 KiB.
const LARGEST: u64 = 4 << 20;

/// Reads a file as text; `-` is standard input.
pub(crate) async fn read(path: &Path) -> Result<String, Failure> {
    let content = bytes(path, LARGEST).await?;
    if content.len() as u64 > LARGEST {
        return Err(Failure::new(Exit::Invalid, format!("{}: larger than 4 MiB", name(path))));
    }
    String::from_utf8(content).map_err(|_| Failure::new(Exit::Failure, format!("{}: not UTF-8", name(path))))
}

/// Reads a file; `-` is standard input. Of a file with more than `most` bytes, one byte more than these.
pub(crate) async fn bytes(path: &Path, most: u64) -> Result<Vec<u8>, Failure> {
    let path = path.to_owned();
    let read = tokio::task::spawn_blocking(move || {
        let mut content = Vec::new();
        let read = if path.as_os_str() == "-" {
            io::stdin().lock().take(most + 1).read_to_end(&mut content)
        } else {
            fs::File::open(&path).and_then(|file| file.take(most + 1).read_to_end(&mut content))
        };
        read.map(|_| content).map_err(|error| Failure::new(Exit::Failure, format!("{}: {error}", name(&path))))
    });
    read.await.map_err(io::Error::other)?
}

/// What errors call a file.
pub(crate) fn name(path: &Path) -> String {
    if path.as_os_str() == "-" { "standard input".to_owned() } else { path.display().to_string() }
}

/// Writes a file under a temporary name and renames it: if the program ends before, there is no half of a file.
/// Temporary files are readable by their owner only, and stay so if `is_private`.
pub(crate) fn replace(path: &Path, content: &[u8], is_private: bool) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = NamedTempFile::new_in(folder)?;
    file.write_all(content)?;
    if !is_private {
        make_readable(path, file.as_file())?;
    }
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(())
}

/// Gives a new file the permissions of the one that it replaces, or the usual ones.
#[cfg(unix)]
fn make_readable(path: &Path, file: &fs::File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = fs::metadata(path).map_or(0o644, |metadata| metadata.permissions().mode() & 0o777);
    file.set_permissions(fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "on Unix it may fail")]
fn make_readable(_path: &Path, _file: &fs::File) -> io::Result<()> {
    Ok(())
}

/// Creates a folder that only its owner can read.
pub(crate) fn create_private_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}
