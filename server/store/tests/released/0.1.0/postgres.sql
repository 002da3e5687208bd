CREATE TABLE public.account_counters (
    account_id uuid NOT NULL,
    followers bigint NOT NULL,
    following bigint NOT NULL,
    itineraries bigint DEFAULT 0 NOT NULL
);
CREATE TABLE public.accounts (
    id uuid NOT NULL,
    username text NOT NULL,
    username_folded text NOT NULL,
    display_name text NOT NULL,
    password_hash text NOT NULL,
    plan text NOT NULL,
    image_url text,
    home_place text,
    created_at bigint NOT NULL,
    deleted_at bigint,
    CONSTRAINT accounts_plan_check CHECK ((plan = ANY (ARRAY['free'::text, 'pro'::text])))
);
CREATE TABLE public.answer_usage (
    account_id uuid NOT NULL,
    answers bigint NOT NULL,
    bytes bigint NOT NULL
);
CREATE TABLE public.calendars (
    account_id uuid NOT NULL,
    hash bytea NOT NULL,
    created_at bigint NOT NULL
);
CREATE TABLE public.clients (
    id text NOT NULL,
    secret_hash bytea,
    name text NOT NULL,
    redirect_uris text NOT NULL,
    metadata text NOT NULL,
    auth_method text NOT NULL,
    created_at bigint NOT NULL,
    fetched_at bigint
);
CREATE TABLE public.codes (
    hash bytea NOT NULL,
    client_id text NOT NULL,
    account_id uuid NOT NULL,
    redirect_uri text NOT NULL,
    scope text NOT NULL,
    challenge text NOT NULL,
    resource text,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    used_at bigint,
    grant_id uuid
);
CREATE TABLE public.consent_answers (
    id uuid NOT NULL,
    expires_at bigint NOT NULL
);
CREATE TABLE public.departures (
    itinerary_id uuid NOT NULL,
    account_id uuid NOT NULL,
    created_at bigint NOT NULL
);
CREATE TABLE public.document_usage (
    account_id uuid NOT NULL,
    bytes bigint NOT NULL
);
CREATE TABLE public.documents (
    id uuid NOT NULL,
    itinerary_id uuid NOT NULL,
    file_name text NOT NULL,
    mime_type text NOT NULL,
    size bigint NOT NULL,
    created_at bigint NOT NULL
);
CREATE TABLE public.explore (
    itinerary_id uuid NOT NULL,
    owner_id uuid NOT NULL,
    published_at bigint NOT NULL,
    place bigint NOT NULL,
    words text NOT NULL,
    terms tsvector GENERATED ALWAYS AS (array_to_tsvector(string_to_array(words, ' '::text))) STORED NOT NULL
);
CREATE TABLE public.feed (
    itinerary_id uuid NOT NULL,
    region smallint NOT NULL,
    tier smallint NOT NULL,
    key_0 bigint NOT NULL,
    key_1 bigint NOT NULL,
    key_2 bigint NOT NULL,
    key_3 bigint NOT NULL
);
CREATE TABLE public.follows (
    follower_id uuid NOT NULL,
    followed_id uuid NOT NULL,
    created_at bigint NOT NULL
);
CREATE TABLE public.former_usernames (
    code text NOT NULL,
    free_at bigint NOT NULL
);
CREATE TABLE public.gazetteer (
    number bigint NOT NULL,
    id text NOT NULL,
    class text NOT NULL,
    names text NOT NULL,
    latitude double precision NOT NULL,
    longitude double precision NOT NULL,
    country text NOT NULL,
    time_zone text NOT NULL,
    population bigint NOT NULL,
    code text
);
CREATE TABLE public.gazetteer_keys (
    key text NOT NULL,
    cell bigint NOT NULL,
    number bigint NOT NULL
);
CREATE TABLE public.grants (
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    client_id text NOT NULL,
    scope text NOT NULL,
    resource text,
    created_at bigint NOT NULL,
    revoked_at bigint,
    family bytea,
    refresh_hash bytea,
    expires_at bigint DEFAULT 0 NOT NULL,
    last_used_at bigint DEFAULT 0 NOT NULL
);
CREATE TABLE public.hidden (
    itinerary_id uuid NOT NULL,
    created_at bigint NOT NULL,
    reviewed_at bigint
);
CREATE TABLE public.idempotency (
    account_id uuid NOT NULL,
    client_id text NOT NULL,
    operation text NOT NULL,
    key uuid NOT NULL,
    fingerprint bytea NOT NULL,
    status smallint NOT NULL,
    etag text,
    location text,
    itinerary_id uuid,
    created_at bigint NOT NULL,
    body bytea NOT NULL,
    number bigint DEFAULT 0 NOT NULL,
    bytes_before bigint DEFAULT 0 NOT NULL
);
ALTER TABLE ONLY public.idempotency ALTER COLUMN body SET COMPRESSION lz4;
CREATE TABLE public.itineraries (
    id uuid NOT NULL,
    owner_id uuid NOT NULL,
    version bigint NOT NULL,
    visibility text NOT NULL,
    published_at bigint,
    start_date text NOT NULL,
    destination_key text NOT NULL,
    place_id text,
    latitude double precision NOT NULL,
    longitude double precision NOT NULL,
    origin text,
    saved_from uuid,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    card text NOT NULL,
    everyone text NOT NULL,
    members text NOT NULL,
    pro text NOT NULL,
    documents text NOT NULL,
    saved_author uuid,
    cover_id uuid
);
ALTER TABLE ONLY public.itineraries ALTER COLUMN everyone SET COMPRESSION lz4;
ALTER TABLE ONLY public.itineraries ALTER COLUMN members SET COMPRESSION lz4;
ALTER TABLE ONLY public.itineraries ALTER COLUMN pro SET COMPRESSION lz4;
ALTER TABLE ONLY public.itineraries ALTER COLUMN documents SET COMPRESSION lz4;
CREATE TABLE public.itinerary_counters (
    itinerary_id uuid NOT NULL,
    likes bigint DEFAULT 0 NOT NULL,
    saves bigint DEFAULT 0 NOT NULL,
    views bigint DEFAULT 0 NOT NULL
);
CREATE TABLE public.loose_files (
    document_id uuid NOT NULL,
    delete_at bigint NOT NULL
);
CREATE TABLE public.members (
    itinerary_id uuid NOT NULL,
    account_id uuid NOT NULL,
    role text NOT NULL,
    created_at bigint NOT NULL,
    owner_id uuid,
    CONSTRAINT members_role_check CHECK ((role = ANY (ARRAY['editor'::text, 'viewer'::text])))
);
CREATE TABLE public.provider_answers (
    key text NOT NULL,
    answer text NOT NULL,
    fetched_at bigint NOT NULL
);
CREATE TABLE public.reactions (
    itinerary_id uuid NOT NULL,
    account_id uuid NOT NULL,
    kind text NOT NULL,
    created_at bigint NOT NULL,
    CONSTRAINT reactions_kind_check CHECK ((kind = ANY (ARRAY['like'::text, 'dislike'::text])))
);
CREATE TABLE public.removed_followers (
    account_id uuid NOT NULL,
    follower_id uuid NOT NULL,
    created_at bigint NOT NULL
);
CREATE TABLE public.reports (
    id uuid NOT NULL,
    itinerary_id uuid NOT NULL,
    account_id uuid NOT NULL,
    reason text NOT NULL,
    note text,
    created_at bigint NOT NULL,
    resolved_at bigint,
    verdict text,
    CONSTRAINT reports_verdict_check CHECK ((verdict = ANY (ARRAY['keep'::text, 'hide'::text])))
);
CREATE TABLE public.seaql_migrations (
    version text NOT NULL,
    applied_at bigint NOT NULL
);
CREATE TABLE public.sessions (
    hash bytea NOT NULL,
    account_id uuid NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL
);
CREATE TABLE public.settings (
    name text NOT NULL,
    value text NOT NULL,
    updated_at bigint NOT NULL
);
CREATE TABLE public.tokens (
    hash bytea NOT NULL,
    grant_id uuid NOT NULL,
    kind text NOT NULL,
    scope text NOT NULL,
    resource text,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    used_at bigint,
    CONSTRAINT tokens_kind_check CHECK ((kind = ANY (ARRAY['access'::text, 'refresh'::text])))
);
CREATE TABLE public.views (
    itinerary_id uuid NOT NULL,
    account_id uuid NOT NULL,
    day bigint NOT NULL
);
INSERT INTO public.account_counters VALUES ('00000000-0000-0000-0000-000000000002', 1, 1, 1);
INSERT INTO public.account_counters VALUES ('00000000-0000-0000-0000-000000000001', 1, 1, 3);
INSERT INTO public.account_counters VALUES ('00000000-0000-0000-0000-000000000003', 0, 0, 0);
INSERT INTO public.accounts VALUES ('00000000-0000-0000-0000-000000000002', 'BEN', 'ben', 'ben the traveller', 'old', 'free', NULL, NULL, 1800000000000, NULL);
INSERT INTO public.accounts VALUES ('00000000-0000-0000-0000-000000000003', 'CAI', 'cai', 'cai the traveller', 'old', 'free', NULL, NULL, 1800000000000, NULL);
INSERT INTO public.accounts VALUES ('00000000-0000-0000-0000-000000000004', 'DORA', 'dora', 'dora the traveller', 'old', 'free', NULL, NULL, 1800000000000, NULL);
INSERT INTO public.accounts VALUES ('00000000-0000-0000-0000-000000000001', 'ANA', 'ana', 'ana the traveller', 'old', 'pro', NULL, NULL, 1800000000000, NULL);
INSERT INTO public.accounts VALUES ('00000000-0000-0000-0000-000000000005', 'deleted:00000000-0000-0000-0000-000000000005', 'deleted:00000000-0000-0000-0000-000000000005', 'Deleted account', '', 'free', NULL, NULL, 1800000000000, 1800000008000);
INSERT INTO public.answer_usage VALUES ('00000000-0000-0000-0000-000000000001', 1, 7);
INSERT INTO public.calendars VALUES ('00000000-0000-0000-0000-000000000001', '\x000000000000005b000000000000000000000000000000000000000000000000', 1800000000000);
INSERT INTO public.clients VALUES ('app', '\x000000000000004d000000000000000000000000000000000000000000000000', 'An app', '["https://app.example/back"]', '{}', 'client_secret_basic', 1800000000000, NULL);
INSERT INTO public.codes VALUES ('\x000000000000001e000000000000000000000000000000000000000000000000', 'app', '00000000-0000-0000-0000-000000000001', 'https://app.example/back', 'itineraries:read', 'challenge', NULL, 1800000000000, 1800000300000, NULL, NULL);
INSERT INTO public.codes VALUES ('\x000000000000001f000000000000000000000000000000000000000000000000', 'app', '00000000-0000-0000-0000-000000000001', 'https://app.example/back', 'itineraries:read', 'challenge', NULL, 1800000000000, 1800000300000, 1800000001000, '00000000-0000-0000-0000-000000000046');
INSERT INTO public.consent_answers VALUES ('00000000-0000-001e-0000-000000000000', 1800000600000);
INSERT INTO public.consent_answers VALUES ('00000000-0000-001f-0000-000000000000', 1800000600000);
INSERT INTO public.departures VALUES ('00000000-0000-0000-0000-00000000000a', '00000000-0000-0000-0000-000000000003', 1800000004000);
INSERT INTO public.document_usage VALUES ('00000000-0000-0000-0000-000000000001', 1000);
INSERT INTO public.documents VALUES ('00000000-0000-0000-0000-000000000050', '00000000-0000-0000-0000-00000000000a', 'pass80.age', 'application/pdf', 1000, 1800000009000);
INSERT INTO public.explore VALUES ('00000000-0000-0000-0000-0000000003ef', '00000000-0000-0000-0000-000000000001', 1800000000000, 7, 'journey lisbon _public _1', DEFAULT);
INSERT INTO public.feed VALUES ('00000000-0000-0000-0000-0000000003ef', 1, 1, 0, 0, 0, 0);
INSERT INTO public.follows VALUES ('00000000-0000-0000-0000-000000000002', '00000000-0000-0000-0000-000000000001', 1800000000000);
INSERT INTO public.follows VALUES ('00000000-0000-0000-0000-000000000001', '00000000-0000-0000-0000-000000000002', 1800000000000);
INSERT INTO public.former_usernames VALUES ('code of eve', 1801000000000);
INSERT INTO public.gazetteer VALUES (1, 'geonames:2267057', 'city', 'Lisbon
Lisboa', 38.71667, -9.13333, 'PT', 'Europe/Lisbon', 517802, 'LIS');
INSERT INTO public.gazetteer_keys VALUES ('lisb', 46250, 1);
INSERT INTO public.gazetteer_keys VALUES ('lisbo', 46250, 1);
INSERT INTO public.gazetteer_keys VALUES ('', 46250, 1);
INSERT INTO public.grants VALUES ('00000000-0000-0000-0000-000000000046', '00000000-0000-0000-0000-000000000001', 'app', 'itineraries:read itineraries:write', NULL, 1800000000000, NULL, '\x0000000000000007000000000000000000000000000000000000000000000000', '\x000000000000002b000000000000000000000000000000000000000000000000', 1800090000000, 1800000002000);
INSERT INTO public.hidden VALUES ('00000000-0000-0000-0000-0000000003f0', 1800000007000, 1800000007000);
INSERT INTO public.idempotency VALUES ('00000000-0000-0000-0000-000000000001', 'app', 'POST /v1/itineraries', '00000000-0000-0000-0000-000000000001', '\x0000000000000002000000000000000000000000000000000000000000000000', 201, '"v1.m"', NULL, '00000000-0000-0000-0000-00000000000a', 1800000000000, '\x6d61646500c3a9', 1, 0);
INSERT INTO public.itineraries VALUES ('00000000-0000-0000-0000-00000000000a', '00000000-0000-0000-0000-000000000001', 5, 'public', 1800000009000, '2027-05-01', 'lisbon', 'place', 38.7223, -9.1393, '{}', NULL, 1800000000000, 1800000009000, '{"title":"Lisboa"}', '{"title":"Lisboa"}', '{"flights":[]}', '{"packing":[]}', '[1]', NULL, NULL);
INSERT INTO public.itineraries VALUES ('00000000-0000-0000-0000-0000000003ef', '00000000-0000-0000-0000-000000000001', 1, 'public', NULL, '2027-05-01', 'lisbon', NULL, 38.7223, -9.1393, NULL, NULL, 1800000000000, 1800000000000, '{"title":"Lisbon"}', '{"title":"Lisbon"}', '{}', '{}', '[]', NULL, NULL);
INSERT INTO public.itineraries VALUES ('00000000-0000-0000-0000-0000000003f0', '00000000-0000-0000-0000-000000000001', 1, 'public', NULL, '2027-05-01', 'lisbon', NULL, 38.7223, -9.1393, NULL, NULL, 1800000000000, 1800000000000, '{"title":"Lisbon"}', '{"title":"Lisbon"}', '{}', '{}', '[]', NULL, NULL);
INSERT INTO public.itineraries VALUES ('00000000-0000-0000-0000-00000000000b', '00000000-0000-0000-0000-000000000002', 1, 'private', NULL, '2027-05-01', 'lisbon', NULL, 38.7223, -9.1393, NULL, '00000000-0000-0000-0000-0000000003ef', 1800000000000, 1800000000000, '{"title":"Lisbon"}', '{"title":"Lisbon"}', '{}', '{}', '[]', '00000000-0000-0000-0000-000000000001', NULL);
INSERT INTO public.itinerary_counters VALUES ('00000000-0000-0000-0000-0000000003ef', 1, 1, 2);
INSERT INTO public.loose_files VALUES ('00000000-0000-0000-0000-000000000051', 1800000009000);
INSERT INTO public.members VALUES ('00000000-0000-0000-0000-00000000000a', '00000000-0000-0000-0000-000000000002', 'editor', 1800000000000, '00000000-0000-0000-0000-000000000001');
INSERT INTO public.provider_answers VALUES ('geocode lisbon', '[]', 1800000000000);
INSERT INTO public.reactions VALUES ('00000000-0000-0000-0000-0000000003ef', '00000000-0000-0000-0000-000000000002', 'like', 1800000000000);
INSERT INTO public.reactions VALUES ('00000000-0000-0000-0000-0000000003ef', '00000000-0000-0000-0000-000000000003', 'dislike', 1800000000000);
INSERT INTO public.removed_followers VALUES ('00000000-0000-0000-0000-000000000001', '00000000-0000-0000-0000-000000000003', 1800000005000);
INSERT INTO public.reports VALUES ('00000000-0000-0000-0000-00000000003d', '00000000-0000-0000-0000-0000000003ef', '00000000-0000-0000-0000-000000000004', 'spam', 'Zoë says: it is', 1800000006000, NULL, NULL);
INSERT INTO public.reports VALUES ('00000000-0000-0000-0000-00000000003c', '00000000-0000-0000-0000-0000000003f0', '00000000-0000-0000-0000-000000000002', 'spam', 'Zoë says: it is', 1800000006000, 1800000007000, 'hide');
INSERT INTO public.seaql_migrations VALUES ('m20261120_000001_foundation', 0);
INSERT INTO public.seaql_migrations VALUES ('m20261121_000001_members', 0);
INSERT INTO public.seaql_migrations VALUES ('m20261122_000001_people', 0);
INSERT INTO public.seaql_migrations VALUES ('m20261122_000002_explore', 0);
INSERT INTO public.seaql_migrations VALUES ('m20261122_000003_places', 0);
INSERT INTO public.seaql_migrations VALUES ('m20261122_000004_documents', 0);
INSERT INTO public.seaql_migrations VALUES ('m20261123_000005_grants', 0);
INSERT INTO public.seaql_migrations VALUES ('m20261123_000006_growth', 0);
INSERT INTO public.seaql_migrations VALUES ('m20261123_000007_accounts', 0);
INSERT INTO public.seaql_migrations VALUES ('m20261123_000008_plain_answers', 0);
INSERT INTO public.seaql_migrations VALUES ('m20261123_000009_calendars', 0);
INSERT INTO public.sessions VALUES ('\x00000000000000000000000000000001ffffffffffffffffffffffffffffffff', '00000000-0000-0000-0000-000000000001', 1799999999000, 1801000000000);
INSERT INTO public.settings VALUES ('gazetteer', '2026-11', 1800000000000);
INSERT INTO public.tokens VALUES ('\x0000000000000028000000000000000000000000000000000000000000000000', '00000000-0000-0000-0000-000000000046', 'access', 'itineraries:read', 'https://trips.example/mcp', 1800000000000, 1800003600000, NULL);
INSERT INTO public.tokens VALUES ('\x000000000000002a000000000000000000000000000000000000000000000000', '00000000-0000-0000-0000-000000000046', 'access', 'itineraries:read', 'https://trips.example/mcp', 1800000000000, 1800003700000, NULL);
INSERT INTO public.views VALUES ('00000000-0000-0000-0000-0000000003ef', '00000000-0000-0000-0000-000000000002', 20000);
INSERT INTO public.views VALUES ('00000000-0000-0000-0000-0000000003ef', '00000000-0000-0000-0000-000000000003', 20000);
ALTER TABLE ONLY public.account_counters
    ADD CONSTRAINT account_counters_pkey PRIMARY KEY (account_id);
ALTER TABLE ONLY public.accounts
    ADD CONSTRAINT accounts_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.accounts
    ADD CONSTRAINT accounts_username_folded_key UNIQUE (username_folded);
ALTER TABLE ONLY public.answer_usage
    ADD CONSTRAINT answer_usage_pkey PRIMARY KEY (account_id);
ALTER TABLE ONLY public.calendars
    ADD CONSTRAINT calendars_hash_key UNIQUE (hash);
ALTER TABLE ONLY public.calendars
    ADD CONSTRAINT calendars_pkey PRIMARY KEY (account_id);
ALTER TABLE ONLY public.clients
    ADD CONSTRAINT clients_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.codes
    ADD CONSTRAINT codes_pkey PRIMARY KEY (hash);
ALTER TABLE ONLY public.consent_answers
    ADD CONSTRAINT consent_answers_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.departures
    ADD CONSTRAINT departures_pkey PRIMARY KEY (itinerary_id, account_id);
ALTER TABLE ONLY public.document_usage
    ADD CONSTRAINT document_usage_pkey PRIMARY KEY (account_id);
ALTER TABLE ONLY public.documents
    ADD CONSTRAINT documents_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.explore
    ADD CONSTRAINT explore_pkey PRIMARY KEY (itinerary_id);
ALTER TABLE ONLY public.explore
    ADD CONSTRAINT explore_place_key UNIQUE (place);
ALTER TABLE ONLY public.feed
    ADD CONSTRAINT feed_pkey PRIMARY KEY (itinerary_id, region);
ALTER TABLE ONLY public.follows
    ADD CONSTRAINT follows_pkey PRIMARY KEY (follower_id, followed_id);
ALTER TABLE ONLY public.former_usernames
    ADD CONSTRAINT former_usernames_pkey PRIMARY KEY (code);
ALTER TABLE ONLY public.gazetteer
    ADD CONSTRAINT gazetteer_id_key UNIQUE (id);
ALTER TABLE ONLY public.gazetteer_keys
    ADD CONSTRAINT gazetteer_keys_pkey PRIMARY KEY (key, cell, number);
ALTER TABLE ONLY public.gazetteer
    ADD CONSTRAINT gazetteer_pkey PRIMARY KEY (number);
ALTER TABLE ONLY public.grants
    ADD CONSTRAINT grants_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.hidden
    ADD CONSTRAINT hidden_pkey PRIMARY KEY (itinerary_id);
ALTER TABLE ONLY public.idempotency
    ADD CONSTRAINT idempotency_pkey PRIMARY KEY (account_id, client_id, operation, key);
ALTER TABLE ONLY public.itineraries
    ADD CONSTRAINT itineraries_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.itinerary_counters
    ADD CONSTRAINT itinerary_counters_pkey PRIMARY KEY (itinerary_id);
ALTER TABLE ONLY public.loose_files
    ADD CONSTRAINT loose_files_pkey PRIMARY KEY (document_id);
ALTER TABLE ONLY public.members
    ADD CONSTRAINT members_pkey PRIMARY KEY (itinerary_id, account_id);
ALTER TABLE ONLY public.provider_answers
    ADD CONSTRAINT provider_answers_pkey PRIMARY KEY (key);
ALTER TABLE ONLY public.reactions
    ADD CONSTRAINT reactions_pkey PRIMARY KEY (itinerary_id, account_id);
ALTER TABLE ONLY public.removed_followers
    ADD CONSTRAINT removed_followers_pkey PRIMARY KEY (account_id, follower_id);
ALTER TABLE ONLY public.reports
    ADD CONSTRAINT reports_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.seaql_migrations
    ADD CONSTRAINT seaql_migrations_pkey PRIMARY KEY (version);
ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (hash);
ALTER TABLE ONLY public.settings
    ADD CONSTRAINT settings_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.tokens
    ADD CONSTRAINT tokens_pkey PRIMARY KEY (hash);
ALTER TABLE ONLY public.views
    ADD CONSTRAINT views_pkey PRIMARY KEY (itinerary_id, account_id);
CREATE INDEX accounts_deleted ON public.accounts USING btree (deleted_at) WHERE (deleted_at IS NOT NULL);
CREATE INDEX clients_fetched ON public.clients USING btree (fetched_at) WHERE (fetched_at IS NOT NULL);
CREATE INDEX codes_account ON public.codes USING btree (account_id);
CREATE INDEX codes_client ON public.codes USING btree (client_id);
CREATE INDEX codes_expiry ON public.codes USING btree (expires_at);
CREATE INDEX consent_answers_expiry ON public.consent_answers USING btree (expires_at);
CREATE INDEX departures_account ON public.departures USING btree (account_id);
CREATE INDEX documents_itinerary ON public.documents USING btree (itinerary_id);
CREATE INDEX explore_owner ON public.explore USING btree (owner_id, published_at, itinerary_id);
CREATE INDEX explore_published ON public.explore USING btree (published_at, itinerary_id, owner_id);
CREATE INDEX explore_terms ON public.explore USING gin (terms);
CREATE INDEX feed_0 ON public.feed USING btree (region, tier, key_0, itinerary_id);
CREATE INDEX feed_1 ON public.feed USING btree (region, tier, key_1, itinerary_id);
CREATE INDEX feed_2 ON public.feed USING btree (region, tier, key_2, itinerary_id);
CREATE INDEX feed_3 ON public.feed USING btree (region, tier, key_3, itinerary_id);
CREATE INDEX follows_followers ON public.follows USING btree (followed_id, created_at, follower_id);
CREATE INDEX follows_following ON public.follows USING btree (follower_id, created_at, followed_id);
CREATE INDEX former_usernames_age ON public.former_usernames USING btree (free_at);
CREATE INDEX gazetteer_code ON public.gazetteer USING btree (code) WHERE (code IS NOT NULL);
CREATE INDEX gazetteer_keys_number ON public.gazetteer_keys USING btree (number);
CREATE INDEX grants_account ON public.grants USING btree (account_id, created_at);
CREATE INDEX grants_client ON public.grants USING btree (client_id);
CREATE INDEX grants_expiry ON public.grants USING btree (expires_at);
CREATE UNIQUE INDEX grants_family ON public.grants USING btree (family);
CREATE INDEX grants_living ON public.grants USING btree (account_id, client_id) WHERE (revoked_at IS NULL);
CREATE INDEX grants_revoked ON public.grants USING btree (revoked_at) WHERE (revoked_at IS NOT NULL);
CREATE INDEX idempotency_age ON public.idempotency USING btree (created_at);
CREATE INDEX idempotency_client ON public.idempotency USING btree (client_id);
CREATE INDEX idempotency_itinerary ON public.idempotency USING btree (itinerary_id);
CREATE INDEX idempotency_order ON public.idempotency USING btree (account_id, number);
CREATE INDEX itineraries_cover ON public.itineraries USING btree (cover_id) WHERE (cover_id IS NOT NULL);
CREATE INDEX itineraries_duplicates ON public.itineraries USING btree (owner_id, start_date);
CREATE INDEX itineraries_list ON public.itineraries USING btree (owner_id, updated_at, id);
CREATE INDEX itineraries_origin ON public.itineraries USING btree (owner_id, created_at, id) WHERE (origin IS NOT NULL);
CREATE UNIQUE INDEX itineraries_saved ON public.itineraries USING btree (owner_id, saved_from) WHERE (saved_from IS NOT NULL);
CREATE INDEX itineraries_saved_author ON public.itineraries USING btree (saved_author) WHERE (saved_author IS NOT NULL);
CREATE INDEX loose_files_age ON public.loose_files USING btree (delete_at);
CREATE INDEX members_of_owner ON public.members USING btree (account_id, owner_id);
CREATE INDEX provider_answers_age ON public.provider_answers USING btree (fetched_at);
CREATE INDEX reactions_account ON public.reactions USING btree (account_id, kind);
CREATE INDEX removed_followers_follower ON public.removed_followers USING btree (follower_id);
CREATE INDEX reports_account ON public.reports USING btree (account_id);
CREATE UNIQUE INDEX reports_open ON public.reports USING btree (itinerary_id, account_id) WHERE (resolved_at IS NULL);
CREATE INDEX reports_queue ON public.reports USING btree (created_at, id) WHERE (resolved_at IS NULL);
CREATE INDEX reports_reporter ON public.reports USING btree (itinerary_id, account_id);
CREATE INDEX sessions_account ON public.sessions USING btree (account_id);
CREATE INDEX sessions_expiry ON public.sessions USING btree (expires_at);
CREATE INDEX tokens_expiry ON public.tokens USING btree (expires_at);
CREATE INDEX tokens_grant ON public.tokens USING btree (grant_id);
CREATE INDEX views_account ON public.views USING btree (account_id);
CREATE INDEX views_day ON public.views USING btree (day);
ALTER TABLE ONLY public.account_counters
    ADD CONSTRAINT account_counters_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.answer_usage
    ADD CONSTRAINT answer_usage_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.calendars
    ADD CONSTRAINT calendars_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.codes
    ADD CONSTRAINT codes_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.codes
    ADD CONSTRAINT codes_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.clients(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.departures
    ADD CONSTRAINT departures_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.departures
    ADD CONSTRAINT departures_itinerary_id_fkey FOREIGN KEY (itinerary_id) REFERENCES public.itineraries(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.document_usage
    ADD CONSTRAINT document_usage_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.documents
    ADD CONSTRAINT documents_itinerary_id_fkey FOREIGN KEY (itinerary_id) REFERENCES public.itineraries(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.explore
    ADD CONSTRAINT explore_itinerary_id_fkey FOREIGN KEY (itinerary_id) REFERENCES public.itineraries(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.explore
    ADD CONSTRAINT explore_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES public.accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.feed
    ADD CONSTRAINT feed_itinerary_id_fkey FOREIGN KEY (itinerary_id) REFERENCES public.explore(itinerary_id) ON DELETE CASCADE;
ALTER TABLE ONLY public.follows
    ADD CONSTRAINT follows_followed_id_fkey FOREIGN KEY (followed_id) REFERENCES public.accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.follows
    ADD CONSTRAINT follows_follower_id_fkey FOREIGN KEY (follower_id) REFERENCES public.accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.grants
    ADD CONSTRAINT grants_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.grants
    ADD CONSTRAINT grants_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.clients(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.hidden
    ADD CONSTRAINT hidden_itinerary_id_fkey FOREIGN KEY (itinerary_id) REFERENCES public.itineraries(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.idempotency
    ADD CONSTRAINT idempotency_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.idempotency
    ADD CONSTRAINT idempotency_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.clients(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.itineraries
    ADD CONSTRAINT itineraries_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES public.accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.itineraries
    ADD CONSTRAINT itineraries_saved_author_fkey FOREIGN KEY (saved_author) REFERENCES public.accounts(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.itinerary_counters
    ADD CONSTRAINT itinerary_counters_itinerary_id_fkey FOREIGN KEY (itinerary_id) REFERENCES public.itineraries(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.members
    ADD CONSTRAINT members_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.members
    ADD CONSTRAINT members_itinerary_id_fkey FOREIGN KEY (itinerary_id) REFERENCES public.itineraries(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.reactions
    ADD CONSTRAINT reactions_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.reactions
    ADD CONSTRAINT reactions_itinerary_id_fkey FOREIGN KEY (itinerary_id) REFERENCES public.itineraries(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.removed_followers
    ADD CONSTRAINT removed_followers_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.removed_followers
    ADD CONSTRAINT removed_followers_follower_id_fkey FOREIGN KEY (follower_id) REFERENCES public.accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.reports
    ADD CONSTRAINT reports_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.reports
    ADD CONSTRAINT reports_itinerary_id_fkey FOREIGN KEY (itinerary_id) REFERENCES public.itineraries(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.tokens
    ADD CONSTRAINT tokens_grant_id_fkey FOREIGN KEY (grant_id) REFERENCES public.grants(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.views
    ADD CONSTRAINT views_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.views
    ADD CONSTRAINT views_itinerary_id_fkey FOREIGN KEY (itinerary_id) REFERENCES public.itineraries(id) ON DELETE CASCADE;
