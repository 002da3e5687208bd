//! Pictures, each of one itinerary.

use sea_orm::entity::prelude::*;

use super::Millis;

#[derive(Clone, Debug, DeriveEntityModel)]
#[sea_orm(table_name = "pictures")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    /// `NULL` if the itinerary is deleted; a job deletes the picture.
    pub itinerary_id: Option<Uuid>,
    /// Names its files, which copies share.
    pub file_id: Uuid,
    /// What it is drawn from, as JSON, if it is a drawn one.
    pub drawing: Option<String>,
    /// Its author and licence, or where it comes from.
    pub source: Option<String>,
    pub created_at: Millis,
    /// `NULL` while it is the itinerary's.
    pub replaced_at: Option<Millis>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
