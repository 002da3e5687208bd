//! One-time codes, the second step of signing in with a password, and their recovery codes.

use super::Migration;

pub(super) const MIGRATION: Migration =
    Migration { name: "m20261129_000010_one_time_codes", both: SCHEMA, postgres: &[], sqlite: &[] };

/// `secret` is sealed under the server's key. `last_step` is the time step of the last code that was used. A recovery
/// code's row is deleted when it is used.
const SCHEMA: &str = "
CREATE TABLE one_time_codes (
    account_id {uuid} NOT NULL PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
    secret TEXT NOT NULL,
    last_step {int} NOT NULL,
    created_at {int} NOT NULL
) {end};
CREATE TABLE recovery_codes (
    account_id {uuid} NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    hash {bytes} NOT NULL,
    PRIMARY KEY (account_id, hash)
) {end};
";
