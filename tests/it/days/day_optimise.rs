//! Optimising a day: order, start times, legs, what stays, and what is refused.

use itinerary_tests::app::{App, Stored};
use itinerary_tests::{World, api_test};
use reqwest::Method;
use serde_json::{Value, json};

use crate::snapshot::assert_body;

/// Stops on a line along a parallel near Lisbon, about 870 m apart for each hundredth of a degree.
fn stop(id: &str, hundredths: i32) -> Value {
    let longitude = -9.2 + f64::from(hundredths) / 100.0;
    json!({ "id": id, "name": id, "durationMinutes": 60,
        "place": { "coordinate": { "latitude": 38.7, "longitude": longitude } } })
}

fn at(mut stop: Value, time: &str) -> Value {
    stop["startTime"] = json!(time);
    stop
}

fn trip(stops: &[Value]) -> Value {
    json!({
        "destination": { "name": "Lisbon", "coordinate": { "latitude": 38.7, "longitude": -9.14 } },
        "startDate": "2027-05-15",
        "days": [{ "id": "d1", "stops": stops }, { "id": "d2" }],
    })
}

async fn optimise(app: &App<'_>, stored: &Stored, body: &Value) -> itinerary_tests::RawResponse {
    let path = format!("/v1/itineraries/{}/days/d1/optimise", stored.id);
    app.call(Method::POST, &path).header("If-Match", &stored.etag).json(body).send().await
}

fn order(itinerary: &Value) -> Vec<&str> {
    let stops = itinerary["days"][0]["stops"].as_array().expect("stops");
    stops.iter().map(|stop| stop["id"].as_str().expect("an id")).collect()
}

fn times(itinerary: &Value) -> Vec<&str> {
    let stops = itinerary["days"][0]["stops"].as_array().expect("stops");
    stops.iter().map(|stop| stop["startTime"].as_str().unwrap_or("-")).collect()
}

#[api_test]
async fn a_day_gets_the_shortest_way_with_times_and_legs(world: World) {
    let app = App::of(&world, "ana").await;
    let stored = app.created(&trip(&[stop("a", 0), stop("c", 4), stop("b", 2), stop("d", 6)])).await;
    let response = optimise(&app, &stored, &json!({ "mode": "walk" })).await;
    assert_eq!(response.status, 200, "{}", response.text());
    assert_eq!(response.header("etag"), "\"v2.m\"");
    let (body, itinerary) = (response.json(), &response.json()["itinerary"]);
    assert_eq!(order(itinerary), ["a", "b", "c", "d"]);
    assert!(body["minutesAfter"].as_i64() < body["minutesBefore"].as_i64(), "{body}");
    assert_eq!(times(itinerary)[0], "09:00");
    assert!(times(itinerary).is_sorted(), "{:?}", times(itinerary));
    let day = &itinerary["days"][0];
    assert_body("day_optimise", &world, &body);
    let read = app.viewed(&stored.id).await.json;
    assert_eq!(order(&read), ["a", "b", "c", "d"]);
    // Repeating it changes only the version.
    let again = optimise(&app, &Stored::of(&app.view(&stored.id).await), &json!({ "mode": "walk" })).await.json();
    assert_eq!(again["minutesBefore"], again["minutesAfter"]);
    assert_eq!(again["itinerary"]["days"], *day.as_object().map(|_| &itinerary["days"]).expect("days"));
}

#[api_test]
async fn a_dry_run_stores_nothing_and_carries_no_tag(world: World) {
    let app = App::of(&world, "ana").await;
    let stored = app.created(&trip(&[stop("a", 0), stop("c", 4), stop("b", 2)])).await;
    let response = optimise(&app, &stored, &json!({ "dryRun": true, "mode": "walk" })).await;
    assert_eq!((response.status.as_u16(), response.header("etag")), (200, ""));
    assert_eq!(order(&response.json()["itinerary"]), ["a", "b", "c"]);
    let read = app.view(&stored.id).await;
    assert_eq!((read.header("etag"), order(&read.json())), (&*stored.etag, vec!["a", "c", "b"]));
}

#[api_test]
async fn fixed_times_are_kept_and_the_rest_is_put_around_them(world: World) {
    let app = App::of(&world, "ana").await;
    let stops = [at(stop("evening", 0), "19:00"), stop("b", 2), stop("a", 1), at(stop("noon", 6), "12:00")];
    let stored = app.created(&trip(&stops)).await;
    let response = optimise(&app, &stored, &json!({ "mode": "walk", "startAt": "09:00" })).await;
    let itinerary = &response.json()["itinerary"];
    // Of all orders that keep both times, the one with the least walking.
    assert_eq!(order(itinerary), ["noon", "b", "a", "evening"], "{}", response.text());
    assert_eq!((times(itinerary)[0], times(itinerary)[3]), ("12:00", "19:00"));
    for (id, is_suggested) in [(0, false), (1, true), (2, true), (3, false)] {
        assert_eq!(itinerary["days"][0]["stops"][id]["startTimeSuggested"], is_suggested);
    }
}

