//! Usernames of deleted accounts, reserved for a while.

use sea_orm::entity::prelude::*;

use super::Millis;

#[derive(Clone, Debug, DeriveEntityModel)]
#[sea_orm(table_name = "former_usernames")]
pub struct Model {
    /// An HMAC of the username with the server's key; the name itself is not stored.
    #[sea_orm(primary_key, auto_increment = false)]
    pub code: String,
    pub free_at: Millis,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
