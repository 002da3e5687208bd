//! Writers and readers on several servers of one database while something restarts, and what must hold afterwards: every
//! answer is right or 502 or 503 and comes in time, and every acknowledged write is stored once.
//!
//! A writer repeats a request with its idempotency key until it is answered.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use futures::future::join_all;
use itinerary_tests::RawResponse;
use itinerary_tests::program::Program;
use itinerary_tests::raw::Call;
use reqwest::Method;
use serde_json::{Value, json};
use uuid::Uuid;

/// No response may take longer.
const LONGEST: Duration = Duration::from_secs(5);

/// How often a writer changes an itinerary.
const CHANGES: usize = 3;

pub(crate) struct Load<'s> {
    servers: &'s [Program],
    token: &'s str,
    stopped: AtomicBool,
    requests: AtomicUsize,
    next: AtomicUsize,
    seen: Mutex<Seen>,
}

#[derive(Default)]
struct Seen {
    statuses: BTreeMap<u16, usize>,
    /// When the requests that failed were sent and answered.
    failed: Vec<(Instant, Instant)>,
    longest: Duration,
    /// The slowest request.
    slowest: String,
    wrong: Vec<String>,
    ids: Vec<String>,
    texts: Vec<String>,
}

/// What was measured.
pub(crate) struct Figures {
    requests: usize,
    pub(crate) acknowledged: usize,
    statuses: BTreeMap<u16, usize>,
    longest: Duration,
}

impl Display for Figures {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { requests, acknowledged, statuses, longest } = self;
        write!(f, "{requests} requests, {acknowledged} writes acknowledged, answers {statuses:?}, longest {longest:?}")
    }
}

/// An itinerary that a writer made, and its last acknowledged change.
struct Written {
    id: String,
    etag: String,
    title: String,
}

impl<'s> Load<'s> {
    pub(crate) fn new(servers: &'s [Program], token: &'s str) -> Self {
        let (stopped, requests, next, seen) = Default::default();
        Self { servers, token, stopped, requests, next, seen }
    }

    /// Runs writers and readers until `work` is done, then checks what is stored.
    pub(crate) async fn during<T>(
        &self,
        writers: usize,
        readers: usize,
        work: impl Future<Output = T>,
    ) -> (T, Figures) {
        let work = async {
            let outcome = work.await;
            self.stopped.store(true, Ordering::Relaxed);
            outcome
        };
        let writers = join_all((0..writers).map(|n| self.write(n)));
        let readers = join_all((0..readers).map(|n| self.read(n)));
        let (outcome, written, _) = futures::join!(work, writers, readers);
        let written: Vec<Written> = written.into_iter().flatten().collect();
        let acknowledged = self.check(&written).await;
        let seen = self.seen();
        assert!(seen.wrong.is_empty(), "{:#?}", seen.wrong);
        assert!(seen.longest < LONGEST, "an answer took {:?}: {}", seen.longest, seen.slowest);
        let requests = self.requests.load(Ordering::Relaxed);
        (outcome, Figures { requests, acknowledged, statuses: seen.statuses.clone(), longest: seen.longest })
    }

    /// When the requests that failed with 502 or 503 were sent and answered.
    pub(crate) fn failures(&self) -> Vec<(Instant, Instant)> {
        self.seen().failed.clone()
    }

    /// The distinct bodies of the failures, for assertions about their shape.
    pub(crate) fn failure_texts(&self) -> Vec<String> {
        self.seen().texts.clone()
    }

    fn seen(&self) -> std::sync::MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn goes_on(&self) -> bool {
        !self.stopped.load(Ordering::Relaxed)
    }

    fn call(&self, method: Method, path: &str) -> Call {
        let n = self.requests.fetch_add(1, Ordering::Relaxed);
        self.servers[n % self.servers.len()].call(method, path).token(self.token)
    }

    /// The response, or `None` after 502 or 503.
    async fn response(&self, call: Call) -> Option<RawResponse> {
        let sent = Instant::now();
        let request = call.0.try_clone().and_then(|call| call.build().ok());
        let response = tokio::time::timeout(4 * LONGEST, call.send()).await;
        let took = sent.elapsed();
        let mut seen = self.seen();
        if took > seen.longest {
            let request = request.map_or_else(String::new, |request| format!("{} {}", request.method(), request.url()));
            let response = response.as_ref().map_or_else(|_| "no answer".to_owned(), RawResponse::text);
            seen.slowest = format!("{request}: {}", response.get(..300).unwrap_or(&response));
            seen.longest = took;
        }
        let response = response.ok()?;
        let status = response.status.as_u16();
        *seen.statuses.entry(status).or_default() += 1;
        if matches!(status, 502 | 503) {
            seen.failed.push((sent, sent + took));
            let text = response.json()["error"]["code"].as_str().unwrap_or("no code").to_owned();
            if !seen.texts.contains(&text) {
                seen.texts.push(text);
            }
            return None;
        }
        Some(response)
    }

