//! Counters and indexes for quotas, numbered stored responses, a smaller text index.

use super::Migration;

pub(super) const MIGRATION: Migration =
    Migration { name: "m20261123_000006_growth", both: SCHEMA, postgres: &[], sqlite: SQLITE };

/// `members.owner_id` repeats the itinerary's owner, who never changes. `answer_usage` counts all responses that an
/// account has ever stored, and their bytes; `idempotency.number` and `bytes_before` are its values when the response
/// was stored.
const SCHEMA: &str = "
ALTER TABLE account_counters ADD COLUMN itineraries {int} NOT NULL DEFAULT 0;
INSERT INTO account_counters (account_id, followers, following, itineraries)
    SELECT owner_id, 0, 0, count(*) FROM itineraries WHERE TRUE GROUP BY owner_id
    ON CONFLICT (account_id) DO UPDATE SET itineraries = excluded.itineraries;

ALTER TABLE members ADD COLUMN owner_id {uuid};
UPDATE members SET owner_id = (SELECT i.owner_id FROM itineraries i WHERE i.id = members.itinerary_id);
CREATE INDEX members_of_owner ON members (account_id, owner_id);
DROP INDEX members_account;

CREATE TABLE answer_usage (
    account_id {uuid} NOT NULL PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
    answers {int} NOT NULL,
    bytes {int} NOT NULL
) {end};
ALTER TABLE idempotency ADD COLUMN number {int} NOT NULL DEFAULT 0;
ALTER TABLE idempotency ADD COLUMN bytes_before {int} NOT NULL DEFAULT 0;
CREATE INDEX idempotency_order ON idempotency (account_id, number);

CREATE INDEX reports_reporter ON reports (itinerary_id, account_id);
DROP INDEX reports_itinerary;

CREATE INDEX explore_published ON explore (published_at, itinerary_id, owner_id);
";

/// Prefixes of one and two letters are indexed; for a longer one, `explore_vocabulary` lists the words that have it.
/// The triggers of `explore` stay.
const SQLITE: &[&str] = &[
    "DROP TABLE explore_words",
    "CREATE VIRTUAL TABLE explore_words USING fts5 (words, content = '', contentless_delete = 1, detail = none, \
     tokenize = \"ascii tokenchars '_'\", prefix = '1 2')",
    "INSERT INTO explore_words (rowid, words) SELECT place, words FROM explore ORDER BY place",
    "CREATE VIRTUAL TABLE explore_vocabulary USING fts5vocab (explore_words, instance)",
];
