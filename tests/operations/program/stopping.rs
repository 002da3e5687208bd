//! Stopping with a delay, what the log says about start and stop, and what the service manager is told.

use std::fs::{self, File};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::path::Path;
use std::time::{Duration, Instant};

use itinerary_tests::engines::Engine;
use itinerary_tests::program::{Program, command, free_address, words};
use itinerary_tests::{Database, Sqlite, api_test};
use reqwest::Method;
use rstest::rstest;
use serde_json::Value;
use tokio::process::Command;

use crate::keep_alive::{Client, Outcome, RawResponse, Request};

/// The program with these flags, on a free port, with its log as JSON in a file.
fn logging(engine: &Engine, more: &[&str], log: &Path) -> Command {
    let address = free_address();
    let flags = words(engine, &[&["serve", "--listen", &address, "--log-format", "json"], more].concat());
    let mut command = command(flags);
    command.env("RUST_LOG", "info").stderr(File::create(log).expect("a file"));
    command
}

/// The log's lines with this message.
fn lines(log: &Path, message: &str) -> Vec<Value> {
    let text = fs::read_to_string(log).expect("a log");
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("a JSON line")["fields"].take());
    lines.filter(|fields| fields["message"] == message).collect()
}

async fn get(client: &mut Client, path: &str) -> RawResponse {
    match client.send(&Request::get(path, "nobody")).await {
        Outcome::Answered(response) => response,
        other => panic!("{path}: {other:?}"),
    }
}

#[api_test]
async fn during_the_delay_only_readiness_changes(database: Database) {
    let Some(engine) = Engine::on(database) else { return };
    let log = engine.file("server.log");
    let server = Program::start(logging(&engine, &["--drain-delay", "120"], &log)).await;
    let address = server.address();
    let mut kept = Client::of(address);
    assert_eq!(get(&mut kept, "/readyz").await.status, 200);

    let began = Instant::now();
    server.ask_to_stop();
    let stopping = loop {
        let response = get(&mut kept, "/readyz").await;
        if response.status != 200 {
            break response;
        }
        assert!(began.elapsed() < Duration::from_secs(5), "at once");
    };
    assert_eq!(stopping.status, 503);
    assert!(stopping.head.contains("retry-after: 1"), "{}", stopping.head);
    let body: Value = serde_json::from_slice(&stopping.body).expect("JSON");
    assert_eq!(body["error"]["code"], "featureUnavailable");
    for client in [&mut kept, &mut Client::of(address)] {
        for (path, status) in [("/healthz", 200), ("/v1/itineraries", 401), ("/readyz", 503)] {
            let response = get(client, path).await;
            assert_eq!((response.status, response.is_last()), (status, false), "{path}");
        }
    }
    // A second signal skips the rest of the delay.
    server.ask_to_stop();
    assert_eq!(server.exit_code().await, Some(0));
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());

    let started = &lines(&log, "started")[0];
    let kind = if matches!(database, Sqlite) { "SQLite" } else { "PostgreSQL" };
    assert_eq!((&started["database"], &started["version"]), (&kind.into(), &env!("CARGO_PKG_VERSION").into()));
    assert_eq!((&started["address"], &started["drain_delay"]), (&address.to_string().into(), &120.into()));
    assert!(started["schema"].as_str().is_some_and(|name| name.starts_with("m20")), "{started}");
    assert!(!started["database_at"].as_str().expect("text").contains('@'), "without the user: {started}");
    assert_eq!(lines(&log, "stopping")[0]["signal"], "SIGTERM");
    assert_eq!(lines(&log, "the rest of the drain delay is skipped").len(), 1);
    let stopped = &lines(&log, "stopped")[0];
    assert_eq!((&stopped["signal"], &stopped["cut_off"]), (&"SIGTERM".into(), &0.into()));
    assert!(stopped["seconds"].as_f64().is_some_and(|seconds| seconds < 20.0), "{stopped}");
}

// A client that holds an idle connection can send one more request, and is told that it was the last.
#[tokio::test(flavor = "multi_thread")]
async fn after_the_delay_an_open_connection_gets_one_more_response() {
    let engine = Engine::sqlite();
    let log = engine.file("server.log");
    let server = Program::start(logging(&engine, &[], &log)).await;
    let mut kept = Client::of(server.address());
    assert!(!get(&mut kept, "/healthz").await.is_last());
    server.ask_to_stop();
    // New connections are refused as soon as the listener is closed.
    while tokio::net::TcpStream::connect(server.address()).await.is_ok() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let last = get(&mut kept, "/healthz").await;
    assert_eq!((last.status, last.is_last()), (200, true));
    assert_eq!(server.exit_code().await, Some(0));
    assert_eq!(lines(&log, "stopped")[0]["completed"], 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_proxy_that_is_not_trusted_is_warned_of_once() {
    for (setting, warnings) in [(&[][..], 1), (&["--trusted-proxies", "127.0.0.1"], 0)] {
        let engine = Engine::sqlite();
        let log = engine.file("server.log");
        let server = Program::start(logging(&engine, setting, &log)).await;
        for _ in 0..2 {
            let call = server.call(Method::GET, "/healthz").header("X-Forwarded-For", "203.0.113.7");
            assert_eq!(call.send().await.status, 200);
        }
        server.ask_to_stop();
        assert_eq!(server.exit_code().await, Some(0));
        let log = fs::read_to_string(log).expect("a log");
        assert_eq!(log.matches("`trusted_proxies` is not set").count(), warnings, "{setting:?}: {log}");
    }
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn service_manager_is_notified(#[values(false, true)] is_abstract: bool) {
    let engine = Engine::sqlite();
    let name = if is_abstract {
        format!("@itinerary-test-{}", std::process::id())
    } else {
        engine.file("notify").display().to_string()
    };
    let address = match name.strip_prefix('@') {
        Some(name) => SocketAddr::from_abstract_name(name).expect("a name"),
        None => SocketAddr::from_pathname(&name).expect("a path"),
    };
    let manager = UnixDatagram::bind_addr(&address).expect("a socket");
    manager.set_read_timeout(Some(Duration::from_secs(20))).expect("a timeout");
    let next = || {
        let mut bytes = [0; 256];
        let length = manager.recv(&mut bytes).expect("a message");
        String::from_utf8_lossy(&bytes[..length]).into_owned()
    };
    let flags = words(&engine, &["serve", "--listen", &free_address(), "--drain-delay", "1"]);
    let mut server = command(flags);
    server.env("NOTIFY_SOCKET", &name);
    let server = Program::start(server).await;
    assert_eq!(next(), "READY=1\n");
    server.reload();
    assert_eq!([next(), next()], ["RELOADING=1\n", "READY=1\n"]);
    server.ask_to_stop();
    assert_eq!(next(), "STOPPING=1\nEXTEND_TIMEOUT_USEC=11000000\n");
    assert_eq!(server.exit_code().await, Some(0));
}

// The server runs without its service manager.
#[tokio::test(flavor = "multi_thread")]
async fn a_missing_service_manager_is_only_logged() {
    let engine = Engine::sqlite();
    let log = engine.file("server.log");
    let mut server = logging(&engine, &[], &log);
    server.env("NOTIFY_SOCKET", engine.file("nobody"));
    let server = Program::start(server).await;
    assert_eq!(get(&mut Client::of(server.address()), "/readyz").await.status, 200);
    server.ask_to_stop();
    assert_eq!(server.exit_code().await, Some(0));
    assert_eq!(lines(&log, "the service manager cannot be notified").len(), 1);
}
