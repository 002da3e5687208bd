//! Invitations to create an account.

use super::Migration;

pub(super) const MIGRATION: Migration =
    Migration { name: "m20261129_000002_sign_up", both: SCHEMA, postgres: &[], sqlite: &[] };

/// `hash` is the SHA-256 of the invitation's secret. `created_by` is null for invitations by the operator. A row is
/// deleted when the invitation is used.
const SCHEMA: &str = "
CREATE TABLE sign_up_invitations (
    hash {bytes} NOT NULL PRIMARY KEY,
    created_at {int} NOT NULL,
    expires_at {int} NOT NULL,
    note TEXT,
    created_by {uuid} REFERENCES accounts (id) ON DELETE CASCADE
) {end};
CREATE INDEX sign_up_invitations_age ON sign_up_invitations (expires_at);
CREATE INDEX sign_up_invitations_account ON sign_up_invitations (created_by) WHERE created_by IS NOT NULL;
";
