//! Cost of SQLite's text index: size and write time for one itinerary, and searches among 20,000.
//!
//! `cargo bench -p itinerary-store` prints a table and asserts nothing.

use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};
use itinerary_model::{Plan, Visibility};
use itinerary_store::{
    ExploreEntry, ItineraryColumns, KEYS, Matching, NewAccount, NewItinerary, Options, Published, Store, WORLD,
};
use uuid::Uuid;

const OWNER: Uuid = Uuid::from_u128(1);

const ITINERARIES: usize = 20_000;
const TOGETHER: usize = 50;
/// Distinct words; the most common are in a third of all itineraries, the rarest in none.
const VOCABULARY: usize = 60_000;
/// The page size plus one.
const WANTED: u32 = 26;

/// Deterministic pseudo-random numbers.
struct Chance(u64);

impl Chance {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((self.0 >> 33) % end as u64).expect("below a usize")
    }

    fn one_of<'t>(&mut self, parts: &[&'t str]) -> &'t str {
        parts[self.below(parts.len())]
    }

    /// A word made of syllables.
    fn word(&mut self) -> String {
        let syllable = |chance: &mut Self| {
            let onset = chance.one_of(&["b", "c", "d", "f", "g", "l", "m", "n", "p", "pr", "r", "s", "st", "t", "v"]);
            let (nucleus, coda) =
                (chance.one_of(&["a", "e", "i", "o", "u"]), chance.one_of(&["", "", "n", "r", "l", "s"]));
            [onset, nucleus, coda].concat()
        };
        let syllables = [1, 2, 2, 3, 3, 4][self.below(6)];
        (0..syllables).map(|_| syllable(self)).collect::<String>().chars().take(12).collect()
    }

    /// Words of twelve letters, with at most the first few in common.
    fn letters(&mut self) -> String {
        (0..12).map(|_| char::from(b'a' + u8::try_from(self.below(26)).expect("a letter"))).collect()
    }

    /// The number of a word; small numbers are far more frequent.
    fn rank(&mut self) -> usize {
        let range = self.below(16);
        self.below((VOCABULARY >> range).max(1))
    }
}

fn published(number: usize, place: i64, words: &[String]) -> Published {
    let now = DateTime::<Utc>::UNIX_EPOCH;
    let columns = ItineraryColumns {
        visibility: Visibility::Public,
        published_at: Some(now),
        start_date: "2027-05-01".to_owned(),
        destination_key: "lisbon".to_owned(),
        place_id: None,
        latitude: 38.7,
        longitude: -9.1,
        origin: None,
        updated_at: now,
        card: "{}".to_owned(),
        everyone: "{}".to_owned(),
        members: "{}".to_owned(),
        pro: "{}".to_owned(),
        documents: "{}".to_owned(),
        cover_id: None,
    };
    let id = Uuid::from_u128(number as u128 + 10);
    let explore_entry = ExploreEntry {
        public: true,
        published_at: now,
        regions: vec![WORLD, 150, 39, 620],
        words: words.join(" "),
        place,
        keys: [0; KEYS],
    };
    Published {
        itinerary: NewItinerary { id, owner_id: OWNER, created_at: now, client_id: None, columns, picture: None },
        explore_entry,
        liked_by: Vec::new(),
    }
}

async fn open(folder: &std::path::Path) -> (Store, rusqlite::Connection) {
    let file = folder.join("bench.db");
    let options = Options { full_sync: false, ..Options::default() };
    let store = Store::open(&format!("sqlite://{}", file.display()), &options).await.expect("the database opens");
    store.migrate().await.expect("the schema can be made");
    let account = NewAccount {
        id: OWNER,
        username: "ana".to_owned(),
        username_folded: "ana".to_owned(),
        display_name: "Ana".to_owned(),
        password_hash: String::new(),
        plan: Plan::Free,
        created_at: DateTime::<Utc>::UNIX_EPOCH,
    };
    assert!(store.account_insert(&account).await.expect("stored"));
    (store, rusqlite::Connection::open(file).expect("the file opens"))
}

fn index_bytes(beside: &rusqlite::Connection) -> i64 {
    beside.query_row("SELECT sum(length(block)) FROM explore_words_data", [], |row| row.get(0)).expect("a size")
}

fn middle(mut times: Vec<Duration>) -> (u128, u128) {
    times.sort_unstable();
    (times[times.len() / 2].as_micros(), times[times.len() * 19 / 20].as_micros())
}

