//! Changing one's own password.

use chrono::TimeDelta;
use itinerary_tests::browser::{Browser, Page};
use itinerary_tests::world::PASSWORD;
use itinerary_tests::{World, api_test};

use super::{App, expect_alive, expect_ended, expect_marked};

const PATH: &str = "/account/password";
const NEW: &str = "another horse entirely";

async fn change(browser: &Browser, current: &str, new: &str) -> Page {
    let form = browser.visit(PATH).await.form(PATH);
    // Unchecked boxes are not sent.
    browser.submit(&form.without("end_apps"), &[("current", current), ("password", new)]).await
}

async fn is_signed_in(browser: &Browser) -> bool {
    browser.visit("/account").await.address.path() == "/account"
}

#[api_test]
async fn a_new_password_ends_other_sessions_and_leaves_apps(world: World) {
    let here = Browser::signed_up(&world, "ana").await;
    let there = Browser::new(&world);
    there.sign_in("ana", PASSWORD).await;
    let tokens = App::public(&world).await.connect(&here).await;
    let former = here.cookie("session").expect("a session");
    let page = change(&here, PASSWORD, NEW).await;
    assert_eq!(page.address.path(), "/account");
    page.assert_says("Your password is changed.");
    assert!(is_signed_in(&here).await && !is_signed_in(&there).await);
    let thief = Browser::new(&world);
    thief.plant(&format!("session={former}"));
    assert!(!is_signed_in(&thief).await, "the session is a new one here too");
    expect_alive(&world, &tokens.access_token).await;
    assert_eq!(Browser::new(&world).sign_in("ana", PASSWORD).await.response.status, 422);
    assert_eq!(Browser::new(&world).sign_in("ana", NEW).await.address.path(), "/");
}

#[api_test]
async fn connected_apps_end_too_if_that_is_asked_for(world: World) {
    let browser = Browser::signed_up(&world, "ana").await;
    let app = App::public(&world).await;
    let tokens = app.connect(&browser).await;
    let code = app.code(&browser).await;
    let form = browser.visit(PATH).await.form(PATH);
    let typed = [("current", PASSWORD), ("password", NEW), ("end_apps", "yes")];
    assert_eq!(browser.submit(&form, &typed).await.address.path(), "/account");
    expect_ended(&world, &tokens.access_token).await;
    assert_eq!(app.redeem(&code).await.status, 400, "a code that was not redeemed yet");
    browser.visit("/account").await.assert_says("None yet");
}

#[api_test]
async fn changing_the_password_requires_the_current_one(world: World) {
    let browser = Browser::signed_up(&world, "ana").await;
    let session = browser.cookie("session");
    for (current, new, words) in [
        ("not the password", NEW, "This is not your current password."),
        ("", NEW, "This is not your current password."),
        (PASSWORD, "short12", "Use 8 to 200 characters."),
        (PASSWORD, "password1", "Many people use this password"),
    ] {
        let page = change(&browser, current, new).await;
        assert_eq!((page.response.status.as_u16(), page.address.path()), (422, PATH));
        page.assert_says(words);
        let wrong = if current == PASSWORD { "password" } else { "current" };
        expect_marked(&page, wrong);
        assert!(!page.text().contains(NEW) && !page.text().contains("short12"), "a password is never sent back");
    }
    let form = browser.visit(PATH).await.form(PATH);
    let typed = [("current", PASSWORD), ("password", NEW)];
    assert_eq!(browser.submit(&form.clone().with("guard", "forged"), &typed).await.response.status, 403);
    // Without a session nothing is changed.
    let page = Browser::new(&world).submit(&form, &typed).await;
    assert_eq!(page.address.path(), "/sign-in");
    assert_eq!(browser.cookie("session"), session);
    assert_eq!(Browser::new(&world).sign_in("ana", PASSWORD).await.address.path(), "/");
}

// Someone at another person's open browser cannot guess without limit.
#[api_test]
async fn guesses_are_counted_like_those_of_a_sign_in(world: World) {
    let browser = Browser::signed_up(&world, "ana").await;
    for n in 0..10 {
        assert_eq!(change(&browser, &format!("guess {n}"), NEW).await.response.status, 422, "{n}");
    }
    let page = change(&browser, PASSWORD, NEW).await;
    assert_eq!(page.response.status, 429);
    assert!(!page.response.header("retry-after").is_empty());
    assert_eq!(Browser::new(&world).sign_in("ana", PASSWORD).await.response.status, 429);
    world.clock.advance(TimeDelta::seconds(60));
    assert_eq!(change(&browser, PASSWORD, NEW).await.address.path(), "/account");
}

#[api_test]
async fn one_of_several_concurrent_password_changes_succeeds(world: World) {
    let browser = Browser::signed_up(&world, "ana").await;
    let form = browser.visit(PATH).await.form(PATH);
    let changes = (0..4).map(|n| {
        let (browser, form) = (&browser, form.clone().without("end_apps"));
        async move {
            let password = format!("{NEW} {n}");
            let call = browser.post(&form, &[("current", PASSWORD), ("password", &password)]);
            (call.send().await, password)
        }
    });
    let responses = futures::future::join_all(changes).await;
    let won: Vec<_> =
        responses.iter().filter(|(response, _)| response.header("location") == "/account?password=changed").collect();
    assert_eq!(won.len(), 1);
    assert_eq!(Browser::new(&world).sign_in("ana", &won[0].1).await.address.path(), "/");
}
