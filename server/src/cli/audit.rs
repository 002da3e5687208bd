//! The command `audit`: prints the audit log.

use chrono::{DateTime, Utc};
use clap::Args;
use itinerary_platform::settings::Storage;
use itinerary_store::{AuditFilter, AuditRow};
use serde_json::json;
use uuid::Uuid;

use super::account_access::{find, one_line};
use super::output::Output;
use super::{CliResult, offline_database};

#[derive(Args)]
pub(super) struct AuditCommand {
    /// Only entries about the account with this username
    #[arg(long, value_name = "USERNAME")]
    account: Option<String>,
    /// Only acts of moderators
    #[arg(long, conflicts_with = "account")]
    moderators: bool,
    /// Only entries before the one with this id and time, as printed at the end of a list
    #[arg(long, value_name = "TIME/ID", value_parser = position)]
    before: Option<Position>,
    /// The maximum number of entries, 1 to 1000
    #[arg(long, value_name = "NUMBER", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=1000))]
    limit: u32,
}

type Position = (DateTime<Utc>, Uuid);

fn position(text: &str) -> Result<Position, String> {
    let parsed = text.split_once('/').and_then(|(at, id)| Some((at.parse().ok()?, id.parse().ok()?)));
    parsed.ok_or_else(|| "must be a time and an id, such as 2026-11-29T12:00:00.000Z/…".to_owned())
}

fn position_of(row: &AuditRow) -> String {
    format!("{}/{}", row.created_at.to_rfc3339_opts(chrono::SecondsFormat::Millis, true), row.id)
}

pub(super) async fn run(storage: &Storage, command: AuditCommand, output: Output) -> CliResult {
    let service = offline_database(storage).await?;
    let AuditCommand { account, moderators, before, limit } = command;
    let filter = match &account {
        Some(name) => AuditFilter::Account(find(&service, name).await?.id, DateTime::UNIX_EPOCH),
        None if moderators => AuditFilter::Moderators,
        None => AuditFilter::All,
    };
    let rows = service.store.audit_page(filter, before, limit).await?;
    for row in &rows {
        print(row, output)?;
    }
    match rows.last() {
        Some(last) if rows.len() == limit as usize => {
            output.say(&format!("For earlier entries: --before {}", position_of(last)))
        }
        _ => Ok(()),
    }
}

fn print(row: &AuditRow, output: Output) -> CliResult {
    let value = json!({
        "id": row.id,
        "createdAt": row.created_at,
        "event": row.event,
        "accountId": row.account_id,
        "username": row.username,
        "actor": row.actor,
        "moderator": row.moderator,
        "clientId": row.client_id,
        "clientName": row.client_name,
        "address": row.address,
        "detail": row.detail,
    });
    let by = row.moderator.as_ref().map_or_else(|| row.actor.clone(), |name| format!("{} {name}", row.actor));
    let mut text = format!("{}  {}", row.created_at.format("%Y-%m-%d %H:%M:%S"), row.event);
    let client = row.client_name.as_ref().or(row.client_id.as_ref());
    for (label, value) in [
        ("account", row.username.as_ref()),
        ("by", Some(&by)),
        ("client", client),
        ("from", row.address.as_ref()),
        ("detail", row.detail.as_ref()),
    ] {
        if let Some(value) = value {
            text = format!("{text}  {label} {}", one_line(value));
        }
    }
    output.print(&value, &row.id.to_string(), &text)
}
