//! What a create fills in, and what it lists in `needsAttention`.

use chrono::TimeDelta;
use itinerary_tests::{World, api_test};
use reqwest::Method;
use serde_json::{Value, json};
use uuid::Uuid;

use super::fixtures::{assert_holds, minimal, on_day, to, with};
use super::{App, attention};
use crate::snapshot::assert_body;

fn listed(itinerary: &Value) -> Vec<String> {
    attention(itinerary).into_iter().map(|(field, code)| format!("{field} {code}")).collect()
}

#[api_test]
async fn a_destination_is_all_that_a_create_needs(world: World) {
    let app = App::of(&world, "ana").await;
    let made = app.created(&minimal()).await.json;
    assert_body("itinerary_create", &world, &made);
    let account = app.call(Method::GET, "/v1/account").send().await.json();
    assert_eq!(made["author"]["accountId"], account["accountId"]);
    let id: Uuid = made["id"].as_str().and_then(|id| id.parse().ok()).expect("an id");
    assert_eq!(id.get_version_num(), 7);
    let read = app.viewed(made["id"].as_str().expect("an id")).await.json;
    assert_eq!(read.get("needsAttention"), None);
}

#[api_test]
async fn sent_fields_are_not_overwritten_by_defaults(world: World) {
    let app = App::of(&world, "ana").await;
    let sent = json!({
        "destination": {
            "name": "Lisbon", "coordinate": { "latitude": 38.7223, "longitude": -9.1393 },
            "countryCode": "JP", "timeZone": "Asia/Tokyo",
        },
        "title": "T", "travellers": 7, "currency": "CHF", "startDate": "1999-12-31", "days": [],
        "origin": { "code": "OPO" }, "coverImage": { "url": "https://a.example/b" },
        "hotels": [{ "name": "H", "place": { "coordinate": { "latitude": 1, "longitude": 2 } },
            "checkInDate": "2027-05-01T15:00:00+01:00", "checkOutDate": "2027-05-04T11:00:00+01:00" }],
    });
    let made = app.created(&sent).await.json;
    assert_holds(&made, &sent);
    assert!(listed(&made).is_empty(), "{made}");
}

#[api_test]
async fn the_destination_tells_country_zone_and_currency(world: World) {
    let app = App::of(&world, "ana").await;
    let made = app.created(&to("Shibuya", 35.6595, 139.7005)).await.json;
    let filled = |made: &Value| {
        let destination = &made["destination"];
        [&destination["countryCode"], &destination["timeZone"], &made["currency"]].map(Value::clone)
    };
    assert_eq!(filled(&made), [json!("JP"), json!("Asia/Tokyo"), json!("JPY")]);
    // The country that was sent counts, not the one at the coordinate.
    let mut body = to("Shibuya", 35.6595, 139.7005);
    body["destination"]["countryCode"] = json!("CH");
    body["startDate"] = json!("2027-05-01");
    assert_eq!(filled(&app.created(&body).await.json), [json!("CH"), json!("Asia/Tokyo"), json!("CHF")]);
    // At sea there is none of these.
    let made = app.created(&to("Point Nemo", -48.8767, -123.3933)).await.json;
    assert_eq!(filled(&made), [Value::Null, Value::Null, Value::Null]);
    let missing = ["destination.countryCode notFilled", "destination.timeZone notFilled"];
    assert_eq!(listed(&made)[..2], missing);
    assert_eq!(made["startDate"], "2027-02-09");
}

#[api_test]
async fn a_long_name_makes_a_title_that_fits(world: World) {
    let app = App::of(&world, "ana").await;
    let made = app.created(&to(&format!("a\n{}", "\u{e9}".repeat(198)), 0.0, 0.0)).await.json;
    let title = made["title"].as_str().expect("a title");
    assert!(title.starts_with("Trip to a\u{e9}") && title.chars().count() == 200, "{title}");
}

// The start date is thirty days from the current date at the destination.
#[api_test]
async fn a_guessed_start_is_thirty_days_ahead_at_the_destination(world: World) {
    let app = App::of(&world, "ana").await;
    let start = |made: Value| (made["startDate"].clone(), listed(&made).contains(&"startDate assumed".to_owned()));
    let made = app.created(&to("Kiritimati", 1.8721, -157.4278)).await.json;
    assert_eq!(start(made), (json!("2027-02-10"), true), "there it is tomorrow already");
    world.clock.advance(TimeDelta::hours(13));
    let app = App::of(&world, "ana").await;
    let made = app.created(&to("Honolulu", 21.3069, -157.8583)).await.json;
    assert_eq!(start(made), (json!("2027-02-09"), true), "there it is yesterday still");
    assert_eq!(start(app.created(&minimal()).await.json), (json!("2027-02-10"), true));
}

