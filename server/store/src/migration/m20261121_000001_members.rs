//! Members of itineraries.

use super::Migration;

pub(super) const MIGRATION: Migration =
    Migration { name: "m20261121_000001_members", both: SCHEMA, postgres: &[], sqlite: &[] };

const SCHEMA: &str = "
CREATE TABLE members (
    itinerary_id {uuid} NOT NULL REFERENCES itineraries (id) ON DELETE CASCADE,
    account_id {uuid} NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    role TEXT NOT NULL CHECK (role IN ('editor', 'viewer')),
    created_at {int} NOT NULL,
    PRIMARY KEY (itinerary_id, account_id)
) {end};
CREATE INDEX members_account ON members (account_id);
";
