//! Every write that names places puts what it sends on the map, and reports what it could not place.

use itinerary_tests::app::{App, Stored};
use itinerary_tests::{World, api_test};
use reqwest::Method;
use serde_json::{Value, json};

use super::{FADO, MONASTERY, MUNDIAL, TOWER, call, fill, filled, listed, named, trip, wrote};

fn tower() -> Value {
    filled("sight:PT/lisbon/belem-tower", TOWER)
}

fn monastery() -> Value {
    filled("sight:PT/lisbon/jeronimos", MONASTERY)
}

fn fado() -> Value {
    filled("sight:PT/lisbon/fado-museum", FADO)
}

#[api_test]
async fn transports_and_reservations_are_placed_by_their_names(world: World) {
    fill(&world).await;
    let app = App::of(&world, "ana").await;
    let ends = json!({ "departurePlace": { "name": "Belém Tower" }, "arrivalPlace": { "name": "Nowhere at all" } });
    let bookings = json!({
        "transports": [ends, { "departurePlace": { "code": "LIS" } }],
        "reservations": [{ "name": "Fado Museum" }, { "name": "Nowhere at all" }],
    });
    let stored = app.created(&trip(bookings)).await;
    let transport = &stored.json["transports"][0];
    assert_eq!(transport["departurePlace"]["coordinate"], tower()["coordinate"]);
    assert_eq!(transport["arrivalPlace"], json!({ "name": "Nowhere at all" }));
    assert!(stored.json["transports"][1]["departurePlace"]["coordinate"].is_object(), "an airport by its code");
    assert_eq!(stored.json["reservations"][0]["place"], fado());
    let expected = ["transports[0].arrivalPlace.coordinate notPlaced", "reservations[1].place.coordinate notPlaced"];
    assert_eq!(listed(&stored.json), expected);

    // A cleared coordinate is looked for again.
    let id = transport["id"].as_str().expect("an id");
    let patch = json!({ "departurePlace": { "name": "Fado Museum", "coordinate": null } });
    let stored = wrote(&app, &stored, Method::PATCH, &format!("/transports/{id}"), &patch).await;
    assert_eq!(stored.json["transports"][0]["departurePlace"]["coordinate"], fado()["coordinate"]);
}

#[api_test]
async fn each_write_places_what_it_sends(world: World) {
    fill(&world).await;
    let app = App::of(&world, "ana").await;
    let hotel = json!({ "id": "h", "name": "Hotel Mundial" });
    let mundial = filled("test:mundial", MUNDIAL);
    let days = json!([{ "id": "d", "stops": [named("a", "Belém Tower")] }]);
    let mut stored = app.created(&trip(json!({ "days": days, "hotels": [hotel] }))).await;
    let stops = |stored: &Stored, day: usize| -> Vec<Value> {
        assert!(listed(&stored.json).is_empty(), "{}", stored.json["needsAttention"]);
        let stops = stored.json["days"][day]["stops"].as_array().expect("stops");
        stops.iter().map(|stop| stop["place"].clone()).collect()
    };
    assert_eq!((stops(&stored, 0), &stored.json["hotels"][0]["place"]), (vec![tower()], &mundial));

    stored =
        wrote(&app, &stored, Method::POST, "/days", &json!({ "id": "e", "stops": [named("b", "Fado Museum")] })).await;
    assert_eq!(stops(&stored, 1), [fado()]);
    let patch = json!({ "stops": [named("b", "Torre de Belém"), named("c", "Jerónimos Monastery")] });
    stored = wrote(&app, &stored, Method::PATCH, "/days/e", &patch).await;
    assert_eq!(stops(&stored, 1), [tower(), monastery()]);
    stored = wrote(&app, &stored, Method::POST, "/days/d/stops?position=0", &named("f", "Museu do Fado")).await;
    assert_eq!(stops(&stored, 0), [fado(), tower()]);
    let patch = json!({ "name": "Jerónimos Monastery", "place": null });
    stored = wrote(&app, &stored, Method::PATCH, "/days/d/stops/f", &patch).await;
    assert_eq!(stops(&stored, 0), [monastery(), tower()]);
    stored = wrote(&app, &stored, Method::POST, "/hotels", &json!({ "id": "i", "name": "Hotel Mundial" })).await;
    assert_eq!(stored.json["hotels"][1]["place"], mundial);
    let patch = json!({ "days": [{ "stops": [named("g", "Fado Museum")] }], "hotels": [{ "name": "Hotel Mundial" }] });
    stored = app.patched(&stored, &patch).await;
    assert_eq!((stops(&stored, 0), &stored.json["hotels"][0]["place"]), (vec![fado()], &mundial));
    // The response equals the stored itinerary.
    assert_eq!(app.viewed(&stored.id).await.json["days"], stored.json["days"]);
}

