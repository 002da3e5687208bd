//! A traveller: signs up, and then repeats what travellers do, with its own itineraries.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use conformance::outcome::Stop;
use conformance::service::Service;
use conformance::sign_in::{self, Client, EVERY_SCOPE, Pkce};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use super::{Result, Shared};
use crate::bench::places::Chance;
use crate::bench::process::Server;

/// The number of itineraries that a traveller keeps.
const KEPT: usize = 20;

const DOCUMENT: &[u8] = include_bytes!("../../../tests/conformance/src/samples/pass.age");
const COVER: &[u8] = include_bytes!("../../../tests/conformance/src/samples/cover.jpg");

const FORMATS: [&str; 6] = ["ics", "gpx", "geojson", "kml", "md", "html"];
const SEARCHES: [&str; 7] = [
    "",
    "?limit=100",
    "?q=food",
    "?q=garden%20mar",
    "?regions=Europe",
    "?following=true",
    "?q=market&regions=Asia&following=true",
];

/// What a traveller does, and how often of a hundred times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Act {
    Read,
    Change,
    List,
    Explore,
    Create,
    Stop,
    Like,
    Document,
    Cover,
    Export,
    Mcp,
    Refresh,
    SignIn,
}

const ACTS: [(Act, usize); 13] = [
    (Act::Read, 28),
    (Act::Change, 16),
    (Act::Explore, 12),
    (Act::List, 10),
    (Act::Create, 8),
    (Act::Mcp, 6),
    (Act::Stop, 5),
    (Act::Refresh, 4),
    (Act::Like, 4),
    (Act::Export, 3),
    (Act::Document, 2),
    (Act::Cover, 1),
    (Act::SignIn, 1),
];

struct Itinerary {
    id: String,
    etag: String,
}

pub(super) struct Traveller {
    service: Arc<Service>,
    shared: Arc<Shared>,
    http: reqwest::Client,
    base: String,
    account: sign_in::Traveller,
    client: Client,
    access: String,
    refresh: String,
    itineraries: Vec<Itinerary>,
    chance: Chance,
    number: u64,
    /// The number of acts so far.
    acts: u64,
    /// The number of itineraries created so far.
    created: u64,
    /// When the next request may be sent.
    next: Instant,
}

/// A response that was expected.
struct ExpectedResponse {
    etag: String,
    body: Vec<u8>,
}

impl ExpectedResponse {
    fn json(&self) -> Result<Value> {
        Ok(serde_json::from_slice(&self.body)?)
    }
}

/// An error of the contract tests' client.
fn stopped(stop: Stop) -> String {
    match stop {
        Stop::Failed(failure) => format!("expected {}\n{}\n{}", failure.expected, failure.request, failure.response),
        Stop::Skipped(reason) => reason,
    }
}

impl Traveller {
    /// Signs up through the page, registers an app, and signs in to it. Has Pro, which documents need.
    pub(super) async fn sign_up(
        service: &Arc<Service>,
        server: &Server,
        shared: Arc<Shared>,
        number: u64,
    ) -> Result<Self> {
        let account = sign_in::Traveller::sign_up(service).await.map_err(stopped)?;
        server.make_pro(&account.username).map_err(|error| error.to_string())?;
        let client = Client::register(service, "Soak", true).await.map_err(stopped)?;
        let mut traveller = Self {
            service: Arc::clone(service),
            shared,
            http: reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build()?,
            base: service.base_url().to_owned(),
            account,
            client,
            access: String::new(),
            refresh: String::new(),
            itineraries: Vec::new(),
            chance: Chance::new(number + 1),
            number,
            acts: 0,
            created: 0,
            next: Instant::now(),
        };
        traveller.sign_in().await?;
        while traveller.itineraries.len() < KEPT {
            traveller.create().await?;
        }
        Ok(traveller)
    }

    /// Works until the run ends. An unexpected response is reported, and the traveller goes on.
    pub(super) async fn work(mut self) {
        while !self.shared.ended.load(Ordering::Relaxed) {
            let act = self.draw();
            if let Err(error) = self.act(act).await {
                self.shared.report(&format!("{act:?}"), &error.to_string());
            }
            self.acts += 1;
        }
    }

