//! A database as SQL that makes it again.

use std::fmt::Write as _;
use std::process::Command;

use test_support::sql::Connection;

use crate::structure::texts;

/// Ordinary tables, without those that SQLite's text index and statistics consist of.
const SQLITE_TABLES: &str = "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' \
     AND name NOT LIKE 'sqlite_%' ORDER BY name";
/// Without unlogged tables, whose rows do not outlive a crash.
const POSTGRES_TABLES: &str = "SELECT relname::text FROM pg_class WHERE relnamespace = current_schema()::regnamespace \
     AND relkind IN ('r', 'p') AND relpersistence = 'p' ORDER BY relname";

/// Text indexes are filled by their triggers, so the rows come last.
const SQLITE_SCHEMA: &str = "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT IN \
     (SELECT name FROM pragma_table_list WHERE type = 'shadow' OR name LIKE 'sqlite_%') ORDER BY rowid";

/// The statements that set the options of the text index.
const SQLITE_OPTIONS: &str = "SELECT 'INSERT INTO explore_words (explore_words, rank) VALUES (' || quote(k) || ', ' \
     || quote(v) || ')' FROM explore_words_config WHERE k <> 'version' ORDER BY k";

/// The names of the tables that have rows of their own.
pub(super) async fn tables(url: &str) -> Vec<String> {
    let connection = Connection::open(url).await;
    let sql = if url.starts_with("sqlite") { SQLITE_TABLES } else { POSTGRES_TABLES };
    let names = texts(&connection, sql).await;
    connection.close().await;
    names
}

pub(super) async fn text(url: &str) -> String {
    if url.starts_with("sqlite") { sqlite(url).await } else { postgres(url) }
}

async fn sqlite(url: &str) -> String {
    let tables = tables(url).await;
    let connection = Connection::open(url).await;
    let pages: i64 = connection.first("PRAGMA page_size", []).await;
    let mut text = format!("PRAGMA page_size = {pages};\nPRAGMA foreign_keys = OFF;\nBEGIN;\n");
    let (schema, options) = (texts(&connection, SQLITE_SCHEMA).await, texts(&connection, SQLITE_OPTIONS).await);
    for statement in schema.iter().chain(&options) {
        writeln!(text, "{statement};").expect("a string takes everything");
    }
    for table in tables {
        let columns = format!("SELECT name FROM pragma_table_xinfo('{table}') WHERE hidden = 0");
        let columns = texts(&connection, &columns).await;
        let values: Vec<_> = columns.iter().map(|column| format!("quote(\"{column}\")")).collect();
        let rows = format!("SELECT {} FROM \"{table}\"", values.join(" || ', ' || "));
        for row in texts(&connection, &rows).await {
            let columns = columns.join(", ");
            writeln!(text, "INSERT INTO {table} ({columns}) VALUES ({row});").expect("a string takes everything");
        }
    }
    connection.close().await;
    text + "COMMIT;\n"
}

/// The output of `pg_dump`, without settings and commands that depend on the version of PostgreSQL.
fn postgres(url: &str) -> String {
    let arguments = ["--inserts", "--no-owner", "--no-privileges", "--no-comments", url];
    let output = Command::new("pg_dump").args(arguments).output().expect("pg_dump runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("text");
    let is_kept = |line: &&str| {
        let skipped = ["--", "\\", "SET ", "SELECT pg_catalog.set_config"];
        !line.is_empty() && !skipped.iter().any(|start| line.starts_with(start))
    };
    text.lines().filter(is_kept).flat_map(|line| [line, "\n"]).collect()
}
