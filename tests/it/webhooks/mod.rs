//! Webhooks: the operations, and what arrives at a receiver.
//!
//! A receiver that is too slow, and kills of the server, are in `operations`.

mod attempts;
mod events;
mod grants;
mod sdk;
mod webhook_create;
mod webhook_update;

use chrono::TimeDelta;
use itinerary_tests::app::App;
use itinerary_tests::receiver::Receiver;
use itinerary_tests::{Database, World};
use reqwest::Method;
use serde_json::{Value, json};

/// A server that may send to loopback.
async fn start(database: Database) -> Option<World> {
    World::start_with(database, |config| {
        config.webhooks.private_addresses = true;
        config.limits = false;
    })
    .await
}

/// An app of a traveller with a webhook.
struct Hooked<'w> {
    app: App<'w>,
    receiver: Receiver,
    id: String,
    secret: String,
}

impl<'w> Hooked<'w> {
    /// A webhook with these types of events.
    async fn with(world: &'w World, name: &str, types: &[&str]) -> Self {
        let (app, receiver) = (App::of(world, name).await, Receiver::start().await);
        let created = create(&app, &json!({ "url": receiver.url, "types": types })).await;
        // For as long as the test makes days pass.
        world.sql("UPDATE grants SET expires_at = 9000000000000").await;
        let text = |field: &str| created[field].as_str().expect("text").to_owned();
        Self { id: text("id"), secret: text("secret"), app, receiver }
    }

    /// A webhook with all types of events.
    async fn of(world: &'w World, name: &str) -> Self {
        let all = ["itinerary.updated", "itinerary.deleted", "itinerary.shared", "itinerary.unshared"];
        Self::with(world, name, &all).await
    }

    /// The webhook, as it is read.
    async fn view(&self) -> Value {
        let viewed = self.call(Method::GET, "").send().await;
        assert_eq!(viewed.status, 200, "{}", viewed.text());
        viewed.json()
    }

    fn call(&self, method: Method, path: &str) -> itinerary_tests::raw::Call {
        self.app.call(method, &format!("/v1/webhooks/{}{path}", self.id))
    }

    /// Sends a test, which must be queued. Returns the delivery.
    async fn test(&self) -> Value {
        // The log is in the order of time.
        self.advance(TimeDelta::milliseconds(1));
        let queued = self.call(Method::POST, "/test").send().await;
        assert_eq!(queued.status, 202, "{}", queued.text());
        queued.json()
    }

    /// The log of deliveries, newest first, once this one holds of it.
    async fn log_when(&self, holds: impl Fn(&[Value]) -> bool) -> Vec<Value> {
        for _ in 0..100 {
            let log = self.call(Method::GET, "/deliveries?limit=100").send().await.json();
            let log = log["data"].as_array().expect("a list").clone();
            if holds(&log) {
                return log;
            }
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
        panic!("the log does not show it: {}", self.call(Method::GET, "/deliveries").send().await.text())
    }

    /// The newest delivery, once an attempt with this number has ended.
    async fn attempted(&self, number: i64) -> Value {
        let has_ended = |delivery: &Value| {
            delivery["attempts"] == number && (delivery["status"] != "pending" || delivery["nextAttemptAt"].is_string())
        };
        self.log_when(|log| log.first().is_some_and(has_ended)).await.swap_remove(0)
    }

    fn advance(&self, by: TimeDelta) {
        self.app.world.clock.advance(by);
    }
}

/// Creates a webhook, which must succeed.
async fn create(app: &App<'_>, body: &Value) -> Value {
    let created = app.call(Method::POST, "/v1/webhooks").json(body).send().await;
    assert_eq!(created.status, 201, "{}", created.text());
    created.json()
}
