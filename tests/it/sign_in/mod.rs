//! Sign-in over HTTP: registration, the authorisation endpoint and its pages, tokens, revocation, discovery. Labels in
//! comments (`R-…`, `A-…`, and so on) name OAuth requirements.
//!
//! The browser of `itinerary_tests` keeps cookies and submits forms; an [`App`] is the program that requests access.

mod account_data_download;
mod account_deletion;
mod apps;
mod client_documents;
mod consent;
mod discovery;
mod factor_races;
mod failures;
mod forgotten_password;
mod lifetimes;
mod mail_address;
mod mail_notices;
mod mail_queue;
mod oauth2_crate;
mod oauth_authorise;
mod oauth_register;
mod oauth_revoke;
mod oauth_token;
mod oauth_token_refresh;
mod one_time_codes;
mod page_frame;
mod pages;
mod passkey_traps;
mod passkeys;
mod password_change;
mod password_reset;
mod paused;
mod personal_tokens;
mod provider_traps;
mod providers;
mod races;
mod reference_pages;
mod requirements;
mod resource;
mod sdk;
mod secrets;
mod sessions;
mod sign_up_modes;

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use itinerary_sdk::types::{Registration, TokenResponse};
use itinerary_tests::browser::{Browser, Page};
use itinerary_tests::raw::Call;
use itinerary_tests::world::READ_WRITE;
use itinerary_tests::{RawResponse, World};
use openssl::sha::sha256;
use reqwest::{Method, Url};
use serde_json::{Value, json};

/// The redirect URI of apps, with a query of its own.
const REDIRECT: &str = "https://app.example/cb?keep=1";
/// The PKCE verifier of apps (RFC 7636, appendix B).
pub(crate) const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
/// A state with characters that careless encoding would damage.
const STATE: &str = "a b+c&d=%26#/é\"'<>\u{1f30a}";

/// Checks that this field of a form is marked as wrong, refers to its message, and has the focus.
#[track_caller]
fn expect_marked(page: &Page, field: &str) {
    let text = page.text();
    let (_, input) = text.split_once(&format!("<input id=\"{field}\"")).expect("the field");
    let input = input.split('>').next().unwrap_or_default();
    for part in ["aria-invalid=\"true\"", &format!("aria-describedby=\"{field}-error\""), " autofocus"] {
        assert!(input.contains(part), "{part} in {input}");
    }
    assert!(text.contains(&format!("id=\"{field}-error\"")), "{text}");
    assert_eq!((text.matches(" autofocus").count(), text.matches("aria-invalid").count()), (1, 1), "{text}");
}

/// A program that requests access.
pub(crate) struct App<'w> {
    world: &'w World,
    pub(crate) id: String,
    secret: Option<String>,
}

impl<'w> App<'w> {
    /// A public client.
    pub(crate) async fn public(world: &'w World) -> Self {
        Self::registered(world, json!({ "token_endpoint_auth_method": "none" })).await
    }

    async fn confidential(world: &'w World) -> Self {
        Self::registered(world, json!({})).await
    }

    /// A client with this metadata, besides a name and a redirect URI.
    pub(crate) async fn registered(world: &'w World, metadata: Value) -> Self {
        let response = register(world, metadata).await;
        assert_eq!(response.status, 201, "{}", response.text());
        let registration: Registration = serde_json::from_slice(&response.body).expect("a registration");
        Self { world, id: registration.client_id, secret: registration.client_secret }
    }

    /// The path of the app's authorisation request.
    fn authorise(&self) -> String {
        self.authorise_with(&[])
    }

    /// The same with some parameters replaced. A parameter with an empty list is left out.
    pub(crate) fn authorise_with(&self, changes: &[(&str, &str)]) -> String {
        let challenge = challenge(VERIFIER);
        let usual = [
            ("client_id", self.id.as_str()),
            ("redirect_uri", REDIRECT),
            ("response_type", "code"),
            ("scope", READ_WRITE),
            ("code_challenge", &challenge),
            ("code_challenge_method", "S256"),
            ("state", STATE),
        ];
        format!("/oauth/authorise?{}", encoded(&replaced(&usual, changes)))
    }

    /// A code, approved in this browser.
    async fn code(&self, browser: &Browser) -> String {
        self.code_with(browser, &[]).await
    }

    /// A code for a request with some parameters replaced.
    pub(crate) async fn code_with(&self, browser: &Browser, changes: &[(&str, &str)]) -> String {
        let back = browser.decide(&self.authorise_with(changes), "approve").await;
        parameter(&back, "code").unwrap_or_else(|| panic!("no code in {back}"))
    }

    /// The request that redeems a code, with some fields replaced. A field with an empty list is left out.
    fn redemption(&self, code: &str, changes: &[(&str, &str)]) -> Call {
        let mut usual = vec![
            ("grant_type", "authorization_code"),
            ("code", code),
            ("code_verifier", VERIFIER),
            ("redirect_uri", REDIRECT),
            ("client_id", &self.id),
        ];
        usual.extend(self.secret.as_deref().map(|secret| ("client_secret", secret)));
        token_call(self.world, &replaced(&usual, changes))
    }

