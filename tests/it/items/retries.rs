//! Idempotency-Key: a retry of a change of an item gets the first response, and nothing happens twice.

use futures::future::join_all;
use itinerary_tests::app::{App, key};
use itinerary_tests::bodies::{on_day, with};
use itinerary_tests::{RawResponse, World, api_test};
use serde_json::json;

use super::{Part, done, ids_of, item, one_of_each, set_pro, start};

/// Checks that a response is a replay of the first one.
#[track_caller]
fn expect_replay(again: &RawResponse, first: &RawResponse) {
    assert_eq!((again.status.as_u16(), again.text()), (200, first.text()));
    for name in ["etag", "location", "content-type", "service-itinerary-shape"] {
        assert_eq!(again.header(name), first.header(name), "{name}");
    }
    assert_eq!((first.header("idempotency-replayed"), again.header("idempotency-replayed")), ("", "true"));
}

// The item is added once, with the id made for it first, even if it was removed since.
#[api_test(limits = false)]
async fn an_item_is_added_once(world: World) {
    let app = App::pro(&world, "ana").await;
    let start = app.created(&on_day(1)).await;
    let mut at = start.clone();
    for part in Part::ALL {
        let (key, tag) = (key(), at.etag.clone());
        let send = || part.add_call(&app, &start.id, &part.least("n")).header("Idempotency-Key", &key);
        let first = send().header("If-Match", &tag).send().await;
        at = done(&first);
        let made = ids_of(&at, part)[0].to_owned();
        expect_replay(&send().header("If-Match", &tag).send().await, &first);
        at = part.updated(&app, &at, &made, &json!({ part.label(): "changed" })).await;
        at = part.removed(&app, &at, &made).await;
        // Neither an outdated nor a missing ETag matters.
        expect_replay(&send().header("If-Match", &tag).send().await, &first);
        expect_replay(&send().send().await, &first);
        let read = app.viewed(&at.id).await;
        assert_eq!((&*read.etag, ids_of(&read, part)), (&*at.etag, Vec::new()));
    }
}

// Even after the item was removed, the retry of a successful change is not a 404.
#[api_test(limits = false)]
async fn an_item_is_changed_once(world: World) {
    let app = App::pro(&world, "ana").await;
    let mut at = app.created(&one_of_each()).await;
    for part in Part::ALL {
        let (key, tag, id) = (key(), at.etag.clone(), at.id.clone());
        let send = |text: &str| {
            let call = part.update_call(&app, &id, part.name(), &json!({ part.label(): text }));
            call.header("Idempotency-Key", &key).header("If-Match", &tag)
        };
        let first = send("first").send().await;
        at = part.updated(&app, &done(&first), part.name(), &json!({ part.label(): "second" })).await;
        expect_replay(&send("first").send().await, &first);
        assert_eq!(item(&app.viewed(&at.id).await, part, part.name())[part.label()], "second");
        send("other").send().await.expect_error(422, "idempotencyKeyReused");
        at = part.removed(&app, &at, part.name()).await;
        expect_replay(&send("first").send().await, &first);
        send("other").send().await.expect_error(422, "idempotencyKeyReused");
        assert_eq!(app.viewed(&at.id).await.etag, at.etag);
    }
}

#[api_test(limits = false)]
async fn one_key_for_two_operations_is_two_keys(world: World) {
    let app = App::pro(&world, "ana").await;
    let mut at = app.created(&on_day(1)).await;
    let key = key();
    for part in Part::ALL {
        for id in ["a", "A"].map(|id| format!("{id}-{}", part.name())) {
            at = part.added(&app, &at, &part.item(&id)).await;
        }
        let add = part.add_call(&app, &at.id, &part.item(part.name())).header("Idempotency-Key", &key);
        let response = add.header("If-Match", &at.etag).send().await;
        assert_eq!(response.header("idempotency-replayed"), "");
        at = done(&response);
        // Ids that differ only in case are two addresses.
        for id in ["a", "A"].map(|id| format!("{id}-{}", part.name())) {
            let call = part.update_call(&app, &at.id, &id, &json!({ part.label(): id }));
            let response = call.header("Idempotency-Key", &key).header("If-Match", &at.etag).send().await;
            assert_eq!(response.header("idempotency-replayed"), "", "{id}");
            at = done(&response);
            assert_eq!(item(&at, part, &id)[part.label()], json!(id));
        }
    }
    for part in Part::ALL {
        let add = part.add_call(&app, &at.id, &part.item(part.name())).header("Idempotency-Key", &key);
        assert_eq!(add.send().await.header("idempotency-replayed"), "true");
    }
}

