//! The commands `backup` and `restore`.

use std::fs::{self, File};
use std::io::{self, BufWriter, IsTerminal as _, Read, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use itinerary_core::clock::Random;
use itinerary_core::ids;
use itinerary_platform::ports::providers;
use itinerary_platform::settings::{Access, KeyPlace, Storage};
use itinerary_platform::system::{SystemClock, SystemRandom};
use serde_json::json;

use super::CliResult;
use super::output::Output;
use crate::backup::{self, BackupSource, NewFile, SavedBackup};
use crate::serve::open_store;

/// Stands for standard input or output.
const STANDARD: &str = "-";
/// The number of missing files that are printed. All are counted.
const PRINTED: usize = 20;
/// The length of a server's key, in bytes.
const KEY_BYTES: usize = 32;
/// The size of the writes to the backup, in bytes.
const BUFFER: usize = 256 << 10;

#[derive(Args)]
pub(super) struct BackupCommand {
    /// The file to write, which must not exist; - for standard output
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Leave out images and documents
    #[arg(long)]
    no_files: bool,
}

#[derive(Args)]
pub(super) struct RestoreCommand {
    /// The backup; - for standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

pub(super) async fn backup(storage: &Storage, command: &BackupCommand, output: Output) -> CliResult {
    let is_standard = command.file.as_os_str() == STANDARD;
    if is_standard && io::stdout().is_terminal() {
        return Err("a backup cannot be written to a terminal: name a file, or redirect standard output".into());
    }
    let started = Instant::now();
    let failed = |error: io::Error| format!("{}: {error}", command.file.display());
    let key = read_key(storage)?;
    let has_key = key.is_some();
    let storage = &storage.with_access(Access::Existing);
    let store = open_store(storage).await?;
    store.pending().await?;
    let random: Arc<dyn Random> = Arc::new(SystemRandom);
    let mut file = if is_standard { None } else { Some(NewFile::create(&command.file).map_err(failed)?) };
    let source = BackupSource {
        blobs: if command.no_files { None } else { Some(providers::blobs(storage)?) },
        // Beside the backup, not beside the database, whose disk must not fill.
        scratch: match &file {
            Some(file) => file.scratch().map_err(failed)?,
            None => std::env::temp_dir().join(format!("itinerary-{}.snapshot", ids::item(&*random))),
        },
        clock: Arc::new(SystemClock),
        store,
        key,
        random,
    };
    let bar = bar(None)?;
    let saved = match &mut file {
        Some(file) => save(&source, bar.wrap_write(file)).await?,
        None => save(&source, bar.wrap_write(io::stdout().lock())).await?,
    };
    if let Some(file) = file {
        file.finish().map_err(failed)?;
    }
    bar.finish_and_clear();
    source.store.close().await?;
    let report = BackupReport { command, saved: &saved, has_key, seconds: started.elapsed().as_secs_f64() };
    report.print(storage, is_standard, output)
}

/// Writes a backup, unless the program is interrupted.
async fn save(
    source: &BackupSource,
    output: impl Write,
) -> Result<SavedBackup, Box<dyn std::error::Error + Send + Sync>> {
    let output = BufWriter::with_capacity(BUFFER, output);
    tokio::select! {
        biased;
        () = interrupted() => Err("interrupted".into()),
        saved = backup::save(source, output) => Ok(saved?),
    }
}

struct BackupReport<'a> {
    command: &'a BackupCommand,
    saved: &'a SavedBackup,
    has_key: bool,
    seconds: f64,
}

impl BackupReport<'_> {
    fn print(&self, storage: &Storage, is_standard: bool, output: Output) -> CliResult {
        let SavedBackup { database, schema, rows, files, file_bytes, missing, bytes } = self.saved;
        if !output.quiet && !output.json {
            for name in missing.iter().take(PRINTED) {
                eprintln!("missing: the file {name}, to which the database refers");
            }
            if !self.has_key && storage.database.server_key == KeyPlace::File {
                let file = storage.key_file();
                eprintln!("{} does not exist: the backup has no key file", file.display());
            }
        }
        let value = json!({
            "file": self.command.file.display().to_string(),
            "database": database.name(),
            "schema": schema,
            "rows": rows,
            "files": if self.command.no_files { None } else { Some(files) },
            "fileBytes": file_bytes,
            "missingFiles": missing.len(),
            "key": self.has_key,
            "bytes": bytes,
            "seconds": (self.seconds * 1000.0).round() / 1000.0,
        });
        let files = match (self.command.no_files, missing.len()) {
            (true, _) => "no files (--no-files)".to_owned(),
            (false, 0) => format!("{files} files"),
            (false, missing) => format!("{files} files, {missing} missing"),
        };
        let file = self.command.file.display().to_string();
        let name = if is_standard { "the backup" } else { &file };
        let text = format!("Wrote {name}: {rows} rows, {files}, {bytes} bytes in {:.1} seconds.", self.seconds);
        if is_standard {
            // Standard output is the backup.
            if output.json {
                eprintln!("{value}");
            } else if !output.quiet {
                eprintln!("{text}");
            }
            return Ok(());
        }
        output.print(&value, "", &text)
    }
}

