//! The pages of moderators: who sees them, verdicts, warnings, suspensions and invitations.

use itinerary_app::accounts;
use itinerary_platform::settings::{Config, SignUpMode};
use itinerary_tests::app::{App, Stored};
use itinerary_tests::bodies::{minimal, with};
use itinerary_tests::browser::Browser;
use itinerary_tests::world::PASSWORD;
use itinerary_tests::{Database, World, api_test};
use reqwest::Method;
use serde_json::json;

use super::{account, moderator};
use crate::explore::shown;

/// A public trip of Ana's that Ben has reported.
async fn reported(world: &World) -> (Browser, Stored) {
    let browser = Browser::signed_up(world, "ana").await;
    let ana = App::of(world, "ana").await;
    let body = with(minimal(), json!({ "title": "Cheap <watches>", "summary": "Buy at example.com" }));
    let trip = shown(&ana, &body, "public").await;
    let ben = App::of(world, "ben").await;
    let report = json!({ "reason": "spam", "note": "Sells watches" });
    let filed = ben.call(Method::POST, &format!("/v1/itineraries/{}/reports", trip.id)).json(&report).send().await;
    assert_eq!(filed.status, 201, "{}", filed.text());
    (browser, trip)
}

// W-53: nobody but a moderator learns that the pages exist.
#[api_test(limits = false)]
async fn only_moderators_see_the_pages(world: World) {
    let (browser, trip) = reported(&world).await;
    let one = format!("/moderation/itineraries/{}", trip.id);
    for path in ["/moderation", &one, "/moderation/invitations"] {
        assert_eq!(Browser::new(&world).visit(path).await.address.path(), "/sign-in", "{path}");
        let page = browser.visit(path).await;
        assert_eq!(page.response.status, 404, "{path}");
        page.assert_says("Page not found");
        let posted = browser.call(Method::POST, path).form(&[("do", "hide"), ("unsuspend", "x")]).send().await;
        assert_eq!(posted.status, 404, "{path}");
    }
    let reviewer = moderator(&world, "mod").await;
    reviewer.visit("/account").await.assert_says("/moderation");
    assert_eq!(reviewer.visit("/moderation/itineraries/no-id").await.response.status, 404);
    assert_eq!(reviewer.visit("/moderation/invitations").await.response.status, 404, "sign-up is open");
    itinerary_app::moderation::set_moderator(world.service(), &account(&world, "mod").await, false).await.expect("set");
    assert_eq!(reviewer.visit("/moderation").await.response.status, 404, "at once");
}

// W-54: a moderator sees what was reported, and keeps or hides it.
#[api_test(limits = false)]
async fn a_verdict_closes_the_reports(world: World) {
    let (_, trip) = reported(&world).await;
    let reviewer = moderator(&world, "mod").await;
    let queue = reviewer.visit("/moderation").await;
    queue.assert_says("One report is open.");
    queue.assert_says("Cheap <watches>");
    let path = format!("/moderation/itineraries/{}", trip.id);
    let page = reviewer.visit(&path).await;
    for words in ["Sells watches", "Buy at example.com", "by <bdi>ben</bdi>"] {
        page.assert_says(words);
    }
    let form = page.forms(&path).remove(0);
    assert_eq!(reviewer.submit(&form, &[("guard", "forged"), ("do", "hide")]).await.response.status, 403);
    assert_eq!(reviewer.submit(&form, &[("do", "nothing")]).await.response.status, 400);
    let done = reviewer.submit(&form, &[("do", "hide")]).await;
    done.assert_says("The itinerary is hidden from Explore, and its reports are closed.");
    done.assert_says("No report is open.");
    done.assert_says("mod, moderator");
    assert_eq!(world.call(Method::GET, &format!("/trips/{}", trip.id)).send().await.status, 303, "hidden");
    assert_eq!(reviewer.submit(&form, &[("do", "keep")]).await.response.status, 404, "nothing is left to decide");
}

// W-55: a warning is shown until it is dismissed, by its owner alone.
#[api_test(limits = false)]
async fn a_warning_is_shown_until_it_is_dismissed(world: World) {
    let (browser, trip) = reported(&world).await;
    let reviewer = moderator(&world, "mod").await;
    let path = format!("/moderation/itineraries/{}", trip.id);
    let form = reviewer.visit(&path).await.forms(&path).remove(1);
    for message in ["", "a\u{200b}b", &"x".repeat(1_001)] {
        let page = reviewer.submit(&form, &[("do", "warn"), ("message", message)]).await;
        assert_eq!(page.response.status, 422);
    }
    let page = reviewer.submit(&form, &[("do", "warn"), ("message", "No <ads>,\nplease.")]).await;
    page.assert_says("The owner sees your warning on their account page.");
    let account = browser.visit("/account").await;
    account.assert_says("No <ads>,\nplease.");
    let dismiss = account.form("/account");
    let id = account.text().split_once("name=\"dismiss\" value=\"").expect("a button").1[..36].to_owned();
    // Another's form does nothing.
    let other = Browser::signed_up(&world, "eve").await;
    other.submit(&dismiss, &[("dismiss", &id)]).await;
    browser.submit(&dismiss, &[("dismiss", &id), ("guard", "forged")]).await;
    browser.visit("/account").await.assert_says("A moderator wrote to you");
    let account = browser.submit(&dismiss, &[("dismiss", &id)]).await;
    assert!(!account.text().contains("A moderator wrote to you"), "{}", account.text());
    browser.visit("/account/security-log").await.assert_says("Warning by a moderator");
    assert!(!browser.visit("/account/security-log").await.text().contains("mod,"), "moderators are not named");
}

