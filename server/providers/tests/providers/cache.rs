//! The cache: hits, lifetimes, and a failing storage.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use itinerary_providers::{Cache, Cached, CachedValue, Failure, Found, Geocoder, Instant, Point, Question};

use crate::stub::later;

const DAY: Duration = Duration::from_hours(24);

const QUESTION: Question<'_> = Question {
    name: "Torre de Belém",
    near: Point { latitude: 38.72, longitude: -9.14 },
    radius_km: 60.0,
    country: Some("PT"),
    language: "en",
};

fn tower() -> Found {
    Found {
        name: "Torre de Belém".into(),
        other_names: vec!["Belém Tower".into()],
        point: Point { latitude: 38.691_584, longitude: -9.215_978 },
        address: Some("Lisbon".into()),
        place_id: "osm:way/24341353".into(),
        country: Some("PT".into()),
        category: None,
    }
}

/// A geocoder that counts its calls.
struct Counting {
    response: Result<Vec<Found>, Failure>,
    calls: AtomicUsize,
}

#[async_trait]
impl Geocoder for Counting {
    async fn search(&self, _question: &Question<'_>, _deadline: Instant) -> Result<Vec<Found>, Failure> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        self.response.clone()
    }

    fn name(&self) -> &'static str {
        "counting"
    }
}

/// A storage whose entries all have the same age.
#[derive(Default)]
struct Memory {
    entries: Mutex<HashMap<String, String>>,
    age: Mutex<Duration>,
}

#[async_trait]
impl Cache for Memory {
    async fn get(&self, key: &str) -> Option<CachedValue> {
        let age = *self.age.lock().expect("no panic");
        self.entries.lock().expect("no panic").get(key).map(|json| CachedValue { json: json.clone(), age })
    }

    async fn put(&self, key: &str, json: &str) {
        self.entries.lock().expect("no panic").insert(key.into(), json.into());
    }
}

struct Setup {
    geocoder: Arc<Counting>,
    memory: Arc<Memory>,
    cached: Cached<Arc<Counting>, Arc<Memory>>,
}

impl Setup {
    fn new(response: Result<Vec<Found>, Failure>) -> Self {
        let geocoder = Arc::new(Counting { response, calls: AtomicUsize::new(0) });
        let memory = Arc::new(Memory::default());
        let cached = Cached::new(Arc::clone(&geocoder), Arc::clone(&memory));
        Self { geocoder, memory, cached }
    }

    async fn search(&self, question: &Question<'_>) -> Result<Vec<Found>, Failure> {
        self.cached.search(question, later()).await
    }

    fn calls(&self) -> usize {
        self.geocoder.calls.load(Ordering::Relaxed)
    }

    fn age(&self, age: Duration) {
        *self.memory.age.lock().expect("no panic") = age;
    }
}

#[tokio::test]
async fn a_response_is_asked_for_once() {
    let setup = Setup::new(Ok(vec![tower()]));
    for _ in 0..3 {
        assert_eq!(setup.search(&QUESTION).await, Ok(vec![tower()]));
    }
    assert_eq!(setup.calls(), 1);
    let keys: Vec<_> = setup.memory.entries.lock().expect("no panic").keys().cloned().collect();
    assert_eq!(keys, ["counting/en/PT/38.7/-9.1/60/torre de belém"]);
}

#[tokio::test]
async fn questions_that_differ_in_spelling_or_a_little_in_place_are_the_same() {
    let setup = Setup::new(Ok(vec![tower()]));
    setup.search(&QUESTION).await.expect("an answer");
    let near = Point { latitude: 38.66, longitude: -9.11 };
    let same = Question { name: " TORRE  de\tbelém ", near, country: Some("pt"), ..QUESTION };
    setup.search(&same).await.expect("an answer");
    assert_eq!(setup.calls(), 1);
}

#[tokio::test]
async fn questions_that_differ_otherwise_are_asked() {
    let setup = Setup::new(Ok(vec![tower()]));
    let questions = [
        QUESTION,
        Question { name: "Torre", ..QUESTION },
        Question { language: "pt", ..QUESTION },
        Question { country: Some("ES"), ..QUESTION },
        Question { country: None, ..QUESTION },
        Question { radius_km: 150.0, ..QUESTION },
        Question { near: Point { latitude: 38.8, ..QUESTION.near }, ..QUESTION },
        Question { near: Point { longitude: 9.14, ..QUESTION.near }, ..QUESTION },
    ];
    for (index, question) in questions.iter().enumerate() {
        setup.search(question).await.expect("an answer");
        assert_eq!(setup.calls(), index + 1, "{question:?}");
    }
}

#[tokio::test]
async fn responses_are_valid_for_60_days_and_empty_ones_for_a_day() {
    for (response, max_age) in [(vec![tower()], 60 * DAY), (vec![], DAY)] {
        let setup = Setup::new(Ok(response));
        setup.search(&QUESTION).await.expect("an answer");
        setup.age(max_age.mul_f64(0.999));
        setup.search(&QUESTION).await.expect("an answer");
        assert_eq!(setup.calls(), 1);
        setup.age(max_age);
        setup.search(&QUESTION).await.expect("an answer");
        assert_eq!(setup.calls(), 2);
    }
}

#[tokio::test]
async fn failures_are_not_cached() {
    let setup = Setup::new(Err(Failure::Unreachable));
    for _ in 0..2 {
        assert_eq!(setup.search(&QUESTION).await, Err(Failure::Unreachable));
    }
    assert_eq!(setup.calls(), 2);
    assert!(setup.memory.entries.lock().expect("no panic").is_empty());
}

#[tokio::test]
async fn an_entry_that_cannot_be_read_is_replaced() {
    let setup = Setup::new(Ok(vec![tower()]));
    setup.search(&QUESTION).await.expect("an answer");
    for json in setup.memory.entries.lock().expect("no panic").values_mut() {
        *json = r#"[{"name": 7}]"#.into();
    }
    for _ in 0..2 {
        assert_eq!(setup.search(&QUESTION).await, Ok(vec![tower()]));
    }
    assert_eq!(setup.calls(), 2);
}

/// A storage that never answers.
struct Hanging;

#[async_trait]
impl Cache for Hanging {
    async fn get(&self, _key: &str) -> Option<CachedValue> {
        std::future::pending().await
    }

    async fn put(&self, _key: &str, _json: &str) {
        std::future::pending::<()>().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_storage_that_hangs_costs_a_fraction_of_a_second() {
    let geocoder = Counting { response: Ok(vec![tower()]), calls: AtomicUsize::new(0) };
    let start = Instant::now();
    let found = Cached::new(geocoder, Hanging).search(&QUESTION, start + Duration::from_secs(2)).await;
    assert_eq!(found, Ok(vec![tower()]));
    assert!(start.elapsed() < Duration::from_secs(1), "{:?}", start.elapsed());
}
