//! Legs computed by the server are computed again when one of their ends moves; the traveller's own legs stay.

use itinerary_tests::app::{App, Stored};
use itinerary_tests::{World, api_test};
use reqwest::Method;
use serde_json::{Value, json};

use super::{FADO, MONASTERY, MUNDIAL, TOWER, at, fill, placed, trip, wrote};

fn leg(from: &str, to: &str, source: &str) -> Value {
    json!({ "from": from, "to": to, "mode": "walk", "minutes": 7, "metres": 600, "source": source })
}

/// Four stops in a row. The server computed the legs to the second and from the third stop, but not the one between
/// them.
fn day() -> Value {
    let stops = [
        placed("a", "Belém Tower", TOWER),
        placed("b", "Jerónimos Monastery", MONASTERY),
        placed("c", "Fado Museum", FADO),
        placed("d", "Hotel Mundial", MUNDIAL),
    ];
    let legs = [leg("a", "b", "estimate"), leg("b", "c", "my own"), leg("c", "d", "osrm")];
    json!({ "id": "day", "stops": stops, "legs": legs })
}

/// The legs of the first day, as text; those of the start have an asterisk.
fn legs(itinerary: &Value) -> Vec<String> {
    let minutes = itinerary["days"][0]["legs"].as_array().expect("legs").iter().map(|leg| leg["minutes"].as_f64());
    let names = super::legs(itinerary).into_iter();
    names.zip(minutes).map(|(leg, minutes)| if minutes == Some(7.0) { format!("{leg}*") } else { leg }).collect()
}

async fn start(app: &App<'_>, title: &str) -> Stored {
    let response =
        app.create_call("?allowDuplicate=true", &trip(json!({ "title": title, "days": [day()] }))).send().await;
    let stored = Stored::of(&response);
    assert_eq!(legs(&stored.json), ["a-b estimate*", "b-c my own*", "c-d osrm*"]);
    stored
}

#[api_test(limits = false)]
async fn moving_a_stop_computes_its_legs_again(world: World) {
    fill(&world).await;
    let app = App::of(&world, "ana").await;
    let elsewhere = json!({ "place": { "coordinate": { "latitude": 38.7 } } });
    for (stop, patch, expected) in [
        ("a", elsewhere.clone(), &["a-b estimate", "b-c my own*", "c-d osrm*"][..]),
        ("b", elsewhere.clone(), &["a-b estimate", "b-c my own*", "c-d osrm*"]),
        ("c", elsewhere.clone(), &["a-b estimate*", "b-c my own*", "c-d estimate"]),
        ("d", elsewhere, &["a-b estimate*", "b-c my own*", "c-d estimate"]),
        // Placed again, elsewhere or nowhere.
        (
            "b",
            json!({ "name": "Fado Museum", "place": { "coordinate": null } }),
            &["a-b estimate", "b-c my own*", "c-d osrm*"],
        ),
        ("b", json!({ "name": "Casa da Tia", "place": null }), &["b-c my own*", "c-d osrm*"]),
        // The stop does not move.
        ("b", json!({ "name": "Renamed", "durationMinutes": 5 }), &["a-b estimate*", "b-c my own*", "c-d osrm*"]),
        ("b", json!({ "place": { "coordinate": at(MONASTERY) } }), &["a-b estimate*", "b-c my own*", "c-d osrm*"]),
        ("b", json!({ "place": { "address": "Praça" } }), &["a-b estimate*", "b-c my own*", "c-d osrm*"]),
    ] {
        let stored = start(&app, "A stop").await;
        let changed = wrote(&app, &stored, Method::PATCH, &format!("/days/day/stops/{stop}"), &patch).await;
        assert_eq!(legs(&changed.json), expected, "{stop}: {patch}");
        assert_eq!(app.viewed(&stored.id).await.json["days"], changed.json["days"]);
    }
}

// An app that sends the days back with one stop moved has not computed new legs. `legs` in a change of one day are all that
// the day has.
#[api_test(limits = false)]
async fn a_change_of_a_day_or_of_all_computes_them_again(world: World) {
    let app = App::of(&world, "ana").await;
    let mut days = start(&app, "First").await.json["days"].clone();
    days[0]["stops"][0]["place"]["coordinate"] = at((38.7, -9.2));
    let (filled, left) = (&["a-b estimate", "b-c my own*", "c-d osrm*"][..], &["b-c my own*", "c-d osrm*"][..]);
    for (rest, patch, expected) in [
        ("/days/day", json!({ "stops": days[0]["stops"] }), filled),
        ("/days/day", json!({ "stops": days[0]["stops"], "legs": days[0]["legs"] }), left),
        ("", json!({ "days": days }), filled),
    ] {
        let stored = start(&app, "Days").await;
        let changed = wrote(&app, &stored, Method::PATCH, rest, &patch).await;
        assert_eq!(legs(&changed.json), expected, "{patch}");
    }
    // A leg that is sent with the move belongs to the new place.
    days[0]["legs"][0]["minutes"] = json!(8);
    let stored = start(&app, "New legs").await;
    let changed = wrote(&app, &stored, Method::PATCH, "", &json!({ "days": days })).await;
    assert_eq!(legs(&changed.json), ["a-b estimate", "b-c my own*", "c-d osrm*"]);
    assert_eq!(changed.json["days"][0]["legs"][0]["minutes"].as_f64(), Some(8.0));
}
