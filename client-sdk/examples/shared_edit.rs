//! Two writers change one itinerary at the same time, and no change is lost. Every write states the version that it is based
//! on; the service merges a change of an older version with what the other writer has changed since.
//!
//! `cargo run -p itinerary-sdk --example shared_edit`; see `--help` for more. The itinerary is deleted at the end.

use std::collections::BTreeSet;
use std::error::Error;

use clap::Parser;
use itinerary_sdk::types::{Itinerary, ItineraryCreate, ItineraryPatch, StopInput};
use itinerary_sdk::{ApiError, Client, EditError, MemoryTokenStore, SignIn, Versioned, open_browser};
use uuid::Uuid;

const LISBON: &str = include_str!("lisbon-by-name.json");
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
    tokio::try_join!(write(client, trip, &day, "Ada"), write(client, trip, &day, "Ben"))?;

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
async fn write(client: &Client, trip: &Versioned<Itinerary>, day: &str, writer: &str) -> Result<(), EditError> {
    let mut version = trip.etag().to_owned();
    for number in 1..=CHANGES {
        add_tag(client, trip.id, &tag(writer, number)).await?;
        // For an operation on one item, the preference does the same. The version is that of this writer's last stop.
        let stop = client.stop_add(trip.id, day, &version, StopInput::new(stop(writer, number)));
        stop.prefer("merge").send().await?.etag().clone_into(&mut version);
        println!("{writer} made change {number}.");
    }
    Ok(())
}

/// A patch has the whole list of tags. `edit_together` reads the itinerary, calls the closure, and lets the service find out
/// what the patch adds and removes. Had both writers changed the title, it would return `EditError::Conflict`.
async fn add_tag(client: &Client, trip: Uuid, tag: &str) -> Result<(), EditError> {
    let change = client.edit_together(trip, |current| {
        let tags: Vec<String> = current.tags.iter().cloned().chain([tag.to_owned()]).collect();
        ItineraryPatch::default().tags(tags)
    });
    change.await.map(drop)
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
