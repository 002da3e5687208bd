//! The policy table: the scope, the rate limit, the headers and the body of each operation.
//!
//! The request pipeline enforces it. The document's security, headers and errors, and the access matrix of the tests,
//! are generated from it. The server refuses to start if an operation has no row.

pub use crate::permission::{Scope, Scopes, Section};

use crate::deprecation::Deprecation;
use crate::error::ErrorCode;
use crate::values::limits;

/// The kind of a request, which determines its rate limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LimitKind {
    /// Reading and listing: 120 a minute.
    Read,
    /// Explore, activity suggestions and optimising a day: 30 a minute.
    Search,
    /// Creating, changing and deleting: 60 a minute.
    Write,
    /// Uploading and setting images: 20 a minute.
    Image,
    /// Uploading documents: 10 a minute.
    Document,
    /// Testing a webhook, and redelivering an event: 10 a minute.
    Delivery,
}

impl LimitKind {
    /// All kinds.
    pub const ALL: [Self; 6] = [Self::Read, Self::Search, Self::Write, Self::Image, Self::Document, Self::Delivery];

    /// Requests a minute for each traveller and app.
    pub const fn per_minute(self) -> u32 {
        match self {
            Self::Read => 120,
            Self::Search => 30,
            Self::Write => 60,
            Self::Image => 20,
            Self::Document | Self::Delivery => 10,
        }
    }

    /// The limit with its window, a minute.
    pub const fn rate_limit(self) -> RateLimit {
        RateLimit { requests: self.per_minute(), seconds: 60 }
    }
}

/// A rate limit: at most so many requests in a window of so many seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateLimit {
    /// The maximum number of requests in a window.
    pub requests: u32,
    /// The length of a window in seconds, which begins with its first request.
    pub seconds: u32,
}

/// Client registrations from one address.
pub const REGISTRATIONS: RateLimit = RateLimit { requests: 10, seconds: 3600 };
/// Failed client authentications of one client from one address.
pub const FAILED_AUTHENTICATIONS: RateLimit = RateLimit { requests: 30, seconds: 60 };
/// Fetches of client metadata documents for one address.
pub const CLIENT_DOCUMENTS: RateLimit = RateLimit { requests: 60, seconds: 3600 };

/// A group of operations with the same error shape and headers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Surface {
    /// The JSON API under `/v1`.
    Api,
    /// The OAuth endpoints for programs.
    OAuth,
    /// Metadata documents and the OpenAPI document.
    Discovery,
    /// Web pages for travellers.
    Page,
    /// Images, documents and calendars at unguessable addresses. Not in the OpenAPI document.
    File,
    /// Health checks for operators.
    Operations,
}

/// Which body an operation accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyRule {
    /// No body; one that is sent is not read.
    None,
    /// JSON of at most so many bytes; a larger body is `payloadTooLarge`.
    Json(usize),
    /// JSON of an itinerary or a part of one; a larger body is `itineraryTooLarge`.
    ItineraryJson,
    /// An image, JSON with a search query, or nothing.
    Image,
    /// A multipart form with a file, which the operation reads as a stream.
    Upload,
    /// Files of any media type: one as the body, or several in a multipart form. The operation reads them.
    Files,
    /// A form (`application/x-www-form-urlencoded`) of at most so many bytes.
    Form(usize),
}

/// The part of an itinerary that an operation reads, by who may see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preload {
    /// All sections that the caller may see.
    Whole,
    /// A list for everyone who can see the itinerary.
    Everyone,
    /// A list for the owner and members.
    Members,
    /// A list for the owner and members, with the Pro subscription.
    Pro,
    /// The documents, for the owner and members.
    Documents,
}

