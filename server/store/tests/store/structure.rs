//! The structure of a database as a set of facts, one text each, without the order of columns.

use std::collections::BTreeSet;

use rusqlite::types::Value as SqliteValue;
use sea_orm::{ConnectionTrait, DbBackend, Statement};
use test_support::sql::Connection;

const SQLITE: [&str; 5] = [
    "SELECT 'table ' || name || ' ' || type || ' strict ' || strict || ' without rowid ' || wr \
     FROM pragma_table_list WHERE schema = 'main' AND name NOT LIKE 'sqlite_%'",
    "SELECT 'column ' || t.name || '.' || c.name || ' ' || c.type || ' not null ' || c.\"notnull\" || ' default ' \
     || coalesce(c.dflt_value, 'none') || ' key ' || c.pk || ' hidden ' || c.hidden \
     FROM pragma_table_list t, pragma_table_xinfo(t.name) c WHERE t.schema = 'main' AND t.name NOT LIKE 'sqlite_%'",
    "SELECT 'foreign key ' || t.name || '.' || f.\"from\" || ' ' || f.\"table\" || '.' || coalesce(f.\"to\", '') \
     || ' ' || f.on_update || ' ' || f.on_delete \
     FROM pragma_table_list t, pragma_foreign_key_list(t.name) f WHERE t.schema = 'main'",
    "SELECT 'index ' || t.name || ' ' || i.name || ' unique ' || i.\"unique\" || ' ' || i.origin || ' partial ' \
     || i.partial || ' on ' || (SELECT group_concat(coalesce(x.name, '?') || ' ' || x.\"desc\" || ' ' || x.coll, ', ') \
     FROM pragma_index_xinfo(i.name) x WHERE x.key) \
     FROM pragma_table_list t, pragma_index_list(t.name) i WHERE t.schema = 'main'",
    // Conditions of indexes, virtual tables and triggers have no pragma.
    "SELECT type || ' ' || name || ' ' || sql FROM sqlite_master WHERE sql IS NOT NULL \
     AND (type <> 'table' OR sql LIKE 'CREATE VIRTUAL%')",
];
const SQLITE_TABLES: &str = "SELECT sql FROM sqlite_master WHERE type = 'table' AND sql IS NOT NULL";

const POSTGRES: [&str; 6] = [
    "SELECT concat_ws(' ', 'relation', relname, relkind, relpersistence, reloptions::text) FROM pg_class \
     WHERE relnamespace = current_schema()::regnamespace",
    "SELECT concat_ws(' ', 'column', c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, \
     'generated', a.attgenerated, 'identity', a.attidentity, 'compression', a.attcompression, 'storage', a.attstorage, \
     a.attcollation::regcollation, 'default', pg_get_expr(d.adbin, d.adrelid)) FROM pg_attribute a \
     JOIN pg_class c ON c.oid = a.attrelid LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum \
     WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm') AND a.attnum > 0 \
     AND NOT a.attisdropped",
    "SELECT concat_ws(' ', 'constraint', conrelid::regclass, conname, pg_get_constraintdef(oid), convalidated) \
     FROM pg_constraint WHERE connamespace = current_schema()::regnamespace",
    "SELECT concat_ws(' ', 'index', pg_get_indexdef(i.indexrelid), i.indisvalid) FROM pg_index i \
     JOIN pg_class c ON c.oid = i.indexrelid WHERE c.relnamespace = current_schema()::regnamespace",
    "SELECT concat_ws(' ', 'trigger', pg_get_triggerdef(t.oid), t.tgenabled) FROM pg_trigger t \
     JOIN pg_class c ON c.oid = t.tgrelid WHERE c.relnamespace = current_schema()::regnamespace AND NOT t.tgisinternal",
    "SELECT concat_ws(' ', 'function', oid::regprocedure, prosrc) FROM pg_proc \
     WHERE pronamespace = current_schema()::regnamespace",
];

/// Options of SQLite's text index.
const SQLITE_OPTIONS: &str = "SELECT 'option of explore_words: ' || k || ' = ' || v FROM explore_words_config";

/// The structure of the database at an address.
pub(crate) async fn of(url: &str) -> BTreeSet<String> {
    let connection = Connection::open(url).await;
    let statements: &[&str] = if url.starts_with("sqlite") { &SQLITE } else { &POSTGRES };
    let mut facts = BTreeSet::new();
    for statement in statements {
        facts.extend(texts(&connection, statement).await.into_iter().map(|fact| spaced(&fact)));
    }
    if url.starts_with("sqlite") {
        let tables = texts(&connection, SQLITE_TABLES).await;
        facts.extend(tables.iter().flat_map(|table| checks(table)));
        if tables.iter().any(|table| table.contains("explore_words_config")) {
            facts.extend(texts(&connection, SQLITE_OPTIONS).await);
        }
    }
    connection.close().await;
    facts
}

/// The first column of every row.
pub(crate) async fn texts(connection: &Connection, sql: &str) -> Vec<String> {
    match connection {
        Connection::Sqlite(connection) => {
            let connection = connection.lock().expect("no test panics here");
            let mut statement = connection.prepare(sql).expect(sql);
            let rows = statement.query_map([], |row| row.get::<_, SqliteValue>(0)).expect(sql);
            let rows = rows.map(|row| match row.expect(sql) {
                SqliteValue::Text(text) => text,
                other => panic!("{sql}: {other:?}"),
            });
            rows.collect()
        }
        Connection::Postgres(connection) => {
            let statement = Statement::from_string(DbBackend::Postgres, sql);
            let rows = connection.query_all_raw(statement).await.expect(sql);
            rows.iter().map(|row| row.try_get_by_index(0).expect(sql)).collect()
        }
    }
}

fn spaced(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The conditions that a table's rows must fulfil.
fn checks(table: &str) -> Vec<String> {
    let name = table.split_whitespace().nth(2).unwrap_or_default();
    let found = table.match_indices("CHECK (").map(|(at, word)| {
        let condition = &table[at + word.len()..];
        let mut depth = 1;
        let end = condition.find(|letter| {
            depth += match letter {
                '(' => 1,
                ')' => -1,
                _ => 0,
            };
            depth == 0
        });
        format!("check {name} {}", spaced(&condition[..end.expect("it ends")]))
    });
    found.collect()
}
