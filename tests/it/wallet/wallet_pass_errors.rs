//! Who may have passes, and the errors if there is none.

use itinerary_tests::app::{App, path};
use itinerary_tests::{Database, World, api_test};
use reqwest::Method;
use serde_json::json;

use super::chain::Operator;
use super::{listed, pass, start, trip};

#[api_test]
async fn a_server_without_certificates_lists_passes_and_makes_none(world: World) {
    let ana = App::of(&world, "ana").await;
    let tokyo = ana.created(&trip()).await;
    let response = listed(&ana, &tokyo).await;
    assert_eq!(response.header("etag"), tokyo.etag);
    let list = json!([
        { "kind": "flight", "itemId": "out", "formats": [] },
        { "kind": "hotel", "itemId": "inn", "formats": [] },
    ]);
    assert_eq!(response.json(), json!({ "data": list }));
    for query in ["", "?format=apple", "?format=google"] {
        let response = pass(&ana, &tokyo, "flight/out", query).await;
        response.expect_error(503, "featureUnavailable");
        assert_eq!(response.header("retry-after"), "3600", "{query}");
        assert!(response.text().contains("wallet."), "it says what to configure: {}", response.text());
        // Errors of the flight come first.
        pass(&ana, &tokyo, "flight/bare", query).await.expect_error(409, "conflict");
    }
}

#[api_test]
async fn wallet_pass_list_has_the_available_formats(database: Database) {
    let Some(world) = start(database, &Operator::new()).await else { return };
    let ana = App::of(&world, "ana").await;
    let tokyo = ana.created(&trip()).await;
    let list = listed(&ana, &tokyo).await.json();
    assert_eq!(list["data"][0]["formats"], json!(["apple", "google"]));
    // The formats are not part of the itinerary's version.
    let known = ana.call(Method::GET, &format!("{}/wallet-passes", path(&tokyo.id)));
    assert_eq!(known.header("If-None-Match", &tokyo.etag).send().await.status, 200);
}

#[api_test]
async fn passes_are_for_the_owner_and_members(database: Database) {
    let Some(world) = start(database, &Operator::new()).await else { return };
    let (ana, ben) = (App::of(&world, "ana").await, App::of(&world, "ben").await);
    let tokyo = ana.created(&trip()).await;
    listed(&ben, &tokyo).await.expect_error(404, "notFound");
    pass(&ben, &tokyo, "hotel/inn", "").await.expect_error(404, "notFound");
    ana.patched(&tokyo, &json!({ "visibility": "public" })).await;
    listed(&ben, &tokyo).await.expect_error(403, "forbidden");
    pass(&ben, &tokyo, "hotel/inn", "").await.expect_error(403, "forbidden");
    pass(&ben, &tokyo, "hotel/nothing", "").await.expect_error(403, "forbidden");
    let account = world.service().store.account_by_username("ben").await.expect("a database").expect("ben");
    world.member(&tokyo.id, account.id, "viewer").await;
    assert_eq!(pass(&ben, &tokyo, "hotel/inn", "").await.status, 200);
}

#[api_test(sqlite)]
async fn unknown_passes_and_invalid_parameters_are_rejected(database: Database) {
    let Some(world) = start(database, &Operator::new()).await else { return };
    let ana = App::of(&world, "ana").await;
    let tokyo = ana.created(&trip()).await;
    for (item, query) in [("flight/nothing", ""), ("hotel/out", ""), ("flight/inn", "?format=google")] {
        pass(&ana, &tokyo, item, query).await.expect_error(404, "notFound");
    }
    for (item, query, field) in [
        ("train/out", "", "kind"),
        ("flight/out", "?format=samsung", "format"),
        ("flight/out", "?format=", "format"),
        ("flight/out", "?format=apple&format=google", "format"),
        ("flight/a%20b", "", "itemId"),
    ] {
        let details = pass(&ana, &tokyo, item, query).await.expect_error(422, "validationFailed");
        assert_eq!(details["field"], field, "{item}{query}");
    }
}

#[api_test(sqlite)]
async fn an_expired_certificate_makes_no_passes(database: Database) {
    // The tests' clock stands in 2027.
    let operator = Operator::with_certificate_until(1_790_000_000);
    let Some(world) = start(database, &operator).await else { return };
    let ana = App::of(&world, "ana").await;
    let tokyo = ana.created(&trip()).await;
    pass(&ana, &tokyo, "hotel/inn", "").await.expect_error(503, "featureUnavailable");
    assert_eq!(pass(&ana, &tokyo, "hotel/inn", "?format=google").await.status, 200);
}