    /// Repeats a request until it is answered.
    async fn repeated(&self, call: impl Fn() -> Call) -> RawResponse {
        loop {
            if let Some(response) = self.response(call()).await {
                return response;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    fn expect(&self, response: &RawResponse, status: u16, what: &str) -> bool {
        let is_right = response.status.as_u16() == status;
        if !is_right {
            self.seen().wrong.push(format!("{what}: {} {}", response.status, response.text()));
        }
        is_right
    }

    async fn write(&self, writer: usize) -> Vec<Written> {
        let mut written = Vec::new();
        while self.goes_on() {
            let n = self.next.fetch_add(1, Ordering::Relaxed);
            let key = Uuid::new_v4().to_string();
            let made = self.repeated(|| {
                let call = self.call(Method::POST, "/v1/itineraries?allowDuplicate=true");
                call.header("Idempotency-Key", &key).json(&trip(n, 0))
            });
            let made = made.await;
            if !self.expect(&made, 201, "create") {
                continue;
            }
            let id = made.json()["id"].as_str().expect("an id").to_owned();
            self.seen().ids.push(id.clone());
            let mut last = Written { id, etag: made.header("etag").to_owned(), title: title(n, 0) };
            for edition in 1..=CHANGES {
                let key = Uuid::new_v4().to_string();
                let changed = self.repeated(|| {
                    let call = self.call(Method::PATCH, &format!("/v1/itineraries/{}", last.id));
                    let call = call.header("Idempotency-Key", &key).header("If-Match", &last.etag);
                    call.json(&json!({ "title": title(n, edition) }))
                });
                let changed = changed.await;
                if !self.expect(&changed, 200, &format!("change {edition} by writer {writer} of {}", last.etag)) {
                    break;
                }
                (last.etag, last.title) = (changed.header("etag").to_owned(), title(n, edition));
            }
            written.push(last);
        }
        written
    }

    async fn read(&self, reader: usize) {
        let mut n = reader;
        while self.goes_on() {
            n += 1;
            let known = self.seen().ids.iter().rev().nth(n % 16).cloned();
            let path = match (known, n % 3) {
                (Some(id), 0 | 1) => format!("/v1/itineraries/{id}"),
                (_, 2) => "/v1/itineraries?limit=5".to_owned(),
                _ => "/v1/explore?limit=5".to_owned(),
            };
            if let Some(response) = self.response(self.call(Method::GET, &path)).await {
                self.expect(&response, 200, &path);
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// Compares what is stored with what was acknowledged; returns the number of acknowledged writes.
    async fn check(&self, written: &[Written]) -> usize {
        let mut writes = 0;
        for Written { id, etag, title } in written {
            let stored = self.repeated(|| self.call(Method::GET, &format!("/v1/itineraries/{id}"))).await;
            if self.expect(&stored, 200, "a lost itinerary") {
                // Servers at different addresses add different marks.
                let version = |tag: &str| tag.trim_matches('"').split('@').next().map(str::to_owned);
                assert_eq!(version(stored.header("etag")), version(etag), "{id}");
                assert_eq!(stored.json()["title"], Value::from(&**title), "{id}");
            }
            writes += etag.trim_start_matches("\"v").split('.').next().and_then(|v| v.parse().ok()).unwrap_or(0);
        }
        let mut listed: Vec<String> = Vec::new();
        let mut path = "/v1/itineraries?limit=100".to_owned();
        loop {
            let page = self.repeated(|| self.call(Method::GET, &path)).await.json();
            let entries = page["data"].as_array().expect("a list").iter();
            listed.extend(entries.map(|entry| entry["title"].as_str().expect("a title").to_owned()));
            let Some(cursor) = page["nextCursor"].as_str() else { break };
            path = format!("/v1/itineraries?limit=100&cursor={cursor}");
        }
        let mut expected: Vec<String> = written.iter().map(|write| write.title.clone()).collect();
        listed.sort();
        expected.sort();
        assert!(listed == expected, "stored more than once, or never: {} instead of {}", listed.len(), expected.len());
        writes
    }
}

fn title(n: usize, edition: usize) -> String {
    format!("Trip {n}.{edition}")
}

/// An itinerary with a few stops.
fn trip(n: usize, edition: usize) -> Value {
    let stops: Vec<Value> =
        (0..6).map(|stop| json!({ "id": format!("s{stop}"), "name": format!("Stop {stop}") })).collect();
    json!({
        "destination": { "name": "Lisbon", "coordinate": { "latitude": 38.7223, "longitude": -9.1393 } },
        "title": title(n, edition),
        "summary": "A long way round. ".repeat(30),
        "days": [{ "id": "d", "stops": stops }],
    })
}
