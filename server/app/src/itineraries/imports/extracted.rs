//! Files that no reader knows, through the operator's extractor.

use chrono::NaiveDate;
use itinerary_import::file::Reason;
use itinerary_import::{Budget, File, Reading, Source};
use itinerary_platform::context::Service;
use itinerary_platform::error_chain::chain;
use itinerary_platform::fair_pool::Requester;
use itinerary_platform::ports::extractor::LONGEST;
use serde_json::Value;
use tokio::time::Instant;

use super::{ImportFile, stops_after};
use crate::Result;

/// Replaces the readings of files without bookings by what the extractor finds in them, if there is one. Its failures are
/// logged: the files stay as they were read.
pub(super) async fn add(
    service: &Service,
    requester: Requester,
    files: &[ImportFile],
    sources: &mut [Source],
    as_of: NaiveDate,
) -> Result<()> {
    let Some(extractor) = &service.ports.extractor else { return Ok(()) };
    let payer = service.cpu_time.payer(requester);
    let deadline = Instant::now() + LONGEST;
    for (file, source) in files.iter().zip(sources) {
        let Some(content) = file.content.as_ref().filter(|_| is_unknown(&source.reading)) else { continue };
        service.cpu_time.admit(requester)?;
        match extractor.extract(requester, &payer, content, deadline).await {
            Ok(json) => {
                let read = service.long_work.run(requester, move || reading(&json, as_of)).await?;
                if !read.found.is_empty() {
                    source.reading = read;
                }
            }
            Err(error) => {
                let error = chain(&error);
                tracing::warn!(error, "the extractor read nothing of a file");
            }
        }
    }
    Ok(())
}

/// Whether nothing was found in a file, though it is none of a known format that is damaged or too large.
fn is_unknown(reading: &Reading) -> bool {
    let is_unread = |reason| matches!(reason, Reason::NotRecognised | Reason::Unsupported);
    reading.found.is_empty() && reading.ignored.iter().all(|ignored| is_unread(ignored.reason))
}

/// Reads the extractor's JSON-LD.
fn reading(json: &[u8], as_of: NaiveDate) -> Reading {
    let Ok(mut values) = serde_json::from_slice::<Value>(json) else { return Reading::default() };
    // It is the time of the extraction, not of the booking.
    for booking in values.as_array_mut().into_iter().flatten().filter_map(Value::as_object_mut) {
        booking.remove("modifiedTime");
    }
    let content = values.to_string();
    let file = File { name: "", media_type: Some("application/ld+json"), content: content.as_bytes() };
    itinerary_import::read(&file, as_of, &mut Budget::new(&stops_after()))
}
