//! What is kept of an itinerary beside its content, for lists, search and uniqueness.

use chrono::{DateTime, Utc};
use itinerary_api::types::{Place, Visibility};
use itinerary_core::content::{Content, Fragments};
use itinerary_core::fill;
use itinerary_store::{DuplicateRule, ItineraryRow, NewItinerary};
use uuid::Uuid;

use super::visibility_name;

/// What lists, search and uniqueness need of a content.
pub(super) struct Columns {
    pub(super) start_date: String,
    pub(super) destination_key: String,
    pub(super) place_id: Option<String>,
    pub(super) latitude: f64,
    pub(super) longitude: f64,
    pub(super) origin: Option<String>,
}

impl Columns {
    pub(super) fn of(content: &Content) -> Self {
        let destination = &content.everyone.destination;
        let json = |place: &Place| serde_json::to_string(place).expect("a place is plain data");
        Self {
            start_date: content.everyone.start_date.to_string(),
            destination_key: fill::folded(&destination.name),
            place_id: destination.place_id.as_ref().map(ToString::to_string),
            latitude: destination.coordinate.latitude.get(),
            longitude: destination.coordinate.longitude.get(),
            origin: content.members.origin.as_ref().map(json),
        }
    }
}

/// The columns of a new itinerary, but for its content.
pub(super) fn new_row(
    id: Uuid,
    owner: &itinerary_store::Account,
    content: &Content,
    now: DateTime<Utc>,
) -> ItineraryRow {
    let columns = Columns::of(content);
    ItineraryRow {
        id,
        owner_id: owner.id,
        version: 1,
        visibility: visibility_name(Visibility::Private).to_owned(),
        published_at: None,
        start_date: columns.start_date,
        destination_key: columns.destination_key,
        place_id: columns.place_id,
        latitude: columns.latitude,
        longitude: columns.longitude,
        origin: columns.origin,
        saved_from: None,
        created_at: now,
        updated_at: now,
        card: String::new(),
        everyone: String::new(),
        members: String::new(),
        pro: String::new(),
        documents: String::new(),
        username: owner.username.clone(),
        display_name: owner.display_name.clone(),
        image_url: owner.image_url.clone(),
        plan: owner.plan,
    }
}

/// All columns of a new itinerary.
pub(super) fn new_itinerary(row: ItineraryRow, card: String, fragments: Fragments) -> NewItinerary {
    let Fragments { everyone, members, pro, documents } = fragments;
    NewItinerary {
        id: row.id,
        owner_id: row.owner_id,
        version: row.version,
        visibility: row.visibility,
        published_at: row.published_at,
        start_date: row.start_date,
        destination_key: row.destination_key,
        place_id: row.place_id,
        latitude: row.latitude,
        longitude: row.longitude,
        origin: row.origin,
        saved_from: row.saved_from,
        created_at: row.created_at,
        updated_at: row.updated_at,
        card,
        everyone,
        members,
        pro,
        documents,
    }
}

/// What would be a duplicate of it.
pub(super) fn duplicate_rule(row: &ItineraryRow) -> DuplicateRule {
    DuplicateRule {
        owner_id: row.owner_id,
        start_date: row.start_date.clone(),
        destination_key: row.destination_key.clone(),
        place_id: row.place_id.clone(),
        latitude: row.latitude,
        longitude: row.longitude,
    }
}
