//! Blocked travellers: they can neither invite, follow nor find the account that has blocked them.

use chrono::{DateTime, Utc};
use itinerary_api::read::FieldError;
use itinerary_api::request_state::Caller;
use itinerary_api::types::{Page, PageQuery, Profile};
use itinerary_platform::context::Service;
use itinerary_store::BlockOutcome;
use uuid::Uuid;

use super::page::Paging;
use super::people::profile_of;
use super::{Error, Quota, Result};

/// One page of the travellers that the caller has blocked, most recently blocked first.
pub async fn list(service: &Service, caller: &Caller, query: PageQuery) -> Result<Page<Profile>> {
    let paging = Paging::new(service, format!("block_list {}", caller.account), query.limit);
    let after: Option<(DateTime<Utc>, Uuid)> = paging.after(query.cursor.as_deref())?;
    let mut rows = service.store.block_page(caller.account, after, paging.wanted()).await?;
    let next_cursor = paging.cut(&mut rows, |(since, profile)| (*since, profile.id));
    Ok(Page { data: rows.into_iter().map(|(_, row)| profile_of(row)).collect(), next_cursor })
}

/// Blocks an account, and ends memberships, invitations and follows between the two.
pub async fn set(service: &Service, account: Uuid, blocked: Uuid) -> Result<()> {
    if account == blocked {
        return Err(FieldError::new("accountId", "must not be your own: you cannot block yourself").into());
    }
    // From now on both read lists from the database: a replica may still have what the block ends.
    service.store.write_noted(account).await?;
    service.store.write_noted(blocked).await?;
    match service.store.block_set(account, blocked, service.clock.now()).await? {
        BlockOutcome::Blocked => Ok(()),
        BlockOutcome::Full => Err(Error::OverQuota(Quota::Blocks(service.store.quotas().blocks))),
        BlockOutcome::NoAccount => Err(Error::NotFound),
    }
}

/// Ends a block, if there is one.
pub async fn clear(service: &Service, account: Uuid, blocked: Uuid) -> Result<()> {
    if service.store.block_clear(account, blocked).await? { Ok(()) } else { Err(Error::NotFound) }
}
