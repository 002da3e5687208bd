//! A traveller's app by raw calls, for tests about JSON or headers, which the SDK does not show.

use reqwest::Method;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::raw::{Call, RawResponse};
use crate::world::{READ_WRITE, World};

/// All scopes that matter for reading an itinerary.
pub const WITH_DOCUMENTS: &str = "itineraries:read itineraries:write documents:read";

/// A traveller's app: raw calls with the traveller's token.
#[derive(Clone)]
pub struct App<'w> {
    pub world: &'w World,
    pub token: String,
}

/// An itinerary from a response.
#[derive(Clone, Debug)]
pub struct Stored {
    pub id: String,
    pub etag: String,
    pub json: Value,
}

impl Stored {
    #[track_caller]
    pub fn of(response: &RawResponse) -> Self {
        assert!(response.status.is_success(), "{}", response.text());
        let json = response.json();
        let id = json["id"].as_str().expect("an id").to_owned();
        Self { id, etag: response.header("etag").to_owned(), json }
    }
}

impl<'w> App<'w> {
    /// The ordinary app of a traveller, who is created if necessary.
    pub async fn of(world: &'w World, name: &str) -> Self {
        Self::with_scope(world, name, READ_WRITE).await
    }

    /// An app with other scopes.
    pub async fn with_scope(world: &'w World, name: &str, scope: &str) -> Self {
        Self { world, token: world.token_of_anyone(name, scope).await }
    }

    /// The ordinary app of a traveller with Pro, who may also see documents.
    pub async fn pro(world: &'w World, name: &str) -> Self {
        world.pro_account(name).await;
        Self::with_scope(world, name, WITH_DOCUMENTS).await
    }

    pub fn call(&self, method: Method, path: &str) -> Call {
        self.world.call(method, path).token(&self.token)
    }

    /// `POST /v1/itineraries` with this query.
    pub fn create_call(&self, query: &str, body: &Value) -> Call {
        self.call(Method::POST, &format!("/v1/itineraries{query}")).json(body)
    }

    pub async fn create(&self, body: &Value) -> RawResponse {
        self.create_call("", body).send().await
    }

    /// Creates an itinerary, which must succeed.
    pub async fn created(&self, body: &Value) -> Stored {
        let response = self.create(body).await;
        assert_eq!(response.status, 201, "{}", response.text());
        Stored::of(&response)
    }

    pub async fn view(&self, id: &str) -> RawResponse {
        self.call(Method::GET, &path(id)).send().await
    }

    /// Reads an itinerary, which must succeed.
    pub async fn viewed(&self, id: &str) -> Stored {
        let response = self.view(id).await;
        assert_eq!(response.status, 200, "{}", response.text());
        Stored::of(&response)
    }

    pub fn patch_call(&self, id: &str, body: &Value) -> Call {
        self.call(Method::PATCH, &path(id)).json(body)
    }

    pub async fn patch(&self, seen: &Stored, body: &Value) -> RawResponse {
        self.patch_call(&seen.id, body).header("If-Match", &seen.etag).send().await
    }

    /// Changes an itinerary, which must succeed.
    pub async fn patched(&self, seen: &Stored, body: &Value) -> Stored {
        let response = self.patch(seen, body).await;
        assert_eq!(response.status, 200, "{}", response.text());
        Stored::of(&response)
    }

    pub fn delete_call(&self, id: &str) -> Call {
        self.call(Method::DELETE, &path(id))
    }

    pub async fn delete(&self, seen: &Stored) -> RawResponse {
        self.delete_call(&seen.id).header("If-Match", &seen.etag).send().await
    }

    /// A page of the traveller's itineraries. `query` has no question mark.
    pub async fn list(&self, query: &str) -> RawResponse {
        self.call(Method::GET, &format!("/v1/itineraries?{query}")).send().await
    }

    /// The ids of a page, which must succeed.
    pub async fn listed(&self, query: &str) -> Vec<String> {
        let response = self.list(query).await;
        assert_eq!(response.status, 200, "{}", response.text());
        ids(&response.json())
    }
}

pub fn path(id: &str) -> String {
    format!("/v1/itineraries/{id}")
}

/// The ids of a page's entries.
pub fn ids(page: &Value) -> Vec<String> {
    let entries = page["data"].as_array().expect("a page");
    entries.iter().map(|entry| entry["id"].as_str().expect("an id").to_owned()).collect()
}

/// The fields and codes of `needsAttention`, in order.
pub fn attention(itinerary: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().expect("text").to_owned();
    let entries = itinerary["needsAttention"].as_array().expect("an answer to a write has it");
    entries.iter().map(|entry| (text(&entry["field"]), text(&entry["code"]))).collect()
}

/// Creates an itinerary and changes its visibility.
pub async fn shown(app: &App<'_>, body: &Value, visibility: &str) -> Stored {
    let made = Stored::of(&app.create_call("?allowDuplicate=true", body).send().await);
    app.patched(&made, &json!({ "visibility": visibility })).await
}

/// Creates a public itinerary.
pub async fn published(app: &App<'_>, body: &Value) -> Stored {
    shown(app, body, "public").await
}

/// The text of a JSON string.
pub fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}")).to_owned()
}

pub fn key() -> String {
    Uuid::new_v4().to_string()
}

/// Checks that a response is a replay of the first one.
#[track_caller]
pub fn expect_replay(again: &RawResponse, first: &RawResponse) {
    assert_eq!(again.status, first.status, "{}", again.text());
    assert_eq!(again.text(), first.text());
    for name in ["etag", "location", "content-type", "service-itinerary-shape"] {
        assert_eq!(again.header(name), first.header(name), "{name}");
    }
    assert_eq!((first.header("idempotency-replayed"), again.header("idempotency-replayed")), ("", "true"));
    assert_ne!(again.header("x-request-id"), first.header("x-request-id"), "it is a request of its own");
}
