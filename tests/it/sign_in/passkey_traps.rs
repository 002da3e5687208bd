//! Passkeys that are refused: wrong origins, replays, counters that go back, unknown ones, and users who were not verified.

use chrono::TimeDelta;
use itinerary_tests::authenticator::{self, Authenticator, options};
use itinerary_tests::browser::Browser;
use itinerary_tests::{Database, api_test};

use super::passkeys::{PATH, added, answered, count, expect_refused, sign_in, start};

/// Text of a page that does not change from one to the next.
fn words(text: &str) -> String {
    let (main, _) = text.split_once("data-options").unwrap_or((text, ""));
    main.split("name=\"guard\"").next().unwrap_or_default().to_owned()
}

// W-62: every refusal looks the same; none signs in.
#[api_test]
async fn forged_passkey_responses_are_refused(database: Database) {
    let Some(world) = start(database).await else { return };
    let ana = Browser::signed_up(&world, "ana").await;
    let key = added(&world, &ana, "key").await;
    let ben = Browser::signed_up(&world, "ben").await;
    let bens = added(&world, &ben, "key").await;
    let port = world.address().port();
    let other_party = Authenticator::at(&world.base_url);
    let lies = [
        ("an unknown passkey", Authenticator { user: key.user.clone(), ..other_party.clone() }),
        (
            "another key",
            Authenticator { user: key.user.clone(), credential_id: key.credential_id.clone(), ..other_party },
        ),
        ("another origin", Authenticator { origin: "https://evil.example".to_owned(), ..key.clone() }),
        ("another port", Authenticator { origin: "http://localhost:1".to_owned(), ..key.clone() }),
        ("a subdomain", Authenticator { origin: format!("http://a.localhost:{port}"), ..key.clone() }),
        ("an insecure origin", Authenticator { origin: format!("https://localhost:{port}"), ..key.clone() }),
        ("another account", Authenticator { user: bens.user.clone(), ..key.clone() }),
        ("no verification", Authenticator { verifies: false, ..key.clone() }),
    ];
    let mut seen = Vec::new();
    for (what, mut lie) in lies {
        let browser = Browser::new(&world);
        let page = sign_in(&browser, &mut lie).await;
        expect_refused(&page, &browser, what);
        seen.push(words(&page.text()));
    }
    seen.dedup();
    assert_eq!(seen.len(), 1, "{seen:?}");
    // Malformed responses.
    let browser = Browser::new(&world);
    let mut page = browser.visit("/sign-in").await;
    for nonsense in ["x", "{}", "[]", "null", "{\"id\":\"\",\"rawId\":\"\",\"type\":\"\",\"response\":{}}"] {
        let form = authenticator::form(&page, "/sign-in");
        page = browser.submit(&form, &[("credential", nonsense)]).await;
        expect_refused(&page, &browser, nonsense);
    }
    // A response to the challenge of another page, and one for another relying party.
    let mut asked = options(&page, "get");
    asked["challenge"] = options(&Browser::new(&world).visit("/sign-in").await, "get")["challenge"].clone();
    let credential = key.clone().get(&asked);
    let form = authenticator::form(&page, "/sign-in");
    page = browser.submit(&form, &[("credential", &credential)]).await;
    expect_refused(&page, &browser, "another challenge");
    let mut asked = options(&page, "get");
    asked["rpId"] = "evil.example".into();
    let credential = key.clone().get(&asked);
    page = browser.submit(&authenticator::form(&page, "/sign-in"), &[("credential", &credential)]).await;
    expect_refused(&page, &browser, "another party");
    assert_eq!(answered(&browser, &page, &mut key.clone()).await.address.path(), "/");
}

