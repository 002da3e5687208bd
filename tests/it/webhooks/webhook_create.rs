//! Creating, reading and deleting webhooks; who sees them; which addresses are possible.

use itinerary_api::policy::Scope;
use itinerary_tests::app::App;
use itinerary_tests::{World, api_test, sql};
use reqwest::Method;
use serde_json::{Value, json};

use super::create;
use crate::http::token_through;

const URL: &str = "https://hooks.example/itineraries";

fn body(url: &str) -> Value {
    json!({ "url": url, "types": ["itinerary.updated"] })
}

#[api_test]
async fn a_secret_is_shown_once(world: World) {
    let ana = App::of(&world, "ana").await;
    let body = json!({
        "url": URL, "types": ["itinerary.deleted", "itinerary.updated", "itinerary.deleted"], "description": "Calendar",
    });
    let mut created = create(&ana, &body).await;
    let secret = created["secret"].take();
    assert!(secret.as_str().is_some_and(|secret| secret.starts_with("whsec_") && secret.len() == 50), "{secret}");
    let expected = json!({
        "id": created["id"], "url": URL, "types": ["itinerary.updated", "itinerary.deleted"], "description": "Calendar",
        "enabled": true, "createdAt": created["createdAt"],
    });
    created.as_object_mut().expect("an object").remove("secret");
    assert_eq!(created, expected);
    let id = created["id"].as_str().expect("an id");
    assert_eq!(ana.call(Method::GET, "/v1/webhooks").send().await.json(), json!({ "data": [expected] }));
    assert_eq!(ana.call(Method::GET, &format!("/v1/webhooks/{id}")).send().await.json(), expected);
    // It is stored sealed, so that a backup does not have it either.
    let stored = sql::ask(world.database_url(), "SELECT secret FROM webhooks").await;
    assert!(!stored.contains(&secret.as_str().expect("text")[6..]), "{stored}");

    let deleted = ana.call(Method::DELETE, &format!("/v1/webhooks/{id}")).send().await;
    assert_eq!(deleted.status, 204);
    for method in [Method::GET, Method::DELETE] {
        ana.call(method, &format!("/v1/webhooks/{id}")).send().await.expect_error(404, "notFound");
    }
}

#[api_test]
async fn a_webhook_belongs_to_its_app_and_traveller(world: World) {
    let ana = App::of(&world, "ana").await;
    let id = create(&ana, &body(URL)).await["id"].as_str().expect("an id").to_owned();
    let account = world.service().store.account_by_username("ana").await.expect("a database").expect("ana").id;
    let scope = Scope::ALL.map(Scope::as_str).join(" ");
    let other = App { world: &world, token: token_through(&world, account, "another", &scope, None).await };
    for stranger in [App::of(&world, "ben").await, other] {
        let listed = stranger.call(Method::GET, "/v1/webhooks").send().await;
        assert_eq!(listed.json()["data"], json!([]));
        let calls = [
            (Method::GET, ""),
            (Method::PATCH, ""),
            (Method::DELETE, ""),
            (Method::POST, "/secret/rotate"),
            (Method::POST, "/test"),
            (Method::GET, "/deliveries"),
            (Method::POST, "/deliveries/01890000-0000-7000-8000-00000000dead/redeliver"),
        ];
        for (method, path) in calls {
            let call = stranger.call(method.clone(), &format!("/v1/webhooks/{id}{path}"));
            let call = if method == Method::PATCH { call.json(&json!({ "enabled": false })) } else { call };
            call.send().await.expect_error(404, "notFound");
        }
    }
    ana.call(Method::GET, &format!("/v1/webhooks/{id}")).send().await.json()["enabled"].as_bool().expect("it is there");
}

