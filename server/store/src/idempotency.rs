//! Answers kept for the retries of writes.
//!
//! A write's answer is stored by the first statement of the write's own transaction: of two with one key the
//! second waits on that row and is given the first's answer, and a crash leaves both or neither. What makes
//! two requests the same is not known here: the fingerprint arrives ready.

use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;

use crate::query::{Query, query, text};
use crate::row::row;
use crate::store::BATCH;
use crate::transaction::{End, Transaction};
use crate::{Hash, Result, Store, StoreError};

/// How many hours an answer is kept.
pub const KEPT_HOURS: i64 = 24;

/// How many answers of an account are kept at most: the oldest go first.
pub const KEPT_ANSWERS: i64 = 1_000;

/// How many bytes the kept answers of an account have at most.
pub const KEPT_BYTES: i64 = 16 * 1024 * 1024;

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

/// How a write went that is made once for its idempotency key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Once<T> {
    /// It was the first of its key, or has none: this is its own outcome.
    First(T),
    /// Not done: the key was used before.
    Again(Earlier),
}

/// What an earlier write has left under a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Earlier {
    /// The same was asked: this was the answer.
    Same(StoredAnswer),
    /// Something else was asked.
    Other,
}

/// How storing an answer went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeepOutcome {
    /// It is stored.
    Kept,
    /// Not stored: what it is about has gone.
    Gone,
}

row! {
    struct StoredRow {
        fingerprint: Hash = "fingerprint",
        status: i16 = "status",
        etag: Option<String> = "etag",
        location: Option<String> = "location",
        body: Vec<u8> = "body",
    }
}

const FIND: &str = text!(
    "SELECT ",
    StoredRow::COLUMNS,
    " FROM idempotency WHERE account_id = $1 AND client_id = $2 AND operation = $3 AND key = $4 AND created_at > $5"
);

/// Inserts the row, or takes over one that has expired; no row changed means a living one is there.
const CLAIM: &str = "INSERT INTO idempotency \
     (account_id, client_id, operation, key, created_at, fingerprint, status, etag, location, itinerary_id, body, \
     number, bytes_before) SELECT $1, $2, $3, $4, $6, $7, $8, $9, $10, $11, $12, u.answers, u.bytes - $13 \
     FROM answer_usage u WHERE u.account_id = $1 \
     ON CONFLICT (account_id, client_id, operation, key) DO UPDATE SET created_at = excluded.created_at, \
     fingerprint = excluded.fingerprint, status = excluded.status, etag = excluded.etag, \
     location = excluded.location, itinerary_id = excluded.itinerary_id, body = excluded.body, number = excluded.number, \
     bytes_before = excluded.bytes_before \
     WHERE idempotency.created_at <= $5";

/// Numbers an account's answer and adds up the bytes of all that it ever stored: one writer at a time for each account.
const USE: &str = "INSERT INTO answer_usage (account_id, answers, bytes) VALUES ($1, 1, $2) \
     ON CONFLICT (account_id) DO UPDATE SET answers = answer_usage.answers + 1, \
     bytes = answer_usage.bytes + excluded.bytes RETURNING answers, bytes";

/// Deletes those of an account's oldest answers that are beyond what is kept.
const EVICT: &str = "DELETE FROM idempotency WHERE (account_id, client_id, operation, key) IN \
     (SELECT o.account_id, o.client_id, o.operation, o.key FROM \
     (SELECT account_id, client_id, operation, key, number, bytes_before FROM idempotency WHERE account_id = $1 \
     ORDER BY number LIMIT $4) AS o WHERE o.number <= $2 OR o.bytes_before < $3)";

/// How many answers are looked at for that in one statement.
const EVICTED: i64 = 16;

const EXPIRE: &str = "DELETE FROM idempotency WHERE (account_id, client_id, operation, key) IN \
     (SELECT account_id, client_id, operation, key FROM idempotency WHERE created_at <= $1 LIMIT $2)";

/// The statements of a claim, ready for the transaction of its write.
#[derive(Clone, Debug)]
pub(crate) struct ClaimQueries {
    account_id: Uuid,
    fingerprint: Hash,
    usage: Query,
    insert: Query,
    find: Query,
}

impl Claim {
    fn find(&self, now: DateTime<Utc>) -> Query {
        let Self { account_id, client_id, operation, key, .. } = self;
        query!(FIND, *account_id, client_id, operation, *key, oldest(now))
    }
}

