//! Follows, marks, reports and hidden itineraries, saved copies.
//!
//! Counters have tables of their own, so that counting changes no version and no index.

use super::Migration;

pub(super) const MIGRATION: Migration =
    Migration { name: "m20261122_000001_people", both: SCHEMA, postgres: &[], sqlite: &[] };

/// `departures` are members who left and `removed_followers` followers who were removed: neither can be added again.
/// `views.day` is the last day on which a traveller read an itinerary, in days since 1970.
const SCHEMA: &str = "
CREATE TABLE follows (
    follower_id {uuid} NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    followed_id {uuid} NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    created_at {int} NOT NULL,
    PRIMARY KEY (follower_id, followed_id)
) {end};
CREATE INDEX follows_followers ON follows (followed_id, created_at, follower_id);
CREATE INDEX follows_following ON follows (follower_id, created_at, followed_id);

CREATE TABLE removed_followers (
    account_id {uuid} NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    follower_id {uuid} NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    created_at {int} NOT NULL,
    PRIMARY KEY (account_id, follower_id)
) {end};
CREATE INDEX removed_followers_follower ON removed_followers (follower_id);

CREATE TABLE account_counters (
    account_id {uuid} NOT NULL PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
    followers {int} NOT NULL,
    following {int} NOT NULL
) {end};

CREATE TABLE departures (
    itinerary_id {uuid} NOT NULL REFERENCES itineraries (id) ON DELETE CASCADE,
    account_id {uuid} NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    created_at {int} NOT NULL,
    PRIMARY KEY (itinerary_id, account_id)
) {end};
CREATE INDEX departures_account ON departures (account_id);

CREATE TABLE reactions (
    itinerary_id {uuid} NOT NULL REFERENCES itineraries (id) ON DELETE CASCADE,
    account_id {uuid} NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    kind TEXT NOT NULL CHECK (kind IN ('like', 'dislike')),
    created_at {int} NOT NULL,
    PRIMARY KEY (itinerary_id, account_id)
) {end};
CREATE INDEX reactions_account ON reactions (account_id, kind);

CREATE TABLE views (
    itinerary_id {uuid} NOT NULL REFERENCES itineraries (id) ON DELETE CASCADE,
    account_id {uuid} NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    day {int} NOT NULL,
    PRIMARY KEY (itinerary_id, account_id)
) {end};
CREATE INDEX views_account ON views (account_id);
CREATE INDEX views_day ON views (day);

CREATE TABLE itinerary_counters (
    itinerary_id {uuid} NOT NULL PRIMARY KEY REFERENCES itineraries (id) ON DELETE CASCADE,
    likes {int} NOT NULL DEFAULT 0,
    saves {int} NOT NULL DEFAULT 0,
    views {int} NOT NULL DEFAULT 0
) {end};

CREATE TABLE reports (
    id {uuid} NOT NULL PRIMARY KEY,
    itinerary_id {uuid} NOT NULL REFERENCES itineraries (id) ON DELETE CASCADE,
    account_id {uuid} NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    reason TEXT NOT NULL,
    note TEXT,
    created_at {int} NOT NULL,
    resolved_at {int},
    verdict TEXT CHECK (verdict IN ('keep', 'hide'))
) {end};
CREATE UNIQUE INDEX reports_open ON reports (itinerary_id, account_id) WHERE resolved_at IS NULL;
CREATE INDEX reports_queue ON reports (created_at, id) WHERE resolved_at IS NULL;
CREATE INDEX reports_itinerary ON reports (itinerary_id);
CREATE INDEX reports_account ON reports (account_id);

CREATE TABLE hidden (
    itinerary_id {uuid} NOT NULL PRIMARY KEY REFERENCES itineraries (id) ON DELETE CASCADE,
    created_at {int} NOT NULL,
    reviewed_at {int}
) {end};

ALTER TABLE itineraries ADD COLUMN saved_author {uuid} REFERENCES accounts (id) ON DELETE SET NULL;
CREATE UNIQUE INDEX itineraries_saved ON itineraries (owner_id, saved_from) WHERE saved_from IS NOT NULL;
CREATE INDEX itineraries_saved_author ON itineraries (saved_author) WHERE saved_author IS NOT NULL;
";
