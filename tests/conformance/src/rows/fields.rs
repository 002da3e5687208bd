//! Fields that are refused, and limits that are accepted (specification, sections 2, 4.2 and 7.1).

use serde_json::{Value, json};

use crate::context::{Context, minimal, with};
use crate::outcome::Checked;
use crate::row::{Row, row};

/// A dry run checks a create and stores nothing.
const CREATE: &str = "/v1/itineraries?allowDuplicate=true&dryRun=true";

/// One invalid body: the row's name, the section, the rule, the fields that break it, and `details.field`.
type Invalid = (&'static str, &'static str, &'static str, Value, &'static str);

pub(super) fn rows() -> Vec<Row> {
    let refused = places().into_iter().chain(itineraries()).chain(days()).chain(bookings()).map(|invalid| {
        let (name, section, rule, fields, field) = invalid;
        let promise = format!("{rule} Otherwise validationFailed names {field}.");
        row(format!("field.refused.{name}"), section, promise, move |t| refused(t, fields.clone(), field))
    });
    let accepted = limits().into_iter().map(|(name, section, rule, fields)| {
        row(format!("field.accepted.{name}"), section, rule, move |t| accepted(t, fields.clone()))
    });
    let mut rows: Vec<Row> = refused.chain(accepted).collect();
    rows.push(row(
        "field.refused.missing-destination",
        "4.2",
        "A create needs a destination; otherwise validationFailed names destination.",
        |t| async move { t.app()?.post(CREATE, &json!({ "title": "Nowhere" })).send().await?.invalid("destination") },
    ));
    rows
}

async fn refused(t: Context, fields: Value, field: &str) -> Checked {
    t.app()?.post(CREATE, &with(minimal(), fields)).send().await?.invalid(field)
}

async fn accepted(t: Context, fields: Value) -> Checked {
    let response = t.app()?.post(CREATE, &with(minimal(), fields.clone())).send().await?;
    response.status(200)?.holds(&fields).map(|_| ())
}

fn at(latitude: f64, longitude: f64) -> Value {
    json!({ "destination": { "name": "Edge", "coordinate": { "latitude": latitude, "longitude": longitude } } })
}

fn stops(stop: &Value) -> Value {
    json!({ "days": [{ "stops": [stop] }] })
}

fn places() -> Vec<Invalid> {
    let destination = |destination: Value| json!({ "destination": destination });
    let coordinate = json!({ "latitude": 1.0, "longitude": 1.0 });
    vec![
        (
            "destination-name",
            "4.2",
            "On create the destination needs a name.",
            destination(json!({ "coordinate": coordinate })),
            "destination.name",
        ),
        (
            "destination-coordinate",
            "4.2",
            "On create the destination needs a coordinate.",
            destination(json!({ "name": "Lisbon" })),
            "destination.coordinate",
        ),
        ("latitude-high", "2.1", "A latitude is at most 90.", at(90.001, 0.0), "destination.coordinate.latitude"),
        ("latitude-low", "2.1", "A latitude is at least -90.", at(-90.001, 0.0), "destination.coordinate.latitude"),
        ("longitude-high", "2.1", "A longitude is at most 180.", at(0.0, 180.001), "destination.coordinate.longitude"),
        (
            "longitude-low",
            "2.1",
            "A longitude is at least -180.",
            at(0.0, -180.001),
            "destination.coordinate.longitude",
        ),
        (
            "latitude-text",
            "2.1",
            "A latitude is a number.",
            destination(json!({ "name": "Lisbon", "coordinate": { "latitude": "38.7", "longitude": 1.0 } })),
            "destination.coordinate.latitude",
        ),
        (
            "country-code",
            "itinerary_create",
            "A countryCode is an ISO 3166-1 code of two letters.",
            destination(json!({ "name": "Lisbon", "coordinate": coordinate, "countryCode": "Portugal" })),
            "destination.countryCode",
        ),
        (
            "time-zone",
            "itinerary_create",
            "A timeZone is a name of the IANA database.",
            destination(json!({ "name": "Lisbon", "coordinate": coordinate, "timeZone": "Europe/Nowhere" })),
            "destination.timeZone",
        ),
        (
            "place-empty",
            "itinerary_create",
            "A place needs a name, a code, a coordinate or a placeId.",
            json!({ "origin": { "address": "Rua 1" } }),
            "origin",
        ),
        ("place-array", "2.1", "An object is not an array.", destination(json!(["Lisbon", coordinate])), "destination"),
    ]
}

