//! One-time codes and recovery codes: the second step of signing in with a password.

use chrono::TimeDelta;
use itinerary_app::{accounts, password_resets};
use itinerary_core::clock::Clock as _;
use itinerary_tests::browser::{Browser, Form, Page};
use itinerary_tests::world::PASSWORD;
use itinerary_tests::{World, api_test, sql};
use totp_rs::{Algorithm, Secret, TOTP};

use super::{App, expect_marked};

const PATH: &str = "/account/one-time-codes";
const METHODS: &str = "/account/sign-in-methods";

/// What a traveller keeps in an authenticator app and on paper.
pub(super) struct Codes {
    secret: Vec<u8>,
    pub(super) recovery: Vec<String>,
}

impl Codes {
    /// The code of the time step that is so many steps from now.
    pub(super) fn code(&self, world: &World, steps: i64) -> String {
        let totp = TOTP::new(Algorithm::SHA1, 6, 0, 30, self.secret.clone()).expect("a secret");
        totp.generate(u64::try_from(world.clock.now().timestamp() + steps * 30).expect("after 1970"))
    }
}

/// The secret that a page shows.
fn secret(page: &Page) -> Vec<u8> {
    let text = page.text();
    let (_, rest) = text.split_once("<code id=\"secret\">").unwrap_or_else(|| panic!("no secret in {text}"));
    let shown = rest.split_once("</code>").expect("its end").0.replace(' ', "");
    Secret::Encoded(shown).to_bytes().expect("base32")
}

/// The recovery codes that a page shows.
fn recovery_codes(page: &Page) -> Vec<String> {
    let text = page.text();
    let items = text.split("<li><code>").skip(1);
    items.map(|item| item.split_once("</code>").expect("its end").0.to_owned()).collect()
}

fn turn_on_form(page: &Page) -> Form {
    page.forms(PATH).into_iter().find(|form| form.has("setup")).expect("a form")
}

/// The form that turns codes on, and the code for it.
pub(super) async fn ready(world: &World, browser: &Browser) -> (Form, String) {
    let page = browser.visit(PATH).await;
    let codes = Codes { secret: secret(&page), recovery: Vec::new() };
    (turn_on_form(&page), codes.code(world, 0))
}

/// Turns one-time codes on, with the code of the time step before.
pub(super) async fn turn_on(world: &World, browser: &Browser) -> Codes {
    let page = browser.visit(PATH).await;
    let mut codes = Codes { secret: secret(&page), recovery: Vec::new() };
    let page = browser.submit(&turn_on_form(&page), &[("code", &codes.code(world, -1))]).await;
    page.assert_says("One-time codes are on.");
    codes.recovery = recovery_codes(&page);
    codes
}

/// The page of the second step, after the right password.
pub(super) async fn second_step(browser: &Browser, name: &str) -> Page {
    let page = browser.sign_in(name, PASSWORD).await;
    assert_eq!((page.response.status.as_u16(), page.address.path()), (200, "/sign-in"), "{}", page.text());
    page.assert_says("Your account also asks for a code.");
    assert_eq!(browser.cookie("session"), None, "there is no session yet");
    page
}

/// The form of the second step.
pub(super) fn code_form(page: &Page) -> Form {
    page.forms("/sign-in")
        .into_iter()
        .find(|form| form.has("code"))
        .unwrap_or_else(|| panic!("none in {}", page.text()))
}

async fn enter(browser: &Browser, page: &Page, code: &str) -> Page {
    browser.submit(&code_form(page), &[("code", code)]).await
}

#[track_caller]
fn expect_wrong(page: &Page) {
    assert_eq!(page.response.status.as_u16(), 422, "{}", page.text());
    page.assert_says("This code is wrong, or was used before.");
    expect_marked(page, "code");
}

