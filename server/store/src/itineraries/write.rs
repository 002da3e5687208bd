//! Making, changing and deleting itineraries.
//!
//! A write that touches nothing but the itinerary is a single statement; every other is one transaction, in this order: the
//! stored answer's row, the duplicate check, the itinerary, Explore, counters.

use chrono::{DateTime, Utc};
use sea_orm::{ConnectionTrait, DatabaseTransaction, Statement, Value};
use uuid::Uuid;

use super::DuplicateRule;
use crate::error::is_missing_reference;
use crate::explore::Listing;
use crate::idempotency::Earlier;
use crate::row::{Columns, millis, millis_or_null};
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
    /// When it is made.
    pub created_at: DateTime<Utc>,
    /// The rest.
    pub columns: ItineraryColumns,
}

/// What a copy was made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Saved {
    /// The itinerary.
    pub itinerary_id: Uuid,
    /// Its owner.
    pub author_id: Uuid,
}

/// What a change means for Explore.
#[derive(Clone, Debug, PartialEq)]
pub enum ListingChange {
    /// Nothing: it was not there, and is not to be.
    None,
    /// It is no longer there.
    Remove,
    /// It is there, as this.
    Set(Listing),
}

/// What an itinerary becomes.
#[derive(Clone, Debug)]
pub struct ItineraryChange {
    /// Which itinerary.
    pub id: Uuid,
    /// The version the change was made from; the new one is one more.
    pub expected_version: i64,
    /// Whose it is.
    pub owner_id: Uuid,
    /// What is set.
    pub columns: ItineraryColumns,
    /// What it means for Explore.
    pub listing: ListingChange,
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

/// How saving a copy went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SaveOutcome {
    /// It is stored.
    Created,
    /// Not stored: the owner has a copy already, which is this one.
    Exists(Uuid),
    /// Not stored: what was to be copied has gone.
    Gone,
    /// Not stored: the same was asked before, and this was the answer.
    Replayed(StoredAnswer),
    /// Not stored: something else was asked before under the same key.
    KeyReused,
}

impl From<Earlier> for SaveOutcome {
    fn from(earlier: Earlier) -> Self {
        match earlier {
            Earlier::Same(answer) => Self::Replayed(answer),
            Earlier::Other => Self::KeyReused,
        }
    }
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
     saved_author, created_at, version) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, 1)";

/// A second copy of one itinerary is not made.
const ONE_COPY: &str = " ON CONFLICT (owner_id, saved_from) WHERE saved_from IS NOT NULL DO NOTHING";

const FIND_COPY: &str = "SELECT id FROM itineraries WHERE owner_id = $1 AND saved_from = $2";

const COUNT_SAVE: &str = "INSERT INTO itinerary_counters (itinerary_id, saves) VALUES ($1, 1) \
     ON CONFLICT (itinerary_id) DO UPDATE SET saves = itinerary_counters.saves + 1";

const UNCOUNT_SAVE: &str = "UPDATE itinerary_counters SET saves = saves - 1 WHERE itinerary_id = $1";

const UPDATE: &str = "UPDATE itineraries SET visibility = $1, published_at = $2, start_date = $3, \
     destination_key = $4, place_id = $5, latitude = $6, longitude = $7, origin = $8, updated_at = $9, card = $10, \
     everyone = $11, members = $12, pro = $13, documents = $14, version = version + 1 \
     WHERE id = $15 AND version = $16";