fn itineraries() -> Vec<Invalid> {
    vec![
        ("unknown", "itinerary_create", "An unknown field is rejected.", json!({ "colour": "red" }), "colour"),
        ("title-empty", "itinerary_create", "A title is not empty.", json!({ "title": "" }), "title"),
        (
            "title-long",
            "itinerary_create",
            "A title has at most 200 characters.",
            json!({ "title": "é".repeat(201) }),
            "title",
        ),
        ("title-type", "2.3", "A title is a string.", json!({ "title": 7 }), "title"),
        (
            "title-control",
            "itinerary_create",
            "Text has no control characters but newline and tab.",
            json!({ "title": "a\u{7}b" }),
            "title",
        ),
        (
            "summary-long",
            "itinerary_create",
            "A summary has at most 5,000 characters.",
            json!({ "summary": "x".repeat(5_001) }),
            "summary",
        ),
        ("start-date", "2.3", "A startDate is a date (YYYY-MM-DD).", json!({ "startDate": "01/09/2027" }), "startDate"),
        ("start-day", "2.3", "A startDate exists in the calendar.", json!({ "startDate": "2027-02-30" }), "startDate"),
        (
            "travellers-zero",
            "itinerary_create",
            "There is at least one traveller.",
            json!({ "travellers": 0 }),
            "travellers",
        ),
        (
            "travellers-many",
            "itinerary_create",
            "There are at most 100 travellers.",
            json!({ "travellers": 101 }),
            "travellers",
        ),
        ("travellers-part", "2.3", "travellers is an integer.", json!({ "travellers": 1.5 }), "travellers"),
        ("tags-type", "2.3", "tags is an array.", json!({ "tags": "beach" }), "tags"),
        ("tags-many", "itinerary_create", "There are at most 30 tags.", json!({ "tags": vec!["a"; 31] }), "tags"),
        ("tag-type", "2.3", "A tag is a string.", json!({ "tags": ["a", 1] }), "tags[1]"),
        (
            "tag-long",
            "itinerary_create",
            "A tag has at most 50 characters.",
            json!({ "tags": ["x".repeat(51)] }),
            "tags[0]",
        ),
        ("currency", "itinerary_create", "A currency is an ISO 4217 code.", json!({ "currency": "EURO" }), "currency"),
        (
            "image-url",
            "2.2",
            "An image's url is a URI.",
            json!({ "coverImage": { "url": "no address" } }),
            "coverImage.url",
        ),
        (
            "image-scheme",
            "itinerary_create",
            "An image's url is an http or https URL.",
            json!({ "coverImage": { "url": "javascript:alert(1)" } }),
            "coverImage.url",
        ),
        ("visibility", "2.3", "A visibility is a known value.", json!({ "visibility": "hidden" }), "visibility"),
        (
            "visibility-public",
            "itinerary_create",
            "A created itinerary is private.",
            json!({ "visibility": "public" }),
            "visibility",
        ),
        (
            "documents",
            "itinerary_create",
            "Documents are not created through the itinerary.",
            json!({ "documents": [{ "id": "a", "name": "Pass", "file": { "path": "a", "name": "a", "size": 1 } }] }),
            "documents",
        ),
    ]
}

fn days() -> Vec<Invalid> {
    let hundred_and_one: Vec<Value> = (0..101).map(|_| json!({ "name": "Stop" })).collect();
    let legs = |leg: Value| {
        let stops = json!([{ "id": "a", "name": "A" }, { "id": "b", "name": "B" }]);
        json!({ "days": [{ "stops": stops, "legs": [leg] }] })
    };
    vec![
        (
            "days-many",
            "itinerary_create",
            "There are at most 366 days.",
            json!({ "days": vec![json!({}); 367] }),
            "days",
        ),
        (
            "day-unknown",
            "itinerary_create",
            "An unknown field of a day is rejected.",
            json!({ "days": [{}, { "note": "x" }] }),
            "days[1].note",
        ),
        (
            "stops-many",
            "itinerary_create",
            "A day has at most 100 stops.",
            json!({ "days": [{ "stops": hundred_and_one }] }),
            "days[0].stops",
        ),
        ("stop-name", "itinerary_create", "A stop needs a name.", stops(&json!({})), "days[0].stops[0].name"),
        (
            "stop-category",
            "2.5",
            "A stop's category is a known value.",
            stops(&json!({ "name": "A", "category": "volcano" })),
            "days[0].stops[0].category",
        ),
        (
            "stop-time",
            "itinerary_create",
            "A startTime is a time of day (HH:MM).",
            stops(&json!({ "name": "A", "startTime": "25:00" })),
            "days[0].stops[0].startTime",
        ),
        (
            "stop-duration",
            "itinerary_create",
            "A duration is not negative.",
            stops(&json!({ "name": "A", "durationMinutes": -1 })),
            "days[0].stops[0].durationMinutes",
        ),
        (
            "stop-duration-long",
            "itinerary_create",
            "A duration is at most 10,080 minutes.",
            stops(&json!({ "name": "A", "durationMinutes": 10_081 })),
            "days[0].stops[0].durationMinutes",
        ),
        (
            "stop-id",
            "itinerary_create",
            "An id has only letters, digits, - and _.",
            stops(&json!({ "name": "A", "id": "a b" })),
            "days[0].stops[0].id",
        ),
        (
            "stop-id-twice",
            "itinerary_create",
            "An id is unique within the itinerary.",
            json!({ "days": [{ "stops": [{ "id": "a", "name": "A" }, { "id": "a", "name": "B" }] }] }),
            "days[0].stops[1].id",
        ),
        (
            "activity-provider",
            "itinerary_create",
            "An activity needs a provider.",
            stops(&json!({ "name": "A", "activity": { "productCode": "x" } })),
            "days[0].stops[0].activity.provider",
        ),
        (
            "leg-mode",
            "2.6",
            "A leg's mode is a known value.",
            legs(json!({ "from": "a", "to": "b", "mode": "teleport" })),
            "days[0].legs[0].mode",
        ),
        (
            "leg-from",
            "itinerary_create",
            "A leg needs the stop that it begins at.",
            legs(json!({ "to": "b", "mode": "walk" })),
            "days[0].legs[0].from",
        ),
    ]
}

