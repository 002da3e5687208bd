//! A Redis server that is killed, restarted, slow or unusable: requests are answered in time, and limits apply again once it
//! is back.
//!
//! `ITINERARY_REDIS_SECONDS=60` sets how long the restarts go on.

use std::time::{Duration, Instant};

use futures::future::{join, join_all};
use futures::{StreamExt as _, stream};
use itinerary_tests::RawResponse;
use itinerary_tests::browser::Browser;
use itinerary_tests::engines::Engine;
use itinerary_tests::program::{command, fail, free_address, words};
use itinerary_tests::world::PASSWORD;
use reqwest::Method;
use rstest::rstest;

use crate::program::monitoring::{scrape, value};
use crate::redis::Redis;
use crate::servers::Servers;

/// How soon the servers count together again.
const RECOVERY: Duration = Duration::from_secs(2);
/// The limit on reads in a minute.
const READS: usize = 120;
const CLIENTS: usize = 8;

/// The number of reads that are accepted of more than the limit.
async fn accepted(servers: &Servers, token: &str) -> usize {
    let responses: Vec<RawResponse> = stream::iter(0..2 * READS)
        .map(|_| servers.call(Method::GET, "/v1/account").token(token).send())
        .buffer_unordered(16)
        .collect()
        .await;
    responses.iter().filter(|response| response.status == 200).count()
}

/// Checks how many reads the first server leaves after one more.
async fn expect_left(servers: &Servers, token: &str, left: u32) {
    let response = servers.all[0].call(Method::GET, "/v1/account").token(token).send().await;
    assert_eq!(response.status, 200, "{}", response.text());
    assert_eq!(response.header("ratelimit-remaining"), left.to_string());
}

