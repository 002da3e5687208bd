//! Passkeys: adding, naming and removing them, signing in with one, the second step and confirming. What is refused is in
//! `passkey_traps.rs`.

use chrono::TimeDelta;
use itinerary_platform::settings::Config;
use itinerary_tests::authenticator::{self, Authenticator, options};
use itinerary_tests::browser::{Browser, Form, Page};
use itinerary_tests::identity_provider::{IdentityServer, Person};
use itinerary_tests::world::PASSWORD;
use itinerary_tests::{Database, World, api_test, sql};
use reqwest::Method;

use super::one_time_codes::{second_step, turn_on};
use super::{App, expect_marked, providers};

pub(super) const PATH: &str = "/account/passkeys";
const METHODS: &str = "/account/sign-in-methods";
const REFUSED: &str = "This passkey was not accepted.";

/// Passkeys belong to a host name, and an address of a test has none.
pub(super) fn with_host(config: &mut Config) {
    config.base_url = config.base_url.replace("127.0.0.1", "localhost");
    config.limits = false;
}

pub(super) async fn start(database: Database) -> Option<World> {
    World::start_with(database, with_host).await
}

pub(super) async fn count(world: &World, of: &str) -> String {
    sql::ask(world.database_url(), &format!("SELECT CAST(count(*) AS TEXT) FROM {of}")).await
}

/// Adds a new passkey to the account of a browser.
pub(super) async fn added(world: &World, browser: &Browser, name: &str) -> Authenticator {
    let mut key = Authenticator::at(&world.base_url);
    let page = browser.visit(PATH).await;
    let credential = key.create(&options(&page, "create"));
    let page = browser.submit(&authenticator::form(&page, PATH), &[("name", name), ("credential", &credential)]).await;
    page.assert_says("The passkey is added.");
    key
}

/// Answers the form for a passkey in a page.
pub(super) async fn answered(browser: &Browser, page: &Page, key: &mut Authenticator) -> Page {
    let credential = key.get(&options(page, "get"));
    let action = if page.address.path() == "/account/confirm" { "/account/confirm" } else { "/sign-in" };
    browser.submit(&authenticator::form(page, action), &[("credential", &credential)]).await
}

pub(super) async fn sign_in(browser: &Browser, key: &mut Authenticator) -> Page {
    let page = browser.visit("/sign-in").await;
    answered(browser, &page, key).await
}

#[track_caller]
pub(super) fn expect_refused(page: &Page, browser: &Browser, what: &str) {
    assert_eq!(page.response.status.as_u16(), 422, "{what}: {}", page.text());
    page.assert_says(REFUSED);
    assert_eq!(browser.cookie("session"), None, "{what}");
}

