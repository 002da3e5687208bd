//! The databases that tests use one after another are empty, and have the schema that a new one has.

use test_support::database::Database;
use test_support::reuse::Lease;
use test_support::sql;

/// More than are given back here, so that any of them is among the next.
const AT_ONCE: usize = 8;

/// A PostgreSQL database. `None` if tests do not run on PostgreSQL.
async fn take() -> Option<Lease> {
    let folder = tempfile::tempdir().expect("a folder");
    Database::Postgres.leased(folder.path()).await?.1
}

/// Gives a database back after this statement, and takes others.
async fn after(statement: &str) -> Option<(String, Vec<Lease>)> {
    let lease = take().await?;
    let url = lease.url().to_owned();
    sql::run(&url, statement).await;
    drop(lease);
    let mut next = Vec::new();
    for _ in 0..AT_ONCE {
        next.push(take().await?);
    }
    Some((url, next))
}

#[tokio::test(flavor = "multi_thread")]
async fn no_row_of_an_earlier_test_is_left() {
    // Tests that run at the same time may take the database first.
    for _ in 0..20 {
        let Some((url, next)) = after("INSERT INTO settings VALUES ('left', '1', 0)").await else { return };
        for lease in &next {
            assert_eq!(sql::ask(lease.url(), "SELECT count(*)::text FROM settings").await, "0");
        }
        if next.iter().any(|lease| lease.url() == url) {
            return;
        }
    }
    panic!("no database is used again");
}

#[tokio::test(flavor = "multi_thread")]
async fn database_with_another_schema_is_not_used_again() {
    for change in
        ["ALTER TABLE reactions ADD more int", "ALTER TABLE reactions RENAME TO marks", "DELETE FROM seaql_migrations"]
    {
        let Some((url, next)) = after(change).await else { return };
        assert!(next.iter().all(|lease| lease.url() != url), "{change}");
    }
}
