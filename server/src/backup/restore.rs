//! Restores a backup to a new place, completely or not at all: everything is written under temporary names or in a
//! transaction, and gets its place when the checksums have been compared.
//!
//! A backup of SQLite can be restored to PostgreSQL: its database is migrated in a temporary file, from which the rows are
//! copied.

use std::fs::{self, File, OpenOptions};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use bytes::Bytes;
use futures::TryStreamExt;
use itinerary_platform::ports::blobs::{Blobs, make_private_folder};
use itinerary_platform::ports::providers;
use itinerary_platform::settings::Storage;
use itinerary_store::{Filling, Options, Store, sqlite_file, sqlite_url};
use uuid::Uuid;

use super::archive::{ArchiveEntry, ArchiveReader};
use super::new_file::{beside, sync_folder_of};
use super::{
    BackupError, DESCRIPTION, Description, FILES, FORMAT, KEY, KEY_BYTES, PartKind, Result, SQLITE, damaged, refused,
    table_of,
};
use crate::serve::open_store;

/// The extension of temporary names.
const STAGED: &str = "restoring";
/// The maximum size of the description, in bytes.
const DESCRIPTION_BYTES: u64 = 1 << 20;
/// The maximum size of a piece of a table, in bytes: a piece is 4 MiB and a row.
const TABLE_PIECE: u64 = 64 << 20;

/// What was restored.
pub(crate) struct Restored {
    pub(crate) description: Description,
    /// The database that was filled.
    pub(crate) database: PartKind,
    /// The number of rows; `None` for SQLite, where they are not counted.
    pub(crate) rows: Option<u64>,
    pub(crate) files: u64,
    /// Whether the backup had the server's key.
    pub(crate) key: bool,
    /// Whether the database needs newer migrations.
    pub(crate) pending: bool,
}

/// Where the parts of the backup go.
struct RestoreTarget<'s> {
    storage: &'s Storage,
    /// The database file. `None` for PostgreSQL.
    sqlite: Option<PathBuf>,
    key: PathBuf,
    /// The folder for files. `None` for S3.
    folder: Option<PathBuf>,
    staged: Staged,
    /// What has got its place.
    placed: Vec<PathBuf>,
    /// The names of the files that were written to S3.
    uploaded: Vec<String>,
}

/// Temporary files and folders, deleted when dropped.
#[derive(Default)]
struct Staged(Vec<PathBuf>);

impl Drop for Staged {
    fn drop(&mut self) {
        for path in self.0.iter().rev() {
            // What has got its place is no longer there.
            let _ = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
        }
    }
}

/// Restores a backup to an empty data folder or database.
pub(crate) async fn restore(storage: &Storage, input: impl Read) -> Result<Restored> {
    let mut archive = tar::Archive::new(input);
    let mut reader = ArchiveReader::new(&mut archive)?;
    let description = describe(&mut reader)?;
    let mut target = RestoreTarget::of(storage)?;
    let kind = if target.sqlite.is_some() { PartKind::Sqlite } else { PartKind::PostgreSql };
    if (description.database, kind) == (PartKind::PostgreSql, PartKind::Sqlite) {
        return refused("the backup is of PostgreSQL; it cannot be restored to SQLite");
    }
    Store::check_migrations(&description.migrations)?;
    target.check()?;
    make_private_folder(&storage.data).map_err(|error| failed(&storage.data, error))?;
    let blobs = target.blobs(description.files).await?;
    let restored = write(&mut target, &mut reader, description, blobs.as_ref()).await;
    if let (Err(_), None, Some(bucket)) = (&restored, &target.folder, &blobs) {
        // Only these: another restore to the same bucket may be the reason of the failure.
        delete_all(bucket, &target.uploaded).await;
    }
    restored
}

