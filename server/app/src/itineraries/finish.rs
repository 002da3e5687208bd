//! The last step before a write stores content: it completes and checks the content, and serialises it once.

use itinerary_api::types::Attention;
use itinerary_core::content::{Content, Fragments};
use itinerary_core::edit_scope::EditScope;
use itinerary_core::{fill, schedule, time_zones, validate};
use itinerary_platform::context::Service;
use uuid::Uuid;

use crate::{Error, Result};

/// Content that may be stored.
pub(super) struct Finished {
    pub(super) content: Content,
    /// The content as it is stored.
    pub(super) fragments: Fragments,
    /// Places without a coordinate, days without a time zone, and times that cannot be kept.
    pub(super) attention: Vec<Attention>,
}

/// Validates before it serialises, because only entries that were sent or changed are validated, and none is after that.
pub(super) fn finish(service: &Service, mut content: Content, id: Uuid, scope: &EditScope) -> Result<Finished> {
    fill::complete(&mut content, &*service.random)?;
    validate::content(&content, id, scope)?;
    let mut attention = fill::not_placed(&content);
    attention.extend(time_zones::unknown(&content));
    attention.extend(schedule::conflicts(&content)?);
    let fragments = content.serialize()?;
    validate::size(&fragments).map_err(|_| Error::TooLarge)?;
    Ok(Finished { content, fragments, attention })
}
