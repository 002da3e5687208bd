//! Documents of itineraries. The file is in the file store, under the id.

use sea_orm::entity::prelude::*;

use super::Millis;

#[derive(Clone, Debug, DeriveEntityModel)]
#[sea_orm(table_name = "documents")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub itinerary_id: Uuid,
    pub file_name: String,
    /// The media type before sealing.
    pub mime_type: String,
    /// In bytes.
    pub size: i64,
    pub created_at: Millis,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
