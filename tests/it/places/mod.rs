//! Placing by name: trips, airports, refreshing, providers and their failures.
//!
//! Most tests import a small gazetteer around Lisbon, so that its content is known; some use the built-in places.

mod airports;
mod built_in;
mod faults;
mod itinerary_places_refresh;
mod moved;
mod named;
mod providers;
mod stop_activity_list;
mod stub;
mod trips;
mod writes;

use itinerary_gazetteer::{Class, Place};
use itinerary_server::gazetteer::new_place;
use itinerary_tests::World;
use itinerary_tests::app::{App, Stored, path};
use itinerary_tests::bodies::{minimal, with};
use itinerary_tests::raw::{Call, RawResponse};
use reqwest::Method;
use serde_json::{Value, json};

const SINTRA: (f64, f64) = (38.801, -9.3783);
const TOWER: (f64, f64) = (38.6916, -9.216);
const MONASTERY: (f64, f64) = (38.6979, -9.2068);
const FADO: (f64, f64) = (38.7112, -9.1277);
const MUNDIAL: (f64, f64) = (38.7155, -9.1365);
const LIS: (f64, f64) = (38.7813, -9.1359);
const OPO: (f64, f64) = (41.2481, -8.6814);
const CLERIGOS: (f64, f64) = (41.1458, -8.6139);

/// A place of the small gazetteer: class, id, names, coordinate, airport code.
type Row = (Class, &'static str, &'static [&'static str], (f64, f64), Option<&'static str>);

const GAZETTEER: &[Row] = &[
    (Class::City, "geonames:2267057", &["Lisbon", "Lisboa"], (38.7251, -9.1498), None),
    (Class::City, "geonames:2262912", &["Sintra", "Cintra"], SINTRA, None),
    (Class::Landmark, "sight:PT/lisbon/belem-tower", &["Belém Tower", "Torre de Belém"], TOWER, None),
    (Class::Religious, "sight:PT/lisbon/jeronimos", &["Jerónimos Monastery"], MONASTERY, None),
    (Class::Museum, "sight:PT/lisbon/fado-museum", &["Fado Museum", "Museu do Fado"], FADO, None),
    (Class::Lodging, "test:mundial", &["Hotel Mundial"], MUNDIAL, None),
    (Class::Viewpoint, "test:sun-1", &["Miradouro do Sol"], (38.72, -9.13), None),
    (Class::Viewpoint, "test:sun-2", &["Miradouro do Sol"], (38.75, -9.2), None),
    (Class::Airport, "iata:LIS", &["Lisbon Portela Airport"], LIS, Some("LIS")),
    (Class::Airport, "iata:OPO", &["Francisco de Sá Carneiro Airport"], OPO, Some("OPO")),
    (Class::Landmark, "sight:PT/porto/clerigos-tower", &["Clérigos Tower"], CLERIGOS, None),
];

async fn fill(world: &World) {
    let place = |(class, id, names, point, code): &Row| Place {
        id: (*id).to_owned(),
        class: *class,
        names: names.iter().map(|name| (*name).to_owned()).collect(),
        latitude: point.0,
        longitude: point.1,
        country: "PT".to_owned(),
        time_zone: "Europe/Lisbon".to_owned(),
        population: 0,
        code: code.map(str::to_owned),
    };
    let places: Vec<_> = GAZETTEER.iter().map(|row| new_place(place(row))).collect();
    world.service().store.gazetteer_put(&places).await.expect("a database");
}

/// A trip to Lisbon with an origin and a start date, so that only places can need attention.
fn trip(fields: Value) -> Value {
    with(with(minimal(), json!({ "origin": { "name": "Porto" }, "startDate": "2027-05-01" })), fields)
}

fn at((latitude, longitude): (f64, f64)) -> Value {
    json!({ "latitude": latitude, "longitude": longitude })
}

/// A stop with only a name.
fn named(id: &str, name: &str) -> Value {
    json!({ "id": id, "name": name })
}

/// A stop with a coordinate.
fn placed(id: &str, name: &str, point: (f64, f64)) -> Value {
    json!({ "id": id, "name": name, "place": { "coordinate": at(point) } })
}

/// A place with the fields that the gazetteer fills in.
fn filled(id: &str, point: (f64, f64)) -> Value {
    json!({ "coordinate": at(point), "placeId": id, "countryCode": "PT", "timeZone": "Europe/Lisbon" })
}

/// The same place after a refresh, which fills in its town as the address.
fn refilled(id: &str, point: (f64, f64), town: &str) -> Value {
    with(filled(id, point), json!({ "address": format!("{town}, Portugal") }))
}

/// A call below an itinerary.
fn call(app: &App<'_>, method: Method, stored: &Stored, rest: &str) -> Call {
    app.call(method, &format!("{}{rest}", path(&stored.id)))
}

/// A write below an itinerary, which must succeed.
async fn wrote(app: &App<'_>, stored: &Stored, method: Method, rest: &str, body: &Value) -> Stored {
    let call = call(app, method, stored, rest).header("If-Match", &stored.etag).json(body);
    Stored::of(&call.send().await)
}

/// A refresh from the current version.
async fn refreshed(app: &App<'_>, stored: &Stored) -> RawResponse {
    call(app, Method::POST, stored, "/places/refresh").header("If-Match", &stored.etag).send().await
}

/// The fields of `needsAttention` with their codes, as text.
fn listed(itinerary: &Value) -> Vec<String> {
    let attention = itinerary_tests::app::attention(itinerary);
    attention.into_iter().map(|(field, code)| format!("{field} {code}")).collect()
}

/// The legs of the first day, as text.
fn legs(itinerary: &Value) -> Vec<String> {
    let legs = itinerary["days"][0]["legs"].as_array().expect("legs");
    let text = |value: &Value| value.as_str().expect("text").to_owned();
    legs.iter().map(|leg| format!("{}-{} {}", text(&leg["from"]), text(&leg["to"]), text(&leg["source"]))).collect()
}
