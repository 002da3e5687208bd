//! The e-mail address of an account: set, verified by a link, changed and removed.

use chrono::TimeDelta;
use itinerary_tests::browser::{Browser, Form, Page};
use itinerary_tests::mailbox::Mailbox;
use itinerary_tests::world::PASSWORD;
use itinerary_tests::{Database, World, api_test, sql};

use super::expect_marked;
use super::providers::count;

pub(super) const PATH: &str = "/account/email";
const VERIFY: &str = "/verify-email";
pub(super) const SUBJECT: &str = "Verify your e-mail address";

/// A server that sends mail, without limits.
pub(super) async fn world(database: Database, mailbox: &Mailbox) -> Option<World> {
    World::start_with(database, |config| {
        config.limits = false;
        mailbox.configure(config);
    })
    .await
}

/// The form that sets an address.
pub(super) async fn form(browser: &Browser) -> Form {
    browser.visit(PATH).await.forms(PATH).pop().expect("the form")
}

pub(super) async fn claim(browser: &Browser, address: &str) -> Page {
    browser.submit(&form(browser).await, &[("email", address)]).await
}

/// Uses the link of a mail in this browser.
pub(super) async fn follow(browser: &Browser, link: &str) -> Page {
    let page = browser.visit(link).await;
    browser.submit(&page.form(VERIFY), &[]).await
}

/// Sets and verifies an address.
pub(super) async fn verified(world: &World, mailbox: &mut Mailbox, browser: &Browser, address: &str) {
    claim(browser, address).await.assert_says("A message with a link is on its way.");
    let letter = mailbox.expect(address, SUBJECT).await;
    let page = follow(browser, &letter.link(world)).await;
    assert_eq!(page.address.path(), "/account", "{}", page.text());
    page.assert_says("Your e-mail address is verified.");
}

#[track_caller]
fn expect_invalid(page: &Page, status: u16) {
    assert_eq!(page.response.status.as_u16(), status, "{}", page.text());
    page.assert_says("This link is not valid");
}

// W-30: an address is verified once by a link, within an hour, in a session of its account; looking at it uses nothing.
#[api_test]
async fn an_address_is_verified_by_its_link(database: Database) {
    let mut mailbox = Mailbox::start().await;
    let Some(world) = world(database, &mailbox).await else { return };
    let browser = Browser::signed_up(&world, "ana").await;
    for text in [
        "",
        "ana",
        "ana@",
        "ana@localhost",
        "ana@example.com\r\nBcc: eve@example.com",
        "a b@example.com",
        "Ana <ana@example.com>",
    ] {
        let page = claim(&browser, text).await;
        assert_eq!(page.response.status.as_u16(), 422, "{text}");
        expect_marked(&page, "email");
    }
    let forged = browser.submit(&form(&browser).await, &[("email", "ana@example.com"), ("guard", "forged")]).await;
    assert_eq!(forged.response.status.as_u16(), 403);
    assert_eq!(count(&world, "mails").await, "0");

    claim(&browser, " Ana@Example.com ").await.assert_says("A message with a link is on its way.");
    let letter = mailbox.expect("Ana@Example.com", SUBJECT).await;
    assert!(
        !letter.text.contains("ana") && !letter.html.contains(">ana"),
        "nothing that the claimer chose: {}",
        letter.text
    );
    let link = letter.link(&world);
    let secret = link.split_once("token=").expect("a token").1;
    assert!(secret.starts_with("itn_vfy_") && secret.len() == 51, "{secret}");
    for (table, row) in sql::dump(world.database_url()).await {
        assert!(!row.contains(&secret[8..]), "{table}");
    }
    // Neither another account nor nobody can use it.
    let other = Browser::signed_up(&world, "ben").await;
    expect_invalid(&other.visit(&link).await, 200);
    let page = Browser::new(&world).visit(&link).await;
    assert_eq!(page.address.path(), "/sign-in");
    page.assert_says("Sign in to verify your e-mail address.");
    for _ in 0..2 {
        let page = browser.visit(&link).await;
        page.assert_says("Is <strong>Ana@Example.com</strong> your address?");
        assert_eq!(page.response.header("referrer-policy"), "no-referrer");
    }
    assert_eq!(count(&world, "mail_addresses").await, "0", "looking uses nothing");
    let filled = browser.visit(&link).await.form(VERIFY);
    assert_eq!(browser.submit(&filled, &[("guard", "forged")]).await.response.status.as_u16(), 403);
    let page = browser.submit(&filled, &[]).await;
    page.assert_says("Your e-mail address is verified.");
    page.assert_says("Ana@Example.com");
    expect_invalid(&browser.submit(&filled, &[]).await, 403);
    expect_invalid(&browser.visit(&link).await, 200);
    browser.visit(PATH).await.assert_says("Ana@Example.com, verified on");
    mailbox.expect_nothing(&world).await;
}

