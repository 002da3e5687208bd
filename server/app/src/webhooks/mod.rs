//! Webhooks: creating and changing them, and the log of their deliveries.
//!
//! A webhook belongs to an app and an account; others do not see it. `queue.rs` puts the account's changes into its
//! queue, `deliver.rs` sends them, and `worker.rs` starts both when there is something to do.

mod deliver;
mod queue;
mod worker;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use chrono::{DateTime, TimeDelta, Utc};
use itinerary_api::read::FieldError;
use itinerary_api::request_state::Caller;
use itinerary_api::types::{
    ChangeType, DeliveryStatus, DisabledReason, ItemList, Page, PageQuery, TEST_EVENT, Webhook, WebhookCreate,
    WebhookDelivery, WebhookPatch, WebhookTypes,
};
use itinerary_api::values::{Change, Patch, Timestamp, WebhookUrl};
use itinerary_core::clock::Random;
use itinerary_core::ids;
use itinerary_platform::context::Service;
use itinerary_store::{
    DeliveryRow, DeliveryState, NewWebhook, QueueOutcome, WEBHOOKS_PER_APP, WebhookChange, WebhookCreated,
    WebhookDisabled, WebhookRow,
};
use url::Url;
use uuid::Uuid;

use super::changes::settle_new;
use super::page::Paging;
use super::{Error, Quota, Result};

pub use queue::check;
pub use worker::Worker;

/// How long deliveries are signed with the former secret, too.
const ROTATION: TimeDelta = TimeDelta::hours(24);

/// How secrets begin.
const SECRET_PREFIX: &str = "whsec_";

const DISABLED: &str = "The webhook is disabled. Enable it first.";

/// The webhooks of the app for the caller, newest first.
pub async fn list(service: &Service, caller: &Caller) -> Result<ItemList<Webhook>> {
    let rows = service.store.webhooks(caller.account, &caller.client).await?;
    Ok(ItemList { data: rows.into_iter().map(|row| webhook_of(row, None)).collect() })
}

/// Creates a webhook, which gets the changes from now on.
pub async fn create(service: &Service, caller: &Caller, body: WebhookCreate) -> Result<Webhook> {
    let now = service.clock.now();
    let id = ids::uuid(now, &*service.random);
    let host = checked(service, &body.url)?;
    let secret = new_secret(&*service.random);
    let webhook = NewWebhook {
        id,
        account_id: caller.account,
        client_id: caller.client.clone(),
        url: body.url.to_string(),
        host,
        types: names(&body.types),
        description: body.description.map(|text| text.to_string()),
        secret: seal(service, id, &secret),
        created_at: now,
    };
    settle_new(service).await?;
    match service.store.webhook_create(webhook).await? {
        WebhookCreated::Created => {}
        WebhookCreated::Full => return Err(Error::OverQuota(Quota::Webhooks(WEBHOOKS_PER_APP))),
        WebhookCreated::NoAccount => return Err(Error::NotFound),
    }
    let row = service.store.webhook(id, caller.account, &caller.client).await?.ok_or(Error::NotFound)?;
    Ok(webhook_of(row, Some(secret)))
}

pub async fn view(service: &Service, caller: &Caller, id: Uuid) -> Result<Webhook> {
    let row = service.store.webhook(id, caller.account, &caller.client).await?;
    row.map(|row| webhook_of(row, None)).ok_or(Error::NotFound)
}

pub async fn update(service: &Service, caller: &Caller, id: Uuid, patch: WebhookPatch) -> Result<Webhook> {
    let url = match patch.url {
        Change::Absent => None,
        Change::Value(url) => Some((url.to_string(), checked(service, &url)?)),
    };
    let change = WebhookChange {
        url,
        types: if let Change::Value(types) = patch.types { Some(names(&types)) } else { None },
        description: match patch.description {
            Patch::Absent => None,
            Patch::Null => Some(None),
            Patch::Value(text) => Some(Some(text.to_string())),
        },
        enabled: if let Change::Value(enabled) = patch.enabled { Some(enabled) } else { None },
    };
    if change.enabled == Some(true) {
        settle_new(service).await?;
    }
    let row = service.store.webhook_update(id, caller.account, &caller.client, change).await?;
    row.map(|row| webhook_of(row, None)).ok_or(Error::NotFound)
}

pub async fn delete(service: &Service, caller: &Caller, id: Uuid) -> Result<()> {
    let deleted = service.store.webhook_delete(id, caller.account, &caller.client).await?;
    if deleted { Ok(()) } else { Err(Error::NotFound) }
}

/// Gives a webhook a new secret. Deliveries are signed with the former one, too, for a day.
pub async fn rotate_secret(service: &Service, caller: &Caller, id: Uuid) -> Result<Webhook> {
    let secret = new_secret(&*service.random);
    let (sealed, until) = (seal(service, id, &secret), service.clock.now() + ROTATION);
    let store = &service.store;
    if !store.webhook_rotate_secret(id, caller.account, &caller.client, &sealed, until).await? {
        return Err(Error::NotFound);
    }
    let row = store.webhook(id, caller.account, &caller.client).await?.ok_or(Error::NotFound)?;
    Ok(webhook_of(row, Some(secret)))
}

