//! Input from outside never panics, and valid input always yields a response.

use std::cell::Cell;
use std::sync::LazyLock;

use chrono::DateTime;
use itinerary_api::read;
use itinerary_api::types::{Author, ItineraryCreate, Role, Visibility};
use itinerary_api::values::{Currency, EntityTags, ItemId, Timestamp};
use itinerary_core::access::Sections;
use itinerary_core::content::{Content, Fragments, Part};
use itinerary_core::edit::{Edit, Item, ItemEdit};
use itinerary_core::edit_scope::EditScope;
use itinerary_core::fill::{self, CreateFacts, Draft, PlaceFacts};
use itinerary_core::render::{self, Head};
use itinerary_core::validate;
use proptest::prelude::{Strategy, any};
use proptest::prop_oneof;
use proptest::strategy::BoxedStrategy;
use serde::de::DeserializeOwned;
use serde_json::Value;
use uuid::Uuid;

use crate::repeats;
use crate::strategies::bytes::{any_bytes, any_json, harmed, misfit};
use crate::strategies::content::raw;
use crate::strategies::edits::stop_move;
use crate::strategies::objects::{any_patch, object};
use crate::strategies::resources::{CONTENT, CREATE, DAY, EXPENSE, FLIGHT, HOTEL, PACKING, STOP};
use crate::support::{Counter, ITINERARY, check, happens};

/// An itinerary with one entry of every kind.
static THERE: LazyLock<Content> = LazyLock::new(|| {
    let body = r#"{
        "destination": {"name": "Lisbon", "coordinate": {"latitude": 38.7, "longitude": -9.1}},
        "days": [{"id": "d", "stops": [{"id": "s", "name": "Café"}, {"id": "t", "name": "Tram"}],
            "legs": [{"from": "s", "to": "t", "mode": "walk"}]}],
        "flights": [{"id": "f", "seatNumber": "1A"}], "hotels": [{"id": "h", "name": "Inn"}],
        "expenses": [{"id": "e", "name": "Tickets", "cost": {"amount": 1.5}, "belongsTo": {"kind": "flight", "id": "f"}}],
        "packing": [{"id": "p", "name": "Hat", "belongsTo": {"kind": "stop", "id": "s"}}]
    }"#;
    let mut content = created(read::json(body.as_bytes()).expect("a body")).expect("a new itinerary");
    fill::complete(&mut content, &Counter::default()).expect("values");
    content
});

fn created(body: ItineraryCreate) -> Option<Content> {
    let facts = CreateFacts {
        now: DateTime::UNIX_EPOCH,
        destination: PlaceFacts::default(),
        currency_of: |country| Currency::new(if &**country == "JP" { "JPY" } else { "EUR" }).ok(),
        time_zone_at: |_| None,
        origin: None,
    };
    let Draft { mut content, dates, .. } = fill::create(body, &facts).ok()?;
    dates.fill(&mut content, &facts).ok()?;
    fill::adopt(&mut content, ITINERARY).ok()?;
    Some(content)
}

/// The service's processing of untrusted content.
fn response(mut content: Content) {
    if fill::complete(&mut content, &Counter::default()).is_err() {
        return;
    }
    let fragments = content.fragments();
    assert_eq!(Content::parse(&fragments).expect("what is stored can be read"), content);
    let _ = validate::content(&content, ITINERARY, &EditScope::everything());
    let _ = validate::size(&fragments);
    let head = Head {
        id: ITINERARY,
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
        created_at: Timestamp(DateTime::UNIX_EPOCH),
        updated_at: Timestamp(DateTime::UNIX_EPOCH),
        likes_count: 0,
        views_count: 0,
    };
    let view = Sections { members: true, pro: true, documents: true, source: true };
    let json = render::itinerary(&head, fragments.clone(), view, Some(&fill::not_placed(&content))).concat();
    assert_eq!(repeats::none(&json), Ok(()));
    assert_eq!(repeats::none(content.card().as_bytes()), Ok(()));
    assert!(Part::ALL.iter().all(|part| fragments.list(*part).is_ok()));
}

/// Applies the edit, and renders the response if it succeeded. Returns whether it did.
fn edited(edit: Edit) -> bool {
    let mut content = THERE.clone();
    if edit.apply(&mut content).is_ok() {
        response(content);
    }
    true
}

fn id(text: &str) -> ItemId {
    ItemId::new(text).expect("an id")
}

/// Adds the item that the bytes are, if they are one.
fn add<T: Item + DeserializeOwned>(bytes: &[u8], edit: fn(ItemEdit<T>) -> Edit) -> bool {
    read::json(bytes).is_ok_and(|item| edited(edit(ItemEdit::Add { item, position: None })))
}

/// Merges the patch that the bytes are, if they are one.
fn update<T: Item<Patch: DeserializeOwned>>(bytes: &[u8], of: &str, edit: fn(ItemEdit<T>) -> Edit) -> bool {
    read::json(bytes).is_ok_and(|patch| edited(edit(ItemEdit::Update { id: id(of), patch })))
}

