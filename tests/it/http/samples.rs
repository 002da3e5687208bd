//! One valid request for each operation, for the access matrix and the tests of headers and methods.

use itinerary_api::policy::{LimitKind, POLICIES, Policy, policy};
use reqwest::Method;

use crate::support::World;
use crate::support::raw::Call;

/// The body of a sample.
pub(crate) enum Body {
    Nothing,
    Json(&'static str),
    Form(&'static str),
    /// A multipart form with the boundary `b`.
    Upload(&'static str),
}

/// A request to an operation.
pub(crate) struct Sample {
    pub(crate) operation: &'static str,
    pub(crate) method: &'static str,
    /// `{id}` stands for an itinerary's id, `{dayId}` and others for ids in a [`whole`] itinerary.
    pub(crate) path: &'static str,
    /// The query.
    query: &'static str,
    body: Body,
    /// The status of success. For pages, that without a session.
    pub(crate) status: u16,
}

impl Sample {
    pub(crate) fn policy(&self) -> &'static Policy {
        policy(self.operation).expect("a test says so when an operation has no row")
    }

    /// The rate limit that it counts against. At the MCP endpoint the sample lists tools, which counts as a read.
    pub(crate) fn kind(&self) -> LimitKind {
        self.policy().kind.unwrap_or(LimitKind::Read)
    }

    pub(crate) fn method(&self) -> Method {
        Method::from_bytes(self.method.as_bytes()).expect("a method")
    }

    /// The path for an itinerary, without the query.
    pub(crate) fn path_to(&self, itinerary: &str) -> String {
        let parts = PARTS.iter().fold(self.path.to_owned(), |path, (name, id)| path.replace(name, id));
        // The document of a whole itinerary has the itinerary's id.
        parts.replace("{id}", itinerary).replace("{documentId}", itinerary)
    }

    /// The call, for an itinerary of this id.
    pub(crate) fn call(&self, world: &World, itinerary: &str) -> Call {
        let call = world.call(self.method(), &format!("{}{}", self.path_to(itinerary), self.query));
        let call = if self.policy().if_match { call.header("If-Match", "*") } else { call };
        match self.body {
            Body::Nothing => call,
            Body::Json(text) => call.body("application/json", text),
            Body::Form(text) => call.body("application/x-www-form-urlencoded", text),
            Body::Upload(text) => call.body("multipart/form-data; boundary=b", text),
        }
    }
}

/// The account in the samples, which `create_whole` makes a member and a follower.
pub(crate) const COMPANION: &str = "0190b5a0-0000-7000-8000-00000000c0de";

/// The ids in the samples.
const PARTS: [(&str, &str); 9] = [
    ("{accountId}", COMPANION),
    ("{dayId}", "day-1"),
    ("{stopId}", "stop-1"),
    ("{flightId}", "flight-1"),
    ("{hotelId}", "hotel-1"),
    ("{expenseId}", "expense-1"),
    ("{packingId}", "packing-1"),
    ("{kind}", "hotel"),
    ("{itemId}", "hotel-1"),
];

/// An itinerary with every part that the samples name. It needs Pro.
pub(crate) fn whole() -> serde_json::Value {
    super::lisbon_with(&serde_json::json!({
        "days": [
            {
                "id": "day-1",
                "stops": [
                    // Refreshing places finds its country and time zone.
                    { "id": "stop-1", "name": "Castle", "place": { "coordinate": { "latitude": 38.71, "longitude": -9.13 } } },
                    { "id": "stop-2", "name": "Market" },
                ],
                "legs": [{ "from": "stop-1", "to": "stop-2", "mode": "walk" }],
            },
            { "id": "day-2" },
        ],
        "flights": [{ "id": "flight-1", "flightNumber": "TP1363" }],
        "hotels": [{ "id": "hotel-1", "name": "Lisboa" }],
        "expenses": [{ "id": "expense-1", "name": "Tickets", "cost": { "amount": 12.5 } }],
        "packing": [{ "id": "packing-1", "name": "Hat" }],
    }))
}

/// The samples of operations that need a token.
pub(crate) fn guarded() -> impl Iterator<Item = &'static Sample> {
    SAMPLES.iter().filter(|sample| sample.policy().token)
}

/// The samples of operations that need none.
pub(crate) fn public() -> impl Iterator<Item = &'static Sample> {
    SAMPLES.iter().filter(|sample| !sample.policy().token)
}

