//! Migrations that break off: the database stays as it was, and the next attempt succeeds.

use itinerary_store::{DatabaseKind, MigrationSteps, Options, Store};
use test_support::sql;

use crate::engines::on_each_empty_database;
use crate::released::{restore, versions};

use crate::structure;

/// The name of the migration of a later version.
pub(crate) const LATER: &str = "m29990101_000001_later";

/// Today's migrations, and one of a later version. It only adds, so that older servers can go on.
pub(crate) fn later(kind: DatabaseKind) -> Vec<MigrationSteps> {
    let statements = [
        "ALTER TABLE itineraries ADD COLUMN theme TEXT",
        "CREATE INDEX itineraries_theme ON itineraries (theme) WHERE theme IS NOT NULL",
        "ALTER TABLE accounts ADD COLUMN stars BIGINT NOT NULL DEFAULT 3",
        "ALTER TABLE tokens ADD COLUMN device TEXT",
        "CREATE TABLE badges (number BIGINT NOT NULL PRIMARY KEY, name TEXT NOT NULL)",
        "INSERT INTO badges (number, name) SELECT count(*), 'first' FROM accounts",
    ];
    // SQLite's strict tables have only this type of numbers.
    let in_words = |text: &str| match kind {
        DatabaseKind::Sqlite => text.replace("BIGINT", "INTEGER"),
        DatabaseKind::Postgres => text.to_owned(),
    };
    let step = MigrationSteps { name: LATER.to_owned(), statements: statements.map(in_words).into() };
    Store::migrations(kind).into_iter().chain([step]).collect()
}

/// Ends the connection on PostgreSQL; is an error on SQLite.
fn break_off(kind: DatabaseKind) -> String {
    let statement = match kind {
        DatabaseKind::Sqlite => "INSERT INTO no_such_table (number) VALUES (1)",
        DatabaseKind::Postgres => "SELECT pg_terminate_backend(pg_backend_pid())",
    };
    statement.to_owned()
}

/// The migrations with a statement that fails, as the statement of this number among the pending ones. `None` if there
/// are fewer.
fn broken(kind: DatabaseKind, pending: &[String], number: usize) -> Option<Vec<MigrationSteps>> {
    let mut before = number;
    let mut migrations = later(kind);
    for migration in migrations.iter_mut().filter(|migration| pending.contains(&migration.name)) {
        if before <= migration.statements.len() {
            migration.statements.insert(before, break_off(kind));
            return Some(migrations);
        }
        before -= migration.statements.len() + 1;
    }
    None
}

/// All rows, in no order. SQLite updates its statistics after each attempt.
async fn rows(url: &str) -> Vec<(String, String)> {
    let mut rows = sql::dump(url).await;
    rows.retain(|(table, _)| !table.starts_with("sqlite_"));
    rows.sort();
    rows
}

/// Breaks the migration off before and after each statement, then lets it finish.
async fn break_off_everywhere(url: &str, expected_statements: usize) {
    // Nothing here depends on what has reached the disk.
    let options = Options { full_sync: false, ..Options::default() };
    let store = Store::open(url, &options).await.expect("the database opens");
    let kind = store.kind();
    let (schema, before) = (structure::of(url).await, rows(url).await);
    let mut pending: Vec<_> = store.pending_names().await.expect("read").into_iter().map(str::to_owned).collect();
    pending.push(LATER.to_owned());
    let mut broken_off = 0;
    while let Some(migrations) = broken(kind, &pending, broken_off) {
        let outcome = store.migrate_by(migrations).await;
        assert!(outcome.is_err(), "{broken_off}: {outcome:?}");
        broken_off += 1;
        assert!(structure::of(url).await == schema, "the schema after {broken_off} statements");
    }
    assert!(broken_off >= expected_statements, "{broken_off}");
    assert_eq!(rows(url).await, before);
    let applied = store.migrate_by(later(kind)).await.expect("migrated");
    assert_eq!(applied.into_iter().map(|applied| applied.name).collect::<Vec<_>>(), pending);
    store.close().await.expect("closed");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_migration_that_breaks_off_at_any_statement_leaves_the_database_as_it_was() {
    on_each_empty_database(async |fresh| {
        break_off_everywhere(fresh, 80).await;
        let expected = structure::of(fresh).await;
        for version in versions() {
            on_each_empty_database(async |url| {
                if url.starts_with("sqlite") == fresh.starts_with("sqlite") {
                    restore(&version, url).await;
                    break_off_everywhere(url, 6).await;
                    let found = structure::of(url).await;
                    let differences: Vec<_> = found.symmetric_difference(&expected).collect();
                    assert!(differences.is_empty(), "{version}: {differences:#?}");
                }
            })
            .await;
        }
    })
    .await;
}
