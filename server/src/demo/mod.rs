//! Fills a database for demos: travellers, public itineraries, follows and likes. For benchmarks it adds any number of
//! copies of the itineraries under other titles.

mod data;

use chrono::{DateTime, TimeDelta, Utc};
use indicatif::ProgressBar;
use itinerary_api::read;
use itinerary_api::values::CountryCode;
use itinerary_core::content::Content;
use itinerary_core::{ids, regions};
use itinerary_store::{Account, AccountColumns, NewAccount, Plan, Published};
use serde_json::json;
use uuid::Uuid;

use crate::app::explore;
use crate::app::itineraries::seed;
use crate::context::Service;

/// How long ago the travellers signed up.
const AGE: TimeDelta = TimeDelta::days(400);
/// The number of itineraries stored in one transaction. High, because their random keys touch the same pages.
const BATCH: usize = 2_000;
/// The number of itineraries for each traveller in a benchmark database.
const EACH: usize = 100;

/// The result of filling a database.
pub struct Filled {
    pub usernames: Vec<String>,
    /// The password of every traveller.
    pub password: String,
    /// The number of itineraries.
    pub itineraries: usize,
}

type Result<T> = std::result::Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// Fills an empty database with `wanted` itineraries, by default the built-in ones. `bar` shows the progress.
pub async fn fill(service: &Service, wanted: Option<usize>, bar: &ProgressBar) -> Result<Filled> {
    if !service.store.is_empty().await? {
        return Err("the database is not empty: demo needs a new one".into());
    }
    let entries = data::itineraries();
    let wanted = wanted.unwrap_or(entries.len());
    bar.set_length(u64::try_from(wanted)?);
    let password = ids::item(&*service.random);
    let travellers = travellers(service, &password, wanted).await?;
    let written = entries.iter().map(|entry| Written::of(service, entry)).collect::<Result<Vec<_>>>()?;
    let now = service.clock.now();
    let mut batch = Vec::new();
    for number in 0..wanted {
        batch.push(itinerary(service, &travellers, &written, number, now)?);
        if batch.len() == BATCH || number + 1 == wanted {
            bar.inc(u64::try_from(batch.len())?);
            service.store.seed(std::mem::take(&mut batch), now).await?;
        }
    }
    bar.set_message("ranking");
    // The first ranking counts the bands; the second uses the counts.
    explore::rank(service).await.map_err(Box::new)?;
    explore::rank(service).await.map_err(Box::new)?;
    service.store.analyse().await?;
    bar.finish_and_clear();
    let usernames = data::travellers().into_iter().map(|traveller| traveller.username).collect();
    Ok(Filled { usernames, password, itineraries: wanted })
}

struct Traveller {
    account: Account,
    interests: Vec<String>,
}

/// Creates the travellers, who follow others with a common interest. Creates more of them for many itineraries.
async fn travellers(service: &Service, password: &str, itineraries: usize) -> Result<Vec<Traveller>> {
    let busy = "too many passwords are being hashed";
    let password_hash = service.hashing.turn().await.ok_or(busy)?.hash(password, service.random.bytes()).await;
    let mut travellers = Vec::new();
    for data::Traveller { username, display_name, home, interests } in data::travellers() {
        let account = account(service, username, display_name, &password_hash).await?;
        settle(service, &account, &home).await?;
        travellers.push(Traveller { account, interests });
    }
    let more = (itineraries / EACH).saturating_sub(travellers.len());
    for number in 1..=more {
        let (username, display_name) = (format!("traveller-{number}"), format!("Traveller {number}"));
        let account = account(service, username, display_name, &password_hash).await?;
        travellers.push(Traveller { account, interests: Vec::new() });
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

async fn follow(service: &Service, travellers: &[Traveller]) -> Result<()> {
    for follower in travellers {
        for followed in travellers {
            let shares = follower.interests.iter().any(|interest| followed.interests.contains(interest));
            if shares && follower.account.id != followed.account.id {
                let now = service.clock.now();
                service.store.follow_set(follower.account.id, followed.account.id, now).await?;
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
}

impl Written {
    fn of(service: &Service, entry: &data::Entry) -> Result<Self> {
        let body = read::json(entry.itinerary.get().as_bytes()).map_err(|error| format!("{error:?}"))?;
        let content = seed::content(service, body).map_err(|error| format!("{error:?}"))?;
        Ok(Self { author: entry.author.clone(), age: TimeDelta::days(entry.published_days_ago.into()), content })
    }
}

/// The itinerary with this number: the built-in ones first, then copies with other titles and owners.
fn itinerary(
    service: &Service,
    travellers: &[Traveller],
    written: &[Written],
    number: usize,
    now: DateTime<Utc>,
) -> Result<Published> {
    let Written { author, age, content } = &written[number % written.len()];
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
fn fans(service: &Service, travellers: &[Traveller], content: &Content, round: usize) -> Vec<Uuid> {
    let [first, many] = service.random.bytes::<2>().map(usize::from);
    let by_chance = |traveller: &&Traveller| {
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
