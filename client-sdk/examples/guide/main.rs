//! The programs of the SDK's guide, one for each page of `itinerary_sdk::guide`, run one after the other: a trip with days,
//! flights, hotels, transports, reservations, expenses, a packing list and a document, which is shared with a companion and published.
//!
//! `cargo run -p itinerary-sdk --features sealing --example guide -- --token … --companion-token …`. Both tokens need the
//! scopes for itineraries and documents; the first account needs the Pro subscription. The trip is deleted at the end.

#![allow(unreachable_pub, clippy::wildcard_imports, reason = "the pages are shown as programs of their own")]

mod account;
mod days;
mod documents;
mod expenses;
mod explore;
mod flights;
mod hotels;
mod imports;
mod itineraries;
mod packing;
mod reservations;
mod sharing;
mod transports;

use std::error::Error;

use clap::Parser;
use itinerary_sdk::prelude::*;

#[derive(Parser)]
#[command(about = "Runs the programs of the SDK's guide.")]
struct Arguments {
    /// The base URL of the service.
    #[arg(long, env = "ITINERARY_BASE_URL", default_value = "http://127.0.0.1:8080")]
    base_url: String,
    /// An access token of an account with the Pro subscription.
    #[arg(long, env = "ITINERARY_TOKEN", hide_env_values = true)]
    token: String,
    /// An access token of another account, with which the trip is shared.
    #[arg(long, env = "ITINERARY_COMPANION_TOKEN", hide_env_values = true)]
    companion_token: String,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments = Arguments::parse();
    let client = Client::builder(&arguments.base_url).access_token(&arguments.token).build()?;
    let companion = Client::builder(&arguments.base_url).access_token(&arguments.companion_token).build()?;
    account::account(&client).await?;
    let trip = itineraries::itineraries(&client).await?;
    // On the heap, because each page holds the state of several requests.
    let result = Box::pin(pages(&client, &companion, trip)).await;
    client.itineraries().delete(trip, IfMatch::any()).send().await?;
    result
}

async fn pages(client: &Client, companion: &Client, trip: Uuid) -> Result<(), Box<dyn Error>> {
    days::days(client, trip).await?;
    flights::flights(client, trip).await?;
    hotels::hotels(client, trip).await?;
    transports::transports(client, trip).await?;
    reservations::reservations(client, trip).await?;
    Box::pin(imports::imports(client, trip)).await?;
    expenses::expenses(client, trip).await?;
    packing::packing(client, trip).await?;
    Box::pin(documents::documents(client, trip)).await?;
    sharing::sharing(client, companion, trip).await?;
    explore::explore(client, companion, trip).await?;
    Ok(())
}
