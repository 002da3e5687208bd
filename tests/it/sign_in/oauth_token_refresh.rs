//! Refreshing: each refresh token works once, and a second use has consequences.

use chrono::TimeDelta;
use itinerary_core::clock::Clock;
use itinerary_core::ids;
use itinerary_server::jobs;
use itinerary_store::AccessToken;
use itinerary_tests::browser::Browser;
use itinerary_tests::sql::Connection;
use itinerary_tests::{World, api_test};

use super::{App, VERIFIER, basic, expect_alive, expect_ended, expect_refusal, tokens};

#[api_test]
async fn each_refresh_gives_a_new_pair(world: World) {
    // T-09
    let app = App::public(&world).await;
    let browser = Browser::signed_up(&world, "ana").await;
    let first = app.connect(&browser).await;
    let response = app.renew(&first.refresh_token).await;
    assert_eq!((response.header("cache-control"), response.header("pragma")), ("no-store", "no-cache"));
    let second = tokens(&response);
    assert_ne!(first.access_token, second.access_token);
    assert_ne!(first.refresh_token, second.refresh_token);
    assert_eq!((second.expires_in, &second.scope), (3600, &first.scope));
    for token in [&first.access_token, &second.access_token] {
        expect_alive(&world, token).await;
    }
    expect_ended(&world, &second.refresh_token).await;
}

#[api_test]
async fn a_refresh_token_used_twice_ends_the_whole_sign_in(world: World) {
    // T-10
    let app = App::public(&world).await;
    let browser = Browser::signed_up(&world, "ana").await;
    let untouched = app.connect(&browser).await;
    let first = app.connect(&browser).await;
    let second = app.renewed(&first.refresh_token).await;
    let third = app.renewed(&second.refresh_token).await;
    expect_refusal(&app.renew(&first.refresh_token).await, 400, "invalid_grant");
    for token in [&first, &second, &third] {
        expect_refusal(&app.renew(&token.refresh_token).await, 400, "invalid_grant");
        expect_ended(&world, &token.access_token).await;
    }
    // Another sign-in of the same traveller with the same app is unaffected.
    expect_alive(&world, &untouched.access_token).await;
    app.renewed(&untouched.refresh_token).await;
}

#[api_test]
async fn reused_code_revokes_its_tokens(world: World) {
    // T-08
    let app = App::confidential(&world).await;
    let browser = Browser::signed_up(&world, "ana").await;
    let code = app.code(&browser).await;
    let first = tokens(&app.redeem(&code).await);
    let second = app.renewed(&first.refresh_token).await;
    expect_refusal(&app.redeem(&code).await, 400, "invalid_grant");
    for tokens in [&first, &second] {
        expect_ended(&world, &tokens.access_token).await;
        expect_refusal(&app.renew(&tokens.refresh_token).await, 400, "invalid_grant");
    }
}

#[api_test]
async fn a_code_used_twice_without_proof_ends_nothing(world: World) {
    // T-08: otherwise anyone who finds an old code in a log could sign travellers out.
    let (app, other) = (App::confidential(&world).await, App::confidential(&world).await);
    let browser = Browser::signed_up(&world, "ana").await;
    let code = app.code(&browser).await;
    let first = tokens(&app.redeem(&code).await);
    let wrong = VERIFIER.replace('d', "e");
    let others = [("client_id", other.id.as_str()), ("client_secret", other.secret.as_deref().expect("a secret"))];
    for (changes, status, error) in [
        (&[("code_verifier", wrong.as_str())][..], 400, "invalid_grant"),
        (&[("redirect_uri", "https://app.example/cb")], 400, "invalid_grant"),
        (&others, 400, "invalid_grant"),
        (&[("client_secret", "itp_cs_wrong")], 401, "invalid_client"),
        (&[("client_secret", "")], 401, "invalid_client"),
    ] {
        expect_refusal(&app.redemption(&code, changes).send().await, status, error);
    }
    expect_alive(&world, &first.access_token).await;
    app.renewed(&first.refresh_token).await;
}

#[api_test]
async fn another_clients_refresh_token_is_no_use_and_no_harm(world: World) {
    // T-12: neither fresh nor used.
    let (app, other) = (App::public(&world).await, App::public(&world).await);
    let browser = Browser::signed_up(&world, "ana").await;
    let first = app.connect(&browser).await;
    expect_refusal(&other.renew(&first.refresh_token).await, 400, "invalid_grant");
    let second = app.renewed(&first.refresh_token).await;
    expect_refusal(&other.renew(&first.refresh_token).await, 400, "invalid_grant");
    for token in [&first.access_token, &second.access_token] {
        expect_alive(&world, token).await;
    }
    app.renewed(&second.refresh_token).await;
}

