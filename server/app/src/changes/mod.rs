//! Changes of the itineraries that an account owns or is a member of, in their order.
//!
//! Changes get their positions after their commit. Any server assigns them, and so does a read if some are missing, so that
//! a caller sees its own change at once. A cursor contains a position and the feed's epoch.

mod stream;
mod watch;

use std::collections::HashSet;
use std::time::Duration;

use itinerary_api::policy::Scope;
use itinerary_api::read::FieldError;
use itinerary_api::request_state::Caller;
use itinerary_api::types::{Change, ChangePage, ChangeQuery, ChangeType};
use itinerary_api::values::{Timestamp, Whole, limits};
use itinerary_core::access::{Sections, Standing};
use itinerary_core::{cursor, ids, version};
use itinerary_model::{Plan, Role};
use itinerary_platform::context::Service;
use itinerary_store::{ChangeKind, ChangeRow, FeedSequence, FeedState, StoreError};
use uuid::Uuid;

pub use stream::ChangeStream;
pub use watch::watch;

use super::{Error, Result};

/// How long to wait while another server assigns positions.
const PAUSE: Duration = Duration::from_millis(20);

/// Where a reader is: the epoch, and the position of the last change that it has read.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Position {
    epoch: String,
    at: i64,
}

/// Whose changes are read, and what the reader is shown.
#[derive(Clone, Copy, Debug)]
struct Reader {
    account: Uuid,
    /// Whether the token has the scope of documents.
    documents: bool,
}

/// Changes with their positions, oldest first.
struct Found {
    changes: Vec<(i64, Change)>,
    /// Where the reader is after them.
    reached: Position,
    has_more: bool,
}

/// Begins the feed of a new database, and a new epoch if the database has been restored or moved.
pub async fn settle(service: &Service) -> Result<(), StoreError> {
    let epoch = ids::item(&*service.random);
    if service.store.change_feed_settle(&epoch).await? {
        tracing::info!("the change feed has a new epoch: earlier cursors have expired");
    }
    Ok(())
}

/// The changes after a cursor; without one only a cursor for the changes from now on.
pub async fn list(service: &Service, caller: &Caller, query: ChangeQuery) -> Result<ChangePage> {
    let reader = Reader::of(caller);
    let limit = u32::try_from(query.limit.map_or(limits::PAGE_DEFAULT, Whole::get)).unwrap_or_default();
    let found = match query.cursor {
        Some(cursor) => read_fresh(service, reader, &reader.opened(service, &cursor, "cursor")?, limit).await?,
        None => Found { changes: Vec::new(), reached: now(service).await?, has_more: false },
    };
    Ok(ChangePage {
        data: found.changes.into_iter().map(|(_, change)| change).collect(),
        next_cursor: reader.sealed(service, &found.reached),
        has_more: found.has_more,
    })
}

/// Gives positions to all committed changes, so that a reader that starts at the last position skips them.
pub(crate) async fn settle_new(service: &Service) -> Result<()> {
    now(service).await.map(|_| ())
}

/// The position of the last change.
async fn now(service: &Service) -> Result<Position> {
    let mut state = service.store.change_feed().await?;
    if state.has_new {
        sequence(service).await?;
        state = service.store.change_feed().await?;
    }
    Ok(Position { epoch: state.epoch, at: state.last })
}

/// At most `limit` changes after a position, including those that had no position yet.
async fn read_fresh(service: &Service, reader: Reader, after: &Position, limit: u32) -> Result<Found> {
    let mut page = service.store.change_page(reader.account, after.at, limit + 1).await?;
    if page.state.has_new {
        sequence(service).await?;
        page = service.store.change_page(reader.account, after.at, limit + 1).await?;
    }
    found(service, reader, after, limit, page)
}

/// At most `limit` changes after a position.
async fn read(service: &Service, reader: Reader, after: &Position, limit: u32) -> Result<Found> {
    let page = service.store.change_page(reader.account, after.at, limit + 1).await?;
    found(service, reader, after, limit, page)
}

