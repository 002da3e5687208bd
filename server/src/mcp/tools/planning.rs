//! Tools for an itinerary as a whole: create, change, delete.

use http::Method;
use itinerary_api::types::Coordinate;
use itinerary_core::content::Part;
use serde_json::{Map, Value, json};

use super::arguments::Arguments;
use super::finding::{Item, OnItinerary, Write};
use super::json::Object;
use super::outcome::{Done, Refusal};
use super::reading::whole;
use super::text;
use super::trip::{Trip, lists};
use crate::app::destinations::{self, Destination, Town};
use crate::mcp::operations::{Call, Operations};

pub(super) async fn plan_itinerary(operations: &Operations, mut arguments: Arguments) -> Result<Done, Refusal> {
    let mut query = Vec::new();
    for name in ["dryRun", "allowDuplicate"] {
        if arguments.take(name) == Some(Value::Bool(true)) {
            query.push((name, "true".to_owned()));
        }
    }
    let idempotency_key = arguments.take("idempotencyKey").and_then(|key| key.as_str().map(str::to_owned));
    let mut body = arguments.body();
    let found = find_destination(operations, &mut body["destination"]).await?;
    let call = Call { query, idempotency_key, body: Some(body), ..Call::new(Method::POST, "/v1/itineraries") };
    let reply = operations.call(call).await;
    if reply.status >= 300 {
        return Err(Refusal::of("plan_itinerary", "", reply));
    }
    let mut trip = Trip::new(reply.body, reply.etag);
    let found = found.map(|found| found.told_with(&mut trip));
    let said = match trip.etag {
        Some(_) => "Created, and private.",
        None => "This is what would be created. Call again without dryRun to create it.",
    };
    let mut first = vec![said.to_owned()];
    first.extend(found);
    first.extend((0..trip.days().len()).filter_map(|day| text::out_of_order(&trip, day)).take(text::ATTENTION));
    let text = whole(&trip, first);
    let mut structured = Object::default();
    structured.field("needsAttention", &trip.content.needs_attention);
    structured.field("etag", &trip.etag);
    structured.json("itinerary", &trip.json);
    Ok(Done { text, structured })
}

pub(super) async fn update_itinerary(operations: &Operations, mut arguments: Arguments) -> Result<Done, Refusal> {
    let mut itinerary = OnItinerary::new(operations, "update_itinerary", &mut arguments)?;
    let mut body = arguments.body();
    something_to_change(&body, "title, startDate or travellers")?;
    let mut found = None;
    if let Some(destination) = body.get_mut("destination") {
        found = find_destination(operations, destination).await?;
        // Without all four, fields of the previous destination would remain.
        for field in ["name", "coordinate", "countryCode", "timeZone"] {
            if destination.get(field).is_none_or(Value::is_null) {
                let argument = format!("destination.{field}");
                let problem =
                    "is missing: send the name of a town alone, or name, coordinate, countryCode and timeZone.";
                return Err(Refusal::invalid(&argument, problem));
            }
        }
        replace_whole(destination);
    }
    if let Some(origin) = body.get_mut("origin") {
        replace_whole(origin);
    }
    // Replaced lists are shown with their ids.
    let sent: Vec<_> = lists().filter(|part| body.get(part.name()).is_some()).collect();
    let write = Write {
        method: Method::PATCH,
        rest: String::new(),
        query: Vec::new(),
        body: Some(body),
        within: "",
        item: Item::Itinerary,
    };
    let mut trip = itinerary.write(write).await?;
    let found = found.map(|found| found.told_with(&mut trip));
    let entries_of = |part: Part| trip.list(part.name()).iter().map(move |entry| text::entry(part.kind(), entry));
    let entries = sent.into_iter().flat_map(entries_of);
    Ok(Done::changed(&trip, "Changed.", found.into_iter().chain(entries).collect(), None))
}

/// A destination that was found by its name, and the other towns of that name.
struct Found {
    town: Town,
    others: Vec<Town>,
}

