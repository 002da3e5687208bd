//! Notices by mail: what the owner of an account hears of.

use chrono::TimeDelta;
use itinerary_app::audit::Actor;
use itinerary_app::mails;
use itinerary_app::mails::Notice;
use itinerary_app::moderation;
use itinerary_tests::browser::Browser;
use itinerary_tests::identity_provider::{IdentityServer, Person};
use itinerary_tests::mailbox::Mailbox;
use itinerary_tests::world::PASSWORD;
use itinerary_tests::{Database, api_test};

use super::mail_address::{verified, world};
use super::providers;

const ADDRESS: &str = "ana@example.com";

// W-36: a sign-in with a browser that was not used with the account before.
#[api_test]
async fn owners_get_a_mail_about_a_sign_in_with_a_new_browser(database: Database) {
    let mut mailbox = Mailbox::start().await;
    let Some(world) = world(database, &mailbox).await else { return };
    let browser = Browser::signed_up(&world, "ana").await;
    // Without an address nobody is told.
    assert_eq!(Browser::new(&world).sign_in("ana", PASSWORD).await.address.path(), "/");
    verified(&world, &mut mailbox, &browser, ADDRESS).await;
    // The browser that signed up is known.
    let out = browser.visit("/sign-out").await.form("/sign-out");
    browser.submit(&out, &[]).await;
    assert_eq!(browser.sign_in("ana", PASSWORD).await.address.path(), "/");
    mailbox.expect_nothing(&world).await;

    let other = Browser::new(&world);
    other.sign_in("ana", "a wrong password").await;
    mailbox.expect_nothing(&world).await;
    other.sign_in("ana", PASSWORD).await;
    let letter = mailbox.expect(ADDRESS, "New sign-in to your account").await;
    letter.assert_says("an unknown browser");
    assert_eq!(letter.link(&world), "/account/password");
    let known = other.cookie("known").expect("the browser is known now");
    let out = other.visit("/sign-out").await.form("/sign-out");
    other.submit(&out, &[]).await;
    other.sign_in("ana", PASSWORD).await;
    mailbox.expect_nothing(&world).await;

    // Another account's browser is not known, nor one with an invented cookie; a browser is known to several accounts.
    let ben = Browser::signed_up(&world, "ben").await;
    let of_ben = ben.cookie("known").expect("a cookie");
    for (planted, is_told) in [(of_ben.as_str(), true), ("x.y", true), (&format!("{of_ben}.{known}"), false)] {
        let browser = Browser::new(&world);
        browser.plant(&format!("known={planted}; Path=/"));
        browser.sign_in("ana", PASSWORD).await;
        if is_told {
            mailbox.expect(ADDRESS, "New sign-in to your account").await;
        }
        mailbox.expect_nothing(&world).await;
    }
}

// W-36: a new password, a token, and one that expires soon.
#[api_test]
async fn owners_get_mails_about_a_new_password_and_tokens(database: Database) {
    let mut mailbox = Mailbox::start().await;
    let Some(world) = world(database, &mailbox).await else { return };
    let browser = Browser::signed_up(&world, "ana").await;
    verified(&world, &mut mailbox, &browser, ADDRESS).await;
    let form = browser.visit("/account/password").await.form("/account/password").without("end_apps");
    let typed = [("current", PASSWORD), ("password", "a new pass phrase")];
    assert_eq!(browser.submit(&form, &typed).await.address.path(), "/account");
    mailbox.expect(ADDRESS, "Your password was changed").await.assert_says("On 10 January 2027, 12:00 UTC,");

    let account = world.service().store.account_by_username("ana").await.expect("a database").expect("she is there").id;
    world.personal_token(account, "Nightly backup", "itineraries:read").await;
    let letter = mailbox.expect(ADDRESS, "A personal access token was made").await;
    letter.assert_says("Its name is: Nightly backup");
    assert_eq!(letter.link(&world), "/account/tokens");
    let noted = async || mails::note_expiring_tokens(world.service()).await.expect("a database");
    assert_eq!(noted().await, 0);
    world.clock.advance(TimeDelta::days(23));
    assert_eq!(noted().await, 1);
    let letter = mailbox.expect(ADDRESS, "A personal access token expires soon").await;
    letter.assert_says("expires on 9 February 2027, 12:00 UTC. Its name is: Nightly backup");
    assert_eq!(noted().await, 0, "once");
    // One that was made for a few days is not told of.
    let now = itinerary_core::clock::Clock::now(&*world.clock);
    let short = itinerary_app::personal_tokens::create(
        world.service(),
        account,
        None,
        "Short",
        "itineraries:read",
        now + TimeDelta::days(3),
    );
    short.await.expect("a token");
    mailbox.expect(ADDRESS, "A personal access token was made").await;
    assert_eq!(noted().await, 0);
    mailbox.expect_nothing(&world).await;
}