/// Reads the first entry.
fn describe<R: Read>(reader: &mut ArchiveReader<'_, R>) -> Result<Description> {
    let not_ours = || BackupError::Refused("this is not a backup of this program".to_owned());
    let mut first = match reader.next() {
        Ok(Some(first)) if first.name == DESCRIPTION => first,
        Err(BackupError::Io(error)) if error.kind() != std::io::ErrorKind::Other => return Err(error.into()),
        _ => return Err(not_ours()),
    };
    let text = first.read_all(DESCRIPTION_BYTES)?;
    reader.end(first)?;
    let value: serde_json::Value = serde_json::from_slice(&text).map_err(|_| not_ours())?;
    if value["format"].as_u64() != Some(FORMAT.into()) {
        return refused(format!("the backup has the format {}; this program reads {FORMAT}", value["format"]));
    }
    serde_json::from_value(value).map_err(|_| not_ours())
}

async fn write<R: Read>(
    target: &mut RestoreTarget<'_>,
    reader: &mut ArchiveReader<'_, R>,
    description: Description,
    blobs: Option<&Blobs>,
) -> Result<Restored> {
    let (mut store, mut filling) = (None, None);
    let copied = target.copied_file(&description);
    if target.sqlite.is_none() {
        let opened = open_store(target.storage).await?;
        let begun = match copied {
            Some(_) => opened.fill_from_sqlite().await?,
            None => opened.fill(&description.migrations, &description.tables).await?,
        };
        let empty = || BackupError::Refused("the database is not empty: restore to a new one".to_owned());
        filling = Some(begun.ok_or_else(empty)?);
        store = Some(opened);
    }
    let (mut rows, mut files, mut key) = (0, 0, None);
    while let Some(mut entry) = reader.next()? {
        if entry.name == SQLITE
            && let Some(file) = target.sqlite.as_ref().or(copied.as_ref())
        {
            write_staged(&mut entry, &beside(file, STAGED), &mut target.staged)?;
        } else if let (Some(filling), Some(table)) = (&mut filling, table_of(&entry.name, &description.tables)) {
            rows += insert(filling, table, &mut entry).await?;
        } else if let (Some(blobs), Some(name)) = (blobs, blob_of(&entry.name)) {
            if target.folder.is_none() {
                target.uploaded.push(name.clone());
            }
            write_blob(&mut entry, blobs, &name).await?;
            files += 1;
        } else if entry.name == KEY && entry.size == KEY_BYTES {
            key = Some(entry.read_all(KEY_BYTES)?);
        } else {
            return damaged(format!("{:?} was not expected", entry.name));
        }
        reader.end(entry)?;
    }
    if let Some(file) = target.sqlite.as_ref().or(copied.as_ref()) {
        let staged = beside(file, STAGED);
        if !staged.exists() || Store::migrations_of(&staged)? != description.migrations {
            return damaged("the database is not the one of its description");
        }
        match &mut filling {
            Some(filling) => rows += copy_rows(&staged, filling, &mut target.staged).await?,
            None => Store::forget_changes_of(&staged)?,
        }
    }
    target.place(key.as_deref())?;
    if let Some(filling) = filling {
        target.commit(filling).await?;
    }
    // An error from here on takes nothing back.
    target.uploaded.clear();
    if let Some(store) = store {
        // From here on nothing is a failure: everything is restored, and files must not be deleted again.
        if let Err(error) = store.analyse().await {
            tracing::warn!(error = &error as &dyn std::error::Error, "the database's statistics were not updated");
        }
        if let Err(error) = store.close().await {
            tracing::warn!(error = &error as &dyn std::error::Error, "the database was not closed");
        }
    }
    let pending = copied.is_none() && Store::has_pending(&description.migrations);
    let database = if target.sqlite.is_some() { PartKind::Sqlite } else { PartKind::PostgreSql };
    let rows = target.sqlite.is_none().then_some(rows);
    Ok(Restored { description, database, rows, files, key: key.is_some(), pending })
}

/// Migrates the database in a temporary file, and copies its rows.
async fn copy_rows(file: &Path, filling: &mut Filling, staged: &mut Staged) -> Result<u64> {
    staged.0.extend(["-wal", "-shm", "-journal"].map(|end| with_ending(file, end)));
    let source = Store::open(&sqlite_url(file), &Options::default()).await?;
    source.migrate().await?;
    source.close().await?;
    Ok(filling.copy_sqlite(file).await?)
}

