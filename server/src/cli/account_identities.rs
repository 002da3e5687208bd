//! Commands that list and unlink the accounts at providers with which a traveller signs in.

use clap::Subcommand;
use itinerary_app::audit::Event;
use itinerary_app::mails::{self, Notice};
use itinerary_core::ids;
use itinerary_platform::context::Service;
use itinerary_store::IdentityRow;
use serde_json::json;

use super::CliResult;
use super::account::recorded;
use super::account_access::{find, minute, one_line, short_id};
use super::output::Output;

#[derive(Subcommand)]
pub(super) enum IdentitiesCommand {
    /// List the linked accounts, oldest first (the default command)
    List,
    /// Unlink an account, or all of them, even if the traveller cannot sign in afterwards
    Unlink {
        /// The linked account's id
        #[arg(required_unless_present = "all")]
        id: Option<String>,
        /// Unlink all
        #[arg(long, conflicts_with = "id")]
        all: bool,
    },
}

pub(super) async fn identities(service: &Service, name: &str, command: IdentitiesCommand, output: Output) -> CliResult {
    let account = find(service, name).await?;
    let identities = service.store.identities(account.id).await?;
    let IdentitiesCommand::Unlink { id: wanted, .. } = command else {
        for identity in &identities {
            print(identity, output)?;
        }
        return Ok(());
    };
    let chosen = identities.iter().filter(|identity| wanted.as_ref().is_none_or(|wanted| *wanted == id(identity)));
    let mut unlinked = 0_u64;
    for IdentityRow { issuer, subject, provider, .. } in chosen {
        if service.store.identity_delete(account.id, issuer, subject).await? {
            recorded(service, Event::SignInMethodRemoved, account.id, provider).await;
            mails::notify(service, account.id, Notice::MethodRemoved { name: provider }).await;
            unlinked += 1;
        }
    }
    if let (Some(wanted), 0) = (&wanted, unlinked) {
        return Err(format!("{name} has not linked an account {wanted}").into());
    }
    let text = format!("Accounts at providers that were unlinked from {name}: {unlinked}.");
    output.print(&json!({ "username": name, "unlinked": unlinked }), "", &text)
}

fn id(identity: &IdentityRow) -> String {
    short_id(&ids::hash(&format!("{} {}", identity.issuer, identity.subject)))
}

fn print(identity: &IdentityRow, output: Output) -> CliResult {
    let (id, IdentityRow { issuer, subject, provider, linked_at }) = (id(identity), identity);
    let value = json!({ "id": id, "provider": provider, "issuer": issuer, "subject": subject, "linkedAt": linked_at });
    let (provider, subject) = (one_line(provider), one_line(subject));
    let text = format!("{id}  {provider:?}  since {}  {issuer}  {subject}", minute(*linked_at));
    output.print(&value, &id, &text)
}
