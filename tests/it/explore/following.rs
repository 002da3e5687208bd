//! Itineraries of people whom the caller follows.

use chrono::TimeDelta;
use itinerary_sdk::types::ExploreFilter;
use itinerary_store::WALKED;
use itinerary_tests::app::{App, ids};
use itinerary_tests::bodies::{minimal, on_day, with};
use itinerary_tests::{World, api_test};
use reqwest::Method;
use serde_json::json;

use super::many_itineraries::{crowd, seed};
use super::{
    account, changed, cursor, deleted, explore, follow, found, mark, page, pages, published, ranked, shown, sorted,
    walked,
};

// Both parameters mean the same, also through the SDK; `false` means absent.
#[api_test(limits = false)]
async fn following_true_and_filter_following_are_equal(world: World) {
    let (ana, ben, cyn) = (App::of(&world, "ana").await, App::of(&world, "ben").await, App::of(&world, "cyn").await);
    follow(&ben, account(&world, "ana").await, true).await;
    let followed = published(&ana, &minimal()).await.id;
    let other = published(&cyn, &minimal()).await.id;
    let both = sorted([followed.clone(), other]);
    for query in [
        "following=true",
        "following=1",
        "filter=following",
        "filter=following&following=true",
        "filter=following&following=0",
    ] {
        assert_eq!(found(&ben, query).await, [followed.as_str()], "{query}");
    }
    for query in ["following=false", ""] {
        assert_eq!(sorted(found(&ben, query).await), both, "{query}");
    }
    for (query, field) in [
        ("filter=other", "filter"),
        ("filter=", "filter"),
        ("filter=Following", "filter"),
        ("filter=owned", "filter"),
        ("filter=true", "filter"),
        ("filter=following&filter=following", "filter"),
        ("filter=following,following", "filter"),
        ("following=maybe", "following"),
        ("following=", "following"),
        ("following=2", "following"),
        ("following=TRUE", "following"),
        ("following=following", "following"),
        ("following=true&following=true", "following"),
        ("following=true&following=false", "following"),
    ] {
        explore(&ben, query).await.expect_invalid(field);
    }
    let client = world.client("ben").await;
    for request in [client.explore_list().following(true), client.explore_list().filter(ExploreFilter::Following)] {
        let page = request.send().await.expect("a page");
        assert_eq!(page.data.iter().map(|entry| entry.id.to_string()).collect::<Vec<_>>(), [followed.as_str()]);
        assert_eq!(page.next_cursor, None);
    }
}

// Whatever was changed since. Ties have a stable order.
#[api_test(limits = false)]
async fn following_feed_is_sorted_by_first_publication(world: World) {
    let (ana, ben) = (App::of(&world, "ana").await, App::of(&world, "ben").await);
    let reader = App::of(&world, "cyn").await;
    for name in ["ana", "ben"] {
        follow(&reader, account(&world, name).await, true).await;
    }
    let mut newest_first = Vec::new();
    for (n, (app, visibility)) in
        [(&ana, "public"), (&ben, "followers"), (&ana, "followers"), (&ben, "public"), (&ana, "public")]
            .into_iter()
            .enumerate()
    {
        world.clock.advance(TimeDelta::milliseconds(1));
        let title = json!({ "title": format!("Trip {n}") });
        newest_first.insert(0, (app, shown(app, &with(minimal(), title), visibility).await.id));
    }
    let expected: Vec<_> = newest_first.iter().map(|(_, id)| id.clone()).collect();
    let check = async || {
        assert_eq!(found(&reader, "following=true").await, expected);
        for limit in [1, 2, 3, 5] {
            assert_eq!(walked(&reader, &format!("following=true&limit={limit}")).await, expected);
            assert_eq!(walked(&reader, &format!("following=true&regions=Europe&limit={limit}")).await, expected);
        }
    };
    check().await;
    // Neither a change, nor another visibility, nor a pause makes it newer.
    world.clock.advance(TimeDelta::seconds(1));
    let (owner, oldest) = newest_first.last().expect("five were made");
    for body in [
        json!({ "title": "Trip of old" }),
        json!({ "visibility": "followers" }),
        json!({ "visibility": "private" }),
        json!({ "visibility": "public" }),
    ] {
        changed(owner, oldest, &body).await;
    }
    check().await;
    ranked(&world).await;
    check().await;
}

