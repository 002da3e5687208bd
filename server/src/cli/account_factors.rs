//! Commands that list and remove the passkeys and one-time codes of an account.

use clap::Subcommand;
use itinerary_app::audit::Event;
use itinerary_app::mails::{self, Notice};
use itinerary_platform::context::Service;
use itinerary_store::{NO_PASSWORD, PasskeyRow};
use serde_json::{Value, json};

use super::CliResult;
use super::account::recorded;
use super::account_access::{find, minute, one_line};
use super::output::Output;

#[derive(Subcommand)]
pub(super) enum FactorsCommand {
    /// List the passkeys, and say whether one-time codes are on (the default command)
    List,
    /// Remove all passkeys, turn one-time codes off and end every session, for a traveller who has lost everything. Make
    /// sure first that it is them who asks: afterwards the password alone signs in
    Remove,
}

pub(super) async fn factors(service: &Service, name: &str, command: FactorsCommand, output: Output) -> CliResult {
    let account = find(service, name).await?;
    let store = &service.store;
    match command {
        FactorsCommand::List => {
            let passkeys = store.passkeys(account.id).await?;
            for passkey in &passkeys {
                print(passkey, output)?;
            }
            let codes = store.one_time_codes(account.id).await?;
            if passkeys.is_empty() && codes.is_none() {
                return output.say("No passkeys; one-time codes are off.");
            }
            if let Some(codes) = codes {
                let left = store.recovery_codes_left(account.id).await?;
                let value = json!({ "kind": "oneTimeCodes", "createdAt": codes.created_at, "recoveryCodesLeft": left });
                let text = format!("one-time codes  since {}  {left} recovery codes left", minute(codes.created_at));
                output.print(&value, "one-time codes", &text)?;
            }
            Ok(())
        }
        FactorsCommand::Remove => {
            let (passkeys, had_codes) = store.factors_remove(account.id).await?;
            if passkeys > 0 || had_codes {
                let name = "All passkeys and one-time codes";
                recorded(service, Event::SignInMethodRemoved, account.id, name).await;
                mails::notify(service, account.id, Notice::MethodRemoved { name }).await;
            }
            let sessions = store.account_sessions_end(account.id, None).await?;
            let value = json!({
                "username": name,
                "passkeys": passkeys,
                "oneTimeCodes": had_codes,
                "sessions": sessions,
            });
            let codes = if had_codes { "were turned off" } else { "were off" };
            let mut text = format!(
                "Passkeys that were removed from {name}: {passkeys}. One-time codes {codes}. Sessions that ended: {sessions}."
            );
            if account.password_hash == NO_PASSWORD {
                text.push_str("\nThe account has no password: `account reset-link` makes a link to set one.");
            }
            output.print(&value, "", &text)
        }
    }
}

/// A passkey, as JSON.
pub(super) fn passkey_value(passkey: &PasskeyRow) -> Value {
    json!({
        "kind": "passkey",
        "id": passkey.id,
        "name": passkey.name,
        "createdAt": passkey.created_at,
        "lastUsedOn": itinerary_app::passkeys::last_used_on(passkey),
    })
}

fn print(passkey: &PasskeyRow, output: Output) -> CliResult {
    let used = itinerary_app::passkeys::last_used_on(passkey);
    let used = used.map_or_else(|| "never used".to_owned(), |day| format!("last used on {day}"));
    let name = one_line(&passkey.name);
    let text = format!("{}  passkey {name:?}  since {}  {used}", passkey.id, minute(passkey.created_at));
    output.print(&passkey_value(passkey), &passkey.id.to_string(), &text)
}
