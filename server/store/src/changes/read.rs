//! Reads the change feed: a page for one account, and whom the newest changes concern.
//!
//! A page reads an account's own rows from their index, and the latest `updated` row of each itinerary that it owns or
//! that is shared with it; rows of other accounts are not read. State and rows come from one statement, so that no row
//! is swept between them.

use chrono::{DateTime, Utc};
use itinerary_model::{MemberRole, Plan};
use uuid::Uuid;

use super::ChangeKind;
use super::sequence::PLACE;
use crate::query::row::{Columns, FromRow, row};
use crate::query::statement::{Texts, statements};
use crate::query::{query, text};
use crate::summary::{PICTURE, source_shown};
use crate::{Result, Store, StoreError};

row! {
    /// The state of the feed.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct FeedState {
        /// Random, renewed when the database is restored or moved.
        pub epoch: String = "s.epoch",
        /// The highest position that was deleted.
        pub swept: i64 = "s.swept_position",
        /// The last position that was given.
        pub last: i64 = "s.last_position",
        /// Whether there are committed changes without a position; see [`Store::changes_sequence`].
        pub has_new: bool = "s.has_new",
    }
}

/// A change as an account sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangeRow {
    pub position: i64,
    pub kind: ChangeKind,
    pub itinerary_id: Uuid,
    pub at: DateTime<Utc>,
    /// The itinerary's current version, if the account owns it or is a member.
    pub version: Option<i64>,
    pub is_owner: bool,
    pub member_role: Option<MemberRole>,
    /// Whether this is a copy and the account may see the id of its source.
    pub shows_source: bool,
    /// The cover, if it is a picture with a row of its own.
    pub picture: Option<Uuid>,
}

/// A page of changes, oldest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangePage {
    pub state: FeedState,
    /// The account's plan.
    pub plan: Plan,
    pub rows: Vec<ChangeRow>,
}

row! {
    /// How far the feed has been read for webhooks, and when attempts are due.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct WebhooksState {
        /// The position up to which changes were examined for webhooks. `None` in a new epoch; see
        /// [`Store::webhooks_restart`].
        pub queued: Option<i64> = "(SELECT q.position FROM webhook_queue q WHERE q.epoch = s.epoch)",
        /// Whether there are webhooks.
        pub any: bool = "EXISTS (SELECT 1 FROM webhooks)",
        /// When the first attempt is due.
        pub due_at: Option<DateTime<Utc>> = "(SELECT min(due_at) FROM webhooks WHERE due_at IS NOT NULL)",
        /// Whether integrations are paused.
        pub paused: bool = "EXISTS (SELECT 1 FROM settings WHERE name = 'integrations_paused')",
    }
}

/// The accounts that changes after a position concern, each with the latest position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangesSince {
    pub state: FeedState,
    /// Whether the database is not where it was: see [`Store::change_feed_settle`].
    pub has_moved: bool,
    /// The time of the oldest committed change without a position.
    pub oldest_new: Option<DateTime<Utc>>,
    pub webhooks: WebhooksState,
    pub accounts: Vec<(Uuid, i64)>,
}

/// The state, and one row of a page; its columns are `NULL` in the only row of an empty page.
struct PageRow {
    state: FeedState,
    plan: Option<Plan>,
    row: Option<ChangeRow>,
}

impl FromRow for PageRow {
    fn from_row(columns: &mut Columns<'_>) -> Result<Self> {
        let (state, plan, position) = (columns.take()?, columns.take()?, columns.take::<Option<i64>>()?);
        let Some(position) = position else { return Ok(Self { state, plan, row: None }) };
        let row = ChangeRow {
            position,
            kind: columns.take()?,
            itinerary_id: columns.take()?,
            at: columns.take()?,
            version: columns.take()?,
            is_owner: columns.take()?,
            member_role: columns.take()?,
            shows_source: columns.take()?,
            picture: columns.take()?,
        };
        Ok(Self { state, plan, row: Some(row) })
    }
}

row! {
    struct SinceRow {
        state: FeedState = FeedState::COLUMNS,
        has_moved: bool = "s.has_moved",
        oldest_new: Option<DateTime<Utc>> = "s.oldest_new",
        webhooks: WebhooksState = WebhooksState::COLUMNS,
        position: Option<i64> = "x.position",
        account_id: Option<Uuid> = "x.account_id",
    }
}

const STATE_SQLITE: &str = "(SELECT epoch, swept_position, FALSE AS has_new, FALSE AS has_moved, NULL AS oldest_new, \
     COALESCE((SELECT seq FROM sqlite_sequence WHERE name = 'changes'), 0) AS last_position FROM change_feed) AS s";

macro_rules! state_postgres {
    ($has_moved:expr) => {
        text!(
            "(SELECT epoch, swept_position, EXISTS (SELECT 1 FROM new_changes) AS has_new, ",
            $has_moved,
            " AS has_moved, (SELECT min(at) FROM new_changes) AS oldest_new, last_position FROM change_feed) AS s"
        )
    };
}

