//! Secret links: the operations, and the pages that need no account.
//!
//! `http` tests the rights of each role and the errors that all operations share.

mod ends;
mod files;
mod link_create;
mod link_delete;
mod log;
mod page;

use itinerary_tests::app::{App, path};
use itinerary_tests::raw::Call;
use itinerary_tests::{RawResponse, World};
use reqwest::Method;
use serde_json::{Value, json};

/// Says what is secret about a booking, but for the labels of what is shown.
const WITHHELD: [&str; 33] = [
    // Confirmation numbers.
    "X7KQ2P",
    "139-7",
    "4471",
    "88-1",
    // Addresses of bookings.
    "book.example/x7kq2p",
    "book.example/139",
    "book.example/4471",
    "book.example/88-1",
    // Telephone numbers.
    "+351 211 234 400",
    "+351 291 220 148",
    "+351 291 221 789",
    "+351 291 000 000",
    "211234400",
    // Notes.
    "Online check-in",
    "Sit on the left",
    "A table outside",
    "Breakfast included",
    // The room.
    "room 12",
    "Room 12",
    "Room",
    // Tickets.
    "Ana Reis",
    "047-2100000001",
    "M1REIS",
    "coach 3",
    "Ticket",
    "ticket",
    // The origin.
    "Lisboa",
    // Expenses and packing.
    "19.99",
    "Expenses",
    "Boots",
    "To pack",
    // Documents.
    "Passport of Ana",
    // A field that this version does not know.
    "LATER",
];

/// What bookings are recognised by.
const BOOKINGS: [&str; 5] = ["TP1689", "Quinta", "Rodoeste", "Taberna Madeira", "Cristiano Ronaldo"];

fn links_of(itinerary: &str) -> String {
    format!("{}/links", path(itinerary))
}

fn create_call(app: &App<'_>, itinerary: &str, body: &Value) -> Call {
    app.call(Method::POST, &links_of(itinerary)).json(body)
}

/// Creates a link. Returns the response's JSON and the path of its page.
async fn created(app: &App<'_>, itinerary: &str, body: &Value) -> (Value, String) {
    let response = create_call(app, itinerary, body).send().await;
    assert_eq!(response.status, 201, "{}", response.text());
    let link = response.json();
    let url = link["url"].as_str().expect("an address").to_owned();
    let path = url.strip_prefix(&app.world.base_url).expect("an address of this server").to_owned();
    let secret = path.strip_prefix("/t/itn_link_").unwrap_or_else(|| panic!("{path}"));
    assert_eq!(secret.len(), 43, "256 bits");
    (link, path)
}

/// A link with this label that shows these sections.
async fn labelled(app: &App<'_>, itinerary: &str, label: &str, sections: &str) -> String {
    created(app, itinerary, &json!({ "label": label, "sections": sections })).await.1
}

async fn listed(app: &App<'_>, itinerary: &str) -> Vec<Value> {
    let response = app.call(Method::GET, &links_of(itinerary)).send().await;
    assert_eq!(response.status, 200, "{}", response.text());
    response.json()["data"].as_array().expect("a list").clone()
}

/// Reads a page without an account.
async fn read(world: &World, path: &str) -> RawResponse {
    world.call(Method::GET, path).header("Accept", "text/html").send().await
}

/// Everything of a response but the request's id and the date.
fn comparable(response: &RawResponse) -> (u16, Vec<(String, String)>, String) {
    let headers = response.headers.iter().filter(|(name, _)| !["x-request-id", "date"].contains(&name.as_str()));
    let headers = headers.map(|(name, value)| (name.to_string(), value.to_str().expect("text").to_owned()));
    (response.status.as_u16(), headers.collect(), response.text())
}

/// Stores documents, and fields of a later version, in every itinerary.
async fn store_more(world: &World) {
    let document = json!({ "documents": [{
        "id": "0197a1f0-6a3e-7c1d-9d3f-2b8a4c5d6e7f", "name": "Passport of Ana", "category": "passport",
        "file": { "path": "documents/x", "name": "pass.age", "size": 100 },
    }] });
    let later = |start: &str| format!("replace(members, '{start}', '{start}\"laterSecret\":\"LATER\",')");
    world.sql(&format!("UPDATE itineraries SET documents = '{document}'")).await;
    for start in ["\"flights\":[{", "\"hotels\":[{", "\"transports\":[{", "\"reservations\":[{"] {
        world.sql(&format!("UPDATE itineraries SET members = {}", later(start))).await;
    }
    let whole = r#"'{"laterNote":"LATER",' || substr(members, 2)"#;
    world.sql(&format!("UPDATE itineraries SET members = {whole}")).await;
}
