//! The commands `share --link`, `links` and `links delete`.

use itinerary_sdk::types::{Link, LinkCreate, LinkList, LinkSections};
use reqwest::Method;
use serde_json::json;
use uuid::Uuid;

use crate::arguments::{LinkArguments, LinksArguments, LinksCommand};
use crate::failure::{Exit, Failure};
use crate::output::{DIM, Output, TITLE};
use crate::service::Service;
use crate::table::{Cell, Column, Table};
use crate::{text, trip};

/// Creates a link and prints its address, which the service tells only now.
pub(super) async fn create(
    service: &Service,
    output: Output,
    id: Uuid,
    arguments: &LinkArguments,
) -> Result<(), Failure> {
    let label = match &arguments.label {
        Some(label) => label.clone(),
        None => unused_label(&read(service, id).await?.data),
    };
    let mut body = LinkCreate::new(label).sections(LinkSections::from(arguments.sections));
    if let Some(end) = arguments.expires {
        body = body.expires_at(end);
    }
    let link = service.client.link_create(id, body).send().await?;
    let Some(address) = link.url.clone() else {
        let message = "the link was created, but its address did not arrive: delete it with `itinerary links delete`";
        return Err(Failure::new(Exit::Failure, message));
    };
    output.outcome(&link, &text::clean(&address), &text::clean(&address))
}

/// `Link 1`, or the next number that no link has.
fn unused_label(links: &[Link]) -> String {
    let labels = (1..=links.len() + 1).map(|number| format!("Link {number}"));
    let mut unused = labels.filter(|label| links.iter().all(|link| link.label != *label));
    unused.next().unwrap_or_default()
}

pub(super) async fn run(service: &Service, output: Output, arguments: LinksArguments) -> Result<(), Failure> {
    match (arguments.command, arguments.trip) {
        (Some(LinksCommand::Delete { trip, link }), _) => delete(service, output, &trip, &link).await,
        (None, trip) => list(service, output, &trip.unwrap_or_default()).await,
    }
}

async fn read(service: &Service, id: Uuid) -> Result<LinkList, Failure> {
    Ok(service.send(service.request(Method::GET, &format!("/v1/itineraries/{id}/links"), &[])).await?.value)
}

async fn list(service: &Service, output: Output, name: &str) -> Result<(), Failure> {
    let id = trip::find(service, name).await?;
    let links = read(service, id).await?.data;
    for link in &links {
        if output.json {
            output.value(link)?;
        } else if output.quiet {
            output.print(&format!("{}\n", link.id))?;
        }
    }
    if output.json || output.quiet {
        return Ok(());
    }
    if links.is_empty() {
        return output.say("No secret links. Create one with `itinerary share TRIP --link`.");
    }
    let mut table = Table::new([
        Column::right(""),
        Column::wrapped("LINK"),
        Column::left("SHOWS"),
        Column::left("CREATED"),
        Column::left("EXPIRES"),
    ]);
    for (at, link) in links.iter().enumerate() {
        let end =
            link.expires_at.map_or_else(|| "never".to_owned(), |end| end.format("%-d %b %Y, %H:%M UTC").to_string());
        table.row([
            Cell::styled((at + 1).to_string(), DIM),
            Cell::styled(&link.label, TITLE),
            Cell::new(text::words(&link.sections.to_string())),
            Cell::new(link.created_at.format("%-d %b %Y").to_string()),
            Cell::new(end),
        ]);
    }
    output.print(&table.render(output.width))
}

async fn delete(service: &Service, output: Output, name: &str, link: &str) -> Result<(), Failure> {
    let id = trip::find(service, name).await?;
    let links = read(service, id).await?.data;
    let named: Vec<_> = links.iter().map(|link| (link.id.to_string(), link)).collect();
    let (link_id, link) = trip::item(&named, link, "link", |(id, _)| id, |(_, link)| &link.label)?;
    service.client.link_delete(id, link.id).send().await?;
    let message = format!("Deleted the link “{}”. Its address no longer works.", text::clean(&link.label));
    output.outcome(&json!({ "deleted": link_id }), link_id, &message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_is_the_first_unused_number() {
        let link = |label: &str| -> Link {
            let json = json!({
                "id": Uuid::nil(), "label": label, "sections": "plan", "createdAt": "2027-01-10T12:00:00Z"
            });
            serde_json::from_value(json).unwrap()
        };
        assert_eq!(unused_label(&[]), "Link 1");
        assert_eq!(unused_label(&[link("Parents"), link("Link 1"), link("Link 3")]), "Link 2");
        assert_eq!(unused_label(&[link("Link 1"), link("Link 2")]), "Link 3");
    }
}
