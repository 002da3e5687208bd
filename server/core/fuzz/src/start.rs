//! The itineraries that the requests change: one with something of everything, and one with room for little more. And
//! the randomness that ids are made of, the same in every run.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use chrono::DateTime;
use itinerary_api::types::{Author, Role, Visibility};
use itinerary_api::values::{Timestamp, limits};
use itinerary_core::access::Sections;
use itinerary_core::clock::Random;
use itinerary_core::content::{Content, Fragments};
use itinerary_core::render::{self, Head};
use itinerary_core::sent::Sent;
use itinerary_core::validate;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::oracle;

/// Something of everything, each with its id.
const JSON: &str = include_str!("start.json");

/// The bytes that the full itinerary has room for.
const ROOM: usize = 300;

/// The id of the itinerary that is changed.
pub(crate) const ITINERARY: Uuid = Uuid::from_u128(0x0194_1f29_7c00_7000_8000_0000_0000_0001);

/// What its owner sees, with Pro and the scope for documents.
pub(crate) const EVERYTHING: Sections = Sections { members: true, pro: true, documents: true, source: true };

/// An itinerary before it is changed.
pub(crate) struct Start {
    /// Its content.
    pub(crate) content: Content,
    /// The answer that shows all of it.
    pub(crate) answer: Value,
}

impl Start {
    fn new(content: Content) -> Self {
        assert_eq!(validate::content(&content, ITINERARY, &Sent::everything()), Ok(()), "the start breaks a rule");
        let answer = render::itinerary(&head(ITINERARY), content.fragments(), EVERYTHING, None).concat();
        let answer = serde_json::from_slice(&answer).expect("the start is rendered as JSON");
        Self { content, answer }
    }
}

/// The one with something of everything.
pub(crate) fn get() -> &'static Start {
    static START: OnceLock<Start> = OnceLock::new();
    START.get_or_init(|| Start::new(small()))
}

/// The same, with two more days that have as many stops as they can, and so much to say of them that little more fits.
pub(crate) fn full() -> &'static Start {
    static START: OnceLock<Start> = OnceLock::new();
    START.get_or_init(|| {
        let missing = limits::ITINERARY - ROOM - filled(|_| 0).fragments().size();
        let count = 2 * limits::STOPS;
        Start::new(filled(|n| missing / count + usize::from(n < missing % count)))
    })
}

/// With two days of stops, each with an address on the web that has so many characters more than it needs.
fn filled(more: impl Fn(usize) -> usize) -> Content {
    let stop = |n: usize| {
        let address = format!("https://tours.example/{}", "x".repeat(more(n)));
        let activity = json!({"provider": "tours", "bookingUrl": address});
        json!({"id": format!("filler-{n:03}"), "name": "Filler", "activity": activity})
    };
    let mut content = small();
    for (id, first) in [("day-4", 0), ("day-5", limits::STOPS)] {
        let stops: Vec<_> = (first..first + limits::STOPS).map(stop).collect();
        let day = serde_json::from_value(json!({"id": id, "stops": stops})).expect("a day");
        let end = content.everyone.days.len();
        content.everyone.days.insert(end, day).expect("there is room");
    }
    stored(&content)
}

fn small() -> Content {
    // A fragment takes its own fields and leaves the others.
    let fragment = || JSON.to_owned();
    let whole = Fragments { everyone: fragment(), members: fragment(), pro: fragment(), documents: fragment() };
    stored(&Content::parse(&whole).expect("start.json is an itinerary's content"))
}

/// The content as the service stores it: what is written by hand has blanks, and lacks what has a default.
fn stored(content: &Content) -> Content {
    Content::parse(&oracle::parsed(content).fragments()).expect("what is stored can be read")
}

/// What the answers say besides the content.
pub(crate) fn head(id: Uuid) -> Head {
    let then = Timestamp(DateTime::UNIX_EPOCH);
    Head {
        id,
        visibility: Visibility::Private,
        role: Role::Owner,
        author: Author {
            account_id: Uuid::nil(),
            username: "ada".to_owned(),
            display_name: "Ada".to_owned(),
            image_url: None,
            is_pro: true,
        },
        saved_from: None,
        created_at: then,
        updated_at: then,
        likes_count: 0,
        views_count: 0,
    }
}

/// Bytes that count up.
#[derive(Default)]
pub(crate) struct Sequence(AtomicU64);

impl Random for Sequence {
    fn fill(&self, bytes: &mut [u8]) {
        let number = self.0.fetch_add(1, Ordering::Relaxed).to_le_bytes();
        bytes.fill(0);
        bytes.iter_mut().zip(number).for_each(|(byte, of)| *byte = of);
    }
}
