//! Moderation: enough reports hide an itinerary from Explore until an operator has reviewed it, and the verdict is
//! permanent.

use chrono::TimeDelta;
use futures::future::join_all;
use itinerary_app::audit::Actor;
use itinerary_app::reports::resolve;
use itinerary_tests::app::{App, Stored, path};
use itinerary_tests::bodies::{minimal, on_day, with};
use itinerary_tests::{World, api_test};
use reqwest::Method;
use serde_json::json;

use super::{changed, deleted, marks, report_call, reported, rows, saved, seen, set};
use crate::explore::{account, follow, found, page, published, shown};

/// The age from which an account's reports count.
fn week() -> TimeDelta {
    TimeDelta::days(7)
}

/// Travellers who signed up a week ago and have followed people, so that their reports count. Other tokens expire in the
/// meantime.
async fn old_hands<'w>(world: &'w World, names: &[&str]) -> Vec<App<'w>> {
    for name in names {
        let account = world.account(name).await;
        world.is_active(account).await;
    }
    world.clock.advance(week());
    let mut apps = Vec::new();
    for name in names {
        apps.push(App::of(world, name).await);
    }
    apps
}

const NAMES: [&str; 11] = ["ana", "ben", "cyn", "dan", "eve", "fay", "gus", "hal", "ida", "jim", "kay"];

/// Ana, her itinerary, and the reporters. The first of them follows her.
async fn start<'w>(world: &'w World, visibility: &str) -> (App<'w>, Stored, Vec<App<'w>>) {
    let mut apps = old_hands(world, &NAMES).await;
    let ana = apps.remove(0);
    follow(&apps[0], account(world, "ana").await, true).await;
    let made = shown(&ana, &with(minimal(), json!({ "title": "Harbours" })), visibility).await;
    (ana, made, apps)
}

/// Whether somebody finds it in the feed, in search, and among followed people.
async fn places(app: &App<'_>, id: &str) -> [bool; 4] {
    let mut places = [false; 4];
    for (place, query) in places.iter_mut().zip(["", "q=harbours", "following=true", "following=true&q=harb"]) {
        *place = found(app, query).await.iter().any(|entry| entry == id);
    }
    places
}

async fn decided(world: &World, id: &str, hide: bool) -> Option<u64> {
    resolve(world.service(), id.parse().expect("a UUID"), hide, Actor::Operator).await.expect("a database")
}

const NOWHERE: [bool; 4] = [false; 4];
const EVERYWHERE: [bool; 4] = [true; 4];

// At once and for everyone, including the owner. Whoever has its id sees no difference.
#[api_test(limits = false)]
async fn three_reports_hide_it_from_explore_alone(world: World) {
    let (ana, made, apps) = start(&world, "public").await;
    saved(&apps[4], &made.id).await;
    let (own, read) = (ana.viewed(&made.id).await, apps[0].viewed(&made.id).await);
    for (n, app) in apps[1..4].iter().enumerate() {
        assert_eq!(places(&apps[0], &made.id).await, EVERYWHERE, "after {n} reports");
        reported(app, &made.id).await;
    }
    for app in apps.iter().chain([&ana]) {
        assert_eq!(places(app, &made.id).await, NOWHERE);
        assert_eq!(page(app, "regions=Portugal").await["data"], json!([]));
    }
    // Readers with its id see no difference: no response says that it is hidden.
    for (app, before) in [(&ana, &own), (&apps[0], &read)] {
        let now = app.viewed(&made.id).await;
        assert_eq!((&now.json, &now.etag), (&before.json, &before.etag));
        let unchanged = app.call(Method::GET, &path(&made.id)).header("If-None-Match", &before.etag).send().await;
        assert_eq!(unchanged.status, 304);
    }
    assert_eq!(set(&apps[0], &made.id, "like", true).await, marks(true, false, false, 1, 1));
    assert_eq!(apps[0].listed("filter=liked").await, [made.id.as_str()]);
    saved(&apps[0], &made.id).await;
    assert_eq!(seen(&apps[0], &made.id).await.saves_count, 2);
    let theirs = format!("/v1/accounts/{}/itineraries", account(&world, "ana").await);
    let theirs = apps[0].call(Method::GET, &theirs).send().await.json();
    assert_eq!(theirs["data"][0]["id"], made.id.as_str(), "Explore is one thing, a traveller's list another");
    assert_eq!(ana.listed("").await, [made.id.as_str()]);
    // A fourth report is accepted.
    reported(&apps[4], &made.id).await;
    assert_eq!(places(&apps[0], &made.id).await, NOWHERE);
}

