//! Creates, changes and deletes itineraries.
//!
//! On PostgreSQL, a write that changes only the itinerary is a single statement. Every other is a transaction, in this
//! order: stored response, itinerary with its revision, Explore, counters, duplicate check.

use chrono::{DateTime, Utc};
use itinerary_model::Visibility;
use sea_orm::Value;
use uuid::Uuid;

use super::duplicates::{DuplicateCandidate, DuplicateRule};
use super::statements::{
    COUNT_OWNED, COUNT_SAVE, DELETE, DELETE_ANSWERS, Deleted, FIND_COPY, INSERT, INSERT_COPY, IS_EDITOR, OWNS_AS_MANY,
    UNCOUNT_OWNED, UNCOUNT_SAVE, UPDATE, UPDATE_AND_KEEP, UPDATE_MOST, VERSION,
};
use crate::changes::{ChangeKind, recorded};
use crate::documents::DocumentChange;
use crate::engine::transaction::{End, Transaction};
use crate::error::is_missing_reference;
use crate::explore::ExploreEntry;
use crate::idempotency::{ClaimQueries, Idempotent};
use crate::pictures::{CoverChange, NewPicture};
use crate::query::statement::Statement;
use crate::query::{Query, ToColumn, query};
use crate::revisions::NewRevision;
use crate::values::WriteOutcome;
use crate::{Claim, DatabaseKind, Result, Store, StoredResponse};

/// The columns that creates and changes set.
#[derive(Clone, Debug, PartialEq)]
pub struct ItineraryColumns {
    /// The visibility to people who are not members.
    pub visibility: Visibility,
    pub published_at: Option<DateTime<Utc>>,
    /// `YYYY-MM-DD`.
    pub start_date: String,
    pub destination_key: String,
    pub place_id: Option<String>,
    pub latitude: f64,
    pub longitude: f64,
    /// A place, as JSON.
    pub origin: Option<String>,
    pub updated_at: DateTime<Utc>,
    /// The entry in lists, as JSON.
    pub card: String,
    /// The public section, as JSON.
    pub everyone: String,
    /// The members' section, as JSON.
    pub members: String,
    /// The Pro section, as JSON.
    pub pro: String,
    /// The documents, as JSON.
    pub documents: String,
    /// The cover, if it is a picture of this server.
    pub cover_id: Option<Uuid>,
}

