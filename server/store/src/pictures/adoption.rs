//! Covers that were stored before pictures had rows: `cover_id` is set, and `picture_id` is not equal to it. Servers of
//! the version before still write such rows.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::{NewPicture, REPLACE};
use crate::engine::transaction::End;
use crate::entity::itineraries::{self, Column};
use crate::entity::pictures;
use crate::query::row::row;
use crate::query::statement::{BATCH, statements};
use crate::query::{Query, ToColumn, query, text};
use crate::{Result, Store};

row! {
    /// A cover in the order in which a job visits them.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct CoverPosition {
        pub cover_id: Uuid = "i.cover_id",
        pub itinerary_id: Uuid = "i.id",
        /// Whether it has a row of its own already.
        pub is_adopted: bool = "i.picture_id IS NOT DISTINCT FROM i.cover_id",
    }
}

row! {
    /// A cover without a row of its own, with its itinerary.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct CoverOfBefore {
        pub itinerary_id: Uuid = "i.id",
        pub version: i64 = "i.version",
        pub cover_id: Uuid = "i.cover_id",
        /// The public section, as JSON.
        pub everyone: String = "i.everyone",
        /// The id of the files, if the id is another itinerary's picture.
        pub taken_file_id: Option<Uuid> = "(SELECT p.file_id FROM pictures p WHERE p.id = i.cover_id)",
        /// Whether another itinerary had a picture with the id.
        pub was_taken: bool = "EXISTS (SELECT 1 FROM former_pictures p WHERE p.id = i.cover_id)",
    }
}

/// The itinerary, as it is before it is adopted.
macro_rules! of_before {
    () => {
        "i.cover_id IS NOT NULL AND i.picture_id IS DISTINCT FROM i.cover_id"
    };
}

statements! {
    const INSERT_OWN = insert([
        pictures::Column::Id,
        pictures::Column::ItineraryId,
        pictures::Column::FileId,
        pictures::Column::Drawing,
        pictures::Column::Source,
        pictures::Column::CreatedAt,
    ])
    .or_nothing([pictures::Column::Id]);

    const KEEP = itineraries::Entity::update_many()
        .col_expr(Column::PictureId, Column::CoverId.col())
        .filter(Column::Id.eq(p(1)))
        .filter(Column::Version.eq(p(2)))
        .filter(Column::CoverId.eq(p(3)));

    const RENAME = itineraries::Entity::update_many()
        .col_expr(Column::Everyone, p(4))
        .col_expr(Column::Card, p(5))
        .col_expr(Column::CoverId, p(6))
        .col_expr(Column::PictureId, p(6))
        .col_expr(Column::Version, Column::Version.col().add(1))
        .filter(Column::Id.eq(p(1)))
        .filter(Column::Version.eq(p(2)))
        .filter(Column::CoverId.eq(p(3)));

    /// Visits adopted ones too, so that each statement reads a bounded number of rows.
    const AFTER = text!(
        "SELECT ",
        CoverPosition::COLUMNS,
        " FROM itineraries i WHERE i.cover_id IS NOT NULL AND i.cover_id >= $1 AND (i.cover_id, i.id) > ($1, $2) \
         ORDER BY i.cover_id, i.id LIMIT $3"
    );

    const ONE = text!("SELECT ", CoverOfBefore::COLUMNS, " FROM itineraries i WHERE i.id = $1 AND ", of_before!());

    /// Copies come last: they were made of another itinerary that shows the picture.
    const FIRST = text!(
        "SELECT i.id FROM itineraries i WHERE i.cover_id = $1 AND ",
        of_before!(),
        " ORDER BY CASE WHEN i.saved_from IS NULL THEN 0 ELSE 1 END, i.created_at, i.id LIMIT 1"
    );
}

impl Store {
    /// Covers after a position, in the order of their ids, at most a batch.
    pub async fn covers_after(&self, (cover, itinerary): (Uuid, Uuid)) -> Result<Vec<CoverPosition>> {
        self.fetch_all(&query!(AFTER, cover, itinerary, BATCH)).await
    }

    /// The cover of an itinerary, if it has no row of its own.
    pub async fn cover_of_before(&self, itinerary: Uuid) -> Result<Option<CoverOfBefore>> {
        self.fetch_optional(&query!(ONE, itinerary)).await
    }

    /// The itinerary to which a cover without a row belongs: the oldest that is no copy, otherwise the oldest copy.
    pub async fn cover_of_before_owner(&self, cover: Uuid) -> Result<Option<Uuid>> {
        self.fetch_optional(&query!(FIRST, cover)).await
    }

    /// Adds the row of a cover that keeps its id. `false` if the itinerary was changed meanwhile or the id is taken.
    pub async fn cover_keep(&self, cover: &CoverOfBefore, picture: NewPicture, now: DateTime<Utc>) -> Result<bool> {
        let keep = query!(KEEP, cover.itinerary_id, cover.version, cover.cover_id);
        let NewPicture { id, file_id, drawing, source, copy_of: _ } = picture;
        let insert = query!(INSERT_OWN, id, cover.itinerary_id, file_id, drawing, source, now);
        // A server of the version before may have replaced a picture that has a row.
        let replace = query!(REPLACE, cover.itinerary_id, now);
        self.transaction((keep, replace, insert), |(keep, replace, insert), transaction| {
            Box::pin(async move {
                let is_current = transaction.execute(keep).await? == 1;
                transaction.execute(replace).await?;
                let is_kept = is_current && transaction.execute(insert).await? == 1;
                Ok(if is_kept { End::Commit(true) } else { End::Rollback(false) })
            })
        })
        .await
    }

    /// Gives a cover another id, and its itinerary a new version with this public section and card. `false` if the
    /// itinerary was changed meanwhile, or the picture that is copied is gone.
    pub async fn cover_rename(
        &self,
        cover: &CoverOfBefore,
        picture: NewPicture,
        (everyone, card): (String, String),
        now: DateTime<Utc>,
    ) -> Result<bool> {
        let itinerary = cover.itinerary_id;
        let values = [itinerary.to_column(), cover.version.to_column(), cover.cover_id.to_column()];
        let then = [everyone.to_column(), card.to_column(), picture.id.to_column()];
        let rename = Query::new(RENAME, values.into_iter().chain(then).collect::<Vec<_>>());
        self.transaction((rename, itinerary, picture, now), |(rename, itinerary, picture, now), transaction| {
            Box::pin(async move {
                let is_current = transaction.execute(rename).await? == 1;
                transaction.execute(&query!(REPLACE, *itinerary, *now)).await?;
                let is_renamed = is_current && transaction.add_picture(*itinerary, picture, *now).await?;
                Ok(if is_renamed { End::Commit(true) } else { End::Rollback(false) })
            })
        })
        .await
    }
}
