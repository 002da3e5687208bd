//! The commands `save` and `like`.

use crate::failure::Failure;
use crate::output::Output;
use crate::service::Service;
use crate::{text, trip};

pub(super) async fn save(service: &Service, output: Output, name: &str) -> Result<(), Failure> {
    let id = trip::find(service, name).await?;
    let copy = service.client.itinerary_save(id).send().await?.into_inner();
    service.profile.set_last(copy.id);
    let line = format!("Saved “{}” as {}.", text::clean(&copy.title), copy.id);
    output.outcome(&copy, &copy.id.to_string(), &line)
}

pub(super) async fn like(service: &Service, output: Output, name: &str, undo: bool) -> Result<(), Failure> {
    let id = trip::find(service, name).await?;
    let marks =
        if undo { service.client.like_clear(id).send().await? } else { service.client.like_set(id).send().await? };
    let count = text::count(usize::try_from(marks.likes_count).unwrap_or_default(), "like");
    let done = if undo { "Took the like back" } else { "Liked" };
    output.outcome(&marks, &id.to_string(), &format!("{done}; the trip has {count}."))
}
