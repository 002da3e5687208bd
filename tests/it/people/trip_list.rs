//! `/trips`: the page of all one's trips.

use chrono::{Days, NaiveDate, TimeDelta};
use itinerary_sdk::types::MemberRole::Viewer;
use itinerary_tests::bodies::{minimal, to, with};
use itinerary_tests::browser::{Browser, Page};
use itinerary_tests::world::PASSWORD;
use itinerary_tests::{World, api_test};
use serde_json::{Value, json};

use super::Person;

const PAGE: &str = "/trips";

async fn signed_in(world: &World, name: &str) -> Browser {
    let browser = Browser::new(world);
    assert_eq!(browser.sign_in(name, PASSWORD).await.address.path(), "/");
    browser
}

/// A body with a title and three days from this date.
fn from(date: &str, title: &str) -> Value {
    with(minimal(), json!({ "title": title, "startDate": date, "days": [{}, {}, {}] }))
}

/// The headings and the titles of the trips, in order.
fn listed(page: &Page) -> Vec<String> {
    let text = page.text();
    let parts = text.split("class=\"group\">").skip(1);
    let parts = parts.flat_map(|group| {
        let heading = group.split('<').next().unwrap_or_default().to_owned();
        let titles = group.split("<strong><bdi>").skip(1);
        let titles = titles.map(|title| title.split('<').next().unwrap_or_default().to_owned());
        std::iter::once(format!("{heading}:")).chain(titles).collect::<Vec<_>>()
    });
    parts.collect()
}

#[api_test(limits = false)]
async fn trips_are_grouped_by_when_they_take_place(world: World) {
    let ana = Person::of(&world, "ana").await;
    let browser = signed_in(&world, "ana").await;
    let page = browser.visit(PAGE).await;
    page.assert_says("You have no trips yet.");
    // The tests' clock begins on 10 January 2027.
    for (date, title) in [
        ("2027-03-01", "in March"),
        ("2026-05-01", "last May"),
        ("2027-01-08", "ends today"),
        ("2027-01-10", "begins today"),
        ("2027-01-11", "tomorrow"),
        ("2026-12-30", "last month"),
        ("2027-01-07", "until yesterday"),
    ] {
        ana.app.created(&from(date, title)).await;
    }
    let page = browser.visit(PAGE).await;
    let expected = [
        "Now:",
        "ends today",
        "begins today",
        "Next:",
        "tomorrow",
        "in March",
        "Past:",
        "until yesterday",
        "last month",
        "last May",
    ];
    assert_eq!(listed(&page), expected, "{}", page.text());
    page.assert_says("8 – 10 January 2027 · <bdi>Lisbon</bdi>");
    assert!(!page.text().contains("further pages") && !page.text().contains("?after="));
}

#[api_test]
async fn today_is_the_date_at_the_destination(world: World) {
    let ana = Person::of(&world, "ana").await;
    // At noon in UTC it is 01:00 of the next day in Auckland.
    let auckland = with(to("Auckland", -36.8485, 174.7633), json!({ "title": "Auckland", "startDate": "2027-01-11" }));
    let lisbon = with(minimal(), json!({ "title": "Lisbon", "startDate": "2027-01-11" }));
    let zone = ana.app.created(&auckland).await.json["destination"]["timeZone"].clone();
    assert_eq!(zone, "Pacific/Auckland");
    ana.app.created(&lisbon).await;
    let page = signed_in(&world, "ana").await.visit(PAGE).await;
    assert_eq!(listed(&page), ["Now:", "Auckland", "Next:", "Lisbon"]);
}

#[api_test]
async fn shared_trips_name_their_owner_and_invitations_are_announced(world: World) {
    let (ana, ben) = (Person::of(&world, "ana").await, Person::of(&world, "ben").await);
    let browser = signed_in(&world, "ben").await;
    let shared = ana.app.created(&from("2027-03-01", "Shared <b>")).await;
    let own = ben.app.created(&from("2027-04-01", "Own")).await;
    let hidden = ana.app.created(&from("2027-05-01", "Hidden")).await;
    ana.share(&shared, ben.id, Viewer).await.expect("a traveller");
    let page = browser.visit(PAGE).await;
    assert_eq!(listed(&page), ["Next:", "Own"], "not before it is accepted");
    page.assert_says("You have an invitation to a trip. <a href=\"/account/invitations\">");
    assert!(!page.text().contains("Shared by"));
    ben.accepts(&shared).await;
    let page = browser.visit(PAGE).await;
    assert_eq!(listed(&page), ["Next:", "Shared &#60;b&#62;", "Own"]);
    page.assert_says("Shared by <bdi>ana</bdi> · Private");
    assert!(!page.text().contains("invitation to a trip") && !page.text().contains(&hidden.id));
    for (visibility, words) in
        [("followers", "Followers"), ("unlisted", "Anyone with the link"), ("public", "Public"), ("private", "Private")]
    {
        ben.moves(&ben.app.viewed(&own.id).await, visibility).await;
        browser.visit(PAGE).await.assert_says(&format!("<span>{words}</span>"));
    }
    browser.visit(&format!("{PAGE}/{}", shared.id)).await.assert_says("Shared <b>");
    assert_eq!(ben.unshare(&shared, ben.id).await.ok(), Some(()));
    assert_eq!(listed(&browser.visit(PAGE).await), ["Next:", "Own"]);
}

#[api_test(limits = false)]
async fn every_trip_can_be_reached_over_further_pages(world: World) {
    let ana = Person::of(&world, "ana").await;
    // The trip that changed first, which only the second page has, is the only past one.
    let first_day: NaiveDate = "2026-12-01".parse().expect("a date");
    for n in 0..=200_u64 {
        let date = first_day + Days::new(if n == 0 { 0 } else { 60 + n });
        ana.app.created(&from(&date.to_string(), &format!("Trip {n}"))).await;
        world.clock.advance(TimeDelta::seconds(1));
    }
    let browser = signed_in(&world, "ana").await;
    let first = browser.visit(PAGE).await;
    assert_eq!(listed(&first).len(), 1 + 200);
    first.assert_says("You have many trips.");
    let text = first.text();
    let (_, more) = text.split_once("href=\"/trips?after=").expect("a further page");
    let more = format!("{PAGE}?after={}", more.split('"').next().expect("its end"));
    let second = browser.visit(&more).await;
    assert_eq!(listed(&second), ["Past:", "Trip 0"]);
    assert!(!second.text().contains("?after=") && second.text().contains("href=\"/trips\">Newest"));
    // Another account's position shows its own first page.
    Person::of(&world, "ben").await;
    signed_in(&world, "ben").await.visit(&more).await.assert_says("You have no trips yet.");
}
