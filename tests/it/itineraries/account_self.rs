//! The account of the token.

use itinerary_sdk::types;
use itinerary_tests::{World, api_test};
use reqwest::Method;
use serde_json::json;

use super::{App, WITH_DOCUMENTS};

#[api_test]
async fn the_account_tells_who_is_calling_and_what_for(world: World) {
    let id = world.account("ana").await;
    let app = App::with_scope(&world, "ana", "documents:read itineraries:read").await;
    let response = app.call(Method::GET, "/v1/account").send().await;
    assert_eq!(response.status, 200);
    let account = json!({
        "accountId": id.to_string(), "username": "ana", "displayName": "ana", "isPro": false, "plan": "free",
        "scopes": ["itineraries:read", "documents:read"], "createdAt": "2027-01-10T12:00:00.000Z",
    });
    assert_eq!(response.json(), account);
    assert_eq!(response.header("cache-control"), "private, no-cache");
    let write_only = App::with_scope(&world, "ana", "itineraries:write").await;
    let refused = write_only.call(Method::GET, "/v1/account").send().await;
    assert_eq!(refused.expect_error(403, "forbidden")["required"], "itineraries:read");
}

#[api_test]
async fn a_change_of_plan_holds_from_the_next_request(world: World) {
    let id = world.account("ana").await;
    let client = world.client_with(&world.token("ana", WITH_DOCUMENTS).await);
    let self_ = || async { client.account_self().send().await.expect("an account") };
    for (plan, wire, is_pro) in
        [(itinerary_model::Plan::Pro, types::Plan::Pro, true), (itinerary_model::Plan::Free, types::Plan::Free, false)]
    {
        world.set_plan("ana", plan).await;
        let account = self_().await;
        assert_eq!((account.account_id, account.is_pro), (id, is_pro));
        assert!(account.plan == wire, "{:?}", account.plan);
    }
}
