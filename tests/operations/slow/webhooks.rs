//! Webhooks: receivers that are too slow, and servers that are killed while they send.

use std::time::Duration;

use itinerary_tests::engines::Engine;
use itinerary_tests::program::{Program, make_account, make_token};
use itinerary_tests::receiver::{HANG, Receiver};
use itinerary_tests::{Database, api_test, sql};
use reqwest::Method;
use serde_json::{Value, json};

const FLAGS: [&str; 2] = ["--webhooks-private-addresses", "on"];

/// A webhook at a server, of one traveller.
struct Hook<'e> {
    engine: &'e Engine,
    token: String,
    path: String,
}

impl<'e> Hook<'e> {
    async fn create(engine: &'e Engine, server: &Program, receiver: &Receiver) -> Self {
        let token = make_token(engine, "ana").await;
        let body = json!({ "url": receiver.url, "types": ["itinerary.updated"] });
        let created = server.call(Method::POST, "/v1/webhooks").token(&token).json(&body).send().await;
        assert_eq!(created.status, 201, "{}", created.text());
        let path = format!("/v1/webhooks/{}", created.json()["id"].as_str().expect("an id"));
        Self { engine, token, path }
    }

    /// Queues a test; returns its id.
    async fn test(&self, server: &Program) -> String {
        let queued = server.call(Method::POST, &format!("{}/test", self.path)).token(&self.token).send().await;
        assert_eq!(queued.status, 202, "{}", queued.text());
        queued.json()["id"].as_str().expect("an id").to_owned()
    }

    /// A delivery in the log.
    async fn logged(&self, server: &Program, id: &str) -> Value {
        let log = server.call(Method::GET, &format!("{}/deliveries", self.path)).token(&self.token).send().await.json();
        let found = log["data"].as_array().expect("a list").iter().find(|delivery| delivery["id"] == id).cloned();
        found.unwrap_or_else(|| panic!("{id} in {log}"))
    }

    /// The delivery, once its attempt has ended.
    async fn ended(&self, server: &Program, id: &str) -> Value {
        loop {
            let delivery = self.logged(server, id).await;
            if delivery["status"] != "pending" || delivery["failure"].is_string() {
                return delivery;
            }
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    }

    /// Makes all attempts due.
    async fn hurry(&self) {
        sql::run(&self.engine.url(), "UPDATE webhook_deliveries SET next_at = 1 WHERE next_at IS NOT NULL").await;
        sql::run(&self.engine.url(), "UPDATE webhooks SET due_at = 1 WHERE due_at IS NOT NULL").await;
    }
}

#[api_test]
async fn a_slow_receiver_delays_no_other(database: Database) {
    let Some(engine) = Engine::on(database) else { return };
    make_account(&engine, "ana").await;
    let server = Program::serve(&engine, &FLAGS).await;
    let (mut slow, mut quick) = (Receiver::start().await, Receiver::start().await);
    let (to_slow, to_quick) =
        (Hook::create(&engine, &server, &slow).await, Hook::create(&engine, &server, &quick).await);
    slow.will_respond(&[HANG; 4]);
    let first = to_slow.test(&server).await;
    for _ in 0..5 {
        to_slow.test(&server).await;
    }
    for _ in 0..4 {
        slow.next().await;
    }
    to_quick.test(&server).await;
    quick.next_within(Duration::from_secs(5)).await;
    slow.expect_nothing().await;
    // An attempt ends after 15 seconds; then the others have their turn.
    let ended = to_slow.ended(&server, &first).await;
    assert_eq!(ended["failure"], "no response within 15 seconds");
    assert_eq!((ended.get("responseStatus"), &ended["attempts"]), (None, &json!(1)));
    slow.next().await;
    slow.next().await;
}

#[api_test]
async fn an_event_whose_server_is_killed_arrives_again(database: Database) {
    let Some(engine) = Engine::on(database) else { return };
    make_account(&engine, "ana").await;
    let mut server = Program::serve(&engine, &FLAGS).await;
    let mut receiver = Receiver::start().await;
    let hook = Hook::create(&engine, &server, &receiver).await;
    receiver.will_respond(&[HANG; 3]);
    let id = hook.test(&server).await;
    for attempts in 1..4 {
        assert_eq!(receiver.next().await.header("webhook-id"), id);
        server.kill_now();
        drop(server);
        // The claim ends after 45 seconds.
        hook.hurry().await;
        server = Program::serve(&engine, &FLAGS).await;
        assert!(hook.logged(&server, &id).await["attempts"].as_i64() >= Some(attempts));
    }
    assert_eq!(receiver.next().await.header("webhook-id"), id);
    let ended = hook.ended(&server, &id).await;
    assert_eq!((&ended["status"], &ended["attempts"]), (&json!("succeeded"), &json!(4)));
}

// Each event is attempted by one of them.
#[api_test]
async fn two_servers_share_a_queue(database: Database) {
    let Some(engine) = Engine::on(database) else { return };
    make_account(&engine, "ana").await;
    let servers = [Program::serve(&engine, &FLAGS).await, Program::serve(&engine, &FLAGS).await];
    let mut receiver = Receiver::start().await;
    let hook = Hook::create(&engine, &servers[0], &receiver).await;
    let mut sent = Vec::new();
    for round in 0..10 {
        sent.push(hook.test(&servers[round % 2]).await);
    }
    let mut arrived = Vec::new();
    for _ in 0..10 {
        arrived.push(receiver.next().await.header("webhook-id").to_owned());
    }
    receiver.expect_nothing().await;
    sent.sort();
    arrived.sort();
    assert_eq!(arrived, sent);
}
