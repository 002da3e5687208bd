//! What reports do: enough of them hide an itinerary from Explore until somebody has looked at it, and what was decided
//! then holds.

use chrono::TimeDelta;
use futures::future::join_all;
use itinerary_server::app::reports::resolve;
use reqwest::Method;
use rstest::rstest;
use serde_json::json;

use super::{changed, deleted, marks, report_call, reported, rows, saved, seen, set};
use crate::explore::{account, follow, found, page, published, shown};
use crate::support::app::{App, Stored, path};
use crate::support::bodies::{minimal, with};
use crate::support::{Database, Postgres, Sqlite, World};

/// A week: what an account must have behind it for its reports to count.
fn week() -> TimeDelta {
    TimeDelta::days(7)
}

/// Travellers whose reports count: they have been there for a week. Everybody else's tokens end on the way.
async fn old_hands<'w>(world: &'w World, names: &[&str]) -> Vec<App<'w>> {
    for name in names {
        world.account(name).await;
    }
    world.clock.advance(week());
    let mut apps = Vec::new();
    for name in names {
        apps.push(App::of(world, name).await);
    }
    apps
}

const NAMES: [&str; 11] = ["ana", "ben", "cyn", "dan", "eve", "fay", "gus", "hal", "ida", "jim", "kay"];

/// Ana, her itinerary, and those who report it. The first of them follows her.
async fn start<'w>(world: &'w World, visibility: &str) -> (App<'w>, Stored, Vec<App<'w>>) {
    let mut apps = old_hands(world, &NAMES).await;
    let ana = apps.remove(0);
    follow(&apps[0], account(world, "ana").await, true).await;
    let made = shown(&ana, &with(minimal(), json!({ "title": "Harbours" })), visibility).await;
    (ana, made, apps)
}

/// In which of the feed, the search and what those followed have published somebody finds it.
async fn places(app: &App<'_>, id: &str) -> [bool; 4] {
    let mut places = [false; 4];
    for (place, query) in places.iter_mut().zip(["", "q=harbours", "following=true", "following=true&q=harb"]) {
        *place = found(app, query).await.iter().any(|entry| entry == id);
    }
    places
}

async fn decided(world: &World, id: &str, hide: bool) -> Option<u64> {
    resolve(world.service(), id.parse().expect("a UUID"), hide).await.expect("a database")
}

const NOWHERE: [bool; 4] = [false; 4];
const EVERYWHERE: [bool; 4] = [true; 4];

/// At once, for everyone, the owner included; and nothing else of it changes for those who have its id.
#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn three_reports_hide_it_from_explore_alone(#[values(Sqlite, Postgres)] database: Database) {
    let Some(world) = World::start_with(database, |config| config.limits = false).await else { return };
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
    // Who has the id reads it as before: no answer tells that it is hidden.
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
    // A fourth report is taken like any.
    reported(&apps[4], &made.id).await;
    assert_eq!(places(&apps[0], &made.id).await, NOWHERE);
}

