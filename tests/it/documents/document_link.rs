//! Links to documents' files: valid for ten minutes, for one document, and while the traveller may read it.

use chrono::TimeDelta;
use itinerary_app::accounts::COMMAND_LINE;
use itinerary_tests::app::{App, path};
use itinerary_tests::{Database, Sqlite, World, api_test};
use reqwest::Method;
use serde_json::json;

use super::{ana, delete, downloaded, follow, free, link, linked, sealed_files, small, start, text};

async fn expect_dead(world: &World, url: &str) {
    assert!(follow(world, url).await.expect_error(404, "notFound").is_null(), "{url}");
}

#[api_test]
async fn a_link_is_good_for_ten_minutes(database: Database) {
    let Some(world) = start(database).await else { return };
    let (ana, at) = ana(&world).await;
    let document = small(&ana, &at.id).await;
    let response = link(&ana, &at.id, &document).await.json();
    assert_eq!(response, json!({ "url": response["url"], "expiresAt": "2027-01-10T12:10:00.000Z" }));
    let url = text(&response["url"]);
    assert!(url.starts_with(&format!("{}/documents/", world.base_url)), "{url}");
    world.clock.advance(TimeDelta::seconds(599));
    assert_eq!(downloaded(&world, &url).await, sealed_files::age(500));
    world.clock.advance(TimeDelta::seconds(1));
    expect_dead(&world, &url).await;
    let fresh = linked(&ana, &at.id, &document).await;
    assert_eq!(downloaded(&world, &fresh).await, sealed_files::age(500));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_that_was_altered_leads_nowhere() {
    let Some(world) = start(Sqlite).await else { return };
    let (ana, at) = ana(&world).await;
    let (one, two) = (small(&ana, &at.id).await, small(&ana, &at.id).await);
    let (url, other) = (linked(&ana, &at.id, &one).await, linked(&ana, &at.id, &two).await);
    let (base, signed) = url.rsplit_once('/').expect("a path");
    for at in 0..signed.len() {
        // Not in the last bits of base64, which may be unused.
        let mut altered = signed.as_bytes().to_vec();
        altered[at] = if altered[at] == b'A' { b'Q' } else { b'A' };
        let altered = String::from_utf8(altered).expect("ASCII");
        expect_dead(&world, &format!("{base}/{altered}")).await;
    }
    let parts = |url: &str| {
        let (said, code) = url.rsplit('/').next().expect("a path").split_once('.').expect("two parts");
        (said.to_owned(), code.to_owned())
    };
    let ((said, code), (other_said, other_code)) = (parts(&url), parts(&other));
    let mixed = [
        format!("{said}.{other_code}"),
        format!("{other_said}.{code}"),
        format!("{said}."),
        format!(".{code}"),
        said.clone(),
        format!("{said}.{code}A"),
        format!("{said}A.{code}"),
        format!("{said}.{code}="),
        format!("{said}.{code}.{code}"),
        one.clone(),
        "x".repeat(3_000),
    ];
    for signed in mixed {
        expect_dead(&world, &format!("{base}/{signed}")).await;
    }
    assert_eq!(downloaded(&world, &url).await, sealed_files::age(500));
}

#[api_test]
async fn a_link_ends_with_its_document(database: Database) {
    let Some(world) = start(database).await else { return };
    let (ana, at) = ana(&world).await;
    let (gone, left) = (small(&ana, &at.id).await, small(&ana, &at.id).await);
    let (dead, alive) = (linked(&ana, &at.id, &gone).await, linked(&ana, &at.id, &left).await);
    delete(&ana, &at.id, &gone).await;
    expect_dead(&world, &dead).await;
    link(&ana, &at.id, &gone).await.expect_error(404, "notFound");
    assert_eq!(downloaded(&world, &alive).await, sealed_files::age(500));
    assert_eq!(ana.delete(&ana.viewed(&at.id).await).await.status, 204);
    expect_dead(&world, &alive).await;
}

#[api_test]
async fn a_link_ends_with_the_membership(database: Database) {
    let Some(world) = start(database).await else { return };
    let (ana, at) = ana(&world).await;
    let document = small(&ana, &at.id).await;
    let ben = free(&world, "ben").await;
    let account = world.service().store.account_by_username("ben").await.expect("a database").expect("ben").id;
    let member = format!("{}/members/{account}", path(&at.id));
    for leaver in [&ana, &ben] {
        let set = ana.call(Method::PUT, &member).json(&json!({ "role": "viewer" })).send().await;
        // The owner removes the member first, because one who leaves cannot be added again.
        assert_eq!(set.status, 200, "{}", set.text());
        let accepted = ben.call(Method::PUT, &format!("/v1/invitations/{}", at.id)).send().await;
        assert_eq!(accepted.status, 200, "{}", accepted.text());
        let url = linked(&ben, &at.id, &document).await;
        assert_eq!(downloaded(&world, &url).await, sealed_files::age(500));
        assert_eq!(leaver.call(Method::DELETE, &member).send().await.status, 204);
        expect_dead(&world, &url).await;
    }
    let own = linked(&ana, &at.id, &document).await;
    assert_eq!(downloaded(&world, &own).await, sealed_files::age(500), "others' links go on");
}

#[api_test]
async fn a_link_ends_with_its_apps_grant(database: Database) {
    let Some(world) = start(database).await else { return };
    let (ana, at) = ana(&world).await;
    let document = small(&ana, &at.id).await;
    let lost = App::with_scope(&world, "ana", "documents:read").await;
    let (dead, alive) = (linked(&lost, &at.id, &document).await, linked(&ana, &at.id, &document).await);
    assert_eq!(downloaded(&world, &dead).await, sealed_files::age(500));
    let form = [("client_id", COMMAND_LINE), ("token", &*lost.token)];
    assert_eq!(world.call(Method::POST, "/oauth/revoke").form(&form).send().await.status, 200);
    expect_dead(&world, &dead).await;
    assert_eq!(downloaded(&world, &alive).await, sealed_files::age(500));
}

#[api_test]
async fn a_link_waits_while_integrations_are_paused(database: Database) {
    let Some(world) = start(database).await else { return };
    let (ana, at) = ana(&world).await;
    let document = small(&ana, &at.id).await;
    let url = linked(&ana, &at.id, &document).await;
    let (store, now) = (&world.service().store, world.service().clock.now());
    store.pause_set(Some(45), now).await.expect("a database");
    let paused = follow(&world, &url).await;
    paused.expect_error(503, "featureUnavailable");
    assert_eq!(paused.header("retry-after"), "45");
    expect_dead(&world, &format!("{url}A")).await;
    store.pause_set(None, now).await.expect("a database");
    assert_eq!(downloaded(&world, &url).await, sealed_files::age(500));
}

// The server's key signs links, so they survive a restart.
#[api_test]
async fn a_link_outlives_a_restart(database: Database) {
    let Some(world) = start(database).await else { return };
    let (url, old) = {
        let (ana, at) = ana(&world).await;
        let document = small(&ana, &at.id).await;
        (linked(&ana, &at.id, &document).await, world.base_url.clone())
    };
    let world = world.restart().await;
    assert_eq!(downloaded(&world, &url.replace(&old, &world.base_url)).await, sealed_files::age(500));
}
