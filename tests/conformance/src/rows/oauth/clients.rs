//! Two clients for the rows about OAuth, registered when the first row needs them.

use std::sync::atomic::{AtomicUsize, Ordering};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use reqwest::Method;
use serde_json::{Value, json};
use tokio::sync::OnceCell;

use super::READ_WRITE;
use crate::browser::Page;
use crate::call::{Call, encoded};
use crate::context::Context;
use crate::outcome::{Checked, Stop};
use crate::response::ReceivedResponse;
use crate::sign_in::{Pkce, Traveller, query};

/// The redirect address of most requests, with a query of its own. Nobody is redirected there: the name cannot exist.
pub(super) const REDIRECT: &str = "https://conformance.invalid/callback?keep=1";
/// Registered besides.
pub(super) const LOOPBACK: &str = "http://127.0.0.1/callback";
/// A state with characters that careless encoding would damage.
pub(super) const STATE: &str = "a b+c&d=%26#/é\"'<>";

/// The clients, and whose turn it is to approve.
#[derive(Default)]
pub(super) struct Clients {
    registered: OnceCell<[Checked<ReceivedResponse>; 2]>,
    turn: AtomicUsize,
}

/// What a check works with.
#[derive(Clone)]
pub(super) struct Scene {
    pub(super) context: Context,
    pub(super) public: Client,
    pub(super) confidential: Client,
    turn: usize,
}

/// A registered client.
#[derive(Clone)]
pub(super) struct Client {
    pub(super) id: String,
    pub(super) secret: Option<String>,
    context: Context,
}

/// The tokens of a successful response.
pub(super) struct Tokens {
    pub(super) access: String,
    pub(super) refresh: String,
    pub(super) scope: String,
}

impl Clients {
    /// The responses to the registrations: of a public client, then of a confidential one.
    pub(super) async fn registered(&self, context: &Context) -> &[Checked<ReceivedResponse>; 2] {
        let register = || async {
            let public =
                json!({ "client_name": "Conformance tests (OAuth, public)", "token_endpoint_auth_method": "none" });
            let confidential = json!({ "client_name": "Conformance tests (OAuth, confidential)" });
            [register(context, public).await, register(context, confidential).await]
        };
        self.registered.get_or_init(register).await
    }

    pub(super) async fn scene(&self, context: Context) -> Checked<Scene> {
        let [public, confidential] = self.registered(&context).await;
        let mut public = Client::of(&context, public)?;
        // A server that gives it one fails `oauth.register.public`, and no other row.
        public.secret = None;
        let confidential = Client::of(&context, confidential)?;
        let turn = self.turn.fetch_add(1, Ordering::Relaxed);
        Ok(Scene { context, public, confidential, turn })
    }
}

/// Registers a client with further metadata. What is unknown must be ignored.
async fn register(context: &Context, further: Value) -> Checked<ReceivedResponse> {
    let mut metadata = json!({
        "redirect_uris": [REDIRECT, LOOPBACK],
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "software_id": "conformance",
        "require_auth_time": true,
    });
    if let (Some(metadata), Value::Object(further)) = (metadata.as_object_mut(), further) {
        metadata.extend(further);
    }
    let response = context.call(Method::POST, "/oauth/register").json(&metadata).without_waiting().send().await?;
    if response.status == 429 {
        return Err(Stop::skipped("the hourly limit of registrations for this address is used up"));
    }
    Ok(response)
}

impl Client {
    fn of(context: &Context, registered: &Checked<ReceivedResponse>) -> Checked<Self> {
        let unregistered = || Stop::skipped("no client could be registered: see oauth.register");
        let registration = match registered {
            Ok(response) if matches!(response.status, 200 | 201) => response.json().map_err(|_| unregistered())?,
            Err(Stop::Skipped(reason)) => return Err(Stop::skipped(reason)),
            _ => return Err(unregistered()),
        };
        let text = |name: &str| registration[name].as_str().map(str::to_owned);
        let id = text("client_id").ok_or_else(unregistered)?;
        Ok(Self { id, secret: text("client_secret"), context: context.clone() })
    }

    /// The path of an authorisation request with some parameters replaced. One that is replaced by nothing is left out.
    pub(super) fn authorise(&self, pkce: &Pkce, changes: &[(&str, &str)]) -> String {
        let usual = [
            ("client_id", &*self.id),
            ("redirect_uri", REDIRECT),
            ("response_type", "code"),
            ("scope", READ_WRITE),
            ("code_challenge", &pkce.challenge),
            ("code_challenge_method", "S256"),
            ("state", STATE),
        ];
        let pairs = replaced(&usual, changes);
        let pairs: Vec<String> =
            pairs.iter().map(|(name, value)| format!("{}={}", encoded(name), encoded(value))).collect();
        format!("/oauth/authorise?{}", pairs.join("&"))
    }

