//! The page of connected apps: pages, and telling apps apart.

use chrono::TimeDelta;
use itinerary_tests::browser::{Browser, Page};
use itinerary_tests::{World, api_test};
use serde_json::json;

use super::App;

/// The grants in the forms of a page.
fn grants(page: &Page) -> Vec<String> {
    page.forms("/account/apps").iter().map(|form| form.get("grant").to_owned()).collect()
}

/// The link to the next page.
fn older(page: &Page) -> Option<String> {
    let text = page.text();
    let before = text.split_once("\">Older</a>")?.0.to_owned();
    Some(before.rsplit_once("href=\"").expect("a link").1.replace("&#38;", "&"))
}

#[api_test(limits = false)]
async fn many_connected_apps_come_in_pages(world: World) {
    let browser = Browser::signed_up(&world, "ana").await;
    for n in 0..3 {
        let app = App::registered(&world, json!({ "client_name": "x".repeat(100), "scope": "itineraries:read" })).await;
        for _ in 0..15 {
            app.connect(&browser).await;
        }
        world.clock.advance(TimeDelta::minutes(n));
    }
    let mut page = browser.visit("/account/apps").await;
    page.assert_says("45 connections, the newest first.");
    let mut seen = grants(&page);
    assert_eq!(seen.len(), 20);
    assert!(page.text().len() < 60_000, "{} bytes", page.text().len());
    let second = older(&page).expect("there are more");
    while let Some(next) = older(&page) {
        page = browser.visit(&next).await;
        seen.extend(grants(&page));
    }
    assert_eq!(seen.len(), 45);
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen.len(), 45, "each once");
    // Another person's link, or a made-up one, leads to one's own first page.
    let bob = Browser::signed_up(&world, "bob").await;
    bob.visit(&second).await.assert_says("No app is connected");
    for after in ["x", "", "%00"] {
        assert_eq!(grants(&browser.visit(&format!("/account/apps?after={after}")).await).len(), 20);
    }
}

#[api_test]
async fn apps_of_one_name_are_told_apart(world: World) {
    let browser = Browser::signed_up(&world, "ana").await;
    let first = App::public(&world).await;
    let other = json!({ "redirect_uris": ["https://b.example/cb", "https://a.example/cb"] });
    let other = App::registered(&world, other).await;
    let tokens = first.connect(&browser).await;
    let there = [("redirect_uri", "https://a.example/cb"), ("scope", "documents:read")];
    let code = other.code_with(&browser, &there).await;
    assert_eq!(other.redemption(&code, &there[..1]).send().await.status, 200);
    world.clock.advance(TimeDelta::days(3));
    first.renewed(&tokens.refresh_token).await;
    let page = browser.visit("/account/apps").await;
    let text = page.text();
    let cards: Vec<_> = text.split("<li class=\"card\">").skip(1).collect();
    assert_eq!(cards.len(), 2);
    let says = |card: &str, words: &[&str]| words.iter().all(|words| card.contains(words));
    let (first, other) = if cards[0].contains("app.example") { (cards[0], cards[1]) } else { (cards[1], cards[0]) };
    assert!(says(first, &["Trip Notes", "app.example", "Create and change your itineraries"]), "{first}");
    assert!(
        says(
            first,
            &[
                "Connected on</dt><dd><time datetime=\"2027-01-10\"",
                "Last used on</dt><dd><time datetime=\"2027-01-13\""
            ]
        ),
        "{first}"
    );
    assert!(says(other, &["Trip Notes", "a.example, b.example", "See your documents"]), "{other}");
    assert!(!other.contains("Create and change") && !other.contains("13 January"), "{other}");
}
