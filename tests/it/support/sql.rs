//! SQL straight to the database, beside the server: for the faults that no request can cause, and for looking underneath.

use sea_orm::{ConnectionTrait, Database, DbBackend, Statement};

/// Runs one statement.
pub(crate) async fn run(database_url: &str, sql: &str) {
    let database = Database::connect(database_url).await.expect("the database");
    database.execute_unprepared(sql).await.expect(sql);
    database.close().await.expect("the connection closes");
}

/// The first column of the first row, as text.
pub(crate) async fn ask(database_url: &str, sql: &str) -> String {
    let database = Database::connect(database_url).await.expect("the database");
    let backend = if database_url.starts_with("sqlite") { DbBackend::Sqlite } else { DbBackend::Postgres };
    let row = database.query_one_raw(Statement::from_string(backend, sql)).await.expect(sql).expect("a row");
    let answer = row.try_get_by_index(0).expect("a column of text");
    database.close().await.expect("the connection closes");
    answer
}
