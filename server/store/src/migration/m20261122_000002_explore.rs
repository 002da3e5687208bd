//! Explore: the itineraries that others may find, with the words they are found by, and the feed's order.
//!
//! The index of words keeps itself: a generated column on PostgreSQL, triggers on SQLite.

use super::Migration;

pub(super) const MIGRATION: Migration =
    Migration { name: "m20261122_000002_explore", both: SCHEMA, postgres: POSTGRES, sqlite: SQLITE };

/// `explore.place` is where an itinerary stands among those that match: its score first, then chance.
/// `feed` has a row for each region that the destination is in, the whole world included.
const SCHEMA: &str = "
CREATE TABLE explore (
    itinerary_id {uuid} NOT NULL PRIMARY KEY REFERENCES itineraries (id) ON DELETE CASCADE,
    owner_id {uuid} NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    published_at {int} NOT NULL,
    place {int} NOT NULL UNIQUE,
    words TEXT NOT NULL
) {end};
CREATE INDEX explore_owner ON explore (owner_id, published_at, itinerary_id);

CREATE TABLE feed (
    itinerary_id {uuid} NOT NULL REFERENCES explore (itinerary_id) ON DELETE CASCADE,
    region {small} NOT NULL,
    tier {small} NOT NULL,
    key_0 {int} NOT NULL,
    key_1 {int} NOT NULL,
    key_2 {int} NOT NULL,
    key_3 {int} NOT NULL,
    PRIMARY KEY (itinerary_id, region)
) {end};
CREATE INDEX feed_0 ON feed (region, tier, key_0, itinerary_id);
CREATE INDEX feed_1 ON feed (region, tier, key_1, itinerary_id);
CREATE INDEX feed_2 ON feed (region, tier, key_2, itinerary_id);
CREATE INDEX feed_3 ON feed (region, tier, key_3, itinerary_id);
";

/// The words arrive folded and apart: no parser and no dictionary looks at them.
const POSTGRES: &[&str] = &[
    "ALTER TABLE explore ADD COLUMN terms tsvector NOT NULL \
     GENERATED ALWAYS AS (array_to_tsvector(string_to_array(words, ' '))) STORED",
    "CREATE INDEX explore_terms ON explore USING gin (terms)",
];

/// Rows of the index are numbered by place, so that it gives matches best first without sorting them. Every beginning of
/// a word is indexed up to twelve letters: otherwise the beginning of a common word would be looked up by reading all
/// that match.
const SQLITE: &[&str] = &[
    "CREATE VIRTUAL TABLE explore_words USING fts5 (words, content = '', contentless_delete = 1, detail = none, \
     tokenize = \"ascii tokenchars '_'\", prefix = '1 2 3 4 5 6 7 8 9 10 11 12')",
    "CREATE TRIGGER explore_inserted AFTER INSERT ON explore BEGIN \
     INSERT INTO explore_words (rowid, words) VALUES (new.place, new.words); END",
    "CREATE TRIGGER explore_deleted AFTER DELETE ON explore BEGIN \
     DELETE FROM explore_words WHERE rowid = old.place; END",
    "CREATE TRIGGER explore_updated AFTER UPDATE OF place, words ON explore BEGIN \
     DELETE FROM explore_words WHERE rowid = old.place; \
     INSERT INTO explore_words (rowid, words) VALUES (new.place, new.words); END",
];
