//! Mail addresses that wait for verification, at most one for each account.

use sea_orm::entity::prelude::*;

use super::Millis;

#[derive(Clone, Debug, DeriveEntityModel)]
#[sea_orm(table_name = "unverified_addresses")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub account_id: Uuid,
    /// As the traveller wrote it.
    pub address: String,
    /// The SHA-256 of the secret of the link that verifies it. `NULL` until the mail is written.
    pub hash: Option<Vec<u8>>,
    pub expires_at: Millis,
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
