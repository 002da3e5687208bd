//! The policy table: for each operation who may call it, what it counts as, and what it needs.
//!
//! The front door enforces it, the document's security, headers and errors are generated from it, and so is the access
//! matrix of the tests. The server refuses to start when an operation has no row.

pub use crate::permission::{Scope, Scopes, Section};

use crate::error::ErrorCode;
use crate::values::limits;

/// The kinds that requests are counted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LimitKind {
    /// Reading.
    Read,
    /// Explore, suggestions, optimising.
    Search,
    /// Creating, changing, deleting.
    Write,
    /// Uploading and setting images.
    Image,
    /// Uploading documents.
    Document,
}

impl LimitKind {
    /// How many requests a minute are allowed for each traveller and app.
    pub const fn per_minute(self) -> u32 {
        match self {
            Self::Read => 120,
            Self::Search => 30,
            Self::Write => 60,
            Self::Image => 20,
            Self::Document => 10,
        }
    }
}

/// Which family of addresses an operation belongs to; it decides the shape of errors and the headers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Surface {
    /// The JSON API under `/v1`.
    Api,
    /// The OAuth endpoints that programs call.
    OAuth,
    /// Discovery documents, and the OpenAPI document.
    Discovery,
    /// Pages for people.
    Page,
    /// Files at unguessable addresses. Not in the document.
    File,
    /// Health checks.
    Operations,
}

/// What the front door takes of a request's body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyRule {
    /// The operation has no body; one that is sent is left unread.
    None,
    /// JSON of at most so many bytes.
    Json(usize),
    /// JSON of an itinerary: over the limit it is `itineraryTooLarge`.
    ItineraryJson,
    /// An image, or JSON that says which one to find; may be empty.
    Image,
    /// A multipart form with a file, which the operation reads as a stream.
    Upload,
    /// A form (`application/x-www-form-urlencoded`) of at most so many bytes.
    Form(usize),
}

/// What an operation reads of an itinerary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preload {
    /// The whole itinerary, as far as the caller may see it.
    Whole,
    /// A list that everyone is shown who may see the itinerary.
    Everyone,
    /// A list that members are shown.
    Members,
    /// A list that members with Pro are shown.
    Pro,
    /// The documents, for members.
    Documents,
}

/// One operation's row.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "a table's columns are independent yes-or-no questions")]
pub struct Policy {
    /// The operation's id, which the document and the SDK use too.
    pub operation: &'static str,
    /// Its family.
    pub surface: Surface,
    /// Whether it needs a bearer token.
    pub token: bool,
    /// The scope that the token must carry.
    pub scope: Option<Scope>,
    /// What it counts as.
    pub kind: Option<LimitKind>,
    /// Whether it needs `If-Match`.
    pub if_match: bool,
    /// What it reads of the itinerary in its path. The front door reads it in the statement that looks up the caller, and
    /// the operation answers 304 to a matching `If-None-Match`.
    pub preload: Option<Preload>,
    /// Whether `Idempotency-Key` is honoured.
    pub idempotent: bool,
    /// Whether it answers with an itinerary or a part of one: the answer then names its shape.
    pub shape: bool,
    /// What it takes of a body.
    pub body: BodyRule,
    /// The query parameters that make a retry another request, with their defaults.
    pub meaning: &'static [(&'static str, &'static str)],
    /// The error codes that are its own, besides those that follow from the rest of the row: see [`Policy::errors`].
    pub own_errors: &'static [ErrorCode],
}

/// The operation of the MCP endpoint. Its scope and kind are those of the tool that is called.
pub const MCP: &str = "mcp";

impl Policy {
    /// Whether this is the MCP endpoint's row.
    pub fn is_mcp(&self) -> bool {
        self.operation == MCP
    }