/// Parses the bytes as every kind of body, and processes the valid ones. Returns how many were valid.
fn read_as_everything(bytes: &[u8]) -> usize {
    let create = read::json::<ItineraryCreate>(bytes).map(|body| created(body).map(response));
    let to = |to| Edit::StopMove { day: id("d"), stop: id("s"), to };
    [
        create.is_ok(),
        read::json(bytes).is_ok_and(|patch| edited(Edit::Itinerary(Box::new(patch)))),
        read::json(bytes).is_ok_and(|body| edited(to(body))),
        add(bytes, Edit::Day),
        add(bytes, |edit| Edit::Stop(id("d"), edit)),
        add(bytes, Edit::Flight),
        add(bytes, Edit::Hotel),
        add(bytes, Edit::Expense),
        add(bytes, Edit::PackingItem),
        update(bytes, "d", Edit::Day),
        update(bytes, "s", |edit| Edit::Stop(id("d"), edit)),
        update(bytes, "f", Edit::Flight),
        update(bytes, "h", Edit::Hotel),
        update(bytes, "e", Edit::Expense),
        update(bytes, "p", Edit::PackingItem),
    ]
    .into_iter()
    .filter(|understood| *understood)
    .count()
}

/// A valid body of any kind.
fn body() -> BoxedStrategy<Value> {
    prop_oneof![
        2 => object(CREATE),
        2 => any_patch(CONTENT),
        1 => prop_oneof![object(DAY), object(STOP), object(FLIGHT), object(HOTEL), object(EXPENSE), object(PACKING)],
        1 => prop_oneof![
            any_patch(DAY), any_patch(STOP), any_patch(FLIGHT), any_patch(HOTEL), any_patch(EXPENSE),
            any_patch(PACKING)
        ],
        1 => stop_move(),
    ]
    .boxed()
}

#[test]
fn any_bytes_are_read_without_harm() {
    check(1_500, any_bytes(), |bytes| {
        read_as_everything(&bytes);
    });
}

#[test]
fn any_json_is_read_without_harm() {
    check(300, any_json(), |json| {
        read_as_everything(json.to_string().as_bytes());
    });
}

#[test]
fn good_bodies_are_answered() {
    let understood = Cell::new(0);
    check(120, body(), |body| understood.set(understood.get() + read_as_everything(body.to_string().as_bytes())));
    happens(understood.get(), "a body is understood");
}

#[test]
fn bodies_with_a_wrong_value_are_read_without_harm() {
    check(250, misfit(body()), |body| {
        read_as_everything(body.to_string().as_bytes());
    });
}

#[test]
fn harmed_bodies_are_read_without_harm() {
    let (understood, refused) = (Cell::new(0), Cell::new(0));
    check(300, harmed(body()), |bytes| {
        let bodies = if read_as_everything(&bytes) > 0 { &understood } else { &refused };
        bodies.set(bodies.get() + 1);
    });
    happens(understood.get(), "a harmed body is understood all the same");
    happens(refused.get(), "a harmed body is refused");
}

#[test]
fn any_tags_are_read_without_harm() {
    let like_tags = "[ \t,*\"W/vmpde0-9.\u{e9}]{0,24}";
    check(1_000, prop_oneof![like_tags.boxed(), any::<String>().boxed()], |text| {
        if let Ok(tags) = EntityTags::parse(&text) {
            tags.allow_write(1);
            tags.includes("\"v1.m\"");
        }
    });
}

/// A damaged stored fragment, or any text.
fn fragment() -> BoxedStrategy<String> {
    let harmed = |pick: fn(&Fragments) -> &str| {
        let stored = raw().prop_map(move |content| serde_json::from_str(pick(&content.fragments())).expect("JSON"));
        harmed(stored.boxed()).prop_map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    };
    prop_oneof![
        any::<String>(),
        any_json().prop_map(|json| json.to_string()),
        harmed(|fragments| &fragments.everyone),
        harmed(|fragments| &fragments.members),
        harmed(|fragments| &fragments.pro),
    ]
    .boxed()
}

/// Whether no field of a fragment belongs to another one.
fn has_own_fields(fragment: &str, at: usize) -> bool {
    const FIELDS: [&[&str]; 5] = [
        &["title", "summary", "destination", "startDate", "travellers", "tags", "coverImage", "currency", "days"],
        &["origin", "flights", "hotels", "transports", "reservations"],
        &["expenses", "packing"],
        &["documents"],
        // No fragment has those of the response.
        &[
            "id",
            "visibility",
            "role",
            "author",
            "savedFrom",
            "createdAt",
            "updatedAt",
            "likesCount",
            "viewsCount",
            "needsAttention",
        ],
    ];
    let others = FIELDS.iter().enumerate().filter(|(n, _)| *n != at).flat_map(|(_, fields)| *fields);
    let whole: Value = serde_json::from_str(fragment).unwrap_or_default();
    // Serde reads an array as an object, and the service writes none.
    whole.is_object() && others.into_iter().all(|field| whole.get(field).is_none())
}

// Stored fragments are trusted to be our JSON. If one is not, that is an error and not a panic.
#[test]
fn any_fragment_is_read_without_harm() {
    check(200, (fragment(), 0..4usize), |(text, at)| {
        let mut fragments = THERE.fragments();
        let Fragments { everyone, members, pro, documents } = &mut fragments;
        // Untouched entries keep their stored JSON, and with it a name that the damage duplicated; a fragment keeps fields
        // that it does not know, which belong to another fragment here.
        let is_distinct = repeats::none(text.as_bytes()).is_ok() && has_own_fields(&text, at);
        *[everyone, members, pro, documents][at] = text;
        let _ = Part::ALL.map(|part| fragments.list(part).map(str::len).ok());
        if let (Ok(content), true) = (Content::parse(&fragments), is_distinct) {
            response(content);
        }
    });
}