#[api_test]
async fn the_start_is_the_first_flight_check_in_or_expense(world: World) {
    let app = App::pro(&world, "ana").await;
    let flight = json!([
        { "departureDate": "2027-03-09T10:00:00Z" },
        { "departureDate": "2027-03-05T00:30:00+09:00", "arrivalDate": "2027-03-04T20:00:00Z" },
        { "arrivalDate": "2027-03-01T10:00:00Z" },
    ]);
    let hotel = json!([
        { "name": "H", "checkInDate": "2027-03-06T23:30:00-09:00", "checkOutDate": "2027-03-09T10:00:00-09:00" },
        { "name": "H", "checkOutDate": "2027-03-02T10:00:00Z" },
    ]);
    let expense = json!([{ "name": "E", "cost": { "amount": 1 }, "date": "2027-03-07" }]);
    let all = json!({ "flights": flight, "hotels": hotel, "expenses": expense });
    for (given, start) in [
        // The flight that departs on 5 March arrives on the 4th there.
        (json!({ "flights": flight }), "2027-03-04"),
        (json!({ "hotels": hotel }), "2027-03-06"),
        (json!({ "expenses": expense }), "2027-03-07"),
        (all, "2027-03-04"),
        (json!({ "startDate": "2027-01-01", "flights": flight }), "2027-01-01"),
    ] {
        let response = app.create_call("?allowDuplicate=true", &with(minimal(), given)).send().await;
        let made = response.json();
        assert_eq!(made["startDate"], start, "{made}");
        assert!(!listed(&made).iter().any(|entry| entry.starts_with("startDate")), "{made}");
    }
}

#[api_test]
async fn there_are_as_many_empty_days_as_flights_and_hotels_span(world: World) {
    let app = App::of(&world, "ana").await;
    let flights = json!([{ "departureDate": "2027-05-15T23:50:00-05:00", "arrivalDate": "2027-05-16T13:00:00+01:00" }]);
    let hotels = json!([
        { "name": "H", "checkInDate": "2027-05-16T15:00:00+01:00", "checkOutDate": "2027-05-21T11:00:00+01:00" },
    ]);
    let count = |made: &Value| made["days"].as_array().map(Vec::len);
    let made = app.created(&with(minimal(), json!({ "flights": flights, "hotels": hotels }))).await.json;
    assert_eq!(count(&made), Some(7), "15 to 21 May");
    let ids: std::collections::BTreeSet<_> =
        made["days"].as_array().into_iter().flatten().map(|day| day["id"].as_str()).collect();
    assert_eq!(ids.len(), 7, "each with an id of its own: {made}");
    assert_eq!(made["days"][0]["stops"], json!([]));
    let hotels_alone = app.created(&with(on_day(1), json!({ "hotels": hotels }))).await.json;
    assert_eq!(count(&hotels_alone), Some(6));
    let flight_alone = json!([{ "departureDate": "2027-05-15T10:00:00Z" }]);
    assert_eq!(count(&app.created(&with(on_day(2), json!({ "flights": flight_alone }))).await.json), Some(1));
    let sent = app.created(&with(on_day(3), json!({ "hotels": hotels, "days": [{}, {}] }))).await.json;
    assert_eq!(count(&sent), Some(2));
    let until = |out: &str| json!([{ "name": "H", "checkInDate": "2027-05-16T15:00:00Z", "checkOutDate": out }]);
    let longest = with(on_day(4), json!({ "hotels": until("2028-05-15T15:00:00Z") }));
    assert_eq!(count(&app.created(&longest).await.json), Some(366));
    let longer = with(on_day(5), json!({ "hotels": until("2028-05-16T15:00:00Z") }));
    app.create(&longer).await.expect_invalid("days");
    app.create_call("?dryRun=true", &longer).send().await.expect_invalid("days");
    let sent = with(longer, json!({ "days": [{}] }));
    assert_eq!(count(&app.created(&sent).await.json), Some(1), "days that are sent need not reach so far");
}

