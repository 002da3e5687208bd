//! Mail addresses of accounts, and the queue of mails.

use super::Migration;

pub(super) const MIGRATION: Migration =
    Migration { name: "m20261129_000005_mails", both: SCHEMA, postgres: &[], sqlite: &[] };

/// `folded` is the address in lower case. `hash` and `link_hash` are the SHA-256 of a link's secret, once it was made.
const SCHEMA: &str = "
CREATE TABLE mail_addresses (
    account_id {uuid} NOT NULL PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
    address TEXT NOT NULL,
    folded TEXT NOT NULL UNIQUE,
    verified_at {int} NOT NULL
) {end};
CREATE TABLE unverified_addresses (
    account_id {uuid} NOT NULL PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
    address TEXT NOT NULL,
    hash {bytes} UNIQUE,
    expires_at {int} NOT NULL
) {end};
CREATE INDEX unverified_addresses_age ON unverified_addresses (expires_at);
CREATE TABLE mails (
    id {uuid} NOT NULL PRIMARY KEY,
    kind TEXT NOT NULL,
    account_id {uuid} REFERENCES accounts (id) ON DELETE CASCADE,
    address TEXT NOT NULL,
    parameters TEXT NOT NULL,
    created_at {int} NOT NULL,
    expires_at {int} NOT NULL,
    next_at {int} NOT NULL,
    attempts {int} NOT NULL,
    link_hash {bytes}
) {end};
CREATE INDEX mails_due ON mails (next_at);
CREATE INDEX mails_account ON mails (account_id);
";
