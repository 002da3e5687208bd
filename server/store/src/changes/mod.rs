//! The change feed: what has changed for an account, in an order that never changes.
//!
//! Rows are written in the transaction of the change. `updated` is one row for everyone, read through the itinerary by
//! its owner and by the accounts that are members at the time of reading; the other kinds are a row for each account
//! concerned. A position is given after the commit (`sequence.rs`), so a transaction that commits late is neither lost
//! nor waited for.
//!
//! Callers decide what a reader is shown; cursors and events are theirs, too.

pub(crate) mod read;
pub(crate) mod sequence;

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::engine::transaction::Transaction;
use crate::query::row::FromColumn;
use crate::query::statement::{Texts, statements};
use crate::query::{Query, ToColumn, query, text};
use crate::{DatabaseKind, Result, StoreError};

pub use read::{ChangePage, ChangeRow, ChangesSince, FeedState, WebhooksState};
pub use sequence::FeedSequence;

/// What a row of the feed says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChangeKind {
    /// The itinerary was created, or has a new version.
    Updated,
    /// The account's role as a member has changed.
    Role,
    /// The account has become a member.
    Shared,
    /// The account is not a member any more.
    Unshared,
    /// The itinerary was deleted.
    Deleted,
}

impl ChangeKind {
    const ALL: [Self; 5] = [Self::Updated, Self::Role, Self::Shared, Self::Unshared, Self::Deleted];

    fn as_str(self) -> &'static str {
        match self {
            Self::Updated => "updated",
            Self::Role => "role",
            Self::Shared => "shared",
            Self::Unshared => "unshared",
            Self::Deleted => "deleted",
        }
    }
}

impl ToColumn for ChangeKind {
    fn to_column(self) -> sea_orm::Value {
        self.as_str().into()
    }
}

impl FromColumn for ChangeKind {
    type Stored = String;

    fn from_column(name: String) -> Result<Self> {
        let kind = Self::ALL.into_iter().find(|kind| kind.as_str() == name);
        kind.ok_or_else(|| StoreError::Corrupt(format!("no kind of change is named {name:?}")))
    }
}

const COLUMNS: &str = " (kind, itinerary_id, account_id, at) ";
const VALUES: &str = "VALUES ($1, $2, $3, $4)";

/// The owner, unless its account is deleted, and the members of the itinerary $1.
const CONCERNED: &str = "SELECT 'deleted', $1, x.account_id, $2 FROM (SELECT a.id AS account_id FROM itineraries i \
     JOIN accounts a ON a.id = i.owner_id AND a.deleted_at IS NULL WHERE i.id = $1 \
     UNION ALL SELECT account_id FROM members WHERE itinerary_id = $1) AS x";

/// The start of a statement that adds rows: `INSERT INTO` the table in which they wait for their positions.
pub(crate) const INTO_SQLITE: &str = text!("INSERT INTO changes", COLUMNS);
pub(crate) const INTO_POSTGRES: &str = text!("INSERT INTO new_changes", COLUMNS);

const FORGET_WAITING_VERSIONS_POSTGRES: &str = "DELETE FROM new_changes WHERE itinerary_id = $1 AND kind = 'updated'";
const FORGET_WAITING_POSTGRES: &str = "DELETE FROM new_changes WHERE account_id = $1";

statements! {
    const RECORD = Texts::for_engines(text!(INTO_SQLITE, VALUES), text!(INTO_POSTGRES, VALUES));

    /// Nobody is told of the versions of an itinerary that is deleted.
    const FORGET_VERSIONS = "DELETE FROM changes WHERE itinerary_id = $1 AND kind = 'updated'";

    const RECORD_DELETION =
        Texts::for_engines(text!(INTO_SQLITE, CONCERNED), text!(INTO_POSTGRES, CONCERNED));
}

/// The query that adds a change to the feed. `account` is the owner with [`ChangeKind::Updated`], otherwise the account
/// concerned.
pub(crate) fn recorded(kind: ChangeKind, itinerary: Uuid, account: Uuid, at: DateTime<Utc>) -> Query {
    query!(RECORD, kind, itinerary, account, at)
}

impl Transaction {
    /// Adds a change to the feed. `account` is the owner with [`ChangeKind::Updated`], otherwise the account concerned.
    pub(crate) async fn record_change(
        &mut self,
        kind: ChangeKind,
        itinerary: Uuid,
        account: Uuid,
        at: DateTime<Utc>,
    ) -> Result<()> {
        self.execute(&recorded(kind, itinerary, account, at)).await.map(|_| ())
    }

    /// Adds the deletion of an itinerary to the feed, for its owner and each member, in place of its versions. Before
    /// it is deleted, under its lock.
    pub(crate) async fn record_deletion(&mut self, itinerary: Uuid, at: DateTime<Utc>) -> Result<()> {
        // First those that wait: the statement waits for a server that moves them, and the next one sees where to.
        if self.kind() == DatabaseKind::Postgres {
            self.execute(&query!(FORGET_WAITING_VERSIONS_POSTGRES, itinerary)).await?;
        }
        self.execute(&query!(FORGET_VERSIONS, itinerary)).await?;
        self.execute(&query!(RECORD_DELETION, itinerary, at)).await.map(|_| ())
    }

    /// Deletes the changes of an account that wait for their positions, or waits until they have them.
    pub(crate) async fn forget_waiting_changes(&mut self, account: Uuid) -> Result<()> {
        if self.kind() == DatabaseKind::Postgres {
            self.execute(&query!(FORGET_WAITING_POSTGRES, account)).await?;
        }
        Ok(())
    }
}
