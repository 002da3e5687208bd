//! Creating an itinerary.

use itinerary_api::request_state::{Caller, IdempotencyKey};
use itinerary_api::types::{CreateQuery, Day, Itinerary, ItineraryCreate, Place};
use itinerary_core::content::{BringsLists, Part};
use itinerary_core::edit_scope::EditScope;
use itinerary_core::entry::Entry;
use itinerary_core::entry_path::EntryPath;
use itinerary_core::fill::{self, CreateFacts, Draft};
use itinerary_core::{ids, stored};
use itinerary_platform::context::Service;
use itinerary_platform::ports::coordinates;
use itinerary_store::{Account, CreateOutcome, DuplicateRule, Idempotent, ItineraryColumns, NewItinerary};
use tokio::time::Instant;
use uuid::Uuid;

use super::{Finished, Loaded, PLACING_TIME, covers, finish, legs};
use crate::places::Placing;
use crate::{Error, Outcome, Quota, Rendered, Result, replay, store_claim};

/// Creates an itinerary.
pub async fn create(
    service: &Service,
    caller: &Caller,
    query: CreateQuery,
    key: Option<IdempotencyKey>,
    mut body: ItineraryCreate,
) -> Result<Rendered<Itinerary>> {
    refuse_sections(caller.pro, |part| body.brings(part))?;
    let dry_run = query.dry_run.unwrap_or(false);
    // A dry run stores nothing, so it has no stored response either.
    let claim = key.filter(|_| !dry_run).map(|key| store_claim(caller, key));
    if let Some(earlier) = replay(service, claim.as_ref()).await? {
        return Ok(earlier);
    }
    let now = service.library_now().await?;
    let owner = service.store.account(caller.account).await?.ok_or(Error::NotFound)?;
    let facts = CreateFacts {
        now: service.clock.now(),
        destination: coordinates::facts(&body.destination.coordinate),
        currency_of: coordinates::currency_of,
        time_zone_at: coordinates::time_zone,
        origin: if body.origin.is_none() { usual_origin(service, &owner).await? } else { None },
    };
    let sent_cover = covers::sent_cover::on_create(service, caller, &mut body).await?;
    let Draft { mut content, mut attention, dates } = fill::create(body, &facts)?;
    attention.extend(sent_cover.attention());
    let id = ids::uuid(now, &*service.random);
    fill::adopt(&mut content, id)?;
    let deadline = Instant::now() + PLACING_TIME;
    let mut placing = Placing::new(service, caller.account, deadline);
    if !dates.is_empty() {
        // Dates are local at the places of flights and hotels, and stops are searched for near the hotels of their day.
        attention.extend(placing.place(&mut content, |path: EntryPath| path.part != Part::Days).await?);
        attention.extend(dates.fill(&mut content, &facts)?);
    }
    attention.extend(placing.place(&mut content, |_| true).await?);
    let lacks_legs = |_: usize, day: &Entry<Day>| day.touched().is_some_and(|day| day.legs.is_empty());
    legs::fill_missing(service, &mut content, &mut placing, legs::BY_WRITES, lacks_legs).await?;
    let mut made = sent_cover.made(service, &content.everyone);
    let lacks_cover = made.is_none() && content.everyone.cover_image.is_none();
    if lacks_cover {
        made = Some(covers::drawn(service, &content.everyone));
    }
    if let Some(made) = &made {
        content.everyone.cover_image = Some(made.image.clone());
    }
    let Finished { mut content, mut fragments, attention: of_content } =
        finish(service, content, id, &EditScope::everything())?;
    attention.extend(of_content);

    let mut loaded = Loaded::new(id, &owner, now, caller);
    let allows_duplicate = query.allow_duplicate.unwrap_or(false);
    if lacks_cover && !dry_run && service.ports.images.is_some() {
        // Only for an itinerary that will be stored.
        refuse_over_quota(service, owner.id).await?;
        if !allows_duplicate {
            let columns = loaded.columns(&content, fragments);
            refuse_duplicate(service, &duplicate_rule(owner.id, &columns)).await?;
        }
        let picked = covers::pick(service, owner.id, &content, deadline).await?;
        content.everyone.cover_image = Some(picked.image.clone());
        made = Some(picked);
        Finished { content, fragments, .. } = finish(service, content, id, &EditScope::everything())?;
    }
    loaded.cover = made.as_ref().map(|made| covers::StoredCover::new(service, made.picture.id));
    let mut rendered = loaded.rendered(fragments.clone(), Some(&attention));
    (rendered.outcome, rendered.location) = (Outcome::Created, Some(format!("/v1/itineraries/{id}")));
    let columns = loaded.columns(&content, fragments);
    let rule = (!allows_duplicate).then(|| duplicate_rule(owner.id, &columns));
    if dry_run {
        if let Some(rule) = rule {
            refuse_duplicate(service, &rule).await?;
        }
        refuse_over_quota(service, owner.id).await?;
        // A dry run has no resource to name or change.
        (rendered.outcome, rendered.etag, rendered.location) = (Outcome::Done, None, None);
        return Ok(rendered);
    }
    let stored = claim.as_ref().map(|_| rendered.stored());
    let claim = claim.as_ref().zip(stored.as_ref());
    let picture = made.as_ref().map(|made| made.picture.clone());
    let client_id = Some(caller.client.clone());
    let new = NewItinerary { id, owner_id: owner.id, created_at: now, client_id, columns, picture };
    let outcome = service.store.itinerary_create(new, rule, claim, service.clock.now()).await?;
    if let (Some(made), false) = (&made, matches!(outcome, Idempotent::Executed(CreateOutcome::Created))) {
        covers::discard(service, made).await;
    }
    match outcome {
        Idempotent::Executed(CreateOutcome::Created) => Ok(rendered),
        Idempotent::Executed(CreateOutcome::Duplicate(id)) => Err(Error::Duplicate(id)),
        Idempotent::Executed(CreateOutcome::Full) => Err(over_quota(service)),
        // It was deleted just now; the next attempt chooses another.
        Idempotent::Executed(CreateOutcome::PictureGone) => Err(Error::Busy),
        Idempotent::Replayed(earlier) => Rendered::again(earlier),
    }
}

