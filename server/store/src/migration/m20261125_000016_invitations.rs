//! Invitations to itineraries, and blocked accounts.

use super::Migration;

pub(super) const MIGRATION: Migration =
    Migration { name: "m20261125_000016_invitations", both: SCHEMA, postgres: &[], sqlite: &[] };

/// `members` keeps its meaning: members have accepted, also those who were added before there were invitations.
/// `departures` are members who left and invitations that were declined. `invitations.owner_id` repeats the itinerary's
/// owner, who never changes. `sent_invitations.number` counts the invitations that an owner sent at an instant and that
/// were not accepted; it outlives them, and their itineraries.
const SCHEMA: &str = "
CREATE TABLE invitations (
    itinerary_id {uuid} NOT NULL REFERENCES itineraries (id) ON DELETE CASCADE,
    account_id {uuid} NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    owner_id {uuid} NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    role TEXT NOT NULL CHECK (role IN ('editor', 'viewer')),
    created_at {int} NOT NULL,
    PRIMARY KEY (itinerary_id, account_id)
) {end};
CREATE INDEX invitations_account ON invitations (account_id, created_at, itinerary_id);
CREATE INDEX invitations_owner ON invitations (owner_id, account_id);

CREATE TABLE sent_invitations (
    owner_id {uuid} NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    sent_at {int} NOT NULL,
    number {int} NOT NULL,
    PRIMARY KEY (owner_id, sent_at)
) {end};

CREATE TABLE blocks (
    account_id {uuid} NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    blocked_id {uuid} NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    created_at {int} NOT NULL,
    PRIMARY KEY (account_id, blocked_id)
) {end};
CREATE INDEX blocks_account ON blocks (account_id, created_at, blocked_id);
CREATE INDEX blocks_blocked ON blocks (blocked_id);
";
