//! Activities near a stop from the gazetteer, which is the default without a provider.

use itinerary_gazetteer::distance_km;
use itinerary_tests::app::{App, Stored};
use itinerary_tests::raw::RawResponse;
use itinerary_tests::{World, api_test};
use reqwest::Method;
use serde_json::{Value, json};

use super::{call, named, placed, trip, wrote};

const CHIADO: (f64, f64) = (38.7107, -9.142);
/// In the middle of the Atlantic.
const AT_SEA: (f64, f64) = (35.0, -40.0);

async fn near(app: &App<'_>, stored: &Stored, day: &str, stop: &str) -> RawResponse {
    call(app, Method::GET, stored, &format!("/days/{day}/stops/{stop}/activities")).send().await
}

async fn suggested(app: &App<'_>, stored: &Stored, stop: &str) -> Vec<Value> {
    let response = near(app, stored, "d", stop).await;
    assert_eq!(response.status, 200, "{}", response.text());
    response.json()["data"].as_array().expect("a list").clone()
}

fn names(list: &[Value]) -> Vec<&str> {
    list.iter().map(|stop| stop["name"].as_str().expect("a name")).collect()
}

fn lisbon() -> Value {
    let stops = [
        placed("s", "A walk", CHIADO),
        named("nowhere", "Casa da Tia"),
        placed("sea", "A swim", AT_SEA),
        placed("had", "Rua Augusta", (38.7107, -9.1377)),
    ];
    trip(json!({ "days": [{ "id": "d", "stops": stops }] }))
}

#[api_test(limits = false, gazetteer = true)]
async fn sights_near_a_stop_are_suggested_and_can_be_added_as_they_are(world: World) {
    let app = App::of(&world, "ana").await;
    let mut stored = app.created(&lisbon()).await;
    let list = suggested(&app, &stored, "s").await;
    assert!(list.len() >= 10, "{:?}", names(&list));
    let mut before = 0.0;
    for entry in &list {
        assert_eq!(entry.get("id"), None, "{entry}");
        assert!(entry["category"].is_string() && entry["place"]["placeId"].is_string(), "{entry}");
        let activity = &entry["activity"];
        assert_eq!(
            (&activity["provider"], &activity["lastCheckedAt"]),
            (&json!("local"), &json!("2027-01-10T12:00:00.000Z"))
        );
        for unknown in ["rating", "reviewCount", "bookingUrl"] {
            assert_eq!(activity.get(unknown), None, "{entry}");
        }
        let coordinate = &entry["place"]["coordinate"];
        let point = ["latitude", "longitude"].map(|field| coordinate[field].as_f64().expect("degrees"));
        let distance = distance_km(CHIADO, (point[0], point[1]));
        assert!(distance >= before && distance < 5.0, "nearest first, and near: {entry}");
        before = distance;
    }
    assert!(!names(&list).contains(&"Rua Augusta"), "the itinerary has it");

    for entry in &list {
        stored = wrote(&app, &stored, Method::POST, "/days/d/stops", entry).await;
        let mut added = stored.json["days"][0]["stops"].as_array().and_then(|stops| stops.last().cloned()).expect("it");
        let fields = added.as_object_mut().expect("an object");
        assert!(fields.remove("id").is_some_and(|id| id.is_string()));
        assert_eq!(fields.remove("startTimeSuggested"), Some(json!(false)));
        assert_eq!(added, *entry);
    }
    let next = suggested(&app, &stored, "s").await;
    assert!(names(&next).iter().all(|name| !names(&list).contains(name)), "what was added is suggested no more");
}

#[api_test(gazetteer = true)]
async fn without_a_place_it_is_about_the_destination_and_at_sea_there_is_nothing(world: World) {
    let app = App::of(&world, "ana").await;
    let stored = app.created(&lisbon()).await;
    assert!(names(&suggested(&app, &stored, "nowhere").await).contains(&"Cervejaria Ramiro"));
    assert!(suggested(&app, &stored, "sea").await.is_empty());
}

#[api_test(gazetteer = true)]
async fn everyone_who_can_read_the_itinerary_can_list_activities(world: World) {
    let owner = App::of(&world, "ana").await;
    let stored = owner.created(&lisbon()).await;
    let account = world.account("vera").await;
    world.member(&stored.id, account, "viewer").await;
    let (viewer, stranger) = (App::of(&world, "vera").await, App::of(&world, "ben").await);
    let list = near(&owner, &stored, "d", "s").await.json();
    assert_eq!(near(&viewer, &stored, "d", "s").await.json(), list);
    for (day, stop) in [("d", "s"), ("d", "other"), ("other", "s")] {
        assert!(near(&stranger, &stored, day, stop).await.expect_error(404, "notFound").is_null());
    }
    let stored = owner.patched(&stored, &json!({ "visibility": "public" })).await;
    assert_eq!(near(&stranger, &stored, "d", "s").await.json(), list);
    for app in [&owner, &viewer, &stranger] {
        for (day, stop) in [("d", "other"), ("other", "s"), ("s", "d")] {
            near(app, &stored, day, stop).await.expect_error(404, "notFound");
        }
    }
    near(&owner, &stored, "d", "no id").await.expect_invalid("stopId");
    let nowhere = Stored { id: "01890000-0000-7000-8000-000000000000".to_owned(), ..stored };
    near(&owner, &nowhere, "d", "s").await.expect_error(404, "notFound");
}

#[api_test(gazetteer = true)]
async fn the_sdk_lists_activities(world: World) {
    let client = world.client("ana").await;
    let body = serde_json::from_value::<itinerary_sdk::types::ItineraryCreate>(lisbon()).expect("the SDK's fields");
    let made = client.itinerary_create(body).send().await.expect("created");
    let list = client.stop_activity_list(made.id, "d", "s").send().await.expect("a list");
    let first = list.data.first().expect("an activity").clone();
    let add = client.stop_add(made.id, "d", made.etag(), first);
    assert_eq!(add.send_raw().await.expect("added").status(), 200);
}