/// The error when the owner's quota of itineraries is reached.
pub(super) fn over_quota(service: &Service) -> Error {
    Error::OverQuota(Quota::Itineraries(service.store.quotas().itineraries))
}

async fn refuse_over_quota(service: &Service, owner: Uuid) -> Result<()> {
    if service.store.owns_as_many(owner).await? { Err(over_quota(service)) } else { Ok(()) }
}

async fn refuse_duplicate(service: &Service, rule: &DuplicateRule) -> Result<()> {
    service.store.itinerary_duplicate(rule).await?.map_or(Ok(()), |duplicate| Err(Error::Duplicate(duplicate)))
}

/// Which itineraries would be duplicates.
fn duplicate_rule(owner_id: Uuid, columns: &ItineraryColumns) -> DuplicateRule {
    DuplicateRule {
        owner_id,
        start_date: columns.start_date.clone(),
        destination_key: columns.destination_key.clone(),
        place_id: columns.place_id.clone(),
        latitude: columns.latitude,
        longitude: columns.longitude,
    }
}

/// Rejects the first of the touched sections that needs Pro without it.
pub(super) fn refuse_sections(pro: bool, is_touched: impl Fn(Part) -> bool) -> Result<()> {
    let is_refused = |part: &Part| !pro && part.section().is_some() && is_touched(*part);
    let section = Part::ALL.into_iter().find(is_refused).and_then(Part::section);
    section.map_or(Ok(()), |section| Err(Error::SubscriptionRequired(section)))
}

/// The default origin: the home place, or else the latest itinerary's origin.
async fn usual_origin(service: &Service, account: &Account) -> Result<Option<Place>> {
    let place = match &account.home_place {
        Some(home) => Some(home.clone()),
        None => service.store.latest_origin(account.id).await?,
    };
    place.map(|json| stored::parse(json.as_bytes()).map_err(|error| Error::Corrupt(error.to_string()))).transpose()
}
