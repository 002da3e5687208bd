//! Itineraries that moderation has hidden.

use sea_orm::entity::prelude::*;

use super::Millis;

#[derive(Clone, Debug, DeriveEntityModel)]
#[sea_orm(table_name = "hidden")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub itinerary_id: Uuid,
    pub created_at: Millis,
    /// `NULL` until a moderator has decided.
    pub reviewed_at: Option<Millis>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
