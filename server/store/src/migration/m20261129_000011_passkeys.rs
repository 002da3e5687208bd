//! Passkeys (WebAuthn).

use super::Migration;

pub(super) const MIGRATION: Migration =
    Migration { name: "m20261129_000011_passkeys", both: SCHEMA, postgres: &[], sqlite: &[] };

/// `passkey` is the public key and what else checks a signature, as JSON. `counter` is the signature counter that the
/// authenticator last sent.
const SCHEMA: &str = "
CREATE TABLE passkeys (
    id {uuid} NOT NULL PRIMARY KEY,
    account_id {uuid} NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    credential_id {bytes} NOT NULL UNIQUE,
    passkey TEXT NOT NULL,
    counter {int} NOT NULL,
    name TEXT NOT NULL,
    created_at {int} NOT NULL,
    last_used_day {int}
) {end};
CREATE INDEX passkeys_account ON passkeys (account_id, created_at);
";
