//! Why accounts are suspended, and what their owners say to it.

use sea_orm::entity::prelude::*;

use super::Millis;

#[derive(Clone, Debug, DeriveEntityModel)]
#[sea_orm(table_name = "suspensions")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub account_id: Uuid,
    /// As its owner sees it.
    pub reason: String,
    /// The owner's note to the moderators.
    pub appeal: Option<String>,
    pub appealed_at: Option<Millis>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