impl Found {
    /// The line that says which town it is. If there are others of the name, the trip needs attention: it is assumed.
    fn told_with(self, trip: &mut Trip) -> String {
        let town = text::town(&self.town);
        if !self.others.is_empty() {
            let others: Vec<_> = self.others.iter().map(text::town).collect();
            let message = format!("Assumed to be {town}; others of this name: {}.", others.join("; "));
            let entry = json!({ "field": "destination.coordinate", "code": "assumed", "message": message });
            trip.content.needs_attention.push(entry);
        }
        format!("Destination found by its name: {town}.")
    }
}

/// Completes a destination that has a name but no coordinate, or a coordinate but no country or time zone. Returns the
/// town that it found by the name.
async fn find_destination(operations: &Operations, destination: &mut Value) -> Result<Option<Found>, Refusal> {
    let Some(fields) = destination.as_object_mut() else { return Ok(None) };
    if let Some(coordinate) = fields.get("coordinate") {
        let coordinate: Option<Coordinate> = serde_json::from_value(coordinate.clone()).ok();
        if let Some((country, time_zone)) = coordinate.map(|coordinate| destinations::facts(&coordinate)) {
            fill_in(fields, &country, &time_zone);
        }
        return Ok(None);
    }
    let Some(name) = fields.get("name").and_then(Value::as_str) else { return Ok(None) };
    let found = operations.find_destination(name).await.map_err(|reply| Refusal::of("plan_itinerary", "", reply))?;
    let (town, others) = match found {
        Destination::Town { town, others } => (town, others),
        Destination::AnyOf(towns) => return Err(unclear_destination(name, &towns)),
    };
    fields.insert("coordinate".to_owned(), json!(town.coordinate));
    fill_in(fields, &town.country, &town.time_zone);
    Ok(Some(Found { town, others }))
}

fn fill_in(destination: &mut Map<String, Value>, country: &str, time_zone: &str) {
    for (name, known) in [("countryCode", country), ("timeZone", time_zone)] {
        if !known.is_empty() && destination.get(name).is_none_or(Value::is_null) {
            destination.insert(name.to_owned(), json!(known));
        }
    }
}

/// The error for an unknown or ambiguous name.
fn unclear_destination(name: &str, towns: &[Town]) -> Refusal {
    let name = text::quoted(name);
    let problem = if towns.is_empty() {
        format!("is missing, and no town called {name} is known.")
    } else {
        let towns: Vec<_> = towns.iter().map(|town| format!("- {}", text::town(town))).collect();
        format!("is missing, and {name} may be any of these:\n{}\n", towns.join("\n"))
    };
    let next = "Send the name with its country, such as \"Barcelona, Spain\", or the rough coordinate of the place.";
    Refusal::invalid("destination.coordinate", &format!("{problem} {next}"))
}

/// Makes a merge patch replace the whole place.
fn replace_whole(place: &mut Value) {
    let Some(fields) = place.as_object_mut() else { return };
    for name in ["name", "address", "coordinate", "placeId", "countryCode", "timeZone", "code"] {
        fields.entry(name).or_insert(Value::Null);
    }
}

/// Rejects a change without anything to change.
pub(super) fn something_to_change(body: &Value, such_as: &str) -> Result<(), Refusal> {
    if body.as_object().is_some_and(|fields| !fields.is_empty()) {
        return Ok(());
    }
    let text = format!("There is nothing to change: send at least one field, such as {such_as}. Nothing was done.");
    Err(Refusal::new("validationFailed", text, Value::Null))
}

pub(super) async fn delete_itinerary(operations: &Operations, mut arguments: Arguments) -> Result<Done, Refusal> {
    let id = arguments.text("itineraryId").to_owned();
    let mut itinerary = OnItinerary::new(operations, "delete_itinerary", &mut arguments)?;
    let write = Write {
        method: Method::DELETE,
        rest: String::new(),
        query: Vec::new(),
        body: None,
        within: "",
        item: Item::Itinerary,
    };
    itinerary.perform(write).await?;
    let text = format!("Deleted for everyone: itineraryId {id}. Its ETag is no longer valid.");
    let mut structured = Object::default();
    structured.field("deleted", &id);
    Ok(Done { text, structured })
}
