//! Making, changing and deleting itineraries.
//!
//! A write without a stored answer and without a duplicate check is a single statement; every other is one
//! transaction, in this order: the stored answer's row, the duplicate check, the itinerary.

use chrono::{DateTime, Utc};
use sea_orm::{ConnectionTrait, Statement, Value};
use uuid::Uuid;

use super::DuplicateRule;
use crate::idempotency::Earlier;
use crate::row::{millis, millis_or_null};
use crate::store::{execute, retry};
use crate::{Claim, Result, Store, StoredAnswer};

/// What a write sets, whether it makes an itinerary or changes one.
#[derive(Clone, Debug, PartialEq)]
pub struct ItineraryColumns {
    /// Who may see it besides members.
    pub visibility: String,
    /// When it was first shown to others.
    pub published_at: Option<DateTime<Utc>>,
    /// The day it starts, `YYYY-MM-DD`.
    pub start_date: String,
    /// The destination's name, folded.
    pub destination_key: String,
    /// The destination's place id.
    pub place_id: Option<String>,
    /// The destination's latitude, in degrees.
    pub latitude: f64,
    /// The destination's longitude, in degrees.
    pub longitude: f64,
    /// Where it starts from: a place, as JSON.
    pub origin: Option<String>,
    /// When its content last changed: now.
    pub updated_at: DateTime<Utc>,
    /// What a list shows of it, as JSON.
    pub card: String,
    /// The JSON of what everyone who may see it is shown.
    pub everyone: String,
    /// The JSON of what members are shown besides.
    pub members: String,
    /// The JSON of what members with Pro are shown besides.
    pub pro: String,
    /// The JSON of its documents.
    pub documents: String,
}

/// An itinerary to be made. Its version is 1.
#[derive(Clone, Debug)]
pub struct NewItinerary {
    /// Its id.
    pub id: Uuid,
    /// Whose it is.
    pub owner_id: Uuid,
    /// The itinerary this is a copy of.
    pub saved_from: Option<Uuid>,
    /// When it is made.
    pub created_at: DateTime<Utc>,
    /// The rest.
    pub columns: ItineraryColumns,
}

/// What an itinerary becomes.
#[derive(Clone, Debug)]
pub struct ItineraryChange {
    /// Which itinerary.
    pub id: Uuid,
    /// The version the change was made from; the new one is one more.
    pub expected_version: i64,
    /// What is set.
    pub columns: ItineraryColumns,
}

/// How making an itinerary went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CreateOutcome {
    /// It is stored.
    Created,
    /// Not stored: the owner has this one already.
    Duplicate(Uuid),
    /// Not stored: the same was asked before, and this was the answer.
    Replayed(StoredAnswer),
    /// Not stored: something else was asked before under the same key.
    KeyReused,
}

/// How changing or deleting an itinerary went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WriteOutcome {
    /// It is done.
    Written,
    /// Not done: the itinerary has another version by now.
    Stale,
    /// Not done: there is no such itinerary.
    Gone,
    /// Not done: the same was asked before, and this was the answer.
    Replayed(StoredAnswer),
    /// Not done: something else was asked before under the same key.
    KeyReused,
}

impl From<Earlier> for CreateOutcome {
    fn from(earlier: Earlier) -> Self {
        match earlier {
            Earlier::Same(answer) => Self::Replayed(answer),
            Earlier::Other => Self::KeyReused,
        }
    }
}

impl From<Earlier> for WriteOutcome {
    fn from(earlier: Earlier) -> Self {
        match earlier {
            Earlier::Same(answer) => Self::Replayed(answer),
            Earlier::Other => Self::KeyReused,
        }
    }
}

/// The columns of [`ItineraryColumns`] are $1 to $14 in both statements.
const INSERT: &str = "INSERT INTO itineraries (visibility, published_at, start_date, destination_key, place_id, \
     latitude, longitude, origin, updated_at, card, everyone, members, pro, documents, id, owner_id, saved_from, \
     created_at, version) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, 1)";

const UPDATE: &str = "UPDATE itineraries SET visibility = $1, published_at = $2, start_date = $3, \
     destination_key = $4, place_id = $5, latitude = $6, longitude = $7, origin = $8, updated_at = $9, card = $10, \
     everyone = $11, members = $12, pro = $13, documents = $14, version = version + 1 \
     WHERE id = $15 AND version = $16";

const DELETE: &str = "DELETE FROM itineraries WHERE id = $1 AND version = $2";

const DELETE_ANSWERS: &str = "DELETE FROM idempotency WHERE itinerary_id = $1";

impl Store {
    /// Makes an itinerary. With `duplicates` only if the owner has none of that rule; with `claim` once for
    /// the claim's key, storing the answer beside it.
    pub async fn itinerary_create(
        &self,
        itinerary: &NewItinerary,
        duplicates: Option<&DuplicateRule>,
        claim: Option<(&Claim, &StoredAnswer)>,
        now: DateTime<Utc>,
    ) -> Result<CreateOutcome> {
        if duplicates.is_some() || claim.is_some() {
            return retry(|| self.try_create(itinerary, duplicates, claim, now)).await;
        }
        retry(|| execute(&self.writer, self.insert(itinerary))).await?;
        Ok(CreateOutcome::Created)
    }

