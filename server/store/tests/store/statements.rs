//! Prepares every statement that sea-orm writes, on both engines.

use std::collections::BTreeSet;

use itinerary_store::{DatabaseKind, Store};
use test_support::sql::Connection;

use crate::engines::{on_each_empty_database, open};

#[tokio::test(flavor = "multi_thread")]
async fn every_statement_fits_the_schema() {
    on_each_empty_database(async |url| {
        let store = open(url).await;
        store.migrate().await.expect("migrated");
        let kind = store.kind();
        store.close().await.expect("closed");
        let connection = Connection::open(url).await;
        for statement in Store::statements(kind) {
            prepare(&connection, statement).await;
        }
        connection.close().await;
    })
    .await;
}

/// Panics with the text if the engine rejects it.
async fn prepare(connection: &Connection, statement: &str) {
    match connection {
        Connection::Sqlite(connection) => {
            connection.lock().expect("no test panics here").prepare(statement).expect(statement);
        }
        Connection::Postgres(_) => {
            connection.execute(&format!("PREPARE one AS {statement}"), []).await;
            connection.execute("DEALLOCATE one", []).await;
        }
    }
}

/// SQLite takes no value for a missing parameter amiss.
#[test]
fn parameters_are_numbered_from_1_without_gaps() {
    for kind in [DatabaseKind::Sqlite, DatabaseKind::Postgres] {
        for statement in Store::statements(kind) {
            let numbers = statement.split('$').skip(1).map(|rest| {
                let digits = rest.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(rest.len());
                rest[..digits].parse().expect(statement)
            });
            let numbers: BTreeSet<usize> = numbers.collect();
            assert!(numbers.iter().copied().eq(1..=numbers.len()), "{statement}");
        }
    }
}

#[test]
fn rows_are_locked_on_postgresql_only() {
    let locks = |kind| Store::statements(kind).into_iter().filter(|text| text.contains(" FOR ")).count();
    assert_eq!((locks(DatabaseKind::Sqlite), locks(DatabaseKind::Postgres)), (0, 10));
}
