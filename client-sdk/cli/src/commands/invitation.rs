//! The commands `invitation list`, `invitation accept` and `invitation decline`.

use futures::TryStreamExt as _;
use itinerary_sdk::Paged as _;
use itinerary_sdk::types::{Invitation, Member};
use reqwest::Method;
use serde_json::json;
use uuid::Uuid;

use super::list::note_more;
use crate::arguments::InvitationCommand;
use crate::failure::{Exit, Failure};
use crate::output::{DIM, Output, TITLE};
use crate::service::Service;
use crate::table::{Cell, Column, Table};
use crate::{text, trip};

pub(super) async fn run(service: &Service, output: Output, command: InvitationCommand) -> Result<(), Failure> {
    match command {
        InvitationCommand::List { limit } => list(service, output, limit).await,
        InvitationCommand::Accept { trip } => accept(service, output, &trip).await,
        InvitationCommand::Decline { trip } => decline(service, output, &trip).await,
    }
}

async fn list(service: &Service, output: Output, limit: usize) -> Result<(), Failure> {
    let (entries, more) = service.list("/v1/invitations", &[], limit).await?;
    if output.json {
        return entries.iter().try_for_each(|entry| output.raw(entry.get()));
    }
    let parsed: Result<Vec<Invitation>, _> = entries.iter().map(|entry| serde_json::from_str(entry.get())).collect();
    let invitations = parsed
        .map_err(|error| Failure::new(Exit::Failure, format!("the server sent JSON that is not the API's: {error}")))?;
    if output.quiet {
        return invitations.iter().try_for_each(|found| output.print(&format!("{}\n", found.itinerary_id)));
    }
    if invitations.is_empty() {
        return output.say("No pending invitations.");
    }
    let mut table = Table::new([
        Column::wrapped("TRIP"),
        Column::wrapped("DESTINATION"),
        Column::left("FROM"),
        Column::left("ROLE"),
        Column::left("INVITED"),
        Column::left("ID"),
    ]);
    for invitation in &invitations {
        table.row([
            Cell::styled(&*invitation.title, TITLE),
            Cell::new(&*invitation.destination.name),
            Cell::new(format!("@{}", invitation.from.username)),
            Cell::new(text::words(&invitation.role.to_string())),
            Cell::new(invitation.at.format("%-d %b %Y").to_string()),
            Cell::styled(invitation.itinerary_id.to_string(), DIM),
        ]);
    }
    table.drop_if_narrow(5, output.width);
    output.print(&table.render(output.width))?;
    note_more(output, more, limit);
    Ok(())
}

async fn accept(service: &Service, output: Output, name: &str) -> Result<(), Failure> {
    let id = find(service, name).await?;
    let answer = service.send::<Member>(service.request(Method::PUT, &format!("/v1/invitations/{id}"), &[])).await?;
    service.profile.set_last(id);
    let line = format!("Accepted: you are {} of the trip.", text::words(&answer.value.role.to_string()));
    output.answer(&answer.raw, &id.to_string(), &line)
}

async fn decline(service: &Service, output: Output, name: &str) -> Result<(), Failure> {
    let id = find(service, name).await?;
    service.client.invitation_decline(id).send().await?;
    output.outcome(&json!({ "itineraryId": id }), &id.to_string(), "Declined.")
}

/// The itinerary of an invitation: its id, or the beginning of its title among the pending invitations.
async fn find(service: &Service, name: &str) -> Result<Uuid, Failure> {
    if let Ok(id) = name.parse() {
        return Ok(id);
    }
    let pending: Vec<Invitation> = service.client.invitation_list().stream().try_collect().await?;
    match trip::by_prefix(&pending, name, |invitation| &invitation.title)[..] {
        [found] => Ok(found.itinerary_id),
        [] => Err(Failure::new(
            Exit::NotFound,
            format!("no pending invitation has a title that begins with “{name}”: see `itinerary invitation list`"),
        )),
        _ => Err(Failure::usage(format!(
            "several invitations have a title that begins with “{name}”: name one by its id"
        ))),
    }
}
