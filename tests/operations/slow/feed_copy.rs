//! Copies that are kept by the feed of changes alone, beside two servers of one database that are killed in turn, one with a
//! clock that jumps back a minute: afterwards they are equal to what the API shows. Lists are read once, at the start.
//!
//! `ITINERARY_FEED_CHANGES=10000` sets the number of random changes; the default fits into a minute without optimisation.
//! On SQLite both servers use the same file.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use std::{env, fs};

use futures::future::{join, join_all};
use itinerary_app::accounts;
use itinerary_platform::context::Service;
use itinerary_tests::bodies::{minimal, with};
use itinerary_tests::engines::Engine;
use itinerary_tests::program::{PATIENT, Program, command, free_address, words};
use itinerary_tests::world::{PASSWORD, READ_WRITE};
use itinerary_tests::{Database, Postgres, RawResponse, Sqlite, raw};
use reqwest::Method;
use rstest::rstest;
use serde_json::{Value, json};
use tokio::sync::{Mutex as AsyncMutex, RwLock};
use uuid::Uuid;

use crate::servers::operator;

/// How many travellers there are at a time.
const TRAVELLERS: usize = 8;
/// How many changes are under way at a time.
const WRITERS: usize = 6;
/// With more itineraries than this, deleting is as likely as creating.
const MANY: usize = 40;
const KILLS: usize = 10;
/// A copy asks for changes so often.
const ASKS: Duration = Duration::from_millis(100);
/// How long the last changes, and the rows of deleted accounts, may take.
const PATIENCE: Duration = Duration::from_mins(1);

fn changes() -> usize {
    env::var("ITINERARY_FEED_CHANGES").map_or(600, |changes| changes.parse().expect("a number of changes"))
}

/// A random number below `end`.
fn random(end: usize) -> usize {
    usize::try_from(Uuid::new_v4().as_u128() % end as u128).expect("a small number")
}

fn text(value: &Value) -> &str {
    value.as_str().expect("text")
}

/// A traveller with an app, and their copy.
#[derive(Debug)]
struct Traveller {
    name: String,
    id: Uuid,
    token: String,
    copy: AsyncMutex<Copy>,
}

/// What an app has of its traveller's itineraries, by id.
#[derive(Debug, Default)]
struct Copy {
    cursor: String,
    itineraries: BTreeMap<String, Value>,
}

/// The travellers, and the ids of the itineraries that have been created.
#[derive(Default)]
struct Population {
    travellers: Vec<Arc<Traveller>>,
    itineraries: Vec<String>,
    /// How many travellers there have been.
    made: usize,
}

struct Stage {
    engine: Engine,
    operator: Service,
    addresses: [String; 2],
    servers: [RwLock<Program>; 2],
    http: reqwest::Client,
    population: Mutex<Population>,
    done: AtomicUsize,
    stopped: AtomicBool,
}

impl Stage {
    async fn start(database: Database) -> Option<Self> {
        let engine = Engine::on(database)?;
        let operator = operator(&engine).await;
        let addresses = [free_address(), free_address()];
        let servers = [serve(&engine, &addresses, 0).await, serve(&engine, &addresses, 1).await].map(RwLock::new);
        let http = raw::client_builder().timeout(PATIENCE).build().expect("a client");
        let (population, done, stopped) = Default::default();
        let this = Self { engine, operator, addresses, servers, http, population, done, stopped };
        for _ in 0..TRAVELLERS {
            this.arrive().await;
        }
        Some(this)
    }

    fn population(&self) -> MutexGuard<'_, Population> {
        self.population.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The complete response of a random server. `None` if the server is killed meanwhile.
    async fn call(&self, traveller: &Traveller, method: Method, path: &str, body: &Value) -> Option<RawResponse> {
        let address = &self.addresses[random(2)];
        let call = self.http.request(method, format!("http://{address}{path}")).bearer_auth(&traveller.token);
        let call = call.header("If-Match", "*").header("Connection", "close").json(body);
        let response = call.send().await.ok()?;
        let (status, headers) = (response.status(), response.headers().clone());
        let response = RawResponse { status, headers, body: response.bytes().await.ok()?.to_vec() };
        // A server that starts may find the database busy.
        assert_ne!(status, 500, "{path}: {}", response.text());
        Some(response)
    }