// W-46: a passkey signs in without name and password, and an app's request continues; names can be changed; a removed one
// is refused.
#[api_test]
async fn a_passkey_is_added_named_used_and_removed(database: Database) {
    let Some(world) = start(database).await else { return };
    let ana = Browser::signed_up(&world, "ana").await;
    let page = ana.visit(PATH).await;
    page.assert_says("You have no passkey.");
    let policy = page.response.header("content-security-policy");
    assert!(policy.contains("script-src 'self'") && !policy.contains("unsafe"), "{policy}");
    let asked = options(&page, "create");
    assert_eq!((&asked["rp"]["id"], &asked["user"]["name"]), (&"localhost".into(), &"ana".into()));
    let selection = &asked["authenticatorSelection"];
    assert_eq!((&selection["residentKey"], &selection["userVerification"]), (&"required".into(), &"required".into()));
    // Names, before the browser's response is used.
    let mut first = Authenticator::at(&world.base_url);
    let credential = first.create(&asked);
    let form = authenticator::form(&page, PATH).with("credential", &credential);
    for name in ["", "  ", &"x".repeat(101), "phone\u{200b}"] {
        let page = ana.submit(&form, &[("name", name)]).await;
        assert_eq!(page.response.status.as_u16(), 422, "{name:?}");
        expect_marked(&page, "name");
    }
    let page = ana.submit(&form.clone().with("credential", ""), &[("name", "x")]).await;
    page.assert_says("Adding a passkey needs JavaScript");
    ana.submit(&form, &[("name", " My “phone” ")]).await.assert_says("“My 'phone'”");
    let asked = options(&ana.visit(PATH).await, "create");
    assert_eq!(asked["excludeCredentials"].as_array().map(Vec::len), Some(1), "{asked}");
    world.clock.advance(TimeDelta::seconds(1));
    let mut second = added(&world, &ana, "key").await;

    let browser = Browser::new(&world);
    let page = browser.visit("/sign-in").await;
    let asked = options(&page, "get");
    assert_eq!((&asked["rpId"], &asked["userVerification"]), (&"localhost".into(), &"required".into()));
    assert_eq!(asked["allowCredentials"], serde_json::json!([]), "nobody learns who has passkeys");
    assert_eq!(answered(&browser, &page, &mut first).await.address.path(), "/");
    browser.visit("/account").await.assert_says("ana");
    let app = App::public(&world).await;
    let visitor = Browser::new(&world);
    let page = visitor.visit(&app.authorise()).await;
    let page = answered(&visitor, &page, &mut second).await;
    assert_eq!(page.address.path(), "/oauth/authorise", "{}", page.text());

    let page = ana.visit(PATH).await;
    page.assert_says("10 January 2027");
    let rename = page.forms(PATH).into_iter().find(|form| form.has("rename")).expect("a form");
    ana.submit(&rename, &[("name", "Old phone")]).await.assert_says("“Old phone”");
    assert_eq!(ana.submit(&rename, &[("name", "")]).await.response.status.as_u16(), 422);
    // Not by somebody else.
    let ben = Browser::signed_up(&world, "ben").await;
    let guard = ben.visit(PATH).await.form(PATH);
    let id = rename.get("rename");
    ben.submit(&guard, &[("rename", id), ("name", "Ben's")]).await;
    ben.submit(&guard.clone().without("name"), &[("remove", id)]).await;
    ana.visit(METHODS).await.assert_says("“Old phone”");

    let page = ana.submit(&rename.clone().without("rename"), &[("remove", id)]).await;
    page.assert_says("no longer accepted");
    let log = ana.visit("/account/security-log").await;
    for words in ["Sign-in method added", "Sign-in method removed", "Passkey “Old phone”", "Passkey"] {
        log.assert_says(words);
    }
    expect_refused(&sign_in(&Browser::new(&world), &mut first).await, &Browser::new(&world), "removed");
    assert_eq!(sign_in(&Browser::new(&world), &mut second).await.address.path(), "/");
}

// W-47: at most twenty; one that an account has is not added again, to no account.
#[api_test]
async fn passkeys_are_unique_and_at_most_twenty(database: Database) {
    let Some(world) = start(database).await else { return };
    let ana = Browser::signed_up(&world, "ana").await;
    let key = added(&world, &ana, "key").await;
    let ben = Browser::signed_up(&world, "ben").await;
    for browser in [&ana, &ben] {
        let page = browser.visit(PATH).await;
        let credential = key.clone().create(&options(&page, "create"));
        let form = authenticator::form(&page, PATH);
        let page = browser.submit(&form, &[("name", "again"), ("credential", &credential)]).await;
        assert!([409, 422].contains(&page.response.status.as_u16()), "{}", page.text());
    }
    assert_eq!(count(&world, "passkeys").await, "1");
    for _ in 1..20 {
        added(&world, &ana, "key").await;
    }
    let page = ana.visit(PATH).await;
    page.assert_says("You have 20 passkeys. Remove one, then add another.");
    assert!(!page.text().contains("data-passkey"), "{}", page.text());
}

