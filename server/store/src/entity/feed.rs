//! The entries of the feed: a row for each region of an itinerary's destination, the world included.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, DeriveEntityModel)]
#[sea_orm(table_name = "feed")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub itinerary_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub region: i16,
    pub tier: i16,
    /// Random, as the other keys.
    pub key_0: i64,
    pub key_1: i64,
    pub key_2: i64,
    pub key_3: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
