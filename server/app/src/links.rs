//! Secret links: listing, creating and deleting those of an itinerary. `itineraries/linked.rs` reads what they show.

use chrono::{DateTime, Months, Utc};
use itinerary_api::read::FieldError;
use itinerary_api::request_state::{Caller, IdempotencyKey};
use itinerary_api::types::{ItemList, Link, LinkCreate, LinkSections};
use itinerary_api::values::{OffsetTime, Timestamp};
use itinerary_core::access::Act;
use itinerary_core::ids;
use itinerary_platform::context::Service;
use itinerary_store::{Idempotent, LINKS_PER_ITINERARY, LinkOutcome, LinkRow, LinkedSections, NewLink};
use uuid::Uuid;

use super::audit::{self, Actor, Event};
use super::itineraries::admit;
use super::{Error, Outcome, Quota, Rendered, Result, replay, store_claim};

/// How the secrets of links begin.
const SECRET_PREFIX: &str = "itn_link_";

/// How far ahead a link can expire.
const LONGEST: Months = Months::new(10 * 12);

/// The links of the caller's itinerary, oldest first.
pub async fn list(service: &Service, caller: &Caller, id: Uuid) -> Result<ItemList<Link>> {
    admit(service, caller, id, Act::Links).await?;
    let rows = service.store.links(id).await?;
    Ok(ItemList { data: rows.into_iter().map(link_of).collect() })
}

/// Creates a link. The stored response, which a retry gets, does not contain the address.
pub async fn create(
    service: &Service,
    caller: &Caller,
    id: Uuid,
    key: Option<IdempotencyKey>,
    body: LinkCreate,
) -> Result<Rendered<Link>> {
    admit(service, caller, id, Act::Links).await?;
    let claim = key.map(|key| store_claim(caller, key));
    if let Some(earlier) = replay(service, claim.as_ref()).await? {
        return Ok(earlier);
    }
    let now = service.clock.now();
    let LinkCreate { label, expires_at, sections } = body;
    let sections = sections.unwrap_or_default();
    let secret = ids::secret(SECRET_PREFIX, &*service.random);
    let link = NewLink {
        id: ids::uuid(now, &*service.random),
        itinerary_id: id,
        label: label.to_string(),
        hash: ids::hash(&secret),
        sections: match sections {
            LinkSections::Plan => LinkedSections::Plan,
            LinkSections::Bookings => LinkedSections::Bookings,
        },
        expires_at: expires_at.map(|end| checked_end(&end, now)).transpose()?,
        created_at: now,
    };
    let kept = Link {
        id: link.id,
        label: link.label.clone(),
        sections,
        expires_at: link.expires_at.map(Timestamp),
        created_at: Timestamp(now),
        url: None,
    };
    let stored = claim.as_ref().map(|_| created(&kept).stored());
    match service.store.link_create(link, claim.as_ref().zip(stored.as_ref())).await? {
        Idempotent::Executed(LinkOutcome::Created) => {
            let by = Actor::App(&caller.client);
            audit::record(service, Event::SecretLinkMade, Some(caller.account), by, &kept.label).await;
            Ok(created(&Link { url: Some(format!("{}/t/{secret}", service.config.base_url)), ..kept }))
        }
        Idempotent::Executed(LinkOutcome::Taken) => Err(Error::Taken {
            field: "label",
            message: "Another link of this itinerary has the label. Choose another one, or delete that link first.",
        }),
        Idempotent::Executed(LinkOutcome::Full) => Err(Error::OverQuota(Quota::Links(LINKS_PER_ITINERARY))),
        Idempotent::Executed(LinkOutcome::Gone) => Err(Error::NotFound),
        Idempotent::Replayed(earlier) => Rendered::again(earlier),
    }
}

/// Deletes a link, which stops working at once.
pub async fn delete(service: &Service, caller: &Caller, id: Uuid, link: Uuid) -> Result<()> {
    admit(service, caller, id, Act::Links).await?;
    if !service.store.link_delete(link, id).await? {
        return Err(Error::NotFound);
    }
    let by = Actor::App(&caller.client);
    audit::record(service, Event::SecretLinkDeleted, Some(caller.account), by, "").await;
    Ok(())
}

fn created(link: &Link) -> Rendered<Link> {
    Rendered { outcome: Outcome::Created, ..Rendered::json(link) }
}

fn checked_end(end: &OffsetTime, now: DateTime<Utc>) -> Result<DateTime<Utc>> {
    let end = end.instant().to_utc();
    if end <= now {
        return Err(FieldError::new("expiresAt", "must be in the future").into());
    }
    if now.checked_add_months(LONGEST).is_some_and(|latest| end > latest) {
        return Err(FieldError::new("expiresAt", "must be at most 10 years from now").into());
    }
    Ok(end)
}

/// The link as its owner sees it, without its address.
pub(super) fn link_of(row: LinkRow) -> Link {
    Link {
        id: row.id,
        label: row.label,
        sections: sections_of(row.sections),
        expires_at: row.expires_at.map(Timestamp),
        created_at: Timestamp(row.created_at),
        url: None,
    }
}

pub(super) fn sections_of(sections: LinkedSections) -> LinkSections {
    match sections {
        LinkedSections::Plan => LinkSections::Plan,
        LinkedSections::Bookings => LinkSections::Bookings,
    }
}
