//! What a check works with: travellers, and itineraries of its own.

use std::ops::Deref;
use std::sync::Arc;

use reqwest::Method;
use serde_json::{Value, json};
use tokio::sync::OnceCell;
use uuid::Uuid;

use crate::call::Call;
use crate::outcome::{Checked, Stop};
use crate::response::ReceivedResponse;
use crate::service::Service;
use crate::travellers::{App, Travellers};

/// What a check works with.
#[derive(Clone)]
pub struct Context {
    pub service: Arc<Service>,
    pub travellers: Arc<Travellers>,
    /// Whether the server's rate limits are on.
    pub limits: bool,
    /// Whether integrations are paused.
    pub paused: bool,
    /// An itinerary with a document and the document's id, for rows that only read it: few uploads are allowed a minute.
    pub document: Arc<OnceCell<(Made, String)>>,
}

/// An itinerary that a check created, as it was returned last.
#[derive(Clone)]
pub struct Made {
    /// The owner's app.
    pub app: App,
    pub id: String,
    /// The path `/v1/itineraries/{id}`.
    pub path: String,
    pub etag: String,
    pub json: Value,
}

impl Context {
    /// An app of any traveller.
    pub fn app(&self) -> Checked<App> {
        self.travellers.other_than(&[])
    }

    /// An app of another traveller.
    pub fn other(&self, app: &App) -> Checked<App> {
        self.travellers.other_than(&[app])
    }

    /// An app of a traveller with Pro, whose token was given.
    pub fn pro(&self) -> Checked<App> {
        self.travellers.pro(&[])
    }

    /// A request without a token.
    pub fn call(&self, method: Method, path: &str) -> Call {
        Call::new(&self.service, method, path)
    }

    /// Creates an itinerary for any traveller, with further fields.
    pub async fn itinerary(&self, fields: Value) -> Checked<Made> {
        self.app()?.itinerary(fields).await
    }

    /// Creates an itinerary for a traveller with Pro, with further fields.
    pub async fn pro_itinerary(&self, fields: Value) -> Checked<Made> {
        self.pro()?.itinerary(fields).await
    }
}

impl App {
    /// Creates an itinerary with further fields. The query keeps checks apart that use the same traveller.
    pub async fn itinerary(&self, fields: Value) -> Checked<Made> {
        let response = self.post("/v1/itineraries?allowDuplicate=true", &with(minimal(), fields)).send().await?;
        response.status(201)?;
        Made::of(self, &response)
    }
}

impl Made {
    /// The itinerary in a response.
    pub fn of(app: &App, response: &ReceivedResponse) -> Checked<Self> {
        let json = response.json()?;
        let id = json["id"].as_str().unwrap_or_default().to_owned();
        response.ensure(!id.is_empty(), "an itinerary with an id")?;
        let path = format!("/v1/itineraries/{id}");
        Ok(Self { app: app.clone(), id, path, etag: response.etag()?.to_owned(), json })
    }

    /// The path of something in the itinerary, such as `/hotels`.
    pub fn at(&self, rest: &str) -> String {
        format!("{}{rest}", self.path)
    }

    /// A value of the itinerary, at a path such as `/days/0/id`, as text.
    pub fn text(&self, pointer: &str) -> Checked<String> {
        let text = self.json.pointer(pointer).and_then(Value::as_str);
        text.map(str::to_owned).ok_or_else(|| Stop::failed(format!("text at {pointer} of {}", self.json)))
    }

    /// Reads the itinerary as its owner.
    pub async fn view(&self) -> Checked<ReceivedResponse> {
        self.app.get(&self.path).send().await
    }

    /// A merge patch with the itinerary's ETag.
    pub fn patch(&self, body: &Value) -> Call {
        self.app.patch(&self.path, body).if_match(&self.etag)
    }

    /// A POST within the itinerary with its ETag.
    pub fn post(&self, rest: &str, body: &Value) -> Call {
        self.app.post(&self.at(rest), body).if_match(&self.etag)
    }

    /// A merge patch of something in the itinerary, with the itinerary's ETag.
    pub fn patch_at(&self, rest: &str, body: &Value) -> Call {
        self.app.patch(&self.at(rest), body).if_match(&self.etag)
    }

    /// Deletes something in the itinerary, with the itinerary's ETag.
    pub fn delete_at(&self, rest: &str) -> Call {
        self.app.delete(&self.at(rest)).if_match(&self.etag)
    }

    /// The itinerary after a change, which must succeed.
    pub async fn changed(&self, call: Call) -> Checked<Self> {
        let response = call.send().await?;
        response.status(200)?;
        Self::of(&self.app, &response)
    }

    /// The itinerary after a merge patch, which must succeed.
    pub async fn patched(&self, body: &Value) -> Checked<Self> {
        self.changed(self.patch(body)).await
    }

    /// Makes a traveller a member, which must succeed.
    pub async fn share(&self, with: &App, role: &str) -> Checked {
        let path = self.at(&format!("/members/{}", with.account_id));
        self.app.put(&path).json(&json!({ "role": role })).send().await?.status(200)?;
        with.put(&format!("/v1/invitations/{}", self.id)).send().await?.status(200).map(|_| ())
    }
}

impl Deref for Made {
    type Target = App;

    fn deref(&self) -> &App {
        &self.app
    }
}

/// The smallest body of a create.
pub fn minimal() -> Value {
    to("Lisbon", 38.7223, -9.1393)
}

/// The smallest body of a create, for this destination.
pub fn to(name: &str, latitude: f64, longitude: f64) -> Value {
    json!({ "destination": { "name": name, "coordinate": { "latitude": latitude, "longitude": longitude } } })
}

/// A body with further fields, which replace existing ones.
pub fn with(mut body: Value, fields: Value) -> Value {
    if let (Value::Object(body), Value::Object(fields)) = (&mut body, fields) {
        body.extend(fields);
    }
    body
}

/// A new idempotency key.
pub fn key() -> String {
    Uuid::new_v4().to_string()
}

/// A word of letters that occurs nowhere else.
pub fn word() -> String {
    Uuid::new_v4().simple().to_string().bytes().map(|byte| char::from(b'a' + byte % 26)).collect()
}
