//! Working providers: they fill in what the server does not know, and are asked once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use itinerary_tests::app::{App, Stored};
use itinerary_tests::{Database, World, api_test};
use reqwest::Method;
use serde_json::{Value, json};

use super::stub::{Reply, Stub, in_query, nominatim, osrm};
use super::{FADO, MONASTERY, TOWER, at, call, fill, filled, legs, listed, named, placed, refreshed, trip, wrote};

const TASCA: (f64, f64) = (38.7121, -9.1301);

/// A geocoder with one restaurant.
async fn geocoder() -> Stub {
    let query = in_query("Tasca da Rosa");
    Stub::start(move |request| {
        let is_asked = request.lines().next().is_some_and(|line| line.contains(&query));
        Reply::Json(if is_asked { nominatim("Tasca da Rosa", TASCA, 77) } else { json!([]) })
    })
    .await
}

fn tasca() -> Value {
    json!({
        "coordinate": at(TASCA), "address": "Tasca da Rosa, Rua 1, Lisboa", "placeId": "osm:node/77",
        "countryCode": "PT", "timeZone": "Europe/Lisbon",
    })
}

fn dinner(id: &str) -> Value {
    json!({ "id": id, "name": "Tasca da Rosa", "category": "restaurant" })
}

#[api_test]
async fn the_geocoder_finds_what_the_gazetteer_does_not_know(database: Database) {
    let stub = geocoder().await;
    let Some(world) = World::start_with(database, stub.geocodes()).await else { return };
    fill(&world).await;
    let app = App::of(&world, "ana").await;
    let stops = [named("a", "Belém Tower"), dinner("b"), named("c", "Casa da Tia")];
    let stored = app.created(&trip(json!({ "days": [{ "id": "d", "stops": stops }] }))).await;
    assert_eq!(stored.json["days"][0]["stops"][1]["place"], tasca());
    assert_eq!(stored.json["days"][0]["stops"][0]["place"]["placeId"], "sight:PT/lisbon/belem-tower");
    assert_eq!(listed(&stored.json), ["days[0].stops[2].place.coordinate notPlaced"]);
    let asked = stub.asked();
    assert_eq!(asked.len(), 2, "the gazetteer comes first: {asked:?}");
    assert!(asked.iter().all(|request| request.starts_with("GET /search?")), "{asked:?}");

    // Results, including empty ones, are cached for later itineraries and other replicas.
    let body = trip(json!({ "startDate": "2027-06-01", "days": [{ "id": "d", "stops": stops }] }));
    assert_eq!(app.created(&body).await.json["days"][0]["stops"][1]["place"], tasca());
    let stored = wrote(&app, &stored, Method::POST, "/days/d/stops", &dinner("e")).await;
    assert_eq!(stored.json["days"][0]["stops"][3]["place"], tasca());
    let replica = world.replica_with(stub.geocodes()).await;
    let url = format!("{}/v1/itineraries?dryRun=true&allowDuplicate=true", replica.service.config.base_url);
    let response = world.http.post(url).bearer_auth(&app.token).json(&body).send().await.expect("an answer");
    let made: Value = response.json().await.expect("JSON");
    assert_eq!(made["days"][0]["stops"][1]["place"], tasca());
    replica.stop().await;
    assert_eq!(stub.asked().len(), 2);
}

#[api_test]
async fn a_stop_placed_anew_has_nothing_left_of_the_place_that_was_found(database: Database) {
    let stub = geocoder().await;
    let Some(world) = World::start_with(database, stub.geocodes()).await else { return };
    fill(&world).await;
    let app = App::of(&world, "ana").await;
    let stored = app.created(&trip(json!({ "days": [{ "id": "d", "stops": [dinner("a")] }] }))).await;
    assert_eq!(stored.json["days"][0]["stops"][0]["place"], tasca());
    let patch = json!({ "name": "Belém Tower", "category": "landmark", "place": { "coordinate": null } });
    let stored = wrote(&app, &stored, Method::PATCH, "/days/d/stops/a", &patch).await;
    assert_eq!(stored.json["days"][0]["stops"][0]["place"], filled("sight:PT/lisbon/belem-tower", TOWER));
}

