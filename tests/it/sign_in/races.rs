//! Concurrent use of codes and refresh tokens: one request is first, on one server or two. (T-11)
//!
//! A second use shows a leak, so what the first one got is revoked. At most one request may get tokens.

use futures::future::join_all;
use itinerary_sdk::types::TokenResponse;
use itinerary_tests::browser::Browser;
use itinerary_tests::raw::Call;
use itinerary_tests::{RawResponse, World, api_test};

use super::{App, expect_alive, expect_dead, expect_ended, expect_refusal, tokens};

const AT_ONCE: usize = 64;

/// The issued tokens. All other responses must be errors.
fn winners(responses: &[RawResponse]) -> Vec<TokenResponse> {
    let (won, lost): (Vec<_>, Vec<_>) = responses.iter().partition(|response| response.status == 200);
    for response in lost {
        expect_refusal(response, 400, "invalid_grant");
    }
    won.into_iter().map(tokens).collect()
}

/// Sends all requests concurrently.
async fn race(calls: Vec<Call>) -> Vec<TokenResponse> {
    winners(&join_all(calls.into_iter().map(Call::send)).await)
}

/// Checks that at most one request succeeded, and that its tokens were revoked.
async fn expect_one_dead_winner(app: &App<'_>, won: &[TokenResponse]) {
    assert_eq!(won.len(), 1, "one is first");
    for tokens in won {
        expect_ended(app.world, &tokens.access_token).await;
        expect_refusal(&app.renew(&tokens.refresh_token).await, 400, "invalid_grant");
    }
}

#[api_test(limits = false)]
async fn one_of_many_concurrent_code_exchanges_succeeds(world: World) {
    let app = App::public(&world).await;
    let browser = Browser::signed_up(&world, "ana").await;
    let code = app.code(&browser).await;
    let won = race((0..AT_ONCE).map(|_| app.redemption(&code, &[])).collect()).await;
    expect_one_dead_winner(&app, &won).await;
}

#[api_test(limits = false)]
async fn one_of_many_concurrent_refreshes_succeeds(world: World) {
    let app = App::public(&world).await;
    let browser = Browser::signed_up(&world, "ana").await;
    let token = app.connect(&browser).await.refresh_token;
    let won = race((0..AT_ONCE).map(|_| app.renewal(&token, &[])).collect()).await;
    expect_one_dead_winner(&app, &won).await;
}

#[api_test(limits = false)]
async fn two_servers_on_one_database_agree_on_who_was_first(world: World) {
    let app = App::public(&world).await;
    let browser = Browser::signed_up(&world, "ana").await;
    let replica = world.replica_with(|config| config.limits = false).await;
    // The same request, sent to the other server.
    let elsewhere = |call: Call| {
        let mut request = call.0.build().expect("a request");
        request.url_mut().set_port(Some(replica.address.port())).expect("an address with a port");
        Call(reqwest::RequestBuilder::from_parts(world.http.clone(), request))
    };
    let either = |n: usize, call: Call| if n.is_multiple_of(2) { call } else { elsewhere(call) };
    for _ in 0..3 {
        let code = app.code(&browser).await;
        let won = race((0..AT_ONCE).map(|n| either(n, app.redemption(&code, &[]))).collect()).await;
        expect_one_dead_winner(&app, &won).await;
        let token = app.connect(&browser).await.refresh_token;
        let won = race((0..AT_ONCE).map(|n| either(n, app.renewal(&token, &[]))).collect()).await;
        expect_one_dead_winner(&app, &won).await;
    }
    // Tokens and revocations of one server take effect on the other.
    let tokens = tokens(&elsewhere(app.redemption(&app.code(&browser).await, &[])).send().await);
    expect_alive(&world, &tokens.access_token).await;
    assert_eq!(app.revoke(&tokens.access_token).await.status, 200);
    let there = world.call(reqwest::Method::GET, "/v1/account").token(&tokens.access_token);
    expect_dead(&elsewhere(there).send().await);
    replica.stop().await;
}

#[api_test(limits = false)]
async fn a_refresh_that_races_with_its_revocation_gives_nothing_that_lives(world: World) {
    let app = App::public(&world).await;
    let browser = Browser::signed_up(&world, "ana").await;
    for _ in 0..10 {
        let token = app.connect(&browser).await.refresh_token;
        let (renewed, revoked) = futures::join!(app.renew(&token), app.revoke(&token));
        assert_eq!(revoked.status, 200);
        for tokens in winners(&[renewed]) {
            expect_ended(&world, &tokens.access_token).await;
            expect_refusal(&app.renew(&tokens.refresh_token).await, 400, "invalid_grant");
        }
    }
}

#[api_test]
async fn many_sign_ins_at_once_do_not_disturb_each_other(world: World) {
    let app = App::public(&world).await;
    let browser = Browser::signed_up(&world, "ana").await;
    let mut codes = Vec::new();
    for _ in 0..16 {
        codes.push(app.code(&browser).await);
    }
    let won = race(codes.iter().map(|code| app.redemption(code, &[])).collect()).await;
    assert_eq!(won.len(), 16);
    let again = race(won.iter().map(|tokens| app.renewal(&tokens.refresh_token, &[])).collect()).await;
    assert_eq!(again.len(), 16);
    for tokens in &again {
        expect_alive(&world, &tokens.access_token).await;
    }
}
