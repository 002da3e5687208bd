//! Commands that suspend accounts, end suspensions, and appoint moderators.

use clap::ValueEnum;
use itinerary_app::audit::Actor;
use itinerary_app::moderation::{self, ModerationError};
use itinerary_platform::context::Service;
use serde_json::json;

use super::CliResult;
use super::account_access::find;
use super::output::Output;

/// Whether somebody is a moderator.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Switch {
    /// A moderator
    On,
    /// Not a moderator
    Off,
}

pub(super) async fn suspend(service: &Service, name: &str, reason: &str, output: Output) -> CliResult {
    let account = find(service, name).await?;
    let is_new = moderation::suspend(service, &account, reason, Actor::Operator).await?;
    let text = if is_new {
        format!(
            "Suspended {name}. Every session, connected app, token and secret link of the account has stopped working."
        )
    } else {
        format!("{name} was suspended before; the reason is replaced.")
    };
    output.print(&json!({ "username": name, "suspended": true }), "", &text)
}

pub(super) async fn unsuspend(service: &Service, name: &str, output: Output) -> CliResult {
    let account = find(service, name).await?;
    match moderation::unsuspend(service, account.id, Actor::Operator).await {
        Err(ModerationError::Unknown) => return Err(format!("{name} is not suspended").into()),
        outcome => outcome?,
    }
    let text = format!("{name} can sign in again. Apps and tokens must be connected and made anew.");
    output.print(&json!({ "username": name, "suspended": false }), "", &text)
}

pub(super) async fn moderator(service: &Service, name: &str, switch: Switch, output: Output) -> CliResult {
    let account = find(service, name).await?;
    let is_moderator = switch == Switch::On;
    moderation::set_moderator(service, &account, is_moderator).await?;
    let text = if is_moderator {
        format!("{name} is a moderator and sees the page /moderation.")
    } else {
        format!("{name} is not a moderator.")
    };
    output.print(&json!({ "username": name, "moderator": is_moderator }), "", &text)
}
