//! Limits on failures: at the token and revocation endpoints, at sign-in, and at sign-up.

use std::net::Ipv4Addr;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicUsize};

use chrono::TimeDelta;
use futures::future::join_all;
use itinerary_platform::passwords::HashingCost;
use itinerary_platform::settings::Config;
use itinerary_tests::browser::Browser;
use itinerary_tests::world::PASSWORD;
use itinerary_tests::{Database, World, api_test};
use reqwest::Method;

use super::{App, basic, expect_refusal, token_call, tokens};

#[api_test]
async fn thirty_failures_a_minute_at_the_token_endpoint(world: World) {
    // T-19
    let (app, other) = (App::confidential(&world).await, App::public(&world).await);
    let browser = Browser::signed_up(&world, "ana").await;
    let first = app.connect(&browser).await;
    let others = other.connect(&browser).await;
    for n in 0..30 {
        let guess = format!("itp_cs_guess-{n}");
        let call = token_call(&world, &[("grant_type", "refresh_token"), ("refresh_token", &first.refresh_token)]);
        expect_refusal(&call.header("Authorization", &basic(&app.id, &guess)).send().await, 401, "invalid_client");
    }
    world.clock.advance(TimeDelta::seconds(59));
    let refused = app.renew(&first.refresh_token).await;
    expect_refusal(&refused, 429, "temporarily_unavailable");
    assert_eq!(refused.header("retry-after"), "1");
    expect_refusal(&app.revoke(&first.access_token).await, 429, "temporarily_unavailable");
    other.renewed(&others.refresh_token).await;
    world.clock.advance(TimeDelta::seconds(1));
    app.renewed(&first.refresh_token).await;
}

#[api_test]
async fn codes_that_a_visitor_makes_up_lock_nobody_out(world: World) {
    // T-19: an app forwards whatever arrives at its callback, with its own secret. Only failed client authentication
    // counts.
    for app in [App::confidential(&world).await, App::public(&world).await] {
        let browser = Browser::signed_up(&world, if app.secret.is_some() { "ana" } else { "ben" }).await;
        let code = app.code(&browser).await;
        for n in 0..100 {
            expect_refusal(&app.redeem(&format!("itp_ac_guess-{n}")).await, 400, "invalid_grant");
            expect_refusal(&app.redemption(&code, &[("code_verifier", "guess")]).send().await, 400, "invalid_grant");
            expect_refusal(&app.renew("itp_rt_guess").await, 400, "invalid_grant");
            expect_refusal(
                &app.redemption(&code, &[("grant_type", "guess")]).send().await,
                400,
                "unsupported_grant_type",
            );
            expect_refusal(&app.redemption(&code, &[("code", "")]).send().await, 400, "invalid_request");
            let nothing = world.call(Method::POST, "/oauth/revoke");
            let secret = app.secret.as_deref().map(|secret| ("client_secret", secret));
            let form: Vec<_> = [("client_id", &*app.id)].into_iter().chain(secret).collect();
            expect_refusal(&nothing.form(&form).send().await, 400, "invalid_request");
        }
        let first = tokens(&app.redeem(&code).await);
        app.renewed(&first.refresh_token).await;
        assert_eq!(app.revoke(&first.access_token).await.status, 200);
    }
}

#[api_test]
async fn failing_to_prove_oneself_at_the_revocation_endpoint_counts_too(world: World) {
    // T-19
    let app = App::confidential(&world).await;
    for n in 0..30 {
        let form = [("token", "x"), ("client_id", &*app.id), ("client_secret", &format!("itp_cs_guess-{n}"))];
        let refused = world.call(Method::POST, "/oauth/revoke").form(&form).send().await;
        expect_refusal(&refused, 401, "invalid_client");
    }
    let refused = app.revoke("itp_at_unknown").await;
    expect_refusal(&refused, 429, "temporarily_unavailable");
    assert_eq!(refused.header("retry-after"), "60");
    expect_refusal(&app.renew("itp_rt_unknown").await, 429, "temporarily_unavailable");
    world.clock.advance(TimeDelta::seconds(60));
    assert_eq!(app.revoke("itp_at_unknown").await.status, 200);
}

