//! Verifying the requests that the service sends to a webhook, which follow [Standard Webhooks](https://www.standardwebhooks.com).
//!
//! Does not receive requests: a receiver passes their headers and body to [`verify`]. The example `webhook_receiver` is one.

use chrono::{DateTime, FixedOffset};
use reqwest::header::HeaderMap;
use serde::{Deserialize, Serialize};
use standardwebhooks::Webhook;
use uuid::Uuid;

use crate::error::{ApiError, ErrorExt};
use crate::open::Open;

/// An event that the service delivers to a webhook.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct WebhookEvent {
    /// What happened.
    #[serde(rename = "type")]
    pub kind: Open<WebhookEventType>,
    /// When the event was made, in UTC. Events can arrive in another order than they happened.
    pub timestamp: DateTime<FixedOffset>,
    /// What it happened to.
    pub data: WebhookEventData,
}

/// What an event is about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct WebhookEventData {
    /// The id of the itinerary. `None` for [`WebhookEventType::Test`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub itinerary_id: Option<Uuid>,
    /// The `ETag` of the itinerary, with its quotes. A copy with this tag is current. `None` if the caller can no longer see
    /// the itinerary.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub etag: Option<String>,
    /// When it happened, in UTC.
    pub at: DateTime<FixedOffset>,
}

/// The types of events. Those of itineraries are also the types of changes in the feed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum WebhookEventType {
    /// The itinerary was created or has a new version, or the caller's role has changed.
    #[serde(rename = "itinerary.updated")]
    Updated,
    /// The itinerary was deleted.
    #[serde(rename = "itinerary.deleted")]
    Deleted,
    /// The caller became a member of the itinerary.
    #[serde(rename = "itinerary.shared")]
    Shared,
    /// The caller is no longer a member of the itinerary.
    #[serde(rename = "itinerary.unshared")]
    Unshared,
    /// A test that the caller has requested.
    #[serde(rename = "webhook.test")]
    Test,
}

impl std::fmt::Display for WebhookEventType {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Updated => "itinerary.updated",
            Self::Deleted => "itinerary.deleted",
            Self::Shared => "itinerary.shared",
            Self::Unshared => "itinerary.unshared",
            Self::Test => "webhook.test",
        })
    }
}

/// Why a request is not accepted as one of the service. A receiver responds with 400 or 401.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WebhookError {
    /// The secret is not the `secret` of a webhook, `whsec_` and base64.
    #[error("the secret is not that of a webhook")]
    InvalidSecret,
    /// A header is absent or malformed, or no signature is that of the secret.
    #[error("the request is not signed with the secret of the webhook: {0}")]
    InvalidSignature(String),
    /// The request is more than five minutes old or in the future: a repetition, or a clock that is wrong.
    #[error("the timestamp of the request is more than five minutes from now")]
    InvalidTimestamp,
    /// The body is signed but is not an event that this version of the SDK can read.
    #[error("the body of the request is not an event: {0}")]
    InvalidBody(#[from] serde_json::Error),
}

impl ErrorExt for WebhookError {
    fn code(&self) -> &str {
        match self {
            Self::InvalidSecret => "invalidSecret",
            Self::InvalidSignature(_) => "invalidSignature",
            Self::InvalidTimestamp => "invalidTimestamp",
            Self::InvalidBody(_) => "invalidBody",
        }
    }

    fn api_error(&self) -> Option<&ApiError> {
        None
    }
}

/// Verifies that a request comes from the service and is at most five minutes old, and returns its event.
///
/// `body` is the body as it was received, byte for byte. `secret` is the `secret` of the webhook, `whsec_…`. While a secret is
/// rotated, requests have signatures of both, so either is accepted. An event can be delivered more than once, with the same
/// header `webhook-id`.
///
/// ```
/// use itinerary_sdk::webhooks::{self, WebhookError, WebhookEventType};
/// use reqwest::header::HeaderMap;
///
/// fn receive(headers: &HeaderMap, body: &[u8], secret: &str) -> Result<(), WebhookError> {
///     let event = webhooks::verify(headers, body, secret)?;
///     if event.kind == WebhookEventType::Updated {
///         println!("{:?} has changed", event.data.itinerary_id);
///     }
///     Ok(())
/// }
/// # assert!(receive(&HeaderMap::new(), b"{}", "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD").is_err());
/// ```
pub fn verify(headers: &HeaderMap, body: &[u8], secret: &str) -> Result<WebhookEvent, WebhookError> {
    let webhook = Webhook::new(secret.trim()).map_err(|_| WebhookError::InvalidSecret)?;
    webhook.verify(body, headers).map_err(|error| match error {
        standardwebhooks::WebhookError::TimestampTooOldError | standardwebhooks::WebhookError::FutureTimestampError => {
            WebhookError::InvalidTimestamp
        }
        error => WebhookError::InvalidSignature(error.to_string()),
    })?;
    Ok(serde_json::from_slice(body)?)
}

