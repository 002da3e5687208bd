//! Attempts: what is a success, when the next one is made, and when no more are.

use chrono::{DateTime, TimeDelta, Utc};
use itinerary_tests::app::App;
use itinerary_tests::{Database, api_test};
use reqwest::Method;
use serde_json::{Value, json};

use super::{Hooked, start};

fn instant(value: &Value) -> DateTime<Utc> {
    value.as_str().expect("an instant").parse().expect("an instant")
}

/// How long after an attempt the next one is due.
fn delay(delivery: &Value) -> TimeDelta {
    let delay = instant(&delivery["nextAttemptAt"]) - instant(&delivery["lastAttemptAt"]);
    // The clock of a test stands still.
    TimeDelta::seconds(delay.num_seconds())
}

#[api_test]
async fn ten_attempts_are_made(database: Database) {
    let Some(world) = start(database).await else { return };
    let mut ana = Hooked::of(&world, "ana").await;
    let oops = "500 Oops\r\nContent-Length: 4\r\n\r\nOh!\0";
    ana.receiver.will_respond(&[oops; 11]);
    ana.test().await;
    let minutes = [0, 5, 30, 2 * 60, 5 * 60, 10 * 60, 14 * 60, 20 * 60, 24 * 60];
    let delays = minutes.map(|minutes| if minutes == 0 { TimeDelta::seconds(5) } else { TimeDelta::minutes(minutes) });
    let mut ids = Vec::new();
    for (number, planned) in (1..).zip(delays) {
        ids.push(ana.receiver.next().await.header("webhook-id").to_owned());
        let delivery = ana.attempted(number).await;
        assert_eq!((delay(&delivery), &delivery["status"]), (planned, &json!("pending")), "attempt {number}");
        assert_eq!(delivery["responseBody"], "Oh!\u{FFFD}");
        assert_eq!(
            (&delivery["responseStatus"], &delivery["failure"]),
            (&json!(500), &json!("the response had the status 500"))
        );
        ana.advance(planned);
        // Tokens and grants of tests are short; the days pass quickly.
        ana.app = App::of(&world, "ana").await;
    }
    ids.push(ana.receiver.next().await.header("webhook-id").to_owned());
    let failed = ana.attempted(10).await;
    assert_eq!((&failed["status"], failed.get("nextAttemptAt")), (&json!("failed"), None));
    assert!(ids.iter().all(|id| *id == failed["id"]), "{ids:?}");
    assert!(ana.view().await["failingSince"].is_string());

    // An app can have it sent again, whatever its state is.
    let again = format!("/deliveries/{}/redeliver", ids[0]);
    assert_eq!(ana.call(Method::POST, &again).send().await.status, 202);
    assert_eq!(ana.receiver.next().await.header("webhook-id"), ids[0]);
    assert_eq!(ana.attempted(11).await["status"], "failed");
    ana.call(Method::POST, &again).send().await;
    ana.receiver.next().await;
    let succeeded = ana.log_when(|log| log[0]["status"] == "succeeded").await.swap_remove(0);
    assert_eq!((&succeeded["attempts"], succeeded.get("failure")), (&json!(12), None));
    assert_eq!(ana.view().await.get("failingSince"), None);
    ana.call(Method::POST, &again).send().await;
    assert_eq!(ana.receiver.next().await.header("webhook-id"), ids[0]);
}

#[api_test]
async fn only_2xx_is_a_success(database: Database) {
    let Some(world) = start(database).await else { return };
    let mut ana = Hooked::of(&world, "ana").await;
    let large = format!("200 OK\r\nContent-Length: 10000000\r\n\r\n{}", "x".repeat(100_000));
    let cases: [(&str, &str, Value, Value); 7] = [
        ("200 OK\r\n\r\nThanks", "succeeded", json!(200), json!("Thanks")),
        ("299 Fine\r\n\r\n", "succeeded", json!(299), Value::Null),
        (&large, "succeeded", json!(200), json!("x".repeat(1_024))),
        ("302 Found\r\nLocation: http://127.0.0.1:1/\r\n\r\n", "pending", json!(302), Value::Null),
        ("404 Not Found\r\n\r\nNo", "pending", json!(404), json!("No")),
        // It closes the connection.
        ("", "pending", Value::Null, Value::Null),
        ("nonsense", "pending", Value::Null, Value::Null),
    ];
    for (response, status, code, body) in cases {
        ana.receiver.will_respond(&[response]);
        ana.test().await;
        ana.receiver.next().await;
        let delivery = ana.attempted(1).await;
        let found = (&delivery["status"], &delivery["responseStatus"], &delivery["responseBody"]);
        assert_eq!(found, (&json!(status), &code, &body), "{response:.20}");
        assert_eq!(delivery["failure"].is_null(), status == "succeeded", "{delivery}");
        // Its next attempts are not of interest.
        ana.call(Method::PATCH, "").json(&json!({ "enabled": false })).send().await;
        ana.call(Method::PATCH, "").json(&json!({ "enabled": true })).send().await;
    }
}

