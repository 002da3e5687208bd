//! Every page outside the flows, in every look. Also checks that the buttons of a consent page are visible at once.

use std::sync::Arc;

use async_trait::async_trait;
use itinerary_app::audit::Actor;
use itinerary_app::{moderation, password_resets};
use itinerary_platform::settings::Config;
use itinerary_providers::{ClientDocument, ClientDocuments, Failure, Instant};
use itinerary_tests::app::{App, published};
use itinerary_tests::bodies::{on_day, with};
use itinerary_tests::mailbox::Mailbox;
use itinerary_tests::world::PASSWORD;
use itinerary_tests::{Sqlite, World};
use reqwest::Method;
use serde_json::{Value, json};
use url::form_urlencoded::Serializer;

use super::driver::Chromium;
use super::{EVERYTHING, looks, sign_in_here, signed_up, start, visit};

/// The id of a client with a metadata document.
const DOCUMENT: &str = "https://planner.example/client.json";
const REDIRECT: &str = "http://127.0.0.1/callback";

/// Serves an app's metadata document.
struct Published;

#[async_trait]
impl ClientDocuments for Published {
    async fn fetch(&self, url: &str, _: Instant) -> Result<ClientDocument, Failure> {
        let document = json!({
            "client_id": url,
            "client_name": "The Long Distance Trip Planner of the Lisbon Hiking Club",
            "redirect_uris": [REDIRECT],
            "token_endpoint_auth_method": "none",
        });
        Ok(ClientDocument { json: document.to_string().into(), cache_control: String::new() })
    }
}

