//! Travellers' accounts. A deleted one stays, without its personal data, until a job has erased its rows.

use sea_orm::entity::prelude::*;

use super::Millis;

#[derive(Clone, Debug, DeriveEntityModel)]
#[sea_orm(table_name = "accounts")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    /// As the traveller spelt it.
    pub username: String,
    /// The key for uniqueness.
    pub username_folded: String,
    pub display_name: String,
    /// A PHC string.
    pub password_hash: String,
    /// `free` or `pro`.
    pub plan: String,
    pub image_url: Option<String>,
    /// A place, as JSON.
    pub home_place: Option<String>,
    pub created_at: Millis,
    /// `NULL` if the account is not deleted.
    pub deleted_at: Option<Millis>,
    /// `NULL` if the account is not suspended.
    pub suspended_at: Option<Millis>,
    /// `NULL` if the account is not a moderator's.
    pub moderator_since: Option<Millis>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
