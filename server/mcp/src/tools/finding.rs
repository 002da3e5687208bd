//! Tool calls on one itinerary: resolves the day and stop that the arguments name, and lists alternatives if there is
//! none.
//!
//! Ids are passed to the API unchanged. A day's number or date, and the day of a stop, are looked up in the itinerary
//! first.

use chrono::NaiveDate;
use itinerary_api::error::{ApiError, ErrorCode};
use itinerary_api::request_state::Conditions;
use itinerary_api::types::{ItineraryShift, Optimisation, OptimiseRequest, StopSuggestion};
use itinerary_api::values::{Date, EntityTags, ItemId};
use itinerary_app::Rendered;
use itinerary_app::itineraries::{self, ReadConditions};
use itinerary_core::edit::Edit;
use serde::de::DeserializeOwned;
use serde_json::Value;
use uuid::Uuid;

use super::arguments::{ChangeTarget, IfMatch, ReadTarget, Reference, RetriableTarget, Unparsed};
use super::items;
use super::outcome::Refusal;
use super::text::{self, Lines};
use super::trip::{Trip, part_of};
use crate::ToolContext;

/// The maximum number of alternatives.
const TOLD: usize = 30;

/// A call of a tool on one itinerary.
pub(super) struct OnItinerary<'c> {
    context: &'c ToolContext,
    tool: &'static str,
    id: Uuid,
    if_match: Option<EntityTags>,
    key: Option<Uuid>,
    /// The itinerary, once read.
    trip: Option<Trip>,
}

/// What a change is about, to report its errors.
#[derive(Clone, Copy, Default)]
pub(super) struct About<'i> {
    /// The argument that the change was made of, or empty if all were. Error messages name the API's fields within it.
    pub within: &'static str,
    /// The item that must exist: its kind and id.
    pub item: Option<(&'i str, &'i str)>,
}

impl<'c> OnItinerary<'c> {
    /// A call that reads.
    pub(super) fn reading(context: &'c ToolContext, tool: &'static str, target: &ReadTarget) -> Self {
        Self { context, tool, id: target.itinerary_id, if_match: None, key: None, trip: None }
    }

    /// A call that changes.
    pub(super) fn changing(context: &'c ToolContext, tool: &'static str, target: ChangeTarget) -> Self {
        let ChangeTarget { itinerary_id: id, if_match: IfMatch(if_match) } = target;
        Self { context, tool, id, if_match: Some(if_match), key: None, trip: None }
    }

    /// A call that changes and can be retried.
    pub(super) fn retriable(context: &'c ToolContext, tool: &'static str, target: RetriableTarget) -> Self {
        let RetriableTarget { itinerary_id, if_match, idempotency_key: key } = target;
        Self { key, ..Self::changing(context, tool, ChangeTarget { itinerary_id, if_match }) }
    }

    /// The id of a new item, derived from the key, so that a retry adds the same item.
    pub(super) fn id_of_addition(&self) -> Option<ItemId> {
        ItemId::new(self.key?.simple().to_string()).ok()
    }

    /// Reads the itinerary once.
    pub(super) async fn read(&mut self) -> Result<&Trip, Refusal> {
        if self.trip.is_none() {
            let (service, caller) = (self.context.service(), self.context.caller());
            let read = Box::pin(itineraries::view_one(service, caller, self.id, ReadConditions::default()));
            let answer = self.context.read("itinerary_view", read).await;
            self.trip = Some(Trip::from(answer.map_err(|error| self.refusal("", &error))?));
        }
        Ok(self.trip.as_ref().expect("read by now"))
    }

    /// The whole itinerary.
    pub(super) async fn into_read(mut self) -> Result<Trip, Refusal> {
        self.read().await?;
        Ok(self.trip.expect("read by now"))
    }

    /// The line with the itinerary's id and `ETag`.
    pub(super) async fn tag(&mut self) -> Result<String, Refusal> {
        self.read().await.map(text::tag)
    }

    /// Applies an edit with an operation, and returns the new itinerary.
    pub(super) async fn change(
        &mut self,
        operation: &'static str,
        edit: Edit,
        about: About<'_>,
    ) -> Result<Trip, Refusal> {
        let (service, caller) = (self.context.service(), self.context.caller());
        let change = Box::pin(itineraries::change(service, caller, self.id, self.conditions(), edit));
        self.perform(operation, change, about).await.map(Trip::from)
    }

    /// Moves the itinerary to another start date, and returns it.
    pub(super) async fn shift(&mut self, start_date: Date) -> Result<Trip, Refusal> {
        let (service, caller) = (self.context.service(), self.context.caller());
        let request = ItineraryShift { start_date: Some(start_date), ..ItineraryShift::default() };
        let shift = Box::pin(itineraries::shift(service, caller, self.id, self.conditions(), request));
        self.perform("itinerary_shift", shift, About::default()).await.map(Trip::from)
    }

