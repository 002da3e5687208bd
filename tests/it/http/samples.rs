//! One valid request for each operation, for the access matrix and the tests of headers and methods.

use itinerary_tests::sealed_files::SEALED;
use std::collections::HashMap;
use std::sync::LazyLock;

use itinerary_api::itinerary_api_mod::stub_api_description;
use itinerary_api::policy::{LimitKind, POLICIES, Policy};
use itinerary_tests::World;
use itinerary_tests::raw::Call;
use reqwest::Method;

/// The body of a sample.
#[derive(Clone, Copy)]
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
    /// Its method, from the router.
    pub(crate) method: String,
    /// Its path, from the router. `{id}` is the id of an itinerary; `{dayId}` and similar ones are ids in a [`whole`]
    /// itinerary.
    pub(crate) path: String,
    /// The query of the request.
    query: &'static str,
    /// The body, which is also the published example of a request.
    pub(crate) body: Body,
    /// The status of a request that is not rejected; for pages, that of a browser without a session.
    pub(crate) status: u16,
}

impl Sample {
    pub(crate) fn policy(&self) -> &'static Policy {
        Policy::of(self.operation).expect("a test says so when an operation has no row")
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
        // The document of a whole itinerary has the itinerary's id.
        self.path_to_document(itinerary, itinerary)
    }

    /// The path to an itinerary, or to this document of it, without the query.
    pub(crate) fn path_to_document(&self, itinerary: &str, document: &str) -> String {
        let parts = PARTS.iter().fold(self.path.clone(), |path, (name, id)| path.replace(name, id));
        parts.replace("{id}", itinerary).replace("{documentId}", document)
    }

    /// The call, for an itinerary of this id.
    pub(crate) fn call(&self, world: &World, itinerary: &str) -> Call {
        self.call_to(world, &format!("{}{}", self.path_to(itinerary), self.query))
    }

    /// The call of this path and query.
    pub(crate) fn call_to(&self, world: &World, path_and_query: &str) -> Call {
        let call = world.call(self.method(), path_and_query);
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

/// The webhook and the delivery in the samples, which `create_whole` makes.
pub(crate) const WEBHOOK: &str = "01a2ff78-3e00-7c1e-a5d4-6f20b9e83c17";
pub(crate) const DELIVERY: &str = "01a2ff78-3e00-7d9a-8b46-e1c75a30f2d8";

/// The secret link in the samples, which `create_whole` makes.
pub(crate) const LINK: &str = "01a2ff78-3e00-7e52-9c1b-a4d07f6e3b98";

/// The parts that samples are about, and the account.
const PARTS: [(&str, &str); 20] = [
    ("{accountId}", COMPANION),
    ("{webhookId}", WEBHOOK),
    ("{deliveryId}", DELIVERY),
    ("{linkId}", LINK),
    ("{dayId}", "day-1"),
    ("{stopId}", "stop-1"),
    ("{flightId}", "flight-1"),
    ("{hotelId}", "hotel-1"),
    ("{transportId}", "transport-1"),
    ("{reservationId}", "reservation-1"),
    ("{expenseId}", "expense-1"),
    ("{packingId}", "packing-1"),
    ("{kind}", "hotel"),
    ("{itemId}", "hotel-1"),
    ("{version}", "1"),
    // Of no document.
    ("{signed}", "AAAA.AAAA"),
    // Of no link.
    ("{secret}", "itn_link_AAAA"),
    // Of no calendar.
    ("{file}", "AAAA.ics"),
    // Of no provider.
    ("{provider}", "nowhere"),
    // dropshot lists the wildcard `{path:.*}` like this.
    ("{path}", "itinerary_list"),
];

/// An itinerary with every part that the samples name. It needs Pro.
pub(crate) fn whole() -> serde_json::Value {
    super::lisbon_with(&serde_json::from_str(include_str!("samples/whole.json")).expect("JSON"))
}

/// The samples of operations that need a token.
pub(crate) fn guarded() -> impl Iterator<Item = &'static Sample> {
    SAMPLES.iter().filter(|sample| sample.policy().token)
}

