//! What survives: a server that is killed has lost nothing that it acknowledged, and left nothing half done.

use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use reqwest::Method;
use rstest::rstest;
use serde_json::{Value, json};

use super::engines::Engine;
use super::lisbon_with;
use super::program::{Program, make_account, make_token};
use crate::support::sql;
use crate::support::{Database, Postgres, Sqlite};

const CREATES: usize = 1_000;
/// How many are asked for at a time.
const WRITERS: usize = 16;
/// How many have been acknowledged when the server is killed.
const KILL_AT: usize = 300;

/// An itinerary with something in every fragment but those for Pro.
fn trip(n: usize) -> Value {
    let stops: Vec<Value> =
        (0..6).map(|stop| json!({ "id": format!("s{stop}"), "name": format!("Stop {n}.{stop}") })).collect();
    lisbon_with(&json!({
        "title": format!("Trip {n}"),
        "summary": "A long way round. ".repeat(40),
        "days": [{ "id": "d", "stops": stops }],
        "flights": [{ "id": "f", "flightNumber": n.to_string() }],
        "hotels": [{ "id": "h", "name": format!("Hotel {n}") }],
    }))
}

/// Creates one after another until the server is gone; notes what was acknowledged.
async fn write(server: Arc<Program>, token: String, next: Arc<AtomicUsize>, acknowledged: Arc<Mutex<Vec<Value>>>) {
    loop {
        let n = next.fetch_add(1, Ordering::Relaxed);
        if n >= CREATES {
            return;
        }
        let call = server.call(Method::POST, "/v1/itineraries?allowDuplicate=true").token(&token).json(&trip(n));
        let Ok(response) = call.0.send().await else { return };
        let status = response.status();
        // What was received whole is acknowledged.
        let Ok(made) = response.json().await else { return };
        assert_eq!(status, 201, "{made}");
        acknowledged.lock().expect("no writer panics here").push(made);
    }
}

/// Every itinerary that the lists name.
async fn listed(server: &Program, token: &str) -> Vec<Value> {
    let mut entries = Vec::new();
    let mut path = "/v1/itineraries?limit=100".to_owned();
    loop {
        let mut page = server.call(Method::GET, &path).token(token).send().await.json();
        entries.append(page["data"].as_array_mut().expect("a list"));
        let Some(cursor) = page["nextCursor"].as_str() else { return entries };
        path = format!("/v1/itineraries?limit=100&cursor={cursor}");
    }
}

/// F-01: kill -9 in the middle of 1,000 creates.
#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn a_killed_server_has_lost_nothing_that_it_acknowledged(#[values(Sqlite, Postgres)] database: Database) {
    let Some(engine) = Engine::on(database) else { return };
    make_account(&engine, "ana").await;
    let token = make_token(&engine, "ana").await;
    let server = Arc::new(Program::serve(&engine, &["--limits", "off"]).await);
    let (next, acknowledged) = (Arc::new(AtomicUsize::new(0)), Arc::new(Mutex::new(Vec::new())));
    let writers: Vec<_> = (0..WRITERS)
        .map(|_| tokio::spawn(write(server.clone(), token.clone(), next.clone(), acknowledged.clone())))
        .collect();
    while acknowledged.lock().expect("no writer panics").len() < KILL_AT {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    server.kill_now();
    for writer in writers {
        writer.await.expect("a writer");
    }
    let acknowledged = std::mem::take(&mut *acknowledged.lock().expect("no writer panics"));
    let begun = next.load(Ordering::Relaxed).min(CREATES);
    assert!(acknowledged.len() >= KILL_AT && begun < CREATES, "{} of {begun}", acknowledged.len());

    let server = Program::serve(&engine, &["--limits", "off"]).await;
    if engine.url().starts_with("sqlite") {
        assert_eq!(sql::ask(&engine.url(), "PRAGMA integrity_check").await, "ok");
    }
    let entries = listed(&server, &token).await;
    let ids: HashSet<&str> = entries.iter().map(|entry| entry["id"].as_str().expect("an id")).collect();
    assert_eq!(ids.len(), entries.len(), "nothing is listed twice");
    assert!(entries.len() <= acknowledged.len() + WRITERS, "what nobody was told of was still under way");
    for made in &acknowledged {
        let id = made["id"].as_str().expect("an id");
        assert!(ids.contains(id), "{id} was acknowledged and is not listed");
        let read = server.call(Method::GET, &format!("/v1/itineraries/{id}")).token(&token).send().await;
        let mut made = made.clone();
        made.as_object_mut().expect("an object").remove("needsAttention");
        assert_eq!(read.json(), made, "it reads as it was acknowledged");
        assert_eq!(read.header("etag"), "\"v1.m\"");
    }
    for entry in &entries {
        expect_whole(&server, &token, entry).await;
    }
    let more = server.call(Method::POST, "/v1/itineraries?allowDuplicate=true").token(&token).json(&trip(CREATES));
    assert_eq!(more.send().await.status, 201, "it goes on");
}

