//! Limits how much of the text index a search has to read.
//!
//! PostgreSQL appends the terms of a change to a list and sorts them into the index when the list is full. Every search
//! reads the whole list. By default it may have 4 MB, and then a search takes several milliseconds longer.
//!
//! SQLite adds a segment for each change, and a search reads all segments. The job `merge-search-index` merges segments
//! of one level as soon as there are two.

use super::Migration;

pub(super) const MIGRATION: Migration =
    Migration { name: "m20261123_000014_search_index", both: "", postgres: &[PENDING], sqlite: &[MERGED_FROM] };

/// In KB.
const PENDING: &str = "ALTER INDEX explore_terms SET (gin_pending_list_limit = 64)";

const MERGED_FROM: &str = "INSERT INTO explore_words (explore_words, rank) VALUES ('usermerge', 2)";
