//! How often one may fail: at the token and revocation endpoints, at signing in, at signing up.

use chrono::TimeDelta;
use reqwest::Method;
use rstest::rstest;

use super::browser::Browser;
use super::{App, basic, expect_refusal, token_call, tokens};
use crate::support::world::PASSWORD;
use crate::support::{Database, Postgres, Sqlite, World};

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn thirty_failures_a_minute_at_the_token_endpoint(#[values(Sqlite, Postgres)] database: Database) {
    let Some(world) = World::start(database).await else { return };
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

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn guessing_codes_is_limited_for_each_client(#[values(Sqlite, Postgres)] database: Database) {
    let Some(world) = World::start(database).await else { return };
    let (app, other) = (App::public(&world).await, App::public(&world).await);
    for _ in 0..30 {
        expect_refusal(&app.redeem("itp_ac_guess").await, 400, "invalid_grant");
    }
    let refused = app.redeem("itp_ac_guess").await;
    expect_refusal(&refused, 429, "temporarily_unavailable");
    assert_eq!(refused.header("retry-after"), "60");
    expect_refusal(&app.revoke("x").await, 429, "temporarily_unavailable");
    expect_refusal(&other.redeem("itp_ac_guess").await, 400, "invalid_grant");
    world.clock.advance(TimeDelta::seconds(60));
    expect_refusal(&app.redeem("itp_ac_guess").await, 400, "invalid_grant");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn failing_to_revoke_counts_too(#[values(Sqlite, Postgres)] database: Database) {
    let Some(world) = World::start(database).await else { return };
    let app = App::public(&world).await;
    for _ in 0..30 {
        let call = world.call(Method::POST, "/oauth/revoke").form(&[("client_id", &app.id)]);
        expect_refusal(&call.send().await, 400, "invalid_request");
    }
    let refused = app.revoke("itp_at_unknown").await;
    expect_refusal(&refused, 429, "temporarily_unavailable");
    assert_eq!(refused.header("retry-after"), "60");
    expect_refusal(&app.renew("itp_rt_unknown").await, 429, "temporarily_unavailable");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn what_names_no_client_is_counted_by_address(#[values(Sqlite, Postgres)] database: Database) {
    let Some(world) = World::start(database).await else { return };
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

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn successes_are_never_refused(#[values(Sqlite, Postgres)] database: Database) {
    let Some(world) = World::start(database).await else { return };
    // Contract §11: a back end that renews for thousands of travellers.
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

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn ten_wrong_passwords_a_minute_for_an_account(#[values(Sqlite, Postgres)] database: Database) {
    let Some(world) = World::start(database).await else { return };
    //
    for name in ["ana", "bob"] {
        world.account(name).await;
    }
    let browser = Browser::new(&world);
    for _ in 0..12 {
        assert_eq!(Browser::new(&world).sign_in("ana", PASSWORD).await.address.path(), "/account");
    }
    for _ in 0..10 {
        assert_eq!(browser.sign_in("ana", "wrong password").await.answer.status, 422);
    }
    world.clock.advance(TimeDelta::seconds(20));
    let refused = browser.sign_in("ana", PASSWORD).await;
    assert_eq!((refused.answer.status.as_u16(), refused.answer.header("retry-after")), (429, "40"));
    refused.assert_says("Too many attempts.");
    assert!(refused.text().contains("role=\"alert\""), "{}", refused.text());
    assert_eq!(browser.sign_in("bob", "wrong password").await.answer.status, 422, "another account");
    assert_eq!(browser.sign_in(" ANA ", PASSWORD).await.answer.status, 429, "however it is written");
    assert_eq!(Browser::new(&world).sign_in("bob", PASSWORD).await.address.path(), "/account");
    world.clock.advance(TimeDelta::seconds(39));
    assert_eq!(browser.sign_in("ana", PASSWORD).await.answer.status, 429);
    world.clock.advance(TimeDelta::seconds(1));
    assert_eq!(browser.sign_in("ana", PASSWORD).await.address.path(), "/account");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn thirty_wrong_passwords_a_minute_from_an_address(#[values(Sqlite, Postgres)] database: Database) {
    let Some(world) = World::start(database).await else { return };
    world.account("ana").await;
    let browser = Browser::new(&world);
    for n in 0..30 {
        assert_eq!(browser.sign_in(&format!("guess-{}", n / 5), "wrong password").await.answer.status, 422);
    }
    let refused = browser.sign_in("ana", PASSWORD).await;
    assert_eq!((refused.answer.status.as_u16(), refused.answer.header("retry-after")), (429, "60"));
    world.clock.advance(TimeDelta::seconds(60));
    assert_eq!(browser.sign_in("ana", PASSWORD).await.address.path(), "/account");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn guesses_at_once_do_not_outrun_the_limit(#[values(Sqlite, Postgres)] database: Database) {
    let Some(world) = World::start(database).await else { return };
    world.account("ana").await;
    let browser = Browser::new(&world);
    let form = browser.visit("/sign-in").await.form("/sign-in");
    let typed = [("username", "ana"), ("password", "wrong password")];
    let guesses = (0..25).map(|_| browser.post(&form, &typed).send());
    let answers = futures::future::join_all(guesses).await;
    let of = |status| answers.iter().filter(|answer| answer.status == status).count();
    // As many may be hashed at once as there are cores.
    let most = 10 + std::thread::available_parallelism().map_or(1, Into::into);
    assert!((10..=most).contains(&of(422)), "{}", of(422));
    assert_eq!(of(422) + of(429), 25);
    assert_eq!(browser.sign_in("ana", PASSWORD).await.answer.status, 429);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn ten_new_accounts_an_hour_from_an_address(#[values(Sqlite, Postgres)] database: Database) {
    let Some(world) = World::start(database).await else { return };
    let sign_up = async |name: String| Browser::new(&world).sign_up(&name, "Ana", PASSWORD).await;
    for n in 0..10 {
        assert_eq!(sign_up(format!("ana-{n}")).await.address.path(), "/account");
    }
    world.clock.advance(TimeDelta::seconds(600));
    let refused = sign_up("ana-10".to_owned()).await;
    assert_eq!((refused.answer.status.as_u16(), refused.answer.header("retry-after")), (429, "3000"));
    refused.assert_says("Too many accounts were made from your address.");
    assert!(world.service().store.account_by_username("ana-10").await.expect("a database").is_none());
    world.clock.advance(TimeDelta::seconds(3_000));
    assert_eq!(sign_up("ana-10".to_owned()).await.address.path(), "/account");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn nobody_is_refused_when_limits_are_off(#[values(Sqlite, Postgres)] database: Database) {
    let Some(world) = World::start_with(database, |config| config.limits = false).await else { return };
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
