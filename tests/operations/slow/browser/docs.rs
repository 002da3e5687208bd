//! The reference pages: their appearance, and signing in and sending requests from them.

use itinerary_tests::World;
use itinerary_tests::world::PASSWORD;
use reqwest::Method;
use serde_json::json;

use super::driver::Chromium;
use super::{expect_at, looks, sign_in_here, start, visit};

const APPROVE: &str = "button[value=approve]";
const DENY: &str = "button[value=deny]";
const SEND: &str = "#trial button[type=submit]";
const SIGN_IN: &str = "#sign-in .out button";

/// Sends the request of the page and checks the status of the response.
async fn expect_sent(browser: &Chromium, status: &str) {
    browser.run("document.querySelector('#result').hidden = true").await;
    browser.tick(SEND).await;
    browser.until("!document.querySelector('#result').hidden").await;
    let shown = browser.run("return document.querySelector('#result .status').textContent").await;
    assert_eq!(shown, status, "{}", browser.text().await);
}

/// The value of a field.
async fn value(browser: &Chromium, selector: &str) -> String {
    let value = browser.run(&format!("return document.querySelector('{selector}').value")).await;
    value.as_str().expect("a field").to_owned()
}

/// Signs in from a page of the reference, with the scopes that are chosen there.
async fn connect(world: &World, browser: &Chromium, page: &str, username: &str) {
    world.account(username).await;
    browser.click(SIGN_IN).await;
    expect_at(browser, "/sign-in").await;
    sign_in_here(browser, username, PASSWORD).await;
    expect_at(browser, "/oauth/authorise").await;
    browser.assert_says("Connect “Reference pages”?").await;
    browser.tick(APPROVE).await;
    browser.until(&format!("location.pathname == '{page}' && document.readyState == 'complete'")).await;
    browser.until("!document.querySelector('#sign-in .in').hidden").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn reference_pages_look_well() {
    let Some((world, browser)) = start().await else { return };
    for (path, name) in [
        ("/docs", "docs"),
        ("/docs/itinerary_create", "docs-operation"),
        ("/docs/document_upload", "docs-upload"),
        ("/docs/oauth_authorise", "docs-page"),
        ("/docs/schemas", "docs-schemas"),
        ("/docs/schemas/Itinerary", "docs-schema"),
        ("/docs?q=hotel", "docs-search"),
        ("/docs?q=zebra", "docs-search-none"),
        ("/docs/quickstart", "docs-quickstart"),
        ("/docs/guides", "docs-guides"),
        ("/docs/guides/sign-in", "docs-guide"),
        ("/docs/changelog", "docs-changelog"),
        ("/docs/deprecation", "docs-deprecation"),
    ] {
        visit(&world, &browser, path).await;
        looks::check(&browser, name).await;
        browser.run("for (const part of document.querySelectorAll('details')) part.open = true").await;
        looks::check(&browser, &format!("{name}-open")).await;
        browser.assert_quiet().await;
    }
    visit(&world, &browser, "/docs/nothing").await;
    browser.assert_says("Page not found").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reader_signs_in_and_sends_requests() {
    let Some((world, browser)) = start().await else { return };
    let here = &browser;
    visit(&world, here, "/docs/itinerary_list").await;
    here.type_into("#query-limit", "5").await;
    here.tick(SEND).await;
    here.assert_says("This operation needs a token. Sign in first.").await;
    here.tick("#scope-itineraries-write").await;
    connect(&world, here, "/docs/itinerary_list", "ana").await;
    here.assert_says("with the scopes itineraries:read, itineraries:write.").await;
    assert_eq!(value(here, "#query-limit").await, "5", "the form is as it was before");
    expect_sent(here, "200").await;
    here.assert_says("GET /v1/itineraries?limit=5 took").await;

    visit(&world, here, "/docs/itinerary_create").await;
    expect_sent(here, "201").await;
    looks::check(here, "docs-sent").await;
    expect_sent(here, "201").await;
    here.tick("#result summary").await;
    here.assert_says("idempotency-replayed: true").await;

    // The next page offers the itinerary and its version.
    visit(&world, here, "/docs/itinerary_update").await;
    let (id, version) = (value(here, "#path-id").await, value(here, "#header-If-Match").await);
    assert!(version.starts_with("\"v1."), "{version}");
    here.type_into("#body-json", r#"{"title": "Lisbon, from the reference"}"#).await;
    expect_sent(here, "200").await;
    assert!(value(here, "#header-If-Match").await.starts_with("\"v2."));
    here.run("document.querySelector('#path-id').value = '..'").await;
    here.tick(SEND).await;
    here.until("document.querySelector('#result .status').textContent == 'not sent'").await;
    here.assert_says("id must not be ..").await;
    here.assert_quiet().await;

    here.tick("#sign-in .in button").await;
    here.until("!document.querySelector('#sign-in .out').hidden").await;
    assert_eq!(here.run("return sessionStorage.getItem('docs.token')").await, json!(null));
    here.until("document.body.innerText.includes('Signed out. The token is revoked.')").await;
    visit(&world, here, "/account/apps").await;
    here.assert_says("No app is connected").await;
    here.assert_quiet().await;

    let token = world.token("ana", "itineraries:read").await;
    let stored = world.call(Method::GET, &format!("/v1/itineraries/{id}")).token(&token).send().await;
    assert_eq!(stored.json()["title"], "Lisbon, from the reference");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reader_without_the_scope_or_a_valid_token_is_told() {
    let Some((world, browser)) = start().await else { return };
    let here = &browser;
    visit(&world, here, "/docs").await;
    connect(&world, here, "/docs", "ana").await;
    visit(&world, here, "/docs/itinerary_create").await;
    here.assert_says("This operation needs the scope itineraries:write.").await;
    looks::check(here, "docs-scope").await;
    expect_sent(here, "403").await;
    world.sql("UPDATE grants SET revoked_at = 1").await;
    expect_sent(here, "401").await;
    here.assert_says("The token is no longer valid. Sign in again.").await;
    looks::check(here, "docs-signed-out").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sign_in_that_fails_is_told() {
    let Some((world, browser)) = start().await else { return };
    let here = &browser;
    world.account("ana").await;
    visit(&world, here, "/docs/account_self").await;
    here.click(SIGN_IN).await;
    sign_in_here(here, "ana", PASSWORD).await;
    here.click(DENY).await;
    expect_at(here, "/docs/signed-in").await;
    here.until("document.body.innerText.includes('You did not allow the access.')").await;
    looks::check(here, "docs-denied").await;
    here.click("#signed-in a").await;
    expect_at(here, "/docs/account_self").await;

    // A response that this tab did not ask for is not exchanged, and its code does not stay in the address.
    visit(&world, here, "/docs/signed-in?code=itp_ac_x&state=x&iss=x").await;
    here.until("document.body.innerText.includes('was not started in this tab')").await;
    assert_eq!(here.address().await.query(), None);
    assert_eq!(here.run("return sessionStorage.getItem('docs.token')").await, json!(null));
    here.assert_quiet().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_search_shows_what_has_all_words() {
    let Some((world, browser)) = start().await else { return };
    visit(&world, &browser, "/docs").await;
    browser.type_into("#search", "add FLIGHT").await;
    let shown = "return [...document.querySelectorAll('.side [data-words]')].filter(line => line.checkVisibility()).map(line => line.textContent)";
    assert_eq!(browser.run(shown).await, json!(["Add a flight"]));
    let index = "return [...document.querySelectorAll('.index li')].filter(line => line.checkVisibility()).length";
    assert_eq!(browser.run(index).await, json!(1));
    browser.type_into("#search", "stopinput.start").await;
    browser.until("document.querySelector('#found a')?.textContent == 'StopInput.startTime'").await;
    browser.assert_says("Enter shows all.").await;
    looks::check(&browser, "docs-found").await;
    browser.type_into("#search", "zebra crossing").await;
    browser.assert_says("Nothing matches “zebra crossing”.").await;
    looks::check(&browser, "docs-found-nothing").await;
    browser.type_into("#search", "add FLIGHT").await;
    browser.run("document.querySelector('.search').requestSubmit()").await;
    browser.until("document.querySelector('h1').textContent == 'Search'").await;
    browser.assert_says("for add FLIGHT").await;
    browser.assert_quiet().await;
}

// On a phone the contents are collapsed above the page, and a search opens them.
#[tokio::test(flavor = "multi_thread")]
async fn a_phone_has_search_and_contents_at_the_top() {
    let Some((world, browser)) = start().await else { return };
    looks::set(&browser, looks::SIZES[1], "light").await;
    visit(&world, &browser, "/docs/itinerary_create").await;
    let top = |selector: &str| format!("return document.querySelector('{selector}').getBoundingClientRect().top < 300");
    assert_eq!(browser.run(&top("#search")).await, json!(true));
    assert_eq!(browser.run(&top(".menu > summary")).await, json!(true));
    assert_eq!(browser.run(&top("h1")).await, json!(true));
    let contents = "return document.querySelector('.tops').checkVisibility({ contentVisibilityAuto: true })";
    assert_eq!(browser.run(contents).await, json!(false));
    browser.tick(".menu > summary").await;
    assert_eq!(browser.run(contents).await, json!(true));
    browser.tick(".menu > summary").await;
    browser.type_into("#search", "add flight").await;
    let found = "return [...document.querySelectorAll('.side [data-words]')].filter(line => line.checkVisibility({ contentVisibilityAuto: true })).length";
    assert_eq!(browser.run(found).await, json!(1));
}
