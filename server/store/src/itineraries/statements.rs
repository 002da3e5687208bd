//! The statements of `write.rs`.

use uuid::Uuid;

use crate::entity::itineraries::{self, Column};
use crate::entity::itinerary_counters::{self, Column as Counter};
use crate::entity::{account_counters, idempotency, members};
use crate::query::row::row;
use crate::query::statement::statements;
use crate::query::text;
use crate::revisions::update_and_keep;

/// For any number of rows.
pub(crate) const INTO: &str = "INSERT INTO itineraries (visibility, published_at, start_date, destination_key, \
     place_id, latitude, longitude, origin, updated_at, card, everyone, members, pro, documents, cover_id, picture_id, \
     id, owner_id, saved_from, saved_author, created_at, version) VALUES ";

const VALUES: &str =
    "($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, 1)";

row! {
    /// What follows from the deletion of an itinerary.
    pub(super) struct Deleted {
        pub(super) owner_id: Uuid = itineraries::Column::OwnerId,
        pub(super) saved_from: Option<Uuid> = itineraries::Column::SavedFrom,
    }
}

statements! {
    /// The columns of `ItineraryColumns` are $1 to $16 in the inserts and updates.
    pub(super) const INSERT = text!(INTO, VALUES);

    /// An account has at most one copy of an itinerary.
    pub(super) const INSERT_COPY =
        text!(INTO, VALUES, " ON CONFLICT (owner_id, saved_from) WHERE saved_from IS NOT NULL DO NOTHING");

    pub(super) const UPDATE = itineraries::Entity::update_many()
        .col_expr(Column::Visibility, p(1))
        .col_expr(Column::PublishedAt, p(2))
        .col_expr(Column::StartDate, p(3))
        .col_expr(Column::DestinationKey, p(4))
        .col_expr(Column::PlaceId, p(5))
        .col_expr(Column::Latitude, p(6))
        .col_expr(Column::Longitude, p(7))
        .col_expr(Column::Origin, p(8))
        .col_expr(Column::UpdatedAt, p(9))
        .col_expr(Column::Card, p(10))
        .col_expr(Column::Everyone, p(11))
        .col_expr(Column::Members, p(12))
        .col_expr(Column::Pro, p(13))
        .col_expr(Column::Documents, p(14))
        .col_expr(Column::CoverId, p(15))
        .col_expr(Column::PictureId, p(16))
        .col_expr(Column::Version, Column::Version.col().add(1))
        .filter(Column::Id.eq(p(17)))
        .filter(Column::Version.eq(p(18)));

    /// For PostgreSQL: the same, with the row of the version.
    pub(super) const UPDATE_AND_KEEP = update_and_keep(UPDATE);

    /// For SQLite: the same as `UPDATE`, if start date, origin and cover stay. SQLite writes an entry of an index anew if a statement
    /// sets its column, even to the same value, and these indexes have a random page for each itinerary.
    pub(super) const UPDATE_MOST = itineraries::Entity::update_many()
        .col_expr(Column::Visibility, p(1))
        .col_expr(Column::PublishedAt, p(2))
        .col_expr(Column::DestinationKey, p(4))
        .col_expr(Column::PlaceId, p(5))
        .col_expr(Column::Latitude, p(6))
        .col_expr(Column::Longitude, p(7))
        .col_expr(Column::UpdatedAt, p(9))
        .col_expr(Column::Card, p(10))
        .col_expr(Column::Everyone, p(11))
        .col_expr(Column::Members, p(12))
        .col_expr(Column::Pro, p(13))
        .col_expr(Column::Documents, p(14))
        .col_expr(Column::PictureId, p(16))
        .col_expr(Column::Version, Column::Version.col().add(1))
        .filter(Column::Id.eq(p(17)))
        .filter(Column::Version.eq(p(18)))
        .filter(Column::StartDate.eq(p(3)))
        .filter(Column::Origin.is_not_distinct_from(p(8)))
        .filter(Column::CoverId.is_not_distinct_from(p(15)));

    pub(super) const FIND_COPY = itineraries::Entity::find()
        .select_only()
        .column(Column::Id)
        .filter(Column::OwnerId.eq(p(1)))
        .filter(Column::SavedFrom.eq(p(2)));

    pub(super) const COUNT_SAVE = insert_values([(Counter::ItineraryId, p(1)), (Counter::Saves, 1.into())]).on_conflict(
        OnConflict::column(Counter::ItineraryId).value(Counter::Saves, Counter::Saves.col().add(1)).to_owned(),
    );

    pub(crate) const UNCOUNT_SAVE = itinerary_counters::Entity::update_many()
        .col_expr(Counter::Saves, Counter::Saves.col().sub(1))
        .filter(Counter::ItineraryId.eq(p(1)));

    pub(super) const OWNS_AS_MANY = account_counters::Entity::find()
        .select_found()
        .filter(account_counters::Column::AccountId.eq(p(1)))
        .filter(account_counters::Column::Itineraries.gte(p(2)));

    pub(super) const UNCOUNT_OWNED = account_counters::Entity::update_many()
        .col_expr(account_counters::Column::Itineraries, account_counters::Column::Itineraries.col().sub(1))
        .filter(account_counters::Column::AccountId.eq(p(1)));

    pub(super) const DELETE = itineraries::Entity::delete_many()
        .filter(Column::Id.eq(p(1)))
        .filter(Column::Version.eq(p(2)))
        .into_query()
        .returning(returning::<Deleted>());

    pub(super) const IS_EDITOR = members::Entity::find()
        .select_found()
        .filter(members::Column::ItineraryId.eq(p(1)))
        .filter(members::Column::AccountId.eq(p(2)))
        .filter(members::Column::Role.eq("editor"));

    pub(super) const VERSION = itineraries::Entity::find().select_only().column(Column::Version).filter(Column::Id.eq(p(1)));

    pub(crate) const DELETE_ANSWERS =
        idempotency::Entity::delete_many().filter(idempotency::Column::ItineraryId.eq(p(1)));

    /// Changes no row if the account $1 owns $2 itineraries or more.
    pub(super) const COUNT_OWNED = "INSERT INTO account_counters (account_id, followers, following, itineraries) \
         SELECT $1, 0, 0, 1 WHERE $2 > 0 \
         ON CONFLICT (account_id) DO UPDATE SET itineraries = account_counters.itineraries + 1 \
         WHERE account_counters.itineraries < $2";
}
