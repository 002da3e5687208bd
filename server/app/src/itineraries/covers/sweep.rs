//! Deletes pictures that can no longer be read, and files that no picture has.

use chrono::TimeDelta;
use futures::TryStreamExt;
use itinerary_platform::context::Service;
use uuid::Uuid;

use super::{FOLDER, SMALL, files};
use crate::Result;

/// How long a file without a picture is kept, because a write that refers to it may be in progress.
const UNUSED_FOR: TimeDelta = TimeDelta::hours(1);

/// Deletes replaced pictures and those of deleted itineraries, with their files. Returns how many pictures.
pub async fn delete_due(service: &Service) -> Result<u64> {
    let mut deleted = 0;
    loop {
        let due = service.store.pictures_due(service.clock.now()).await?;
        if due.is_empty() {
            return Ok(deleted);
        }
        for picture in due {
            // The row goes first, so that nobody copies a picture whose files are deleted. If the server is killed in
            // between, the files are found later, because no picture has them.
            if let Some(file) = service.store.picture_delete(picture).await? {
                delete_files(service, file).await?;
            }
            deleted += 1;
        }
    }
}

/// Deletes the files of a picture, in every size.
pub(super) async fn delete_files(service: &Service, file: Uuid) -> Result<()> {
    for name in files(file) {
        service.ports.blobs.delete(&name).await?;
    }
    Ok(())
}

/// What [`sweep`] has found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SweepReport {
    pub deleted: u64,
    /// How many files are left, and their size.
    pub kept: u64,
    pub bytes: u64,
}

/// Deletes files that no picture has, an hour after they were written, such as those that a crash left behind. Returns how
/// many files.
pub async fn delete_unused(service: &Service) -> Result<u64> {
    Ok(sweep(service).await?.deleted)
}

/// The same, and counts the images on the way.
pub async fn sweep(service: &Service) -> Result<SweepReport> {
    let (blobs, oldest) = (&service.ports.blobs, service.clock.now() - UNUSED_FOR);
    let (mut files, mut report) = (blobs.list(FOLDER), SweepReport::default());
    while let Some(file) = files.try_next().await? {
        if file.written_at < oldest && !is_in_use(service, &file.name).await? {
            blobs.delete(&file.name).await?;
            report.deleted += 1;
        } else {
            report.kept += 1;
            report.bytes += file.size;
        }
    }
    report.deleted += blobs.delete_temporaries(FOLDER, oldest).await?;
    Ok(report)
}

async fn is_in_use(service: &Service, file: &str) -> Result<bool> {
    let name = file.rsplit('/').next().unwrap_or_default();
    let of = [SMALL, ".jpg"].into_iter().find_map(|end| name.strip_suffix(end));
    match Uuid::try_parse(of.unwrap_or_default()) {
        Ok(id) => Ok(service.store.picture_file_in_use(id, service.clock.now()).await?),
        Err(_) => Ok(false),
    }
}