    fn draw(&mut self) -> Act {
        let mut percent = self.chance.below(ACTS.iter().map(|(_, share)| share).sum());
        for (act, share) in ACTS {
            if percent < share {
                return act;
            }
            percent -= share;
        }
        Act::Read
    }

    async fn act(&mut self, act: Act) -> Result<()> {
        match act {
            Act::Read => self.read().await,
            Act::Change => self.change().await,
            Act::List => self.get("/v1/itineraries?limit=25").await.map(drop),
            Act::Explore => {
                let search = SEARCHES[self.chance.below(SEARCHES.len())];
                self.get(&format!("/v1/explore{search}")).await.map(drop)
            }
            Act::Create => {
                self.create().await?;
                self.delete().await
            }
            Act::Stop => self.stop().await,
            Act::Like => self.like().await,
            Act::Document => self.document().await,
            Act::Cover => self.cover().await,
            Act::Export => {
                let (path, format) = (self.some().1, FORMATS[self.chance.below(FORMATS.len())]);
                self.get(&format!("{path}/export?format={format}")).await.map(drop)
            }
            Act::Mcp => self.mcp().await,
            Act::Refresh => self.refresh().await,
            Act::SignIn => {
                let old = self.refresh.clone();
                self.sign_in().await?;
                let (path, id) = (format!("{}/oauth/revoke", self.base), self.client.id.clone());
                let form = self.http.post(path).form(&[("token", &*old), ("client_id", &*id)]);
                self.send(form, StatusCode::OK).await.map(drop)
            }
        }
    }

    async fn read(&mut self) -> Result<()> {
        let (number, path) = self.some();
        let read = self.get(&path).await?;
        if read.etag != self.itineraries[number].etag {
            return Err(format!("{path}: its version is {}, not {}", read.etag, self.itineraries[number].etag).into());
        }
        let again = self.request(Method::GET, &path).header("If-None-Match", &read.etag);
        self.send(again, StatusCode::NOT_MODIFIED).await.map(drop)
    }

    async fn change(&mut self) -> Result<()> {
        let (number, path) = self.some();
        let visibility = ["private", "public", "followers", "unlisted"][self.chance.below(4)];
        let body = match self.chance.below(4) {
            0 => json!({ "visibility": visibility }),
            1 => json!({ "summary": format!("Written {} times. ", self.acts).repeat(20) }),
            _ => json!({ "title": format!("Trip {} of {}", self.acts, self.number) }),
        };
        self.write(number, Method::PATCH, &path, Some(&body), StatusCode::OK).await.map(drop)
    }

    async fn create(&mut self) -> Result<()> {
        let stops: Vec<_> = (0..6).map(|n| json!({ "id": format!("s{n}"), "name": format!("Stop {n}") })).collect();
        let body = json!({
            "title": format!("Trip {} of {}", self.acts, self.number),
            "summary": "A long way round, and back by train. ".repeat(40),
            "destination": { "name": "Lisbon", "coordinate": { "latitude": 38.7223, "longitude": -9.1393 } },
            "startDate": "2027-05-15",
            "days": [{ "id": "d", "stops": stops }],
        });
        self.created += 1;
        let mut request = self.request(Method::POST, "/v1/itineraries?allowDuplicate=true").json(&body);
        if self.chance.below(2) == 0 {
            request = request.header("Idempotency-Key", self.key());
        }
        let created = self.send(request, StatusCode::CREATED).await?;
        let id = created.json()?["id"].as_str().ok_or("no id")?.to_owned();
        self.itineraries.push(Itinerary { id, etag: created.etag });
        Ok(())
    }

    /// Deletes the oldest itinerary.
    async fn delete(&mut self) -> Result<()> {
        let Itinerary { id, etag } = self.itineraries.remove(0);
        let request = self.request(Method::DELETE, &format!("/v1/itineraries/{id}")).header("If-Match", etag);
        self.send(request, StatusCode::NO_CONTENT).await.map(drop)
    }

