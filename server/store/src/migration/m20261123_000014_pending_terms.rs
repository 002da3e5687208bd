//! The part of PostgreSQL's text index that is not sorted in yet.
//!
//! PostgreSQL appends the terms of a change to a list and sorts them into the index when the list is full. Every search reads
//! the whole list. By default it may have 4 MB, which takes a search several milliseconds.

use super::Migration;

pub(super) const MIGRATION: Migration =
    Migration { name: "m20261123_000014_pending_terms", both: "", postgres: &[LIMIT], sqlite: &[] };

/// In KB.
const LIMIT: &str = "ALTER INDEX explore_terms SET (gin_pending_list_limit = 64)";
