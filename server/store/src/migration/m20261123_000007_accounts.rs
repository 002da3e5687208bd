//! Deleted accounts that are not erased yet, and reserved usernames.

use super::Migration;

pub(super) const MIGRATION: Migration =
    Migration { name: "m20261123_000007_accounts", both: SCHEMA, postgres: &[], sqlite: &[] };

/// `former_usernames.code` is an HMAC of the username with the server's key; the name itself is not stored.
const SCHEMA: &str = "
ALTER TABLE accounts ADD COLUMN deleted_at {int};
CREATE INDEX accounts_deleted ON accounts (deleted_at) WHERE deleted_at IS NOT NULL;

CREATE TABLE former_usernames (
    code TEXT NOT NULL PRIMARY KEY,
    free_at {int} NOT NULL
) {end};
CREATE INDEX former_usernames_age ON former_usernames (free_at);
";
