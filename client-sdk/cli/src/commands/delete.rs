//! The command `delete`.

use crate::failure::Failure;
use crate::output::Output;
use crate::prompt::{can_ask, confirm};
use crate::service::Service;
use crate::{text, trip};

pub(super) async fn run(service: &Service, output: Output, name: &str, yes: bool) -> Result<(), Failure> {
    let id = trip::find(service, name).await?;
    // With its version, so that what is deleted is what was asked about.
    let trip = service.trip(id).await?;
    let title = text::clean(&trip.value.title);
    if !yes {
        if !can_ask() {
            return Err(Failure::usage("there is no terminal to ask at: pass --yes to delete without asking"));
        }
        if !confirm(&format!("Delete “{title}” for everyone?"), false).await? {
            return output.say("Nothing was deleted.");
        }
    }
    service.client.itinerary_delete(id, &trip.etag).send().await?;
    output.outcome(&serde_json::json!({ "deleted": id }), &id.to_string(), &format!("Deleted “{title}”."))
}