// W-63: a page is good once, in its own browser, for five minutes, for its own purpose.
#[api_test]
async fn a_response_is_good_once_in_its_own_browser(database: Database) {
    let Some(world) = start(database).await else { return };
    let ana = Browser::signed_up(&world, "ana").await;
    let mut key = added(&world, &ana, "key").await;
    let browser = Browser::new(&world);
    let page = browser.visit("/sign-in").await;
    let credential = key.get(&options(&page, "get"));
    let form = authenticator::form(&page, "/sign-in").with("credential", &credential);
    // Another browser.
    let thief = Browser::new(&world);
    let guard = thief.visit("/sign-in").await.form("/sign-in").get("guard").to_owned();
    let refused = thief.submit(&form, &[("guard", &guard)]).await;
    assert_eq!((refused.response.status.as_u16(), thief.cookie("session")), (403, None), "{}", refused.text());
    refused.assert_says("This page was out of date.");
    assert_eq!(browser.submit(&form, &[]).await.address.path(), "/");
    let replayed = browser.submit(&form, &[]).await;
    assert_eq!(replayed.response.status.as_u16(), 403, "{}", replayed.text());
    // A page for adding is none for signing in.
    let ceremony = authenticator::form(&ana.visit(PATH).await, PATH).get("ceremony").to_owned();
    let refused = browser.submit(&form, &[("ceremony", &ceremony)]).await;
    assert_eq!(refused.response.status.as_u16(), 403);
    // Five minutes.
    let late = Browser::new(&world);
    let page = late.visit("/sign-in").await;
    world.clock.advance(TimeDelta::minutes(5));
    let refused = answered(&late, &page, &mut key).await;
    assert_eq!((refused.response.status.as_u16(), late.cookie("session")), (403, None));
    assert_eq!(answered(&late, &refused, &mut key).await.address.path(), "/");
}

// W-64: a counter that does not grow shows a copy of the authenticator.
#[api_test]
async fn a_counter_that_goes_back_is_refused(database: Database) {
    let Some(world) = start(database).await else { return };
    let ana = Browser::signed_up(&world, "ana").await;
    let mut key = Authenticator { counter: 7, ..Authenticator::at(&world.base_url) };
    let page = ana.visit(PATH).await;
    let credential = key.create(&options(&page, "create"));
    let form = authenticator::form(&page, PATH);
    ana.submit(&form, &[("name", "key"), ("credential", &credential)]).await.assert_says("The passkey is added.");
    let mut copy = key.clone();
    for _ in 0..2 {
        assert_eq!(sign_in(&Browser::new(&world), &mut key).await.address.path(), "/");
    }
    for _ in 8..=9 {
        let browser = Browser::new(&world);
        expect_refused(&sign_in(&browser, &mut copy).await, &browser, "a copy");
    }
    let browser = Browser::new(&world);
    let reset = &mut Authenticator { counter: 0, ..key.clone() };
    expect_refused(&sign_in(&browser, reset).await, &browser, "without a counter");
    assert_eq!(sign_in(&Browser::new(&world), &mut key).await.address.path(), "/");
}

// A new passkey is added only if the authenticator has verified the user, and signed for this origin and this page.
#[api_test]
async fn passkeys_without_user_verification_or_from_another_origin_are_not_added(database: Database) {
    let Some(world) = start(database).await else { return };
    let ana = Browser::signed_up(&world, "ana").await;
    let honest = Authenticator::at(&world.base_url);
    let lies = [
        Authenticator { verifies: false, ..honest.clone() },
        Authenticator { origin: "https://evil.example".to_owned(), ..honest.clone() },
    ];
    let mut page = ana.visit(PATH).await;
    for mut lie in lies {
        let credential = lie.create(&options(&page, "create"));
        let form = authenticator::form(&page, PATH);
        page = ana.submit(&form, &[("name", "key"), ("credential", &credential)]).await;
        assert_eq!(page.response.status.as_u16(), 422, "{}", page.text());
        page.assert_says("The passkey could not be added");
    }
    let form = authenticator::form(&page, PATH);
    for nonsense in ["x", "{}"] {
        let page = ana.submit(&form, &[("name", "key"), ("credential", nonsense)]).await;
        assert!([403, 422].contains(&page.response.status.as_u16()), "{}", page.text());
    }
    assert_eq!(count(&world, "passkeys").await, "0");
}
