//! The cost of everyday requests in the rules alone: a change of one stop in a trip of 27 KB, and a page of 100
//! entries.
//!
//! `cargo bench -p itinerary-core --bench everyday`. The database and HTTP are in `cargo xtask bench`.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use itinerary_api::read;
use itinerary_api::types::{Author, ItineraryCreate, Role, StopPatch, Visibility};
use itinerary_api::values::{ItemId, Timestamp};
use itinerary_core::access::{Sections, Standing};
use itinerary_core::clock::Random;
use itinerary_core::content::{Content, Fragments};
use itinerary_core::edit::{Edit, ItemEdit};
use itinerary_core::edit_scope::EditScope;
use itinerary_core::fill::{self, CreateFacts, PlaceFacts};
use itinerary_core::optimise;
use itinerary_core::render::{self, EntryAuthor, EntryHead, Head};
use itinerary_core::{validate, version};
use uuid::Uuid;

/// A week in Lisbon: 53 stops, 46 legs, flights and a hotel.
const LISBON: &str = include_str!("../../../client-sdk/examples/lisbon.json");

const EVERYTHING: Sections = Sections { members: true, pro: true, documents: true, source: true };

struct Zeros;

impl Random for Zeros {
    fn fill(&self, bytes: &mut [u8]) {
        bytes.fill(0);
    }
}

criterion_group!(benches, stop_update, page, optimise_day);
criterion_main!(benches);

fn stop_update(criterion: &mut Criterion) {
    let stored = trip().fragments();
    criterion.bench_function("stop_update", |bencher| {
        bencher.iter(|| {
            let patch: StopPatch = read::json(black_box(br#"{"startTime":"14:05"}"#)).expect("a patch");
            let (day, id) = (item("day-1"), item("arrival-lisbon-airport"));
            change(&stored, Edit::Stop(day, ItemEdit::Update { id, patch }))
        });
    });
}

fn page(criterion: &mut Criterion) {
    let (card, at) = (trip().card(), time());
    criterion.bench_function("page of 100", |bencher| {
        bencher.iter(|| {
            let entries: Vec<_> = (0..100).map(|n| (entry(n, at), &*card)).collect();
            render::page(black_box(&entries), Some("cursor"))
        });
    });
}

/// A day of 25 stops with three fixed times, in a town of 10 km.
fn optimise_day(criterion: &mut Criterion) {
    let points: Vec<(i32, i32)> = (0..25).map(|n: i32| ((n * 7_919) % 10_007, (n * 104_729) % 9_973)).collect();
    let minutes = |a: &(i32, i32), b: &(i32, i32)| ((a.0 - b.0).unsigned_abs() + (a.1 - b.1).unsigned_abs()) / 80;
    let travel: Vec<Vec<u32>> = points.iter().map(|a| points.iter().map(|b| minutes(a, b)).collect()).collect();
    let fixed = |n: usize| match n {
        4 => Some(14 * 60),
        11 => Some(20 * 60),
        17 => Some(26 * 60),
        _ => None,
    };
    let stops: Vec<_> =
        (0..25).map(|n| optimise::PlannedStop { place: Some(n), duration: 30, fixed: fixed(n) }).collect();
    let day = optimise::Day { stops: &stops, travel: &travel, start: None, begins: 9 * 60, ends: None };
    criterion.bench_function("optimise a day of 25 stops", |bencher| bencher.iter(|| black_box(&day).optimise()));
}

/// A change, from the bytes of its request to those of its response.
fn change(stored: &Fragments, edit: Edit) -> Vec<u8> {
    let mut content = Content::parse(black_box(stored)).expect("what was stored");
    assert!(edit.finds(&content));
    let sent = edit.apply(&mut content).expect("a good change");
    fill::complete(&mut content, &Zeros).expect("what was stored");
    validate::content(&content, Uuid::nil(), &sent).expect("a good outcome");
    let fragments = content.fragments();
    validate::size(&fragments).expect("small enough");
    black_box((content.card(), fill::folded(&content.everyone.destination.name)));
    render::itinerary(&head(), fragments, EVERYTHING, Some(&fill::not_placed(&content))).concat()
}

fn item(id: &str) -> ItemId {
    ItemId::new(id).expect("an id")
}

fn trip() -> Content {
    let create: ItineraryCreate = read::json(LISBON.as_bytes()).expect("a trip");
    let facts = CreateFacts {
        now: time().0,
        destination: PlaceFacts::default(),
        currency_of: |_| None,
        time_zone_at: |_| None,
        origin: None,
    };
    let mut content = fill::create(create, &facts).expect("a good trip").content;
    fill::complete(&mut content, &Zeros).expect("what was stored");
    validate::content(&content, Uuid::nil(), &EditScope::everything()).expect("a good trip");
    content
}

fn time() -> Timestamp {
    Timestamp("2027-01-10T12:00:00.125Z".parse().expect("a time"))
}

fn head() -> Head {
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
        created_at: time(),
        updated_at: time(),
        likes_count: 0,
        views_count: 0,
    }
}

fn entry(n: u128, at: Timestamp) -> EntryHead<'static> {
    EntryHead {
        id: Uuid::from_u128(n),
        visibility: Visibility::Public,
        role: Role::Owner,
        author: EntryAuthor { account_id: Uuid::nil(), username: "ana", display_name: "Ana", image_url: None },
        updated_at: at,
        etag: version::etag(12, EVERYTHING, Standing::Owner),
        likes_count: 3,
        published_at: Some(at),
    }
}
