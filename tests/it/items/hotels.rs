//! Hotels: check-out is after check-in, and the place is valid.

use chrono::DateTime;
use itinerary_sdk::types::{CoordinatePatch, HotelPatch, Itinerary, PlacePatch};
use itinerary_sdk::{ErrorExt, Nullable, Versioned, code};
use itinerary_tests::app::attention;
use itinerary_tests::bodies::{full, with};
use itinerary_tests::{World, api_test};
use serde_json::{Value, json};

use super::{NO_TIMES, Part, item, start};

const HOTELS: Part = Part::Hotels;

fn stay(check_in: &str, check_out: &str) -> Value {
    json!({ "checkInDate": check_in, "checkOutDate": check_out })
}

fn named(fields: Value) -> Value {
    with(json!({ "name": "n" }), fields)
}

#[api_test]
async fn the_sdk_changes_a_hotel_field_by_field(world: World) {
    world.pro_account("ana").await;
    let client = world.client("ana").await;
    let trip: itinerary_sdk::types::ItineraryCreate = serde_json::from_value(full()).expect("typed");
    let created = client.itinerary_create(trip).send().await.expect("created");
    let update =
        |at: &Versioned<Itinerary>, patch: HotelPatch| client.hotel_update(at.id, "hotel-1", at.etag(), patch).send();
    let patch = HotelPatch {
        name: Some("Quinta Nova".to_owned()),
        place: Some(Nullable::Value(PlacePatch {
            coordinate: Some(Nullable::Value(CoordinatePatch { longitude: Some(-17.0), ..Default::default() })),
            time_zone: Some(Nullable::Null),
            ..Default::default()
        })),
        room_number: Some(Nullable::Null),
        ..Default::default()
    };
    let changed = update(&created, patch).await.expect("changed");
    let mut expected = created.hotels.as_ref().expect("members see them")[0].clone();
    "Quinta Nova".clone_into(&mut expected.name);
    let place = expected.place.as_mut().expect("it was there");
    (place.time_zone, place.coordinate.as_mut().expect("it was there").longitude) = (None, -17.0);
    expected.room_number = None;
    assert_eq!(changed.hotels.as_ref().expect("members see them")[0], expected);

    let early = DateTime::parse_from_rfc3339("2027-09-01T15:00:00+02:00").expect("a time");
    let patch = HotelPatch { check_out_date: Some(Nullable::Value(early.into())), ..Default::default() };
    let error = update(&changed, patch).await.expect_err("it ends before it begins");
    assert_eq!((error.is(code::VALIDATION_FAILED), error.field()), (true, Some("checkOutDate")));
}

// Times are compared as instants: an evening in Tokyo is before the same morning in Honolulu.
#[api_test(limits = false)]
async fn a_stay_ends_after_it_begins(world: World) {
    let (app, mut at) = start(&world).await;
    for (from, to) in [
        ("2027-05-01T20:00:00+09:00", "2027-05-01T08:00:00-10:00"),
        ("2027-05-01T15:00:00+01:00", "2027-05-01T14:00:00.5Z"),
        ("2027-12-31T15:00:00Z", "2028-01-01T11:00:00Z"),
    ] {
        at = HOTELS.updated(&app, &at, "hotel-1", &stay(from, to)).await;
        let hotel = item(&at, HOTELS, "hotel-1");
        assert_eq!((&hotel["checkInDate"], &hotel["checkOutDate"]), (&json!(from), &json!(to)), "as it was sent");
        for wrong in [stay(to, from), stay(to, to)] {
            HOTELS.update(&app, &at, "hotel-1", &wrong).await.expect_invalid("checkOutDate");
            HOTELS.add(&app, &at, &named(wrong)).await.expect_invalid("checkOutDate");
        }
        HOTELS.update(&app, &at, "hotel-1", &json!({ "checkInDate": to })).await.expect_invalid("checkOutDate");
        HOTELS.update(&app, &at, "hotel-1", &json!({ "checkOutDate": from })).await.expect_invalid("checkOutDate");
    }
    let same = stay("2027-05-01T10:00:00+01:00", "2027-05-01T09:00:00Z");
    HOTELS.update(&app, &at, "hotel-1", &same).await.expect_invalid("checkOutDate");
    // The error names the field within the hotel that was sent, whatever its index in the list.
    at = HOTELS.added(&app, &at, &named(json!({ "id": "third", "checkOutDate": "2027-05-01T09:00:00Z" }))).await;
    HOTELS
        .update(&app, &at, "third", &json!({ "checkInDate": "2027-05-02T09:00:00Z" }))
        .await
        .expect_invalid("checkOutDate");
    at = HOTELS
        .updated(&app, &at, "third", &json!({ "checkInDate": "2027-05-02T09:00:00Z", "checkOutDate": null }))
        .await;
    assert_eq!(item(&at, HOTELS, "third").get("checkOutDate"), None);
}

