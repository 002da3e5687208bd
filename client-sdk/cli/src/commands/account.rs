//! Signing in and out.

use std::fs;
use std::io::Write as _;

use anstyle::Style;
use chrono::{DateTime, FixedOffset, TimeDelta};
use itinerary_sdk::types::{Account, RevocationRequest};
use itinerary_sdk::{Client, Clock as _, SignIn, SystemClock, TokenStore as _, Tokens, open_browser};
use reqwest::Method;
use serde::Deserialize;

use crate::arguments::Global;
use crate::failure::{Exit, Failure};
use crate::output::{Output, TITLE};
use crate::profile::Profile;
use crate::service::{Service, USER_AGENT, server};
use crate::{prompt, text};

/// What the commands need.
const SCOPES: [&str; 4] = ["itineraries:read", "itineraries:write", "documents:read", "documents:write"];
/// The beginning of personal access tokens.
const PERSONAL_PREFIX: &str = "itn_pat_";
/// How long a token without a known expiry is sent. The server rejects it once it has expired.
const UNKNOWN_EXPIRY: TimeDelta = TimeDelta::days(3650);

/// A token as `itinerary-server account token --json` prints it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Printed {
    token: String,
    expires_at: Option<DateTime<FixedOffset>>,
}

pub(super) async fn login(global: &Global, output: Output, print_url: bool) -> Result<(), Failure> {
    let profile = Profile::open(&global.profile)?;
    let server = server(global, &profile)?;
    let mut sign_in = SignIn::new(&server, "Itinerary command line").scopes(SCOPES);
    if global.allow_insecure_http {
        sign_in = sign_in.allow_insecure_http();
    }
    let tokens = sign_in.run(|url| {
        let bold = Style::new().bold();
        let told = if print_url || open_browser(url).is_err() {
            "Open this address in a browser on this machine:"
        } else {
            "Sign in in the browser. If none opens, open this address:"
        };
        // If standard error is closed, a browser may still have opened.
        let _ = writeln!(anstream::stderr(), "{told}\n\n  {bold}{url}{bold:#}\n");
    });
    let tokens = tokens.await?;
    let store = profile.tokens(&server)?;
    {
        let _lock = store.lock().await?;
        store.save(&tokens).await?;
    }
    profile.set_server(&server)?;
    let client = client(global, &server).access_token(&tokens.access_token).build()?;
    let account = client.account_self().send().await?;
    let (name, username) = (text::clean(&account.display_name), text::clean(&account.username));
    let line = format!("Signed in to {server} as {TITLE}{name}{TITLE:#} (@{username}).");
    output.outcome(&account, &username, &line)
}

/// Signs in with an access token: that of `--token`, or one from the terminal or from standard input, alone or as JSON with
/// its expiry.
pub(super) async fn login_with_token(global: &Global, output: Output) -> Result<(), Failure> {
    let profile = Profile::open(&global.profile)?;
    let server = server(global, &profile)?;
    let text = match &global.token {
        Some(token) => token.trim().to_owned(),
        None => prompt::secret("Access token: ").await?,
    };
    let Printed { token, expires_at } = match serde_json::from_str(&text) {
        Ok(printed) => printed,
        Err(_) => Printed { token: text, expires_at: None },
    };
    if token.is_empty() || token.contains(char::is_whitespace) {
        return Err(Failure::usage("an access token is one word: paste it, or pipe it to standard input"));
    }
    // Nothing is stored that the server rejects.
    let account = client(global, &server).access_token(&token).build()?.account_self().send().await?;
    let tokens = Tokens {
        client_id: String::new(),
        access_token: token,
        refresh_token: None,
        expires_at: expires_at.map_or_else(|| SystemClock.now() + UNKNOWN_EXPIRY, |at| at.to_utc()),
        scope: account.scopes.join(" "),
    };
    let store = profile.tokens(&server)?;
    {
        let _lock = store.lock().await?;
        store.save(&tokens).await?;
    }
    profile.set_server(&server)?;
    let ends = match expires_at {
        Some(at) => format!("The token expires at {}; sign in again then.", at.format("%-d %b %Y %H:%M %:z")),
        None => "The server does not say when the token expires; sign in again then.".to_owned(),
    };
    let (name, username) = (text::clean(&account.display_name), text::clean(&account.username));
    let line = format!("Signed in to {server} as {TITLE}{name}{TITLE:#} (@{username}). {ends}");
    output.outcome(&account, &username, &line)
}

pub(super) async fn logout(global: &Global, output: Output) -> Result<(), Failure> {
    let profile = Profile::open(&global.profile)?;
    let server = server(global, &profile)?;
    let store = profile.tokens(&server)?;
    let tokens = {
        let _lock = store.lock().await?;
        let tokens = store.load().await?;
        if tokens.is_some() {
            fs::remove_file(profile.token_file(&server))?;
        }
        tokens
    };
    let Some(tokens) = tokens else {
        return output.say(&format!("Not signed in to {server}."));
    };
    if tokens.client_id.is_empty() {
        // Another program may use the token too, and only its own client can revoke it.
        let ends = if tokens.access_token.starts_with(PERSONAL_PREFIX) {
            format!("until it expires or you revoke it at {server}/account/tokens")
        } else {
            "until it expires".to_owned()
        };
        return output.say(&format!("Signed out of {server}. The token itself stays valid {ends}."));
    }
    revoke(global, &server, tokens).await.map_err(|failure| {
        let remains = format!("signed out here, but the server was not told: end the app at {server}/account/apps");
        Failure::new(failure.exit, failure.line()).and(&remains)
    })?;
    output.say(&format!("Signed out of {server}."))
}

/// Revokes the refresh token, and with it the access tokens.
async fn revoke(global: &Global, server: &str, tokens: Tokens) -> Result<(), Failure> {
    let request = RevocationRequest {
        token: tokens.refresh_token.unwrap_or(tokens.access_token),
        client_id: Some(tokens.client_id),
        client_secret: None,
        token_type_hint: None,
    };
    let revoked = client(global, server).build()?.oauth_revoke(request).send().await;
    match revoked {
        Ok(_) => Ok(()),
        Err(itinerary_sdk::Error::CommunicationError(error)) => Err(error.into()),
        Err(error) => {
            let status = error.status().map(|status| format!(" with status {status}")).unwrap_or_default();
            Err(Failure::new(Exit::Failure, format!("the server rejected the revocation{status}")))
        }
    }
}

fn client(global: &Global, server: &str) -> itinerary_sdk::ClientBuilder {
    let builder = Client::builder(server).user_agent(USER_AGENT);
    if global.allow_insecure_http { builder.allow_insecure_http() } else { builder }
}

pub(super) async fn whoami(service: &Service, output: Output) -> Result<(), Failure> {
    let answer = service.send::<Account>(service.request(Method::GET, "/v1/account", &[])).await?;
    let account = &answer.value;
    let (name, username) = (text::clean(&account.display_name), text::clean(&account.username));
    let lines = format!(
        "{TITLE}{name}{TITLE:#} (@{username}) at {}\nplan {}, scopes {}",
        service.base_url(),
        text::words(&account.plan.to_string()),
        text::clean(&account.scopes.join(" ")),
    );
    output.answer(&answer.raw, &username, &lines)
}
