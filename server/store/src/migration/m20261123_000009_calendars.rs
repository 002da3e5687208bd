//! Secret addresses of calendars, at most one for each account.

use super::Migration;

pub(super) const MIGRATION: Migration =
    Migration { name: "m20261123_000009_calendars", both: SCHEMA, postgres: &[], sqlite: &[] };

const SCHEMA: &str = "
CREATE TABLE calendars (
    account_id {uuid} NOT NULL PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
    hash {bytes} NOT NULL UNIQUE,
    created_at {int} NOT NULL
) {end};
";
