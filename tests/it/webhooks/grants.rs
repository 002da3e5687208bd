//! A webhook works while its app may read, and integrations are not paused.

use chrono::TimeDelta;
use itinerary_app::accounts::erase_deleted;
use itinerary_app::webhooks;
use itinerary_tests::app::App;
use itinerary_tests::bodies::on_day;
use itinerary_tests::{Database, api_test, sql};
use reqwest::Method;
use serde_json::json;

use super::{Hooked, create, start};
use crate::http::pause;

#[api_test]
async fn without_a_grant_it_pauses_and_then_is_deleted(database: Database) {
    let Some(world) = start(database).await else { return };
    let mut ana = Hooked::of(&world, "ana").await;
    let account = world.service().store.account_by_username("ana").await.expect("a database").expect("ana").id;
    let editor = App::of(&world, "ana").await;
    let revoke = async || {
        // Also that of the editor: both are of one app.
        let now = itinerary_core::clock::Clock::now(&*world.clock);
        for grant in world.service().store.grant_page(account, now, None, 100).await.expect("a database") {
            world.service().store.grant_revoke(grant.grant_id, now).await.expect("a database");
        }
    };
    let at = editor.created(&on_day(1)).await;
    ana.receiver.next().await;
    revoke().await;
    // A change through another app.
    let scope = "itineraries:read itineraries:write";
    let other = App { world: &world, token: crate::http::token_through(&world, account, "another", scope, None).await };
    let at = other.patched(&at, &serde_json::json!({ "title": "Meanwhile" })).await;
    ana.receiver.expect_nothing().await;
    assert!(webhooks::check(world.service()).await.is_ok());
    let paused = "SELECT CAST(count(*) AS TEXT) FROM webhooks WHERE paused_since IS NOT NULL";
    assert_eq!(sql::ask(world.database_url(), paused).await, "1");

    // With a new grant it goes on where it was.
    ana.advance(TimeDelta::days(6));
    ana.app = App::of(&world, "ana").await;
    assert_eq!(webhooks::check(world.service()).await.expect("a database"), 1);
    let event = ana.receiver.next().await;
    assert_eq!(event.json()["data"]["etag"], at.etag);

    revoke().await;
    webhooks::check(world.service()).await.expect("a database");
    ana.advance(TimeDelta::days(7));
    assert_eq!(webhooks::check(world.service()).await.expect("a database"), 1);
    ana.app = App::of(&world, "ana").await;
    ana.call(Method::GET, "").send().await.expect_error(404, "notFound");
}

// A personal access token is its own app and grant.
#[api_test]
async fn a_webhook_of_a_personal_access_token_ends_with_it(database: Database) {
    let Some(world) = start(database).await else { return };
    let ana = world.account("ana").await;
    let read_only = world.personal_token(ana, "read", "itineraries:read").await;
    let app = App { world: &world, token: world.personal_token(ana, "sync", "itineraries:read").await };
    for token in [&read_only, &app.token] {
        let app = App { world: &world, token: token.clone() };
        create(&app, &json!({ "url": "https://127.0.0.1:1/", "types": ["itinerary.updated"] })).await;
    }
    assert_eq!(webhooks::check(world.service()).await.expect("a database"), 0, "neither is paused");
    let tokens = world.service().store.personal_tokens(ana).await.expect("a database");
    let sync = tokens.iter().find(|token| token.name == "sync").expect("the token");
    assert!(world.service().store.personal_token_revoke(ana, sync.id).await.expect("a database"));
    assert_eq!(sql::ask(world.database_url(), "SELECT CAST(count(*) AS TEXT) FROM webhooks").await, "1");
    // One that expires pauses it, like the end of a grant.
    world.clock.advance(TimeDelta::days(30));
    assert_eq!(webhooks::check(world.service()).await.expect("a database"), 1);
}

#[api_test]
async fn a_pause_of_integrations_holds_deliveries(database: Database) {
    let Some(world) = start(database).await else { return };
    let mut ana = Hooked::of(&world, "ana").await;
    ana.receiver.will_respond(&["500 Oops\r\n\r\n"]);
    ana.test().await;
    ana.receiver.next().await;
    ana.attempted(1).await;
    pause(&world, Some(60)).await;
    ana.advance(TimeDelta::seconds(5));
    ana.receiver.expect_nothing().await;
    pause(&world, None).await;
    ana.receiver.next().await;
}

// Its rows go with the account's.
#[api_test]
async fn a_deleted_account_has_none(database: Database) {
    let Some(world) = start(database).await else { return };
    let mut ana = Hooked::of(&world, "ana").await;
    ana.test().await;
    ana.receiver.next().await;
    world.sql("UPDATE accounts SET deleted_at = 1").await;
    assert!(erase_deleted(world.service()).await.expect("a database") > 1);
    for table in ["webhooks", "webhook_deliveries"] {
        let count = format!("SELECT CAST(count(*) AS TEXT) FROM {table}");
        assert_eq!(sql::ask(world.database_url(), &count).await, "0", "{table}");
    }
}
