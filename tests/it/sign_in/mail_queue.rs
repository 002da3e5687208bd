//! The queue of mails: attempts, rejections, header injection, and what is left of a deleted account.

use std::time::Duration;

use chrono::TimeDelta;
use itinerary_app::accounts;
use itinerary_tests::browser::Browser;
use itinerary_tests::mailbox::Mailbox;
use itinerary_tests::{Database, World, api_test, sql};

use super::mail_address::{PATH, SUBJECT, claim, verified, world};
use super::providers::count;

/// Waits until a mail was attempted in vain.
pub(super) async fn wait_for_attempt(world: &World) {
    let now = itinerary_core::clock::Clock::now(&*world.clock).timestamp_millis();
    // A claim lasts longer than the first pause.
    let waiting = format!("mails WHERE attempts > 0 AND next_at > {now} AND next_at <= {}", now + 10_000);
    for _ in 0..1_000 {
        if count(world, &waiting).await != "0" {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("no mail was attempted");
}

/// Lets time pass, and the server look at the queue.
pub(super) fn later(world: &World, by: TimeDelta) {
    world.clock.advance(by);
    world.service().mail_due.notify_one();
}

// W-38: a mail that is not taken now is attempted again, with the same link; one that is rejected is dropped.
#[api_test]
async fn a_mail_is_attempted_again_unless_it_is_rejected(database: Database) {
    let mut mailbox = Mailbox::start().await;
    let Some(world) = world(database, &mailbox).await else { return };
    let browser = Browser::signed_up(&world, "ana").await;
    mailbox.will_reply(&["451 Try later", "550 No such user"]);
    claim(&browser, "ana@example.com").await;
    wait_for_attempt(&world).await;
    claim(&browser, "nobody@example.com").await;
    mailbox.expect_nothing(&world).await;
    claim(&browser, "ana@example.com").await;
    mailbox.expect("ana@example.com", SUBJECT).await;
    mailbox.expect_nothing(&world).await;

    // A link is not sent after its hour.
    mailbox.will_reply(&["451 Try later"]);
    claim(&browser, "ana@example.com").await;
    wait_for_attempt(&world).await;
    later(&world, TimeDelta::minutes(60));
    mailbox.expect_nothing(&world).await;
}

// W-37: no name and no address adds a header or a recipient, and HTML escapes.
#[api_test]
async fn names_add_no_headers_and_no_markup(database: Database) {
    let mut mailbox = Mailbox::start().await;
    let Some(world) = world(database, &mailbox).await else { return };
    let browser = Browser::signed_up(&world, "ana").await;
    verified(&world, &mut mailbox, &browser, "o'neil+{link}@example.com").await;
    let account = world.service().store.account_by_username("ana").await.expect("a database").expect("she is there").id;
    let name = "<img src=x onerror=alert(1)> {link} & Bcc: eve@example.com";
    world.personal_token(account, name, "itineraries:read").await;
    let letter = mailbox.expect("o'neil+{link}@example.com", "A personal access token was made").await;
    letter.assert_says(&format!("Its name is: {name}"));
    assert!(letter.html.contains("&lt;img src=x onerror=alert(1)&gt; {link} &amp; Bcc"), "{}", letter.html);
    for forbidden in ["<img", "<script", "<link", "@import", "url("] {
        assert!(!letter.html.contains(forbidden), "{forbidden}");
    }
    let (head, _) = letter.raw.split_once("\r\n\r\n").expect("an empty line");
    let names: Vec<_> = head.lines().filter(|line| !line.starts_with([' ', '\t'])).collect();
    let names: Vec<_> = names.into_iter().filter_map(|line| line.split_once(':')).map(|(name, _)| name).collect();
    for name in ["From", "To", "Subject", "Date", "Message-ID", "Auto-Submitted", "MIME-Version", "Content-Type"] {
        assert_eq!(names.iter().filter(|other| **other == name).count(), 1, "{name} in {head}");
    }
    assert_eq!(names.len(), 8, "{head}");
    assert!(letter.raw.is_ascii());
    mailbox.expect_nothing(&world).await;
}

// W-39: a deleted account leaves no address, and no mail but the one that says so.
#[api_test]
async fn a_deleted_account_leaves_the_notice_alone(database: Database) {
    let mut mailbox = Mailbox::start().await;
    let Some(world) = world(database, &mailbox).await else { return };
    let browser = Browser::signed_up(&world, "zephyrine-q7").await;
    verified(&world, &mut mailbox, &browser, "Zephyrine@mail.example").await;
    claim(&browser, "zephyrine@other.example").await;
    mailbox.expect("zephyrine@other.example", SUBJECT).await;
    // What waits is of no use any more.
    world.service().stopping.store(true, std::sync::atomic::Ordering::Relaxed);
    claim(&browser, "zephyrine@third.example").await;
    let visitor = Browser::new(&world);
    let form = visitor.visit("/forgot-password").await.form("/forgot-password");
    visitor.submit(&form, &[("email", "zephyrine@mail.example")]).await;
    assert_eq!(count(&world, "mails").await, "2");
    accounts::delete_by_username(world.service(), "zephyrine-q7").await.expect("deleted");
    assert_eq!(count(&world, "mails").await, "1");
    world.service().stopping.store(false, std::sync::atomic::Ordering::Relaxed);
    world.service().mail_due.notify_one();
    let letter = mailbox.expect("Zephyrine@mail.example", "Your account was deleted").await;
    letter.assert_says("Hello zephyrine-q7,");
    mailbox.expect_nothing(&world).await;
    accounts::erase_deleted(world.service()).await.expect("a database");
    for (table, row) in sql::dump(world.database_url()).await {
        assert!(!row.to_lowercase().contains("zephyrine"), "{table}: {row}");
    }
    // The address is free again.
    let other = Browser::signed_up(&world, "other").await;
    verified(&world, &mut mailbox, &other, "zephyrine@mail.example").await;
    other.visit(PATH).await.assert_says("zephyrine@mail.example, verified on");
}
