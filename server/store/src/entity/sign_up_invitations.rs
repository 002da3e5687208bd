//! Invitations to create an account.

use sea_orm::entity::prelude::*;

use super::Millis;

#[derive(Clone, Debug, DeriveEntityModel)]
#[sea_orm(table_name = "sign_up_invitations")]
pub struct Model {
    /// The SHA-256 of its secret.
    #[sea_orm(primary_key, auto_increment = false)]
    pub hash: Vec<u8>,
    pub created_at: Millis,
    pub expires_at: Millis,
    /// For whom it is, in the inviter's words.
    pub note: Option<String>,
    /// The account that invites; `NULL` for the operator.
    pub created_by: Option<Uuid>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {
    #[sea_orm(belongs_to = "super::accounts::Entity", from = "Column::CreatedBy", to = "super::accounts::Column::Id")]
    Account,
}

impl Related<super::accounts::Entity> for Entity {
    fn to() -> RelationDef {
        Relation::Account.def()
    }
}

impl ActiveModelBehavior for ActiveModel {}
