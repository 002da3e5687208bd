//! Pictures of this server: which itinerary each belongs to, and from what it is drawn. Their files are outside the
//! database.
//!
//! A picture belongs to one itinerary. When another replaces it, it can still be read for [`GRACE`]; when its itinerary
//! is deleted, it can no longer be read. A job then deletes its row, and its files unless a copy shares them. `adoption.rs`
//! deals with covers that were stored before there were these rows.

pub(crate) mod adoption;

use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;

pub use adoption::{CoverOfBefore, CoverPosition};

use crate::backup::{files_held, since};
use crate::engine::transaction::{End, Transaction};
use crate::entity::former_pictures;
use crate::entity::pictures::{self, Column};
use crate::query::row::row;
use crate::query::statement::{BATCH, statements};
use crate::query::{Query, query, text};
use crate::summary::VISIBLE;
use crate::{Result, Store};

/// How long a replaced picture can be read, for readers who were just given its address.
pub const GRACE: TimeDelta = TimeDelta::minutes(1);

/// How long the ids of replaced pictures are remembered, so that a client may send an old address back.
const REMEMBERED: TimeDelta = TimeDelta::days(7);

/// A picture to store with its itinerary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewPicture {
    /// The id in its address.
    pub id: Uuid,
    /// Names its files. Equals the id unless it is a copy.
    pub file_id: Uuid,
    /// What it is drawn from, if it is a drawn one, as JSON.
    pub drawing: Option<String>,
    /// Its author and licence, or where it comes from.
    pub source: Option<String>,
    /// The picture whose files it shares, which must still be an itinerary's.
    pub copy_of: Option<Uuid>,
}

/// The effect of a change on the itinerary's picture.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum CoverChange {
    /// None: it stays, or there is none before and after.
    #[default]
    None,
    /// Its cover is no longer a picture of this server.
    Remove,
    /// Another picture, which is no copy, replaces it.
    Set(NewPicture),
}

row! {
    /// A picture that can be read.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct PictureRow {
        pub id: Uuid = "p.id",
        pub file_id: Uuid = "p.file_id",
        /// What it is drawn from, as JSON.
        pub drawing: Option<String> = "p.drawing",
        pub source: Option<String> = "p.source",
    }
}

/// For any number of rows.
pub(crate) const INTO: &str = "INSERT INTO pictures (id, itinerary_id, file_id, drawing, source, created_at) VALUES ";
/// A file is named by pictures, and by covers that were stored before there were pictures.
macro_rules! file_named {
    () => {
        "SELECT 1 WHERE EXISTS (SELECT 1 FROM pictures WHERE file_id = $1 AND itinerary_id IS NOT NULL) \
         OR EXISTS (SELECT 1 FROM itineraries WHERE cover_id = $1 AND picture_id IS DISTINCT FROM cover_id)"
    };
}
const IS_NAMED: &str = file_named!();
statements! {
    const INSERT = insert([
        Column::Id,
        Column::ItineraryId,
        Column::FileId,
        Column::Drawing,
        Column::Source,
        Column::CreatedAt,
    ]);

    const REPLACE = pictures::Entity::update_many()
        .col_expr(Column::ReplacedAt, p(2))
        .filter(Column::ItineraryId.eq(p(1)))
        .filter(Column::ReplacedAt.is_null());

    const LOOSEN = pictures::Entity::update_many()
        .col_expr(Column::ItineraryId, Expr::null())
        .col_expr(Column::Drawing, Expr::null())
        .col_expr(Column::Source, Expr::null())
        .filter(Column::ItineraryId.eq(p(1)));

    /// Deleting the picture waits until the copy is stored.
    const LOCK_SHARED = pictures::Entity::find()
        .select_found()
        .filter(Column::Id.eq(p(1)))
        .filter(Column::ItineraryId.is_not_null())
        .lock_shared();

    /// None while a backup runs.
    const LOOSE = pictures::Entity::find()
        .select_only()
        .column(Column::Id)
        .filter(Column::ItineraryId.is_null())
        .filter(Expr::cust(files_held!("$1")).not())
        .limit(BATCH.unsigned_abs());

    const REPLACED = pictures::Entity::find()
        .select_only()
        .column(Column::Id)
        .filter(Column::ReplacedAt.lte(p(2)))
        .filter(Expr::cust(files_held!("$1")).not())
        .order_by_asc(Column::ReplacedAt)
        .limit(BATCH.unsigned_abs());

    const DELETE = pictures::Entity::delete_many()
        .filter(Column::Id.eq(p(1)))
        .filter(Column::ItineraryId.is_null().or(Column::ReplacedAt.is_not_null()))
        .into_query()
        .returning_col(Column::FileId);

    const FORGET = delete_batch(former_pictures::Entity::find().filter(former_pictures::Column::ReplacedAt.lte(p(1))));

    /// $2 is the time before which a replaced picture can no longer be read.
    const READABLE = text!(
        "SELECT ",
        PictureRow::COLUMNS,
        " FROM pictures p JOIN itineraries i ON i.id = p.itinerary_id \
         JOIN accounts a ON a.id = i.owner_id AND a.deleted_at IS NULL \
         WHERE p.id = $1 AND (p.replaced_at IS NULL OR p.replaced_at > $2)"
    );

    /// The same, for an account ($1) that may see its itinerary.
    const VISIBLE_TO = text!(
        "SELECT ",
        PictureRow::COLUMNS,
        " FROM pictures p JOIN itineraries i ON i.id = p.itinerary_id \
         JOIN accounts a ON a.id = i.owner_id AND a.deleted_at IS NULL \
         WHERE p.id = $2 AND (p.replaced_at IS NULL OR p.replaced_at > $3) AND (",
        VISIBLE,
        " OR EXISTS (SELECT 1 FROM invitations v WHERE v.itinerary_id = i.id AND v.account_id = $1))"
    );

    const IS_OR_WAS = "SELECT 1 FROM pictures WHERE id = $1 AND itinerary_id = $2 \
         UNION ALL SELECT 1 FROM former_pictures WHERE id = $1 AND itinerary_id = $2";

    const REMEMBER = "INSERT INTO former_pictures (id, itinerary_id, replaced_at) \
         SELECT id, itinerary_id, replaced_at FROM pictures \
         WHERE id = $1 AND itinerary_id IS NOT NULL AND replaced_at IS NOT NULL";

    /// While a backup runs, every file counts as used.
    const IN_USE = text!(
        file_named!(),
        " OR EXISTS (SELECT 1 FROM pictures WHERE id = $1 AND itinerary_id IS NOT NULL) OR ",
        files_held!("$2")
    );
}

