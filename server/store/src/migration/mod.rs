//! The migrations, one file each. A released migration is never changed.
//!
//! Both engines share one text; only the names of types and one clause differ. Instants are milliseconds since 1970.

use std::collections::HashSet;

use crate::DatabaseKind;

mod m20261120_000001_foundation;
mod m20261121_000001_members;
mod m20261122_000001_people;
mod m20261122_000002_explore;
mod m20261122_000003_places;
mod m20261122_000004_documents;
mod m20261123_000005_grants;
mod m20261123_000006_growth;
mod m20261123_000007_accounts;
mod m20261123_000008_plain_answers;
mod m20261123_000009_calendars;
mod m20261123_000011_jobs;
mod m20261123_000013_recent_writers;
mod m20261123_000014_search_index;
mod m20261125_000015_pictures;
mod m20261125_000016_invitations;
mod m20261128_000001_revisions;
mod m20261128_000002_changes;
mod m20261128_000003_webhooks;
mod m20261129_000000_personal_tokens;
mod m20261129_000001_links;
mod m20261129_000002_sign_up;
mod m20261129_000003_identities;
mod m20261129_000004_password_resets;
mod m20261129_000005_mails;
mod m20261129_000006_expiry_notices;
mod m20261129_000010_one_time_codes;
mod m20261129_000011_passkeys;
mod m20261129_000015_moderation;
mod m20261129_000016_answers;
mod m20261129_000017_content_last;

pub(crate) const MIGRATIONS: &[Migration] = &[
    m20261120_000001_foundation::MIGRATION,
    m20261121_000001_members::MIGRATION,
    m20261122_000001_people::MIGRATION,
    m20261122_000002_explore::MIGRATION,
    m20261122_000003_places::MIGRATION,
    m20261122_000004_documents::MIGRATION,
    m20261123_000005_grants::MIGRATION,
    m20261123_000006_growth::MIGRATION,
    m20261123_000007_accounts::MIGRATION,
    m20261123_000008_plain_answers::MIGRATION,
    m20261123_000009_calendars::MIGRATION,
    m20261123_000011_jobs::MIGRATION,
    m20261123_000013_recent_writers::MIGRATION,
    m20261123_000014_search_index::MIGRATION,
    m20261125_000015_pictures::MIGRATION,
    m20261125_000016_invitations::MIGRATION,
    m20261128_000001_revisions::MIGRATION,
    m20261128_000002_changes::MIGRATION,
    m20261128_000003_webhooks::MIGRATION,
    m20261129_000000_personal_tokens::MIGRATION,
    m20261129_000001_links::MIGRATION,
    m20261129_000002_sign_up::MIGRATION,
    m20261129_000003_identities::MIGRATION,
    m20261129_000004_password_resets::MIGRATION,
    m20261129_000005_mails::MIGRATION,
    m20261129_000006_expiry_notices::MIGRATION,
    m20261129_000010_one_time_codes::MIGRATION,
    m20261129_000011_passkeys::MIGRATION,
    m20261129_000015_moderation::MIGRATION,
    m20261129_000016_answers::MIGRATION,
    m20261129_000017_content_last::MIGRATION,
];

/// A migration.
pub(crate) struct Migration {
    /// The name in the table of applied migrations.
    pub(crate) name: &'static str,
    /// Statements for both engines, separated by semicolons.
    both: &'static str,
    /// Further statements for PostgreSQL.
    postgres: &'static [&'static str],
    /// Further statements for SQLite.
    sqlite: &'static [&'static str],
}

impl Migration {
    /// The statements for an engine.
    pub(crate) fn statements(&self, kind: DatabaseKind) -> impl Iterator<Item = String> {
        let both = self.both.split(';').map(str::trim).filter(|statement| !statement.is_empty());
        let own = match kind {
            DatabaseKind::Sqlite => self.sqlite,
            DatabaseKind::Postgres => self.postgres,
        };
        both.map(move |statement| in_words_of(kind, statement)).chain(own.iter().copied().map(str::to_owned))
    }
}

fn in_words_of(kind: DatabaseKind, statement: &str) -> String {
    let words: [(&str, &str); 6] = match kind {
        DatabaseKind::Postgres => [
            ("{uuid}", "UUID"),
            ("{bytes}", "BYTEA"),
            ("{int}", "BIGINT"),
            ("{small}", "SMALLINT"),
            ("{double}", "DOUBLE PRECISION"),
            ("{end}", ""),
        ],
        DatabaseKind::Sqlite => [
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

/// The names of the migrations that have been applied to a database.
pub(crate) const APPLIED: &str = "SELECT version FROM seaql_migrations";

/// The migrations that are not among these.
pub(crate) fn missing(applied: &HashSet<String>) -> impl Iterator<Item = &'static Migration> {
    MIGRATIONS.iter().filter(|migration| !applied.contains(migration.name))
}