#[api_test]
async fn the_origin_is_the_latest_itinerarys(world: World) {
    let (app, other) = (App::of(&world, "ana").await, App::of(&world, "ben").await);
    let (porto, faro) = (json!({ "name": "Porto", "countryCode": "PT" }), json!({ "name": "Faro", "code": "FAO" }));
    app.created(&with(on_day(1), json!({ "origin": porto }))).await;
    assert_eq!(app.created(&on_day(2)).await.json["origin"], porto);
    world.clock.advance(TimeDelta::seconds(1));
    let made = app.created(&with(on_day(3), json!({ "origin": faro }))).await.json;
    assert!(!listed(&made).contains(&"origin notFilled".to_owned()));
    world.clock.advance(TimeDelta::seconds(1));
    let made = app.created(&on_day(4)).await.json;
    assert_eq!(made["origin"], faro);
    assert!(!listed(&made).contains(&"origin notFilled".to_owned()));
    let strangers = other.created(&on_day(5)).await.json;
    assert_eq!(strangers.get("origin"), None);
    assert!(listed(&strangers).contains(&"origin notFilled".to_owned()));
}

#[api_test]
async fn the_home_place_comes_before_the_latest_itinerarys_origin(world: World) {
    let app = App::of(&world, "ana").await;
    app.created(&with(on_day(1), json!({ "origin": { "name": "Porto" } }))).await;
    let home = json!({ "name": "Coimbra", "coordinate": { "latitude": 40.2, "longitude": -8.4 } });
    world.sql(&format!("UPDATE accounts SET home_place = '{home}' WHERE username = 'ana'")).await;
    assert_eq!(app.created(&on_day(2)).await.json["origin"], home);
    let sent = json!({ "code": "OPO" });
    assert_eq!(app.created(&with(on_day(3), json!({ "origin": sent }))).await.json["origin"], sent);
    let account = app.call(reqwest::Method::GET, "/v1/account").send().await.json();
    assert_eq!(account["homePlace"], home);
}

#[api_test]
async fn stops_and_hotels_without_a_coordinate_are_listed_after_every_write(world: World) {
    let app = App::of(&world, "ana").await;
    let here = json!({ "coordinate": { "latitude": 38.7, "longitude": -9.1 } });
    let days = json!([
        { "stops": [{ "name": "A" }, { "name": "B", "place": here }] },
        { "stops": [{ "name": "C", "place": { "name": "C" } }] },
    ]);
    let hotels = json!([{ "name": "H", "place": here }, { "name": "I", "place": { "address": "Rua 1", "name": "I" } }]);
    let known = json!({ "startDate": "2027-05-01", "origin": here, "coverImage": { "url": "https://a.example/b" } });
    let stored = app.created(&with(with(minimal(), known), json!({ "days": days, "hotels": hotels }))).await;
    let expected = [
        "days[0].stops[0].place.coordinate notPlaced",
        "days[1].stops[0].place.coordinate notPlaced",
        "hotels[1].place.coordinate notPlaced",
    ];
    assert_eq!(listed(&stored.json), expected);
    let stored = app.patched(&stored, &json!({ "title": "T", "hotels": [] })).await;
    assert_eq!(listed(&stored.json), expected[..2]);
    let stored = app.patched(&stored, &json!({ "days": [] })).await;
    assert_eq!(stored.json["needsAttention"], json!([]), "present and empty");
}

#[api_test]
async fn expenses_take_the_itinerarys_currency_when_they_name_none(world: World) {
    let app = App::pro(&world, "ana").await;
    let costs = json!([
        { "name": "a", "cost": { "amount": 1 } }, { "name": "b", "cost": { "amount": 1, "currency": "JPY" } },
    ]);
    let stored = app.created(&with(minimal(), json!({ "expenses": costs, "currency": "CHF" }))).await;
    let currencies = |json: &Value| [0, 1].map(|n| json["expenses"][n]["cost"]["currency"].clone());
    assert_eq!(currencies(&stored.json), [json!("CHF"), json!("JPY")]);
    let stored = app.patched(&stored, &json!({ "currency": "USD" })).await;
    assert_eq!(currencies(&stored.json), [json!("CHF"), json!("JPY")], "what is recorded stays");
    let stored = app.patched(&stored, &json!({ "expenses": costs })).await;
    assert_eq!(currencies(&stored.json), [json!("USD"), json!("JPY")]);
}
