//! F-01: a server that is killed during writes loses no acknowledged write and leaves none half-written.
//!
//! A few rounds run with the other tests. `ITINERARY_KILL_ROUNDS=500` sets their number, and lets each round write for
//! up to half a second.

use std::collections::HashMap;
use std::fmt::{self, Display, Formatter};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use futures::StreamExt as _;
use futures::future::{join, join_all};
use futures::stream;
use itinerary_tests::bodies::{minimal, with};
use itinerary_tests::engines::Engine;
use itinerary_tests::program::{PATIENT, Program, free_address, make_account, make_token};
use itinerary_tests::raw::Call;
use itinerary_tests::{Database, Postgres, RawResponse, Sqlite, sql};
use reqwest::Method;
use rstest::rstest;
use serde_json::{Value, json};
use tokio::sync::Notify;
use uuid::Uuid;

const WRITERS: usize = 32;
/// How often a writer changes an itinerary after creating it.
const CHANGES: usize = 3;
/// The number of concurrent reads after a restart.
const READERS: usize = 16;
/// A long run reports its progress after this many rounds.
const PROGRESS: usize = 50;

/// An itinerary with content in every fragment except Pro. Every fragment names the edition, so that a mix of two
/// editions is recognised.
pub(super) fn trip(n: usize, edition: usize) -> Value {
    let stops: Vec<Value> =
        (0..6).map(|stop| json!({ "id": format!("s{stop}"), "name": format!("Stop {n}.{edition}.{stop}") })).collect();
    with(
        minimal(),
        json!({
            "title": format!("Trip {n}.{edition}"),
            "summary": format!("Edition {edition}: a long way round. ").repeat(30),
            "days": [{ "id": "d", "stops": stops }],
            "flights": [{ "id": "f", "flightNumber": format!("{n}.{edition}") }],
            "hotels": [{ "id": "h", "name": format!("Hotel {n}.{edition}") }],
        }),
    )
}

/// The number and the edition in the title of an itinerary or of its list entry.
fn number_and_edition(titled: &Value) -> Option<(usize, usize)> {
    let (number, edition) = titled["title"].as_str()?.strip_prefix("Trip ")?.split_once('.')?;
    Some((number.parse().ok()?, edition.parse().ok()?))
}

/// The list entries of trips with this number or a higher one. Newest changes come first, so the list is read until
/// earlier trips appear.
pub(super) async fn listed(server: &Program, token: &str, first: usize) -> Vec<Value> {
    let is_earlier = |entry: &Value| number_and_edition(entry).is_some_and(|(n, _)| n < first);
    let mut entries: Vec<Value> = Vec::new();
    let mut path = "/v1/itineraries?limit=100".to_owned();
    loop {
        let mut page = server.call(Method::GET, &path).token(token).send().await.json();
        entries.append(page["data"].as_array_mut().expect("a list"));
        match page["nextCursor"].as_str() {
            Some(cursor) if !entries.iter().any(is_earlier) => {
                path = format!("/v1/itineraries?limit=100&cursor={cursor}");
            }
            _ => break,
        }
    }
    entries.retain(|entry| !is_earlier(entry));
    entries
}

/// The last response that a writer received for an itinerary. One more change may have been stored.
struct Acknowledged {
    id: String,
    edition: usize,
    etag: String,
    itinerary: Value,
}

impl Acknowledged {
    fn of(answer: &RawResponse, edition: usize) -> Self {
        let mut itinerary = answer.json();
        // Only responses to writes have it.
        itinerary.as_object_mut().expect("an object").remove("needsAttention");
        let id = itinerary["id"].as_str().expect("an id").to_owned();
        Self { id, edition, etag: answer.header("etag").to_owned(), itinerary }
    }
}

/// The complete response to a write. `None` once the server is gone.
async fn acknowledged(call: Call) -> Option<RawResponse> {
    let response = call.0.send().await.ok()?;
    let (status, headers) = (response.status(), response.headers().clone());
    let answer = RawResponse { status, headers, body: response.bytes().await.ok()?.to_vec() };
    assert!(status.is_success(), "{status}: {}", answer.text());
    Some(answer)
}

