//! The start page: a trip of Explore for visitors; for travellers the trip that runs or is next, and the newest.

use chrono::TimeDelta;
use itinerary_app::audit::Actor;
use itinerary_app::reports;
use itinerary_tests::app::{App, Stored};
use itinerary_tests::bodies::{minimal, with};
use itinerary_tests::browser::Browser;
use itinerary_tests::{World, api_test};
use reqwest::Method;
use serde_json::json;

use super::page_of;
use crate::explore::{account, published, shown};

async fn like(app: &App<'_>, id: &str) {
    let liked = app.call(Method::PUT, &format!("/v1/itineraries/{id}/like")).send().await;
    assert_eq!(liked.status, 200, "{}", liked.text());
}

/// The trip that a visitor is shown.
async fn favourite(world: &World) -> Option<String> {
    let text = Browser::new(world).visit("/").await.text();
    let (_, rest) = text.split_once("A trip on this server")?;
    Some(rest.split("href=\"/trips/").nth(1)?.split('"').next()?.to_owned())
}

async fn starting(app: &App<'_>, title: &str, date: &str) -> Stored {
    app.created(&with(minimal(), json!({ "title": title, "startDate": date, "days": [{}, {}] }))).await
}

#[api_test(limits = false)]
async fn visitors_see_the_most_liked_trip_of_explore(world: World) {
    let nobody = Browser::new(&world).visit("/").await.text();
    assert!(nobody.contains("One place for every journey") && !nobody.contains("/trips/"), "{nobody}");
    let (ana, ben) = (App::of(&world, "ana").await, App::of(&world, "ben").await);
    let public = |title: &str, date: &str| with(minimal(), json!({ "title": title, "startDate": date }));
    // What is not in Explore is not shown, however liked.
    for (date, visibility) in [("2027-03-01", "unlisted"), ("2027-03-02", "followers"), ("2027-03-03", "private")] {
        let hidden = shown(&ana, &public("Hidden", date), visibility).await;
        like(&ana, &hidden.id).await;
    }
    assert_eq!(favourite(&world).await, None);
    let one = published(&ana, &public("<b>One</b>", "2027-04-01")).await;
    assert_eq!(favourite(&world).await.as_ref(), Some(&one.id));
    let two = published(&ben, &public("Two", "2027-04-02")).await;
    like(&ana, &two.id).await;
    assert_eq!(favourite(&world).await.as_ref(), Some(&two.id));
    let three = published(&App::of(&world, "gone").await, &public("Three", "2027-04-03")).await;
    for app in [&ana, &ben] {
        like(app, &three.id).await;
    }
    assert_eq!(favourite(&world).await.as_ref(), Some(&three.id));
    // Deleted with its account, hidden by moderation, and unpublished: each at once.
    world.sql("UPDATE accounts SET deleted_at = 1 WHERE username = 'gone'").await;
    assert_eq!(favourite(&world).await.as_ref(), Some(&two.id));
    let service = world.service();
    let hide = reports::resolve(service, two.id.parse().expect("a UUID"), true, Actor::Operator);
    hide.await.expect("a database");
    assert_eq!(favourite(&world).await.as_ref(), Some(&one.id));
    let text = Browser::new(&world).visit("/").await.text();
    let cover = ana.viewed(&one.id).await.json["coverImage"]["url"].as_str().expect("a cover").to_owned();
    let picture = cover.rsplit('/').next().expect("an id");
    for part in [
        "&#60;b&#62;One&#60;/b&#62;",
        "<bdi>Lisbon</bdi> · 1 April 2027",
        "by <bdi>ana</bdi>",
        &format!("<img src=\"/images/{picture}\" alt=\"\">"),
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    ana.patched(&ana.viewed(&one.id).await, &json!({ "visibility": "private" })).await;
    assert_eq!(favourite(&world).await, None);
}

#[api_test(limits = false)]
async fn the_trip_that_runs_or_is_next_comes_first(world: World) {
    let ana = Browser::signed_up(&world, "ana").await;
    let app = App::of(&world, "ana").await;
    assert!(ana.visit("/").await.text().contains("You have no itineraries yet."));
    // The tests' clock begins on 10 January 2027 at noon.
    let past = starting(&app, "Past", "2026-12-01").await;
    assert!(!ana.visit("/").await.text().contains("upcoming"), "a trip that is over is not ahead");
    let far = starting(&app, "Far", "2027-06-01").await;
    let next = starting(&app, "Next", "2027-01-11").await;
    let page = ana.visit("/").await;
    page.assert_says("Starts tomorrow");
    let text = page.text();
    let at = |id: &str| text.find(&format!("<a href=\"{}\">", page_of(id))).unwrap_or_else(|| panic!("{id} in {text}"));
    assert!(at(&next.id) < at(&far.id) && at(&next.id) < at(&past.id));
    assert_eq!(text.matches(&page_of(&next.id)).count(), 1, "once");
    assert!(text.contains("/small\" alt=\"\" width=\"64\""), "covers are small pictures: {text}");
    // Shared trips count, once they are accepted.
    let ben = App::of(&world, "ben").await;
    let shared = starting(&ben, "Shared", "2027-01-09").await;
    assert!(!ana.visit("/").await.text().contains("Shared"));
    world.member(&shared.id, account(&world, "ana").await, "viewer").await;
    let page = ana.visit("/").await;
    page.assert_says("Now: day 2 of 2");
    assert!(page.text().contains("shared by <bdi>ben</bdi>"), "{}", page.text());
    world.clock.advance(TimeDelta::hours(12));
    ana.visit("/").await.assert_says("Now: day 1 of 2");
    world.clock.advance(TimeDelta::days(2));
    ana.visit("/").await.assert_says("Starts in 139 days");
}

#[api_test]
async fn a_library_of_many_past_trips_still_finds_the_next(world: World) {
    let ana = Browser::signed_up(&world, "ana").await;
    let app = App::of(&world, "ana").await;
    for day in 1..=12 {
        starting(&app, "Past", &format!("2026-11-{day:02}")).await;
    }
    let long = with(minimal(), json!({ "title": "Long", "startDate": "2026-12-01", "days": vec![json!({}); 60] }));
    let long = app.created(&long).await;
    starting(&app, "Next", "2027-02-01").await;
    let page = ana.visit("/").await;
    page.assert_says("Now: day 41 of 60");
    assert_eq!(page.text().matches(&page_of(&long.id)).count(), 1);
}