/// Queues a test event.
pub async fn test(service: &Service, caller: &Caller, id: Uuid) -> Result<WebhookDelivery> {
    let now = service.clock.now();
    let event = (ids::uuid(now, &*service.random), TEST_EVENT);
    queued(service.store.webhook_test(id, caller.account, &caller.client, event, now).await?)
}

/// Makes the next attempt of a delivery now.
pub async fn redeliver(service: &Service, caller: &Caller, id: Uuid, delivery: Uuid) -> Result<WebhookDelivery> {
    let now = service.clock.now();
    queued(service.store.webhook_redeliver(id, caller.account, &caller.client, delivery, now).await?)
}

/// One page of a webhook's deliveries, newest first.
pub async fn deliveries(
    service: &Service,
    caller: &Caller,
    id: Uuid,
    query: PageQuery,
) -> Result<Page<WebhookDelivery>> {
    let paging = Paging::new(service, format!("webhook_delivery_list {} {id}", caller.account), query.limit);
    let after: Option<(DateTime<Utc>, Uuid)> = paging.after(query.cursor.as_deref())?;
    let rows = service.store.delivery_page(id, caller.account, &caller.client, after, paging.wanted()).await?;
    let mut rows = rows.ok_or(Error::NotFound)?;
    let next_cursor = paging.cut(&mut rows, |row| (row.created_at, row.id));
    Ok(Page { data: rows.into_iter().map(delivery_of).collect(), next_cursor })
}

fn queued(write: QueueOutcome) -> Result<WebhookDelivery> {
    match write {
        QueueOutcome::Queued(row) => Ok(delivery_of(row)),
        QueueOutcome::Disabled => Err(Error::Conflict(DISABLED)),
        QueueOutcome::Missing => Err(Error::NotFound),
    }
}

/// Checks scheme, port and a literal address of a URL. Returns its host and port. A name is resolved with each attempt.
fn checked(service: &Service, url: &WebhookUrl) -> Result<String> {
    let invalid = |message: String| Error::from(FieldError::new("url", message));
    let url = Url::parse(url).map_err(|error| invalid(format!("must be a valid URL: {error}")))?;
    service.config.webhooks.check(&url).map_err(invalid)?;
    service.ports.webhooks.check(&url).map_err(invalid)?;
    Ok(format!("{}:{}", url.host_str().unwrap_or_default(), url.port_or_known_default().unwrap_or_default()))
}

/// The names of types, separated by spaces.
fn names(types: &WebhookTypes) -> String {
    types.as_slice().iter().map(|kind| kind.name()).collect::<Vec<_>>().join(" ")
}

/// The types of these names.
fn types_of(names: &str) -> Vec<ChangeType> {
    ChangeType::ALL.into_iter().filter(|kind| names.split(' ').any(|name| name == kind.name())).collect()
}

/// 256 random bits, as Standard Webhooks writes secrets.
fn new_secret(random: &dyn Random) -> String {
    format!("{SECRET_PREFIX}{}", STANDARD.encode(random.bytes::<32>()))
}

fn seal(service: &Service, id: Uuid, secret: &str) -> String {
    service.key.seal(&purpose(id), secret.as_bytes(), &*service.random)
}

/// The purpose for which the secret of a webhook is sealed.
fn purpose(id: Uuid) -> String {
    format!("webhook {id}")
}

fn webhook_of(row: WebhookRow, secret: Option<String>) -> Webhook {
    Webhook {
        id: row.id,
        url: row.url,
        types: types_of(&row.types),
        description: row.description,
        enabled: row.disabled.is_none(),
        disabled_reason: match row.disabled {
            Some(WebhookDisabled::Gone) => Some(DisabledReason::Gone),
            Some(WebhookDisabled::Failing) => Some(DisabledReason::Failing),
            Some(WebhookDisabled::App) | None => None,
        },
        failing_since: row.failing_since.map(Timestamp),
        created_at: Timestamp(row.created_at),
        secret,
    }
}

fn delivery_of(row: DeliveryRow) -> WebhookDelivery {
    let status = match row.state {
        DeliveryState::Pending | DeliveryState::Sending => DeliveryStatus::Pending,
        DeliveryState::Succeeded => DeliveryStatus::Succeeded,
        DeliveryState::Failed => DeliveryStatus::Failed,
        DeliveryState::Replaced => DeliveryStatus::Replaced,
    };
    WebhookDelivery {
        id: row.id,
        kind: row.kind,
        itinerary_id: row.itinerary_id,
        status,
        attempts: row.attempts,
        created_at: Timestamp(row.created_at),
        last_attempt_at: row.last_at.map(Timestamp),
        // Of an attempt in progress, it is when that is given up.
        next_attempt_at: row.next_at.filter(|_| row.state == DeliveryState::Pending).map(Timestamp),
        response_status: row.status,
        response_body: row.body,
        failure: row.failure,
    }
}
