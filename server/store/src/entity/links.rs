//! Secret links of itineraries.

use sea_orm::entity::prelude::*;

use super::Millis;

#[derive(Clone, Debug, DeriveEntityModel)]
#[sea_orm(table_name = "links")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub itinerary_id: Uuid,
    /// Unique among the itinerary's links.
    pub label: String,
    /// The SHA-256 of the secret.
    pub hash: Vec<u8>,
    /// `plan` or `bookings`.
    pub sections: String,
    /// `NULL` if the link does not expire.
    pub expires_at: Option<Millis>,
    pub created_at: Millis,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
