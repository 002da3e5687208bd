//! The command `share`.

use anstyle::AnsiColor;
use itinerary_sdk::types::{ItineraryPatch, MemberChange, MemberRole, Profile};
use uuid::Uuid;

use super::links;
use crate::arguments::ShareArguments;
use crate::failure::{Exit, Failure};
use crate::output::{Output, TITLE, colour};
use crate::service::Service;
use crate::table::{Cell, Column, Table};
use crate::{text, trip};

pub(super) async fn run(service: &Service, output: Output, arguments: &ShareArguments) -> Result<(), Failure> {
    let id = trip::find(service, &arguments.trip).await?;
    if arguments.link.link {
        return links::create(service, output, id, &arguments.link).await;
    }
    // Everybody is looked up before anything changes.
    let added = people(service, &arguments.add).await?;
    let removed = people(service, &arguments.remove).await?;
    if let Some(audience) = arguments.visibility {
        let current = service.trip(id).await?;
        let patch = ItineraryPatch { visibility: Some(audience_of(audience)), ..ItineraryPatch::default() };
        service.client.itinerary_update(id, &current.etag, patch).send().await?;
    }
    for person in added {
        let change = MemberChange { role: MemberRole::from(arguments.role).into() };
        service.client.member_set(id, person.account_id, change).send().await?;
    }
    for person in removed {
        service.client.member_remove(id, person.account_id).send().await?;
    }
    print(service, output, id).await
}

async fn people(service: &Service, usernames: &[String]) -> Result<Vec<Profile>, Failure> {
    let mut people = Vec::new();
    for username in usernames {
        people.push(person(service, username).await?);
    }
    Ok(people)
}

/// The person with a username, which may start with `@`.
pub(super) async fn person(service: &Service, username: &str) -> Result<Profile, Failure> {
    let username = username.trim_start_matches('@');
    service.client.account_find(username).send().await.map_err(|error| {
        let failure = Failure::from(error);
        if failure.exit == Exit::NotFound {
            return Failure::new(Exit::NotFound, format!("there is no traveller @{username}"));
        }
        failure
    })
}

/// Prints who can see the trip. Only its owner may list the members.
async fn print(service: &Service, output: Output, id: Uuid) -> Result<(), Failure> {
    let trip = service.trip(id).await?.value;
    let members = match service.client.member_list(id).send().await.map_err(Failure::from) {
        Ok(answer) => Some(answer.data),
        Err(failure) if failure.exit == Exit::Forbidden => None,
        Err(failure) => return Err(failure),
    };
    let address = service.address(id);
    if output.json {
        return output.value(&serde_json::json!({
            "id": id, "visibility": trip.visibility, "address": address, "members": members }));
    }
    if output.quiet {
        return output.print(&format!("{address}\n"));
    }
    let (title, green) = (text::clean(&trip.title), colour(AnsiColor::Green));
    let visibility = text::words(&trip.visibility.to_string());
    output.print(&format!("{TITLE}{title}{TITLE:#} is {green}{visibility}{green:#}.\n{address}\n"))?;
    let mut table = Table::new([
        Column::left("MEMBER"),
        Column::wrapped("NAME"),
        Column::left("ROLE"),
        Column::left("STATUS"),
        Column::left("SINCE"),
    ]);
    for member in members.iter().flatten() {
        table.row([
            Cell::new(format!("@{}", member.username)),
            Cell::new(&member.display_name),
            Cell::new(text::words(&member.role.to_string())),
            Cell::new(text::words(&member.status.to_string())),
            Cell::new(member.since.format("%-d %b %Y").to_string()),
        ]);
    }
    if members.is_some_and(|members| !members.is_empty()) {
        output.print(&format!("\n{}", table.render(output.width)))?;
    }
    Ok(())
}

fn audience_of<T: From<itinerary_sdk::types::Visibility>>(audience: crate::choices::Audience) -> T {
    itinerary_sdk::types::Visibility::from(audience).into()
}
