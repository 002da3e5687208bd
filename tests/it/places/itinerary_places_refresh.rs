//! Refreshing: fills in missing fields of places and missing legs, keeps what was sent, and reports what was not found.

use itinerary_gazetteer::distance_km;
use itinerary_sdk::{ErrorExt, code};
use itinerary_tests::app::{App, Stored, expect_replay, key};
use itinerary_tests::bodies::with;
use itinerary_tests::{World, api_test};
use reqwest::Method;
use serde_json::{Value, json};

use super::{FADO, MONASTERY, TOWER, at, call, fill, legs, listed, named, placed, refilled, refreshed, trip};

const EVORA: (f64, f64) = (38.5714, -7.9135);
const MADRID: (f64, f64) = (40.4168, -3.7038);
const ROME: (f64, f64) = (41.9028, 12.4964);

/// A trip whose names are still unknown.
fn unknown() -> Value {
    trip(json!({
        "days": [
            { "id": "d", "stops": [named("a", "Belém Tower"), named("b", "Jerónimos Monastery"), named("c", "Fado Museum")] },
            { "id": "e", "stops": [named("x", "Casa da Tia"), named("y", "Sintra")] },
        ],
        "hotels": [{ "id": "h", "name": "Hotel Mundial" }],
        "flights": [{ "id": "f", "arrivalAirport": { "code": "LIS" } }],
    }))
}

#[api_test]
async fn refresh_fills_missing_places_and_reports_those_not_found(world: World) {
    let app = App::of(&world, "ana").await;
    let stored = app.created(&unknown()).await;
    assert_eq!(listed(&stored.json).len(), 6, "nothing is known yet");
    fill(&world).await;
    let response = refreshed(&app, &stored).await;
    let now = Stored::of(&response);
    assert_eq!((response.status.as_u16(), &*now.etag), (200, "\"v2.m\""));
    let place = |day: usize, stop: usize| &now.json["days"][day]["stops"][stop]["place"];
    assert_eq!(*place(0, 0), refilled("sight:PT/lisbon/belem-tower", TOWER, "Lisbon"));
    assert_eq!(*place(0, 1), refilled("sight:PT/lisbon/jeronimos", MONASTERY, "Lisbon"));
    assert_eq!(*place(0, 2), refilled("sight:PT/lisbon/fado-museum", FADO, "Lisbon"));
    assert_eq!(*place(1, 1), refilled("geonames:2262912", super::SINTRA, "Sintra"));
    assert_eq!(now.json["hotels"][0]["place"], refilled("test:mundial", super::MUNDIAL, "Lisbon"));
    assert_eq!(now.json["flights"][0]["arrivalAirport"]["coordinate"], at(super::LIS));
    let told = ["days[1].stops[1].place.coordinate assumed", "days[1].stops[0].place.coordinate notPlaced"];
    assert_eq!(listed(&now.json), told);
    assert_eq!(legs(&now.json), ["a-b estimate", "b-c estimate"]);
    assert_eq!(now.json["days"][1]["legs"], json!([]), "one end is nowhere");
    let read = app.viewed(&stored.id).await;
    assert_eq!((&read.etag, &read.json["days"]), (&now.etag, &now.json["days"]));
}

#[api_test]
async fn legs_between_neighbours_are_estimated_by_their_distance(world: World) {
    let app = App::of(&world, "ana").await;
    let points = [TOWER, MONASTERY, FADO, EVORA, MADRID, ROME, ROME];
    let stops: Vec<_> =
        points.iter().zip(["a", "b", "c", "d", "e", "f", "g"]).map(|(at, id)| placed(id, id, *at)).collect();
    let sent = json!({ "from": "b", "to": "c", "mode": "ferry", "minutes": 5.5, "source": "estimate" });
    let day = json!({ "stops": stops, "legs": [sent] });
    let stored = app.created(&trip(json!({ "days": [day] }))).await;
    let now = Stored::of(&refreshed(&app, &stored).await);
    let day = &now.json["days"][0];
    let modes: Vec<_> = day["legs"].as_array().expect("legs").iter().map(|leg| leg["mode"].as_str()).collect();
    assert_eq!(modes, ["walk", "ferry", "drive", "drive", "flight", "walk"].map(Some));
    assert_eq!(day["legs"][1], sent, "a leg that is there is kept");
    for (n, leg) in day["legs"].as_array().expect("legs").iter().enumerate().filter(|(n, _)| *n != 1) {
        assert_eq!((&leg["from"], &leg["to"]), (&stops[n]["id"], &stops[n + 1]["id"]));
        assert_eq!(leg["source"], "estimate");
        let (minutes, metres) = (leg["minutes"].as_f64().expect("minutes"), leg["metres"].as_f64().expect("metres"));
        let direct = distance_km(points[n], points[n + 1]) * 1000.0;
        assert!(metres >= direct.floor() && metres <= direct * 2.0 + 1.0, "{leg}: {direct} as the crow flies");
        assert_eq!((minutes.fract(), metres.fract()), (0.0, 0.0), "{leg}");
        assert_eq!(minutes == 0.0, direct < 1.0, "{leg}");
    }
    // A medium distance is by public transport.
    let middling = json!({ "days": [{ "stops": [placed("a", "A", TOWER), placed("b", "B", FADO)] }] });
    let stored = app.patched(&now, &middling).await;
    let now = Stored::of(&refreshed(&app, &stored).await);
    assert_eq!(now.json["days"][0]["legs"][0]["mode"], "transit");
}