fn bookings() -> Vec<Invalid> {
    vec![
        (
            "flight-empty",
            "itinerary_create",
            "A flight has at least one field.",
            json!({ "flights": [{}] }),
            "flights[0]",
        ),
        (
            "cabin-class",
            "2.7",
            "A cabinClass is a known value.",
            json!({ "flights": [{ "cabinClass": "cargo" }] }),
            "flights[0].cabinClass",
        ),
        (
            "departure-date",
            "2.7",
            "A departureDate is a date-time with an offset.",
            json!({ "flights": [{ "departureDate": "2027-09-01T07:05:00" }] }),
            "flights[0].departureDate",
        ),
        (
            "airport-code",
            "itinerary_create",
            "An airport's code has three letters.",
            json!({ "flights": [{ "departureAirport": { "code": "LISBON" } }] }),
            "flights[0].departureAirport.code",
        ),
        (
            "hotel-name",
            "itinerary_create",
            "A hotel needs a name.",
            json!({ "hotels": [{ "roomNumber": "1" }] }),
            "hotels[0].name",
        ),
        (
            "check-out",
            "itinerary_create",
            "A check-out is not before the check-in.",
            json!({ "hotels": [{
                "name": "Inn", "checkInDate": "2027-09-03T15:00:00+01:00", "checkOutDate": "2027-09-01T11:00:00+01:00",
            }] }),
            "hotels[0].checkOutDate",
        ),
    ]
}

fn limits() -> Vec<(&'static str, &'static str, &'static str, Value)> {
    let tags: Vec<String> = (0..30).map(|number| format!("{}{number:02}", "x".repeat(48))).collect();
    vec![
        ("north-pole", "2.1", "A latitude of 90 and a longitude of 180 are accepted.", at(90.0, 180.0)),
        ("south-pole", "2.1", "A latitude of -90 and a longitude of -180 are accepted.", at(-90.0, -180.0)),
        (
            "coordinate",
            "2.1",
            "A coordinate comes back as the number that was sent.",
            at(38.722_252_413_7, -9.139_336_652_1),
        ),
        (
            "title",
            "itinerary_create",
            "A title of 200 characters is accepted, whatever their encoding.",
            json!({ "title": "é".repeat(200) }),
        ),
        (
            "summary",
            "itinerary_create",
            "A summary of 5,000 characters is accepted.",
            json!({ "summary": "é".repeat(5_000) }),
        ),
        ("tags", "itinerary_create", "30 tags of 50 characters are accepted.", json!({ "tags": tags })),
        ("travellers", "itinerary_create", "100 travellers are accepted.", json!({ "travellers": 100 })),
        ("leap-day", "2.3", "The 29th of February of a leap year is accepted.", json!({ "startDate": "2028-02-29" })),
        (
            "offset",
            "2.7",
            "A date-time comes back with the offset that was sent.",
            json!({ "flights": [{ "departureDate": "2027-09-01T23:30:00+05:45" }] }),
        ),
        (
            "durations",
            "itinerary_create",
            "Durations of 0 and of 10,080 minutes are accepted.",
            json!({ "days": [{ "stops": [
                { "name": "A", "durationMinutes": 0 }, { "name": "B", "durationMinutes": 10_080 },
            ] }] }),
        ),
        (
            "category-beach",
            "2.15",
            "The stop category beach is accepted.",
            stops(&json!({ "name": "A", "category": "beach" })),
        ),
        (
            "mode-walk",
            "2.15",
            "The leg mode walk is accepted.",
            json!({ "days": [{
                "stops": [{ "id": "a", "name": "A" }, { "id": "b", "name": "B" }],
                "legs": [{ "from": "a", "to": "b", "mode": "walk" }],
            }] }),
        ),
        (
            "cabin-economy",
            "2.15",
            "The cabin class economy is accepted.",
            json!({ "flights": [{ "cabinClass": "economy" }] }),
        ),
    ]
}
