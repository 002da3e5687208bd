//! Row locks, so that rows that a transaction has read stay unchanged until it ends.
//!
//! Only for PostgreSQL, and sea-orm writes them for no other engine; on SQLite there is only one write transaction at a
//! time. Foreign key checks do not wait for these locks.

use uuid::Uuid;

use crate::engine::transaction::Transaction;
use crate::entity::{accounts, itineraries};
use crate::query::query;
use crate::query::statement::statements;
use crate::{DatabaseKind, Result};

statements! {
    const ACCOUNT = accounts::Entity::find()
        .select_found()
        .filter(accounts::Column::Id.eq(p(1)))
        .lock(LockType::NoKeyUpdate);

    const ITINERARY = itineraries::Entity::find()
        .select_only()
        .column(itineraries::Column::Version)
        .filter(itineraries::Column::Id.eq(p(1)))
        .lock(LockType::NoKeyUpdate);

    const SHARED_ITINERARIES = itineraries::Entity::find()
        .select_only()
        .column(itineraries::Column::Id)
        .filter(itineraries::Column::OwnerId.eq(p(1)))
        .filter(itineraries::Column::Visibility.ne("private"))
        .order_by_asc(itineraries::Column::Id)
        .lock(LockType::NoKeyUpdate);
}

impl Transaction {
    /// Locks an account until the transaction ends.
    pub(crate) async fn lock_account(&mut self, id: Uuid) -> Result<()> {
        if self.kind() == DatabaseKind::Postgres {
            self.exists(&query!(ACCOUNT, id)).await?;
        }
        Ok(())
    }

    /// Locks an account's itineraries that are not private until the transaction ends.
    pub(crate) async fn lock_shared_itineraries(&mut self, owner: Uuid) -> Result<()> {
        if self.kind() == DatabaseKind::Postgres {
            self.fetch_all::<Uuid>(&query!(SHARED_ITINERARIES, owner)).await?;
        }
        Ok(())
    }

    /// Locks an itinerary against changes and deletion until the transaction ends. Returns its version, or `None` if it
    /// does not exist.
    pub(crate) async fn lock_itinerary(&mut self, id: Uuid) -> Result<Option<i64>> {
        self.fetch_optional(&query!(ITINERARY, id)).await
    }
}
