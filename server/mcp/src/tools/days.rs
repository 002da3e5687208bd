//! Tools for days: add, optimise, and refresh places.

use itinerary_api::types::{Day, LegMode, OptimiseRequest, Stop};
use itinerary_api::values::{List, LocalTime, limits};
use itinerary_app::Rendered;
use itinerary_core::edit::{Edit, ItemEdit};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::arguments::{NoArguments, Position, Reference, RetriableTarget, index};
use super::finding::{About, OnItinerary};
use super::outcome::{Done, Refusal};
use super::text::counted;
use super::trip::{Trip, joined};
use crate::ToolContext;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct AddDay {
    position: Option<Position>,
    #[serde(default)]
    stops: List<Stop, { limits::STOPS }>,
}

pub(super) async fn add_day(
    context: &ToolContext,
    (target, AddDay { position, stops }): (RetriableTarget, AddDay),
) -> Result<Done, Refusal> {
    let mut itinerary = OnItinerary::retriable(context, "add_day", target);
    let position = position.map(index);
    let day = Day { stops, ..Day::default() };
    let edit = Edit::Day(ItemEdit::Add { item: day, position });
    let trip = itinerary.change("day_add", edit, About::default()).await?;
    let day = position.or_else(|| trip.days().len().checked_sub(1));
    Ok(Done::changed_day(&trip, "Added.", day))
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct OptimiseDay {
    day: Reference,
    mode: Option<LegMode>,
    /// Local HH:MM
    start_at: Option<LocalTime>,
    end_at: Option<LocalTime>,
    dry_run: Option<bool>,
}

pub(super) async fn optimise_day(
    context: &ToolContext,
    (target, arguments): (RetriableTarget, OptimiseDay),
) -> Result<Done, Refusal> {
    let mut itinerary = OnItinerary::retriable(context, "optimise_day", target);
    let OptimiseDay { day, mode, start_at, end_at, dry_run } = arguments;
    let day = itinerary.day("day", &day).await?;
    let request = OptimiseRequest { mode, start_at, end_at, dry_run };
    let Rendered { body, etag, .. } = itinerary.optimise(&day, request).await?;
    let body = joined(body);
    let Optimised { itinerary: json, minutes_before: before, minutes_after: after } = Refusal::unless_parsed(&body)?;
    let minutes = counted(&after, "minute");
    let is_dry = dry_run == Some(true);
    let summary = if is_dry {
        format!("Would take {minutes} of travel instead of {before}. Call again without dryRun to store it.")
    } else {
        format!("Optimised: {minutes} of travel instead of {before}. ~ marks suggested times.")
    };
    let trip = Trip::new(body.slice_ref(json.get().as_bytes()), etag);
    let mut done = changed_day(&trip, &summary, &day);
    done.structured.field("minutesBefore", &before);
    done.structured.field("minutesAfter", &after);
    if is_dry {
        // A dry run stores nothing, so the current ETag stays.
        done.text = format!("{}\n{}", done.text, itinerary.tag().await?);
    }
    Ok(done)
}

/// The response of `day_optimise`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Optimised<'a> {
    #[serde(borrow)]
    itinerary: &'a RawValue,
    minutes_before: Value,
    minutes_after: Value,
}

pub(super) async fn refresh_places(
    context: &ToolContext,
    (target, NoArguments {}): (RetriableTarget, NoArguments),
) -> Result<Done, Refusal> {
    let mut itinerary = OnItinerary::retriable(context, "refresh_places", target);
    let trip = itinerary.refresh_places().await?;
    let summary =
        if trip.content.needs_attention.is_empty() { "Everything is placed." } else { "Looked again for every place." };
    Ok(Done::changed(&trip, summary, Vec::new(), None))
}

/// The result of a change of the day with this id.
pub(super) fn changed_day(trip: &Trip, summary: &str, day: &str) -> Done {
    let index = trip.day_with_id(day);
    Done::changed_day(trip, summary, index)
}
