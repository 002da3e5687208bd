//! Writes a backup. First a snapshot of the database, then the files that the snapshot refers to. Files are never changed,
//! and their deletion is held back meanwhile.

use std::fs::File;
use std::io::{self, Read, Seek as _, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use itinerary_app::itineraries::{covers, documents};
use itinerary_core::clock::{Clock, Random};
use itinerary_core::ids;
use itinerary_platform::ports::blobs::Blobs;
use itinerary_store::{Snapshot, Store, StoredFiles};
use tokio::task::JoinSet;
use uuid::Uuid;

use super::archive::{ArchiveWriter, PIECE};
use super::new_file::delete_database;
use super::{BackupError, DESCRIPTION, Description, FILES, FORMAT, KEY, PartKind, Result, SQLITE, piece, refused};

/// How often the hold on files is renewed; much less than its time.
const RENEW_EVERY: Duration = Duration::from_mins(1);

/// What to save.
pub(crate) struct BackupSource {
    pub(crate) store: Store,
    /// `None` leaves the files out.
    pub(crate) blobs: Option<Blobs>,
    /// The content of the key file, if there is one.
    pub(crate) key: Option<Vec<u8>>,
    /// A name for the file with a copy of an SQLite database. The name is deleted before anything is written to the file.
    pub(crate) scratch: PathBuf,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) random: Arc<dyn Random>,
}

/// What was saved.
#[derive(Debug)]
pub(crate) struct SavedBackup {
    pub(crate) database: PartKind,
    /// The last migration.
    pub(crate) schema: String,
    pub(crate) rows: u64,
    pub(crate) files: u64,
    /// The size of the files, in bytes.
    pub(crate) file_bytes: u64,
    /// Files that the database refers to and the file store does not have.
    pub(crate) missing: Vec<String>,
    /// The size of the backup, in bytes.
    pub(crate) bytes: u64,
}

/// Deletes a file when dropped.
struct Scratch<'p>(&'p Path);

impl Drop for Scratch<'_> {
    fn drop(&mut self) {
        if let Err(error) = delete_database(self.0) {
            tracing::warn!(error = &error as &dyn std::error::Error, "a temporary file was not deleted");
        }
    }
}

/// Writes a backup.
pub(crate) async fn save(source: &BackupSource, output: impl Write) -> Result<SavedBackup> {
    if source.blobs.is_none() {
        return write(source, output).await;
    }
    let holder = ids::uuid(source.clock.now(), &*source.random);
    let renewing = hold(source, holder).await?;
    let saved = write(source, output).await;
    drop(renewing);
    let released = source.store.files_release(holder, source.clock.now()).await;
    // The first error is the one to report. If only the release fails, the hold expires.
    let saved = saved?;
    released?;
    Ok(saved)
}

/// Holds the deletion of files back until the result is dropped and the hold has expired or is released.
async fn hold(source: &BackupSource, holder: Uuid) -> Result<JoinSet<()>> {
    let (store, clock) = (source.store.clone(), Arc::clone(&source.clock));
    store.files_hold(holder, clock.now()).await?;
    let mut renewing = JoinSet::new();
    renewing.spawn(async move {
        loop {
            tokio::time::sleep(RENEW_EVERY).await;
            if let Err(error) = store.files_hold(holder, clock.now()).await {
                tracing::warn!(error = &error as &dyn std::error::Error, "the hold on files was not renewed");
            }
        }
    });
    Ok(renewing)
}

async fn write(source: &BackupSource, output: impl Write) -> Result<SavedBackup> {
    let _scratch = Scratch(&source.scratch);
    let created_at = source.clock.now();
    let mut snapshot = source.store.snapshot(&source.scratch).await?;
    let Some(schema) = snapshot.migrations().last().cloned() else {
        return refused("the database is empty: there is nothing to back up");
    };
    let database = PartKind::of(source.store.kind());
    let description = Description {
        format: FORMAT,
        program: env!("CARGO_PKG_VERSION").to_owned(),
        created_at,
        database,
        migrations: snapshot.migrations().to_vec(),
        tables: snapshot.tables().to_vec(),
        files: source.blobs.is_some(),
    };
    let mut writer = ArchiveWriter::new(output, created_at.timestamp().unsigned_abs());
    let text = serde_json::to_vec_pretty(&description).map_err(io::Error::from)?;
    writer.entry(DESCRIPTION, &text)?;
    let rows = if let Some(copy) = snapshot.database() {
        write_file(&mut writer, SQLITE, copy)?;
        snapshot.rows()
    } else {
        write_tables(&mut writer, &mut snapshot).await?
    };
    let mut saved = SavedBackup { database, schema, rows, files: 0, file_bytes: 0, missing: Vec::new(), bytes: 0 };
    let files = snapshot.files().await?;
    if let Some(blobs) = &source.blobs {
        write_files(&mut writer, blobs, &files, &mut saved).await?;
    }
    if let Some(key) = &source.key {
        writer.entry(KEY, key)?;
    }
    Ok(SavedBackup { bytes: writer.finish()?.1, ..saved })
}

async fn write_tables<W: Write>(writer: &mut ArchiveWriter<W>, snapshot: &mut Snapshot) -> Result<u64> {
    let mut rows = 0;
    for (index, table) in snapshot.tables().to_vec().iter().enumerate() {
        let mut number = 0;
        let write = |bytes: bytes::Bytes| -> Result<()> {
            writer.entry(&piece(index, &table.name, number), &bytes)?;
            number += 1;
            Ok(())
        };
        rows += snapshot.read_table(index, write).await?;
    }
    Ok(rows)
}

fn write_file<W: Write>(writer: &mut ArchiveWriter<W>, name: &str, mut input: &File) -> Result<()> {
    let failed = |error| BackupError::File("the copy of the database".to_owned(), error);
    input.rewind().map_err(failed)?;
    writer.begin(name, input.metadata().map_err(failed)?.len())?;
    let mut buffer = vec![0; PIECE];
    loop {
        match input.read(&mut buffer).map_err(failed)? {
            0 => break,
            read => writer.write(&buffer[..read])?,
        }
    }
    Ok(writer.end()?)
}

async fn write_files<W: Write>(
    writer: &mut ArchiveWriter<W>,
    blobs: &Blobs,
    files: &StoredFiles,
    saved: &mut SavedBackup,
) -> Result<()> {
    for (id, size) in &files.documents {
        let written = write_blob(writer, blobs, &documents::blob(*id), saved).await?;
        if written != Some(size.unsigned_abs()) {
            saved.missing.push(documents::blob(*id));
        }
    }
    for id in &files.pictures {
        let mut names = covers::files(*id);
        names.sort_unstable();
        for name in names {
            let written = write_blob(writer, blobs, &name, saved).await?;
            if written.is_none() && !covers::is_drawn(*id) {
                saved.missing.push(name);
            }
        }
    }
    Ok(())
}

/// Writes a file of the file store; returns its size. `None` if it does not exist.
async fn write_blob<W: Write>(
    writer: &mut ArchiveWriter<W>,
    blobs: &Blobs,
    name: &str,
    saved: &mut SavedBackup,
) -> Result<Option<u64>> {
    let Some((size, mut pieces)) = blobs.open(name).await? else { return Ok(None) };
    writer.begin(&format!("{FILES}{name}"), size)?;
    while let Some(piece) = pieces.next().await {
        writer.write(&piece?)?;
    }
    writer.end()?;
    saved.files += 1;
    saved.file_bytes += size;
    Ok(Some(size))
}