#[cfg(test)]
mod tests {
    use std::time::{SystemTime, UNIX_EPOCH};

    use super::*;

    const SECRET: &str = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";
    const OTHER: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    const BODY: &str = r#"{"type":"itinerary.updated","timestamp":"2027-01-10T12:00:00.000Z","data":{"itineraryId":"0190a1b2-0000-7000-8000-000000000001","etag":"\"v2.m\"","at":"2027-01-10T11:59:59.000Z"}}"#;

    #[expect(clippy::disallowed_methods, reason = "the library compares with the machine's clock")]
    fn now() -> i64 {
        SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs().try_into().unwrap()
    }

    /// The headers of a request with the signatures of these secrets.
    fn signed(body: &str, at: i64, secrets: &[&str]) -> HeaderMap {
        let sign = |secret: &&str| Webhook::new(secret).unwrap().sign("msg_1", at, body.as_bytes()).unwrap();
        let signatures = secrets.iter().map(sign).collect::<Vec<_>>().join(" ");
        let mut headers = HeaderMap::new();
        headers.insert("webhook-id", "msg_1".parse().unwrap());
        headers.insert("webhook-timestamp", at.into());
        headers.insert("webhook-signature", signatures.parse().unwrap());
        headers
    }

    #[test]
    fn a_signed_request_is_an_event() {
        let event = verify(&signed(BODY, now(), &[SECRET]), BODY.as_bytes(), SECRET).unwrap();
        assert_eq!(event.kind, WebhookEventType::Updated);
        assert_eq!(event.data.itinerary_id, Some(Uuid::from_u128(0x0190_a1b2_0000_7000_8000_0000_0000_0001)));
        assert_eq!((event.data.etag.as_deref(), event.timestamp.timestamp()), (Some("\"v2.m\""), 1_799_582_400));
    }

    #[test]
    fn while_a_secret_is_rotated_either_is_accepted() {
        let headers = signed(BODY, now(), &[OTHER, SECRET]);
        for secret in [SECRET, OTHER, &format!("{SECRET}\n")] {
            verify(&headers, BODY.as_bytes(), secret).unwrap();
        }
    }

    #[test]
    fn an_altered_or_unsigned_request_is_refused() {
        let headers = signed(BODY, now(), &[SECRET]);
        let altered = BODY.replace("v2", "v3");
        let refused =
            |headers: &HeaderMap, body: &str| verify(headers, body.as_bytes(), SECRET).unwrap_err().code().to_owned();
        assert_eq!(refused(&headers, &altered), "invalidSignature");
        assert_eq!(refused(&signed(BODY, now(), &[OTHER]), BODY), "invalidSignature");
        for name in ["webhook-id", "webhook-timestamp", "webhook-signature"] {
            let mut without = headers.clone();
            without.remove(name);
            assert_eq!(refused(&without, BODY), "invalidSignature", "{name}");
        }
        for minutes in [-6, 6] {
            assert_eq!(refused(&signed(BODY, now() + 60 * minutes, &[SECRET]), BODY), "invalidTimestamp");
        }
        let error = verify(&headers, BODY.as_bytes(), "whsec_?").unwrap_err();
        assert_eq!(error.code(), "invalidSecret");
    }

    #[test]
    fn later_types_and_fields_are_accepted() {
        let body =
            r#"{"type":"moon.full","timestamp":"2027-01-10T12:00:00Z","data":{"at":"2027-01-10T12:00:00Z","mood":1}}"#;
        let event = verify(&signed(body, now(), &[SECRET]), body.as_bytes(), SECRET).unwrap();
        assert_eq!((event.kind.to_string().as_str(), event.data.itinerary_id), ("moon.full", None));
        let test = body.replace("moon.full", "webhook.test");
        let event = verify(&signed(&test, now(), &[SECRET]), test.as_bytes(), SECRET).unwrap();
        assert_eq!(event.kind, WebhookEventType::Test);
        let error = verify(&signed("[]", now(), &[SECRET]), b"[]", SECRET).unwrap_err();
        assert_eq!(error.code(), "invalidBody");
    }
}
