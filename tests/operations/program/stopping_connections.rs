//! Stopping: incomplete requests do not delay it, and responses in progress are completed.

use std::time::{Duration, Instant};

use itinerary_tests::bodies::{minimal, with};
use itinerary_tests::engines::Engine;
use itinerary_tests::program::{Program, make_account, make_token};

use itinerary_tests::wire::{Wire, json_head};

/// A process that is asked to stop ends within this time.
const LONGEST: Duration = Duration::from_secs(10);

fn get(path: &str, token: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n\r\n")
}

// Observed before: any incomplete request delayed the end by 30 s.
#[tokio::test(flavor = "multi_thread")]
async fn incomplete_requests_do_not_delay_shutdown() {
    let engine = Engine::sqlite();
    make_account(&engine, "ana").await;
    let token = make_token(&engine, "ana").await;
    let server = Program::serve(&engine, &["--limits", "off"]).await;
    let long = with(minimal(), serde_json::json!({ "summary": "🌍".repeat(5_000) }));
    for _ in 0..50 {
        let call = server.call(reqwest::Method::POST, "/v1/itineraries?allowDuplicate=true").token(&token);
        assert_eq!(call.json(&long).send().await.status, 201);
    }
    let whole = server.call(reqwest::Method::GET, "/v1/itineraries?limit=50").token(&token).send().await.body;

    let mut half_begun = Vec::new();
    let list = get("/v1/itineraries?limit=50", &token);
    for begin in [
        String::new(),
        "P".to_owned(),
        "GET /healthz HTTP/1.1\r\n".to_owned(),
        json_head("POST", "/v1/itineraries", &token, "Content-Length: 100") + "{",
        // Nobody reads it.
        list.clone(),
    ] {
        let mut wire = Wire::to_reluctant(server.address()).await;
        wire.send(begin).await;
        half_begun.push(wire);
    }
    let mut idle = Wire::connect(server.address()).await;
    idle.send(get("/healthz", "")).await;
    idle.response().await;
    let mut reader = Wire::to_reluctant(server.address()).await;
    reader.send(list).await;
    reader.begins().await;

    let asked = Instant::now();
    server.ask_to_stop();
    assert!(idle.is_closed().await);
    assert!(half_begun[0].is_closed().await && half_begun[1].is_closed().await && half_begun[2].is_closed().await);
    assert!(asked.elapsed() < LONGEST / 2, "they wait for no answer");
    reader.read_slowly(whole.len() / 8, Duration::from_millis(100)).await;
    assert_eq!(reader.response().await.body, whole, "what somebody reads is not cut");
    assert_eq!(server.exit_code().await, Some(0));
    assert!(asked.elapsed() < LONGEST, "{:?}", asked.elapsed());
}

// Without requests in progress it ends at once.
#[tokio::test(flavor = "multi_thread")]
async fn a_response_that_is_being_made_is_finished() {
    let engine = Engine::sqlite();
    make_account(&engine, "ana").await;
    let token = make_token(&engine, "ana").await;
    let server = Program::serve(&engine, &[]).await;
    let body = minimal().to_string();
    let mut wire = Wire::connect(server.address()).await;
    let framing = format!("Content-Length: {}\r\nExpect: 100-continue", body.len());
    wire.send(json_head("POST", "/v1/itineraries", &token, &framing)).await;
    assert!(wire.is_asked_to_continue().await);
    server.ask_to_stop();
    wire.send(body).await;
    let response = wire.response().await;
    assert_eq!(response.status, 201, "{}", response.text());
    assert!(wire.is_closed().await);
    assert_eq!(server.exit_code().await, Some(0));
}