// It contains what is visible to followers or everyone, by people who are followed now.
#[api_test(limits = false)]
async fn following_feed_has_only_people_followed_now(world: World) {
    let ana = App::of(&world, "ana").await;
    let (ben, cyn) = (App::of(&world, "ben").await, App::of(&world, "cyn").await);
    let ana_id = account(&world, "ana").await;
    let (open, close) = (published(&ana, &on_day(1)).await.id, shown(&ana, &on_day(2), "followers").await.id);
    for visibility in ["private", "unlisted"] {
        // Not even if it is shared with the reader.
        let stored = shown(&ana, &on_day(3), visibility).await;
        for name in ["ben", "cyn"] {
            world.member(&stored.id, account(&world, name).await, "editor").await;
        }
    }
    let both = sorted([open.clone(), close.clone()]);
    let following = async |app: &App<'_>| {
        let (all, words) = (found(app, "following=true").await, found(app, "following=true&q=lisbon").await);
        let (all, words) = (sorted(all), sorted(words));
        assert_eq!(words, all);
        all
    };
    assert_eq!(following(&ben).await, [""; 0], "nobody is followed");
    for app in [&ben, &cyn] {
        follow(app, ana_id, true).await;
        assert_eq!(following(app).await, both);
    }
    assert_eq!(following(&ana).await, [""; 0], "the own ones are not among them");
    follow(&ben, ana_id, false).await;
    let remove = format!("/v1/account/followers/{}", account(&world, "cyn").await);
    assert_eq!(ana.call(Method::DELETE, &remove).send().await.status, 204);
    for app in [&ben, &cyn] {
        assert_eq!(following(app).await, [""; 0]);
        assert_eq!(found(app, "").await, [open.as_str()], "what is public stays in the feed");
    }
    follow(&ben, ana_id, true).await;
    assert_eq!(following(&ben).await, both);
    // A dislike affects only the feed.
    mark(&ben, &open, "dislike").await;
    assert_eq!(following(&ben).await, both);
    changed(&ana, &open, &json!({ "visibility": "unlisted" })).await;
    assert_eq!(following(&ben).await, [close.as_str()]);
    deleted(&ana, &close).await;
    assert_eq!(following(&ben).await, [""; 0]);
}

// Nothing is skipped or repeated while others come and go, even if all were published at the same instant.
#[api_test(limits = false)]
async fn pages_hold_while_others_come_and_go(world: World) {
    let (ana, ben) = (App::of(&world, "ana").await, App::of(&world, "ben").await);
    follow(&ben, account(&world, "ana").await, true).await;
    let template = ana.created(&minimal()).await;
    let mut there = crowd(&world, &template, 60, |n| format!("Trip {n}")).await;
    for query in ["limit=7&following=true", "limit=7&following=true&regions=Europe"] {
        let (mut next, mut found) = (query.to_owned(), Vec::new());
        let mut come = Vec::new();
        loop {
            let page = page(&ben, &next).await;
            found.extend(ids(&page));
            let Some(cursor) = cursor(&page) else { break };
            next = format!("{query}&cursor={cursor}");
            let last = found.last().expect("a page holds something").clone();
            let unseen = there.iter().rfind(|id| !found.contains(id)).expect("there is another page").clone();
            for id in [&last, &unseen] {
                deleted(&ana, id).await;
                there.retain(|other| other != id);
            }
            world.clock.advance(TimeDelta::milliseconds(1));
            come.push(published(&ana, &minimal()).await.id);
        }
        assert!(come.len() >= 4);
        assert_eq!(sorted(found.clone()), sorted(found.iter().cloned().collect::<std::collections::BTreeSet<_>>()));
        assert_eq!(there.iter().find(|id| !found.contains(id)), None, "it stayed and was not shown");
        assert_eq!(come.iter().find(|id| found.contains(id)), None, "it came before the first page");
        there.extend(come);
    }
}

// If followed people, and others, have published much, a page ends after a number of examined entries. It may be short
// or empty and has a cursor. Nothing is missed or repeated.
#[api_test(limits = false)]
async fn a_page_ends_when_it_has_gone_through_enough(world: World) {
    let (ana, ben) = (App::of(&world, "ana").await, App::of(&world, "ben").await);
    let reader = App::of(&world, "cyn").await;
    follow(&reader, account(&world, "ana").await, true).await;
    let others = published(&ben, &minimal()).await;
    let all = u32::try_from(WALKED).expect("a few") + 100;
    seed(&world, &others, all, |n| format!("Harbours {n}")).await;
    // Published before all of those.
    let template = published(&ana, &minimal()).await;
    let name = |n: u32| if n.is_multiple_of(100) { "Harbours and lights".to_owned() } else { format!("Harbours {n}") };
    world.sql("UPDATE itineraries SET updated_at = updated_at - 10000000").await;
    let theirs = seed(&world, &template, 1_100, name).await;
    deleted(&ana, &template.id).await;
    let feed = pages(&reader, "following=true&limit=100").await;
    assert!(feed[0].is_empty(), "the first page is not theirs");
    assert!(feed.concat() == theirs, "newest first");
    assert!(feed.len() <= 14, "{} pages", feed.len());
    for (query, expected) in [
        ("following=true&q=harb&limit=100", theirs.clone()),
        ("following=true&q=lights&limit=5", theirs.iter().step_by(100).cloned().collect()),
        ("following=true&q=harbours%20ligh&limit=5", theirs.iter().step_by(100).cloned().collect()),
        ("following=true&q=lighthouse", Vec::new()),
    ] {
        assert!(sorted(pages(&reader, query).await.concat()) == sorted(expected), "{query}");
    }
    let page = page(&reader, "following=true&limit=100").await;
    let cursor = cursor(&page).expect("it goes on");
    explore(&ben, &format!("following=true&limit=100&cursor={cursor}")).await.expect_invalid("cursor");
}
