//! Tool calls on one itinerary: resolves the day and stop that the arguments name, and lists alternatives if there is
//! none.
//!
//! Ids are passed to the API unchanged. A day's number or date, and the day of a stop, are looked up in the itinerary
//! first.

use bytes::Bytes;
use chrono::NaiveDate;
use http::Method;
use serde_json::Value;
use uuid::Uuid;

use super::arguments::{Arguments, Wrong, to_index};
use super::outcome::Refusal;
use super::text::{self, Lines};
use super::trip::{Trip, list_of};
use crate::mcp::operations::{Call, Operations, Reply};

/// The maximum number of alternatives.
const TOLD: usize = 30;

/// A call of a tool on one itinerary.
pub(super) struct OnItinerary<'o> {
    operations: &'o Operations,
    tool: &'static str,
    path: String,
    if_match: Option<String>,
    idempotency_key: Option<String>,
    /// The itinerary, once read.
    trip: Option<Trip>,
}

/// The target of a write, to report that it does not exist.
#[derive(Clone, Copy)]
pub(super) enum Item<'i> {
    /// The itinerary as a whole.
    Itinerary,
    /// An item of the itinerary: kind and id.
    Part(&'i str, &'i str),
}

/// A write to an itinerary.
pub(super) struct Write<'w> {
    pub method: Method,
    /// The path after the itinerary's.
    pub rest: String,
    pub query: Vec<(&'static str, String)>,
    pub body: Option<Value>,
    /// The argument that is the body, or empty if all are. Error messages name the API's fields within it.
    pub within: &'static str,
    pub item: Item<'w>,
}

impl<'o> OnItinerary<'o> {
    /// Removes the arguments that every such call has.
    pub(super) fn new(
        operations: &'o Operations,
        tool: &'static str,
        arguments: &mut Arguments,
    ) -> Result<Self, Refusal> {
        let mut take = |name: &str| arguments.take(name).and_then(|text| text.as_str().map(str::to_owned));
        let id = take("itineraryId").unwrap_or_default();
        // Other text could be a different path.
        let id = Uuid::try_parse(&id).map_err(|_| {
            let problem = format!("must be a UUID, not {}", text::quoted(&id));
            Refusal::argument(tool, Wrong { path: "itineraryId".to_owned(), problem })
        })?;
        let path = format!("/v1/itineraries/{id}");
        let if_match = take("ifMatch").map(|tag| in_quotes(tag.trim()));
        Ok(Self { operations, tool, path, if_match, idempotency_key: take("idempotencyKey"), trip: None })
    }

    /// The id of a new item, derived from the key, so that a retry adds the same item.
    pub(super) fn id_of_addition(&self) -> Option<String> {
        Some(Uuid::try_parse(self.idempotency_key.as_ref()?).ok()?.simple().to_string())
    }

