//! Bodies and positions with invalid syntax are rejected with the path of the field, and change nothing. Other areas
//! test invalid meaning.

use itinerary_tests::app::App;
use itinerary_tests::{World, api_test};
use reqwest::Method;
use serde_json::{Value, json};

use super::{Trip, at, three_days};

/// The writes that take a body: method and address.
const WITH_BODY: [(&str, &str, &str); 5] = [
    ("day_add", "POST", "/days"),
    ("day_update", "PATCH", "/days/d1"),
    ("stop_add", "POST", "/days/d1/stops"),
    ("stop_update", "PATCH", "/days/d1/stops/a"),
    ("stop_move", "POST", "/days/d1/stops/a/move"),
];

/// Unreadable bodies, and the field that the error names.
const UNREADABLE: [(&str, &str, &str); 46] = [
    ("day_add", r#"{"surprise": 1}"#, "surprise"),
    ("day_add", r#"{"position": 0}"#, "position"),
    ("day_add", r#"{"id": 7}"#, "id"),
    ("day_add", r#"{"id": ""}"#, "id"),
    ("day_add", r#"{"id": "a b"}"#, "id"),
    ("day_add", r#"{"id": "12345678901234567890123456789012345678901234567890123456789012345"}"#, "id"),
    ("day_add", r#"{"id": "1", "id": "2"}"#, "id"),
    ("day_add", r#"{"image": "https://images.example"}"#, "image"),
    ("day_add", r#"{"image": {"source": "s"}}"#, "image.url"),
    ("day_add", r#"{"stops": {"0": {"name": "n"}}}"#, "stops"),
    ("day_add", r#"{"stops": [{"name": "n"}, {"category": "cafe"}]}"#, "stops[1].name"),
    ("day_add", r#"{"stops": [{"name": "n"}, ["n"]]}"#, "stops[1]"),
    ("day_add", r#"{"stops": [{"name": "n", "note": "x"}]}"#, "stops[0].note"),
    (
        "day_add",
        r#"{"stops": [{"name": "n", "place": {"coordinate": {"latitude": 1}}}]}"#,
        "stops[0].place.coordinate.longitude",
    ),
    ("day_add", r#"{"legs": [{"from": "a", "to": "b", "mode": "swim"}]}"#, "legs[0].mode"),
    ("day_add", r#"{"legs": [{"from": "a", "mode": "walk"}]}"#, "legs[0].to"),
    ("day_add", r#"{"legs": [{"from": "a", "to": "b", "mode": "walk", "minutes": -1}]}"#, "legs[0].minutes"),
    ("day_update", r#"{"surprise": null}"#, "surprise"),
    ("day_update", r#"{"stops": "a"}"#, "stops"),
    ("day_update", r#"{"stops": [null]}"#, "stops[0]"),
    ("day_update", r#"{"stops": [{"id": "a", "name": null}]}"#, "stops[0].name"),
    ("day_update", r#"{"image": {"url": "https://images.example", "width": 7}}"#, "image.width"),
    ("day_update", r#"{"legs": [{"from": "a", "to": "b", "mode": "walk", "via": "c"}]}"#, "legs[0].via"),
    ("stop_add", "{}", "name"),
    ("stop_add", r#"{"name": null}"#, "name"),
    ("stop_add", r#"{"name": 7}"#, "name"),
    ("stop_add", r#"{"name": "a\u0000b"}"#, "name"),
    ("stop_add", r#"{"name": "n", "Name": "n"}"#, "Name"),
    ("stop_add", r#"{"name": "n", "place": {"coordinate": [38.7, -9.1]}}"#, "place.coordinate"),
    ("stop_add", r#"{"name": "n", "place": {"timeZone": "Lisbon", "name": "p"}}"#, "place.timeZone"),
    ("stop_add", r#"{"name": "n", "startTime": "9:30"}"#, "startTime"),
    ("stop_add", r#"{"name": "n", "durationMinutes": 1.5}"#, "durationMinutes"),
    ("stop_add", r#"{"name": "n", "activity": {}}"#, "activity.provider"),
    ("stop_update", r#"{"name": null}"#, "name"),
    ("stop_update", r#"{"surprise": {}}"#, "surprise"),
    ("stop_update", r#"{"startTimeSuggested": "yes"}"#, "startTimeSuggested"),
    ("stop_update", r#"{"place": "Lisbon"}"#, "place"),
    ("stop_update", r#"{"place": {"surprise": 1}}"#, "place.surprise"),
    ("stop_update", r#"{"activity": {"bookingUrl": "book"}}"#, "activity.bookingUrl"),
    ("stop_move", r#"{"surprise": 1}"#, "surprise"),
    ("stop_move", r#"{"dayId": 7}"#, "dayId"),
    ("stop_move", r#"{"dayId": "a b"}"#, "dayId"),
    ("stop_move", r#"{"position": "1"}"#, "position"),
    ("stop_move", r#"{"position": -1}"#, "position"),
    ("stop_move", r#"{"position": 1.5}"#, "position"),
    ("stop_move", r#"{"position": 367}"#, "position"),
];

fn method(name: &str) -> Method {
    name.parse().expect("a method")
}

#[api_test(limits = false)]
async fn a_body_that_cannot_be_read_is_refused_by_its_field(world: World) {
    let trip = Trip::start(&world, three_days()).await;
    let (app, id) = (App::of(&world, "ana").await, trip.now.id.to_string());
    for (operation, body, field) in UNREADABLE {
        let (_, name, rest) = WITH_BODY.iter().find(|(name, ..)| *name == operation).expect("an operation");
        let call = at(&app, method(name), &id, rest).header("If-Match", "*").body("application/json", body);
        let response = call.send().await;
        assert_eq!(
            response.expect_error(422, "validationFailed")["field"],
            field,
            "{operation} {body}: {}",
            response.text()
        );
    }
    // A body that is not an object has no field.
    for (operation, name, rest) in WITH_BODY {
        for body in ["", "[]", "[{}]", "null", "7", r#""a""#, "{", "{]"] {
            let call = at(&app, method(name), &id, rest).header("If-Match", "*").body("application/json", body);
            assert_eq!(call.send().await.expect_error(422, "validationFailed"), Value::Null, "{operation} {body}");
        }
        let call = at(&app, method(name), &id, rest).header("If-Match", "*").body("text/plain", "{}");
        call.send().await.expect_error(415, "unsupportedMediaType");
    }
    trip.unchanged().await;
}

#[api_test(limits = false)]
async fn a_position_is_one_whole_number_of_a_list(world: World) {
    let trip = Trip::start(&world, three_days()).await;
    let (app, id) = (App::of(&world, "ana").await, trip.now.id.to_string());
    for (rest, body) in [("/days", json!({})), ("/days/d1/stops", json!({ "name": "n" }))] {
        for query in [
            "position=",
            "position=x",
            "position=-1",
            "position=367",
            "position=1.5",
            "position=0x1",
            "position=%201",
            "position=99999999999999999999",
            "position=0&position=0",
            "position=1&position=2",
            "position=null",
        ] {
            let call = at(&app, Method::POST, &id, &format!("{rest}?{query}")).header("If-Match", "*");
            let response = call.json(&body).send().await;
            assert_eq!(response.expect_error(422, "validationFailed")["field"], "position", "{rest}?{query}");
        }
    }
    trip.unchanged().await;
    // Unknown parameters are ignored.
    let call = at(&app, Method::POST, &id, "/days?surprise=1&position=0&Position=9").header("If-Match", "*");
    let response = call.json(&json!({ "id": "first" })).send().await;
    assert_eq!(response.json()["days"][0]["id"], "first", "{}", response.text());
}
