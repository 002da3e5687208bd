//! The last run of each periodic job.

use sea_orm::entity::prelude::*;

use super::Millis;

#[derive(Clone, Debug, DeriveEntityModel)]
#[sea_orm(table_name = "jobs")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub name: String,
    pub server: String,
    pub started_at: Millis,
    /// While it runs: when the server must have said so again.
    pub busy_until: Option<Millis>,
    /// Of the last run that ended, as are `items` and `failure`.
    pub took_ms: Option<i64>,
    pub items: Option<i64>,
    /// `NULL` if it succeeded.
    pub failure: Option<String>,
    pub succeeded_at: Option<Millis>,
    /// What the last successful run has counted, as JSON.
    pub figures: Option<String>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
