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
    suspended_at bigint,
    moderator_since bigint,
    CONSTRAINT accounts_plan_check CHECK ((plan = ANY (ARRAY['free'::text, 'pro'::text])))
);
CREATE TABLE public.answer_usage (
    account_id uuid NOT NULL,
    answers bigint NOT NULL,
    bytes bigint NOT NULL
);
CREATE TABLE public.audit_log (
    id uuid NOT NULL,
    created_at bigint NOT NULL,
    account_id uuid,
    actor text NOT NULL,
    actor_id uuid,
    event text NOT NULL,
    client_id text,
    address text,
    detail text
);
CREATE TABLE public.blocks (
    account_id uuid NOT NULL,
    blocked_id uuid NOT NULL,
    created_at bigint NOT NULL
);
CREATE TABLE public.calendars (
    account_id uuid NOT NULL,
    hash bytea NOT NULL,
    created_at bigint NOT NULL
);
CREATE TABLE public.change_feed (
    id smallint NOT NULL,
    epoch text NOT NULL,
    place text NOT NULL,
    last_position bigint NOT NULL,
    swept_position bigint NOT NULL,
    CONSTRAINT change_feed_id_check CHECK ((id = 1))
);
CREATE TABLE public.changes (
    "position" bigint NOT NULL,
    kind text NOT NULL,
    itinerary_id uuid NOT NULL,
    account_id uuid NOT NULL,
    at bigint NOT NULL,
    CONSTRAINT changes_kind_check CHECK ((kind = ANY (ARRAY['updated'::text, 'role'::text, 'shared'::text, 'unshared'::text, 'deleted'::text])))
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
CREATE TABLE public.former_pictures (
    id uuid NOT NULL,
    itinerary_id uuid NOT NULL,
    replaced_at bigint NOT NULL
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
ALTER TABLE ONLY public.idempotency ALTER COLUMN body SET STORAGE EXTERNAL;
ALTER TABLE ONLY public.idempotency ALTER COLUMN body SET COMPRESSION lz4;
CREATE TABLE public.identities (
    issuer text NOT NULL,
    subject text NOT NULL,
    account_id uuid NOT NULL,
    provider text NOT NULL,
    linked_at bigint NOT NULL
);
CREATE TABLE public.invitations (
    itinerary_id uuid NOT NULL,
    account_id uuid NOT NULL,
    owner_id uuid NOT NULL,
    role text NOT NULL,
    created_at bigint NOT NULL,
    CONSTRAINT invitations_role_check CHECK ((role = ANY (ARRAY['editor'::text, 'viewer'::text])))
);
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
    cover_id uuid,
    picture_id uuid
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
CREATE TABLE public.jobs (
    name text NOT NULL,
    server text NOT NULL,
    started_at bigint NOT NULL,
    busy_until bigint,
    took_ms bigint,
    items bigint,
    failure text,
    succeeded_at bigint,
    figures text
);
CREATE TABLE public.links (
    id uuid NOT NULL,
    itinerary_id uuid NOT NULL,
    label text NOT NULL,
    hash bytea NOT NULL,
    sections text NOT NULL,
    expires_at bigint,
    created_at bigint NOT NULL,
    CONSTRAINT links_sections_check CHECK ((sections = ANY (ARRAY['plan'::text, 'bookings'::text])))
);
CREATE TABLE public.loose_files (
    document_id uuid NOT NULL,
    delete_at bigint NOT NULL
);
CREATE TABLE public.mail_addresses (
    account_id uuid NOT NULL,
    address text NOT NULL,
    folded text NOT NULL,
    verified_at bigint NOT NULL
);
CREATE TABLE public.mails (
    id uuid NOT NULL,
    kind text NOT NULL,
    account_id uuid,
    address text NOT NULL,
    parameters text NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    next_at bigint NOT NULL,
    attempts bigint NOT NULL,
    link_hash bytea
);
CREATE TABLE public.members (
    itinerary_id uuid NOT NULL,
    account_id uuid NOT NULL,
    role text NOT NULL,
    created_at bigint NOT NULL,
    owner_id uuid,
    since_version bigint DEFAULT 0 NOT NULL,
    CONSTRAINT members_role_check CHECK ((role = ANY (ARRAY['editor'::text, 'viewer'::text])))
);
CREATE TABLE public.new_changes (
    id bigint NOT NULL,
    kind text NOT NULL,
    itinerary_id uuid NOT NULL,
    account_id uuid NOT NULL,
    at bigint NOT NULL,
    CONSTRAINT new_changes_kind_check CHECK ((kind = ANY (ARRAY['updated'::text, 'role'::text, 'shared'::text, 'unshared'::text, 'deleted'::text])))
);
ALTER TABLE public.new_changes ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.new_changes_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.one_time_codes (
    account_id uuid NOT NULL,
    secret text NOT NULL,
    last_step bigint NOT NULL,
    created_at bigint NOT NULL
);
CREATE TABLE public.passkeys (
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    credential_id bytea NOT NULL,
    passkey text NOT NULL,
    counter bigint NOT NULL,
    name text NOT NULL,
    created_at bigint NOT NULL,
    last_used_day bigint
);
CREATE TABLE public.password_resets (
    account_id uuid NOT NULL,
    hash bytea NOT NULL,
    expires_at bigint NOT NULL
);
CREATE TABLE public.personal_tokens (
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    client_id text NOT NULL,
    hash bytea NOT NULL,
    name text NOT NULL,
    scope text NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    last_used_day bigint,
    expiry_noted_at bigint
);
CREATE TABLE public.pictures (
    id uuid NOT NULL,
    itinerary_id uuid,
    file_id uuid NOT NULL,
    drawing text,
    source text,
    created_at bigint NOT NULL,
    replaced_at bigint
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
CREATE UNLOGGED TABLE public.recent_writers (
    account_id uuid NOT NULL,
    written_at bigint NOT NULL
);
CREATE TABLE public.recovery_codes (
    account_id uuid NOT NULL,
    hash bytea NOT NULL
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
CREATE TABLE public.revisions (
    itinerary_id uuid NOT NULL,
    version bigint NOT NULL,
    owner_id uuid NOT NULL,
    updated_at bigint NOT NULL,
    size bigint NOT NULL,
    account_id uuid NOT NULL,
    client_id text,
    restored_from bigint,
    replaced bytea
);
ALTER TABLE ONLY public.revisions ALTER COLUMN replaced SET STORAGE EXTERNAL;
CREATE TABLE public.seaql_migrations (
    version text NOT NULL,
    applied_at bigint NOT NULL
);
CREATE TABLE public.sent_invitations (
    owner_id uuid NOT NULL,
    sent_at bigint NOT NULL,
    number bigint NOT NULL
);
CREATE TABLE public.sessions (
    hash bytea NOT NULL,
    account_id uuid NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    authenticated_at bigint
);
CREATE TABLE public.settings (
    name text NOT NULL,
    value text NOT NULL,
    updated_at bigint NOT NULL
);
CREATE TABLE public.sign_up_invitations (
    hash bytea NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    note text,
    created_by uuid
);
CREATE TABLE public.suspensions (
    account_id uuid NOT NULL,
    reason text NOT NULL,
    appeal text,
    appealed_at bigint
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
CREATE TABLE public.unverified_addresses (
    account_id uuid NOT NULL,
    address text NOT NULL,
    hash bytea,
    expires_at bigint NOT NULL
);
CREATE TABLE public.views (
    itinerary_id uuid NOT NULL,
    account_id uuid NOT NULL,
    day bigint NOT NULL
);
CREATE TABLE public.warnings (
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    message text NOT NULL,
    created_at bigint NOT NULL
);
CREATE TABLE public.webhook_deliveries (
    id uuid NOT NULL,
    webhook_id uuid NOT NULL,
    kind text NOT NULL,
    itinerary_id uuid,
    etag text,
    at bigint NOT NULL,
    state text NOT NULL,
    attempts bigint NOT NULL,
    created_at bigint NOT NULL,
    last_at bigint,
    next_at bigint,
    status bigint,
    body text,
    failure text,
    CONSTRAINT webhook_deliveries_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'sending'::text, 'succeeded'::text, 'failed'::text, 'replaced'::text])))
);
CREATE TABLE public.webhook_queue (
    id smallint NOT NULL,
    epoch text NOT NULL,
    "position" bigint NOT NULL,
    CONSTRAINT webhook_queue_id_check CHECK ((id = 1))
);
CREATE TABLE public.webhooks (
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    client_id text NOT NULL,
    url text NOT NULL,
    host text NOT NULL,
    types text NOT NULL,
    description text,
    secret text NOT NULL,
    former_secret text,
    former_until bigint,
    disabled text,
    epoch text NOT NULL,
    "position" bigint NOT NULL,
    failing_since bigint,
    paused_since bigint,
    due_at bigint,
    claimed_at bigint,
    created_at bigint NOT NULL,
    CONSTRAINT webhooks_disabled_check CHECK ((disabled = ANY (ARRAY['app'::text, 'gone'::text, 'failing'::text])))
);
INSERT INTO public.account_counters VALUES ('00000000-0000-0000-0000-000000000002', 1, 1, 1);
INSERT INTO public.account_counters VALUES ('00000000-0000-0000-0000-000000000001', 1, 1, 3);
INSERT INTO public.account_counters VALUES ('00000000-0000-0000-0000-000000000003', 0, 0, 0);
INSERT INTO public.accounts VALUES ('00000000-0000-0000-0000-000000000002', 'BEN', 'ben', 'ben the traveller', 'old', 'free', NULL, NULL, 1800000000000, NULL, NULL, NULL);
INSERT INTO public.accounts VALUES ('00000000-0000-0000-0000-000000000003', 'CAI', 'cai', 'cai the traveller', 'old', 'free', NULL, NULL, 1800000000000, NULL, NULL, NULL);
INSERT INTO public.accounts VALUES ('00000000-0000-0000-0000-000000000004', 'DORA', 'dora', 'dora the traveller', 'old', 'free', NULL, NULL, 1800000000000, NULL, NULL, NULL);
INSERT INTO public.accounts VALUES ('00000000-0000-0000-0000-000000000001', 'ANA', 'ana', 'ana the traveller', 'old', 'pro', NULL, NULL, 1800000000000, NULL, NULL, NULL);
INSERT INTO public.accounts VALUES ('00000000-0000-0000-0000-000000000008', 'GUS', 'gus', 'gus the traveller', 'old', 'free', NULL, NULL, 1800000000000, NULL, 1800000003000, NULL);
INSERT INTO public.accounts VALUES ('00000000-0000-0000-0000-000000000005', 'deleted:00000000-0000-0000-0000-000000000005', 'deleted:00000000-0000-0000-0000-000000000005', 'Deleted account', '', 'free', NULL, NULL, 1800000000000, 1800000008000, NULL, NULL);
INSERT INTO public.answer_usage VALUES ('00000000-0000-0000-0000-000000000001', 1, 7);
INSERT INTO public.audit_log VALUES ('00000000-0000-0000-0000-00000000232a', 1800000003000, '00000000-0000-0000-0000-000000000008', 'operator', NULL, 'suspended', NULL, NULL, NULL);
INSERT INTO public.audit_log VALUES ('00000000-0000-0000-0000-00000000232b', 1800000003000, '00000000-0000-0000-0000-000000000008', 'operator', NULL, 'appealed', NULL, NULL, NULL);
INSERT INTO public.audit_log VALUES ('00000000-0000-0000-0000-00000000232c', 1800000003000, '00000000-0000-0000-0000-000000000008', 'operator', NULL, 'warned', NULL, NULL, NULL);
INSERT INTO public.audit_log VALUES ('00000000-0000-0000-0000-000000002329', 1800000007000, NULL, 'operator', NULL, 'itineraryKept', NULL, NULL, NULL);
INSERT INTO public.blocks VALUES ('00000000-0000-0000-0000-000000000004', '00000000-0000-0000-0000-000000000003', 1800000004000);
INSERT INTO public.calendars VALUES ('00000000-0000-0000-0000-000000000001', '\x000000000000005b000000000000000000000000000000000000000000000000', 1800000000000);
INSERT INTO public.change_feed VALUES (1, 'epoch', 'here', 11, 0);
INSERT INTO public.changes VALUES (1, 'updated', '00000000-0000-0000-0000-00000000000a', '00000000-0000-0000-0000-000000000001', 1800000000000);
INSERT INTO public.changes VALUES (2, 'updated', '00000000-0000-0000-0000-00000000000a', '00000000-0000-0000-0000-000000000001', 1800000009000);
INSERT INTO public.changes VALUES (3, 'updated', '00000000-0000-0000-0000-00000000000a', '00000000-0000-0000-0000-000000000001', 1800000009000);
INSERT INTO public.changes VALUES (4, 'updated', '00000000-0000-0000-0000-00000000000a', '00000000-0000-0000-0000-000000000001', 1800000009000);
INSERT INTO public.changes VALUES (5, 'updated', '00000000-0000-0000-0000-00000000000a', '00000000-0000-0000-0000-000000000001', 1800000009000);
INSERT INTO public.changes VALUES (6, 'updated', '00000000-0000-0000-0000-00000000000b', '00000000-0000-0000-0000-000000000002', 1800000003000);
INSERT INTO public.changes VALUES (7, 'updated', '00000000-0000-0000-0000-00000000000b', '00000000-0000-0000-0000-000000000001', 1800000009000);
INSERT INTO public.changes VALUES (8, 'updated', '00000000-0000-0000-0000-00000000000b', '00000000-0000-0000-0000-000000000001', 1800000009000);
INSERT INTO public.changes VALUES (9, 'shared', '00000000-0000-0000-0000-00000000000a', '00000000-0000-0000-0000-000000000002', 1800000000000);
INSERT INTO public.changes VALUES (10, 'shared', '00000000-0000-0000-0000-00000000000a', '00000000-0000-0000-0000-000000000003', 1800000000000);
INSERT INTO public.changes VALUES (11, 'unshared', '00000000-0000-0000-0000-00000000000a', '00000000-0000-0000-0000-000000000003', 1800000004000);
INSERT INTO public.clients VALUES ('app', '\x000000000000004d000000000000000000000000000000000000000000000000', 'An app', '["https://app.example/back"]', '{}', 'client_secret_basic', 1800000000000, NULL);
INSERT INTO public.clients VALUES ('pat_97', NULL, 'Backup', '[]', '{}', 'personal_access_token', 1800000033000, NULL);
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
INSERT INTO public.former_pictures VALUES ('00000000-0000-0000-0000-00000000005a', '00000000-0000-0000-0000-00000000000b', 1800000009000);
INSERT INTO public.former_usernames VALUES ('code of eve', 1801000000000);
INSERT INTO public.gazetteer VALUES (1, 'geonames:2267057', 'city', 'Lisbon
Lisboa', 38.71667, -9.13333, 'PT', 'Europe/Lisbon', 517802, 'LIS');
INSERT INTO public.gazetteer_keys VALUES ('lisb', 46250, 1);
INSERT INTO public.gazetteer_keys VALUES ('lisbo', 46250, 1);
INSERT INTO public.gazetteer_keys VALUES ('', 46250, 1);
INSERT INTO public.grants VALUES ('00000000-0000-0000-0000-000000000046', '00000000-0000-0000-0000-000000000001', 'app', 'itineraries:read itineraries:write', NULL, 1800000000000, NULL, '\x0000000000000007000000000000000000000000000000000000000000000000', '\x000000000000002b000000000000000000000000000000000000000000000000', 1800090000000, 1800000002000);
INSERT INTO public.hidden VALUES ('00000000-0000-0000-0000-0000000003f0', 1800000007000, 1800000007000);
INSERT INTO public.idempotency VALUES ('00000000-0000-0000-0000-000000000001', 'app', 'POST /v1/itineraries', '00000000-0000-0000-0000-000000000001', '\x0000000000000002000000000000000000000000000000000000000000000000', 201, '"v1.m"', NULL, '00000000-0000-0000-0000-00000000000a', 1800000000000, '\x6d61646500c3a9', 1, 0);
INSERT INTO public.identities VALUES ('https://id.example', 'ana', '00000000-0000-0000-0000-000000000001', 'Example', 1800000000000);
INSERT INTO public.invitations VALUES ('00000000-0000-0000-0000-00000000000b', '00000000-0000-0000-0000-000000000004', '00000000-0000-0000-0000-000000000002', 'viewer', 1800000004000);
INSERT INTO public.itineraries VALUES ('00000000-0000-0000-0000-00000000000a', '00000000-0000-0000-0000-000000000001', 5, 'public', 1800000009000, '2027-05-01', 'lisbon', 'place', 38.7223, -9.1393, '{}', NULL, 1800000000000, 1800000009000, '{"title":"Lisboa"}', '{"title":"Lisboa"}', '{"flights":[]}', '{"packing":[]}', '[1]', NULL, NULL, NULL);
INSERT INTO public.itineraries VALUES ('00000000-0000-0000-0000-0000000003ef', '00000000-0000-0000-0000-000000000001', 1, 'public', NULL, '2027-05-01', 'lisbon', NULL, 38.7223, -9.1393, NULL, NULL, 1800000000000, 1800000000000, '{"title":"Lisbon"}', '{"title":"Lisbon"}', '{}', '{}', '[]', NULL, NULL, NULL);
INSERT INTO public.itineraries VALUES ('00000000-0000-0000-0000-0000000003f0', '00000000-0000-0000-0000-000000000001', 1, 'public', NULL, '2027-05-01', 'lisbon', NULL, 38.7223, -9.1393, NULL, NULL, 1800000000000, 1800000000000, '{"title":"Lisbon"}', '{"title":"Lisbon"}', '{}', '{}', '[]', NULL, NULL, NULL);
INSERT INTO public.itineraries VALUES ('00000000-0000-0000-0000-00000000000b', '00000000-0000-0000-0000-000000000002', 3, 'public', 1800000009000, '2027-05-01', 'lisbon', 'place', 38.7223, -9.1393, '{}', '00000000-0000-0000-0000-0000000003ef', 1800000000000, 1800000009000, '{"title":"Lisboa"}', '{"title":"Lisboa"}', '{"flights":[]}', '{"packing":[]}', '[1]', '00000000-0000-0000-0000-000000000001', '00000000-0000-0000-0000-00000000005b', '00000000-0000-0000-0000-00000000005b');
INSERT INTO public.itinerary_counters VALUES ('00000000-0000-0000-0000-0000000003ef', 1, 1, 2);
INSERT INTO public.jobs VALUES ('rank-explore', 'a', 1800000009000, NULL, 1000, 2, NULL, 1800000010000, '{}');
INSERT INTO public.links VALUES ('00000000-0000-0000-0000-000000000061', '00000000-0000-0000-0000-00000000000a', 'Parents', '\x0000000000000061000000000000000000000000000000000000000000000000', 'bookings', 1800001000000, 1800000009000);
INSERT INTO public.loose_files VALUES ('00000000-0000-0000-0000-000000000051', 1800000009000);
INSERT INTO public.mail_addresses VALUES ('00000000-0000-0000-0000-000000000002', 'Ben@example.com', 'ben@example.com', 1800000042000);
INSERT INTO public.mails VALUES ('00000000-0000-0000-0000-000000000064', 'verify', '00000000-0000-0000-0000-000000000002', 'Ben@example.com', '{}', 1800000040000, 1800090000000, 1800000050000, 1, '\x0000000000000064000000000000000000000000000000000000000000000000');
INSERT INTO public.mails VALUES ('00000000-0000-0000-0000-000000000066', 'other', '00000000-0000-0000-0000-000000000002', 'ben@example.org', '{}', 1800000040000, 1800090000000, 1800000040000, 0, NULL);
INSERT INTO public.mails VALUES ('00000000-0000-0000-0000-000000000067', 'notice', '00000000-0000-0000-0000-000000000002', 'Ben@example.com', '{}', 1800000040000, 1800090000000, 1800000040000, 0, NULL);
INSERT INTO public.members VALUES ('00000000-0000-0000-0000-00000000000a', '00000000-0000-0000-0000-000000000002', 'editor', 1800000000000, '00000000-0000-0000-0000-000000000001', 5);
INSERT INTO public.new_changes VALUES (12, 'role', '00000000-0000-0000-0000-00000000000a', '00000000-0000-0000-0000-000000000002', 1800000030000);
INSERT INTO public.new_changes VALUES (13, 'role', '00000000-0000-0000-0000-00000000000a', '00000000-0000-0000-0000-000000000002', 1800000030000);
INSERT INTO public.one_time_codes VALUES ('00000000-0000-0000-0000-000000000001', 'sealed', 7, 1800000034000);
INSERT INTO public.passkeys VALUES ('00000000-0000-0000-0000-000000000062', '00000000-0000-0000-0000-000000000001', '\x010203', '{}', 1, 'Phone', 1800000034000, NULL);
INSERT INTO public.password_resets VALUES ('00000000-0000-0000-0000-000000000002', '\x0000000000000062000000000000000000000000000000000000000000000000', 1800090000000);
INSERT INTO public.personal_tokens VALUES ('00000000-0000-0000-0000-000000000061', '00000000-0000-0000-0000-000000000001', 'pat_97', '\x0000000000000061000000000000000000000000000000000000000000000000', 'Backup', 'itineraries:read', 1800000033000, 1800090000000, NULL, NULL);
INSERT INTO public.pictures VALUES ('00000000-0000-0000-0000-00000000005b', '00000000-0000-0000-0000-00000000000b', '00000000-0000-0000-0000-00000000005b', '{}', 'generated', 1800000009000, NULL);
INSERT INTO public.provider_answers VALUES ('geocode lisbon', '[]', 1800000000000);
INSERT INTO public.reactions VALUES ('00000000-0000-0000-0000-0000000003ef', '00000000-0000-0000-0000-000000000002', 'like', 1800000000000);
INSERT INTO public.reactions VALUES ('00000000-0000-0000-0000-0000000003ef', '00000000-0000-0000-0000-000000000003', 'dislike', 1800000000000);
INSERT INTO public.recovery_codes VALUES ('00000000-0000-0000-0000-000000000001', '\x0000000000000023000000000000000000000000000000000000000000000000');
INSERT INTO public.recovery_codes VALUES ('00000000-0000-0000-0000-000000000001', '\x0000000000000024000000000000000000000000000000000000000000000000');
INSERT INTO public.removed_followers VALUES ('00000000-0000-0000-0000-000000000001', '00000000-0000-0000-0000-000000000003', 1800000005000);
INSERT INTO public.reports VALUES ('00000000-0000-0000-0000-00000000003d', '00000000-0000-0000-0000-0000000003ef', '00000000-0000-0000-0000-000000000004', 'spam', 'Zoë says: it is', 1800000006000, NULL, NULL);
INSERT INTO public.reports VALUES ('00000000-0000-0000-0000-00000000003c', '00000000-0000-0000-0000-0000000003f0', '00000000-0000-0000-0000-000000000002', 'spam', 'Zoë says: it is', 1800000006000, 1800000007000, 'hide');
INSERT INTO public.revisions VALUES ('00000000-0000-0000-0000-00000000000a', 1, '00000000-0000-0000-0000-000000000001', 1800000000000, 0, '00000000-0000-0000-0000-000000000001', 'app', NULL, NULL);
INSERT INTO public.revisions VALUES ('00000000-0000-0000-0000-00000000000a', 2, '00000000-0000-0000-0000-000000000001', 1800000009000, 10, '00000000-0000-0000-0000-000000000001', 'app', NULL, '\x00000000000000000000');
INSERT INTO public.revisions VALUES ('00000000-0000-0000-0000-00000000000a', 3, '00000000-0000-0000-0000-000000000001', 1800000009000, 10, '00000000-0000-0000-0000-000000000001', 'app', NULL, '\x00000000000000000000');
INSERT INTO public.revisions VALUES ('00000000-0000-0000-0000-00000000000a', 4, '00000000-0000-0000-0000-000000000001', 1800000009000, 10, '00000000-0000-0000-0000-000000000001', 'app', NULL, '\x00000000000000000000');
INSERT INTO public.revisions VALUES ('00000000-0000-0000-0000-00000000000a', 5, '00000000-0000-0000-0000-000000000001', 1800000009000, 10, '00000000-0000-0000-0000-000000000001', 'app', NULL, '\x00000000000000000000');
INSERT INTO public.revisions VALUES ('00000000-0000-0000-0000-00000000000b', 1, '00000000-0000-0000-0000-000000000002', 1800000000000, 0, '00000000-0000-0000-0000-000000000002', 'app', NULL, NULL);
INSERT INTO public.revisions VALUES ('00000000-0000-0000-0000-00000000000b', 2, '00000000-0000-0000-0000-000000000001', 1800000009000, 10, '00000000-0000-0000-0000-000000000001', 'app', NULL, '\x00000000000000000000');
INSERT INTO public.revisions VALUES ('00000000-0000-0000-0000-00000000000b', 3, '00000000-0000-0000-0000-000000000001', 1800000009000, 10, '00000000-0000-0000-0000-000000000001', 'app', NULL, '\x00000000000000000000');
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
INSERT INTO public.seaql_migrations VALUES ('m20261123_000011_jobs', 0);
INSERT INTO public.seaql_migrations VALUES ('m20261123_000013_recent_writers', 0);
INSERT INTO public.seaql_migrations VALUES ('m20261123_000014_search_index', 0);
INSERT INTO public.seaql_migrations VALUES ('m20261125_000015_pictures', 0);
INSERT INTO public.seaql_migrations VALUES ('m20261125_000016_invitations', 0);
INSERT INTO public.seaql_migrations VALUES ('m20261128_000001_revisions', 0);
INSERT INTO public.seaql_migrations VALUES ('m20261128_000002_changes', 0);
INSERT INTO public.seaql_migrations VALUES ('m20261128_000003_webhooks', 0);
INSERT INTO public.seaql_migrations VALUES ('m20261129_000000_personal_tokens', 0);
INSERT INTO public.seaql_migrations VALUES ('m20261129_000001_links', 0);
INSERT INTO public.seaql_migrations VALUES ('m20261129_000002_sign_up', 0);
INSERT INTO public.seaql_migrations VALUES ('m20261129_000003_identities', 0);
INSERT INTO public.seaql_migrations VALUES ('m20261129_000004_password_resets', 0);
INSERT INTO public.seaql_migrations VALUES ('m20261129_000005_mails', 0);
INSERT INTO public.seaql_migrations VALUES ('m20261129_000006_expiry_notices', 0);
INSERT INTO public.seaql_migrations VALUES ('m20261129_000010_one_time_codes', 0);
INSERT INTO public.seaql_migrations VALUES ('m20261129_000011_passkeys', 0);
INSERT INTO public.seaql_migrations VALUES ('m20261129_000015_moderation', 0);
INSERT INTO public.seaql_migrations VALUES ('m20261129_000016_answers', 0);
INSERT INTO public.seaql_migrations VALUES ('m20261129_000017_content_last', 0);
INSERT INTO public.sent_invitations VALUES ('00000000-0000-0000-0000-000000000002', 1800000004000, 1);
INSERT INTO public.sessions VALUES ('\x00000000000000000000000000000001ffffffffffffffffffffffffffffffff', '00000000-0000-0000-0000-000000000001', 1799999999000, 1801000000000, 1799999999000);
INSERT INTO public.settings VALUES ('gazetteer_import:cities.txt', 'line 9', 1800000000000);
INSERT INTO public.sign_up_invitations VALUES ('\x0000000000000061000000000000000000000000000000000000000000000000', 1800000000000, 1800090000000, 'For Fay', '00000000-0000-0000-0000-000000000001');
INSERT INTO public.suspensions VALUES ('00000000-0000-0000-0000-000000000008', 'Spam', 'It was not me.', 1800000003000);
INSERT INTO public.tokens VALUES ('\x0000000000000028000000000000000000000000000000000000000000000000', '00000000-0000-0000-0000-000000000046', 'access', 'itineraries:read', 'https://trips.example/mcp', 1800000000000, 1800003600000, NULL);
INSERT INTO public.tokens VALUES ('\x000000000000002a000000000000000000000000000000000000000000000000', '00000000-0000-0000-0000-000000000046', 'access', 'itineraries:read', 'https://trips.example/mcp', 1800000000000, 1800003700000, NULL);
INSERT INTO public.unverified_addresses VALUES ('00000000-0000-0000-0000-000000000002', 'ben@example.org', NULL, 1800090000000);
INSERT INTO public.views VALUES ('00000000-0000-0000-0000-0000000003ef', '00000000-0000-0000-0000-000000000002', 20000);
INSERT INTO public.views VALUES ('00000000-0000-0000-0000-0000000003ef', '00000000-0000-0000-0000-000000000003', 20000);
INSERT INTO public.warnings VALUES ('00000000-0000-0000-0000-00000000232c', '00000000-0000-0000-0000-000000000008', 'Please stop.', 1800000003000);
INSERT INTO public.webhook_deliveries VALUES ('00000000-0000-0000-0000-000000000060', '00000000-0000-0000-0000-00000000005f', 'webhook.test', NULL, NULL, 1800000032000, 'pending', 0, 1800000032000, NULL, 1800000032000, NULL, NULL, NULL);
INSERT INTO public.webhook_queue VALUES (1, 'epoch', 11);
INSERT INTO public.webhooks VALUES ('00000000-0000-0000-0000-00000000005f', '00000000-0000-0000-0000-000000000001', 'app', 'https://hooks.example/itineraries', 'hooks.example:443', 'itinerary.updated', NULL, 'sealed', NULL, NULL, NULL, 'epoch', 11, NULL, NULL, 1800000032000, NULL, 1800000031000);
SELECT pg_catalog.setval('public.new_changes_id_seq', 13, true);
ALTER TABLE ONLY public.account_counters
    ADD CONSTRAINT account_counters_pkey PRIMARY KEY (account_id);
ALTER TABLE ONLY public.accounts
    ADD CONSTRAINT accounts_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.accounts
    ADD CONSTRAINT accounts_username_folded_key UNIQUE (username_folded);
ALTER TABLE ONLY public.answer_usage
    ADD CONSTRAINT answer_usage_pkey PRIMARY KEY (account_id);
ALTER TABLE ONLY public.audit_log
    ADD CONSTRAINT audit_log_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.blocks
    ADD CONSTRAINT blocks_pkey PRIMARY KEY (account_id, blocked_id);
ALTER TABLE ONLY public.calendars
    ADD CONSTRAINT calendars_hash_key UNIQUE (hash);
ALTER TABLE ONLY public.calendars
    ADD CONSTRAINT calendars_pkey PRIMARY KEY (account_id);
ALTER TABLE ONLY public.change_feed
    ADD CONSTRAINT change_feed_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.changes
    ADD CONSTRAINT changes_pkey PRIMARY KEY ("position");
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
ALTER TABLE ONLY public.former_pictures
    ADD CONSTRAINT former_pictures_pkey PRIMARY KEY (id);
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
ALTER TABLE ONLY public.identities
    ADD CONSTRAINT identities_pkey PRIMARY KEY (issuer, subject);
ALTER TABLE ONLY public.invitations
    ADD CONSTRAINT invitations_pkey PRIMARY KEY (itinerary_id, account_id);
ALTER TABLE ONLY public.itineraries
    ADD CONSTRAINT itineraries_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.itinerary_counters
    ADD CONSTRAINT itinerary_counters_pkey PRIMARY KEY (itinerary_id);
ALTER TABLE ONLY public.jobs
    ADD CONSTRAINT jobs_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.links
    ADD CONSTRAINT links_hash_key UNIQUE (hash);
ALTER TABLE ONLY public.links
    ADD CONSTRAINT links_itinerary_id_label_key UNIQUE (itinerary_id, label);
ALTER TABLE ONLY public.links
    ADD CONSTRAINT links_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.loose_files
    ADD CONSTRAINT loose_files_pkey PRIMARY KEY (document_id);
ALTER TABLE ONLY public.mail_addresses
    ADD CONSTRAINT mail_addresses_folded_key UNIQUE (folded);
ALTER TABLE ONLY public.mail_addresses
    ADD CONSTRAINT mail_addresses_pkey PRIMARY KEY (account_id);
ALTER TABLE ONLY public.mails
    ADD CONSTRAINT mails_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.members
    ADD CONSTRAINT members_pkey PRIMARY KEY (itinerary_id, account_id);
ALTER TABLE ONLY public.new_changes
    ADD CONSTRAINT new_changes_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.one_time_codes
    ADD CONSTRAINT one_time_codes_pkey PRIMARY KEY (account_id);
ALTER TABLE ONLY public.passkeys
    ADD CONSTRAINT passkeys_credential_id_key UNIQUE (credential_id);
ALTER TABLE ONLY public.passkeys
    ADD CONSTRAINT passkeys_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.password_resets
    ADD CONSTRAINT password_resets_hash_key UNIQUE (hash);
ALTER TABLE ONLY public.password_resets
    ADD CONSTRAINT password_resets_pkey PRIMARY KEY (account_id);
ALTER TABLE ONLY public.personal_tokens
    ADD CONSTRAINT personal_tokens_client_id_key UNIQUE (client_id);
ALTER TABLE ONLY public.personal_tokens
    ADD CONSTRAINT personal_tokens_hash_key UNIQUE (hash);
ALTER TABLE ONLY public.personal_tokens
    ADD CONSTRAINT personal_tokens_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.pictures
    ADD CONSTRAINT pictures_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.provider_answers
    ADD CONSTRAINT provider_answers_pkey PRIMARY KEY (key);
ALTER TABLE ONLY public.reactions
    ADD CONSTRAINT reactions_pkey PRIMARY KEY (itinerary_id, account_id);
ALTER TABLE ONLY public.recent_writers
    ADD CONSTRAINT recent_writers_pkey PRIMARY KEY (account_id);
ALTER TABLE ONLY public.recovery_codes
    ADD CONSTRAINT recovery_codes_pkey PRIMARY KEY (account_id, hash);
ALTER TABLE ONLY public.removed_followers
    ADD CONSTRAINT removed_followers_pkey PRIMARY KEY (account_id, follower_id);
ALTER TABLE ONLY public.reports
    ADD CONSTRAINT reports_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.revisions
    ADD CONSTRAINT revisions_pkey PRIMARY KEY (itinerary_id, version);
ALTER TABLE ONLY public.seaql_migrations
    ADD CONSTRAINT seaql_migrations_pkey PRIMARY KEY (version);
ALTER TABLE ONLY public.sent_invitations
    ADD CONSTRAINT sent_invitations_pkey PRIMARY KEY (owner_id, sent_at);
ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (hash);
ALTER TABLE ONLY public.settings
    ADD CONSTRAINT settings_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.sign_up_invitations
    ADD CONSTRAINT sign_up_invitations_pkey PRIMARY KEY (hash);
ALTER TABLE ONLY public.suspensions
    ADD CONSTRAINT suspensions_pkey PRIMARY KEY (account_id);
ALTER TABLE ONLY public.tokens
    ADD CONSTRAINT tokens_pkey PRIMARY KEY (hash);
ALTER TABLE ONLY public.unverified_addresses
    ADD CONSTRAINT unverified_addresses_hash_key UNIQUE (hash);
ALTER TABLE ONLY public.unverified_addresses
    ADD CONSTRAINT unverified_addresses_pkey PRIMARY KEY (account_id);
ALTER TABLE ONLY public.views
    ADD CONSTRAINT views_pkey PRIMARY KEY (itinerary_id, account_id);
ALTER TABLE ONLY public.warnings
    ADD CONSTRAINT warnings_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.webhook_deliveries
    ADD CONSTRAINT webhook_deliveries_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.webhook_queue
    ADD CONSTRAINT webhook_queue_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.webhooks
    ADD CONSTRAINT webhooks_pkey PRIMARY KEY (id);
CREATE INDEX accounts_deleted ON public.accounts USING btree (deleted_at) WHERE (deleted_at IS NOT NULL);
CREATE INDEX audit_log_account ON public.audit_log USING btree (account_id, created_at, id) WHERE (account_id IS NOT NULL);
CREATE INDEX audit_log_actor ON public.audit_log USING btree (actor_id) WHERE (actor_id IS NOT NULL);
CREATE INDEX audit_log_addresses ON public.audit_log USING btree (created_at) WHERE (address IS NOT NULL);
CREATE INDEX audit_log_age ON public.audit_log USING btree (created_at, id);
CREATE INDEX blocks_account ON public.blocks USING btree (account_id, created_at, blocked_id);
CREATE INDEX blocks_blocked ON public.blocks USING btree (blocked_id);
CREATE INDEX changes_account ON public.changes USING btree (account_id, "position") WHERE (kind <> 'updated'::text);
CREATE INDEX changes_itinerary ON public.changes USING btree (itinerary_id, "position") WHERE (kind = 'updated'::text);
CREATE INDEX clients_fetched ON public.clients USING btree (fetched_at) WHERE (fetched_at IS NOT NULL);
CREATE INDEX codes_account ON public.codes USING btree (account_id);
CREATE INDEX codes_client ON public.codes USING btree (client_id);
CREATE INDEX codes_expiry ON public.codes USING btree (expires_at);
CREATE INDEX consent_answers_expiry ON public.consent_answers USING btree (expires_at);
CREATE INDEX departures_account ON public.departures USING btree (account_id);
CREATE INDEX documents_itinerary ON public.documents USING btree (itinerary_id);
CREATE INDEX explore_owner ON public.explore USING btree (owner_id, published_at, itinerary_id);
CREATE INDEX explore_published ON public.explore USING btree (published_at, itinerary_id, owner_id);
CREATE INDEX explore_terms ON public.explore USING gin (terms) WITH (gin_pending_list_limit='64');
CREATE INDEX feed_0 ON public.feed USING btree (region, tier, key_0, itinerary_id);
CREATE INDEX feed_1 ON public.feed USING btree (region, tier, key_1, itinerary_id);
CREATE INDEX feed_2 ON public.feed USING btree (region, tier, key_2, itinerary_id);
CREATE INDEX feed_3 ON public.feed USING btree (region, tier, key_3, itinerary_id);
CREATE INDEX follows_followers ON public.follows USING btree (followed_id, created_at, follower_id);
CREATE INDEX follows_following ON public.follows USING btree (follower_id, created_at, followed_id);
CREATE INDEX former_pictures_age ON public.former_pictures USING btree (replaced_at);
CREATE INDEX former_pictures_itinerary ON public.former_pictures USING btree (itinerary_id);
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
CREATE INDEX idempotency_itinerary ON public.idempotency USING btree (itinerary_id);
CREATE INDEX identities_account ON public.identities USING btree (account_id, linked_at);
CREATE INDEX invitations_account ON public.invitations USING btree (account_id, created_at, itinerary_id);
CREATE INDEX invitations_owner ON public.invitations USING btree (owner_id, account_id);
CREATE INDEX itineraries_cover ON public.itineraries USING btree (cover_id) WHERE (cover_id IS NOT NULL);
CREATE INDEX itineraries_duplicates ON public.itineraries USING btree (owner_id, start_date);
CREATE INDEX itineraries_list ON public.itineraries USING btree (owner_id, updated_at, id);
CREATE INDEX itineraries_origin ON public.itineraries USING btree (owner_id, created_at, id) WHERE (origin IS NOT NULL);
CREATE UNIQUE INDEX itineraries_saved ON public.itineraries USING btree (owner_id, saved_from) WHERE (saved_from IS NOT NULL);
CREATE INDEX itineraries_saved_author ON public.itineraries USING btree (saved_author) WHERE (saved_author IS NOT NULL);
CREATE INDEX loose_files_age ON public.loose_files USING btree (delete_at);
CREATE INDEX mails_account ON public.mails USING btree (account_id);
CREATE INDEX mails_due ON public.mails USING btree (next_at);
CREATE INDEX members_of_owner ON public.members USING btree (account_id, owner_id);
CREATE INDEX passkeys_account ON public.passkeys USING btree (account_id, created_at);
CREATE INDEX password_resets_age ON public.password_resets USING btree (expires_at);
CREATE INDEX personal_tokens_account ON public.personal_tokens USING btree (account_id, created_at);
CREATE INDEX personal_tokens_expiry ON public.personal_tokens USING btree (expires_at);
CREATE INDEX pictures_file ON public.pictures USING btree (file_id);
CREATE INDEX pictures_itinerary ON public.pictures USING btree (itinerary_id);
CREATE INDEX pictures_replaced ON public.pictures USING btree (replaced_at) WHERE (replaced_at IS NOT NULL);
CREATE INDEX provider_answers_age ON public.provider_answers USING btree (fetched_at);
CREATE INDEX reactions_account ON public.reactions USING btree (account_id, kind);
CREATE INDEX removed_followers_follower ON public.removed_followers USING btree (follower_id);
CREATE INDEX reports_account ON public.reports USING btree (account_id);
CREATE UNIQUE INDEX reports_open ON public.reports USING btree (itinerary_id, account_id) WHERE (resolved_at IS NULL);
CREATE INDEX reports_queue ON public.reports USING btree (created_at, id) WHERE (resolved_at IS NULL);
CREATE INDEX reports_reporter ON public.reports USING btree (itinerary_id, account_id);
CREATE INDEX revisions_owner ON public.revisions USING btree (owner_id, updated_at, size);
CREATE INDEX sessions_account ON public.sessions USING btree (account_id);
CREATE INDEX sessions_expiry ON public.sessions USING btree (expires_at);
CREATE INDEX sign_up_invitations_account ON public.sign_up_invitations USING btree (created_by) WHERE (created_by IS NOT NULL);
CREATE INDEX sign_up_invitations_age ON public.sign_up_invitations USING btree (expires_at);
CREATE INDEX tokens_expiry ON public.tokens USING btree (expires_at);
CREATE INDEX tokens_grant ON public.tokens USING btree (grant_id);
CREATE INDEX unverified_addresses_age ON public.unverified_addresses USING btree (expires_at);
CREATE INDEX views_account ON public.views USING btree (account_id);
CREATE INDEX views_day ON public.views USING btree (day);
CREATE INDEX warnings_account ON public.warnings USING btree (account_id, created_at);
CREATE INDEX webhook_deliveries_age ON public.webhook_deliveries USING btree (created_at);
CREATE INDEX webhook_deliveries_log ON public.webhook_deliveries USING btree (webhook_id, created_at, id);
CREATE INDEX webhook_deliveries_next ON public.webhook_deliveries USING btree (webhook_id, next_at) WHERE (next_at IS NOT NULL);
CREATE INDEX webhook_deliveries_sending ON public.webhook_deliveries USING btree (next_at) WHERE (state = 'sending'::text);
CREATE INDEX webhooks_account ON public.webhooks USING btree (account_id, client_id);
CREATE INDEX webhooks_client ON public.webhooks USING btree (client_id);
CREATE INDEX webhooks_due ON public.webhooks USING btree (due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX webhooks_paused ON public.webhooks USING btree (paused_since) WHERE (paused_since IS NOT NULL);
ALTER TABLE ONLY public.account_counters
    ADD CONSTRAINT account_counters_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.answer_usage
    ADD CONSTRAINT answer_usage_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.audit_log
    ADD CONSTRAINT audit_log_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.audit_log
    ADD CONSTRAINT audit_log_actor_id_fkey FOREIGN KEY (actor_id) REFERENCES public.accounts(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.blocks
    ADD CONSTRAINT blocks_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.blocks
    ADD CONSTRAINT blocks_blocked_id_fkey FOREIGN KEY (blocked_id) REFERENCES public.accounts(id) ON DELETE CASCADE;
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
ALTER TABLE ONLY public.former_pictures
    ADD CONSTRAINT former_pictures_itinerary_id_fkey FOREIGN KEY (itinerary_id) REFERENCES public.itineraries(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.grants
    ADD CONSTRAINT grants_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.grants
    ADD CONSTRAINT grants_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.clients(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.hidden
    ADD CONSTRAINT hidden_itinerary_id_fkey FOREIGN KEY (itinerary_id) REFERENCES public.itineraries(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.idempotency
    ADD CONSTRAINT idempotency_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.identities
    ADD CONSTRAINT identities_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.invitations
    ADD CONSTRAINT invitations_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.invitations
    ADD CONSTRAINT invitations_itinerary_id_fkey FOREIGN KEY (itinerary_id) REFERENCES public.itineraries(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.invitations
    ADD CONSTRAINT invitations_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES public.accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.itineraries
    ADD CONSTRAINT itineraries_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES public.accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.itineraries
    ADD CONSTRAINT itineraries_saved_author_fkey FOREIGN KEY (saved_author) REFERENCES public.accounts(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.itinerary_counters
    ADD CONSTRAINT itinerary_counters_itinerary_id_fkey FOREIGN KEY (itinerary_id) REFERENCES public.itineraries(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.links
    ADD CONSTRAINT links_itinerary_id_fkey FOREIGN KEY (itinerary_id) REFERENCES public.itineraries(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.mail_addresses
    ADD CONSTRAINT mail_addresses_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.mails
    ADD CONSTRAINT mails_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.members
    ADD CONSTRAINT members_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.members
    ADD CONSTRAINT members_itinerary_id_fkey FOREIGN KEY (itinerary_id) REFERENCES public.itineraries(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.one_time_codes
    ADD CONSTRAINT one_time_codes_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.passkeys
    ADD CONSTRAINT passkeys_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.password_resets
    ADD CONSTRAINT password_resets_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.personal_tokens
    ADD CONSTRAINT personal_tokens_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.personal_tokens
    ADD CONSTRAINT personal_tokens_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.clients(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.pictures
    ADD CONSTRAINT pictures_itinerary_id_fkey FOREIGN KEY (itinerary_id) REFERENCES public.itineraries(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.reactions
    ADD CONSTRAINT reactions_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.reactions
    ADD CONSTRAINT reactions_itinerary_id_fkey FOREIGN KEY (itinerary_id) REFERENCES public.itineraries(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.recovery_codes
    ADD CONSTRAINT recovery_codes_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.removed_followers
    ADD CONSTRAINT removed_followers_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.removed_followers
    ADD CONSTRAINT removed_followers_follower_id_fkey FOREIGN KEY (follower_id) REFERENCES public.accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.reports
    ADD CONSTRAINT reports_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.reports
    ADD CONSTRAINT reports_itinerary_id_fkey FOREIGN KEY (itinerary_id) REFERENCES public.itineraries(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.revisions
    ADD CONSTRAINT revisions_itinerary_id_fkey FOREIGN KEY (itinerary_id) REFERENCES public.itineraries(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.sent_invitations
    ADD CONSTRAINT sent_invitations_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES public.accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.sign_up_invitations
    ADD CONSTRAINT sign_up_invitations_created_by_fkey FOREIGN KEY (created_by) REFERENCES public.accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.suspensions
    ADD CONSTRAINT suspensions_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.tokens
    ADD CONSTRAINT tokens_grant_id_fkey FOREIGN KEY (grant_id) REFERENCES public.grants(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.unverified_addresses
    ADD CONSTRAINT unverified_addresses_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.views
    ADD CONSTRAINT views_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.views
    ADD CONSTRAINT views_itinerary_id_fkey FOREIGN KEY (itinerary_id) REFERENCES public.itineraries(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.warnings
    ADD CONSTRAINT warnings_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.webhook_deliveries
    ADD CONSTRAINT webhook_deliveries_webhook_id_fkey FOREIGN KEY (webhook_id) REFERENCES public.webhooks(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.webhooks
    ADD CONSTRAINT webhooks_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id);
ALTER TABLE ONLY public.webhooks
    ADD CONSTRAINT webhooks_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.clients(id) ON DELETE CASCADE;
