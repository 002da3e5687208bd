//! A large population: many accounts and itineraries, spread as in a service that has been running for two years.
//!
//! Most accounts have few itineraries and some have hundreds; most itineraries are short and private. Everything that
//! depends on other itineraries is drawn first, a few bytes for each, so that each of them is stored only once, with its
//! final rank. They are made and stored in batches, the next one while the last one is being stored.

use std::collections::HashSet;
use std::sync::Arc;

use chrono::{DateTime, Days, TimeDelta, Utc};
use indicatif::ProgressBar;
use itinerary_api::types::Visibility;
use itinerary_api::values::Date;
use itinerary_app::itineraries::seed::{self, Distinct};
use itinerary_core::clock::Random;
use itinerary_core::content::Content;
use itinerary_core::ids;
use itinerary_core::rank::{self, BANDS, Counts, Cuts};
use itinerary_model::Plan;
use itinerary_platform::context::Service;
use itinerary_store::{Account, AccountCounts, FeedEntry, NewAccount, Populated};
use tokio::task::spawn_blocking;
use uuid::Uuid;

use super::sizes;
use super::{Result, Written};

/// The age of the oldest itinerary; the first accounts are older.
const AGE_DAYS: u32 = 700;
/// The number of itineraries in a transaction; takes about 100 MB.
const BATCH: usize = 8_000;
/// The number of other rows in a transaction.
const ROWS: usize = 100_000;
/// The largest number of people whom a generated account follows.
const FOLLOWING: u32 = 20;

/// What was drawn for an itinerary.
#[derive(Clone, Copy)]
struct Drawn {
    age_minutes: u32,
    owner: u32,
    content: u16,
    visibility: Visibility,
    likes: u8,
}

/// Draws numbers from the service's random source.
struct Draw<'s>(&'s dyn Random);

impl Draw<'_> {
    /// A number below this one.
    fn below(&self, end: u32) -> u32 {
        let number = u64::from(u32::from_le_bytes(self.0.bytes())) * u64::from(end);
        u32::try_from(number >> 32).unwrap_or_default()
    }

    /// A number below this one. The first is the most frequent: it has a share of one in `log(500) × end / 500`.
    fn popular(&self, end: u32) -> u32 {
        let (end, level) = (f64::from(end), (f64::from(end) / 500.0).max(1.0));
        let chance = f64::from(self.below(u32::MAX)) / f64::from(u32::MAX);
        let number = level * (((end + level) / level).powf(chance) - 1.0);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and the end")]
        {
            number.min(end - 1.0) as u32
        }
    }

    fn visibility(&self) -> Visibility {
        match self.below(100) {
            0..50 => Visibility::Private,
            50..90 => Visibility::Public,
            90..95 => Visibility::Followers,
            _ => Visibility::Unlisted,
        }
    }

    /// Three of four public itineraries have no like, the others one to eight, and one in a thousand a hundred.
    fn likes(&self) -> u8 {
        match self.below(1_000) {
            0 => 100,
            1..250 => u8::try_from(1 + self.below(8)).unwrap_or(1),
            _ => 0,
        }
    }

    fn itinerary(&self, accounts: u32, contents: &sizes::Contents) -> Drawn {
        let visibility = self.visibility();
        Drawn {
            age_minutes: self.below(AGE_DAYS * 24 * 60),
            owner: self.popular(accounts),
            content: contents.draw(|end| self.below(end)),
            visibility,
            likes: if visibility == Visibility::Public { self.likes() } else { 0 },
        }
    }
}

impl Drawn {
    fn counts(self) -> Counts {
        Counts { likes: self.likes.into(), ..Counts::default() }
    }

    fn band(self) -> u8 {
        rank::band(self.counts(), i64::from(self.age_minutes / (24 * 60)))
    }
}

