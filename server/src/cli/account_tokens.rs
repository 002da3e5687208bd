//! Commands that make, list and revoke the personal access tokens of an account.

use chrono::TimeDelta;
use clap::Subcommand;
use itinerary_app::audit::Event;
use itinerary_app::personal_tokens;
use itinerary_platform::context::Service;
use itinerary_store::PersonalToken;
use serde_json::json;
use uuid::Uuid;

use super::CliResult;
use super::account::recorded;
use super::account_access::{find, minute, one_line};
use super::output::Output;

#[derive(Subcommand)]
pub(super) enum TokensCommand {
    /// List the tokens, newest first (the default command)
    List,
    /// Revoke a token, or all of them
    Revoke {
        /// The token's id
        #[arg(required_unless_present = "all")]
        id: Option<Uuid>,
        /// Revoke all tokens
        #[arg(long, conflicts_with = "id")]
        all: bool,
    },
}

/// Makes a token and prints it.
pub(super) async fn make(
    service: &Service,
    name: &str,
    token_name: &str,
    scope: &str,
    days: i64,
    output: Output,
) -> CliResult {
    let account = find(service, name).await?;
    let expires_at = service.clock.now() + TimeDelta::days(days);
    let made = personal_tokens::create(service, account.id, None, token_name, scope, expires_at).await?;
    recorded(service, Event::TokenMade, account.id, token_name.trim()).await;
    if !output.json && !output.quiet {
        eprintln!("Valid until {} for: {}", made.expires_at, made.scope);
    }
    let value = json!({ "id": made.id, "token": made.token, "expiresAt": made.expires_at, "scope": made.scope });
    output.print(&value, &made.token, &made.token)
}

pub(super) async fn tokens(service: &Service, name: &str, command: TokensCommand, output: Output) -> CliResult {
    let account = find(service, name).await?;
    let revoked = match command {
        TokensCommand::List => {
            for token in service.store.personal_tokens(account.id).await? {
                print(&token, output)?;
            }
            return Ok(());
        }
        TokensCommand::Revoke { id: Some(id), .. } => {
            if !service.store.personal_token_revoke(account.id, id).await? {
                return Err(format!("{name} has no personal access token {id}").into());
            }
            1
        }
        TokensCommand::Revoke { id: None, .. } => service.store.personal_tokens_revoke(account.id).await?,
    };
    if revoked > 0 {
        recorded(service, Event::TokenRevoked, account.id, "").await;
    }
    let text = format!("Personal access tokens of {name} that were revoked: {revoked}.");
    output.print(&json!({ "username": name, "revoked": revoked }), "", &text)
}

fn print(token: &PersonalToken, output: Output) -> CliResult {
    let used = personal_tokens::last_used_on(token);
    let value = json!({
        "id": token.id,
        "name": token.name,
        "scope": token.scope,
        "createdAt": token.created_at,
        "expiresAt": token.expires_at,
        "lastUsedOn": used,
    });
    let text = format!(
        "{}  {:?}  until {}  used {}  {}",
        token.id,
        one_line(&token.name),
        minute(token.expires_at),
        used.map_or_else(|| "never".to_owned(), |day| day.to_string()),
        token.scope,
    );
    output.print(&value, &token.id.to_string(), &text)
}