    async fn try_create(
        &self,
        itinerary: &NewItinerary,
        duplicates: Option<&DuplicateRule>,
        claim: Option<(&Claim, &StoredAnswer)>,
        now: DateTime<Utc>,
    ) -> Result<CreateOutcome> {
        let transaction = self.begin().await?;
        if let Some(claim) = claim
            && let Some(earlier) = self.claim(&transaction, claim, itinerary.id, now).await?
        {
            transaction.rollback().await?;
            return Ok(earlier.into());
        }
        if let Some(rule) = duplicates {
            self.lock_owner(&transaction, rule.owner_id).await?;
            if let Some(id) = self.duplicate(&transaction, rule).await? {
                transaction.rollback().await?;
                return Ok(CreateOutcome::Duplicate(id));
            }
        }
        execute(&transaction, self.insert(itinerary)).await?;
        transaction.commit().await?;
        Ok(CreateOutcome::Created)
    }

    /// Replaces an itinerary's content if it still has the expected version; with `claim` once for the
    /// claim's key, storing the answer beside it.
    pub async fn itinerary_update(
        &self,
        change: &ItineraryChange,
        claim: Option<(&Claim, &StoredAnswer)>,
        now: DateTime<Utc>,
    ) -> Result<WriteOutcome> {
        let Some(claim) = claim else {
            let written = retry(|| execute(&self.writer, self.update(change))).await?;
            return self.outcome(written, change.id).await;
        };
        retry(|| self.try_update(change, claim, now)).await
    }

    async fn try_update(
        &self,
        change: &ItineraryChange,
        claim: (&Claim, &StoredAnswer),
        now: DateTime<Utc>,
    ) -> Result<WriteOutcome> {
        let transaction = self.begin().await?;
        if let Some(earlier) = self.claim(&transaction, claim, change.id, now).await? {
            transaction.rollback().await?;
            return Ok(earlier.into());
        }
        let written = execute(&transaction, self.update(change)).await?;
        if written == 1 {
            transaction.commit().await?;
        } else {
            transaction.rollback().await?;
        }
        self.outcome(written, change.id).await
    }

    /// Deletes an itinerary if it still has the expected version, and the stored answers of its writes.
    pub async fn itinerary_delete(&self, id: Uuid, expected_version: i64) -> Result<WriteOutcome> {
        retry(|| self.try_delete(id, expected_version)).await
    }

    async fn try_delete(&self, id: Uuid, expected_version: i64) -> Result<WriteOutcome> {
        let transaction = self.begin().await?;
        // The itinerary before the answers: a write that is under way is waited for here, and its answer is
        // then seen below.
        let deleted = execute(&transaction, self.statement(DELETE, [id.into(), expected_version.into()])).await?;
        if deleted == 1 {
            execute(&transaction, self.statement(DELETE_ANSWERS, [id.into()])).await?;
            transaction.commit().await?;
        } else {
            transaction.rollback().await?;
        }
        self.outcome(deleted, id).await
    }

    /// What a guarded write of so many rows means: none were changed when the version is another, or nothing
    /// is there.
    async fn outcome(&self, rows: u64, id: Uuid) -> Result<WriteOutcome> {
        if rows == 1 {
            return Ok(WriteOutcome::Written);
        }
        let there = self.statement("SELECT 1 FROM itineraries WHERE id = $1", [id.into()]);
        let there = self.reader.query_one_raw(there).await?.is_some();
        Ok(if there { WriteOutcome::Stale } else { WriteOutcome::Gone })
    }

    fn insert(&self, new: &NewItinerary) -> Statement {
        let own = [new.id.into(), new.owner_id.into(), new.saved_from.into(), millis(new.created_at).into()];
        self.statement(INSERT, values(&new.columns).into_iter().chain(own))
    }

    fn update(&self, change: &ItineraryChange) -> Statement {
        let own = [change.id.into(), change.expected_version.into()];
        self.statement(UPDATE, values(&change.columns).into_iter().chain(own))
    }
}

fn values(columns: &ItineraryColumns) -> [Value; 14] {
    [
        columns.visibility.as_str().into(),
        millis_or_null(columns.published_at),
        columns.start_date.as_str().into(),
        columns.destination_key.as_str().into(),
        columns.place_id.clone().into(),
        columns.latitude.into(),
        columns.longitude.into(),
        columns.origin.clone().into(),
        millis(columns.updated_at).into(),
        columns.card.as_str().into(),
        columns.everyone.as_str().into(),
        columns.members.as_str().into(),
        columns.pro.as_str().into(),
        columns.documents.as_str().into(),
    ]
}