// W-40: on after a code of the new secret; ten recovery codes are shown once; the database has neither in clear text.
#[api_test(limits = false)]
async fn codes_are_turned_on_with_a_code(world: World) {
    let browser = Browser::signed_up(&world, "ana").await;
    browser.visit(METHODS).await.assert_says("They are off.");
    let page = browser.visit(PATH).await;
    assert!(page.text().contains("<svg class=\"qr\""), "{}", page.text());
    let (secret, form) = (secret(&page), turn_on_form(&page));
    assert_eq!(secret.len(), 20);
    assert_ne!(self::secret(&browser.visit(PATH).await), secret, "each page has its own");
    let codes = Codes { secret: secret.clone(), recovery: Vec::new() };
    for wrong in [String::new(), "000".to_owned(), codes.code(&world, -2), codes.code(&world, 2)] {
        let page = browser.submit(&form, &[("code", &wrong)]).await;
        assert_eq!(page.response.status.as_u16(), 422, "{wrong}");
        assert_eq!(self::secret(&page), secret, "the app need not scan again");
        expect_marked(&page, "code");
    }
    // Another session's form is worthless.
    let ben = Browser::signed_up(&world, "ben").await;
    let guard = turn_on_form(&ben.visit(PATH).await);
    let stolen = form.clone().with("guard", guard.get("guard"));
    let page = ben.submit(&stolen, &[("code", &codes.code(&world, 0))]).await;
    assert_eq!(page.response.status.as_u16(), 403, "{}", page.text());

    let page = browser.submit(&form, &[("code", &format!(" {} ", codes.code(&world, 0)))]).await;
    page.assert_says("They are shown only this once.");
    let recovery = recovery_codes(&page);
    assert_eq!(recovery.len(), 10);
    assert!(recovery.iter().all(|code| code.len() == 19 && code.matches('-').count() == 3), "{recovery:?}");
    let again = browser.submit(&form, &[("code", &codes.code(&world, 1))]).await;
    assert!(recovery_codes(&again).is_empty() && again.text().contains("10 of 10"), "{}", again.text());
    browser.visit(METHODS).await.assert_says("You have 10 of 10 recovery codes left.");
    let text = Secret::Raw(secret).to_encoded().to_string();
    for (table, row) in sql::dump(world.database_url()).await {
        assert!(!row.contains(&text), "{table}");
        assert!(recovery.iter().all(|code| !row.contains(&**code) && !row.contains(&code.replace('-', ""))), "{table}");
    }
    // The new secret is good for an hour.
    world.clock.advance(TimeDelta::minutes(5));
    let form = turn_on_form(&ben.visit(PATH).await);
    world.clock.advance(TimeDelta::hours(1));
    assert_eq!(ben.submit(&form, &[("code", "123456")]).await.address.path(), "/account/confirm");
}

// W-41: no session before the second step; a code is good once, for its step and one before and after; an app's request
// continues afterwards.
#[api_test(limits = false)]
async fn signing_in_asks_for_a_code_that_is_good_once(world: World) {
    let ana = Browser::signed_up(&world, "ana").await;
    let codes = turn_on(&world, &ana).await;
    let browser = Browser::new(&world);
    let page = browser.sign_in("ana", "a wrong password").await;
    page.assert_says("Wrong username or password.");
    let page = second_step(&browser, "ana").await;
    for wrong in ["", "12345", &codes.code(&world, -1), &codes.code(&world, -2), &codes.code(&world, 2), "abcd-efgh"] {
        expect_wrong(&enter(&browser, &page, wrong).await);
    }
    let code = codes.code(&world, 0);
    assert_eq!(enter(&browser, &page, &code).await.address.path(), "/");
    // A code that was used, and the one before it, are worthless.
    let other = Browser::new(&world);
    let page = second_step(&other, "ana").await;
    for used in [&code, &codes.code(&world, -1)] {
        expect_wrong(&enter(&other, &page, used).await);
    }
    assert_eq!(other.cookie("session"), None);
    // What another browser was asked is worthless, too.
    let thief = Browser::new(&world);
    let guard = thief.visit("/sign-in").await.form("/sign-in");
    let stolen = code_form(&page).with("guard", guard.get("guard"));
    let refused = thief.submit(&stolen, &[("code", &codes.code(&world, 1))]).await;
    assert_eq!(refused.response.status.as_u16(), 403, "{}", refused.text());

    let app = App::public(&world).await;
    let asked = other.visit(&app.authorise()).await;
    let form = asked.form("/sign-in").with("username", "ana").with("password", PASSWORD);
    let page = other.submit(&form, &[]).await;
    let page = enter(&other, &page, &codes.code(&world, 1)).await;
    assert_eq!(page.address.path(), "/oauth/authorise", "{}", page.text());
    page.assert_says("Connect");

    // Ten minutes, or until the password changes.
    world.clock.advance(TimeDelta::minutes(2));
    let late = Browser::new(&world);
    let page = second_step(&late, "ana").await;
    accounts::set_password(world.service(), "ana", "another password").await.expect("set");
    assert_eq!(enter(&late, &page, &codes.code(&world, 0)).await.response.status.as_u16(), 403);
    accounts::set_password(world.service(), "ana", PASSWORD).await.expect("set");
    let page = second_step(&late, "ana").await;
    world.clock.advance(TimeDelta::minutes(10));
    let page = enter(&late, &page, &codes.code(&world, 0)).await;
    assert_eq!(page.response.status.as_u16(), 403, "{}", page.text());
    page.assert_says("This page was out of date.");
}

