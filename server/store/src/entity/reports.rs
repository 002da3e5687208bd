//! Reports of itineraries.

use sea_orm::entity::prelude::*;

use super::Millis;

#[derive(Clone, Debug, DeriveEntityModel)]
#[sea_orm(table_name = "reports")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub itinerary_id: Uuid,
    pub account_id: Uuid,
    pub reason: String,
    pub note: Option<String>,
    pub created_at: Millis,
    /// `NULL` while it is open.
    pub resolved_at: Option<Millis>,
    /// `keep` or `hide`; `NULL` while it is open.
    pub verdict: Option<String>,
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
