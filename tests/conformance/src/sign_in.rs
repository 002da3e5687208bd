//! Signing travellers up, and obtaining their tokens as an app does (specification, section 5).

use std::collections::HashMap;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use reqwest::{Method, Url};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::browser::Browser;
use crate::call::{Call, encoded};
use crate::outcome::{Checked, Stop};
use crate::response::ReceivedResponse;
use crate::service::Service;

/// The redirect address of the clients. Nothing listens there: the code is taken from the redirect itself.
pub const REDIRECT: &str = "http://127.0.0.1/callback";
/// Every scope of the specification.
pub const EVERY_SCOPE: &str = "itineraries:read itineraries:write documents:read documents:write";

/// A registered client.
#[derive(Clone, Debug)]
pub struct Client {
    pub id: String,
    /// Only of confidential clients.
    pub secret: Option<String>,
}

/// A traveller who was signed up for this run.
pub struct Traveller {
    pub username: String,
    pub password: String,
    /// Signed in.
    pub browser: Browser,
}

/// A PKCE verifier and its challenge.
#[derive(Clone, Debug)]
pub struct Pkce {
    pub verifier: String,
    pub challenge: String,
}

impl Pkce {
    /// A random verifier.
    pub fn new() -> Self {
        let verifier = format!("{}{}", Uuid::new_v4().simple(), Uuid::new_v4().simple());
        let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(&verifier));
        Self { verifier, challenge }
    }
}

impl Default for Pkce {
    fn default() -> Self {
        Self::new()
    }
}

impl Client {
    /// Registers a client: public, or confidential with a secret.
    pub async fn register(service: &Arc<Service>, name: &str, public: bool) -> Checked<Self> {
        let mut metadata = json!({ "client_name": name, "redirect_uris": [REDIRECT] });
        if public {
            metadata["token_endpoint_auth_method"] = json!("none");
        }
        let call = Call::new(service, Method::POST, "/oauth/register").json(&metadata).without_waiting();
        let response = call.send().await?;
        within_limit(&response, "registrations of clients")?;
        // Whether the status is 201, and whether a public client has no secret, is checked by the rows of registration.
        response.ensure(matches!(response.status, 200 | 201), "a registered client")?;
        let client = response.json()?;
        let id = client["client_id"].as_str().unwrap_or_default().to_owned();
        response.ensure(!id.is_empty(), "a client_id")?;
        let secret = client["client_secret"].as_str().filter(|_| !public).map(str::to_owned);
        Ok(Self { id, secret })
    }

    /// The path of an authorisation request.
    pub fn authorise(&self, pkce: &Pkce, scope: &str, state: &str) -> String {
        let parameters = [
            ("client_id", &*self.id),
            ("redirect_uri", REDIRECT),
            ("response_type", "code"),
            ("scope", scope),
            ("code_challenge", &pkce.challenge),
            ("code_challenge_method", "S256"),
            ("state", state),
        ];
        let pairs = parameters.map(|(name, value)| format!("{name}={}", encoded(value)));
        format!("/oauth/authorise?{}", pairs.join("&"))
    }

    /// Exchanges a code for tokens.
    pub async fn exchange(&self, service: &Arc<Service>, code: &str, pkce: &Pkce) -> Checked<ReceivedResponse> {
        let mut fields = vec![
            ("grant_type", "authorization_code"),
            ("code", code),
            ("code_verifier", &pkce.verifier),
            ("redirect_uri", REDIRECT),
            ("client_id", &self.id),
        ];
        fields.extend(self.secret.as_deref().map(|secret| ("client_secret", secret)));
        Call::new(service, Method::POST, "/oauth/token").form(&fields).send().await
    }

    /// An access token for a traveller, limited to these scopes.
    pub async fn token(&self, service: &Arc<Service>, traveller: &Traveller, scope: &str) -> Checked<String> {
        let pkce = Pkce::new();
        let back = traveller.approve(&self.authorise(&pkce, scope, "conformance")).await?;
        let code = query(&back).remove("code").unwrap_or_default();
        let response = self.exchange(service, &code, &pkce).await?;
        let tokens = response.json_with(200)?;
        let token = tokens["access_token"].as_str().unwrap_or_default().to_owned();
        response.ensure(!token.is_empty(), "an access_token")?;
        Ok(token)
    }
}

impl Traveller {
    /// Signs a traveller up through the page, under a random name.
    pub async fn sign_up(service: &Arc<Service>) -> Checked<Self> {
        let id = Uuid::new_v4().simple().to_string();
        let (username, password) = (format!("conf-{}", &id[..20]), format!("{}", Uuid::new_v4()));
        let browser = Browser::new(service)?;
        let page = browser.open("/sign-up").await?;
        let typed = [("username", &*username), ("display_name", "Conformance test"), ("password", &password)];
        let page = browser.submit(&page.form("/sign-up")?, &typed).await?;
        within_limit(&page.response, "sign-ups")?;
        page.response
            .ensure(page.response.status == 200 && !page.address.path().ends_with("/sign-up"), "an account")?;
        Ok(Self { username, password, browser })
    }

    /// Approves the request at this address. Returns the redirect to the client.
    pub async fn approve(&self, address: &str) -> Checked<Url> {
        self.decide(address, "approve").await
    }

    /// Approves or denies the request at this address. Returns the redirect to the client.
    pub async fn decide(&self, address: &str, decision: &str) -> Checked<Url> {
        let consent = self.browser.open(address).await?;
        let form = consent.form("/oauth/authorise/decision")?;
        let page = self.browser.submit(&form, &[("decision", decision)]).await?;
        page.left_for.ok_or_else(|| page.response.unlike("a redirect to the client"))
    }

    /// Deletes the account through its page.
    pub async fn delete(&self) -> Checked {
        let page = self.browser.open("/account/delete").await?;
        let page = self.browser.submit(&page.form("/account/delete")?, &[("password", &self.password)]).await?;
        page.response.status(200).map(|_| ())
    }
}

/// Explains a refusal that is no fault of the server.
fn within_limit(response: &ReceivedResponse, what: &str) -> Checked {
    if response.status != 429 {
        return Ok(());
    }
    let minutes = response.header("retry-after").parse::<u64>().unwrap_or_default().div_ceil(60);
    let again = format!("try again in {minutes} minutes, or give tokens with --token and --second-token");
    Err(Stop::skipped(format!("the server's limit of {what} for an address is reached: {again}")))
}

/// The query parameters of an address.
pub fn query(address: &Url) -> HashMap<String, String> {
    address.query_pairs().into_owned().collect()
}

/// Registers the metadata as it is.
pub async fn register(service: &Arc<Service>, metadata: &Value) -> Checked<ReceivedResponse> {
    Call::new(service, Method::POST, "/oauth/register").json(metadata).without_waiting().send().await
}
