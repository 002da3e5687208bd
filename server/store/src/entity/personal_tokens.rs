//! Personal access tokens of accounts. Each has a client of its own.

use sea_orm::entity::prelude::*;

use super::Millis;

#[derive(Clone, Debug, DeriveEntityModel)]
#[sea_orm(table_name = "personal_tokens")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub account_id: Uuid,
    pub client_id: String,
    pub hash: Vec<u8>,
    pub name: String,
    /// Separated by spaces.
    pub scope: String,
    pub created_at: Millis,
    pub expires_at: Millis,
    /// Days since 1970-01-01. `NULL` before the first use.
    pub last_used_day: Option<i64>,
    /// When its owner was told by mail that it expires soon.
    pub expiry_noted_at: Option<Millis>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
