//! The log of a request at the endpoint: its access line, and nothing of its content.

use std::fs::{self, File};

use itinerary_tests::engines::Engine;
use itinerary_tests::program::{Program, command, free_address, make_account, make_token, words};
use reqwest::Method;
use serde_json::json;

use super::{legacy, modern};
use crate::http::lisbon;

#[tokio::test(flavor = "multi_thread")]
async fn a_request_has_one_line() {
    let engine = Engine::sqlite();
    make_account(&engine, "ana").await;
    let token = make_token(&engine, "ana").await;
    let file = engine.file("log");
    let mut serve = command(words(&engine, &["serve", "--listen", &free_address()]));
    serve.env_remove("RUST_LOG").env("ITINERARY_LOG_FORMAT", "json").stderr(File::create(&file).expect("a file"));
    let program = Program::start(serve).await;
    let mut plan = lisbon();
    plan["title"] = json!("Hush");
    let call = json!({ "name": "plan_itinerary", "arguments": plan });
    let post = || program.call(Method::POST, "/mcp").token(&token);
    let mut ids = Vec::new();
    for message in
        [legacy("tools/list", &json!({})), legacy("tools/call", &call), json!([]), legacy("nonsense", &json!({}))]
    {
        ids.push(post().json(&message).send().await.header("x-request-id").to_owned());
    }
    let discover = post().header("MCP-Protocol-Version", super::MODERN).header("Mcp-Method", "server/discover");
    ids.push(discover.json(&modern("server/discover", &json!({}))).send().await.header("x-request-id").to_owned());
    program.ask_to_stop();
    assert_eq!(program.exit_code().await, Some(0));
    let log = fs::read_to_string(file).expect("a log");
    assert!(!log.contains("Hush") && !log.contains(&token), "{log}");
    for id in ids {
        let lines: Vec<_> = log.lines().filter(|line| line.contains(&id)).collect();
        assert_eq!(lines.len(), 1, "{log}");
        assert!(lines[0].contains("\"operation\":\"mcp\"") && lines[0].contains("/mcp"), "{}", lines[0]);
    }
}