// W-36: ways to sign in that are added and removed.
#[api_test]
async fn owners_get_mails_about_sign_in_methods(database: Database) {
    let mut mailbox = Mailbox::start().await;
    let provider = IdentityServer::start().await;
    let Some(world) = providers::world_with(database, &provider, |config| mailbox.configure(config)).await else {
        return;
    };
    let browser = Browser::signed_up(&world, "ana").await;
    verified(&world, &mut mailbox, &browser, ADDRESS).await;
    let methods = "/account/sign-in-methods";
    let forms = browser.visit(methods).await.forms(methods);
    let page = browser.submit(&forms[0].clone().with("link", "acme"), &[]).await;
    let to = page.left_for.unwrap_or_else(|| panic!("it stays: {}", page.response.text()));
    let page = browser.visit(provider.sign_in(&to, &Person::new("ana-at-acme")).as_str()).await;
    page.assert_says("The account is linked.");
    let letter = mailbox.expect(ADDRESS, "A way to sign in was added").await;
    assert_eq!(letter.link(&world), methods);
    let id = page
        .text()
        .split_once("name=\"unlink\" value=\"")
        .expect("a button")
        .1
        .split('"')
        .next()
        .unwrap_or_default()
        .to_owned();
    let forms = page.forms(methods);
    browser.submit(&forms[0].clone().with("unlink", &id), &[]).await.assert_says("The account is not linked any more.");
    mailbox.expect(ADDRESS, "A way to sign in was removed").await;
    mailbox.expect_nothing(&world).await;

    // The call for other ways, by any caller.
    let account = world.service().store.account_by_username("ana").await.expect("a database").expect("she is there").id;
    mails::notify(world.service(), account, Notice::MethodAdded { name: "Passkey “Phone”" }).await;
    mailbox.expect(ADDRESS, "A way to sign in was added").await.assert_says("added to your account: Passkey “Phone”");
}

// W-36: what moderators write, and a suspension.
#[api_test]
async fn owners_get_mails_about_warnings_and_suspensions(database: Database) {
    let mut mailbox = Mailbox::start().await;
    let Some(world) = world(database, &mailbox).await else { return };
    let browser = Browser::signed_up(&world, "ana").await;
    verified(&world, &mut mailbox, &browser, ADDRESS).await;
    let (service, by) = (world.service(), Actor::Operator);
    let ana = service.store.account_by_username("ana").await.expect("a database").expect("she is there");
    moderation::warn(service, ana.id, "No {link} <ads>,\nplease.", by).await.expect("warned");
    let letter = mailbox.expect(ADDRESS, "A moderator wrote to you").await;
    letter.assert_says("No {link} <ads>,\nplease.");
    assert_eq!(letter.link(&world), "/account");
    moderation::suspend(service, &ana, "Advertising.", by).await.expect("suspended");
    let letter = mailbox.expect(ADDRESS, "Your account was suspended").await;
    letter.assert_says("Advertising.");
    assert_eq!(letter.link(&world), "/sign-in");
    moderation::suspend(service, &ana, "Another reason.", by).await.expect("suspended");
    mailbox.expect_nothing(&world).await;
}
