//! Pending invitations to itineraries.

use sea_orm::entity::prelude::*;

use super::Millis;

#[derive(Clone, Debug, DeriveEntityModel)]
#[sea_orm(table_name = "invitations")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub itinerary_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub account_id: Uuid,
    /// Repeats the itinerary's owner, who never changes.
    pub owner_id: Uuid,
    /// `editor` or `viewer`.
    pub role: String,
    pub created_at: Millis,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {
    #[sea_orm(
        belongs_to = "super::itineraries::Entity",
        from = "Column::ItineraryId",
        to = "super::itineraries::Column::Id"
    )]
    Itinerary,
}

impl Related<super::itineraries::Entity> for Entity {
    fn to() -> RelationDef {
        Relation::Itinerary.def()
    }
}

impl ActiveModelBehavior for ActiveModel {}
