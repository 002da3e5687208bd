//! A forgotten password: a link by mail, the same answer to everybody, and limits.

use chrono::TimeDelta;
use itinerary_store::NO_PASSWORD;
use itinerary_tests::browser::{Browser, Page};
use itinerary_tests::mailbox::Mailbox;
use itinerary_tests::world::PASSWORD;
use itinerary_tests::{Database, World, api_test, sql};

use super::mail_address::{claim, verified, world};
use super::mail_queue::{later, wait_for_attempt};
use super::providers::count;
use super::{App, expect_ended, expect_marked};

const PATH: &str = "/forgot-password";
const RESET: &str = "/reset-password";
const SUBJECT: &str = "Set a new password";
const NEW: &str = "a new pass phrase";

async fn ask(browser: &Browser, address: &str) -> Page {
    let form = browser.visit(PATH).await.form(PATH);
    browser.submit(&form, &[("email", address)]).await
}

async fn signs_in(world: &World, password: &str) -> bool {
    Browser::new(world).sign_in("ana", password).await.address.path() == "/"
}

/// Ana, with an address.
async fn ana(world: &World, mailbox: &mut Mailbox) -> Browser {
    let browser = Browser::signed_up(world, "ana").await;
    verified(world, mailbox, &browser, "Ana@example.com").await;
    browser
}

// W-33: a link of 256 bits, once, within an hour; it ends sessions and signs nobody in.
#[api_test]
async fn a_link_by_mail_sets_a_new_password(database: Database) {
    let mut mailbox = Mailbox::start().await;
    let Some(world) = world(database, &mailbox).await else { return };
    let browser = ana(&world, &mut mailbox).await;
    let visitor = Browser::new(&world);
    let page = visitor.visit("/sign-in").await;
    assert!(page.text().contains("href=\"/forgot-password\""), "{}", page.text());
    for text in ["", "ana", "ana@example.com,ben@example.com", "ana@example.com\nBcc: eve@example.com"] {
        let page = ask(&visitor, text).await;
        assert_eq!(page.response.status.as_u16(), 422, "{text}");
        expect_marked(&page, "email");
    }
    // The mail goes to the address as it was verified, not as it was typed.
    ask(&visitor, "ANA@EXAMPLE.COM").await.assert_says("If an account has this address");
    let letter = mailbox.expect("Ana@example.com", SUBJECT).await;
    letter.assert_says("Hello ana,");
    letter.assert_says("until 10 January 2027, 13:00 UTC.");
    let link = letter.link(&world);
    let secret = link.split_once("token=").expect("a token").1;
    assert!(secret.starts_with("itn_rst_") && secret.len() == 51, "{secret}");
    for (table, row) in sql::dump(world.database_url()).await {
        assert!(!row.contains(&secret[8..]), "{table}");
    }
    let filled = visitor.visit(&link).await.form(RESET);
    let page = visitor.submit(&filled, &[("password", NEW)]).await;
    page.assert_says("Your new password is set. Sign in with it.");
    assert_eq!(visitor.cookie("session"), None);
    let notice = mailbox.expect("Ana@example.com", "Your password was changed").await;
    assert_eq!(notice.link(&world), PATH);
    assert!(!signs_in(&world, PASSWORD).await);
    assert_eq!(browser.visit("/account").await.address.path(), "/sign-in", "sessions have ended");
    assert_eq!(count(&world, "audit_log WHERE event = 'resetLinkMade' AND actor = 'server'").await, "1");
    let used = visitor.visit(&link).await;
    used.assert_says("This link is not valid");
    assert!(used.text().contains("href=\"/forgot-password\""), "{}", used.text());

    ask(&visitor, "ana@example.com").await;
    let link = mailbox.expect("Ana@example.com", SUBJECT).await.link(&world);
    world.clock.advance(TimeDelta::minutes(60));
    visitor.visit(&link).await.assert_says("This link is not valid");
    mailbox.expect_nothing(&world).await;
}

// W-33: of 24 uses at once one counts.
#[api_test]
async fn one_of_many_concurrent_uses_of_a_reset_link_succeeds(database: Database) {
    let mut mailbox = Mailbox::start().await;
    let Some(world) = world(database, &mailbox).await else { return };
    let browser = ana(&world, &mut mailbox).await;
    let tokens = App::public(&world).await.connect(&browser).await;
    let visitor = Browser::new(&world);
    ask(&visitor, "ana@example.com").await;
    let link = mailbox.expect("Ana@example.com", SUBJECT).await.link(&world);
    let filled = visitor.visit(&link).await.form(RESET).with("end_apps", "yes");
    let passwords: Vec<_> = (0..24).map(|n| format!("pass phrase {n}")).collect();
    let uses = passwords.iter().map(|password| visitor.post(&filled, &[("password", password)]).send());
    let responses = futures::future::join_all(uses).await;
    assert_eq!(responses.iter().filter(|response| response.status == 303).count(), 1);
    expect_ended(&world, &tokens.access_token).await;
    mailbox.expect("Ana@example.com", "Your password was changed").await;
    mailbox.expect_nothing(&world).await;
}