    /// The error codes that the operation can answer with; `named`: its path names something that may not be there.
    pub fn errors(&self, named: bool) -> Vec<ErrorCode> {
        use ErrorCode as E;
        // What is wrong with the body of an MCP request, JSON-RPC errors say.
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
    if_match: false,
    preload: None,
    idempotent: false,
    shape: false,
    body: BodyRule::None,
    meaning: &[],
    own_errors: &[],
};

/// A row of the API: a token is needed, and it is counted.
const fn api(operation: &'static str, scope: Scope, kind: LimitKind) -> Policy {
    Policy { operation, surface: Surface::Api, token: true, scope: Some(scope), kind: Some(kind), ..PUBLIC }
}

/// A row that needs no token.
const fn public(operation: &'static str, surface: Surface, body: BodyRule) -> Policy {
    Policy { operation, surface, body, ..PUBLIC }
}

/// A row that lists one part of an itinerary.
const fn part_list(operation: &'static str, preload: Preload, own_errors: &'static [ErrorCode]) -> Policy {
    let row = api(operation, Scope::ItinerariesRead, LimitKind::Read);
    Policy { preload: Some(preload), shape: true, own_errors, ..row }
}

/// A row that changes one part of an itinerary, and answers with the itinerary.
const fn part_change(operation: &'static str, own_errors: &'static [ErrorCode]) -> Policy {
    Policy {
        if_match: true,
        idempotent: true,
        shape: true,
        body: BodyRule::ItineraryJson,
        own_errors,
        ..api(operation, Scope::ItinerariesWrite, LimitKind::Write)
    }
}

/// A row that adds to one part of an itinerary at a position.
const fn part_insert(operation: &'static str) -> Policy {
    Policy { meaning: &[("position", "")], ..part_change(operation, &[]) }
}

/// A row that takes something out of one part of an itinerary: a repeat finds nothing, so no key is needed.
const fn part_remove(operation: &'static str, own_errors: &'static [ErrorCode]) -> Policy {
    Policy { idempotent: false, body: BodyRule::None, ..part_change(operation, own_errors) }
}

/// What is refused to those without Pro.
const PRO: &[ErrorCode] = &[ErrorCode::SubscriptionRequired];

use BodyRule::{Form, ItineraryJson, Json, None as NoBody};
use LimitKind::{Read, Search, Write};
use Scope::{DocumentsRead, DocumentsWrite, ItinerariesRead, ItinerariesWrite};
use Surface::{Discovery, File, OAuth, Operations, Page};

/// The table.
pub const POLICIES: &[Policy] = &[
    api("itinerary_list", ItinerariesRead, Read),
    Policy {
        idempotent: true,
        shape: true,
        body: ItineraryJson,
        meaning: &[("allowDuplicate", "false"), ("dryRun", "false")],
        own_errors: &[ErrorCode::DuplicateItinerary, ErrorCode::SubscriptionRequired],
        ..api("itinerary_create", ItinerariesWrite, Write)
    },
    Policy { preload: Some(Preload::Whole), shape: true, ..api("itinerary_view", ItinerariesRead, Read) },
    Policy {
        if_match: true,
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
    Policy {
        if_match: true,
        shape: true,
        body: BodyRule::Image,
        own_errors: &[ErrorCode::ImageRejected],
        ..api("itinerary_cover_image_set", ItinerariesWrite, LimitKind::Image)
    },
    part_list("day_list", Preload::Everyone, &[]),
    part_insert("day_add"),
    part_change("day_update", &[]),
    part_remove("day_remove", &[]),
    Policy { kind: Some(Search), ..part_change("day_optimise", &[]) },
    part_insert("stop_add"),
    part_change("stop_update", &[]),
    part_remove("stop_remove", &[]),
    part_change("stop_move", &[]),
    Policy { shape: true, ..api("stop_activity_list", ItinerariesRead, Search) },
    part_list("flight_list", Preload::Members, &[]),
    part_change("flight_add", &[]),
    part_change("flight_update", &[]),
    part_remove("flight_remove", &[]),
    part_list("hotel_list", Preload::Members, &[]),
    part_change("hotel_add", &[]),
    part_change("hotel_update", &[]),
    part_remove("hotel_remove", &[]),
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
    api("marks_view", ItinerariesRead, Read),
    api("like_set", ItinerariesWrite, Write),
    api("like_clear", ItinerariesWrite, Write),
    api("dislike_set", ItinerariesWrite, Write),
    api("dislike_clear", ItinerariesWrite, Write),
    Policy { idempotent: true, shape: true, ..api("itinerary_save", ItinerariesWrite, Write) },
    Policy {
        idempotent: true,
        body: Json(limits::JSON_BODY),
        own_errors: &[ErrorCode::Conflict],
        ..api("report_create", ItinerariesWrite, Write)
    },
    // A token is needed, and no scope.
    Policy { scope: None, ..api("explore_list", ItinerariesRead, Search) },
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
    Policy {
        body: Json(limits::JSON_BODY),
        own_errors: &[ErrorCode::Forbidden, ErrorCode::RateLimited],
        token: true,
        ..public(MCP, Surface::Api, NoBody)
    },
    public("oauth_register", OAuth, Json(limits::OAUTH_BODY)),
    public("oauth_authorise", Page, NoBody),
    public("oauth_decision", Page, Form(limits::OAUTH_BODY)),
    public("oauth_token", OAuth, Form(limits::OAUTH_BODY)),
    public("oauth_revoke", OAuth, Form(limits::OAUTH_BODY)),
    public("discovery_authorisation_server", Discovery, NoBody),
    public("discovery_protected_resource", Discovery, NoBody),
    public("discovery_protected_resource_mcp", Discovery, NoBody),
    public("openapi_document", Discovery, NoBody),
    public("health_live", Operations, NoBody),
    public("health_ready", Operations, NoBody),
    public("image_view", File, NoBody),
    public("image_small_view", File, NoBody),
    public("document_file_view", File, NoBody),
    public("page_home", Page, NoBody),
    public("page_style", Page, NoBody),
    public("page_icon", Page, NoBody),
    public("page_sign_up", Page, NoBody),
    public("page_sign_up_submit", Page, Form(limits::OAUTH_BODY)),
    public("page_sign_in", Page, NoBody),
    public("page_sign_in_submit", Page, Form(limits::OAUTH_BODY)),
    public("page_sign_out", Page, NoBody),
    public("page_sign_out_submit", Page, Form(limits::OAUTH_BODY)),
    public("page_account", Page, NoBody),
    public("page_apps", Page, NoBody),
    public("page_apps_submit", Page, Form(limits::OAUTH_BODY)),
    public("page_password", Page, NoBody),
    public("page_password_submit", Page, Form(limits::OAUTH_BODY)),
    public("page_data", Page, NoBody),
    public("page_data_submit", Page, Form(limits::OAUTH_BODY)),
    public("page_delete", Page, NoBody),
    public("page_delete_submit", Page, Form(limits::OAUTH_BODY)),
];

/// The operation's row.
pub fn policy(operation: &str) -> Option<&'static Policy> {
    POLICIES.iter().find(|policy| policy.operation == operation)
}
