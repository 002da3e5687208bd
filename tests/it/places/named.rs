//! Which names are placed and where, and how unplaced ones are reported.

use itinerary_tests::app::{App, expect_replay, key};
use itinerary_tests::{World, api_test};
use reqwest::Method;
use serde_json::{Value, json};

use super::{FADO, SINTRA, TOWER, at, fill, filled, listed, named, placed, trip, wrote};

#[api_test]
async fn uncertain_places_stay_unplaced_and_are_in_needs_attention(world: World) {
    fill(&world).await;
    let app = App::of(&world, "ana").await;
    let of = |category: &str, name: &str| json!({ "name": name, "category": category });
    let body = trip(json!({
        "days": [
            { "stops": [
                named("a", "Belém Tower"),
                named("two-of-that-name", "Miradouro do Sol"),
                named("unknown", "Casa da Tia Amélia"),
                placed("b", "Casa do Tio Zé", FADO),
            ] },
            {},
            { "stops": [
                named("the-destination", "Lisbon"),
                named("the-destination-in-its-own-language", "Lisboa"),
                of("restaurant", "Sintra"),
                of("lodging", "Belém Tower Hotel"),
                of("cafe", "Café Museu do Fado"),
                named("far-away", "Clérigos Tower"),
                named("c", "Museu do Fado"),
            ] },
        ],
        "hotels": [{ "name": "Hotel Mundial" }, { "name": "Fado Museum Suites" }, { "name": "Sintra" }],
    }));
    let made = app.created(&body).await.json;
    let expected: Vec<_> = [
        "days[0].stops[1]",
        "days[0].stops[2]",
        "days[2].stops[0]",
        "days[2].stops[1]",
        "days[2].stops[2]",
        "days[2].stops[3]",
        "days[2].stops[4]",
        "days[2].stops[5]",
        "hotels[1]",
        "hotels[2]",
    ]
    .iter()
    .map(|entry| format!("{entry}.place.coordinate notPlaced"))
    .collect();
    assert_eq!(listed(&made), expected);
    let entries = made["needsAttention"].as_array().expect("entries");
    assert!(entries.iter().all(|entry| entry["message"].as_str().is_some_and(|text| !text.is_empty())));
    // An unplaced stop is stored as it was sent.
    assert_eq!(made["days"][0]["stops"][1].get("place"), None);
    assert_eq!(made["hotels"][1].get("place"), None);
}

// The centre of a town needs an exact match, and is reported as a guess.
#[api_test]
async fn a_town_by_its_very_name_is_assumed(world: World) {
    fill(&world).await;
    let app = App::of(&world, "ana").await;
    let stops = json!([named("a", "Belém Tower"), named("b", "Sintra"), named("c", "Sintra by night")]);
    let stored = app.created(&trip(json!({ "days": [{ "id": "d", "stops": stops }] }))).await;
    let (assumed, missing) =
        ("days[0].stops[1].place.coordinate assumed", "days[0].stops[2].place.coordinate notPlaced");
    assert_eq!(listed(&stored.json), [assumed, missing]);
    assert_eq!(stored.json["days"][0]["stops"][1]["place"], filled("geonames:2262912", SINTRA));
    let message = stored.json["needsAttention"][0]["message"].as_str().expect("a message");
    assert!(message.contains("Sintra"), "{message}");
    // Only that write reports the guess.
    let stored = app.patched(&stored, &json!({ "title": "T" })).await;
    assert_eq!(listed(&stored.json), [missing]);
    let stored = wrote(&app, &stored, Method::POST, "/days/d/stops?position=0", &named("z", "Cintra")).await;
    let moved_on = "days[0].stops[3].place.coordinate notPlaced";
    assert_eq!(listed(&stored.json), ["days[0].stops[0].place.coordinate assumed", moved_on]);
}

#[api_test]
async fn sent_coordinate_is_kept_with_its_other_fields(world: World) {
    fill(&world).await;
    let app = App::of(&world, "ana").await;
    let whole = json!({
        "name": "Torre de Belém", "address": "Rua 1", "placeId": "mine:1", "coordinate": at((38.75, -9.1)),
        "countryCode": "ES", "timeZone": "Atlantic/Azores",
    });
    let point = json!({ "coordinate": at((38.75, -9.1)) });
    let without =
        json!({ "name": "N", "address": "Rua 1", "placeId": "mine:1", "countryCode": "ES", "timeZone": "Asia/Tokyo" });
    let stop = |id: &str, place: &Value| json!({ "id": id, "name": "Belém Tower", "place": place });
    let stops = [stop("a", &whole), stop("b", &point), stop("c", &without)];
    let hotels = json!([{ "name": "Hotel Mundial", "place": point }]);
    let made = app.created(&trip(json!({ "days": [{ "stops": stops }], "hotels": hotels }))).await.json;
    let place = |n: usize| &made["days"][0]["stops"][n]["place"];
    assert_eq!((place(0), place(1), &made["hotels"][0]["place"]), (&whole, &point, &point));
    let mut expected = without.clone();
    expected["coordinate"] = at(TOWER);
    assert_eq!(*place(2), expected, "the coordinate is filled in, nothing else is touched");
    assert!(listed(&made).is_empty());
}

