//! Explore: itineraries that others may find, their search words, and the feed's order.
//!
//! The database updates the text index: a generated column on PostgreSQL, triggers on SQLite.

use super::Migration;

pub(super) const MIGRATION: Migration =
    Migration { name: "m20261122_000002_explore", both: SCHEMA, postgres: POSTGRES, sqlite: SQLITE };

/// `explore.place` is the rank key of search results: the score, then a random number. `feed` has a row for each region
/// of the destination, including the world.
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

/// The words are already folded and separated, so no parser and no dictionary is used.
const POSTGRES: &[&str] = &[
    "ALTER TABLE explore ADD COLUMN terms tsvector NOT NULL \
     GENERATED ALWAYS AS (array_to_tsvector(string_to_array(words, ' '))) STORED",
    "CREATE INDEX explore_terms ON explore USING gin (terms)",
];

/// The row number is the rank key, so that the index returns matches best first without sorting. All prefixes of up to
/// twelve letters are indexed; otherwise a search for the prefix of a common word would read all matches.
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
