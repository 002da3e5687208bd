//! Itineraries. The content is in four JSON fragments, one for each kind of reader.

use sea_orm::entity::prelude::*;

use super::Millis;

#[derive(Clone, Debug, DeriveEntityModel)]
#[sea_orm(table_name = "itineraries")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub owner_id: Uuid,
    pub version: i64,
    /// The visibility to people who are not members.
    pub visibility: String,
    /// `NULL` if it was never published.
    pub published_at: Option<Millis>,
    /// `YYYY-MM-DD`.
    pub start_date: String,
    pub destination_key: String,
    pub place_id: Option<String>,
    pub latitude: f64,
    pub longitude: f64,
    /// A place, as JSON.
    pub origin: Option<String>,
    /// The itinerary of which this is a copy; may have been deleted.
    pub saved_from: Option<Uuid>,
    pub created_at: Millis,
    pub updated_at: Millis,
    /// The entry in lists, as JSON.
    pub card: String,
    /// The public section, as JSON.
    pub everyone: String,
    /// The members' section, as JSON.
    pub members: String,
    /// The Pro section, as JSON.
    pub pro: String,
    /// The documents, as JSON.
    pub documents: String,
    /// The owner of the itinerary of which this is a copy.
    pub saved_author: Option<Uuid>,
    /// The cover, if it is a picture of this server.
    pub cover_id: Option<Uuid>,
    /// Equals `cover_id` if the cover has a row in `pictures`.
    pub picture_id: Option<Uuid>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {
    #[sea_orm(belongs_to = "super::accounts::Entity", from = "Column::OwnerId", to = "super::accounts::Column::Id")]
    Owner,
}

impl ActiveModelBehavior for ActiveModel {}
