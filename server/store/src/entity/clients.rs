//! OAuth clients.

use sea_orm::entity::prelude::*;

use super::Millis;

#[derive(Clone, Debug, DeriveEntityModel)]
#[sea_orm(table_name = "clients")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    /// `NULL` for a public client.
    pub secret_hash: Option<Vec<u8>>,
    pub name: String,
    /// A JSON array.
    pub redirect_uris: String,
    /// A JSON object.
    pub metadata: String,
    pub auth_method: String,
    pub created_at: Millis,
    /// `NULL` unless the client is described by a document at its id, which is a URL.
    pub fetched_at: Option<Millis>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
