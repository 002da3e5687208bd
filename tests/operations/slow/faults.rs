//! Repeating a request after a crash.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use itinerary_tests::engines::Engine;
use itinerary_tests::program::{Program, make_account, make_token};
use itinerary_tests::{Database, api_test};
use reqwest::Method;

use super::kills::{listed, trip};

// F-18: after a crash, repeating the key yields exactly one itinerary, whether or not the first request was answered.
#[api_test]
async fn a_request_repeated_after_a_crash_has_one_effect(database: Database) {
    let Some(engine) = Engine::on(database) else { return };
    make_account(&engine, "ana").await;
    let token = make_token(&engine, "ana").await;
    let server = Arc::new(Program::serve(&engine, &["--limits", "off"]).await);
    let create = async |server: &Program, n: usize| {
        let key = uuid::Uuid::from_u128(n as u128 + 1).to_string();
        let call = server.call(Method::POST, "/v1/itineraries?allowDuplicate=true").token(&token);
        call.header("Idempotency-Key", &key).json(&trip(n, 0)).0.send().await
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
        listed(&server, &token, 0).await.iter().map(|entry| entry["title"].to_string()).collect();
    titles.sort();
    titles.dedup();
    assert_eq!(titles.len(), 60);
    assert_eq!(listed(&server, &token, 0).await.len(), 60, "each was made once");
}