// An account counts from seven days on, and each person counts once.
#[api_test(limits = false)]
async fn only_accounts_of_seven_days_count(world: World) {
    let apps = old_hands(&world, &["ana", "ben", "cyn", "eve", "fay", "gus", "hal"]).await;
    let made = published(&apps[0], &with(minimal(), json!({ "title": "Harbours" }))).await;
    for name in ["dan", "dot"] {
        let account = world.account(name).await;
        world.is_active(account).await;
    }
    for n in 0..5 {
        let account = world.account(&format!("young-{n}")).await;
        world.is_active(account).await;
        let young = App::of(&world, &format!("young-{n}")).await;
        reported(&young, &made.id).await;
    }
    for app in &apps[1..3] {
        reported(app, &made.id).await;
    }
    let is_found = async || {
        let reader = App::of(&world, "reader").await;
        let [feed, search, ..] = places(&reader, &made.id).await;
        assert_eq!(feed, search);
        feed
    };
    assert!(is_found().await, "two old accounts and five young ones");
    // They resolve their reports, so that only what follows counts.
    assert_eq!(decided(&world, &made.id, false).await, Some(7));
    for name in ["eve", "fay"] {
        reported(&App::of(&world, name).await, &made.id).await;
    }
    world.clock.advance(week() - TimeDelta::milliseconds(1));
    let dan = App::of(&world, "dan").await;
    reported(&dan, &made.id).await;
    assert!(is_found().await, "a millisecond too young");
    assert_eq!(decided(&world, &made.id, false).await, Some(3));
    world.clock.advance(TimeDelta::milliseconds(1));
    for (name, expected) in [("gus", true), ("hal", true), ("dan", true), ("dot", false)] {
        reported(&App::of(&world, name).await, &made.id).await;
        assert_eq!(is_found().await, expected, "{name}");
    }
}

// The age of accounts is checked when a report arrives, for all open reports.
#[api_test(limits = false)]
async fn a_report_counts_once_its_account_is_old_enough(world: World) {
    for name in ["ben", "cyn", "dan"] {
        let account = world.account(name).await;
        world.is_active(account).await;
    }
    let made = published(&App::of(&world, "ana").await, &with(minimal(), json!({ "title": "Harbours" }))).await;
    for name in ["ben", "cyn", "dan"] {
        reported(&App::of(&world, name).await, &made.id).await;
    }
    world.clock.advance(week());
    let young = App::of(&world, "young").await;
    assert_eq!(found(&young, "").await, [made.id.as_str()], "no report has come in since");
    reported(&young, &made.id).await;
    assert_eq!(places(&young, &made.id).await, NOWHERE);
}

// A review that keeps it shows it where it was.
#[api_test(limits = false)]
async fn kept_itinerary_is_hidden_again_only_by_three_new_reporters(world: World) {
    let (ana, made, apps) = start(&world, "public").await;
    for round in 0..3 {
        let (before, new) = apps[1..].split_at(3 * round);
        for app in before.iter().chain(&new[..3]) {
            assert_eq!(places(&apps[0], &made.id).await, EVERYWHERE, "round {round}");
            reported(app, &made.id).await;
        }
        assert_eq!(places(&apps[0], &made.id).await, NOWHERE, "round {round}");
        // Changes made while it was hidden take effect in search afterwards.
        changed(&ana, &made.id, &json!({ "title": format!("Harbours and round{round}") })).await;
        assert_eq!(found(&apps[0], &format!("q=round{round}")).await, [""; 0]);
        assert_eq!(decided(&world, &made.id, false).await, u64::try_from(3 * round + 3).ok());
        assert_eq!(found(&apps[0], &format!("q=round{round}")).await, [made.id.as_str()]);
    }
    let etag = ana.viewed(&made.id).await.etag;
    assert_eq!(etag, "\"v5.m\"", "three changes by its owner after two, and none by moderation");
    assert_eq!(decided(&world, &made.id, false).await, Some(0));
    assert_eq!(places(&apps[0], &made.id).await, EVERYWHERE);
    // Reports on another itinerary by those who were rejected once count as usual.
    let other =
        published(&ana, &with(minimal(), json!({ "title": "Other harbours", "startDate": "2028-01-01" }))).await;
    for app in &apps[7..] {
        reported(app, &other.id).await;
    }
    assert_eq!(places(&apps[0], &other.id).await, NOWHERE);
}

