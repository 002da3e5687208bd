//! The storage quota for the documents of an account's itineraries.

use futures::future::join_all;
use itinerary_tests::bodies::on_day;
use itinerary_tests::{Database, RawResponse, World, api_test};
use serde_json::json;

use super::{Before, ana, delete, kept, listed, pro, sealed_files, text, upload_file};

/// The quota in these tests, in bytes.
const QUOTA: i64 = 10_000;

async fn start(database: Database) -> Option<World> {
    let configure = |config: &mut itinerary_platform::settings::Config| {
        config.limits = false;
        config.document_quota = QUOTA;
    };
    World::start_with(database, configure).await
}

#[track_caller]
fn expect_over_quota(response: &RawResponse) {
    response.expect_error(409, "conflict");
    assert!(response.text().contains("quota"), "{}", response.text());
}

#[api_test]
async fn an_account_stores_no_more_than_its_quota(database: Database) {
    let Some(world) = start(database).await else { return };
    let (ana, at) = ana(&world).await;
    let other = ana.created(&on_day(2)).await;
    let before = Before::of(&ana, &at.id).await;
    expect_over_quota(&upload_file(&ana, &at.id, &sealed_files::age(10_001)).await);
    before.expect_unchanged(&ana, "over the quota at once").await;
    // Two itineraries of one owner share the quota.
    assert_eq!(upload_file(&ana, &at.id, &sealed_files::age(6_000)).await.status, 201);
    expect_over_quota(&upload_file(&ana, &other.id, &sealed_files::age(4_001)).await);
    let full = upload_file(&ana, &other.id, &sealed_files::age(4_000)).await;
    assert_eq!(full.status, 201, "it is exact: {}", full.text());
    let before = Before::of(&ana, &at.id).await;
    assert_eq!(before.kept.bytes, 10_000);
    expect_over_quota(&upload_file(&ana, &at.id, &sealed_files::least_age()).await);
    before.expect_unchanged(&ana, "over the quota").await;
    // Another account has its own quota.
    let eve = pro(&world, "eve").await;
    let own = eve.created(&on_day(1)).await;
    assert_eq!(upload_file(&eve, &own.id, &sealed_files::age(10_000)).await.status, 201);
}

#[api_test]
async fn deleting_documents_frees_quota_at_once(database: Database) {
    let Some(world) = start(database).await else { return };
    let (ana, at) = ana(&world).await;
    let mut ids = Vec::new();
    for _ in 0..2 {
        ids.push(text(&upload_file(&ana, &at.id, &sealed_files::age(5_000)).await.json()["id"]));
    }
    expect_over_quota(&upload_file(&ana, &at.id, &sealed_files::age(5_000)).await);
    // The room is free before the job deletes the file.
    delete(&ana, &at.id, &ids[0]).await;
    assert_eq!(kept(&world).await.bytes, 5_000);
    assert_eq!(upload_file(&ana, &at.id, &sealed_files::age(5_000)).await.status, 201);
    // Deleting the itinerary frees all of it.
    assert_eq!(ana.delete(&ana.viewed(&at.id).await).await.status, 204);
    assert_eq!(kept(&world).await.bytes, 0);
    let other = ana.created(&on_day(2)).await;
    assert_eq!(upload_file(&ana, &other.id, &sealed_files::age(10_000)).await.status, 201);
}

#[api_test]
async fn uploads_by_an_editor_count_towards_the_owners_quota(database: Database) {
    let Some(world) = start(database).await else { return };
    let (ana, at) = ana(&world).await;
    let ben = pro(&world, "ben").await;
    let account = world.service().store.account_by_username("ben").await.expect("a database").expect("ben").id;
    world.member(&at.id, account, "editor").await;
    let own = ben.created(&on_day(1)).await;
    assert_eq!(upload_file(&ben, &own.id, &sealed_files::age(8_000)).await.status, 201);
    assert_eq!(upload_file(&ben, &at.id, &sealed_files::age(8_000)).await.status, 201, "Ana has room");
    expect_over_quota(&upload_file(&ben, &at.id, &sealed_files::age(3_000)).await);
    expect_over_quota(&upload_file(&ana, &at.id, &sealed_files::age(3_000)).await);
    // When the editor deletes the document, the owner's room is free again.
    let id = text(&listed(&ben, &at.id).await[0]["id"]);
    delete(&ben, &at.id, &id).await;
    assert_eq!(upload_file(&ana, &at.id, &sealed_files::age(10_000)).await.status, 201);
    expect_over_quota(&upload_file(&ben, &own.id, &sealed_files::age(3_000)).await);
}

#[api_test]
async fn uploads_at_once_do_not_exceed_it(database: Database) {
    let Some(world) = start(database).await else { return };
    let (ana, at) = ana(&world).await;
    let other = ana.created(&on_day(2)).await;
    let file = sealed_files::age(3_000);
    let responses =
        join_all((0..16).map(|n| upload_file(&ana, if n % 2 == 0 { &at.id } else { &other.id }, &file))).await;
    let (good, refused): (Vec<_>, Vec<_>) = responses.iter().partition(|response| response.status == 201);
    refused.into_iter().for_each(expect_over_quota);
    assert_eq!(good.len(), 3);
    let kept = kept(&world).await;
    assert_eq!((kept.rows, kept.loose, kept.bytes, kept.files.len()), (3, 0, 9_000, 3));
}

// A copy has no documents, so it uses no storage.
#[api_test]
async fn a_saved_copy_has_no_documents(database: Database) {
    let Some(world) = start(database).await else { return };
    let (ana, at) = ana(&world).await;
    upload_file(&ana, &at.id, &sealed_files::age(5_000)).await;
    ana.patched(&ana.viewed(&at.id).await, &json!({ "visibility": "public" })).await;
    let eve = pro(&world, "eve").await;
    let copy = eve.call(reqwest::Method::POST, &format!("/v1/itineraries/{}/saves", at.id)).send().await;
    assert_eq!(copy.status, 201, "{}", copy.text());
    assert_eq!(copy.json()["documents"], json!([]));
    assert_eq!(kept(&world).await.bytes, 5_000);
}
