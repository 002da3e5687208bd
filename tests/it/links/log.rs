//! The log of a link's page: an access line without the secret, and nothing else.

use std::fs::{self, File};

use itinerary_tests::engines::Engine;
use itinerary_tests::program::{Program, command, free_address, make_account, make_token, words};
use reqwest::Method;
use serde_json::json;

use crate::http::lisbon;

// W-20: the address is never logged.
#[tokio::test(flavor = "multi_thread")]
async fn no_line_has_the_secret() {
    let engine = Engine::sqlite();
    make_account(&engine, "ana").await;
    let token = make_token(&engine, "ana").await;
    let (file, metrics) = (engine.file("log"), free_address());
    let mut serve = command(words(&engine, &["serve", "--listen", &free_address(), "--metrics-listen", &metrics]));
    serve.env("RUST_LOG", "debug").env("ITINERARY_LOG_FORMAT", "json").stderr(File::create(&file).expect("a file"));
    let program = Program::start(serve).await;
    let post = |path: &str| program.call(Method::POST, path).token(&token);
    let trip = post("/v1/itineraries").json(&lisbon()).send().await.json();
    let links = format!("/v1/itineraries/{}/links", trip["id"].as_str().expect("an id"));
    let created = post(&links).json(&json!({ "label": "Hush" })).send().await.json();
    let (_, secret) = created["url"].as_str().expect("an address").rsplit_once('/').expect("a path");
    let mut ids = Vec::new();
    for (path, status) in [
        (format!("/t/{secret}"), 200),
        (format!("/t/{secret}?next={secret}"), 200),
        (format!("//t//{secret}"), 200),
        (format!("/t/{secret}/trip.ics"), 200),
        (format!("/t/{secret}/trip.gpx"), 200),
        (format!("/t/{secret}x"), 404),
        (format!("/t/{secret}/{secret}"), 404),
    ] {
        let response = program.call(Method::GET, &path).send().await;
        assert_eq!(response.status, status, "{path}: {}", response.text());
        ids.push(response.header("x-request-id").to_owned());
    }
    ids.push(program.call(Method::POST, &format!("/t/{secret}")).send().await.header("x-request-id").to_owned());
    let metrics = reqwest::get(format!("http://{metrics}/metrics")).await.expect("metrics").text().await.expect("text");
    assert!(metrics.contains("page_link") && !metrics.contains(secret), "{metrics}");
    program.ask_to_stop();
    assert_eq!(program.exit_code().await, Some(0));
    let log = fs::read_to_string(file).expect("a log");
    assert!(!log.contains(secret) && !log.contains(&secret[9..]) && !log.contains("Hush"), "{log}");
    for id in ids {
        let line = log.lines().find(|line| line.contains(&id)).unwrap_or_else(|| panic!("no line: {log}"));
        assert!(line.contains("/t/*") || line.contains("//t//*"), "{line}");
    }
}