    /// Adds a stop, and removes it.
    async fn stop(&mut self) -> Result<()> {
        let (number, path) = self.some();
        let body = json!({ "id": "added", "name": format!("Miradouro {}", self.acts) });
        let stops = format!("{path}/days/d/stops");
        self.write(number, Method::POST, &stops, Some(&body), StatusCode::OK).await?;
        self.write(number, Method::DELETE, &format!("{stops}/added"), None, StatusCode::OK).await.map(drop)
    }

    /// Follows and likes someone in Explore, and takes both back.
    async fn like(&mut self) -> Result<()> {
        let page = self.get("/v1/explore?limit=10").await?.json()?;
        let entries = page["data"].as_array().ok_or("no page")?;
        // Others may unpublish theirs; the demo travellers do not.
        let demo =
            entries.iter().find(|entry| entry["author"]["username"].as_str().is_some_and(|name| name.contains('.')));
        let Some(entry) = demo else { return Ok(()) };
        let id = entry["id"].as_str().ok_or("no id")?;
        let author = entry["author"]["accountId"].as_str().ok_or("no author")?;
        let marked = (format!("/v1/itineraries/{id}/like"), StatusCode::OK);
        let followed = (format!("/v1/accounts/{author}/follow"), StatusCode::NO_CONTENT);
        for (path, expected) in [marked, followed] {
            for method in [Method::PUT, Method::DELETE] {
                self.send(self.request(method, &path), expected).await?;
            }
        }
        self.get(&format!("/v1/itineraries/{id}")).await.map(drop)
    }

    /// Uploads a sealed document, downloads it, and deletes it.
    async fn document(&mut self) -> Result<()> {
        let (number, path) = self.some();
        let documents = format!("{path}/documents");
        let boundary = "soak-7c1f0e52";
        let mut body = Vec::new();
        for (name, value) in [("name", "Pass"), ("category", "boardingPass"), ("mimeType", "text/plain")] {
            let part = format!("--{boundary}\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n");
            body.extend_from_slice(part.as_bytes());
        }
        let head = "Content-Disposition: form-data; name=\"file\"; filename=\"pass.age\"\r\n\
                    Content-Type: application/octet-stream\r\n\r\n";
        body.extend_from_slice(format!("--{boundary}\r\n{head}").as_bytes());
        body.extend_from_slice(DOCUMENT);
        body.extend_from_slice(format!("\r\n--{boundary}--\r\n").as_bytes());
        let upload = self.request(Method::POST, &documents).body(body);
        let upload = upload.header("Content-Type", format!("multipart/form-data; boundary={boundary}"));
        let stored = self.send(upload, StatusCode::CREATED).await?;
        self.itineraries[number].etag.clone_from(&stored.etag);
        let id = stored.json()?["id"].as_str().ok_or("the document has no id")?.to_owned();
        let link = self.get(&format!("{documents}/{id}/link")).await?.json()?;
        let url = link["url"].as_str().ok_or("the document has no link")?;
        let downloaded = self.send(self.http.get(url), StatusCode::OK).await?;
        if downloaded.body != DOCUMENT {
            return Err("a downloaded document differs".into());
        }
        let path = format!("{documents}/{id}");
        self.write(number, Method::DELETE, &path, None, StatusCode::NO_CONTENT).await.map(drop)
    }

    /// Uploads a cover, and looks at it.
    async fn cover(&mut self) -> Result<()> {
        let (number, path) = self.some();
        let request = self.request(Method::PUT, &format!("{path}/cover-image")).header("Content-Type", "image/jpeg");
        let request = request.header("If-Match", &self.itineraries[number].etag).body(COVER);
        let changed = self.send(request, StatusCode::OK).await?;
        self.itineraries[number].etag.clone_from(&changed.etag);
        let url = changed.json()?["coverImage"]["url"].as_str().ok_or("no cover")?.to_owned();
        self.send(self.http.get(url), StatusCode::OK).await.map(drop)
    }

    async fn mcp(&mut self) -> Result<()> {
        let (number, _) = self.some();
        let id = &self.itineraries[number].id;
        let (name, arguments) = match self.chance.below(3) {
            0 => ("list_itineraries", json!({})),
            1 => ("explore_itineraries", json!({})),
            _ => ("get_itinerary", json!({ "itineraryId": id })),
        };
        let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": { "name": name, "arguments": arguments } });
        let request = self.request(Method::POST, "/mcp").json(&call);
        let request = request.header("Accept", "application/json, text/event-stream");
        let response = self.send(request.header("MCP-Protocol-Version", "2025-11-25"), StatusCode::OK).await?;
        let text = String::from_utf8_lossy(&response.body);
        if text.contains("\"isError\":true") || !text.contains("\"result\"") {
            return Err(format!("{name}: {text}").into());
        }
        Ok(())
    }

