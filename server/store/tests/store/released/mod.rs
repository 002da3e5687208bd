//! The schema and a few rows of each released version (`server/store/tests/released/VERSION`), migrated to today's schema.
//!
//! A release adds a folder, which is never changed afterwards:
//!
//! ```sh
//! ITINERARY_RELEASE=0.2.0 cargo test -p itinerary-store --test store -- --ignored released::write
//! ```

mod dump;
pub(crate) mod rows;

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use sea_orm::ConnectionTrait;
use test_support::sql::{self, Connection};

use crate::engines::{on_each_empty_database, open};
use crate::structure;

fn folder() -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "tests", "released"].iter().collect()
}

fn file_name(url: &str) -> &'static str {
    if url.starts_with("sqlite") { "sqlite.sql" } else { "postgres.sql" }
}

/// The released versions.
pub(crate) fn versions() -> Vec<String> {
    let entries = fs::read_dir(folder()).expect("there is a released version");
    let names = entries.map(|entry| entry.expect("a folder").file_name().into_string().expect("a version"));
    let mut names: Vec<_> = names.collect();
    names.sort();
    assert!(!names.is_empty());
    names
}

/// Fills an empty database as a version left it.
pub(crate) async fn restore(version: &str, url: &str) {
    let path = folder().join(version).join(file_name(url));
    fill(url, &fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))).await;
}

/// Fills an empty database by a fixture.
async fn fill(url: &str, fixture: &str) {
    let connection = Connection::open(url).await;
    match &connection {
        Connection::Sqlite(connection) => {
            connection.lock().expect("no test panics here").execute_batch(fixture).expect("the fixture");
        }
        Connection::Postgres(connection) => {
            connection.execute_unprepared(fixture).await.expect("the fixture");
        }
    }
    connection.close().await;
}

/// The number of rows of each table, without those of SQLite's indexes.
async fn counts(url: &str) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for (table, _) in sql::dump(url).await {
        if !table.starts_with("explore_") && !table.starts_with("sqlite_") {
            *counts.entry(table).or_default() += 1;
        }
    }
    counts
}

#[tokio::test(flavor = "multi_thread")]
async fn every_released_schema_becomes_todays_and_keeps_its_rows() {
    for version in versions() {
        on_each_empty_database(async |fresh| {
            let store = open(fresh).await;
            store.migrate().await.expect("migrated");
            store.close().await.expect("closed");
            let expected = structure::of(fresh).await;
            on_each_empty_database(async |url| {
                if file_name(url) != file_name(fresh) {
                    return;
                }
                restore(&version, url).await;
                let before = counts(url).await;
                let store = open(url).await;
                store.migrate().await.expect("migrated");
                let found = structure::of(url).await;
                let differences: Vec<_> = found.symmetric_difference(&expected).collect();
                assert!(differences.is_empty(), "{version}: {differences:#?}");
                rows::read_back(&store).await;
                let after = counts(url).await;
                for (table, rows) in before.iter().filter(|(table, _)| *table != "seaql_migrations") {
                    assert_eq!(after.get(table), Some(rows), "{version}: {table}");
                }
                let migrated = sql::dump(url).await;
                assert!(store.migrate().await.expect("nothing to do").is_empty());
                assert!(sql::dump(url).await == migrated, "a second migration changes nothing");
                // The migrated database takes new rows.
                rows::go_on(&store).await;
                store.close().await.expect("closed");
            })
            .await;
        })
        .await;
    }
}

/// Today's schema as a fixture, with rows in every table.
async fn fixture(url: &str) -> String {
    let store = open(url).await;
    store.migrate().await.expect("migrated");
    rows::store(&store).await;
    rows::read_back(&store).await;
    store.close().await.expect("closed");
    // So that writing the same version again makes no difference.
    sql::run(url, "UPDATE seaql_migrations SET applied_at = 0").await;
    sql::run(url, "UPDATE change_feed SET place = 'here'").await;
    let filled = counts(url).await;
    let tables = dump::tables(url).await;
    let empty: Vec<_> = tables.iter().filter(|table| !filled.contains_key(*table)).collect();
    assert!(empty.is_empty(), "store rows in these tables in rows.rs: {empty:?}");
    dump::text(url).await
}

#[tokio::test(flavor = "multi_thread")]
async fn todays_schema_can_be_released() {
    on_each_empty_database(async |url| {
        let fixture = fixture(url).await;
        on_each_empty_database(async |copy| {
            if file_name(copy) == file_name(url) {
                fill(copy, &fixture).await;
                assert_eq!(structure::of(copy).await, structure::of(url).await);
                assert_eq!(counts(copy).await, counts(url).await);
            }
        })
        .await;
    })
    .await;
}

/// Writes the fixtures of a version.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "it writes into the repository; the release of a version runs it"]
async fn write() {
    let version = std::env::var("ITINERARY_RELEASE").expect("ITINERARY_RELEASE is the version");
    let folder = folder().join(&version);
    fs::create_dir_all(&folder).expect("a folder");
    on_each_empty_database(async |url| {
        fs::write(folder.join(file_name(url)), fixture(url).await).expect("written");
    })
    .await;
}
