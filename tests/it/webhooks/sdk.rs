//! Webhooks through the SDK: creating one, verifying what arrives, and the log.

use std::time::Duration;

use itinerary_core::clock::Clock;
use itinerary_platform::system::SystemClock;
use itinerary_sdk::types::{self, ItineraryCreate, WebhookCreate};
use itinerary_sdk::webhooks::{WebhookEventType, verify};
use itinerary_sdk::{ErrorExt, code};
use itinerary_tests::bodies::on_day;
use itinerary_tests::receiver::Receiver;
use itinerary_tests::{Database, api_test};
use serde_json::json;

use super::start;

#[api_test]
async fn an_event_is_received_and_verified(database: Database) {
    let Some(world) = start(database).await else { return };
    // The SDK checks the time of events by the system's clock.
    world.clock.advance(SystemClock.now() - world.clock.now());
    let (client, mut receiver) = (world.client("ana").await, Receiver::start().await);
    let body: WebhookCreate =
        serde_json::from_value(json!({ "url": receiver.url, "types": ["itinerary.updated"] })).expect("a body");
    let hook = client.webhook_create(body).send().await.expect("created");
    let secret = hook.secret.clone().expect("a secret");
    let body: ItineraryCreate = serde_json::from_value(on_day(1)).expect("a body");
    let trip = client.itinerary_create(body).send().await.expect("created");

    let first = receiver.next().await;
    let event = verify(&first.headers(), first.body.as_bytes(), &secret).expect("a good signature");
    assert_eq!(event.kind, WebhookEventType::Updated);
    assert_eq!((event.data.itinerary_id, event.data.etag.as_deref()), (Some(trip.id), Some(trip.etag())));
    let altered = first.body.replace("updated", "deleted");
    assert!(verify(&first.headers(), altered.as_bytes(), &secret).is_err());

    let delivered = async {
        loop {
            let log = client.webhook_delivery_list(hook.id).send().await.expect("a page");
            if log.data[0].status == types::DeliveryStatus::Succeeded {
                return log.data[0].clone();
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    let delivery = tokio::time::timeout(Duration::from_secs(10), delivered).await.expect("it has succeeded");
    assert_eq!((delivery.response_status, delivery.attempts), (Some(204), 1));
    client.webhook_redeliver(hook.id, delivery.id).send().await.expect("queued");
    let again = receiver.next().await;
    assert_eq!(again.header("webhook-id"), first.header("webhook-id"));

    let rotated = client.webhook_rotate_secret(hook.id).send().await.expect("rotated");
    client.webhook_test(hook.id).send().await.expect("queued");
    let tested = receiver.next().await;
    for secret in [&secret, rotated.secret.as_ref().expect("a secret")] {
        let event = verify(&tested.headers(), tested.body.as_bytes(), secret).expect("a good signature");
        assert_eq!(event.kind, WebhookEventType::Test);
        assert_eq!(event.data.itinerary_id, None);
    }
    client.webhook_delete(hook.id).send().await.expect("deleted");
    assert!(client.webhook_view(hook.id).send().await.expect_err("it is gone").is(code::NOT_FOUND));
}