#[api_test]
async fn fixed_times_that_cannot_be_kept_leave_order_and_times(world: World) {
    let app = App::of(&world, "ana").await;
    let stops = [at(stop("x", 0), "10:00"), stop("free", 9), at(stop("y", 90), "10:05")];
    let stored = app.created(&trip(&stops)).await;
    let response = optimise(&app, &stored, &json!({ "mode": "walk" })).await.json();
    assert_eq!(order(&response["itinerary"]), ["x", "free", "y"]);
    assert_eq!(times(&response["itinerary"]), ["10:00", "-", "10:05"]);
    assert_eq!(response["minutesBefore"], response["minutesAfter"]);
}

#[api_test]
async fn stops_without_a_place_keep_their_position_and_sent_legs_stay(world: World) {
    let app = App::of(&world, "ana").await;
    let mut body =
        trip(&[stop("a", 0), json!({ "id": "talk", "name": "A talk somewhere" }), stop("d", 6), stop("b", 1)]);
    body["days"][0]["legs"] = json!([{ "from": "a", "to": "talk", "mode": "taxi", "source": "my friend" }]);
    let stored = app.created(&body).await;
    let itinerary = &optimise(&app, &stored, &json!({})).await.json()["itinerary"];
    assert_eq!(order(itinerary)[1], "talk");
    assert_eq!(order(itinerary), ["a", "talk", "b", "d"]);
    let legs = itinerary["days"][0]["legs"].as_array().expect("legs");
    assert_eq!(legs[0]["source"], "my friend");
    assert_eq!((legs.len(), &legs[1]["from"], &legs[1]["to"]), (2, &json!("b"), &json!("d")));
}

#[api_test]
async fn a_day_begins_at_the_hotel_of_the_night_before(world: World) {
    let app = App::of(&world, "ana").await;
    let mut body = trip(&[]);
    body["days"] = json!([{ "id": "d0" }, { "id": "d1", "stops": [stop("far", 8), stop("mid", 4), stop("near", 1)] }]);
    body["hotels"] = json!([{ "name": "H", "place": { "coordinate": { "latitude": 38.7, "longitude": -9.2 } },
        "checkInDate": "2027-05-15T15:00:00+01:00", "checkOutDate": "2027-05-17T11:00:00+01:00" }]);
    let stored = app.created(&body).await;
    let itinerary = &optimise(&app, &stored, &json!({ "mode": "walk" })).await.json()["itinerary"];
    let stops = itinerary["days"][1]["stops"].as_array().expect("stops");
    let names: Vec<_> = stops.iter().map(|stop| stop["id"].as_str().expect("an id")).collect();
    assert_eq!(names, ["near", "mid", "far"]);
    // Everyone sees the times, which must not reveal where the hotel is.
    assert_eq!(stops[0]["startTime"], "09:00");
}

#[api_test]
async fn optimising_is_refused_like_any_change(world: World) {
    let app = App::of(&world, "ana").await;
    let stored = app.created(&trip(&[stop("a", 0), stop("b", 1)])).await;
    let path = |day: &str| format!("/v1/itineraries/{}/days/{day}/optimise", stored.id);
    app.call(Method::POST, &path("d1")).send().await.expect_error(428, "preconditionRequired");
    let stale = app.call(Method::POST, &path("d1")).header("If-Match", "\"v9.m\"").send().await;
    stale.expect_error(409, "itineraryModified");
    assert_eq!(stale.header("etag"), stored.etag);
    let unknown = app.call(Method::POST, &path("d9")).header("If-Match", "*").send().await;
    unknown.expect_error(404, "notFound");
    for (body, field) in [
        (json!({ "mode": "teleport" }), "mode"),
        (json!({ "startAt": "9" }), "startAt"),
        (json!({ "endAt": "25:00" }), "endAt"),
        (json!({ "dryRun": "yes" }), "dryRun"),
        (json!({ "order": [] }), "order"),
    ] {
        optimise(&app, &stored, &body).await.expect_invalid(field);
    }
    let stranger = App::of(&world, "ben").await;
    optimise(&stranger, &stored, &json!({})).await.expect_error(404, "notFound");
    // Without a body, and through the SDK.
    let empty = app.call(Method::POST, &path("d1")).header("If-Match", &stored.etag).send().await;
    assert_eq!(empty.status, 200, "{}", empty.text());
    let client = world.client("ana").await;
    let optimised = client.day_optimise(stored.id.parse::<uuid::Uuid>().expect("a UUID"), "d1", "*");
    let optimised = optimised.send().await.expect("optimised");
    assert_eq!(optimised.itinerary.days.len(), 2);
}

#[api_test]
async fn a_repeat_with_the_same_key_gets_the_first_response(world: World) {
    let app = App::of(&world, "ana").await;
    let stored = app.created(&trip(&[stop("a", 0), stop("c", 4), stop("b", 2)])).await;
    let path = format!("/v1/itineraries/{}/days/d1/optimise", stored.id);
    let call = || {
        let call = app.call(Method::POST, &path).header("If-Match", &stored.etag);
        call.header("Idempotency-Key", "0190b5a0-0000-7000-8000-000000000001").json(&json!({ "mode": "walk" })).send()
    };
    let (first, second) = (call().await, call().await);
    assert_eq!(second.header("idempotency-replayed"), "true");
    assert_eq!((first.text(), first.header("etag")), (second.text(), second.header("etag")));
}
