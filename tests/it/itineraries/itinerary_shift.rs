//! Moving a trip to other dates.

use itinerary_sdk::types::{AttentionCode, ItineraryCreate, ItineraryShift};
use itinerary_sdk::{ErrorExt, code};
use itinerary_tests::app::{App, path};
use itinerary_tests::bodies::{full, minimal, with};
use itinerary_tests::{World, api_test};
use reqwest::Method;
use serde_json::{Value, json};

/// A trip to Lisbon with a booking of each kind around the end of March, when clocks change.
fn bookings() -> Value {
    let lisbon = json!({ "name": "Lisbon", "coordinate": { "latitude": 38.72, "longitude": -9.14 } });
    with(
        minimal(),
        json!({
            "destination": lisbon, "startDate": "2027-03-20",
            "flights": [{ "id": "f", "arrivalAirport": { "code": "LIS", "timeZone": "Europe/Lisbon" }, "arrivalDate": "2027-03-20T10:00:00+00:00" }],
            "hotels": [{ "id": "h", "name": "Inn", "place": lisbon, "checkInDate": "2027-03-20T15:00:00Z",
                "confirmationNumber": "X1" }],
            "transports": [{ "id": "t", "mode": "train", "departureDay": "2027-03-22",
                "tickets": [{ "holder": "Ana" }] }],
            "reservations": [{ "id": "r", "name": "Fado", "startDay": "2027-03-21", "endDay": "2027-03-21" }],
        }),
    )
}

#[api_test]
async fn bookings_move_with_the_trip_and_local_times_stay(world: World) {
    let client = world.client("ana").await;
    let trip: ItineraryCreate = serde_json::from_value(bookings()).expect("typed");
    let created = client.itinerary_create(trip).send().await.expect("created");
    let there = ItineraryShift::default().start_date("2027-03-30");
    let dry = ItineraryShift { dry_run: Some(true), ..there.clone() };
    let shown = client.itinerary_shift(created.id, &created, dry).send().await.expect("shown");
    let stored = client.itinerary_view(created.id).send().await.expect("read");
    assert_eq!((stored.etag(), stored.start_date.to_string().as_str()), (created.etag(), "2027-03-20"));

    let moved = client.itinerary_shift(created.id, &created, there).send().await.expect("moved");
    assert_eq!((&moved.hotels, moved.start_date), (&shown.hotels, shown.start_date));
    assert_eq!(moved.start_date.to_string(), "2027-03-30");
    let texts = json!([
        moved.flights()[0].arrival_date,
        moved.hotels()[0].check_in_date,
        moved.transports()[0].departure_day,
        moved.reservations()[0].start_day,
        moved.reservations()[0].end_day,
    ]);
    let expected =
        json!(["2027-03-30T10:00:00+01:00", "2027-03-30T15:00:00+01:00", "2027-04-01", "2027-03-31", "2027-03-31",]);
    assert_eq!(texts, expected);
    let invalid = moved.needs_attention().iter().filter(|entry| entry.code == AttentionCode::BookingMayBeInvalid);
    let invalid: Vec<_> = invalid.map(|entry| &*entry.field).collect();
    assert_eq!(invalid, ["hotels[0]", "transports[0]"]);

    let back = ItineraryShift::default().days(-10);
    let back = client.itinerary_shift(created.id, &moved, back).send().await.expect("moved back");
    for (now, before) in
        [(json!(back.flights), json!(created.flights)), (json!(back.transports), json!(created.transports))]
    {
        assert_eq!(now, before);
    }
}

#[api_test]
async fn either_a_date_or_days_are_sent(world: World) {
    let app = App::of(&world, "ana").await;
    let stored = app.created(&minimal()).await;
    let shift = |body: Value| app.call(Method::POST, &format!("{}/shift", path(&stored.id))).json(&body);
    let send = async |body: Value| shift(body).header("If-Match", &stored.etag).send().await;
    send(json!({})).await.expect_invalid("startDate");
    send(json!({ "startDate": "2027-05-01", "days": 1 })).await.expect_invalid("days");
    for wrong in [json!(3_661), json!(-3_661), json!(1.5), json!("1")] {
        send(json!({ "days": wrong })).await.expect_invalid("days");
    }
    send(json!({ "startDate": "2027-02-29" })).await.expect_invalid("startDate");
    send(json!({ "days": 1, "weeks": 1 })).await.expect_invalid("weeks");
    shift(json!({ "days": 1 })).send().await.expect_error(428, "preconditionRequired");
    let kept = send(json!({ "days": 0 })).await;
    assert_eq!(kept.status, 200, "{}", kept.text());
    assert_eq!(kept.header("etag"), &*stored.etag, "nothing moves");
}

#[api_test]
async fn dates_stay_within_the_years_that_exist(world: World) {
    let app = App::pro(&world, "ana").await;
    let expense = json!({ "id": "e", "name": "Late", "cost": { "amount": 1 }, "date": "2200-12-30" });
    let trip = with(minimal(), json!({ "startDate": "2199-01-01", "expenses": [expense] }));
    let stored = app.created(&trip).await;
    let shift = app.call(Method::POST, &format!("{}/shift", path(&stored.id))).json(&json!({ "days": 2 }));
    shift.header("If-Match", &stored.etag).send().await.expect_invalid("expenses[0].date");
    assert_eq!(app.viewed(&stored.id).await.etag, stored.etag);
}

// Everything is moved by one request, also what needs Pro; a viewer cannot move it.
#[api_test(limits = false)]
async fn expenses_move_too_and_viewers_cannot_move_a_trip(world: World) {
    let app = App::pro(&world, "ana").await;
    let stored = app.created(&full()).await;
    let before = stored.json["expenses"][0]["date"].clone();
    let call =
        |app: &App<'_>| app.call(Method::POST, &format!("{}/shift", path(&stored.id))).json(&json!({ "days": 7 }));
    let moved = call(&app).header("If-Match", &stored.etag).send().await;
    assert_eq!(moved.status, 200, "{}", moved.text());
    let date = |date: &Value| date.as_str().and_then(|date| date.parse::<chrono::NaiveDate>().ok()).expect("a date");
    let after = &serde_json::from_str::<Value>(&moved.text()).expect("JSON")["expenses"][0]["date"];
    assert_eq!((date(after) - date(&before)).num_days(), 7);
    let client = world.client("ben").await;
    let error = client
        .itinerary_shift(
            stored.id.parse().expect("an id"),
            itinerary_sdk::IfMatch::any(),
            ItineraryShift::default().days(1),
        )
        .send()
        .await
        .expect_err("it is private");
    assert!(error.is(code::NOT_FOUND), "{error:?}");
}
