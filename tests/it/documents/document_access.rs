//! Permissions for documents.

use itinerary_model::Plan;
use itinerary_tests::app::App;
use itinerary_tests::world::READ_WRITE;
use itinerary_tests::{Database, RawResponse, Sqlite, World, api_test};
use reqwest::Method;
use serde_json::json;
use uuid::Uuid;

use super::{
    Before, NOTHING, ana, delete_call, documents, downloaded, free, link, linked, list, listed, patch_call, pro,
    sealed_files, small, start, text, upload_file,
};
use itinerary_tests::forms::Form;

async fn account(world: &World, name: &str) -> Uuid {
    world.service().store.account_by_username(name).await.expect("a database").expect("a known name").id
}

/// Every call on documents, in order: list, link, upload, rename, delete.
async fn each(app: &App<'_>, id: &str, document: &str) -> [RawResponse; 5] {
    [
        list(app, id).await,
        link(app, id, document).await,
        upload_file(app, id, &sealed_files::age(700)).await,
        patch_call(app, id, document, &json!({ "name": "Mine" })).header("If-Match", "*").send().await,
        delete_call(app, id, document).header("If-Match", "*").send().await,
    ]
}

#[api_test]
async fn every_operation_requires_a_token_and_its_scope(database: Database) {
    let Some(world) = start(database).await else { return };
    let (ana, at) = ana(&world).await;
    let document = small(&ana, &at.id).await;
    let before = Before::of(&ana, &at.id).await;
    let nobody = App { world: &world, token: "itp_at_nothing".to_owned() };
    for response in each(&nobody, &at.id, &document).await {
        response.expect_error(401, "unauthenticated");
    }
    let call = world.call(Method::POST, &documents(&at.id));
    let form = Form::new().file(sealed_files::age(700)).end();
    call.body(&super::content_type(), form).send().await.expect_error(401, "unauthenticated");
    let (read, write) = ("documents:read", "documents:write");
    let itineraries = App::with_scope(&world, "ana", READ_WRITE).await;
    for (response, required) in
        each(&itineraries, &at.id, &document).await.iter().zip([read, read, write, write, write])
    {
        assert_eq!(response.expect_error(403, "forbidden")["required"], required);
    }
    // Each scope suffices for its own operations.
    let reads = App::with_scope(&world, "ana", read).await;
    assert_eq!(listed(&reads, &at.id).await.len(), 1);
    assert_eq!(downloaded(&world, &linked(&reads, &at.id, &document).await).await, sealed_files::age(500));
    for response in &each(&reads, &at.id, &document).await[2..] {
        assert_eq!(response.expect_error(403, "forbidden")["required"], write);
    }
    before.expect_unchanged(&ana, "no scope").await;
    let writes = App::with_scope(&world, "ana", write).await;
    let responses = each(&writes, &at.id, &document).await;
    for (response, required) in responses[..2].iter().zip([read, read]) {
        assert_eq!(response.expect_error(403, "forbidden")["required"], required);
    }
    assert_eq!([2, 3, 4].map(|n: usize| responses[n].status.as_u16()), [201, 200, 204]);
    // An app can check its upload through the link in the response.
    assert_eq!(downloaded(&world, &text(&responses[2].json()["url"])).await, sealed_files::age(700));
}

#[api_test]
async fn documents_are_not_found_without_access_to_the_itinerary(database: Database) {
    let Some(world) = start(database).await else { return };
    let (ana, at) = ana(&world).await;
    let document = small(&ana, &at.id).await;
    let before = Before::of(&ana, &at.id).await;
    let eve = pro(&world, "eve").await;
    for id in [&*at.id, NOTHING] {
        for response in each(&eve, id, &document).await {
            assert!(response.expect_error(404, "notFound").is_null());
            assert_eq!(response.header("etag"), "");
        }
        // Not even an invalid upload reveals anything, nor a valid one.
        upload_file(&eve, id, b"%PDF-1.7").await.expect_error(404, "notFound");
    }
    // A document's id does not work in another itinerary.
    let own = eve.created(&itinerary_tests::bodies::on_day(2)).await;
    let responses = each(&eve, &own.id, &document).await;
    assert_eq!(responses[0].json()["data"], json!([]));
    assert_eq!(responses[2].status, 201);
    for n in [1, 3, 4] {
        responses[n].expect_error(404, "notFound");
    }
    assert_eq!(listed(&ana, &at.id).await[0]["id"], document);
    assert_eq!(ana.viewed(&at.id).await.etag, before.at.etag);
}

#[api_test]
async fn readers_of_a_public_itinerary_have_no_documents(database: Database) {
    let Some(world) = start(database).await else { return };
    let (ana, at) = ana(&world).await;
    let at = ana.patched(&at, &json!({ "visibility": "public" })).await;
    let document = small(&ana, &at.id).await;
    let before = Before::of(&ana, &at.id).await;
    for reader in [pro(&world, "pro").await, free(&world, "free").await] {
        for response in each(&reader, &at.id, &document).await {
            assert!(response.expect_error(403, "forbidden").is_null());
        }
    }
    before.expect_unchanged(&ana, "a reader").await;
}

