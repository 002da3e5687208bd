//! Connections to PostgreSQL: reused after errors, replaced after the database has closed them.

use std::time::{Duration, Instant};

use itinerary_store::{DatabaseKind, Options, Store};
use test_support::sql::Connection;

use crate::beside::{create, with_an_itinerary};
use crate::engines::{at_once, on_each_empty_database};
use crate::fixtures::{at, id};

const BACKENDS: &str =
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()";
/// The sum of the process ids, which changes with any of them.
const PIDS: &str =
    "SELECT sum(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()";
const TERMINATE: &str = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
     WHERE datname = current_database() AND pid <> pg_backend_pid()";

#[tokio::test(flavor = "multi_thread")]
async fn one_request_fails_after_the_database_has_closed_its_connections() {
    with_an_itinerary(async |store, beside| {
        if store.kind() == DatabaseKind::Sqlite {
            return;
        }
        // Requests at once may still be executed one after another on one connection.
        while beside.number(BACKENDS, []).await < 2 {
            at_once(4, |_| {
                let store = store.clone();
                async move { store.ping().await.expect("a sign of life") }
            })
            .await;
        }
        beside.execute(TERMINATE, []).await;
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        assert!(store.ping().await.is_err(), "the first one notices");
        for _ in 0..4 {
            store.ping().await.expect("the others are replaced");
        }
        create(&store, 11).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failed_transaction_gives_its_connection_back() {
    with_an_itinerary(async |store, beside| {
        if store.kind() == DatabaseKind::Sqlite {
            return;
        }
        let before = beside.number(PIDS, []).await;
        for _ in 0..5 {
            // Fails on a foreign key, and is rolled back.
            store.follow_set(id(1), id(99), at(1)).await.expect("no such account");
        }
        assert_eq!(beside.number(PIDS, []).await, before, "the same connections");
        create(&store, 11).await;
    })
    .await;
}

// A column whose default is a setting of the connection that inserts.
#[tokio::test(flavor = "multi_thread")]
async fn statements_are_not_compiled_to_machine_code() {
    with_an_itinerary(async |store, beside| {
        if store.kind() == DatabaseKind::Sqlite {
            return;
        }
        beside.execute("ALTER TABLE itineraries ADD COLUMN jit TEXT DEFAULT 'before'", []).await;
        beside.execute("ALTER TABLE itineraries ALTER COLUMN jit SET DEFAULT current_setting('jit')", []).await;
        create(&store, 11).await;
        assert_eq!(beside.number("SELECT count(*) FROM itineraries WHERE jit = 'off'", []).await, 1);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_error_names_the_server_and_the_cause() {
    let options = Options { connections: 1, wait: Duration::from_millis(300), ..Options::default() };
    let nobody = Store::open("postgres://ana:Sesame@127.0.0.1:1/trips", &options).await.expect_err("nobody is there");
    assert_eq!(nobody.to_string(), "the database 127.0.0.1:1 cannot be reached: connection refused");
    on_each_empty_database(async |url| {
        if url.starts_with("sqlite") {
            return;
        }
        let server = url.split(['@', '/']).nth(3).expect("host and port");
        let missing = Store::open(&format!("{url}x"), &options).await.expect_err("there is no such database");
        let name = url.rsplit('/').next().expect("a name");
        let expected = format!("the database {server} cannot be reached: database \"{name}x\" does not exist");
        assert_eq!(missing.to_string(), expected);

        let store = Store::open(url, &options).await.expect("it opens");
        store.migrate().await.expect("migrated");
        let beside = Connection::open(url).await;
        beside.execute("BEGIN", []).await;
        beside.execute("LOCK TABLE settings", []).await;
        let waiting = tokio::spawn({
            let store = store.clone();
            async move { store.pause().await }
        });
        tokio::time::sleep(Duration::from_millis(100)).await;
        let began = Instant::now();
        let busy = store.ping().await.expect_err("the only connection is in use");
        assert_eq!(busy.to_string(), format!("all 1 connections to {server} were in use for 0.3 s"));
        assert!(began.elapsed() < Duration::from_secs(5));
        beside.execute("COMMIT", []).await;
        assert_eq!(waiting.await.expect("no panic").expect("then it reads"), None);
        beside.close().await;
        store.close().await.expect("closed");
    })
    .await;
}
