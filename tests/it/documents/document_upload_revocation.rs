//! Permissions that are revoked during an upload no longer count when it ends.

use itinerary_app::accounts::COMMAND_LINE;
use itinerary_model::Plan;
use itinerary_tests::app::App;
use itinerary_tests::{Database, RawResponse, Sqlite, World, api_test};
use reqwest::Method;

use super::{Before, ana, kept, pro, sealed_files, start, written};
use itinerary_tests::forms::{Form, LAST_CHUNK, head, in_chunks};
use itinerary_tests::wire::Wire;

/// An upload whose first half was sent.
struct Half {
    wire: Wire,
    rest: Vec<u8>,
}

/// Begins an upload, which is allowed at this point.
async fn begin(app: &App<'_>, id: &str) -> Half {
    let mut wire = Wire::to(app.world).await;
    wire.send(head(id, &app.token, "Transfer-Encoding: chunked\r\nExpect: 100-continue")).await;
    assert!(wire.is_asked_to_continue().await, "it was allowed, so the body is read");
    let form = Form::new().file(sealed_files::age(800_000)).end();
    let (begin, rest) = form.split_at(400_000);
    wire.send(in_chunks(&[begin])).await;
    written(app.world).await;
    Half { wire, rest: rest.to_vec() }
}

impl Half {
    async fn finish(mut self) -> RawResponse {
        self.wire.send(in_chunks(&[&self.rest])).await;
        self.wire.send(LAST_CHUNK).await;
        self.wire.response().await
    }
}

/// Ben, an editor of Ana's itinerary.
async fn editor<'w>(world: &'w World, id: &str) -> (App<'w>, uuid::Uuid) {
    let ben = pro(world, "ben").await;
    let account = world.service().store.account_by_username("ben").await.expect("a database").expect("ben").id;
    world.member(id, account, "editor").await;
    (ben, account)
}

#[tokio::test(flavor = "multi_thread")]
async fn an_upload_that_may_goes_on_when_nothing_changes() {
    let Some(world) = start(Sqlite).await else { return };
    let (ana, at) = ana(&world).await;
    let half = begin(&ana, &at.id).await;
    // A concurrent change does not matter, because an upload needs no version.
    ana.patched(&ana.viewed(&at.id).await, &serde_json::json!({ "title": "Meanwhile" })).await;
    let response = half.finish().await;
    assert_eq!(response.status, 201, "{}", response.text());
    assert_eq!(response.header("etag"), ana.viewed(&at.id).await.etag);
}

#[api_test]
async fn a_token_that_was_revoked_does_not_upload(database: Database) {
    let Some(world) = start(database).await else { return };
    let (ana, at) = ana(&world).await;
    let before = Before::of(&ana, &at.id).await;
    let lost = App::with_scope(&world, "ana", super::SCOPE).await;
    let half = begin(&lost, &at.id).await;
    let form = [("client_id", COMMAND_LINE), ("token", &*lost.token)];
    assert_eq!(world.call(Method::POST, "/oauth/revoke").form(&form).send().await.status, 200);
    half.finish().await.expect_error(401, "unauthenticated");
    before.expect_unchanged(&ana, "a revoked token").await;
}

#[api_test]
async fn a_plan_that_ended_does_not_upload(database: Database) {
    let Some(world) = start(database).await else { return };
    let (ana, at) = ana(&world).await;
    let before = Before::of(&ana, &at.id).await;
    let half = begin(&ana, &at.id).await;
    world.set_plan("ana", Plan::Free).await;
    let refused = half.finish().await;
    assert_eq!(refused.expect_error(403, "subscriptionRequired")["section"], "documents");
    world.set_plan("ana", Plan::Pro).await;
    before.expect_unchanged(&ana, "a plan that ended").await;
}

#[api_test]
async fn a_membership_that_ended_does_not_upload(database: Database) {
    let Some(world) = start(database).await else { return };
    let (ana, at) = ana(&world).await;
    let before = Before::of(&ana, &at.id).await;
    let (ben, account) = editor(&world, &at.id).await;
    let half = begin(&ben, &at.id).await;
    world.no_member(&at.id, account).await;
    half.finish().await.expect_error(404, "notFound");
    before.expect_unchanged(&ana, "no member any more").await;

    world.member(&at.id, account, "editor").await;
    let half = begin(&ben, &at.id).await;
    world.no_member(&at.id, account).await;
    world.member(&at.id, account, "viewer").await;
    half.finish().await.expect_error(403, "forbidden");
    before.expect_unchanged(&ana, "a viewer by now").await;
}

#[api_test]
async fn an_itinerary_that_was_deleted_takes_no_upload(database: Database) {
    let Some(world) = start(database).await else { return };
    let (ana, at) = ana(&world).await;
    let nothing = kept(&world).await;
    let half = begin(&ana, &at.id).await;
    assert_eq!(ana.delete(&at).await.status, 204);
    half.finish().await.expect_error(404, "notFound");
    assert_eq!(kept(&world).await, nothing);
}

#[api_test]
async fn pause_rejects_requests_in_progress(database: Database) {
    let Some(world) = start(database).await else { return };
    let (ana, at) = ana(&world).await;
    let before = Before::of(&ana, &at.id).await;
    let half = begin(&ana, &at.id).await;
    let (store, now) = (&world.service().store, world.service().clock.now());
    store.pause_set(Some(30), now).await.expect("a database");
    half.finish().await.expect_error(503, "featureUnavailable");
    store.pause_set(None, now).await.expect("a database");
    before.expect_unchanged(&ana, "paused").await;
}

// An upload that takes longer than a file may exist without its document is rejected, because the job may delete the
// file.
#[api_test]
async fn an_upload_that_takes_an_hour_is_too_late(database: Database) {
    let Some(world) = start(database).await else { return };
    let (ana, at) = ana(&world).await;
    let before = Before::of(&ana, &at.id).await;
    // The token is valid for two more minutes. The file may be deleted, as clocks may differ by five minutes.
    let half = begin(&ana, &at.id).await;
    world.clock.advance(chrono::TimeDelta::minutes(58));
    half.finish().await.expect_error(502, "upstreamFailed");
    before.expect_unchanged(&ana, "too late").await;
}
