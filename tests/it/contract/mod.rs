//! The contract tests (`tests/conformance`) pass against this server, and fail against one with a mutation.

mod mutants;
mod mutation;
mod proxy;

use std::sync::Arc;
use std::time::{Duration, Instant};

use chrono::TimeDelta;
use conformance::report::Report;
use conformance::{Options, rows};
use itinerary_platform::context::Service;
use itinerary_server::jobs::count_reads;
use itinerary_tests::world::TestClock;
use itinerary_tests::{Database, Postgres, Sqlite, World, api_test};
use reqwest::Method;
use serde_json::json;
use tokio::task::JoinHandle;

use crate::http::pause;

const EVERY_SCOPE: &str = "itineraries:read itineraries:write documents:read documents:write";

/// What happens by itself where a server runs as a program: time passes, and reads are counted. Ends when dropped.
struct Alive(JoinHandle<()>);

impl Alive {
    fn new(clock: &Arc<TestClock>, services: Vec<Arc<Service>>) -> Self {
        let clock = Arc::clone(clock);
        Self(tokio::spawn(async move {
            let mut last = Instant::now();
            for milliseconds in 1_u64.. {
                tokio::time::sleep(Duration::from_millis(1)).await;
                clock.advance(TimeDelta::from_std(last.elapsed()).expect("a short time"));
                last = Instant::now();
                if milliseconds.is_multiple_of(200) {
                    for service in &services {
                        count_reads(service).await.expect("a database");
                    }
                }
            }
        }))
    }
}

impl Drop for Alive {
    fn drop(&mut self) {
        self.0.abort();
    }
}

async fn run(options: &Options) -> Report {
    conformance::run(options, rows::all(), std::future::pending()).await.expect("a run")
}

#[track_caller]
fn expect_passed(report: &Report, skipped: &[&str]) {
    assert_eq!(report.failed().count(), 0, "{report}");
    let areas = report.skipped().map(|row| row.id.split('.').next().unwrap_or_default());
    let mut areas: Vec<&str> = areas.collect();
    areas.dedup();
    assert_eq!(areas, skipped, "{report}");
    let clients = report.remain.iter().filter(|remains| remains.starts_with("the client")).count();
    assert_eq!((report.remain.len(), clients <= 4), (clients, true), "{:?}", report.remain);
}

#[api_test]
async fn every_row_passes(database: Database) {
    let Some(world) = World::start_with(database, |config| config.limits = false).await else { return };
    let mut options = Options { limits: false, strict: true, ..Options::new(&world.base_url) };
    for name in ["pro-one", "pro-two"] {
        world.pro_account(name).await;
        options.pro_tokens.push(world.token(name, EVERY_SCOPE).await);
    }
    // PostgreSQL serves several replicas.
    let replica = match database {
        Sqlite => None,
        Postgres => {
            let replica = world.replica_with(|config| {
                config.limits = false;
                config.base_url.clone_from(&world.base_url);
            });
            Some(replica.await)
        }
    };
    options.replicas.extend(replica.as_ref().map(|replica| format!("http://{}", replica.address)));
    let services = replica.iter().map(|replica| Arc::clone(&replica.service)).chain([world.shared_service()]);
    let _alive = Alive::new(&world.clock, services.collect());
    let report = run(&options).await;
    expect_passed(&report, &["paused", "upstream", "limits"]);
    // Accounts that signed up are deleted; those whose tokens were given stay.
    for token in &options.pro_tokens {
        let listed = world.call(Method::GET, "/v1/itineraries").token(token).send().await;
        assert_eq!(listed.json()["data"], json!([]), "what the run created is deleted");
    }
}

#[api_test]
async fn rate_limits_pass(world: World) {
    let only = vec!["limits".to_owned(), "protocol.header".to_owned()];
    expect_passed(&run(&Options { only, ..Options::new(&world.base_url) }).await, &[]);
}

#[api_test]
async fn paused_integrations_pass(world: World) {
    let tokens = vec![world.token_of_anyone("ana", EVERY_SCOPE).await];
    pause(&world, Some(30)).await;
    let report = run(&Options { tokens, paused: true, ..Options::new(&world.base_url) }).await;
    expect_passed(&report, &[]);
    assert_eq!(report.passed(), 6, "{report}");
}
