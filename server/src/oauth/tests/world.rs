//! The service under test, the browser and the program.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use crate::passwords::Queue;
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use bytes::Bytes;
use chrono::{DateTime, Utc};
use http::header::{ACCEPT, AUTHORIZATION, COOKIE, LOCATION, SET_COOKIE};
use http::{HeaderMap, HeaderValue, Method, Response};
use itinerary_api::extract::WebRequest;
use itinerary_api::oauth_error::OAuthError;
use itinerary_api::types::oauth::{Registration, RegistrationRequest, TokenResponse};
use itinerary_core::clock::{Clock, Random};
use itinerary_core::{ids, seal};
use itinerary_store::{CallerRow, Options, Store};
use openssl::sha::sha256;
use serde_json::{Value, json};

use crate::config::Config;
use crate::context::Service;
use crate::limits::Limiter;
use crate::oauth::{authorise, forms, pages, register, revoke, token};

pub(super) const BASE: &str = "http://127.0.0.1:8080";
pub(super) const REDIRECT: &str = "https://app.example/cb?keep=1";
pub(super) const PASSWORD: &str = "a good password";
/// What the program proves its code with.
pub(super) const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";

struct ManualClock(AtomicI64);

impl Clock for ManualClock {
    fn now(&self) -> DateTime<Utc> {
        DateTime::from_timestamp_millis(self.0.load(Ordering::SeqCst)).expect("a time in range")
    }
}

/// The hashes of 0, 1, 2, …: never the same twice, always the same in every run.
struct SeededRandom(AtomicU64);

impl Random for SeededRandom {
    fn fill(&self, bytes: &mut [u8]) {
        for chunk in bytes.chunks_mut(32) {
            let count = self.0.fetch_add(1, Ordering::SeqCst);
            chunk.copy_from_slice(&sha256(&count.to_be_bytes())[..chunk.len()]);
        }
    }
}

/// The service on a fresh database.
pub(super) struct World {
    pub(super) service: Service,
    clock: Arc<ManualClock>,
    _folder: tempfile::TempDir,
}

impl World {
    pub(super) async fn new() -> Self {
        Self::with(|_| ()).await
    }

    pub(super) async fn with(configure: impl FnOnce(&mut Config)) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let url = format!("sqlite://{}", folder.path().join("test.db").display());
        let store = Store::open(&url, &Options::default()).await.expect("a database");
        store.migrate().await.expect("migrations");
        let clock = Arc::new(ManualClock(AtomicI64::new(1_800_000_000_000)));
        let mut config = Config::new("127.0.0.1:8080".parse().expect("an address"));
        configure(&mut config);
        let service = Service {
            store,
            clock: Arc::clone(&clock) as Arc<dyn Clock>,
            random: Arc::new(SeededRandom(AtomicU64::new(0))),
            limits: Limiter::new(true),
            key: seal::Key::new([7; 32]),
            hashing: Queue::new(2),
            views: crate::views::Views::default(),
            config,
            document: Bytes::new(),
        };
        Self { service, clock, _folder: folder }
    }

    pub(super) fn advance(&self, seconds: i64) {
        self.clock.0.fetch_add(seconds * 1000, Ordering::SeqCst);
    }

    pub(super) fn browser(&self) -> Browser<'_> {
        Browser { world: self, cookies: Mutex::default(), accept: "text/html,*/*;q=0.8" }
    }

    /// Registers a client with one redirect address and whatever else is given.
    pub(super) async fn register(&self, metadata: Value) -> Result<Registration, OAuthError> {
        let mut body = json!({"redirect_uris": [REDIRECT], "client_name": "Trip Notes"});
        let members = body.as_object_mut().expect("an object");
        members.extend(metadata.as_object().cloned().expect("an object"));
        let request = RegistrationRequest::from_json(body.to_string().as_bytes())?;
        register::register(&self.service, address(), request).await
    }

    pub(super) async fn public_client(&self) -> Registration {
        self.register(json!({"token_endpoint_auth_method": "none"})).await.expect("registered")
    }

    pub(super) async fn confidential_client(&self) -> Registration {
        self.register(json!({})).await.expect("registered")
    }

    pub(super) async fn token(&self, form: &[(&str, &str)]) -> Result<TokenResponse, OAuthError> {
        token::token(&self.service, &HeaderMap::new(), &owned(form), address()).await
    }

    pub(super) async fn token_with_basic(
        &self,
        plain: &str,
        form: &[(&str, &str)],
    ) -> Result<TokenResponse, OAuthError> {
        token::token(&self.service, &basic(plain), &owned(form), address()).await
    }

    pub(super) async fn revoke(&self, form: &[(&str, &str)]) -> Result<(), OAuthError> {
        revoke::revoke(&self.service, &HeaderMap::new(), &owned(form), address()).await
    }

    /// Redeems a code for a public client.
    pub(super) async fn redeem(&self, client_id: &str, code: &str) -> Result<TokenResponse, OAuthError> {
        self.token(&redemption(client_id, code)).await
    }

    pub(super) async fn refresh(&self, client_id: &str, token: &str) -> Result<TokenResponse, OAuthError> {
        self.token(&[("grant_type", "refresh_token"), ("client_id", client_id), ("refresh_token", token)]).await
    }

    /// Whom an access token acts for, if it is alive.
    pub(super) async fn caller(&self, access_token: &str) -> Option<CallerRow> {
        let now = self.service.clock.now();
        self.service.store.caller(&ids::hash(access_token), now).await.expect("the store answers")
    }
}