/// The content of the key file. `None` if there is none: the key may be in the database.
fn read_key(storage: &Storage) -> Result<Option<Vec<u8>>, String> {
    let file = storage.key_file();
    match fs::read(&file) {
        // Otherwise the backup could not be restored.
        Ok(key) if key.len() != KEY_BYTES => {
            Err(format!("the key file {} must have {KEY_BYTES} bytes", file.display()))
        }
        Ok(key) => Ok(Some(key)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(format!("the key file {} cannot be read: {error}", file.display())),
    }
}

/// A progress bar, which is only drawn on a terminal.
fn bar(size: Option<u64>) -> Result<ProgressBar, Box<dyn std::error::Error + Send + Sync>> {
    Ok(match size {
        Some(size) => ProgressBar::new(size)
            .with_style(ProgressStyle::with_template("{bar:40} {bytes}/{total_bytes} {binary_bytes_per_sec} {eta}")?),
        None => ProgressBar::new_spinner()
            .with_style(ProgressStyle::with_template("{spinner} {bytes} {binary_bytes_per_sec} {elapsed}")?),
    })
}

pub(super) async fn restore(storage: &Storage, command: &RestoreCommand, output: Output) -> CliResult {
    let started = Instant::now();
    let failed = |error: io::Error| format!("{}: {error}", command.file.display());
    let (input, size): (Box<dyn Read>, _) = if command.file.as_os_str() == STANDARD {
        (Box::new(io::stdin().lock()), None)
    } else {
        let file = File::open(&command.file).map_err(failed)?;
        let size = file.metadata().map_err(failed)?.len();
        (Box::new(file), Some(size))
    };
    let bar = bar(size)?;
    let of_interruption = match storage.files_url {
        None => "interrupted; nothing was restored",
        Some(_) => {
            "interrupted; the database was not restored, but the file store may have some of the files: delete them"
        }
    };
    let restored = tokio::select! {
        biased;
        () = interrupted() => return Err(of_interruption.into()),
        restored = backup::restore(storage, bar.wrap_read(input)) => restored?,
    };
    bar.finish_and_clear();
    let seconds = started.elapsed().as_secs_f64();
    let value = json!({
        "createdAt": restored.description.created_at,
        "database": restored.database.name(),
        "rows": restored.rows,
        "files": if restored.description.files { Some(restored.files) } else { None },
        "key": restored.key,
        "migrationsPending": restored.pending,
        "seconds": (seconds * 1000.0).round() / 1000.0,
    });
    let mut text = format!(
        "Restored the backup of {}: {} files in {seconds:.1} seconds.",
        restored.description.created_at.format("%Y-%m-%d %H:%M:%S UTC"),
        restored.files,
    );
    if !restored.description.files {
        text += "\nThe backup was made with --no-files: restore images and documents yourself.";
    }
    let key = storage.key_file();
    if storage.database.server_key == KeyPlace::File && !key.exists() {
        let key = key.display();
        text = format!(
            "{text}\nThe backup has no server.key. Copy the old one to {key}, or set server_key = \"database\" if it is \
             there."
        );
    }
    if restored.pending {
        text += "\nThe backup is of an older version: run the command migrate, or serve.";
    }
    output.print(&value, "", &text)
}

/// Completes at Ctrl-C, or at the signal that service managers send.
async fn interrupted() {
    let terminated = async {
        #[cfg(unix)]
        if let Ok(mut signal) = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
            signal.recv().await;
            return;
        }
        std::future::pending::<()>().await;
    };
    tokio::select! {
        Ok(()) = tokio::signal::ctrl_c() => {}
        () = terminated => {}
    }
}
