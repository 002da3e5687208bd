//! The itineraries that others may find in Explore, with their search words.

use sea_orm::entity::prelude::*;

use super::Millis;

#[derive(Clone, Debug, DeriveEntityModel)]
#[sea_orm(table_name = "explore")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub itinerary_id: Uuid,
    pub owner_id: Uuid,
    pub published_at: Millis,
    /// The rank key of search results: the score, then a random number.
    pub place: i64,
    /// Folded, separated by spaces.
    pub words: String,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