const DELETE: &str = "DELETE FROM itineraries WHERE id = $1 AND version = $2 RETURNING saved_from";

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
        retry(|| execute(&self.writer, self.insert(itinerary, None))).await?;
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
            self.lock_account(&transaction, rule.owner_id).await?;
            if let Some(id) = self.duplicate(&transaction, rule).await? {
                transaction.rollback().await?;
                return Ok(CreateOutcome::Duplicate(id));
            }
        }
        execute(&transaction, self.insert(itinerary, None)).await?;
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
        if claim.is_none() && change.listing == ListingChange::None {
            let written = retry(|| execute(&self.writer, self.update(change))).await?;
            return self.outcome(written, change.id).await;
        }
        retry(|| self.try_update(change, claim, now)).await
    }

    async fn try_update(
        &self,
        change: &ItineraryChange,
        claim: Option<(&Claim, &StoredAnswer)>,
        now: DateTime<Utc>,
    ) -> Result<WriteOutcome> {
        let transaction = self.begin().await?;
        if let Some(claim) = claim
            && let Some(earlier) = self.claim(&transaction, claim, change.id, now).await?
        {
            transaction.rollback().await?;
            return Ok(earlier.into());
        }
        let written = execute(&transaction, self.update(change)).await?;
        if written == 1 {
            self.change_listing(&transaction, change).await?;
            transaction.commit().await?;
        } else {
            transaction.rollback().await?;
        }
        self.outcome(written, change.id).await
    }

    async fn change_listing(&self, transaction: &DatabaseTransaction, change: &ItineraryChange) -> Result<()> {
        match &change.listing {
            ListingChange::None => Ok(()),
            ListingChange::Remove => self.unlist(transaction, change.id).await,
            ListingChange::Set(listing) => self.list(transaction, change.id, change.owner_id, listing).await,
        }
    }

    /// Makes a copy of an itinerary, once for each owner, and counts it. With `claim` once for the claim's key.
    pub async fn itinerary_save(
        &self,
        copy: &NewItinerary,
        of: Saved,
        claim: Option<(&Claim, &StoredAnswer)>,
        now: DateTime<Utc>,
    ) -> Result<SaveOutcome> {
        loop {
            match retry(|| self.try_save(copy, of, claim, now)).await {
                Ok(Some(outcome)) => return Ok(outcome),
                // The copy that was in the way was deleted before it could be looked at.
                Ok(None) => {}
                // What was to be copied was deleted.
                Err(error) if is_missing_reference(&error) => return Ok(SaveOutcome::Gone),
                Err(error) => return Err(error),
            }
        }
    }

    async fn try_save(
        &self,
        copy: &NewItinerary,
        of: Saved,
        claim: Option<(&Claim, &StoredAnswer)>,
        now: DateTime<Utc>,
    ) -> Result<Option<SaveOutcome>> {
        let transaction = self.begin().await?;
        if let Some(claim) = claim
            && let Some(earlier) = self.claim(&transaction, claim, copy.id, now).await?
        {
            transaction.rollback().await?;
            return Ok(Some(earlier.into()));
        }
        if execute(&transaction, self.insert(copy, Some(of))).await? == 1 {
            execute(&transaction, self.statement(COUNT_SAVE, [of.itinerary_id.into()])).await?;
            transaction.commit().await?;
            return Ok(Some(SaveOutcome::Created));
        }
        let find = self.statement(FIND_COPY, [copy.owner_id.into(), of.itinerary_id.into()]);
        let found = transaction.query_one_raw(find).await?;
        transaction.rollback().await?;
        found.map(|row| Ok(SaveOutcome::Exists(Columns::of(&row).take()?))).transpose()
    }

    /// Deletes an itinerary if it still has the expected version, and the stored answers of its writes.
    pub async fn itinerary_delete(&self, id: Uuid, expected_version: i64) -> Result<WriteOutcome> {
        retry(|| self.try_delete(id, expected_version)).await
    }

    async fn try_delete(&self, id: Uuid, expected_version: i64) -> Result<WriteOutcome> {
        let transaction = self.begin().await?;
        // The itinerary before the answers: a write that is under way is waited for here, and its answer is
        // then seen below.
        let delete = self.statement(DELETE, [id.into(), expected_version.into()]);
        let Some(deleted) = transaction.query_one_raw(delete).await? else {
            transaction.rollback().await?;
            return self.outcome(0, id).await;
        };
        execute(&transaction, self.statement(DELETE_ANSWERS, [id.into()])).await?;
        if let Some(saved_from) = Columns::of(&deleted).take::<Option<Uuid>>()? {
            execute(&transaction, self.statement(UNCOUNT_SAVE, [saved_from.into()])).await?;
        }
        transaction.commit().await?;
        Ok(WriteOutcome::Written)
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

    pub(crate) fn insert(&self, new: &NewItinerary, copy_of: Option<Saved>) -> Statement {
        let own = [
            new.id.into(),
            new.owner_id.into(),
            copy_of.map(|saved| saved.itinerary_id).into(),
            copy_of.map(|saved| saved.author_id).into(),
            millis(new.created_at).into(),
        ];
        let on_conflict = if copy_of.is_some() { ONE_COPY } else { "" };
        self.statement([INSERT, on_conflict].concat(), values(&new.columns).into_iter().chain(own))
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
