//! Answers kept for the retries of writes.
//!
//! A write's answer is stored by the first statement of the write's own transaction: of two with one key the
//! second waits on that row and is given the first's answer, and a crash leaves both or neither. What makes
//! two requests the same is not known here: the fingerprint arrives ready.

use chrono::{DateTime, TimeDelta, Utc};
use sea_orm::{ConnectionTrait, DatabaseTransaction};
use uuid::Uuid;

use crate::packed::{pack, unpack};
use crate::row::{Columns, bytes, millis};
use crate::store::{BATCH, execute, retry};
use crate::{Hash, Result, Store, StoreError};

/// How many hours an answer is kept.
pub const KEPT_HOURS: i64 = 24;

/// A key with the scope in which it is unique, and what was asked under it.
#[derive(Clone, Debug)]
pub struct Claim {
    /// The traveller.
    pub account_id: Uuid,
    /// The app.
    pub client_id: String,
    /// The operation with its path.
    pub operation: String,
    /// The request's Idempotency-Key.
    pub key: Uuid,
    /// The SHA-256 of what was asked.
    pub fingerprint: Hash,
}

/// The answer to a write, as the first caller got it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredAnswer {
    /// Its status.
    pub status: u16,
    /// Its `ETag`.
    pub etag: Option<String>,
    /// Its `Location`.
    pub location: Option<String>,
    /// Its body.
    pub body: Vec<u8>,
}

/// How storing an answer went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeepOutcome {
    /// It is stored.
    Kept,
    /// Not stored: what it is about has gone.
    Gone,
    /// Not stored: the same was asked before, and this was the answer.
    Replayed(StoredAnswer),
    /// Not stored: something else was asked before under the same key.
    KeyReused,
}

/// What an earlier write has left under a key.
pub(crate) enum Earlier {
    /// The same was asked: this was the answer.
    Same(StoredAnswer),
    /// Something else was asked.
    Other,
}

const FIND: &str = "SELECT fingerprint, status, etag, location, body FROM idempotency \
     WHERE account_id = $1 AND client_id = $2 AND operation = $3 AND key = $4 AND created_at > $5";

/// Inserts the row, or takes over one that has had its day; no row changed means a living one is there.
const CLAIM: &str = "INSERT INTO idempotency \
     (account_id, client_id, operation, key, created_at, fingerprint, status, etag, location, itinerary_id, body) \
     VALUES ($1, $2, $3, $4, $6, $7, $8, $9, $10, $11, $12) \
     ON CONFLICT (account_id, client_id, operation, key) DO UPDATE SET created_at = excluded.created_at, \
     fingerprint = excluded.fingerprint, status = excluded.status, etag = excluded.etag, \
     location = excluded.location, itinerary_id = excluded.itinerary_id, body = excluded.body \
     WHERE idempotency.created_at <= $5";

const EXPIRE: &str = "DELETE FROM idempotency WHERE (account_id, client_id, operation, key) IN \
     (SELECT account_id, client_id, operation, key FROM idempotency WHERE created_at <= $1 LIMIT $2)";

impl Store {
    /// What is stored under a claim's key: the fingerprint of what was asked, and the answer.
    pub async fn idempotency_find(&self, claim: &Claim, now: DateTime<Utc>) -> Result<Option<(Hash, StoredAnswer)>> {
        self.stored_answer(&self.reader, claim, now).await
    }

    /// Stores the answer of a request that had nothing to change, about an itinerary; an earlier answer stays, and is
    /// given.
    pub async fn idempotency_keep(
        &self,
        claim: (&Claim, &StoredAnswer),
        itinerary_id: Uuid,
        now: DateTime<Utc>,
    ) -> Result<KeepOutcome> {
        retry(|| self.try_keep(claim, itinerary_id, now)).await
    }

    async fn try_keep(
        &self,
        claim: (&Claim, &StoredAnswer),
        itinerary_id: Uuid,
        now: DateTime<Utc>,
    ) -> Result<KeepOutcome> {
        let transaction = self.begin().await?;
        let outcome = match self.claim(&transaction, claim, itinerary_id, now).await? {
            Some(Earlier::Same(answer)) => KeepOutcome::Replayed(answer),
            Some(Earlier::Other) => KeepOutcome::KeyReused,
            // Deleting an itinerary deletes the answers about it: none may come after.
            None if self.lock_itinerary(&transaction, itinerary_id).await?.is_some() => {
                transaction.commit().await?;
                return Ok(KeepOutcome::Kept);
            }
            None => KeepOutcome::Gone,
        };
        transaction.rollback().await?;
        Ok(outcome)
    }

    /// Deletes the answers that have had their time; returns how many.
    pub async fn idempotency_expire(&self, now: DateTime<Utc>) -> Result<u64> {
        self.delete_in_batches(self.statement(EXPIRE, [oldest(now).into(), BATCH.cast_signed().into()])).await
    }

    /// Stores the answer of a write that is about to happen in the same transaction, unless its key is taken:
    /// then says by what, and the write must not happen.
    pub(crate) async fn claim(
        &self,
        transaction: &DatabaseTransaction,
        (claim, answer): (&Claim, &StoredAnswer),
        itinerary_id: Uuid,
        now: DateTime<Utc>,
    ) -> Result<Option<Earlier>> {
        let values = [
            claim.account_id.into(),
            claim.client_id.as_str().into(),
            claim.operation.as_str().into(),
            claim.key.into(),
            oldest(now).into(),
            millis(now).into(),
            bytes(&claim.fingerprint),
            answer.status.cast_signed().into(),
            answer.etag.clone().into(),
            answer.location.clone().into(),
            itinerary_id.into(),
            pack(&answer.body).into(),
        ];
        if execute(transaction, self.statement(CLAIM, values)).await? == 1 {
            return Ok(None);
        }
        // The row that was in the way is locked by the attempt, so it is still there.
        match self.stored_answer(transaction, claim, now).await? {
            Some((fingerprint, answer)) if fingerprint == claim.fingerprint => Ok(Some(Earlier::Same(answer))),
            Some(_) => Ok(Some(Earlier::Other)),
            None => Err(StoreError::Corrupt("an idempotency key is taken by nothing".to_owned())),
        }
    }

    async fn stored_answer(
        &self,
        db: &impl ConnectionTrait,
        claim: &Claim,
        now: DateTime<Utc>,
    ) -> Result<Option<(Hash, StoredAnswer)>> {
        let values = [
            claim.account_id.into(),
            claim.client_id.as_str().into(),
            claim.operation.as_str().into(),
            claim.key.into(),
            oldest(now).into(),
        ];
        let Some(row) = db.query_one_raw(self.statement(FIND, values)).await? else { return Ok(None) };
        let mut columns = Columns::of(&row);
        let fingerprint = columns.hash()?;
        let answer = StoredAnswer {
            status: columns.take::<i16>()?.cast_unsigned(),
            etag: columns.take()?,
            location: columns.take()?,
            body: unpack(columns.take()?)?,
        };
        Ok(Some((fingerprint, answer)))
    }
}

/// The instant, in milliseconds, up to which answers have had their time.
fn oldest(now: DateTime<Utc>) -> i64 {
    millis(now - TimeDelta::hours(KEPT_HOURS))
}
