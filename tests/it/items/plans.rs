//! Plans: expenses and packing need Pro, flights and hotels do not. A section that a plan hides is kept, and shown
//! again with Pro.

use itinerary_tests::app::{App, path};
use itinerary_tests::bodies::{full, minimal, on_day, with};
use itinerary_tests::{World, api_test};
use reqwest::Method;
use serde_json::{Value, json};

use super::{Part, done, one_of_each, set_pro, start};

const PRO: [Part; 2] = [Part::Expenses, Part::Packing];
const FREE: [Part; 4] = [Part::Flights, Part::Hotels, Part::Transports, Part::Reservations];

#[api_test(limits = false)]
async fn without_pro_two_lists_are_there_and_two_are_not(world: World) {
    let app = App::of(&world, "ana").await;
    for part in PRO {
        for body in [json!([part.least("n")]), json!([]), Value::Null] {
            let response = app.create(&with(minimal(), json!({ part.name(): body }))).await;
            assert_eq!(response.expect_error(403, "subscriptionRequired"), json!({ "section": part.name() }));
        }
    }
    let free = FREE.map(|part| (part.name().to_owned(), json!([part.item(part.name())])));
    let mut at = app.created(&with(on_day(1), Value::Object(free.into_iter().collect()))).await;
    for part in PRO {
        assert_eq!(at.json.get(part.name()), None);
        let list = part.list(&app, &at.id).await;
        assert_eq!(list.expect_error(403, "subscriptionRequired"), json!({ "section": part.name() }));
        assert_eq!(list.header("etag"), "");
        for tag in [&*at.etag, "*", "\"v1.mp\""] {
            let call = app.call(Method::GET, &part.path(&at.id)).header("If-None-Match", tag);
            call.send().await.expect_error(403, "subscriptionRequired");
        }
        for id in ["nothing", "flights"] {
            for call in part.writes(&app, &at.id, id) {
                let response = call.header("If-Match", &at.etag).send().await;
                assert_eq!(response.expect_error(403, "subscriptionRequired"), json!({ "section": part.name() }));
            }
        }
    }
    for part in FREE {
        assert_eq!(part.list(&app, &at.id).await.json()["data"], at.json[part.name()]);
        for call in part.writes(&app, &at.id, part.name()) {
            at = done(&call.header("If-Match", &at.etag).send().await);
            assert!(PRO.iter().all(|part| at.json.get(part.name()).is_none()));
        }
    }
    assert_eq!(at.etag, "\"v13.m\"");
}

// Takes effect with the next request, in both directions, and shows in the ETag.
#[api_test(limits = false)]
async fn a_change_of_plan_holds_at_once(world: World) {
    let app = App::pro(&world, "ana").await;
    let mut at = app.created(&one_of_each()).await;
    for round in 0..3 {
        for part in PRO {
            assert_eq!(part.list(&app, &at.id).await.status, 200);
            at = part.updated(&app, &at, part.name(), &json!({ "name": round.to_string() })).await;
        }
        assert!(at.etag.ends_with(".mpd\""));
        set_pro(&world, "ana", false).await;
        for part in PRO {
            part.list(&app, &at.id).await.expect_error(403, "subscriptionRequired");
            part.update(&app, &at, part.name(), &json!({ "name": "x" }))
                .await
                .expect_error(403, "subscriptionRequired");
            part.remove(&app, &at, part.name()).await.expect_error(403, "subscriptionRequired");
            assert_eq!(app.viewed(&at.id).await.json.get(part.name()), None);
        }
        assert_eq!(app.viewed(&at.id).await.etag, at.etag.replace("mpd", "md"));
        set_pro(&world, "ana", true).await;
    }
    for part in PRO {
        assert_eq!(app.viewed(&at.id).await.json[part.name()][0]["name"], "2");
    }
}

