//! The command `watch`.

use std::collections::HashMap;

use chrono::Local;
use futures::TryStreamExt as _;
use itinerary_sdk::types::{Change, ChangeType};
use itinerary_sdk::{FeedChange, FeedError};
use serde::Serialize;
use serde_json::Value;
use uuid::Uuid;

use super::history::by;
use super::show::TIME;
use crate::arguments::WatchArguments;
use crate::changes;
use crate::failure::{Exit, Failure};
use crate::output::{Output, TITLE};
use crate::service::Service;
use crate::text;

/// A line of `--json`: the change, and the cursor with which to continue after it.
#[derive(Serialize)]
struct Line {
    #[serde(flatten)]
    change: Change,
    cursor: String,
}

pub(super) async fn run(service: &Service, output: Output, arguments: WatchArguments) -> Result<(), Failure> {
    let cursor = match arguments.cursor {
        Some(cursor) => cursor,
        None => service.client.changes().now().await?,
    };
    if !output.json {
        output.warn("watching your trips; Ctrl-C ends");
    }
    let mut feed = service.client.changes().from(cursor);
    let mut titles = HashMap::new();
    for _ in 0..arguments.limit.unwrap_or(usize::MAX) {
        // The feed goes on until it fails.
        let Some(FeedChange { change, cursor, .. }) = feed.try_next().await.map_err(failure)? else { break };
        if output.json {
            output.value(&Line { change, cursor })?;
        } else if output.quiet {
            output.print(&format!("{}\n", change.itinerary_id))?;
        } else {
            print(service, output, &mut titles, &change).await?;
        }
    }
    Ok(())
}

fn failure(error: FeedError) -> Failure {
    match error {
        FeedError::Api(error) => Failure::from(error),
        FeedError::CursorExpired(error) => Failure::from(error).and("list your trips, and watch without --cursor"),
        error => Failure::new(Exit::Failure, error.to_string()),
    }
}

/// Prints the time, the trip's title and what happened. Titles are kept for trips that are gone later.
async fn print(
    service: &Service,
    output: Output,
    titles: &mut HashMap<Uuid, String>,
    change: &Change,
) -> Result<(), Failure> {
    let what = match change.type_.known() {
        Some(ChangeType::ItineraryUpdated) => updated(service, titles, change.itinerary_id).await,
        Some(ChangeType::ItineraryShared) => {
            read(service, titles, change.itinerary_id).await;
            "shared with you".to_owned()
        }
        Some(ChangeType::ItineraryUnshared) => "no longer shared with you".to_owned(),
        Some(ChangeType::ItineraryDeleted) => "deleted".to_owned(),
        None => text::words(&change.type_.to_string()),
    };
    let title = titles.get(&change.itinerary_id).cloned().unwrap_or_else(|| change.itinerary_id.to_string());
    let at = change.at.with_timezone(&Local).format("%H:%M:%S");
    output.print(&format!("{TIME}{at}{TIME:#}  {TITLE}{}{TITLE:#}  {}\n", text::clean(&title), text::clean(&what)))
}

/// The last version of a trip in words. The change may have been followed by others, and the trip may be gone by now.
async fn updated(service: &Service, titles: &mut HashMap<Uuid, String>, id: Uuid) -> String {
    let Some(trip) = read(service, titles, id).await else { return "changed".to_owned() };
    let Ok(page) = service.client.revision_list(id).limit(1).send().await else { return "changed".to_owned() };
    let Some(revision) = page.data.first() else { return "changed".to_owned() };
    let (who, told) = (by(revision), changes::told(&trip, revision));
    let told = if told.is_empty() { "changed".to_owned() } else { told };
    if who.is_empty() { told } else { format!("{told} by {who}") }
}

async fn read(service: &Service, titles: &mut HashMap<Uuid, String>, id: Uuid) -> Option<Value> {
    let trip = service.trip(id).await.ok()?;
    titles.insert(id, trip.value.title.clone());
    serde_json::from_str(&trip.raw).ok()
}
