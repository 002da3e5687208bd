//! Itineraries for filling a database, stored as if they had had their visibility from their first version.

use chrono::{DateTime, Utc};
use itinerary_api::read::FieldError;
use itinerary_api::types::{ItineraryCreate, Title, Visibility};
use itinerary_api::values::Date;
use itinerary_core::content::Content;
use itinerary_core::edit_scope::EditScope;
use itinerary_core::fill::{self, CreateFacts, Draft};
use itinerary_core::ids;
use itinerary_core::rank::{self, Counts};
use itinerary_platform::context::Service;
use itinerary_platform::ports::coordinates;
use itinerary_store::{Account, NewItinerary, Populated, Published};
use uuid::Uuid;

use super::{Loaded, covers, explore_entry, finish};
use crate::{Error, Result};

/// The content of a request body, completed and checked as on create.
pub fn content(service: &Service, body: ItineraryCreate) -> Result<Content> {
    let facts = CreateFacts {
        now: service.clock.now(),
        destination: coordinates::facts(&body.destination.coordinate),
        currency_of: coordinates::currency_of,
        time_zone_at: coordinates::time_zone,
        origin: None,
    };
    let Draft { mut content, dates, .. } = fill::create(body, &facts)?;
    dates.fill(&mut content, &facts)?;
    Ok(finish(service, content, Uuid::nil(), &EditScope::everything())?.content)
}

/// An itinerary with this content and publication time, with another title if one is given.
pub fn published(
    service: &Service,
    owner: &Account,
    content: &Content,
    title: Option<String>,
    published_at: DateTime<Utc>,
    liked_by: Vec<Uuid>,
) -> Result<Published> {
    let mut content = content.clone();
    if let Some(title) = title {
        content.everyone.title = Title::new(title).map_err(|why| Error::Invalid(FieldError::new("title", why)))?;
    }
    let made = covers::drawn(service, &content.everyone);
    content.everyone.cover_image = Some(made.image);
    let id = ids::uuid(published_at, &*service.random);
    let loaded = Loaded {
        visibility: Visibility::Public,
        published_at: Some(published_at),
        cover: Some(covers::StoredCover::new(service, made.picture.id)),
        ..Loaded::unread(id, owner, published_at)
    };
    let counts = Counts { likes: i64::try_from(liked_by.len()).unwrap_or(i64::MAX), ..Counts::default() };
    let band = rank::band(counts, (service.clock.now() - published_at).num_days());
    let mut explore_entry = explore_entry::compute(service, loaded.visibility, loaded.published_at, &content.everyone)
        .ok_or_else(|| Error::Corrupt("what is public is not listed".to_owned()))?;
    explore_entry.place = rank::moved(explore_entry.place, band);
    let fragments = content.fragments();
    let columns = loaded.columns(&content, fragments);
    Ok(Published {
        itinerary: NewItinerary {
            id,
            owner_id: owner.id,
            created_at: published_at,
            client_id: None,
            columns,
            picture: Some(made.picture),
        },
        explore_entry,
        liked_by,
    })
}

/// What distinguishes an itinerary from others with the same content.
pub struct Distinct {
    pub title: String,
    pub start_date: Option<Date>,
    pub visibility: Visibility,
    pub created_at: DateTime<Utc>,
    /// The band of its rank.
    pub band: u8,
    pub liked_by: Vec<Uuid>,
}

/// An itinerary with this content, of any visibility.
pub fn populated(service: &Service, owner: &Account, content: &Content, distinct: Distinct) -> Result<Populated> {
    let Distinct { title, start_date, visibility, created_at, band, liked_by } = distinct;
    let mut content = content.clone();
    let made = covers::drawn(service, &content.everyone);
    content.everyone.cover_image = Some(made.image);
    content.everyone.title = Title::new(title).map_err(|why| Error::Invalid(FieldError::new("title", why)))?;
    content.everyone.start_date = start_date.unwrap_or(content.everyone.start_date);
    let id = ids::uuid(created_at, &*service.random);
    let published_at = matches!(visibility, Visibility::Followers | Visibility::Public).then_some(created_at);
    let cover = Some(covers::StoredCover::new(service, made.picture.id));
    let loaded = Loaded { visibility, published_at, cover, ..Loaded::unread(id, owner, created_at) };
    let mut explore_entry = explore_entry::compute(service, visibility, published_at, &content.everyone);
    if let Some(explore_entry) = &mut explore_entry {
        explore_entry.place = rank::moved(explore_entry.place, band);
    }
    let fragments = content.fragments();
    let columns = loaded.columns(&content, fragments);
    let picture = Some(made.picture);
    Ok(Populated {
        itinerary: NewItinerary { id, owner_id: owner.id, created_at, client_id: None, columns, picture },
        explore_entry,
        liked_by,
    })
}