    /// The response to a read, which is repeated until a server answers.
    async fn read(&self, traveller: &Traveller, path: &str) -> RawResponse {
        let began = Instant::now();
        loop {
            match self.call(traveller, Method::GET, path, &Value::Null).await {
                Some(response) if response.status.as_u16() < 500 => return response,
                _ => tokio::time::sleep(Duration::from_millis(20)).await,
            }
            assert!(began.elapsed() < PATIENCE, "no server answers to {path}");
        }
    }

    /// A new traveller. The app takes a cursor first, then it reads its lists, once.
    async fn arrive(&self) {
        let name = {
            let mut population = self.population();
            population.made += 1;
            format!("traveller{}", population.made)
        };
        let id = accounts::create(&self.operator, &name, &name, PASSWORD).await.expect("a good name");
        let token = accounts::issue_token(&self.operator, &name, READ_WRITE).await.expect("a known name").0;
        let traveller = Traveller { name, id, token, copy: AsyncMutex::default() };
        let begun = self.read(&traveller, "/v1/changes").await.json();
        let mut copy = traveller.copy.lock().await;
        text(&begun["nextCursor"]).clone_into(&mut copy.cursor);
        copy.itineraries = self.truth(&traveller).await;
        drop(copy);
        self.population().travellers.push(Arc::new(traveller));
    }

    /// What the API shows of a traveller's own itineraries and those that are shared with them.
    async fn truth(&self, traveller: &Traveller) -> BTreeMap<String, Value> {
        let (mut ids, mut query) = (BTreeSet::new(), String::new());
        loop {
            let page = self.read(traveller, &format!("/v1/itineraries?limit=100{query}")).await.json();
            ids.extend(page["data"].as_array().expect("a list").iter().map(|entry| text(&entry["id"]).to_owned()));
            match page["nextCursor"].as_str() {
                Some(cursor) => query = format!("&cursor={cursor}"),
                None => break,
            }
        }
        let mut truth = BTreeMap::new();
        for id in ids {
            // It may be gone since it was listed.
            if let Some(itinerary) = self.itinerary(traveller, &id).await {
                truth.insert(id, itinerary);
            }
        }
        truth
    }

    /// Whether the response is that to a traveller whose account is deleted.
    fn is_gone(&self, traveller: &Traveller, response: &RawResponse) -> bool {
        response.status == 401 && self.population().travellers.iter().all(|other| other.id != traveller.id)
    }

    /// An itinerary with its tag, without the counts, which give no change.
    async fn itinerary(&self, traveller: &Traveller, id: &str) -> Option<Value> {
        let response = self.read(traveller, &format!("/v1/itineraries/{id}")).await;
        if response.status == 404 || self.is_gone(traveller, &response) {
            return None;
        }
        assert_eq!(response.status, 200, "{}", response.text());
        let mut itinerary = response.json();
        let fields = itinerary.as_object_mut().expect("an object");
        fields.retain(|name, _| !["viewsCount", "likesCount"].contains(&&**name));
        fields.insert("etag".to_owned(), json!(response.header("etag")));
        Some(itinerary)
    }

    /// Reads the feed to its end, and every itinerary that has changed. Returns how many changes there were.
    async fn follow(&self, traveller: &Traveller) -> usize {
        let mut copy = traveller.copy.lock().await;
        let mut found = 0;
        loop {
            let response = self.read(traveller, &format!("/v1/changes?limit=100&cursor={}", copy.cursor)).await;
            if self.is_gone(traveller, &response) {
                return found;
            }
            assert_eq!(response.status, 200, "{}", response.text());
            let page = response.json();
            for change in page["data"].as_array().expect("a list") {
                found += 1;
                let id = text(&change["itineraryId"]);
                let itinerary = match text(&change["type"]) {
                    "itinerary.updated" | "itinerary.shared" => self.itinerary(traveller, id).await,
                    "itinerary.unshared" | "itinerary.deleted" => None,
                    other => panic!("{other}"),
                };
                match itinerary {
                    Some(itinerary) => drop(copy.itineraries.insert(id.to_owned(), itinerary)),
                    None => drop(copy.itineraries.remove(id)),
                }
            }
            text(&page["nextCursor"]).clone_into(&mut copy.cursor);
            if page["hasMore"] == false {
                return found;
            }
        }
    }
}