/// A path with more characters at its end.
fn with_ending(path: &Path, end: &str) -> PathBuf {
    let mut path = path.as_os_str().to_owned();
    path.push(end);
    path.into()
}

async fn insert<R: Read>(filling: &mut Filling, table: usize, entry: &mut ArchiveEntry<'_, R>) -> Result<u64> {
    let piece = entry.read_all(TABLE_PIECE)?;
    Ok(filling.insert(table, &piece).await?)
}

fn write_staged<R: Read>(entry: &mut ArchiveEntry<'_, R>, path: &Path, staged: &mut Staged) -> Result<()> {
    let mut file = create(path)?;
    staged.0.push(path.to_owned());
    while let Some(piece) = entry.read()? {
        file.write_all(piece).map_err(|error| failed(path, error))?;
    }
    file.sync_all().map_err(|error| failed(path, error))
}

/// The name in the file store of an entry with a file. Names are a document's id, or an image's id and its ending.
fn blob_of(entry: &str) -> Option<String> {
    let name = entry.strip_prefix(FILES)?;
    let (folder, file) = name.split_once('/')?;
    let id = match folder {
        "documents" => file,
        "images" => file.strip_suffix(".jpg").map(|id| id.strip_suffix("-small").unwrap_or(id))?,
        _ => return None,
    };
    // In the form in which this program writes ids.
    (Uuid::try_parse(id).ok()?.to_string() == id).then(|| name.to_owned())
}

async fn write_blob<R: Read>(entry: &mut ArchiveEntry<'_, R>, blobs: &Blobs, name: &str) -> Result<()> {
    let mut writer = blobs.writer(name);
    loop {
        let piece = match entry.read() {
            Ok(Some(piece)) => Bytes::copy_from_slice(piece),
            Ok(None) => break,
            Err(error) => {
                writer.abort().await;
                return Err(error);
            }
        };
        writer.write(piece).await?;
    }
    Ok(writer.finish().await?)
}

async fn delete_all(blobs: &Blobs, names: &[String]) {
    for name in names {
        if let Err(error) = blobs.delete(name).await {
            tracing::warn!(error = &error as &dyn std::error::Error, file = name, "a file was not deleted");
        }
    }
}

impl<'s> RestoreTarget<'s> {
    fn of(storage: &'s Storage) -> Result<Self> {
        let folder = storage.files_url.is_none().then(|| storage.files_folder());
        let sqlite = sqlite_file(&storage.database_url())?;
        let (staged, placed, uploaded) = Default::default();
        Ok(Self { storage, sqlite, key: storage.key_file(), folder, staged, placed, uploaded })
    }

