//! Marks: likes and dislikes, saved copies, reports and hiding. Another area tests Explore itself.

mod itinerary_save;
mod itinerary_save_copies;
mod itinerary_save_sources;
mod like_set;
mod lists;
mod mark_errors;
mod moderation;
mod races;
mod report_create;
mod saved_from;

use itinerary_sdk::types::Marks;
use itinerary_tests::app::{App, Stored, path};
use itinerary_tests::raw::Call;
use itinerary_tests::{RawResponse, World};
use reqwest::Method;
use serde_json::json;
use uuid::Uuid;

/// The marks on an itinerary: the caller's three, and the counts of likes and saves.
fn marks(liked: bool, disliked: bool, saved: bool, likes_count: i64, saves_count: i64) -> Marks {
    Marks { liked, disliked, saved, likes_count, saves_count }
}

/// The marks in a response.
#[track_caller]
fn told(response: &RawResponse) -> Marks {
    assert_eq!(response.status, 200, "{}", response.text());
    assert_eq!((response.header("etag"), response.header("location")), ("", ""));
    serde_json::from_value(response.json()).expect("marks")
}

/// The marks as a caller reads them.
async fn seen(app: &App<'_>, id: &str) -> Marks {
    told(&app.call(Method::GET, &format!("{}/marks", path(id))).send().await)
}

/// Likes or dislikes an itinerary, or removes the mark.
async fn set(app: &App<'_>, id: &str, mark: &str, is_set: bool) -> Marks {
    let method = if is_set { Method::PUT } else { Method::DELETE };
    told(&app.call(method, &format!("{}/{mark}", path(id))).send().await)
}

fn save_call(app: &App<'_>, id: &str) -> Call {
    app.call(Method::POST, &format!("{}/saves", path(id)))
}

async fn save(app: &App<'_>, id: &str) -> RawResponse {
    save_call(app, id).send().await
}

/// Saves a first copy.
async fn saved(app: &App<'_>, id: &str) -> Stored {
    let response = save(app, id).await;
    assert_eq!(response.status, 201, "{}", response.text());
    Stored::of(&response)
}

fn report_call(app: &App<'_>, id: &str) -> Call {
    app.call(Method::POST, &format!("{}/reports", path(id)))
}

/// Reports an itinerary, which must succeed.
async fn reported(app: &App<'_>, id: &str) -> Uuid {
    let response = report_call(app, id).json(&json!({ "reason": "spam" })).send().await;
    assert_eq!(response.status, 201, "{}", response.text());
    response.json()["id"].as_str().expect("an id").parse().expect("a UUID")
}

/// Changes an itinerary, whatever its version.
async fn changed(app: &App<'_>, id: &str, body: &serde_json::Value) -> Stored {
    let response = app.patch_call(id, body).header("If-Match", "*").send().await;
    assert_eq!(response.status, 200, "{}", response.text());
    Stored::of(&response)
}

async fn deleted(app: &App<'_>, id: &str) {
    assert_eq!(app.delete_call(id).header("If-Match", "*").send().await.status, 204);
}

/// The number of rows of a table.
async fn rows(world: &World, of: &str) -> i64 {
    let sql = format!("SELECT CAST(count(*) AS TEXT) FROM {of}");
    itinerary_tests::sql::ask(world.database_url(), &sql).await.parse().expect("a number")
}
