//! Grants of accounts to clients, each with the current refresh token of its family.

use sea_orm::entity::prelude::*;

use super::Millis;

#[derive(Clone, Debug, DeriveEntityModel)]
#[sea_orm(table_name = "grants")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub account_id: Uuid,
    pub client_id: String,
    /// Separated by spaces.
    pub scope: String,
    /// The resource to which it is bound (RFC 8707).
    pub resource: Option<String>,
    pub created_at: Millis,
    /// `NULL` while it is not revoked.
    pub revoked_at: Option<Millis>,
    /// The hash of the family's name. `NULL` if there are no refresh tokens.
    pub family: Option<Vec<u8>>,
    /// The hash of the current refresh token, if there is one.
    pub refresh_hash: Option<Vec<u8>>,
    /// The expiry of the current refresh token.
    pub expires_at: Millis,
    /// When the app last got tokens.
    pub last_used_at: Millis,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {
    #[sea_orm(belongs_to = "super::clients::Entity", from = "Column::ClientId", to = "super::clients::Column::Id")]
    Client,
}

impl Related<super::clients::Entity> for Entity {
    fn to() -> RelationDef {
        Relation::Client.def()
    }
}

impl ActiveModelBehavior for ActiveModel {}
