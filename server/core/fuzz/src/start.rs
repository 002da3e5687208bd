//! The itineraries that requests change: one with every kind of entry, and one that is almost full. Also the random
//! source of ids, which is the same in every run.

use std::collections::HashMap;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use chrono::DateTime;
use itinerary_api::types::{Author, Role, Visibility};
use itinerary_api::values::{Timestamp, limits};
use itinerary_core::access::Sections;
use itinerary_core::clock::Random;
use itinerary_core::content::{Content, Fragments};
use itinerary_core::edit_scope::EditScope;
use itinerary_core::render::{self, Head};
use itinerary_core::validate;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::oracle;

/// The fragments of the one with every kind of entry.
const JSON: &str = include_str!("start.json");

/// How many bytes are left in the full itinerary.
const ROOM: usize = 300;

pub(crate) const ITINERARY: Uuid = Uuid::from_u128(0x0194_1f29_7c00_7000_8000_0000_0000_0001);

/// The view of an owner with Pro and the scope for documents.
pub(crate) const EVERYTHING: Sections = Sections { members: true, pro: true, documents: true, source: true };

/// An itinerary before it is changed.
pub(crate) struct Start {
    pub(crate) content: Content,
    /// The response that shows all of it.
    pub(crate) response: Value,
}

impl Start {
    fn new(content: Content) -> Self {
        assert_eq!(validate::content(&content, ITINERARY, &EditScope::everything()), Ok(()), "the start breaks a rule");
        let response = render::itinerary(&head(ITINERARY), content.fragments(), EVERYTHING, None).concat();
        let response = serde_json::from_slice(&response).expect("the start is rendered as JSON");
        Self { content, response }
    }
}

/// The one with every kind of entry.
pub(crate) fn get() -> &'static Start {
    static START: OnceLock<Start> = OnceLock::new();
    START.get_or_init(|| Start::new(small()))
}

/// The same with two more days that have the maximum number of stops and long addresses, so that it is almost full.
pub(crate) fn full() -> &'static Start {
    static START: OnceLock<Start> = OnceLock::new();
    START.get_or_init(|| {
        let missing = limits::ITINERARY - ROOM - filled(|_| 0).fragments().size();
        let count = 2 * limits::STOPS;
        Start::new(filled(|n| missing / count + usize::from(n < missing % count)))
    })
}

/// With two days of stops, each with a web address that is longer than necessary by the given number of characters.
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
    let json: HashMap<&str, &RawValue> = serde_json::from_str(JSON).expect("start.json is JSON");
    let fragment = |name| json.get(name).expect("start.json has every fragment").get();
    let fragments = Fragments {
        everyone: fragment("everyone"),
        members: fragment("members"),
        pro: fragment("pro"),
        documents: fragment("documents"),
    };
    stored(&Content::parse(&fragments).expect("start.json is an itinerary's content"))
}

/// The content as the service stores it: the file has white space, and lacks defaults.
fn stored(content: &Content) -> Content {
    Content::parse(&oracle::parsed(content).fragments()).expect("what is stored can be read")
}

/// The head of the responses.
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
