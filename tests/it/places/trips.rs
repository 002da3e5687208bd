//! Trips as travellers write them, sent without coordinates: whatever is placed must be right.

use itinerary_tests::app::App;
use itinerary_tests::{Database, Postgres, Sqlite, World};
use rstest::rstest;
use serde_json::{Value, json};

/// A trip, and the share of its stops that must be placed within 500 m.
struct Case {
    trip: &'static str,
    least: f64,
}

const LISBON: Case = Case { trip: include_str!("../../../client-sdk/examples/lisbon.json"), least: 25.0 / 53.0 };
const KYOTO: Case = Case { trip: include_str!("trips/kyoto.json"), least: 0.6 };
const ROME: Case = Case { trip: include_str!("trips/rome.json"), least: 0.6 };
const MEXICO_CITY: Case = Case { trip: include_str!("trips/mexico-city.json"), least: 0.6 };

/// Removes the coordinates of stops and hotels from a trip. Returns those of the stops.
fn without_coordinates(trip: &mut Value) -> Vec<(f64, f64)> {
    let mut truth = Vec::new();
    for field in ["flights", "expenses", "packing"] {
        trip.as_object_mut().expect("an object").remove(field);
    }
    for day in trip["days"].as_array_mut().expect("days") {
        day.as_object_mut().expect("a day").remove("legs");
        for stop in day["stops"].as_array_mut().expect("stops") {
            let place = stop["place"].as_object_mut().expect("a place");
            truth.push(point(&place.remove("coordinate").expect("a coordinate")));
            place.retain(|field, _| field == "name" || field == "code");
        }
    }
    for hotel in trip["hotels"].as_array_mut().into_iter().flatten() {
        hotel["place"] = json!({ "name": hotel["name"] });
    }
    truth
}

fn point(coordinate: &Value) -> (f64, f64) {
    (coordinate["latitude"].as_f64().expect("a latitude"), coordinate["longitude"].as_f64().expect("a longitude"))
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn names_alone_are_placed_right(
    #[values(Sqlite, Postgres)] database: Database,
    #[values(LISBON, KYOTO, ROME, MEXICO_CITY)] case: Case,
) {
    let Some(world) = World::start_with(database, |config| config.gazetteer = true).await else { return };
    let app = App::of(&world, "ana").await;
    let mut trip: Value = serde_json::from_str(case.trip).expect("JSON");
    let truth = without_coordinates(&mut trip);
    let stored = app.created(&trip).await;
    let days = stored.json["days"].as_array().expect("days").iter().enumerate();
    let stops = days.flat_map(|(d, day)| {
        let stops = day["stops"].as_array().expect("stops").iter().enumerate();
        stops.map(move |(s, stop)| (format!("days[{d}].stops[{s}].place.coordinate"), stop))
    });
    let attention = stored.json["needsAttention"].as_array().expect("a list");
    let mut close = 0_u32;
    let mut missing = Vec::new();
    for ((field, stop), truth) in stops.zip(&truth) {
        let coordinate = &stop["place"]["coordinate"];
        let is_reported =
            attention.iter().any(|entry| entry["field"] == field.as_str() && entry["code"] == "notPlaced");
        assert_eq!(coordinate.is_null(), is_reported, "{field}");
        if coordinate.is_null() {
            missing.push(stop["name"].to_string());
            continue;
        }
        let (latitude, longitude) = point(coordinate);
        let metres = itinerary_gazetteer::distance_km((latitude, longitude), *truth) * 1000.0;
        // Wrong is worse than missing.
        assert!(metres < 2_000.0, "{} is {metres:.0} m away", stop["name"]);
        assert!(stop["place"]["placeId"].is_string() && stop["place"]["timeZone"].is_string(), "{stop}");
        close += u32::from(metres <= 500.0);
    }
    let share = f64::from(close) / f64::from(u32::try_from(truth.len()).expect("a few"));
    assert!(share >= case.least, "{close} of {} within 500 m; missing: {missing:?}", truth.len());
}
