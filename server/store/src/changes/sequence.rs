//! Gives changes their positions, deletes old ones, and recognises a database that was restored or moved.
//!
//! SQLite has one writer, so the order of its row ids is the order of commits. On PostgreSQL a transaction takes its id
//! before its commit, so ids become visible in another order than they are given. There, transactions write to
//! `new_changes`, and whoever holds the lock on the feed's row moves the committed rows to `changes`: positions become
//! visible in their order, because the next holder begins after the commit of the last one. A transaction that stays
//! open delays nobody; its rows get later positions.

use chrono::{DateTime, Utc};

use crate::engine::store::Engine;
use crate::engine::transaction::{End, Transaction};
use crate::query::statement::statements;
use crate::query::{query, text};
use crate::{DatabaseKind, Result, Store};

/// Where a PostgreSQL database is: its cluster, its number there, and the timeline, which changes with a failover and
/// with a recovery to an instant.
pub(super) const PLACE: &str = "((SELECT system_identifier::text FROM pg_control_system()) || '.' || \
     (SELECT oid::text FROM pg_database WHERE datname = current_database()) || '.' || \
     left(pg_walfile_name(pg_current_wal_lsn()), 8))";

/// The number of changes that get their positions, or are deleted, in one transaction.
const BATCH: i64 = 1_000;

const LOCK_POSTGRES: &str =
    text!("SELECT last_position FROM change_feed WHERE place = ", PLACE, " FOR UPDATE SKIP LOCKED");

const MOVE_POSTGRES: &str = "WITH taken AS (DELETE FROM new_changes WHERE id IN \
     (SELECT id FROM new_changes ORDER BY id LIMIT $2) RETURNING id, kind, itinerary_id, account_id, at), \
     placed AS (INSERT INTO changes (position, kind, itinerary_id, account_id, at) \
     SELECT $1 + row_number() OVER (ORDER BY id), kind, itinerary_id, account_id, at FROM taken RETURNING position) \
     SELECT count(*) FROM placed";

const RAISE_POSTGRES: &str = "UPDATE change_feed SET last_position = last_position + $1";

macro_rules! settle {
    ($place:expr) => {
        text!(
            "INSERT INTO change_feed (id, epoch, place, last_position, swept_position) VALUES (1, $1, ",
            $place,
            ", 0, 0) ON CONFLICT (id) DO UPDATE SET epoch = excluded.epoch, place = excluded.place \
             WHERE change_feed.place <> excluded.place"
        )
    };
}

const SETTLE_SQLITE: &str = settle!("$2");
const SETTLE_POSTGRES: &str = settle!(PLACE);

statements! {
    /// Of the oldest $1, the last that is as old as $2. Positions follow the time but for clocks that differ.
    const LAST_OLD = "SELECT max(position) FROM \
         (SELECT position, at FROM changes ORDER BY position LIMIT $1) AS oldest WHERE at <= $2";

    const DELETE_OLD = "DELETE FROM changes WHERE position <= $1";

    const SWEPT = "UPDATE change_feed SET swept_position = $1 WHERE swept_position < $1";
}

/// What [`Store::changes_sequence`] has done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FeedSequence {
    /// So many changes have got their positions. There may be more.
    Placed(i64),
    /// Another server does it at the moment, or the database is not where it was.
    NotNow,
}

impl Store {
    /// Begins the feed of a new database. Begins a new epoch, `epoch`, if the database has been restored or moved: then
    /// positions that were given before may be lost, so cursors of before must not be continued.
    pub async fn change_feed_settle(&self, epoch: &str) -> Result<bool> {
        let settle = match &self.engine {
            Engine::Sqlite(sqlite) => query!(SETTLE_SQLITE, epoch, file_number(sqlite.file())),
            Engine::Postgres(_) => query!(SETTLE_POSTGRES, epoch),
        };
        Ok(self.execute(settle).await? == 1)
    }

    /// Gives positions to committed changes that have none, on PostgreSQL.
    pub async fn changes_sequence(&self) -> Result<FeedSequence> {
        if self.kind() == DatabaseKind::Sqlite {
            return Ok(FeedSequence::Placed(0));
        }
        self.transaction((), |(), transaction| {
            Box::pin(async move {
                let Some(last) = transaction.fetch_optional::<i64>(&query!(LOCK_POSTGRES)).await? else {
                    return Ok(End::Rollback(FeedSequence::NotNow));
                };
                let placed = transaction.fetch_optional::<i64>(&query!(MOVE_POSTGRES, last, BATCH)).await?;
                let placed = placed.unwrap_or_default();
                transaction.execute(&query!(RAISE_POSTGRES, placed)).await?;
                Ok(End::Commit(FeedSequence::Placed(placed)))
            })
        })
        .await
    }

    /// Deletes changes of before an instant; returns how many. Cursors of before the last of them expire.
    pub async fn changes_sweep(&self, before: DateTime<Utc>) -> Result<u64> {
        let mut swept = 0;
        loop {
            let batch = self.transaction(before, |&before, transaction| {
                Box::pin(async move { Ok(End::Commit(transaction.sweep_changes(before).await?)) })
            });
            match batch.await? {
                0 => return Ok(swept),
                batch => swept += batch,
            }
        }
    }
}

impl Transaction {
    async fn sweep_changes(&mut self, before: DateTime<Utc>) -> Result<u64> {
        let Some(last) = self.fetch_optional::<Option<i64>>(&query!(LAST_OLD, BATCH, before)).await?.flatten() else {
            return Ok(0);
        };
        self.execute(&query!(SWEPT, last)).await?;
        self.execute(&query!(DELETE_OLD, last)).await
    }
}

/// The number of the database file in its file system: a file that was restored has another one.
#[cfg(unix)]
fn file_number(file: &std::path::Path) -> String {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata(file).map_or_else(|_| String::new(), |metadata| metadata.ino().to_string())
}

#[cfg(not(unix))]
fn file_number(_: &std::path::Path) -> String {
    String::new()
}
