//! The gazetteer, cached results of geocoders, and the cover image of an itinerary.

use super::Migration;

pub(super) const MIGRATION: Migration =
    Migration { name: "m20261122_000003_places", both: SCHEMA, postgres: POSTGRES, sqlite: SQLITE };

/// The index of names refers to `gazetteer.number`; `names` are separated by newlines.
const SCHEMA: &str = "
CREATE TABLE gazetteer (
    number {int} NOT NULL PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    class TEXT NOT NULL,
    names TEXT NOT NULL,
    latitude {double} NOT NULL,
    longitude {double} NOT NULL,
    country TEXT NOT NULL,
    time_zone TEXT NOT NULL,
    population {int} NOT NULL,
    code TEXT
) {end};
CREATE INDEX gazetteer_code ON gazetteer (code) WHERE code IS NOT NULL;

CREATE TABLE provider_answers (
    key TEXT NOT NULL PRIMARY KEY,
    answer TEXT NOT NULL,
    fetched_at {int} NOT NULL
) {end};
CREATE INDEX provider_answers_age ON provider_answers (fetched_at);

ALTER TABLE itineraries ADD COLUMN cover_id {uuid};
CREATE INDEX itineraries_cover ON itineraries (cover_id) WHERE cover_id IS NOT NULL;
";

/// `key` is the beginning of a word of a name, `cell` a square of one degree; the key `''` finds a place by its cell alone.
const POSTGRES: &[&str] = &[
    "CREATE TABLE gazetteer_keys (key TEXT NOT NULL, cell BIGINT NOT NULL, number BIGINT NOT NULL, \
     PRIMARY KEY (key, cell, number))",
    "CREATE INDEX gazetteer_keys_number ON gazetteer_keys (number)",
];

const SQLITE: &[&str] = &[
    "CREATE TABLE gazetteer_keys (key TEXT NOT NULL, cell INTEGER NOT NULL, number INTEGER NOT NULL, \
     PRIMARY KEY (key, cell, number)) STRICT, WITHOUT ROWID",
    "CREATE INDEX gazetteer_keys_number ON gazetteer_keys (number)",
];
