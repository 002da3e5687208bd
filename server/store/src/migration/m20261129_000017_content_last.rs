//! Moves the content of itineraries to the last columns.

use super::Migration;

pub(super) const MIGRATION: Migration =
    Migration { name: "m20261129_000017_content_last", both: "", postgres: &[], sqlite: SQLITE };

/// To read a column, SQLite walks through all columns before it, and the content of a large itinerary is a chain of pages.
/// Lists read columns that were added after the content. `ADD COLUMN` with `NOT NULL` requires a default, which no insert
/// uses.
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
