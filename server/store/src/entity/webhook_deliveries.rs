//! Deliveries to webhooks, waiting and done.

use sea_orm::entity::prelude::*;

use super::Millis;

#[derive(Clone, Debug, DeriveEntityModel)]
#[sea_orm(table_name = "webhook_deliveries")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub webhook_id: Uuid,
    /// The type of the event.
    pub kind: String,
    /// `NULL` in a test.
    pub itinerary_id: Option<Uuid>,
    pub etag: Option<String>,
    /// When the event happened.
    pub at: Millis,
    /// `pending`, `sending`, `succeeded`, `failed` or `replaced`.
    pub state: String,
    /// Attempts that have begun.
    pub attempts: i64,
    pub created_at: Millis,
    /// When the last attempt began.
    pub last_at: Option<Millis>,
    /// When the next attempt is due. While one is in progress, when it is given up.
    pub next_at: Option<Millis>,
    /// The HTTP status of the last response.
    pub status: Option<i64>,
    /// The start of the last response's body.
    pub body: Option<String>,
    /// Why the last attempt has failed.
    pub failure: Option<String>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {
    #[sea_orm(belongs_to = "super::webhooks::Entity", from = "Column::WebhookId", to = "super::webhooks::Column::Id")]
    Webhook,
}

impl Related<super::webhooks::Entity> for Entity {
    fn to() -> RelationDef {
        Relation::Webhook.def()
    }
}

impl ActiveModelBehavior for ActiveModel {}