const LISBON: Body =
    Body::Json(r#"{"destination": {"name": "Lisbon", "coordinate": {"latitude": 38.7, "longitude": -9.1}}}"#);

/// An upload of an empty file with the structure of an age file.
pub(crate) const SEALED: &str = "--b\r\ncontent-disposition: form-data; name=\"file\"; filename=\"pass.age\"\r\n\r\nage-encryption.org/v1\n\
     -> X25519 AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n\
     --- AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n0123456789abcdef0123456789abcdef\r\n--b--\r\n";

const fn row(operation: &'static str, method: &'static str, path: &'static str, status: u16) -> Sample {
    Sample { operation, method, path, query: "", body: Body::Nothing, status }
}

const fn get(operation: &'static str, path: &'static str, status: u16) -> Sample {
    row(operation, "GET", path, status)
}

const fn post(operation: &'static str, path: &'static str, json: &'static str) -> Sample {
    Sample { body: Body::Json(json), ..row(operation, "POST", path, 200) }
}

const fn patch(operation: &'static str, path: &'static str, json: &'static str) -> Sample {
    Sample { body: Body::Json(json), ..row(operation, "PATCH", path, 200) }
}

const fn put(operation: &'static str, path: &'static str, body: Body, status: u16) -> Sample {
    Sample { body, ..row(operation, "PUT", path, status) }
}

const fn delete(operation: &'static str, path: &'static str) -> Sample {
    row(operation, "DELETE", path, 200)
}

const fn form(operation: &'static str, path: &'static str, form: &'static str, status: u16) -> Sample {
    Sample { body: Body::Form(form), ..row(operation, "POST", path, status) }
}

/// One for each row of the policy table.
pub(crate) static SAMPLES: &[Sample] = &[
    get("itinerary_list", "/v1/itineraries", 200),
    Sample { query: "?allowDuplicate=true", body: LISBON, ..row("itinerary_create", "POST", "/v1/itineraries", 201) },
    get("itinerary_view", "/v1/itineraries/{id}", 200),
    patch("itinerary_update", "/v1/itineraries/{id}", r#"{"title": "Changed"}"#),
    row("itinerary_places_refresh", "POST", "/v1/itineraries/{id}/places/refresh", 200),
    put("itinerary_cover_image_set", "/v1/itineraries/{id}/cover-image", Body::Nothing, 200),
    get("day_list", "/v1/itineraries/{id}/days", 200),
    post("day_add", "/v1/itineraries/{id}/days", r#"{"id": "day-3"}"#),
    patch("day_update", "/v1/itineraries/{id}/days/{dayId}", r#"{"image": {"url": "https://images.example/1"}}"#),
    post("stop_add", "/v1/itineraries/{id}/days/{dayId}/stops", r#"{"name": "Bakery"}"#),
    patch("stop_update", "/v1/itineraries/{id}/days/{dayId}/stops/{stopId}", r#"{"durationMinutes": 45}"#),
    post("stop_move", "/v1/itineraries/{id}/days/{dayId}/stops/{stopId}/move", r#"{"position": 1}"#),
    get("stop_activity_list", "/v1/itineraries/{id}/days/{dayId}/stops/{stopId}/activities", 200),
    post("day_optimise", "/v1/itineraries/{id}/days/{dayId}/optimise", r#"{"mode": "walk"}"#),
    delete("stop_remove", "/v1/itineraries/{id}/days/{dayId}/stops/{stopId}"),
    delete("day_remove", "/v1/itineraries/{id}/days/{dayId}"),
    get("flight_list", "/v1/itineraries/{id}/flights", 200),
    post("flight_add", "/v1/itineraries/{id}/flights", r#"{"flightNumber": "TP1364"}"#),
    patch("flight_update", "/v1/itineraries/{id}/flights/{flightId}", r#"{"seatNumber": "14A"}"#),
    delete("flight_remove", "/v1/itineraries/{id}/flights/{flightId}"),
    get("hotel_list", "/v1/itineraries/{id}/hotels", 200),
    post("hotel_add", "/v1/itineraries/{id}/hotels", r#"{"name": "Pensão"}"#),
    patch("hotel_update", "/v1/itineraries/{id}/hotels/{hotelId}", r#"{"roomNumber": "12"}"#),
    delete("hotel_remove", "/v1/itineraries/{id}/hotels/{hotelId}"),
    get("expense_list", "/v1/itineraries/{id}/expenses", 200),
    post("expense_add", "/v1/itineraries/{id}/expenses", r#"{"name": "Lunch", "cost": {"amount": 9.9}}"#),
    patch("expense_update", "/v1/itineraries/{id}/expenses/{expenseId}", r#"{"cost": {"amount": 10}}"#),
    delete("expense_remove", "/v1/itineraries/{id}/expenses/{expenseId}"),
    get("packing_list", "/v1/itineraries/{id}/packing", 200),
    post("packing_add", "/v1/itineraries/{id}/packing", r#"{"name": "Boots"}"#),
    patch("packing_update", "/v1/itineraries/{id}/packing/{packingId}", r#"{"isPacked": true}"#),
    delete("packing_remove", "/v1/itineraries/{id}/packing/{packingId}"),
    get("document_list", "/v1/itineraries/{id}/documents", 200),
    Sample { body: Body::Upload(SEALED), ..row("document_upload", "POST", "/v1/itineraries/{id}/documents", 201) },
    patch("document_update", "/v1/itineraries/{id}/documents/{documentId}", r#"{"name": "Visa"}"#),
    row("document_delete", "DELETE", "/v1/itineraries/{id}/documents/{documentId}", 204),
    get("document_link", "/v1/itineraries/{id}/documents/{documentId}/link", 200),
    get("wallet_pass_list", "/v1/itineraries/{id}/wallet-passes", 200),
    // 503 because the server has no certificate.
    get("wallet_pass_view", "/v1/itineraries/{id}/wallet-passes/{kind}/{itemId}", 503),
    row("itinerary_delete", "DELETE", "/v1/itineraries/{id}", 204),
    get("member_list", "/v1/itineraries/{id}/members", 200),
    put("member_set", "/v1/itineraries/{id}/members/{accountId}", Body::Json(r#"{"role": "editor"}"#), 200),
    row("member_remove", "DELETE", "/v1/itineraries/{id}/members/{accountId}", 204),
    get("marks_view", "/v1/itineraries/{id}/marks", 200),
    put("like_set", "/v1/itineraries/{id}/like", Body::Nothing, 200),
    delete("like_clear", "/v1/itineraries/{id}/like"),
    put("dislike_set", "/v1/itineraries/{id}/dislike", Body::Nothing, 200),
    delete("dislike_clear", "/v1/itineraries/{id}/dislike"),
    row("itinerary_save", "POST", "/v1/itineraries/{id}/saves", 201),
    Sample { status: 201, ..post("report_create", "/v1/itineraries/{id}/reports", r#"{"reason": "spam"}"#) },
    get("explore_list", "/v1/explore", 200),
    get("account_self", "/v1/account", 200),
    patch("account_self_update", "/v1/account", r#"{"displayName": "Ana"}"#),
    Sample { query: "?username=companion", ..get("account_find", "/v1/accounts", 200) },
    get("account_view", "/v1/accounts/{accountId}", 200),
    get("account_itinerary_list", "/v1/accounts/{accountId}/itineraries", 200),
    put("follow_set", "/v1/accounts/{accountId}/follow", Body::Nothing, 204),
    row("follow_clear", "DELETE", "/v1/accounts/{accountId}/follow", 204),
    get("follower_list", "/v1/accounts/{accountId}/followers", 200),
    get("following_list", "/v1/accounts/{accountId}/following", 200),
    row("follower_remove", "DELETE", "/v1/account/followers/{accountId}", 204),
    post("mcp", "/mcp", r#"{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}"#),
    Sample {
        body: Body::Json(r#"{"redirect_uris": ["https://app.example/back"]}"#),
        ..row("oauth_register", "POST", "/oauth/register", 201)
    },
    get("oauth_authorise", "/oauth/authorise", 400),
    form("oauth_decision", "/oauth/authorise/decision", "decision=approve", 403),
    form("oauth_token", "/oauth/token", "grant_type=refresh_token&client_id=nobody&refresh_token=x", 401),
    form("oauth_revoke", "/oauth/revoke", "client_id=nobody&token=x", 401),
    get("discovery_authorisation_server", "/.well-known/oauth-authorization-server", 200),
    get("discovery_protected_resource", "/.well-known/oauth-protected-resource", 200),
    get("discovery_protected_resource_mcp", "/.well-known/oauth-protected-resource/mcp", 200),
    get("openapi_document", "/openapi.json", 200),
    get("health_live", "/healthz", 200),
    get("health_ready", "/readyz", 200),
    get("document_file_view", "/documents/AAAA.AAAA", 404),
    get("image_view", "/images/0190b5a0-0000-4000-8000-00000000c0de", 404),
    get("image_small_view", "/images/0190b5a0-0000-4000-8000-00000000c0de/small", 404),
    get("page_home", "/", 200),
    get("page_style", "/style.css", 200),
    get("page_icon", "/icon.svg", 200),
    get("page_sign_up", "/sign-up", 200),
    form("page_sign_up_submit", "/sign-up", "username=ana", 403),
    get("page_sign_in", "/sign-in", 200),
    form("page_sign_in_submit", "/sign-in", "username=ana", 403),
    get("page_sign_out", "/sign-out", 303),
    form("page_sign_out_submit", "/sign-out", "", 303),
    get("page_account", "/account", 303),
    get("page_apps", "/account/apps", 303),
    form("page_apps_submit", "/account/apps", "", 303),
    get("page_password", "/account/password", 303),
    form("page_password_submit", "/account/password", "", 303),
    get("page_data", "/account/data", 303),
    form("page_data_submit", "/account/data", "", 303),
    get("page_delete", "/account/delete", 303),
    form("page_delete_submit", "/account/delete", "", 303),
];

#[test]
fn every_policy_row_has_one_sample_and_every_sample_a_row() {
    let rows: Vec<&str> = POLICIES.iter().map(|row| row.operation).collect();
    let samples: Vec<&str> = SAMPLES.iter().map(|sample| sample.operation).collect();
    for row in &rows {
        assert_eq!(samples.iter().filter(|sample| *sample == row).count(), 1, "the samples of {row}");
    }
    for sample in &samples {
        assert!(rows.contains(sample), "{sample} is no operation");
    }
}

#[test]
fn every_operation_of_the_published_document_has_a_sample_at_its_address() {
    let document: serde_json::Value =
        serde_json::from_str(include_str!("../../../openapi/itinerary.json")).expect("a document");
    let mut published = 0;
    for (path, operations) in document["paths"].as_object().expect("paths") {
        for (method, operation) in operations.as_object().expect("operations") {
            let id = operation["operationId"].as_str().expect("an id");
            let sample = SAMPLES.iter().find(|sample| sample.operation == id);
            let sample = sample.unwrap_or_else(|| panic!("{id} has no sample"));
            assert_eq!((sample.path, sample.method), (path.as_str(), &*method.to_uppercase()), "{id}");
            published += 1;
        }
    }
    let guarded = guarded().count();
    assert!(published > guarded, "{published} operations are published, {guarded} need a token");
}
