//! The change feed.

use sea_orm::entity::prelude::*;

use super::Millis;

#[derive(Clone, Debug, DeriveEntityModel)]
#[sea_orm(table_name = "changes")]
pub struct Model {
    /// The place in the order of commits. Given by SQLite, or on PostgreSQL after the commit.
    #[sea_orm(primary_key)]
    pub position: i64,
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
