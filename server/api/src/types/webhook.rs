//! Webhooks: addresses to which the server sends events, and the log of deliveries.
//!
//! The events are those of the change feed (`change.rs`), and a test event.

use schemars::JsonSchema;
use schemars::r#gen::SchemaGenerator;
use schemars::schema::Schema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use uuid::Uuid;

use super::page::hyphenated;
use super::{ChangeType, Label};
use crate::values::{Change, Ignored, List, Patch, Timestamp, WebhookUrl};

/// The name of the event that a test sends.
pub const TEST_EVENT: &str = "webhook.test";

/// The types of events that a webhook gets, each once, at least one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebhookTypes(Vec<ChangeType>);

impl WebhookTypes {
    /// The types, in the order of [`ChangeType::ALL`].
    pub fn as_slice(&self) -> &[ChangeType] {
        &self.0
    }
}

impl<'de> Deserialize<'de> for WebhookTypes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let named = List::<ChangeType, { ChangeType::ALL.len() }>::deserialize(deserializer)?;
        if named.is_empty() {
            return Err(D::Error::custom("must have at least one entry"));
        }
        Ok(Self(ChangeType::ALL.into_iter().filter(|kind| named.contains(kind)).collect()))
    }
}

impl JsonSchema for WebhookTypes {
    fn schema_name() -> String {
        "WebhookTypes".to_owned()
    }

    fn is_referenceable() -> bool {
        false
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = List::<ChangeType, { ChangeType::ALL.len() }>::json_schema(generator).into_object();
        schema.array().min_items = Some(1);
        schema.into()
    }
}

/// A new webhook of the app for the traveller.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WebhookCreate {
    /// The address to which the server sends events.
    pub url: WebhookUrl,
    /// The types of events to send, at least one.
    pub types: WebhookTypes,
    /// What the webhook is for, 1 to 200 characters.
    #[serde(default)]
    pub description: Option<Label>,
}

/// A JSON merge patch for a webhook: an absent field is kept, `null` clears `description`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct WebhookPatch {
    /// The address to which the server sends events, also those that are not delivered yet. Cannot be cleared.
    pub url: Change<WebhookUrl>,
    /// The types of events to send, at least one. Cannot be cleared.
    pub types: Change<WebhookTypes>,
    /// What the webhook is for, 1 to 200 characters.
    pub description: Patch<Label>,
    /// Whether the server sends events. A webhook that is enabled gets the events from then on. Cannot be cleared.
    pub enabled: Change<bool>,
    #[schemars(skip)]
    id: Ignored,
    #[schemars(skip)]
    disabled_reason: Ignored,
    #[schemars(skip)]
    failing_since: Ignored,
    #[schemars(skip)]
    created_at: Ignored,
}

/// Why the server has disabled a webhook: `gone`, the receiver has responded with 410; `failing`, every attempt of the
/// last five days has failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[allow(missing_docs, reason = "a comment on a variant would turn the schema's plain list into a oneOf")]
pub enum DisabledReason {
    Gone,
    Failing,
}

/// An address to which the server sends events of the traveller's itineraries, for the app that has created it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Webhook {
    /// The id of the webhook, a UUID.
    pub id: Uuid,
    /// The address to which the server sends events.
    pub url: String,
    /// The types of events that are sent.
    pub types: Vec<ChangeType>,
    /// What the webhook is for. Absent if it has no description.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Whether the server sends events.
    pub enabled: bool,
    /// Why the server has disabled it. Absent if it is enabled, or was disabled by an app.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disabled_reason: Option<DisabledReason>,
    /// Since when every attempt has failed, in UTC. Absent if the last one has succeeded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failing_since: Option<Timestamp>,
    /// When the webhook was created, in UTC.
    pub created_at: Timestamp,
    /// The secret with which deliveries are signed, `whsec_` and base64. Only in the response that creates the webhook or
    /// rotates its secret: store it then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret: Option<String>,
}

/// The status of a delivery: `pending`, an attempt is in progress or follows; `succeeded`, the receiver has responded with
/// 2xx; `failed`, no attempt follows; `replaced`, a newer event of the same itinerary was sent instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[allow(missing_docs, reason = "a comment on a variant would turn the schema's plain list into a oneOf")]
pub enum DeliveryStatus {
    Pending,
    Succeeded,
    Failed,
    Replaced,
}

/// An event that was or will be sent to a webhook, with its attempts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WebhookDelivery {
    /// The id of the delivery, a UUID: the header `webhook-id` of each attempt.
    pub id: Uuid,
    /// The type of the event: one of the webhook's types, or `webhook.test`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The id of the itinerary, a UUID. Absent from a test.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub itinerary_id: Option<Uuid>,
    /// The status of the delivery.
    pub status: DeliveryStatus,
    /// The number of attempts, the one in progress included.
    pub attempts: i64,
    /// When the event was put into the queue, in UTC.
    pub created_at: Timestamp,
    /// When the last attempt began, in UTC. Absent before the first one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_attempt_at: Option<Timestamp>,
    /// When the next attempt is due, in UTC. Absent if none follows, and during an attempt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_attempt_at: Option<Timestamp>,
    /// The HTTP status of the last response. Absent if the last attempt had none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response_status: Option<i64>,
    /// The first 1,024 bytes of the last response's body, as text. Absent if it had none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response_body: Option<String>,
    /// Why the last attempt has failed, such as `no response within 15 seconds`. Absent if it has succeeded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
}

/// Names a webhook, in an address.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
pub struct WebhookPath {
    /// The id of the webhook, a UUID.
    #[serde(rename = "webhookId", deserialize_with = "hyphenated")]
    pub webhook_id: Uuid,
}

/// Names a delivery of a webhook, in an address.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
pub struct DeliveryPath {
    /// The id of the webhook, a UUID.
    #[serde(rename = "webhookId", deserialize_with = "hyphenated")]
    pub webhook_id: Uuid,
    /// The id of the delivery, a UUID.
    #[serde(rename = "deliveryId", deserialize_with = "hyphenated")]
    pub delivery_id: Uuid,
}

/// The body that is posted to a webhook.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct WebhookEvent {
    /// The type of the event.
    #[serde(rename = "type")]
    pub kind: ChangeType,
    /// When the event happened, in UTC.
    pub timestamp: Timestamp,
    /// What has changed, and when.
    pub data: WebhookEventData,
}

/// What has changed, for the traveller of the webhook.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WebhookEventData {
    /// The id of the itinerary, a UUID.
    pub itinerary_id: Uuid,
    /// The `ETag` of the itinerary as the traveller saw it when the event was put into the queue, with its quotes. A copy
    /// with this tag was current then. Absent with `itinerary.deleted` and `itinerary.unshared`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub etag: Option<String>,
    /// When the event happened, in UTC.
    pub at: Timestamp,
}

/// The body of a test.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct WebhookTest {
    /// The type of the event: `webhook.test`.
    #[serde(rename = "type")]
    pub kind: WebhookTestType,
    /// When the test was requested, in UTC.
    pub timestamp: Timestamp,
    /// When the test was requested.
    pub data: WebhookTestData,
}

/// The type of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[allow(missing_docs, reason = "a comment on a variant would turn the schema's plain list into a oneOf")]
pub enum WebhookTestType {
    #[serde(rename = "webhook.test")]
    Test,
}

/// When the test was requested.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct WebhookTestData {
    /// When the test was requested, in UTC.
    pub at: Timestamp,
}
