//! SIGTERM under load: no accepted request fails, and the process ends in time.
//!
//! A request counts as accepted unless its client got no connection, or a new connection was reset before any byte of an
//! answer (the kernel completes connections before the server knows of them). In particular, a connection that was used
//! before must not be closed without a response. Behind a proxy and with a drain delay, clients see no failure at all.
//!
//! `ITINERARY_STOP_ROUNDS=20` sets the number of rounds.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use futures::future::join_all;
use itinerary_tests::engines::Engine;
use itinerary_tests::program::{PATIENT, Program, command, free_address, make_account, succeed, words};
use itinerary_tests::{Database, Postgres, api_test};
use reqwest::Method;
use serde_json::{Value, json};
use tokio::process::Command;
use uuid::Uuid;

use crate::keep_alive::{Client, Outcome, Request};

const CLIENTS: usize = 32;
/// How long the clients load a server before it is asked to stop.
const LOAD: Duration = Duration::from_millis(700);
/// Within this time a server that was asked to stop is gone.
const LONGEST: Duration = Duration::from_secs(10);
/// Many rounds create many itineraries.
const SETTINGS: [&str; 6] = ["--limits", "off", "--quota-itineraries", "1000000", PATIENT[0], PATIENT[1]];
const SCOPE: &str = "itineraries:read itineraries:write documents:read documents:write";
const BOUNDARY: &str = "----StoppingBoundary";
/// The size of a full chunk of an age payload with its tag.
const CHUNK: usize = 65_552;

fn rounds(otherwise: usize) -> usize {
    std::env::var("ITINERARY_STOP_ROUNDS").map_or(otherwise, |rounds| rounds.parse().expect("a number"))
}

fn lisbon(title: &str) -> Vec<u8> {
    let coordinate = json!({ "latitude": 38.7223, "longitude": -9.1393 });
    json!({ "title": title, "destination": { "name": "Lisbon", "coordinate": coordinate } }).to_string().into_bytes()
}

/// What the clients saw.
#[derive(Default)]
struct Seen {
    responses: AtomicUsize,
    refused: AtomicUsize,
    reset_when_new: AtomicUsize,
    failures: Mutex<Vec<String>>,
    /// The ids of created itineraries, by their idempotency keys.
    created: Mutex<HashMap<String, String>>,
}

impl Seen {
    fn fail(&self, what: String) {
        self.failures.lock().expect("no panic").push(what);
    }

    /// Notes an outcome. Returns whether the client can go on.
    fn note(&self, number: usize, key: Option<&str>, outcome: &Outcome) -> bool {
        match outcome {
            Outcome::Answered(response) if matches!(response.status, 200 | 201) => {
                self.responses.fetch_add(1, Ordering::Relaxed);
                if let Some(key) = key {
                    let body: Value = serde_json::from_slice(&response.body).expect("JSON");
                    let id = body["id"].as_str().expect("an id").to_owned();
                    self.created.lock().expect("no panic").insert(key.to_owned(), id);
                }
                return true;
            }
            Outcome::Refused => drop(self.refused.fetch_add(1, Ordering::Relaxed)),
            Outcome::ResetWhenNew => drop(self.reset_when_new.fetch_add(1, Ordering::Relaxed)),
            other => self.fail(format!("client {number}: {other:?}")),
        }
        false
    }
}

/// Reads and writes until `over`, or until the server accepts no more.
async fn load(address: SocketAddr, token: &str, number: usize, seen: &Seen, over: &AtomicBool) {
    let mut client = Client::of(address);
    for n in 0_u32.. {
        if over.load(Ordering::Relaxed) {
            return;
        }
        // A third of the clients opens a connection for each request.
        if number.is_multiple_of(3) {
            client = Client::of(address);
        }
        let key = (n % 2 == 1).then(|| Uuid::new_v4().to_string());
        let request = match &key {
            Some(key) => {
                Request::post("/v1/itineraries?allowDuplicate=true", token, "application/json", key, lisbon(key))
            }
            None => Request::get("/v1/itineraries?limit=5", token),
        };
        if !seen.note(number, key.as_deref(), &client.send(&request).await) {
            return;
        }
    }
}

