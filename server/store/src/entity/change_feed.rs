//! The state of the change feed: one row.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, DeriveEntityModel)]
#[sea_orm(table_name = "change_feed")]
pub struct Model {
    /// Always 1.
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: i16,
    /// Random, renewed when the database is restored or moved. Cursors carry it.
    pub epoch: String,
    /// Where the database is: a restored copy is elsewhere.
    pub place: String,
    /// The last position that was given. On PostgreSQL only.
    pub last_position: i64,
    /// The highest position that was deleted.
    pub swept_position: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
