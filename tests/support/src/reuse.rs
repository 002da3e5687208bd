//! PostgreSQL databases that tests use one after another, because creating one copies some three hundred files.
//!
//! A database is emptied before it is used again. One whose schema a test has changed is not used again.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use sea_orm::{ConnectOptions, ConnectionTrait, Database, DatabaseConnection, DbErr};
use tokio::sync::OnceCell;

use crate::postgres::Cluster;

/// Addresses of databases that nobody uses. A process has one cluster and one template.
static FREE: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// The only table with rows in a migrated database.
const KEPT: &str = "seaql_migrations";

/// Ends the other connections: a server that has just stopped may have a statement under way.
const END_OTHERS: &str = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
                          WHERE datname = current_database() AND pid <> pg_backend_pid()";

/// How often that is tried, 2 ms apart.
const END_ATTEMPTS: u32 = 1_000;

/// A text that differs after a change of the schema, also after a table was renamed and renamed back: for each catalog
/// the number of rows and the newest transaction that wrote one, and the applied migrations.
const SCHEMA: &str = "SELECT concat_ws(' ', \
    (SELECT concat_ws(',', count(*), max(xmin::text::bigint)) FROM pg_class), \
    (SELECT concat_ws(',', count(*), max(xmin::text::bigint)) FROM pg_attribute), \
    (SELECT concat_ws(',', count(*), max(xmin::text::bigint)) FROM pg_constraint), \
    (SELECT concat_ws(',', count(*), max(xmin::text::bigint)) FROM pg_index), \
    (SELECT concat_ws(',', count(*), max(xmin::text::bigint)) FROM pg_trigger), \
    (SELECT string_agg(version, ',' ORDER BY version) FROM seaql_migrations))";

/// A test's database. Its server's runtime keeps it until it ends.
#[derive(Debug)]
pub struct Lease {
    url: String,
    spoiled: Spoiled,
}

/// Marks a database as not to be used again.
#[derive(Clone, Debug, Default)]
pub struct Spoiled(Arc<AtomicBool>);

impl Spoiled {
    pub fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Lease {
    /// An empty database with the schema of this template, used before or new.
    pub async fn take(cluster: &Cluster, template: &str) -> Self {
        while let Some(url) = pop() {
            if empty(&url, cluster, template).await.is_ok_and(|is_as_before| is_as_before) {
                return Self { url, spoiled: Spoiled::default() };
            }
        }
        Self { url: cluster.create_database(template), spoiled: Spoiled::default() }
    }

    pub fn url(&self) -> &str {
        &self.url
    }

    /// To be set by a test that fails, whose server may still be writing.
    pub fn spoiled(&self) -> Spoiled {
        self.spoiled.clone()
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        if !self.spoiled.0.load(Ordering::Relaxed) && !std::thread::panicking() {
            FREE.lock().unwrap_or_else(PoisonError::into_inner).push(std::mem::take(&mut self.url));
        }
    }
}

fn pop() -> Option<String> {
    FREE.lock().unwrap_or_else(PoisonError::into_inner).pop()
}

/// Empties a database. Returns whether nobody else is connected and its schema is that of a new one.
async fn empty(url: &str, cluster: &Cluster, template: &str) -> Result<bool, DbErr> {
    let (schema, deletions) = template_facts(cluster, template).await;
    let connection = connect(url).await?;
    let mut is_alone = false;
    for _ in 0..END_ATTEMPTS {
        is_alone = connection.query_one_raw(crate::sql::postgres(END_OTHERS, [])).await?.is_none();
        if is_alone {
            break;
        }
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    let is_as_before = is_alone && text(&connection, SCHEMA).await? == *schema;
    if is_as_before {
        connection.execute_unprepared(deletions).await?;
    }
    connection.close().await?;
    Ok(is_as_before)
}

/// The schema of new databases, and the statements that empty one. From a database of its own, because a template must
/// have no connections.
async fn template_facts(cluster: &Cluster, template: &str) -> &'static (String, String) {
    static FACTS: OnceCell<(String, String)> = OnceCell::const_new();
    let read = || async {
        let connection = connect(&cluster.create_database(template)).await?;
        let tables = "SELECT string_agg(tablename, ' ') FROM pg_tables WHERE schemaname = current_schema()";
        let tables = text(&connection, tables).await?;
        // Without triggers: the order of the tables does not matter.
        let mut deletions = "SET session_replication_role = replica".to_owned();
        for table in tables.split(' ').filter(|table| *table != KEPT) {
            let rows = text(&connection, &format!("SELECT count(*)::text FROM \"{table}\"")).await?;
            assert_eq!(rows, "0", "the table {table} of a new database");
            deletions.extend(["; DELETE FROM \"", table, "\""]);
        }
        let schema = text(&connection, SCHEMA).await?;
        connection.close().await?;
        Ok::<_, DbErr>((schema, deletions))
    };
    FACTS.get_or_init(|| async { read().await.expect("a new database can be read") }).await
}

async fn connect(url: &str) -> Result<DatabaseConnection, DbErr> {
    Database::connect(ConnectOptions::new(url).max_connections(1).sqlx_logging(false).to_owned()).await
}

async fn text(connection: &DatabaseConnection, sql: &str) -> Result<String, DbErr> {
    let row = connection.query_one_raw(crate::sql::postgres(sql, [])).await?;
    row.expect("a row").try_get_by_index(0)
}
