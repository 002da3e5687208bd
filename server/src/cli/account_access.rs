//! Commands that show an account, and end its sessions and connected apps.

use std::fmt::Write as _;
use std::io::{self, BufRead as _, IsTerminal as _, Write as _};
use std::path::Path;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use clap::Subcommand;
use futures::StreamExt;
use itinerary_app::accounts::{AccountError, folded};
use itinerary_app::audit::Event;
use itinerary_app::export;
use itinerary_core::legible::is_deceptive;
use itinerary_platform::context::Service;
use itinerary_platform::settings::Config;
use itinerary_store::{
    Account, AccountFacts, ConnectedApp, Hash, IdentityRow, NO_PASSWORD, PERSONAL_TOKENS, SESSIONS, SessionRow,
};
use serde_json::{Value, json};

use super::CliResult;
use super::account::recorded;
use super::account_factors::passkey_value;
use super::output::Output;
use crate::backup::NewFile;

/// The number of apps that one statement reads.
const PAGE: u32 = 200;
/// The number of bytes of a hash that identify a session or an invitation.
const ID_BYTES: usize = 6;

type Result<T, E = Box<dyn std::error::Error + Send + Sync>> = std::result::Result<T, E>;

#[derive(Subcommand)]
pub(super) enum SessionsCommand {
    /// List the sessions, newest first (the default command)
    List,
    /// End a session, or all of them
    Revoke {
        /// The session's id
        #[arg(required_unless_present = "all")]
        id: Option<String>,
        /// End all sessions
        #[arg(long, conflicts_with = "id")]
        all: bool,
    },
}

#[derive(Subcommand)]
pub(super) enum AppsCommand {
    /// List the apps, newest first (the default command)
    List,
    /// Disconnect an app, or all of them
    Revoke {
        /// The app's client id
        #[arg(required_unless_present = "all")]
        client: Option<String>,
        /// Disconnect all apps
        #[arg(long, conflicts_with = "client")]
        all: bool,
    },
}

/// Adds the account's name to an error about it.
pub(super) fn named(name: &str) -> impl FnOnce(AccountError) -> Box<dyn std::error::Error + Send + Sync> {
    move |error| match error {
        AccountError::Unknown => format!("account not found: {name}").into(),
        other => other.into(),
    }
}

pub(super) async fn find(service: &Service, name: &str) -> Result<Account> {
    let account = service.store.account_by_username(&folded(name)).await?;
    account.ok_or(AccountError::Unknown).map_err(named(name))
}

async fn facts(service: &Service, account: &Account) -> Result<AccountFacts> {
    let facts = service.store.account_facts(account.id, service.clock.now()).await?;
    facts.ok_or_else(|| "the database returned no row".into())
}