/// The policy of one operation.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "a table's columns are independent yes-or-no questions")]
pub struct Policy {
    /// The operation id in the document and the SDK.
    pub operation: &'static str,
    /// The group of operations that it belongs to.
    pub surface: Surface,
    /// Whether a bearer token is required.
    pub token: bool,
    /// The scope that the token must have; `None` if any token will do.
    pub scope: Option<Scope>,
    /// The kind for the rate limit; `None` if the request pipeline does not rate-limit the operation.
    pub kind: Option<LimitKind>,
    /// The limit that an operation without a kind has by address, and that its responses name.
    pub own_limit: Option<RateLimit>,
    /// Whether `If-Match` is required.
    pub if_match: bool,
    /// Whether `Prefer: merge` is supported: a change of an older version is merged into the current one.
    pub merge: bool,
    /// The part of the itinerary in its path that it reads. The request pipeline reads it in the statement that looks
    /// up the caller; a matching `If-None-Match` gets 304.
    pub preload: Option<Preload>,
    /// Whether `Idempotency-Key` is supported.
    pub idempotent: bool,
    /// Whether the response is about an itinerary and has `Service-Itinerary-Shape`.
    pub shape: bool,
    /// Whether a response about an itinerary has no `ETag`: it is not a version that a write can name.
    pub untagged: bool,
    /// Which body the operation accepts.
    pub body: BodyRule,
    /// Query parameters that belong to the fingerprint of an idempotent request, with their defaults.
    pub meaning: &'static [(&'static str, &'static str)],
    /// Its deprecation. Responses say it in their headers, and the document marks the operation.
    pub deprecation: Option<Deprecation>,
    /// Error codes besides those that follow from the other columns; see [`Policy::errors`].
    pub own_errors: &'static [ErrorCode],
}

/// The operation id of the MCP endpoint. Its scope and kind are those of the tool that is called.
pub const MCP: &str = "mcp";

impl Policy {
    /// The row of an operation; `None` for an unknown id.
    pub fn of(operation: &str) -> Option<&'static Self> {
        POLICIES.iter().find(|row| row.operation == operation)
    }

    /// Whether this is the MCP endpoint, whose scope and kind depend on the tool.
    pub fn is_mcp(&self) -> bool {
        self.operation == MCP
    }

    /// The limit that responses name in `RateLimit-Limit` and `RateLimit-Policy`; `None` without these headers. The MCP
    /// endpoint names that of reads unless a tool is called.
    pub fn rate_limit(&self) -> Option<RateLimit> {
        if self.surface == Surface::Api {
            return Some(self.kind.unwrap_or(LimitKind::Read).rate_limit());
        }
        self.own_limit
    }

    /// Every error code that the operation can respond with. `named`: its path has parameters, so that `notFound` is
    /// possible.
    pub fn errors(&self, named: bool) -> Vec<ErrorCode> {
        use ErrorCode as E;
        // An invalid body of an MCP request is a JSON-RPC error.
        let api = self.surface == Surface::Api && !self.is_mcp();
        let has_body = self.body != BodyRule::None;
        let too_large = if self.body == BodyRule::ItineraryJson { E::ItineraryTooLarge } else { E::PayloadTooLarge };
        let rules: [(bool, &[E]); 9] = [
            (self.token, &[E::Unauthenticated, E::FeatureUnavailable]),
            (self.scope.is_some(), &[E::Forbidden]),
            (self.kind.is_some(), &[E::RateLimited]),
            (has_body, &[E::RequestTimeout, too_large, E::UnsupportedMediaType]),
            (api, &[E::ValidationFailed]),
            (named, &[E::NotFound]),
            (self.if_match, &[E::PreconditionRequired, E::ItineraryModified]),
            (self.idempotent, &[E::IdempotencyKeyReused]),
            (true, &[E::InternalError, E::UpstreamFailed]),
        ];
        let follow = rules.into_iter().filter(|(applies, _)| *applies).flat_map(|(_, codes)| codes);
        let mut codes: Vec<_> = follow.chain(self.own_errors).copied().collect();
        codes.sort_by_key(|code| (code.status(), code.as_str()));
        codes.dedup();
        codes
    }
}

const PUBLIC: Policy = Policy {
    operation: "",
    surface: Surface::Discovery,
    token: false,
    scope: None,
    kind: None,
    own_limit: None,
    if_match: false,
    merge: false,
    preload: None,
    idempotent: false,
    shape: false,
    untagged: false,
    body: BodyRule::None,
    meaning: &[],
    deprecation: None,
    own_errors: &[],
};

