//! Lists itineraries: the caller's library, and those of another traveller that the caller may find.

use itinerary_api::request_state::Caller;
use itinerary_api::types::{self, AccountListQuery, ListedItinerary, Page};
use itinerary_platform::context::Service;
use itinerary_store::{ListContent, ListQuery};
use uuid::Uuid;

use super::page::Paging;
use super::people::must_be_findable;
use super::{Error, Rendered, Result};

/// One page of the caller's library.
pub async fn list(
    service: &Service,
    caller: &Caller,
    request: types::ListQuery,
) -> Result<Rendered<Page<ListedItinerary>>> {
    let filter = request.filter.unwrap_or_default();
    let since = request.updated_since.as_ref().map(|time| time.instant().to_utc());
    let from = since.map_or(String::new(), |since| since.timestamp_millis().to_string());
    let name = format!("itinerary_list {} {filter:?} {from}", caller.account);
    let paging = Paging::new(service, name, request.limit);
    let query = ListQuery {
        account_id: caller.account,
        content: ListContent::Library(filter),
        updated_since: since,
        after: paging.after(request.cursor.as_deref())?,
        limit: paging.wanted(),
    };
    let rows = service.store.itinerary_page(&query).await?;
    Ok(paging.itineraries(caller, rows, |(time, row)| (*time, row.id)))
}

/// One page of the itineraries of `owner` that the caller may find.
pub async fn list_of(
    service: &Service,
    caller: &Caller,
    owner: Uuid,
    request: AccountListQuery,
) -> Result<Rendered<Page<ListedItinerary>>> {
    let name = format!("account_itinerary_list {} {owner}", caller.account);
    let mut paging = Paging::new(service, name, request.limit);
    let cursor = request.cursor.as_deref();
    let (store, after) = if owner == caller.account {
        (service.store.clone(), paging.after(cursor)?)
    } else {
        paging.lagging(caller.account, cursor).await?
    };
    if request.filter.is_some_and(|filter| filter != "owned") {
        must_be_findable(service, caller.account, owner).await?;
        return Err(Error::Forbidden(
            "Only a traveller's own itineraries can be listed here: `filter` must be `owned` or absent.",
        ));
    }
    let query = ListQuery {
        account_id: caller.account,
        content: ListContent::OwnedBy(owner),
        updated_since: None,
        after,
        limit: paging.wanted(),
    };
    let rows = store.itinerary_page(&query).await?;
    if rows.is_empty() {
        must_be_findable(service, caller.account, owner).await?;
    }
    Ok(paging.itineraries(caller, rows, |(time, row)| (*time, row.id)))
}
