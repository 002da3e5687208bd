PRAGMA page_size = 4096;
PRAGMA foreign_keys = OFF;
BEGIN;
CREATE TABLE seaql_migrations (version TEXT NOT NULL PRIMARY KEY, applied_at BIGINT NOT NULL);
CREATE TABLE accounts (
    id BLOB NOT NULL PRIMARY KEY,
    username TEXT NOT NULL,
    username_folded TEXT NOT NULL UNIQUE,
    display_name TEXT NOT NULL,
    password_hash TEXT NOT NULL,
    plan TEXT NOT NULL CHECK (plan IN ('free', 'pro')),
    image_url TEXT,
    home_place TEXT,
    created_at INTEGER NOT NULL
, deleted_at INTEGER, suspended_at INTEGER, moderator_since INTEGER) STRICT;
CREATE TABLE sessions (
    hash BLOB NOT NULL PRIMARY KEY,
    account_id BLOB NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
, authenticated_at INTEGER) STRICT;
CREATE INDEX sessions_account ON sessions (account_id);
CREATE INDEX sessions_expiry ON sessions (expires_at);
CREATE TABLE clients (
    id TEXT NOT NULL PRIMARY KEY,
    secret_hash BLOB,
    name TEXT NOT NULL,
    redirect_uris TEXT NOT NULL,
    metadata TEXT NOT NULL,
    auth_method TEXT NOT NULL,
    created_at INTEGER NOT NULL
, fetched_at INTEGER) STRICT;
CREATE TABLE grants (
    id BLOB NOT NULL PRIMARY KEY,
    account_id BLOB NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    client_id TEXT NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    scope TEXT NOT NULL,
    resource TEXT,
    created_at INTEGER NOT NULL,
    revoked_at INTEGER
, family BLOB, refresh_hash BLOB, expires_at INTEGER NOT NULL DEFAULT 0, last_used_at INTEGER NOT NULL DEFAULT 0) STRICT;
CREATE INDEX grants_account ON grants (account_id, created_at);
CREATE INDEX grants_client ON grants (client_id);
CREATE TABLE codes (
    hash BLOB NOT NULL PRIMARY KEY,
    client_id TEXT NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    account_id BLOB NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    redirect_uri TEXT NOT NULL,
    scope TEXT NOT NULL,
    challenge TEXT NOT NULL,
    resource TEXT,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    used_at INTEGER,
    grant_id BLOB
) STRICT;
CREATE INDEX codes_account ON codes (account_id);
CREATE INDEX codes_client ON codes (client_id);
CREATE INDEX codes_expiry ON codes (expires_at);
CREATE TABLE tokens (
    hash BLOB NOT NULL PRIMARY KEY,
    grant_id BLOB NOT NULL REFERENCES grants (id) ON DELETE CASCADE,
    kind TEXT NOT NULL CHECK (kind IN ('access', 'refresh')),
    scope TEXT NOT NULL,
    resource TEXT,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    used_at INTEGER
) STRICT;
CREATE INDEX tokens_grant ON tokens (grant_id);
CREATE INDEX tokens_expiry ON tokens (expires_at);
CREATE TABLE settings (
    name TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT;
CREATE TABLE itineraries (
    id BLOB NOT NULL PRIMARY KEY,
    owner_id BLOB NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    version INTEGER NOT NULL,
    visibility TEXT NOT NULL,
    published_at INTEGER,
    start_date TEXT NOT NULL,
    destination_key TEXT NOT NULL,
    place_id TEXT,
    latitude REAL NOT NULL,
    longitude REAL NOT NULL,
    origin TEXT,
    saved_from BLOB,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    card TEXT NOT NULL,
    saved_author BLOB REFERENCES accounts (id) ON DELETE SET NULL, cover_id BLOB, picture_id BLOB, everyone TEXT NOT NULL DEFAULT '', members TEXT NOT NULL DEFAULT '', pro TEXT NOT NULL DEFAULT '', documents TEXT NOT NULL DEFAULT '') STRICT;
CREATE INDEX itineraries_list ON itineraries (owner_id, updated_at, id);
CREATE INDEX itineraries_duplicates ON itineraries (owner_id, start_date);
CREATE INDEX itineraries_origin ON itineraries (owner_id, created_at, id) WHERE origin IS NOT NULL;
CREATE TABLE members (
    itinerary_id BLOB NOT NULL REFERENCES itineraries (id) ON DELETE CASCADE,
    account_id BLOB NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    role TEXT NOT NULL CHECK (role IN ('editor', 'viewer')),
    created_at INTEGER NOT NULL, owner_id BLOB, since_version INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (itinerary_id, account_id)
) STRICT;
CREATE TABLE follows (
    follower_id BLOB NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    followed_id BLOB NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (follower_id, followed_id)
) STRICT;
CREATE INDEX follows_followers ON follows (followed_id, created_at, follower_id);
CREATE INDEX follows_following ON follows (follower_id, created_at, followed_id);
CREATE TABLE removed_followers (
    account_id BLOB NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    follower_id BLOB NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (account_id, follower_id)
) STRICT;
CREATE INDEX removed_followers_follower ON removed_followers (follower_id);
CREATE TABLE account_counters (
    account_id BLOB NOT NULL PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
    followers INTEGER NOT NULL,
    following INTEGER NOT NULL
, itineraries INTEGER NOT NULL DEFAULT 0) STRICT;
CREATE TABLE departures (
    itinerary_id BLOB NOT NULL REFERENCES itineraries (id) ON DELETE CASCADE,
    account_id BLOB NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (itinerary_id, account_id)
) STRICT;
CREATE INDEX departures_account ON departures (account_id);
CREATE TABLE reactions (
    itinerary_id BLOB NOT NULL REFERENCES itineraries (id) ON DELETE CASCADE,
    account_id BLOB NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    kind TEXT NOT NULL CHECK (kind IN ('like', 'dislike')),
    created_at INTEGER NOT NULL,
    PRIMARY KEY (itinerary_id, account_id)
) STRICT;
CREATE INDEX reactions_account ON reactions (account_id, kind);
CREATE TABLE views (
    itinerary_id BLOB NOT NULL REFERENCES itineraries (id) ON DELETE CASCADE,
    account_id BLOB NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    day INTEGER NOT NULL,
    PRIMARY KEY (itinerary_id, account_id)
) STRICT;
CREATE INDEX views_account ON views (account_id);
CREATE INDEX views_day ON views (day);
CREATE TABLE itinerary_counters (
    itinerary_id BLOB NOT NULL PRIMARY KEY REFERENCES itineraries (id) ON DELETE CASCADE,
    likes INTEGER NOT NULL DEFAULT 0,
    saves INTEGER NOT NULL DEFAULT 0,
    views INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE TABLE reports (
    id BLOB NOT NULL PRIMARY KEY,
    itinerary_id BLOB NOT NULL REFERENCES itineraries (id) ON DELETE CASCADE,
    account_id BLOB NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    reason TEXT NOT NULL,
    note TEXT,
    created_at INTEGER NOT NULL,
    resolved_at INTEGER,
    verdict TEXT CHECK (verdict IN ('keep', 'hide'))
) STRICT;
CREATE UNIQUE INDEX reports_open ON reports (itinerary_id, account_id) WHERE resolved_at IS NULL;
CREATE INDEX reports_queue ON reports (created_at, id) WHERE resolved_at IS NULL;
CREATE INDEX reports_account ON reports (account_id);
CREATE TABLE hidden (
    itinerary_id BLOB NOT NULL PRIMARY KEY REFERENCES itineraries (id) ON DELETE CASCADE,
    created_at INTEGER NOT NULL,
    reviewed_at INTEGER
) STRICT;
CREATE UNIQUE INDEX itineraries_saved ON itineraries (owner_id, saved_from) WHERE saved_from IS NOT NULL;
CREATE INDEX itineraries_saved_author ON itineraries (saved_author) WHERE saved_author IS NOT NULL;
CREATE TABLE explore (
    itinerary_id BLOB NOT NULL PRIMARY KEY REFERENCES itineraries (id) ON DELETE CASCADE,
    owner_id BLOB NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    published_at INTEGER NOT NULL,
    place INTEGER NOT NULL UNIQUE,
    words TEXT NOT NULL
) STRICT;
CREATE INDEX explore_owner ON explore (owner_id, published_at, itinerary_id);
CREATE TABLE feed (
    itinerary_id BLOB NOT NULL REFERENCES explore (itinerary_id) ON DELETE CASCADE,
    region INTEGER NOT NULL,
    tier INTEGER NOT NULL,
    key_0 INTEGER NOT NULL,
    key_1 INTEGER NOT NULL,
    key_2 INTEGER NOT NULL,
    key_3 INTEGER NOT NULL,
    PRIMARY KEY (itinerary_id, region)
) STRICT;
CREATE INDEX feed_0 ON feed (region, tier, key_0, itinerary_id);
CREATE INDEX feed_1 ON feed (region, tier, key_1, itinerary_id);
CREATE INDEX feed_2 ON feed (region, tier, key_2, itinerary_id);
CREATE INDEX feed_3 ON feed (region, tier, key_3, itinerary_id);
CREATE TRIGGER explore_inserted AFTER INSERT ON explore BEGIN INSERT INTO explore_words (rowid, words) VALUES (new.place, new.words); END;
CREATE TRIGGER explore_deleted AFTER DELETE ON explore BEGIN DELETE FROM explore_words WHERE rowid = old.place; END;
CREATE TRIGGER explore_updated AFTER UPDATE OF place, words ON explore BEGIN DELETE FROM explore_words WHERE rowid = old.place; INSERT INTO explore_words (rowid, words) VALUES (new.place, new.words); END;
CREATE TABLE gazetteer (
    number INTEGER NOT NULL PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    class TEXT NOT NULL,
    names TEXT NOT NULL,
    latitude REAL NOT NULL,
    longitude REAL NOT NULL,
    country TEXT NOT NULL,
    time_zone TEXT NOT NULL,
    population INTEGER NOT NULL,
    code TEXT
) STRICT;
CREATE INDEX gazetteer_code ON gazetteer (code) WHERE code IS NOT NULL;
CREATE TABLE provider_answers (
    key TEXT NOT NULL PRIMARY KEY,
    answer TEXT NOT NULL,
    fetched_at INTEGER NOT NULL
) STRICT;
CREATE INDEX provider_answers_age ON provider_answers (fetched_at);
CREATE INDEX itineraries_cover ON itineraries (cover_id) WHERE cover_id IS NOT NULL;
CREATE TABLE gazetteer_keys (key TEXT NOT NULL, cell INTEGER NOT NULL, number INTEGER NOT NULL, PRIMARY KEY (key, cell, number)) STRICT, WITHOUT ROWID;
CREATE INDEX gazetteer_keys_number ON gazetteer_keys (number);
CREATE TABLE documents (
    id BLOB NOT NULL PRIMARY KEY,
    itinerary_id BLOB NOT NULL REFERENCES itineraries (id) ON DELETE CASCADE,
    file_name TEXT NOT NULL,
    mime_type TEXT NOT NULL,
    size INTEGER NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX documents_itinerary ON documents (itinerary_id);
CREATE TABLE document_usage (
    account_id BLOB NOT NULL PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
    bytes INTEGER NOT NULL
) STRICT;
CREATE TABLE loose_files (
    document_id BLOB NOT NULL PRIMARY KEY,
    delete_at INTEGER NOT NULL
) STRICT;
CREATE INDEX loose_files_age ON loose_files (delete_at);
CREATE UNIQUE INDEX grants_family ON grants (family);
CREATE INDEX grants_living ON grants (account_id, client_id) WHERE revoked_at IS NULL;
CREATE INDEX grants_expiry ON grants (expires_at);
CREATE INDEX grants_revoked ON grants (revoked_at) WHERE revoked_at IS NOT NULL;
CREATE INDEX clients_fetched ON clients (fetched_at) WHERE fetched_at IS NOT NULL;
CREATE TABLE consent_answers (
    id BLOB NOT NULL PRIMARY KEY,
    expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX consent_answers_expiry ON consent_answers (expires_at);
CREATE INDEX members_of_owner ON members (account_id, owner_id);
CREATE TABLE answer_usage (
    account_id BLOB NOT NULL PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
    answers INTEGER NOT NULL,
    bytes INTEGER NOT NULL
) STRICT;
CREATE INDEX reports_reporter ON reports (itinerary_id, account_id);
CREATE INDEX explore_published ON explore (published_at, itinerary_id, owner_id);
CREATE VIRTUAL TABLE explore_words USING fts5 (words, content = '', contentless_delete = 1, detail = none, tokenize = "ascii tokenchars '_'", prefix = '1 2');
CREATE VIRTUAL TABLE explore_vocabulary USING fts5vocab (explore_words, instance);
CREATE INDEX accounts_deleted ON accounts (deleted_at) WHERE deleted_at IS NOT NULL;
CREATE TABLE former_usernames (
    code TEXT NOT NULL PRIMARY KEY,
    free_at INTEGER NOT NULL
) STRICT;
CREATE INDEX former_usernames_age ON former_usernames (free_at);
CREATE TABLE calendars (
    account_id BLOB NOT NULL PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
    hash BLOB NOT NULL UNIQUE,
    created_at INTEGER NOT NULL
) STRICT;
CREATE TABLE jobs (
    name TEXT NOT NULL PRIMARY KEY,
    server TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    busy_until INTEGER,
    took_ms INTEGER,
    items INTEGER,
    failure TEXT,
    succeeded_at INTEGER,
    figures TEXT
) STRICT;
CREATE TABLE pictures (
    id BLOB NOT NULL PRIMARY KEY,
    itinerary_id BLOB REFERENCES itineraries (id) ON DELETE SET NULL,
    file_id BLOB NOT NULL,
    drawing TEXT,
    source TEXT,
    created_at INTEGER NOT NULL,
    replaced_at INTEGER
) STRICT;
CREATE INDEX pictures_itinerary ON pictures (itinerary_id);
CREATE INDEX pictures_file ON pictures (file_id);
CREATE INDEX pictures_replaced ON pictures (replaced_at) WHERE replaced_at IS NOT NULL;
CREATE TABLE former_pictures (
    id BLOB NOT NULL PRIMARY KEY,
    itinerary_id BLOB NOT NULL REFERENCES itineraries (id) ON DELETE CASCADE,
    replaced_at INTEGER NOT NULL
) STRICT;
CREATE INDEX former_pictures_itinerary ON former_pictures (itinerary_id);
CREATE INDEX former_pictures_age ON former_pictures (replaced_at);
CREATE TABLE invitations (
    itinerary_id BLOB NOT NULL REFERENCES itineraries (id) ON DELETE CASCADE,
    account_id BLOB NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    owner_id BLOB NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    role TEXT NOT NULL CHECK (role IN ('editor', 'viewer')),
    created_at INTEGER NOT NULL,
    PRIMARY KEY (itinerary_id, account_id)
) STRICT;
CREATE INDEX invitations_account ON invitations (account_id, created_at, itinerary_id);
CREATE INDEX invitations_owner ON invitations (owner_id, account_id);
CREATE TABLE sent_invitations (
    owner_id BLOB NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    sent_at INTEGER NOT NULL,
    number INTEGER NOT NULL,
    PRIMARY KEY (owner_id, sent_at)
) STRICT;
CREATE TABLE blocks (
    account_id BLOB NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    blocked_id BLOB NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (account_id, blocked_id)
) STRICT;
CREATE INDEX blocks_account ON blocks (account_id, created_at, blocked_id);
CREATE INDEX blocks_blocked ON blocks (blocked_id);
CREATE TABLE revisions (
    itinerary_id BLOB NOT NULL REFERENCES itineraries (id) ON DELETE CASCADE,
    version INTEGER NOT NULL,
    owner_id BLOB NOT NULL,
    updated_at INTEGER NOT NULL,
    size INTEGER NOT NULL,
    account_id BLOB NOT NULL,
    client_id TEXT,
    restored_from INTEGER,
    replaced BLOB,
    PRIMARY KEY (itinerary_id, version)
) STRICT;
CREATE INDEX revisions_owner ON revisions (owner_id, updated_at, size);
CREATE TABLE change_feed (
    id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    epoch TEXT NOT NULL,
    place TEXT NOT NULL,
    last_position INTEGER NOT NULL,
    swept_position INTEGER NOT NULL
) STRICT;
CREATE TABLE changes (
        position INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
        kind TEXT NOT NULL CHECK (kind IN ('updated', 'role', 'shared', 'unshared', 'deleted')),
        itinerary_id BLOB NOT NULL,
        account_id BLOB NOT NULL,
        at INTEGER NOT NULL
    ) STRICT;
CREATE INDEX changes_account ON changes (account_id) WHERE kind <> 'updated';
CREATE INDEX changes_itinerary ON changes (itinerary_id) WHERE kind = 'updated';
CREATE TABLE webhooks (
    id BLOB NOT NULL PRIMARY KEY,
    account_id BLOB NOT NULL REFERENCES accounts (id),
    client_id TEXT NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    url TEXT NOT NULL,
    host TEXT NOT NULL,
    types TEXT NOT NULL,
    description TEXT,
    secret TEXT NOT NULL,
    former_secret TEXT,
    former_until INTEGER,
    disabled TEXT CHECK (disabled IN ('app', 'gone', 'failing')),
    epoch TEXT NOT NULL,
    position INTEGER NOT NULL,
    failing_since INTEGER,
    paused_since INTEGER,
    due_at INTEGER,
    claimed_at INTEGER,
    created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX webhooks_account ON webhooks (account_id, client_id);
CREATE INDEX webhooks_client ON webhooks (client_id);
CREATE INDEX webhooks_due ON webhooks (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX webhooks_paused ON webhooks (paused_since) WHERE paused_since IS NOT NULL;
CREATE TABLE webhook_deliveries (
    id BLOB NOT NULL PRIMARY KEY,
    webhook_id BLOB NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    itinerary_id BLOB,
    etag TEXT,
    at INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('pending', 'sending', 'succeeded', 'failed', 'replaced')),
    attempts INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    last_at INTEGER,
    next_at INTEGER,
    status INTEGER,
    body TEXT,
    failure TEXT
) STRICT;
CREATE INDEX webhook_deliveries_log ON webhook_deliveries (webhook_id, created_at, id);
CREATE INDEX webhook_deliveries_next ON webhook_deliveries (webhook_id, next_at) WHERE next_at IS NOT NULL;
CREATE INDEX webhook_deliveries_sending ON webhook_deliveries (next_at) WHERE state = 'sending';
CREATE INDEX webhook_deliveries_age ON webhook_deliveries (created_at);
CREATE TABLE webhook_queue (
    id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    epoch TEXT NOT NULL,
    position INTEGER NOT NULL
) STRICT;
CREATE TABLE personal_tokens (
    id BLOB NOT NULL PRIMARY KEY,
    account_id BLOB NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    client_id TEXT NOT NULL UNIQUE REFERENCES clients (id) ON DELETE CASCADE,
    hash BLOB NOT NULL UNIQUE,
    name TEXT NOT NULL,
    scope TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    last_used_day INTEGER
, expiry_noted_at INTEGER) STRICT;
CREATE INDEX personal_tokens_account ON personal_tokens (account_id, created_at);
CREATE INDEX personal_tokens_expiry ON personal_tokens (expires_at);
CREATE TABLE links (
    id BLOB NOT NULL PRIMARY KEY,
    itinerary_id BLOB NOT NULL REFERENCES itineraries (id) ON DELETE CASCADE,
    label TEXT NOT NULL,
    hash BLOB NOT NULL UNIQUE,
    sections TEXT NOT NULL CHECK (sections IN ('plan', 'bookings')),
    expires_at INTEGER,
    created_at INTEGER NOT NULL,
    UNIQUE (itinerary_id, label)
) STRICT;
CREATE TABLE sign_up_invitations (
    hash BLOB NOT NULL PRIMARY KEY,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    note TEXT,
    created_by BLOB REFERENCES accounts (id) ON DELETE CASCADE
) STRICT;
CREATE INDEX sign_up_invitations_age ON sign_up_invitations (expires_at);
CREATE INDEX sign_up_invitations_account ON sign_up_invitations (created_by) WHERE created_by IS NOT NULL;
CREATE TABLE identities (
    issuer TEXT NOT NULL,
    subject TEXT NOT NULL,
    account_id BLOB NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    provider TEXT NOT NULL,
    linked_at INTEGER NOT NULL,
    PRIMARY KEY (issuer, subject)
) STRICT;
CREATE INDEX identities_account ON identities (account_id, linked_at);
CREATE TABLE password_resets (
    account_id BLOB NOT NULL PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
    hash BLOB NOT NULL UNIQUE,
    expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX password_resets_age ON password_resets (expires_at);
CREATE TABLE mail_addresses (
    account_id BLOB NOT NULL PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
    address TEXT NOT NULL,
    folded TEXT NOT NULL UNIQUE,
    verified_at INTEGER NOT NULL
) STRICT;
CREATE TABLE unverified_addresses (
    account_id BLOB NOT NULL PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
    address TEXT NOT NULL,
    hash BLOB UNIQUE,
    expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX unverified_addresses_age ON unverified_addresses (expires_at);
CREATE TABLE mails (
    id BLOB NOT NULL PRIMARY KEY,
    kind TEXT NOT NULL,
    account_id BLOB REFERENCES accounts (id) ON DELETE CASCADE,
    address TEXT NOT NULL,
    parameters TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    next_at INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    link_hash BLOB
) STRICT;
CREATE INDEX mails_due ON mails (next_at);
CREATE INDEX mails_account ON mails (account_id);
CREATE TABLE one_time_codes (
    account_id BLOB NOT NULL PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
    secret TEXT NOT NULL,
    last_step INTEGER NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;
CREATE TABLE recovery_codes (
    account_id BLOB NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    hash BLOB NOT NULL,
    PRIMARY KEY (account_id, hash)
) STRICT;
CREATE TABLE passkeys (
    id BLOB NOT NULL PRIMARY KEY,
    account_id BLOB NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    credential_id BLOB NOT NULL UNIQUE,
    passkey TEXT NOT NULL,
    counter INTEGER NOT NULL,
    name TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    last_used_day INTEGER
) STRICT;
CREATE INDEX passkeys_account ON passkeys (account_id, created_at);
CREATE TABLE suspensions (
    account_id BLOB NOT NULL PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
    reason TEXT NOT NULL,
    appeal TEXT,
    appealed_at INTEGER
) STRICT;
CREATE TABLE warnings (
    id BLOB NOT NULL PRIMARY KEY,
    account_id BLOB NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    message TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX warnings_account ON warnings (account_id, created_at);
CREATE TABLE audit_log (
    id BLOB NOT NULL PRIMARY KEY,
    created_at INTEGER NOT NULL,
    account_id BLOB REFERENCES accounts (id) ON DELETE SET NULL,
    actor TEXT NOT NULL,
    actor_id BLOB REFERENCES accounts (id) ON DELETE SET NULL,
    event TEXT NOT NULL,
    client_id TEXT,
    address TEXT,
    detail TEXT
) STRICT;
CREATE INDEX audit_log_account ON audit_log (account_id, created_at, id) WHERE account_id IS NOT NULL;
CREATE INDEX audit_log_actor ON audit_log (actor_id) WHERE actor_id IS NOT NULL;
CREATE INDEX audit_log_age ON audit_log (created_at, id);
CREATE INDEX audit_log_addresses ON audit_log (created_at) WHERE address IS NOT NULL;
CREATE TABLE "idempotency" (
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
    ) STRICT;
CREATE INDEX idempotency_itinerary ON idempotency (itinerary_id);
CREATE INDEX idempotency_age ON idempotency (created_at);
INSERT INTO explore_words (explore_words, rank) VALUES ('usermerge', 2);
INSERT INTO account_counters (account_id, followers, following, itineraries) VALUES (X'00000000000000000000000000000001', 1, 1, 3);
INSERT INTO account_counters (account_id, followers, following, itineraries) VALUES (X'00000000000000000000000000000002', 1, 1, 1);
INSERT INTO account_counters (account_id, followers, following, itineraries) VALUES (X'00000000000000000000000000000003', 0, 0, 0);
INSERT INTO accounts (id, username, username_folded, display_name, password_hash, plan, image_url, home_place, created_at, deleted_at, suspended_at, moderator_since) VALUES (X'00000000000000000000000000000001', 'ANA', 'ana', 'ana the traveller', 'old', 'pro', NULL, NULL, 1800000000000, NULL, NULL, NULL);
INSERT INTO accounts (id, username, username_folded, display_name, password_hash, plan, image_url, home_place, created_at, deleted_at, suspended_at, moderator_since) VALUES (X'00000000000000000000000000000002', 'BEN', 'ben', 'ben the traveller', 'old', 'free', NULL, NULL, 1800000000000, NULL, NULL, NULL);
INSERT INTO accounts (id, username, username_folded, display_name, password_hash, plan, image_url, home_place, created_at, deleted_at, suspended_at, moderator_since) VALUES (X'00000000000000000000000000000003', 'CAI', 'cai', 'cai the traveller', 'old', 'free', NULL, NULL, 1800000000000, NULL, NULL, NULL);
INSERT INTO accounts (id, username, username_folded, display_name, password_hash, plan, image_url, home_place, created_at, deleted_at, suspended_at, moderator_since) VALUES (X'00000000000000000000000000000004', 'DORA', 'dora', 'dora the traveller', 'old', 'free', NULL, NULL, 1800000000000, NULL, NULL, NULL);
INSERT INTO accounts (id, username, username_folded, display_name, password_hash, plan, image_url, home_place, created_at, deleted_at, suspended_at, moderator_since) VALUES (X'00000000000000000000000000000005', 'deleted:00000000-0000-0000-0000-000000000005', 'deleted:00000000-0000-0000-0000-000000000005', 'Deleted account', '', 'free', NULL, NULL, 1800000000000, 1800000008000, NULL, NULL);
INSERT INTO accounts (id, username, username_folded, display_name, password_hash, plan, image_url, home_place, created_at, deleted_at, suspended_at, moderator_since) VALUES (X'00000000000000000000000000000008', 'GUS', 'gus', 'gus the traveller', 'old', 'free', NULL, NULL, 1800000000000, NULL, 1800000003000, NULL);
INSERT INTO answer_usage (account_id, answers, bytes) VALUES (X'00000000000000000000000000000001', 1, 7);
INSERT INTO audit_log (id, created_at, account_id, actor, actor_id, event, client_id, address, detail) VALUES (X'0000000000000000000000000000232A', 1800000003000, X'00000000000000000000000000000008', 'operator', NULL, 'suspended', NULL, NULL, NULL);
INSERT INTO audit_log (id, created_at, account_id, actor, actor_id, event, client_id, address, detail) VALUES (X'0000000000000000000000000000232B', 1800000003000, X'00000000000000000000000000000008', 'operator', NULL, 'appealed', NULL, NULL, NULL);
INSERT INTO audit_log (id, created_at, account_id, actor, actor_id, event, client_id, address, detail) VALUES (X'0000000000000000000000000000232C', 1800000003000, X'00000000000000000000000000000008', 'operator', NULL, 'warned', NULL, NULL, NULL);
INSERT INTO audit_log (id, created_at, account_id, actor, actor_id, event, client_id, address, detail) VALUES (X'00000000000000000000000000002329', 1800000007000, NULL, 'operator', NULL, 'itineraryKept', NULL, NULL, NULL);
INSERT INTO blocks (account_id, blocked_id, created_at) VALUES (X'00000000000000000000000000000004', X'00000000000000000000000000000003', 1800000004000);
INSERT INTO calendars (account_id, hash, created_at) VALUES (X'00000000000000000000000000000001', X'000000000000005B000000000000000000000000000000000000000000000000', 1800000000000);
INSERT INTO change_feed (id, epoch, place, last_position, swept_position) VALUES (1, 'epoch', 'here', 0, 0);
INSERT INTO changes (position, kind, itinerary_id, account_id, at) VALUES (1, 'updated', X'0000000000000000000000000000000A', X'00000000000000000000000000000001', 1800000000000);
INSERT INTO changes (position, kind, itinerary_id, account_id, at) VALUES (2, 'updated', X'0000000000000000000000000000000A', X'00000000000000000000000000000001', 1800000009000);
INSERT INTO changes (position, kind, itinerary_id, account_id, at) VALUES (3, 'updated', X'0000000000000000000000000000000A', X'00000000000000000000000000000001', 1800000009000);
INSERT INTO changes (position, kind, itinerary_id, account_id, at) VALUES (4, 'updated', X'0000000000000000000000000000000A', X'00000000000000000000000000000001', 1800000009000);
INSERT INTO changes (position, kind, itinerary_id, account_id, at) VALUES (5, 'updated', X'0000000000000000000000000000000A', X'00000000000000000000000000000001', 1800000009000);
INSERT INTO changes (position, kind, itinerary_id, account_id, at) VALUES (6, 'updated', X'0000000000000000000000000000000B', X'00000000000000000000000000000002', 1800000003000);
INSERT INTO changes (position, kind, itinerary_id, account_id, at) VALUES (7, 'updated', X'0000000000000000000000000000000B', X'00000000000000000000000000000001', 1800000009000);
INSERT INTO changes (position, kind, itinerary_id, account_id, at) VALUES (8, 'updated', X'0000000000000000000000000000000B', X'00000000000000000000000000000001', 1800000009000);
INSERT INTO changes (position, kind, itinerary_id, account_id, at) VALUES (9, 'shared', X'0000000000000000000000000000000A', X'00000000000000000000000000000002', 1800000000000);
INSERT INTO changes (position, kind, itinerary_id, account_id, at) VALUES (10, 'shared', X'0000000000000000000000000000000A', X'00000000000000000000000000000003', 1800000000000);
INSERT INTO changes (position, kind, itinerary_id, account_id, at) VALUES (11, 'unshared', X'0000000000000000000000000000000A', X'00000000000000000000000000000003', 1800000004000);
INSERT INTO changes (position, kind, itinerary_id, account_id, at) VALUES (12, 'role', X'0000000000000000000000000000000A', X'00000000000000000000000000000002', 1800000030000);
INSERT INTO changes (position, kind, itinerary_id, account_id, at) VALUES (13, 'role', X'0000000000000000000000000000000A', X'00000000000000000000000000000002', 1800000030000);
INSERT INTO clients (id, secret_hash, name, redirect_uris, metadata, auth_method, created_at, fetched_at) VALUES ('app', X'000000000000004D000000000000000000000000000000000000000000000000', 'An app', '["https://app.example/back"]', '{}', 'client_secret_basic', 1800000000000, NULL);
INSERT INTO clients (id, secret_hash, name, redirect_uris, metadata, auth_method, created_at, fetched_at) VALUES ('pat_97', NULL, 'Backup', '[]', '{}', 'personal_access_token', 1800000033000, NULL);
INSERT INTO codes (hash, client_id, account_id, redirect_uri, scope, challenge, resource, created_at, expires_at, used_at, grant_id) VALUES (X'000000000000001E000000000000000000000000000000000000000000000000', 'app', X'00000000000000000000000000000001', 'https://app.example/back', 'itineraries:read', 'challenge', NULL, 1800000000000, 1800000300000, NULL, NULL);
INSERT INTO codes (hash, client_id, account_id, redirect_uri, scope, challenge, resource, created_at, expires_at, used_at, grant_id) VALUES (X'000000000000001F000000000000000000000000000000000000000000000000', 'app', X'00000000000000000000000000000001', 'https://app.example/back', 'itineraries:read', 'challenge', NULL, 1800000000000, 1800000300000, 1800000001000, X'00000000000000000000000000000046');
INSERT INTO consent_answers (id, expires_at) VALUES (X'000000000000001E0000000000000000', 1800000600000);
INSERT INTO consent_answers (id, expires_at) VALUES (X'000000000000001F0000000000000000', 1800000600000);
INSERT INTO departures (itinerary_id, account_id, created_at) VALUES (X'0000000000000000000000000000000A', X'00000000000000000000000000000003', 1800000004000);
INSERT INTO document_usage (account_id, bytes) VALUES (X'00000000000000000000000000000001', 1000);
INSERT INTO documents (id, itinerary_id, file_name, mime_type, size, created_at) VALUES (X'00000000000000000000000000000050', X'0000000000000000000000000000000A', 'pass80.age', 'application/pdf', 1000, 1800000009000);
INSERT INTO explore (itinerary_id, owner_id, published_at, place, words) VALUES (X'000000000000000000000000000003EF', X'00000000000000000000000000000001', 1800000000000, 7, 'journey lisbon _public _1');
INSERT INTO feed (itinerary_id, region, tier, key_0, key_1, key_2, key_3) VALUES (X'000000000000000000000000000003EF', 1, 1, 0, 0, 0, 0);
INSERT INTO follows (follower_id, followed_id, created_at) VALUES (X'00000000000000000000000000000002', X'00000000000000000000000000000001', 1800000000000);
INSERT INTO follows (follower_id, followed_id, created_at) VALUES (X'00000000000000000000000000000001', X'00000000000000000000000000000002', 1800000000000);
INSERT INTO former_pictures (id, itinerary_id, replaced_at) VALUES (X'0000000000000000000000000000005A', X'0000000000000000000000000000000B', 1800000009000);
INSERT INTO former_usernames (code, free_at) VALUES ('code of eve', 1801000000000);
INSERT INTO gazetteer (number, id, class, names, latitude, longitude, country, time_zone, population, code) VALUES (1, 'geonames:2267057', 'city', 'Lisbon
Lisboa', 38.71667, -9.13333, 'PT', 'Europe/Lisbon', 517802, 'LIS');
INSERT INTO gazetteer_keys (key, cell, number) VALUES ('', 46250, 1);
INSERT INTO gazetteer_keys (key, cell, number) VALUES ('lisb', 46250, 1);
INSERT INTO gazetteer_keys (key, cell, number) VALUES ('lisbo', 46250, 1);
INSERT INTO grants (id, account_id, client_id, scope, resource, created_at, revoked_at, family, refresh_hash, expires_at, last_used_at) VALUES (X'00000000000000000000000000000046', X'00000000000000000000000000000001', 'app', 'itineraries:read itineraries:write', NULL, 1800000000000, NULL, X'0000000000000007000000000000000000000000000000000000000000000000', X'000000000000002B000000000000000000000000000000000000000000000000', 1800090000000, 1800000002000);
INSERT INTO hidden (itinerary_id, created_at, reviewed_at) VALUES (X'000000000000000000000000000003F0', 1800000007000, 1800000007000);
INSERT INTO idempotency (account_id, client_id, operation, key, fingerprint, status, etag, location, itinerary_id, created_at, number, bytes_before, body) VALUES (X'00000000000000000000000000000001', 'app', 'POST /v1/itineraries', X'00000000000000000000000000000001', X'0000000000000002000000000000000000000000000000000000000000000000', 201, '"v1.m"', NULL, X'0000000000000000000000000000000A', 1800000000000, 1, 0, X'6D61646500C3A9');
INSERT INTO identities (issuer, subject, account_id, provider, linked_at) VALUES ('https://id.example', 'ana', X'00000000000000000000000000000001', 'Example', 1800000000000);
INSERT INTO invitations (itinerary_id, account_id, owner_id, role, created_at) VALUES (X'0000000000000000000000000000000B', X'00000000000000000000000000000004', X'00000000000000000000000000000002', 'viewer', 1800000004000);
INSERT INTO itineraries (id, owner_id, version, visibility, published_at, start_date, destination_key, place_id, latitude, longitude, origin, saved_from, created_at, updated_at, card, saved_author, cover_id, picture_id, everyone, members, pro, documents) VALUES (X'0000000000000000000000000000000A', X'00000000000000000000000000000001', 5, 'public', 1800000009000, '2027-05-01', 'lisbon', 'place', 38.7223, -9.1393, '{}', NULL, 1800000000000, 1800000009000, '{"title":"Lisboa"}', NULL, NULL, NULL, '{"title":"Lisboa"}', '{"flights":[]}', '{"packing":[]}', '[1]');
INSERT INTO itineraries (id, owner_id, version, visibility, published_at, start_date, destination_key, place_id, latitude, longitude, origin, saved_from, created_at, updated_at, card, saved_author, cover_id, picture_id, everyone, members, pro, documents) VALUES (X'000000000000000000000000000003EF', X'00000000000000000000000000000001', 1, 'public', NULL, '2027-05-01', 'lisbon', NULL, 38.7223, -9.1393, NULL, NULL, 1800000000000, 1800000000000, '{"title":"Lisbon"}', NULL, NULL, NULL, '{"title":"Lisbon"}', '{}', '{}', '[]');
INSERT INTO itineraries (id, owner_id, version, visibility, published_at, start_date, destination_key, place_id, latitude, longitude, origin, saved_from, created_at, updated_at, card, saved_author, cover_id, picture_id, everyone, members, pro, documents) VALUES (X'000000000000000000000000000003F0', X'00000000000000000000000000000001', 1, 'public', NULL, '2027-05-01', 'lisbon', NULL, 38.7223, -9.1393, NULL, NULL, 1800000000000, 1800000000000, '{"title":"Lisbon"}', NULL, NULL, NULL, '{"title":"Lisbon"}', '{}', '{}', '[]');
INSERT INTO itineraries (id, owner_id, version, visibility, published_at, start_date, destination_key, place_id, latitude, longitude, origin, saved_from, created_at, updated_at, card, saved_author, cover_id, picture_id, everyone, members, pro, documents) VALUES (X'0000000000000000000000000000000B', X'00000000000000000000000000000002', 3, 'public', 1800000009000, '2027-05-01', 'lisbon', 'place', 38.7223, -9.1393, '{}', X'000000000000000000000000000003EF', 1800000000000, 1800000009000, '{"title":"Lisboa"}', X'00000000000000000000000000000001', X'0000000000000000000000000000005B', X'0000000000000000000000000000005B', '{"title":"Lisboa"}', '{"flights":[]}', '{"packing":[]}', '[1]');
INSERT INTO itinerary_counters (itinerary_id, likes, saves, views) VALUES (X'000000000000000000000000000003EF', 1, 1, 2);
INSERT INTO jobs (name, server, started_at, busy_until, took_ms, items, failure, succeeded_at, figures) VALUES ('rank-explore', 'a', 1800000009000, NULL, 1000, 2, NULL, 1800000010000, '{}');
INSERT INTO links (id, itinerary_id, label, hash, sections, expires_at, created_at) VALUES (X'00000000000000000000000000000061', X'0000000000000000000000000000000A', 'Parents', X'0000000000000061000000000000000000000000000000000000000000000000', 'bookings', 1800001000000, 1800000009000);
INSERT INTO loose_files (document_id, delete_at) VALUES (X'00000000000000000000000000000051', 1800000009000);
INSERT INTO mail_addresses (account_id, address, folded, verified_at) VALUES (X'00000000000000000000000000000002', 'Ben@example.com', 'ben@example.com', 1800000042000);
INSERT INTO mails (id, kind, account_id, address, parameters, created_at, expires_at, next_at, attempts, link_hash) VALUES (X'00000000000000000000000000000064', 'verify', X'00000000000000000000000000000002', 'Ben@example.com', '{}', 1800000040000, 1800090000000, 1800000050000, 1, X'0000000000000064000000000000000000000000000000000000000000000000');
INSERT INTO mails (id, kind, account_id, address, parameters, created_at, expires_at, next_at, attempts, link_hash) VALUES (X'00000000000000000000000000000066', 'other', X'00000000000000000000000000000002', 'ben@example.org', '{}', 1800000040000, 1800090000000, 1800000040000, 0, NULL);
INSERT INTO mails (id, kind, account_id, address, parameters, created_at, expires_at, next_at, attempts, link_hash) VALUES (X'00000000000000000000000000000067', 'notice', X'00000000000000000000000000000002', 'Ben@example.com', '{}', 1800000040000, 1800090000000, 1800000040000, 0, NULL);
INSERT INTO members (itinerary_id, account_id, role, created_at, owner_id, since_version) VALUES (X'0000000000000000000000000000000A', X'00000000000000000000000000000002', 'editor', 1800000000000, X'00000000000000000000000000000001', 5);
INSERT INTO one_time_codes (account_id, secret, last_step, created_at) VALUES (X'00000000000000000000000000000001', 'sealed', 7, 1800000034000);
INSERT INTO passkeys (id, account_id, credential_id, passkey, counter, name, created_at, last_used_day) VALUES (X'00000000000000000000000000000062', X'00000000000000000000000000000001', X'010203', '{}', 1, 'Phone', 1800000034000, NULL);
INSERT INTO password_resets (account_id, hash, expires_at) VALUES (X'00000000000000000000000000000002', X'0000000000000062000000000000000000000000000000000000000000000000', 1800090000000);
INSERT INTO personal_tokens (id, account_id, client_id, hash, name, scope, created_at, expires_at, last_used_day, expiry_noted_at) VALUES (X'00000000000000000000000000000061', X'00000000000000000000000000000001', 'pat_97', X'0000000000000061000000000000000000000000000000000000000000000000', 'Backup', 'itineraries:read', 1800000033000, 1800090000000, NULL, NULL);
INSERT INTO pictures (id, itinerary_id, file_id, drawing, source, created_at, replaced_at) VALUES (X'0000000000000000000000000000005B', X'0000000000000000000000000000000B', X'0000000000000000000000000000005B', '{}', 'generated', 1800000009000, NULL);
INSERT INTO provider_answers (key, answer, fetched_at) VALUES ('geocode lisbon', '[]', 1800000000000);
INSERT INTO reactions (itinerary_id, account_id, kind, created_at) VALUES (X'000000000000000000000000000003EF', X'00000000000000000000000000000002', 'like', 1800000000000);
INSERT INTO reactions (itinerary_id, account_id, kind, created_at) VALUES (X'000000000000000000000000000003EF', X'00000000000000000000000000000003', 'dislike', 1800000000000);
INSERT INTO recovery_codes (account_id, hash) VALUES (X'00000000000000000000000000000001', X'0000000000000023000000000000000000000000000000000000000000000000');
INSERT INTO recovery_codes (account_id, hash) VALUES (X'00000000000000000000000000000001', X'0000000000000024000000000000000000000000000000000000000000000000');
INSERT INTO removed_followers (account_id, follower_id, created_at) VALUES (X'00000000000000000000000000000001', X'00000000000000000000000000000003', 1800000005000);
INSERT INTO reports (id, itinerary_id, account_id, reason, note, created_at, resolved_at, verdict) VALUES (X'0000000000000000000000000000003C', X'000000000000000000000000000003F0', X'00000000000000000000000000000002', 'spam', 'Zoë says: it is', 1800000006000, 1800000007000, 'hide');
INSERT INTO reports (id, itinerary_id, account_id, reason, note, created_at, resolved_at, verdict) VALUES (X'0000000000000000000000000000003D', X'000000000000000000000000000003EF', X'00000000000000000000000000000004', 'spam', 'Zoë says: it is', 1800000006000, NULL, NULL);
INSERT INTO revisions (itinerary_id, version, owner_id, updated_at, size, account_id, client_id, restored_from, replaced) VALUES (X'0000000000000000000000000000000A', 1, X'00000000000000000000000000000001', 1800000000000, 0, X'00000000000000000000000000000001', 'app', NULL, NULL);
INSERT INTO revisions (itinerary_id, version, owner_id, updated_at, size, account_id, client_id, restored_from, replaced) VALUES (X'0000000000000000000000000000000A', 2, X'00000000000000000000000000000001', 1800000009000, 10, X'00000000000000000000000000000001', 'app', NULL, X'00000000000000000000');
INSERT INTO revisions (itinerary_id, version, owner_id, updated_at, size, account_id, client_id, restored_from, replaced) VALUES (X'0000000000000000000000000000000A', 3, X'00000000000000000000000000000001', 1800000009000, 10, X'00000000000000000000000000000001', 'app', NULL, X'00000000000000000000');
INSERT INTO revisions (itinerary_id, version, owner_id, updated_at, size, account_id, client_id, restored_from, replaced) VALUES (X'0000000000000000000000000000000A', 4, X'00000000000000000000000000000001', 1800000009000, 10, X'00000000000000000000000000000001', 'app', NULL, X'00000000000000000000');
INSERT INTO revisions (itinerary_id, version, owner_id, updated_at, size, account_id, client_id, restored_from, replaced) VALUES (X'0000000000000000000000000000000A', 5, X'00000000000000000000000000000001', 1800000009000, 10, X'00000000000000000000000000000001', 'app', NULL, X'00000000000000000000');
INSERT INTO revisions (itinerary_id, version, owner_id, updated_at, size, account_id, client_id, restored_from, replaced) VALUES (X'0000000000000000000000000000000B', 1, X'00000000000000000000000000000002', 1800000000000, 0, X'00000000000000000000000000000002', 'app', NULL, NULL);
INSERT INTO revisions (itinerary_id, version, owner_id, updated_at, size, account_id, client_id, restored_from, replaced) VALUES (X'0000000000000000000000000000000B', 2, X'00000000000000000000000000000001', 1800000009000, 10, X'00000000000000000000000000000001', 'app', NULL, X'00000000000000000000');
INSERT INTO revisions (itinerary_id, version, owner_id, updated_at, size, account_id, client_id, restored_from, replaced) VALUES (X'0000000000000000000000000000000B', 3, X'00000000000000000000000000000001', 1800000009000, 10, X'00000000000000000000000000000001', 'app', NULL, X'00000000000000000000');
INSERT INTO seaql_migrations (version, applied_at) VALUES ('m20261120_000001_foundation', 0);
INSERT INTO seaql_migrations (version, applied_at) VALUES ('m20261121_000001_members', 0);
INSERT INTO seaql_migrations (version, applied_at) VALUES ('m20261122_000001_people', 0);
INSERT INTO seaql_migrations (version, applied_at) VALUES ('m20261122_000002_explore', 0);
INSERT INTO seaql_migrations (version, applied_at) VALUES ('m20261122_000003_places', 0);
INSERT INTO seaql_migrations (version, applied_at) VALUES ('m20261122_000004_documents', 0);
INSERT INTO seaql_migrations (version, applied_at) VALUES ('m20261123_000005_grants', 0);
INSERT INTO seaql_migrations (version, applied_at) VALUES ('m20261123_000006_growth', 0);
INSERT INTO seaql_migrations (version, applied_at) VALUES ('m20261123_000007_accounts', 0);
INSERT INTO seaql_migrations (version, applied_at) VALUES ('m20261123_000008_plain_answers', 0);
INSERT INTO seaql_migrations (version, applied_at) VALUES ('m20261123_000009_calendars', 0);
INSERT INTO seaql_migrations (version, applied_at) VALUES ('m20261123_000011_jobs', 0);
INSERT INTO seaql_migrations (version, applied_at) VALUES ('m20261123_000013_recent_writers', 0);
INSERT INTO seaql_migrations (version, applied_at) VALUES ('m20261123_000014_search_index', 0);
INSERT INTO seaql_migrations (version, applied_at) VALUES ('m20261125_000015_pictures', 0);
INSERT INTO seaql_migrations (version, applied_at) VALUES ('m20261125_000016_invitations', 0);
INSERT INTO seaql_migrations (version, applied_at) VALUES ('m20261128_000001_revisions', 0);
INSERT INTO seaql_migrations (version, applied_at) VALUES ('m20261128_000002_changes', 0);
INSERT INTO seaql_migrations (version, applied_at) VALUES ('m20261128_000003_webhooks', 0);
INSERT INTO seaql_migrations (version, applied_at) VALUES ('m20261129_000000_personal_tokens', 0);
INSERT INTO seaql_migrations (version, applied_at) VALUES ('m20261129_000001_links', 0);
INSERT INTO seaql_migrations (version, applied_at) VALUES ('m20261129_000002_sign_up', 0);
INSERT INTO seaql_migrations (version, applied_at) VALUES ('m20261129_000003_identities', 0);
INSERT INTO seaql_migrations (version, applied_at) VALUES ('m20261129_000004_password_resets', 0);
INSERT INTO seaql_migrations (version, applied_at) VALUES ('m20261129_000005_mails', 0);
INSERT INTO seaql_migrations (version, applied_at) VALUES ('m20261129_000006_expiry_notices', 0);
INSERT INTO seaql_migrations (version, applied_at) VALUES ('m20261129_000010_one_time_codes', 0);
INSERT INTO seaql_migrations (version, applied_at) VALUES ('m20261129_000011_passkeys', 0);
INSERT INTO seaql_migrations (version, applied_at) VALUES ('m20261129_000015_moderation', 0);
INSERT INTO seaql_migrations (version, applied_at) VALUES ('m20261129_000016_answers', 0);
INSERT INTO seaql_migrations (version, applied_at) VALUES ('m20261129_000017_content_last', 0);
INSERT INTO sent_invitations (owner_id, sent_at, number) VALUES (X'00000000000000000000000000000002', 1800000004000, 1);
INSERT INTO sessions (hash, account_id, created_at, expires_at, authenticated_at) VALUES (X'00000000000000000000000000000001FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF', X'00000000000000000000000000000001', 1799999999000, 1801000000000, 1799999999000);
INSERT INTO settings (name, value, updated_at) VALUES ('gazetteer_import:cities.txt', 'line 9', 1800000000000);
INSERT INTO sign_up_invitations (hash, created_at, expires_at, note, created_by) VALUES (X'0000000000000061000000000000000000000000000000000000000000000000', 1800000000000, 1800090000000, 'For Fay', X'00000000000000000000000000000001');
INSERT INTO suspensions (account_id, reason, appeal, appealed_at) VALUES (X'00000000000000000000000000000008', 'Spam', 'It was not me.', 1800000003000);
INSERT INTO tokens (hash, grant_id, kind, scope, resource, created_at, expires_at, used_at) VALUES (X'0000000000000028000000000000000000000000000000000000000000000000', X'00000000000000000000000000000046', 'access', 'itineraries:read', 'https://trips.example/mcp', 1800000000000, 1800003600000, NULL);
INSERT INTO tokens (hash, grant_id, kind, scope, resource, created_at, expires_at, used_at) VALUES (X'000000000000002A000000000000000000000000000000000000000000000000', X'00000000000000000000000000000046', 'access', 'itineraries:read', 'https://trips.example/mcp', 1800000000000, 1800003700000, NULL);
INSERT INTO unverified_addresses (account_id, address, hash, expires_at) VALUES (X'00000000000000000000000000000002', 'ben@example.org', NULL, 1800090000000);
INSERT INTO views (itinerary_id, account_id, day) VALUES (X'000000000000000000000000000003EF', X'00000000000000000000000000000002', 20000);
INSERT INTO views (itinerary_id, account_id, day) VALUES (X'000000000000000000000000000003EF', X'00000000000000000000000000000003', 20000);
INSERT INTO warnings (id, account_id, message, created_at) VALUES (X'0000000000000000000000000000232C', X'00000000000000000000000000000008', 'Please stop.', 1800000003000);
INSERT INTO webhook_deliveries (id, webhook_id, kind, itinerary_id, etag, at, state, attempts, created_at, last_at, next_at, status, body, failure) VALUES (X'00000000000000000000000000000060', X'0000000000000000000000000000005F', 'webhook.test', NULL, NULL, 1800000032000, 'pending', 0, 1800000032000, NULL, 1800000032000, NULL, NULL, NULL);
INSERT INTO webhook_queue (id, epoch, position) VALUES (1, 'epoch', 13);
INSERT INTO webhooks (id, account_id, client_id, url, host, types, description, secret, former_secret, former_until, disabled, epoch, position, failing_since, paused_since, due_at, claimed_at, created_at) VALUES (X'0000000000000000000000000000005F', X'00000000000000000000000000000001', 'app', 'https://hooks.example/itineraries', 'hooks.example:443', 'itinerary.updated', NULL, 'sealed', NULL, NULL, NULL, 'epoch', 13, NULL, NULL, 1800000032000, NULL, 1800000031000);
COMMIT;
