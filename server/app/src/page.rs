//! Pages of lists: their length, their cursors, and the entries of itineraries.

use std::borrow::Cow;

use itinerary_api::policy::Scope;
use itinerary_api::request_state::Caller;
use itinerary_api::types::{ListedItinerary, Page, PageLimit};
use itinerary_api::values::{Timestamp, Whole, limits};
use itinerary_core::access::{Sections, Standing};
use itinerary_core::render::{self, EntryAuthor, EntryHead};
use itinerary_core::{cursor, version};
use itinerary_model::Role;
use itinerary_platform::addresses::Addresses;
use itinerary_platform::context::Service;
use itinerary_store::{Store, SummaryRow};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{Rendered, Result};

/// One page of a list. `list` identifies the account, the operation and the filters; a cursor for any other is
/// rejected.
pub(super) struct Paging<'s> {
    service: &'s Service,
    list: String,
    limit: usize,
    /// Where a page that may lag is read from; see [`Paging::lagging`].
    source: Option<Store>,
}

/// What a cursor contains.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum CursorContent<P> {
    /// In a list that is read from a replica: also where the page was read ([`Store::source`]), and when, in milliseconds
    /// since 1970.
    Read { after: P, source: u64, at: i64 },
    /// Only the position.
    Position(P),
}

impl<'s> Paging<'s> {
    pub(super) fn new(service: &'s Service, list: String, limit: Option<PageLimit>) -> Self {
        let limit = usize::try_from(limit.map_or(limits::PAGE_DEFAULT, Whole::get)).unwrap_or_default();
        Self { service, list, limit, source: None }
    }

    /// The position after which the page starts, and a store for this page that may lag.
    ///
    /// A walk must not go back in time, or it would repeat what has moved meanwhile. So the next page is read where the
    /// previous one was, or after so long that the other source has caught up.
    pub(super) async fn lagging<P: DeserializeOwned>(
        &mut self,
        account: Uuid,
        cursor: Option<&str>,
    ) -> Result<(Store, Option<P>)> {
        let database = &self.service.store;
        let content: Option<CursorContent<P>> = self.opened(cursor)?;
        if !database.has_replicas() {
            return Ok((database.clone(), content.map(CursorContent::position)));
        }
        let previous = match &content {
            Some(CursorContent::Read { source, .. }) => Some(*source),
            _ => None,
        };
        let store = database.lagging_for(account, previous).await?;
        let long_ago = self.now() - i64::try_from(database.replica_window().as_millis()).unwrap_or(i64::MAX);
        let may_be_read = match &content {
            None => true,
            Some(CursorContent::Read { source, at, .. }) => *source == store.source() || *at < long_ago,
            // A page before the replica was configured.
            Some(CursorContent::Position(_)) => false,
        };
        let store = if may_be_read { store } else { database.clone() };
        self.source = Some(store.clone());
        Ok((store, content.map(CursorContent::position)))
    }

    fn now(&self) -> i64 {
        self.service.clock.now().timestamp_millis()
    }

    fn opened<P: DeserializeOwned>(&self, cursor: Option<&str>) -> Result<Option<P>> {
        Ok(cursor.map(|cursor| cursor::open(&self.service.key, &self.list, cursor)).transpose()?)
    }

    /// The number of rows to read: one more than a page holds, to learn whether another page follows.
    pub(super) fn wanted(&self) -> u32 {
        u32::try_from(self.limit + 1).unwrap_or(u32::MAX)
    }

    /// The position after which the page starts. `None` for the first page.
    pub(super) fn after<P: DeserializeOwned>(&self, cursor: Option<&str>) -> Result<Option<P>> {
        self.opened(cursor)
    }

    /// Removes the extra row, and returns the cursor of the next page if there is one.
    pub(super) fn cut<R, P: Serialize>(&self, rows: &mut Vec<R>, position: impl FnOnce(&R) -> P) -> Option<String> {
        let more = rows.len() > self.limit;
        rows.truncate(self.limit);
        let last = rows.last().filter(|_| more)?;
        Some(self.sealed(&position(last)))
    }

    fn sealed(&self, position: &impl Serialize) -> String {
        let sealed = match &self.source {
            Some(store) => CursorContent::Read { after: position, source: store.source(), at: self.now() },
            None => CursorContent::Position(position),
        };
        cursor::seal(&self.service.key, &self.list, &sealed, &*self.service.random)
    }

    /// Renders a page of itineraries.
    pub(super) fn itineraries<K, P: Serialize>(
        &self,
        caller: &Caller,
        rows: Vec<(K, SummaryRow)>,
        position: impl FnOnce(&(K, SummaryRow)) -> P,
    ) -> Rendered<Page<ListedItinerary>> {
        self.itineraries_until(caller, rows, position, None)
    }

    /// Renders a page from a read that may have ended early. If it did, the next page starts at `reached`.
    pub(super) fn itineraries_until<K, P: Serialize>(
        &self,
        caller: &Caller,
        mut rows: Vec<(K, SummaryRow)>,
        position: impl FnOnce(&(K, SummaryRow)) -> P,
        reached: Option<P>,
    ) -> Rendered<Page<ListedItinerary>> {
        let next = self.cut(&mut rows, position).or_else(|| reached.map(|reached| self.sealed(&reached)));
        let addresses = &self.service.addresses;
        let entries: Vec<_> =
            rows.iter().map(|(_, row)| (head(addresses, caller, row), card(addresses, row))).collect();
        Rendered::untagged(render::page(&entries, next.as_deref()))
    }
}

impl<P> CursorContent<P> {
    fn position(self) -> P {
        match self {
            Self::Read { after, .. } | Self::Position(after) => after,
        }
    }
}

/// The card with the present address of the cover.
fn card<'r>(addresses: &Addresses, row: &'r SummaryRow) -> Cow<'r, str> {
    let present = row.picture.and_then(|picture| render::card_with_cover(&row.card, &addresses.of(picture)));
    present.map_or(Cow::Borrowed(&*row.card), Cow::Owned)
}

fn head<'r>(addresses: &Addresses, caller: &Caller, row: &'r SummaryRow) -> EntryHead<'r> {
    let member = row.member_role.map(Role::from);
    let standing = if row.owner_id == caller.account { Standing::Owner } else { Standing::besides_owner(member) };
    let view =
        Sections::of(standing, caller.pro, caller.scopes.contains(Scope::DocumentsRead)).with_source(row.shows_source);
    let mark = if row.picture.is_some() { addresses.mark() } else { "" };
    EntryHead {
        id: row.id,
        visibility: row.visibility,
        role: standing.role(),
        author: EntryAuthor {
            account_id: row.owner_id,
            username: &row.username,
            display_name: &row.display_name,
            image_url: row.image_url.as_deref(),
        },
        updated_at: Timestamp(row.updated_at),
        etag: version::marked(version::etag(row.version, view, standing), mark),
        likes_count: row.likes,
        published_at: row.published_at.map(Timestamp),
    }
}
