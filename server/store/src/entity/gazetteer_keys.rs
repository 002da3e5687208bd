//! The index of the gazetteer's names.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, DeriveEntityModel)]
#[sea_orm(table_name = "gazetteer_keys")]
pub struct Model {
    /// The beginning of a word of a name; empty to find a place by its cell alone.
    #[sea_orm(primary_key, auto_increment = false)]
    pub key: String,
    /// A square of one degree.
    #[sea_orm(primary_key, auto_increment = false)]
    pub cell: i64,
    /// Refers to `gazetteer.number`.
    #[sea_orm(primary_key, auto_increment = false)]
    pub number: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