/// The address of an authorisation request for these scopes.
fn authorise(client: &str, scopes: &[&str]) -> String {
    let query = [
        ("client_id", client),
        ("redirect_uri", REDIRECT),
        ("response_type", "code"),
        ("scope", &scopes.join(" ")),
        ("code_challenge", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"),
        ("code_challenge_method", "S256"),
    ];
    format!("/oauth/authorise?{}", Serializer::new(String::new()).extend_pairs(query).finish())
}

async fn registered(world: &World, name: &str) -> String {
    let body = json!({
        "client_name": name, "redirect_uris": [REDIRECT], "token_endpoint_auth_method": "none",
    });
    let response = world.call(Method::POST, "/oauth/register").json(&body).send().await;
    response.json()["client_id"].as_str().expect("a client").to_owned()
}

/// Whether both buttons are visible without scrolling, below all scopes.
const FITS: &str = "
    scrollTo(0, 0);
    const box = element => element.getBoundingClientRect();
    const answers = [...document.querySelectorAll('.choice button')].map(box);
    const asked = [...document.querySelectorAll('.scopes li, .allowed li')].map(box);
    const top = Math.min(...answers.map(answer => answer.top));
    return answers.length == 2
        && answers.every(answer => answer.height > 40 && answer.top >= 0 && answer.bottom <= innerHeight)
        && asked.every(line => line.height > 0 && line.bottom <= top);
";

async fn expect_fitting(browser: &Chromium, name: &str) {
    for size in looks::SIZES {
        looks::set(browser, size, "light").await;
        assert_eq!(browser.run(FITS).await, Value::Bool(true), "{name} in {size:?}: {}", browser.text().await);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_for_visitors_look_well() {
    let Some((world, browser)) = start().await else { return };
    let client = registered(&world, "Trip Planner").await;
    for (path, name) in [
        ("/", "home"),
        ("/sign-in", "sign-in"),
        ("/sign-up", "sign-up"),
        ("/nowhere", "not-found"),
        ("/documents/AAAA.AAAA", "link-expired"),
        ("/reset-password", "reset-link-missing"),
        ("/t/AAAA", "secret-link-unknown"),
        (&authorise("nobody", &[]), "unknown-app"),
        (&authorise(&client, &["nonsense"]), "wrong-request"),
    ] {
        visit(&world, &browser, path).await;
        looks::check(&browser, name).await;
    }
    world.account("ana").await;
    let link = password_resets::create(world.service(), &world.base_url, "ana").await.expect("a link");
    visit(&world, &browser, link.address.strip_prefix(&world.base_url).expect("an address here")).await;
    looks::check(&browser, "reset-password").await;
    visit(&world, &browser, "/sign-up").await;
    browser.type_into("#username", "a b").await;
    browser.type_into("#display_name", "Ana").await;
    browser.type_into("#password", "short").await;
    browser.click("form button").await;
    looks::check(&browser, "sign-up-wrong").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_with_mail_look_well() {
    let Some(browser) = Chromium::start().await else { return };
    let mut mailbox = Mailbox::start().await;
    let configure = |config: &mut Config| {
        config.limits = false;
        mailbox.configure(config);
    };
    let world = World::start_with(Sqlite, configure).await.expect("SQLite is always there");
    for (path, name) in [
        ("/sign-in", "sign-in-mail"),
        ("/sign-up", "sign-up-mail"),
        ("/forgot-password", "forgot-password"),
        ("/forgot-password?sent=1", "forgot-password-sent"),
        ("/reset-password?token=x", "reset-link-invalid"),
    ] {
        visit(&world, &browser, path).await;
        looks::check(&browser, name).await;
    }
    visit(&world, &browser, "/forgot-password").await;
    browser.run("document.querySelector('form').noValidate = true").await;
    browser.type_into("#email", "ana").await;
    browser.click("form button").await;
    looks::check(&browser, "forgot-password-wrong").await;

    signed_up(&world, &browser, "ana").await;
    visit(&world, &browser, "/account/email").await;
    looks::check(&browser, "email-none").await;
    browser.type_into("#email", "ana@example.com").await;
    browser.click("form.after button").await;
    looks::check(&browser, "email-unverified").await;
    let link = mailbox.next().await.link(&world);
    visit(&world, &browser, "/verify-email?token=x").await;
    looks::check(&browser, "verify-email-invalid").await;
    visit(&world, &browser, &link).await;
    looks::check(&browser, "verify-email").await;
    browser.click("form button").await;
    looks::check(&browser, "account-email-verified").await;
    visit(&world, &browser, "/account/email").await;
    looks::check(&browser, "email").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_for_travellers_look_well() {
    let Some((world, browser)) = start().await else { return };
    signed_up(&world, &browser, "ana").await;
    let account = world.service().store.account_by_username("ana").await.expect("a database").expect("she is there");
    world.personal_token(account.id, "Nightly backup", "itineraries:read itineraries:write").await;
    visit(&world, &browser, "/").await;
    looks::check(&browser, "start-empty").await;
    visit(&world, &browser, "/trips").await;
    looks::check(&browser, "trips-empty").await;
    let app = App::of(&world, "ana").await;
    app.created(&with(on_day(9), json!({ "title": "Now", "startDate": "2027-01-10" }))).await;
    app.created(&with(on_day(9), json!({ "title": "Long ago", "startDate": "2025-01-10" }))).await;
    for (day, title) in [(1, "A week in Madeira"), (2, "Lisbon with the children, and then on to Évora by train")] {
        app.created(&with(on_day(day), json!({ "title": title, "days": [{}, {}, {}] }))).await;
    }
    for (path, name) in [
        ("/", "start"),
        ("/trips", "trips"),
        ("/account", "account"),
        ("/account/blocks", "blocks"),
        ("/account/calendar", "calendar"),
        ("/account/confirm", "confirm"),
        ("/account/one-time-codes", "one-time-codes"),
        ("/account/passkeys", "passkeys-without-host"),
        ("/account/password", "password"),
        ("/account/security-log", "security-log"),
        ("/account/sign-in-methods", "sign-in-methods"),
        ("/account/tokens", "tokens"),
        ("/account/data", "data"),
        ("/account/delete", "delete"),
        ("/sign-out", "sign-out"),
    ] {
        visit(&world, &browser, path).await;
        looks::check(&browser, name).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_of_moderators_look_well() {
    let Some((world, browser)) = start().await else { return };
    let (service, store) = (world.service(), &world.service().store);
    let account = async |name| store.account_by_username(name).await.expect("a database").expect("an account");
    signed_up(&world, &browser, "mod").await;
    moderation::set_moderator(service, &account("mod").await, true).await.expect("appointed");
    let ana = App::of(&world, "ana").await;
    let body = with(on_day(1), json!({ "title": "Cheap watches", "summary": "Buy at example.com.\nNow." }));
    let trip = published(&ana, &body).await;
    let ben = App::of(&world, "ben").await;
    let report = json!({ "reason": "spam", "note": "Sells watches, and writes so in every trip of the last month." });
    ben.call(Method::POST, &format!("/v1/itineraries/{}/reports", trip.id)).json(&report).send().await;
    world.account("cai").await;
    let by = Actor::Operator;
    moderation::suspend(service, &account("cai").await, "Insults in three public trips.", by).await.expect("suspended");
    let cai = account("cai").await.id;
    moderation::appeal(service, cai, "It was my brother.\nIt will not happen again.", by).await.expect("stored");
    moderation::warn(service, account("mod").await.id, "A message\nin two lines.", by).await.expect("stored");
    for (path, name) in [
        ("/moderation", "moderation"),
        (&*format!("/moderation/itineraries/{}", trip.id), "moderation-itinerary"),
        ("/account", "account-of-moderator"),
    ] {
        visit(&world, &browser, path).await;
        looks::check(&browser, name).await;
    }
    visit(&world, &browser, "/sign-out").await;
    browser.click("form button").await;
    moderation::suspend(service, &account("ana").await, "Advertising.", by).await.expect("suspended");
    visit(&world, &browser, "/sign-in").await;
    sign_in_here(&browser, "ana", PASSWORD).await;
    browser.assert_says("This account is suspended").await;
    looks::check(&browser, "suspended").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn both_answers_on_a_consent_page_are_in_view() {
    let Some(browser) = Chromium::start().await else { return };
    let world = World::start_with_documents(Sqlite, Arc::new(Published)).await.expect("SQLite is always there");
    signed_up(&world, &browser, "a-traveller-with-a-long-name").await;
    let client = registered(&world, "Trip Planner").await;
    for (client, name) in [(&*client, "consent-everything"), (DOCUMENT, "consent-published")] {
        visit(&world, &browser, &authorise(client, &EVERYTHING)).await;
        looks::check(&browser, name).await;
        expect_fitting(&browser, name).await;
    }
    // Granted scopes are distinguished from new ones.
    let token = world.token("a-traveller-with-a-long-name", "itineraries:read itineraries:write documents:read").await;
    assert!(!token.is_empty());
    let id = DOCUMENT;
    world.sql(&format!("UPDATE grants SET client_id = '{id}'")).await;
    visit(&world, &browser, &authorise(id, &EVERYTHING)).await;
    browser.assert_says("Already allowed").await;
    looks::check(&browser, "consent-step-up").await;
    expect_fitting(&browser, "consent-step-up").await;
}