/// An account counts from the day on which it is seven days old, and one person counts once.
#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn only_accounts_of_seven_days_count(#[values(Sqlite, Postgres)] database: Database) {
    let Some(world) = World::start_with(database, |config| config.limits = false).await else { return };
    let apps = old_hands(&world, &["ana", "ben", "cyn", "eve", "fay", "gus", "hal"]).await;
    let made = published(&apps[0], &with(minimal(), json!({ "title": "Harbours" }))).await;
    for name in ["dan", "dot"] {
        world.account(name).await;
    }
    for n in 0..5 {
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
    // They close what they have reported, so that only what follows counts.
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

/// How old an account is, is looked at when a report comes in: for all that are open, and for whoever brings it.
#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn who_has_grown_old_enough_counts_next_time(#[values(Sqlite, Postgres)] database: Database) {
    let Some(world) = World::start_with(database, |config| config.limits = false).await else { return };
    for name in ["ben", "cyn", "dan"] {
        world.account(name).await;
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

/// Somebody has looked at it and lets it be: it is where it was. Those who reported it do not hide it again, three others
/// do.
#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn what_is_kept_is_found_until_three_others_report_it(#[values(Sqlite, Postgres)] database: Database) {
    let Some(world) = World::start_with(database, |config| config.limits = false).await else { return };
    let (ana, made, apps) = start(&world, "public").await;
    for round in 0..3 {
        let (before, new) = apps[1..].split_at(3 * round);
        for app in before.iter().chain(&new[..3]) {
            assert_eq!(places(&apps[0], &made.id).await, EVERYWHERE, "round {round}");
            reported(app, &made.id).await;
        }
        assert_eq!(places(&apps[0], &made.id).await, NOWHERE, "round {round}");
        // What was changed while it was hidden is found by its new words afterwards.
        changed(&ana, &made.id, &json!({ "title": format!("Harbours and round{round}") })).await;
        assert_eq!(found(&apps[0], &format!("q=round{round}")).await, [""; 0]);
        assert_eq!(decided(&world, &made.id, false).await, u64::try_from(3 * round + 3).ok());
        assert_eq!(found(&apps[0], &format!("q=round{round}")).await, [made.id.as_str()]);
    }
    let etag = ana.viewed(&made.id).await.etag;
    assert_eq!(etag, "\"v5.m\"", "three changes by its owner after two, and none by moderation");
    assert_eq!(decided(&world, &made.id, false).await, Some(0));
    assert_eq!(places(&apps[0], &made.id).await, EVERYWHERE);
    // Of another itinerary of hers they are believed as anybody is.
    let other =
        published(&ana, &with(minimal(), json!({ "title": "Other harbours", "startDate": "2028-01-01" }))).await;
    for app in &apps[1..4] {
        reported(app, &other.id).await;
    }
    assert_eq!(places(&apps[0], &other.id).await, NOWHERE);
}

/// Somebody has looked at it and hides it for good: no change of its owner's brings it back.
#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn what_is_hidden_for_good_stays_hidden(#[values(Sqlite, Postgres)] database: Database) {
    let Some(world) = World::start_with(database, |config| config.limits = false).await else { return };
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
        itinerary_server::app::explore::rank(world.service()).await.expect("a database");
    }
    assert_eq!(places(&apps[0], &made.id).await, NOWHERE);
    // Another decision brings it back, with what it is then.
    assert_eq!(decided(&world, &made.id, false).await, Some(0));
    assert_eq!(places(&apps[0], &made.id).await, EVERYWHERE);
    assert_eq!(found(&apps[0], "regions=Spain").await, [made.id.as_str()]);
    // Hidden without any report, and shown: so often as one likes.
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

/// What followers see is hidden from them; what nobody finds is not put into Explore by a decision.
#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn a_decision_puts_it_where_its_visibility_is_for(#[values(Sqlite, Postgres)] database: Database) {
    let Some(world) = World::start_with(database, |config| config.limits = false).await else { return };
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
    // What was reported while nobody could find it is hidden when it is published.
    let unlisted = shown(&ana, &with(minimal(), json!({ "title": "Other harbours" })), "unlisted").await.id;
    for app in &apps[1..4] {
        reported(app, &unlisted).await;
    }
    changed(&ana, &unlisted, &json!({ "visibility": "public" })).await;
    assert_eq!(places(&apps[0], &unlisted).await, NOWHERE);
    assert_eq!(decided(&world, &unlisted, false).await, Some(3));
    assert_eq!(places(&apps[0], &unlisted).await, EVERYWHERE);
}

/// Reports at once are counted together: none overlooks the others.
#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn reports_at_once_hide_it_too(#[values(Sqlite, Postgres)] database: Database) {
    let Some(world) = World::start_with(database, |config| config.limits = false).await else { return };
    let (_, made, apps) = start(&world, "public").await;
    let body = json!({ "reason": "spam" });
    let answers = join_all(apps[1..4].iter().map(|app| report_call(app, &made.id).json(&body).send())).await;
    assert!(answers.iter().all(|answer| answer.status == 201));
    assert_eq!(places(&apps[0], &made.id).await, NOWHERE);
}
