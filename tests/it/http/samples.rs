//! One request that works for each operation: what the access matrix and the tests of headers and methods are made from.

use itinerary_api::policy::{POLICIES, Policy, policy};
use reqwest::Method;

use crate::support::World;
use crate::support::raw::Call;

/// The body of a sample.
pub(crate) enum Body {
    Nothing,
    Json(&'static str),
    Form(&'static str),
}

/// A request to an operation.
pub(crate) struct Sample {
    /// The operation's id.
    pub(crate) operation: &'static str,
    /// Its method.
    pub(crate) method: &'static str,
    /// Its path; `{id}` stands for an itinerary's.
    pub(crate) path: &'static str,
    /// What comes after the path.
    query: &'static str,
    body: Body,
    /// The status when there is nothing to refuse, or, of what is made for a browser, when nobody is signed in.
    pub(crate) status: u16,
}

impl Sample {
    /// The operation's row.
    pub(crate) fn policy(&self) -> &'static Policy {
        policy(self.operation).expect("a test says so when an operation has no row")
    }

    /// The method, to call it with.
    pub(crate) fn method(&self) -> Method {
        Method::from_bytes(self.method.as_bytes()).expect("a method")
    }

    /// The path to an itinerary, without the query.
    pub(crate) fn path_to(&self, itinerary: &str) -> String {
        self.path.replace("{id}", itinerary)
    }

    /// The call, for an itinerary of this id.
    pub(crate) fn call(&self, world: &World, itinerary: &str) -> Call {
        let call = world.call(self.method(), &format!("{}{}", self.path_to(itinerary), self.query));
        let call = if self.policy().if_match { call.header("If-Match", "*") } else { call };
        match self.body {
            Body::Nothing => call,
            Body::Json(text) => call.body("application/json", text),
            Body::Form(text) => call.body("application/x-www-form-urlencoded", text),
        }
    }
}

/// The samples of the operations that need a token.
pub(crate) fn guarded() -> impl Iterator<Item = &'static Sample> {
    SAMPLES.iter().filter(|sample| sample.policy().token)
}

/// The samples of the operations that need none.
pub(crate) fn public() -> impl Iterator<Item = &'static Sample> {
    SAMPLES.iter().filter(|sample| !sample.policy().token)
}

const LISBON: Body =
    Body::Json(r#"{"destination": {"name": "Lisbon", "coordinate": {"latitude": 38.7, "longitude": -9.1}}}"#);

const fn row(operation: &'static str, method: &'static str, path: &'static str, status: u16) -> Sample {
    Sample { operation, method, path, query: "", body: Body::Nothing, status }
}

const fn get(operation: &'static str, path: &'static str, status: u16) -> Sample {
    row(operation, "GET", path, status)
}

const fn form(operation: &'static str, path: &'static str, form: &'static str, status: u16) -> Sample {
    Sample { body: Body::Form(form), ..row(operation, "POST", path, status) }
}

/// One for each row of the policy table.
pub(crate) static SAMPLES: &[Sample] = &[
    get("itinerary_list", "/v1/itineraries", 200),
    Sample { query: "?allowDuplicate=true", body: LISBON, ..row("itinerary_create", "POST", "/v1/itineraries", 201) },
    get("itinerary_view", "/v1/itineraries/{id}", 200),
    Sample {
        body: Body::Json(r#"{"title": "Changed"}"#),
        ..row("itinerary_update", "PATCH", "/v1/itineraries/{id}", 200)
    },
    row("itinerary_delete", "DELETE", "/v1/itineraries/{id}", 204),
    get("account_self", "/v1/account", 200),
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