pub(super) fn redemption<'a>(client_id: &'a str, code: &'a str) -> [(&'a str, &'a str); 5] {
    [
        ("grant_type", "authorization_code"),
        ("client_id", client_id),
        ("code", code),
        ("code_verifier", VERIFIER),
        ("redirect_uri", REDIRECT),
    ]
}

pub(super) fn basic(plain: &str) -> HeaderMap {
    let value = HeaderValue::from_str(&format!("Basic {}", STANDARD.encode(plain))).expect("a header");
    HeaderMap::from_iter([(AUTHORIZATION, value)])
}

pub(super) fn owned(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

pub(super) fn address() -> IpAddr {
    IpAddr::from([127, 0, 0, 1])
}

pub(super) fn query(pairs: &[(&str, &str)]) -> String {
    form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish()
}

/// The address at which a client asks for permission; `changes` replace parameters, an empty one leaves it out.
pub(super) fn authorise_address(client_id: &str, changes: &[(&str, &str)]) -> String {
    let challenge = URL_SAFE_NO_PAD.encode(sha256(VERIFIER.as_bytes()));
    let mut pairs = BTreeMap::from([
        ("client_id", client_id),
        ("redirect_uri", REDIRECT),
        ("response_type", "code"),
        ("scope", "itineraries:read itineraries:write"),
        ("code_challenge", challenge.as_str()),
        ("code_challenge_method", "S256"),
        ("state", "a b&c"),
    ]);
    pairs.extend(changes.iter().copied());
    format!("/oauth/authorise?{}", query(&pairs.into_iter().collect::<Vec<_>>()))
}

/// A browser: it keeps its cookies.
pub(super) struct Browser<'a> {
    world: &'a World,
    pub(super) cookies: Mutex<BTreeMap<String, String>>,
    pub(super) accept: &'static str,
}

