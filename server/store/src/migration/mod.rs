//! The schema's history, one file a step. A released step is never changed: a further one follows it.
//!
//! One text serves both engines; only the words for types and a clause differ. Instants are milliseconds since 1970.

use sea_orm_migration::sea_orm::{ConnectionTrait, DbBackend};
use sea_orm_migration::{DbErr, MigrationTrait, MigratorTrait, SchemaManager};

mod m20261120_000001_foundation;
mod m20261121_000001_members;
mod m20261122_000001_people;
mod m20261122_000002_explore;

/// All steps, oldest first.
pub(crate) struct Migrator;

impl MigratorTrait for Migrator {
    fn migrations() -> Vec<Box<dyn MigrationTrait>> {
        vec![
            Box::new(m20261120_000001_foundation::Migration),
            Box::new(m20261121_000001_members::Migration),
            Box::new(m20261122_000001_people::Migration),
            Box::new(m20261122_000002_explore::Migration),
        ]
    }
}

/// Executes the statements of a text, in the words of the engine.
async fn execute(manager: &SchemaManager<'_>, statements: &str) -> Result<(), DbErr> {
    let (db, backend) = (manager.get_connection(), manager.get_database_backend());
    for statement in statements.split(';').map(str::trim).filter(|statement| !statement.is_empty()) {
        db.execute_unprepared(&in_words_of(backend, statement)).await?;
    }
    Ok(())
}

fn in_words_of(backend: DbBackend, statement: &str) -> String {
    let words: [(&str, &str); 6] = match backend {
        DbBackend::Postgres => [
            ("{uuid}", "UUID"),
            ("{bytes}", "BYTEA"),
            ("{int}", "BIGINT"),
            ("{small}", "SMALLINT"),
            ("{double}", "DOUBLE PRECISION"),
            ("{end}", ""),
        ],
        _ => [
            ("{uuid}", "BLOB"),
            ("{bytes}", "BLOB"),
            ("{int}", "INTEGER"),
            ("{small}", "INTEGER"),
            ("{double}", "REAL"),
            ("{end}", "STRICT"),
        ],
    };
    words.iter().fold(statement.to_owned(), |text, (word, meaning)| text.replace(word, meaning))
}
