//! A snapshot of a PostgreSQL database: the tables as `COPY` writes them, read in one transaction.
//!
//! Needs no program of PostgreSQL. Definitions are not copied: filling applies the migrations that the snapshot has had,
//! and then inserts the rows.

use std::collections::HashSet;

use bytes::{Bytes, BytesMut};
use futures::StreamExt;

use super::{DOCUMENTS, FEED, PICTURES, StoredFiles, Table};
use crate::engine::postgres::{Connection, Postgres};
use crate::migrate::{LOCK, seconds_since_1970};
use crate::migration::MIGRATIONS;
use crate::query::row::{AnyRow, row};
use crate::query::{Query, query, text};
use crate::{DatabaseKind, Result, StoreError};

/// The size at which a piece of a table is handed on, in bytes. Rows are smaller than 1 MiB.
pub(super) const PIECE: usize = 4 << 20;

/// Before any other statement. Reads as of one instant, without the time limits of requests.
const READ: [&str; 4] = [
    "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY",
    "SET LOCAL statement_timeout = 0",
    "SET LOCAL lock_timeout = 0",
    "SET LOCAL idle_in_transaction_session_timeout = 0",
];

/// The lock is that of migrations: no server may migrate meanwhile.
const FILL: [&str; 4] = [
    "SET LOCAL statement_timeout = 0",
    "SET LOCAL lock_timeout = 0",
    "SET LOCAL idle_in_transaction_session_timeout = 0",
    LOCK,
];

const IS_MIGRATED: &str = "SELECT 1 WHERE to_regclass('seaql_migrations') IS NOT NULL";

const APPLIED: &str = "SELECT version FROM seaql_migrations ORDER BY version";

const HAS_TABLES: &str = "SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
     WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p', 'f') LIMIT 1";

row! {
    struct Column {
        table: String = "c.relname::text",
        column: String = "a.attname::text",
    }
}

/// Without generated columns, which the database computes.
const COLUMNS: &str = text!(
    "SELECT ",
    Column::COLUMNS,
    " FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a ON a.attrelid = c.oid \
     WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p') AND NOT c.relispartition \
     AND c.relname <> 'seaql_migrations' AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '' \
     ORDER BY c.relname, a.attnum"
);

row! {
    struct ForeignKey {
        from: String = "c.relname::text",
        to: String = "r.relname::text",
    }
}

const REFERENCES: &str = text!(
    "SELECT DISTINCT ",
    ForeignKey::COLUMNS,
    " FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid JOIN pg_class r ON r.oid = k.confrelid \
     JOIN pg_namespace n ON n.oid = c.relnamespace WHERE k.contype = 'f' AND n.nspname = current_schema()"
);

const MIGRATED: &str = "CREATE TABLE seaql_migrations (version TEXT NOT NULL PRIMARY KEY, applied_at BIGINT NOT NULL)";

const APPLY: &str = "INSERT INTO seaql_migrations (version, applied_at) VALUES ($1, $2)";

#[derive(Debug)]
pub(super) struct Snapshot {
    connection: Connection,
    tables: Vec<Table>,
}

impl Snapshot {
    pub(super) async fn take(postgres: &Postgres) -> Result<(Vec<String>, Self)> {
        let mut connection = postgres.connection().await?;
        connection.without_limit();
        connection.begin().await?;
        for statement in READ {
            connection.execute(&query!(statement)).await?;
        }
        let mut migrations = Vec::new();
        if connection.fetch_optional::<AnyRow>(&query!(IS_MIGRATED)).await?.is_some() {
            migrations = connection.fetch_all(&query!(APPLIED)).await?;
        }
        let tables = tables(&mut connection).await?;
        Ok((migrations, Self { connection, tables }))
    }

    pub(super) fn tables(&self) -> &[Table] {
        &self.tables
    }

    pub(super) async fn read_table<E: From<StoreError>>(
        &mut self,
        table: usize,
        mut write: impl FnMut(Bytes) -> Result<(), E>,
    ) -> Result<u64, E> {
        let copy = format!("COPY {} TO STDOUT", self.tables[table].with_columns());
        let mut rows = self.connection.driver().copy_out_raw(&copy).await.map_err(StoreError::from)?;
        let (mut piece, mut count) = (BytesMut::with_capacity(PIECE + PIECE / 4), 0);
        while let Some(bytes) = rows.next().await {
            let bytes = bytes.map_err(StoreError::from)?;
            // In this format a line end always ends a row; those in values are escaped.
            count += memchr::memchr_iter(b'\n', &bytes).count() as u64;
            piece.extend_from_slice(&bytes);
            if piece.len() >= PIECE
                && let Some(end) = piece.iter().rposition(|byte| *byte == b'\n')
            {
                write(piece.split_to(end + 1).freeze())?;
            }
        }
        if !piece.is_empty() {
            write(piece.freeze())?;
        }
        Ok(count)
    }

    pub(super) async fn files(mut self: Box<Self>) -> Result<StoredFiles> {
        let documents = self.connection.fetch_all(&query!(DOCUMENTS)).await?;
        let pictures = self.connection.fetch_all(&query!(PICTURES)).await?;
        self.connection.end("COMMIT").await?;
        Ok(StoredFiles { documents, pictures })
    }
}

/// An empty database that is being filled. If it is dropped before [`Self::commit`], the database stays empty.
#[derive(Debug)]
pub struct Filling {
    connection: Connection,
    tables: Vec<Table>,
}