/// The samples of operations that need none.
pub(crate) fn public() -> impl Iterator<Item = &'static Sample> {
    SAMPLES.iter().filter(|sample| !sample.policy().token)
}

/// The data of a sample that neither the router nor the policy table has.
struct Row {
    operation: &'static str,
    query: &'static str,
    body: Body,
    status: u16,
}

const fn row(operation: &'static str, status: u16) -> Row {
    Row { operation, query: "", body: Body::Nothing, status }
}

const fn json(operation: &'static str, json: &'static str, status: u16) -> Row {
    Row { body: Body::Json(json), ..row(operation, status) }
}

const fn form(operation: &'static str, form: &'static str, status: u16) -> Row {
    Row { body: Body::Form(form), ..row(operation, status) }
}

impl Row {
    const fn with_query(self, query: &'static str) -> Self {
        Self { query, ..self }
    }
}

/// One for each row of the policy table, with method and path from the router.
pub(crate) static SAMPLES: LazyLock<Vec<Sample>> = LazyLock::new(|| {
    let router = stub_api_description().expect("an API").into_router();
    let routes = router.endpoints(None).map(|(path, method, endpoint)| (endpoint.operation_id.clone(), (method, path)));
    let mut routes: HashMap<String, (String, String)> = routes.collect();
    let sample = |row: &Row| {
        let Row { operation, query, body, status } = *row;
        let (method, path) = routes.remove(operation).unwrap_or_else(|| panic!("{operation} is no operation"));
        Sample { operation, method, path, query, body, status }
    };
    ROWS.iter().map(sample).collect()
});

/// A form with the confirmation of a table.
const BOOKING: &str = concat!(
    "--b\r\ncontent-disposition: form-data; name=\"file\"; filename=\"table.json\"\r\n",
    "content-type: application/ld+json\r\n\r\n",
    r#"{"@context": "http://schema.org", "@type": "FoodEstablishmentReservation", "reservationNumber": "R7K2", "#,
    r#""partySize": 2, "startTime": "2027-05-15T19:30:00+01:00", "reservationFor": {"@type": "FoodEstablishment", "#,
    r#""name": "Zé da Mouraria", "address": {"addressLocality": "Lisbon", "addressCountry": "PT"}}}"#,
    "\r\n--b--\r\n"
);

const EXPENSE: &str =
    r#"{"name": "Dinner", "cost": {"amount": 48.5, "currency": "EUR"}, "category": "food", "date": "2027-05-15"}"#;

