//! Suspended accounts, moderators, warnings, and the audit log.

use super::Migration;

pub(super) const MIGRATION: Migration =
    Migration { name: "m20261129_000015_moderation", both: SCHEMA, postgres: &[], sqlite: &[] };

/// `audit_log.actor_id` is the moderator who acted. Entries without an account are failed sign-ins under unknown names, and
/// those of erased accounts.
const SCHEMA: &str = "
ALTER TABLE accounts ADD COLUMN suspended_at {int};
ALTER TABLE accounts ADD COLUMN moderator_since {int};

CREATE TABLE suspensions (
    account_id {uuid} NOT NULL PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
    reason TEXT NOT NULL,
    appeal TEXT,
    appealed_at {int}
) {end};

CREATE TABLE warnings (
    id {uuid} NOT NULL PRIMARY KEY,
    account_id {uuid} NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    message TEXT NOT NULL,
    created_at {int} NOT NULL
) {end};
CREATE INDEX warnings_account ON warnings (account_id, created_at);

CREATE TABLE audit_log (
    id {uuid} NOT NULL PRIMARY KEY,
    created_at {int} NOT NULL,
    account_id {uuid} REFERENCES accounts (id) ON DELETE SET NULL,
    actor TEXT NOT NULL,
    actor_id {uuid} REFERENCES accounts (id) ON DELETE SET NULL,
    event TEXT NOT NULL,
    client_id TEXT,
    address TEXT,
    detail TEXT
) {end};
CREATE INDEX audit_log_account ON audit_log (account_id, created_at, id) WHERE account_id IS NOT NULL;
CREATE INDEX audit_log_actor ON audit_log (actor_id) WHERE actor_id IS NOT NULL;
CREATE INDEX audit_log_age ON audit_log (created_at, id);
CREATE INDEX audit_log_addresses ON audit_log (created_at) WHERE address IS NOT NULL;
";
