//! Addresses of covers that clients send.
//!
//! An itinerary names only its own picture. So a client that creates an itinerary from what it has read gets a copy, and an
//! update may send back what the itinerary has or had, but no other picture of this server. Addresses of other sites are
//! kept as they are, and so are those in other fields (a day's image, an account's picture): they keep no picture alive,
//! and show what the address shows.

use itinerary_api::read::FieldError;
use itinerary_api::request_state::Caller;
use itinerary_api::types::{Attention, AttentionCode, ItineraryCreate, ItineraryPatch, Label};
use itinerary_api::values::{Change, Patch};
use itinerary_core::content::Everyone;
use itinerary_platform::context::Service;
use uuid::Uuid;

use super::{Made, adoption, drawn};
use crate::Result;

/// The cover that a new itinerary was sent with.
pub(in crate::itineraries) enum SentCover {
    /// None, or one of another site, which is in the body.
    AsItIs,
    /// A copy of a stored picture.
    Copy(Box<Made>),
    /// A drawn picture, to be drawn again from the new itinerary, with this source.
    Drawn(Option<Label>),
    /// A picture of this server that the caller may not read.
    Refused,
}

/// Takes a picture of this server out of the body of a new itinerary.
pub(in crate::itineraries) async fn on_create(
    service: &Service,
    caller: &Caller,
    body: &mut ItineraryCreate,
) -> Result<SentCover> {
    let Some(id) = body.cover_image.as_ref().and_then(|image| service.addresses.picture_at(&image.url)) else {
        return Ok(SentCover::AsItIs);
    };
    let source = body.cover_image.take().and_then(|image| image.source);
    let (store, now) = (&service.store, service.clock.now());
    let mut picture = store.picture_visible_to(caller.account, id, now).await?;
    if picture.is_none() && adoption::picture_of_cover(service, id).await?.is_some() {
        picture = store.picture_visible_to(caller.account, id, now).await?;
    }
    Ok(match picture {
        None => SentCover::Refused,
        Some(picture) if picture.drawing.is_some() => SentCover::Drawn(source),
        Some(picture) => SentCover::Copy(Box::new(Made::copy(service, &picture).with_source(source))),
    })
}

impl SentCover {
    /// The cover that follows from the content; `None` if it is to be chosen, or is in the body.
    pub(in crate::itineraries) fn made(self, service: &Service, everyone: &Everyone) -> Option<Made> {
        match self {
            Self::AsItIs | Self::Refused => None,
            Self::Copy(made) => Some(*made),
            Self::Drawn(source) => Some(drawn(service, everyone).with_source(source)),
        }
    }

    /// Says that the cover that was sent is not the itinerary's.
    pub(in crate::itineraries) fn attention(&self) -> Option<Attention> {
        matches!(self, Self::Refused).then(|| Attention {
            field: "coverImage".to_owned(),
            code: AttentionCode::Assumed,
            message: "The address is of a picture of this service that you may not read; another cover was chosen."
                .to_owned(),
        })
    }
}

/// Takes an address that the itinerary has or had out of a patch; rejects other pictures of this server.
pub(in crate::itineraries) async fn on_update(
    service: &Service,
    itinerary: Uuid,
    shown: Option<Uuid>,
    has_cover: bool,
    patch: &mut ItineraryPatch,
) -> Result<()> {
    let Patch::Value(cover) = &mut patch.cover_image else { return Ok(()) };
    let Change::Value(url) = &cover.url else { return Ok(()) };
    let Some(id) = service.addresses.picture_at(url) else { return Ok(()) };
    if shown != Some(id) && !service.store.picture_is_or_was(id, itinerary).await? {
        let message = "must not be the address of another picture of this service: upload the picture instead";
        return Err(FieldError::new("coverImage.url", message).into());
    }
    if has_cover {
        cover.url = Change::Absent;
    } else {
        patch.cover_image = Patch::Absent;
    }
    Ok(())
}
