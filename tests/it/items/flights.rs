//! Flights: airports, airline and times, and that at least one field is required.

use itinerary_sdk::types::{AirlinePatch, CabinClass, CoordinatePatch, Flight, FlightPatch, PlacePatch};
use itinerary_sdk::{ErrorExt, Nullable, code};
use itinerary_tests::bodies::{full, with};
use itinerary_tests::{World, api_test};
use serde_json::{Value, json};

use super::{NO_TIMES, Part, item, start};

const FLIGHTS: Part = Part::Flights;

fn times(departure: &str, arrival: &str) -> Value {
    json!({ "departureDate": departure, "arrivalDate": arrival })
}

#[api_test]
async fn the_sdk_changes_a_flight_field_by_field(world: World) {
    world.pro_account("ana").await;
    let client = world.client("ana").await;
    let trip: itinerary_sdk::types::ItineraryCreate = serde_json::from_value(full()).expect("typed");
    let created = client.itinerary_create(trip).send().await.expect("created");
    let patch = FlightPatch {
        flight_airline: Some(Nullable::Value(AirlinePatch { name: Some(Nullable::Null), ..Default::default() })),
        departure_airport: Some(Nullable::Null),
        arrival_airport: Some(Nullable::Value(PlacePatch {
            coordinate: Some(Nullable::Value(CoordinatePatch { latitude: Some(32.7), ..Default::default() })),
            ..Default::default()
        })),
        cabin_class: Some(CabinClass::Economy.into()),
        gate_number: Some(Nullable::Null),
        ..Default::default()
    };
    let changed = client.flight_update(created.id, "flight-1", &created, patch).send().await.expect("changed");
    let before: Flight = created.flights.as_ref().expect("members see them")[0].clone();
    let mut expected = before.clone();
    expected.flight_airline.as_mut().expect("it was there").name = None;
    expected.arrival_airport.as_mut().expect("it was there").coordinate.as_mut().expect("it was there").latitude = 32.7;
    (expected.departure_airport, expected.gate_number) = (None, None);
    expected.cabin_class = Some(CabinClass::Economy.into());
    assert_eq!(changed.flights.as_ref().expect("members see them")[0], expected);

    let nothing = FlightPatch {
        arrival_date: before.departure_date.map(|time| Nullable::Value(time.into())),
        ..Default::default()
    };
    let call = client.flight_update(created.id, "flight-1", &changed, nothing);
    let error = call.send().await.expect_err("it lands when it starts");
    assert_eq!((error.is(code::VALIDATION_FAILED), error.field()), (true, Some("arrivalDate")));
}

// The id alone is not enough.
#[api_test(limits = false)]
async fn a_flight_that_is_patched_to_nothing_is_wrong_as_a_whole(world: World) {
    let (app, at) = start(&world).await;
    let whole = FLIGHTS.full();
    let clear = |keep: &str| {
        let fields = whole.as_object().expect("an object").keys().filter(|name| !["id", keep].contains(&name.as_str()));
        fields.map(|name| (name.clone(), Value::Null)).collect::<Value>()
    };
    let response = FLIGHTS.update(&app, &at, "flight-1", &clear("")).await;
    assert_eq!(response.expect_error(422, "validationFailed"), Value::Null);
    assert_eq!(app.viewed(&at.id).await.etag, at.etag);
    // Any one field is enough.
    let mut at = at;
    for keep in whole.as_object().expect("an object").keys().filter(|name| *name != "id") {
        at = FLIGHTS.updated(&app, &at, "flight-1", &clear(keep)).await;
        assert_eq!(item(&at, FLIGHTS, "flight-1"), &json!({ "id": "flight-1", keep: whole[keep] }));
        let response = FLIGHTS.update(&app, &at, "flight-1", &json!({ keep: null })).await;
        assert_eq!(response.expect_error(422, "validationFailed"), Value::Null, "{keep}");
        at = FLIGHTS.updated(&app, &at, "flight-1", &whole).await;
    }
    // An airline without fields does not count.
    at = FLIGHTS.updated(&app, &at, "flight-1", &clear("flightAirline")).await;
    let nobody = json!({ "flightAirline": { "code": null, "name": null } });
    let response = FLIGHTS.update(&app, &at, "flight-1", &nobody).await;
    assert_eq!(response.expect_error(422, "validationFailed"), Value::Null);
}

