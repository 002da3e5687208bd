//! Webhooks, their deliveries, and how far the change feed has been read for them.

use super::Migration;

pub(super) const MIGRATION: Migration =
    Migration { name: "m20261128_000003_webhooks", both: SCHEMA, postgres: &[], sqlite: &[] };

/// `webhooks`: `host` is the host and port of `url`. `types` and `kind` have names of the API, `types` separated by spaces.
/// Secrets are sealed. `disabled` is null while it is enabled. `epoch` and `position` say up to which change the feed was read for it.
/// `paused_since` is set while the app has no grant, and `due_at` the first `next_at` of its deliveries, unless it is
/// disabled or paused. `claimed_at` is when an attempt was last claimed.
///
/// `webhook_deliveries`: `next_at` is when the next attempt is due; of an attempt in progress, when it is given up. It is
/// null once no attempt follows.
///
/// `webhook_queue` has at most one row: the epoch and position up to which changes were examined.
const SCHEMA: &str = "
CREATE TABLE webhooks (
    id {uuid} NOT NULL PRIMARY KEY,
    account_id {uuid} NOT NULL REFERENCES accounts (id),
    client_id TEXT NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    url TEXT NOT NULL,
    host TEXT NOT NULL,
    types TEXT NOT NULL,
    description TEXT,
    secret TEXT NOT NULL,
    former_secret TEXT,
    former_until {int},
    disabled TEXT CHECK (disabled IN ('app', 'gone', 'failing')),
    epoch TEXT NOT NULL,
    position {int} NOT NULL,
    failing_since {int},
    paused_since {int},
    due_at {int},
    claimed_at {int},
    created_at {int} NOT NULL
) {end};
CREATE INDEX webhooks_account ON webhooks (account_id, client_id);
CREATE INDEX webhooks_client ON webhooks (client_id);
CREATE INDEX webhooks_due ON webhooks (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX webhooks_paused ON webhooks (paused_since) WHERE paused_since IS NOT NULL;

CREATE TABLE webhook_deliveries (
    id {uuid} NOT NULL PRIMARY KEY,
    webhook_id {uuid} NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    itinerary_id {uuid},
    etag TEXT,
    at {int} NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('pending', 'sending', 'succeeded', 'failed', 'replaced')),
    attempts {int} NOT NULL,
    created_at {int} NOT NULL,
    last_at {int},
    next_at {int},
    status {int},
    body TEXT,
    failure TEXT
) {end};
CREATE INDEX webhook_deliveries_log ON webhook_deliveries (webhook_id, created_at, id);
CREATE INDEX webhook_deliveries_next ON webhook_deliveries (webhook_id, next_at) WHERE next_at IS NOT NULL;
CREATE INDEX webhook_deliveries_sending ON webhook_deliveries (next_at) WHERE state = 'sending';
CREATE INDEX webhook_deliveries_age ON webhook_deliveries (created_at);

CREATE TABLE webhook_queue (
    id {small} NOT NULL PRIMARY KEY CHECK (id = 1),
    epoch TEXT NOT NULL,
    position {int} NOT NULL
) {end};
";
