//! Every error code, reached by a request, with its exact status, details and headers.
//!
//! The faults behind `internalError` and `upstreamFailed` are real: corrupt rows, a missing table.

use itinerary_api::error::ErrorCode;
use itinerary_tests::{Database, RawResponse, World, api_test};
use reqwest::Method;
use serde_json::{Value, json};

use super::{NOTHING, create, lisbon, lisbon_with, pause};
use itinerary_tests::sealed_files::SEALED;
use itinerary_tests::wire::{Wire, json_head};

/// The expected error.
pub(super) struct Told {
    status: u16,
    details: Value,
    headers: Vec<(&'static str, String)>,
}

fn told(status: u16, details: Value, headers: &[(&'static str, &str)]) -> Told {
    let headers = headers.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
    Told { status, details, headers }
}

/// Headers that only some errors have and that would mislead on others.
const TELLING: [&str; 6] = ["www-authenticate", "retry-after", "etag", "allow", "location", "connection"];

struct Scene<'a> {
    world: &'a World,
    token: String,
    at: String,
    id: Value,
    etag: String,
}

impl<'a> Scene<'a> {
    async fn new(world: &'a World) -> Self {
        world.account("ana").await;
        let token = world.token("ana", "itineraries:read itineraries:write").await;
        let made = create(world, &token).await;
        let (at, etag) = (made.header("location").to_owned(), made.header("etag").to_owned());
        Self { world, token, at, id: made.json()["id"].clone(), etag }
    }

    fn call(&self, method: Method, path: &str) -> itinerary_tests::raw::Call {
        self.world.call(method, path).token(&self.token)
    }

    fn create(&self) -> itinerary_tests::raw::Call {
        self.call(Method::POST, "/v1/itineraries")
    }

    fn update(&self) -> itinerary_tests::raw::Call {
        self.call(Method::PATCH, &self.at)
    }

    /// Causes the error. Exhaustive, so that a new code needs a test.
    async fn reach(&self, code: ErrorCode) -> (RawResponse, Told) {
        let title = json!({ "title": "Changed" });
        match code {
            ErrorCode::Unauthenticated => {
                let response = self.world.call(Method::GET, "/v1/account").send().await;
                (response, told(401, Value::Null, &[("www-authenticate", "Bearer")]))
            }
            ErrorCode::Forbidden => (self.forbidden().await, told(403, Value::Null, &[])),
            ErrorCode::SubscriptionRequired => {
                let response = self.create().json(&lisbon_with(&json!({ "expenses": [] }))).send().await;
                (response, told(403, json!({ "section": "expenses" }), &[]))
            }
            ErrorCode::NotFound => {
                let response = self.call(Method::GET, &format!("/v1/itineraries/{NOTHING}")).send().await;
                (response, told(404, Value::Null, &[]))
            }
            ErrorCode::MethodNotAllowed => {
                let response = self.call(Method::PUT, "/v1/itineraries").send().await;
                (response, told(405, Value::Null, &[("allow", "GET, POST, HEAD, OPTIONS")]))
            }
            ErrorCode::RequestTimeout => (self.stall().await, told(408, Value::Null, &[("connection", "close")])),
            ErrorCode::ItineraryModified => {
                let response = self.update().header("If-Match", "\"v7.m\"").json(&title).send().await;
                (response, told(409, Value::Null, &[("etag", &self.etag)]))
            }
            ErrorCode::DuplicateItinerary => {
                let response = self.create().json(&lisbon()).send().await;
                (response, told(409, json!({ "itineraryId": self.id }), &[]))
            }
            ErrorCode::ItineraryTooLarge => {
                let hotel = json!({ "name": "H".repeat(200), "phoneNumber": "1".repeat(200) });
                let body = lisbon_with(&json!({ "startDate": "2028-01-01", "hotels": vec![hotel; 700] }));
                (self.create().json(&body).send().await, told(413, Value::Null, &[]))
            }
            ErrorCode::PayloadTooLarge => {
                let form = "username=".to_owned() + &"a".repeat(70_000);
                let form_type = "application/x-www-form-urlencoded";
                let response = self.world.call(Method::POST, "/sign-in").body(form_type, form).send().await;
                (response, told(413, Value::Null, &[("connection", "close")]))
            }
            ErrorCode::UnsupportedMediaType => {
                (self.create().body("text/plain", "{}").send().await, told(415, Value::Null, &[]))
            }
            ErrorCode::ValidationFailed => {
                let body = lisbon_with(&json!({ "days": [{}, { "stops": [{ "name": "Castle", "note": "high" }] }] }));
                let response = self.create().json(&body).send().await;
                (response, told(422, json!({ "field": "days[1].stops[0].note" }), &[]))
            }
            ErrorCode::IdempotencyKeyReused => (self.reuse_key().await, told(422, Value::Null, &[])),
            ErrorCode::PreconditionRequired => (self.update().json(&title).send().await, told(428, Value::Null, &[])),
            ErrorCode::RateLimited => {
                let token = self.world.token("ana", "itineraries:write").await;
                let call = || self.world.call(Method::POST, "/v1/itineraries").token(&token).body("text/plain", "");
                let mut response = call().send().await;
                while response.status == 415 {
                    response = call().send().await;
                }
                self.world.clock.advance(chrono::TimeDelta::seconds(60));
                (response, told(429, Value::Null, &[("retry-after", "60")]))
            }
            ErrorCode::InternalError => (self.damage().await, told(500, Value::Null, &[])),
            ErrorCode::UpstreamFailed => (self.take_away().await, told(502, Value::Null, &[("retry-after", "1")])),
            ErrorCode::FeatureUnavailable => {
                pause(self.world, Some(17)).await;
                let response = self.call(Method::GET, "/v1/account").send().await;
                pause(self.world, None).await;
                (response, told(503, Value::Null, &[("retry-after", "17")]))
            }
            ErrorCode::Conflict => {
                let report =
                    || self.call(Method::POST, &format!("{}/reports", self.at)).json(&json!({ "reason": "spam" }));
                assert_eq!(report().send().await.status, 201);
                (report().send().await, told(409, Value::Null, &[]))
            }
            ErrorCode::CursorExpired => {
                let begun = self.call(Method::GET, "/v1/changes").send().await.json();
                self.world.sql("UPDATE change_feed SET epoch = 'restored'").await;
                let path = format!("/v1/changes?cursor={}", begun["nextCursor"].as_str().expect("a cursor"));
                (self.call(Method::GET, &path).send().await, told(410, Value::Null, &[]))
            }
            ErrorCode::ImageRejected => {
                let call = self.call(Method::PUT, &format!("{}/cover-image", self.at)).header("If-Match", "*");
                (call.body("image/png", "no image").send().await, told(422, Value::Null, &[]))
            }
            ErrorCode::DocumentNotSealed => {
                let plain = SEALED.replace("age-encryption.org", "plain");
                (self.upload("cleo", plain).await, told(422, Value::Null, &[]))
            }
            ErrorCode::RangeNotSatisfiable => {
                let url =
                    self.upload("dora", SEALED.to_owned()).await.json()["url"].as_str().expect("a link").to_owned();
                let path = url.strip_prefix(&self.world.base_url).expect("a link to this server");
                let call = self.world.call(Method::GET, path).header("Range", "bytes=1000-");
                (call.send().await, told(416, Value::Null, &[]))
            }
        }
    }

    /// A stranger changes an itinerary that they may read. No scope would help, so no challenge names one (V-04).
    async fn forbidden(&self) -> RawResponse {
        let shown = self.update().header("If-Match", "*").json(&json!({ "visibility": "unlisted" })).send().await;
        assert_eq!(shown.status, 200);
        self.world.account("ben").await;
        let ben = self.world.token("ben", "itineraries:read itineraries:write").await;
        let change = self.world.call(Method::PATCH, &self.at).token(&ben).header("If-Match", "*");
        let response = change.json(&json!({ "title": "Mine" })).send().await;
        let hidden = self.update().header("If-Match", "*").json(&json!({ "visibility": "private" })).send().await;
        assert_eq!(hidden.status, 200);
        response
    }

    /// Uploads a form as a traveller with Pro.
    async fn upload(&self, name: &str, form: String) -> RawResponse {
        self.world.pro_account(name).await;
        let token = self.world.token(name, "itineraries:write documents:write").await;
        let made = create(self.world, &token).await;
        let call = self.world.call(Method::POST, &format!("{}/documents", made.header("location"))).token(&token);
        call.body("multipart/form-data; boundary=b", form).send().await
    }

    async fn stall(&self) -> RawResponse {
        let mut wire = Wire::to(self.world).await;
        wire.send(json_head("POST", "/v1/itineraries", &self.token, "Content-Length: 100") + "{").await;
        wire.response().await
    }

    async fn reuse_key(&self) -> RawResponse {
        let call = |title: &str| {
            let body = lisbon_with(&json!({ "title": title, "startDate": "2029-01-01" }));
            self.create().header("Idempotency-Key", "01890000-0000-7000-8000-00000000000b").json(&body)
        };
        assert_eq!(call("One").send().await.status, 201);
        call("Other").send().await
    }

    /// Changes an itinerary whose stored text was truncated.
    async fn damage(&self) -> RawResponse {
        let made = self.create().json(&lisbon_with(&json!({ "startDate": "2030-01-01" }))).send().await;
        self.world.sql("UPDATE itineraries SET everyone = '{\"title\": \"Tri' WHERE start_date = '2030-01-01'").await;
        let update = self.call(Method::PATCH, made.header("location")).header("If-Match", "*");
        update.json(&json!({ "title": "Changed" })).send().await
    }

    /// Reads while the table is missing; the next read succeeds.
    async fn take_away(&self) -> RawResponse {
        self.world.sql("ALTER TABLE itineraries RENAME TO taken").await;
        let response = self.call(Method::GET, &self.at).send().await;
        self.world.sql("ALTER TABLE taken RENAME TO itineraries").await;
        assert_eq!(self.call(Method::GET, &self.at).send().await.status, 200);
        response
    }
}

/// A server that does not wait long for a body.
pub(super) async fn start(database: Database) -> Option<World> {
    World::start_with(database, |config| config.body_stall = std::time::Duration::from_millis(300)).await
}

/// Reaches every error code; gives the responses, and what must be told in each.
pub(super) async fn reach_all(world: &World) -> Vec<(ErrorCode, RawResponse, Told)> {
    let mut scene = Scene::new(world).await;
    let mut reached = Vec::new();
    for code in ErrorCode::ALL {
        // `forbidden` and its like change the itinerary's version.
        let now = scene.call(Method::GET, &scene.at).send().await;
        now.header("etag").clone_into(&mut scene.etag);
        let (response, told) = scene.reach(*code).await;
        reached.push((*code, response, told));
    }
    reached
}

#[api_test]
async fn every_error_code_is_reached(database: Database) {
    let Some(world) = start(database).await else { return };
    for (code, response, told) in reach_all(&world).await {
        let details = response.expect_error(told.status, code.as_str());
        assert_eq!(details, told.details, "{code:?}");
        for name in TELLING {
            let expected = told.headers.iter().find(|(told, _)| *told == name).map_or("", |(_, value)| value);
            assert_eq!(response.header(name), expected, "{name} of {code:?}");
        }
        assert!(response.headers.get_all("retry-after").iter().count() <= 1);
        expect_nothing_internal(&response);
    }
}

/// Checks that an error reveals no internals.
#[track_caller]
fn expect_nothing_internal(response: &RawResponse) {
    let text = response.text().to_lowercase();
    for word in ["sql", "select", "table", "column", "panic", "serde", "rust", ".rs", "database", "dropshot"] {
        assert!(!text.contains(word), "{word} in {text}");
    }
    let error = response.json();
    let fields: Vec<&String> = error["error"].as_object().expect("an error").keys().collect();
    assert!(fields.iter().all(|field| ["code", "message", "details", "requestId"].contains(&field.as_str())));
    assert_eq!(error.as_object().map(serde_json::Map::len), Some(1), "{error}");
}

// A corrupt row is an internal error of every operation on it, and affects nothing else.
#[api_test]
async fn a_damaged_row_is_an_internal_error_and_stays_alone(world: World) {
    let scene = Scene::new(&world).await;
    let whole = scene.create().json(&lisbon_with(&json!({ "startDate": "2031-01-01" }))).send().await;
    world.sql("UPDATE itineraries SET visibility = 'nonsense' WHERE start_date <> '2031-01-01'").await;
    let calls = [
        scene.call(Method::GET, &scene.at),
        scene.call(Method::DELETE, &scene.at).header("If-Match", "*"),
        scene.update().header("If-Match", "*").json(&json!({ "title": "Changed" })),
    ];
    for call in calls {
        let response = call.send().await;
        assert!(response.expect_error(500, "internalError").is_null());
        expect_nothing_internal(&response);
    }
    assert_eq!(scene.call(Method::GET, whole.header("location")).send().await.status, 200);
}

// After an internal error, the idempotency key can be used again.
#[api_test]
async fn a_write_that_failed_is_repeated_with_its_key(world: World) {
    let scene = Scene::new(&world).await;
    let body = lisbon_with(&json!({ "startDate": "2032-01-01" }));
    let call = || scene.create().header("Idempotency-Key", "01890000-0000-7000-8000-00000000000c").json(&body);
    world.sql("ALTER TABLE itineraries RENAME TO taken").await;
    assert!(call().send().await.expect_error(502, "upstreamFailed").is_null());
    world.sql("ALTER TABLE taken RENAME TO itineraries").await;
    let made = call().send().await;
    assert_eq!((made.status.as_u16(), made.header("idempotency-replayed")), (201, ""));
    assert_eq!(call().send().await.header("idempotency-replayed"), "true");
}

// The sign-in routes report internal errors in their own format.
#[api_test]
async fn a_fault_at_a_sign_in_route_is_told_in_its_shape(world: World) {
    world.sql("ALTER TABLE clients RENAME TO taken").await;
    let body = json!({ "redirect_uris": ["https://app.example/back"] });
    let form = [("grant_type", "refresh_token"), ("client_id", "app_0"), ("refresh_token", "x")];
    let responses = [
        world.call(Method::POST, "/oauth/register").json(&body).send().await,
        world.call(Method::POST, "/oauth/token").form(&form).send().await,
    ];
    for response in responses {
        assert_eq!(response.status, 503, "{}", response.text());
        assert_eq!(response.json()["error"], "temporarily_unavailable");
        assert_eq!(response.header("retry-after"), "1");
        assert_eq!(response.header("cache-control"), "no-store");
        assert!(!response.header("x-request-id").is_empty());
    }
}

// H-30: an error has the service's format, whatever the caller accepts.
#[api_test]
async fn no_other_error_format_is_negotiated(world: World) {
    for accept in ["application/problem+json", "application/problem+json, application/json;q=0.1", "text/plain"] {
        let response = world.call(Method::GET, "/v1/account").header("Accept", accept).send().await;
        response.expect_error(401, "unauthenticated");
        let fields: Vec<_> = response.json().as_object().expect("an object").keys().cloned().collect();
        assert_eq!(fields, ["error"], "asked for {accept}");
    }
}
