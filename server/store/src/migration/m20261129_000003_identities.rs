//! Identities at OpenID Connect providers, and when a session's traveller last proved who they are.

use super::Migration;

pub(super) const MIGRATION: Migration =
    Migration { name: "m20261129_000003_identities", both: SCHEMA, postgres: &[], sqlite: &[] };

/// `provider` is the provider's name when the identity was linked. `sessions.authenticated_at` is null in sessions that a
/// server of the version before has begun: they count from `created_at`.
const SCHEMA: &str = "
CREATE TABLE identities (
    issuer TEXT NOT NULL,
    subject TEXT NOT NULL,
    account_id {uuid} NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    provider TEXT NOT NULL,
    linked_at {int} NOT NULL,
    PRIMARY KEY (issuer, subject)
) {end};
CREATE INDEX identities_account ON identities (account_id, linked_at);

ALTER TABLE sessions ADD COLUMN authenticated_at {int};
";
