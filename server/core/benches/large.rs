//! The cost of one change and one read of an itinerary of 250 KB, compared with parsing and writing it as plain JSON.
//!
//! `cargo bench -p itinerary-core` prints the times and, last, the two ratios. It measures the rules alone;
//! `cargo xtask bench` measures whole requests.

use std::hint::black_box;
use std::path::Path;
use std::time::Duration;

use criterion::{BatchSize, Criterion};
use itinerary_api::read;
use itinerary_api::types::{Author, HotelPatch, ItineraryCreate, ItineraryPatch, Role, Visibility};
use itinerary_api::values::{ItemId, Timestamp};
use itinerary_core::access::Sections;
use itinerary_core::clock::Random;
use itinerary_core::content::{Content, Fragments};
use itinerary_core::edit::{Edit, ItemEdit};
use itinerary_core::edit_scope::EditScope;
use itinerary_core::fill::{self, CreateFacts, PlaceFacts};
use itinerary_core::render::{self, Head};
use itinerary_core::validate;
use serde_json::{Value, json};
use uuid::Uuid;

/// The size of the itinerary's stored JSON, in bytes, rounded down to a whole day.
const SIZE: usize = 250 * 1024;

const EVERYTHING: Sections = Sections { members: true, pro: true, documents: true, source: true };

struct Zeros;

impl Random for Zeros {
    fn fill(&self, bytes: &mut [u8]) {
        bytes.fill(0);
    }
}

