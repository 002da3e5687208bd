//! Mails that wait to be sent.

use sea_orm::entity::prelude::*;

use super::Millis;

#[derive(Clone, Debug, DeriveEntityModel)]
#[sea_orm(table_name = "mails")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub kind: String,
    /// Whom it concerns. `NULL` if that is not known yet, or the account is deleted.
    pub account_id: Option<Uuid>,
    pub address: String,
    /// What its text needs, as JSON.
    pub parameters: String,
    pub created_at: Millis,
    /// When it is given up.
    pub expires_at: Millis,
    /// When the next attempt is due. While one is in progress, when it is given up.
    pub next_at: Millis,
    pub attempts: i64,
    /// The SHA-256 of the secret of the link in it, once it was made.
    pub link_hash: Option<Vec<u8>>,
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
