//! Marks: likes and dislikes, saved copies, reports and hiding. Another area tests Explore itself.

mod copies;
mod likes;
mod lists;
mod moderation;
mod races;
mod refusals;
mod reports;
mod saved_from;
mod saves;
mod sources;

use itinerary_sdk::types::Marks;
use reqwest::Method;
use serde_json::json;
use uuid::Uuid;

use crate::support::app::{App, Stored, path};
use crate::support::raw::Call;
use crate::support::{Answer, World};

/// The marks on an itinerary: the caller's three, and the counts of likes and saves.
fn marks(liked: bool, disliked: bool, saved: bool, likes_count: i64, saves_count: i64) -> Marks {
    Marks { liked, disliked, saved, likes_count, saves_count }
}

/// The marks in an answer.
#[track_caller]
fn told(answer: &Answer) -> Marks {
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert_eq!((answer.header("etag"), answer.header("location")), ("", ""));
    serde_json::from_value(answer.json()).expect("marks")
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

async fn save(app: &App<'_>, id: &str) -> Answer {
    save_call(app, id).send().await
}

/// Saves a first copy.
async fn saved(app: &App<'_>, id: &str) -> Stored {
    let answer = save(app, id).await;
    assert_eq!(answer.status, 201, "{}", answer.text());
    Stored::of(&answer)
}

fn report_call(app: &App<'_>, id: &str) -> Call {
    app.call(Method::POST, &format!("{}/reports", path(id)))
}

/// Reports an itinerary, which must succeed.
async fn reported(app: &App<'_>, id: &str) -> Uuid {
    let answer = report_call(app, id).json(&json!({ "reason": "spam" })).send().await;
    assert_eq!(answer.status, 201, "{}", answer.text());
    answer.json()["id"].as_str().expect("an id").parse().expect("a UUID")
}

/// Changes an itinerary, whatever its version.
async fn changed(app: &App<'_>, id: &str, body: &serde_json::Value) -> Stored {
    let answer = app.patch_call(id, body).header("If-Match", "*").send().await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    Stored::of(&answer)
}

async fn deleted(app: &App<'_>, id: &str) {
    assert_eq!(app.delete_call(id).header("If-Match", "*").send().await.status, 204);
}

/// The number of rows of a table.
async fn rows(world: &World, of: &str) -> i64 {
    let sql = format!("SELECT CAST(count(*) AS TEXT) FROM {of}");
    crate::support::sql::ask(world.database_url(), &sql).await.parse().expect("a number")
}