/// Waits until a read is counted in Redis, at most until it must be.
async fn expect_shared(servers: &Servers, token: &str) {
    let since = Instant::now();
    while !servers.redis.run(&["KEYS", "itinerary:calls:*"]).contains("itinerary:") {
        assert!(since.elapsed() < RECOVERY, "not counted together after {:?}", since.elapsed());
        servers.reads(token).await;
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn restarts_under_load_fail_no_request() {
    // A busy machine may be late by more than the default.
    let Some(mut servers) = Servers::start(2, &["--limits-timeout", "1000"]).await else { return };
    let seconds = std::env::var("ITINERARY_REDIS_SECONDS").map_or(5, |text| text.parse().expect("seconds"));
    let tokens = join_all((0..CLIENTS).map(async |n| servers.traveller(&format!("traveller{n}")).await)).await;
    let after = servers.traveller("after").await;
    let end = Instant::now() + Duration::from_secs(seconds);
    let all = &servers.all;
    let clients = join_all(tokens.iter().enumerate().map(|(n, token)| async move {
        let (mut counts, mut longest) = ([0, 0], Duration::ZERO);
        for turn in 0.. {
            if Instant::now() > end {
                break;
            }
            let began = Instant::now();
            let response = all[turn % all.len()].call(Method::GET, "/v1/account").token(token).send().await;
            longest = longest.max(began.elapsed());
            if response.status == 200 {
                assert_eq!(response.json()["username"], format!("traveller{n}"));
                counts[0] += 1;
            } else {
                response.expect_error(429, "rateLimited");
                counts[1] += 1;
            }
            assert!(!response.header("ratelimit-remaining").is_empty());
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        (counts, longest)
    }));
    let redis = &mut servers.redis;
    let restarts = async {
        let mut restarts = 0;
        while Instant::now() < end {
            tokio::time::sleep(Duration::from_millis(1200)).await;
            redis.kill();
            tokio::time::sleep(Duration::from_millis(600)).await;
            redis.start_again();
            restarts += 1;
        }
        restarts
    };
    let (clients, restarts) = join(clients, restarts).await;
    let answered: [u32; 2] = [0, 1].map(|n| clients.iter().map(|(counts, _)| counts[n]).sum());
    let longest = clients.iter().map(|(_, longest)| *longest).max().expect("clients");
    eprintln!("{restarts} restarts, {} reads and {} refusals, the longest took {longest:?}", answered[0], answered[1]);
    assert!(restarts > 0 && longest < Duration::from_secs(5), "{longest:?}");

    tokio::time::sleep(RECOVERY).await;
    let accepted = accepted(&servers, &after).await;
    assert!(
        (READS * 98 / 100..=READS * 102 / 100).contains(&accepted),
        "{accepted} were accepted: {:?}",
        servers.log(0)
    );
}

/// A way for Redis to be of no use.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    Killed,
    Frozen,
    ReadOnly,
    PasswordChanged,
    OutOfMemory,
    ScriptsFlushed,
}

impl Fault {
    fn begin(self, redis: &mut Redis) {
        match self {
            Self::Killed => redis.kill(),
            Self::Frozen => redis.freeze(true),
            Self::ReadOnly => drop(redis.run(&["REPLICAOF", "127.0.0.1", "1"])),
            Self::PasswordChanged => {
                redis.run(&["CONFIG", "SET", "requirepass", "Sesame"]);
                redis.run(&["-a", "Sesame", "--no-auth-warning", "CLIENT", "KILL", "TYPE", "normal"]);
            }
            Self::OutOfMemory => drop(redis.run(&["CONFIG", "SET", "maxmemory", "1"])),
            Self::ScriptsFlushed => drop(redis.run(&["SCRIPT", "FLUSH"])),
        }
    }

    fn end(self, redis: &mut Redis) {
        match self {
            Self::Killed => redis.start_again(),
            Self::Frozen => redis.freeze(false),
            Self::ReadOnly => drop(redis.run(&["REPLICAOF", "NO", "ONE"])),
            Self::PasswordChanged => {
                redis.run(&["-a", "Sesame", "--no-auth-warning", "CONFIG", "SET", "requirepass", ""]);
            }
            Self::OutOfMemory => drop(redis.run(&["CONFIG", "SET", "maxmemory", "0"])),
            Self::ScriptsFlushed => {}
        }
    }
}

// Without Redis a server continues from the counts that it last saw, says so once, and waits once at most.
#[tokio::test(flavor = "multi_thread")]
async fn a_server_counts_by_itself_until_redis_can_be_used_again() {
    use Fault::{Frozen, Killed, OutOfMemory, PasswordChanged, ReadOnly, ScriptsFlushed};
    // On a busy machine a call may be late by more than the default, which would be another fault.
    let Some(mut servers) = Servers::start(1, &["--limits-timeout", "400"]).await else { return };
    for (n, fault) in [Killed, Frozen, ReadOnly, PasswordChanged, OutOfMemory, ScriptsFlushed].into_iter().enumerate() {
        let token = servers.traveller(&format!("traveller{n}")).await;
        let said = servers.log(0).len();
        for left in (110..120).rev() {
            expect_left(&servers, &token, left).await;
        }
        fault.begin(&mut servers.redis);
        let began = Instant::now();
        for left in (90..110).rev() {
            expect_left(&servers, &token, left).await;
        }
        // Twenty waits of 400 ms would take twice as long.
        assert!(began.elapsed() < Duration::from_secs(4), "{fault:?}: {:?}", began.elapsed());
        assert_eq!(servers.all[0].call(Method::GET, "/readyz").send().await.status, 200);
        fault.end(&mut servers.redis);
        servers.redis.run(&["FLUSHALL"]);
        expect_shared(&servers, &token).await;
        let lines = if fault == ScriptsFlushed { 0 } else { 2 };
        assert_eq!(servers.log(0).len() - said, lines, "{fault:?}: {:?}", servers.log(0));
    }
    let log = servers.log(0).concat();
    assert!(log.contains("127.0.0.1:") && !log.contains("Sesame"), "{log}");
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_are_rejected_if_the_operator_wants_it_so() {
    let Some(redis) = Redis::start(&["--requirepass", "Sesame"]) else { return };
    let url = redis.url_with("Sesame");
    // A busy machine may be late by more than the default.
    let flags = ["--limits", &url, "--limits-unavailable", "reject", "--limits-timeout", "5000"];
    let Some(mut servers) = Servers::start_with(1, redis, &flags).await else { return };
    let token = servers.traveller("ana").await;
    assert_eq!(servers.reads(&token).await[0].status, 200);
    servers.redis.kill();
    for _ in 0..10 {
        let response = servers.reads(&token).await.remove(0);
        response.expect_error(503, "featureUnavailable");
        assert_eq!((response.header("retry-after"), response.header("ratelimit-remaining")), ("1", ""));
    }
    let register = servers.call(Method::POST, "/oauth/register").json(&serde_json::json!({ "redirect_uris": [] }));
    let response = register.send().await;
    assert_eq!((response.status.as_u16(), response.header("retry-after")), (503, "1"), "{}", response.text());
    assert_eq!(response.json()["error"], "temporarily_unavailable");
    let page = Browser::at(&servers.front).sign_in("ana", PASSWORD).await;
    assert_eq!((page.response.status.as_u16(), page.response.header("retry-after")), (503, "1"), "{}", page.text());
    // What is not counted is answered.
    assert_eq!(servers.call(Method::GET, "/readyz").send().await.status, 200);
    servers.redis.start_again();
    let since = Instant::now();
    while servers.reads(&token).await[0].status != 200 {
        assert!(since.elapsed() < RECOVERY);
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert!(!servers.log(0).concat().contains("Sesame"));
}

// Wrong settings are errors; a server that is not there is one only if requests would be rejected.
#[rstest]
#[case::no_such_server("redis://:Sesame@127.0.0.1:1", &["--limits-unavailable", "reject"], "127.0.0.1:1: ")]
#[case::no_host("redis://:Sesame@", &[], "must be redis://")]
#[case::another_scheme("http://:Sesame@127.0.0.1", &[], "must start with redis://")]
#[tokio::test(flavor = "multi_thread")]
async fn a_server_does_not_start(#[case] url: &str, #[case] more: &[&str], #[case] told: &str) {
    let (engine, address) = (Engine::sqlite(), free_address());
    let flags = [&["serve", "--listen", &address, "--limits", url], more].concat();
    let said = fail(command(words(&engine, &flags))).await;
    assert!(said.contains(told) && !said.contains("Sesame"), "{said}");
}

// The windows of a request may be on several nodes of Redis Cluster.
#[tokio::test(flavor = "multi_thread")]
async fn redis_cluster_is_not_used() {
    let bus = free_address();
    let bus = bus.rsplit(':').next().expect("a port");
    let Some(redis) = Redis::start(&["--cluster-enabled", "yes", "--cluster-port", bus]) else { return };
    redis.run(&["CLUSTER", "ADDSLOTSRANGE", "0", "16383"]);
    let since = Instant::now();
    while !redis.run(&["CLUSTER", "INFO"]).contains("cluster_state:ok") {
        assert!(since.elapsed() < Duration::from_secs(20), "the cluster is not ready");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let (engine, address, url) = (Engine::sqlite(), free_address(), redis.url());
    let flags = ["serve", "--listen", &address, "--limits", &url, "--limits-unavailable", "reject"];
    let said = fail(command(words(&engine, &flags))).await;
    assert!(said.contains("slot"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_starts_before_redis() {
    let Some(mut redis) = Redis::start(&[]) else { return };
    let url = redis.url();
    redis.kill();
    let metrics = free_address();
    let flags = ["--limits", &url, "--limits-timeout", "5000", "--metrics-listen", &metrics];
    let Some(mut servers) = Servers::start_with(1, redis, &flags).await else { return };
    let token = servers.traveller("ana").await;
    assert_eq!(servers.reads(&token).await[0].header("ratelimit-remaining"), "119");
    assert_eq!(servers.log(0).len(), 1, "{:?}", servers.log(0));
    let without = scrape(&metrics).await;
    assert_eq!(value(&without, "rate_limit_server_up"), Some(0.0));
    assert!(value(&without, "rate_limit_server_skipped_total").is_some_and(|skipped| skipped >= 1.0), "{without}");
    servers.redis.start_again();
    expect_shared(&servers, &token).await;
    let with = scrape(&metrics).await;
    assert_eq!(value(&with, "rate_limit_server_up"), Some(1.0));
    assert!(value(&with, "rate_limit_server_calls_total").is_some_and(|calls| calls >= 1.0), "{with}");
    assert!(value(&with, "rate_limit_server_failures_total").is_some(), "{with}");
}
