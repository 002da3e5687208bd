//! Documents: their rows, the storage that accounts use, and the files to delete.
//!
//! The files are in the file store, outside this crate; a file is named by its document's id. Before a file is written
//! it is inserted into `loose_files`, and the transaction that adds the document deletes it from there. So a crash
//! leaves a loose file, which expires, and never a document without its file.

use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;

use crate::backup::{files_held, since};
use crate::caller::Pause;
use crate::engine::transaction::Transaction;
use crate::entity::document_usage::{self, Column as Usage};
use crate::entity::documents::{self, Column};
use crate::entity::loose_files::{self, Column as Loose};
use crate::query::row::row;
use crate::query::statement::{BATCH, statements};
use crate::query::{Parameters, query, text};
use crate::{Result, Store, WriteOutcome};

row! {
    /// Fields of a document that are not in the itinerary's JSON.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct DocumentRow {
        pub id: Uuid = documents::Column::Id,
        /// The media type before sealing.
        pub mime_type: String = documents::Column::MimeType,
        /// The file name from the upload.
        pub file_name: String = documents::Column::FileName,
        pub size: i64 = documents::Column::Size,
    }
}

row! {
    /// A document's file, for a download by link.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct DocumentFileRow {
        /// The file name from the upload.
        pub file_name: String = "d.file_name",
        pub size: i64 = "d.size",
        /// Set while integrations are paused.
        pub paused: Option<Pause> = "(SELECT value FROM settings WHERE name = 'integrations_paused')",
    }
}

/// A document to add; its file is stored already.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewDocument {
    pub id: Uuid,
    /// The file name from the upload.
    pub file_name: String,
    /// The media type before sealing.
    pub mime_type: String,
    pub size: i64,
    /// Must have Pro, and be the owner or an editor of the itinerary.
    pub uploader: Uuid,
    /// The storage quota of the itinerary's owner, in bytes.
    pub quota: i64,
}

/// The change of document rows in the transaction of a change of the itinerary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DocumentChange {
    None,
    Add(NewDocument),
    /// A job deletes the file.
    Remove(Uuid),
}

/// A document is added only if its loose file expires later than this, which allows for differences between servers'
/// clocks.
const MARGIN: TimeDelta = TimeDelta::minutes(5);

