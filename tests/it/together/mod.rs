//! Editing together: merging changes of older versions, and the versions that an itinerary has had.
//!
//! The rules of a merge are tested in `itinerary-core`; these tests show that operations follow them.

mod merge;
mod merge_rights;
mod races;
mod revision_list;
mod revision_restore;
mod revision_view;
mod sdk;

use itinerary_tests::World;
use itinerary_tests::app::{App, Stored, path, text};
use itinerary_tests::bodies::{minimal, with};
use itinerary_tests::raw::{Call, RawResponse};
use reqwest::Method;
use serde_json::{Value, json};

/// A trip of two days, with a hotel.
fn two_days() -> Value {
    let stop = |id: &str, name: &str, latitude: f64| json!({ "id": id, "name": name, "place": { "coordinate": { "latitude": latitude, "longitude": -9.14 } } });
    let days = json!([
        { "id": "d1", "stops": [stop("a", "Belém Tower", 38.69), stop("b", "Alfama", 38.71), stop("c", "Chiado", 38.712)] },
        { "id": "d2", "stops": [stop("x", "Sintra", 38.8)] },
    ]);
    let place = json!({ "coordinate": { "latitude": 38.7, "longitude": -9.1 } });
    with(
        minimal(),
        json!({ "title": "Lisbon", "tags": ["city"], "days": days, "hotels": [{ "id": "h1", "name": "Hotel", "place": place }] }),
    )
}

/// Another traveller's app, as a member of an itinerary: they follow the owner, so they join at once.
pub(crate) async fn joined<'w>(world: &'w World, owner: &App<'_>, at: &Stored, (name, role): (&str, &str)) -> App<'w> {
    let account =
        async |name: &str| world.service().store.account_by_username(name).await.expect("a database").map(|a| a.id);
    let app = App::of(world, name).await;
    let [owner_id, id] = [text(&at.json["author"]["accountId"]), account(name).await.expect("there").to_string()];
    let follow = app.call(Method::PUT, &format!("/v1/accounts/{owner_id}/follow")).send().await;
    assert!(follow.status.is_success(), "{}", follow.text());
    let set = owner.call(Method::PUT, &format!("{}/members/{id}", path(&at.id))).json(&json!({ "role": role }));
    assert_eq!(set.send().await.json()["status"], "accepted");
    app
}

/// A change of an older version that is to be merged.
fn merging(call: Call, etag: &str) -> Call {
    call.header("If-Match", etag).header("Prefer", "merge")
}

async fn merged(app: &App<'_>, base: &Stored, body: &Value) -> RawResponse {
    merging(app.patch_call(&base.id, body), &base.etag).send().await
}

/// A response to a change that was merged.
#[track_caller]
fn expect_merged(response: &RawResponse) -> Stored {
    assert_eq!(response.status, 200, "{}", response.text());
    assert_eq!(response.header("preference-applied"), "merge");
    Stored::of(response)
}

/// The conflicts of a change that could not be merged.
#[track_caller]
fn conflicts(response: &RawResponse) -> Value {
    let details = response.expect_error(409, "itineraryModified");
    assert_eq!(details["reason"], "conflict", "{details}");
    assert!(!response.header("etag").is_empty());
    details["conflicts"].clone()
}

async fn revisions(app: &App<'_>, id: &str) -> Vec<Value> {
    let response = app.call(Method::GET, &format!("{}/revisions", path(id))).send().await;
    assert_eq!(response.status, 200, "{}", response.text());
    response.json()["data"].as_array().expect("a page").clone()
}

fn revision_path(id: &str, version: i64) -> String {
    format!("{}/revisions/{version}", path(id))
}

/// The ids of a day's stops.
fn stops(itinerary: &Value, day: usize) -> Vec<String> {
    let stops = itinerary["days"][day]["stops"].as_array().expect("stops");
    stops.iter().map(|stop| text(&stop["id"])).collect()
}