// W-48: the last way in stays: a passkey without password and provider, and a provider without password and passkey. A
// sign-in by a provider has no second step.
#[api_test]
async fn the_last_way_in_cannot_be_removed(database: Database) {
    let provider = IdentityServer::start().await;
    let started = providers::world_with(database, &provider, with_host).await;
    let Some(world) = started else { return };
    let person = Person::new("ana");
    // At the host name, to which the provider sends the browser back.
    let at_host = || Browser::at(&world.base_url);
    let ana = at_host();
    let page = providers::sign_in(&ana, &provider, &person).await;
    let page = ana.submit(&page.form("/sign-in/acme/account"), &[]).await;
    assert_eq!((page.response.status.as_u16(), page.address.path()), (200, "/"), "{}", page.text());
    ana.visit("/account/one-time-codes").await.assert_says("your account has none");
    let mut key = added(&world, &ana, "key").await;
    // With a passkey, the provider is not the last.
    let page = ana.visit(METHODS).await;
    let text = page.text();
    let unlink = text.split_once("name=\"unlink\" value=\"").expect("a button").1.split_once('"').expect("its end").0;
    let page = ana.submit(&page.form(METHODS), &[("unlink", unlink)]).await;
    page.assert_says("not linked any more");
    let remove = async |browser: &Browser| {
        let page = browser.visit(PATH).await;
        let form = page.forms(PATH).into_iter().find(|form| form.has("rename")).expect("a form");
        let id = form.get("rename").to_owned();
        browser.submit(&form.without("rename").without("name"), &[("remove", &id)]).await
    };
    let page = remove(&ana).await;
    assert_eq!(page.response.status.as_u16(), 409, "{}", page.text());
    page.assert_says("This is the only way to sign in");
    assert_eq!(sign_in(&Browser::new(&world), &mut key).await.address.path(), "/");
    // A password is another way in; one-time codes are none, and do not follow a provider's sign-in.
    let page = ana.visit("/account/password").await;
    ana.submit(&page.form("/account/password"), &[("password", PASSWORD)]).await.assert_says("password is changed");
    turn_on(&world, &ana).await;
    remove(&ana).await.assert_says("The passkey is removed");
    let form = ana.visit(METHODS).await.forms(METHODS).pop().expect("a form");
    let to = ana.submit(&form, &[("link", "acme")]).await.left_for.expect("the provider's page");
    ana.visit(provider.sign_in(&to, &person).as_str()).await.assert_says("The account is linked.");
    assert_eq!(providers::sign_in(&at_host(), &provider, &person).await.address.path(), "/");
    second_step(&Browser::new(&world), "ana").await;
}

// W-49: with passwords turned off, passkeys are a way in, and passwords none.
#[api_test]
async fn passkeys_work_without_passwords(database: Database) {
    let Some(world) = start(database).await else { return };
    let ana = Browser::signed_up(&world, "ana").await;
    let mut key = added(&world, &ana, "key").await;
    turn_on(&world, &ana).await;
    let base_url = world.base_url.clone();
    let off = world
        .replica_with(|config| {
            base_url.clone_into(&mut config.base_url);
            config.limits = false;
            config.sign_in.password_sign_in = false;
        })
        .await;
    let browser = Browser::at(&format!("http://{}", off.address));
    let page = browser.visit("/sign-in").await;
    assert!(!page.text().contains("type=\"password\""), "{}", page.text());
    let form = authenticator::form(&page, "/sign-in").without("credential");
    let refused = browser.submit(&form, &[("username", "ana"), ("password", PASSWORD)]).await;
    assert_eq!(refused.response.status.as_u16(), 403);
    assert_eq!(answered(&browser, &page, &mut key).await.address.path(), "/");
    // It is the last way in there.
    let page = browser.visit(PATH).await;
    let form = page.forms(PATH).into_iter().find(|form| form.has("rename")).expect("a form");
    let id = form.get("rename").to_owned();
    let page = browser.submit(&form.without("rename"), &[("remove", &id)]).await;
    assert_eq!(page.response.status.as_u16(), 409, "{}", page.text());
}

// W-60: a passkey is a second step and confirms, if it is the account's own.
#[api_test]
async fn a_passkey_is_a_second_step_and_confirms(database: Database) {
    let Some(world) = start(database).await else { return };
    let ana = Browser::signed_up(&world, "ana").await;
    let mut key = added(&world, &ana, "key").await;
    turn_on(&world, &ana).await;
    let ben = Browser::signed_up(&world, "ben").await;
    let mut bens = added(&world, &ben, "key").await;

    let browser = Browser::new(&world);
    let page = second_step(&browser, "ana").await;
    let allowed = options(&page, "get")["allowCredentials"].clone();
    assert_eq!(allowed.as_array().map(Vec::len), Some(1), "{allowed}");
    let refused = answered(&browser, &page, &mut bens).await;
    assert_eq!(refused.response.status.as_u16(), 422, "{}", refused.text());
    assert_eq!(browser.cookie("session"), None);
    // Authenticators may leave out whose passkey it is, if they are asked for this one.
    key.user = None;
    assert_eq!(answered(&browser, &refused, &mut key).await.address.path(), "/");

    world.clock.advance(TimeDelta::minutes(10));
    let page = ana.visit("/account/data").await;
    assert_eq!(page.address.path(), "/account/confirm");
    let refused = answered(&ana, &page, &mut bens).await;
    assert_eq!(refused.response.status.as_u16(), 422, "{}", refused.text());
    refused.assert_says(REFUSED);
    assert_eq!(answered(&ana, &refused, &mut key).await.address.path(), "/account/data");
    assert_eq!(ana.visit("/account/delete").await.address.path(), "/account/delete");
}