fn main() {
    let stored = itinerary();
    let whole = render::itinerary(&head(), stored.clone(), EVERYTHING, None).concat();
    let folder = tempfile::tempdir().expect("a folder for the figures");
    let mut criterion = Criterion::default()
        .configure_from_args()
        .output_directory(folder.path())
        .warm_up_time(Duration::from_secs(1))
        .measurement_time(Duration::from_secs(5));
    criterion.bench_function("json", |bencher| {
        bencher.iter(|| {
            let value: Value = serde_json::from_slice(black_box(&whole)).expect("JSON");
            serde_json::to_vec(&value).expect("plain data")
        });
    });
    criterion.bench_function("patch", |bencher| bencher.iter(|| patch(&stored, br#"{"title":"Seven days"}"#)));
    criterion
        .bench_function("hotel_update", |bencher| bencher.iter(|| hotel_update(&stored, br#"{"roomNumber":"12"}"#)));
    criterion.bench_function("get", |bencher| {
        bencher.iter_batched(
            || stored.clone(),
            |stored| render::itinerary(&head(), stored, EVERYTHING, None),
            BatchSize::LargeInput,
        );
    });
    report(folder.path(), stored.size());
}

/// Prints the ratios after everything was measured.
fn report(folder: &Path, size: usize) {
    let Some(json) = nanoseconds(folder, "json") else { return };
    println!("\n{size} bytes stored; parsing and writing them as plain JSON takes {:.2} ms", json / 1e6);
    for (name, aim) in [("patch", "at most 3"), ("hotel_update", "at most 3"), ("get", "at most 0.2")] {
        if let Some(time) = nanoseconds(folder, name) {
            println!("{name:>12}: {:.3} ms, {:.3} of that ({aim} is wanted)", time / 1e6, time / json);
        }
    }
}

fn nanoseconds(folder: &Path, name: &str) -> Option<f64> {
    let text = std::fs::read_to_string(folder.join(name).join("new/estimates.json")).ok()?;
    serde_json::from_str::<Value>(&text).ok()?["mean"]["point_estimate"].as_f64()
}

/// A change of the whole itinerary, from the bytes of its request to those of its response.
fn patch(stored: &Fragments, body: &[u8]) -> Vec<u8> {
    let patch: ItineraryPatch = read::json(black_box(body)).expect("a patch");
    change(stored, Edit::Itinerary(Box::new(patch)))
}

/// The same for one item.
fn hotel_update(stored: &Fragments, body: &[u8]) -> Vec<u8> {
    let patch: HotelPatch = read::json(black_box(body)).expect("a patch");
    let id = ItemId::new("hotel-1").expect("an id");
    change(stored, Edit::Hotel(ItemEdit::Update { id, patch }))
}

fn change(stored: &Fragments, edit: Edit) -> Vec<u8> {
    let mut content = Content::parse(black_box(stored)).expect("what was stored");
    assert!(edit.finds(&content));
    let sent = edit.apply(&mut content).expect("a good change");
    fill::complete(&mut content, &Zeros).expect("what was stored");
    validate::content(&content, Uuid::nil(), &sent).expect("a good outcome");
    let fragments = content.fragments();
    validate::size(&fragments).expect("small enough");
    black_box(content.card());
    render::itinerary(&head(), fragments, EVERYTHING, Some(&fill::not_placed(&content))).concat()
}

fn head() -> Head {
    let at = Timestamp("2027-01-10T12:00:00Z".parse().expect("a time"));
    Head {
        id: Uuid::nil(),
        visibility: Visibility::Private,
        role: Role::Owner,
        author: Author {
            account_id: Uuid::nil(),
            username: "ana".to_owned(),
            display_name: "Ana".to_owned(),
            image_url: None,
            is_pro: true,
        },
        saved_from: None,
        created_at: at,
        updated_at: at,
        likes_count: 0,
        views_count: 0,
    }
}

/// A trip with as many full days as the size allows, a few flights and hotels, and expenses.
fn itinerary() -> Fragments {
    let mut days = Vec::new();
    loop {
        days.push(day(days.len()));
        let fragments = stored(&days);
        if fragments.size() > SIZE {
            days.pop();
            return stored(&days);
        }
    }
}

fn stored(days: &[Value]) -> Fragments {
    let expenses: Vec<_> = (0..100)
        .map(|n| {
            json!({
                "id": format!("expense-{n}"),
                "name": "Tickets for the tram",
                "cost": { "amount": 12.5 },
                "category": "transport",
                "date": "2027-05-15",
                "belongsTo": { "kind": "day", "id": "day-0" },
            })
        })
        .collect();
    let body = json!({
        "destination": { "name": "Lisbon", "coordinate": { "latitude": 38.7223, "longitude": -9.1393 } },
        "startDate": "2027-05-15",
        "days": days,
        "flights": [{ "id": "flight-1", "flightNumber": "TP1363", "departureDate": "2027-05-15T08:00:00Z" }],
        "hotels": [{ "id": "hotel-1", "name": "Lisboa", "checkInDate": "2027-05-15T15:00:00+01:00" }],
        "expenses": expenses,
    });
    let create: ItineraryCreate = read::json(body.to_string().as_bytes()).expect("a trip");
    let now = "2027-01-10T12:00:00Z".parse().expect("a time");
    let facts = CreateFacts {
        now,
        destination: PlaceFacts::default(),
        currency_of: |_| None,
        time_zone_at: |_| None,
        origin: None,
    };
    let mut content = fill::create(create, &facts).expect("a good trip").content;
    fill::complete(&mut content, &Zeros).expect("what was stored");
    validate::content(&content, Uuid::nil(), &EditScope::everything()).expect("a good trip");
    content.fragments()
}

fn day(number: usize) -> Value {
    let id = |stop: usize| format!("stop-{number}-{stop}");
    let stops: Vec<_> = (0..8)
        .map(|stop| {
            json!({
                "id": id(stop),
                "name": "Miradouro das Portas do Sol",
                "category": "viewpoint",
                "place": {
                    "name": "Miradouro das Portas do Sol",
                    "address": "Largo das Portas do Sol, Lisboa",
                    "coordinate": { "latitude": 38.7122, "longitude": -9.1303 },
                    "countryCode": "PT",
                    "timeZone": "Europe/Lisbon",
                },
                "startTime": format!("{:02}:15", 9 + stop),
                "startTimeSuggested": true,
                "durationMinutes": 40,
            })
        })
        .collect();
    let legs: Vec<_> = (1..8)
        .map(|stop| {
            json!({
                "from": id(stop - 1),
                "to": id(stop),
                "mode": "walk",
                "minutes": 12.5,
                "metres": 990.5,
                "source": "estimate",
            })
        })
        .collect();
    json!({ "id": format!("day-{number}"), "stops": stops, "legs": legs })
}
