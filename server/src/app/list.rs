//! Listing a traveller's itineraries.

use itinerary_api::policy::Scope;
use itinerary_api::scope::Caller;
use itinerary_api::types::{self, SummaryAuthor};
use itinerary_api::values::{Timestamp, Whole, limits};
use itinerary_core::access::{Standing, View};
use itinerary_core::render::{self, EntryHead};
use itinerary_core::{cursor, version};
use itinerary_store::{ListFilter, ListQuery, SummaryRow};

use super::itineraries::visibility_of;
use super::{Answer, Outcome, Result};
use crate::context::Service;

/// What a list was asked for.
pub type ListRequest = types::ListQuery;

/// One page of the caller's itineraries.
pub async fn list(service: &Service, caller: &Caller, request: ListRequest) -> Result<Answer> {
    let filter = request.filter.unwrap_or_default();
    let since = request.updated_since.as_ref().map(|time| time.instant().to_utc());
    let name = format!(
        "itinerary_list {} {filter:?} {}",
        caller.account,
        since.map_or(String::new(), |since| since.timestamp_millis().to_string())
    );
    let after = request.cursor.as_deref().map(|cursor| cursor::open(&service.key, &name, cursor)).transpose()?;
    let limit = usize::try_from(request.limit.map_or(limits::PAGE_DEFAULT, Whole::get)).unwrap_or_default();
    let query = ListQuery {
        account_id: caller.account,
        filter: store_filter(filter),
        updated_since: since,
        after,
        // One more than a page tells whether there is another.
        limit: u32::try_from(limit + 1).unwrap_or(u32::MAX),
    };
    let mut rows = service.store.itinerary_page(&query).await?;
    let more = rows.len() > limit;
    rows.truncate(limit);
    let next = rows.last().filter(|_| more);
    let next = next.map(|row| cursor::seal(&service.key, &name, (row.updated_at, row.id), &*service.random));
    let heads = rows.iter().map(|row| head(caller, row)).collect::<Result<Vec<_>>>()?;
    let entries = heads.into_iter().zip(rows.iter().map(|row| row.card.as_str()));
    let body = render::page(entries, next.as_deref());
    Ok(Answer { outcome: Outcome::Done, etag: None, location: None, body, replayed: false })
}

fn head(caller: &Caller, row: &SummaryRow) -> Result<EntryHead> {
    // Everything in this list is the caller's own until itineraries are shared.
    let standing = Standing::Owner;
    let view = View::of(standing, caller.pro, caller.scopes.contains(Scope::DocumentsRead));
    Ok(EntryHead {
        id: row.id,
        visibility: visibility_of(&row.visibility)?,
        role: standing.role(),
        author: SummaryAuthor {
            account_id: row.owner_id,
            username: row.username.clone(),
            display_name: row.display_name.clone(),
            image_url: row.image_url.clone(),
        },
        updated_at: Timestamp(row.updated_at),
        etag: version::etag(row.version, view, standing),
        likes_count: 0,
        published_at: row.published_at.map(Timestamp),
    })
}

fn store_filter(filter: types::ListFilter) -> ListFilter {
    match filter {
        types::ListFilter::All => ListFilter::All,
        types::ListFilter::Owned => ListFilter::Owned,
        types::ListFilter::Shared => ListFilter::Shared,
        types::ListFilter::Saved => ListFilter::Saved,
        types::ListFilter::Liked => ListFilter::Liked,
        types::ListFilter::Disliked => ListFilter::Disliked,
    }
}
