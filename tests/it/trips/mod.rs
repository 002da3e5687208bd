//! The page of an itinerary to send to others, and the picture for links to it.

mod history;
mod links;
mod marking;
mod readers;
mod running;
mod start_page;
mod streets;
mod visitors;

use itinerary_tests::browser::Browser;
use itinerary_tests::{RawResponse, World};
use reqwest::Method;
use uuid::Uuid;

/// Reads a page in a browser, without following redirects.
async fn read(browser: &Browser, id: &str) -> RawResponse {
    browser.call(Method::GET, &page_of(id)).send().await
}

fn page_of(id: &str) -> String {
    format!("/trips/{id}")
}

/// An id that no itinerary has.
fn unknown() -> String {
    Uuid::new_v4().to_string()
}

/// The picture for links to an itinerary, read by a program without an account.
async fn picture(world: &World, id: &str) -> RawResponse {
    world.call(Method::GET, &format!("/trips/{id}/picture.jpg")).send().await
}

/// Everything of a response that could tell one itinerary from another, without the itinerary's own id, the request's
/// and the date.
fn comparable(response: &RawResponse, id: &str) -> (u16, Vec<(String, String)>, String) {
    let headers = response.headers.iter().filter(|(name, _)| !["x-request-id", "date"].contains(&name.as_str()));
    let text = |text: &str| text.replace(id, "ID");
    let headers = headers.map(|(name, value)| (name.to_string(), text(value.to_str().expect("text"))));
    (response.status.as_u16(), headers.collect(), text(&response.text()))
}
