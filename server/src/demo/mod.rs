//! Fills a database for demos: travellers, public itineraries, follows and likes. For benchmarks it adds any number of
//! copies of the itineraries under other titles, or a large population.

mod data;
mod population;
mod sizes;

use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use indicatif::ProgressBar;
use itinerary_api::read;
use itinerary_api::values::CountryCode;
use itinerary_app::explore;
use itinerary_app::itineraries::seed;
use itinerary_core::content::Content;
use itinerary_core::{ids, regions};
use itinerary_model::Plan;
use itinerary_platform::context::Service;
use itinerary_store::{Account, AccountColumns, NewAccount, Published};
use serde_json::json;
use uuid::Uuid;

/// How long ago the travellers signed up.
const AGE: TimeDelta = TimeDelta::days(400);
/// For how many days at most they have followed each other.
const FOLLOWED_FOR: i64 = 300;
/// The number of itineraries stored in one transaction. High, because their random keys touch the same pages.
const BATCH: usize = 2_000;
/// The number of itineraries for each traveller in a benchmark database.
const EACH: usize = 100;
/// The number of itineraries for each account of a large population, if no number is given.
const EACH_OF_MANY: usize = 10;

/// What to fill a database with.
#[derive(Clone, Copy, Debug, Default)]
pub struct DemoSize {
    /// The number of itineraries. By default the built-in ones, or ten for each account.
    pub itineraries: Option<usize>,
    /// The number of accounts of a large population.
    pub accounts: Option<usize>,
}

/// The result of filling a database.
pub struct Filled {
    /// The built-in travellers.
    pub usernames: Vec<String>,
    /// The password of every account.
    pub password: String,
    /// The number of accounts.
    pub accounts: usize,
    /// The number of itineraries.
    pub itineraries: usize,
    /// The number of public ones.
    pub public: usize,
}

type Result<T> = std::result::Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// Fills an empty database. `bar` shows the progress.
pub async fn fill(service: &Arc<Service>, size: DemoSize, bar: &ProgressBar) -> Result<Filled> {
    if service.store.is_half_populated().await? {
        return Err("the database is incomplete: an earlier demo was interrupted. Delete it, or name a new one".into());
    }
    if !service.store.is_empty().await? {
        return Err(
            "the database is not empty: demo needs a new one. Name another with --data or --database-url".into()
        );
    }
    let entries = data::itineraries();
    let built_in = entries.len();
    let itineraries = match size {
        DemoSize { itineraries: Some(itineraries), .. } => itineraries,
        DemoSize { accounts: Some(accounts), .. } => accounts * EACH_OF_MANY,
        DemoSize { .. } => built_in,
    };
    bar.set_length(u64::try_from(itineraries)?);
    let password = ids::item(&*service.random);
    let busy = "too many passwords are being hashed";
    let password_hash = service.hashing.turn().await.ok_or(busy)?.hash(&password, service.random.bytes()).await;
    let written = entries.iter().map(|entry| Written::of(service, entry)).collect::<Result<Vec<_>>>()?;
    let mut filled = Filled {
        usernames: data::travellers().into_iter().map(|traveller| traveller.username).collect(),
        password,
        accounts: 0,
        itineraries,
        public: itineraries,
    };
    if let Some(accounts) = size.accounts {
        service.store.populate_begin(service.clock.now()).await?;
        let travellers = travellers(service, &password_hash, 0).await?;
        let first = itineraries.min(built_in);
        publish(service, &travellers, &written, first, bar).await?;
        let more = (accounts - travellers.len(), itineraries - first);
        filled.accounts = accounts;
        filled.public = first + population::fill(service, &written, more, &password_hash, bar).await?;
    } else {
        let travellers = travellers(service, &password_hash, itineraries).await?;
        publish(service, &travellers, &written, itineraries, bar).await?;
        filled.accounts = travellers.len();
        bar.set_message("ranking");
        // The first ranking counts the bands; the second uses the counts.
        explore::rank(service).await.map_err(Box::new)?;
    }
    bar.set_message("ranking");
    explore::rank(service).await.map_err(Box::new)?;
    match size.accounts {
        Some(_) => service.store.populate_finish().await?,
        None => service.store.analyse().await?,
    }
    bar.finish_and_clear();
    Ok(filled)
}

/// Publishes this number of itineraries: the built-in ones, then copies.
async fn publish(
    service: &Service,
    travellers: &[StoredTraveller],
    written: &[Written],
    number: usize,
    bar: &ProgressBar,
) -> Result<()> {
    let now = service.clock.now();
    let mut batch = Vec::new();
    for n in 0..number {
        batch.push(itinerary(service, travellers, written, n, now)?);
        if batch.len() == BATCH || n + 1 == number {
            bar.inc(u64::try_from(batch.len())?);
            service.store.seed(std::mem::take(&mut batch), now).await?;
        }
    }
    Ok(())
}