#[api_test]
async fn a_refresh_may_ask_for_less_and_later_for_all_again(world: World) {
    // T-13, and T-09: the new refresh token has all approved scopes.
    let app = App::public(&world).await;
    let browser = Browser::signed_up(&world, "ana").await;
    let first = app.connect(&browser).await;
    for (scope, error) in [
        ("itineraries:read documents:read", "invalid_scope"),
        ("documents:read", "invalid_scope"),
        ("admin", "invalid_scope"),
    ] {
        let refused = app.renewal(&first.refresh_token, &[("scope", scope)]).send().await;
        expect_refusal(&refused, 400, error);
    }
    let less = app.renewal(&first.refresh_token, &[("scope", "itineraries:read")]).send().await;
    let less = tokens(&less);
    assert_eq!(less.scope, "itineraries:read");
    let client = world.client_with(&less.access_token);
    client.account_self().send().await.expect("reading is allowed");
    let write = world.call(reqwest::Method::POST, "/v1/itineraries").token(&less.access_token);
    let details = write.json(&serde_json::json!({})).send().await.expect_error(403, "forbidden");
    assert_eq!(details["required"], "itineraries:write");
    let all = app.renewed(&less.refresh_token).await;
    assert_eq!(all.scope, "itineraries:read itineraries:write");
    let same = app.renewal(&all.refresh_token, &[("scope", "itineraries:write itineraries:read")]).send().await;
    assert_eq!(tokens(&same).scope, "itineraries:write itineraries:read");

    let asked = "itineraries:read documents:read offline_access";
    let first = tokens(&app.redeem(&app.code_with(&browser, &[("scope", asked)]).await).await);
    let wider = app.renewal(&first.refresh_token, &[("scope", "itineraries:write")]).send().await;
    expect_refusal(&wider, 400, "invalid_scope");
    let less = tokens(&app.renewal(&first.refresh_token, &[("scope", "documents:read")]).send().await);
    assert_eq!(less.scope, "documents:read");
    assert_eq!(app.renewed(&less.refresh_token).await.scope, asked);
}

#[api_test]
async fn a_secret_may_be_left_out_of_a_refresh_but_not_be_wrong(world: World) {
    // Contract §10: the specification's refresh request has only the client's id.
    let app = App::confidential(&world).await;
    let browser = Browser::signed_up(&world, "ana").await;
    let first = app.connect(&browser).await;
    let wrong = app.renewal(&first.refresh_token, &[("client_secret", "itp_cs_wrong")]).send().await;
    expect_refusal(&wrong, 401, "invalid_client");
    let wrong = app.renewal(&first.refresh_token, &[]).header("Authorization", &basic(&app.id, "itp_cs_wrong"));
    expect_refusal(&wrong.send().await, 401, "invalid_client");
    let second = app.renewed(&first.refresh_token).await;
    let secret = app.secret.as_deref().expect("a secret");
    let by_form = app.renewal(&second.refresh_token, &[("client_secret", secret)]).send().await;
    let third = tokens(&by_form);
    let by_basic = app.renewal(&third.refresh_token, &[("client_id", "")]);
    tokens(&by_basic.header("Authorization", &basic(&app.id, secret)).send().await);
}

#[api_test(oauth_strict_refresh = true)]
async fn a_strict_server_wants_the_secret_for_a_refresh(world: World) {
    let (app, public) = (App::confidential(&world).await, App::public(&world).await);
    let browser = Browser::signed_up(&world, "ana").await;
    let first = app.connect(&browser).await;
    expect_refusal(&app.renew(&first.refresh_token).await, 401, "invalid_client");
    let secret = app.secret.as_deref().expect("a secret");
    let second = tokens(&app.renewal(&first.refresh_token, &[("client_secret", secret)]).send().await);
    let by_basic = app.renewal(&second.refresh_token, &[("client_id", "")]);
    tokens(&by_basic.header("Authorization", &basic(&app.id, secret)).send().await);
    let publics = public.connect(&browser).await;
    public.renewed(&publics.refresh_token).await;
}

#[api_test]
async fn refresh_tokens_outlive_the_server(world: World) {
    let (id, tokens) = {
        let app = App::public(&world).await;
        let browser = Browser::signed_up(&world, "ana").await;
        let tokens = app.connect(&browser).await;
        (app.id, tokens)
    };
    let world = world.restart().await;
    expect_alive(&world, &tokens.access_token).await;
    let app = App { world: &world, id, secret: None };
    app.renewed(&tokens.refresh_token).await;
    expect_refusal(&app.renew(&tokens.refresh_token).await, 400, "invalid_grant");
}

/// How many rows a table has.
async fn rows(world: &World, table: &str) -> i64 {
    let connection = Connection::open(world.database_url()).await;
    let count = connection.first(&format!("SELECT COUNT(*) FROM {table}"), []).await;
    connection.close().await;
    count
}