#[api_test(limits = false)]
async fn itinerary_hidden_by_review_stays_hidden_after_owner_changes(world: World) {
    let (ana, made, apps) = start(&world, "public").await;
    reported(&apps[1], &made.id).await;
    assert_eq!(decided(&world, &made.id, true).await, Some(1), "one report is enough for a decision");
    assert_eq!(places(&apps[0], &made.id).await, NOWHERE);
    for body in [
        json!({ "title": "New harbours" }),
        json!({ "visibility": "private" }),
        json!({ "visibility": "public" }),
        json!({ "visibility": "followers" }),
        json!({ "visibility": "unlisted" }),
        json!({ "visibility": "public" }),
        json!({ "destination": { "countryCode": "ES" } }),
    ] {
        changed(&ana, &made.id, &body).await;
        for app in [&ana, &apps[0]] {
            assert_eq!(places(app, &made.id).await, NOWHERE, "{body}");
        }
    }
    for _ in 0..2 {
        itinerary_app::explore::rank(world.service()).await.expect("a database");
    }
    assert_eq!(places(&apps[0], &made.id).await, NOWHERE);
    // Another verdict shows it again, in its current state.
    assert_eq!(decided(&world, &made.id, false).await, Some(0));
    assert_eq!(places(&apps[0], &made.id).await, EVERYWHERE);
    assert_eq!(found(&apps[0], "regions=Spain").await, [made.id.as_str()]);
    // Without any report it can be hidden and shown any number of times.
    for hide in [true, true, false, false, true] {
        assert_eq!(decided(&world, &made.id, hide).await, Some(0));
        assert_eq!(places(&apps[0], &made.id).await, if hide { NOWHERE } else { EVERYWHERE });
    }
    deleted(&ana, &made.id).await;
    assert_eq!(rows(&world, "hidden").await, 0);
    for hide in [true, false] {
        assert_eq!(decided(&world, &made.id, hide).await, None, "it is gone");
    }
}

// An itinerary for followers is hidden from them; a verdict never publishes one that is not published.
#[api_test(limits = false)]
async fn a_decision_puts_it_where_its_visibility_is_for(world: World) {
    let (ana, made, apps) = start(&world, "followers").await;
    let among_followed = [false, false, true, true];
    assert_eq!(places(&apps[0], &made.id).await, among_followed);
    for (app, name) in apps[1..4].iter().zip(&NAMES[2..]) {
        follow(app, account(&world, "ana").await, true).await;
        assert_eq!(places(app, &made.id).await, among_followed, "{name}");
        reported(app, &made.id).await;
    }
    assert_eq!(places(&apps[0], &made.id).await, NOWHERE);
    for (visibility, expected) in
        [("followers", among_followed), ("unlisted", NOWHERE), ("private", NOWHERE), ("public", EVERYWHERE)]
    {
        decided(&world, &made.id, true).await;
        changed(&ana, &made.id, &json!({ "visibility": visibility })).await;
        assert_eq!(places(&apps[0], &made.id).await, NOWHERE, "{visibility}");
        decided(&world, &made.id, false).await;
        assert_eq!(places(&apps[0], &made.id).await, expected, "{visibility}");
    }
    // One that was reported while it was unlisted is hidden when it is published.
    let unlisted = shown(&ana, &with(minimal(), json!({ "title": "Other harbours" })), "unlisted").await.id;
    for app in &apps[1..4] {
        reported(app, &unlisted).await;
    }
    changed(&ana, &unlisted, &json!({ "visibility": "public" })).await;
    assert_eq!(places(&apps[0], &unlisted).await, NOWHERE);
    assert_eq!(decided(&world, &unlisted, false).await, Some(3));
    assert_eq!(places(&apps[0], &unlisted).await, EVERYWHERE);
}

// Concurrent reports are all counted.
#[api_test(limits = false)]
async fn reports_at_once_hide_it_too(world: World) {
    let (_, made, apps) = start(&world, "public").await;
    let body = json!({ "reason": "spam" });
    let responses = join_all(apps[1..4].iter().map(|app| report_call(app, &made.id).json(&body).send())).await;
    assert!(responses.iter().all(|response| response.status == 201));
    assert_eq!(places(&apps[0], &made.id).await, NOWHERE);
}

// Three old accounts that have done nothing hide nothing; active ones hide three itineraries each at most.
#[api_test(limits = false)]
async fn three_old_accounts_do_not_empty_explore(world: World) {
    let names = ["eve", "fay", "gus"];
    for name in names {
        world.account(name).await;
    }
    world.clock.advance(week());
    let ana = App::of(&world, "ana").await;
    let mut public = Vec::new();
    for day in 1..=9 {
        public.push(published(&ana, &on_day(day)).await.id);
    }
    for name in names {
        let app = App::of(&world, name).await;
        for id in &public[..4] {
            reported(&app, id).await;
            world.clock.advance(TimeDelta::seconds(1));
        }
    }
    assert_eq!(found(&ana, "").await.len(), 9, "they have done nothing");
    for name in names {
        world.is_active(account(&world, name).await).await;
        let app = App::of(&world, name).await;
        for id in &public[4..] {
            reported(&app, id).await;
        }
    }
    assert_eq!(found(&ana, "").await.len(), 9, "their three oldest open reports are others");
    // The oldest three count from the next report on, and from the next verdict.
    assert_eq!(decided(&world, &public[8], false).await, Some(3));
    assert_eq!(found(&ana, "").await.len(), 6);
    assert_eq!(decided(&world, &public[0], true).await, Some(3));
    assert_eq!(found(&ana, "").await.len(), 5);
}