/// Where the database is takes a while to find out, so pages do not.
const STATE_POSTGRES: &str = state_postgres!("FALSE");
const STATE_AND_PLACE_POSTGRES: &str = state_postgres!(text!("place <> ", PLACE));

/// The columns of [`PageRow`] after the position. What the account $1 may not see now has no version.
const ROW: &str = text!(
    "x.kind, x.itinerary_id, x.at, \
     CASE WHEN a.id IS NOT NULL AND (i.owner_id = $1 OR m.account_id IS NOT NULL) THEN i.version END, \
     COALESCE(i.owner_id = $1, FALSE), m.role, COALESCE(",
    source_shown!("$1"),
    ", FALSE), ",
    PICTURE
);

/// After the position $2: the rows of the account $1, and the last change of each itinerary that it owns or is a member
/// of; in order, at most $3.
const ROWS: &str = "(SELECT position, kind, itinerary_id, at FROM (SELECT position, kind, itinerary_id, at FROM changes \
     WHERE account_id = $1 AND kind <> 'updated' AND position > $2 ORDER BY position LIMIT $3) AS own \
     UNION ALL SELECT c.position, c.kind, c.itinerary_id, c.at FROM (SELECT (SELECT max(u.position) FROM changes u \
     WHERE u.itinerary_id = g.id AND u.kind = 'updated' AND u.position > $2) AS position \
     FROM (SELECT id FROM itineraries WHERE owner_id = $1 \
     UNION ALL SELECT itinerary_id FROM members WHERE account_id = $1) AS g) AS l \
     JOIN changes c ON c.position = l.position ORDER BY position LIMIT $3) AS x";

macro_rules! page {
    ($state:expr) => {
        text!(
            "SELECT ",
            FeedState::COLUMNS,
            ", (SELECT plan FROM accounts WHERE id = $1), x.position, ",
            ROW,
            " FROM ",
            $state,
            " LEFT JOIN ",
            ROWS,
            " ON TRUE LEFT JOIN itineraries i ON i.id = x.itinerary_id \
             LEFT JOIN accounts a ON a.id = i.owner_id AND a.deleted_at IS NULL \
             LEFT JOIN members m ON m.itinerary_id = i.id AND m.account_id = $1 ORDER BY x.position"
        )
    };
}

macro_rules! since {
    ($state:expr) => {
        text!(
            "WITH recent AS (SELECT position, kind, itinerary_id, account_id FROM changes WHERE position > $1 \
             ORDER BY position LIMIT $2) SELECT ",
            SinceRow::COLUMNS,
            " FROM ",
            $state,
            " LEFT JOIN (SELECT max(position) AS position, account_id FROM (SELECT position, account_id FROM recent \
             UNION ALL SELECT r.position, g.account_id FROM recent r JOIN members g ON g.itinerary_id = r.itinerary_id \
             WHERE r.kind = 'updated') AS concerned GROUP BY account_id) AS x ON TRUE"
        )
    };
}

statements! {
    const STATE = Texts::for_engines(
        text!("SELECT ", FeedState::COLUMNS, " FROM ", STATE_SQLITE),
        text!("SELECT ", FeedState::COLUMNS, " FROM ", STATE_POSTGRES),
    );

    const PAGE = Texts::for_engines(page!(STATE_SQLITE), page!(STATE_POSTGRES));

    const SINCE = Texts::for_engines(since!(STATE_SQLITE), since!(STATE_AND_PLACE_POSTGRES));
}

impl Store {
    /// The state of the feed.
    pub async fn change_feed(&self) -> Result<FeedState> {
        self.fetch_optional(&query!(STATE)).await?.ok_or_else(no_feed)
    }

    /// Changes for an account after a position, at most `limit`. Of an itinerary only the last `updated` row.
    pub async fn change_page(&self, account: Uuid, after: i64, limit: u32) -> Result<ChangePage> {
        let rows: Vec<PageRow> = self.fetch_page(query!(PAGE, account, after, i64::from(limit))).await?;
        let first = rows.first().ok_or_else(no_feed)?;
        let (state, plan) = (first.state.clone(), first.plan.unwrap_or(Plan::Free));
        Ok(ChangePage { state, plan, rows: rows.into_iter().filter_map(|row| row.row).collect() })
    }

    /// Whom the changes after a position concern, of at most `limit` changes.
    pub async fn changes_since(&self, after: i64, limit: u32) -> Result<ChangesSince> {
        let rows: Vec<SinceRow> = self.fetch_page(query!(SINCE, after, i64::from(limit))).await?;
        let first = rows.first().ok_or_else(no_feed)?;
        let (state, has_moved, oldest_new) = (first.state.clone(), first.has_moved, first.oldest_new);
        let webhooks = first.webhooks.clone();
        let accounts = rows.into_iter().filter_map(|row| Some((row.account_id?, row.position?))).collect();
        Ok(ChangesSince { state, has_moved, oldest_new, webhooks, accounts })
    }
}

fn no_feed() -> StoreError {
    StoreError::Corrupt("the change feed has no state: a server creates it when it starts".to_owned())
}
