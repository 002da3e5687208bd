//! Delivers events: signs them as in Standard Webhooks, posts them, and plans the next attempt.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use bytes::Bytes;
use chrono::{DateTime, TimeDelta, Utc};
use http::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use itinerary_api::types::{ChangeType, WebhookEvent, WebhookEventData, WebhookTest, WebhookTestData, WebhookTestType};
use itinerary_api::values::Timestamp;
use itinerary_platform::context::Service;
use itinerary_providers::{Failure, WebhookResponse};
use itinerary_store::{Attempt, AttemptOutcome, ClaimedDelivery, SendingWebhook};
use standardwebhooks::{HEADER_WEBHOOK_ID, HEADER_WEBHOOK_SIGNATURE, HEADER_WEBHOOK_TIMESTAMP};
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::Instant;
use url::Url;

use super::purpose;
use crate::Result;

/// The time for an attempt.
const TIMEOUT: Duration = Duration::from_secs(15);

/// How long an attempt is this server's: if it is killed, another one makes the next attempt afterwards.
const CLAIMED: TimeDelta = TimeDelta::seconds(45);

/// The number of attempts that are claimed at once.
const AT_ONCE: usize = 64;

/// How long after each failed attempt the next one is made. None follows the tenth.
const DELAYS: [TimeDelta; 9] = [
    TimeDelta::seconds(5),
    TimeDelta::minutes(5),
    TimeDelta::minutes(30),
    TimeDelta::hours(2),
    TimeDelta::hours(5),
    TimeDelta::hours(10),
    TimeDelta::hours(14),
    TimeDelta::hours(20),
    TimeDelta::hours(24),
];

/// The longest delay that a receiver can ask for.
const LONGEST_RETRY_AFTER: TimeDelta = TimeDelta::hours(24);

/// Claims the attempts that are due, as far as this server has room, and starts them.
pub(super) async fn start_due(service: &Arc<Service>) -> Result<()> {
    loop {
        let room = service.webhook_attempts.available_permits().min(AT_ONCE);
        // Before the claim, so that each claimed attempt starts at once. Otherwise its claim could expire first.
        let permits = Arc::clone(&service.webhook_attempts).try_acquire_many_owned(u32::try_from(room).unwrap_or(0));
        let Ok(mut permits) = permits else { return Ok(()) };
        if room == 0 || service.stopping.load(Ordering::Relaxed) {
            return Ok(());
        }
        let now = service.clock.now();
        let claimed = service.store.deliveries_claim(room, now, now + CLAIMED).await?;
        if claimed.is_empty() {
            return Ok(());
        }
        for delivery in claimed {
            start(Arc::clone(service), delivery, permits.split(1));
        }
    }
}

/// Starts an attempt, which holds `permit`. Then starts those that are due, because the host may have been at its limit.
fn start(service: Arc<Service>, delivery: ClaimedDelivery, permit: Option<OwnedSemaphorePermit>) {
    tokio::spawn(async move {
        attempt(&service, &delivery).await;
        drop(permit);
        if let Err(error) = start_due(&service).await {
            tracing::warn!(error = error.for_log(), "webhooks cannot be served");
        }
    });
}

/// Makes an attempt and records how it ended.
async fn attempt(service: &Service, delivery: &ClaimedDelivery) {
    let response = post(service, delivery).await;
    service.metrics.webhook_attempt(match &response {
        Ok(response) if is_success(response.status) => "ok",
        Ok(_) => "status",
        Err(failure) => failure.kind(),
    });
    if response == Err(Failure::NotSetUp) {
        let webhook = delivery.webhook.id;
        tracing::error!(%webhook, "no event can be sent: the server's key is another one, or the system has no certificates");
    }
    let now = service.clock.now();
    let outcome = outcome(&delivery.attempt, response, now);
    if let Err(error) = service.store.delivery_end(delivery, outcome, ChangeType::Updated.name(), now).await {
        // The attempt is due again once its claim has ended.
        tracing::warn!(error = &error as &dyn std::error::Error, "the attempt of a delivery was not recorded");
    }
}

async fn post(service: &Service, delivery: &ClaimedDelivery) -> std::result::Result<WebhookResponse, Failure> {
    let ClaimedDelivery { webhook, attempt } = delivery;
    let refused = |what: String| Failure::Unsupported(format!("the URL {what}"));
    let url = Url::parse(&webhook.url).map_err(|error| refused(error.to_string()))?;
    // The settings may have changed.
    service.config.webhooks.check(&url).map_err(refused)?;
    let body = body_of(attempt);
    let headers = headers(service, webhook, attempt, &body).ok_or(Failure::NotSetUp)?;
    service.ports.webhooks.post(&url, headers, body, Instant::now() + TIMEOUT).await
}

fn body_of(attempt: &Attempt) -> Bytes {
    let at = Timestamp(attempt.at);
    let kind = ChangeType::ALL.into_iter().find(|kind| kind.name() == attempt.kind);
    let json = if let (Some(kind), Some(itinerary_id)) = (kind, attempt.itinerary_id) {
        let data = WebhookEventData { itinerary_id, etag: attempt.etag.clone(), at };
        serde_json::to_vec(&WebhookEvent { kind, timestamp: at, data })
    } else {
        let data = WebhookTestData { at };
        serde_json::to_vec(&WebhookTest { kind: WebhookTestType::Test, timestamp: at, data })
    };
    json.expect("wire types are plain data").into()
}

