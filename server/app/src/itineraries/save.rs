//! Saving: makes a private copy of the public content of an itinerary.

use itinerary_api::request_state::{Caller, IdempotencyKey};
use itinerary_api::types::{Itinerary, SavedFrom};
use itinerary_core::access::Act;
use itinerary_core::content::Content;
use itinerary_core::{fill, ids, stored};
use itinerary_platform::context::Service;
use itinerary_store::{Claim, ContentSelection, Idempotent, NewItinerary, SaveOutcome, Saved, VisibleSections};
use uuid::Uuid;

use super::create::over_quota;
use super::{Loaded, Reader, covers, keep, load};
use crate::{Error, Outcome, Rendered, Result, replay, store_claim};

/// Copies an itinerary for an app's caller, or answers with the caller's existing copy.
pub async fn save(
    service: &Service,
    caller: &Caller,
    id: Uuid,
    key: Option<IdempotencyKey>,
) -> Result<Rendered<Itinerary>> {
    let claim = key.map(|key| store_claim(caller, key));
    copy(service, caller.into(), id, (Some(caller.client.clone()), claim)).await
}

/// Copies an itinerary for the reader of a page, or answers with the reader's existing copy.
pub async fn save_copy(service: &Service, reader: impl Into<Reader>, id: Uuid) -> Result<Rendered<Itinerary>> {
    copy(service, reader.into(), id, (None, None)).await
}

/// Copies an itinerary for its reader, with the app that asks for it.
async fn copy(
    service: &Service,
    reader: Reader,
    id: Uuid,
    (client_id, claim): (Option<String>, Option<Claim>),
) -> Result<Rendered<Itinerary>> {
    let (source, shown) =
        load(service, reader, id, ContentSelection::Sections { visible: VisibleSections::Everyone, known: None })
            .await?;
    source.allow(reader, Act::Mark)?;
    if let Some(earlier) = replay(service, claim.as_ref()).await? {
        return Ok(earlier);
    }
    let (source, shown) = if source.has_cover_of_before && covers::adoption::adopt(service, id).await? > 0 {
        load(service, reader, id, ContentSelection::Sections { visible: VisibleSections::Everyone, known: None })
            .await?
    } else {
        (source, shown)
    };
    let everyone = stored::parse(&shown.everyone)?;
    let mut content = Content::public(everyone);
    fill::drop_notes(&mut content)?;
    let owner = service.store.account(reader.account).await?.ok_or(Error::NotFound)?;
    let now = service.library_now().await?;
    let mut copy = Loaded::new(ids::uuid(now, &*service.random), &owner, now, reader);
    copy.saved_from = Some(saved_from(&source));
    copy.sections = copy.sections.with_source(true);
    let picture = match &source.cover {
        Some(cover) => covers::copied(service, cover, &mut content.everyone).await?,
        None => None,
    };
    copy.cover = picture.as_ref().map(|picture| covers::StoredCover::new(service, picture.id));

    let fragments = content.fragments();
    let mut rendered = copy.rendered(fragments.clone(), Some(&fill::not_placed(&content)));
    (rendered.outcome, rendered.location) = (Outcome::Created, Some(format!("/v1/itineraries/{}", copy.id)));
    let columns = copy.columns(&content, fragments);
    let new = NewItinerary { id: copy.id, owner_id: owner.id, created_at: now, client_id, columns, picture };
    let of = Saved { itinerary_id: id, author_id: source.author.account_id };
    let stored = claim.as_ref().map(|_| rendered.stored());
    match service.store.itinerary_save(new, of, claim.as_ref().zip(stored.as_ref()), service.clock.now()).await? {
        Idempotent::Executed(SaveOutcome::Created) => Ok(rendered),
        Idempotent::Executed(SaveOutcome::Exists(copy)) => there_is(service, reader, copy, claim.as_ref()).await,
        Idempotent::Executed(SaveOutcome::Gone) => Err(Error::NotFound),
        Idempotent::Executed(SaveOutcome::Full) => Err(over_quota(service)),
        // The source has just been given another cover.
        Idempotent::Executed(SaveOutcome::PictureGone) => Err(Error::Busy),
        Idempotent::Replayed(earlier) => Rendered::again(earlier),
    }
}

/// The reader's existing copy, in its current state.
async fn there_is(service: &Service, reader: Reader, copy: Uuid, claim: Option<&Claim>) -> Result<Rendered<Itinerary>> {
    let (loaded, fragments) = load(service, reader, copy, ContentSelection::Everything).await?;
    let rendered = loaded.rendered(fragments, None);
    keep(service, claim, copy, rendered).await
}

fn saved_from(source: &Loaded) -> SavedFrom {
    SavedFrom {
        itinerary_id: Some(source.id),
        author: Some(source.author.username.clone()),
        author_display_name: Some(source.author.display_name.clone()),
        author_is_pro: Some(source.author.is_pro),
    }
}