// W-61: the archive names passkeys and has no secrets; the operator removes all; deleting the account does, too.
#[api_test]
async fn passkeys_are_in_the_archive_and_removed_by_the_operator_and_by_deletion(database: Database) {
    let Some(world) = start(database).await else { return };
    let ana = Browser::signed_up(&world, "ana").await;
    let key = added(&world, &ana, "My key").await;
    turn_on(&world, &ana).await;
    let form = ana.visit("/account/data").await.form("/account/data");
    // Nothing in the archive is compressed.
    let archive = ana.post(&form, &[]).send().await.text().replace([' ', '\n'], "");
    assert!(archive.contains("\"name\":\"Mykey\"") && archive.contains("\"oneTimeCodes\":{\"createdAt\""), "{archive}");
    let stored = sql::ask(world.database_url(), "SELECT secret FROM one_time_codes").await;
    assert!(!archive.contains(&stored) && !archive.contains("\"cred\""), "{archive}");

    let store = &world.service().store;
    let id = store.account_by_username("ana").await.expect("a database").expect("she is there").id;
    assert_eq!(store.factors_remove(id).await.expect("a database"), (1, true));
    expect_refused(&sign_in(&Browser::new(&world), &mut key.clone()).await, &Browser::new(&world), "removed");
    assert_eq!(Browser::new(&world).sign_in("ana", PASSWORD).await.address.path(), "/");

    added(&world, &ana, "My key").await;
    let form: Form = ana.visit("/account/delete").await.form("/account/delete");
    ana.submit(&form, &[("password", PASSWORD)]).await.assert_says("Your account is deleted.");
    assert_eq!(count(&world, "passkeys").await, "0");
}

// Without a host name there are no passkeys, and the pages say so.
#[api_test]
async fn an_address_without_a_host_name_has_no_passkeys(world: World) {
    let ana = Browser::signed_up(&world, "ana").await;
    ana.visit(PATH).await.assert_says("Passkeys cannot be used here");
    for path in [METHODS, "/account/confirm"] {
        assert!(!ana.visit(path).await.text().contains("passkey"), "{path}");
    }
    let page = Browser::new(&world).visit("/sign-in").await;
    assert!(!page.text().contains("data-passkey"), "{}", page.text());
    let script = world.call(Method::GET, "/passkeys.js").send().await;
    assert_eq!(script.header("content-type"), "text/javascript; charset=utf-8");
}

// Whoever proves that a suspended account is theirs learns why, and gets no session.
#[api_test]
async fn a_suspended_account_has_no_way_in(database: Database) {
    let Some(world) = start(database).await else { return };
    let ana = Browser::signed_up(&world, "ana").await;
    let mut key = added(&world, &ana, "key").await;
    let codes = turn_on(&world, &ana).await;
    let account = world.service().store.account_by_username("ana").await.expect("a database").expect("she is there");
    let by = itinerary_app::audit::Actor::Operator;
    itinerary_app::moderation::suspend(world.service(), &account, "Spam in trips.", by).await.expect("suspended");
    let browser = Browser::new(&world);
    let page = sign_in(&browser, &mut key).await;
    page.assert_says("Spam in trips.");
    assert_eq!((page.response.status.as_u16(), browser.cookie("session")), (403, None), "{}", page.text());
    let page = second_step(&browser, "ana").await;
    let form = super::one_time_codes::code_form(&page);
    let page = browser.submit(&form, &[("code", &codes.code(&world, 0))]).await;
    page.assert_says("Spam in trips.");
    assert_eq!((page.response.status.as_u16(), browser.cookie("session")), (403, None), "{}", page.text());
}