pub(super) async fn show(service: &Service, config: &Config, name: &str, output: Output) -> CliResult {
    let account = find(service, name).await?;
    let facts = facts(service, &account).await?;
    let identities = service.store.identities(account.id).await?;
    let passkeys = service.store.passkeys(account.id).await?;
    let has_codes = service.store.one_time_codes(account.id).await?.is_some();
    let email = service.store.mail_address(account.id).await?;
    let has_password = account.password_hash != NO_PASSWORD;
    let quotas = config.quotas();
    let home: Option<Value> = account.home_place.as_deref().map(serde_json::from_str).transpose()?;
    let home_name = home.as_ref().and_then(|home| home["name"].as_str()).unwrap_or("-").to_owned();
    let AccountFacts { itineraries, following, followers, memberships, documents, document_bytes, .. } = facts;
    let AccountFacts { sessions, apps, personal_tokens, open_reports, .. } = facts;
    let quota_bytes = config.document_quota;
    let value = json!({
        "accountId": account.id,
        "username": account.username,
        "displayName": account.display_name,
        "plan": account.plan.as_str(),
        "createdAt": account.created_at,
        "email": email.as_ref().map(|row| &row.address),
        "hasPassword": has_password,
        "suspendedAt": account.suspended_at,
        "moderatorSince": account.moderator_since,
        "identities": identities.iter().map(|it| json!({
            "provider": it.provider,
            "issuer": it.issuer,
            "linkedAt": it.linked_at,
        })).collect::<Value>(),
        "passkeys": passkeys.iter().map(passkey_value).collect::<Value>(),
        "oneTimeCodes": has_codes,
        "imageUrl": account.image_url,
        "homePlace": home,
        "itineraries": itineraries,
        "memberships": memberships,
        "following": following,
        "followers": followers,
        "documents": documents,
        "documentBytes": document_bytes,
        "sessions": sessions,
        "apps": apps,
        "personalTokens": personal_tokens,
        "openReports": open_reports,
        "quotas": {
            "itineraries": quotas.itineraries,
            "following": quotas.following,
            "documentBytes": quota_bytes,
            "sessions": SESSIONS,
            "personalTokens": PERSONAL_TOKENS,
        },
    });
    let mut text = String::new();
    let rows = [
        ("username", account.username.clone()),
        ("id", account.id.to_string()),
        ("display name", one_line(&account.display_name)),
        ("plan", account.plan.as_str().to_owned()),
        ("created", minute(account.created_at)),
        ("e-mail", email.map_or_else(|| "-".to_owned(), |row| row.address)),
        ("signs in with", ways_in(has_password, has_codes, passkeys.len(), &identities)),
        ("suspended", account.suspended_at.map_or_else(|| "no".to_owned(), |at| format!("since {}", minute(at)))),
        ("moderator", account.moderator_since.map_or_else(|| "no".to_owned(), |at| format!("since {}", minute(at)))),
        ("picture", one_line(account.image_url.as_deref().unwrap_or("-"))),
        ("home", one_line(&home_name)),
        ("itineraries", format!("{itineraries} of {}", quotas.itineraries)),
        ("member of", memberships.to_string()),
        ("following", format!("{following} of {}", quotas.following)),
        ("followers", followers.to_string()),
        ("documents", format!("{documents}, {} of {} MiB", mebibytes(document_bytes), mebibytes(quota_bytes))),
        ("sessions", format!("{sessions} of {SESSIONS}")),
        ("connected apps", apps.to_string()),
        ("tokens", format!("{personal_tokens} of {PERSONAL_TOKENS}")),
        ("open reports", open_reports.to_string()),
    ];
    for (label, value) in rows {
        writeln!(text, "{label:<15} {value}")?;
    }
    output.print(&value, &account.username, text.trim_end())
}

/// How the traveller can sign in, in words.
fn ways_in(has_password: bool, has_codes: bool, passkeys: usize, identities: &[IdentityRow]) -> String {
    let password = has_password.then(|| if has_codes { "password and one-time code" } else { "password" }.to_owned());
    let passkeys = match passkeys {
        0 => None,
        1 => Some("one passkey".to_owned()),
        many => Some(format!("{many} passkeys")),
    };
    let password = password.into_iter().chain(passkeys);
    let ways: Vec<_> = password.chain(identities.iter().map(|identity| one_line(&identity.provider))).collect();
    ways.join(", ")
}

/// Writes what the account page offers as a download.
pub(super) async fn export(service: Service, name: &str, file: &Path, output: Output) -> CliResult {
    let account = find(&service, name).await?;
    let failed = |error: io::Error| format!("{}: {error}", file.display());
    let mut new = NewFile::create(file).map_err(failed)?;
    recorded(&service, Event::DataExported, account.id, "").await;
    let mut archive = export::archive(&Arc::new(service), account).ok_or("another export is running")?;
    let mut bytes = 0;
    while let Some(piece) = archive.next().await {
        let piece = piece.map_err(failed)?;
        new.write_all(&piece).map_err(failed)?;
        bytes += piece.len();
    }
    new.finish().map_err(failed)?;
    let file = file.display().to_string();
    let text = format!("Wrote the data of {name} to {file}: {bytes} bytes.");
    output.print(&json!({ "username": name, "file": file, "bytes": bytes }), "", &text)
}

/// Asks at a terminal whether to delete an account. Without a terminal there is nobody to ask.
pub(super) async fn confirm_deletion(service: &Service, name: &str) -> Result<bool> {
    let account = find(service, name).await?;
    if !io::stdin().is_terminal() {
        return Ok(true);
    }
    let AccountFacts { itineraries, documents, .. } = facts(service, &account).await?;
    let (username, shown) = (&account.username, one_line(&account.display_name));
    eprint!("Delete {username} ({shown}) with {itineraries} itineraries and {documents} documents? [y/N] ");
    io::stderr().flush()?;
    let mut response = String::new();
    io::stdin().lock().read_line(&mut response)?;
    Ok(matches!(response.trim(), "y" | "Y" | "yes"))
}