/// Changes of an account after a position that is this server's own, for its webhooks. Also returns the position that is
/// reached, and whether there are more changes.
pub(crate) async fn changes_after(
    service: &Service,
    account: Uuid,
    documents: bool,
    after: i64,
    limit: u32,
) -> Result<(Vec<Change>, i64, bool)> {
    let reader = Reader { account, documents };
    let page = service.store.change_page(account, after, limit + 1).await?;
    let after = Position { epoch: page.state.epoch.clone(), at: after.clamp(page.state.swept, page.state.last) };
    let found = found(service, reader, &after, limit, page)?;
    Ok((found.changes.into_iter().map(|(_, change)| change).collect(), found.reached.at, found.has_more))
}

/// Converts a page of at most `limit` + 1 rows. The extra row shows that there are more.
fn found(
    service: &Service,
    reader: Reader,
    after: &Position,
    limit: u32,
    mut page: itinerary_store::ChangePage,
) -> Result<Found> {
    check(&page.state, after)?;
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let has_more = page.rows.len() > limit;
    page.rows.truncate(limit);
    let last = page.rows.last().filter(|_| has_more).map(|row| row.position);
    // An account without changes must not keep a position until it expires.
    let reached = Position { at: last.unwrap_or(page.state.last), epoch: page.state.epoch };
    let changes = changes(service, reader, page.plan == Plan::Pro, &page.rows);
    Ok(Found { changes, reached, has_more })
}

/// Assigns positions to new changes, or waits briefly if another server is doing so.
async fn sequence(service: &Service) -> Result<(), StoreError> {
    if service.store.changes_sequence().await? == FeedSequence::NotNow {
        tokio::time::sleep(PAUSE).await;
    }
    Ok(())
}

/// Refuses a position whose following changes are not all kept. One beyond the last comes from changes that a restored
/// database does not have.
fn check(state: &FeedState, after: &Position) -> Result<()> {
    let is_kept = state.epoch == after.epoch && (state.swept..=state.last).contains(&after.at);
    if is_kept { Ok(()) } else { Err(Error::CursorExpired) }
}

/// The changes for the reader. Several new versions of one itinerary are one change. An itinerary that the reader can no
/// longer see has only its deletion, or the end of the reader's membership.
fn changes(service: &Service, reader: Reader, pro: bool, rows: &[ChangeRow]) -> Vec<(i64, Change)> {
    let mut updated = HashSet::new();
    let mut found: Vec<_> = rows
        .iter()
        .rev()
        .filter_map(|row| {
            let kind = match row.kind {
                ChangeKind::Updated | ChangeKind::Role => ChangeType::Updated,
                ChangeKind::Shared => ChangeType::Shared,
                ChangeKind::Unshared => ChangeType::Unshared,
                ChangeKind::Deleted => ChangeType::Deleted,
            };
            let has_itinerary = matches!(kind, ChangeType::Updated | ChangeType::Shared);
            let etag = if has_itinerary { Some(etag(service, reader, pro, row)?) } else { None };
            let is_new = kind != ChangeType::Updated || updated.insert(row.itinerary_id);
            let change = Change { kind, itinerary_id: row.itinerary_id, etag, at: Timestamp(row.at) };
            is_new.then_some((row.position, change))
        })
        .collect();
    found.reverse();
    found
}

/// The tag of the itinerary as the reader sees it now. `None` if it is neither the owner nor a member.
fn etag(service: &Service, reader: Reader, pro: bool, row: &ChangeRow) -> Option<String> {
    let version = row.version?;
    let standing =
        if row.is_owner { Standing::Owner } else { Standing::besides_owner(row.member_role.map(Role::from)) };
    let sections = Sections::of(standing, pro, reader.documents).with_source(row.shows_source);
    let mark = if row.picture.is_some() { service.addresses.mark() } else { "" };
    Some(version::marked(version::etag(version, sections, standing), mark))
}

impl Reader {
    fn of(caller: &Caller) -> Self {
        Self { account: caller.account, documents: caller.scopes.contains(Scope::DocumentsRead) }
    }

    fn list(self) -> String {
        format!("change_list {}", self.account)
    }

    /// The position of a cursor. `field` is the parameter or header that has it.
    fn opened(self, service: &Service, cursor: &str, field: &str) -> Result<Position> {
        let opened = cursor::open(&service.key, &self.list(), cursor);
        let (epoch, at) = opened.map_err(|error| FieldError::new(field, error.message))?;
        Ok(Position { epoch, at })
    }

    fn sealed(self, service: &Service, position: &Position) -> String {
        cursor::seal(&service.key, &self.list(), &(&position.epoch, position.at), &*service.random)
    }
}
