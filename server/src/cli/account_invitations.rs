//! Commands that invite people to create an account, and list and revoke these invitations.

use chrono::TimeDelta;
use clap::{Args, Subcommand};
use itinerary_app::audit::{self, Actor, Event};
use itinerary_app::sign_up_invitations::{Invited, invite as invite_somebody};
use itinerary_platform::context::Service;
use itinerary_platform::settings::{Config, SignUpMode};
use itinerary_store::SignUpInvitationRow;
use serde_json::json;

use super::CliResult;
use super::account_access::{minute, one_line, short_id};
use super::output::Output;

#[derive(Args)]
pub(super) struct InviteCommand {
    /// For whom the invitation is; shown in the list of invitations. At most 200 characters
    #[arg(long, value_name = "TEXT")]
    note: Option<String>,
    /// How many days the invitation can be used, 1 to 30
    #[arg(long, value_name = "DAYS", default_value_t = 7, value_parser = clap::value_parser!(u8).range(1..=30))]
    days: u8,
}

#[derive(Subcommand)]
pub(super) enum InvitationsCommand {
    /// List the invitations that can be used, newest first (the default command)
    List,
    /// Revoke an invitation
    Revoke {
        /// The invitation's id
        id: String,
    },
}

/// Prints the address of a new invitation.
pub(super) async fn invite(service: &Service, config: &Config, command: InviteCommand, output: Output) -> CliResult {
    let mode = match config.sign_in.sign_up {
        SignUpMode::Invite => None,
        SignUpMode::Open => Some("`sign_up` is `open` in the settings of this command: nobody needs an invitation"),
        SignUpMode::Closed => Some("`sign_up` is `closed` in the settings of this command: invitations do not work"),
    };
    if let Some(warning) = mode {
        output.warn(warning);
    }
    let base_url = config.clone().with_base_url()?.base_url;
    let lifetime = TimeDelta::days(command.days.into());
    let note = command.note.as_deref();
    let invited = invite_somebody(service, &base_url, note, lifetime, None).await?;
    audit::record(service, Event::SignUpInvited, None, Actor::Operator, note.unwrap_or_default()).await;
    let Invited { hash, address, expires_at } = invited;
    if !output.json && !output.quiet {
        eprintln!("Good for one account until {}. The address is not shown again.", minute(expires_at));
    }
    let value = json!({ "id": short_id(&hash), "address": address, "expiresAt": expires_at });
    output.print(&value, &address, &address)
}

pub(super) async fn invitations(service: &Service, command: InvitationsCommand, output: Output) -> CliResult {
    let invitations = service.store.sign_up_invitation_list(service.clock.now()).await?;
    match command {
        InvitationsCommand::List => {
            for invitation in invitations {
                print(&invitation, output)?;
            }
            Ok(())
        }
        InvitationsCommand::Revoke { id } => {
            let found = invitations.iter().find(|invitation| short_id(&invitation.hash) == id);
            let found = found.ok_or_else(|| format!("there is no invitation {id}"))?;
            if !service.store.sign_up_invitation_delete(&found.hash).await? {
                return Err(format!("there is no invitation {id}").into());
            }
            output.print(&json!({ "id": id, "revoked": true }), "", &format!("Revoked the invitation {id}."))
        }
    }
}

fn print(invitation: &SignUpInvitationRow, output: Output) -> CliResult {
    let id = short_id(&invitation.hash);
    let SignUpInvitationRow { created_at, expires_at, note, created_by, .. } = invitation;
    let value = json!({
        "id": id,
        "createdAt": created_at,
        "expiresAt": expires_at,
        "note": note,
        "createdBy": created_by,
    });
    let by = created_by.as_ref().map(|name| format!("  by {name}")).unwrap_or_default();
    let note = note.as_ref().map(|note| format!("  {:?}", one_line(note))).unwrap_or_default();
    let text = format!("{id}  since {}  until {}{by}{note}", minute(*created_at), minute(*expires_at));
    output.print(&value, &id, &text)
}