    /// Fails if there is data already, or if an earlier restore was killed.
    fn check(&self) -> Result<()> {
        let mut taken: Vec<PathBuf> = Vec::new();
        if let Some(file) = &self.sqlite {
            taken.push(file.clone());
            taken.extend(["-wal", "-shm", "-journal"].map(|end| with_ending(file, end)));
        }
        if let Some(folder) = &self.folder
            && fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some())
        {
            taken.push(folder.clone());
        }
        if self.sqlite.is_some() {
            taken.push(self.key.clone());
        }
        if let Some(path) = taken.iter().find(|path| path.symlink_metadata().is_ok()) {
            return refused(format!("{} exists: restore to an empty data folder", path.display()));
        }
        let database = self.sqlite.clone().unwrap_or_else(|| self.storage.data.join("itinerary.db"));
        let parts = [Some(&database), self.folder.as_ref(), Some(&self.key)].into_iter().flatten();
        match parts.map(|path| beside(path, STAGED)).find(|path| path.symlink_metadata().is_ok()) {
            Some(path) => refused(format!(
                "{} exists: another restore is running, or one was killed. If it was killed, delete this",
                path.display()
            )),
            None => Ok(()),
        }
    }

    /// The file with the database of a backup of SQLite that is restored to PostgreSQL. Only its temporary name exists.
    fn copied_file(&self, description: &Description) -> Option<PathBuf> {
        let is_copied = self.sqlite.is_none() && description.database == PartKind::Sqlite;
        is_copied.then(|| self.storage.data.join("itinerary.db"))
    }

    /// The file store, whose local folder has a temporary name. `None` if the backup has no files.
    async fn blobs(&mut self, has_files: bool) -> Result<Option<Blobs>> {
        if !has_files {
            return Ok(None);
        }
        if let Some(folder) = &self.folder {
            let staged = beside(folder, STAGED);
            self.staged.0.push(staged.clone());
            return Ok(Some(Blobs::in_folder(&staged)?));
        }
        let bucket = providers::blobs(self.storage)?;
        match bucket.list("").try_next().await? {
            Some(file) => refused(format!("the file store has files already, such as {}", file.name)),
            None => Ok(Some(bucket)),
        }
    }

    /// Gives everything that is complete its place; the database last. If that fails, takes back what has got its place.
    fn place(&mut self, key: Option<&[u8]>) -> Result<()> {
        let mut placed = Vec::new();
        let outcome = self.place_parts(key, &mut placed);
        if outcome.is_err() {
            self.staged.0.append(&mut placed);
        }
        self.placed = placed;
        outcome
    }

    fn place_parts(&mut self, key: Option<&[u8]>, placed: &mut Vec<PathBuf>) -> Result<()> {
        if let Some(key) = key
            && self.stage_key(key)?
        {
            place(&self.key, placed)?;
        }
        for path in [&self.folder, &self.sqlite].into_iter().flatten() {
            if beside(path, STAGED).exists() {
                place(path, placed)?;
            }
        }
        Ok(())
    }

    /// `false` if the key is there already: another server on the same database may have it.
    fn stage_key(&mut self, key: &[u8]) -> Result<bool> {
        match fs::read(&self.key) {
            Ok(present) if present == key => return Ok(false),
            Ok(_) => return refused(format!("{} has another key: move it away", self.key.display())),
            Err(_) => {}
        }
        let staged = beside(&self.key, STAGED);
        let mut file = create(&staged)?;
        self.staged.0.push(staged.clone());
        file.write_all(key).and_then(|()| file.sync_all()).map_err(|error| failed(&staged, error))?;
        Ok(true)
    }

    /// Makes the rows visible. If that fails, takes back what has got its place.
    async fn commit(&mut self, filling: Filling) -> Result<()> {
        let committed = filling.commit().await;
        if committed.is_err() {
            self.staged.0.append(&mut self.placed);
        }
        Ok(committed?)
    }
}

fn place(path: &Path, placed: &mut Vec<PathBuf>) -> Result<()> {
    // A server that was started meanwhile has created its own. Renaming would replace a file, but no folder with files.
    if !path.is_dir() && path.symlink_metadata().is_ok() {
        return refused(format!("{} has been created meanwhile: restore to an empty data folder", path.display()));
    }
    fs::rename(beside(path, STAGED), path).map_err(|error| failed(path, error))?;
    placed.push(path.to_owned());
    sync_folder_of(path).map_err(|error| failed(path, error))
}

/// Creates a file that only its owner can read.
fn create(path: &Path) -> Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map_err(|error| failed(path, error))
}

fn failed(path: &Path, error: std::io::Error) -> BackupError {
    BackupError::File(path.display().to_string(), error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_only_those_that_the_server_names() {
        let id = "0198c0de-0000-7000-8000-00000000000a";
        for name in [format!("documents/{id}"), format!("images/{id}.jpg"), format!("images/{id}-small.jpg")] {
            assert_eq!(blob_of(&format!("files/{name}")), Some(name));
        }
        for name in [
            "../x".to_owned(),
            format!("documents/../{id}"),
            format!("documents/{}", id.to_uppercase()),
            format!("documents/{}", id.replace('-', "")),
            format!("images/{id}"),
            format!("images/{id}-links.jpg"),
            format!("other/{id}"),
            format!("/documents/{id}"),
            format!("documents/{id}/x"),
        ] {
            assert_eq!(blob_of(&format!("files/{name}")), None, "{name}");
        }
    }
}
