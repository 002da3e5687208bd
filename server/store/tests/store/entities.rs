//! Compares the entities with the migrated schema.

use std::collections::BTreeSet;

use itinerary_store::Store;
use test_support::sql::Connection;

use crate::engines::{on_each_empty_database, open};
use crate::structure::texts;

/// The table of applied migrations, SQLite's text index with its shadow tables, and PostgreSQL's.
const OF_ENGINES: [&str; 3] = ["seaql_migrations", "explore_vocabulary", "explore_words"];

/// A table, a column, its type in the words of the migrations, and whether it may be `NULL`.
const SQLITE: &str = "SELECT t.name || ' ' || c.name || ' ' || lower(c.type) || CASE c.\"notnull\" WHEN 0 THEN ' null' \
     ELSE '' END FROM pragma_table_list t, pragma_table_xinfo(t.name) c WHERE t.schema = 'main' \
     AND t.name NOT LIKE 'sqlite_%'";
const POSTGRES: &str = "SELECT concat_ws(' ', c.relname, a.attname, replace(format_type(a.atttypid, NULL), ' ', '_'), \
     CASE WHEN NOT a.attnotnull THEN 'null' END) FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid \
     WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND a.attnum > 0 \
     AND NOT a.attisdropped AND a.attgenerated = ''";

#[tokio::test(flavor = "multi_thread")]
async fn every_table_has_an_entity_with_its_columns() {
    on_each_empty_database(async |url| {
        let store = open(url).await;
        store.migrate().await.expect("migrated");
        store.close().await.expect("closed");
        let connection = Connection::open(url).await;
        let is_sqlite = url.starts_with("sqlite");
        let stored: BTreeSet<_> =
            texts(&connection, if is_sqlite { SQLITE } else { POSTGRES }).await.into_iter().collect();
        connection.close().await;
        let stored: BTreeSet<_> = stored.into_iter().filter(|column| !is_of_engine(column)).collect();
        assert_eq!(stored, described(is_sqlite));
    })
    .await;
}

/// To read a column, SQLite walks through all columns before it. Content may be a chain of many pages.
#[tokio::test(flavor = "multi_thread")]
async fn content_columns_of_itineraries_are_last_on_sqlite() {
    on_each_empty_database(async |url| {
        if !url.starts_with("sqlite") {
            return;
        }
        let store = open(url).await;
        store.migrate().await.expect("migrated");
        store.close().await.expect("closed");
        let connection = Connection::open(url).await;
        let columns = texts(&connection, "SELECT name FROM pragma_table_info('itineraries') ORDER BY cid").await;
        connection.close().await;
        assert!(columns.ends_with(&["everyone", "members", "pro", "documents"].map(str::to_owned)), "{columns:?}");
    })
    .await;
}

fn is_of_engine(column: &str) -> bool {
    let table = column.split(' ').next().unwrap_or_default();
    OF_ENGINES.contains(&table) || table.starts_with("explore_words_")
}

/// The same facts of the entities.
fn described(is_sqlite: bool) -> BTreeSet<String> {
    let mut columns = BTreeSet::new();
    for table in Store::entities() {
        // Only servers on PostgreSQL have replicas, and give positions after a commit.
        if is_sqlite && ["new_changes", "recent_writers"].contains(&table.name) {
            continue;
        }
        for column in &table.columns {
            let kind = match (column.kind, is_sqlite) {
                ("uuid" | "bytes", true) => "blob",
                ("int" | "small", true) => "integer",
                ("double", true) => "real",
                ("bytes", false) => "bytea",
                ("int", false) => "bigint",
                ("small", false) => "smallint",
                ("double", false) => "double_precision",
                (kind, _) => kind,
            };
            let null = if column.nullable { " null" } else { "" };
            columns.insert(format!("{} {} {kind}{null}", table.name, column.name));
        }
    }
    columns
}
