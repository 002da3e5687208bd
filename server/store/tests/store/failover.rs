//! Several PostgreSQL servers in one address, real ones that follow each other: writes go to the primary, and follow it.

use std::time::{Duration, Instant};

use itinerary_store::{Options, Store, StoreError};
use test_support::postgres::Cluster;
use test_support::sql::Connection;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

use crate::engines::open;
use crate::fixtures::at;

/// How long until a store that looks for the primary has found it, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(20);

/// A statement ends within this time even if its server is cut off.
const LONGEST: Duration = Duration::from_secs(9);

const SETTINGS: [&str; 3] = ["wal_level=replica", "max_wal_senders=4", "fsync=off"];

/// A primary and a standby, with the name of a database in both. `None` if tests are not to run on PostgreSQL.
fn pair() -> Option<(Cluster, Cluster, String)> {
    let primary = Cluster::for_tests(&SETTINGS)?;
    let address = primary.create_database("template0");
    let standby = primary.replica();
    let name = address.rsplit('/').next().expect("a name").to_owned();
    Some((primary, standby, name))
}

fn url(ports: &[u16], name: &str) -> String {
    let hosts: Vec<String> = ports.iter().map(|port| format!("127.0.0.1:{port}")).collect();
    format!("postgres://postgres@{}/{name}", hosts.join(","))
}

