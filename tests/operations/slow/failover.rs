//! PostgreSQL fails over under load: the primary is killed and its synchronous standby is promoted. The servers, whose
//! address names both, follow. No acknowledged write is lost or stored twice, and a revoked token stays revoked.

use std::sync::Arc;
use std::time::{Duration, Instant};

use itinerary_tests::engines::Engine;
use itinerary_tests::postgres::Cluster;
use itinerary_tests::program::{Program, command, make_account, make_token, succeed, words};
use itinerary_tests::sql;
use reqwest::Method;
use tokio::task::spawn_blocking;

use crate::load::Load;

/// How long after the promotion a request may still fail.
const RECOVERY: Duration = Duration::from_secs(5);

/// Every commit waits for the standby from now on.
fn synchronise(primary: &Cluster) {
    primary.psql("postgres", "ALTER SYSTEM SET synchronous_standby_names = '*'");
    primary.psql("postgres", "SELECT pg_reload_conf()");
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    spawn_blocking(work).await.expect("no panic")
}

#[tokio::test(flavor = "multi_thread")]
async fn servers_follow_a_promoted_database_and_lose_nothing() {
    let settings = ["wal_level=replica", "max_wal_senders=4", "fsync=off"];
    let Some(primary) = Cluster::for_tests(&settings).map(Arc::new) else { return };
    let direct = primary.create_database("template0");
    let standby = Arc::new(primary.replica());
    synchronise(&primary);
    let own = format!(":{}/", primary.port());
    let engine = Engine::at(direct.replace(&own, &format!(":{},127.0.0.1:{}/", primary.port(), standby.port())));
    make_account(&engine, "ana").await;
    let token = make_token(&engine, "ana").await;
    let revoked = succeed(command(words(&engine, &["account", "token", "ana", "--days", "7"])), "").await;
    let revoked = revoked.trim_end();
    let servers =
        [Program::serve(&engine, &["--limits", "off"]).await, Program::serve(&engine, &["--limits", "off"]).await];
    let read =
        async |server: usize, token: &str| servers[server].call(Method::GET, "/v1/account").token(token).send().await;
    assert_eq!(read(0, revoked).await.status, 200);
    let load = Load::new(&servers, &token);
    let failover = async {
        tokio::time::sleep(Duration::from_secs(2)).await;
        succeed(command(words(&engine, &["account", "tokens", "ana", "revoke", "--all"])), "").await;
        let former = Arc::clone(&primary);
        blocking(move || former.kill()).await;
        let killed = Instant::now();
        tokio::time::sleep(Duration::from_secs(1)).await;
        let next = Arc::clone(&standby);
        blocking(move || next.promote()).await;
        let promoted = Instant::now();
        for server in [0, 1] {
            let refused = loop {
                let response = read(server, revoked).await;
                if response.status != 502 {
                    break response;
                }
            };
            assert_eq!(refused.status, 401, "the token was revoked: {}", refused.text());
        }
        tokio::time::sleep(RECOVERY + Duration::from_secs(1)).await;
        (killed, promoted)
    };
    let ((killed, promoted), figures) = load.during(12, 6, failover).await;
    assert_eq!(load.failure_texts(), ["upstreamFailed"]);
    let late = load.failures().into_iter().map(|(sent, _)| sent.saturating_duration_since(promoted)).max();
    let (late, away) = (late.expect("the failover was noticed"), promoted.duration_since(killed));
    eprintln!("promoted {away:?} after the kill, the last failure {late:?} after that: {figures}");
    assert!(late < RECOVERY, "{late:?}");
    assert!(figures.acknowledged > 50, "{figures}");
    // Written to the new primary: it is not in recovery, and has what was acknowledged since.
    let direct = direct.replace(&own, &format!(":{}/", standby.port()));
    assert_eq!(sql::ask(&direct, "SELECT pg_is_in_recovery()::text").await, "false");
}
