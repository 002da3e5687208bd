PRAGMA page_size = 16384;
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
, deleted_at INTEGER) STRICT;
CREATE TABLE sessions (
    hash BLOB NOT NULL PRIMARY KEY,
    account_id BLOB NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT;
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
CREATE TABLE idempotency (
    account_id BLOB NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    client_id TEXT NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    operation TEXT NOT NULL,
    key BLOB NOT NULL,
    fingerprint BLOB NOT NULL,
    status INTEGER NOT NULL,
    etag TEXT,
    location TEXT,
    itinerary_id BLOB,
    created_at INTEGER NOT NULL,
    body BLOB NOT NULL, number INTEGER NOT NULL DEFAULT 0, bytes_before INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (account_id, client_id, operation, key)
) STRICT;
CREATE INDEX idempotency_client ON idempotency (client_id);
CREATE INDEX idempotency_itinerary ON idempotency (itinerary_id);
CREATE INDEX idempotency_age ON idempotency (created_at);
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
    everyone TEXT NOT NULL,
    members TEXT NOT NULL,
    pro TEXT NOT NULL,
    documents TEXT NOT NULL
, saved_author BLOB REFERENCES accounts (id) ON DELETE SET NULL, cover_id BLOB) STRICT;
CREATE INDEX itineraries_list ON itineraries (owner_id, updated_at, id);
CREATE INDEX itineraries_duplicates ON itineraries (owner_id, start_date);
CREATE INDEX itineraries_origin ON itineraries (owner_id, created_at, id) WHERE origin IS NOT NULL;
CREATE TABLE members (
    itinerary_id BLOB NOT NULL REFERENCES itineraries (id) ON DELETE CASCADE,
    account_id BLOB NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    role TEXT NOT NULL CHECK (role IN ('editor', 'viewer')),
    created_at INTEGER NOT NULL, owner_id BLOB,
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
CREATE INDEX idempotency_order ON idempotency (account_id, number);
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
INSERT INTO account_counters (account_id, followers, following, itineraries) VALUES (X'00000000000000000000000000000001', 1, 1, 3);
INSERT INTO account_counters (account_id, followers, following, itineraries) VALUES (X'00000000000000000000000000000002', 1, 1, 1);
INSERT INTO account_counters (account_id, followers, following, itineraries) VALUES (X'00000000000000000000000000000003', 0, 0, 0);
INSERT INTO accounts (id, username, username_folded, display_name, password_hash, plan, image_url, home_place, created_at, deleted_at) VALUES (X'00000000000000000000000000000001', 'ANA', 'ana', 'ana the traveller', 'old', 'pro', NULL, NULL, 1800000000000, NULL);
INSERT INTO accounts (id, username, username_folded, display_name, password_hash, plan, image_url, home_place, created_at, deleted_at) VALUES (X'00000000000000000000000000000002', 'BEN', 'ben', 'ben the traveller', 'old', 'free', NULL, NULL, 1800000000000, NULL);
INSERT INTO accounts (id, username, username_folded, display_name, password_hash, plan, image_url, home_place, created_at, deleted_at) VALUES (X'00000000000000000000000000000003', 'CAI', 'cai', 'cai the traveller', 'old', 'free', NULL, NULL, 1800000000000, NULL);
INSERT INTO accounts (id, username, username_folded, display_name, password_hash, plan, image_url, home_place, created_at, deleted_at) VALUES (X'00000000000000000000000000000004', 'DORA', 'dora', 'dora the traveller', 'old', 'free', NULL, NULL, 1800000000000, NULL);
INSERT INTO accounts (id, username, username_folded, display_name, password_hash, plan, image_url, home_place, created_at, deleted_at) VALUES (X'00000000000000000000000000000005', 'deleted:00000000-0000-0000-0000-000000000005', 'deleted:00000000-0000-0000-0000-000000000005', 'Deleted account', '', 'free', NULL, NULL, 1800000000000, 1800000008000);
INSERT INTO answer_usage (account_id, answers, bytes) VALUES (X'00000000000000000000000000000001', 1, 7);
INSERT INTO calendars (account_id, hash, created_at) VALUES (X'00000000000000000000000000000001', X'000000000000005B000000000000000000000000000000000000000000000000', 1800000000000);
INSERT INTO clients (id, secret_hash, name, redirect_uris, metadata, auth_method, created_at, fetched_at) VALUES ('app', X'000000000000004D000000000000000000000000000000000000000000000000', 'An app', '["https://app.example/back"]', '{}', 'client_secret_basic', 1800000000000, NULL);
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
INSERT INTO former_usernames (code, free_at) VALUES ('code of eve', 1801000000000);
INSERT INTO gazetteer (number, id, class, names, latitude, longitude, country, time_zone, population, code) VALUES (1, 'geonames:2267057', 'city', 'Lisbon
Lisboa', 38.71667, -9.13333, 'PT', 'Europe/Lisbon', 517802, 'LIS');
INSERT INTO gazetteer_keys (key, cell, number) VALUES ('', 46250, 1);
INSERT INTO gazetteer_keys (key, cell, number) VALUES ('lisb', 46250, 1);
INSERT INTO gazetteer_keys (key, cell, number) VALUES ('lisbo', 46250, 1);
INSERT INTO grants (id, account_id, client_id, scope, resource, created_at, revoked_at, family, refresh_hash, expires_at, last_used_at) VALUES (X'00000000000000000000000000000046', X'00000000000000000000000000000001', 'app', 'itineraries:read itineraries:write', NULL, 1800000000000, NULL, X'0000000000000007000000000000000000000000000000000000000000000000', X'000000000000002B000000000000000000000000000000000000000000000000', 1800090000000, 1800000002000);
INSERT INTO hidden (itinerary_id, created_at, reviewed_at) VALUES (X'000000000000000000000000000003F0', 1800000007000, 1800000007000);
INSERT INTO idempotency (account_id, client_id, operation, key, fingerprint, status, etag, location, itinerary_id, created_at, body, number, bytes_before) VALUES (X'00000000000000000000000000000001', 'app', 'POST /v1/itineraries', X'00000000000000000000000000000001', X'0000000000000002000000000000000000000000000000000000000000000000', 201, '"v1.m"', NULL, X'0000000000000000000000000000000A', 1800000000000, X'6D61646500C3A9', 1, 0);
INSERT INTO itineraries (id, owner_id, version, visibility, published_at, start_date, destination_key, place_id, latitude, longitude, origin, saved_from, created_at, updated_at, card, everyone, members, pro, documents, saved_author, cover_id) VALUES (X'0000000000000000000000000000000A', X'00000000000000000000000000000001', 5, 'public', 1800000009000, '2027-05-01', 'lisbon', 'place', 38.7223, -9.1393, '{}', NULL, 1800000000000, 1800000009000, '{"title":"Lisboa"}', '{"title":"Lisboa"}', '{"flights":[]}', '{"packing":[]}', '[1]', NULL, NULL);
INSERT INTO itineraries (id, owner_id, version, visibility, published_at, start_date, destination_key, place_id, latitude, longitude, origin, saved_from, created_at, updated_at, card, everyone, members, pro, documents, saved_author, cover_id) VALUES (X'000000000000000000000000000003EF', X'00000000000000000000000000000001', 1, 'public', NULL, '2027-05-01', 'lisbon', NULL, 38.7223, -9.1393, NULL, NULL, 1800000000000, 1800000000000, '{"title":"Lisbon"}', '{"title":"Lisbon"}', '{}', '{}', '[]', NULL, NULL);
INSERT INTO itineraries (id, owner_id, version, visibility, published_at, start_date, destination_key, place_id, latitude, longitude, origin, saved_from, created_at, updated_at, card, everyone, members, pro, documents, saved_author, cover_id) VALUES (X'000000000000000000000000000003F0', X'00000000000000000000000000000001', 1, 'public', NULL, '2027-05-01', 'lisbon', NULL, 38.7223, -9.1393, NULL, NULL, 1800000000000, 1800000000000, '{"title":"Lisbon"}', '{"title":"Lisbon"}', '{}', '{}', '[]', NULL, NULL);
INSERT INTO itineraries (id, owner_id, version, visibility, published_at, start_date, destination_key, place_id, latitude, longitude, origin, saved_from, created_at, updated_at, card, everyone, members, pro, documents, saved_author, cover_id) VALUES (X'0000000000000000000000000000000B', X'00000000000000000000000000000002', 1, 'private', NULL, '2027-05-01', 'lisbon', NULL, 38.7223, -9.1393, NULL, X'000000000000000000000000000003EF', 1800000000000, 1800000000000, '{"title":"Lisbon"}', '{"title":"Lisbon"}', '{}', '{}', '[]', X'00000000000000000000000000000001', NULL);
INSERT INTO itinerary_counters (itinerary_id, likes, saves, views) VALUES (X'000000000000000000000000000003EF', 1, 1, 2);
INSERT INTO loose_files (document_id, delete_at) VALUES (X'00000000000000000000000000000051', 1800000009000);
INSERT INTO members (itinerary_id, account_id, role, created_at, owner_id) VALUES (X'0000000000000000000000000000000A', X'00000000000000000000000000000002', 'editor', 1800000000000, X'00000000000000000000000000000001');
INSERT INTO provider_answers (key, answer, fetched_at) VALUES ('geocode lisbon', '[]', 1800000000000);
INSERT INTO reactions (itinerary_id, account_id, kind, created_at) VALUES (X'000000000000000000000000000003EF', X'00000000000000000000000000000002', 'like', 1800000000000);
INSERT INTO reactions (itinerary_id, account_id, kind, created_at) VALUES (X'000000000000000000000000000003EF', X'00000000000000000000000000000003', 'dislike', 1800000000000);
INSERT INTO removed_followers (account_id, follower_id, created_at) VALUES (X'00000000000000000000000000000001', X'00000000000000000000000000000003', 1800000005000);
INSERT INTO reports (id, itinerary_id, account_id, reason, note, created_at, resolved_at, verdict) VALUES (X'0000000000000000000000000000003C', X'000000000000000000000000000003F0', X'00000000000000000000000000000002', 'spam', 'Zoë says: it is', 1800000006000, 1800000007000, 'hide');
INSERT INTO reports (id, itinerary_id, account_id, reason, note, created_at, resolved_at, verdict) VALUES (X'0000000000000000000000000000003D', X'000000000000000000000000000003EF', X'00000000000000000000000000000004', 'spam', 'Zoë says: it is', 1800000006000, NULL, NULL);
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
INSERT INTO sessions (hash, account_id, created_at, expires_at) VALUES (X'00000000000000000000000000000001FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF', X'00000000000000000000000000000001', 1799999999000, 1801000000000);
INSERT INTO settings (name, value, updated_at) VALUES ('gazetteer', '2026-11', 1800000000000);
INSERT INTO tokens (hash, grant_id, kind, scope, resource, created_at, expires_at, used_at) VALUES (X'0000000000000028000000000000000000000000000000000000000000000000', X'00000000000000000000000000000046', 'access', 'itineraries:read', 'https://trips.example/mcp', 1800000000000, 1800003600000, NULL);
INSERT INTO tokens (hash, grant_id, kind, scope, resource, created_at, expires_at, used_at) VALUES (X'000000000000002A000000000000000000000000000000000000000000000000', X'00000000000000000000000000000046', 'access', 'itineraries:read', 'https://trips.example/mcp', 1800000000000, 1800003700000, NULL);
INSERT INTO views (itinerary_id, account_id, day) VALUES (X'000000000000000000000000000003EF', X'00000000000000000000000000000002', 20000);
INSERT INTO views (itinerary_id, account_id, day) VALUES (X'000000000000000000000000000003EF', X'00000000000000000000000000000003', 20000);
COMMIT;