#[api_test]
async fn countries_and_zones_come_from_coordinates_and_ids_from_names(world: World) {
    fill(&world).await;
    let app = App::of(&world, "ana").await;
    let whole = json!({
        "name": "N", "address": "Rua 1", "placeId": "mine:1", "coordinate": at(FADO), "countryCode": "ES",
        "timeZone": "Asia/Tokyo",
    });
    let stops = [
        placed("madrid", "Somewhere", MADRID),
        json!({ "id": "whole", "name": "Belém Tower", "place": whole }),
        // With its name and near the gazetteer's coordinate: the same place.
        placed("same", "Belém Tower", (TOWER.0 + 0.001, TOWER.1)),
        // With its name but elsewhere: another place.
        placed("other", "Belém Tower", FADO),
    ];
    let hotels = json!([{ "name": "Casa", "place": { "coordinate": at(MADRID), "timeZone": "Asia/Tokyo" } }]);
    let stored = app.created(&trip(json!({ "days": [{ "stops": stops }], "hotels": hotels }))).await;
    let now = Stored::of(&refreshed(&app, &stored).await).json;
    let place = |n: usize| now["days"][0]["stops"][n]["place"].clone();
    assert_eq!(place(0), json!({ "coordinate": at(MADRID), "countryCode": "ES", "timeZone": "Europe/Madrid" }));
    assert_eq!(place(1), whole);
    assert_eq!(place(2), refilled("sight:PT/lisbon/belem-tower", (TOWER.0 + 0.001, TOWER.1), "Lisbon"));
    let other = json!({ "coordinate": at(FADO), "countryCode": "PT", "timeZone": "Europe/Lisbon" });
    assert_eq!(place(3), with(other, json!({ "address": "Lisbon, Portugal" })));
    let expected = json!({ "coordinate": at(MADRID), "countryCode": "ES", "timeZone": "Asia/Tokyo" });
    assert_eq!(now["hotels"][0]["place"], expected);
    // The small gazetteer has no town near Madrid.
    let empty = ["days[0].stops[0].place.address", "days[0].stops[0].place.placeId", "days[0].stops[3].place.placeId"];
    let hotel = ["hotels[0].place.address", "hotels[0].place.placeId"];
    assert_eq!(listed(&now), empty.iter().chain(&hotel).map(|field| format!("{field} notFilled")).collect::<Vec<_>>());
}

#[api_test]
async fn with_nothing_to_fill_the_version_stays(world: World) {
    fill(&world).await;
    let app = App::of(&world, "ana").await;
    let stored = app.created(&unknown()).await;
    let first = Stored::of(&refreshed(&app, &stored).await);
    world.clock.advance(chrono::TimeDelta::minutes(5));
    let again = Stored::of(&refreshed(&app, &first).await);
    assert_eq!(again.etag, first.etag);
    for field in ["updatedAt", "days", "hotels", "flights"] {
        assert_eq!(again.json[field], first.json[field], "{field}");
    }
    assert_eq!(listed(&again.json), ["days[1].stops[0].place.coordinate notPlaced"], "it is told again");
    assert_eq!(app.viewed(&stored.id).await.etag, first.etag);
    // An itinerary without places works, too.
    let empty = app.created(&trip(json!({ "startDate": "2027-06-01" }))).await;
    let same = Stored::of(&refreshed(&app, &empty).await);
    assert_eq!((same.etag, same.json["needsAttention"].clone()), (empty.etag, json!([])));
}

#[api_test]
async fn a_refresh_is_made_from_the_version_that_was_read(world: World) {
    let app = App::of(&world, "ana").await;
    let stored = app.created(&unknown()).await;
    fill(&world).await;
    let refresh = || call(&app, Method::POST, &stored, "/places/refresh");
    assert!(refresh().send().await.expect_error(428, "preconditionRequired").is_null());
    refresh().header("If-Match", "v1.m").send().await.expect_invalid("If-Match");
    for stale in ["\"v0.m\"", "W/\"v1.m\"", "\"v2.m\", \"v3.m\""] {
        let response = refresh().header("If-Match", stale).send().await;
        response.expect_error(409, "itineraryModified");
        assert_eq!(response.header("etag"), stored.etag);
    }
    assert_eq!(app.viewed(&stored.id).await.json["days"], stored.json["days"], "none of them did anything");
    let any = refresh().header("If-Match", "*").send().await;
    assert_eq!((any.status.as_u16(), any.header("etag")), (200, "\"v2.m\""));
    refresh().header("If-Match", &stored.etag).send().await.expect_error(409, "itineraryModified");
}