/// An itinerary to create, with version 1.
#[derive(Clone, Debug)]
pub struct NewItinerary {
    pub id: Uuid,
    pub owner_id: Uuid,
    pub created_at: DateTime<Utc>,
    /// The app that creates it; `None` for the service's own pages.
    pub client_id: Option<String>,
    pub columns: ItineraryColumns,
    /// The picture that the columns name as cover.
    pub picture: Option<NewPicture>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Saved {
    pub itinerary_id: Uuid,
    pub author_id: Uuid,
}

/// The effect of a change on Explore.
#[derive(Clone, Debug, PartialEq)]
pub enum ExploreEntryChange {
    /// None: the itinerary has no entry, before and after.
    None,
    /// The entry is deleted.
    Remove,
    /// The entry is inserted or updated.
    Set(ExploreEntry),
}

/// A change of an itinerary.
#[derive(Clone, Debug)]
pub struct ItineraryChange {
    pub id: Uuid,
    /// The version on which the change is based; it is incremented.
    pub expected_version: i64,
    pub owner_id: Uuid,
    /// The member who makes the change, if it is not the owner. They must still be an editor.
    pub editor: Option<Uuid>,
    pub columns: ItineraryColumns,
    pub explore_entry: ExploreEntryChange,
    pub documents: DocumentChange,
    pub cover: CoverChange,
    pub revision: NewRevision,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CreateOutcome {
    Created,
    /// Rejected: the owner has this duplicate.
    Duplicate(Uuid),
    /// Rejected: the owner has reached the quota.
    Full,
    /// Rejected: the picture that its cover copies has been deleted.
    PictureGone,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SaveOutcome {
    Created,
    /// The owner already has this copy.
    Exists(Uuid),
    /// The source has been deleted.
    Gone,
    /// Rejected: the source has another cover by now.
    PictureGone,
    /// Rejected: the owner has reached the quota.
    Full,
}

impl Store {
    /// Creates an itinerary; with `duplicates` only if the owner has no duplicate. With `claim`, executes once per key
    /// and stores the response.
    pub async fn itinerary_create(
        &self,
        itinerary: NewItinerary,
        duplicates: Option<DuplicateRule>,
        claim: Option<(&Claim, &StoredResponse)>,
        now: DateTime<Utc>,
    ) -> Result<Idempotent<CreateOutcome>> {
        let claim = ClaimQueries::new(claim, itinerary.id, now);
        let count = (itinerary.owner_id, self.quotas.itineraries);
        let (picture, revision) = (itinerary.picture.clone(), itinerary.first_revision());
        let input = (claim, duplicates, (itinerary.id, itinerary.insert(), revision, picture, now), count);
        self.transaction(input, |(claim, duplicates, inserts, (owner_id, most)), transaction| {
            let (id, insert, revision, picture, now) = inserts;
            Box::pin(async move {
                if let Some(earlier) = transaction.claim(claim.as_ref()).await? {
                    return Ok(End::Rollback(earlier));
                }
                transaction.execute(insert).await?;
                transaction.execute(revision).await?;
                if let Some(picture) = picture
                    && !transaction.add_picture(*id, picture, *now).await?
                {
                    return Ok(End::Rollback(Idempotent::Executed(CreateOutcome::PictureGone)));
                }
                transaction.record_change(ChangeKind::Updated, *id, *owner_id, *now).await?;
                // Last, because creates of one account wait for the row that this locks.
                let is_counted = transaction.count_owned(*owner_id, *most).await?;
                if let Some(rule) = duplicates
                    && let Some(duplicate) = transaction.duplicate(rule, *id).await?
                {
                    return Ok(End::Rollback(Idempotent::Executed(CreateOutcome::Duplicate(duplicate))));
                }
                if !is_counted {
                    return Ok(End::Rollback(Idempotent::Executed(CreateOutcome::Full)));
                }
                Ok(End::Commit(Idempotent::Executed(CreateOutcome::Created)))
            })
        })
        .await
    }

    /// Whether an account has reached the quota. Without a lock, so not for writes.
    pub async fn owns_as_many(&self, owner_id: Uuid) -> Result<bool> {
        self.exists(&query!(OWNS_AS_MANY, owner_id, self.quotas.itineraries)).await
    }

    /// Replaces an itinerary's content if it still has the expected version. With `claim`, executes once per key and
    /// stores the response.
    pub async fn itinerary_update(
        &self,
        change: ItineraryChange,
        claim: Option<(&Claim, &StoredResponse)>,
        now: DateTime<Utc>,
    ) -> Result<Idempotent<WriteOutcome>> {
        let claim = ClaimQueries::new(claim, change.id, now);
        let ItineraryChange { id, expected_version, owner_id, editor, columns, .. } = change;
        let ItineraryChange { explore_entry, documents, cover, revision, .. } = change;
        let update = Update::new(self.kind(), (id, owner_id, expected_version), columns, revision);
        let is_single = claim.is_none()
            && editor.is_none()
            && explore_entry == ExploreEntryChange::None
            && documents == DocumentChange::None
            && cover == CoverChange::None;
        if is_single && let Update::Postgres(update) = &update {
            let is_written = self.execute_counted(update).await? == 1;
            let version = if is_written { None } else { self.fetch_optional(&query!(VERSION, id)).await? };
            return Ok(Idempotent::Executed(WriteOutcome::of(is_written, version)));
        }
        let input = (claim, update, (id, owner_id, editor), explore_entry, documents, cover);
        self.transaction(
            input,
            move |(claim, update, (id, owner_id, editor), explore_entry, documents, cover), transaction| {
                Box::pin(async move {
                    if let Some(earlier) = transaction.claim(claim.as_ref()).await? {
                        return Ok(End::Rollback(earlier));
                    }
                    if !transaction.update(update).await? {
                        return Ok(End::Rollback(Idempotent::Executed(transaction.not_written(*id).await?)));
                    }
                    // Rights were checked before the work of the request, which may have taken seconds.
                    if let Some(editor) = editor
                        && !transaction.exists(&query!(IS_EDITOR, *id, *editor)).await?
                    {
                        return Ok(End::Rollback(Idempotent::Executed(WriteOutcome::NotAllowed)));
                    }
                    match explore_entry {
                        ExploreEntryChange::None => {}
                        ExploreEntryChange::Remove => transaction.unlist(*id).await?,
                        ExploreEntryChange::Set(explore_entry) => {
                            transaction.list(*id, *owner_id, explore_entry).await?;
                        }
                    }
                    if let Some(outcome) = transaction.change_documents(*id, *owner_id, documents, now).await? {
                        return Ok(End::Rollback(Idempotent::Executed(outcome)));
                    }
                    transaction.change_cover(*id, cover, now).await?;
                    Ok(End::Commit(Idempotent::Executed(WriteOutcome::Written)))
                })
            },
        )
        .await
    }

    /// Copies an itinerary, at most once per owner, and counts the copy. With `claim`, executes once per key.
    pub async fn itinerary_save(
        &self,
        copy: NewItinerary,
        of: Saved,
        claim: Option<(&Claim, &StoredResponse)>,
        now: DateTime<Utc>,
    ) -> Result<Idempotent<SaveOutcome>> {
        let claim = ClaimQueries::new(claim, copy.id, now);
        let find = query!(FIND_COPY, copy.owner_id, of.itinerary_id);
        let owned = (copy.owner_id, self.quotas.itineraries);
        let picture = (copy.id, copy.picture.clone(), now);
        let inserts = (copy.first_revision(), copy.insert_copy(of), picture);
        let input = (claim, inserts, query!(COUNT_SAVE, of.itinerary_id), find, owned);
        let saved = self.transaction(input, |(claim, inserts, count, find, (owner_id, most)), transaction| {
            Box::pin(async move {
                if let Some(earlier) = transaction.claim(claim.as_ref()).await? {
                    return Ok(End::Rollback(earlier));
                }
                let (revision, insert, (id, picture, now)) = inserts;
                loop {
                    if transaction.execute(insert).await? == 1 {
                        transaction.execute(revision).await?;
                        if let Some(picture) = picture
                            && !transaction.add_picture(*id, picture, *now).await?
                        {
                            return Ok(End::Rollback(Idempotent::Executed(SaveOutcome::PictureGone)));
                        }
                        transaction.execute(count).await?;
                        // The account's counter after the itinerary's, in the same order as a deletion, to avoid
                        // deadlocks.
                        if !transaction.count_owned(*owner_id, *most).await? {
                            return Ok(End::Rollback(Idempotent::Executed(SaveOutcome::Full)));
                        }
                        transaction.record_change(ChangeKind::Updated, *id, *owner_id, *now).await?;
                        return Ok(End::Commit(Idempotent::Executed(SaveOutcome::Created)));
                    }
                    // The conflicting copy may be deleted before it is read.
                    if let Some(copy) = transaction.fetch_optional(find).await? {
                        return Ok(End::Rollback(Idempotent::Executed(SaveOutcome::Exists(copy))));
                    }
                }
            })
        });
        match saved.await {
            // The source has been deleted.
            Err(error) if is_missing_reference(&error) => Ok(Idempotent::Executed(SaveOutcome::Gone)),
            outcome => outcome,
        }
    }

    /// Deletes an itinerary, if it still has the expected version, and the stored responses about it. The files of its
    /// documents become loose, its pictures nobody's.
    pub async fn itinerary_delete(&self, id: Uuid, expected_version: i64, now: DateTime<Utc>) -> Result<WriteOutcome> {
        self.transaction((id, expected_version, now), |&(id, expected_version, now), transaction| {
            Box::pin(async move {
                // Locked first, in the same order as when a document is added, to avoid deadlocks.
                if transaction.lock_itinerary(id).await? == Some(expected_version) {
                    transaction.loosen_documents(id, now).await?;
                    transaction.loosen_pictures(id).await?;
                    transaction.record_deletion(id, now).await?;
                }
                // The itinerary before the responses: this waits for a concurrent write, whose response the statement
                // below then deletes.
                let delete = query!(DELETE, id, expected_version);
                let deleted = transaction.fetch_optional(&delete).await?;
                let Some(Deleted { owner_id, saved_from }) = deleted else {
                    return Ok(End::Rollback(transaction.not_written(id).await?));
                };
                transaction.execute(&query!(DELETE_ANSWERS, id)).await?;
                if let Some(saved_from) = saved_from {
                    transaction.execute(&query!(UNCOUNT_SAVE, saved_from)).await?;
                }
                transaction.execute(&query!(UNCOUNT_OWNED, owner_id)).await?;
                Ok(End::Commit(WriteOutcome::Written))
            })
        })
        .await
    }
}

impl Transaction {
    /// Updates an itinerary, with its revision and its row in the change feed; `false` if it has another version.
    async fn update(&mut self, update: &Update) -> Result<bool> {
        match update {
            Update::Postgres(update) => Ok(self.fetch_optional(update).await? == Some(1_i64)),
            Update::Sqlite { most, revision, change } => {
                let is_written =
                    self.execute(most).await? == 1 || self.execute(&most.with_statement(UPDATE)).await? == 1;
                if is_written {
                    self.keep_revision(revision).await?;
                    self.execute(change).await?;
                }
                Ok(is_written)
            }
        }
    }

    /// The oldest duplicate of a new itinerary, after [`Transaction::count_owned`] has locked the owner's counters.
    async fn duplicate(&mut self, rule: &DuplicateRule, new: Uuid) -> Result<Option<Uuid>> {
        let mut candidates: Vec<DuplicateCandidate> = self.fetch_all(&rule.candidates()).await?;
        candidates.retain(|candidate| candidate.id != new);
        Ok(rule.first(candidates))
    }

    /// Increments the account's counter of itineraries; `false` if it has reached the quota. Locks the counters until the
    /// transaction ends, in either case.
    pub(crate) async fn count_owned(&mut self, owner_id: Uuid, most: i64) -> Result<bool> {
        Ok(self.execute(&query!(COUNT_OWNED, owner_id, most)).await? == 1)
    }

    /// Finds out why a conditional write has changed no row.
    async fn not_written(&mut self, id: Uuid) -> Result<WriteOutcome> {
        Ok(WriteOutcome::of(false, self.fetch_optional(&query!(VERSION, id)).await?))
    }
}

impl WriteOutcome {
    /// Interprets whether a conditional write has changed its row.
    fn of(is_written: bool, version: Option<i64>) -> Self {
        match version {
            _ if is_written => Self::Written,
            Some(version) => Self::Stale(version),
            None => Self::Gone,
        }
    }
}

impl NewItinerary {
    pub(crate) fn insert(self) -> Query {
        self.insert_as(INSERT, None)
    }

    /// Inserts the row of its first version.
    fn first_revision(&self) -> Query {
        let revision = NewRevision {
            account_id: self.owner_id,
            client_id: self.client_id.clone(),
            restored_from: None,
            replaced: None,
        };
        let [insert, _] = revision.queries(self.id, self.owner_id, 1, self.columns.updated_at);
        insert
    }

    fn insert_copy(self, of: Saved) -> Query {
        self.insert_as(INSERT_COPY, Some(of))
    }

    fn insert_as(self, insert: &'static Statement, copy_of: Option<Saved>) -> Query {
        let own = [
            self.id.to_column(),
            self.owner_id.to_column(),
            copy_of.map(|saved| saved.itinerary_id).to_column(),
            copy_of.map(|saved| saved.author_id).to_column(),
            self.created_at.to_column(),
        ];
        Query::new(insert, self.columns.values().into_iter().chain(own).collect::<Vec<_>>())
    }
}

/// The statements that update an itinerary, store its revision, and add it to the change feed.
#[derive(Clone, Debug)]
enum Update {
    /// Returns the number of updated rows.
    Postgres(Query),
    Sqlite {
        /// [`UPDATE_MOST`]: without the columns that seldom change. [`UPDATE`] has the same values.
        most: Query,
        revision: [Query; 2],
        /// Adds the row in the change feed.
        change: Query,
    },
}

impl Update {
    fn new(
        kind: DatabaseKind,
        (id, owner_id, expected_version): (Uuid, Uuid, i64),
        columns: ItineraryColumns,
        revision: NewRevision,
    ) -> Self {
        let (version, updated_at) = (expected_version + 1, columns.updated_at);
        let own = [id.to_column(), expected_version.to_column()];
        let mut values: Vec<_> = columns.values().into_iter().chain(own).collect();
        match kind {
            DatabaseKind::Postgres => {
                values.extend(revision.values_after_update(owner_id, version));
                Self::Postgres(Query::new(UPDATE_AND_KEEP, values))
            }
            DatabaseKind::Sqlite => Self::Sqlite {
                most: Query::new(UPDATE_MOST, values),
                revision: revision.queries(id, owner_id, version, updated_at),
                change: recorded(ChangeKind::Updated, id, owner_id, updated_at),
            },
        }
    }
}

impl ItineraryColumns {
    fn values(self) -> [Value; 16] {
        [
            self.visibility.to_column(),
            self.published_at.to_column(),
            self.start_date.to_column(),
            self.destination_key.to_column(),
            self.place_id.to_column(),
            self.latitude.to_column(),
            self.longitude.to_column(),
            self.origin.to_column(),
            self.updated_at.to_column(),
            self.card.to_column(),
            self.everyone.to_column(),
            self.members.to_column(),
            self.pro.to_column(),
            self.documents.to_column(),
            self.cover_id.to_column(),
            // Its row is stored with it.
            self.cover_id.to_column(),
        ]
    }
}