#[api_test]
async fn viewers_read_documents_and_editors_change_them(database: Database) {
    let Some(world) = start(database).await else { return };
    let (ana, at) = ana(&world).await;
    let document = small(&ana, &at.id).await;
    let before = Before::of(&ana, &at.id).await;
    let ben = pro(&world, "ben").await;
    let ben_id = account(&world, "ben").await;
    world.member(&at.id, ben_id, "viewer").await;
    let responses = each(&ben, &at.id, &document).await;
    assert_eq!(responses[0].json()["data"][0]["id"], document);
    assert_eq!(downloaded(&world, &text(&responses[1].json()["url"])).await, sealed_files::age(500));
    for response in &responses[2..] {
        assert!(response.expect_error(403, "forbidden").is_null());
    }
    before.expect_unchanged(&ana, "a viewer").await;

    world.no_member(&at.id, ben_id).await;
    world.member(&at.id, ben_id, "editor").await;
    // Without Pro, everything except uploading works.
    world.set_plan("ben", Plan::Free).await;
    let responses = each(&ben, &at.id, &document).await;
    assert_eq!([0, 1, 3, 4].map(|n: usize| responses[n].status.as_u16()), [200, 200, 200, 204]);
    assert_eq!(responses[2].expect_error(403, "subscriptionRequired")["section"], "documents");
    world.set_plan("ben", Plan::Pro).await;
    let document = small(&ben, &at.id).await;
    assert_eq!(listed(&ana, &at.id).await[0]["id"], document, "it is everybody's");
    // An editor's upload does not require the owner to have Pro.
    world.set_plan("ana", Plan::Free).await;
    small(&ben, &at.id).await;
    assert_eq!(listed(&ana, &at.id).await.len(), 2);
}

#[api_test]
async fn an_owner_without_pro_keeps_documents_and_uploads_none(database: Database) {
    let Some(world) = start(database).await else { return };
    let (ana, at) = ana(&world).await;
    let document = small(&ana, &at.id).await;
    world.set_plan("ana", Plan::Free).await;
    let before = Before::of(&ana, &at.id).await;
    let refused = upload_file(&ana, &at.id, &sealed_files::age(700)).await;
    assert_eq!(refused.expect_error(403, "subscriptionRequired")["section"], "documents");
    before.expect_unchanged(&ana, "without Pro").await;
    let responses = each(&ana, &at.id, &document).await;
    assert_eq!(responses.map(|response| response.status.as_u16()), [200, 200, 403, 200, 204]);
    assert_eq!(list(&ana, &at.id).await.json()["data"], json!([]));
}

#[api_test]
async fn a_pause_holds_for_documents(database: Database) {
    let Some(world) = start(database).await else { return };
    let (ana, at) = ana(&world).await;
    let document = small(&ana, &at.id).await;
    let (store, now) = (&world.service().store, world.service().clock.now());
    store.pause_set(Some(77), now).await.expect("a database");
    for response in each(&ana, &at.id, &document).await {
        response.expect_error(503, "featureUnavailable");
        assert_eq!(response.header("retry-after"), "77");
    }
    store.pause_set(None, now).await.expect("a database");
    assert_eq!(listed(&ana, &at.id).await.len(), 1);
}

// Uploads have their own limit: ten a minute.
#[api_test]
async fn an_app_uploads_ten_documents_a_minute(world: World) {
    let (ana, at) = ana(&world).await;
    for number in (0..10).rev() {
        let response = upload_file(&ana, &at.id, &sealed_files::age(300)).await;
        assert_eq!(response.status, 201, "{}", response.text());
        assert_eq!(response.header("ratelimit-policy"), "10;w=60");
        assert_eq!(response.header("ratelimit-remaining"), number.to_string());
    }
    upload_file(&ana, &at.id, &sealed_files::age(300)).await.expect_error(429, "rateLimited");
    assert_eq!(listed(&ana, &at.id).await.len(), 10);
}

#[tokio::test(flavor = "multi_thread")]
async fn malformed_ids_are_rejected() {
    let Some(world) = start(Sqlite).await else { return };
    let (ana, at) = ana(&world).await;
    let before = Before::of(&ana, &at.id).await;
    for no_id in ["x", "..%2F..%2Fetc%2Fpasswd", "0194a000000070008000000000000001"] {
        link(&ana, &at.id, no_id).await.expect_error(422, "validationFailed");
        let rename = patch_call(&ana, &at.id, no_id, &json!({ "name": "x" }));
        rename.header("If-Match", "*").send().await.expect_error(422, "validationFailed");
        delete_call(&ana, &at.id, no_id).header("If-Match", "*").send().await.expect_error(422, "validationFailed");
        upload_file(&ana, no_id, &sealed_files::age(300)).await.expect_error(422, "validationFailed");
    }
    link(&ana, &at.id, NOTHING).await.expect_error(404, "notFound");
    delete_call(&ana, &at.id, NOTHING).header("If-Match", "*").send().await.expect_error(404, "notFound");
    super::follow(&world, &format!("{}/documents/..%2F..%2Fserver.key", world.base_url))
        .await
        .expect_error(404, "notFound");
    before.expect_unchanged(&ana, "no ids").await;
}

// So that nothing is learned from the response, and clients may send back what they have read.
#[api_test]
async fn a_patch_without_the_scope_changes_no_documents(database: Database) {
    let Some(world) = start(database).await else { return };
    let (ana, at) = ana(&world).await;
    small(&ana, &at.id).await;
    let before = Before::of(&ana, &at.id).await;
    let unscoped = App::with_scope(&world, "ana", READ_WRITE).await;
    let read = unscoped.viewed(&at.id).await;
    for sent in [json!(null), json!([])] {
        let same = unscoped.patched(&read, &json!({ "documents": sent })).await;
        assert_eq!(same.etag, read.etag, "{sent}");
        assert!(same.json.get("documents").is_none(), "{sent}");
        before.expect_unchanged(&ana, "no scope").await;
    }
    let sent = json!({ "documents": [{ "id": "d", "name": "Pass", "file": { "path": "p", "name": "n", "size": 1 } }] });
    unscoped.patch(&read, &sent).await.expect_invalid("documents");
}