/// Creates itineraries and changes each a few times until the server is gone. Notifies when one was created.
async fn write(server: &Program, token: &str, next: &AtomicUsize, created: &Notify) -> Vec<Acknowledged> {
    let mut written: Vec<Acknowledged> = Vec::new();
    loop {
        let n = next.fetch_add(1, Ordering::Relaxed);
        let create = server.call(Method::POST, "/v1/itineraries?allowDuplicate=true").token(token).json(&trip(n, 0));
        let Some(made) = acknowledged(create).await else { return written };
        created.notify_one();
        written.push(Acknowledged::of(&made, 0));
        let last = written.last_mut().expect("it was just added");
        for edition in 1..=CHANGES {
            let change = server.call(Method::PATCH, &format!("/v1/itineraries/{}", last.id)).token(token);
            let change = change.header("If-Match", &last.etag).json(&trip(n, edition));
            let Some(changed) = acknowledged(change).await else { return written };
            *last = Acknowledged::of(&changed, edition);
        }
    }
}

/// Lets the writers write, and kills the server after a pause that begins with the first response.
async fn write_and_kill(server: &Program, token: &str, next: &AtomicUsize, pause: Duration) -> Vec<Acknowledged> {
    let created = Notify::new();
    let kill = async {
        created.notified().await;
        tokio::time::sleep(pause).await;
        server.kill_now();
    };
    let writers = join_all((0..WRITERS).map(|_| write(server, token, next, &created)));
    join(writers, kill).await.0.into_iter().flatten().collect()
}

/// The number of rounds, and how long one writes at most.
fn plan() -> (usize, Duration) {
    match std::env::var("ITINERARY_KILL_ROUNDS") {
        Ok(rounds) => (rounds.parse().expect("a number of rounds"), Duration::from_millis(500)),
        Err(_) => (20, Duration::from_millis(200)),
    }
}

/// At least 10 ms.
fn random_pause(longest: Duration) -> Duration {
    let range = longest.as_millis() - 9;
    Duration::from_millis(10 + u64::try_from(Uuid::new_v4().as_u128() % range).expect("a short time"))
}

/// The results of all rounds.
#[derive(Default)]
struct Tally {
    rounds: usize,
    acknowledged: usize,
    /// Acknowledged writes that are missing.
    lost: Vec<String>,
    /// Itineraries that were stored in part, and lists that disagree with their itineraries.
    half_written: Vec<String>,
    longest_restart: Duration,
}

impl Display for Tally {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} rounds, {} writes acknowledged, {} lost, {} half-written, longest restart {} ms",
            self.rounds,
            self.acknowledged,
            self.lost.len(),
            self.half_written.len(),
            self.longest_restart.as_millis()
        )
    }
}

impl Tally {
    /// Compares the stored trips from this number on with the acknowledged ones.
    async fn add_round(&mut self, server: &Program, token: &str, first: usize, acknowledged: &[Acknowledged]) {
        self.rounds += 1;
        self.acknowledged += acknowledged.iter().map(|write| write.edition + 1).sum::<usize>();
        let mut stored = HashMap::new();
        let entries = listed(server, token, first).await;
        let unanswered = entries.len().saturating_sub(acknowledged.len());
        assert!(unanswered <= WRITERS, "at most one request of each writer was under way, not {unanswered}");
        let mut reads = stream::iter(entries.iter().map(async |entry| (entry, read(server, token, entry).await)))
            .buffer_unordered(READERS);
        while let Some((entry, answer)) = reads.next().await {
            let itinerary = answer.json();
            if !is_whole(&itinerary) || !agrees(entry, &answer) {
                self.half_written.push(format!("{entry}\n{itinerary}"));
            }
            let before = stored.insert(entry["id"].as_str().expect("an id"), answer);
            assert!(before.is_none(), "listed twice: {entry}");
        }
        for write in acknowledged {
            match stored.get(&*write.id) {
                Some(answer) => self.compare(write, answer),
                None => self.lost.push(write.itinerary.to_string()),
            }
        }
    }

