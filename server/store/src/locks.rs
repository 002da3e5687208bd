//! Row locks, so that rows that a transaction has read stay unchanged until it ends.
//!
//! Only for PostgreSQL; on SQLite there is only one write transaction at a time. Foreign key checks do not wait for
//! these locks.

use uuid::Uuid;

use crate::query::query;
use crate::transaction::Transaction;
use crate::{DatabaseKind, Result};

const ACCOUNT: &str = "SELECT 1 FROM accounts WHERE id = $1 FOR NO KEY UPDATE";
const ITINERARY: &str = "SELECT version FROM itineraries WHERE id = $1";
const LOCKED_ITINERARY: &str = "SELECT version FROM itineraries WHERE id = $1 FOR NO KEY UPDATE";

impl Transaction {
    /// Locks an account until the transaction ends.
    pub(crate) async fn lock_account(&mut self, id: Uuid) -> Result<()> {
        if self.kind() == DatabaseKind::Postgres {
            self.exists(&query!(ACCOUNT, id)).await?;
        }
        Ok(())
    }

    /// Locks an itinerary against changes and deletion until the transaction ends. Returns its version, or `None` if it
    /// does not exist.
    pub(crate) async fn lock_itinerary(&mut self, id: Uuid) -> Result<Option<i64>> {
        let lock = match self.kind() {
            DatabaseKind::Sqlite => ITINERARY,
            DatabaseKind::Postgres => LOCKED_ITINERARY,
        };
        self.fetch_optional(&query!(lock, id)).await
    }
}
