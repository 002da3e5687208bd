//! A file that exists only when it is complete.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Writes a file without a name, and gives it its name at the end, so that a killed process leaves nothing of it. Where
/// that is not supported, writes `FILE.partial` and renames it. Only its owner may read it. Dropped before
/// [`Self::finish`], it is deleted.
#[derive(Debug)]
pub(crate) struct NewFile {
    path: PathBuf,
    partial: PathBuf,
    /// `FILE.partial`: a lock against other processes, empty if the content is in a file without a name.
    lock: File,
    nameless: Option<File>,
}

impl NewFile {
    /// Fails if the file exists, or while another process writes it. Deletes the remains of a killed process, and writes to
    /// a new file: an existing one may be another user's, who could read what is written, or a link.
    pub(crate) fn create(path: &Path) -> io::Result<Self> {
        if path.symlink_metadata().is_ok() {
            return Err(exists());
        }
        let partial = beside(path, "partial");
        let remains = remains(&partial)?;
        if remains.is_some() {
            fs::remove_file(&partial)?;
        }
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(&partial)?;
        lock(&file)?;
        Ok(Self { path: path.to_owned(), partial, lock: file, nameless: nameless_in(folder_of(path)) })
    }

    /// The name of a temporary file beside it, which does not exist.
    pub(crate) fn scratch(&self) -> io::Result<PathBuf> {
        let scratch = beside(&self.path, "snapshot");
        // Left by a killed process: a running one would hold the lock.
        delete_database(&scratch)?;
        Ok(scratch)
    }

    /// Makes the file durable, and gives it its name unless another file has got it meanwhile.
    pub(crate) fn finish(self) -> io::Result<()> {
        let named = match &self.nameless {
            Some(file) => file.sync_all().and_then(|()| give_name(file, &self.path)),
            None => self.lock.sync_all().and_then(|()| fs::hard_link(&self.partial, &self.path)),
        };
        match named {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Err(exists()),
            // The file system has no hard links.
            Err(_) if self.nameless.is_none() && !self.path.exists() => fs::rename(&self.partial, &self.path)?,
            Err(error) => return Err(error),
        }
        sync_folder_of(&self.path)
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.nameless.as_mut().unwrap_or(&mut self.lock).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        // It may have been renamed.
        let _ = fs::remove_file(&self.partial);
    }
}

/// A new file without a name, for its owner only. `None` if the system or the file system has no such files.
#[cfg(target_os = "linux")]
fn nameless_in(folder: &Path) -> Option<File> {
    use rustix::fs::{Mode, OFlags, open};

    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    let file = File::from(open(folder, flags, Mode::RUSR | Mode::WUSR).ok()?);
    link_to(&file).symlink_metadata().is_ok().then_some(file)
}

#[cfg(not(target_os = "linux"))]
fn nameless_in(_: &Path) -> Option<File> {
    None
}

/// Gives a file without a name this one. Fails if another file has it.
#[cfg(target_os = "linux")]
fn give_name(file: &File, path: &Path) -> io::Result<()> {
    use rustix::fs::{AtFlags, CWD, linkat};

    Ok(linkat(CWD, link_to(file), CWD, path, AtFlags::SYMLINK_FOLLOW)?)
}