    /// Exchanges the refresh token for new tokens.
    async fn refresh(&mut self) -> Result<()> {
        let form = [("grant_type", "refresh_token"), ("refresh_token", &self.refresh), ("client_id", &self.client.id)];
        let request = self.http.post(format!("{}/oauth/token", self.base)).form(&form);
        let tokens = self.send(request, StatusCode::OK).await?.json()?;
        self.take_tokens(&tokens)
    }

    /// Approves the app again, and exchanges the code.
    async fn sign_in(&mut self) -> Result<()> {
        let pkce = Pkce::new();
        let back = self.account.approve(&self.client.authorise(&pkce, EVERY_SCOPE, "soak")).await.map_err(stopped)?;
        let code = sign_in::query(&back).remove("code").ok_or("no code")?;
        let response = self.client.exchange(&self.service, &code, &pkce).await.map_err(stopped)?;
        let tokens = response.json_with(200).map_err(stopped)?;
        self.take_tokens(&tokens)
    }

    fn take_tokens(&mut self, tokens: &Value) -> Result<()> {
        tokens["access_token"].as_str().ok_or("no access token")?.clone_into(&mut self.access);
        tokens["refresh_token"].as_str().ok_or("no refresh token")?.clone_into(&mut self.refresh);
        Ok(())
    }

    /// One of the itineraries: its number and its path.
    fn some(&mut self) -> (usize, String) {
        let number = self.chance.below(self.itineraries.len());
        (number, format!("/v1/itineraries/{}", self.itineraries[number].id))
    }

    /// An idempotency key.
    fn key(&self) -> String {
        let (high, low) = (self.number, self.created);
        format!("{high:08x}-0000-4000-8000-{low:012x}")
    }

    fn request(&self, method: Method, path: &str) -> reqwest::RequestBuilder {
        self.http.request(method, format!("{}{path}", self.base)).bearer_auth(&self.access)
    }

    async fn get(&mut self, path: &str) -> Result<ExpectedResponse> {
        self.send(self.request(Method::GET, path), StatusCode::OK).await
    }

    /// Sends a change of an itinerary with its version, and remembers the new one.
    async fn write(
        &mut self,
        number: usize,
        method: Method,
        path: &str,
        body: Option<&Value>,
        expected: StatusCode,
    ) -> Result<ExpectedResponse> {
        let mut request = self.request(method, path).header("If-Match", &self.itineraries[number].etag);
        if let Some(body) = body {
            request = request.json(body);
        }
        let response = self.send(request, expected).await?;
        self.itineraries[number].etag.clone_from(&response.etag);
        Ok(response)
    }

    /// Waits for its turn, and sends a request, whose answer must have this status.
    async fn send(&mut self, request: reqwest::RequestBuilder, expected: StatusCode) -> Result<ExpectedResponse> {
        let pause = self.shared.pause();
        tokio::time::sleep_until(self.next.into()).await;
        // A traveller who is late does not catch up.
        self.next = self.next.max(Instant::now().checked_sub(pause).unwrap_or(self.next)) + pause;
        let request = request.build()?;
        let what = format!("{} {}", request.method(), request.url().path());
        let sent = Instant::now();
        let response = self.http.execute(request).await.map_err(|error| format!("{what}: {error:?}"))?;
        let (status, etag) = (response.status(), response.headers().get("etag").cloned());
        let body = response.bytes().await.map_err(|error| format!("{what}: {error:?}"))?.to_vec();
        self.shared.count(sent.elapsed());
        if status != expected {
            return Err(format!("{what}: {status}: {}", String::from_utf8_lossy(&body)).into());
        }
        let etag = etag.and_then(|etag| Some(etag.to_str().ok()?.to_owned())).unwrap_or_default();
        Ok(ExpectedResponse { etag, body })
    }
}