// Times are compared as instants.
#[api_test(limits = false)]
async fn a_flight_lands_after_it_starts(world: World) {
    let (app, mut at) = start(&world).await;
    for (from, to) in [
        ("2027-05-01T09:00:00+09:00", "2027-05-01T01:00:00+00:00"),
        ("2027-05-01T23:00:00-10:00", "2027-05-01T23:00:00-11:00"),
        ("2027-05-01T00:00:00.000Z", "2027-05-01T00:00:00.001Z"),
        ("2027-12-31T23:59:59Z", "2028-01-01T00:00:00Z"),
    ] {
        at = FLIGHTS.updated(&app, &at, "flight-1", &times(from, to)).await;
        let flight = item(&at, FLIGHTS, "flight-1");
        assert_eq!((&flight["departureDate"], &flight["arrivalDate"]), (&json!(from), &json!(to)), "as it was sent");
        for wrong in [times(to, from), times(from, from)] {
            FLIGHTS.update(&app, &at, "flight-1", &wrong).await.expect_invalid("arrivalDate");
            FLIGHTS.add(&app, &at, &wrong).await.expect_invalid("arrivalDate");
        }
        // A change of one time is compared with the existing other one.
        FLIGHTS.update(&app, &at, "flight-1", &json!({ "departureDate": to })).await.expect_invalid("arrivalDate");
        FLIGHTS.update(&app, &at, "flight-1", &json!({ "arrivalDate": from })).await.expect_invalid("arrivalDate");
    }
    let same = times("2027-05-01T10:00:00+01:00", "2027-05-01T09:00:00Z");
    FLIGHTS.update(&app, &at, "flight-1", &same).await.expect_invalid("arrivalDate");
    FLIGHTS.add(&app, &at, &same).await.expect_invalid("arrivalDate");
    // If the other is removed or absent, there is nothing to compare with.
    let alone = json!({ "departureDate": "2100-01-01T00:00:00Z", "arrivalDate": null });
    at = FLIGHTS.updated(&app, &at, "flight-1", &alone).await;
    FLIGHTS
        .update(&app, &at, "flight-1", &json!({ "arrivalDate": "2099-12-31T23:59:59Z" }))
        .await
        .expect_invalid("arrivalDate");
    at = FLIGHTS.added(&app, &at, &json!({ "arrivalDate": "1900-01-01T00:00:00Z" })).await;
    assert_eq!(at.json["flights"][1]["arrivalDate"], "1900-01-01T00:00:00Z");
}

#[api_test(limits = false)]
async fn its_times_have_an_offset_and_a_year_in_reach(world: World) {
    let (app, mut at) = start(&world).await;
    for name in ["departureDate", "arrivalDate"] {
        for wrong in NO_TIMES.map(Value::from).into_iter().chain([json!(1_800_000_000), json!({}), json!(true)]) {
            FLIGHTS.update(&app, &at, "flight-1", &json!({ name: wrong })).await.expect_invalid(name);
            FLIGHTS.add(&app, &at, &json!({ name: wrong })).await.expect_invalid(name);
        }
    }
    for (from, to) in [
        ("1900-01-01T00:00:00Z", "2200-12-31T23:59:59Z"),
        ("2028-02-29T10:00:00-00:00", "2028-02-29T10:00:00.000000001Z"),
        ("2027-05-01t10:00:00z", "2027-05-01T23:59:59.999+13:00"),
    ] {
        at = FLIGHTS.updated(&app, &at, "flight-1", &times(from, to)).await;
        let flight = item(&at, FLIGHTS, "flight-1");
        assert_eq!((&flight["departureDate"], &flight["arrivalDate"]), (&json!(from), &json!(to)), "as it was sent");
    }
}

