//! The quickstart of the reference pages (`/docs/quickstart`): creates an itinerary and changes its title.
//!
//! `TOKEN=… cargo run -p itinerary-sdk --example quickstart`

use itinerary_sdk::Client;
use itinerary_sdk::types::{DayInput, DestinationInput, ItineraryCreate, ItineraryPatch, StopInput};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let client = Client::builder("http://127.0.0.1:8080").access_token(std::env::var("TOKEN")?).build()?;
    let lisbon = DestinationInput::new("Lisbon", (38.72, -9.14));
    let day = DayInput::default().stops([StopInput::new("Belém Tower"), StopInput::new("Time Out Market")]);
    let trip = ItineraryCreate::new(lisbon).days([day]);
    let created = client.itinerary_create(trip).allow_duplicate(true).send().await?;
    let patch = ItineraryPatch::default().title("A day in Lisbon");
    let changed = client.itinerary_update(created.id, &created, patch).send().await?;
    println!("{}", changed.title);
    Ok(())
}