/// Adds these numbers of accounts and itineraries. Returns the number of public itineraries.
pub(super) async fn fill(
    service: &Arc<Service>,
    written: &[Written],
    (accounts, itineraries): (usize, usize),
    password_hash: &str,
    bar: &ProgressBar,
) -> Result<usize> {
    let now = service.clock.now();
    let draw = Draw(&*service.random);
    bar.set_message("accounts");
    let generated = generated_accounts(service, accounts, password_hash, now).await?;
    let people = u32::try_from(generated.len())?;
    let mut counts = vec![AccountCounts::default(); generated.len()];
    bar.set_message("follows");
    follow(service, &generated, &mut counts, now).await?;

    let contents = sizes::Contents::of(service, written)?;
    let mut drawn: Vec<_> = (0..itineraries).map(|_| draw.itinerary(people, &contents)).collect();
    drawn.sort_unstable_by_key(|one| std::cmp::Reverse(one.age_minutes));
    let mut bands = [0; BANDS];
    for one in drawn.iter().filter(|one| one.visibility == Visibility::Public) {
        bands[usize::from(one.band())] += 1;
    }
    for one in &drawn {
        counts[one.owner as usize].itineraries += 1;
    }
    let cuts = Cuts::of(&bands);

    bar.set_message("itineraries");
    let factory = Arc::new(ItineraryFactory { service: Arc::clone(service), generated, contents, drawn, now });
    let mut feed = Vec::new();
    let make = |from: usize| {
        let factory = Arc::clone(&factory);
        spawn_blocking(move || factory.batch(from))
    };
    let mut next = make(0);
    for from in (0..factory.drawn.len()).step_by(BATCH) {
        let batch = next.await??;
        next = make(from + BATCH);
        feed.extend(
            batch.iter().zip(&factory.drawn[from..]).filter_map(|(made, drawn)| feed_entry(made, *drawn, cuts)),
        );
        let stored = u64::try_from(batch.len())?;
        service.store.populate_itineraries(batch, now).await?;
        bar.inc(stored);
    }
    bar.set_message("feed");
    for entries in feed.chunks(ROWS) {
        service.store.populate_feed(entries.to_vec()).await?;
    }
    let counts: Vec<_> = factory.generated.iter().copied().zip(counts).collect();
    for some in counts.chunks(ROWS) {
        service.store.populate_counts(some.to_vec()).await?;
    }
    service.store.ranking_remember(&cuts.memory(), now).await?;
    Ok(feed.len())
}

/// Makes itineraries from what was drawn.
struct ItineraryFactory {
    service: Arc<Service>,
    generated: Vec<Uuid>,
    contents: sizes::Contents,
    drawn: Vec<Drawn>,
    now: DateTime<Utc>,
}

impl ItineraryFactory {
    fn batch(&self, from: usize) -> Result<Vec<Populated>> {
        let to = self.drawn.len().min(from + BATCH);
        (from..to).map(|number| self.itinerary(number)).collect()
    }

    fn itinerary(&self, number: usize) -> Result<Populated> {
        let drawn = self.drawn[number];
        let content = self.contents.get(drawn.content);
        let title = format!("{:.150}, journey {number}", &*content.everyone.title);
        let distinct = Distinct {
            title,
            start_date: self.start_date(content),
            visibility: drawn.visibility,
            created_at: self.now - TimeDelta::minutes(drawn.age_minutes.into()),
            band: drawn.band(),
            liked_by: self.fans(drawn.likes),
        };
        let owner = owner(self.generated[drawn.owner as usize], self.now);
        seed::populated(&self.service, &owner, content, distinct).map_err(|error| format!("{error:?}").into())
    }

    /// A day within a year of the content's own first day.
    fn start_date(&self, content: &Content) -> Option<Date> {
        let later = Draw(&*self.service.random).below(365);
        content.everyone.start_date.day().checked_add_days(Days::new(later.into())).and_then(Date::new)
    }