    /// The request that exchanges a code, with some fields replaced.
    pub(super) fn exchange(&self, code: &str, pkce: &Pkce, changes: &[(&str, &str)]) -> Call {
        let mut usual = vec![
            ("grant_type", "authorization_code"),
            ("code", code),
            ("code_verifier", &pkce.verifier),
            ("redirect_uri", REDIRECT),
            ("client_id", &self.id),
        ];
        usual.extend(self.secret.as_deref().map(|secret| ("client_secret", secret)));
        self.token_call(&replaced(&usual, changes))
    }

    /// The request that refreshes tokens, with some fields replaced.
    pub(super) fn refresh(&self, token: &str, changes: &[(&str, &str)]) -> Call {
        let mut usual = vec![("grant_type", "refresh_token"), ("refresh_token", token), ("client_id", &*self.id)];
        usual.extend(self.secret.as_deref().map(|secret| ("client_secret", secret)));
        self.token_call(&replaced(&usual, changes))
    }

    /// The request that revokes a token, with some fields replaced.
    pub(super) fn revoke(&self, token: &str, changes: &[(&str, &str)]) -> Call {
        let mut usual = vec![("token", token), ("client_id", &*self.id)];
        usual.extend(self.secret.as_deref().map(|secret| ("client_secret", secret)));
        self.context.call(Method::POST, "/oauth/revoke").form(&replaced(&usual, changes))
    }

    pub(super) fn token_call(&self, fields: &[(&str, &str)]) -> Call {
        self.context.call(Method::POST, "/oauth/token").form(fields)
    }

    /// The value of `Authorization` that proves the client by HTTP Basic.
    pub(super) fn basic(&self, secret: &str) -> String {
        format!("Basic {}", STANDARD.encode(format!("{}:{secret}", self.id)))
    }
}

impl Scene {
    /// A traveller who is signed in.
    pub(super) fn traveller(&self) -> Checked<&Traveller> {
        let travellers = &self.context.travellers.signed_up;
        let traveller = travellers.get(self.turn % travellers.len().max(1));
        traveller
            .ok_or_else(|| Stop::skipped("needs a traveller who approves on the sign-in pages; run without --token"))
    }

    /// The page after a decision about a request with some parameters replaced. It left for the client.
    pub(super) async fn decide(
        &self,
        client: &Client,
        pkce: &Pkce,
        changes: &[(&str, &str)],
        decision: &str,
    ) -> Checked<Page> {
        let browser = &self.traveller()?.browser;
        let consent = browser.open(&client.authorise(pkce, changes)).await?;
        let form = consent.form("/oauth/authorise/decision")?;
        let page = browser.submit(&form, &[("decision", decision)]).await?;
        page.response.ensure(page.left_for.is_some(), "a redirect to the client")?;
        Ok(page)
    }

    /// A code for a request with some parameters replaced.
    pub(super) async fn code(&self, client: &Client, pkce: &Pkce, changes: &[(&str, &str)]) -> Checked<String> {
        let page = self.decide(client, pkce, changes, "approve").await?;
        let code = page.left_for.as_ref().and_then(|back| query(back).remove("code"));
        code.ok_or_else(|| page.response.unlike("a code in the redirect"))
    }

    /// Tokens for a request with some parameters replaced.
    pub(super) async fn tokens(&self, client: &Client, changes: &[(&str, &str)]) -> Checked<Tokens> {
        let pkce = Pkce::new();
        let code = self.code(client, &pkce, changes).await?;
        Tokens::of(&client.exchange(&code, &pkce, &[]).send().await?)
    }
}

impl Tokens {
    /// The tokens of a response, which must succeed.
    pub(super) fn of(response: &ReceivedResponse) -> Checked<Self> {
        let body = response.json_with(200)?;
        let text = |name: &str| {
            let value = body[name].as_str().filter(|value| !value.is_empty());
            value.map(str::to_owned).ok_or_else(|| response.unlike(format!("{name} in the response")))
        };
        Ok(Self { access: text("access_token")?, refresh: text("refresh_token")?, scope: text("scope")? })
    }
}

/// The pairs with some replaced. One that is replaced by nothing is left out.
fn replaced<'p>(usual: &[(&'p str, &'p str)], changes: &[(&'p str, &'p str)]) -> Vec<(&'p str, &'p str)> {
    let kept = usual.iter().filter(|(name, _)| !changes.iter().any(|(changed, _)| changed == name));
    kept.chain(changes.iter().filter(|(_, value)| !value.is_empty())).copied().collect()
}