// W-30: and no longer than an hour, nor after a newer claim.
#[api_test]
async fn a_link_ends_with_its_hour_and_with_a_newer_claim(database: Database) {
    let mut mailbox = Mailbox::start().await;
    let Some(world) = world(database, &mailbox).await else { return };
    let browser = Browser::signed_up(&world, "ana").await;
    claim(&browser, "ana@example.com").await;
    let first = mailbox.expect("ana@example.com", SUBJECT).await.link(&world);
    claim(&browser, "ana@example.org").await;
    let second = mailbox.expect("ana@example.org", SUBJECT).await.link(&world);
    expect_invalid(&browser.visit(&first).await, 200);
    let filled = browser.visit(&second).await.form(VERIFY);
    world.clock.advance(TimeDelta::minutes(60));
    expect_invalid(&browser.visit(&second).await, 200);
    expect_invalid(&browser.submit(&filled, &[]).await, 403);
    for token in ["", "x", "itn_vfy_", "itn_vfy_%00", "itn_vfy_\u{e9}"] {
        expect_invalid(&browser.visit(&format!("{VERIFY}?token={token}")).await, 200);
    }
    itinerary_server::jobs::expire(world.service()).await.expect("a database");
    assert_eq!(count(&world, "unverified_addresses").await, "0");
}

// W-31: an address belongs to one account; only the mail says that it is taken.
#[api_test]
async fn only_the_owner_of_an_address_learns_that_it_is_taken(database: Database) {
    let mut mailbox = Mailbox::start().await;
    let Some(world) = world(database, &mailbox).await else { return };
    let ana = Browser::signed_up(&world, "ana").await;
    verified(&world, &mut mailbox, &ana, "ana@example.com").await;
    let ben = Browser::signed_up(&world, "ben").await;
    let taken = claim(&ben, "ANA@example.com").await;
    let letter = mailbox.expect("ana@example.com", "You have an account already").await;
    letter.assert_says("your account ana,");
    assert_eq!(letter.link(&world), "/sign-in");
    let free = claim(&ben, "ben@example.com").await;
    mailbox.expect("ben@example.com", SUBJECT).await;
    assert_eq!(taken.response.status, free.response.status);
    assert_eq!(taken.text().replace("ANA@example.com", "X"), free.text().replace("ben@example.com", "X"));

    // Two claims of a free address: the first who verifies it has it.
    let cleo = Browser::signed_up(&world, "cleo").await;
    let mut links = Vec::new();
    for browser in [&ben, &cleo] {
        claim(browser, "both@example.com").await;
        links.push(mailbox.expect("both@example.com", SUBJECT).await.link(&world));
    }
    let forms = [ben.visit(&links[0]).await.form(VERIFY), cleo.visit(&links[1]).await.form(VERIFY)];
    let (one, two) = tokio::join!(ben.post(&forms[0], &[]).send(), cleo.post(&forms[1], &[]).send());
    let mut statuses = [one.status.as_u16(), two.status.as_u16()];
    statuses.sort_unstable();
    assert_eq!(statuses, [303, 409]);
    assert_eq!(count(&world, "mail_addresses").await, "2");
    mailbox.expect_nothing(&world).await;
}

