//! The first schema: accounts and sessions, clients and grants, settings, itineraries and the stored responses of
//! idempotent writes.
//!
//! JSON is stored as text, because it is sent unchanged.

use super::Migration;

pub(super) const MIGRATION: Migration =
    Migration { name: "m20261120_000001_foundation", both: SCHEMA, postgres: &[COMPRESSION], sqlite: &[] };

/// `codes.grant_id` is not a foreign key, because the code is claimed before its grant exists. Neither is
/// `idempotency.itinerary_id`, because the response is stored before the itinerary.
const SCHEMA: &str = "
CREATE TABLE accounts (
    id {uuid} NOT NULL PRIMARY KEY,
    username TEXT NOT NULL,
    username_folded TEXT NOT NULL UNIQUE,
    display_name TEXT NOT NULL,
    password_hash TEXT NOT NULL,
    plan TEXT NOT NULL CHECK (plan IN ('free', 'pro')),
    image_url TEXT,
    home_place TEXT,
    created_at {int} NOT NULL
) {end};

CREATE TABLE sessions (
    hash {bytes} NOT NULL PRIMARY KEY,
    account_id {uuid} NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    created_at {int} NOT NULL,
    expires_at {int} NOT NULL
) {end};
CREATE INDEX sessions_account ON sessions (account_id);
CREATE INDEX sessions_expiry ON sessions (expires_at);

CREATE TABLE clients (
    id TEXT NOT NULL PRIMARY KEY,
    secret_hash {bytes},
    name TEXT NOT NULL,
    redirect_uris TEXT NOT NULL,
    metadata TEXT NOT NULL,
    auth_method TEXT NOT NULL,
    created_at {int} NOT NULL
) {end};

CREATE TABLE grants (
    id {uuid} NOT NULL PRIMARY KEY,
    account_id {uuid} NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    client_id TEXT NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    scope TEXT NOT NULL,
    resource TEXT,
    created_at {int} NOT NULL,
    revoked_at {int}
) {end};
CREATE INDEX grants_account ON grants (account_id, created_at);
CREATE INDEX grants_client ON grants (client_id);
CREATE INDEX grants_age ON grants (created_at);

CREATE TABLE codes (
    hash {bytes} NOT NULL PRIMARY KEY,
    client_id TEXT NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    account_id {uuid} NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    redirect_uri TEXT NOT NULL,
    scope TEXT NOT NULL,
    challenge TEXT NOT NULL,
    resource TEXT,
    created_at {int} NOT NULL,
    expires_at {int} NOT NULL,
    used_at {int},
    grant_id {uuid}
) {end};
CREATE INDEX codes_account ON codes (account_id);
CREATE INDEX codes_client ON codes (client_id);
CREATE INDEX codes_expiry ON codes (expires_at);

CREATE TABLE tokens (
    hash {bytes} NOT NULL PRIMARY KEY,
    grant_id {uuid} NOT NULL REFERENCES grants (id) ON DELETE CASCADE,
    kind TEXT NOT NULL CHECK (kind IN ('access', 'refresh')),
    scope TEXT NOT NULL,
    resource TEXT,
    created_at {int} NOT NULL,
    expires_at {int} NOT NULL,
    used_at {int}
) {end};
CREATE INDEX tokens_grant ON tokens (grant_id);
CREATE INDEX tokens_expiry ON tokens (expires_at);

CREATE TABLE settings (
    name TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL,
    updated_at {int} NOT NULL
) {end};

CREATE TABLE idempotency (
    account_id {uuid} NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    client_id TEXT NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    operation TEXT NOT NULL,
    key {uuid} NOT NULL,
    fingerprint {bytes} NOT NULL,
    status {small} NOT NULL,
    etag TEXT,
    location TEXT,
    itinerary_id {uuid},
    created_at {int} NOT NULL,
    body {bytes} NOT NULL,
    PRIMARY KEY (account_id, client_id, operation, key)
) {end};
CREATE INDEX idempotency_client ON idempotency (client_id);
CREATE INDEX idempotency_itinerary ON idempotency (itinerary_id);
CREATE INDEX idempotency_age ON idempotency (created_at);

CREATE TABLE itineraries (
    id {uuid} NOT NULL PRIMARY KEY,
    owner_id {uuid} NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    version {int} NOT NULL,
    visibility TEXT NOT NULL,
    published_at {int},
    start_date TEXT NOT NULL,
    destination_key TEXT NOT NULL,
    place_id TEXT,
    latitude {double} NOT NULL,
    longitude {double} NOT NULL,
    origin TEXT,
    saved_from {uuid},
    created_at {int} NOT NULL,
    updated_at {int} NOT NULL,
    card TEXT NOT NULL,
    everyone TEXT NOT NULL,
    members TEXT NOT NULL,
    pro TEXT NOT NULL,
    documents TEXT NOT NULL
) {end};
CREATE INDEX itineraries_list ON itineraries (owner_id, updated_at, id);
CREATE INDEX itineraries_duplicates ON itineraries (owner_id, start_date);
CREATE INDEX itineraries_origin ON itineraries (owner_id, created_at, id) WHERE origin IS NOT NULL;
";

/// PostgreSQL before version 14, or built without lz4, keeps its default compression.
const COMPRESSION: &str = "
DO $$ BEGIN
    ALTER TABLE itineraries
        ALTER COLUMN everyone SET COMPRESSION lz4,
        ALTER COLUMN members SET COMPRESSION lz4,
        ALTER COLUMN pro SET COMPRESSION lz4,
        ALTER COLUMN documents SET COMPRESSION lz4;
    ALTER TABLE idempotency ALTER COLUMN body SET COMPRESSION lz4;
EXCEPTION WHEN feature_not_supported OR syntax_error THEN NULL;
END $$";
