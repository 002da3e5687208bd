//! Webhooks: how many there can be, which attempts are claimed, and which deliveries replace others.

use std::collections::HashSet;

use chrono::TimeDelta;
use itinerary_store::{AttemptOutcome, ClaimedDelivery, DeliveryState, NewDelivery, NewWebhook, Store, WebhookCreated};
use uuid::Uuid;

use crate::beside::{Beside, with_an_itinerary};
use crate::fixtures::{CLIENT, at, client, grant, id, token};

const UPDATED: &str = "itinerary.updated";
const DELETED: &str = "itinerary.deleted";

/// A webhook of account 1 with this id, at a host.
fn new(number: u128, app: &str, host: &str) -> NewWebhook {
    NewWebhook {
        id: id(number),
        account_id: id(1),
        client_id: app.to_owned(),
        url: format!("https://{host}/"),
        host: format!("{host}:443"),
        types: UPDATED.to_owned(),
        description: None,
        secret: "sealed".to_owned(),
        created_at: at(0),
    }
}

/// Creates a webhook of an app with a grant.
async fn create(store: &Store, number: u128, host: &str) {
    assert_eq!(store.webhook_create(new(number, CLIENT, host)).await.expect("stored"), WebhookCreated::Created);
}

/// A store with a grant of account 1, whose feed has begun.
async fn prepared(store: &Store) {
    assert!(store.change_feed_settle("first").await.expect("settled"));
    store.webhooks_restart("first").await.expect("begun");
    store.grant_issue(&grant(id(70), id(1)), &token(40, 1_000_000)).await.expect("granted");
}

fn event(number: u128, kind: &str, itinerary: u128, seconds: i64) -> NewDelivery {
    NewDelivery {
        id: id(number),
        kind: kind.to_owned(),
        itinerary_id: id(itinerary),
        etag: None,
        at: at(seconds),
        replaces: Some(UPDATED),
    }
}

/// Queues events of a webhook, whose position they move by one.
async fn queue(store: &Store, beside: &Beside, webhook: u128, events: Vec<NewDelivery>, seconds: i64) {
    let position = beside.number("SELECT position FROM webhooks WHERE id = $1", [id(webhook).into()]).await;
    assert!(store.webhook_queue(id(webhook), position, position + 1, events, at(seconds)).await.expect("queued"));
}

async fn claim(store: &Store, most: usize, seconds: i64) -> Vec<ClaimedDelivery> {
    let claimed = store.deliveries_claim(most, at(seconds), at(seconds) + TimeDelta::seconds(45)).await;
    claimed.expect("claimed")
}