impl Store {
    /// A picture, unless it was replaced too long ago, or its itinerary or account is deleted.
    pub async fn picture(&self, id: Uuid, now: DateTime<Utc>) -> Result<Option<PictureRow>> {
        self.fetch_optional(&query!(READABLE, id, now - GRACE)).await
    }

    /// The same, if the account may see its itinerary.
    pub async fn picture_visible_to(&self, account: Uuid, id: Uuid, now: DateTime<Utc>) -> Result<Option<PictureRow>> {
        self.fetch_optional(&query!(VISIBLE_TO, account, id, now - GRACE)).await
    }

    /// Whether a picture is or was the itinerary's.
    pub async fn picture_is_or_was(&self, id: Uuid, itinerary: Uuid) -> Result<bool> {
        self.exists(&query!(IS_OR_WAS, id, itinerary)).await
    }

    /// Pictures of deleted itineraries, and replaced ones that can no longer be read; at most a batch of each, and none
    /// while a backup runs.
    pub async fn pictures_due(&self, now: DateTime<Utc>) -> Result<Vec<Uuid>> {
        let mut due: Vec<Uuid> = self.fetch_all(&query!(LOOSE, since(now))).await?;
        due.extend(self.fetch_all::<Uuid>(&query!(REPLACED, since(now), now - GRACE)).await?);
        Ok(due)
    }

    /// Deletes a picture that is due, and remembers that its itinerary had it. Returns what names its files, if no other
    /// picture shares them.
    pub async fn picture_delete(&self, id: Uuid) -> Result<Option<Uuid>> {
        self.transaction(id, |&id, transaction| {
            Box::pin(async move {
                transaction.execute(&query!(REMEMBER, id)).await?;
                let Some(file) = transaction.fetch_optional::<Uuid>(&query!(DELETE, id)).await? else {
                    return Ok(End::Rollback(None));
                };
                let is_named = transaction.exists(&query!(IS_NAMED, file)).await?;
                Ok(End::Commit((!is_named).then_some(file)))
            })
        })
        .await
    }

    /// Forgets the ids of pictures that were replaced long ago; returns how many.
    pub async fn former_pictures_forget(&self, now: DateTime<Utc>) -> Result<u64> {
        self.delete_in_batches(query!(FORGET, now - REMEMBERED)).await
    }

    /// Whether a picture has files of this name, or a backup may need them.
    pub async fn picture_file_in_use(&self, file: Uuid, now: DateTime<Utc>) -> Result<bool> {
        self.exists(&query!(IN_USE, file, since(now))).await
    }
}

impl Transaction {
    /// Changes the picture of an itinerary whose row this transaction has changed.
    pub(crate) async fn change_cover(
        &mut self,
        itinerary: Uuid,
        change: &CoverChange,
        now: DateTime<Utc>,
    ) -> Result<()> {
        if *change != CoverChange::None {
            self.execute(&query!(REPLACE, itinerary, now)).await?;
        }
        if let CoverChange::Set(picture) = change {
            self.execute(&picture.insert(itinerary, now)).await?;
        }
        Ok(())
    }

    /// Inserts a picture. `false` if the picture that it copies is gone.
    pub(crate) async fn add_picture(
        &mut self,
        itinerary: Uuid,
        picture: &NewPicture,
        now: DateTime<Utc>,
    ) -> Result<bool> {
        if let Some(original) = picture.copy_of
            && !self.lock_picture(original).await?
        {
            return Ok(false);
        }
        self.execute(&picture.insert(itinerary, now)).await?;
        Ok(true)
    }

    /// Keeps a picture that is an itinerary's until the transaction ends.
    async fn lock_picture(&mut self, id: Uuid) -> Result<bool> {
        self.exists(&query!(LOCK_SHARED, id)).await
    }

    /// Detaches the pictures of an itinerary before it is deleted, so that nobody can read them.
    pub(crate) async fn loosen_pictures(&mut self, itinerary: Uuid) -> Result<()> {
        self.execute(&query!(LOOSEN, itinerary)).await?;
        Ok(())
    }
}

impl NewPicture {
    pub(crate) fn insert(&self, itinerary: Uuid, now: DateTime<Utc>) -> Query {
        let Self { id, file_id, drawing, source, copy_of: _ } = self;
        query!(INSERT, *id, itinerary, *file_id, drawing.clone(), source.clone(), now)
    }
}
