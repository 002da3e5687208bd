//! Responses stored for retries of writes.
//!
//! The first statement of a write's transaction stores its response. So of two requests with the same key, the second
//! waits for that row and gets the first one's response, and after a crash write and response are either both stored or
//! both missing. The caller computes the fingerprint of the request.

use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;

use crate::engine::transaction::{End, Transaction};
use crate::entity::answer_usage::{self, Column as Usage};
use crate::entity::idempotency::{self, Column};
use crate::query::row::row;
use crate::query::statement::statements;
use crate::query::{Query, query};
use crate::{Hash, Result, Store, StoreError, packed};

pub const KEPT_HOURS: i64 = 24;

/// The number of stored responses per account; the oldest of more are deleted, at the latest when there are
/// [`EVICTION_RESPONSES`] more.
pub const KEPT_RESPONSES: i64 = 1_000;

/// The size of the stored responses per account, compressed; the oldest of more are deleted, at the latest when there are
/// [`EVICTION_BYTES`] more.
pub const KEPT_BYTES: i64 = 16 * 1024 * 1024;

/// Responses beyond the limits are deleted once for so many new ones, because no index has their order.
pub const EVICTION_RESPONSES: i64 = 32;

/// Responses beyond the limits are deleted once for so many new bytes.
pub const EVICTION_BYTES: i64 = 512 * 1024;

/// An idempotency key, the scope in which it is unique, and the request's fingerprint.
#[derive(Clone, Debug)]
pub struct Claim {
    pub account_id: Uuid,
    pub client_id: String,
    /// Operation and path.
    pub operation: String,
    pub key: Uuid,
    /// The SHA-256 of the request.
    pub fingerprint: Hash,
}

/// A stored response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredResponse {
    pub status: u16,
    pub etag: Option<String>,
    pub location: Option<String>,
    pub body: Vec<u8>,
}

/// The result of a write that is executed once per idempotency key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Idempotent<T> {
    /// The write was executed: its key is new, or it has none.
    Executed(T),
    /// Not executed: the key was used before.
    Replayed(Earlier),
}

/// An earlier write with the same key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Earlier {
    /// The same request, with its response.
    Same(StoredResponse),
    /// A different request.
    Other,
}

/// The result of storing a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeepOutcome {
    Kept,
    /// Not stored: the itinerary has been deleted.
    Gone,
}

row! {
    /// An account's stored responses, with the newest.
    #[derive(Default)]
    struct UsageRow {
        answers: i64 = answer_usage::Column::Answers,
        bytes: i64 = answer_usage::Column::Bytes,
    }
}

row! {
    struct StoredRow {
        fingerprint: Hash = idempotency::Column::Fingerprint,
        status: i16 = idempotency::Column::Status,
        etag: Option<String> = idempotency::Column::Etag,
        location: Option<String> = idempotency::Column::Location,
        body: Vec<u8> = idempotency::Column::Body,
    }
}

statements! {
    const FIND = idempotency::Entity::find()
        .select_row::<StoredRow>()
        .filter(Column::AccountId.eq(p(1)))
        .filter(Column::ClientId.eq(p(2)))
        .filter(Column::Operation.eq(p(3)))
        .filter(Column::Key.eq(p(4)))
        .filter(Column::CreatedAt.gt(p(5)));

    /// Assigns the next number to an account's response and adds to the sum of bytes. Serialises the writers of an
    /// account.
    const USE = insert_values([(Usage::AccountId, p(1)), (Usage::Answers, 1.into()), (Usage::Bytes, p(2))])
        .on_conflict(
            OnConflict::column(Usage::AccountId)
                .value(Usage::Answers, Usage::Answers.col().add(1))
                .value(Usage::Bytes, Usage::Bytes.col().add(excluded(Usage::Bytes)))
                .to_owned(),
        )
        .returning(returning::<UsageRow>());

    const EXPIRE = delete_batch(idempotency::Entity::find().filter(Column::CreatedAt.lte(p(1))));

    /// Inserts the row, or replaces an expired one; if no row changes, an unexpired one exists.
    const CLAIM = "INSERT INTO idempotency \
         (account_id, client_id, operation, key, created_at, fingerprint, status, etag, location, itinerary_id, body, \
         number, bytes_before) SELECT $1, $2, $3, $4, $6, $7, $8, $9, $10, $11, $12, u.answers, u.bytes - $13 \
         FROM answer_usage u WHERE u.account_id = $1 \
         ON CONFLICT (account_id, client_id, operation, key) DO UPDATE SET created_at = excluded.created_at, \
         fingerprint = excluded.fingerprint, status = excluded.status, etag = excluded.etag, \
         location = excluded.location, itinerary_id = excluded.itinerary_id, body = excluded.body, number = excluded.number, \
         bytes_before = excluded.bytes_before \
         WHERE idempotency.created_at <= $5";

    /// Deletes the account's oldest responses beyond the limits.
    const EVICT = idempotency::Entity::delete_many()
        .filter(Column::AccountId.eq(p(1)))
        .filter(Column::Number.lte(p(2)).or(Column::BytesBefore.lt(p(3))));
}