    async fn redeem(&self, code: &str) -> RawResponse {
        self.redemption(code, &[]).send().await
    }

    /// The request that refreshes tokens, with some fields replaced. It has no secret, as in the specification.
    pub(crate) fn renewal(&self, refresh_token: &str, changes: &[(&str, &str)]) -> Call {
        let usual = [("grant_type", "refresh_token"), ("refresh_token", refresh_token), ("client_id", &self.id)];
        token_call(self.world, &replaced(&usual, changes))
    }

    async fn renew(&self, refresh_token: &str) -> RawResponse {
        self.renewal(refresh_token, &[]).send().await
    }

    /// Refreshes tokens, which must succeed.
    async fn renewed(&self, refresh_token: &str) -> TokenResponse {
        tokens(&self.renew(refresh_token).await)
    }

    /// The tokens after a traveller approved in this browser.
    pub(crate) async fn connect(&self, browser: &Browser) -> TokenResponse {
        tokens(&self.redeem(&self.code(browser).await).await)
    }

    async fn revoke(&self, token: &str) -> RawResponse {
        let mut form = vec![("token", token), ("client_id", self.id.as_str())];
        form.extend(self.secret.as_deref().map(|secret| ("client_secret", secret)));
        self.world.call(Method::POST, "/oauth/revoke").form(&form).send().await
    }
}

pub(crate) fn token_call(world: &World, form: &[(&str, &str)]) -> Call {
    world.call(Method::POST, "/oauth/token").form(form)
}

/// Registers a client with this metadata, besides a name and a redirect URI. Null removes a member.
pub(crate) async fn register(world: &World, metadata: Value) -> RawResponse {
    let mut body = json!({ "client_name": "Trip Notes", "redirect_uris": [REDIRECT] });
    let members = body.as_object_mut().expect("an object");
    members.extend(metadata.as_object().cloned().expect("an object"));
    members.retain(|_, value| !value.is_null());
    world.call(Method::POST, "/oauth/register").json(&body).send().await
}

/// The pairs with some replaced, at the end. A pair with an empty list is left out.
fn replaced<'p>(usual: &[(&'p str, &'p str)], changes: &[(&'p str, &'p str)]) -> Vec<(&'p str, &'p str)> {
    let kept = usual.iter().filter(|(name, _)| !changes.iter().any(|(changed, _)| changed == name));
    kept.chain(changes.iter().filter(|(_, value)| !value.is_empty())).copied().collect()
}

fn encoded(pairs: &[(&str, &str)]) -> String {
    url::form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish()
}

fn challenge(verifier: &str) -> String {
    URL_SAFE_NO_PAD.encode(sha256(verifier.as_bytes()))
}

fn basic(id: &str, secret: &str) -> String {
    format!("Basic {}", STANDARD.encode(format!("{id}:{secret}")))
}

/// A query parameter of an address.
fn parameter(address: &Url, name: &str) -> Option<String> {
    address.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value.into_owned())
}

/// The tokens in a successful response.
#[track_caller]
fn tokens(response: &RawResponse) -> TokenResponse {
    assert_eq!(response.status, 200, "{}", response.text());
    serde_json::from_slice(&response.body).expect("tokens")
}

/// Checks an error of the OAuth routes: status, code, and a description in plain text for developers.
/// (T-01, T-17)
#[track_caller]
fn expect_refusal(response: &RawResponse, status: u16, error: &str) {
    assert_eq!(response.status.as_u16(), status, "{}", response.text());
    assert_eq!(response.header("content-type"), "application/json");
    assert_eq!(response.header("cache-control"), "no-store");
    assert_eq!(response.header("location"), "");
    let body = response.json();
    assert_eq!(body["error"], error, "{body}");
    let description = body["error_description"].as_str().expect("a description");
    assert!(!description.is_empty() && description.bytes().all(|byte| matches!(byte, b' '..=b'~')), "{description}");
    assert!(!description.contains(['"', '\\']), "{description}");
    assert_eq!(body.as_object().map(serde_json::Map::len), Some(2), "{body}");
}

/// Checks the 401 of an API call with an invalid token. (V-03)
#[track_caller]
fn expect_dead(response: &RawResponse) {
    response.expect_error(401, "unauthenticated");
    assert_eq!(response.header("www-authenticate"), "Bearer error=\"invalid_token\"");
}

/// Calls the API with this token.
async fn call_with(world: &World, access_token: &str) -> RawResponse {
    world.call(Method::GET, "/v1/account").token(access_token).send().await
}

async fn expect_alive(world: &World, access_token: &str) {
    let response = call_with(world, access_token).await;
    assert_eq!(response.status, 200, "{}", response.text());
}

async fn expect_ended(world: &World, access_token: &str) {
    expect_dead(&call_with(world, access_token).await);
}