#[api_test(limits = false)]
async fn a_refused_change_frees_its_key(world: World) {
    let (app, mut at) = start(&world).await;
    for part in Part::ALL {
        let key = key();
        let add = |body| part.add_call(&app, &at.id, &body).header("Idempotency-Key", &key);
        add(json!({ "surprise": 1 })).header("If-Match", &at.etag).send().await.expect_invalid("surprise");
        add(part.item("day-1")).header("If-Match", &at.etag).send().await.expect_invalid("id");
        add(part.least("n")).send().await.expect_error(428, "preconditionRequired");
        add(part.least("n")).header("If-Match", "\"v0.m\"").send().await.expect_error(409, "itineraryModified");
        let good = add(with(part.least("n"), json!({ "id": format!("{}-2", part.name()) })));
        let response = good.header("If-Match", &at.etag).send().await;
        assert_eq!(response.header("idempotency-replayed"), "");
        at = done(&response);
    }
}

// A repeated removal finds nothing; keys are ignored.
#[api_test(limits = false)]
async fn a_removal_takes_no_key(world: World) {
    let app = App::pro(&world, "ana").await;
    let mut at = app.created(&one_of_each()).await;
    for part in Part::ALL {
        let remove = |key: &str| part.remove_call(&app, &at.id, part.name()).header("Idempotency-Key", key);
        let removed = done(&remove("x").header("If-Match", &at.etag).send().await);
        remove("x").header("If-Match", &removed.etag).send().await.expect_error(404, "notFound");
        at = removed;
    }
}

#[api_test(limits = false)]
async fn concurrent_adds_with_one_idempotency_key_add_once(world: World) {
    let app = App::pro(&world, "ana").await;
    let mut at = app.created(&on_day(1)).await;
    for part in Part::ALL {
        let (key, body) = (key(), part.least("n"));
        for tag in [at.etag.clone(), "*".to_owned()] {
            let send = || part.add_call(&app, &at.id, &body).header("Idempotency-Key", &key).header("If-Match", &tag);
            let responses = join_all((0..10).map(|_| send().send())).await;
            let first = responses.iter().find(|response| response.header("idempotency-replayed").is_empty());
            for response in &responses {
                assert_eq!((response.status.as_u16(), response.text()), (200, responses[0].text()));
            }
            assert_eq!(first.is_some(), tag != "*", "the second ten find the answer of the first");
            let replayed =
                responses.iter().filter(|response| response.header("idempotency-replayed") == "true").count();
            assert_eq!(replayed, if tag == "*" { 10 } else { 9 });
        }
        at = app.viewed(&at.id).await;
        assert_eq!(ids_of(&at, part).len(), 1);
    }
}

// A stored response is not replayed to a caller who may now see less.
#[api_test(limits = false)]
async fn stored_response_is_not_replayed_after_a_plan_change(world: World) {
    let app = App::pro(&world, "ana").await;
    let mut at = app.created(&one_of_each()).await;
    for part in Part::ALL {
        let key = key();
        let send = || part.add_call(&app, &at.id, &part.least("n")).header("Idempotency-Key", &key);
        let first = send().header("If-Match", &at.etag).send().await;
        set_pro(&world, "ana", false).await;
        let refused = send().header("If-Match", &at.etag).send().await;
        if part.needs_pro() {
            assert_eq!(refused.expect_error(403, "subscriptionRequired")["section"], part.name());
        } else {
            refused.expect_error(422, "idempotencyKeyReused");
        }
        set_pro(&world, "ana", true).await;
        expect_replay(&send().header("If-Match", &at.etag).send().await, &first);
        at = done(&first);
    }
}