#[derive(Clone, Debug)]
pub(crate) struct ClaimQueries {
    account_id: Uuid,
    fingerprint: Hash,
    bytes: i64,
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
    /// Prepares to store the response about an itinerary, if there is a key.
    pub(crate) fn new(
        claim: Option<(&Claim, &StoredResponse)>,
        itinerary_id: Uuid,
        now: DateTime<Utc>,
    ) -> Option<Self> {
        let (claim, response) = claim?;
        let body = packed::pack(&response.body);
        let bytes = i64::try_from(body.len()).unwrap_or(i64::MAX);
        let insert = query!(
            CLAIM,
            claim.account_id,
            &claim.client_id,
            &claim.operation,
            claim.key,
            oldest(now),
            now,
            &claim.fingerprint,
            response.status.cast_signed(),
            response.etag.as_deref(),
            response.location.as_deref(),
            itinerary_id,
            body,
            bytes,
        );
        let (account_id, usage) = (claim.account_id, query!(USE, claim.account_id, bytes));
        Some(Self { account_id, fingerprint: claim.fingerprint, bytes, usage, insert, find: claim.find(now) })
    }
}

impl Transaction {
    /// Stores the response of a write that is about to be executed in this transaction. If the key exists, returns the
    /// earlier write, and this write must not be executed.
    pub(crate) async fn claim<T>(&mut self, claim: Option<&ClaimQueries>) -> Result<Option<Idempotent<T>>> {
        let Some(ClaimQueries { account_id, fingerprint, bytes, usage, insert, find }) = claim else { return Ok(None) };
        let used: Option<UsageRow> = self.fetch_optional(usage).await?;
        if self.execute(insert).await? == 1 {
            self.evict(*account_id, used.unwrap_or_default(), *bytes).await?;
            return Ok(None);
        }
        // The conflicting row is locked by the attempt to insert, so it still exists.
        match self.fetch_optional::<StoredRow>(find).await? {
            Some(row) => Ok(Some(Idempotent::Replayed(row.earlier(fingerprint)?))),
            None => Err(StoreError::Corrupt("the row of a conflicting idempotency key is missing".to_owned())),
        }
    }
}

impl Transaction {
    /// Deletes an account's responses beyond the limits, if it is time to. `new_bytes` is the size of the one just stored.
    async fn evict(&mut self, account_id: Uuid, used: UsageRow, new_bytes: i64) -> Result<()> {
        let UsageRow { answers, bytes } = used;
        let is_due =
            answers % EVICTION_RESPONSES == 0 || bytes / EVICTION_BYTES != (bytes - new_bytes) / EVICTION_BYTES;
        let (number, bytes) = (answers - KEPT_RESPONSES, bytes - KEPT_BYTES);
        if is_due && (number > 0 || bytes > 0) {
            self.execute(&query!(EVICT, account_id, number, bytes)).await?;
        }
        Ok(())
    }
}

impl StoredRow {
    /// Compares with the fingerprint of a request.
    fn earlier(self, asked: &Hash) -> Result<Earlier> {
        let Self { fingerprint, status, etag, location, body } = self;
        if fingerprint != *asked {
            return Ok(Earlier::Other);
        }
        let body = packed::unpack(body)?;
        Ok(Earlier::Same(StoredResponse { status: status.cast_unsigned(), etag, location, body }))
    }
}

impl Store {
    /// The earlier write with a claim's key.
    pub async fn idempotency_find(&self, claim: &Claim, now: DateTime<Utc>) -> Result<Option<Earlier>> {
        let row: Option<StoredRow> = self.fetch_optional(&claim.find(now)).await?;
        row.map(|row| row.earlier(&claim.fingerprint)).transpose()
    }

    /// Stores the response of a request that changed nothing in the itinerary; an existing response stays and is
    /// returned.
    pub async fn idempotency_keep(
        &self,
        claim: (&Claim, &StoredResponse),
        itinerary_id: Uuid,
        now: DateTime<Utc>,
    ) -> Result<Idempotent<KeepOutcome>> {
        let claim = ClaimQueries::new(Some(claim), itinerary_id, now);
        self.transaction((claim, itinerary_id), |(claim, itinerary_id), transaction| {
            Box::pin(async move {
                if let Some(earlier) = transaction.claim(claim.as_ref()).await? {
                    return Ok(End::Rollback(earlier));
                }
                // Deleting an itinerary deletes its responses, so none may be stored after that.
                Ok(match transaction.lock_itinerary(*itinerary_id).await? {
                    Some(_) => End::Commit(Idempotent::Executed(KeepOutcome::Kept)),
                    None => End::Rollback(Idempotent::Executed(KeepOutcome::Gone)),
                })
            })
        })
        .await
    }

    pub async fn idempotency_expire(&self, now: DateTime<Utc>) -> Result<u64> {
        self.delete_in_batches(query!(EXPIRE, oldest(now))).await
    }
}

/// Responses stored up to this instant have expired.
fn oldest(now: DateTime<Utc>) -> DateTime<Utc> {
    now - TimeDelta::hours(KEPT_HOURS)
}
