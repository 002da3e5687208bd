//! Gives covers that were stored before pictures had rows a row of their own.
//!
//! Of several itineraries with one picture, the oldest that is no copy keeps the id, and the others get ids of their own.
//! A drawn one then shows its own itinerary; an uploaded one shares the files.

use itinerary_api::types::Image;
use itinerary_core::content::{Content, Everyone};
use itinerary_core::stored::{self, UnknownFields};
use itinerary_platform::context::Service;
use itinerary_store::{CoverOfBefore, NewPicture, PictureRow};
use uuid::Uuid;

use super::{CoverRoute, Made, Size, drawn, is_drawn, new_id, open};
use crate::{Error, Result};

/// How often a cover is tried whose itinerary is being changed.
const ATTEMPTS: u32 = 8;

/// Adopts the covers of all itineraries. Returns how many.
pub async fn adopt_all(service: &Service) -> Result<u64> {
    let (mut adopted, mut after) = (0, (Uuid::nil(), Uuid::nil()));
    loop {
        let covers = service.store.covers_after(after).await?;
        let Some(last) = covers.last() else { return Ok(adopted) };
        after = (last.cover_id, last.itinerary_id);
        for cover in covers.iter().filter(|cover| !cover.is_adopted) {
            adopted += adopt(service, cover.itinerary_id).await?;
        }
    }
}

/// The picture with the id of a cover that has not been adopted yet.
pub(super) async fn picture_of_cover(service: &Service, id: Uuid) -> Result<Option<PictureRow>> {
    let Some(owner) = service.store.cover_of_before_owner(id).await? else { return Ok(None) };
    adopt(service, owner).await?;
    Ok(service.store.picture(id, service.clock.now()).await?)
}

/// Adopts the cover of an itinerary, and before it that of the itinerary to which its id belongs. Returns how many: none
/// if it has a row already, or is a picture of another site.
pub(in crate::itineraries) async fn adopt(service: &Service, itinerary: Uuid) -> Result<u64> {
    let mut adopted = 0;
    for _ in 0..ATTEMPTS {
        let Some(cover) = service.store.cover_of_before(itinerary).await? else { return Ok(adopted) };
        let is_free = cover.taken_file_id.is_none() && !cover.was_taken;
        // Not looked for in vain: that reads all copies.
        let owner = if is_free { service.store.cover_of_before_owner(cover.cover_id).await? } else { None };
        if owner.is_some_and(|owner| owner != itinerary) {
            // Otherwise the next one would look for the owner again.
            if let Some(first) = service.store.cover_of_before(owner.unwrap_or_default()).await?
                && attempt(service, &first, true).await?
            {
                adopted += 1;
                continue;
            }
        } else if attempt(service, &cover, is_free).await? {
            return Ok(adopted + 1);
        }
        if !is_ours(service, &cover, &everyone(&cover)?.0).await? {
            return Ok(adopted);
        }
    }
    Err(Error::Busy)
}

fn everyone(cover: &CoverOfBefore) -> Result<(Everyone, UnknownFields)> {
    Ok(stored::parse_with_unknown(cover.everyone.as_bytes())?)
}

async fn attempt(service: &Service, cover: &CoverOfBefore, keeps_id: bool) -> Result<bool> {
    let (mut everyone, unknown) = everyone(cover)?;
    if !is_ours(service, cover, &everyone).await? {
        return Ok(false);
    }
    let source = everyone.cover_image.as_ref().and_then(|image| image.source.clone());
    let (id, now) = (cover.cover_id, service.clock.now());
    if keeps_id {
        let drawing = if is_drawn(id) { Some(CoverRoute::of(&everyone).stored()) } else { None };
        let source = source.as_ref().map(ToString::to_string);
        let picture = NewPicture { id, file_id: id, drawing, source, copy_of: None };
        return Ok(service.store.cover_keep(cover, picture, now).await?);
    }
    let Made { image, picture } = if is_drawn(id) { drawn(service, &everyone) } else { shared(service, cover) };
    everyone.cover_image = Some(Image { url: image.url, source });
    let json = stored::to_string(&everyone, &unknown)?;
    let card = Content::public(everyone).card();
    Ok(service.store.cover_rename(cover, picture, (json, card), now).await?)
}

/// Another picture with the files of an uploaded one.
fn shared(service: &Service, cover: &CoverOfBefore) -> Made {
    let made = Made::new(service, new_id(service), None, None);
    let copy_of = cover.taken_file_id.map(|_| cover.cover_id);
    let file_id = cover.taken_file_id.unwrap_or(cover.cover_id);
    let picture = NewPicture { file_id, copy_of, ..made.picture };
    Made { picture, ..made }
}

/// Whether a cover is a picture of this server. Earlier versions kept its address as it was at the time, and so a server
/// that has moved knows its pictures by their ids: only this service makes ids of drawn ones, and others have a file.
async fn is_ours(service: &Service, cover: &CoverOfBefore, everyone: &Everyone) -> Result<bool> {
    let url = everyone.cover_image.as_ref().map(|image| &*image.url);
    let is_ours = url.and_then(|url| service.addresses.picture_at(url)) == Some(cover.cover_id)
        || is_drawn(cover.cover_id)
        || cover.taken_file_id.is_some();
    Ok(is_ours || open(service, &Size::Large.file(cover.cover_id)).await?.is_some())
}
