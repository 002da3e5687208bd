//! Grants hold the state of their refresh tokens, consent pages can be submitted once, and clients have the time when
//! their metadata document was fetched.

use super::Migration;

pub(super) const MIGRATION: Migration =
    Migration { name: "m20261123_000005_grants", both: SCHEMA, postgres: &[], sqlite: &[] };

/// Refresh tokens issued before this migration contain no family. The unused token of a grant stays valid: its own hash
/// is the name of its family until it is used. Used tokens stay in `tokens` until they expire, so that their reuse is
/// still detected. All other rows of `tokens` are access tokens.
const SCHEMA: &str = "
ALTER TABLE grants ADD COLUMN family {bytes};
ALTER TABLE grants ADD COLUMN refresh_hash {bytes};
ALTER TABLE grants ADD COLUMN expires_at {int} NOT NULL DEFAULT 0;
ALTER TABLE grants ADD COLUMN last_used_at {int} NOT NULL DEFAULT 0;
UPDATE grants SET
    refresh_hash = (SELECT t.hash FROM tokens t WHERE t.grant_id = grants.id AND t.kind = 'refresh'
        AND t.used_at IS NULL ORDER BY t.created_at DESC, t.hash LIMIT 1),
    expires_at = COALESCE((SELECT MAX(t.expires_at) FROM tokens t WHERE t.grant_id = grants.id
        AND t.used_at IS NULL), created_at),
    last_used_at = COALESCE((SELECT MAX(t.created_at) FROM tokens t WHERE t.grant_id = grants.id), created_at);
UPDATE grants SET family = refresh_hash WHERE refresh_hash IS NOT NULL;
DELETE FROM tokens WHERE kind = 'refresh' AND used_at IS NULL;
CREATE UNIQUE INDEX grants_family ON grants (family);
CREATE INDEX grants_living ON grants (account_id, client_id) WHERE revoked_at IS NULL;
CREATE INDEX grants_expiry ON grants (expires_at);
CREATE INDEX grants_revoked ON grants (revoked_at) WHERE revoked_at IS NOT NULL;
DROP INDEX grants_age;

ALTER TABLE clients ADD COLUMN fetched_at {int};
UPDATE clients SET fetched_at = created_at WHERE id LIKE 'https://%';
CREATE INDEX clients_fetched ON clients (fetched_at) WHERE fetched_at IS NOT NULL;

CREATE TABLE consent_answers (
    id {uuid} NOT NULL PRIMARY KEY,
    expires_at {int} NOT NULL
) {end};
CREATE INDEX consent_answers_expiry ON consent_answers (expires_at);
";
