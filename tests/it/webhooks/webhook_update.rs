//! Changing webhooks, and rotating their secrets.

use chrono::TimeDelta;
use itinerary_tests::bodies::on_day;
use itinerary_tests::receiver::Receiver;
use itinerary_tests::{Database, api_test};
use reqwest::Method;
use serde_json::json;

use super::{Hooked, start};

#[api_test]
async fn a_disabled_webhook_gets_nothing(database: Database) {
    let Some(world) = start(database).await else { return };
    let mut ana = Hooked::of(&world, "ana").await;
    // One that is waiting is given up.
    ana.receiver.will_respond(&["500 Oops\r\n\r\n"]);
    ana.test().await;
    ana.receiver.next().await;
    ana.attempted(1).await;
    let disabled = ana.call(Method::PATCH, "").json(&json!({ "enabled": false })).send().await.json();
    assert_eq!((&disabled["enabled"], disabled.get("disabledReason")), (&json!(false), None));
    let given_up = ana.log_when(|log| log[0]["status"] == "failed").await.swap_remove(0);
    assert_eq!((given_up.get("nextAttemptAt"), &given_up["attempts"]), (None, &json!(1)));

    ana.app.created(&on_day(1)).await;
    ana.call(Method::POST, "/test").send().await.expect_error(409, "conflict");
    let again = format!("/deliveries/{}/redeliver", given_up["id"].as_str().expect("an id"));
    ana.call(Method::POST, &again).send().await.expect_error(409, "conflict");
    ana.receiver.expect_nothing().await;

    // From now on.
    ana.call(Method::PATCH, "").json(&json!({ "enabled": true })).send().await;
    let later = ana.app.created(&on_day(2)).await;
    assert_eq!(ana.receiver.next().await.event(), ("itinerary.updated".to_owned(), later.id));
    ana.receiver.expect_nothing().await;
}

#[api_test]
async fn address_types_and_description_change(database: Database) {
    let Some(world) = start(database).await else { return };
    let mut ana = Hooked::of(&world, "ana").await;
    let mut other = Receiver::start().await;
    let patch = json!({ "url": other.url, "types": ["itinerary.deleted"], "description": "Copies" });
    let changed = ana.call(Method::PATCH, "").json(&patch).send().await.json();
    for field in ["url", "types", "description"] {
        assert_eq!(changed[field], patch[field]);
    }
    assert_eq!(changed.get("secret"), None);
    let at = ana.app.created(&on_day(1)).await;
    ana.app.call(Method::DELETE, &format!("/v1/itineraries/{}", at.id)).header("If-Match", "*").send().await;
    assert_eq!(other.next().await.event(), ("itinerary.deleted".to_owned(), at.id));
    ana.receiver.expect_nothing().await;
    let cleared = ana.call(Method::PATCH, "").json(&json!({ "description": null })).send().await.json();
    assert_eq!(cleared.get("description"), None);
    for (body, field) in
        [(json!({ "url": null }), "url"), (json!({ "types": [] }), "types"), (json!({ "enabled": 1 }), "enabled")]
    {
        let refused = ana.call(Method::PATCH, "").json(&body).send().await;
        assert_eq!(refused.expect_error(422, "validationFailed")["field"], field);
    }
}

#[api_test]
async fn for_a_day_both_secrets_sign(database: Database) {
    let Some(world) = start(database).await else { return };
    let mut ana = Hooked::of(&world, "ana").await;
    let rotated = ana.call(Method::POST, "/secret/rotate").send().await;
    assert_eq!(rotated.status, 200, "{}", rotated.text());
    let secret = rotated.json()["secret"].as_str().expect("a secret").to_owned();
    assert_ne!(secret, ana.secret);
    assert_eq!(ana.view().await.get("secret"), None);
    ana.test().await;
    let signed = ana.receiver.next().await;
    assert!(signed.is_signed_with(&secret) && signed.is_signed_with(&ana.secret), "{signed:?}");

    ana.advance(TimeDelta::hours(24) + TimeDelta::seconds(1));
    ana.app = itinerary_tests::app::App::of(&world, "ana").await;
    ana.test().await;
    let signed = ana.receiver.next().await;
    assert!(signed.is_signed_with(&secret) && !signed.is_signed_with(&ana.secret), "{signed:?}");
}
