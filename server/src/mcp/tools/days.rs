//! Tools for days: add, optimise, and refresh places.

use http::Method;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::arguments::Arguments;
use super::finding::{Item, OnItinerary, Write};
use super::outcome::{Done, Refusal};
use super::text::counted;
use super::trip::Trip;
use crate::mcp::operations::{Operations, Reply, segment};

pub(super) async fn add_day(operations: &Operations, mut arguments: Arguments) -> Result<Done, Refusal> {
    let mut itinerary = OnItinerary::new(operations, "add_day", &mut arguments)?;
    let index = arguments.index("position");
    arguments.take("position");
    let write = Write {
        method: Method::POST,
        rest: "/days".to_owned(),
        query: at(index),
        body: Some(arguments.body()),
        within: "",
        item: Item::Itinerary,
    };
    let trip = itinerary.write(write).await?;
    let day = index.or_else(|| trip.days().len().checked_sub(1));
    Ok(Done::changed_day(&trip, "Added.", day))
}

/// The `position` of an addition.
pub(super) fn at(index: Option<usize>) -> Vec<(&'static str, String)> {
    index.map(|index| ("position", index.to_string())).into_iter().collect()
}

pub(super) async fn optimise_day(operations: &Operations, mut arguments: Arguments) -> Result<Done, Refusal> {
    let mut itinerary = OnItinerary::new(operations, "optimise_day", &mut arguments)?;
    let day = arguments.take("day").unwrap_or_default();
    let day = itinerary.day("day", &day).await?;
    let is_dry = arguments.is_true("dryRun");
    let write = Write {
        method: Method::POST,
        rest: format!("/days/{}/optimise", segment(&day)),
        query: Vec::new(),
        body: Some(arguments.body()),
        within: "",
        item: Item::Part("day", &day),
    };
    let Reply { body, etag, .. } = itinerary.perform(write).await?;
    let Optimised { itinerary: json, minutes_before: before, minutes_after: after } = Refusal::unless_parsed(&body)?;
    let minutes = counted(&after, "minute");
    let said = if is_dry {
        format!("Would take {minutes} of travel instead of {before}. Call again without dryRun to store it.")
    } else {
        format!("Optimised: {minutes} of travel instead of {before}. ~ marks suggested times.")
    };
    let trip = Trip::new(body.slice_ref(json.get().as_bytes()), etag);
    let mut done = of_day(&trip, &said, &day);
    done.structured.field("minutesBefore", &before);
    done.structured.field("minutesAfter", &after);
    if is_dry {
        // A dry run stores nothing, so the current ETag stays.
        done.text = format!("{}\n{}", done.text, itinerary.tag().await?);
    }
    Ok(done)
}

/// The answer of `day_optimise`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Optimised<'a> {
    #[serde(borrow)]
    itinerary: &'a RawValue,
    minutes_before: Value,
    minutes_after: Value,
}

pub(super) async fn refresh_places(operations: &Operations, mut arguments: Arguments) -> Result<Done, Refusal> {
    let mut itinerary = OnItinerary::new(operations, "refresh_places", &mut arguments)?;
    let write = Write {
        method: Method::POST,
        rest: "/places/refresh".to_owned(),
        query: Vec::new(),
        body: None,
        within: "",
        item: Item::Itinerary,
    };
    let trip = itinerary.write(write).await?;
    let said =
        if trip.content.needs_attention.is_empty() { "Everything is placed." } else { "Looked again for every place." };
    Ok(Done::changed(&trip, said, Vec::new(), None))
}

/// A change of one day, which is named by its id.
pub(super) fn of_day(trip: &Trip, said: &str, day: &str) -> Done {
    let index = trip.day_with_id(day);
    Done::changed_day(trip, said, index)
}
