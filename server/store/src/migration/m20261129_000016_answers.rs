//! Stored responses with fewer indexes.

use super::Migration;

pub(super) const MIGRATION: Migration =
    Migration { name: "m20261129_000016_answers", both: SCHEMA, postgres: POSTGRES, sqlite: SQLITE };

const SCHEMA: &str = "
DROP INDEX idempotency_order;
DROP INDEX idempotency_client;
";

/// No index finds the responses of a client, so deleting a client must not look for them. A body is compressed before it
/// is stored.
const POSTGRES: &[&str] = &[
    "ALTER TABLE idempotency DROP CONSTRAINT idempotency_client_id_fkey",
    "ALTER TABLE idempotency ALTER COLUMN body SET STORAGE EXTERNAL",
];

/// SQLite drops a foreign key only with its table. The body is the last column, so that the others are read without it.
const SQLITE: &[&str] = &[
    "CREATE TABLE answers (
        account_id BLOB NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
        client_id TEXT NOT NULL,
        operation TEXT NOT NULL,
        key BLOB NOT NULL,
        fingerprint BLOB NOT NULL,
        status INTEGER NOT NULL,
        etag TEXT,
        location TEXT,
        itinerary_id BLOB,
        created_at INTEGER NOT NULL,
        number INTEGER NOT NULL,
        bytes_before INTEGER NOT NULL,
        body BLOB NOT NULL,
        PRIMARY KEY (account_id, client_id, operation, key)
    ) STRICT",
    "INSERT INTO answers (account_id, client_id, operation, key, fingerprint, status, etag, location, itinerary_id, \
     created_at, number, bytes_before, body) SELECT account_id, client_id, operation, key, fingerprint, status, etag, \
     location, itinerary_id, created_at, number, bytes_before, body FROM idempotency ORDER BY created_at",
    "DROP TABLE idempotency",
    "ALTER TABLE answers RENAME TO idempotency",
    "CREATE INDEX idempotency_itinerary ON idempotency (itinerary_id)",
    "CREATE INDEX idempotency_age ON idempotency (created_at)",
];