#[api_test]
async fn many_refreshes_leave_one_row_and_fifty_access_tokens(world: World) {
    // T-09, T-10
    let app = App::public(&world).await;
    let browser = Browser::signed_up(&world, "ana").await;
    let untouched = app.connect(&browser).await;
    let first = app.connect(&browser).await;
    let mut last = app.renewed(&first.refresh_token).await;
    let mut newest = Vec::new();
    for n in 0..120 {
        last = app.renewed(&last.refresh_token).await;
        world.clock.advance(TimeDelta::milliseconds(10));
        if n >= 70 {
            newest.push(last.access_token.clone());
        }
    }
    assert_eq!((rows(&world, "grants").await, rows(&world, "tokens").await), (2, 51));
    expect_ended(&world, &first.access_token).await;
    for token in newest.iter().chain([&untouched.access_token]) {
        let caller = world.service().store.caller(&AccessToken::OAuth(ids::hash(token)), world.clock.now()).await;
        assert!(caller.expect("a database").is_some(), "the newest are alive");
    }
    // The first token is reuse as much as the last but one.
    expect_refusal(&app.renew(&first.refresh_token).await, 400, "invalid_grant");
    expect_refusal(&app.renew(&last.refresh_token).await, 400, "invalid_grant");
    expect_ended(&world, &last.access_token).await;
    app.renewed(&untouched.refresh_token).await;
    // An ended family is deleted an hour later, although its refresh token would have lived for months.
    world.clock.advance(TimeDelta::hours(2));
    jobs::expire(world.service()).await.expect("a database");
    assert_eq!((rows(&world, "grants").await, rows(&world, "tokens").await), (1, 0));
}

#[api_test]
async fn any_token_of_a_family_but_the_current_one_is_reuse(world: World) {
    // T-10, T-12
    let (app, other) = (App::public(&world).await, App::public(&world).await);
    let browser = Browser::signed_up(&world, "ana").await;
    let first = app.connect(&browser).await;
    let second = app.renewed(&first.refresh_token).await;
    let (family, _) = second.refresh_token.split_at("itp_rt_".len() + 22);
    assert!(first.refresh_token.starts_with(family), "tokens say whose they are");
    let made_up = format!("{family}{}", "A".repeat(43));
    // From another client, or malformed, it has no effect.
    expect_refusal(&other.renew(&made_up).await, 400, "invalid_grant");
    expect_refusal(&app.renew(family).await, 400, "invalid_grant");
    expect_refusal(&app.renew(&format!("{} ", second.refresh_token)).await, 400, "invalid_grant");
    expect_alive(&world, &second.access_token).await;
    expect_refusal(&app.renew(&made_up).await, 400, "invalid_grant");
    expect_ended(&world, &second.access_token).await;
    expect_refusal(&app.renew(&second.refresh_token).await, 400, "invalid_grant");
}

#[api_test]
async fn a_token_from_before_families_begins_one(world: World) {
    // T-09, T-10: after the migration, a token of 43 characters whose own hash identifies its family.
    let app = App::public(&world).await;
    let browser = Browser::signed_up(&world, "ana").await;
    let access = app.connect(&browser).await.access_token;
    let old = format!("itp_rt_{}", &"0123456789ABCDEFGHIJ".repeat(3)[..43]);
    let hash = ids::hash(&old).iter().fold(String::new(), |hex, byte| format!("{hex}{byte:02x}"));
    let hash = if world.database_url().starts_with("sqlite") { format!("X'{hash}'") } else { format!("'\\x{hash}'") };
    world.sql(&format!("UPDATE grants SET family = {hash}, refresh_hash = {hash}")).await;
    let second = app.renewed(&old).await;
    assert!(second.refresh_token.starts_with(&old[..29]), "its beginning is the family's name");
    let third = app.renewed(&second.refresh_token).await;
    expect_alive(&world, &access).await;
    expect_refusal(&app.renew(&old).await, 400, "invalid_grant");
    expect_refusal(&app.renew(&third.refresh_token).await, 400, "invalid_grant");
    expect_ended(&world, &access).await;
}

#[api_test]
async fn a_twenty_first_sign_in_with_an_app_ends_the_least_recently_used(world: World) {
    // Contract §10
    let (app, other) = (App::public(&world).await, App::public(&world).await);
    let (ana, ben) = (Browser::signed_up(&world, "ana").await, Browser::signed_up(&world, "ben").await);
    let others = [other.connect(&ana).await, app.connect(&ben).await];
    let mut given = Vec::new();
    for _ in 0..20 {
        given.push(app.connect(&ana).await);
        world.clock.advance(TimeDelta::seconds(1));
    }
    given[0] = app.renewed(&given[0].refresh_token).await;
    world.clock.advance(TimeDelta::seconds(1));
    let further = app.connect(&ana).await;
    expect_ended(&world, &given[1].access_token).await;
    expect_refusal(&app.renew(&given[1].refresh_token).await, 400, "invalid_grant");
    given.remove(1);
    for tokens in given.iter().chain(&others).chain([&further]) {
        expect_alive(&world, &tokens.access_token).await;
    }
    ana.visit("/account").await.assert_says("21 connected");
}