/// The form of a large document: the structure of an age file, which the server checks.
fn large_form() -> Vec<u8> {
    let key = "WlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlo";
    let head = format!(
        "--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"pass.age\"\r\n\
         Content-Type: application/octet-stream\r\n\r\nage-encryption.org/v1\n-> X25519 {key}\n{key}\n--- {key}\n"
    );
    let payload = vec![b'#'; 16 + 300 * CHUNK + 1_000];
    [head.as_bytes(), &payload, format!("\r\n--{BOUNDARY}--\r\n").as_bytes()].concat()
}

/// A traveller who may upload documents.
async fn ana(engine: &Engine) -> String {
    make_account(engine, "ana").await;
    succeed(command(words(engine, &["account", "plan", "ana", "pro"])), "").await;
    let token = succeed(command(words(engine, &["account", "token", "ana", "--scope", SCOPE])), "").await;
    token.trim_end().to_owned()
}

/// Every acknowledged itinerary is there.
async fn expect_stored(server: &Program, token: &str, created: &HashMap<String, String>) {
    for (key, id) in created {
        let found = server.call(Method::GET, &format!("/v1/itineraries/{id}")).token(token).send().await;
        assert_eq!((found.status.as_u16(), found.json()["title"].as_str()), (200, Some(key.as_str())), "{key}");
    }
}

#[api_test]
async fn no_accepted_request_fails(database: Database) {
    let Some(engine) = Engine::on(database) else { return };
    let token = ana(&engine).await;
    let (mut responses, mut reset, mut longest) = (0, 0, Duration::ZERO);
    let rounds = rounds(2);
    let mut server = Program::serve(&engine, &SETTINGS).await;
    for round in 0..rounds {
        let seen = Arc::new(Seen::default());
        let address = server.address();
        let never = Arc::new(AtomicBool::new(false));
        let clients: Vec<_> = (0..CLIENTS)
            .map(|number| {
                let (token, seen, never) = (token.clone(), Arc::clone(&seen), Arc::clone(&never));
                tokio::spawn(async move { load(address, &token, number, &seen, &never).await })
            })
            .collect();
        let made = Request::post(
            "/v1/itineraries?allowDuplicate=true",
            &token,
            "application/json",
            &Uuid::new_v4().to_string(),
            lisbon("Upload"),
        );
        let Outcome::Answered(made) = Client::of(address).send(&made).await else { panic!("no itinerary") };
        let made: Value = serde_json::from_slice(&made.body).expect("JSON");
        // Sent in 30 parts, it ends about two seconds after the server was asked to stop.
        let path = format!("/v1/itineraries/{}/documents", made["id"].as_str().expect("an id"));
        let form = format!("multipart/form-data; boundary={BOUNDARY}");
        let upload = Request::post(&path, &token, &form, &Uuid::new_v4().to_string(), large_form());
        let upload = Request { parts: 30, pause: Duration::from_millis(90), ..upload };
        let uploading = tokio::spawn(async move { Client::of(address).send(&upload).await });

        tokio::time::sleep(LOAD).await;
        let asked = Instant::now();
        server.ask_to_stop();
        assert_eq!(server.exit_code().await, Some(0));
        longest = longest.max(asked.elapsed());
        assert!(asked.elapsed() < LONGEST, "{:?}", asked.elapsed());
        for client in join_all(clients).await {
            client.expect("no client panics");
        }
        match uploading.await.expect("no panic") {
            Outcome::Answered(response) if response.status == 201 => {}
            other => seen.fail(format!("upload: {other:?}")),
        }
        let failures = seen.failures.lock().expect("no panic").clone();
        assert_eq!(failures, [] as [String; 0], "round {round}");
        assert!(seen.refused.load(Ordering::Relaxed) > 0, "clients went on until there was no server");
        responses += seen.responses.load(Ordering::Relaxed);
        reset += seen.reset_when_new.load(Ordering::Relaxed);
        server = Program::serve(&engine, &SETTINGS).await;
        let created = seen.created.lock().expect("no panic").clone();
        expect_stored(&server, &token, &created).await;
    }
    println!(
        "{database:?}: {rounds} stops, {responses} answers, 0 failures, {reset} new connections reset, longest stop {longest:.1?}"
    );
}