pub(super) async fn sessions(service: &Service, name: &str, command: SessionsCommand, output: Output) -> CliResult {
    let account = find(service, name).await?;
    let (store, now) = (&service.store, service.clock.now());
    let ended = match command {
        SessionsCommand::List => {
            for session in store.account_sessions(account.id, now).await? {
                let (id, SessionRow { created_at, expires_at, .. }) = (short_id(&session.hash), session);
                let text = format!("{id}  since {}  until {}", minute(created_at), minute(expires_at));
                output.print(&json!({ "id": id, "createdAt": created_at, "expiresAt": expires_at }), &id, &text)?;
            }
            return Ok(());
        }
        SessionsCommand::Revoke { id: Some(id), .. } => {
            let sessions = store.account_sessions(account.id, now).await?;
            let session = sessions.iter().find(|session| short_id(&session.hash) == id);
            let session = session.ok_or_else(|| format!("{name} has no session {id}"))?;
            store.account_sessions_end(account.id, Some(&session.hash)).await?
        }
        SessionsCommand::Revoke { id: None, .. } => store.account_sessions_end(account.id, None).await?,
    };
    let text = format!("Sessions of {name} that were ended: {ended}.");
    output.print(&json!({ "username": name, "ended": ended }), "", &text)
}

/// Identifies a session or an invitation in commands. Both are known by the hash of their secret, from which the secret
/// cannot be derived.
pub(super) fn short_id(hash: &Hash) -> String {
    hash[..ID_BYTES].iter().fold(String::new(), |id, byte| id + &format!("{byte:02x}"))
}

pub(super) async fn apps(service: &Service, name: &str, command: AppsCommand, output: Output) -> CliResult {
    let account = find(service, name).await?;
    let (store, now) = (&service.store, service.clock.now());
    let AppsCommand::Revoke { client, .. } = command else {
        let mut after = None;
        loop {
            let apps = store.grant_page(account.id, now, after, PAGE).await?;
            for app in &apps {
                print_app(app, output)?;
            }
            match apps.last() {
                Some(last) => after = Some((last.created_at, last.grant_id)),
                None => return Ok(()),
            }
        }
    };
    let ended = store.account_apps_end(account.id, client.as_deref(), now).await?;
    if let (Some(client), 0) = (&client, ended) {
        return Err(format!("{name} has not connected an app {client}").into());
    }
    if ended > 0 {
        recorded(service, Event::AppDisconnected, account.id, client.as_deref().unwrap_or_default()).await;
    }
    let text = format!("Grants of {name} that were revoked: {ended}.");
    output.print(&json!({ "username": name, "revoked": ended }), "", &text)
}

fn print_app(app: &ConnectedApp, output: Output) -> CliResult {
    let value = json!({
        "clientId": app.client_id,
        "name": app.client_name,
        "scope": app.scope,
        "resource": app.resource,
        "connectedAt": app.created_at,
        "lastUsedAt": app.last_used_at,
    });
    let text = format!(
        "{}  {:?}  since {}  used {}  {}",
        one_line(&app.client_id),
        one_line(&app.client_name),
        minute(app.created_at),
        minute(app.last_used_at),
        app.scope,
    );
    output.print(&value, &one_line(&app.client_id), &text)
}

pub(super) fn minute(at: DateTime<Utc>) -> String {
    at.format("%Y-%m-%d %H:%M").to_string()
}

/// A number of MiB, rounded up.
fn mebibytes(bytes: i64) -> i64 {
    (bytes + (1 << 20) - 1) >> 20
}

/// Text by strangers for a terminal: characters that control it, are invisible or change the direction of the text are
/// written as escapes.
pub(super) fn one_line(text: &str) -> String {
    text.chars().fold(String::with_capacity(text.len()), |mut shown, character| {
        if is_deceptive(character) {
            shown.extend(character.escape_unicode());
        } else {
            shown.push(character);
        }
        shown
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_by_strangers_does_not_control_the_terminal() {
        assert_eq!(one_line("a\u{1b}[2J\r\nb\u{202e}c\u{9b}1m"), "a\\u{1b}[2J\\u{d}\\u{a}b\\u{202e}c\\u{9b}1m");
        assert_eq!(one_line("Café 東京 🌊"), "Café 東京 🌊");
    }
}