statements! {
    const OF_ITINERARY =
        documents::Entity::find().select_row::<DocumentRow>().filter(Column::ItineraryId.eq(p(1)));

    const ONE = documents::Entity::find()
        .select_row::<DocumentRow>()
        .filter(Column::ItineraryId.eq(p(1)))
        .filter(Column::Id.eq(p(2)));

    const AFTER = documents::Entity::find()
        .select_only()
        .columns([Column::Id, Column::Size])
        .filter(Column::Id.gt(p(1)))
        .order_by_asc(Column::Id)
        .limit_p(2);

    const INSERT = insert([
        Column::Id,
        Column::ItineraryId,
        Column::FileName,
        Column::MimeType,
        Column::Size,
        Column::CreatedAt,
    ]);

    const DELETE = documents::Entity::delete_many()
        .filter(Column::Id.eq(p(1)))
        .filter(Column::ItineraryId.eq(p(2)))
        .into_query()
        .returning_col(Column::Size);

    const USAGE = document_usage::Entity::find()
        .select_only()
        .column(Usage::Bytes)
        .filter(Usage::AccountId.eq(p(1)));

    const FREE_STORAGE = document_usage::Entity::update_many()
        .col_expr(Usage::Bytes, Usage::Bytes.col().sub(p(2)))
        .filter(Usage::AccountId.eq(p(1)));

    const ADD_LOOSE = insert([Loose::DocumentId, Loose::DeleteAt]);

    const POSTPONE = loose_files::Entity::update_many()
        .col_expr(Loose::DeleteAt, p(2))
        .filter(Loose::DocumentId.eq(p(1)));

    const REMOVE_LOOSE = loose_files::Entity::delete_many().filter(Loose::DocumentId.eq(p(1)));

    /// Changes no row if the loose file has expired.
    const UNLIST = loose_files::Entity::delete_many()
        .filter(Loose::DocumentId.eq(p(1)))
        .filter(Loose::DeleteAt.gt(p(2)));

    /// None while a backup runs.
    const EXPIRED = loose_files::Entity::find()
        .select_only()
        .column(Loose::DocumentId)
        .filter(Loose::DeleteAt.lte(p(1)))
        .filter(Expr::cust(files_held!("$2")).not())
        .order_by_asc(Loose::DeleteAt)
        .limit(BATCH.unsigned_abs());

    /// The grant must not be revoked, or the personal access token be valid, and its account must still be a member. The scope
    /// was checked when the link was created, and the scopes of a grant or token never change.
    const FILE = text!(
        "SELECT ",
        DocumentFileRow::COLUMNS,
        " FROM documents d JOIN itineraries i ON i.id = d.itinerary_id \
         JOIN accounts o ON o.id = i.owner_id AND o.deleted_at IS NULL \
         WHERE d.id = $1 \
         AND (EXISTS (SELECT 1 FROM grants g WHERE g.id = $3 AND g.account_id = $2 AND g.revoked_at IS NULL) \
         OR EXISTS (SELECT 1 FROM personal_tokens t WHERE t.id = $3 AND t.account_id = $2)) AND (i.owner_id = $2 \
         OR EXISTS (SELECT 1 FROM members m WHERE m.itinerary_id = i.id AND m.account_id = $2))"
    );

    const MAY_UPLOAD = "SELECT 1 FROM accounts u JOIN itineraries i ON i.id = $1 \
         WHERE u.id = $2 AND u.plan = 'pro' AND (i.owner_id = u.id OR EXISTS \
         (SELECT 1 FROM members m WHERE m.itinerary_id = i.id AND m.account_id = u.id AND m.role = 'editor'))";

    /// Changes no row if the account would use more than $3. PostgreSQL deduces no number from a select list.
    const USE_STORAGE = "INSERT INTO document_usage (account_id, bytes) SELECT $1, CAST($2 AS BIGINT) WHERE $2 <= $3 \
         ON CONFLICT (account_id) DO UPDATE SET bytes = document_usage.bytes + excluded.bytes \
         WHERE document_usage.bytes + excluded.bytes <= $3";

    const ADD_ALL_LOOSE = "INSERT INTO loose_files (document_id, delete_at) \
         SELECT id, $2 FROM documents WHERE itinerary_id = $1";

    const FREE_ALL = "UPDATE document_usage SET bytes = bytes - \
         (SELECT CAST(COALESCE(SUM(size), 0) AS BIGINT) FROM documents WHERE itinerary_id = $1) \
         WHERE account_id = (SELECT owner_id FROM itineraries WHERE id = $1)";
}

impl Store {
    /// The rows of an itinerary's documents, unordered.
    pub async fn documents(&self, itinerary: Uuid) -> Result<Vec<DocumentRow>> {
        self.fetch_all(&query!(OF_ITINERARY, itinerary)).await
    }

    pub async fn document(&self, itinerary: Uuid, id: Uuid) -> Result<Option<DocumentRow>> {
        self.fetch_optional(&query!(ONE, itinerary, id)).await
    }

    /// The file of a document, if the account is still a member and the grant or personal access token is not revoked.
    pub async fn document_file(&self, id: Uuid, account: Uuid, grant: Uuid) -> Result<Option<DocumentFileRow>> {
        self.fetch_optional(&query!(FILE, id, account, grant)).await
    }

    /// Ids and sizes of documents after an id, in ascending order.
    pub async fn documents_after(&self, after: Uuid, limit: u32) -> Result<Vec<(Uuid, i64)>> {
        self.fetch_all_long(query!(AFTER, after, i64::from(limit))).await
    }