impl ClaimQueries {
    /// For storing the answer about an itinerary, if there is a key to store it under.
    pub(crate) fn new(claim: Option<(&Claim, &StoredAnswer)>, itinerary_id: Uuid, now: DateTime<Utc>) -> Option<Self> {
        let (claim, answer) = claim?;
        let bytes = i64::try_from(answer.body.len()).unwrap_or(i64::MAX);
        let insert = query!(
            CLAIM,
            claim.account_id,
            &claim.client_id,
            &claim.operation,
            claim.key,
            oldest(now),
            now,
            &claim.fingerprint,
            answer.status.cast_signed(),
            answer.etag.as_deref(),
            answer.location.as_deref(),
            itinerary_id,
            answer.body.clone(),
            bytes,
        );
        let (account_id, usage) = (claim.account_id, query!(USE, claim.account_id, bytes));
        Some(Self { account_id, fingerprint: claim.fingerprint, usage, insert, find: claim.find(now) })
    }
}

impl Transaction {
    /// Stores the answer of a write that is about to happen in this transaction, unless its key is taken: then the
    /// write must not happen, and this is its outcome.
    pub(crate) async fn claim<T>(&mut self, claim: Option<&ClaimQueries>) -> Result<Option<Once<T>>> {
        let Some(ClaimQueries { account_id, fingerprint, usage, insert, find }) = claim else { return Ok(None) };
        let used: Option<(i64, i64)> = self.fetch_optional(usage).await?;
        if self.execute(insert).await? == 1 {
            let (answers, bytes) = used.unwrap_or_default();
            self.evict(*account_id, answers - KEPT_ANSWERS, bytes - KEPT_BYTES).await?;
            return Ok(None);
        }
        // The row that was in the way is locked by the attempt, so it is still there.
        match self.fetch_optional::<StoredRow>(find).await? {
            Some(row) => Ok(Some(Once::Again(row.earlier(fingerprint)))),
            None => Err(StoreError::Corrupt("an idempotency key is taken by nothing".to_owned())),
        }
    }
}

impl Transaction {
    /// Deletes an account's answers up to a number, and those before which fewer bytes were stored than `bytes`.
    async fn evict(&mut self, account_id: Uuid, number: i64, bytes: i64) -> Result<()> {
        if number <= 0 && bytes <= 0 {
            return Ok(());
        }
        let evict = query!(EVICT, account_id, number, bytes, EVICTED);
        while self.execute(&evict).await? == EVICTED.unsigned_abs() {}
        Ok(())
    }
}

impl StoredRow {
    /// What it means for a request of this fingerprint.
    fn earlier(self, asked: &Hash) -> Earlier {
        let Self { fingerprint, status, etag, location, body } = self;
        if fingerprint != *asked {
            return Earlier::Other;
        }
        Earlier::Same(StoredAnswer { status: status.cast_unsigned(), etag, location, body })
    }
}

impl Store {
    /// What an earlier write has left under a claim's key.
    pub async fn idempotency_find(&self, claim: &Claim, now: DateTime<Utc>) -> Result<Option<Earlier>> {
        let row: Option<StoredRow> = self.fetch_optional(&claim.find(now)).await?;
        Ok(row.map(|row| row.earlier(&claim.fingerprint)))
    }

    /// Stores the answer of a request that had nothing to change, about an itinerary; an earlier answer stays, and is
    /// given.
    pub async fn idempotency_keep(
        &self,
        claim: (&Claim, &StoredAnswer),
        itinerary_id: Uuid,
        now: DateTime<Utc>,
    ) -> Result<Once<KeepOutcome>> {
        let claim = ClaimQueries::new(Some(claim), itinerary_id, now);
        self.transaction((claim, itinerary_id), |(claim, itinerary_id), transaction| {
            Box::pin(async move {
                if let Some(earlier) = transaction.claim(claim.as_ref()).await? {
                    return Ok(End::Rollback(earlier));
                }
                // Deleting an itinerary deletes the answers about it: none may come after.
                Ok(match transaction.lock_itinerary(*itinerary_id).await? {
                    Some(_) => End::Commit(Once::First(KeepOutcome::Kept)),
                    None => End::Rollback(Once::First(KeepOutcome::Gone)),
                })
            })
        })
        .await
    }

    /// Deletes the answers that have expired; returns how many.
    pub async fn idempotency_expire(&self, now: DateTime<Utc>) -> Result<u64> {
        self.delete_in_batches(query!(EXPIRE, oldest(now), BATCH)).await
    }
}

/// The instant up to which answers have expired.
fn oldest(now: DateTime<Utc>) -> DateTime<Utc> {
    now - TimeDelta::hours(KEPT_HOURS)
}