    /// Looks up missing places and legs, and returns the new itinerary.
    pub(super) async fn refresh_places(&mut self) -> Result<Trip, Refusal> {
        let (service, caller) = (self.context.service(), self.context.caller());
        let refresh = Box::pin(itineraries::refresh_places(service, caller, self.id, self.conditions()));
        self.perform("itinerary_places_refresh", refresh, About::default()).await.map(Trip::from)
    }

    /// Puts a day's stops in the best order.
    pub(super) async fn optimise(
        &mut self,
        day: &ItemId,
        request: OptimiseRequest,
    ) -> Result<Rendered<Optimisation>, Refusal> {
        let (service, caller) = (self.context.service(), self.context.caller());
        let optimise =
            Box::pin(itineraries::optimise(service, caller, self.id, self.conditions(), day.clone(), request));
        self.perform("day_optimise", optimise, About { item: Some(("day", day)), ..About::default() }).await
    }

    fn conditions(&self) -> Conditions {
        let key = self.context.idempotency_key(self.key);
        Conditions { if_match: self.if_match.clone(), key, ..Conditions::default() }
    }

    /// Runs the use case of an operation.
    async fn perform<T>(
        &mut self,
        operation: &'static str,
        use_case: impl Future<Output = itinerary_app::Result<T>>,
        about: About<'_>,
    ) -> Result<T, Refusal> {
        match (self.context.write(operation, use_case).await, about.item) {
            (Ok(done), _) => Ok(done),
            (Err(ApiError { code: ErrorCode::NotFound, .. }), Some((kind, id))) => Err(self.missing(kind, id).await),
            (Err(error), _) => Err(self.refusal(about.within, &error)),
        }
    }

    /// Deletes the itinerary.
    pub(super) async fn delete(&self) -> Result<(), Refusal> {
        let (service, caller) = (self.context.service(), self.context.caller());
        let delete = Box::pin(itineraries::delete(service, caller, self.id, self.if_match.as_ref()));
        self.context.write("itinerary_delete", delete).await.map_err(|error| self.refusal("", &error))
    }

    /// Suggests activities near a stop.
    pub(super) async fn activities(&mut self, day: &ItemId, stop: &ItemId) -> Result<Vec<StopSuggestion>, Refusal> {
        let (service, caller) = (self.context.service(), self.context.caller());
        let list = Box::pin(itineraries::activities::list(service, caller, self.id, day, stop));
        match self.context.read("stop_activity_list", list).await {
            Ok(suggestions) => Ok(suggestions),
            Err(ApiError { code: ErrorCode::NotFound, .. }) => Err(self.missing("stop", stop).await),
            Err(error) => Err(self.refusal("", &error)),
        }
    }

    /// The error of an operation.
    fn refusal(&self, within: &str, error: &ApiError) -> Refusal {
        Refusal::of(self.tool, within, self.key.is_some(), error)
    }

    /// Parses an argument that was left unparsed.
    pub(super) fn parse<T: DeserializeOwned>(&self, within: &str, unparsed: Unparsed<T>) -> Result<T, Refusal> {
        unparsed.parse().map_err(|error| self.refusal(within, &error.into()))
    }

    /// The id of an item, or the error that there is no such item.
    pub(super) async fn item(&mut self, kind: &str, id: &str) -> Result<ItemId, Refusal> {
        match ItemId::new(id) {
            Ok(id) => Ok(id),
            Err(_) => Err(self.missing(kind, id).await),
        }
    }

    /// The id of the day that an argument names by one-based number, date or id.
    pub(super) async fn day(&mut self, argument: &str, day: &Reference) -> Result<ItemId, Refusal> {
        match DayReference::of(&day.0) {
            DayReference::Id(id) => self.item("day", &id).await,
            _ => self.known_day(argument, day).await,
        }
    }

    /// The same, for a day that must exist.
    pub(super) async fn known_day(&mut self, argument: &str, day: &Reference) -> Result<ItemId, Refusal> {
        let trip = self.read().await?;
        let index = day_in(trip, argument, day)?;
        Ok(trip.days()[index].id.clone())
    }

    /// The index of the day that an argument names, and the itinerary. `notFound` for an unknown id.
    pub(super) async fn day_to_remove(&mut self, argument: &str, day: &Reference) -> Result<(usize, &Trip), Refusal> {
        let trip = self.read().await?;
        let reference = DayReference::of(&day.0);
        match (reference.find(trip), reference) {
            (Some(day), _) => Ok((day, trip)),
            (None, DayReference::Id(id)) => Err(not_there(trip, "day", &id)),
            (None, _) => Err(no_day(trip, argument, &day.0)),
        }
    }

