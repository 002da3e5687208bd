//! Access tokens, and used refresh tokens that were issued before there were families.

use sea_orm::entity::prelude::*;

use super::Millis;

#[derive(Clone, Debug, DeriveEntityModel)]
#[sea_orm(table_name = "tokens")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub hash: Vec<u8>,
    pub grant_id: Uuid,
    /// `access` or `refresh`.
    pub kind: String,
    pub scope: String,
    pub resource: Option<String>,
    pub created_at: Millis,
    pub expires_at: Millis,
    /// Only of refresh tokens.
    pub used_at: Option<Millis>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {
    #[sea_orm(belongs_to = "super::grants::Entity", from = "Column::GrantId", to = "super::grants::Column::Id")]
    Grant,
}

impl Related<super::grants::Entity> for Entity {
    fn to() -> RelationDef {
        Relation::Grant.def()
    }
}

impl ActiveModelBehavior for ActiveModel {}
