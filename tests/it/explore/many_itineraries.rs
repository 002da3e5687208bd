//! Many published itineraries, stored without requests, with the same rows in Explore as if they had been published by
//! request.

use chrono::TimeDelta;
use futures::stream::{self, StreamExt as _};
use itinerary_core::content::{Content, Fragments};
use itinerary_core::regions::{self, Region};
use itinerary_core::{rank, words};
use itinerary_store::{
    ContentRow, CoverChange, CreateOutcome, DocumentChange, ExploreEntry, ExploreEntryChange, Idempotent,
    ItineraryChange, ItineraryColumns, ItineraryRow, NewItinerary, NewRevision, Published, Quotas, WriteOutcome,
};
use itinerary_tests::World;
use itinerary_tests::app::Stored;
use serde_json::{Value, json};
use uuid::Uuid;

/// The band of an itinerary without likes, saves and views.
const UNSEEN: u8 = 64;

/// Creates this many public itineraries of one owner from a template, each with its own title. Returns their ids.
pub(super) async fn crowd(
    world: &World,
    template: &Stored,
    count: usize,
    title: impl Fn(usize) -> String,
) -> Vec<String> {
    let (row, content) = world.stored(&template.id).await.expect("it is there");
    let titled = (0..count).map(|n| titled(&content, &title(n)));
    let publish = |content| published(world, &row, content);
    stream::iter(titled).map(publish).buffered(8).collect().await
}

/// Stores this many public itineraries of the template's owner at once, each published a second before the previous
/// one. Returns their ids.
pub(super) async fn seed(world: &World, template: &Stored, count: u32, title: impl Fn(u32) -> String) -> Vec<String> {
    let (row, content) = world.stored(&template.id).await.expect("it is there");
    let all: Vec<_> = (0..count)
        .map(|n| {
            let content = titled(&content, &title(n));
            let published_at = row.updated_at - TimeDelta::seconds(n.into());
            let (explore_entry, columns) = (explore_entry(world, &row, &content), columns(&row, &content));
            let columns = ItineraryColumns {
                visibility: itinerary_model::Visibility::Public,
                published_at: Some(published_at),
                ..columns
            };
            let (id, owner_id) = (Uuid::new_v4(), row.owner_id);
            let itinerary =
                NewItinerary { id, owner_id, created_at: row.created_at, client_id: None, columns, picture: None };
            Published { itinerary, explore_entry: ExploreEntry { published_at, ..explore_entry }, liked_by: Vec::new() }
        })
        .collect();
    let ids = all.iter().map(|published| published.itinerary.id.to_string()).collect();
    world.service().store.seed(all, row.updated_at).await.expect("a database");
    ids
}

/// The content of a row with another title.
fn titled(row: &ContentRow, title: &str) -> Content {
    let mut everyone: Value = serde_json::from_slice(&row.everyone).expect("JSON");
    everyone["title"] = json!(title);
    let (members, pro) = (row.members.clone(), row.pro.clone());
    let fragments = Fragments { everyone: everyone.to_string().into(), members, pro, documents: row.documents.clone() };
    Content::parse(&fragments).expect("content")
}

async fn published(world: &World, row: &ItineraryRow, content: Content) -> String {
    // Ignores the quota of itineraries.
    let quotas = Quotas { itineraries: i64::MAX, ..Quotas::default() };
    let (store, now) = (world.service().store.clone().with_quotas(quotas), row.updated_at);
    let (id, owner_id) = (Uuid::new_v4(), row.owner_id);
    let (explore_entry, columns) = (explore_entry(world, row, &content), columns(row, &content));
    let new = NewItinerary { id, owner_id, created_at: now, client_id: None, columns: columns.clone(), picture: None };
    assert_eq!(
        store.itinerary_create(new, None, None, now).await.expect("a database"),
        Idempotent::Executed(CreateOutcome::Created)
    );
    let columns =
        ItineraryColumns { visibility: itinerary_model::Visibility::Public, published_at: Some(now), ..columns };
    let explore_entry = ExploreEntryChange::Set(explore_entry);
    let (documents, cover) = (DocumentChange::None, CoverChange::None);
    let revision =
        NewRevision { account_id: owner_id, client_id: None, restored_from: None, replaced: Some(Vec::new()) };
    let editor = None;
    let change = ItineraryChange {
        id,
        expected_version: 1,
        owner_id,
        editor,
        columns,
        explore_entry,
        documents,
        cover,
        revision,
    };
    assert_eq!(
        store.itinerary_update(change, None, now).await.expect("a database"),
        Idempotent::Executed(WriteOutcome::Written)
    );
    id.to_string()
}

fn explore_entry(world: &World, row: &ItineraryRow, content: &Content) -> ExploreEntry {
    let random = &world.service().random;
    let country = content.everyone.destination.country_code.as_deref();
    ExploreEntry {
        public: true,
        published_at: row.updated_at,
        regions: regions::containing(country).into_iter().map(Region::code).collect(),
        words: words::of(&content.everyone),
        place: rank::place(UNSEEN, u64::from_le_bytes(random.bytes())),
        keys: [(); 4].map(|()| u32::from_le_bytes(random.bytes())),
    }
}

fn columns(row: &ItineraryRow, content: &Content) -> ItineraryColumns {
    let Fragments { everyone, members, pro, documents } = content.fragments();
    let destination = &content.everyone.destination;
    ItineraryColumns {
        visibility: itinerary_model::Visibility::Private,
        published_at: None,
        start_date: content.everyone.start_date.to_string(),
        destination_key: destination.name.to_lowercase(),
        place_id: None,
        latitude: destination.coordinate.latitude.get(),
        longitude: destination.coordinate.longitude.get(),
        origin: None,
        updated_at: row.updated_at,
        card: content.card(),
        everyone,
        members,
        pro,
        documents,
        cover_id: None,
    }
}
