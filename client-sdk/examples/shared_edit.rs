//! Two writers change one itinerary at the same time, and no change is lost. Every write states the version that it is based
//! on; a writer whose version is out of date reads the itinerary again and repeats its change.
//!
//! `cargo run -p itinerary-sdk --example shared_edit`; see `--help` for more. The itinerary is deleted at the end.

use std::collections::BTreeSet;
use std::error::Error;

use clap::Parser;
use itinerary_sdk::types::{Itinerary, ItineraryCreate, ItineraryPatch, StopInput};
use itinerary_sdk::{ApiError, Client, ErrorExt, MemoryTokenStore, SignIn, Versioned, code, open_browser};
use uuid::Uuid;

const LISBON: &str = include_str!("lisbon-by-name.json");
/// How often a writer repeats a change that loses against others.
const ATTEMPTS: usize = 20;
const CHANGES: usize = 3;

#[derive(Parser)]
#[command(about = "Two writers change one itinerary at the same time, and no change is lost.")]
struct Arguments {
    /// The base URL of the service.
    #[arg(long, env = "ITINERARY_BASE_URL", default_value = "http://127.0.0.1:8080")]
    base_url: String,
    /// Print the sign-in URL instead of opening a browser.
    #[arg(long)]
    print_url: bool,
    /// Use this access token instead of signing in.
    #[arg(long, env = "ITINERARY_TOKEN", hide_env_values = true)]
    token: Option<String>,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let client = client(Arguments::parse()).await?;
    let lisbon: ItineraryCreate = serde_json::from_str(LISBON)?;
    let trip = client.itinerary_create(lisbon).allow_duplicate(true).send().await?;
    // On the heap, because it holds the state of several requests.
    let result = Box::pin(edit_together(&client, &trip)).await;
    delete(&client, trip.id).await?;
    result
}

async fn edit_together(client: &Client, trip: &Versioned<Itinerary>) -> Result<(), Box<dyn Error>> {
    let day = trip.days.first().ok_or("the itinerary has no days")?.id.clone();
    tokio::try_join!(write(client, trip.id, &day, "Ada"), write(client, trip.id, &day, "Ben"))?;

    let result = client.itinerary_view(trip.id).send().await?;
    let stops: BTreeSet<&str> = result.days[0].stops.iter().map(|stop| stop.name.as_str()).collect();
    for (writer, number) in ["Ada", "Ben"].into_iter().flat_map(|writer| (1..=CHANGES).map(move |n| (writer, n))) {
        let (tag, stop) = (tag(writer, number), stop(writer, number));
        if !result.tags.contains(&tag) || !stops.contains(stop.as_str()) {
            return Err(format!("change {number} of {writer} is lost").into());
        }
    }
    println!("{} changes by two writers, none lost: the itinerary is at {}.", 4 * CHANGES, result.etag());
    Ok(())
}

fn tag(writer: &str, number: usize) -> String {
    format!("{}-{number}", writer.to_lowercase())
}

fn stop(writer: &str, number: usize) -> String {
    format!("{writer}'s idea {number}")
}

/// Changes the list of tags and a day's stops.
async fn write(client: &Client, trip: Uuid, day: &str, writer: &str) -> Result<(), ApiError> {
    for number in 1..=CHANGES {
        add_tag(client, trip, &tag(writer, number)).await?;
        add_stop(client, trip, day, &stop(writer, number)).await?;
        println!("{writer} made change {number}.");
    }
    Ok(())
}

/// A patch replaces the whole list of tags, so it is made from the current one. `itinerary_update_with` reads the itinerary,
/// calls the closure, and does both again if another writer was first.
async fn add_tag(client: &Client, trip: Uuid, tag: &str) -> Result<(), ApiError> {
    let change = client.itinerary_update_with(trip, |current| {
        let tags: Vec<String> = current.tags.iter().cloned().chain([tag.to_owned()]).collect();
        ItineraryPatch { tags: Some(tags.into()), ..ItineraryPatch::default() }
    });
    change.await.map(drop)
}

/// The same by hand, for an operation on one item.
async fn add_stop(client: &Client, trip: Uuid, day: &str, name: &str) -> Result<(), ApiError> {
    let mut etag = client.itinerary_view(trip).send().await?.etag().to_owned();
    for _ in 1..ATTEMPTS {
        match try_add_stop(client, trip, day, name, &etag).await {
            Err(error) if error.is(code::ITINERARY_MODIFIED) => {
                // Adding a stop does not depend on the other stops, so the current version is all that is needed.
                let Some(current) = error.current_etag() else { return Err(error) };
                println!("“{name}” comes second: {etag} is out of date, the itinerary is at {current}.");
                current.clone_into(&mut etag);
            }
            result => return result,
        }
    }
    try_add_stop(client, trip, day, name, &etag).await
}

async fn try_add_stop(client: &Client, trip: Uuid, day: &str, name: &str, etag: &str) -> Result<(), ApiError> {
    client.stop_add(trip, day, etag, StopInput::new(name)).send().await.map(drop)
}

async fn delete(client: &Client, trip: Uuid) -> Result<(), ApiError> {
    let current = client.itinerary_view(trip).send().await?;
    client.itinerary_delete(trip, current.etag()).send().await.map(drop)
}

/// A client with the given token, or with the tokens of a sign-in.
async fn client(arguments: Arguments) -> Result<Client, Box<dyn Error>> {
    let client = Client::builder(&arguments.base_url).user_agent("shared-edit/1.0");
    if let Some(token) = arguments.token {
        return Ok(client.access_token(token).build()?);
    }
    let sign_in = SignIn::new(&arguments.base_url, "Shared edit").scopes(["itineraries:read", "itineraries:write"]);
    let tokens = sign_in.run(|url| {
        if arguments.print_url || open_browser(url).is_err() {
            println!("Open this address in a browser on this machine:\n\n  {url}\n");
        } else {
            println!("Sign in in the browser. If none opens, open this address:\n\n  {url}\n");
        }
    });
    Ok(client.token_store(MemoryTokenStore::new(tokens.await?)).build()?)
}