// W-31: sign-up does not say it either.
#[api_test]
async fn sign_up_takes_an_address_and_never_says_that_it_is_taken(database: Database) {
    let mut mailbox = Mailbox::start().await;
    let Some(world) = world(database, &mailbox).await else { return };
    let signed_up = async |name: &str, email: &str| {
        let browser = Browser::new(&world);
        let form = browser.visit("/sign-up").await.form("/sign-up");
        let typed = [("username", name), ("display_name", name), ("password", PASSWORD), ("email", email)];
        let page = browser.submit(&form, &typed).await;
        (browser, page)
    };
    let (_, page) = signed_up("ana", "ana@").await;
    assert_eq!(page.response.status.as_u16(), 422);
    expect_marked(&page, "email");
    let (ana, page) = signed_up("ana", "ana@example.com").await;
    assert_eq!(page.address.path(), "/");
    let letter = mailbox.expect("ana@example.com", SUBJECT).await;
    follow(&ana, &letter.link(&world)).await.assert_says("Your e-mail address is verified.");
    let (_, taken) = signed_up("ben", "Ana@Example.COM").await;
    mailbox.expect("ana@example.com", "You have an account already").await;
    assert_eq!((taken.response.status, taken.address.path()), (page.response.status, "/"));
    assert_eq!(taken.text().replace("ben", "X"), page.text().replace("ana", "X"));
    // Without an address, as ever.
    Browser::signed_up(&world, "cleo").await;
    mailbox.expect_nothing(&world).await;
}

// W-32: the former address stays until the new one is verified, and hears of the change.
#[api_test]
async fn the_former_address_hears_of_a_change_and_of_a_removal(database: Database) {
    let mut mailbox = Mailbox::start().await;
    let Some(world) = world(database, &mailbox).await else { return };
    let browser = Browser::signed_up(&world, "ana").await;
    verified(&world, &mut mailbox, &browser, "ana@example.com").await;
    let page = claim(&browser, "ana@example.org").await;
    page.assert_says("ana@example.com, verified on");
    page.assert_says("ana@example.org");
    let link = mailbox.expect("ana@example.org", SUBJECT).await.link(&world);
    assert_eq!(count(&world, "mail_addresses WHERE address = 'ana@example.com'").await, "1");
    follow(&browser, &link).await.assert_says("Your e-mail address is verified.");
    let letter = mailbox.expect("ana@example.com", "Your e-mail address was changed").await;
    letter.assert_says("Hello ana,");
    letter.assert_says("On 10 January 2027, 12:00 UTC,");
    assert!(!letter.text.contains("ana@example.org"), "{}", letter.text);
    // Another case of the same address is no change.
    verified(&world, &mut mailbox, &browser, "ANA@example.org").await;

    let page = browser.visit(PATH).await;
    let remove = page.forms(PATH).remove(0).with("remove", "yes");
    browser.submit(&remove, &[]).await.assert_says("Your e-mail address is removed.");
    mailbox.expect("ANA@example.org", "Your e-mail address was removed").await;
    browser.visit("/account/security-log").await.assert_says("E-mail address changed");
    assert_eq!(
        (count(&world, "mail_addresses").await, count(&world, "unverified_addresses").await),
        ("0".into(), "0".into())
    );
    mailbox.expect_nothing(&world).await;

    world.clock.advance(TimeDelta::minutes(10));
    assert_eq!(browser.visit(PATH).await.address.path(), "/account/confirm");
}

#[api_test(limits = false)]
async fn without_mail_there_is_no_address(world: World) {
    let browser = Browser::signed_up(&world, "ana").await;
    assert!(!browser.visit("/account").await.text().contains(PATH));
    let page = browser.visit(PATH).await;
    page.assert_says("This service sends no e-mail");
    let form = browser.visit("/account/password").await.form("/account/password");
    let fields = [("guard", form.get("guard")), ("email", "ana@example.com")];
    let response = browser.call(reqwest::Method::POST, PATH).form(&fields).send().await;
    assert_eq!(response.status.as_u16(), 403);
    let visitor = Browser::new(&world);
    assert!(!visitor.visit("/sign-up").await.text().contains("id=\"email\""));
    visitor.visit("/sign-in").await.assert_says("Ask the person who runs this service for a link");
    visitor.visit("/forgot-password").await.assert_says("Ask the person who runs this service for a link");
    assert_eq!(count(&world, "mails").await, "0");
}
