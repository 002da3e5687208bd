//! Reset links: each sets one new password, once, within an hour.

use chrono::TimeDelta;
use itinerary_app::{accounts, password_resets};
use itinerary_tests::browser::{Browser, Form, Page};
use itinerary_tests::world::PASSWORD;
use itinerary_tests::{World, api_test, sql};
use reqwest::Url;

use super::{App, expect_ended, expect_marked};

const PATH: &str = "/reset-password";
const NEW: &str = "a new pass phrase";

/// A new link of an account: its path and query.
async fn link(world: &World, name: &str) -> String {
    let link = password_resets::create(world.service(), &world.base_url, name).await.expect("a link");
    let address = Url::parse(&link.address).expect("an address");
    format!("{}?{}", address.path(), address.query().expect("a token"))
}

async fn form(browser: &Browser, link: &str) -> Form {
    browser.visit(link).await.form(PATH)
}

#[track_caller]
fn expect_invalid(page: &Page, status: u16) {
    assert_eq!(page.response.status.as_u16(), status, "{}", page.text());
    page.assert_says("This link is not valid");
}

async fn signs_in(world: &World, password: &str) -> bool {
    Browser::new(world).sign_in("ana", password).await.address.path() == "/"
}

// W-21: a reset link works once, ends sessions, and looking at it uses nothing.
#[api_test(limits = false)]
async fn a_link_sets_a_password_once_and_ends_sessions(world: World) {
    let browser = Browser::signed_up(&world, "ana").await;
    let tokens = App::public(&world).await.connect(&browser).await;
    let link = link(&world, "ana").await;
    let secret = link.split_once("token=").expect("a token").1;
    assert!(secret.starts_with("itn_rst_") && secret.len() == 51, "{secret}");
    for (table, row) in sql::dump(world.database_url()).await {
        assert!(!row.contains(&secret[8..]), "{table}");
    }
    let visitor = Browser::new(&world);
    // Looking at the page uses nothing.
    for _ in 0..2 {
        let page = visitor.visit(&link).await;
        page.assert_says("For the account <strong>ana</strong>.");
        assert_eq!(
            (page.response.header("referrer-policy"), page.response.header("cache-control")),
            ("no-referrer", "no-store")
        );
    }
    let filled = form(&visitor, &link).await.without("end_apps");
    for password in ["", "short", "ana", "password"] {
        let page = visitor.submit(&filled, &[("password", password)]).await;
        assert_eq!(page.response.status, 422, "{password}");
        expect_marked(&page, "password");
    }
    assert_eq!(visitor.submit(&filled, &[("guard", "forged"), ("password", NEW)]).await.response.status, 403);
    assert_eq!(Browser::new(&world).submit(&filled, &[("password", NEW)]).await.response.status, 403);
    assert!(signs_in(&world, PASSWORD).await, "nothing has changed yet");

    let page = visitor.submit(&filled, &[("password", NEW)]).await;
    assert_eq!(page.address.path(), "/sign-in");
    page.assert_says("Your new password is set. Sign in with it.");
    assert_eq!(visitor.cookie("session"), None, "the password is still asked for");
    assert!(signs_in(&world, NEW).await && !signs_in(&world, PASSWORD).await);
    assert_eq!(browser.visit("/account").await.address.path(), "/sign-in");
    let read = world.call(reqwest::Method::GET, "/v1/account").token(&tokens.access_token).send().await;
    assert_eq!(read.status, 200, "apps stay connected");
    expect_invalid(&visitor.submit(&filled, &[("password", "another pass")]).await, 403);
    expect_invalid(&visitor.visit(&link).await, 200);
}

// W-22: for an hour.
#[api_test(limits = false)]
async fn a_link_ends_with_its_hour_a_newer_link_another_password_and_the_account(world: World) {
    Browser::signed_up(&world, "ana").await;
    let visitor = Browser::new(&world);
    let first = link(&world, "ana").await;
    let second = link(&world, "ana").await;
    expect_invalid(&visitor.visit(&first).await, 200);
    let filled = form(&visitor, &second).await;
    world.clock.advance(TimeDelta::minutes(60) - TimeDelta::milliseconds(1));
    form(&visitor, &second).await;
    world.clock.advance(TimeDelta::milliseconds(1));
    expect_invalid(&visitor.visit(&second).await, 200);
    expect_invalid(&visitor.submit(&filled, &[("password", NEW)]).await, 403);

    let third = link(&world, "ana").await;
    accounts::set_password(world.service(), "ana", PASSWORD).await.expect("set");
    expect_invalid(&visitor.visit(&third).await, 200);
    let fourth = link(&world, "ana").await;
    accounts::delete_by_username(world.service(), "ana").await.expect("deleted");
    expect_invalid(&visitor.visit(&fourth).await, 200);
    assert!(password_resets::create(world.service(), &world.base_url, "ana").await.is_err(), "there is no account");

    for token in ["", "x", "itn_rst_", "itn_rst_%00", "itn_rst_é", &"itn_rst_a".repeat(400)] {
        let page = visitor.visit(&format!("{PATH}?token={token}")).await;
        assert_eq!(page.response.status, 200, "{token}");
        page.assert_says(if token.is_empty() { "Forgot your password?" } else { "This link is not valid" });
    }
    itinerary_server::jobs::expire(world.service()).await.expect("a database");
    let left = "SELECT CAST(count(*) AS TEXT) FROM password_resets";
    assert_eq!(sql::ask(world.database_url(), left).await, "0");
}

#[api_test(limits = false)]
async fn one_of_many_uses_at_once_counts(world: World) {
    let browser = Browser::signed_up(&world, "ana").await;
    let tokens = App::public(&world).await.connect(&browser).await;
    let visitor = Browser::new(&world);
    let filled = form(&visitor, &link(&world, "ana").await).await.with("end_apps", "yes");
    let passwords: Vec<_> = (0..8).map(|n| format!("pass phrase {n}")).collect();
    let uses = passwords.iter().map(|password| visitor.post(&filled, &[("password", password)]).send());
    let responses = futures::future::join_all(uses).await;
    let winners: Vec<_> = (0..8).filter(|n| responses[*n].status == 303).collect();
    assert_eq!(winners.len(), 1, "{:?}", responses.iter().map(|response| response.status).collect::<Vec<_>>());
    assert!(signs_in(&world, &passwords[winners[0]]).await);
    expect_ended(&world, &tokens.access_token).await;
}
