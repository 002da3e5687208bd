use std::collections::{HashMap, HashSet};
use std::io::{IsTerminal, Read};
use std::path::PathBuf;

use clap::Subcommand;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use itinerary_app::audit::{self, Actor, Event};
use itinerary_app::{accounts, password_resets};
use itinerary_model::Plan;
use itinerary_platform::context::Service;
use itinerary_platform::settings::{Config, Storage};
use itinerary_store::{Account, NO_PASSWORD, StoreError};
use serde_json::json;
use uuid::Uuid;

use super::account_access::{self, AppsCommand, SessionsCommand, minute, named};
use super::account_factors::{self, FactorsCommand};
use super::account_identities::{self, IdentitiesCommand};
use super::account_invitations::{self, InvitationsCommand, InviteCommand};
use super::account_moderation::{self, Switch};
use super::account_tokens::{self, TokensCommand};
use super::output::Output;
use super::{CliResult, offline, offline_database, prepared, with_mail};

#[derive(Subcommand)]
pub(super) enum AccountCommand {
    /// Create an account; prompts for the password, or reads it from standard input
    Create {
        /// The username
        name: String,
        /// The name that others see. Default: the username
        #[arg(long, value_name = "NAME")]
        display_name: Option<String>,
    },
    /// List the accounts
    List,
    /// Change a username; the former one is reserved for 90 days
    Rename {
        /// The username
        name: String,
        /// The new username
        to: String,
    },
    /// Change an account's plan
    Plan {
        /// The username
        name: String,
        /// The plan
        #[arg(value_parser = plan())]
        plan: Plan,
    },
    /// Change a password, and end every session and connected app of the account
    Password {
        /// The username
        name: String,
    },
    /// Print the address of a link with which the account's owner can set a new password, within an hour
    ResetLink {
        /// The username
        name: String,
    },
    /// Show an account: profile, plan, numbers and quotas
    Show {
        /// The username
        name: String,
    },
    /// Write an account's data to a ZIP file, as its traveller can download it
    Export {
        /// The username
        name: String,
        /// The file to write, which must not exist
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
    /// Permanently delete an account and everything in it; asks first at a terminal
    Delete {
        /// The username
        name: String,
        /// Do not ask
        #[arg(long, short)]
        yes: bool,
    },
    /// Suspend an account: end its sessions, apps, tokens and links, and hide its itineraries
    Suspend {
        /// The username
        name: String,
        /// Why, as the account's owner is told at sign-in; at most 1,000 characters
        #[arg(long, value_name = "TEXT")]
        reason: String,
    },
    /// End the suspension of an account
    Unsuspend {
        /// The username
        name: String,
    },
    /// Make an account a moderator's, or end that
    Moderator {
        /// The username
        name: String,
        /// `on` or `off`
        #[arg(hide_possible_values = true)]
        switch: Switch,
    },
    /// List or end the browser sessions of an account
    Sessions {
        /// The username
        name: String,
        #[command(subcommand)]
        command: Option<SessionsCommand>,
    },
    /// List or disconnect the connected apps of an account
    Apps {
        /// The username
        name: String,
        #[command(subcommand)]
        command: Option<AppsCommand>,
    },
    /// List or unlink the accounts at providers with which a traveller signs in
    Identities {
        /// The username
        name: String,
        #[command(subcommand)]
        command: Option<IdentitiesCommand>,
    },
    /// List or remove the passkeys and one-time codes of an account
    Factors {
        /// The username
        name: String,
        #[command(subcommand)]
        command: Option<FactorsCommand>,
    },
    /// Print the address of a new invitation, with which one person can create an account
    Invite(InviteCommand),
    /// List or revoke invitations to create an account
    Invitations {
        #[command(subcommand)]
        command: Option<InvitationsCommand>,
    },
    /// Print an access token for testing the API, which is valid for one hour; with --days, a personal access token
    Token {
        /// The username
        name: String,
        /// The scopes, separated by spaces
        #[arg(long, default_value = "itineraries:read itineraries:write")]
        scope: String,
        /// Make a personal access token that is valid for this many days, at most 366
        #[arg(long, value_name = "DAYS", value_parser = clap::value_parser!(i64).range(1..=366))]
        days: Option<i64>,
        /// The name of the personal access token
        #[arg(long, value_name = "NAME", default_value = "Command line", requires = "days")]
        token_name: String,
    },
    /// List or revoke the personal access tokens of an account
    Tokens {
        /// The username
        name: String,
        #[command(subcommand)]
        command: Option<TokensCommand>,
    },
}

fn plan() -> impl TypedValueParser<Value = Plan> {
    let names = PossibleValuesParser::new(Plan::ALL.iter().map(|plan| plan.as_str()));
    names.map(|name| Plan::from_name(&name).expect("a possible value"))
}

/// The service, opened as far as a command needs it.
async fn service_for(
    storage: &Storage,
    serve: &Config,
    command: &AccountCommand,
) -> Result<Service, Box<dyn std::error::Error + Send + Sync>> {
    match command {
        AccountCommand::Create { .. } => prepared(storage, serve.no_migrate).await,
        AccountCommand::List
        | AccountCommand::Plan { .. }
        | AccountCommand::Password { .. }
        | AccountCommand::ResetLink { .. }
        | AccountCommand::Show { .. }
        | AccountCommand::Suspend { .. }
        | AccountCommand::Unsuspend { .. }
        | AccountCommand::Moderator { .. }
        | AccountCommand::Sessions { .. }
        | AccountCommand::Apps { .. }
        | AccountCommand::Identities { .. }
        | AccountCommand::Factors { .. }
        | AccountCommand::Invite(_)
        | AccountCommand::Invitations { .. }
        | AccountCommand::Token { .. }
        | AccountCommand::Tokens { .. } => offline_database(storage).await,
        // An export reads files. A former username is reserved under a code made with the key.
        AccountCommand::Delete { .. } | AccountCommand::Rename { .. } | AccountCommand::Export { .. } => {
            offline(storage).await
        }
    }
}

pub(super) async fn run(storage: &Storage, serve: &Config, command: AccountCommand, output: Output) -> CliResult {
    let service = with_mail(service_for(storage, serve, &command).await?, serve);
    match command {
        AccountCommand::Create { name, display_name } => {
            let display_name = display_name.unwrap_or_else(|| name.clone());
            let id = accounts::create(&service, &name, &display_name, &read_password()?).await?;
            recorded(&service, Event::AccountCreated, id, "").await;
            let text = format!("Created the account {name} ({id}).");
            output.print(&json!({ "accountId": id, "username": name }), "", &text)
        }
        AccountCommand::List => list(&service, output).await,
        AccountCommand::Rename { name, to } => {
            let id = account_access::find(&service, &name).await?.id;
            accounts::rename(&service, &name, &to).await.map_err(named(&name))?;
            recorded(&service, Event::AccountRenamed, id, "").await;
            let to = accounts::folded(&to);
            let text = format!("{name} is now called {to}.");
            output.print(&json!({ "username": to, "formerUsername": accounts::folded(&name) }), "", &text)
        }
        AccountCommand::Plan { name, plan } => {
            accounts::set_plan(&service, &name, plan).await.map_err(named(&name))?;
            let text = format!("{name} is on the plan {}.", plan.as_str());
            output.print(&json!({ "username": name, "plan": plan.as_str() }), "", &text)
        }
        AccountCommand::Password { name } => {
            let id = account_access::find(&service, &name).await?.id;
            accounts::set_password(&service, &name, &read_password()?).await.map_err(named(&name))?;
            recorded(&service, Event::PasswordChanged, id, "").await;
            let text = format!("Changed the password of {name}; every session and connected app has ended.");
            output.print(&json!({ "username": name }), "", &text)
        }
        AccountCommand::ResetLink { name } => reset_link(&service, serve, &name, output).await,
        AccountCommand::Show { name } => account_access::show(&service, serve, &name, output).await,
        AccountCommand::Export { name, file } => account_access::export(service, &name, &file, output).await,
        AccountCommand::Sessions { name, command } => {
            account_access::sessions(&service, &name, command.unwrap_or(SessionsCommand::List), output).await
        }
        AccountCommand::Apps { name, command } => {
            account_access::apps(&service, &name, command.unwrap_or(AppsCommand::List), output).await
        }
        AccountCommand::Identities { name, command } => {
            let command = command.unwrap_or(IdentitiesCommand::List);
            account_identities::identities(&service, &name, command, output).await
        }
        AccountCommand::Factors { name, command } => {
            account_factors::factors(&service, &name, command.unwrap_or(FactorsCommand::List), output).await
        }
        AccountCommand::Invite(command) => account_invitations::invite(&service, serve, command, output).await,
        AccountCommand::Invitations { command } => {
            account_invitations::invitations(&service, command.unwrap_or(InvitationsCommand::List), output).await
        }
        AccountCommand::Suspend { name, reason } => account_moderation::suspend(&service, &name, &reason, output).await,
        AccountCommand::Unsuspend { name } => account_moderation::unsuspend(&service, &name, output).await,
        AccountCommand::Moderator { name, switch } => {
            account_moderation::moderator(&service, &name, switch, output).await
        }
        AccountCommand::Delete { name, yes } => delete(&service, &name, yes, output).await,
        AccountCommand::Tokens { name, command } => {
            account_tokens::tokens(&service, &name, command.unwrap_or(TokensCommand::List), output).await
        }
        AccountCommand::Token { name, scope, days: Some(days), token_name } => {
            account_tokens::make(&service, &name, &token_name, &scope, days, output).await
        }
        AccountCommand::Token { name, scope, days: None, .. } => token(&service, &name, &scope, output).await,
    }
}

/// Adds an entry about what the operator does with an account to the audit log.
pub(super) async fn recorded(service: &Service, event: Event, account: Uuid, detail: &str) {
    audit::record(service, event, Some(account), Actor::Operator, detail).await;
}

async fn reset_link(service: &Service, serve: &Config, name: &str, output: Output) -> CliResult {
    let base_url = serve.clone().with_base_url()?.base_url;
    let id = account_access::find(service, name).await?.id;
    let link = password_resets::create(service, &base_url, name).await.map_err(named(name))?;
    recorded(service, Event::ResetLinkMade, id, "").await;
    if !output.json && !output.quiet {
        eprintln!("Works once until {}. The address is not shown again.", minute(link.expires_at));
    }
    let value = json!({ "username": name, "address": link.address, "expiresAt": link.expires_at });
    output.print(&value, &link.address, &link.address)
}

async fn delete(service: &Service, name: &str, yes: bool, output: Output) -> CliResult {
    if !yes && !account_access::confirm_deletion(service, name).await? {
        return output.print(&json!({ "username": name, "deleted": false }), "", "Nothing was deleted.");
    }
    let id = account_access::find(service, name).await?.id;
    accounts::delete_by_username(service, name).await.map_err(named(name))?;
    recorded(service, Event::AccountDeleted, id, "").await;
    accounts::erase_deleted(service).await.map_err(|error| format!("{error:?}"))?;
    output.print(&json!({ "username": name, "deleted": true }), "", &format!("Deleted the account {name}."))
}

/// Prints an access token for an hour.
async fn token(service: &Service, name: &str, scope: &str, output: Output) -> CliResult {
    let id = account_access::find(service, name).await?.id;
    let (token, expires_at) = accounts::issue_token(service, name, scope).await.map_err(named(name))?;
    recorded(service, Event::TokenMade, id, "For an hour").await;
    let value = json!({ "token": token, "expiresAt": expires_at, "scope": scope });
    if !output.json && !output.quiet {
        eprintln!("Valid until {expires_at} for: {scope}");
    }
    output.print(&value, &token, &token)
}

async fn list(service: &Service, output: Output) -> CliResult {
    let addresses = service.store.mail_addresses().await?.into_iter();
    let addresses: HashMap<_, _> = addresses.map(|row| (row.account_id, row.address)).collect();
    let methods = SignInMethods::read(service).await?;
    for account in service.store.account_list().await? {
        let (name, plan) = (&account.username, account.plan.as_str());
        let day = account.created_at.format("%Y-%m-%d");
        let suspended = if account.suspended_at.is_some() { "  suspended" } else { "" };
        let moderator = if account.moderator_since.is_some() { "  moderator" } else { "" };
        let text = format!("{name:<30}  {plan:<4}  {day}  {}{suspended}{moderator}", account.display_name);
        let value = json!({
            "accountId": account.id,
            "username": name,
            "displayName": account.display_name,
            "plan": plan,
            "email": addresses.get(&account.id),
            "signInMethods": methods.of(&account),
            "moderatorSince": account.moderator_since,
            "suspendedAt": account.suspended_at,
            "createdAt": account.created_at,
        });
        output.print(&value, name, &text)?;
    }
    Ok(())
}

/// The accounts that can be signed in to without a password.
struct SignInMethods {
    passkeys: HashSet<Uuid>,
    identities: HashSet<Uuid>,
}

impl SignInMethods {
    async fn read(service: &Service) -> Result<Self, StoreError> {
        let passkeys = service.store.accounts_with_passkeys().await?.into_iter().collect();
        let identities = service.store.accounts_with_identities().await?.into_iter().collect();
        Ok(Self { passkeys, identities })
    }

    /// The methods that an account has, whether or not this server accepts them.
    fn of(&self, account: &Account) -> Vec<&'static str> {
        let has = [
            ("password", account.password_hash != NO_PASSWORD),
            ("passkey", self.passkeys.contains(&account.id)),
            ("provider", self.identities.contains(&account.id)),
        ];
        has.into_iter().filter(|(_, has)| *has).map(|(name, _)| name).collect()
    }
}

/// Reads the password from the terminal without echo, or from standard input without its line end.
fn read_password() -> Result<String, Box<dyn std::error::Error + Send + Sync>> {
    let mut input = std::io::stdin();
    if input.is_terminal() {
        return Ok(rpassword::prompt_password("Password: ")?);
    }
    let mut password = String::new();
    input.read_to_string(&mut password)?;
    Ok(password.trim_end_matches(['\r', '\n']).to_owned())
}
