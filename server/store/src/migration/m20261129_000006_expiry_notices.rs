//! When the owner of a personal access token was told that it expires soon.

use super::Migration;

pub(super) const MIGRATION: Migration =
    Migration { name: "m20261129_000006_expiry_notices", both: SCHEMA, postgres: &[], sqlite: &[] };

const SCHEMA: &str = "ALTER TABLE personal_tokens ADD COLUMN expiry_noted_at {int}";
