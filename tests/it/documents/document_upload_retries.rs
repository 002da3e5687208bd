//! Uploads that are repeated with the same `Idempotency-Key`.

use futures::future::join_all;
use itinerary_model::Plan;
use itinerary_tests::app::{App, Stored, key};
use itinerary_tests::{Database, RawResponse, Sqlite, api_test};
use reqwest::Method;
use serde_json::{Value, json};

use super::{
    Before, ana, documents, downloaded, kept, listed, patch_call, sealed_files, small, start, text, upload_call,
    uploaded,
};
use itinerary_tests::forms::Form;

async fn send(app: &App<'_>, at: &Stored, key: &str, form: Form) -> RawResponse {
    upload_call(app, &at.id, form.end()).header("Idempotency-Key", key).send().await
}

fn visa() -> Form {
    Form::new().text("name", "Visa").file(sealed_files::age(400_000))
}

// The order of parts and the file's name do not matter.
#[api_test(sqlite)]
async fn the_same_parts_in_another_order_are_the_same_upload(database: Database) {
    let Some(world) = start(database).await else { return };
    let (ana, at) = ana(&world).await;
    let key = key();
    let first = send(&ana, &at, &key, visa().text("category", "visa")).await;
    let file = sealed_files::age(400_000);
    let again = Form::new().text("category", "visa").file_as("filename=\"other.age\"", file).text("name", "Visa");
    let again = send(&ana, &at, &key, again).await;
    assert_eq!((again.status.as_u16(), again.header("idempotency-replayed")), (201, "true"));
    assert_eq!(without_url(&again), without_url(&first));
}

/// A response without its link, which is new each time.
fn without_url(response: &RawResponse) -> Value {
    let mut json = response.json();
    json.as_object_mut().expect("an object").remove("url").expect("an address");
    json
}

#[api_test]
async fn the_same_upload_again_is_answered_again(database: Database) {
    let Some(world) = start(database).await else { return };
    let (ana, at) = ana(&world).await;
    let key = key();
    let first = send(&ana, &at, &key, visa()).await;
    assert_eq!((first.status.as_u16(), first.header("idempotency-replayed")), (201, ""));
    let before = Before::of(&ana, &at.id).await;
    assert_eq!(before.kept.files.len(), 1);
    // Long after the first link expired.
    world.clock.advance(chrono::TimeDelta::minutes(20));
    for again in [&*key, &format!("\"{key}\""), &key.to_uppercase()] {
        let again = send(&ana, &at, again, visa()).await;
        assert_eq!((again.status.as_u16(), again.header("idempotency-replayed")), (201, "true"));
        assert_eq!(without_url(&again), without_url(&first));
        assert_eq!(again.header("etag"), first.header("etag"));
        assert_eq!(downloaded(&world, &text(&again.json()["url"])).await, sealed_files::age(400_000));
        before.expect_unchanged(&ana, "a replay").await;
    }
    // The first response is repeated even after the document changed or was deleted.
    let id = text(&first.json()["id"]);
    patch_call(&ana, &at.id, &id, &json!({ "name": "Renamed" })).header("If-Match", "*").send().await;
    assert_eq!(without_url(&send(&ana, &at, &key, visa()).await), without_url(&first));
    super::delete(&ana, &at.id, &id).await;
    let again = send(&ana, &at, &key, visa()).await;
    assert_eq!(without_url(&again), without_url(&first));
    super::follow(&world, &text(&again.json()["url"])).await.expect_error(404, "notFound");
    assert_eq!(listed(&ana, &at.id).await, [] as [Value; 0]);
    // Another key is another upload.
    let other = send(&ana, &at, &self::key(), visa()).await;
    assert_ne!(other.json()["id"], first.json()["id"]);
}

