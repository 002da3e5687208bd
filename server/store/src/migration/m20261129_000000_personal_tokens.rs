//! Personal access tokens.

use super::Migration;

pub(super) const MIGRATION: Migration =
    Migration { name: "m20261129_000000_personal_tokens", both: SCHEMA, postgres: &[], sqlite: &[] };

/// `client_id` is a row of `clients` that belongs to this token: deleting it deletes the token. `last_used_day` is in days
/// since 1970-01-01.
const SCHEMA: &str = "
CREATE TABLE personal_tokens (
    id {uuid} NOT NULL PRIMARY KEY,
    account_id {uuid} NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    client_id TEXT NOT NULL UNIQUE REFERENCES clients (id) ON DELETE CASCADE,
    hash {bytes} NOT NULL UNIQUE,
    name TEXT NOT NULL,
    scope TEXT NOT NULL,
    created_at {int} NOT NULL,
    expires_at {int} NOT NULL,
    last_used_day {int}
) {end};
CREATE INDEX personal_tokens_account ON personal_tokens (account_id, created_at);
CREATE INDEX personal_tokens_expiry ON personal_tokens (expires_at);
";