#[api_test]
async fn a_refresh_asks_the_geocoder_for_addresses(database: Database) {
    let stub = geocoder().await;
    let Some(world) = World::start_with(database, stub.geocodes()).await else { return };
    let app = App::of(&world, "ana").await;
    let stops = [placed("a", "Tasca da Rosa", (TASCA.0 + 0.0005, TASCA.1)), placed("b", "Tasca da Rosa", MONASTERY)];
    let stored = app.created(&trip(json!({ "days": [{ "stops": stops }] }))).await;
    assert!(stub.asked().is_empty(), "nothing has to be placed");
    let now = Stored::of(&refreshed(&app, &stored).await).json;
    let mut expected = tasca();
    expected["coordinate"] = stops[0]["place"]["coordinate"].clone();
    assert_eq!(now["days"][0]["stops"][0]["place"], expected);
    assert_eq!(now["days"][0]["stops"][1]["place"].get("address"), None, "what is elsewhere is not it");
}

// A provider's results are judged like the gazetteer's: a wrong place is worse than none.
#[api_test]
async fn responses_that_do_not_fit_are_not_taken(database: Database) {
    let other = nominatim("Restaurante Central", TASCA, 1);
    let far = nominatim("Farol do Mar", (41.15, -8.61), 2);
    let mut twins = nominatim("Dois Irmãos", TASCA, 3);
    let twin = nominatim("Dois Irmãos", (38.75, -9.2), 4)[0].clone();
    twins.as_array_mut().expect("a list").push(twin);
    let stub = Stub::start(move |request| {
        let is_for = |word: &str| request.lines().next().is_some_and(|line| line.contains(word));
        let response = if is_for("Farol") {
            &far
        } else if is_for("Dois") {
            &twins
        } else {
            &other
        };
        Reply::Json(response.clone())
    })
    .await;
    let Some(world) = World::start_with(database, stub.geocodes()).await else { return };
    let app = App::of(&world, "ana").await;
    let stops = [named("a", "Tasca da Rosa"), named("b", "Farol do Mar"), named("c", "Dois Irmãos")];
    let made = app.created(&trip(json!({ "days": [{ "stops": stops }] }))).await.json;
    assert_eq!(listed(&made).len(), 3, "{}", made["days"]);
    assert_eq!(stub.asked().len(), 3);
}

#[api_test]
async fn the_route_provider_computes_the_legs_that_it_can(database: Database) {
    let stub = Stub::start(|request| {
        let is_walk = request.starts_with("GET /walk/table/v1/foot/");
        Reply::Json(if is_walk { osrm(request, 601.0, 1234.4) } else { osrm(request, 6_000.0, 98_765.0) })
    })
    .await;
    let Some(world) = World::start_with(database, stub.routes()).await else { return };
    let app = App::of(&world, "ana").await;
    let stops = [
        placed("a", "A", TOWER),
        placed("b", "B", MONASTERY),
        placed("c", "C", FADO),
        placed("d", "D", (38.5714, -7.9135)),
    ];
    let stored = app.created(&trip(json!({ "days": [{ "id": "day", "stops": stops }] }))).await;
    let now = Stored::of(&refreshed(&app, &stored).await);
    // No provider is configured for public transport.
    assert_eq!(legs(&now.json), ["a-b osrm", "b-c estimate", "c-d osrm"]);
    let leg = |n: usize| {
        let leg = &now.json["days"][0]["legs"][n];
        (leg["mode"].clone(), leg["minutes"].as_f64(), leg["metres"].as_f64())
    };
    assert_eq!(leg(0), (json!("walk"), Some(11.0), Some(1234.0)));
    assert_eq!(leg(2), (json!("drive"), Some(100.0), Some(98_765.0)));
    assert_eq!(stub.asked().len(), 2, "one call for each mode: {:?}", stub.asked());
    // Its legs count as computed by the server, so they are computed again when an end moves.
    let patch = json!({ "place": { "coordinate": { "latitude": 38.69 } } });
    let moved = wrote(&app, &now, Method::PATCH, "/days/day/stops/a", &patch).await;
    assert_eq!(legs(&moved.json), ["a-b osrm", "b-c estimate", "c-d osrm"]);
    assert_eq!(stub.asked().len(), 3, "one leg is new: {:?}", stub.asked());
}

