//! Computes an itinerary's entry in Explore, which contains the itineraries that followers or everyone can see, by their
//! words and regions.

use chrono::{DateTime, Utc};
use itinerary_api::types::Visibility;
use itinerary_core::content::{Content, Everyone};
use itinerary_core::rank::{self, Counts};
use itinerary_core::regions::{self, Region};
use itinerary_core::{stored, words};
use itinerary_platform::context::Service;
use itinerary_store::{ExploreEntry, ExploreEntryChange, KEYS};
use uuid::Uuid;

use super::Loaded;
use crate::Result;

/// Whether itineraries of this visibility are in Explore, possibly only for followers.
fn is_listed(visibility: Visibility) -> bool {
    matches!(visibility, Visibility::Followers | Visibility::Public)
}

/// The change of Explore when the visibility changes from `from` to that of `seen` with this content.
pub(super) fn change(service: &Service, from: Visibility, loaded: &Loaded, content: &Content) -> ExploreEntryChange {
    match (is_listed(from), compute(service, loaded.visibility, loaded.published_at, &content.everyone)) {
        (_, Some(explore_entry)) => ExploreEntryChange::Set(explore_entry),
        (true, None) => ExploreEntryChange::Remove,
        (false, None) => ExploreEntryChange::None,
    }
}

/// The entry of an itinerary in Explore; `None` if its visibility excludes it.
pub(crate) fn compute(
    service: &Service,
    visibility: Visibility,
    published_at: Option<DateTime<Utc>>,
    content: &Everyone,
) -> Option<ExploreEntry> {
    let published_at = published_at.filter(|_| is_listed(visibility))?;
    let country = content.destination.country_code.as_deref();
    let chance = u64::from_le_bytes(service.random.bytes());
    let mut keys = [0; KEYS];
    keys.fill_with(|| u32::from_le_bytes(service.random.bytes()));
    Some(ExploreEntry {
        public: visibility == Visibility::Public,
        published_at,
        regions: regions::containing(country).into_iter().map(Region::code).collect(),
        words: words::of(content),
        place: rank::place(rank::band(Counts::default(), 0), chance),
        keys,
    })
}

/// Puts an itinerary back into Explore after moderation, if its visibility allows it.
pub async fn restore(service: &Service, id: Uuid) -> Result<()> {
    while let Some(source) = service.store.explore_entry_source(id).await? {
        let content = stored::parse(source.everyone.as_bytes())?;
        let explore_entry = compute(service, source.visibility, source.published_at, &content);
        let Some(explore_entry) = explore_entry else { return Ok(()) };
        if service.store.explore_restore(id, source.owner_id, source.version, explore_entry).await? {
            return Ok(());
        }
    }
    Ok(())
}
