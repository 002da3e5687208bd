//! Prints what changes in a traveller's itineraries as it happens, until it is interrupted.
//!
//! `TOKEN=… cargo run -p itinerary-sdk --example watch`, or with a cursor as the argument, to continue after it. A token that
//! is passed like this ends after an hour; a client with a token store (`sync --follow`) goes on.

use std::env;

use itinerary_sdk::prelude::*;
use itinerary_sdk::types::ChangeType;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let service = env::var("ITINERARY_BASE_URL").unwrap_or_else(|_| "http://127.0.0.1:8080".to_owned());
    let client = Client::builder(service).access_token(env::var("TOKEN")?);
    let client = client.on_retry(|retry| eprintln!("{}: waiting {:?}", retry.reason, retry.wait)).build()?;
    let cursor = match env::args().nth(1) {
        Some(cursor) => cursor,
        None => client.changes().now().await?,
    };
    println!("watching after {cursor}");
    let mut feed = client.changes().from(cursor);
    loop {
        let next = match feed.try_next().await {
            Ok(Some(next)) => next,
            Ok(None) => return Ok(()),
            Err(FeedError::CursorExpired(_)) => return Err("changes may be missing: list the itineraries again".into()),
            Err(error) => return Err(error.into()),
        };
        let id = next.change.itinerary_id;
        match next.change.type_.known() {
            Some(ChangeType::ItineraryUpdated) => println!("{id} has changed"),
            Some(ChangeType::ItineraryShared) => println!("{id} is shared with you"),
            Some(ChangeType::ItineraryUnshared) => println!("{id} is no longer shared with you"),
            Some(ChangeType::ItineraryDeleted) => println!("{id} is deleted"),
            None => println!("{id}: {}", next.change.type_),
        }
        // A program would store this once it has processed the change.
        println!("  continue after {}", next.cursor);
    }
}
