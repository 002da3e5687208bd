//! Counters of itineraries, apart from their rows: counting changes no version and no index.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, DeriveEntityModel)]
#[sea_orm(table_name = "itinerary_counters")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub itinerary_id: Uuid,
    pub likes: i64,
    pub saves: i64,
    pub views: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
