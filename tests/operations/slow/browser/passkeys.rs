//! Passkeys with Chromium's virtual authenticator, and one-time codes: from adding the first to a lost phone. (W-46)

use chrono::TimeDelta;
use itinerary_core::clock::Clock as _;
use itinerary_tests::world::PASSWORD;
use itinerary_tests::{Sqlite, World};
use serde_json::Value;
use totp_rs::{Algorithm, Secret, TOTP};

use super::driver::Chromium;
use super::{expect_at, looks, sign_in_here, signed_up, visit};

const PATH: &str = "/account/passkeys";
const ADD: &str = "form[data-passkey=create] button[type=submit]";
const USE: &str = "form[data-passkey=get] button[type=submit]";

/// A server at an address with a host name, to which passkeys belong.
async fn start() -> Option<(World, Chromium)> {
    let browser = Chromium::start().await?;
    let world = World::start_with(Sqlite, |config| {
        config.limits = false;
        config.base_url = config.base_url.replace("127.0.0.1", "localhost");
    });
    Some((world.await.expect("SQLite is always there"), browser))
}

async fn sign_out(world: &World, browser: &Chromium) {
    visit(world, browser, "/sign-out").await;
    browser.click("form button").await;
}

async fn add(world: &World, browser: &Chromium, name: &str) {
    visit(world, browser, PATH).await;
    browser.type_into("#name", name).await;
    browser.click(ADD).await;
    browser.assert_says("The passkey is added.").await;
}

/// Opens the sign-in page without taking the passkey that the field for the username offers.
async fn at_sign_in(world: &World, browser: &Chromium, authenticator: &str) {
    browser.set_agrees(authenticator, false).await;
    visit(world, browser, "/sign-in").await;
    browser.set_agrees(authenticator, true).await;
}

/// Signs in with a passkey, without name and password.
async fn signs_in(world: &World, browser: &Chromium, authenticator: &str) {
    at_sign_in(world, browser, authenticator).await;
    browser.click(USE).await;
    expect_at(browser, "/").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn passkeys_are_added_used_and_removed() {
    let Some((world, browser)) = start().await else { return };
    let (world, browser) = (&world, &browser);
    signed_up(world, browser, "ana").await;
    visit(world, browser, PATH).await;
    looks::check(browser, "passkeys-none").await;
    let phone = browser.add_authenticator().await;
    add(world, browser, "Phone").await;
    looks::check(browser, "passkeys").await;
    browser.assert_quiet().await;
    // The same device again.
    browser.type_into("#name", "Phone again").await;
    browser.tick(ADD).await;
    browser.until("!document.querySelector('form[data-passkey=create] [data-failed]').hidden").await;
    browser.assert_says("This device has a passkey for your account already.").await;

    sign_out(world, browser).await;
    signs_in(world, browser, &phone).await;
    sign_out(world, browser).await;
    // The field for the username offers it, too. A virtual user takes it at once.
    visit(world, browser, "/sign-in").await;
    browser.until("location.pathname == '/'").await;
    browser.assert_quiet().await;
    // A second one, on another device.
    browser.remove_authenticator(&phone).await;
    let laptop = browser.add_authenticator().await;
    add(world, browser, "Laptop").await;
    sign_out(world, browser).await;
    signs_in(world, browser, &laptop).await;
    // It confirms, too.
    world.clock.advance(TimeDelta::minutes(10));
    visit(world, browser, PATH).await;
    expect_at(browser, "/account/confirm").await;
    looks::check(browser, "confirm-with-passkey").await;
    browser.click(USE).await;
    expect_at(browser, PATH).await;
    // Removed: the first, then the last, because there is a password.
    for _ in 0..2 {
        browser.click("button[name=remove]").await;
        browser.assert_says("The passkey is removed").await;
    }
    browser.assert_says("You have no passkey.").await;
    sign_out(world, browser).await;
    // The virtual user would take what the field of the next page offers, again and again.
    at_sign_in(world, browser, &laptop).await;
    browser.tick(USE).await;
    browser.until("document.body.innerText.includes('This passkey was not accepted.')").await;
    browser.set_agrees(&laptop, false).await;
    browser.until("document.body.innerText.includes('This passkey was not accepted.')").await;
    looks::check(browser, "sign-in-passkey-refused").await;
    // Without a device, the page stays.
    browser.remove_authenticator(&laptop).await;
    let careless = browser.add_authenticator().await;
    browser.tick(USE).await;
    browser.until("!document.querySelector('form[data-passkey=get] [data-failed]').hidden").await;
    browser.assert_says("No passkey was used.").await;
    browser.remove_authenticator(&careless).await;
    sign_in_here(browser, "ana", PASSWORD).await;
    expect_at(browser, "/").await;
}

/// The text of an element.
async fn shown(browser: &Chromium, selector: &str) -> String {
    let text = browser.run(&format!("return document.querySelector({selector:?}).textContent")).await;
    text.as_str().expect("text").to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_phone_is_replaced_by_a_recovery_code_or_a_passkey() {
    let Some((world, browser)) = start().await else { return };
    let (world, browser) = (&world, &browser);
    signed_up(world, browser, "ana").await;
    let key = browser.add_authenticator().await;
    add(world, browser, "Security key").await;
    visit(world, browser, "/account/sign-in-methods").await;
    browser.click("a[href='/account/one-time-codes']").await;
    looks::check(browser, "one-time-codes-off").await;
    let secret = Secret::Encoded(shown(browser, "#secret").await.replace(' ', "")).to_bytes().expect("base32");
    let code = || {
        let totp = TOTP::new(Algorithm::SHA1, 6, 0, 30, secret.clone()).expect("a secret");
        totp.generate(u64::try_from(world.clock.now().timestamp()).expect("after 1970"))
    };
    browser.type_into("#code", "000000x").await;
    browser.click("form.card button[type=submit]").await;
    looks::check(browser, "one-time-codes-wrong").await;
    browser.type_into("#code", &code()).await;
    browser.click("form.card button[type=submit]").await;
    browser.assert_says("One-time codes are on.").await;
    looks::check(browser, "one-time-codes-on").await;
    let recovery_code = shown(browser, ".codes code").await;
    visit(world, browser, "/account/sign-in-methods").await;
    looks::check(browser, "sign-in-methods-all").await;

    let second_step = async || {
        sign_out(world, browser).await;
        browser.set_agrees(&key, false).await;
        visit(world, browser, "/account/data").await;
        browser.set_agrees(&key, true).await;
        sign_in_here(browser, "ana", PASSWORD).await;
        browser.assert_says("Your account also asks for a code.").await;
    };
    world.clock.advance(TimeDelta::seconds(30));
    second_step().await;
    looks::check(browser, "second-step").await;
    browser.type_into("#code", "000000x").await;
    browser.click("form.card button").await;
    looks::check(browser, "second-step-wrong").await;
    browser.type_into("#code", &code()).await;
    browser.click("form.card button").await;
    expect_at(browser, "/account/data").await;
    second_step().await;
    browser.type_into("#code", &recovery_code).await;
    browser.click("form.card button").await;
    expect_at(browser, "/account/data").await;
    second_step().await;
    browser.click(USE).await;
    expect_at(browser, "/account/data").await;
    assert_eq!(browser.run("return document.querySelector('[data-no-passkeys]')").await, Value::Null);
}
