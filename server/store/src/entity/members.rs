//! Members of itineraries, who have accepted.

use sea_orm::entity::prelude::*;

use super::Millis;

#[derive(Clone, Debug, DeriveEntityModel)]
#[sea_orm(table_name = "members")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub itinerary_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub account_id: Uuid,
    /// `editor` or `viewer`.
    pub role: String,
    pub created_at: Millis,
    /// Repeats the itinerary's owner, who never changes.
    pub owner_id: Option<Uuid>,
    /// The itinerary's version when the account became a member.
    pub since_version: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
