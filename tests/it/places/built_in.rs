//! The built-in places: found without an import; an imported place of the same id replaces one.

use std::slice;

use itinerary_gazetteer::{Place, embedded};
use itinerary_server::gazetteer::new_place;
use itinerary_tests::{World, api_test};
use serde_json::{Value, json};

use super::{App, Stored, at, refreshed, trip};

const BELEM_TOWER: &str = "sight:PT/lisbon/belem-tower";

/// A trip to Lisbon with a sight, an airport and a place without an address.
fn to_lisbon() -> Value {
    trip(json!({
        "destination": {
            "name": "Lisbon",
            "coordinate": { "latitude": 38.7251, "longitude": -9.1498 },
            "countryCode": "PT",
            "timeZone": "Europe/Lisbon",
        },
        "days": [{ "stops": [
            { "name": "Belém Tower" },
            { "name": "At the river", "place": { "coordinate": { "latitude": 38.7071, "longitude": -9.1366 } } },
        ] }],
        "flights": [{ "departureAirport": { "code": "LHR" }, "arrivalAirport": { "code": "LIS" } }],
    }))
}

fn built_in(id: &str) -> Place {
    embedded().find(|place| place.id == id).expect("a built-in place")
}

/// The trip, created and refreshed.
async fn created(world: &World) -> Value {
    let app = App::of(world, "ana").await;
    let stored = app.created(&to_lisbon()).await;
    Stored::of(&refreshed(&app, &stored).await).json
}

async fn import(world: &World, place: Place) {
    world.service().store.gazetteer_put(slice::from_ref(&new_place(place))).await.expect("a database");
}

#[api_test(gazetteer = true)]
async fn built_in_places_are_found_without_an_import(world: World) {
    let stored = created(&world).await;
    let stops = &stored["days"][0]["stops"];
    let tower = built_in(BELEM_TOWER);
    assert_eq!(stops[0]["place"]["coordinate"], at(tower.point()));
    assert_eq!(stops[0]["place"]["placeId"], BELEM_TOWER);
    assert_eq!(stops[1]["place"]["address"], "Lisbon, Portugal");
    assert_eq!(stored["flights"][0]["departureAirport"]["coordinate"], at(built_in("iata:LHR").point()));
}

#[api_test]
async fn without_the_built_in_places_nothing_is_found(world: World) {
    let stored = created(&world).await;
    let stops = &stored["days"][0]["stops"];
    assert!(stops[0]["place"]["coordinate"].is_null() && stops[1]["place"]["address"].is_null(), "{stops}");
    assert!(stored["flights"][0]["departureAirport"]["coordinate"].is_null());
}

#[api_test(gazetteer = true)]
async fn imported_places_replace_built_in_ones(world: World) {
    let (moved, airport) = ((38.7, -9.2), (38.78, -9.13));
    let tower = built_in(BELEM_TOWER);
    import(&world, Place { latitude: moved.0, longitude: moved.1, ..tower.clone() }).await;
    let lisbon = built_in("iata:LIS");
    import(&world, Place { latitude: airport.0, longitude: airport.1, ..lisbon }).await;
    let city = built_in("geonames:2267057");
    import(&world, Place { names: vec!["Olisipo".to_owned()], ..city }).await;
    let stored = created(&world).await;
    let stops = &stored["days"][0]["stops"];
    assert_eq!(stops[0]["place"]["coordinate"], at(moved));
    assert_eq!(stops[1]["place"]["address"], "Olisipo, Portugal");
    assert_eq!(stored["flights"][0]["arrivalAirport"]["coordinate"], at(airport));

    // Far away, under another name: the built-in place is gone.
    import(&world, Place { names: vec!["Elsewhere".to_owned()], latitude: -33.0, ..tower }).await;
    let app = App::of(&world, "ben").await;
    let stored = app.created(&trip(json!({ "days": [{ "stops": [{ "name": "Belém Tower" }] }] }))).await;
    assert!(stored.json["days"][0]["stops"][0]["place"]["coordinate"].is_null(), "{}", stored.json);
}