/// The state of each delivery of a webhook, newest first.
async fn states(store: &Store, webhook: u128) -> Vec<(Uuid, DeliveryState)> {
    let page = store.delivery_page(id(webhook), id(1), CLIENT, None, 100).await.expect("read").expect("a webhook");
    page.into_iter().map(|row| (row.id, row.state)).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_account_has_at_most_fifty_in_all_apps() {
    with_an_itinerary(async |store, _| {
        for app in 0..6 {
            let name = format!("app {app}");
            store.client_insert(&client(&name)).await.expect("stored");
            for number in 0..10 {
                let created = store.webhook_create(new(1_000 + app * 10 + number, &name, "a.example")).await;
                let expected = if app < 5 { WebhookCreated::Created } else { WebhookCreated::Full };
                assert_eq!(created.expect("answered"), expected, "{app} {number}");
            }
        }
    })
    .await;
}

// A long queue does not keep other webhooks of its host waiting.
#[tokio::test(flavor = "multi_thread")]
async fn webhooks_of_a_host_take_turns() {
    with_an_itinerary(async |store, beside| {
        prepared(&store).await;
        create(&store, 200, "shared.example").await;
        create(&store, 201, "shared.example").await;
        let many = (0..20).map(|number| event(300 + number, DELETED, 500 + number, 1)).collect();
        queue(&store, &beside, 200, many, 1).await;
        queue(&store, &beside, 201, vec![event(400, DELETED, 600, 9)], 9).await;
        let claimed = claim(&store, 64, 10).await;
        assert_eq!(claimed.len(), 4, "the limit of a host");
        let webhooks: Vec<_> = claimed.iter().map(|claimed| claimed.webhook.id).collect();
        assert_eq!(webhooks.iter().filter(|webhook| **webhook == id(201)).count(), 1);
        assert!(claim(&store, 64, 10).await.is_empty(), "no more while these are in progress");

        // The one that was claimed longest ago comes first.
        for claimed in &claimed {
            assert!(store.delivery_end(claimed, AttemptOutcome::default(), UPDATED, at(11)).await.expect("recorded"));
        }
        assert_eq!(claim(&store, 1, 12).await.len(), 1);
        queue(&store, &beside, 201, vec![event(401, DELETED, 601, 13)], 13).await;
        assert_eq!(claim(&store, 1, 14).await[0].webhook.id, id(201));
    })
    .await;
}

// An attempt whose server was killed is due again when its claim ends, and its late end is not recorded.
#[tokio::test(flavor = "multi_thread")]
async fn a_claim_ends() {
    with_an_itinerary(async |store, beside| {
        prepared(&store).await;
        create(&store, 200, "a.example").await;
        queue(&store, &beside, 200, vec![event(300, DELETED, 500, 1)], 1).await;
        let first = claim(&store, 9, 2).await;
        assert!(claim(&store, 9, 46).await.is_empty());
        let second = claim(&store, 9, 47).await;
        assert_eq!((first[0].attempt.number, second[0].attempt.number), (1, 2));
        let end = async |claimed| store.delivery_end(claimed, AttemptOutcome::default(), UPDATED, at(48)).await;
        assert!(!end(&first[0]).await.expect("answered"));
        assert!(end(&second[0]).await.expect("answered"));
        assert_eq!(states(&store, 200).await, [(id(300), DeliveryState::Succeeded)]);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_update_that_fails_is_replaced_by_a_newer_one() {
    with_an_itinerary(async |store, beside| {
        prepared(&store).await;
        create(&store, 200, "a.example").await;
        queue(&store, &beside, 200, vec![event(300, UPDATED, 500, 1)], 1).await;
        let attempt = claim(&store, 9, 2).await;
        // While it is attempted.
        queue(&store, &beside, 200, vec![event(301, UPDATED, 500, 3)], 3).await;
        let failed = AttemptOutcome {
            failure: Some("no response".to_owned()),
            next_at: Some(at(7)),
            ..AttemptOutcome::default()
        };
        assert!(store.delivery_end(&attempt[0], failed, UPDATED, at(4)).await.expect("recorded"));
        let expected = [(id(301), DeliveryState::Pending), (id(300), DeliveryState::Replaced)];
        assert_eq!(states(&store, 200).await, expected);

        // A deletion replaces an update that waits.
        queue(&store, &beside, 200, vec![event(302, DELETED, 500, 5)], 5).await;
        let states: HashSet<_> = states(&store, 200)
            .await
            .into_iter()
            .filter(|row| row.1 == DeliveryState::Pending)
            .map(|row| row.0)
            .collect();
        assert_eq!(states, HashSet::from([id(302)]));
    })
    .await;
}

// Positions come from the same database as the feed, so that a failover loses no events.
#[tokio::test(flavor = "multi_thread")]
async fn positions_are_kept_in_a_new_epoch_of_the_feed() {
    with_an_itinerary(async |store, beside| {
        prepared(&store).await;
        while store.changes_sequence().await.expect("sequenced") != itinerary_store::FeedSequence::Placed(0) {}
        let last = store.change_feed().await.expect("a feed").last;
        assert!(last > 0);
        create(&store, 200, "a.example").await;
        create(&store, 201, "a.example").await;
        beside.execute("UPDATE webhooks SET position = $1 WHERE id = $2", [0_i64.into(), id(200).into()]).await;
        beside.execute("UPDATE webhooks SET position = $1 WHERE id = $2", [(last + 9).into(), id(201).into()]).await;
        store.webhooks_restart("second").await.expect("restarted");
        let position =
            async |webhook| beside.number("SELECT position FROM webhooks WHERE id = $1", [id(webhook).into()]).await;
        assert_eq!((position(200).await, position(201).await), (0, last));
        assert_eq!(beside.number("SELECT position FROM webhook_queue", []).await, 0);
    })
    .await;
}

// A new webhook after a time without any does not wait for the whole feed.
#[tokio::test(flavor = "multi_thread")]
async fn the_queue_skips_changes_that_no_webhook_needs() {
    with_an_itinerary(async |store, beside| {
        prepared(&store).await;
        create(&store, 200, "a.example").await;
        beside.execute("UPDATE webhooks SET position = 5000", []).await;
        beside.execute("UPDATE webhook_queue SET position = 7", []).await;
        assert!(store.webhooks_skip("first", 7).await.expect("skipped"));
        assert_eq!(beside.number("SELECT position FROM webhook_queue", []).await, 5000);
        assert!(!store.webhooks_skip("first", 5000).await.expect("answered"));

        // One that resumes needs what came before.
        beside.execute("UPDATE webhooks SET position = 40, paused_since = 1", []).await;
        store.webhook_resume(id(200)).await.expect("resumed");
        assert_eq!(beside.number("SELECT position FROM webhook_queue", []).await, 40);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn events_beyond_ten_thousand_that_wait_fail() {
    with_an_itinerary(async |store, beside| {
        prepared(&store).await;
        create(&store, 200, "a.example").await;
        let many = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9999) ";
        let row =
            if store.kind() == itinerary_store::DatabaseKind::Sqlite { "randomblob(16)" } else { "gen_random_uuid()" };
        let insert = format!(
            "{many}INSERT INTO webhook_deliveries (id, webhook_id, kind, at, state, attempts, created_at, next_at) \
             SELECT {row}, $1, 'webhook.test', 0, 'pending', 0, 0, 9000000000000 FROM n"
        );
        beside.execute(&insert, [id(200).into()]).await;
        queue(&store, &beside, 200, vec![event(300, DELETED, 500, 1), event(301, DELETED, 501, 1)], 1).await;
        let found: HashSet<_> =
            states(&store, 200).await.into_iter().filter(|row| [id(300), id(301)].contains(&row.0)).collect();
        assert_eq!(found, HashSet::from([(id(300), DeliveryState::Pending), (id(301), DeliveryState::Failed)]));
    })
    .await;
}
