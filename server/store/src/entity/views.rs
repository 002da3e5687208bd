//! The last day on which an account read an itinerary.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, DeriveEntityModel)]
#[sea_orm(table_name = "views")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub itinerary_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub account_id: Uuid,
    /// Days since 1970.
    pub day: i64,
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