async fn serve(engine: &Engine, addresses: &[String; 2], number: usize) -> Program {
    // One address for both, because tags and covers follow it.
    let base_url = format!("http://{}", addresses[0]);
    let flags = ["serve", "--listen", &addresses[number], "--limits", "off", "--base-url", &base_url];
    let mut command = command(words(engine, &[&flags[..], &PATIENT].concat()));
    command.env("TEST_CLOCK", engine.file(&format!("clock-{number}")));
    Program::start(command).await
}

impl Stage {
    /// Makes random changes until there are enough. What a killed server has done of one is unknown.
    async fn write(&self, changes: usize) {
        while self.done.fetch_add(1, Ordering::Relaxed) < changes {
            let (one, other, itinerary, many) = {
                let population = self.population();
                let one = |_| population.travellers[random(population.travellers.len())].clone();
                let ([one, other], made) = ([0, 1].map(one), &population.itineraries);
                let itinerary = (!made.is_empty()).then(|| made[random(made.len())].clone());
                (one, other, itinerary, made.len() > MANY)
            };
            let Some(id) = itinerary else {
                self.create(&one).await;
                continue;
            };
            let at = format!("/v1/itineraries/{id}");
            // What only an owner or member may do is tried as each traveller, until one is allowed to.
            match random(100) {
                0..12 if !many => self.create(&one).await,
                0..12 | 97 => self.delete(&id, &at).await,
                12..40 => {
                    self.try_all(Method::PATCH, &at, &json!({ "title": format!("Title {}", random(1000)) })).await;
                }
                40..48 => {
                    let visibility = ["private", "followers", "unlisted", "public"][random(4)];
                    self.try_all(Method::PATCH, &at, &json!({ "visibility": visibility })).await;
                }
                48..68 => {
                    let role = ["viewer", "editor"][random(2)];
                    self.try_all(Method::PUT, &format!("{at}/members/{}", other.id), &json!({ "role": role })).await;
                    self.call(&other, Method::PUT, &format!("/v1/invitations/{id}"), &Value::Null).await;
                }
                68..78 => self.try_all(Method::DELETE, &format!("{at}/members/{}", other.id), &Value::Null).await,
                78..82 => {
                    drop(self.call(&one, Method::DELETE, &format!("{at}/members/{}", one.id), &Value::Null).await);
                }
                82..90 => self.relate(&one, &other, Method::PUT, "follow").await,
                90..93 => self.relate(&one, &other, Method::DELETE, "follow").await,
                93..95 => self.relate(&one, &other, Method::PUT, "block").await,
                95..97 => self.relate(&one, &other, Method::DELETE, "block").await,
                98 => self.leave(&one).await,
                _ => self.create(&one).await,
            }
        }
    }

    async fn create(&self, owner: &Traveller) {
        let body = with(minimal(), json!({ "title": format!("Title {}", random(1000)) }));
        let made = self.call(owner, Method::POST, "/v1/itineraries?allowDuplicate=true", &body).await;
        if let Some(made) = made.filter(|made| made.status == 201) {
            self.population().itineraries.push(text(&made.json()["id"]).to_owned());
        }
    }

    /// Sends a request as everyone: the owner's or a member's is accepted.
    async fn try_all(&self, method: Method, path: &str, body: &Value) {
        let travellers = self.population().travellers.clone();
        for traveller in travellers {
            let response = self.call(&traveller, method.clone(), path, body).await;
            if response.is_none_or(|response| response.status.is_success()) {
                return;
            }
        }
    }