    /// Those of these ids that are of documents, or of files that a job will delete. At most 40 ids.
    pub async fn documents_known(&self, ids: &[Uuid]) -> Result<Vec<Uuid>> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let mut parameters = Parameters::default();
        let ids: Vec<String> = ids.iter().map(|id| parameters.bind(*id)).collect();
        let ids = ids.join(", ");
        let text = format!(
            "SELECT id FROM documents WHERE id IN ({ids}) \
             UNION SELECT document_id FROM loose_files WHERE document_id IN ({ids})"
        );
        self.fetch_all_long(parameters.query(text)).await
    }

    /// Inserts the file of an upload into `loose_files`. If the document is not added by `delete_at`, a job deletes the
    /// file.
    pub async fn loose_file_add(&self, document: Uuid, delete_at: DateTime<Utc>) -> Result<()> {
        self.execute(query!(ADD_LOOSE, document, delete_at)).await?;
        Ok(())
    }

    /// Document ids of expired loose files; at most a batch, and none while a backup runs.
    pub async fn loose_files(&self, now: DateTime<Utc>) -> Result<Vec<Uuid>> {
        self.fetch_all(&query!(EXPIRED, now, since(now))).await
    }

    /// The total size of the documents in an account's itineraries, in bytes.
    pub async fn document_usage(&self, account: Uuid) -> Result<i64> {
        Ok(self.fetch_optional(&query!(USAGE, account)).await?.unwrap_or(0))
    }

    pub async fn loose_file_postpone(&self, document: Uuid, delete_at: DateTime<Utc>) -> Result<()> {
        self.execute(query!(POSTPONE, document, delete_at)).await?;
        Ok(())
    }

    /// Removes a deleted file from `loose_files`.
    pub async fn loose_file_remove(&self, document: Uuid) -> Result<()> {
        self.execute(query!(REMOVE_LOOSE, document)).await?;
        Ok(())
    }
}

impl Transaction {
    /// Changes the document rows of an itinerary whose row this transaction has changed. Returns `None` on success,
    /// otherwise the reason to roll back the transaction.
    pub(crate) async fn change_documents(
        &mut self,
        itinerary: Uuid,
        owner: Uuid,
        change: &DocumentChange,
        now: DateTime<Utc>,
    ) -> Result<Option<WriteOutcome>> {
        match change {
            DocumentChange::None => Ok(None),
            DocumentChange::Add(document) => self.add_document(itinerary, owner, document, now).await,
            DocumentChange::Remove(id) => {
                if let Some(size) = self.fetch_optional::<i64>(&query!(DELETE, *id, itinerary)).await? {
                    self.execute(&query!(FREE_STORAGE, owner, size)).await?;
                    self.execute(&query!(ADD_LOOSE, *id, now)).await?;
                }
                Ok(None)
            }
        }
    }

    async fn add_document(
        &mut self,
        itinerary: Uuid,
        owner: Uuid,
        document: &NewDocument,
        now: DateTime<Utc>,
    ) -> Result<Option<WriteOutcome>> {
        let NewDocument { id, file_name, mime_type, size, uploader, quota } = document;
        if !self.exists(&query!(MAY_UPLOAD, itinerary, *uploader)).await? {
            return Ok(Some(WriteOutcome::NotAllowed));
        }
        if self.execute(&query!(USE_STORAGE, owner, *size, *quota)).await? == 0 {
            return Ok(Some(WriteOutcome::OverQuota));
        }
        if self.execute(&query!(UNLIST, *id, now + MARGIN)).await? == 0 {
            return Ok(Some(WriteOutcome::FileGone));
        }
        self.execute(&query!(INSERT, *id, itinerary, file_name, mime_type, *size, now)).await?;
        Ok(None)
    }

    /// Inserts the files of an itinerary that is about to be deleted into `loose_files`. The caller holds the
    /// itinerary's lock.
    pub(crate) async fn loosen_documents(&mut self, itinerary: Uuid, now: DateTime<Utc>) -> Result<()> {
        if self.execute(&query!(ADD_ALL_LOOSE, itinerary, now)).await? > 0 {
            self.execute(&query!(FREE_ALL, itinerary)).await?;
        }
        Ok(())
    }
}
