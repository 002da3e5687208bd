//! Earlier versions of itineraries.

use super::Migration;

pub(super) const MIGRATION: Migration =
    Migration { name: "m20261128_000001_revisions", both: SCHEMA, postgres: &[UNCOMPRESSED], sqlite: &[] };

/// A row describes one version: when and by whom it was made, and in `replaced` what it changed of the version before, from
/// which that version is rebuilt. `replaced` is null for the first version, and where it was too large to keep.
/// `owner_id` repeats the itinerary's owner, who never changes; `account_id` may be of an erased account.
///
/// `members.since_version` is the itinerary's version when the account became a member: an editor sees none before.
const SCHEMA: &str = "
CREATE TABLE revisions (
    itinerary_id {uuid} NOT NULL REFERENCES itineraries (id) ON DELETE CASCADE,
    version {int} NOT NULL,
    owner_id {uuid} NOT NULL,
    updated_at {int} NOT NULL,
    size {int} NOT NULL,
    account_id {uuid} NOT NULL,
    client_id TEXT,
    restored_from {int},
    replaced {bytes},
    PRIMARY KEY (itinerary_id, version)
) {end};
CREATE INDEX revisions_owner ON revisions (owner_id, updated_at, size);
ALTER TABLE members ADD COLUMN since_version {int} NOT NULL DEFAULT 0;
";

/// It is packed already.
const UNCOMPRESSED: &str = "ALTER TABLE revisions ALTER COLUMN replaced SET STORAGE EXTERNAL";
