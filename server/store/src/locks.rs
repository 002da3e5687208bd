//! Rows that a transaction holds, so that what it has looked at stays until it ends.
//!
//! On SQLite a write transaction has the database to itself; only PostgreSQL is told. Foreign keys do not wait for these
//! locks.

use uuid::Uuid;

use crate::query::query;
use crate::transaction::Transaction;
use crate::{DatabaseKind, Result};

const ACCOUNT: &str = "SELECT 1 FROM accounts WHERE id = $1 FOR NO KEY UPDATE";
const ITINERARY: &str = "SELECT version FROM itineraries WHERE id = $1";
const LOCKED_ITINERARY: &str = "SELECT version FROM itineraries WHERE id = $1 FOR NO KEY UPDATE";

impl Transaction {
    /// Makes other transactions that lock this account wait until this one ends.
    pub(crate) async fn lock_account(&mut self, id: Uuid) -> Result<()> {
        if self.kind() == DatabaseKind::Postgres {
            self.exists(&query!(ACCOUNT, id)).await?;
        }
        Ok(())
    }

    /// Makes other transactions that lock this itinerary, change it or delete it wait until this one ends; gives its
    /// version, or nothing when there is none such.
    pub(crate) async fn lock_itinerary(&mut self, id: Uuid) -> Result<Option<i64>> {
        let lock = match self.kind() {
            DatabaseKind::Sqlite => ITINERARY,
            DatabaseKind::Postgres => LOCKED_ITINERARY,
        };
        self.fetch_optional(&query!(lock, id)).await
    }
}