#[api_test]
async fn an_app_has_ten_for_a_traveller(world: World) {
    let (ana, ben) = (App::of(&world, "ana").await, App::of(&world, "ben").await);
    for _ in 0..10 {
        create(&ana, &body(URL)).await;
    }
    let full = ana.call(Method::POST, "/v1/webhooks").json(&body(URL)).send().await;
    let error = full.expect_error(409, "conflict");
    assert!(error.is_null(), "{error}");
    assert!(
        full.text().contains("The quota of 10 webhooks per app, or of 50 per account, is reached."),
        "{}",
        full.text()
    );
    create(&ben, &body(URL)).await;
}

#[api_test(limits = false)]
async fn only_public_https_addresses_are_accepted(world: World) {
    let ana = App::of(&world, "ana").await;
    for url in [
        "http://hooks.example/",
        "https://hooks.example:8443/",
        "https://hooks.example:22/",
        "https://127.0.0.1/",
        "https://2130706433/",
        "https://0x7f.1/",
        "https://[::1]/",
        "https://[::ffff:10.0.0.1]/",
        "https://[64:ff9b::a00:1]/",
        "https://169.254.169.254/latest/meta-data/",
        "https://100.64.0.1/",
        "https://192.0.2.1/",
        "https://224.0.0.1/",
        "https://user@hooks.example/",
        "https://user:password@hooks.example/",
        "https://hooks.example/#fragment",
        "ftp://hooks.example/",
        "file:///etc/passwd",
        "hooks.example",
        "",
    ] {
        let refused = ana.call(Method::POST, "/v1/webhooks").json(&body(url)).send().await;
        assert_eq!(refused.expect_error(422, "validationFailed")["field"], "url", "{url}");
    }
    let longest = format!("https://hooks.example/{}", "a".repeat(2_000 - 22));
    create(&ana, &body(&longest)).await;
    create(&ana, &body("https://hooks.example:443/")).await;
    let refused = ana.call(Method::POST, "/v1/webhooks").json(&body(&format!("{longest}a"))).send().await;
    assert_eq!(refused.expect_error(422, "validationFailed")["field"], "url");
    let id = create(&ana, &body(URL)).await["id"].as_str().expect("an id").to_owned();
    let patch = ana.call(Method::PATCH, &format!("/v1/webhooks/{id}")).json(&json!({ "url": "https://10.0.0.1/" }));
    assert_eq!(patch.send().await.expect_error(422, "validationFailed")["field"], "url");
}

#[api_test]
async fn bad_fields_are_named(world: World) {
    let ana = App::of(&world, "ana").await;
    let cases = [
        (json!({ "types": ["itinerary.updated"] }), "url"),
        (json!({ "url": URL }), "types"),
        (json!({ "url": URL, "types": [] }), "types"),
        (json!({ "url": URL, "types": ["itinerary.liked"] }), "types[0]"),
        (json!({ "url": URL, "types": ["webhook.test"] }), "types[0]"),
        (json!({ "url": URL, "types": ["itinerary.updated"], "description": "" }), "description"),
        (json!({ "url": URL, "types": ["itinerary.updated"], "secret": "whsec_AAAA" }), "secret"),
    ];
    for (body, field) in cases {
        let refused = ana.call(Method::POST, "/v1/webhooks").json(&body).send().await;
        assert_eq!(refused.expect_error(422, "validationFailed")["field"], field, "{body}");
    }
}

// A stored response would contain the secret.
#[api_test]
async fn creating_takes_no_idempotency_key(world: World) {
    let ana = App::of(&world, "ana").await;
    let key = "0197a1f0-6a3e-7c1d-9d3f-2b8a4c5d6e7f";
    let secrets = async || {
        let call = ana.call(Method::POST, "/v1/webhooks").header("Idempotency-Key", key).json(&body(URL));
        call.send().await.json()["secret"].clone()
    };
    assert_ne!(secrets().await, secrets().await);
    let kept = sql::ask(world.database_url(), "SELECT CAST(count(*) AS TEXT) FROM idempotency").await;
    assert_eq!(kept, "0");
}
