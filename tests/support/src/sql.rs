//! SQL beside the server, for faults that no request can cause, and to inspect what is stored.

use std::fmt::Write as _;

use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::types::{FromSql, Value as SqliteValue};
use sea_orm::{ConnectOptions, ConnectionTrait, Database, DatabaseConnection, DbBackend, Statement, TryGetable, Value};

/// A connection to the database that a server or a store uses.
#[derive(Clone)]
pub enum Connection {
    Sqlite(Arc<Mutex<rusqlite::Connection>>),
    Postgres(DatabaseConnection),
}

impl Connection {
    pub async fn open(database_url: &str) -> Self {
        if let Some(file) = database_url.strip_prefix("sqlite://") {
            return Self::Sqlite(Arc::new(Mutex::new(rusqlite::Connection::open(file).expect("the file opens"))));
        }
        // One connection, so that a transaction stays on it.
        let options = ConnectOptions::new(database_url).max_connections(1).sqlx_logging(false).to_owned();
        Self::Postgres(Database::connect(options).await.expect("the database"))
    }

    /// Executes a statement; returns how many rows it changed.
    pub async fn execute(&self, sql: &str, values: impl IntoIterator<Item = Value>) -> u64 {
        match self {
            Self::Sqlite(connection) => {
                let connection = connection.lock().unwrap_or_else(PoisonError::into_inner);
                let mut statement = bound(&connection, sql, values);
                if statement.column_count() > 0 {
                    statement.raw_query().next().expect(sql);
                    return 0;
                }
                statement.raw_execute().expect(sql) as u64
            }
            Self::Postgres(connection) => {
                let statement = postgres(sql, values);
                // A deadlock with a transaction of the store, which repeats its own as well.
                loop {
                    match connection.execute_raw(statement.clone()).await {
                        Err(error) if error.to_string().contains("deadlock detected") => {}
                        done => return done.expect(sql).rows_affected(),
                    }
                }
            }
        }
    }

    /// The first column of the first row.
    pub async fn first<T: FromSql + TryGetable>(&self, sql: &str, values: impl IntoIterator<Item = Value>) -> T {
        match self {
            Self::Sqlite(connection) => {
                let connection = connection.lock().unwrap_or_else(PoisonError::into_inner);
                let mut statement = bound(&connection, sql, values);
                let mut rows = statement.raw_query();
                rows.next().expect(sql).expect("a row").get(0).expect("a column of this type")
            }
            Self::Postgres(connection) => {
                let row = connection.query_one_raw(postgres(sql, values)).await.expect(sql).expect("a row");
                row.try_get_by_index(0).expect("a column of this type")
            }
        }
    }

    pub async fn close(self) {
        if let Self::Postgres(connection) = self {
            connection.close().await.expect("the connection closes");
        }
    }
}

/// A statement with the values of `$1`, `$2`, …
fn bound<'c>(
    connection: &'c rusqlite::Connection,
    sql: &str,
    values: impl IntoIterator<Item = Value>,
) -> rusqlite::Statement<'c> {
    let mut statement = connection.prepare(sql).expect(sql);
    for (number, value) in values.into_iter().enumerate() {
        let index = statement.parameter_index(&format!("${}", number + 1)).expect(sql).expect("a parameter");
        statement.raw_bind_parameter(index, sqlite_value(value)).expect(sql);
    }
    statement
}

fn sqlite_value(value: Value) -> SqliteValue {
    match value {
        Value::Uuid(Some(id)) => SqliteValue::Blob(id.as_bytes().to_vec()),
        Value::String(Some(text)) => SqliteValue::Text(text),
        Value::Int(Some(number)) => SqliteValue::Integer(number.into()),
        Value::BigInt(Some(number)) => SqliteValue::Integer(number),
        Value::Bytes(Some(bytes)) => SqliteValue::Blob(bytes),
        Value::Uuid(None) | Value::String(None) => SqliteValue::Null,
        other => panic!("no test binds {other:?}"),
    }
}

pub(crate) fn postgres(sql: &str, values: impl IntoIterator<Item = Value>) -> Statement {
    Statement::from_sql_and_values(DbBackend::Postgres, sql, values)
}

pub async fn run(database_url: &str, sql: &str) {
    let connection = Connection::open(database_url).await;
    connection.execute(sql, []).await;
    connection.close().await;
}

/// The first column of the first row, as text.
pub async fn ask(database_url: &str, sql: &str) -> String {
    let connection = Connection::open(database_url).await;
    let response = connection.first(sql, []).await;
    connection.close().await;
    response
}

/// Every row of every table, as text, with the name of its table. Bytes are hexadecimal.
pub async fn dump(database_url: &str) -> Vec<(String, String)> {
    let connection = Connection::open(database_url).await;
    let rows = match &connection {
        Connection::Sqlite(connection) => {
            let connection = connection.lock().unwrap_or_else(PoisonError::into_inner);
            sqlite_tables(&connection).into_iter().flat_map(|table| sqlite_rows(&connection, &table)).collect()
        }
        Connection::Postgres(connection) => {
            let tables = "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()";
            let mut rows = Vec::new();
            for table in texts(connection, tables).await {
                let all = texts(connection, &format!("SELECT t::text FROM \"{table}\" t")).await;
                rows.extend(all.into_iter().map(|row| (table.clone(), row)));
            }
            rows
        }
    };
    connection.close().await;
    rows
}

async fn texts(connection: &DatabaseConnection, sql: &str) -> Vec<String> {
    let rows = connection.query_all_raw(postgres(sql, [])).await.expect(sql);
    rows.iter().map(|row| row.try_get_by_index(0).expect("text")).collect()
}

fn sqlite_tables(connection: &rusqlite::Connection) -> Vec<String> {
    let sql = "SELECT name FROM sqlite_master WHERE type = 'table'";
    let mut statement = connection.prepare(sql).expect(sql);
    let names = statement.query_map([], |row| row.get(0)).expect(sql);
    names.collect::<Result<_, _>>().expect("names")
}

fn sqlite_rows(connection: &rusqlite::Connection, table: &str) -> Vec<(String, String)> {
    let sql = format!("SELECT * FROM \"{table}\"");
    let mut statement = connection.prepare(&sql).expect(&sql);
    let columns = statement.column_count();
    let row_text = |row: &rusqlite::Row<'_>| -> rusqlite::Result<String> {
        let values = (0..columns).map(|column| Ok(sqlite_text(row.get(column)?)));
        Ok(values.collect::<rusqlite::Result<Vec<_>>>()?.join(","))
    };
    let rows = statement.query_map([], row_text).expect(&sql);
    rows.map(|row| (table.to_owned(), row.expect("a row"))).collect()
}

fn sqlite_text(value: SqliteValue) -> String {
    match value {
        SqliteValue::Null => String::new(),
        SqliteValue::Integer(number) => number.to_string(),
        SqliteValue::Real(number) => number.to_string(),
        SqliteValue::Text(text) => text,
        SqliteValue::Blob(bytes) => bytes.iter().fold(String::new(), |mut text, byte| {
            write!(text, "{byte:02x}").expect("a string takes everything");
            text
        }),
    }
}
