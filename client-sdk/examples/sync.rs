//! Keeps a local copy of a traveller's itineraries: one JSON file each, with its version. A run requests what has changed
//! since the last one.
//!
//! `cargo run -p itinerary-sdk --example sync -- FOLDER`; see `--help` for more. The first run signs in through the browser;
//! later ones use the stored tokens.
//!
//! It may be interrupted at any time. A file is replaced by renaming a new one, so it is the old copy or the new one, never
//! half of one. The checkpoint moves after all copies are on disk, so an interrupted run is repeated, not skipped.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use chrono::{DateTime, TimeDelta, Utc};
use clap::Parser;
use futures::TryStreamExt;
use itinerary_sdk::types::Itinerary;
use itinerary_sdk::{Client, ErrorExt, FileTokenStore, Paged, SignIn, TokenStore, code, open_browser};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use uuid::Uuid;

/// How far the next run looks back behind the start of this one: changes that were being stored when this one asked.
const OVERLAP: TimeDelta = TimeDelta::seconds(10);
/// What the name of an unfinished file begins with.
const UNFINISHED: &str = ".new-";

#[derive(Parser)]
#[command(about = "Keeps a local copy of a traveller's itineraries.")]
struct Arguments {
    /// The folder of the copies. Created if it does not exist.
    folder: PathBuf,
    /// Compare the whole list, and delete copies of itineraries that are no longer in it.
    #[arg(long)]
    complete: bool,
    /// The base URL of the service.
    #[arg(long, env = "ITINERARY_BASE_URL", default_value = "http://127.0.0.1:8080")]
    base_url: String,
    /// Use this access token instead of signing in.
    #[arg(long, env = "ITINERARY_TOKEN", hide_env_values = true)]
    token: Option<String>,
}

/// Where the next run starts.
#[derive(Serialize, Deserialize)]
struct Checkpoint {
    /// A folder holds the copies of one account.
    account: Uuid,
    since: DateTime<Utc>,
}

/// A file: an itinerary with its version.
#[derive(Serialize, Deserialize)]
struct Copy {
    etag: String,
    itinerary: Itinerary,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments = Arguments::parse();
    let folder = &arguments.folder;
    fs::create_dir_all(folder)?;
    // Two runs at a time would take each other's files. The lock ends with the process.
    let lock = File::create(folder.join(".lock"))?;
    lock.try_lock().map_err(|_| "another run is at work in this folder")?;

    let client = client(&arguments).await?;
    let account = client.account_self().send().await?.account_id;
    let checkpoint: Option<Checkpoint> = read(&folder.join(".checkpoint"))?;
    if checkpoint.as_ref().is_some_and(|checkpoint| checkpoint.account != account) {
        return Err("this folder holds the copies of another account".into());
    }
    let known = copies(folder)?;
    // From the beginning on the first run, and if a copy is damaged.
    let is_damaged = known.values().any(Option::is_none);
    let since = checkpoint.filter(|_| !is_damaged && !arguments.complete).map(|checkpoint| checkpoint.since);
    let next = sync(&client, folder, &known, since).await?;
    write(folder, ".checkpoint", &Checkpoint { account, since: next })?;
    Ok(())
}

/// Brings the copies up to date, and returns where the next run starts.
async fn sync(
    client: &Client,
    folder: &Path,
    known: &BTreeMap<Uuid, Option<String>>,
    since: Option<DateTime<Utc>>,
) -> Result<DateTime<Utc>, Box<dyn Error>> {
    let began = service_time(client).await?;
    let from = since.unwrap_or(DateTime::UNIX_EPOCH);
    let (mut listed, mut changed) = (BTreeSet::new(), 0);
    let mut list = client.itinerary_list().updated_since(from).limit(100).stream();
    while let Some(entry) = list.try_next().await? {
        listed.insert(entry.id);
        if known.get(&entry.id).and_then(Option::as_ref) == Some(&entry.etag) {
            continue;
        }
        match fetch(client, folder, entry.id).await? {
            Fetched::New(copy) => {
                println!("{}  {}", copy.itinerary.id, copy.itinerary.title);
                write(folder, &file_name(entry.id), &copy)?;
                changed += 1;
            }
            Fetched::Same => {}
            Fetched::Gone => remove(folder, entry.id)?,
        }
    }
    // A list of changes does not name what was deleted. The whole list does, by leaving it out.
    let gone = known.keys().filter(|id| since.is_none() && !listed.contains(id));
    let gone = gone.map(|id| remove(folder, *id)).collect::<io::Result<Vec<()>>>()?.len();
    println!("{changed} changed, {gone} removed.");
    Ok(began - OVERLAP)
}

