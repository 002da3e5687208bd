//! Tools for an itinerary as a whole: create, change, delete.

use itinerary_api::error::ErrorCode;
use itinerary_api::types::{Coordinate, CreateQuery, ItineraryCreate, ItineraryPatch, Place, PlacePatch};
use itinerary_api::values::Change;
use itinerary_app::destinations::{self, Destination, Town};
use itinerary_app::itineraries;
use itinerary_core::content::Part;
use itinerary_core::edit::Edit;
use schemars::JsonSchema;
use schemars::r#gen::SchemaGenerator;
use schemars::schema::Schema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::arguments::{self, ChangeTarget, IfMatch, NoArguments, RetriableTarget, Shared, Unparsed};
use super::bookings::Bookings;
use super::finding::{About, OnItinerary};
use super::items;
use super::json::Object;
use super::outcome::{Done, Refusal};
use super::reading::whole;
use super::text;
use super::trip::{Trip, lists};
use crate::ToolContext;

/// The arguments of `plan_itinerary` beside the itinerary's fields.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct PlanOptions {
    dry_run: Option<bool>,
    allow_duplicate: Option<bool>,
    idempotency_key: Option<Uuid>,
    /// Sources of mails, calendars, JSON-LD
    bookings: Option<Vec<String>>,
}

impl Shared for PlanOptions {
    const NAMES: &'static [&'static str] = &["dryRun", "allowDuplicate", "idempotencyKey", "bookings"];
}

/// The fields of an [`ItineraryCreate`], whose destination may lack what is found by its name.
#[derive(Debug, Deserialize)]
#[serde(transparent)]
pub(super) struct PlanFields(Unparsed<ItineraryCreate>);

impl JsonSchema for PlanFields {
    fn schema_name() -> String {
        "PlanFields".to_owned()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut fields = ItineraryCreate::json_schema(generator).into_object();
        for property in fields.object().properties.values_mut() {
            without_description(property);
        }
        // They can only be empty, and private.
        for name in ["documents", "visibility"] {
            fields.object().properties.remove(name);
        }
        // Only its name is required. A place has the same fields, so that one definition is enough.
        fields.object().properties.insert("destination".to_owned(), generator.subschema_for::<Place>());
        fields.into()
    }
}

/// The fields of an [`ItineraryPatch`] that no other tool changes.
#[derive(Debug, Deserialize)]
#[serde(transparent)]
pub(super) struct UpdateFields(Unparsed<ItineraryPatch>);

impl JsonSchema for UpdateFields {
    fn schema_name() -> String {
        "UpdateFieldsPatch".to_owned()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut fields = ItineraryPatch::json_schema(generator).into_object();
        fields.object().properties.values_mut().for_each(without_description);
        for part in [Part::Days, Part::Flights, Part::Hotels, Part::Documents] {
            fields.object().properties.remove(part.name());
        }
        // Whole lists, whose items are those of `plan_itinerary`. All of their fields would take too much room.
        for part in lists().filter(|part| !matches!(part, Part::Flights | Part::Hotels)) {
            let items = json!({ "type": "array", "nullable": true, "items": {
                "type": "object", "properties": { "id": { "type": "string" }, "name": { "type": "string" } },
            } });
            fields.object().properties.insert(part.name().to_owned(), arguments::schema(items));
        }
        // It has the same fields as any place, so that one definition is enough.
        fields.object().properties.insert("destination".to_owned(), generator.subschema_for::<PlacePatch>());
        fields.into()
    }
}

/// Removes a description that was written for people.
fn without_description(schema: &mut Schema) {
    if let Schema::Object(schema) = schema {
        schema.metadata = None;
    }
}

pub(super) async fn plan_itinerary(
    context: &ToolContext,
    (options, PlanFields(mut fields)): (PlanOptions, PlanFields),
) -> Result<Done, Refusal> {
    let PlanOptions { dry_run, allow_duplicate, idempotency_key, bookings } = options;
    let booked = match bookings {
        Some(texts) => Bookings::read(context, "plan_itinerary", None, texts).await?.fill(&mut fields.fields),
        None => Vec::new(),
    };
    let found = match fields.fields.get_mut("destination") {
        Some(destination) => find_destination(context, destination).await?,
        None => None,
    };
    let refusal = |error| Refusal::of("plan_itinerary", "", idempotency_key.is_some(), &error);
    let body = fields.parse().map_err(|error| refusal(error.into()))?;
    let (service, caller) = (context.service(), context.caller());
    let (query, key) = (CreateQuery { allow_duplicate, dry_run }, context.idempotency_key(idempotency_key));
    let create = Box::pin(itineraries::create(service, caller, query, key, body));
    let answer = context.write("itinerary_create", create).await.map_err(refusal)?;
    let mut trip = Trip::from(answer);
    let found = found.map(|found| found.told_with(&mut trip));
    let summary = match trip.etag {
        Some(_) => "Created, and private.",
        None => "This is what would be created. Call again without dryRun to create it.",
    };
    let mut first = vec![summary.to_owned()];
    first.extend(found);
    first.extend(booked);
    first.extend((0..trip.days().len()).filter_map(|day| text::out_of_order(&trip, day)).take(text::ATTENTION));
    let text = whole(&trip, first);
    let mut structured = Object::default();
    structured.field("needsAttention", &trip.content.needs_attention);
    structured.field("etag", &trip.etag);
    structured.json("itinerary", &trip.json);
    Ok(Done { text, structured })
}

