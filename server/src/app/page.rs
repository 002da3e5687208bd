//! Pages of lists: their length, their cursors, and the entries of itineraries.

use itinerary_api::policy::Scope;
use itinerary_api::request_state::Caller;
use itinerary_api::types::PageLimit;
use itinerary_api::values::{Timestamp, Whole, limits};
use itinerary_core::access::{Sections, Standing};
use itinerary_core::render::{self, EntryAuthor, EntryHead};
use itinerary_core::{cursor, version};
use itinerary_store::SummaryRow;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::itineraries::{role_of, visibility_of};
use super::{Answer, Result};
use crate::context::Service;

/// One page of a list. `list` identifies the account, the operation and the filters; a cursor for any other is
/// rejected.
pub(super) struct Paging<'s> {
    service: &'s Service,
    list: String,
    limit: usize,
}

impl<'s> Paging<'s> {
    pub(super) fn new(service: &'s Service, list: String, limit: Option<PageLimit>) -> Self {
        let limit = usize::try_from(limit.map_or(limits::PAGE_DEFAULT, Whole::get)).unwrap_or_default();
        Self { service, list, limit }
    }

    /// The number of rows to read: one more than a page holds, to learn whether another page follows.
    pub(super) fn wanted(&self) -> u32 {
        u32::try_from(self.limit + 1).unwrap_or(u32::MAX)
    }

    /// The position after which the page starts. `None` for the first page.
    pub(super) fn after<P: DeserializeOwned>(&self, cursor: Option<&str>) -> Result<Option<P>> {
        Ok(cursor.map(|cursor| cursor::open(&self.service.key, &self.list, cursor)).transpose()?)
    }

    /// Removes the extra row, and returns the cursor of the next page if there is one.
    pub(super) fn cut<R, P: Serialize>(&self, rows: &mut Vec<R>, position: impl FnOnce(&R) -> P) -> Option<String> {
        let more = rows.len() > self.limit;
        rows.truncate(self.limit);
        let last = rows.last().filter(|_| more)?;
        Some(self.sealed(&position(last)))
    }

    fn sealed(&self, position: &impl Serialize) -> String {
        cursor::seal(&self.service.key, &self.list, position, &*self.service.random)
    }

    /// Renders a page of itineraries.
    pub(super) fn itineraries<K, P: Serialize>(
        &self,
        caller: &Caller,
        rows: Vec<(K, SummaryRow)>,
        position: impl FnOnce(&(K, SummaryRow)) -> P,
    ) -> Result<Answer> {
        self.itineraries_until(caller, rows, position, None)
    }

    /// Renders a page from a read that may have ended early. If it did, the next page starts at `reached`.
    pub(super) fn itineraries_until<K, P: Serialize>(
        &self,
        caller: &Caller,
        mut rows: Vec<(K, SummaryRow)>,
        position: impl FnOnce(&(K, SummaryRow)) -> P,
        reached: Option<P>,
    ) -> Result<Answer> {
        let next = self.cut(&mut rows, position).or_else(|| reached.map(|reached| self.sealed(&reached)));
        let entries = rows.iter().map(|(_, row)| Ok((head(caller, row)?, &*row.card))).collect::<Result<Vec<_>>>()?;
        Ok(Answer::untagged(render::page(&entries, next.as_deref())))
    }
}

fn head<'r>(caller: &Caller, row: &'r SummaryRow) -> Result<EntryHead<'r>> {
    let member = row.member_role.as_deref().map(role_of).transpose()?;
    let standing = if row.owner_id == caller.account { Standing::Owner } else { Standing::besides_owner(member) };
    let view =
        Sections::of(standing, caller.pro, caller.scopes.contains(Scope::DocumentsRead)).with_source(row.shows_source);
    Ok(EntryHead {
        id: row.id,
        visibility: visibility_of(&row.visibility)?,
        role: standing.role(),
        author: EntryAuthor {
            account_id: row.owner_id,
            username: &row.username,
            display_name: &row.display_name,
            image_url: row.image_url.as_deref(),
        },
        updated_at: Timestamp(row.updated_at),
        etag: version::etag(row.version, view, standing),
        likes_count: row.likes,
        published_at: row.published_at.map(Timestamp),
    })
}
