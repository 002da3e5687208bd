//! Keeps a local copy of a traveller's itineraries: one JSON file each, with its version. The first run takes a cursor, then
//! lists the itineraries. Later runs request what has changed after the cursor, deletions included.
//!
//! `cargo run -p itinerary-sdk --example sync -- FOLDER`; see `--help` for more. The first run signs in through the browser;
//! later ones use the stored tokens. With `--follow` it does not end, and copies each change as it comes.
//!
//! It may be interrupted at any time. A file is replaced by renaming a new one, so it is the old copy or the new one, never
//! half of one. The cursor is stored after the changes before it are on disk, so an interrupted run is repeated, not skipped.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use clap::Parser;
use futures::TryStreamExt;
use itinerary_sdk::types::{Change, ChangeType, Itinerary};
use itinerary_sdk::{Client, ErrorExt, FileTokenStore, Paged, SignIn, TokenStore, code, open_browser};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use uuid::Uuid;

/// What the name of an unfinished file begins with.
const UNFINISHED: &str = ".new-";
const CHECKPOINT: &str = ".checkpoint";

#[derive(Parser)]
#[command(about = "Keeps a local copy of a traveller's itineraries.")]
struct Arguments {
    /// The folder of the copies. Created if it does not exist.
    folder: PathBuf,
    /// List all itineraries, as on the first run.
    #[arg(long)]
    complete: bool,
    /// Do not end: copy each change as it comes.
    #[arg(long)]
    follow: bool,
    /// The base URL of the service.
    #[arg(long, env = "ITINERARY_BASE_URL", default_value = "http://127.0.0.1:8080")]
    base_url: String,
    /// Use this access token instead of signing in.
    #[arg(long, env = "ITINERARY_TOKEN", hide_env_values = true)]
    token: Option<String>,
}

/// How far the copies are.
#[derive(Serialize, Deserialize)]
struct Checkpoint {
    /// A folder holds the copies of one account.
    account: Uuid,
    /// The changes before it are copied.
    cursor: String,
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
    fs::create_dir_all(&arguments.folder)?;
    // Two runs at a time would take each other's files. The lock ends with the process.
    let lock = File::create(arguments.folder.join(".lock"))?;
    lock.try_lock().map_err(|_| "another run is at work in this folder")?;

    let client = client(&arguments).await?;
    let account = client.account_self().send().await?.account_id;
    let checkpoint: Option<Checkpoint> = read(&arguments.folder.join(CHECKPOINT))?;
    if checkpoint.as_ref().is_some_and(|checkpoint| checkpoint.account != account) {
        return Err("this folder holds the copies of another account".into());
    }
    let mut sync = Sync { client, folder: arguments.folder, account, changed: 0, removed: 0 };
    // The list again on the first run, and if a copy is damaged.
    let known = copies(&sync.folder)?;
    let is_whole = known.values().all(Option::is_some) && !arguments.complete;
    let cursor = match checkpoint.filter(|_| is_whole) {
        Some(checkpoint) => checkpoint.cursor,
        None => sync.begin(&known).await?,
    };
    let cursor = match sync.catch_up(cursor).await {
        Err(error) if has_expired(&*error) => {
            let cursor = sync.begin(&copies(&sync.folder)?).await?;
            sync.catch_up(cursor).await?
        }
        result => result?,
    };
    println!("{} changed, {} removed.", sync.changed, sync.removed);
    if arguments.follow { sync.follow(cursor).await } else { Ok(()) }
}

/// Whether changes may be missing after a cursor: it is older than 30 days, or from before the service was restored.
fn has_expired(error: &(dyn Error + 'static)) -> bool {
    error.downcast_ref::<itinerary_sdk::ApiError>().is_some_and(|error| error.is(code::CURSOR_EXPIRED))
}

struct Sync {
    client: Client,
    folder: PathBuf,
    account: Uuid,
    changed: usize,
    removed: usize,
}

impl Sync {
    /// Copies the whole list. The cursor is taken first, so that no change between the two is missed.
    async fn begin(&mut self, known: &BTreeMap<Uuid, Option<String>>) -> Result<String, Box<dyn Error>> {
        let cursor = self.client.changes().now().await?;
        let mut listed = BTreeSet::new();
        let client = self.client.clone();
        let mut list = client.itinerary_list().limit(100).stream();
        while let Some(entry) = list.try_next().await? {
            listed.insert(entry.id);
            if known.get(&entry.id).and_then(Option::as_ref) != Some(&entry.etag) {
                self.copy(entry.id).await?;
            }
        }
        for id in known.keys().filter(|id| !listed.contains(id)) {
            self.remove(*id)?;
        }
        self.advance(&cursor)?;
        Ok(cursor)
    }

    /// Copies the changes that have been made after a cursor.
    async fn catch_up(&mut self, mut cursor: String) -> Result<String, Box<dyn Error>> {
        let client = self.client.clone();
        let mut pages = client.changes().list().cursor(&cursor).limit(100).pages();
        while let Some(page) = pages.try_next().await? {
            for change in &page.data {
                self.apply(change).await?;
            }
            cursor = page.next_cursor;
            self.advance(&cursor)?;
        }
        Ok(cursor)
    }

    /// Copies each change as it comes. Ends with an error only, such as that the sign-in has ended.
    async fn follow(&mut self, cursor: String) -> Result<(), Box<dyn Error>> {
        let mut feed = self.client.changes().from(cursor);
        while let Some(next) = feed.try_next().await? {
            self.apply(&next.change).await?;
            self.advance(&next.cursor)?;
        }
        Ok(())
    }

    /// Brings one copy up to date.
    async fn apply(&mut self, change: &Change) -> Result<(), Box<dyn Error>> {
        let id = change.itinerary_id;
        match change.type_.known() {
            Some(ChangeType::ItineraryDeleted | ChangeType::ItineraryUnshared) => self.remove(id)?,
            // Changes may be repeated, and the copy may be of a later version than the change.
            _ if change.etag.is_some() && copy_of(&self.folder, id).map(|copy| copy.etag) == change.etag => {}
            _ => self.copy(id).await?,
        }
        Ok(())
    }

    /// Reads an itinerary and stores it. One that is gone by now is deleted; a later change says so, too.
    async fn copy(&mut self, id: Uuid) -> Result<(), Box<dyn Error>> {
        let trip = match self.client.itinerary_view(id).send().await {
            Err(error) if error.is(code::NOT_FOUND) => return Ok(self.remove(id)?),
            result => result?,
        };
        println!("{id}  {}", trip.title);
        let copy = Copy { etag: trip.etag().to_owned(), itinerary: trip.into_inner() };
        write(&self.folder, &file_name(id), &copy)?;
        self.changed += 1;
        Ok(())
    }

    fn remove(&mut self, id: Uuid) -> io::Result<()> {
        match fs::remove_file(self.folder.join(file_name(id))) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            result => result?,
        }
        println!("{id}  removed");
        self.removed += 1;
        flush(&self.folder)
    }

    fn advance(&self, cursor: &str) -> io::Result<()> {
        write(&self.folder, CHECKPOINT, &Checkpoint { account: self.account, cursor: cursor.to_owned() })
    }
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
