//! The command `files check`: compares the file store with the database, after a restore from separate copies.

use chrono::TimeDelta;
use clap::{Args, Subcommand};
use futures::{StreamExt, TryStreamExt};
use itinerary_app::itineraries::documents;
use itinerary_platform::context::Service;
use itinerary_platform::error_chain::chain;
use itinerary_platform::settings::Storage;
use serde_json::json;
use uuid::Uuid;

use super::output::Output;
use super::{CliResult, offline};

/// The number of documents that one statement reads.
const PAGE: u32 = 500;
/// The number of files that are looked up at once.
const BATCH: usize = 30;
/// Younger files may belong to an upload in progress.
const MIN_AGE: TimeDelta = TimeDelta::hours(1);

#[derive(Subcommand)]
pub(super) enum FilesCommand {
    /// List documents without their file, and files of documents that the database does not have
    Check(CheckCommand),
}

#[derive(Args)]
pub(super) struct CheckCommand {
    /// Delete files of documents that the database does not have, if they are older than an hour
    #[arg(long)]
    delete_loose: bool,
}

pub(super) async fn run(storage: &Storage, FilesCommand::Check(command): FilesCommand, output: Output) -> CliResult {
    let service = offline(storage).await?;
    if command.delete_loose && service.store.files_are_held(service.clock.now()).await? {
        return Err("a backup is running, which may need these files: run the command after it".into());
    }
    let missing = missing(&service, output).await?;
    let loose = loose(&service, command.delete_loose, output).await?;
    let done = if command.delete_loose { ", deleted" } else { "" };
    let text = format!("{missing} documents without their file, {loose} files without a document{done}.");
    output.say(&text)
}

/// Prints the documents whose file is missing or has another size.
async fn missing(service: &Service, output: Output) -> Result<u64, Box<dyn std::error::Error + Send + Sync>> {
    let (mut after, mut count) = (Uuid::nil(), 0);
    loop {
        let page = service.store.documents_after(after, PAGE).await?;
        for (id, size) in &page {
            let name = documents::blob(*id);
            let file = service.ports.blobs.open(&name).await.map_err(|error| chain(&error))?;
            if file.is_none_or(|(found, _)| found != size.unsigned_abs()) {
                count += 1;
                output.print(&json!({ "missing": name }), &name, &format!("missing  {name}"))?;
            }
        }
        match page.last() {
            Some((id, _)) => after = *id,
            None => return Ok(count),
        }
    }
}

/// Prints files without a document, and deletes them if told to.
async fn loose(
    service: &Service,
    delete: bool,
    output: Output,
) -> Result<u64, Box<dyn std::error::Error + Send + Sync>> {
    let (blobs, oldest) = (&service.ports.blobs, service.clock.now() - MIN_AGE);
    let old = blobs.list(documents::FOLDER).try_filter(|file| std::future::ready(file.written_at < oldest));
    let (mut batches, mut count) = (old.try_chunks(BATCH), 0);
    while let Some(batch) = batches.next().await {
        let batch = batch.map_err(|error| chain(&error.1))?;
        let id = |name: &str| Uuid::try_parse(name.rsplit('/').next().unwrap_or_default()).ok();
        let ids: Vec<Uuid> = batch.iter().filter_map(|file| id(&file.name)).collect();
        let known = service.store.documents_known(&ids).await?;
        for file in batch.iter().filter(|file| id(&file.name).is_none_or(|id| !known.contains(&id))) {
            count += 1;
            if delete {
                blobs.delete(&file.name).await.map_err(|error| chain(&error))?;
            }
            let name = &file.name;
            output.print(&json!({ "loose": name, "deleted": delete }), name, &format!("loose    {name}"))?;
        }
    }
    Ok(count)
}