#[api_test]
async fn refresh_requires_write_access(world: World) {
    let owner = App::of(&world, "ana").await;
    let mut stored = owner.created(&unknown()).await;
    for (name, role) in [("edith", "editor"), ("vera", "viewer")] {
        let account = world.account(name).await;
        world.member(&stored.id, account, role).await;
    }
    let (editor, viewer, stranger) =
        (App::of(&world, "edith").await, App::of(&world, "vera").await, App::of(&world, "ben").await);
    for visibility in ["private", "public"] {
        stored = owner.patched(&stored, &json!({ "visibility": visibility })).await;
        refreshed(&viewer, &stored).await.expect_error(403, "forbidden");
        let (status, error) = if visibility == "public" { (403, "forbidden") } else { (404, "notFound") };
        refreshed(&stranger, &stored).await.expect_error(status, error);
    }
    let reader = App::with_scope(&world, "ana", "itineraries:read").await;
    refreshed(&reader, &stored).await.expect_error(403, "forbidden");
    fill(&world).await;
    let now = refreshed(&editor, &stored).await;
    assert_eq!(now.json()["days"][0]["stops"][0]["place"]["coordinate"], at(TOWER));
    let nowhere = Stored { id: "01890000-0000-7000-8000-000000000000".to_owned(), ..stored };
    refreshed(&owner, &nowhere).await.expect_error(404, "notFound");
}

#[api_test]
async fn a_retry_of_a_refresh_gets_the_first_response(world: World) {
    let app = App::of(&world, "ana").await;
    let stored = app.created(&unknown()).await;
    fill(&world).await;
    let key = key();
    let refresh = || {
        let call = call(&app, Method::POST, &stored, "/places/refresh");
        call.header("If-Match", &stored.etag).header("Idempotency-Key", &key)
    };
    let first = refresh().send().await;
    assert_eq!(first.status, 200, "{}", first.text());
    expect_replay(&refresh().send().await, &first);
    let emptied = app.patched(&Stored::of(&first), &json!({ "days": [] })).await;
    expect_replay(&refresh().send().await, &first);
    assert_eq!(app.viewed(&stored.id).await.etag, emptied.etag);
    let bad = call(&app, Method::POST, &stored, "/places/refresh").header("If-Match", "*");
    bad.header("Idempotency-Key", "7").send().await.expect_invalid("Idempotency-Key");
}

#[api_test]
async fn the_sdk_refreshes(world: World) {
    let client = world.client("ana").await;
    let body = serde_json::from_value::<itinerary_sdk::types::ItineraryCreate>(unknown()).expect("the SDK's fields");
    let made = client.itinerary_create(body).send().await.expect("created");
    fill(&world).await;
    let refresh = || client.itinerary_places_refresh(made.id, made.etag());
    let now = refresh().send().await.expect("refreshed");
    assert_eq!((now.etag(), now.days[0].legs.len()), ("\"v2.m\"", 2));
    assert_eq!(now.needs_attention.as_ref().map(Vec::len), Some(2));
    let error = refresh().send().await.expect_err("stale");
    assert_eq!(error.code(), code::ITINERARY_MODIFIED);
}

// Writes leave half of the size to what travellers add; a refresh fills nearly all of it, and does not fail.
#[api_test(limits = false)]
async fn legs_fill_a_large_itinerary_only_as_far_as_they_fit(world: World) {
    let app = App::of(&world, "ana").await;
    let stop = |day: u32, n: u32| {
        let point = (38.0 + f64::from(day) / 100.0, -9.0 + f64::from(n) / 1000.0);
        let place =
            json!({ "coordinate": at(point), "address": "Rua", "countryCode": "PT", "timeZone": "Europe/Lisbon" });
        json!({ "id": format!("{day}-{n}"), "name": "S", "place": with(place, json!({ "placeId": "p" })) })
    };
    let days = |stops: u32| -> Vec<Value> {
        (0..30).map(|day| json!({ "stops": (0..stops).map(|n| stop(day, n)).collect::<Vec<_>>() })).collect()
    };
    let count = |json: &Value| -> usize {
        json["days"].as_array().expect("days").iter().map(|day| day["legs"].as_array().map_or(0, Vec::len)).sum()
    };
    let half = app.created(&trip(json!({ "days": days(17) }))).await;
    let filled = count(&half.json);
    assert!((1..30 * 16).contains(&filled), "{filled}");
    assert!(half.json["days"].to_string().len() <= 128 * 1024);
    let refilled = Stored::of(&refreshed(&app, &half).await);
    assert_eq!(count(&refilled.json), 30 * 16, "all fit");
    let summary = json!({ "summary": "x".repeat(4_000) });
    app.patched(&refilled, &summary).await;

    let response = app.create_call("?allowDuplicate=true", &trip(json!({ "days": days(34) }))).send().await;
    let large = Stored::of(&response);
    assert_eq!(count(&large.json), 0);
    let refilled = Stored::of(&refreshed(&app, &large).await);
    let filled = count(&refilled.json);
    assert!((1..30 * 33).contains(&filled), "{filled}");
    assert!(refilled.json["days"].to_string().len() <= 256 * 1024);
}
