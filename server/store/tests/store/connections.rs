//! Connections to PostgreSQL: reused after errors, replaced after the database has closed them.

use itinerary_store::DatabaseKind;

use crate::beside::{create, with_an_itinerary};
use crate::engines::at_once;
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
        at_once(4, |_| {
            let store = store.clone();
            async move { store.ping().await.expect("a sign of life") }
        })
        .await;
        assert!(beside.number(BACKENDS, []).await > 1, "several connections are open");
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
