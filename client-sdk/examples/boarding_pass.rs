//! Seals a boarding pass on this machine, so that the server cannot read it, uploads it, lists the itinerary's documents,
//! downloads it, opens it and compares.
//!
//! Uploading needs the Pro subscription. On a running server with an account `ada`, the operator grants it with:
//!
//! `cargo run -- account plan ada pro`
//!
//! `cargo run -p itinerary-sdk --features sealing --example boarding_pass -- [FILE]`; see `--help` for more. Without
//! a file it uses a small sample pass. The key is lost when the program ends; a program that opens its documents later keeps
//! the identity in the system's keychain.

use std::error::Error;
use std::path::PathBuf;

use clap::Parser;
use futures::TryStreamExt;
use itinerary_sdk::age::x25519::Identity;
use itinerary_sdk::types::{DocumentCategory, ItineraryCreate, ListFilter};
use itinerary_sdk::{
    Client, ErrorExt, FileSource, MemoryTokenStore, Paged, Progress, Seal, SealingError, SignIn, Unseal, UploadDetails,
    code, open_browser,
};
use uuid::Uuid;

const LISBON: &str = include_str!("lisbon-by-name.json");
const PASS: &str = "BOARDING PASS\nADA LOVELACE\nTP1363  LHR - LIS\nSEAT 12A  GATE 7\n";
const SCOPES: [&str; 4] = ["itineraries:read", "itineraries:write", "documents:read", "documents:write"];

#[derive(Parser)]
#[command(about = "Seals a boarding pass, uploads it, downloads it and opens it.")]
struct Arguments {
    /// The boarding pass, at most 20 MB. Defaults to a small sample.
    file: Option<PathBuf>,
    /// The base URL of the service.
    #[arg(long, env = "ITINERARY_BASE_URL", default_value = "http://127.0.0.1:8080")]
    base_url: String,
    /// Print the sign-in URL instead of opening a browser.
    #[arg(long)]
    print_url: bool,
    /// Use this access token instead of signing in. It needs all four scopes.
    #[arg(long, env = "ITINERARY_TOKEN", hide_env_values = true)]
    token: Option<String>,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments = Arguments::parse();
    let (name, pass) = match &arguments.file {
        Some(path) => {
            (path.file_name().unwrap_or_default().to_string_lossy().into_owned(), tokio::fs::read(path).await?)
        }
        None => ("boarding-pass.txt".to_owned(), PASS.as_bytes().to_vec()),
    };
    let client = client(&arguments).await?;
    let trip = newest_itinerary(&client).await?;

    let identity = Identity::generate();
    println!("Sealing {name}, {} bytes, to {}.", pass.len(), identity.to_public());
    let details = UploadDetails::named(format!("{name}.age"));
    let details = details.name("Boarding pass").category(DocumentCategory::BoardingPass);
    // For a file on disk, `FileSource::path` keeps only a few blocks in memory.
    let file = FileSource::from(pass.clone());
    let seal = Seal::recipient(identity.to_public());
    let document = match client.seal_and_upload(trip, file, seal, details, report("sent")).await {
        Err(SealingError::Api(error)) if error.is(code::SUBSCRIPTION_REQUIRED) => {
            return Err("documents need the Pro subscription: `account plan NAME pro` gives it".into());
        }
        result => result?,
    };
    println!("Stored it as {}: {} bytes, the itinerary is at {}.", document.id, document.size, document.etag());

    println!("The itinerary's documents:");
    for document in &client.document_list(trip).send().await?.data {
        println!("  {}  {} ({} bytes sealed)", document.id, document.name, document.file.size);
    }

    let mut opened = Vec::new();
    let key = Unseal::identity(identity);
    client.download_and_open(trip, &document.id, key, &mut opened, report("received")).await?;
    if opened != pass {
        return Err("what was opened is not what was sealed".into());
    }
    println!("Downloaded and opened it: the {} bytes are equal.", opened.len());
    Ok(())
}

fn report(what: &'static str) -> impl FnMut(Progress) + Send + 'static {
    move |progress| println!("  {what} {} of {} bytes", progress.transferred, progress.total)
}

/// A client with the given token, or with the tokens of a sign-in.
async fn client(arguments: &Arguments) -> Result<Client, Box<dyn Error>> {
    let client = Client::builder(&arguments.base_url).user_agent("boarding-pass/1.0");
    if let Some(token) = &arguments.token {
        return Ok(client.access_token(token).build()?);
    }
    let sign_in = SignIn::new(&arguments.base_url, "Boarding pass").scopes(SCOPES);
    let tokens = sign_in.run(|url| {
        if arguments.print_url || open_browser(url).is_err() {
            println!("Open this address in a browser on this machine:\n\n  {url}\n");
        } else {
            println!("Sign in in the browser. If none opens, open this address:\n\n  {url}\n");
        }
    });
    Ok(client.token_store(MemoryTokenStore::new(tokens.await?)).build()?)
}

/// The traveller's most recently changed itinerary, or a new one.
async fn newest_itinerary(client: &Client) -> Result<Uuid, Box<dyn Error>> {
    let mut mine = client.itinerary_list().filter(ListFilter::Owned).stream();
    if let Some(trip) = mine.try_next().await? {
        println!("Taking “{}”.", trip.title);
        return Ok(trip.id);
    }
    let lisbon: ItineraryCreate = serde_json::from_str(LISBON)?;
    let created = client.itinerary_create(lisbon).send().await?;
    println!("Stored “{}”.", created.title);
    Ok(created.id)
}
