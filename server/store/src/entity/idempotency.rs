//! Stored responses of writes, by idempotency key.

use sea_orm::entity::prelude::*;

use super::Millis;

#[derive(Clone, Debug, DeriveEntityModel)]
#[sea_orm(table_name = "idempotency")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub account_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub client_id: String,
    /// Operation and path.
    #[sea_orm(primary_key, auto_increment = false)]
    pub operation: String,
    #[sea_orm(primary_key, auto_increment = false)]
    pub key: Uuid,
    /// The SHA-256 of the request.
    pub fingerprint: Vec<u8>,
    pub status: i16,
    pub etag: Option<String>,
    pub location: Option<String>,
    /// No foreign key: the response is stored before the itinerary.
    pub itinerary_id: Option<Uuid>,
    pub created_at: Millis,
    /// Packed: see `crate::packed`.
    pub body: Vec<u8>,
    /// The value of `answer_usage.answers` when it was stored.
    pub number: i64,
    /// The value of `answer_usage.bytes` before it was stored.
    pub bytes_before: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