/// Waits until a write succeeds. Returns how long that took.
async fn write(store: &Store, value: u32) -> Duration {
    let began = Instant::now();
    while let Err(error) = store.pause_set(Some(value), at(1)).await {
        assert!(began.elapsed() < PATIENCE, "{error}");
        assert!(matches!(error, StoreError::Unavailable(_)), "{error}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    began.elapsed()
}

/// Waits until a server has a value.
async fn has(cluster: &Cluster, name: &str, value: u32) {
    let server = Connection::open(&url(&[cluster.port()], name)).await;
    let began = Instant::now();
    for sql in [
        "SELECT count(*) FROM pg_class WHERE relname = 'settings'".to_owned(),
        format!("SELECT count(*) FROM settings WHERE name = 'integrations_paused' AND value = '{value}'"),
    ] {
        while server.first::<i64>(&sql, []).await != 1 {
            assert!(began.elapsed() < PATIENCE, "the server does not get {value}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn writes_follow_a_promoted_server() {
    let Some((primary, standby, name)) = pair() else { return };
    // The standby first: the order says nothing.
    let address = url(&[standby.port(), primary.port()], &name);
    let store = open(&address).await;
    store.migrate().await.expect("the schema can be made");
    write(&store, 1).await;
    has(&standby, &name, 1).await;
    primary.kill();
    let began = Instant::now();
    let error = store.pause_set(Some(2), at(1)).await.expect_err("nobody accepts writes");
    assert!(matches!(error, StoreError::Unavailable(_)), "{error}");
    let error = store.pause_set(Some(2), at(1)).await.expect_err("nobody accepts writes").to_string();
    let named = [standby.port(), primary.port()].map(|port| format!("127.0.0.1:{port}"));
    assert!(error.starts_with(&format!("the database {}, {} cannot be reached: ", named[0], named[1])), "{error}");
    assert!(error.contains(&format!("{}: a standby", named[0])), "{error}");
    assert!(error.contains(&format!("{}: connection refused", named[1])), "{error}");
    assert!(began.elapsed() < LONGEST, "errors come soon: {:?}", began.elapsed());
    standby.promote();
    let took = write(&store, 3).await;
    eprintln!("written {took:?} after the promotion");
    has(&standby, &name, 3).await;
    store.close().await.expect("closed");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_primary_that_refuses_writes_is_left_and_a_former_one_is_not_used_again() {
    let Some((primary, standby, name)) = pair() else { return };
    let store = open(&url(&[primary.port(), standby.port()], &name)).await;
    store.migrate().await.expect("the schema can be made");
    write(&store, 1).await;
    has(&standby, &name, 1).await;
    let set = |cluster: &Cluster, value: &str| {
        cluster.psql("postgres", &format!("ALTER SYSTEM SET default_transaction_read_only = {value}"));
        cluster.psql("postgres", "SELECT pg_reload_conf()");
    };
    set(&primary, "on");
    let began = Instant::now();
    while store.pause_set(Some(1), at(1)).await.is_ok() {
        assert!(began.elapsed() < PATIENCE, "it is still used");
    }
    let error = store.pause_set(Some(1), at(1)).await.expect_err("nobody accepts writes").to_string();
    assert!(error.contains("refuses writes") || error.contains("read-only transaction"), "{error}");
    standby.promote();
    write(&store, 2).await;
    has(&standby, &name, 2).await;
    // Both are primaries now. The former one accepts writes again, and the other one restarts.
    set(&primary, "off");
    standby.restart();
    write(&store, 3).await;
    has(&standby, &name, 3).await;
    standby.kill();
    let began = Instant::now();
    let mut error = String::new();
    while !error.contains("a former primary") {
        assert!(began.elapsed() < PATIENCE, "{error}");
        error = store.pause_set(Some(4), at(1)).await.expect_err("only a former primary is there").to_string();
    }
    has(&primary, &name, 1).await;
    store.close().await.expect("closed");
}

/// Passes bytes to a server until it is cut: then it passes none, and closes nothing. Returns its port.
async fn line(port: u16) -> (u16, watch::Sender<bool>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let own = listener.local_addr().expect("an address").port();
    let (sender, cut) = watch::channel(false);
    tokio::spawn(async move {
        loop {
            let (mut client, _) = listener.accept().await.expect("a connection");
            let mut cut = cut.clone();
            tokio::spawn(async move {
                let Ok(mut server) = TcpStream::connect(("127.0.0.1", port)).await else { return };
                let cut_off = async {
                    let _ = cut.wait_for(|is_cut| *is_cut).await;
                };
                tokio::select! {
                    _ = tokio::io::copy_bidirectional(&mut client, &mut server) => return,
                    () = cut_off => {}
                }
                let _ = cut.wait_for(|is_cut| !*is_cut).await;
            });
        }
    });
    (own, sender)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_cut_off_is_noticed_and_used_again() {
    let Some(cluster) = Cluster::for_tests(&SETTINGS) else { return };
    let address = cluster.create_database("template0");
    let name = address.rsplit('/').next().expect("a name");
    let (port, cut) = line(cluster.port()).await;
    let store = open(&format!("{}?target_session_attrs=read-write", url(&[port], name))).await;
    store.migrate().await.expect("the schema can be made");
    write(&store, 1).await;
    cut.send_replace(true);
    let began = Instant::now();
    let lost = store.ping().await.expect_err("no answer comes").to_string();
    assert!(began.elapsed() < LONGEST, "{:?}", began.elapsed());
    assert!(lost.starts_with(&format!("the connection to the database 127.0.0.1:{port} was lost")), "{lost}");
    eprintln!("noticed after {:?}", began.elapsed());
    store.ping().await.expect_err("it is known to be away");
    let began = Instant::now();
    let away = store.ping().await.expect_err("it is known to be away").to_string();
    assert!(away.contains("it does not answer"), "{away}");
    assert!(began.elapsed() < Duration::from_secs(2), "requests do not pile up: {:?}", began.elapsed());
    cut.send_replace(false);
    eprintln!("used again after {:?}", write(&store, 2).await);
    store.close().await.expect("closed");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_statement_without_an_answer_ends_after_its_limit() {
    let Some(cluster) = Cluster::for_tests(&SETTINGS) else { return };
    let address = cluster.create_database("template0");
    let (port, cut) = line(cluster.port()).await;
    // Used as it is: nobody asks the server whether it is there.
    let address = url(&[port], address.rsplit('/').next().expect("a name"));
    let options = Options { statement_timeout: Duration::from_millis(100), ..Options::default() };
    let store = Store::open(&address, &options).await.expect("it opens");
    cut.send_replace(true);
    let began = Instant::now();
    let lost = store.ping().await.expect_err("no answer comes").to_string();
    assert!(lost.ends_with("was lost: it does not answer") && began.elapsed() < LONGEST, "{lost}");
    cut.send_replace(false);
    store.ping().await.expect("a new connection is used");
    store.close().await.expect("closed");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_standby_alone_is_no_database_to_write_to() {
    let Some((primary, standby, name)) = pair() else { return };
    let options = Options { wait: Duration::from_millis(500), ..Options::default() };
    for target in ["read-write", "primary"] {
        let address = format!("{}?target_session_attrs={target}", url(&[standby.port()], &name));
        let error = Store::open(&address, &options).await.expect_err("a standby").to_string();
        assert!(error.ends_with(&format!("127.0.0.1:{}: a standby", standby.port())), "{error}");
    }
    drop(primary);
    for (target, why) in [
        ("any", "with several hosts, target_session_attrs must be read-write or primary"),
        ("standby", "the server writes to its database: target_session_attrs must be read-write, primary or any"),
    ] {
        let address = format!("postgres://a,b/trips?target_session_attrs={target}");
        let error = Store::check_url(&address).expect_err("not to write to").to_string();
        assert_eq!(error, format!("the database URL is invalid: {why}"));
    }
}

/// Waits until so many replicas are used.
async fn used(store: &Store, number: usize) -> Duration {
    let began = Instant::now();
    while store.observed().replicas != Some(number) {
        assert!(began.elapsed() < PATIENCE, "{:?} replicas are used, not {number}", store.observed().replicas);
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    began.elapsed()
}

/// The sources of some reads that may lag, without repetitions.
fn sources(store: &Store) -> Vec<u64> {
    let mut sources: Vec<u64> = (0..4).map(|_| store.lagging().source()).collect();
    sources.sort_unstable();
    sources.dedup();
    sources
}

#[tokio::test(flavor = "multi_thread")]
async fn replicas_are_used_while_they_follow_the_primary() {
    let Some((primary, one, name)) = pair() else { return };
    let two = primary.replica();
    let all = url(&[primary.port(), one.port(), two.port()], &name);
    let store = open(&all).await;
    store.migrate().await.expect("the schema can be made");
    let options = Options::default();
    let store = store.with_replicas(&all, &options, Duration::from_secs(3)).expect("replicas");
    let watching = tokio::spawn(store.clone().watch_replicas());
    // The primary is none.
    used(&store, 2).await;
    let both = sources(&store);
    assert!(both.len() == 2 && !both.contains(&0), "reads take turns: {both:?}");
    let preferred = store.lagging_for(crate::fixtures::id(1), Some(both[1])).await.expect("read");
    assert_eq!(preferred.source(), both[1], "a walk through pages stays where it is");

    // Behind.
    two.psql("postgres", "SELECT pg_wal_replay_pause()");
    eprintln!("left out {:?} after the pause", used(&store, 1).await);
    let left = sources(&store);
    assert!(left.len() == 1 && both.contains(&left[0]), "{left:?} of {both:?}");
    let elsewhere = store.lagging_for(crate::fixtures::id(1), both.iter().find(|source| **source != left[0]).copied());
    assert_eq!(elsewhere.await.expect("read").source(), left[0], "the caller decides whether this is recent enough");
    two.psql("postgres", "SELECT pg_wal_replay_resume()");
    used(&store, 2).await;

    // Away.
    two.restart();
    used(&store, 2).await;

    // One is promoted, and the other one still follows the former primary.
    primary.kill();
    one.promote();
    write(&store, 2).await;
    assert_eq!(store.lagging().source(), 0, "at once, before anything is read from a replica");
    tokio::time::sleep(Duration::from_secs(4)).await;
    assert_eq!(store.observed().replicas, Some(0));
    two.psql(
        "postgres",
        &format!("ALTER SYSTEM SET primary_conninfo = 'host=127.0.0.1 port={} user=postgres'", one.port()),
    );
    two.psql("postgres", "SELECT pg_reload_conf()");
    used(&store, 1).await;
    two.kill();
    store.ping().await.expect("the database");
    used(&store, 0).await;
    assert_eq!(store.lagging().source(), 0);
    watching.abort();
    store.close().await.expect("closed");
}