#[api_test]
async fn a_new_name_keeps_the_coordinate_and_null_has_it_placed_anew(world: World) {
    fill(&world).await;
    let app = App::of(&world, "ana").await;
    let days = json!([{ "id": "d", "stops": [named("s", "Belém Tower")] }]);
    let mut stored =
        app.created(&trip(json!({ "days": days, "hotels": [{ "id": "h", "name": "Hotel Mundial" }] }))).await;
    let tower = stored.json["days"][0]["stops"][0]["place"]["coordinate"].clone();
    let mundial = stored.json["hotels"][0]["place"]["coordinate"].clone();
    for patch in [json!({ "name": "Fado Museum" }), json!({ "place": { "name": "Museu do Fado" } })] {
        stored = wrote(&app, &stored, Method::PATCH, "/days/d/stops/s", &patch).await;
        assert_eq!(stored.json["days"][0]["stops"][0]["place"]["coordinate"], tower, "{patch}");
    }
    stored = wrote(&app, &stored, Method::PATCH, "/hotels/h", &json!({ "name": "Nowhere" })).await;
    assert_eq!(stored.json["hotels"][0]["place"]["coordinate"], mundial);

    let anew = json!({ "place": { "coordinate": null } });
    stored = wrote(&app, &stored, Method::PATCH, "/days/d/stops/s", &anew).await;
    let mut fado = filled("sight:PT/lisbon/fado-museum", FADO);
    fado["name"] = json!("Museu do Fado");
    assert_eq!(stored.json["days"][0]["stops"][0]["place"], fado, "nothing is left of the tower");
    assert!(listed(&stored.json).is_empty());
    stored = wrote(&app, &stored, Method::PATCH, "/hotels/h", &anew).await;
    assert_eq!(stored.json["hotels"][0]["place"].get("coordinate"), None);
    assert_eq!(listed(&stored.json), ["hotels[0].place.coordinate notPlaced"]);
    let back = json!({ "name": "Hotel Mundial", "place": null });
    stored = wrote(&app, &stored, Method::PATCH, "/hotels/h", &back).await;
    assert_eq!(stored.json["hotels"][0]["place"]["coordinate"], mundial);
    assert!(listed(&stored.json).is_empty());
}

#[api_test]
async fn a_dry_run_places_and_stores_nothing(world: World) {
    fill(&world).await;
    let app = App::of(&world, "ana").await;
    let body = trip(json!({ "days": [{ "stops": [named("a", "Belém Tower"), named("b", "Casa da Tia")] }] }));
    let response = app.create_call("?dryRun=true", &body).send().await;
    assert_eq!((response.status.as_u16(), response.header("etag")), (200, ""));
    let dry = response.json();
    assert_eq!(dry["days"][0]["stops"][0]["place"], filled("sight:PT/lisbon/belem-tower", TOWER));
    assert_eq!(listed(&dry), ["days[0].stops[1].place.coordinate notPlaced"]);
    assert!(app.listed("filter=all").await.is_empty());
    assert_eq!(app.created(&body).await.json["days"][0]["stops"], dry["days"][0]["stops"]);
}

// Even if the gazetteer has more places by then.
#[api_test]
async fn a_retry_gets_the_first_response_with_what_was_placed_then(world: World) {
    let app = App::of(&world, "ana").await;
    let body = trip(json!({ "days": [{ "id": "d", "stops": [named("a", "Belém Tower")] }] }));
    let (create, add) = (key(), key());
    let creating = || app.create_call("", &body).header("Idempotency-Key", &create);
    let first = creating().send().await;
    let missing = "days[0].stops[0].place.coordinate notPlaced";
    assert_eq!((first.status.as_u16(), listed(&first.json())), (201, vec![missing.to_owned()]));
    fill(&world).await;
    expect_replay(&creating().send().await, &first);

    let stored = app.viewed(first.json()["id"].as_str().expect("an id")).await;
    let stop = named("b", "Sintra");
    let adding = || {
        let call = super::call(&app, Method::POST, &stored, "/days/d/stops").header("If-Match", &stored.etag);
        call.header("Idempotency-Key", &add).json(&stop)
    };
    let first = adding().send().await;
    assert_eq!(listed(&first.json()), ["days[0].stops[1].place.coordinate assumed", missing]);
    expect_replay(&adding().send().await, &first);
}

// A quarter of Paris is called Louvre too, and travellers leave out the town of an airport.
#[api_test(gazetteer = true)]
async fn sights_and_airports_are_found_by_their_short_names(world: World) {
    let (paris, london) = ((48.8566, 2.3522), (51.5074, -0.1278));
    let app = App::of(&world, "ana").await;
    for (town, point, name, id) in
        [("Paris", paris, "Louvre", "sight:FR/paris/louvre-museum"), ("London", london, "Heathrow Airport", "iata:LHR")]
    {
        let destination = json!({ "name": town, "coordinate": at(point) });
        let body = json!({
            "destination": destination, "origin": { "name": "Porto" }, "startDate": "2027-05-01",
            "days": [{ "stops": [named("a", name)] }],
        });
        let stored = app.created(&body).await;
        assert!(listed(&stored.json).is_empty(), "{}", stored.json["needsAttention"]);
        assert_eq!(stored.json["days"][0]["stops"][0]["place"]["placeId"], id);
    }
}