#[api_test]
async fn a_receiver_can_ask_for_a_later_attempt(database: Database) {
    let Some(world) = start(database).await else { return };
    let mut ana = Hooked::of(&world, "ana").await;
    ana.receiver.will_respond(&["429 Slow\r\nRetry-After: 3600\r\n\r\n", "503 Busy\r\nRetry-After: 999999999\r\n\r\n"]);
    ana.test().await;
    ana.receiver.next().await;
    assert_eq!(delay(&ana.attempted(1).await), TimeDelta::hours(1));
    ana.advance(TimeDelta::minutes(59));
    ana.receiver.expect_nothing().await;
    ana.advance(TimeDelta::minutes(1));
    ana.receiver.next().await;
    ana.app = App::of(&world, "ana").await;
    assert_eq!(delay(&ana.attempted(2).await), TimeDelta::hours(24));
}

#[api_test]
async fn a_receiver_that_is_gone_gets_nothing_more(database: Database) {
    let Some(world) = start(database).await else { return };
    let mut ana = Hooked::of(&world, "ana").await;
    ana.receiver.will_respond(&["410 Gone\r\n\r\n"]);
    ana.test().await;
    ana.receiver.next().await;
    assert_eq!(ana.attempted(1).await["status"], "failed");
    let view = ana.view().await;
    assert_eq!((&view["enabled"], &view["disabledReason"]), (&json!(false), &json!("gone")));
    ana.call(Method::POST, "/test").send().await.expect_error(409, "conflict");
    let enabled = ana.call(Method::PATCH, "").json(&json!({ "enabled": true })).send().await.json();
    assert_eq!((&enabled["enabled"], enabled.get("disabledReason")), (&json!(true), None));
    ana.test().await;
    ana.receiver.next().await;
}

#[api_test]
async fn five_days_of_failures_disable(database: Database) {
    let Some(world) = start(database).await else { return };
    let mut ana = Hooked::of(&world, "ana").await;
    ana.receiver.will_respond(&["500 Oops\r\n\r\n"; 3]);
    for (days, enabled) in [(0, true), (4, true), (1, false)] {
        ana.advance(TimeDelta::days(days));
        ana.app = App::of(&world, "ana").await;
        let id = ana.test().await["id"].clone();
        // The earlier ones may be attempted first.
        while ana.receiver.next().await.header("webhook-id") != id {
            ana.receiver.will_respond(&["500 Oops\r\n\r\n"]);
        }
        ana.log_when(|log| log[0]["responseStatus"] == 500).await;
        if !enabled {
            assert_eq!(ana.view().await["enabled"], true, "it may be a single failure after a long silence");
            ana.receiver.will_respond(&["500 Oops\r\n\r\n"]);
            ana.advance(TimeDelta::seconds(5));
            ana.receiver.next().await;
            ana.log_when(|log| log[0]["status"] == "failed").await;
        }
        assert_eq!(ana.view().await["enabled"], enabled, "after {days} days more");
        if enabled {
            world.sql("UPDATE webhook_deliveries SET next_at = NULL, state = 'failed'").await;
        }
    }
    assert_eq!(ana.view().await["disabledReason"], "failing");

    // One failure after a long silence does not.
    ana.call(Method::PATCH, "").json(&json!({ "enabled": true })).send().await;
    ana.receiver.will_respond(&["500 Oops\r\n\r\n"; 2]);
    ana.test().await;
    ana.receiver.next().await;
    ana.attempted(1).await;
    world.sql("UPDATE webhook_deliveries SET next_at = NULL, state = 'failed'").await;
    ana.advance(TimeDelta::days(30));
    ana.app = App::of(&world, "ana").await;
    ana.test().await;
    ana.receiver.next().await;
    ana.attempted(1).await;
    assert_eq!(ana.view().await["enabled"], true);
}

#[api_test]
async fn the_log_has_pages(database: Database) {
    let Some(world) = start(database).await else { return };
    let mut ana = Hooked::of(&world, "ana").await;
    let mut sent = Vec::new();
    for _ in 0..3 {
        ana.advance(TimeDelta::seconds(1));
        sent.insert(0, ana.test().await["id"].clone());
        ana.receiver.next().await;
    }
    let (mut read, mut query) = (Vec::new(), "?limit=2".to_owned());
    loop {
        let page = ana.call(Method::GET, &format!("/deliveries{query}")).send().await.json();
        read.extend(page["data"].as_array().expect("a list").iter().map(|delivery| delivery["id"].clone()));
        let Some(cursor) = page["nextCursor"].as_str() else { break };
        query = format!("?limit=2&cursor={cursor}");
    }
    assert_eq!(read, sent);
    ana.call(Method::GET, "/deliveries?cursor=AAAA").send().await.expect_error(422, "validationFailed");

    // Kept for 30 days, once they are done.
    ana.log_when(|log| log.iter().all(|delivery| delivery["status"] == "succeeded")).await;
    ana.advance(TimeDelta::days(31));
    assert_eq!(
        world
            .service()
            .store
            .deliveries_expire(itinerary_core::clock::Clock::now(&*world.clock))
            .await
            .expect("a database"),
        3
    );
}