struct StoredTraveller {
    account: Account,
    interests: Vec<String>,
}

/// Creates the travellers, who follow others with a common interest. Creates more of them for many itineraries.
async fn travellers(service: &Service, password_hash: &str, itineraries: usize) -> Result<Vec<StoredTraveller>> {
    let mut travellers = Vec::new();
    for data::Traveller { username, display_name, home, interests } in data::travellers() {
        let account = account(service, username, display_name, password_hash).await?;
        settle(service, &account, &home).await?;
        travellers.push(StoredTraveller { account, interests });
    }
    let more = (itineraries / EACH).saturating_sub(travellers.len());
    for number in 1..=more {
        let (username, display_name) = (format!("traveller-{number}"), format!("Traveller {number}"));
        let account = account(service, username, display_name, password_hash).await?;
        travellers.push(StoredTraveller { account, interests: Vec::new() });
    }
    follow(service, &travellers).await?;
    Ok(travellers)
}

async fn account(service: &Service, username: String, display_name: String, password_hash: &str) -> Result<Account> {
    let created_at = service.clock.now() - AGE;
    let new = NewAccount {
        id: ids::uuid(created_at, &*service.random),
        username_folded: username.clone(),
        username,
        display_name,
        password_hash: password_hash.to_owned(),
        plan: Plan::Free,
        created_at,
    };
    service.store.account_insert(&new).await?;
    Ok(service.store.account(new.id).await?.ok_or("an account was deleted")?)
}

/// Gives a traveller a home in a country.
async fn settle(service: &Service, account: &Account, country: &CountryCode) -> Result<()> {
    let columns = |home_place| AccountColumns {
        display_name: account.display_name.clone(),
        image_url: account.image_url.clone(),
        home_place,
    };
    let home = json!({ "name": regions::country_name(country), "countryCode": country }).to_string();
    service.store.account_update(account.id, &columns(None), &columns(Some(home))).await?;
    Ok(())
}

async fn follow(service: &Service, travellers: &[StoredTraveller]) -> Result<()> {
    for follower in travellers {
        // On different days, so that reports by the travellers count.
        for (days, followed) in (0..).zip(travellers) {
            let shares = follower.interests.iter().any(|interest| followed.interests.contains(interest));
            if shares && follower.account.id != followed.account.id {
                let at = service.clock.now() - TimeDelta::days(days % FOLLOWED_FOR);
                service.store.follow_set(follower.account.id, followed.account.id, at).await?;
            }
        }
    }
    Ok(())
}

/// A built-in itinerary.
struct Written {
    author: String,
    age: TimeDelta,
    content: Content,
    /// The body of the request that creates it.
    json: String,
}

impl Written {
    fn of(service: &Service, entry: &data::DemoEntry) -> Result<Self> {
        let body = read::json(entry.itinerary.get().as_bytes()).map_err(|error| format!("{error:?}"))?;
        let content = seed::content(service, body).map_err(|error| format!("{error:?}"))?;
        let (author, age) = (entry.author.clone(), TimeDelta::days(entry.published_days_ago.into()));
        Ok(Self { author, age, content, json: entry.itinerary.get().to_owned() })
    }
}

/// The itinerary with this number: the built-in ones first, then copies with other titles and owners.
fn itinerary(
    service: &Service,
    travellers: &[StoredTraveller],
    written: &[Written],
    number: usize,
    now: DateTime<Utc>,
) -> Result<Published> {
    let Written { author, age, content, .. } = &written[number % written.len()];
    let round = number / written.len();
    let (owner, title) = match round {
        0 => (travellers.iter().find(|traveller| traveller.account.username == *author), None),
        _ => (
            travellers.get(number % travellers.len()),
            Some(format!("{:.150}, journey {number}", &*content.everyone.title)),
        ),
    };
    let owner = owner.ok_or("an itinerary has an unknown author")?;
    let liked_by = fans(service, travellers, content, round);
    seed::published(service, &owner.account, content, title, now - *age, liked_by)
        .map_err(|error| format!("{error:?}").into())
}

/// The travellers who like an itinerary: everyone with a common interest for a built-in one, a few at random for a copy.
fn fans(service: &Service, travellers: &[StoredTraveller], content: &Content, round: usize) -> Vec<Uuid> {
    let [first, many] = service.random.bytes::<2>().map(usize::from);
    let by_chance = |traveller: &&StoredTraveller| {
        traveller.interests.iter().any(|interest| content.everyone.tags.iter().any(|tag| **tag == **interest))
    };
    if round == 0 {
        return travellers.iter().filter(by_chance).map(|traveller| traveller.account.id).collect();
    }
    // Three of four have none, the others one to eight.
    let count = if many < 192 { 0 } else { 1 + many % 8 };
    travellers
        .iter()
        .cycle()
        .skip(first)
        .take(count.min(travellers.len()))
        .map(|traveller| traveller.account.id)
        .collect()
}
