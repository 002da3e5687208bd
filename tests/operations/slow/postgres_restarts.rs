//! F-04: PostgreSQL is killed and restarted under load. Answers are right or 502 or 503, none hangs, every acknowledged
//! write is stored once, and the pool recovers at once.
//!
//! Three restarts by default. `ITINERARY_RESTART_SECONDS=60` restarts every five seconds for a minute and prints the
//! figures.

use std::sync::Arc;
use std::time::{Duration, Instant};

use itinerary_tests::engines::Engine;
use itinerary_tests::postgres::Cluster;
use itinerary_tests::program::{Program, make_account, make_token};
use tokio::task::spawn_blocking;

use crate::load::Load;

/// How long after the database is ready a request may still fail.
const RECOVERY: Duration = Duration::from_secs(2);

/// The pauses before the restarts, and the settings of the cluster.
///
/// The long run syncs to the disk. The short one does not: the operating system stays, so nothing that was written can be
/// lost, and on a busy disk a recovery that syncs the whole folder takes longer than all other tests.
fn plan() -> (Vec<Duration>, &'static [&'static str]) {
    match std::env::var("ITINERARY_RESTART_SECONDS") {
        Ok(seconds) => (vec![Duration::from_secs(5); seconds.parse::<usize>().expect("seconds") / 5], &["fsync=on"]),
        Err(_) => (vec![Duration::from_secs(2); 3], &["fsync=off"]),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_restarts_loses_nothing_and_is_used_again_at_once() {
    let (pauses, settings) = plan();
    let Some(cluster) = Cluster::for_tests(settings).map(Arc::new) else { return };
    let engine = Engine::at(cluster.create_database("template0"));
    make_account(&engine, "ana").await;
    let token = make_token(&engine, "ana").await;
    let servers =
        [Program::serve(&engine, &["--limits", "off"]).await, Program::serve(&engine, &["--limits", "off"]).await];
    let load = Load::new(&servers, &token);
    let restarts = async {
        let mut times = Vec::new();
        for pause in pauses {
            tokio::time::sleep(pause).await;
            let (began, cluster) = (Instant::now(), Arc::clone(&cluster));
            spawn_blocking(move || cluster.restart()).await.expect("it starts again");
            times.push((began, Instant::now()));
        }
        tokio::time::sleep(RECOVERY + Duration::from_millis(500)).await;
        times
    };
    let (times, figures) = load.during(16, 8, restarts).await;
    let failures = load.failures();
    assert!(!failures.is_empty(), "the restarts were noticed");
    assert_eq!(load.failure_texts(), ["upstreamFailed"]);
    // How long after the moment when the database was ready a request was sent that failed, before the next restart.
    let ends = times.iter().skip(1).map(|(began, _)| Some(*began)).chain([None]);
    let recoveries = times.iter().zip(ends).map(|((_, ready), end)| {
        let late = failures.iter().filter(|(sent, answered)| sent > ready && end.is_none_or(|end| *answered < end));
        late.map(|(sent, _)| sent.duration_since(*ready)).max().unwrap_or_default()
    });
    let recoveries: Vec<Duration> = recoveries.collect();
    let away = times.iter().map(|(began, ready)| ready.duration_since(*began)).max();
    eprintln!("{} restarts, away at most {away:?}, recovered after {recoveries:?}, {figures}", times.len());
    assert!(recoveries.iter().all(|recovery| *recovery < RECOVERY), "{recoveries:?}");
    assert!(figures.acknowledged > 50, "{figures}");
}
