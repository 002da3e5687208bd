//! What is used twice, what is revoked, and who was first.

use futures::future::join_all;

use super::world::{Browser, World, authorise_address, redemption};

async fn signed_in(world: &World) -> (Browser<'_>, String) {
    let client = world.public_client().await;
    let browser = world.browser();
    browser.sign_up("ana").await;
    (browser, client.client_id)
}

#[tokio::test]
async fn a_replayed_code_revokes_what_it_gave_when_the_rest_is_right() {
    let world = World::new().await;
    let (browser, client) = signed_in(&world).await;
    let code = browser.approve(&authorise_address(&client, &[])).await;
    let tokens = world.redeem(&client, &code).await.expect("tokens");

    let mut unproven = redemption(&client, &code);
    unproven[3] = ("code_verifier", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
    assert_eq!(world.token(&unproven).await.expect_err("a wrong verifier").error.as_str(), "invalid_grant");
    let other = world.public_client().await.client_id;
    assert_eq!(world.redeem(&other, &code).await.expect_err("another client").error.as_str(), "invalid_grant");
    assert!(world.caller(&tokens.access_token).await.is_some(), "an unproven replay revokes nothing");

    assert_eq!(world.redeem(&client, &code).await.expect_err("a replay").error.as_str(), "invalid_grant");
    assert!(world.caller(&tokens.access_token).await.is_none());
    assert!(world.refresh(&client, &tokens.refresh_token).await.is_err());
}

#[tokio::test]
async fn a_replayed_refresh_token_ends_its_family() {
    let world = World::new().await;
    let (browser, client) = signed_in(&world).await;
    let code = browser.approve(&authorise_address(&client, &[])).await;
    let first = world.redeem(&client, &code).await.expect("tokens");
    let second = world.refresh(&client, &first.refresh_token).await.expect("tokens");
    assert_ne!(first.refresh_token, second.refresh_token);
    assert!(world.caller(&first.access_token).await.is_some(), "access lasts its hour");

    let other = world.public_client().await.client_id;
    assert_eq!(
        world.refresh(&other, &first.refresh_token).await.expect_err("another's").error.as_str(),
        "invalid_grant"
    );
    assert!(world.caller(&second.access_token).await.is_some(), "another client revokes nothing");

    assert_eq!(
        world.refresh(&client, &first.refresh_token).await.expect_err("a replay").error.as_str(),
        "invalid_grant"
    );
    assert_eq!(world.refresh(&client, &second.refresh_token).await.expect_err("ended").error.as_str(), "invalid_grant");
    for access in [first.access_token, second.access_token] {
        assert!(world.caller(&access).await.is_none());
    }
}

#[tokio::test]
async fn of_many_at_once_exactly_one_is_first() {
    let world = World::new().await;
    let (browser, client) = signed_in(&world).await;
    let address = authorise_address(&client, &[]);
    let code = browser.approve(&address).await;
    let outcomes = join_all((0..20).map(|_| world.redeem(&client, &code))).await;
    let (won, lost): (Vec<_>, Vec<_>) = outcomes.into_iter().partition(Result::is_ok);
    assert_eq!((won.len(), lost.len()), (1, 19));
    assert!(lost.iter().all(|it| it.as_ref().is_err_and(|error| error.error.as_str() == "invalid_grant")));

    let code = browser.approve(&address).await;
    let tokens = world.redeem(&client, &code).await.expect("tokens");
    // The failures above were counted; this is about something else.
    world.advance(60);
    let outcomes = join_all((0..20).map(|_| world.refresh(&client, &tokens.refresh_token))).await;
    let won: Vec<_> = outcomes.into_iter().filter_map(Result::ok).collect();
    assert_eq!(won.len(), 1);
    assert!(world.caller(&won[0].access_token).await.is_none(), "the others were replays, which end the family");
}

#[tokio::test]
async fn a_client_revokes_its_own_tokens_only() {
    let world = World::new().await;
    let (browser, client) = signed_in(&world).await;
    let other = world.public_client().await.client_id;
    let address = authorise_address(&client, &[]);
    for by_refresh_token in [false, true] {
        let code = browser.approve(&address).await;
        let tokens = world.redeem(&client, &code).await.expect("tokens");
        let token = if by_refresh_token { &tokens.refresh_token } else { &tokens.access_token };
        world.revoke(&[("client_id", &other), ("token", token)]).await.expect("answered the same");
        assert!(world.caller(&tokens.access_token).await.is_some());
        let hint = ("token_type_hint", "no such hint");
        world.revoke(&[("client_id", &client), ("token", token), hint]).await.expect("revoked");
        assert!(world.caller(&tokens.access_token).await.is_none());
        assert!(world.refresh(&client, &tokens.refresh_token).await.is_err());
        world.revoke(&[("client_id", &client), ("token", token)]).await.expect("revoked before");
    }
    world.revoke(&[("client_id", &client), ("token", "unknown")]).await.expect("answered the same");
    let missing = world.revoke(&[("client_id", &client)]).await.expect_err("no token");
    assert_eq!(missing.error.as_str(), "invalid_request");
    let unknown = world.revoke(&[("client_id", "app_x"), ("token", "unknown")]).await.expect_err("no client");
    assert_eq!((unknown.error.as_str(), unknown.status.as_u16()), ("invalid_client", 401));
}
