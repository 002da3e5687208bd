//! The commands `history` and `restore`.

use chrono::Local;
use itinerary_sdk::types::{Itinerary, Revision};
use reqwest::Method;
use serde_json::Value;

use super::list::note_more;
use super::write;
use crate::arguments::HistoryArguments;
use crate::changes;
use crate::failure::{Exit, Failure};
use crate::output::{DIM, Output};
use crate::service::Service;
use crate::table::{Cell, Column, Table};
use crate::{text, trip};

pub(super) async fn run(service: &Service, output: Output, arguments: &HistoryArguments) -> Result<(), Failure> {
    let id = trip::find(service, &arguments.trip).await?;
    let path = format!("/v1/itineraries/{id}/revisions");
    let (entries, more) = service.list(&path, &[], arguments.limit).await?;
    if output.json {
        return entries.iter().try_for_each(|entry| output.raw(entry.get()));
    }
    let parsed: Result<Vec<Revision>, _> = entries.iter().map(|entry| serde_json::from_str(entry.get())).collect();
    let revisions = parsed
        .map_err(|error| Failure::new(Exit::Failure, format!("the server sent JSON that is not the API's: {error}")))?;
    if output.quiet {
        return revisions.iter().try_for_each(|revision| output.print(&format!("{}\n", revision.version)));
    }
    let trip: Value = serde_json::from_str(&service.trip(id).await?.raw).unwrap_or_default();
    let mut table = Table::new([
        Column::right("VERSION"),
        Column::left("WHEN"),
        Column::left("BY"),
        Column::left("APP"),
        Column::wrapped("CHANGES"),
    ]);
    for revision in &revisions {
        table.row([
            Cell::new(revision.version.to_string()),
            Cell::new(revision.updated_at.with_timezone(&Local).format("%-d %b %Y %H:%M").to_string()),
            Cell::new(by(revision)),
            Cell::styled(revision.app.as_deref().unwrap_or_default(), DIM),
            Cell::new(changes::told(&trip, revision)),
        ]);
    }
    table.drop_until_fits(&["APP"], output.width);
    output.print(&table.render(output.width))?;
    note_more(output, more, arguments.limit);
    Ok(())
}

/// Who made a version. Empty if the account has been deleted.
pub(super) fn by(revision: &Revision) -> String {
    revision.by.as_ref().map(|author| format!("@{}", author.username)).unwrap_or_default()
}

pub(super) async fn restore(service: &Service, output: Output, name: &str, version: usize) -> Result<(), Failure> {
    let trip = write::read(service, name).await?;
    let path = write::path(&trip.value, &format!("revisions/{version}/restore"), None);
    let restored = write::send::<Itinerary>(service, &trip.etag, Method::POST, &path, &[], None).await;
    let restored = restored.map_err(|failure| match failure.exit {
        Exit::NotFound => {
            Failure::new(Exit::NotFound, format!("version {version} is not kept: see `itinerary history`"))
        }
        _ => failure,
    })?;
    let title = text::clean(&restored.value.title);
    trip::warn(output, &restored.value, |_| true);
    write::print(output, &restored, &format!("Restored version {version} of “{title}”."), "")
}