/// A rate-limited operation of the API with a token.
const fn api(operation: &'static str, scope: Scope, kind: LimitKind) -> Policy {
    Policy { operation, surface: Surface::Api, token: true, scope: Some(scope), kind: Some(kind), ..PUBLIC }
}

/// An operation without a token.
const fn public(operation: &'static str, surface: Surface, body: BodyRule) -> Policy {
    Policy { operation, surface, body, ..PUBLIC }
}

/// An operation under `/oauth`, which counts by address.
const fn oauth(operation: &'static str, surface: Surface, body: BodyRule, limit: RateLimit) -> Policy {
    Policy { own_limit: Some(limit), ..public(operation, surface, body) }
}

/// Lists one part of an itinerary.
const fn part_list(operation: &'static str, preload: Preload, own_errors: &'static [ErrorCode]) -> Policy {
    let row = api(operation, Scope::ItinerariesRead, LimitKind::Read);
    Policy { preload: Some(preload), shape: true, own_errors, ..row }
}

/// Changes one part of an itinerary; the response is the itinerary.
const fn part_change(operation: &'static str, own_errors: &'static [ErrorCode]) -> Policy {
    Policy {
        if_match: true,
        merge: true,
        idempotent: true,
        shape: true,
        body: BodyRule::ItineraryJson,
        own_errors,
        ..api(operation, Scope::ItinerariesWrite, LimitKind::Write)
    }
}

/// Adds to one part of an itinerary at a position.
const fn part_insert(operation: &'static str) -> Policy {
    Policy { meaning: &[("position", "")], ..part_change(operation, &[]) }
}

/// Removes from one part of an itinerary. Repeating it is `notFound`, so it needs no idempotency key.
const fn part_remove(operation: &'static str, own_errors: &'static [ErrorCode]) -> Policy {
    Policy { idempotent: false, body: BodyRule::None, ..part_change(operation, own_errors) }
}

const PRO: &[ErrorCode] = &[ErrorCode::SubscriptionRequired];

use BodyRule::{Form, ItineraryJson, Json, None as NoBody};
use LimitKind::{Read, Search, Write};
use Scope::{DocumentsRead, DocumentsWrite, ItinerariesRead, ItinerariesWrite};
use Surface::{Discovery, File, OAuth, Operations, Page};