#[api_test]
async fn another_upload_under_a_used_key_is_refused(database: Database) {
    let Some(world) = start(database).await else { return };
    let (ana, at) = ana(&world).await;
    let key = key();
    assert_eq!(send(&ana, &at, &key, visa()).await.status, 201);
    let before = Before::of(&ana, &at.id).await;
    let named = |name: &str| Form::new().text("name", name);
    let mut bytes = sealed_files::age(400_000);
    *bytes.last_mut().expect("it has bytes") ^= 1;
    for (why, form) in [
        ("another file", named("Visa").file(&bytes)),
        ("a shorter file", named("Visa").file(sealed_files::age(300_000))),
        ("another name", named("Pass").file(sealed_files::age(400_000))),
        ("no name", Form::new().file(sealed_files::age(400_000))),
        ("a category besides", visa().text("category", "visa")),
    ] {
        let response = send(&ana, &at, &key, form).await;
        assert_eq!(response.status, 422, "{why}: {}", response.text());
        response.expect_error(422, "idempotencyKeyReused");
        before.expect_unchanged(&ana, why).await;
    }
    // The key is bound to the itinerary.
    let other = ana.created(&itinerary_tests::bodies::on_day(2)).await;
    let response = send(&ana, &other, &key, visa()).await;
    assert_eq!((response.status.as_u16(), response.header("idempotency-replayed")), (201, ""));
}

#[api_test]
async fn a_key_whose_upload_failed_can_be_used_again(database: Database) {
    let Some(world) = start(database).await else { return };
    let (ana, at) = ana(&world).await;
    let key = key();
    let before = Before::of(&ana, &at.id).await;
    send(&ana, &at, &key, Form::new().file(b"%PDF-1.7")).await.expect_error(422, "documentNotSealed");
    send(&ana, &at, &key, visa().text("category", "pet")).await.expect_invalid("category");
    world.set_plan("ana", Plan::Free).await;
    send(&ana, &at, &key, visa()).await.expect_error(403, "subscriptionRequired");
    world.set_plan("ana", Plan::Pro).await;
    before.expect_unchanged(&ana, "failures").await;
    let response = send(&ana, &at, &key, visa()).await;
    assert_eq!((response.status.as_u16(), response.header("idempotency-replayed")), (201, ""));
    // A caller who may no longer upload gets no replay.
    world.set_plan("ana", Plan::Free).await;
    send(&ana, &at, &key, visa()).await.expect_error(403, "subscriptionRequired");
}

#[api_test]
async fn uploads_at_once_under_one_key_are_one(database: Database) {
    let Some(world) = start(database).await else { return };
    let (ana, at) = ana(&world).await;
    let key = key();
    let responses = join_all((0..8).map(|_| send(&ana, &at, &key, visa()))).await;
    for response in &responses {
        assert_eq!(response.status, 201, "{}", response.text());
        assert_eq!(without_url(response), without_url(&responses[0]));
        assert_eq!(downloaded(&world, &text(&response.json()["url"])).await, sealed_files::age(400_000));
    }
    let replayed = responses.iter().filter(|response| response.header("idempotency-replayed") == "true").count();
    assert_eq!(replayed, 7);
    assert_eq!(listed(&ana, &at.id).await.len(), 1);
    let kept = kept(&world).await;
    assert_eq!((kept.rows, kept.loose, kept.bytes, kept.files.len()), (1, 0, 400_000, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_is_a_uuid() {
    let Some(world) = start(Sqlite).await else { return };
    let (ana, at) = ana(&world).await;
    let before = Before::of(&ana, &at.id).await;
    for bad in ["", "x", "0194a000000070008000000000000001", "\"0194a000", "{0194a000-0000-7000-8000-000000000001}"] {
        send(&ana, &at, bad, visa()).await.expect_invalid("Idempotency-Key");
    }
    before.expect_unchanged(&ana, "bad keys").await;
    let without = uploaded(&ana, &at.id, visa().end()).await;
    assert_ne!(uploaded(&ana, &at.id, visa().end()).await["id"], without["id"], "without a key each is its own");
}

// Renaming is a PATCH and supports keys, too.
#[api_test]
async fn a_change_is_repeated_under_its_key(database: Database) {
    let Some(world) = start(database).await else { return };
    let (ana, at) = ana(&world).await;
    let id = small(&ana, &at.id).await;
    let (key, seen) = (key(), ana.viewed(&at.id).await);
    let rename = async |name: &str| {
        let call = ana.call(Method::PATCH, &format!("{}/{id}", documents(&at.id))).json(&json!({ "name": name }));
        call.header("If-Match", &seen.etag).header("Idempotency-Key", &key).send().await
    };
    let first = rename("Renamed").await;
    assert_eq!(first.status, 200, "{}", first.text());
    itinerary_tests::app::expect_replay(&rename("Renamed").await, &first);
    rename("Again").await.expect_error(422, "idempotencyKeyReused");
}