    /// The id of the day that a stop is in.
    pub(super) async fn day_of_stop(&mut self, stop: &str) -> Result<ItemId, Refusal> {
        let trip = self.read().await?;
        match trip.stop(stop) {
            Some(position) => Ok(trip.days()[position.day].id.clone()),
            None => Err(not_there(trip, "stop", stop)),
        }
    }

    /// The error for something that the API did not find.
    async fn missing(&mut self, kind: &str, id: &str) -> Refusal {
        // The copy may have been read before a concurrent change.
        self.trip = None;
        match self.read().await {
            Ok(trip) => not_there(trip, kind, id),
            Err(refusal) => refusal,
        }
    }
}

/// A day as an argument names it.
enum DayReference {
    Id(String),
    Index(Option<usize>, Option<String>),
    Date(NaiveDate, String),
}

impl DayReference {
    fn of(value: &Value) -> Self {
        let Some(text) = value.as_str().map(str::trim) else { return Self::Index(to_index(value), None) };
        if let Ok(date) = text.parse() {
            return Self::Date(date, text.to_owned());
        }
        match text.parse::<u32>() {
            Ok(number) => Self::Index(to_index(&number.into()), Some(text.to_owned())),
            Err(_) => Self::Id(text.to_owned()),
        }
    }

    /// The index of the day. Text that is a day's id means that day, even if it looks like a number or a date.
    fn find(&self, trip: &Trip) -> Option<usize> {
        let with_id = |text: &str| trip.day_with_id(text);
        match self {
            Self::Id(id) => with_id(id),
            Self::Index(index, text) => {
                let index = index.filter(|index| *index < trip.days().len());
                text.as_deref().and_then(with_id).or(index)
            }
            Self::Date(date, text) => with_id(text).or_else(|| trip.day_on(*date)),
        }
    }
}

/// The index in `trip` of the day that an argument names.
pub(super) fn day_in(trip: &Trip, argument: &str, day: &Reference) -> Result<usize, Refusal> {
    DayReference::of(&day.0).find(trip).ok_or_else(|| no_day(trip, argument, &day.0))
}

fn no_day(trip: &Trip, argument: &str, value: &Value) -> Refusal {
    let given = value.as_str().map_or_else(|| value.to_string(), |text| text::quoted(text).to_string());
    let problem = match trip.days().len() {
        0 => format!("is {given}, but this itinerary has no days yet: add one with add_day."),
        days => format!(
            "is {given}, which is none of this itinerary's days. Send a number from 1 to {days}, a date or an id:\n{}",
            listed(trip, "day")
        ),
    };
    Refusal::invalid(argument, &problem)
}

/// The error for an unknown id.
pub(super) fn not_there(trip: &Trip, kind: &str, id: &str) -> Refusal {
    let (id, tag) = (text::quoted(id), text::tag(trip));
    let list = listed(trip, kind);
    let there = if list.is_empty() {
        format!("It has no {kind} that you can see.")
    } else {
        format!("Use one of these ids:\n{list}")
    };
    Refusal::not_found(format!("No {kind} of this itinerary has the id {id}. Nothing was done.\n{tag}\n{there}"))
}

/// Lists the items of a kind with their ids.
fn listed(trip: &Trip, kind: &str) -> String {
    let days = || 0..trip.days().len();
    let items = |kind: &str| part_of(kind).map_or(&[][..], |part| trip.list(part));
    let mut lines = Lines::default();
    match kind {
        "day" => lines.extend(days().take(TOLD).map(|day| text::day_outline(trip, day))),
        "stop" => lines.extend(days().flat_map(|day| stops_of(trip, day)).take(TOLD)),
        kind => lines.extend(items(kind).iter().take(TOLD).map(|item| items::entry(kind, item))),
    }
    let there = match kind {
        "day" => trip.days().len(),
        "stop" => trip.days().iter().map(|day| day.stops.len()).sum(),
        kind => items(kind).len(),
    };
    if there > TOLD {
        lines.push("… and more: see get_itinerary.");
    }
    lines.text("See get_itinerary.")
}

fn stops_of(trip: &Trip, day: usize) -> impl Iterator<Item = String> + '_ {
    let stops = trip.days()[day].stops.iter();
    stops.map(move |stop| format!("day {}: {} · id {}", day + 1, text::quoted(&stop.name), text::quoted(&stop.id)))
}

/// The largest number that is looked at as a position; no list is as long.
const MOST_DAYS: u64 = 100_000;

/// A one-based number as a zero-based index.
fn to_index(number: &Value) -> Option<usize> {
    let number = number.as_u64().filter(|number| *number > 0)?;
    usize::try_from(number.min(MOST_DAYS) - 1).ok()
}
