//! Passkeys (WebAuthn), by which travellers sign in.

use sea_orm::entity::prelude::*;

use super::Millis;

#[derive(Clone, Debug, DeriveEntityModel)]
#[sea_orm(table_name = "passkeys")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub account_id: Uuid,
    /// Chosen by the authenticator.
    pub credential_id: Vec<u8>,
    /// The public key and what else checks a signature, as JSON.
    pub passkey: String,
    /// The signature counter that the authenticator last sent; always 0 for passkeys that are synchronised.
    pub counter: i64,
    pub name: String,
    pub created_at: Millis,
    /// Days since 1970-01-01.
    pub last_used_day: Option<i64>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {
    #[sea_orm(belongs_to = "super::accounts::Entity", from = "Column::AccountId", to = "super::accounts::Column::Id")]
    Account,
}

impl Related<super::accounts::Entity> for Entity {
    fn to() -> RelationDef {
        Relation::Account.def()
    }
}

impl ActiveModelBehavior for ActiveModel {}
