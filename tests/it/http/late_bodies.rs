//! If the body arrives after the headers, permissions are checked again: revoked ones no longer count.

use itinerary_app::accounts::COMMAND_LINE;
use itinerary_model::Plan;
use itinerary_tests::app::{App, Stored, WITH_DOCUMENTS};
use itinerary_tests::{RawResponse, World, api_test};
use reqwest::Method;
use serde_json::{Value, json};

use super::{lisbon, lisbon_with};
use itinerary_tests::wire::Wire;

/// A change of which one byte was sent.
struct Half {
    wire: Wire,
    rest: String,
}

/// Begins a change, which is allowed at this point.
async fn begin(app: &App<'_>, seen: &Stored, body: &Value) -> Half {
    let body = body.to_string();
    let mut wire = Wire::to(app.world).await;
    wire.send(format!(
        "PATCH /v1/itineraries/{} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\nIf-Match: {}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\nExpect: 100-continue\r\n\r\n",
        seen.id,
        app.token,
        seen.etag,
        body.len()
    ))
    .await;
    assert!(wire.is_asked_to_continue().await, "it was allowed, so the body is read");
    wire.send(&body[..1]).await;
    Half { wire, rest: body[1..].to_owned() }
}

/// Begins a change whose body turns out to be empty.
async fn begin_empty(app: &App<'_>, seen: &Stored) -> Half {
    let mut wire = Wire::to(app.world).await;
    wire.send(format!(
        "PUT /v1/itineraries/{}/cover-image HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\nIf-Match: {}\r\n\
         Transfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n",
        seen.id, app.token, seen.etag,
    ))
    .await;
    assert!(wire.is_asked_to_continue().await, "it was allowed, so the body is read");
    Half { wire, rest: "0\r\n\r\n".to_owned() }
}

impl Half {
    async fn finish(mut self) -> RawResponse {
        self.wire.send(self.rest).await;
        self.wire.response().await
    }
}

fn title() -> Value {
    json!({ "title": "Too late" })
}

#[api_test]
async fn a_change_that_may_is_made_when_its_body_comes(world: World) {
    let ana = App::of(&world, "ana").await;
    let seen = ana.created(&lisbon()).await;
    let response = begin(&ana, &seen, &title()).await.finish().await;
    assert_eq!((response.status.as_u16(), &response.json()["title"]), (200, &json!("Too late")));
}

// Observed before: headers and one byte, the app disconnected, the rest 100 s later: the title had changed.
#[api_test]
async fn an_app_that_was_disconnected_changes_nothing(world: World) {
    let (ana, lost) = (App::of(&world, "ana").await, App::of(&world, "ana").await);
    let seen = ana.created(&lisbon()).await;
    let (half, empty) = (begin(&lost, &seen, &title()).await, begin_empty(&lost, &seen).await);
    let form = [("client_id", COMMAND_LINE), ("token", &*lost.token)];
    assert_eq!(world.call(Method::POST, "/oauth/revoke").form(&form).send().await.status, 200);
    half.finish().await.expect_error(401, "unauthenticated");
    empty.finish().await.expect_error(401, "unauthenticated");
    assert_eq!(ana.viewed(&seen.id).await.json, seen_by(&ana, &seen).await);
    assert_ne!(ana.viewed(&seen.id).await.json["title"], "Too late");
}

async fn seen_by(app: &App<'_>, seen: &Stored) -> Value {
    let now = app.viewed(&seen.id).await;
    assert_eq!(now.etag, seen.etag, "it has not changed");
    now.json
}

#[api_test]
async fn pause_rejects_requests_in_progress(world: World) {
    let ana = App::of(&world, "ana").await;
    let seen = ana.created(&lisbon()).await;
    let half = begin(&ana, &seen, &title()).await;
    let (store, now) = (&world.service().store, world.service().clock.now());
    store.pause_set(Some(30), now).await.expect("a database");
    half.finish().await.expect_error(503, "featureUnavailable");
    store.pause_set(None, now).await.expect("a database");
    seen_by(&ana, &seen).await;
}

#[api_test]
async fn a_plan_that_ended_changes_nothing_of_pro(world: World) {
    world.pro_account("ana").await;
    let ana = App::with_scope(&world, "ana", WITH_DOCUMENTS).await;
    let seen = ana.created(&lisbon_with(&json!({ "packing": [{ "name": "Socks" }] }))).await;
    let half = begin(&ana, &seen, &json!({ "packing": [{ "name": "Shoes" }] })).await;
    world.set_plan("ana", Plan::Free).await;
    half.finish().await.expect_error(403, "subscriptionRequired");
    world.set_plan("ana", Plan::Pro).await;
    assert_eq!(seen_by(&ana, &seen).await["packing"][0]["name"], "Socks");
}