/// Measures the bytes that one itinerary takes, and the time to publish one in the filled database.
async fn write(
    name: &str,
    store: &Store,
    beside: &rusqlite::Connection,
    word: &mut dyn FnMut() -> String,
    from: usize,
) {
    let before = index_bytes(beside);
    let mut times = Vec::new();
    let mut bytes = 0;
    for n in 0..20 {
        let words: Vec<_> = (0..2_000).map(|_| word()).collect();
        let place = (1 << 62) + (i64::try_from(from + n).expect("small") << 40);
        let published = vec![published(from + n, place, &words)];
        let began = Instant::now();
        store.seed(published, DateTime::<Utc>::UNIX_EPOCH).await.expect("stored");
        times.push(began.elapsed());
        bytes = if n == 0 { index_bytes(beside) - before } else { bytes };
    }
    let (median, most) = middle(times);
    println!("| publish 2,000 {name}, {bytes} bytes of index | {median} | {most} |");
}

async fn search(store: &Store, words: &[&str]) -> (Duration, usize) {
    let words = words.iter().map(|word| (*word).to_owned()).collect();
    let matching = Matching { words, regions: Vec::new() };
    let began = Instant::now();
    let found = store.explore_search(OWNER, &matching, None, WANTED).await.expect("read");
    (began.elapsed(), found.len())
}

async fn searches(name: &str, store: &Store, all: &[Vec<&str>]) {
    let (mut times, mut found) = (Vec::new(), 0);
    for words in all {
        search(store, words).await;
        let (time, number) = search(store, words).await;
        times.push(time);
        found += number;
    }
    let (median, most) = middle(times);
    println!("| {name}, {} found on average | {median} | {most} |", found / all.len());
}

#[tokio::main]
async fn main() {
    println!("| what | p50, µs | p95, µs |\n|---|---:|---:|");
    let (mut letters, mut chance) = (Chance(7), Chance(11));
    let folder = tempfile::tempdir().expect("a folder");
    let (store, beside) = open(folder.path()).await;
    write("words of twelve letters", &store, &beside, &mut || letters.letters(), 0).await;
    let vocabulary: Vec<_> = (0..VOCABULARY).map(|_| chance.word()).collect();
    let mut pick = Chance(13);
    write("ordinary words", &store, &beside, &mut || vocabulary[pick.below(VOCABULARY)].clone(), 100).await;

    let folder = tempfile::tempdir().expect("a folder");
    let (store, _beside) = open(folder.path()).await;
    let mut number = 0;
    while number < ITINERARIES {
        let some = (number..number + TOGETHER).map(|number| {
            let count = [20, 40, 80, 120][chance.below(4)];
            let words: Vec<_> = (0..count).map(|_| vocabulary[chance.rank()].clone()).collect();
            let place = (1 << 62) + i64::try_from((chance.below(1 << 29) << 32) + number).expect("below 2^62");
            published(number, place, &words)
        });
        store.seed(some.collect(), DateTime::<Utc>::UNIX_EPOCH).await.expect("stored");
        number += TOGETHER;
    }
    store.analyse().await.expect("looked at");
    let common: Vec<&str> = vocabulary[..30].iter().map(String::as_str).collect();
    let middling: Vec<&str> = vocabulary[2_000..2_200].iter().map(String::as_str).collect();
    let rare: Vec<&str> = vocabulary[50_000..50_200].iter().map(String::as_str).collect();
    for (name, words) in [("common", &common), ("middling", &middling), ("rare", &rare)] {
        searches(&format!("{name} words"), &store, &words.iter().map(|word| vec![*word]).collect::<Vec<_>>()).await;
        for length in 1..=5 {
            let all: Vec<_> =
                words.iter().filter(|word| word.len() > length).map(|word| vec![&word[..length]]).collect();
            searches(&format!("{length} letters of {name} words"), &store, &all).await;
        }
    }
    let two: Vec<_> =
        common.iter().zip(&middling).map(|(one, other)| vec![*one, &other[..other.len().min(4)]]).collect();
    searches("a common word and four letters", &store, &two).await;
    let other = common.iter().cycle();
    let two: Vec<_> = rare.iter().zip(other).map(|(one, other)| vec![*one, &other[..other.len().min(4)]]).collect();
    searches("a rare word and four letters of a common one", &store, &two).await;
    store.close().await.expect("the store closes");
}