#[api_test(limits = false)]
async fn its_times_have_an_offset_and_a_year_in_reach(world: World) {
    let (app, mut at) = start(&world).await;
    for name in ["checkInDate", "checkOutDate"] {
        for wrong in NO_TIMES.map(Value::from).into_iter().chain([json!(1_800_000_000), json!([])]) {
            HOTELS.update(&app, &at, "hotel-1", &json!({ name: wrong })).await.expect_invalid(name);
            HOTELS.add(&app, &at, &named(json!({ name: wrong }))).await.expect_invalid(name);
        }
    }
    let widest = stay("1900-01-01T00:00:00+14:00", "2200-12-31T23:59:59-12:00");
    at = HOTELS.updated(&app, &at, "hotel-1", &widest).await;
    assert_eq!(item(&at, HOTELS, "hotel-1"), &with(HOTELS.full(), widest));
}

#[api_test(limits = false)]
async fn its_place_is_one_in_the_world_that_is_named_somehow(world: World) {
    let (app, mut at) = start(&world).await;
    for (place, field) in [
        (json!({ "coordinate": { "latitude": 90.5, "longitude": 0 } }), "place.coordinate.latitude"),
        (json!({ "coordinate": { "latitude": 0, "longitude": -180.000_1 } }), "place.coordinate.longitude"),
        (json!({ "name": "n", "code": "A" }), "place.code"),
        (json!({ "name": "n", "timeZone": "Europe/Atlantis" }), "place.timeZone"),
        (json!({ "placeId": "x".repeat(501) }), "place.placeId"),
    ] {
        HOTELS.add(&app, &at, &named(json!({ "place": place }))).await.expect_invalid(field);
        HOTELS.update(&app, &at, "hotel-1", &json!({ "place": place })).await.expect_invalid(field);
    }
    for nameless in
        [json!({}), json!({ "address": "Rua 1" }), json!({ "countryCode": "PT", "timeZone": "Europe/Lisbon" })]
    {
        HOTELS.add(&app, &at, &named(json!({ "place": nameless }))).await.expect_invalid("place");
    }
    let nothing = json!({ "name": null, "code": null, "coordinate": null, "placeId": null });
    HOTELS.update(&app, &at, "hotel-1", &json!({ "place": nothing })).await.expect_invalid("place");
    for name in ["name", "code", "coordinate", "placeId"] {
        let only = with(nothing.clone(), json!({ name: HOTELS.full()["place"][name] }));
        at = HOTELS.updated(&app, &at, "hotel-1", &json!({ "place": only })).await;
        HOTELS.update(&app, &at, "hotel-1", &json!({ "place": { name: null } })).await.expect_invalid("place");
    }
}

// A coordinate is returned as exactly the number that was sent.
#[api_test(limits = false)]
async fn a_coordinate_survives_to_its_last_digit(world: World) {
    let (app, mut at) = start(&world).await;
    for (latitude, longitude) in [("38.722252410000003", "-9.1393366500000012"), ("1e-7", "0.1"), ("-90.0", "180.0")] {
        let text = format!(r#"{{"place": {{"coordinate": {{"latitude": {latitude}, "longitude": {longitude}}}}}}}"#);
        let patch: Value = serde_json::from_str(&text).expect("JSON");
        at = HOTELS.updated(&app, &at, "hotel-1", &patch).await;
        assert_eq!(item(&at, HOTELS, "hotel-1")["place"]["coordinate"], patch["place"]["coordinate"]);
    }
}

#[api_test(limits = false)]
async fn a_hotel_without_a_coordinate_needs_attention(world: World) {
    let (app, mut at) = start(&world).await;
    let not_placed = |at: &str| vec![(format!("{at}.place.coordinate"), "notPlaced".to_owned())];
    assert!(attention(&at.json).iter().all(|(field, _)| !field.starts_with("hotels")));
    at = HOTELS.added(&app, &at, &named(json!({ "id": "b" }))).await;
    assert_eq!(attention(&at.json), not_placed("hotels[1]"));
    at = HOTELS.removed(&app, &at, "hotel-1").await;
    assert_eq!(attention(&at.json), not_placed("hotels[0]"));
    at = HOTELS.updated(&app, &at, "b", &json!({ "place": { "coordinate": { "latitude": 1, "longitude": 2 } } })).await;
    assert_eq!(attention(&at.json), Vec::new());
    at = HOTELS.updated(&app, &at, "b", &json!({ "place": { "coordinate": null, "name": "p" } })).await;
    assert_eq!(attention(&at.json), not_placed("hotels[0]"));
}