/// The headers of an attempt. `None` if the secret was sealed with another key.
fn headers(service: &Service, webhook: &SendingWebhook, attempt: &Attempt, body: &[u8]) -> Option<HeaderMap> {
    let (id, seconds) = (attempt.id.to_string(), service.clock.now().timestamp());
    let sign = |sealed: &String| {
        let secret = service.key.open(&purpose(webhook.id), sealed)?;
        let signer = standardwebhooks::Webhook::new(std::str::from_utf8(&secret).ok()?).ok()?;
        signer.sign(&id, seconds, body).ok()
    };
    let mut signatures = sign(&webhook.secret)?;
    if let Some(former) = webhook.former_secret.as_ref().and_then(sign) {
        signatures = format!("{signatures} {former}");
    }
    let rows = [
        (HEADER_WEBHOOK_ID, id),
        (HEADER_WEBHOOK_TIMESTAMP, seconds.to_string()),
        (HEADER_WEBHOOK_SIGNATURE, signatures),
    ];
    let mut headers = HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static("application/json"))]);
    for (name, value) in rows {
        headers.insert(HeaderName::from_static(name), HeaderValue::try_from(value).ok()?);
    }
    Some(headers)
}

fn outcome(
    attempt: &Attempt,
    response: std::result::Result<WebhookResponse, Failure>,
    now: DateTime<Utc>,
) -> AttemptOutcome {
    let planned = usize::try_from(attempt.number - 1).ok().and_then(|past| DELAYS.get(past)).copied();
    match response {
        // Not limited by the number of attempts: the receiver has not failed.
        Err(failure @ Failure::NotSetUp) => AttemptOutcome {
            failure: Some(in_words(&failure)),
            next_at: Some(now + DELAYS[1]),
            is_ours: true,
            ..AttemptOutcome::default()
        },
        Err(failure) => AttemptOutcome {
            failure: Some(in_words(&failure)),
            next_at: planned.map(|delay| now + delay),
            ..AttemptOutcome::default()
        },
        Ok(response) => {
            let has_succeeded = is_success(response.status);
            let asked = response.retry_after.as_deref().and_then(|value| retry_after(value, now)).unwrap_or_default();
            let delay = planned.map(|planned| planned.max(asked)).filter(|_| !has_succeeded);
            AttemptOutcome {
                status: Some(response.status.into()),
                body: text_of(&response.body),
                failure: (!has_succeeded).then(|| format!("the response had the status {}", response.status)),
                next_at: delay.map(|delay| now + delay),
                is_gone: response.status == 410,
                is_ours: false,
            }
        }
    }
}

fn is_success(status: u16) -> bool {
    (200..300).contains(&status)
}

/// The delay that `Retry-After` asks for, in seconds or until a date, at most a day.
fn retry_after(value: &str, now: DateTime<Utc>) -> Option<TimeDelta> {
    let delay = match value.trim().parse::<u32>() {
        Ok(seconds) => TimeDelta::seconds(seconds.into()),
        Err(_) => DateTime::parse_from_rfc2822(value.trim()).ok()?.with_timezone(&Utc) - now,
    };
    Some(delay.clamp(TimeDelta::zero(), LONGEST_RETRY_AFTER))
}

/// A body as text, which the databases can store. `None` if it is empty.
fn text_of(body: &[u8]) -> Option<String> {
    (!body.is_empty()).then(|| String::from_utf8_lossy(body).replace('\0', "\u{FFFD}"))
}

/// Why an attempt has failed, for the log of deliveries. It does not say whether a name has a private address or none: that
/// would tell the names of the operator's network.
fn in_words(failure: &Failure) -> String {
    match failure {
        Failure::TimedOut => format!("no response within {} seconds", TIMEOUT.as_secs()),
        Failure::Unreachable | Failure::Refused(_) => {
            "no connection: the host has no public address, refuses connections, or has no valid certificate".to_owned()
        }
        Failure::Unsupported(what) => what.clone(),
        _ => "the server cannot send at the moment; its operator knows why".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use chrono::TimeZone;

    use super::*;

    fn attempt(number: i64) -> Attempt {
        let at = Utc.timestamp_opt(0, 0).single().expect("an instant");
        Attempt { id: uuid::Uuid::nil(), kind: "webhook.test".to_owned(), itinerary_id: None, etag: None, at, number }
    }

    fn response(status: u16, retry_after: Option<&str>) -> WebhookResponse {
        WebhookResponse { status, retry_after: retry_after.map(str::to_owned), body: Vec::new() }
    }

    fn delay(number: i64, status: u16, retry_after: Option<&str>) -> Option<TimeDelta> {
        let now = Utc.timestamp_opt(1_000_000_000, 0).single().expect("an instant");
        outcome(&attempt(number), Ok(response(status, retry_after)), now).next_at.map(|at| at - now)
    }

    #[test]
    fn nine_delays_follow_ten_attempts() {
        let delays: Vec<_> = (1..=11).map(|number| delay(number, 500, None)).collect();
        let expected = DELAYS.map(Some).into_iter().chain([None, None]).collect::<Vec<_>>();
        assert_eq!(delays, expected);
        assert_eq!(delay(1, 204, None), None);
        assert_eq!(delay(1, 302, None), Some(DELAYS[0]));
    }

    #[test]
    fn retry_after_delays_the_next_attempt_for_at_most_a_day() {
        assert_eq!(delay(1, 429, Some("120")), Some(TimeDelta::minutes(2)));
        assert_eq!(delay(1, 503, Some("Sun, 09 Sep 2001 01:56:40 GMT")), Some(TimeDelta::minutes(10)));
        assert_eq!(delay(1, 503, Some("4000000000")), Some(TimeDelta::hours(24)));
        // It makes nothing earlier, and no attempt follows the last one.
        assert_eq!(delay(4, 503, Some("1")), Some(TimeDelta::hours(2)));
        assert_eq!(delay(1, 503, Some("-5")), Some(DELAYS[0]));
        assert_eq!(delay(1, 503, Some("soon")), Some(DELAYS[0]));
        assert_eq!(delay(10, 503, Some("60")), None);
    }
}