// W-42: a recovery code replaces a code once; new ones end the old ones.
#[api_test(limits = false)]
async fn recovery_codes_are_good_once(world: World) {
    let ana = Browser::signed_up(&world, "ana").await;
    let codes = turn_on(&world, &ana).await;
    let signs_in = async |code: &str| {
        let browser = Browser::new(&world);
        let page = second_step(&browser, "ana").await;
        enter(&browser, &page, code).await.address.path() == "/"
    };
    assert!(signs_in(&codes.recovery[0]).await);
    assert!(!signs_in(&codes.recovery[0]).await, "it was used");
    assert!(signs_in(&format!(" {} ", codes.recovery[1].to_uppercase().replace('-', " "))).await);
    ana.visit(PATH).await.assert_says("8 of 10");
    let log = ana.visit("/account/security-log").await;
    for words in ["One-time codes", "Password and code", "Recovery code used", "Sign-in failed"] {
        log.assert_says(words);
    }
    // Nobody else's.
    let ben = Browser::signed_up(&world, "ben").await;
    let bens = turn_on(&world, &ben).await;
    assert!(!signs_in(&bens.recovery[0]).await);

    let form = ana.visit(PATH).await.form(PATH);
    let page = ana.submit(&form, &[("do", "recovery-codes")]).await;
    page.assert_says("You have new recovery codes.");
    let new = recovery_codes(&page);
    assert_eq!(new.len(), 10);
    assert!(!signs_in(&codes.recovery[2]).await && signs_in(&new[0]).await);
    // Off: the password is enough again.
    let page = ana.submit(&form, &[("do", "off")]).await;
    page.assert_says("One-time codes are off.");
    assert_eq!(Browser::new(&world).sign_in("ana", PASSWORD).await.address.path(), "/");
    assert_eq!(sql::ask(world.database_url(), "SELECT CAST(count(*) AS TEXT) FROM recovery_codes").await, "10");
}

// W-43: wrong codes count like wrong passwords, and for the account from everywhere.
#[api_test]
async fn wrong_codes_are_limited(world: World) {
    let ana = Browser::signed_up(&world, "ana").await;
    let codes = turn_on(&world, &ana).await;
    let browser = Browser::new(&world);
    let page = second_step(&browser, "ana").await;
    for round in 0..2 {
        for _ in 0..10 {
            expect_wrong(&enter(&browser, &page, "000000x").await);
        }
        let page = enter(&browser, &page, &codes.recovery[round]).await;
        assert_eq!(page.response.status.as_u16(), 429, "{}", page.text());
        assert!(!page.response.header("retry-after").is_empty());
        world.clock.advance(TimeDelta::minutes(1));
    }
    // For an hour, whatever the minute.
    world.clock.advance(TimeDelta::minutes(30));
    let page = second_step(&browser, "ana").await;
    let refused = enter(&browser, &page, "000000").await;
    assert_eq!(refused.response.status.as_u16(), 429, "{}", refused.text());
    refused.assert_says("Too many wrong codes.");
    // Nobody guesses a recovery code, so the owner is not locked out by who knows the password.
    assert_eq!(enter(&browser, &page, &codes.recovery[2]).await.address.path(), "/");
    world.clock.advance(TimeDelta::minutes(30));
    let other = Browser::new(&world);
    let page = second_step(&other, "ana").await;
    expect_wrong(&enter(&other, &page, "000000x").await);
}

// W-44: sensitive pages ask for password and code; deleting the account and a new password need both.
#[api_test(limits = false)]
async fn sensitive_pages_ask_for_password_and_code(world: World) {
    let ana = Browser::signed_up(&world, "ana").await;
    let codes = turn_on(&world, &ana).await;
    world.clock.advance(TimeDelta::minutes(10));
    for path in [PATH, "/account/passkeys", "/account/tokens", "/account/data", "/account/delete", "/account/password"]
    {
        let page = ana.visit(path).await;
        assert_eq!(page.address.path(), "/account/confirm", "{path}");
    }
    let form = ana.visit("/account/delete").await.form("/account/confirm");
    let page = ana.submit(&form, &[("password", PASSWORD)]).await;
    expect_wrong(&page);
    // A wrong password uses no code.
    let code = codes.code(&world, 0);
    let page = ana.submit(&form, &[("password", "a wrong one"), ("code", &code)]).await;
    page.assert_says("Wrong password.");
    let page = ana.submit(&form, &[("password", PASSWORD), ("code", &code)]).await;
    assert_eq!(page.address.path(), "/account/delete", "{}", page.text());
    world.clock.advance(TimeDelta::minutes(10));
    let page = ana.submit(&form, &[("password", PASSWORD), ("code", &code)]).await;
    expect_wrong(&page);
}

// W-45: a reset link sets the password and does not replace the second step; deleting the account deletes the codes.
#[api_test(limits = false)]
async fn a_reset_link_is_no_second_step(world: World) {
    let ana = Browser::signed_up(&world, "ana").await;
    let codes = turn_on(&world, &ana).await;
    let link = password_resets::create(world.service(), &world.base_url, "ana").await.expect("a link");
    let browser = Browser::new(&world);
    let path = link.address.replace(&world.base_url, "");
    let form = browser.visit(&path).await.form("/reset-password");
    browser.submit(&form, &[("password", PASSWORD)]).await.assert_says("Your new password is set.");
    let page = second_step(&browser, "ana").await;
    assert_eq!(enter(&browser, &page, &codes.code(&world, 0)).await.address.path(), "/");

    let form = browser.visit("/account/delete").await.form("/account/delete");
    browser.submit(&form, &[("password", PASSWORD)]).await.assert_says("Your account is deleted.");
    for table in ["one_time_codes", "recovery_codes"] {
        assert_eq!(sql::ask(world.database_url(), &format!("SELECT CAST(count(*) AS TEXT) FROM {table}")).await, "0");
    }
}