#[api_test]
async fn failures_of_unknown_clients_are_rate_limited_by_address(world: World) {
    let app = App::public(&world).await;
    for n in 0..30 {
        let id = format!("no such client {n}");
        let refused = token_call(&world, &[("grant_type", "refresh_token"), ("client_id", &id)]).send().await;
        expect_refusal(&refused, 401, "invalid_client");
    }
    let refused = token_call(&world, &[("grant_type", "refresh_token")]).send().await;
    expect_refusal(&refused, 429, "temporarily_unavailable");
    expect_refusal(&app.renew("itp_rt_unknown").await, 400, "invalid_grant");
}

#[api_test]
async fn successes_are_never_refused(world: World) {
    // Contract §11: a back end that refreshes for thousands of travellers.
    let app = App::confidential(&world).await;
    let browser = Browser::signed_up(&world, "ana").await;
    let mut token = app.connect(&browser).await.refresh_token;
    for _ in 0..100 {
        token = app.renewed(&token).await.refresh_token;
    }
    for _ in 0..40 {
        assert_eq!(app.revoke("itp_at_unknown").await.status, 200);
    }
}

#[api_test]
async fn ten_wrong_passwords_a_minute_for_an_account(world: World) {
    //
    for name in ["ana", "bob"] {
        world.account(name).await;
    }
    let browser = Browser::new(&world);
    for _ in 0..12 {
        assert_eq!(Browser::new(&world).sign_in("ana", PASSWORD).await.address.path(), "/");
    }
    for _ in 0..10 {
        assert_eq!(browser.sign_in("ana", "wrong password").await.response.status, 422);
    }
    world.clock.advance(TimeDelta::seconds(20));
    let refused = browser.sign_in("ana", PASSWORD).await;
    assert_eq!((refused.response.status.as_u16(), refused.response.header("retry-after")), (429, "40"));
    refused.assert_says("Too many attempts.");
    assert!(refused.text().contains("role=\"alert\""), "{}", refused.text());
    assert_eq!(browser.sign_in("bob", "wrong password").await.response.status, 422, "another account");
    assert_eq!(browser.sign_in(" ANA ", PASSWORD).await.response.status, 429, "however it is written");
    assert_eq!(Browser::new(&world).sign_in("bob", PASSWORD).await.address.path(), "/");
    world.clock.advance(TimeDelta::seconds(39));
    assert_eq!(browser.sign_in("ana", PASSWORD).await.response.status, 429);
    world.clock.advance(TimeDelta::seconds(1));
    assert_eq!(browser.sign_in("ana", PASSWORD).await.address.path(), "/");
}

#[api_test]
async fn thirty_wrong_passwords_a_minute_from_an_address(world: World) {
    world.account("ana").await;
    let browser = Browser::new(&world);
    for n in 0..30 {
        assert_eq!(browser.sign_in(&format!("guess-{}", n / 5), "wrong password").await.response.status, 422);
    }
    let refused = browser.sign_in("ana", PASSWORD).await;
    assert_eq!((refused.response.status.as_u16(), refused.response.header("retry-after")), (429, "60"));
    world.clock.advance(TimeDelta::seconds(60));
    assert_eq!(browser.sign_in("ana", PASSWORD).await.address.path(), "/");
}

#[api_test]
async fn twenty_right_passwords_a_minute_for_an_account(world: World) {
    for name in ["ana", "bob"] {
        world.account(name).await;
    }
    let sign_in = async |name: &str| Browser::new(&world).sign_in(name, PASSWORD).await;
    for n in 0..20 {
        assert_eq!(sign_in("ana").await.address.path(), "/", "sign-in {n}");
    }
    world.clock.advance(TimeDelta::seconds(20));
    let refused = sign_in("ana").await;
    assert_eq!((refused.response.status.as_u16(), refused.response.header("retry-after")), (429, "40"));
    refused.assert_says("Too many attempts.");
    assert_eq!(sign_in("bob").await.address.path(), "/", "another account");
    world.clock.advance(TimeDelta::seconds(40));
    assert_eq!(sign_in("ana").await.address.path(), "/");
}

// Only who knows the password uses up an account's sign-ins.
#[api_test]
async fn wrong_passwords_from_elsewhere_leave_an_account_its_sign_ins(database: Database) {
    let proxy = |config: &mut Config| config.trusted_proxies = vec![Ipv4Addr::LOCALHOST.into()];
    let Some(world) = World::start_with(database, proxy).await else { return };
    world.account("ana").await;
    let browser = Browser::new(&world);
    let form = browser.visit("/sign-in").await.form("/sign-in");
    for n in 0..30 {
        let guess = browser.post(&form, &[("username", "ana"), ("password", "wrong password")]);
        let guess = guess.header("X-Forwarded-For", &format!("192.0.2.{n}")).send().await;
        assert_eq!(guess.status, 422, "guess {n}");
    }
    assert_eq!(browser.sign_in("ana", PASSWORD).await.address.path(), "/");
}