/// In the order of the policy table.
static ROWS: &[Row] = &[
    row("itinerary_list", 200),
    json("itinerary_create", include_str!("samples/itinerary_create.json"), 201).with_query("?allowDuplicate=true"),
    row("itinerary_view", 200),
    row("itinerary_export", 200).with_query("?format=ics"),
    json(
        "itinerary_update",
        r#"{"title": "Spring in Lisbon", "summary": null, "destination": {"countryCode": "PT"}}"#,
        200,
    ),
    row("itinerary_places_refresh", 200),
    json("itinerary_shift", r#"{"startDate": "2027-06-12"}"#, 200),
    json("itinerary_cover_image_set", r#"{"query": "Lisbon tram"}"#, 200),
    Row { body: Body::Upload(BOOKING), ..row("import_read", 200) },
    row("revision_list", 200),
    row("revision_view", 200),
    row("revision_restore", 200),
    row("day_list", 200),
    json("day_add", include_str!("samples/day_add.json"), 200),
    json(
        "day_update",
        r#"{"image": {"url": "https://images.example/alfama.jpg", "source": "Rita Vaz, CC BY 4.0"}}"#,
        200,
    ),
    json("day_move", r#"{"position": 1}"#, 200),
    json("stop_add", include_str!("samples/stop_add.json"), 200),
    json("stop_update", r#"{"startTime": "09:30", "durationMinutes": 45}"#, 200),
    json("stop_move", r#"{"dayId": "day-2", "position": 0}"#, 200),
    row("stop_activity_list", 200),
    json("day_optimise", r#"{"mode": "walk", "startAt": "09:30"}"#, 200),
    row("stop_remove", 200),
    row("day_remove", 200),
    row("flight_list", 200),
    json("flight_add", include_str!("samples/flight_add.json"), 200),
    json("flight_update", r#"{"seatNumber": "14A"}"#, 200),
    row("flight_remove", 200),
    row("hotel_list", 200),
    json("hotel_add", include_str!("samples/hotel_add.json"), 200),
    json("hotel_update", r#"{"roomNumber": "12", "phoneNumber": null}"#, 200),
    row("hotel_remove", 200),
    row("transport_list", 200),
    json("transport_add", include_str!("samples/transport_add.json"), 200),
    json("transport_update", r#"{"departurePlatform": "5", "travelClass": null}"#, 200),
    row("transport_remove", 200),
    row("reservation_list", 200),
    json("reservation_add", include_str!("samples/reservation_add.json"), 200),
    json("reservation_update", r#"{"partySize": 3, "notes": null}"#, 200),
    row("reservation_remove", 200),
    row("expense_list", 200),
    json("expense_add", EXPENSE, 200),
    json("expense_update", r#"{"cost": {"amount": 14.2}}"#, 200),
    row("expense_remove", 200),
    row("packing_list", 200),
    json("packing_add", r#"{"name": "Walking shoes", "category": "footwear", "quantity": 2}"#, 200),
    json("packing_update", r#"{"isPacked": true}"#, 200),
    row("packing_remove", 200),
    row("document_list", 200),
    Row { body: Body::Upload(SEALED), ..row("document_upload", 201) },
    json("document_update", r#"{"name": "Boarding pass to Lisbon", "belongsTo": null}"#, 200),
    row("document_delete", 204),
    row("document_link", 200),
    row("wallet_pass_list", 200),
    // The server has no certificate.
    row("wallet_pass_view", 503),
    row("itinerary_delete", 204),
    row("member_list", 200),
    json("member_set", r#"{"role": "editor"}"#, 200),
    row("member_remove", 204),
    row("link_list", 200),
    json(
        "link_create",
        r#"{"label": "Grandparents", "expiresAt": "2031-06-01T00:00:00Z", "sections": "bookings"}"#,
        201,
    ),
    row("link_delete", 204),
    row("invitation_list", 200),
    // The owner is not invited.
    row("invitation_accept", 404),
    row("invitation_decline", 404),
    row("marks_view", 200),
    row("like_set", 200),
    row("like_clear", 200),
    row("dislike_set", 200),
    row("dislike_clear", 200),
    row("itinerary_save", 201),
    json("report_create", r#"{"reason": "spam", "note": "Every stop is the same shop."}"#, 201),
    row("explore_list", 200),
    row("change_list", 200),
    row("webhook_list", 200),
    json(
        "webhook_create",
        r#"{"url": "https://hooks.example/itineraries", "types": ["itinerary.updated", "itinerary.deleted"], "description": "Calendar"}"#,
        201,
    ),
    row("webhook_view", 200),
    json("webhook_update", r#"{"types": ["itinerary.updated"], "description": null}"#, 200),
    row("webhook_rotate_secret", 200),
    row("webhook_test", 202),
    row("webhook_delivery_list", 200),
    row("webhook_redeliver", 202),
    row("webhook_delete", 204),
    row("account_self", 200),
    json(
        "account_self_update",
        r#"{"displayName": "Inês Duarte", "homePlace": {"name": "Porto", "countryCode": "PT"}}"#,
        200,
    ),
    row("account_find", 200).with_query("?username=tomas"),
    row("account_view", 200),
    row("account_itinerary_list", 200),
    row("follow_set", 204),
    row("follow_clear", 204),
    row("follower_list", 200),
    row("following_list", 200),
    row("follower_remove", 204),
    row("block_list", 200),
    row("block_set", 204),
    row("block_clear", 204),
    json("mcp", include_str!("samples/mcp.json"), 200),
    json("oauth_register", include_str!("samples/oauth_register.json"), 201),
    row("oauth_authorise", 400),
    form("oauth_decision", "decision=approve", 403),
    form("oauth_token", "grant_type=refresh_token&client_id=nobody&refresh_token=x", 401),
    form("oauth_revoke", "client_id=nobody&token=x", 401),
    row("discovery_authorisation_server", 200),
    row("discovery_protected_resource", 200),
    row("discovery_protected_resource_mcp", 200),
    row("openapi_document", 200),
    row("health_live", 200),
    row("health_ready", 200),
    row("document_file_view", 404),
    row("calendar_view", 404),
    row("image_view", 404),
    row("image_small_view", 404),
    row("page_home", 200),
    row("page_style", 200),
    row("page_script", 200),
    row("page_passkeys_script", 200),
    row("page_icon", 200),
    row("page_logo", 200),
    row("page_favicon", 301),
    row("page_robots", 200),
    row("page_trips", 303),
    // Of an itinerary that is not public.
    row("page_trip", 303),
    form("page_trip_like", "do=set", 303),
    form("page_trip_save", "", 303),
    row("page_trip_history", 303),
    form("page_trip_restore", "version=1", 303),
    row("page_trip_ics", 404),
    row("page_trip_gpx", 404),
    row("page_link", 404),
    row("page_link_ics", 404),
    row("page_link_gpx", 404),
    row("page_trip_style", 200),
    row("trip_picture_view", 404),
    row("page_docs", 200),
    row("page_llms", 200),
    row("page_llms_full", 200),
    row("page_sign_up", 200),
    form("page_sign_up_submit", "username=ana", 403),
    row("page_sign_in", 200),
    form("page_sign_in_submit", "username=ana", 403),
    form("page_provider_sign_in", "", 404),
    row("page_provider_callback", 404),
    form("page_provider_account", "", 404),
    row("page_sign_in_methods", 303),
    form("page_sign_in_methods_submit", "", 303),
    row("page_passkeys", 303),
    form("page_passkeys_submit", "", 303),
    row("page_one_time_codes", 303),
    form("page_one_time_codes_submit", "", 303),
    row("page_confirm", 303),
    form("page_confirm_submit", "", 303),
    row("page_sign_out", 303),
    form("page_sign_out_submit", "", 303),
    row("page_account", 303),
    row("page_apps", 303),
    form("page_apps_submit", "", 303),
    row("page_calendar", 303),
    form("page_calendar_submit", "", 303),
    row("page_reset_password", 200),
    form("page_reset_password_submit", "", 403),
    form("page_account_submit", "", 303),
    row("page_security_log", 303),
    form("page_appeal", "", 303),
    row("page_moderation", 303),
    form("page_moderation_submit", "", 303),
    row("page_moderation_itinerary", 303),
    form("page_moderation_itinerary_submit", "", 303),
    row("page_moderation_invitations", 303),
    form("page_moderation_invitations_submit", "", 303),
    row("page_forgot_password", 200),
    form("page_forgot_password_submit", "", 403),
    row("page_email", 303),
    form("page_email_submit", "", 303),
    row("page_verify_email", 303),
    form("page_verify_email_submit", "", 303),
    row("page_tokens", 303),
    form("page_tokens_submit", "", 303),
    row("page_invitations", 303),
    form("page_invitations_submit", "", 303),
    row("page_blocks", 303),
    form("page_blocks_submit", "", 303),
    row("page_password", 303),
    form("page_password_submit", "", 303),
    row("page_data", 303),
    form("page_data_submit", "", 303),
    row("page_delete", 303),
    form("page_delete_submit", "", 303),
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
            assert_eq!((&sample.path, &sample.method), (path, &method.to_uppercase()), "{id}");
            published += 1;
        }
    }
    let guarded = guarded().count();
    assert!(published > guarded, "{published} operations are published, {guarded} need a token");
}