impl Filling {
    /// `wanted` are the tables in the order of the data; `None` stands for those of the migrations.
    pub(super) async fn begin(
        postgres: &Postgres,
        migrations: &[String],
        wanted: Option<&[Table]>,
    ) -> Result<Option<Self>> {
        let mut connection = postgres.connection().await?;
        connection.without_limit();
        connection.begin().await?;
        for statement in FILL {
            connection.execute(&query!(statement)).await?;
        }
        if connection.fetch_optional::<AnyRow>(&query!(HAS_TABLES)).await?.is_some() {
            return Ok(None);
        }
        connection.execute(&query!(MIGRATED)).await?;
        for migration in MIGRATIONS.iter().filter(|known| migrations.iter().any(|name| name == known.name)) {
            for statement in migration.statements(DatabaseKind::Postgres) {
                connection.execute(&Query::new(statement, [])).await?;
            }
            connection.execute(&query!(APPLY, migration.name, seconds_since_1970())).await?;
        }
        let tables = tables(&mut connection).await?;
        let wanted = wanted.unwrap_or(&tables);
        if !same(&tables, wanted) {
            return Err(StoreError::Corrupt("the snapshot's tables are not those of its migrations".to_owned()));
        }
        // Migrations may have inserted rows, which the snapshot contains.
        let names: Vec<String> = tables.iter().map(|table| quoted(&table.name)).collect();
        connection.execute(&Query::new(format!("TRUNCATE {}", names.join(", ")), [])).await?;
        let tables = wanted.to_vec();
        Ok(Some(Self { connection, tables }))
    }

    pub(super) fn tables(&self) -> &[Table] {
        &self.tables
    }

    pub(super) fn connection(&mut self) -> &mut Connection {
        &mut self.connection
    }

    /// Inserts a piece of a table; returns the number of rows.
    pub async fn insert(&mut self, table: usize, piece: &[u8]) -> Result<u64> {
        let table = self.tables.get(table).ok_or_else(|| StoreError::Corrupt(format!("table {table} is unknown")))?;
        let copy = format!("COPY {} FROM STDIN", table.with_columns());
        let mut rows = self.connection.driver().copy_in_raw(&copy).await?;
        rows.send(piece).await?;
        Ok(rows.finish().await?)
    }

    /// Makes the rows visible, with a new epoch of the change feed.
    pub async fn commit(mut self) -> Result<()> {
        for table in FEED.iter().filter(|name| self.tables.iter().any(|table| table.name == **name)) {
            self.connection.execute(&Query::new(format!("DELETE FROM {table}"), [])).await?;
        }
        self.connection.end("COMMIT").await
    }
}

/// Whether two lists have the same tables and columns. Their order may differ: a table made by later migrations may
/// have its columns in another order than one that was made by earlier ones.
fn same(tables: &[Table], wanted: &[Table]) -> bool {
    let set = |tables: &[Table]| -> HashSet<(String, Vec<String>)> {
        let sorted = |columns: &[String]| {
            let mut columns = columns.to_vec();
            columns.sort();
            columns
        };
        tables.iter().map(|table| (table.name.clone(), sorted(&table.columns))).collect()
    };
    tables.len() == wanted.len() && set(tables) == set(wanted)
}

/// The tables of the schema, each after those to which it refers.
async fn tables(connection: &mut Connection) -> Result<Vec<Table>> {
    let mut tables: Vec<Table> = Vec::new();
    for Column { table, column } in connection.fetch_all(&query!(COLUMNS)).await? {
        match tables.last_mut().filter(|last| last.name == table) {
            Some(last) => last.columns.push(column),
            None => tables.push(Table { name: table, columns: vec![column] }),
        }
    }
    ordered(tables, &connection.fetch_all(&query!(REFERENCES)).await?)
}

fn ordered(mut tables: Vec<Table>, references: &[ForeignKey]) -> Result<Vec<Table>> {
    let mut ordered: Vec<Table> = Vec::new();
    while !tables.is_empty() {
        let waits = |table: &Table| {
            references.iter().any(|reference| {
                reference.from == table.name && ordered.iter().all(|earlier| earlier.name != reference.to)
            })
        };
        let (later, now): (Vec<_>, Vec<_>) = tables.into_iter().partition(waits);
        if now.is_empty() {
            return Err(StoreError::Corrupt(format!("the table {} refers to itself in a circle", later[0].name)));
        }
        ordered.extend(now);
        tables = later;
    }
    Ok(ordered)
}

impl Table {
    fn with_columns(&self) -> String {
        let columns: Vec<String> = self.columns.iter().map(|column| quoted(column)).collect();
        format!("{} ({})", quoted(&self.name), columns.join(", "))
    }
}

pub(super) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(name: &str) -> Table {
        Table { name: name.to_owned(), columns: vec!["id".to_owned()] }
    }

    fn reference(from: &str, to: &str) -> ForeignKey {
        ForeignKey { from: from.to_owned(), to: to.to_owned() }
    }

    #[test]
    fn a_table_follows_those_to_which_it_refers() {
        let tables = vec![table("a"), table("b"), table("c")];
        let sorted = ordered(tables.clone(), &[reference("a", "c"), reference("c", "b")]).expect("no circle");
        assert_eq!(sorted.iter().map(|table| table.name.as_str()).collect::<Vec<_>>(), ["b", "c", "a"]);
        assert!(ordered(tables, &[reference("a", "a")]).is_err());
    }

    #[test]
    fn names_are_quoted() {
        assert_eq!(table("a\"; DROP TABLE b").with_columns(), "\"a\"\"; DROP TABLE b\" (\"id\")");
    }
}
