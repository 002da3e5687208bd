//! Webhooks: addresses to which events are sent.

use sea_orm::entity::prelude::*;

use super::Millis;

#[derive(Clone, Debug, DeriveEntityModel)]
#[sea_orm(table_name = "webhooks")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub account_id: Uuid,
    pub client_id: String,
    pub url: String,
    /// The host and port of `url`.
    pub host: String,
    /// Types of events, separated by spaces.
    pub types: String,
    pub description: Option<String>,
    /// Sealed.
    pub secret: String,
    /// The secret before the last rotation, sealed. It is used until `former_until`.
    pub former_secret: Option<String>,
    pub former_until: Option<Millis>,
    /// `app`, `gone` or `failing`; `NULL` while it is enabled.
    pub disabled: Option<String>,
    /// The feed's epoch to which `position` belongs.
    pub epoch: String,
    /// The position up to which the feed was read for it.
    pub position: i64,
    /// Since when every attempt has failed.
    pub failing_since: Option<Millis>,
    /// Since when the app has no grant.
    pub paused_since: Option<Millis>,
    /// The first `next_at` of its deliveries.
    pub due_at: Option<Millis>,
    /// When an attempt was last claimed.
    pub claimed_at: Option<Millis>,
    pub created_at: Millis,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
