//! Keeping files while a backup copies them.
//!
//! A backup copies the files after the database, so files of documents that are deleted meanwhile are still needed. A
//! row in `settings` for each running backup holds their deletion back; a backup that is killed stops renewing its row.
//! The statements that select files for deletion check these rows themselves: a statement that sees a document deleted
//! after the snapshot also sees the row, which was inserted before the snapshot.

use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;

use crate::entity::settings::Column;
use crate::query::statement::statements;
use crate::query::{query, text};
use crate::{Result, Store};

/// How long files are kept after a backup last renewed its hold.
pub const HELD_FOR: TimeDelta = TimeDelta::minutes(10);

/// Begins the names of the rows.
const PREFIX: &str = "backup:";

statements! {
    const HOLD = insert_values([(Column::Name, p(1)), (Column::Value, "".into()), (Column::UpdatedAt, p(2))])
        .or_update([Column::Name], [Column::UpdatedAt]);

    const RELEASE = "DELETE FROM settings WHERE name = $1 OR (name LIKE 'backup:%' AND updated_at <= $2)";
}

/// Whether files are held: an expression whose parameter `$held` is the time of [`since`].
macro_rules! files_held {
    ($held:literal) => {
        concat!("EXISTS (SELECT 1 FROM settings WHERE name LIKE 'backup:%' AND updated_at > ", $held, ")")
    };
}
pub(crate) use files_held;

/// Holds that were renewed later than this are valid.
pub(crate) fn since(now: DateTime<Utc>) -> DateTime<Utc> {
    now - HELD_FOR
}

impl Store {
    /// Holds the deletion of files back for [`HELD_FOR`], on every server.
    pub async fn files_hold(&self, holder: Uuid, now: DateTime<Utc>) -> Result<()> {
        self.execute(query!(HOLD, format!("{PREFIX}{holder}"), now)).await.map(|_| ())
    }

    /// Whether a backup holds the deletion of files back.
    pub async fn files_are_held(&self, now: DateTime<Utc>) -> Result<bool> {
        self.exists(&query!(text!("SELECT 1 WHERE ", files_held!("$1")), since(now))).await
    }

    /// Ends a hold, and removes expired ones.
    pub async fn files_release(&self, holder: Uuid, now: DateTime<Utc>) -> Result<()> {
        self.execute(query!(RELEASE, format!("{PREFIX}{holder}"), since(now))).await.map(|_| ())
    }
}