/// One row for each operation.
pub const POLICIES: &[Policy] = &[
    api("itinerary_list", ItinerariesRead, Read),
    Policy {
        idempotent: true,
        shape: true,
        body: ItineraryJson,
        meaning: &[("allowDuplicate", "false"), ("dryRun", "false")],
        own_errors: &[ErrorCode::Conflict, ErrorCode::DuplicateItinerary, ErrorCode::SubscriptionRequired],
        ..api("itinerary_create", ItinerariesWrite, Write)
    },
    Policy { preload: Some(Preload::Whole), shape: true, ..api("itinerary_view", ItinerariesRead, Read) },
    Policy { preload: Some(Preload::Whole), shape: true, ..api("itinerary_export", ItinerariesRead, Read) },
    Policy {
        if_match: true,
        merge: true,
        idempotent: true,
        shape: true,
        body: ItineraryJson,
        own_errors: &[ErrorCode::SubscriptionRequired],
        ..api("itinerary_update", ItinerariesWrite, Write)
    },
    Policy { if_match: true, ..api("itinerary_delete", ItinerariesWrite, Write) },
    Policy {
        if_match: true,
        idempotent: true,
        shape: true,
        own_errors: &[ErrorCode::ItineraryTooLarge],
        ..api("itinerary_places_refresh", ItinerariesWrite, Write)
    },
    Policy { merge: false, ..part_change("itinerary_shift", &[]) },
    Policy {
        if_match: true,
        shape: true,
        body: BodyRule::Image,
        own_errors: &[ErrorCode::ImageRejected, ErrorCode::ItineraryTooLarge],
        ..api("itinerary_cover_image_set", ItinerariesWrite, LimitKind::Image)
    },
    Policy {
        body: BodyRule::Files,
        own_errors: &[ErrorCode::NotFound],
        ..api("import_read", ItinerariesWrite, LimitKind::Document)
    },
    api("revision_list", ItinerariesRead, Read),
    Policy { shape: true, untagged: true, ..api("revision_view", ItinerariesRead, Read) },
    Policy {
        if_match: true,
        idempotent: true,
        shape: true,
        own_errors: &[ErrorCode::ItineraryTooLarge],
        ..api("revision_restore", ItinerariesWrite, Write)
    },
    part_list("day_list", Preload::Everyone, &[]),
    part_insert("day_add"),
    part_change("day_update", &[]),
    part_remove("day_remove", &[]),
    Policy { kind: Some(Search), merge: false, ..part_change("day_optimise", &[]) },
    part_change("day_move", &[]),
    part_insert("stop_add"),
    part_change("stop_update", &[]),
    part_remove("stop_remove", &[]),
    part_change("stop_move", &[]),
    Policy { shape: true, untagged: true, ..api("stop_activity_list", ItinerariesRead, Search) },
    part_list("flight_list", Preload::Members, &[]),
    part_change("flight_add", &[]),
    part_change("flight_update", &[]),
    part_remove("flight_remove", &[]),
    part_list("hotel_list", Preload::Members, &[]),
    part_change("hotel_add", &[]),
    part_change("hotel_update", &[]),
    part_remove("hotel_remove", &[]),
    part_list("transport_list", Preload::Members, &[]),
    part_change("transport_add", &[]),
    part_change("transport_update", &[]),
    part_remove("transport_remove", &[]),
    part_list("reservation_list", Preload::Members, &[]),
    part_change("reservation_add", &[]),
    part_change("reservation_update", &[]),
    part_remove("reservation_remove", &[]),
    part_list("expense_list", Preload::Pro, PRO),
    part_change("expense_add", PRO),
    part_change("expense_update", PRO),
    part_remove("expense_remove", PRO),
    part_list("packing_list", Preload::Pro, PRO),
    part_change("packing_add", PRO),
    part_change("packing_update", PRO),
    part_remove("packing_remove", PRO),
    Policy { preload: Some(Preload::Documents), shape: true, ..api("document_list", DocumentsRead, Read) },
    Policy {
        idempotent: true,
        shape: true,
        body: BodyRule::Upload,
        own_errors: &[
            ErrorCode::Conflict,
            ErrorCode::DocumentNotSealed,
            ErrorCode::ItineraryTooLarge,
            ErrorCode::SubscriptionRequired,
        ],
        ..api("document_upload", DocumentsWrite, LimitKind::Document)
    },
    Policy {
        if_match: true,
        idempotent: true,
        shape: true,
        body: Json(limits::JSON_BODY),
        own_errors: &[ErrorCode::ItineraryTooLarge],
        ..api("document_update", DocumentsWrite, Write)
    },
    Policy { if_match: true, shape: true, ..api("document_delete", DocumentsWrite, Write) },
    api("document_link", DocumentsRead, Read),
    Policy { shape: true, ..api("wallet_pass_list", ItinerariesRead, Read) },
    Policy { own_errors: &[ErrorCode::Conflict], ..api("wallet_pass_view", ItinerariesRead, Read) },
    api("member_list", ItinerariesRead, Read),
    Policy {
        body: Json(limits::JSON_BODY),
        own_errors: &[ErrorCode::Conflict],
        ..api("member_set", ItinerariesWrite, Write)
    },
    api("member_remove", ItinerariesWrite, Write),
    api("link_list", ItinerariesRead, Read),
    // The stored response does not contain the address.
    Policy {
        idempotent: true,
        body: Json(limits::JSON_BODY),
        own_errors: &[ErrorCode::Conflict],
        ..api("link_create", ItinerariesWrite, Write)
    },
    api("link_delete", ItinerariesWrite, Write),
    api("invitation_list", ItinerariesRead, Read),
    api("invitation_accept", ItinerariesWrite, Write),
    api("invitation_decline", ItinerariesWrite, Write),
    api("marks_view", ItinerariesRead, Read),
    api("like_set", ItinerariesWrite, Write),
    api("like_clear", ItinerariesWrite, Write),
    api("dislike_set", ItinerariesWrite, Write),
    api("dislike_clear", ItinerariesWrite, Write),
    Policy {
        idempotent: true,
        shape: true,
        own_errors: &[ErrorCode::Conflict],
        ..api("itinerary_save", ItinerariesWrite, Write)
    },
    Policy {
        idempotent: true,
        body: Json(limits::JSON_BODY),
        own_errors: &[ErrorCode::Conflict],
        ..api("report_create", ItinerariesWrite, Write)
    },
    // Needs a token and no scope.
    Policy { scope: None, ..api("explore_list", ItinerariesRead, Search) },
    Policy { own_errors: &[ErrorCode::CursorExpired], ..api("change_list", ItinerariesRead, Read) },
    api("webhook_list", ItinerariesRead, Read),
    // A stored response would contain the secret, so that neither takes an idempotency key.
    Policy {
        body: Json(limits::JSON_BODY),
        own_errors: &[ErrorCode::Conflict],
        ..api("webhook_create", ItinerariesRead, Write)
    },
    api("webhook_view", ItinerariesRead, Read),
    Policy { body: Json(limits::JSON_BODY), ..api("webhook_update", ItinerariesRead, Write) },
    api("webhook_rotate_secret", ItinerariesRead, Write),
    Policy { own_errors: &[ErrorCode::Conflict], ..api("webhook_test", ItinerariesRead, LimitKind::Delivery) },
    api("webhook_delivery_list", ItinerariesRead, Read),
    Policy { own_errors: &[ErrorCode::Conflict], ..api("webhook_redeliver", ItinerariesRead, LimitKind::Delivery) },
    api("webhook_delete", ItinerariesRead, Write),
    api("account_self", ItinerariesRead, Read),
    Policy {
        body: Json(limits::JSON_BODY),
        own_errors: &[ErrorCode::Conflict],
        ..api("account_self_update", ItinerariesWrite, Write)
    },
    Policy { own_errors: &[ErrorCode::NotFound], ..api("account_find", ItinerariesRead, Read) },
    api("account_view", ItinerariesRead, Read),
    api("account_itinerary_list", ItinerariesRead, Read),
    Policy { own_errors: &[ErrorCode::Conflict], ..api("follow_set", ItinerariesWrite, Write) },
    api("follow_clear", ItinerariesWrite, Write),
    api("follower_remove", ItinerariesWrite, Write),
    api("follower_list", ItinerariesRead, Read),
    api("following_list", ItinerariesRead, Read),
    api("block_list", ItinerariesRead, Read),
    Policy { own_errors: &[ErrorCode::Conflict], ..api("block_set", ItinerariesWrite, Write) },
    api("block_clear", ItinerariesWrite, Write),
    Policy {
        body: Json(limits::JSON_BODY),
        own_errors: &[ErrorCode::Forbidden, ErrorCode::RateLimited],
        token: true,
        ..public(MCP, Surface::Api, NoBody)
    },
    oauth("oauth_register", OAuth, Json(limits::OAUTH_BODY), REGISTRATIONS),
    oauth("oauth_authorise", Page, NoBody, CLIENT_DOCUMENTS),
    oauth("oauth_decision", Page, Form(limits::OAUTH_BODY), CLIENT_DOCUMENTS),
    oauth("oauth_token", OAuth, Form(limits::OAUTH_BODY), FAILED_AUTHENTICATIONS),
    oauth("oauth_revoke", OAuth, Form(limits::OAUTH_BODY), FAILED_AUTHENTICATIONS),
    public("discovery_authorisation_server", Discovery, NoBody),
    public("discovery_protected_resource", Discovery, NoBody),
    public("discovery_protected_resource_mcp", Discovery, NoBody),
    public("openapi_document", Discovery, NoBody),
    public("health_live", Operations, NoBody),
    public("health_ready", Operations, NoBody),
    public("image_view", File, NoBody),
    public("image_small_view", File, NoBody),
    public("document_file_view", File, NoBody),
    public("calendar_view", File, NoBody),
    public("page_home", Page, NoBody),
    public("page_style", Page, NoBody),
    public("page_script", Page, NoBody),
    public("page_passkeys_script", Page, NoBody),
    public("page_icon", Page, NoBody),
    public("page_logo", Page, NoBody),
    public("page_favicon", Page, NoBody),
    public("page_robots", Page, NoBody),
    public("page_trips", Page, NoBody),
    public("page_trip", Page, NoBody),
    public("page_trip_like", Page, Form(limits::OAUTH_BODY)),
    public("page_trip_save", Page, Form(limits::OAUTH_BODY)),
    public("page_trip_history", Page, NoBody),
    public("page_trip_restore", Page, Form(limits::OAUTH_BODY)),
    public("page_trip_ics", Page, NoBody),
    public("page_trip_gpx", Page, NoBody),
    public("page_link", Page, NoBody),
    public("page_link_ics", Page, NoBody),
    public("page_link_gpx", Page, NoBody),
    public("page_trip_style", Page, NoBody),
    public("trip_picture_view", File, NoBody),
    public("page_docs", Page, NoBody),
    public("page_llms", Page, NoBody),
    public("page_llms_full", Page, NoBody),
    public("page_sign_up", Page, NoBody),
    public("page_sign_up_submit", Page, Form(limits::OAUTH_BODY)),
    public("page_sign_in", Page, NoBody),
    public("page_sign_in_submit", Page, Form(limits::OAUTH_BODY)),
    public("page_provider_sign_in", Page, Form(limits::OAUTH_BODY)),
    public("page_provider_callback", Page, NoBody),
    public("page_provider_account", Page, Form(limits::OAUTH_BODY)),
    public("page_sign_in_methods", Page, NoBody),
    public("page_sign_in_methods_submit", Page, Form(limits::OAUTH_BODY)),
    public("page_passkeys", Page, NoBody),
    public("page_passkeys_submit", Page, Form(limits::OAUTH_BODY)),
    public("page_one_time_codes", Page, NoBody),
    public("page_one_time_codes_submit", Page, Form(limits::OAUTH_BODY)),
    public("page_confirm", Page, NoBody),
    public("page_confirm_submit", Page, Form(limits::OAUTH_BODY)),
    public("page_sign_out", Page, NoBody),
    public("page_sign_out_submit", Page, Form(limits::OAUTH_BODY)),
    public("page_account", Page, NoBody),
    public("page_apps", Page, NoBody),
    public("page_apps_submit", Page, Form(limits::OAUTH_BODY)),
    public("page_calendar", Page, NoBody),
    public("page_calendar_submit", Page, Form(limits::OAUTH_BODY)),
    public("page_reset_password", Page, NoBody),
    public("page_reset_password_submit", Page, Form(limits::OAUTH_BODY)),
    public("page_forgot_password", Page, NoBody),
    public("page_forgot_password_submit", Page, Form(limits::OAUTH_BODY)),
    public("page_email", Page, NoBody),
    public("page_email_submit", Page, Form(limits::OAUTH_BODY)),
    public("page_verify_email", Page, NoBody),
    public("page_verify_email_submit", Page, Form(limits::OAUTH_BODY)),
    public("page_account_submit", Page, Form(limits::OAUTH_BODY)),
    public("page_security_log", Page, NoBody),
    public("page_appeal", Page, Form(limits::OAUTH_BODY)),
    public("page_moderation", Page, NoBody),
    public("page_moderation_submit", Page, Form(limits::OAUTH_BODY)),
    public("page_moderation_itinerary", Page, NoBody),
    public("page_moderation_itinerary_submit", Page, Form(limits::OAUTH_BODY)),
    public("page_moderation_invitations", Page, NoBody),
    public("page_moderation_invitations_submit", Page, Form(limits::OAUTH_BODY)),
    public("page_tokens", Page, NoBody),
    public("page_tokens_submit", Page, Form(limits::OAUTH_BODY)),
    public("page_invitations", Page, NoBody),
    public("page_invitations_submit", Page, Form(limits::OAUTH_BODY)),
    public("page_blocks", Page, NoBody),
    public("page_blocks_submit", Page, Form(limits::OAUTH_BODY)),
    public("page_password", Page, NoBody),
    public("page_password_submit", Page, Form(limits::OAUTH_BODY)),
    public("page_data", Page, NoBody),
    public("page_data_submit", Page, Form(limits::OAUTH_BODY)),
    public("page_delete", Page, NoBody),
    public("page_delete_submit", Page, Form(limits::OAUTH_BODY)),
];