#[api_test]
async fn a_refresh_computes_estimates_again(database: Database) {
    let is_up = Arc::new(AtomicBool::new(false));
    let up = Arc::clone(&is_up);
    let stub = Stub::start(move |request| {
        if up.load(Ordering::Relaxed) { Reply::Json(osrm(request, 601.0, 1234.4)) } else { Reply::Status(500) }
    })
    .await;
    let Some(world) = World::start_with(database, stub.routes()).await else { return };
    let app = App::of(&world, "ana").await;
    let stops = [placed("a", "A", TOWER), placed("b", "B", MONASTERY)];
    let stored = app.created(&trip(json!({ "days": [{ "stops": stops }] }))).await;
    assert_eq!(legs(&stored.json), ["a-b estimate"]);
    let again = Stored::of(&refreshed(&app, &stored).await);
    assert_eq!(again.json["days"][0]["legs"], stored.json["days"][0]["legs"]);
    is_up.store(true, Ordering::Relaxed);
    assert_eq!(legs(&Stored::of(&refreshed(&app, &again).await).json), ["a-b osrm"]);
    // A walk that is not the usual mode for its distance was asked for.
    let leg = |from: &str, to: &str| json!({ "from": from, "to": to, "mode": "walk", "source": "estimate" });
    let stops = [placed("a", "A", TOWER), placed("b", "B", MONASTERY), placed("c", "C", FADO)];
    let days = json!([{ "stops": stops, "legs": [leg("a", "b"), leg("b", "c")] }]);
    let made = app.create_call("?allowDuplicate=true", &trip(json!({ "days": days }))).send().await;
    let walked = Stored::of(&refreshed(&app, &Stored::of(&made)).await);
    assert_eq!(legs(&walked.json), ["a-b osrm", "b-c estimate"]);
}

// If there is no route, the estimate stays.
#[api_test]
async fn a_way_that_the_provider_does_not_find_is_estimated(database: Database) {
    let none = json!({ "code": "Ok", "durations": [[0, null], [null, 0]], "distances": [[0, null], [null, 0]] });
    let stub = Stub::always(Reply::Json(none)).await;
    let Some(world) = World::start_with(database, stub.routes()).await else { return };
    let app = App::of(&world, "ana").await;
    let stops = [placed("a", "A", TOWER), placed("b", "B", MONASTERY)];
    let stored = app.created(&trip(json!({ "days": [{ "stops": stops }] }))).await;
    assert_eq!(legs(&Stored::of(&refreshed(&app, &stored).await).json), ["a-b estimate"]);
    assert_eq!(stub.asked().len(), 2, "once by each write");
}

#[api_test]
async fn activities_of_the_provider_can_be_booked(database: Database) {
    let stub = Stub::start(|request| {
        let results = json!([
            {
                "productCode": "P1", "title": "Fado and dinner", "productUrl": "https://www.viator.com/tours/P1?pid=1",
                "reviews": { "totalReviews": 404, "combinedAverageRating": 4.5 },
            },
            { "productCode": "P2", "title": "A walk", "productUrl": "javascript:alert(1)" },
        ]);
        let is_known = request.contains("\"Alfama Lisbon\"") || request.contains("\"Lisbon\"");
        Reply::Json(json!({ "products": { "results": if is_known { results } else { json!([]) } } }))
    })
    .await;
    let Some(world) = World::start_with(database, stub.suggests()).await else { return };
    fill(&world).await;
    let app = App::of(&world, "ana").await;
    let stops = [placed("a", "Alfama", FADO), placed("b", "Casa da Tia", FADO)];
    let stored = app.created(&trip(json!({ "days": [{ "id": "d", "stops": stops }] }))).await;
    let list = |stop: &'static str| {
        let call = call(&app, Method::GET, &stored, &format!("/days/d/stops/{stop}/activities"));
        async move { call.send().await.json()["data"].clone() }
    };
    let found = list("a").await;
    let checked = "2027-01-10T12:00:00.000Z";
    let fado = json!({
        "provider": "viator", "productCode": "P1", "rating": 4.5, "reviewCount": 404,
        "bookingUrl": "https://www.viator.com/tours/P1?pid=1", "lastCheckedAt": checked,
    });
    assert_eq!((&found[0]["name"], &found[0]["activity"]), (&json!("Fado and dinner"), &fado));
    let walk = json!({ "provider": "viator", "productCode": "P2", "lastCheckedAt": checked });
    assert_eq!((&found[1]["name"], &found[1]["activity"]), (&json!("A walk"), &walk));
    assert!(stub.asked()[0].to_lowercase().contains("exp-api-key: the-key"));
    assert_eq!(list("b").await, found, "nothing for the stop: then for the destination");
    assert_eq!(stub.asked().len(), 3);
    let added = wrote(&app, &stored, Method::POST, "/days/d/stops", &found[0]).await;
    assert_eq!(added.json["days"][0]["stops"][2]["activity"], fado);
}