// Entries that an earlier write left unplaced are reported, but not looked up again.
#[api_test]
async fn a_write_leaves_alone_what_it_does_not_send(world: World) {
    let app = App::of(&world, "ana").await;
    let days = json!([{ "id": "d", "stops": [named("a", "Belém Tower"), named("b", "Fado Museum")] }, { "id": "e" }]);
    let mut stored = app.created(&trip(json!({ "days": days }))).await;
    let missing = |n: usize| format!("days[0].stops[{n}].place.coordinate notPlaced");
    assert_eq!(listed(&stored.json), [missing(0), missing(1)]);
    fill(&world).await;
    stored = app.patched(&stored, &json!({ "title": "T" })).await;
    assert_eq!(listed(&stored.json), [missing(0), missing(1)]);
    stored = wrote(&app, &stored, Method::POST, "/days/e/stops", &named("c", "Jerónimos Monastery")).await;
    assert_eq!(listed(&stored.json), [missing(0), missing(1)]);
    stored = wrote(&app, &stored, Method::PATCH, "/days/d/stops/b", &json!({ "durationMinutes": 60 })).await;
    assert_eq!(listed(&stored.json), [missing(0)], "the stop that was sent is placed");
}

#[api_test(limits = false)]
async fn every_write_of_content_says_what_needs_attention_and_no_read_does(world: World) {
    let app = App::pro(&world, "ana").await;
    let mut stored = app.created(&trip(json!({ "days": [{ "id": "d", "stops": [named("a", "Casa")] }] }))).await;
    let missing = ["days[0].stops[0].place.coordinate notPlaced"];
    let delete = |rest| (Method::DELETE, rest, None);
    // A town nearby has no such stop, so a refresh says that it has no id.
    fill(&world).await;
    let empty = ["days[1].stops[0].place.placeId notFilled", missing[0]];
    for (method, rest, body) in [
        (Method::PATCH, "", Some(json!({ "summary": "S" }))),
        (Method::POST, "/days", Some(json!({ "id": "e" }))),
        (Method::PATCH, "/days/e", Some(json!({ "image": { "url": "https://images.example/1" } }))),
        (Method::POST, "/days/e/stops", Some(super::placed("b", "B", FADO))),
        (Method::PATCH, "/days/e/stops/b", Some(json!({ "durationMinutes": 5 }))),
        (Method::POST, "/days/e/stops/b/move", Some(json!({ "position": 0 }))),
        (Method::POST, "/flights", Some(json!({ "id": "f", "flightNumber": "TP1" }))),
        (Method::PATCH, "/flights/f", Some(json!({ "flightNumber": "TP2" }))),
        (Method::POST, "/expenses", Some(json!({ "id": "x", "name": "X", "cost": { "amount": 1 } }))),
        (Method::PATCH, "/expenses/x", Some(json!({ "name": "Y" }))),
        (Method::POST, "/packing", Some(json!({ "id": "p", "name": "P" }))),
        (Method::PATCH, "/packing/p", Some(json!({ "name": "Q" }))),
        (Method::POST, "/places/refresh", None),
        delete("/days/e/stops/b"),
        delete("/days/e"),
        delete("/flights/f"),
        delete("/expenses/x"),
        delete("/packing/p"),
    ] {
        let mut request = call(&app, method.clone(), &stored, rest).header("If-Match", &stored.etag);
        if let Some(body) = &body {
            request = request.json(body);
        }
        stored = Stored::of(&request.send().await);
        let expected = if rest == "/places/refresh" { &empty[..] } else { &missing[..] };
        assert_eq!(listed(&stored.json), expected, "{method} {rest}");
        assert_eq!(app.viewed(&stored.id).await.json.get("needsAttention"), None, "{method} {rest}");
    }
    assert_eq!(app.list("filter=all").await.json()["data"][0].get("needsAttention"), None);
    let days = call(&app, Method::GET, &stored, "/days").send().await.json();
    assert_eq!(days.get("needsAttention"), None);
}
