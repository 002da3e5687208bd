//! What was done with accounts, by whom, and from where.

use sea_orm::entity::prelude::*;

use super::Millis;

#[derive(Clone, Debug, DeriveEntityModel)]
#[sea_orm(table_name = "audit_log")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub created_at: Millis,
    /// `NULL` for a sign-in under an unknown name, and after the account was erased.
    pub account_id: Option<Uuid>,
    /// Who acted: `traveller`, `app`, `moderator`, `operator` or `server`.
    pub actor: String,
    /// The moderator's account.
    pub actor_id: Option<Uuid>,
    pub event: String,
    /// The app or token.
    pub client_id: Option<String>,
    /// The IP address; `NULL` after 90 days.
    pub address: Option<String>,
    pub detail: Option<String>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
