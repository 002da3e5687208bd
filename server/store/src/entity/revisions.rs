//! Versions of itineraries, and what each replaced.

use sea_orm::entity::prelude::*;

use super::Millis;

#[derive(Clone, Debug, DeriveEntityModel)]
#[sea_orm(table_name = "revisions")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub itinerary_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub version: i64,
    /// Repeats the itinerary's owner, who never changes.
    pub owner_id: Uuid,
    pub updated_at: Millis,
    /// Bytes of `replaced`.
    pub size: i64,
    /// Who made the version; the account may have been erased.
    pub account_id: Uuid,
    /// The app; `NULL` for the service's own pages.
    pub client_id: Option<String>,
    /// The version whose content this one restored.
    pub restored_from: Option<i64>,
    /// `NULL` for the first version, and if it was too large to keep.
    pub replaced: Option<Vec<u8>>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