#[cfg(not(target_os = "linux"))]
fn give_name(_: &File, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// The kernel's link to an open file, which may have no name.
#[cfg(target_os = "linux")]
fn link_to(file: &File) -> PathBuf {
    use std::os::fd::AsRawFd as _;

    format!("/proc/self/fd/{}", file.as_raw_fd()).into()
}

/// Deletes a database file if it exists, and first its journal, which SQLite would apply to the next file of this name.
pub(super) fn delete_database(file: &Path) -> io::Result<()> {
    let mut journal = OsString::from(file);
    journal.push("-journal");
    for path in [Path::new(&journal), file] {
        match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

/// Opens and locks the remains of a killed process, so that no other process deletes them too. Fails while they are written.
fn remains(partial: &Path) -> io::Result<Option<File>> {
    match partial.symlink_metadata() {
        Ok(metadata) if metadata.is_file() => {
            let file = OpenOptions::new().write(true).open(partial)?;
            lock(&file)?;
            Ok(Some(file))
        }
        Ok(_) => Err(io::Error::other(format!("{} is not a regular file", partial.display()))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Fails if another process has locked the file.
fn lock(file: &File) -> io::Result<()> {
    match file.try_lock() {
        // Not every file system has locks.
        Ok(()) | Err(TryLockError::Error(_)) => Ok(()),
        Err(TryLockError::WouldBlock) => {
            Err(io::Error::new(io::ErrorKind::ResourceBusy, "another process is writing it"))
        }
    }
}

fn exists() -> io::Error {
    io::Error::new(io::ErrorKind::AlreadyExists, "it exists already")
}

/// A path with a further extension.
pub(super) fn beside(path: &Path, extension: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(".");
    name.push(extension);
    name.into()
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Makes a new name in a folder durable.
pub(super) fn sync_folder_of(path: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(folder_of(path))?.sync_all() } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_exists_when_it_is_complete() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("x");
        let mut dropped = NewFile::create(&path).expect("a file");
        dropped.write_all(b"half").expect("it is written");
        assert_eq!(NewFile::create(&path).expect_err("locked").kind(), io::ErrorKind::ResourceBusy);
        drop(dropped);
        assert_eq!(fs::read_dir(folder.path()).expect("the folder").count(), 0);

        // The remains of a killed process are replaced.
        fs::write(folder.path().join("x.partial"), "longer than the new content").expect("a file");
        let mut whole = NewFile::create(&path).expect("a file");
        whole.write_all(b"whole").expect("it is written");
        whole.finish().expect("it gets its name");
        assert_eq!(fs::read(&path).expect("it is there"), b"whole");
        assert_eq!(fs::read_dir(folder.path()).expect("the folder").count(), 1);
        assert_eq!(NewFile::create(&path).expect_err("it exists").kind(), io::ErrorKind::AlreadyExists);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_new_file_has_no_name_until_it_is_complete() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut new = NewFile::create(&folder.path().join("x")).expect("a file");
        if new.nameless.is_none() {
            return;
        }
        new.write_all(b"secret").expect("it is written");
        let sizes = fs::read_dir(folder.path()).expect("the folder").map(|entry| entry.expect("a file").metadata());
        assert_eq!(sizes.map(|metadata| metadata.expect("a file").len()).sum::<u64>(), 0);
        new.finish().expect("it gets its name");
        assert_eq!(fs::read(folder.path().join("x")).expect("it is there"), b"secret");
    }

    #[test]
    fn a_file_that_appears_meanwhile_is_kept() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("x");
        let new = NewFile::create(&path).expect("a file");
        fs::write(&path, "another").expect("a file");
        assert_eq!(new.finish().expect_err("it exists").kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read(&path).expect("it is there"), b"another");
    }

    #[cfg(unix)]
    #[test]
    fn nothing_is_written_to_a_file_that_was_there() {
        use std::os::unix::fs::{PermissionsExt as _, symlink};

        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        // In a folder such as /tmp it may be another user's.
        fs::write(at("x.partial"), "").expect("a file");
        fs::set_permissions(at("x.partial"), fs::Permissions::from_mode(0o666)).expect("it is there");
        let opened = File::open(at("x.partial")).expect("it is there");
        let mut new = NewFile::create(&at("x")).expect("a file");
        new.write_all(b"secret").expect("it is written");
        new.finish().expect("it gets its name");
        assert_eq!(fs::metadata(at("x")).expect("it is there").permissions().mode() & 0o777, 0o600);
        assert_eq!(opened.metadata().expect("it is open").len(), 0);

        fs::write(at("other"), "other").expect("a file");
        symlink(at("other"), at("y.partial")).expect("a link");
        NewFile::create(&at("y")).expect_err("a link is in the way");
        assert_eq!(fs::read(at("other")).expect("it is there"), b"other");
    }
}
