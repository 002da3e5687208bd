//! A server of a later version uses the same database: its fields, lists and kinds, unknown to this one, are kept.

use itinerary_sdk::types::{ExpensePatch, FlightPatch, ItineraryPatch, StopPatch};
use itinerary_tests::app::{App, path};
use itinerary_tests::bodies::{full, with};
use itinerary_tests::{World, api_test};
use reqwest::Method;
use serde_json::{Value, json};

/// Adds to the stored fragments what this server does not know.
async fn upgrade(world: &World, id: &str) -> Vec<(&'static str, Value)> {
    let (_, stored) = world.stored(id).await.expect("it is there");
    let parsed = |fragment: &[u8]| serde_json::from_slice::<Value>(fragment).expect("JSON");
    let (mut everyone, mut members) = (parsed(&stored.everyone), parsed(&stored.members));
    let (mut pro, mut documents) = (parsed(&stored.pro), parsed(&stored.documents));
    everyone["mood"] = json!({ "level": 1.5 });
    everyone["days"][0]["stops"][0]["queue"] = json!("short");
    members["flights"][0]["carbon"] = json!([1, null]);
    members["cruises"] = json!([{ "id": "c", "name": "Fjords" }]);
    pro["expenses"][0]["belongsTo"] = json!({ "kind": "cruise", "id": "c" });
    let file = json!({ "path": "p", "name": "n", "size": 3 });
    documents["documents"] = json!([{ "id": "d", "name": "Pass", "category": "passport", "file": file, "pages": 2 }]);
    for (column, fragment) in [("everyone", &everyone), ("members", &members), ("pro", &pro), ("documents", &documents)]
    {
        let text = fragment.to_string().replace('\'', "''");
        world.sql(&format!("UPDATE itineraries SET {column} = '{text}'")).await;
    }
    vec![
        ("/mood", json!({ "level": 1.5 })),
        ("/flights/0/carbon", json!([1, null])),
        ("/cruises/0/name", json!("Fjords")),
        ("/expenses/0/belongsTo/kind", json!("cruise")),
        ("/documents/0/pages", json!(2)),
    ]
}

#[api_test(limits = false)]
async fn every_kind_of_change_keeps_it(world: World) {
    let app = App::pro(&world, "ana").await;
    let created = app.created(&with(full(), json!({ "packing": [] }))).await;
    let kept = upgrade(&world, &created.id).await;
    let client = world.client("ana").await;
    let id = created.id.parse().expect("a UUID");
    let check = async |what: &str| {
        let read = app.viewed(&created.id).await;
        for (pointer, value) in &kept {
            assert_eq!(read.json.pointer(pointer), Some(value), "{what}: {pointer}");
        }
        let stops = read.json["days"][0]["stops"].as_array().expect("stops");
        let stop = stops.iter().find(|stop| stop["id"] == "stop-1").expect("it is there");
        assert_eq!(stop["queue"], "short", "{what}");
    };
    check("nothing").await;
    let any = itinerary_sdk::IfMatch::any;
    let title = ItineraryPatch::default().title("Changed");
    client.itinerary_update(id, any(), title).send().await.expect("changed");
    check("the title").await;
    let seat = FlightPatch::default().seat_number("2B");
    client.flight_update(id, "flight-1", any(), seat).send().await.expect("changed");
    check("a flight").await;
    let later = StopPatch::default().start_time("10:30");
    client.stop_update(id, "day-1", "stop-1", any(), later).send().await.expect("changed");
    check("a stop").await;
    let moved = app.call(Method::POST, &format!("{}/days/day-1/stops/stop-1/move", path(&created.id)));
    assert_eq!(moved.json(&json!({ "position": 1 })).header("If-Match", "*").send().await.status, 200);
    check("a moved stop").await;
    let name = ExpensePatch::default().name("Taxi");
    client.expense_update(id, "expense-1", any(), name).send().await.expect("changed");
    check("an expense").await;
    client.itinerary_places_refresh(id, any()).send().await.expect("refreshed");
    check("a refresh").await;
    client.revision_restore(id, 3, any()).send().await.expect("restored");
    check("a former version").await;
}

#[api_test(limits = false)]
async fn it_can_be_read_in_every_form(world: World) {
    let app = App::pro(&world, "ana").await;
    let created = app.created(&full()).await;
    upgrade(&world, &created.id).await;
    let at = path(&created.id);
    for rest in ["", "/flights", "/days", "/documents", "/revisions", "/export?format=ics", "/export?format=md"] {
        let response = app.call(Method::GET, &format!("{at}{rest}")).send().await;
        assert_eq!(response.status, 200, "{rest}: {}", response.text());
    }
}
