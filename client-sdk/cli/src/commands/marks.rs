//! The commands `save` and `like`.

use itinerary_sdk::types::{Itinerary, Marks};
use reqwest::Method;

use crate::failure::Failure;
use crate::output::Output;
use crate::service::Service;
use crate::{text, trip};

pub(super) async fn save(service: &Service, output: Output, name: &str) -> Result<(), Failure> {
    let id = trip::find(service, name).await?;
    let request = service.request(Method::POST, &format!("/v1/itineraries/{id}/saves"), &[]);
    let answer = service.send::<Itinerary>(request).await?;
    let copy = &answer.value;
    service.profile.set_last(copy.id);
    let line = format!("Saved “{}” as {}.", text::clean(&copy.title), copy.id);
    output.answer(&answer.raw, &copy.id.to_string(), &line)
}

pub(super) async fn like(service: &Service, output: Output, name: &str, undo: bool) -> Result<(), Failure> {
    let id = trip::find(service, name).await?;
    let method = if undo { Method::DELETE } else { Method::PUT };
    let answer = service.send::<Marks>(service.request(method, &format!("/v1/itineraries/{id}/like"), &[])).await?;
    let count = text::count(usize::try_from(answer.value.likes_count).unwrap_or_default(), "like");
    let done = if undo { "Took the like back" } else { "Liked" };
    output.answer(&answer.raw, &id.to_string(), &format!("{done}; the trip has {count}."))
}