// W-33: a later attempt has the same link, and revives none that was used or replaced.
#[api_test]
async fn sending_again_does_not_make_a_used_link_valid(database: Database) {
    let mut mailbox = Mailbox::start().await;
    let Some(world) = world(database, &mailbox).await else { return };
    ana(&world, &mut mailbox).await;
    let visitor = Browser::new(&world);
    // The mail has arrived, but the server does not know.
    mailbox.will_end_with(&["451 Try later", "451 Try later"]);
    ask(&visitor, "ana@example.com").await;
    let first = mailbox.expect("Ana@example.com", SUBJECT).await;
    wait_for_attempt(&world).await;
    later(&world, TimeDelta::seconds(10));
    let second = mailbox.expect("Ana@example.com", SUBJECT).await;
    assert_eq!((second.link(&world), &second.raw.contains("Message-ID")), (first.link(&world), &true));
    let filled = visitor.visit(&first.link(&world)).await.form(RESET);
    visitor.submit(&filled, &[("password", NEW)]).await.assert_says("Your new password is set.");
    mailbox.expect("Ana@example.com", "Your password was changed").await;
    later(&world, TimeDelta::minutes(1));
    mailbox.expect_nothing(&world).await;
    visitor.visit(&first.link(&world)).await.assert_says("This link is not valid");

    // Replaced by a newer one while it waits.
    mailbox.will_reply(&["451 Try later"]);
    ask(&visitor, "ana@example.com").await;
    wait_for_attempt(&world).await;
    ask(&visitor, "ana@example.com").await;
    let newer = mailbox.expect("Ana@example.com", SUBJECT).await.link(&world);
    later(&world, TimeDelta::seconds(10));
    mailbox.expect_nothing(&world).await;
    visitor.visit(&newer).await.form(RESET);
}

// W-34: an unknown address gets the same answer, for the same work; nobody is sent a mail who has no account.
#[api_test]
async fn an_unknown_address_gets_the_same_answer(database: Database) {
    let mut mailbox = Mailbox::start().await;
    let Some(world) = world(database, &mailbox).await else { return };
    let browser = ana(&world, &mut mailbox).await;
    // Claimed, but not verified.
    claim(&browser, "new@example.com").await;
    mailbox.expect("new@example.com", super::mail_address::SUBJECT).await;
    let visitor = Browser::new(&world);
    let known = ask(&visitor, "ana@example.com").await;
    mailbox.expect("Ana@example.com", SUBJECT).await;
    for address in ["nobody@example.com", "new@example.com", "ana@example.org"] {
        let unknown = ask(&visitor, address).await;
        assert_eq!(
            (unknown.response.status, unknown.address.clone(), unknown.text()),
            (known.response.status, known.address.clone(), known.text())
        );
    }
    mailbox.expect_nothing(&world).await;

    // An account without a password is told so, and gets none this way.
    let account = world.service().store.account_by_username("ana").await.expect("a database").expect("she is there");
    let sql = format!("UPDATE accounts SET password_hash = '{NO_PASSWORD}' WHERE username = 'ana'");
    sql::run(world.database_url(), &sql).await;
    ask(&visitor, "ana@example.com").await;
    mailbox.expect("Ana@example.com", "Your account has no password").await;
    assert!(account.password_hash != NO_PASSWORD);
    mailbox.expect_nothing(&world).await;
}

// W-34: with the same work: one row, whoever has the address.
#[api_test]
async fn a_request_queues_one_row_for_any_address(database: Database) {
    let mailbox = Mailbox::start().await;
    let Some(world) = world(database, &mailbox).await else { return };
    // Nothing is sent while the server stops.
    world.service().stopping.store(true, std::sync::atomic::Ordering::Relaxed);
    world.account("ana").await;
    let visitor = Browser::new(&world);
    for (index, address) in ["ana@example.com", "nobody@example.com"].into_iter().enumerate() {
        ask(&visitor, address).await;
        assert_eq!(count(&world, "mails WHERE account_id IS NULL").await, (index + 1).to_string());
    }
    assert_eq!(count(&world, "password_resets").await, "0");
}

// W-35: three mails an hour for an address, silently, and ten for a client's address.
#[api_test]
async fn mails_are_limited_for_an_address_and_for_a_client(database: Database) {
    let mut mailbox = Mailbox::start().await;
    let Some(world) = World::start_with(database, |config| mailbox.configure(config)).await else { return };
    ana(&world, &mut mailbox).await;
    let visitor = Browser::new(&world);
    // Verifying was the first mail to this address.
    for _ in 0..2 {
        ask(&visitor, "ana@example.com").await;
        mailbox.expect("Ana@example.com", SUBJECT).await;
    }
    let over = ask(&visitor, "ANA@example.com").await;
    over.assert_says("If an account has this address");
    mailbox.expect_nothing(&world).await;
    for n in 0..6 {
        ask(&visitor, &format!("nobody-{n}@example.com")).await.assert_says("If an account has this address");
    }
    let page = ask(&visitor, "nobody@example.com").await;
    assert_eq!(page.response.status.as_u16(), 429);
    page.assert_says("Too many messages were asked for");
    assert_eq!(page.response.header("retry-after"), "3600");
    mailbox.expect_nothing(&world).await;

    world.clock.advance(TimeDelta::hours(1));
    ask(&visitor, "ana@example.com").await.assert_says("If an account has this address");
    mailbox.expect("Ana@example.com", SUBJECT).await;
}