#[api_test]
async fn guesses_at_once_do_not_outrun_the_limit(world: World) {
    world.account("ana").await;
    let browser = Browser::new(&world);
    let form = browser.visit("/sign-in").await.form("/sign-in");
    let typed = [("username", "ana"), ("password", "wrong password")];
    let mut wrong = 0;
    // Of each burst some wait for their turn, and the rest are told at once to retry.
    for burst in 0..12 {
        let guesses = join_all((0..25).map(|_| browser.post(&form, &typed).send())).await;
        let of = |status| guesses.iter().filter(|response| response.status == status).count();
        assert_eq!(of(422) + of(429), 25);
        wrong += of(422);
        assert!((1..=10).contains(&wrong), "{wrong} after burst {burst}");
        // The clock is set back while others are being checked.
        world.clock.advance(TimeDelta::milliseconds(-50));
    }
    assert_eq!(wrong, 10, "guesses that were checked");
    assert_eq!(browser.sign_in("ana", PASSWORD).await.response.status, 429);
}

#[api_test]
async fn right_passwords_at_once_keep_nobody_else_out(database: Database) {
    let cost = HashingCost { memory: 1024, passes: 2 };
    let Some(world) = World::start_with(database, |config| config.password_cost = cost).await else { return };
    for name in ["ana", "bob"] {
        world.account(name).await;
    }
    let browser = Browser::new(&world);
    let form = browser.visit("/sign-in").await.form("/sign-in");
    let sign_in = async |name: &str| {
        let typed = [("username", name), ("password", PASSWORD)];
        browser.post(&form, &typed).send().await
    };
    let done = AtomicBool::new(false);
    let (let_in, refused) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let again_and_again = async || {
        while !done.load(Relaxed) {
            let response = sign_in("ana").await;
            match response.status.as_u16() {
                303 => let_in.fetch_add(1, Relaxed),
                429 => {
                    let wait = response.header("retry-after");
                    assert!(["2", "60"].contains(&wait), "{wait}");
                    refused.fetch_add(1, Relaxed)
                }
                other => panic!("{other}: {}", response.text()),
            };
        }
    };
    let loops = join_all((0..48).map(|_| again_and_again()));
    let others = async {
        // Once all of them have begun.
        while let_in.load(Relaxed) == 0 || refused.load(Relaxed) < 48 {
            tokio::task::yield_now().await;
        }
        for n in 0..30 {
            // So that neither has used up a minute's sign-ins.
            world.clock.advance(TimeDelta::seconds(60));
            assert_eq!(sign_in("bob").await.status, 303, "sign-in {n}");
        }
        done.store(true, Relaxed);
    };
    futures::join!(loops, others);
}

#[api_test]
async fn ten_new_accounts_an_hour_from_an_address(world: World) {
    let sign_up = async |name: String| Browser::new(&world).sign_up(&name, "Ana", PASSWORD).await;
    for n in 0..10 {
        assert_eq!(sign_up(format!("ana-{n}")).await.address.path(), "/");
    }
    world.clock.advance(TimeDelta::seconds(600));
    let refused = sign_up("ana-10".to_owned()).await;
    assert_eq!((refused.response.status.as_u16(), refused.response.header("retry-after")), (429, "3000"));
    refused.assert_says("Too many accounts were created from your address.");
    assert!(world.service().store.account_by_username("ana-10").await.expect("a database").is_none());
    world.clock.advance(TimeDelta::seconds(3_000));
    assert_eq!(sign_up("ana-10".to_owned()).await.address.path(), "/");
}

#[api_test(limits = false)]
async fn nobody_is_refused_when_limits_are_off(world: World) {
    let app = App::public(&world).await;
    for _ in 0..35 {
        expect_refusal(&app.renew("itp_rt_unknown").await, 400, "invalid_grant");
    }
    for _ in 0..12 {
        App::public(&world).await;
    }
    let browser = Browser::signed_up(&world, "ana").await;
    tokens(&app.redeem(&app.code(&browser).await).await);
}