// Byte for byte, whatever members without Pro changed in between.
#[api_test(limits = false)]
async fn sections_hidden_by_the_plan_are_kept_unchanged(world: World) {
    let (app, mut at) = start(&world).await;
    // Links of what stays; `links` tests what is removed.
    at = app
        .patched(
            &at,
            &json!({ "expenses": [{ "id": "e", "name": "n", "cost": { "amount": 0.1, "currency": "CHF" } }] }),
        )
        .await;
    let mut before = Vec::new();
    for part in PRO {
        before.push(part.list(&app, &at.id).await.text());
    }
    set_pro(&world, "ana", false).await;
    at = app.viewed(&at.id).await;
    at = Part::Hotels.added(&app, &at, &Part::Hotels.item("new")).await;
    at = Part::Flights.updated(&app, &at, "flight-1", &json!({ "seatNumber": "2B" })).await;
    at = app.patched(&at, &json!({ "title": "T", "currency": "USD", "hotels": [] })).await;
    at = app.patched(&at, &app.viewed(&at.id).await.json).await;
    assert!(PRO.iter().all(|part| at.json.get(part.name()).is_none()));
    // An id is taken even if only a hidden section has it.
    Part::Hotels.add(&app, &at, &Part::Hotels.item("packing-1")).await.expect_invalid("id");
    set_pro(&world, "ana", true).await;
    for (part, before) in PRO.iter().zip(before) {
        assert_eq!(part.list(&app, &at.id).await.text(), before);
    }
    assert_eq!(app.viewed(&at.id).await.json["currency"], "USD");
}

// An app may send back a section that it has kept. With Pro it may differ, without Pro it must be equal.
#[api_test(limits = false)]
async fn a_section_may_be_sent_back_with_the_whole(world: World) {
    let (app, mut at) = start(&world).await;
    let section = |part: Part| json!({ part.name(): full()[part.name()] });
    for part in PRO {
        at = app.patched(&at, &section(part)).await;
        let mut changed = section(part);
        changed[part.name()][0]["name"] = json!("changed");
        at = app.patched(&at, &changed).await;
        at = app.patched(&at, &section(part)).await;

        set_pro(&world, "ana", false).await;
        at = app.patched(&at, &section(part)).await;
        let more = json!({ part.name(): [full()[part.name()][0], part.least("n")] });
        let written_otherwise = match part {
            Part::Expenses => json!({ "cost": { "amount": 19.990, "currency": "JPY" } }),
            _ => json!({ "quantity": 2.0 }),
        };
        // Nothing, which is what the caller is shown, is no change.
        for nothing in [json!([]), json!(null)] {
            at = app.patched(&at, &json!({ part.name(): nothing })).await;
        }
        for other in [changed, more] {
            let response = app.patch(&at, &other).await;
            assert_eq!(
                response.expect_error(403, "subscriptionRequired"),
                json!({ "section": part.name() }),
                "{other}"
            );
        }
        // The values are compared, not their spelling.
        let same = json!({ part.name(): [with(full()[part.name()][0].clone(), written_otherwise)] });
        at = app.patched(&at, &same).await;
        set_pro(&world, "ana", true).await;
        at = app.viewed(&at.id).await;
        assert_eq!(at.json[part.name()], full()[part.name()]);
    }
}

// The plan is the account's; scopes are the token's.
#[api_test(limits = false)]
async fn pro_does_not_stand_for_a_scope(world: World) {
    let (app, at) = start(&world).await;
    let reading = App::with_scope(&world, "ana", "itineraries:read").await;
    for part in Part::ALL {
        assert_eq!(part.list(&reading, &at.id).await.json(), part.list(&app, &at.id).await.json());
        for call in part.writes(&reading, &at.id, "nothing") {
            let details = call.header("If-Match", "*").send().await.expect_error(403, "forbidden");
            assert_eq!(details, json!({ "required": "itineraries:write" }));
        }
    }
    let writing = App::with_scope(&world, "ana", "itineraries:write").await;
    for part in Part::ALL {
        let details = part.list(&writing, &at.id).await.expect_error(403, "forbidden");
        assert_eq!(details, json!({ "required": "itineraries:read" }));
    }
    let read = app.call(Method::GET, &path(&at.id)).send().await;
    assert_eq!(read.header("etag"), at.etag);
}