    async fn delete(&self, id: &str, at: &str) {
        self.population().itineraries.retain(|other| other != id);
        self.try_all(Method::DELETE, at, &Value::Null).await;
    }

    async fn relate(&self, one: &Traveller, other: &Traveller, method: Method, what: &str) {
        self.call(one, method, &format!("/v1/accounts/{}/{what}", other.id), &Value::Null).await;
    }

    /// Deletes an account, whose rows the servers erase. Somebody else comes.
    async fn leave(&self, traveller: &Traveller) {
        self.population().travellers.retain(|other| other.id != traveller.id);
        accounts::delete_by_username(&self.operator, &traveller.name).await.or_else(is_gone).expect("a database");
        self.arrive().await;
    }

    /// Kills the servers in turn while others write, and sets one's clock.
    async fn kill(&self, changes: usize) {
        for kill in 1..=KILLS {
            while self.done.load(Ordering::Relaxed) < changes * kill / (KILLS + 1) {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            // Back by a minute while it runs, and forth again later.
            let seconds = if (3..8).contains(&kill) { "-60" } else { "0" };
            fs::write(self.engine.file("clock-1"), seconds).expect("a file");
            let number = kill % 2;
            let mut server = self.servers[number].write().await;
            server.kill_now();
            server.end().await;
            *server = serve(&self.engine, &self.addresses, number).await;
        }
    }

    /// Keeps all copies until it is stopped.
    async fn keep_copies(&self) {
        while !self.stopped.load(Ordering::Relaxed) {
            let travellers = self.population().travellers.clone();
            join_all(travellers.iter().map(|traveller| self.follow(traveller))).await;
            tokio::time::sleep(ASKS).await;
        }
    }

    /// The difference between a copy and the truth.
    async fn difference(&self, traveller: &Traveller) -> Option<String> {
        let truth = self.truth(traveller).await;
        let copy = traveller.copy.lock().await;
        (copy.itineraries != truth).then(|| format!("{}: {:#?}\nand not {truth:#?}", traveller.name, copy.itineraries))
    }
}

/// Two may have deleted it at once.
fn is_gone(error: accounts::AccountError) -> Result<(), accounts::AccountError> {
    if matches!(error, accounts::AccountError::Unknown) { Ok(()) } else { Err(error) }
}

#[rstest]
#[case::sqlite(Sqlite)]
#[case::postgres(Postgres)]
#[tokio::test(flavor = "multi_thread")]
async fn a_copy_kept_by_the_feed_is_equal_to_the_truth(#[case] database: Database) {
    let Some(stage) = Stage::start(database).await else { return };
    let (changes, began) = (changes(), Instant::now());
    let writing = async {
        join(join_all((0..WRITERS).map(|_| stage.write(changes))), stage.kill(changes)).await;
        stage.stopped.store(true, Ordering::Relaxed);
    };
    join(writing, stage.keep_copies()).await;
    let wrote_in = began.elapsed();
    // What a killed server has left of deleted accounts.
    accounts::erase_deleted(&stage.operator).await.expect("a database");
    let travellers = stage.population().travellers.clone();
    // A change that nobody waited for may end late.
    let began = Instant::now();
    loop {
        let found: usize = join_all(travellers.iter().map(|traveller| stage.follow(traveller))).await.iter().sum();
        let differences = join_all(travellers.iter().map(|traveller| stage.difference(traveller))).await;
        let differences: Vec<_> = differences.into_iter().flatten().collect();
        if differences.is_empty() {
            break;
        }
        assert!(found > 0 || began.elapsed() < Duration::from_secs(10), "{}", differences.concat());
        tokio::time::sleep(ASKS).await;
    }
    let kept: usize = join_all(travellers.iter().map(async |traveller| traveller.copy.lock().await.itineraries.len()))
        .await
        .iter()
        .sum();
    assert!(kept > 0, "somebody has an itinerary at the end");
    eprintln!("{database:?}: {changes} changes in {wrote_in:?}, {kept} itineraries in {} copies", travellers.len());
}
