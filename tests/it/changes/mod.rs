//! The changes of an account's itineraries, as a list and as a stream.

mod change_list;
mod change_list_cursors;
mod change_list_stream;
mod change_list_updates;
mod change_list_writes;

use itinerary_tests::World;
use itinerary_tests::app::App;
use reqwest::Method;
use serde_json::{Value, json};
use uuid::Uuid;

/// A traveller with an app that reads changes, and the cursor that it has reached.
struct Follower<'w> {
    name: String,
    id: Uuid,
    app: App<'w>,
    cursor: String,
}

impl<'w> Follower<'w> {
    /// A traveller, created if necessary, who reads changes from now on.
    async fn of(world: &'w World, name: &str) -> Self {
        let app = App::of(world, name).await;
        let account = world.service().store.account_by_username(name).await.expect("a database");
        let (name, id) = (name.to_owned(), account.expect("a known name").id);
        let mut this = Self { name, id, app, cursor: String::new() };
        let begun = this.page("").await;
        assert_eq!((&begun["data"], &begun["hasMore"]), (&json!([]), &json!(false)));
        this.advance(&begun);
        this
    }

    /// Gets a new token, after the clock was advanced by more than an hour.
    async fn returns(&mut self) {
        self.app = App::of(self.app.world, &self.name).await;
    }

    /// A page, which must succeed. `query` begins with a question mark, or is empty.
    async fn page(&self, query: &str) -> Value {
        let response = self.app.call(Method::GET, &format!("/v1/changes{query}")).send().await;
        assert_eq!(response.status, 200, "{}", response.text());
        response.json()
    }

    fn advance(&mut self, page: &Value) {
        page["nextCursor"].as_str().expect("always there").clone_into(&mut self.cursor);
    }

    /// The changes since the last call.
    async fn changes(&mut self) -> Vec<Value> {
        let mut changes = Vec::new();
        loop {
            let page = self.page(&format!("?cursor={}", self.cursor)).await;
            self.advance(&page);
            changes.extend(page["data"].as_array().expect("a list").iter().cloned());
            if page["hasMore"] == false {
                return changes;
            }
        }
    }

    /// The types and itineraries of the changes since the last call.
    async fn types(&mut self) -> Vec<(String, String)> {
        let text = |value: &Value| value.as_str().expect("text").to_owned();
        self.changes().await.iter().map(|change| (text(&change["type"]), text(&change["itineraryId"]))).collect()
    }

    /// Sends a request that must succeed.
    async fn does(&self, method: Method, path: &str, body: Value) {
        let response = self.app.call(method, path).json(&body).send().await;
        assert!(response.status.is_success(), "{}", response.text());
    }

    /// Makes this traveller follow another.
    async fn follows(&self, other: &Follower<'_>) {
        self.does(Method::PUT, &format!("/v1/accounts/{}/follow", other.id), json!({})).await;
    }

    /// Sets the role of another traveller in an itinerary of this one.
    async fn shares(&self, itinerary: &str, with: &Follower<'_>, role: &str) {
        let path = format!("/v1/itineraries/{itinerary}/members/{}", with.id);
        self.does(Method::PUT, &path, json!({ "role": role })).await;
    }
}

/// A type of change of an itinerary, as `Follower::types` returns it.
fn change(kind: &str, itinerary: &str) -> (String, String) {
    (format!("itinerary.{kind}"), itinerary.to_owned())
}
