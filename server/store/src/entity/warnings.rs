//! Messages of moderators that their travellers have not read yet.

use sea_orm::entity::prelude::*;

use super::Millis;

#[derive(Clone, Debug, DeriveEntityModel)]
#[sea_orm(table_name = "warnings")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub account_id: Uuid,
    pub message: String,
    pub created_at: Millis,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