/// HAProxy in front of two servers, as documented. `None` if it is not installed.
fn proxy(folder: &std::path::Path, servers: [SocketAddr; 2]) -> Option<(SocketAddr, tokio::process::Child)> {
    let address = free_address();
    let text = include_str!("../../../docs/deploy/haproxy.cfg");
    let replacements = [
        ("bind :8443 ssl crt /etc/haproxy/site.pem alpn h2,http/1.1".to_owned(), format!("bind {address}")),
        ("server-1:8080".to_owned(), servers[0].to_string()),
        ("server-2:8080".to_owned(), servers[1].to_string()),
        // Host names are only for the containers.
        (" resolvers containers init-addr last,libc,none".to_owned(), String::new()),
    ];
    let text = replacements.iter().fold(text.to_owned(), |text, (from, to)| {
        assert!(text.contains(from), "there is no {from}");
        text.replace(from, to)
    });
    let file = folder.join("haproxy.cfg");
    std::fs::write(&file, text).expect("a file");
    let mut haproxy = Command::new("haproxy");
    haproxy.args(["-db", "-f"]).arg(&file).env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin");
    haproxy.stdin(Stdio::null()).stderr(Stdio::null()).stdout(Stdio::null()).kill_on_drop(true);
    let Ok(process) = haproxy.spawn() else {
        assert!(std::env::var_os("ITINERARY_REQUIRE_PROXIES").is_none(), "haproxy is not installed");
        itinerary_tests::skipped("haproxy is not installed");
        return None;
    };
    Some((address.parse().expect("an address"), process))
}

/// Waits until the proxy answers with 200.
async fn until_ready(address: SocketAddr) {
    let ready = async {
        loop {
            let outcome = Client::of(address).send(&Request::get("/readyz", "")).await;
            if matches!(outcome, Outcome::Answered(response) if response.status == 200) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), ready).await.expect("it becomes ready");
}

// Servers are replaced one after the other, as in an update.
#[tokio::test(flavor = "multi_thread")]
async fn behind_a_proxy_no_request_fails() {
    let Some(engine) = Engine::on(Postgres) else { return };
    let token = ana(&engine).await;
    let serve = async |address: &str| {
        let flags = [&["serve", "--drain-delay", "3", "--listen", address][..], &SETTINGS].concat();
        Program::start(command(words(&engine, &flags))).await
    };
    let mut servers = [serve(&free_address()).await, serve(&free_address()).await];
    let folder = tempfile::TempDir::new().expect("a folder");
    let Some((address, _process)) = proxy(folder.path(), [servers[0].address(), servers[1].address()]) else {
        return;
    };
    until_ready(address).await;
    let (seen, over) = (Arc::new(Seen::default()), Arc::new(AtomicBool::new(false)));
    let clients: Vec<_> = (0..CLIENTS)
        .map(|number| {
            let (token, seen, over) = (token.clone(), Arc::clone(&seen), Arc::clone(&over));
            tokio::spawn(async move { load(address, &token, number, &seen, &over).await })
        })
        .collect();
    let rounds = rounds(1);
    for _ in 0..rounds {
        for server in &mut servers {
            tokio::time::sleep(LOAD).await;
            let own = server.address();
            server.ask_to_stop();
            server.end().await;
            *server = serve(&own.to_string()).await;
            until_ready(own).await;
            // The proxy checks every 500 ms.
            tokio::time::sleep(Duration::from_secs(2)).await;
        }
    }
    over.store(true, Ordering::Relaxed);
    for client in join_all(clients).await {
        client.expect("no client panics");
    }
    let failures = seen.failures.lock().expect("no panic").clone();
    assert_eq!(failures, [] as [String; 0]);
    let others = (seen.refused.load(Ordering::Relaxed), seen.reset_when_new.load(Ordering::Relaxed));
    assert_eq!(others, (0, 0), "the proxy is always there");
    let created = seen.created.lock().expect("no panic").clone();
    expect_stored(&servers[0], &token, &created).await;
    let responses = seen.responses.load(Ordering::Relaxed);
    println!("behind a proxy: {} stops, {responses} answers, 0 failures", rounds * 2);
}
