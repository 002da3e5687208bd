//! Rows of the change feed that have no position yet. On PostgreSQL only.

use sea_orm::entity::prelude::*;

use super::Millis;

#[derive(Clone, Debug, DeriveEntityModel)]
#[sea_orm(table_name = "new_changes")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: i64,
    /// `updated`, `role`, `shared`, `unshared` or `deleted`.
    pub kind: String,
    pub itinerary_id: Uuid,
    /// With `updated` the owner, otherwise the account that it concerns.
    pub account_id: Uuid,
    pub at: Millis,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
