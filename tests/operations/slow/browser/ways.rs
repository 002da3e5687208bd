//! Whole flows of travellers.

use chrono::TimeDelta;
use itinerary_app::accounts::erase_deleted;
use itinerary_sdk::SignInError;
use itinerary_tests::World;
use itinerary_tests::world::PASSWORD;
use reqwest::Method;

use super::driver::Chromium;
use super::{expect_at, looks, program, sign_in_here, signed_up, start, visit};

const APPROVE: &str = "button[value=approve]";
const DENY: &str = "button[value=deny]";

async fn status_with(world: &World, access_token: &str) -> u16 {
    world.call(Method::GET, "/v1/account").token(access_token).send().await.status.as_u16()
}

/// Checks which field has the focus.
async fn expect_focus(browser: &Chromium, id: &str) {
    assert_eq!(browser.run("return document.activeElement.id").await, id);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_visitor_signs_up_lets_an_app_in_and_disconnects_it() {
    let Some((world, browser)) = start().await else { return };
    let (here, at) = (&browser, &world);
    let tokens = program(at, async move |link| {
        here.visit(link.as_str()).await;
        expect_at(here, "/sign-in").await;
        looks::check(here, "sign-in-for-an-app").await;
        here.click("a[href^='/sign-up']").await;
        expect_at(here, "/sign-up").await;
        here.type_into("#username", "ana").await;
        here.type_into("#display_name", "Ana Silva").await;
        here.type_into("#password", PASSWORD).await;
        here.click("form button").await;
        expect_at(here, "/oauth/authorise").await;
        here.assert_says("Connect “Trip Planner”?").await;
        looks::check(here, "consent").await;
        here.click(APPROVE).await;
        let back = here.address().await;
        assert_eq!((back.host_str(), back.path()), (Some("127.0.0.1"), "/callback"), "{back}");
        assert_ne!(back.port(), Some(at.address().port()));
    });
    let tokens = tokens.await.expect("tokens");
    assert_eq!(status_with(at, &tokens.access_token).await, 200);
    visit(at, here, "/account/apps").await;
    here.assert_says("Trip Planner").await;
    looks::check(here, "apps").await;
    here.click("form[action='/account/apps'] button").await;
    here.assert_says("The app is disconnected").await;
    looks::check(here, "apps-none").await;
    assert_eq!(status_with(at, &tokens.access_token).await, 401);
}

#[tokio::test(flavor = "multi_thread")]
async fn denied_consent_is_reported_to_the_app() {
    let Some((world, browser)) = start().await else { return };
    signed_up(&world, &browser, "ana").await;
    let here = &browser;
    let outcome = program(&world, async move |link| {
        here.visit(link.as_str()).await;
        here.click(DENY).await;
        assert_eq!(here.address().await.path(), "/callback");
    });
    match outcome.await {
        Err(SignInError::Refused { error, .. }) => assert_eq!(error, "access_denied"),
        other => panic!("not refused: {other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_password_is_reported_and_the_right_one_continues() {
    let Some((world, browser)) = start().await else { return };
    world.account("ana").await;
    visit(&world, &browser, "/account/apps").await;
    expect_at(&browser, "/sign-in").await;
    sign_in_here(&browser, "ana", "not the password").await;
    expect_at(&browser, "/sign-in").await;
    browser.assert_says("Wrong username or password.").await;
    expect_focus(&browser, "password").await;
    looks::check(&browser, "sign-in-wrong").await;
    sign_in_here(&browser, "ana", PASSWORD).await;
    expect_at(&browser, "/account/apps").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_ended_session_leads_to_sign_in_and_back() {
    let Some((world, browser)) = start().await else { return };
    signed_up(&world, &browser, "ana").await;
    visit(&world, &browser, "/account/password").await;
    world.clock.advance(TimeDelta::days(31));
    browser.type_into("#current", PASSWORD).await;
    browser.type_into("#password", "another horse entirely").await;
    browser.click("form button").await;
    expect_at(&browser, "/sign-in").await;
    sign_in_here(&browser, "ana", PASSWORD).await;
    expect_at(&browser, "/account/password").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_traveller_changes_the_password_and_ends_apps() {
    let Some((world, browser)) = start().await else { return };
    signed_up(&world, &browser, "ana").await;
    let token = world.token("ana", "itineraries:read").await;
    visit(&world, &browser, "/account/password").await;
    let fill = async |current: &str, new: &str| {
        browser.type_into("#current", current).await;
        browser.type_into("#password", new).await;
    };
    fill("not the password", "another horse entirely").await;
    browser.click("form button").await;
    browser.assert_says("This is not your current password.").await;
    expect_focus(&browser, "current").await;
    looks::check(&browser, "password-wrong").await;
    fill(PASSWORD, "another horse entirely").await;
    browser.tick("label[for=end_apps]").await;
    browser.click("form button").await;
    expect_at(&browser, "/account").await;
    browser.assert_says("Your password is changed.").await;
    looks::check(&browser, "account-password-changed").await;
    assert_eq!(status_with(&world, &token).await, 401);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_traveller_makes_a_calendar_address_and_ends_it() {
    let Some((world, browser)) = start().await else { return };
    signed_up(&world, &browser, "ana").await;
    visit(&world, &browser, "/account").await;
    browser.click("a[href='/account/calendar']").await;
    looks::check(&browser, "calendar-none").await;
    browser.click("button[value=make]").await;
    browser.assert_says("Your new address").await;
    looks::check(&browser, "calendar-new").await;
    let address = browser.run("return document.querySelector('#address').textContent").await;
    let path =
        address.as_str().and_then(|address| address.strip_prefix(&world.base_url)).expect("an address").to_owned();
    let status = async || world.call(Method::GET, &path).send().await.status.as_u16();
    assert_eq!(status().await, 200);
    browser.click("button[value=end]").await;
    expect_at(&browser, "/account/calendar").await;
    browser.assert_says("Your calendar address is turned off.").await;
    assert_eq!(status().await, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_traveller_deletes_the_account() {
    let Some((world, browser)) = start().await else { return };
    signed_up(&world, &browser, "ana").await;
    let token = world.token("ana", "itineraries:read").await;
    visit(&world, &browser, "/account").await;
    browser.click("a[href='/account/delete']").await;
    browser.type_into("#password", "not the password").await;
    browser.click("form button").await;
    browser.assert_says("Wrong password.").await;
    looks::check(&browser, "delete-wrong").await;
    browser.type_into("#password", PASSWORD).await;
    browser.click("form button").await;
    expect_at(&browser, "/").await;
    browser.assert_says("Your account is deleted.").await;
    looks::check(&browser, "account-deleted").await;
    assert_eq!(status_with(&world, &token).await, 401);
    erase_deleted(world.service()).await.expect("a database");
    visit(&world, &browser, "/sign-in").await;
    sign_in_here(&browser, "ana", PASSWORD).await;
    browser.assert_says("Wrong username or password.").await;
}
