//! While integrations are paused, no app gets access or is registered, revoking works, and discovery works.

use itinerary_tests::browser::Browser;
use itinerary_tests::{RawResponse, World, api_test};
use reqwest::Method;

use super::{App, expect_alive, expect_ended, expect_refusal, register, tokens};

async fn pause(world: &World, seconds: Option<u32>) {
    let now = itinerary_core::clock::Clock::now(&*world.clock);
    world.service().store.pause_set(seconds, now).await.expect("a database");
}

#[track_caller]
fn expect_paused(response: &RawResponse) {
    expect_refusal(response, 503, "temporarily_unavailable");
    assert_eq!(response.header("retry-after"), "120");
}

#[api_test]
async fn nobody_is_let_in(world: World) {
    let app = App::public(&world).await;
    let browser = Browser::signed_up(&world, "ana").await;
    let consent = browser.visit(&app.authorise()).await.form("/oauth/authorise/decision");
    let (code, before) = (app.code(&browser).await, app.connect(&browser).await);
    pause(&world, Some(120)).await;

    expect_paused(&register(&world, serde_json::json!({})).await);
    expect_paused(&app.redeem(&code).await);
    expect_paused(&app.renew(&before.refresh_token).await);
    let program = world.call(Method::GET, &app.authorise()).header("Accept", "application/json");
    expect_paused(&program.send().await);
    let decided = browser.submit(&consent, &[("decision", "approve")]).await;
    for page in [browser.visit(&app.authorise()).await, decided] {
        assert_eq!((page.response.status.as_u16(), page.left_for.as_ref()), (503, None));
        assert_eq!(page.response.header("retry-after"), "120");
        page.assert_says("We will be right back");
    }
    // A traveller learns of the pause before signing in.
    assert_eq!(Browser::new(&world).visit(&app.authorise()).await.response.status, 503);
    // Invalid requests are still reported as such.
    assert_eq!(browser.visit(&app.authorise_with(&[("scope", "admin")])).await.response.status, 400);
    let api = world.call(Method::GET, "/v1/account").token(&before.access_token).send().await;
    api.expect_error(503, "featureUnavailable");
    assert_eq!(api.header("retry-after"), "120");
    let unknown = world.call(Method::GET, "/v1/account").token("itp_at_unknown").send().await;
    unknown.expect_error(401, "unauthenticated");

    // The pause has consumed nothing.
    pause(&world, None).await;
    tokens(&app.redeem(&code).await);
    expect_alive(&world, &before.access_token).await;
    app.renewed(&before.refresh_token).await;
    assert!(browser.submit(&consent, &[("decision", "approve")]).await.left_for.is_some());
}

#[api_test]
async fn everybody_may_leave_and_discovery_goes_on(world: World) {
    let app = App::public(&world).await;
    let browser = Browser::signed_up(&world, "ana").await;
    let (revoked, disconnected) = (app.connect(&browser).await, app.connect(&browser).await);
    pause(&world, Some(120)).await;
    for path in ["oauth-authorization-server", "oauth-protected-resource", "oauth-protected-resource/mcp"] {
        assert_eq!(world.call(Method::GET, &format!("/.well-known/{path}")).send().await.status, 200, "{path}");
    }
    assert_eq!(app.revoke(&revoked.refresh_token).await.status, 200);
    for form in browser.visit("/account/apps").await.forms("/account/apps") {
        assert_eq!(browser.submit(&form, &[]).await.response.status, 200);
    }
    pause(&world, None).await;
    for ended in [&revoked, &disconnected] {
        expect_ended(&world, &ended.access_token).await;
        expect_refusal(&app.renew(&ended.refresh_token).await, 400, "invalid_grant");
    }
}
