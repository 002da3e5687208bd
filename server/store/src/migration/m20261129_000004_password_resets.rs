//! Links with which a new password can be set.

use super::Migration;

pub(super) const MIGRATION: Migration =
    Migration { name: "m20261129_000004_password_resets", both: SCHEMA, postgres: &[], sqlite: &[] };

/// `hash` is the SHA-256 of the link's secret. A row is deleted when the link is used.
const SCHEMA: &str = "
CREATE TABLE password_resets (
    account_id {uuid} NOT NULL PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
    hash {bytes} NOT NULL UNIQUE,
    expires_at {int} NOT NULL
) {end};
CREATE INDEX password_resets_age ON password_resets (expires_at);
";
