//! Authorisation codes.

use sea_orm::entity::prelude::*;

use super::Millis;

#[derive(Clone, Debug, DeriveEntityModel)]
#[sea_orm(table_name = "codes")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub hash: Vec<u8>,
    pub client_id: String,
    pub account_id: Uuid,
    pub redirect_uri: String,
    pub scope: String,
    /// The PKCE challenge (S256).
    pub challenge: String,
    pub resource: Option<String>,
    pub created_at: Millis,
    pub expires_at: Millis,
    /// `NULL` until it is redeemed.
    pub used_at: Option<Millis>,
    /// The grant for which it was redeemed; may have been deleted.
    pub grant_id: Option<Uuid>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
