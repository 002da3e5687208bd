//! Signs in through the browser, creates seven days in Lisbon whose stops have only names, shows where the server placed
//! them, updates the itinerary, provokes a version conflict and recovers.
//!
//! `cargo run -p itinerary-sdk --example first_trip`; see `--help` for more. If the itinerary already
//! exists, a further run uses it.

use std::error::Error;

use clap::Parser;
use itinerary_sdk::types::{Itinerary, ItineraryCreate, ItineraryPatch, ListFilter, Stop, StopInput, StopMove};
use itinerary_sdk::{
    ApiError, Client, ErrorExt, MemoryTokenStore, Paged, SignIn, TryStreamExt, Versioned, code, open_browser,
};

const LISBON: &str = include_str!("lisbon-by-name.json");
const TITLE: &str = "Seven days in Lisbon, with Sintra and the sea";

#[derive(Parser)]
#[command(about = "Stores a first trip through the SDK, changes it, loses a race and recovers.")]
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
    let me = client.account_self().send().await?;
    println!("Hello, {}.", me.display_name);

    let trip = store(&client).await?;
    let read = client.itinerary_view(trip.id).send().await?;
    println!("Read it back: {} at version {}.", describe(&read), read.etag());

    let renamed = client.itinerary_update(read.id, &read, titled("A week in Lisbon")).send().await?;
    println!("Renamed it to “{}”: version {} became {}.", renamed.title, read.etag(), renamed.etag());

    change_a_day(&client, &renamed).await?;
    lose_a_race(&client, &read).await?;
    list(&client).await?;
    Ok(())
}

/// A client with the given token, or with the tokens of a sign-in. They are lost when the program ends; to keep them, use
/// a `FileTokenStore`.
async fn client(arguments: Arguments) -> Result<Client, Box<dyn Error>> {
    let client = Client::builder(&arguments.base_url).user_agent("first-trip/1.0");
    if let Some(token) = arguments.token {
        return Ok(client.access_token(token).build()?);
    }
    let sign_in = SignIn::new(&arguments.base_url, "First trip").scopes(["itineraries:read", "itineraries:write"]);
    let tokens = sign_in.run(|url| {
        if arguments.print_url || open_browser(url).is_err() {
            println!("Open this address in a browser on this machine:\n\n  {url}\n");
        } else {
            println!("Sign in in the browser. If none opens, open this address:\n\n  {url}\n");
        }
    });
    let tokens = tokens.await?;
    println!("Signed in, for {}.", tokens.scope);
    Ok(client.token_store(MemoryTokenStore::new(tokens)).build()?)
}

/// Shows where the server placed the first stops, which were sent with only their names.
fn show_places(trip: &Itinerary) {
    let stops: Vec<_> = trip.days.iter().flat_map(|day| &day.stops).collect();
    let coordinate = |stop: &Stop| stop.place.as_ref().and_then(|place| place.coordinate.clone());
    let placed = stops.iter().filter(|stop| coordinate(stop).is_some()).count();
    println!("Placed {placed} of {} stops by their names:", stops.len());
    for stop in stops.iter().take(5) {
        match coordinate(stop) {
            Some(at) => println!("  {:.4}, {:.4}  {}", at.latitude, at.longitude, &*stop.name),
            None => println!("  not placed  {}", &*stop.name),
        }
    }
}

/// Creates the trip, or resets the title of the one that an earlier run created.
async fn store(client: &Client) -> Result<Versioned<Itinerary>, Box<dyn Error>> {
    let lisbon: ItineraryCreate = serde_json::from_str(LISBON)?;
    let error = match client.itinerary_create(lisbon).send().await {
        Ok(created) => {
            println!("Stored {}.", describe(&created));
            show_places(&created);
            return Ok(created);
        }
        Err(error) => error,
    };
    match error.details().and_then(|details| details.itinerary_id) {
        Some(id) if error.is(code::DUPLICATE_ITINERARY) => {
            println!("You have this trip already, as {id}: going on with that one.");
            Ok(client.itinerary_update_with(id, |_| titled(TITLE)).await?)
        }
        _ => Err(error.into()),
    }
}

/// Adds a stop to the first day, moves it to the end and removes it. Each response is the whole itinerary with its new
/// version, so the next write needs no read in between.
async fn change_a_day(client: &Client, trip: &Versioned<Itinerary>) -> Result<(), ApiError> {
    let Some(day) = trip.days.first().map(|day| day.id.clone()) else { return Ok(()) };
    let pastry = StopInput::new("Pastéis, still warm").id("pastry");
    let added = client.stop_add(trip.id, &day, trip, pastry).position(1).send().await?;
    println!("Added a stop to the first day: {} stops, {} legs.", added.days[0].stops.len(), added.days[0].legs.len());

    let moved = client.stop_move(trip.id, &day, "pastry", &added, StopMove::default()).send().await?;
    let last = moved.days[0].stops.last().map_or("nothing", |stop| &stop.name);
    println!("Moved it to the end of the day: the last stop is “{last}”.");

    let removed = client.stop_remove(trip.id, &day, "pastry", &moved).send().await?;
    println!("Took it out again: {} at version {}.", describe(&removed), removed.etag());
    Ok(())
}

/// Writes with an outdated version, like a client that has not seen the last change.
async fn lose_a_race(client: &Client, old: &Versioned<Itinerary>) -> Result<(), ApiError> {
    let late = client.itinerary_update(old.id, old, titled("Lisbon, but later")).send().await;
    match late {
        Err(error) if error.is(code::ITINERARY_MODIFIED) => {
            let current = error.current_etag().unwrap_or("another");
            println!("Lost a race on purpose: {} is out of date, the trip is at {current}.", old.etag());
        }
        Err(error) => return Err(error),
        Ok(_) => println!("The old version was still good. Is somebody else helping?"),
    }
    let changed = client.itinerary_view(old.id).send().await?;
    let title = format!("{}, seen again", changed.title);
    let won = client.itinerary_update(changed.id, &changed, titled(&title)).send().await?;
    println!("Read it again and repeated the change: “{}” at version {}.", won.title, won.etag());
    Ok(())
}

async fn list(client: &Client) -> Result<(), ApiError> {
    println!("Your itineraries:");
    let mut mine = client.itinerary_list().filter(ListFilter::Owned).stream();
    while let Some(trip) = mine.try_next().await? {
        println!("  {}  {} ({} days, {} stops)", trip.start_date, trip.title, trip.days_count, trip.stops_count);
    }
    Ok(())
}

fn titled(title: &str) -> ItineraryPatch {
    ItineraryPatch::default().title(title)
}

fn describe(trip: &Itinerary) -> String {
    let stops: usize = trip.days.iter().map(|day| day.stops.len()).sum();
    format!("“{}”, {} days with {stops} stops", trip.title, trip.days.len())
}