    /// Accounts at equal distances, so that each appears once.
    fn fans(&self, likes: u8) -> Vec<Uuid> {
        if likes == 0 {
            return Vec::new();
        }
        let count = usize::from(likes).min(self.generated.len());
        let first = Draw(&*self.service.random).below(u32::try_from(self.generated.len()).unwrap_or(u32::MAX)) as usize;
        let distance = self.generated.len() / count;
        (0..count).map(|n| self.generated[(first + n * distance) % self.generated.len()]).collect()
    }
}

/// The owner, as far as storing an itinerary needs it.
fn owner(id: Uuid, created_at: DateTime<Utc>) -> Account {
    Account {
        id,
        username: String::new(),
        username_folded: String::new(),
        display_name: String::new(),
        password_hash: String::new(),
        plan: Plan::Free,
        image_url: None,
        home_place: None,
        created_at,
        suspended_at: None,
        moderator_since: None,
    }
}

fn feed_entry(made: &Populated, drawn: Drawn, cuts: Cuts) -> Option<FeedEntry> {
    let explore_entry = made.explore_entry.as_ref().filter(|explore_entry| explore_entry.public)?;
    let (regions, keys) = (explore_entry.regions.clone(), explore_entry.keys);
    Some(FeedEntry { itinerary_id: made.itinerary.id, tier: cuts.tier(drawn.band()).number(), regions, keys })
}

/// Stores accounts named `traveller-1`, `traveller-2`, …, the first of which own the most itineraries.
async fn generated_accounts(
    service: &Service,
    number: usize,
    password_hash: &str,
    now: DateTime<Utc>,
) -> Result<Vec<Uuid>> {
    let mut ids = Vec::with_capacity(number);
    let mut batch = Vec::new();
    for n in 1..=number {
        // In the order in which they signed up, within a hundred days.
        let minutes = i64::from(AGE_DAYS) * 1_440 + 144_000 * i64::try_from(number - n)? / i64::try_from(number)?;
        let created_at = now - TimeDelta::minutes(minutes);
        let (id, username) = (ids::uuid(created_at, &*service.random), format!("traveller-{n}"));
        ids.push(id);
        batch.push(NewAccount {
            id,
            username_folded: username.clone(),
            username,
            display_name: format!("Traveller {n}"),
            password_hash: password_hash.to_owned(),
            plan: Plan::Free,
            created_at,
        });
        if batch.len() == ROWS || n == number {
            service.store.populate_accounts(std::mem::take(&mut batch)).await?;
        }
    }
    Ok(ids)
}

/// Two of five accounts follow nobody, the others up to twenty people, mostly those who have published much.
async fn follow(service: &Service, accounts: &[Uuid], counts: &mut [AccountCounts], now: DateTime<Utc>) -> Result<()> {
    let draw = Draw(&*service.random);
    let people = u32::try_from(accounts.len())?;
    let mut batch = Vec::new();
    for (follower, id) in accounts.iter().enumerate() {
        let wanted = if draw.below(5) < 2 { 0 } else { 1 + draw.below(FOLLOWING) };
        let followed: HashSet<_> = (0..wanted).map(|_| draw.popular(people) as usize).collect();
        for followed in followed.into_iter().filter(|followed| *followed != follower) {
            counts[follower].following += 1;
            counts[followed].followers += 1;
            batch.push((*id, accounts[followed]));
        }
        if batch.len() >= ROWS || follower + 1 == accounts.len() {
            service.store.populate_follows(std::mem::take(&mut batch), now).await?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use itinerary_platform::system::SystemRandom;

    #[test]
    fn a_few_accounts_have_hundreds_and_most_have_few() {
        let draw = Draw(&SystemRandom);
        let mut counts = vec![0; 2_000];
        for _ in 0..20_000 {
            counts[draw.popular(2_000) as usize] += 1;
        }
        assert!((400..2_000).contains(&counts[0]), "{}", counts[0]);
        let few = counts.iter().filter(|count| **count <= 10).count();
        assert!(few > 1_400, "{few}");
        assert!((0..50).all(|_| draw.popular(1) == 0 && draw.below(1) == 0));
    }
}
