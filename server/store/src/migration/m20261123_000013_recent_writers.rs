//! Who has just written something, and so must not read from a replica that may not have it yet.
//!
//! Unlogged: the notes are not worth writing to the disk, and replicas do not need them. A crash empties the table; then
//! a replica is not used before it has everything that was written until then (`replica.rs`).

use super::Migration;

pub(super) const MIGRATION: Migration =
    Migration { name: "m20261123_000013_recent_writers", both: "", postgres: &[SCHEMA], sqlite: &[] };

const SCHEMA: &str =
    "CREATE UNLOGGED TABLE recent_writers (account_id UUID NOT NULL PRIMARY KEY, written_at BIGINT NOT NULL)";
