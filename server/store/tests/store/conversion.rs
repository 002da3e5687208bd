//! Moving an SQLite database to PostgreSQL: every row of every table, or nothing.

use itinerary_store::{EntityTable, Store};
use sea_orm::Value;
use tempfile::TempDir;
use test_support::database::Database;
use test_support::sql::Connection;

use crate::engines::open;
use crate::released::rows;

/// An SQLite database with rows in every table, and an empty PostgreSQL database.
async fn stage() -> Option<(TempDir, String, String)> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let to = Database::Postgres.empty(folder.path())?;
    let from = Database::Sqlite.empty(folder.path()).expect("SQLite is always there");
    let store = open(&from).await;
    store.migrate().await.expect("migrated");
    rows::store(&store).await;
    store.close().await.expect("closed");
    Some((folder, from, to))
}

fn file(url: &str) -> &std::path::Path {
    url.strip_prefix("sqlite://").expect("an address of SQLite").as_ref()
}

/// The rows of a table in ascending order, each as text that does not depend on the engine.
async fn texts(connection: &Connection, table: &EntityTable) -> String {
    let is_sqlite = matches!(connection, Connection::Sqlite(_));
    let column = |name: &str, kind: &str| match (kind, is_sqlite) {
        ("uuid" | "bytes", true) => format!("CASE WHEN {name} IS NOT NULL THEN lower(hex({name})) END"),
        ("uuid", false) => format!("replace({name}::text, '-', '')"),
        ("bytes", false) => format!("encode({name}, 'hex')"),
        ("double", true) => format!("CAST({name} * 1000000 AS INTEGER)"),
        ("double", false) => format!("trunc({name} * 1000000)::bigint::text"),
        _ => format!("CAST({name} AS TEXT)"),
    };
    let columns = table.columns.iter().map(|of| format!("COALESCE({}, 'NULL')", column(of.name, of.kind)));
    let row = columns.collect::<Vec<_>>().join(" || '|' || ");
    let all = if is_sqlite {
        format!(
            "SELECT COALESCE(group_concat(r, char(10)), '') FROM (SELECT {row} AS r FROM {} ORDER BY 1)",
            table.name
        )
    } else {
        format!(
            "SELECT COALESCE(string_agg(r, chr(10) ORDER BY r COLLATE \"C\"), '') FROM (SELECT {row} AS r FROM {}) x",
            table.name
        )
    };
    connection.first(&all, []).await
}

#[tokio::test(flavor = "multi_thread")]
async fn every_row_of_sqlite_is_the_same_on_postgresql() {
    let Some((_folder, from, to)) = stage().await else { return };
    let store = open(&to).await;
    let mut filling = store.fill_from_sqlite().await.expect("begun").expect("it is empty");
    let copied = filling.copy_sqlite(file(&from)).await.expect("copied");
    filling.commit().await.expect("committed");
    let (before, after) = (Connection::open(&from).await, Connection::open(&to).await);
    let mut compared = 0;
    for table in Store::entities() {
        if ["changes", "new_changes", "change_feed", "webhook_queue", "recent_writers"].contains(&table.name) {
            continue;
        }
        let rows = texts(&before, &table).await;
        assert!(!rows.is_empty(), "there are rows in {}", table.name);
        assert_eq!(texts(&after, &table).await, rows, "{}", table.name);
        let count: i64 = after.first(&format!("SELECT count(*) FROM {}", table.name), []).await;
        compared += count.unsigned_abs();
    }
    assert_eq!(copied, compared);
    after.close().await;

    // It is a database like any other, with today's schema and a feed that begins anew.
    assert!(store.migrate().await.expect("nothing to do").is_empty());
    assert!(store.change_feed_settle("new").await.expect("settled"));
    rows::read_back(&store).await;
    rows::go_on(&store).await;
    assert!(store.fill_from_sqlite().await.expect("answered").is_none(), "it is not empty any more");
    store.close().await.expect("closed");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_row_that_postgresql_rejects_leaves_it_empty() {
    let Some((_folder, from, to)) = stage().await else { return };
    let connection = Connection::open(&from).await;
    let store = open(&to).await;
    for (insert, value) in [
        // PostgreSQL's text has no such character.
        ("INSERT INTO settings (name, value, updated_at) VALUES ('x', $1, 0)", Value::from("a\0b")),
        // Not UTF-8.
        (
            "INSERT INTO provider_answers (key, answer, fetched_at) VALUES ('x', CAST(x'ff' AS TEXT), $1)",
            Value::from(0_i64),
        ),
    ] {
        connection.execute("BEGIN", []).await;
        connection.execute("DELETE FROM settings WHERE name = 'x'", []).await;
        connection.execute(insert, [value]).await;
        connection.execute("COMMIT", []).await;
        let mut filling = store.fill_from_sqlite().await.expect("begun").expect("it is empty");
        assert!(filling.copy_sqlite(file(&from)).await.is_err(), "{insert}");
        drop(filling);
        assert!(!store.has_schema().await.expect("read"), "{insert}");
    }
    store.close().await.expect("closed");
}
