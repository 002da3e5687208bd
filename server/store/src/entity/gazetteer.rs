//! Places by name.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, DeriveEntityModel)]
#[sea_orm(table_name = "gazetteer")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub number: i64,
    pub id: String,
    pub class: String,
    /// Separated by newlines.
    pub names: String,
    pub latitude: f64,
    pub longitude: f64,
    pub country: String,
    pub time_zone: String,
    pub population: i64,
    pub code: Option<String>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
