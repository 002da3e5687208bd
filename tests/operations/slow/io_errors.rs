//! A disk that fails: strace makes some of the server's system calls fail with `EIO`.

use std::collections::BTreeMap;
use std::path::Path;

use itinerary_tests::bodies::lisbon;
use itinerary_tests::engines::Engine;
use itinerary_tests::program::{Program, free_address, make_account, make_token, traced, words};
use itinerary_tests::sql;
use reqwest::Method;
use rstest::rstest;
use serde_json::json;

use crate::program::migrating::can_trace;

/// The number of writes, sent one after the other. Each is a commit of its own.
const WRITES: usize = 60;

// Calls are counted for each thread; all of SQLite's writes and syncs are in one. The start and the first jobs take up to
// 30 syncs and 150 writes. A write whose page or sync fails is
// not acknowledged, later ones are, and all acknowledged ones are there after a kill.
#[rstest]
#[case("fdatasync,fsync", "40..51")]
#[case("pwrite64", "400..431")]
#[tokio::test(flavor = "multi_thread")]
async fn a_write_that_a_failing_disk_does_not_take_is_not_acknowledged(#[case] calls: &str, #[case] when: &str) {
    if !can_trace() {
        return;
    }
    let engine = Engine::sqlite();
    make_account(&engine, "ana").await;
    let token = make_token(&engine, "ana").await;
    let (trace, inject) = (format!("-etrace={calls}"), format!("-einject={calls}:error=EIO:when={when}"));
    let flags = words(&engine, &["serve", "--listen", &free_address(), "--limits", "off"]);
    let strace = ["-f", "--seccomp-bpf", &*trace, &inject];
    let server = Program::start(traced(&strace, Path::new("/dev/null"), flags)).await;

    let mut acknowledged = BTreeMap::new();
    let mut outcomes = String::new();
    for number in 0..WRITES {
        let mut body = lisbon();
        body["title"] = json!(format!("Trip {number}"));
        let call = server.call(Method::POST, "/v1/itineraries?allowDuplicate=true").token(&token);
        let response = call.json(&body).send().await;
        if response.status == 201 {
            acknowledged.insert(response.header("location").to_owned(), body["title"].clone());
            outcomes.push('+');
        } else {
            response.expect_error(502, "upstreamFailed");
            outcomes.push('-');
        }
        // Reads need none of these calls.
        for path in acknowledged.keys().take(2).map(String::as_str).chain(["/v1/itineraries", "/readyz"]) {
            let found = server.call(Method::GET, path).token(&token).send().await;
            assert_eq!(found.status, 200, "{path}: {}", found.text());
        }
    }
    eprintln!("{calls}: {outcomes}");
    let failed = outcomes.trim_matches('+');
    assert!(failed.len() >= 3 && !failed.contains('+'), "they fail while the disk does: {outcomes}");
    assert!(outcomes.starts_with('+') && outcomes.ends_with("+++++"), "before and after they succeed: {outcomes}");

    server.kill_now();
    server.exit_code().await;
    assert_eq!(sql::ask(&engine.url(), "PRAGMA integrity_check").await, "ok");
    let server = Program::serve(&engine, &["--limits", "off"]).await;
    for (path, title) in &acknowledged {
        let found = server.call(Method::GET, path).token(&token).send().await;
        assert_eq!(found.json()["title"], *title, "{}", found.text());
    }
    let list = server.call(Method::GET, "/v1/itineraries?limit=100").token(&token).send().await.json();
    let listed = list["data"].as_array().expect("a list").len();
    // The last write that failed may have reached the log before the kill only if nothing was written over it.
    assert_eq!(listed, acknowledged.len());
}