    /// Reads the itinerary once.
    pub(super) async fn read(&mut self) -> Result<&Trip, Refusal> {
        if self.trip.is_none() {
            let reply = self.operations.call(Call::new(Method::GET, &*self.path)).await;
            if reply.status != 200 {
                return Err(Refusal::of(self.tool, "", reply));
            }
            self.trip = Some(Trip::new(reply.body, reply.etag));
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

    /// Writes, and returns the itinerary from the operation's answer.
    pub(super) async fn write(&mut self, write: Write<'_>) -> Result<Trip, Refusal> {
        self.perform(write).await.map(|Reply { body, etag, .. }| Trip::new(body, etag))
    }

    /// Writes, and returns the operation's answer.
    pub(super) async fn perform(&mut self, write: Write<'_>) -> Result<Reply, Refusal> {
        let Write { method, rest, query, body, within, item } = write;
        if let Item::Part(kind, id) = item
            && !is_id(id)
        {
            return Err(self.missing(kind, id).await);
        }
        let reply = self
            .operations
            .call(Call {
                method,
                path: format!("{}{rest}", self.path),
                query,
                if_match: self.if_match.clone(),
                idempotency_key: self.idempotency_key.clone(),
                body,
            })
            .await;
        match (reply.status, item) {
            (200..=299, _) => Ok(reply),
            (404, Item::Part(kind, id)) => Err(self.missing(kind, id).await),
            _ => Err(Refusal::of(self.tool, within, reply)),
        }
    }

    /// Reads a list below an item of the itinerary.
    pub(super) async fn list(&mut self, rest: &str, item: Item<'_>) -> Result<Bytes, Refusal> {
        let read =
            Write { method: Method::GET, rest: rest.to_owned(), query: Vec::new(), body: None, within: "", item };
        self.perform(read).await.map(|reply| reply.body)
    }

    /// The id of the day that an argument names by one-based number, date or id.
    pub(super) async fn day(&mut self, argument: &str, value: &Value) -> Result<String, Refusal> {
        match DayReference::of(value) {
            DayReference::Id(id) => Ok(id),
            _ => self.known_day(argument, value).await,
        }
    }

    /// The same, for a day that must exist.
    pub(super) async fn known_day(&mut self, argument: &str, value: &Value) -> Result<String, Refusal> {
        let trip = self.read().await?;
        let day = day_in(trip, argument, value)?;
        Ok(trip.day_id(day).unwrap_or_default().to_owned())
    }

    /// The index of the day that an argument names, and the itinerary. `notFound` for an unknown id.
    pub(super) async fn day_to_remove(&mut self, argument: &str, value: &Value) -> Result<(usize, &Trip), Refusal> {
        let trip = self.read().await?;
        let reference = DayReference::of(value);
        match (reference.find(trip), reference) {
            (Some(day), _) => Ok((day, trip)),
            (None, DayReference::Id(id)) => Err(not_there(trip, "day", &id)),
            (None, _) => Err(no_day(trip, argument, value)),
        }
    }

    /// The id of the day that a stop is in.
    pub(super) async fn day_of_stop(&mut self, stop: &str) -> Result<String, Refusal> {
        let trip = self.read().await?;
        match trip.stop(stop) {
            Some(position) => Ok(trip.day_id(position.day).unwrap_or_default().to_owned()),
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

/// Whether a text could be an item's id.
fn is_id(text: &str) -> bool {
    (1..=64).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
}

/// Adds the quotes of an `ETag`, which models often drop. Leaves other text for the API to reject.
fn in_quotes(tag: &str) -> String {
    if is_bare_tag(tag) { format!("\"{tag}\"") } else { tag.to_owned() }
}

/// Whether a text is one of this server's `ETag`s without its quotes, such as `v12.m`.
fn is_bare_tag(text: &str) -> bool {
    let parts = text.strip_prefix('v').and_then(|rest| rest.split_once('.'));
    parts.is_some_and(|(version, view)| {
        let is_version = !version.is_empty() && version.bytes().all(|byte| byte.is_ascii_digit());
        is_version && !view.is_empty() && view.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
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
pub(super) fn day_in(trip: &Trip, argument: &str, value: &Value) -> Result<usize, Refusal> {
    DayReference::of(value).find(trip).ok_or_else(|| no_day(trip, argument, value))
}

fn no_day(trip: &Trip, argument: &str, value: &Value) -> Refusal {
    let given = value.as_str().map_or_else(|| value.to_string(), text::quoted);
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
    let mut lines = Lines::default();
    match kind {
        "day" => lines.extend(days().take(TOLD).map(|day| text::day_outline(trip, day))),
        "stop" => lines.extend(days().flat_map(|day| stops_of(trip, day)).take(TOLD)),
        kind => lines.extend(trip.list(list_of(kind)).iter().take(TOLD).map(|entry| text::entry(kind, entry))),
    }
    let there = match kind {
        "day" => trip.days().len(),
        "stop" => trip.days().iter().map(|day| day.stops.len()).sum(),
        kind => trip.list(list_of(kind)).len(),
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

#[cfg(test)]
mod tests {
    use super::in_quotes;

    #[test]
    fn only_what_looks_like_a_tag_is_given_its_quotes() {
        for (sent, tag) in [
            ("v12.m", "\"v12.m\""),
            ("v1.msw", "\"v1.msw\""),
            ("\"v12.m\"", "\"v12.m\""),
            ("*", "*"),
            ("v12", "v12"),
            ("v.m", "v.m"),
            ("v1.", "v1."),
            ("v1.\u{e9}", "v1.\u{e9}"),
            ("v\u{661}.m", "v\u{661}.m"),
            ("", ""),
        ] {
            assert_eq!(in_quotes(sent), tag);
        }
    }
}
