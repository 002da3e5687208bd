//! Airports by their codes, in flights and among stops.

use itinerary_tests::app::App;
use itinerary_tests::{World, api_test};
use reqwest::Method;
use serde_json::{Value, json};

use super::{CLERIGOS, LIS, OPO, at, fill, filled, listed, named, trip, wrote};

/// An airport with the fields that the gazetteer fills in.
fn airport(code: &str, name: &str, point: (f64, f64)) -> Value {
    json!({
        "code": code, "name": name, "coordinate": at(point), "placeId": format!("iata:{}", code.to_uppercase()),
        "countryCode": "PT", "timeZone": "Europe/Lisbon",
    })
}

fn lisbon(code: &str) -> Value {
    airport(code, "Lisbon Portela Airport", LIS)
}

fn porto() -> Value {
    airport("OPO", "Francisco de Sá Carneiro Airport", OPO)
}

#[api_test]
async fn codes_fill_the_airports_of_flights(world: World) {
    fill(&world).await;
    let app = App::of(&world, "ana").await;
    let flights = json!([
        { "id": "f", "departureAirport": { "code": "OPO" }, "arrivalAirport": { "code": "lis" } },
        { "id": "g", "departureAirport": { "code": "Lis" }, "arrivalAirport": { "code": "XXX" } },
        { "id": "h", "departureAirport": { "name": "Lisbon Portela Airport" }, "flightNumber": "TP1" },
    ]);
    let mut stored = app.created(&trip(json!({ "flights": flights }))).await;
    let airports =
        |json: &Value, n: usize| ["departureAirport", "arrivalAirport"].map(|end| json["flights"][n][end].clone());
    assert_eq!(airports(&stored.json, 0), [porto(), lisbon("lis")]);
    assert_eq!(airports(&stored.json, 1), [lisbon("Lis"), json!({ "code": "XXX" })], "what is unknown is left alone");
    assert_eq!(airports(&stored.json, 2), [json!({ "name": "Lisbon Portela Airport" }), Value::Null]);
    assert!(listed(&stored.json).is_empty(), "flights need no place");
    assert_eq!(app.viewed(&stored.id).await.json["flights"], stored.json["flights"]);

    let added = json!({ "id": "i", "arrivalAirport": { "code": "OPO" } });
    stored = wrote(&app, &stored, Method::POST, "/flights", &added).await;
    assert_eq!(stored.json["flights"][3]["arrivalAirport"], porto());
    let patch = json!({ "departureAirport": { "code": "LIS" } });
    stored = wrote(&app, &stored, Method::PATCH, "/flights/i", &patch).await;
    assert_eq!(airports(&stored.json, 3), [lisbon("LIS"), porto()]);
    stored = app.patched(&stored, &json!({ "flights": [{ "arrivalAirport": { "code": "OPO" } }] })).await;
    assert_eq!(stored.json["flights"][0]["arrivalAirport"], porto());
}

#[api_test]
async fn sent_airport_fields_are_kept_and_missing_ones_filled(world: World) {
    fill(&world).await;
    let app = App::of(&world, "ana").await;
    for (n, (sent, filled)) in [
        (json!({ "name": "Portela" }), &["coordinate", "placeId", "countryCode", "timeZone"][..]),
        (
            json!({ "coordinate": at((38.77, -9.13)), "address": "Alameda" }),
            &["name", "placeId", "countryCode", "timeZone"],
        ),
        (json!({ "name": "P", "coordinate": at((1.0, 2.0)), "countryCode": "ES" }), &["placeId", "timeZone"]),
        (json!({ "name": "P", "coordinate": at((1.0, 2.0)), "timeZone": "Asia/Tokyo" }), &["placeId", "countryCode"]),
    ]
    .into_iter()
    .enumerate()
    {
        let mut expected = sent.clone();
        expected["code"] = json!("LIS");
        let mut place = expected.clone();
        for field in filled {
            expected[field] = lisbon("LIS")[field].clone();
        }
        let body = trip(json!({ "flights": [{ "departureAirport": place.take() }] }));
        let made = app.create_call("?allowDuplicate=true", &body).send().await.json();
        assert_eq!(made["flights"][0]["departureAirport"], expected, "{n}");
    }
}

#[api_test]
async fn a_code_places_a_stop(world: World) {
    fill(&world).await;
    let app = App::of(&world, "ana").await;
    let stop =
        |id: &str, code: &str| json!({ "id": id, "name": "Arrival", "category": "airport", "place": { "code": code } });
    let days = json!([{ "id": "d", "stops": [stop("a", "LIS"), stop("b", "opo"), stop("c", "XXX")] }]);
    let mut stored = app.created(&trip(json!({ "days": days }))).await;
    let coded = |code: &str, id: &str, point| {
        let mut place = filled(id, point);
        place["code"] = json!(code);
        place
    };
    let place = |json: &Value, n: usize| json["days"][0]["stops"][n]["place"].clone();
    assert_eq!(place(&stored.json, 0), coded("LIS", "iata:LIS", LIS));
    assert_eq!(place(&stored.json, 1), coded("opo", "iata:OPO", OPO));
    assert_eq!(place(&stored.json, 2), json!({ "code": "XXX" }));
    assert_eq!(listed(&stored.json), ["days[0].stops[2].place.coordinate notPlaced"]);
    assert_eq!(stored.json["days"][0]["stops"][0]["name"], "Arrival");
    stored = wrote(&app, &stored, Method::PATCH, "/days/d/stops/c", &json!({ "place": { "code": "lis" } })).await;
    assert_eq!(place(&stored.json, 2), coded("lis", "iata:LIS", LIS));
    assert!(listed(&stored.json).is_empty());
}

// Stops are searched for near the destination and near other places of their day, including an airport of the same
// write.
#[api_test]
async fn stops_are_placed_near_the_days_airport(world: World) {
    fill(&world).await;
    let app = App::of(&world, "ana").await;
    let tower = named("t", "Clérigos Tower");
    let days = json!([
        { "stops": [{ "name": "Arrival", "place": { "code": "OPO" } }, tower] },
        { "stops": [{ "name": "Clérigos Tower" }] },
    ]);
    let made = app.created(&trip(json!({ "days": days }))).await.json;
    assert_eq!(made["days"][0]["stops"][1]["place"]["coordinate"], at(CLERIGOS));
    assert_eq!(listed(&made), ["days[1].stops[0].place.coordinate notPlaced"]);
}