impl Browser<'_> {
    pub(super) async fn get(&self, address: &str) -> Page {
        self.send(Method::GET, address, Bytes::new()).await
    }

    pub(super) async fn post(&self, address: &str, form: &[(&str, &str)]) -> Page {
        self.send(Method::POST, address, Bytes::from(query(form))).await
    }

    async fn send(&self, method: Method, address: &str, body: Bytes) -> Page {
        let cookies: Vec<_> =
            self.cookies.lock().expect("no panic").iter().map(|(name, value)| format!("{name}={value}")).collect();
        let mut headers = HeaderMap::from_iter([(ACCEPT, HeaderValue::from_static(self.accept))]);
        if !cookies.is_empty() {
            headers.insert(COOKIE, HeaderValue::from_str(&cookies.join("; ")).expect("a header"));
        }
        let uri = address.parse().expect("an address");
        let request = WebRequest { method, uri, headers, body, address: self::address() };
        let response = route(&self.world.service, &request).await;
        let set = response.headers().get_all(SET_COOKIE).iter().map(|it| it.to_str().expect("text").to_owned());
        for (name, value) in set.filter_map(|it| {
            let (name, rest) = it.split_once('=')?;
            Some((name.to_owned(), rest.split(';').next()?.to_owned()))
        }) {
            let mut cookies = self.cookies.lock().expect("no panic");
            if value.is_empty() {
                cookies.remove(&name)
            } else {
                cookies.insert(name, value)
            };
        }
        Page::of(response)
    }

    /// Fills in the form of a page: its own hidden fields, and these.
    pub(super) async fn submit(&self, page: &Page, action: &str, fields: &[(&str, &str)]) -> Page {
        let hidden: Vec<_> =
            ["guard", "next", "request"].into_iter().filter_map(|it| Some((it, page.hidden(it)?))).collect();
        let mut form: Vec<_> = hidden.iter().map(|(name, value)| (*name, value.as_str())).collect();
        form.extend(fields);
        self.post(action, &form).await
    }

    pub(super) async fn sign_up(&self, username: &str) -> Page {
        let page = self.get("/sign-up").await;
        self.submit(&page, "/sign-up", &account(username)).await
    }

    pub(super) async fn sign_in(&self, username: &str, password: &str) -> Page {
        let page = self.get("/sign-in").await;
        self.submit(&page, "/sign-in", &[("username", username), ("password", password)]).await
    }

    /// Approves what the address asks for, and gives the code.
    pub(super) async fn approve(&self, address: &str) -> String {
        let consent = self.get(address).await;
        assert_eq!(consent.status, 200, "{}", consent.body);
        let back = self.submit(&consent, "/oauth/authorise/decision", &[("decision", "approve")]).await;
        back.parameter("code").expect("a code")
    }
}

pub(super) fn account(username: &str) -> [(&str, &str); 3] {
    [("username", username), ("display_name", "Ana Silva"), ("password", PASSWORD)]
}

async fn route(service: &Service, request: &WebRequest) -> Response<Bytes> {
    match request.uri.path() {
        "/" => pages::home(service, request).await,
        "/style.css" => pages::style(service, request).await,
        "/sign-up" => pages::sign_up(service, request).await,
        "/sign-in" => pages::sign_in(service, request).await,
        "/sign-out" => pages::sign_out(service, request).await,
        "/account" => pages::account(service, request).await,
        "/account/apps" => pages::apps(service, request).await,
        "/oauth/authorise" => authorise::authorise(service, request).await,
        "/oauth/authorise/decision" => authorise::decide(service, request).await,
        other => panic!("no page at {other}"),
    }
}

/// What came back.
#[derive(Debug)]
pub(super) struct Page {
    pub(super) status: u16,
    pub(super) headers: HeaderMap,
    pub(super) body: String,
}

impl Page {
    fn of(response: Response<Bytes>) -> Self {
        let (parts, body) = response.into_parts();
        let body = String::from_utf8(body.to_vec()).expect("text");
        Self { status: parts.status.as_u16(), headers: parts.headers, body }
    }

    pub(super) fn header(&self, name: impl http::header::AsHeaderName) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().expect("text"))
    }

    pub(super) fn location(&self) -> &str {
        self.header(LOCATION)
    }

    /// A parameter of the address that the page leads on to.
    pub(super) fn parameter(&self, name: &str) -> Option<String> {
        let (_, query) = self.location().split_once('?')?;
        forms::pairs(query.as_bytes()).into_iter().find(|(key, _)| key == name).map(|(_, value)| value)
    }

    /// The first hidden field of a name.
    pub(super) fn hidden(&self, name: &str) -> Option<String> {
        let (_, rest) = self.body.split_once(&format!("type=\"hidden\" name=\"{name}\" value=\""))?;
        let (value, _) = rest.split_once('"')?;
        Some(value.replace("&#38;", "&").replace("&#61;", "="))
    }
}