    /// Compares an itinerary with the last acknowledged state. One more change may have been stored before the kill.
    fn compare(&mut self, write: &Acknowledged, answer: &RawResponse) {
        let stored = answer.json();
        let edition = number_and_edition(&stored).map(|(_, edition)| edition);
        if edition == Some(write.edition) {
            if stored != write.itinerary || answer.header("etag") != write.etag {
                self.half_written.push(format!("{}\n{stored}", write.itinerary));
            }
        } else if edition != Some(write.edition + 1) {
            self.lost.push(format!("{}\n{stored}", write.itinerary));
        }
    }
}

async fn read(server: &Program, token: &str, entry: &Value) -> RawResponse {
    let id = entry["id"].as_str().expect("an id");
    let answer = server.call(Method::GET, &format!("/v1/itineraries/{id}")).token(token).send().await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer
}

/// Whether an itinerary has everything that was sent, of one edition.
fn is_whole(itinerary: &Value) -> bool {
    let Some((n, edition)) = number_and_edition(itinerary) else { return false };
    let sent = trip(n, edition);
    let stops = |value: &Value| -> Vec<Value> {
        let stops = value["days"][0]["stops"].as_array().cloned().unwrap_or_default();
        stops.iter().map(|stop| stop["name"].clone()).collect()
    };
    ["title", "summary", "flights"].iter().all(|field| itinerary[field] == sent[field])
        && itinerary["hotels"][0]["name"] == sent["hotels"][0]["name"]
        && stops(itinerary) == stops(&sent)
}

/// Whether a list entry agrees with its itinerary, and the version with the edition.
fn agrees(entry: &Value, answer: &RawResponse) -> bool {
    let itinerary = answer.json();
    let version = number_and_edition(&itinerary).map(|(_, edition)| format!("\"v{}.m\"", edition + 1));
    entry["title"] == itinerary["title"]
        && entry["stopsCount"] == 6
        && entry["etag"].as_str() == version.as_deref()
        && Some(answer.header("etag")) == version.as_deref()
}

// F-01. PostgreSQL itself keeps running; its own crashes are not tested.
#[rstest]
#[case::sqlite_full(Sqlite, &["--sqlite-durability=full"])]
#[case::sqlite_normal(Sqlite, &["--sqlite-durability=normal"])]
#[case::postgres(Postgres, &[])]
#[tokio::test(flavor = "multi_thread")]
async fn a_killed_server_loses_nothing_that_it_acknowledged(#[case] database: Database, #[case] more: &[&str]) {
    let Some(engine) = Engine::on(database) else { return };
    make_account(&engine, "ana").await;
    let token = make_token(&engine, "ana").await;
    let flags = [&["--limits", "off"], &PATIENT[..], more].concat();
    // The same after each kill, because addresses of covers and tags follow it.
    let address = free_address();
    let ((rounds, longest_pause), next, mut tally) = (plan(), AtomicUsize::new(0), Tally::default());
    let mut server = Program::serve_at(&engine, &address, &flags).await;
    for round in 1..=rounds {
        let first = next.load(Ordering::Relaxed);
        let acknowledged = write_and_kill(&server, &token, &next, random_pause(longest_pause)).await;
        server.exit_code().await;
        let started = Instant::now();
        server = Program::serve_at(&engine, &address, &flags).await;
        tally.longest_restart = tally.longest_restart.max(started.elapsed());
        tally.add_round(&server, &token, first, &acknowledged).await;
        if engine.url().starts_with("sqlite") {
            assert_eq!(sql::ask(&engine.url(), "PRAGMA integrity_check").await, "ok", "round {round}");
        }
        if round % PROGRESS == 0 || round == rounds {
            eprintln!("{database:?} {more:?}: {tally}");
        }
    }
    assert!(tally.lost.is_empty() && tally.half_written.is_empty(), "{:?}\n{:?}", tally.lost, tally.half_written);
}