/// An itinerary has all of what was sent, acknowledged or not, and its list entry tells the same.
async fn expect_whole(server: &Program, token: &str, entry: &Value) {
    let id = entry["id"].as_str().expect("an id");
    let read = server.call(Method::GET, &format!("/v1/itineraries/{id}")).token(token).send().await;
    assert_eq!(read.status, 200);
    let whole = read.json();
    let n = whole["title"].as_str().and_then(|title| title.strip_prefix("Trip ")?.parse().ok()).expect("a number");
    let sent = trip(n);
    for field in ["title", "summary"] {
        assert_eq!(whole[field], sent[field], "{id}");
    }
    let names = |value: &Value| -> Vec<Value> {
        let stops = value["days"][0]["stops"].as_array().expect("stops");
        stops.iter().map(|stop| stop["name"].clone()).collect()
    };
    assert_eq!(names(&whole), names(&sent), "{id}");
    assert_eq!(whole["hotels"][0]["name"], sent["hotels"][0]["name"], "{id}");
    assert_eq!(whole["flights"], sent["flights"], "{id}");
    assert_eq!(
        (&entry["title"], &entry["stopsCount"], &entry["etag"]),
        (&sent["title"], &json!(6), &json!("\"v1.m\""))
    );
}

/// F-18: after a crash the same key gives exactly one itinerary, whether or not the first request was answered.
#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn a_request_repeated_after_a_crash_has_one_effect(#[values(Sqlite, Postgres)] database: Database) {
    let Some(engine) = Engine::on(database) else { return };
    make_account(&engine, "ana").await;
    let token = make_token(&engine, "ana").await;
    let server = Arc::new(Program::serve(&engine, &["--limits", "off"]).await);
    let create = async |server: &Program, n: usize| {
        let key = uuid::Uuid::from_u128(n as u128 + 1).to_string();
        let call = server.call(Method::POST, "/v1/itineraries?allowDuplicate=true").token(&token);
        call.header("Idempotency-Key", &key).json(&trip(n)).0.send().await
    };
    let answered = Arc::new(AtomicUsize::new(0));
    let kill = async {
        while answered.load(Ordering::Relaxed) < 20 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        server.kill_now();
    };
    let requests = futures::future::join_all((0..60).map(async |n| {
        if create(&server, n).await.is_ok() {
            answered.fetch_add(1, Ordering::Relaxed);
        }
    }));
    futures::future::join(requests, kill).await;

    let server = Program::serve(&engine, &["--limits", "off"]).await;
    for n in 0..60 {
        assert_eq!(create(&server, n).await.expect("an answer").status(), 201);
    }
    let mut titles: Vec<String> =
        listed(&server, &token).await.iter().map(|entry| entry["title"].to_string()).collect();
    titles.sort();
    titles.dedup();
    assert_eq!(titles.len(), 60);
    assert_eq!(listed(&server, &token).await.len(), 60, "each was made once");
}
