//! Explore: the feed, search, itineraries of followed people, and ranking.
//!
//! Other areas test likes, copies and reports, except for their effect on Explore.

mod access;
mod cursors;
mod explore_list;
mod following;
mod injection;
mod many_itineraries;
mod paging;
mod publishing;
mod ranking;
mod regions;
mod search_pages;
mod search_words;

use itinerary_app::explore::rank;
use itinerary_platform::context::Service;
use itinerary_server::jobs::{self, RunOutcome, When};
use itinerary_tests::app::{App, Stored, ids};
pub(crate) use itinerary_tests::app::{published, shown};
use itinerary_tests::{RawResponse, World};
use reqwest::Method;
use serde_json::Value;
use url::form_urlencoded::byte_serialize;
use uuid::Uuid;

/// A page of Explore. `query` has no question mark.
pub(crate) async fn explore(app: &App<'_>, query: &str) -> RawResponse {
    app.call(Method::GET, &format!("/v1/explore?{query}")).send().await
}

/// A page, which must succeed.
pub(crate) async fn page(app: &App<'_>, query: &str) -> Value {
    let response = explore(app, query).await;
    assert_eq!(response.status, 200, "{query}: {}", response.text());
    response.json()
}

/// The ids of a page of at most a hundred, which must be the only one.
pub(crate) async fn found(app: &App<'_>, query: &str) -> Vec<String> {
    let page = page(app, &format!("limit=100&{query}")).await;
    assert_eq!(page["nextCursor"], Value::Null, "{query}");
    ids(&page)
}

/// The cursor of the next page.
fn cursor(page: &Value) -> Option<String> {
    let cursor = page.get("nextCursor").expect("a page always says whether there is another");
    cursor.as_str().map(str::to_owned)
}

/// The ids of every page. Nobody may write in the meantime.
async fn walked(app: &App<'_>, query: &str) -> Vec<String> {
    let pages = pages(app, query).await;
    assert!(pages.iter().skip(1).all(|page| !page.is_empty()), "a page that was promised holds something");
    pages.concat()
}

/// The ids of each page. A page may be empty if itineraries were unpublished in the meantime.
async fn pages(app: &App<'_>, query: &str) -> Vec<Vec<String>> {
    let mut page = page(app, query).await;
    let mut found = vec![ids(&page)];
    while let Some(cursor) = cursor(&page) {
        page = self::page(app, &format!("{query}&cursor={cursor}")).await;
        found.push(ids(&page));
    }
    found
}

/// The query for these words.
pub(crate) fn q(text: &str) -> String {
    let escaped: String = byte_serialize(text.as_bytes()).collect();
    format!("q={escaped}")
}

/// Changes an itinerary, whatever its version.
async fn changed(app: &App<'_>, id: &str, body: &Value) -> Stored {
    let response = app.patch_call(id, body).header("If-Match", "*").send().await;
    assert_eq!(response.status, 200, "{}", response.text());
    Stored::of(&response)
}

/// Deletes an itinerary, whatever its version.
async fn deleted(app: &App<'_>, id: &str) {
    assert_eq!(app.delete_call(id).header("If-Match", "*").send().await.status, 204);
}

/// Follows or unfollows an account.
pub(crate) async fn follow(app: &App<'_>, account: Uuid, follows: bool) {
    let method = if follows { Method::PUT } else { Method::DELETE };
    let response = app.call(method, &format!("/v1/accounts/{account}/follow")).send().await;
    assert_eq!(response.status, 204, "{}", response.text());
}

/// Likes or dislikes an itinerary.
pub(crate) async fn mark(app: &App<'_>, id: &str, mark: &str) {
    let response = app.call(Method::PUT, &format!("/v1/itineraries/{id}/{mark}")).send().await;
    assert_eq!(response.status, 200, "{}", response.text());
}

pub(crate) async fn account(world: &World, name: &str) -> Uuid {
    world.service().store.account_by_username(name).await.expect("a database").expect("a known name").id
}

/// Runs the job that ranks, if it is due. Returns how many itineraries it has read.
async fn rank_if_due(service: &Service) -> u64 {
    let job = jobs::find("rank-explore").expect("it is a job");
    match jobs::run(service, job, When::Due).await.expect("a database") {
        RunOutcome::Ran { outcome, .. } => outcome.expect("it succeeds").items,
        RunOutcome::NotDue => 0,
    }
}

/// Ranks as the server does, and twice more, because the counts of one ranking make the tiers of the next.
async fn ranked(world: &World) {
    rank_if_due(world.service()).await;
    for _ in 0..2 {
        rank(world.service()).await.expect("a database");
    }
}

/// Sorts ids, to compare lists without their order.
fn sorted(ids: impl IntoIterator<Item = impl Into<String>>) -> Vec<String> {
    let mut ids: Vec<String> = ids.into_iter().map(Into::into).collect();
    ids.sort_unstable();
    ids
}