#[api_test(limits = false)]
async fn an_airport_is_a_place_that_is_named_somehow(world: World) {
    let (app, mut at) = start(&world).await;
    let second = json!({ "id": "second", "departureAirport": { "code": "LIS" }, "arrivalAirport": { "code": "FNC" } });
    at = FLIGHTS.added(&app, &at, &second).await;
    for end in ["departureAirport", "arrivalAirport"] {
        let field = |inner: &str| format!("{end}.{inner}");
        for (airport, named) in [
            (json!({ "coordinate": { "latitude": 90.000_001, "longitude": 0 } }), field("coordinate.latitude")),
            (json!({ "coordinate": { "latitude": -91, "longitude": 0 } }), field("coordinate.latitude")),
            (json!({ "coordinate": { "latitude": 0, "longitude": 180.5 } }), field("coordinate.longitude")),
            (json!({ "coordinate": { "latitude": 0, "longitude": -181 } }), field("coordinate.longitude")),
            (json!({ "coordinate": { "latitude": "1", "longitude": 0 } }), field("coordinate.latitude")),
            (json!({ "code": "LISB" }), field("code")),
            (json!({ "code": "L1S" }), field("code")),
            (json!({ "code": "" }), field("code")),
            (json!({ "name": "" }), field("name")),
            (json!({ "name": "n".repeat(201) }), field("name")),
            (json!({ "placeId": "" }), field("placeId")),
            (json!({ "name": "n", "address": "a".repeat(501) }), field("address")),
            (json!({ "name": "n", "countryCode": "pt" }), field("countryCode")),
            (json!({ "name": "n", "countryCode": "ZZ" }), field("countryCode")),
            (json!({ "name": "n", "timeZone": "Lisbon" }), field("timeZone")),
        ] {
            FLIGHTS.add(&app, &at, &json!({ end: airport })).await.expect_invalid(&named);
            FLIGHTS.update(&app, &at, "second", &json!({ end: airport })).await.expect_invalid(&named);
        }
        FLIGHTS.add(&app, &at, &json!({ end: { "countryCode": "PT" } })).await.expect_invalid(end);
        FLIGHTS.update(&app, &at, "second", &json!({ end: { "code": null } })).await.expect_invalid(end);
        // A place with another name may lose one, also in the same change.
        let swap = json!({ end: { "code": null, "coordinate": { "latitude": 90, "longitude": -180 } } });
        at = FLIGHTS.updated(&app, &at, "second", &swap).await;
        assert_eq!(
            item(&at, FLIGHTS, "second")[end],
            json!({ "coordinate": { "latitude": 90.0, "longitude": -180.0 } })
        );
    }
}

#[api_test(limits = false)]
async fn its_texts_have_their_limits(world: World) {
    let (app, mut at) = start(&world).await;
    let labels = ["flightNumber", "seatNumber", "gateNumber", "departureTerminal", "arrivalTerminal", "phoneNumber"];
    for name in labels {
        for wrong in [json!(""), json!("x".repeat(201)), json!("a\u{0}b"), json!(["a"])] {
            FLIGHTS.update(&app, &at, "flight-1", &json!({ name: wrong })).await.expect_invalid(name);
        }
    }
    // Characters are counted, not bytes.
    let longest: Value = labels.map(|name| (name.to_owned(), json!("\u{1f6eb}".repeat(200)))).into_iter().collect();
    at = FLIGHTS.updated(&app, &at, "flight-1", &longest).await;
    assert_eq!(item(&at, FLIGHTS, "flight-1"), &with(FLIGHTS.full(), longest));
    for (airline, named) in [
        (json!({ "code": "" }), "flightAirline.code"),
        (json!({ "code": "x".repeat(11) }), "flightAirline.code"),
        (json!({ "name": "x".repeat(201) }), "flightAirline.name"),
    ] {
        FLIGHTS.update(&app, &at, "flight-1", &json!({ "flightAirline": airline })).await.expect_invalid(named);
    }
    let airline = json!({ "code": "x".repeat(10), "name": "\u{e9}".repeat(200) });
    at = FLIGHTS.updated(&app, &at, "flight-1", &json!({ "flightAirline": airline })).await;
    assert_eq!(item(&at, FLIGHTS, "flight-1")["flightAirline"], airline);
    for class in ["economy", "premiumEconomy", "business", "first"] {
        at = FLIGHTS.updated(&app, &at, "flight-1", &json!({ "cabinClass": class })).await;
    }
    FLIGHTS.update(&app, &at, "flight-1", &json!({ "cabinClass": "First" })).await.expect_invalid("cabinClass");
}