enum Fetched {
    New(Box<Copy>),
    Same,
    Gone,
}

/// Reads an itinerary, with `If-None-Match` if there is a copy.
async fn fetch(client: &Client, folder: &Path, id: Uuid) -> Result<Fetched, Box<dyn Error>> {
    let read = match copy_of(folder, id) {
        Some(copy) => client.itinerary_view_if_changed(id, copy.etag).await,
        None => client.itinerary_view(id).send().await.map(Some),
    };
    match read {
        Ok(Some(trip)) => {
            Ok(Fetched::New(Box::new(Copy { etag: trip.etag().to_owned(), itinerary: trip.into_inner() })))
        }
        Ok(None) => Ok(Fetched::Same),
        // It was deleted, or is no longer shared, since it was listed.
        Err(error) if error.is(code::NOT_FOUND) => Ok(Fetched::Gone),
        Err(error) => Err(error.into()),
    }
}

/// The service's clock: this machine's may be wrong.
async fn service_time(client: &Client) -> Result<DateTime<Utc>, Box<dyn Error>> {
    let answer = client.health_live().send_raw().await?;
    let date = answer.headers().get("date").ok_or("the response has no date")?;
    Ok(DateTime::parse_from_rfc2822(date.to_str()?)?.to_utc())
}

/// The version of each copy; `None` if the file is damaged. Deletes what an interrupted run left behind.
fn copies(folder: &Path) -> io::Result<BTreeMap<Uuid, Option<String>>> {
    let mut known = BTreeMap::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.starts_with(UNFINISHED) {
            fs::remove_file(&path)?;
        } else if let Some(id) = name.strip_suffix(".json").and_then(|id| id.parse().ok()) {
            known.insert(id, copy_of(folder, id).map(|copy| copy.etag));
        }
    }
    Ok(known)
}

/// The copy of an itinerary; `None` if there is none, or it is damaged.
fn copy_of(folder: &Path, id: Uuid) -> Option<Copy> {
    let copy: Option<Copy> = read(&folder.join(file_name(id))).unwrap_or_default();
    copy.filter(|copy| copy.itinerary.id == id)
}

fn file_name(id: Uuid) -> String {
    format!("{id}.json")
}

/// Reads a file; `None` if there is none.
fn read<T: DeserializeOwned>(path: &Path) -> io::Result<Option<T>> {
    match fs::read(path) {
        Ok(text) => Ok(Some(serde_json::from_slice(&text)?)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Writes a new file, flushes it to disk and renames it.
fn write(folder: &Path, name: &str, value: &impl Serialize) -> io::Result<()> {
    let mut file = tempfile::Builder::new().prefix(UNFINISHED).tempfile_in(folder)?;
    file.write_all(&serde_json::to_vec_pretty(value)?)?;
    file.as_file().sync_all()?;
    file.persist(folder.join(name))?;
    flush(folder)
}

fn remove(folder: &Path, id: Uuid) -> io::Result<()> {
    match fs::remove_file(folder.join(file_name(id))) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => flush(folder),
    }
}

/// Makes a rename survive a power failure. Only Unix can open folders as files.
fn flush(folder: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

/// A client with the given token, or with the tokens of a sign-in, which are stored beside the copies.
async fn client(arguments: &Arguments) -> Result<Client, Box<dyn Error>> {
    let client = Client::builder(&arguments.base_url).user_agent("itinerary-sync/1.0");
    if let Some(token) = &arguments.token {
        return Ok(client.access_token(token).build()?);
    }
    let store = FileTokenStore::new(arguments.folder.join(".tokens"));
    if store.load().await?.is_none() {
        let sign_in = SignIn::new(&arguments.base_url, "Itinerary sync").run(|url| {
            println!("Sign in in the browser. If none opens, open this address:\n\n  {url}\n");
            let _ = open_browser(url);
        });
        store.save(&sign_in.await?).await?;
    }
    Ok(client.token_store(store).build()?)
}