// W-56: a moderator suspends the owner; not another moderator.
#[api_test(limits = false)]
async fn a_moderator_suspends_travellers_and_no_moderators(world: World) {
    let (browser, trip) = reported(&world).await;
    let reviewer = moderator(&world, "mod").await;
    let path = format!("/moderation/itineraries/{}", trip.id);
    let form = reviewer.visit(&path).await.forms(&path).remove(1);
    let ana = account(&world, "ana").await;
    itinerary_app::moderation::set_moderator(world.service(), &ana, true).await.expect("appointed");
    let refused = reviewer.submit(&form, &[("do", "suspend"), ("message", "Spam")]).await;
    assert_eq!(refused.response.status, 403);
    assert_eq!(browser.visit("/account").await.response.status, 200);
    itinerary_app::moderation::set_moderator(world.service(), &ana, false).await.expect("dismissed");

    let done = reviewer.submit(&form, &[("do", "suspend"), ("message", "Spam")]).await;
    done.assert_says("The account is suspended.");
    done.assert_says("No report is open.");
    assert_eq!(browser.visit("/account").await.address.path(), "/sign-in");
    let page = Browser::new(&world).sign_in("ana", PASSWORD).await;
    assert_eq!(page.response.status, 403);
    page.assert_says("Spam");
}

/// A moderator does not decide about an itinerary of their own.
#[api_test(limits = false)]
async fn a_moderator_does_not_judge_their_own_itinerary(world: World) {
    let (browser, trip) = reported(&world).await;
    let ana = account(&world, "ana").await;
    itinerary_app::moderation::set_moderator(world.service(), &ana, true).await.expect("appointed");
    let path = format!("/moderation/itineraries/{}", trip.id);
    let form = browser.visit(&path).await.forms(&path).remove(0);
    let page = browser.submit(&form, &[("do", "keep")]).await;
    assert_eq!(page.response.status, 403);
    page.assert_says("Another moderator decides.");
}

#[api_test]
async fn moderators_invite_people(database: Database) {
    let by_invitation = |config: &mut Config| config.sign_in.sign_up = SignUpMode::Invite;
    let Some(world) = World::start_with(database, by_invitation).await else { return };
    accounts::create(world.service(), "mod", "Mod", PASSWORD).await.expect("created");
    let reviewer = account(&world, "mod").await;
    itinerary_app::moderation::set_moderator(world.service(), &reviewer, true).await.expect("appointed");
    let browser = Browser::new(&world);
    browser.sign_in("mod", PASSWORD).await;
    let path = "/moderation/invitations";
    let form = browser.visit(path).await.form(path);
    let wrong = browser.submit(&form, &[("note", "a\u{202e}b")]).await;
    assert_eq!(wrong.response.status, 422);
    let made = browser.submit(&form, &[("note", "For Fay")]).await;
    let text = made.text();
    let secret = text.split_once("/sign-up?invitation=").expect("an address").1;
    let invitation = format!("/sign-up?invitation={}", secret.split_once('<').expect("its end").0);
    made.assert_says("For Fay");
    browser.visit("/moderation").await.assert_says("Invitation made");
    let newcomer = Browser::new(&world);
    assert_eq!(newcomer.visit("/sign-up").await.forms("/sign-up").len(), 0);
    let form = newcomer.visit(&invitation).await.form("/sign-up");
    // One of a moderator who is dismissed does not work any more.
    let again = browser.submit(&browser.visit(path).await.form(path), &[("note", "For Gil")]).await.text();
    let other =
        again.split_once("/sign-up?invitation=").expect("an address").1.split_once('<').expect("its end").0.to_owned();
    let typed = [("username", "fay"), ("display_name", "Fay"), ("password", PASSWORD)];
    assert_eq!(newcomer.submit(&form, &typed).await.address.path(), "/");
    itinerary_app::moderation::set_moderator(world.service(), &reviewer, false).await.expect("dismissed");
    let late = Browser::new(&world).visit(&format!("/sign-up?invitation={other}")).await;
    assert_eq!(late.forms("/sign-up").len(), 0, "{}", late.text());
}
