//! Stored answers are no longer compressed. Compressed ones cannot be replayed; they would have expired within a day.

use super::Migration;

pub(super) const MIGRATION: Migration =
    Migration { name: "m20261123_000008_plain_answers", both: "DELETE FROM idempotency", postgres: &[], sqlite: &[] };
