//! Whole trips as other programs export them, in JSON: TripIt's API, AdventureLog's backups and TREK's bundles. This
//! service's own JSON is only recognised; it is read as the API's type elsewhere.

mod adventure_log;
mod common;
mod trek;
mod tripit;

use serde_json::Value;

use crate::budget::{Budget, Exceeded};
use crate::file::{Format, Found, Ignored, Reason};
use crate::readers::archive::Archive;
use crate::readers::json;

/// Parses a document that may be an export. `None` if it is no JSON object.
pub fn parse(text: &str) -> Option<Value> {
    json::parse(text.trim_start().as_bytes()).ok().filter(Value::is_object)
}

/// Whose export a JSON document is. `None` if it is none that is known.
pub fn format(value: &Value) -> Option<Format> {
    let has = |name| value.get(name).is_some();
    let is_array = |name| value.get(name).is_some_and(Value::is_array);
    if value.get("@context").is_some() || value.get("@type").is_some() {
        return None;
    }
    if tripit::is_one(value) {
        Some(Format::TripIt)
    } else if value.get("trip").is_some_and(Value::is_object) && is_array("days") {
        Some(Format::Trek)
    } else if (is_array("locations") || is_array("adventures")) && (has("collections") || has("collection")) {
        Some(Format::AdventureLog)
    } else if is_itinerary(value) {
        Some(Format::Itinerary)
    } else {
        None
    }
}

/// Whether a document is an itinerary of this service.
fn is_itinerary(value: &Value) -> bool {
    let texts = ["id", "title", "startDate", "updatedAt"];
    texts.iter().all(|name| value.get(name).is_some_and(Value::is_string))
        && value.get("days").is_some_and(Value::is_array)
        && value.get("destination").is_some_and(Value::is_object)
}

/// Reads an export. `None` if the document is none that is known.
pub fn read(value: &Value, budget: &mut Budget<'_>) -> Option<Result<(Format, Found), Exceeded>> {
    let format = format(value)?;
    if let Err(exceeded) = budget.check() {
        return Some(Err(exceeded));
    }
    let found = match format {
        Format::TripIt => tripit::read(value),
        Format::Trek => trek::read(value),
        Format::AdventureLog => adventure_log::read(value),
        _ => Found { itinerary: Some(value.clone()), ..Found::default() },
    };
    let items = found.bookings.len() + found.waypoints.len();
    Some((0..items).try_for_each(|_| budget.take_item()).map(|()| (format, found)))
}

/// Reads AdventureLog's backup, a zip archive with `data.json` or, of one collection, `metadata.json`.
pub fn read_archive(content: &[u8], budget: &mut Budget<'_>) -> Result<Found, Ignored> {
    let mut archive = Archive::open(content)?;
    for name in ["data.json", "metadata.json"] {
        if let Some(content) = archive.read(name, budget)?
            && let Some(read) = read(&json::parse(&content)?, budget)
        {
            return Ok(read?.1);
        }
    }
    Err(Ignored { reason: Reason::NotRecognised, message: "The archive has no trip.".to_owned() })
}

#[cfg(test)]
mod tests;
