//! The content of itineraries in the last columns of their rows.

use super::Migration;

pub(super) const MIGRATION: Migration =
    Migration { name: "m20261129_000017_content_last", both: "", postgres: &[], sqlite: SQLITE };

/// SQLite reads a column through all that precede it, and the content of a large itinerary is a chain of pages. The columns
/// that lists read were added after it. A new column of a table needs a default; every insert names all columns.
const SQLITE: &[&str] = &[
    "ALTER TABLE itineraries RENAME COLUMN everyone TO former_everyone",
    "ALTER TABLE itineraries RENAME COLUMN members TO former_members",
    "ALTER TABLE itineraries RENAME COLUMN pro TO former_pro",
    "ALTER TABLE itineraries RENAME COLUMN documents TO former_documents",
    "ALTER TABLE itineraries ADD COLUMN everyone TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE itineraries ADD COLUMN members TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE itineraries ADD COLUMN pro TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE itineraries ADD COLUMN documents TEXT NOT NULL DEFAULT ''",
    "UPDATE itineraries SET everyone = former_everyone, members = former_members, pro = former_pro, \
     documents = former_documents",
    "ALTER TABLE itineraries DROP COLUMN former_everyone",
    "ALTER TABLE itineraries DROP COLUMN former_members",
    "ALTER TABLE itineraries DROP COLUMN former_pro",
    "ALTER TABLE itineraries DROP COLUMN former_documents",
];
