//! Sixteen writers on one itinerary over two servers of one database, each merging from the version that it has read.
//!
//! `ITINERARY_TOGETHER_EDITS=200` sets how often each writes; an even number; the default fits into a minute without
//! optimisation. On SQLite both servers use the same file.

use std::env;
use std::time::Instant;

use futures::future::join_all;
use itinerary_tests::app::Stored;
use itinerary_tests::bodies::{minimal, with};
use itinerary_tests::engines::Engine;
use itinerary_tests::program::{PATIENT, Program, command, free_address, make_account, make_token, words};
use itinerary_tests::raw::{Call, RawResponse};
use itinerary_tests::{Database, Postgres, Sqlite};
use reqwest::Method;
use rstest::rstest;
use serde_json::{Value, json};

const WRITERS: usize = 16;

fn edits() -> usize {
    env::var("ITINERARY_TOGETHER_EDITS").map_or(20, |edits| edits.parse().expect("a number of edits"))
}

/// Two servers with one traveller.
struct Stage {
    servers: [Program; 2],
    token: String,
    _engine: Engine,
}

impl Stage {
    async fn start(database: Database) -> Option<Self> {
        let engine = Engine::on(database)?;
        make_account(&engine, "ana").await;
        let token = make_token(&engine, "ana").await;
        let servers = [serve(&engine).await, serve(&engine).await];
        Some(Self { servers, token, _engine: engine })
    }

    /// A request to a writer's server, on a connection of its own: the server closes idle ones, perhaps when they are used
    /// again.
    fn call(&self, writer: usize, method: Method, path: &str) -> Call {
        self.servers[writer % 2].call(method, path).token(&self.token).header("Connection", "close")
    }

    async fn create(&self, body: &Value) -> (Stored, String) {
        let made = Stored::of(&self.call(0, Method::POST, "/v1/itineraries").json(body).send().await);
        let path = format!("/v1/itineraries/{}", made.id);
        (made, path)
    }

    /// The itinerary, which both servers must show alike.
    async fn converged(&self, path: &str) -> Stored {
        let [one, other] = [0, 1].map(|server| self.call(server, Method::GET, path).send());
        let (one, other) = (Stored::of(&one.await), Stored::of(&other.await));
        assert_eq!((&one.etag, &one.json), (&other.etag, &other.json));
        one
    }
}

async fn serve(engine: &Engine) -> Program {
    let address = free_address();
    // One address for both, because tags and covers follow it.
    let flags = ["serve", "--listen", &address, "--limits", "off", "--base-url", "http://localhost"];
    Program::start(command(words(engine, &[&flags[..], &PATIENT].concat()))).await
}

async fn merging(call: Call, etag: &str) -> RawResponse {
    call.header("If-Match", etag).header("Prefer", "merge").send().await
}

#[rstest]
#[case::sqlite(Sqlite)]
#[case::postgres(Postgres)]
#[tokio::test(flavor = "multi_thread")]
async fn writers_on_different_days_lose_nothing_and_are_not_refused(#[case] database: Database) {
    let Some(stage) = Stage::start(database).await else { return };
    let edits = edits();
    let days: Vec<_> = (0..WRITERS).map(|day| json!({ "id": format!("d{day}") })).collect();
    let (base, path) = stage.create(&with(minimal(), json!({ "days": days }))).await;
    let write = async |writer: usize| {
        let (mut etag, stops) = (base.etag.clone(), format!("{path}/days/d{writer}/stops"));
        for edit in 0..edits {
            // A day has 100 stops at most, so each is added and then renamed.
            let id = format!("s{writer}-{}", edit / 2);
            let call = if edit % 2 == 0 {
                stage.call(writer, Method::POST, &stops).json(&json!({ "id": id, "name": "New" }))
            } else {
                stage.call(writer, Method::PATCH, &format!("{stops}/{id}")).json(&json!({ "name": "Renamed" }))
            };
            let response = merging(call, &etag).await;
            assert_eq!(response.status, 200, "writer {writer}, edit {edit}: {}", response.text());
            response.header("etag").clone_into(&mut etag);
        }
    };
    let began = Instant::now();
    join_all((0..WRITERS).map(write)).await;
    let took = began.elapsed();
    let now = stage.converged(&path).await;
    for (day, entry) in now.json["days"].as_array().expect("days").iter().enumerate() {
        let stops = entry["stops"].as_array().expect("stops").iter().map(|stop| [&stop["id"], &stop["name"]]);
        let expected: Vec<_> = (0..edits / 2).map(|stop| [json!(format!("s{day}-{stop}")), json!("Renamed")]).collect();
        assert!(stops.eq(expected.iter().map(|[id, name]| [id, name])), "day {day}: {entry}");
    }
    assert_eq!(now.etag, format!("\"v{}.m\"", 1 + WRITERS * edits), "each edit is a version");
    eprintln!("{database:?}: {} edits merged in {took:?}", WRITERS * edits);
}

#[rstest]
#[case::sqlite(Sqlite)]
#[case::postgres(Postgres)]
#[tokio::test(flavor = "multi_thread")]
async fn one_of_the_writers_on_a_field_wins(#[case] database: Database) {
    let Some(stage) = Stage::start(database).await else { return };
    let (mut base, path) = stage.create(&minimal()).await;
    let (rounds, began) = (edits(), Instant::now());
    for round in 0..rounds {
        let title = |writer: usize| format!("Round {round} of {writer}");
        let write = async |writer: usize| {
            let call = stage.call(writer, Method::PATCH, &path).json(&json!({ "title": title(writer) }));
            merging(call, &base.etag).await
        };
        let responses = join_all((0..WRITERS).map(write)).await;
        let now = stage.converged(&path).await;
        let winners: Vec<_> = (0..WRITERS).filter(|writer| responses[*writer].status == 200).collect();
        assert_eq!(winners.len(), 1, "round {round}: {winners:?}");
        assert_eq!(now.json["title"], title(winners[0]));
        for writer in (0..WRITERS).filter(|writer| *writer != winners[0]) {
            let details = responses[writer].expect_error(409, "itineraryModified");
            let expected = json!([{
                "path": "title", "base": base.json["title"], "current": now.json["title"], "yours": title(writer),
            }]);
            assert_eq!((&details["reason"], &details["conflicts"]), (&json!("conflict"), &expected));
            assert_eq!(responses[writer].header("etag"), now.etag);
        }
        base = now;
    }
    eprintln!("{database:?}: {rounds} rounds of {WRITERS} writers in {:?}", began.elapsed());
}