/// The itinerary that `update_itinerary` changes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct UpdateTarget {
    itinerary_id: Uuid,
    if_match: IfMatch,
    idempotency_key: Option<Uuid>,
    /// With startDate alone
    shift: Option<bool>,
    bookings: Option<Vec<String>>,
}

impl Shared for UpdateTarget {
    const NAMES: &'static [&'static str] = &["itineraryId", "ifMatch", "idempotencyKey", "shift", "bookings"];
}

pub(super) async fn update_itinerary(
    context: &ToolContext,
    (target, UpdateFields(mut unparsed)): (UpdateTarget, UpdateFields),
) -> Result<Done, Refusal> {
    let UpdateTarget { itinerary_id, mut if_match, idempotency_key, shift, bookings } = target;
    let mut booked = Vec::new();
    if let Some(texts) = bookings {
        let bookings = Bookings::read(context, "update_itinerary", Some(itinerary_id), texts).await?;
        // The lists are complete: any other version than the one that they were compared with would be overwritten.
        if_match = if_match.or_version(bookings.etag.as_deref());
        booked = bookings.fill(&mut unparsed.fields);
    }
    let target = RetriableTarget { itinerary_id, if_match, idempotency_key };
    let mut itinerary = OnItinerary::retriable(context, "update_itinerary", target);
    let fields = &mut unparsed.fields;
    if fields.is_empty() && booked.is_empty() {
        return Err(nothing_to_change("title, startDate or travellers"));
    }
    let has_changes = !fields.is_empty();
    if shift == Some(true) {
        return shifted(itinerary, unparsed).await;
    }
    let mut found = None;
    if let Some(destination) = fields.get_mut("destination") {
        found = find_destination(context, destination).await?;
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
    if let Some(origin) = fields.get_mut("origin") {
        replace_whole(origin);
    }
    // Replaced lists are shown with their ids.
    let sent: Vec<_> = lists().filter(|part| fields.contains_key(part.name())).collect();
    let patch = itinerary.parse("", unparsed)?;
    let edit = Edit::Itinerary(Box::new(patch));
    let mut trip = itinerary.change("itinerary_update", edit, About::default()).await?;
    let found = found.map(|found| found.told_with(&mut trip));
    let items_of = |part: Part| trip.list(part).iter().map(move |item| items::entry(part.kind(), item));
    let items = sent.into_iter().flat_map(items_of);
    let lines = booked.into_iter().chain(found).chain(items).collect();
    Ok(Done::changed(&trip, if has_changes { "Changed." } else { "Nothing to change." }, lines, None))
}

/// Moves the itinerary with its bookings to another start date.
async fn shifted(mut itinerary: OnItinerary<'_>, unparsed: Unparsed<ItineraryPatch>) -> Result<Done, Refusal> {
    if unparsed.fields.len() != 1 || !unparsed.fields.contains_key("startDate") {
        return Err(Refusal::invalid("shift", "needs startDate, and no other field: change those in another call."));
    }
    let patch: ItineraryPatch = itinerary.parse("", unparsed)?;
    let Change::Value(start_date) = patch.start_date else {
        return Err(Refusal::invalid("startDate", "cannot be cleared."));
    };
    let trip = itinerary.shift(start_date).await?;
    Ok(Done::changed(&trip, "Moved, with its bookings.", Vec::new(), None))
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
async fn find_destination(context: &ToolContext, destination: &mut Value) -> Result<Option<Found>, Refusal> {
    let Some(fields) = destination.as_object_mut() else { return Ok(None) };
    if let Some(coordinate) = fields.get("coordinate") {
        let coordinate: Option<Coordinate> = serde_json::from_value(coordinate.clone()).ok();
        if let Some((country, time_zone)) = coordinate.map(|coordinate| destinations::facts(&coordinate)) {
            fill_in(fields, &country, &time_zone);
        }
        return Ok(None);
    }
    let Some(name) = fields.get("name").and_then(Value::as_str) else { return Ok(None) };
    let found = destinations::find(context.service(), name).await;
    let found = found.map_err(|error| Refusal::of("plan_itinerary", "", false, &error.into()))?;
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

/// The error for a change without anything to change.
pub(super) fn nothing_to_change(such_as: &str) -> Refusal {
    let text = format!("There is nothing to change: send at least one field, such as {such_as}. Nothing was done.");
    Refusal::new(ErrorCode::ValidationFailed, text, Value::Null)
}

pub(super) async fn delete_itinerary(
    context: &ToolContext,
    (target, NoArguments {}): (ChangeTarget, NoArguments),
) -> Result<Done, Refusal> {
    let id = target.itinerary_id;
    OnItinerary::changing(context, "delete_itinerary", target).delete().await?;
    let text = format!("Deleted for everyone: itineraryId {id}. Its ETag is no longer valid.");
    let mut structured = Object::default();
    structured.field("deleted", &id);
    Ok(Done { text, structured })
}
