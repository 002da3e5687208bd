//! Ranking: likes, saves and views determine how early an itinerary is shown, by tiers in the feed and individually in
//! search. A ranking disturbs a walk only where something moved.

use std::collections::BTreeSet;

use chrono::TimeDelta;
use futures::future::join_all;
use itinerary_app::explore::rank;
use itinerary_server::jobs::count_reads;
use itinerary_tests::app::{App, ids};
use itinerary_tests::bodies::{minimal, with};
use itinerary_tests::{World, api_test};
use reqwest::Method;
use serde_json::json;

use super::many_itineraries::crowd;
use super::{
    account, changed, cursor, follow, found, mark, page, pages, published, rank_if_due, ranked, shown, sorted, walked,
};

// Without likes everything is equal. Ranking an empty Explore, and ranking again, works.
#[api_test(limits = false)]
async fn ranking_looks_at_everything_that_is_listed(world: World) {
    assert_eq!(rank(world.service()).await.expect("a database"), 0);
    let app = App::of(&world, "ana").await;
    let template = app.created(&minimal()).await;
    // More than one ranking batch.
    let all = sorted(crowd(&world, &template, 450, |n| format!("Trip {n}")).await);
    shown(&app, &minimal(), "followers").await;
    shown(&app, &minimal(), "unlisted").await;
    for _ in 0..3 {
        assert_eq!(rank(world.service()).await.expect("a database"), 451, "those for followers too");
        assert!(sorted(walked(&app, "limit=100").await) == all, "each is there once");
    }
}

// The best tier fills every first page, in whatever random order.
#[api_test(limits = false)]
async fn liked_itineraries_come_first_in_every_feed(world: World) {
    let app = App::of(&world, "ana").await;
    let template = app.created(&minimal()).await;
    let all = crowd(&world, &template, 60, |n| format!("Trip {n}")).await;
    let liked = sorted(all[20..26].to_vec());
    for name in ["ben", "cyn"] {
        let fan = App::of(&world, name).await;
        for id in &liked {
            mark(&fan, id, "like").await;
        }
    }
    ranked(&world).await;
    // A new itinerary comes before those that nobody liked.
    let new = published(&app, &minimal()).await.id;
    for _ in 0..8 {
        for regions in ["", "&regions=Europe"] {
            let first = page(&app, &format!("limit=7{regions}")).await;
            assert_eq!(sorted(ids(&first)[..6].to_vec()), liked);
            assert_eq!(ids(&first)[6], new);
        }
    }
    assert_eq!(walked(&app, "limit=7").await.len(), 61);
    // A removed like does not count.
    for name in ["ben", "cyn"] {
        let fan = App::of(&world, name).await;
        let clear = fan.call(Method::DELETE, &format!("/v1/itineraries/{}/like", liked[0])).send().await;
        assert_eq!(clear.status, 200);
    }
    ranked(&world).await;
    assert_eq!(sorted(ids(&page(&app, "limit=5").await)), liked[1..]);
}

// One view gives a better band than none, but one too low for the cuts of the first ranking.
#[api_test(limits = false)]
async fn tiers_use_the_cuts_of_the_previous_ranking(world: World) {
    let (app, ben) = (App::of(&world, "ana").await, App::of(&world, "ben").await);
    let template = app.created(&minimal()).await;
    let all = crowd(&world, &template, 40, |n| format!("Trip {n}")).await;
    ben.viewed(&all[7]).await;
    count_reads(world.service()).await.expect("a database");
    for _ in 0..2 {
        rank(world.service()).await.expect("a database");
    }
    for n in 0..8 {
        assert_eq!(ids(&page(&app, "limit=1").await), [all[7].as_str()], "request {n}");
    }
}

// A copy counts more than a like, a like more than a view, and new comes before old.
#[api_test(limits = false)]
async fn the_search_has_the_best_score_first(world: World) {
    let app = App::of(&world, "ana").await;
    let old = published(&app, &with(minimal(), json!({ "title": "Trip" }))).await.id;
    world.clock.advance(TimeDelta::days(90));
    let (app, ben) = (App::of(&world, "ana").await, App::of(&world, "ben").await);
    let mut made = Vec::new();
    for n in 0..4 {
        made.push(published(&app, &with(minimal(), json!({ "title": format!("Trip {n}") }))).await.id);
    }
    let [saved, liked, seen, unseen] = &made[..] else { panic!("four were made") };
    let save = ben.call(Method::POST, &format!("/v1/itineraries/{saved}/saves")).send().await;
    assert_eq!(save.status, 201);
    mark(&ben, liked, "like").await;
    ben.viewed(seen).await;
    count_reads(world.service()).await.expect("a database");
    // The owner's own reads, and dislikes, do not help.
    app.viewed(unseen).await;
    mark(&ben, &old, "dislike").await;
    count_reads(world.service()).await.expect("a database");
    ranked(&world).await;
    let expected = [saved, liked, seen, unseen, &old].map(String::as_str);
    for reader in [&app, &ben] {
        for query in ["q=trip", "q=lisbon&regions=Portugal"] {
            assert_eq!(found(reader, query).await, expected, "{query}");
            for limit in [1, 2, 3] {
                assert_eq!(walked(reader, &format!("{query}&limit={limit}")).await, expected, "{query}");
            }
        }
    }
    follow(&ben, account(&world, "ana").await, true).await;
    assert_eq!(found(&ben, "following=true&q=trip").await, expected);
    // A change of its words does not move an itinerary.
    changed(&app, saved, &json!({ "title": "Another trip" })).await;
    assert_eq!(found(&ben, "q=trip").await, expected);
}

// Itineraries that did not move are shown exactly once, even if others moved in the meantime.
#[api_test(limits = false)]
async fn ranking_between_pages_affects_only_moved_entries(world: World) {
    let (app, fan) = (App::of(&world, "ana").await, App::of(&world, "ben").await);
    let template = app.created(&minimal()).await;
    let all = crowd(&world, &template, 100, |n| format!("Trip {n}")).await;
    for id in &all[..8] {
        mark(&fan, id, "like").await;
    }
    ranked(&world).await;
    for query in ["limit=10", "limit=10&regions=Portugal", "limit=10&q=trip"] {
        let mut page = page(&app, query).await;
        let mut found = ids(&page);
        let mut moved = BTreeSet::new();
        while let Some(next) = cursor(&page) {
            // One that was shown and one that was not move up, or down if somebody had liked them.
            let unseen = all.iter().rfind(|id| !found.contains(id) && !moved.contains(*id));
            for id in [found.last(), unseen].into_iter().flatten() {
                if moved.len() < 8 && moved.insert(id.clone()) {
                    let path = format!("/v1/itineraries/{id}/like");
                    let marks = fan.call(Method::GET, &format!("/v1/itineraries/{id}/marks")).send().await.json();
                    let method = if marks["liked"] == true { Method::DELETE } else { Method::PUT };
                    assert_eq!(fan.call(method, &path).send().await.status, 200);
                }
            }
            ranked(&world).await;
            page = super::page(&app, &format!("{query}&cursor={next}")).await;
            found.extend(ids(&page));
        }
        assert!(moved.len() == 8, "{moved:?}");
        let stayed = |ids: &[String]| sorted(ids.iter().filter(|id| !moved.contains(*id)).cloned());
        assert_eq!(stayed(&found), stayed(&all), "{query}");
    }
}

// Concurrent rankings, changes and walks: nothing fails, and Explore ends up with what is public.
#[api_test(limits = false)]
async fn ranking_while_others_write_and_read_loses_nothing(world: World) {
    let ana = App::of(&world, "ana").await;
    let template = ana.created(&minimal()).await;
    let all = crowd(&world, &template, 64, |n| format!("Trip {n}")).await;
    let write = all.chunks(8).map(async |own| {
        for round in 0..6 {
            for (n, id) in own.iter().enumerate() {
                let visibility = if (n + round) % 3 == 0 { "unlisted" } else { "public" };
                let title = format!("Trip {round}");
                changed(&ana, id, &json!({ "visibility": visibility, "title": title })).await;
                mark(&ana, id, if round % 2 == 0 { "like" } else { "dislike" }).await;
            }
        }
        let left: Vec<_> = own.iter().enumerate().filter(|(n, _)| (n + 5) % 3 != 0).map(|(_, id)| id.clone()).collect();
        left
    });
    let ranking = async {
        for _ in 0..12 {
            rank(world.service()).await.expect("a database");
        }
    };
    let reader = App::of(&world, "ben").await;
    let reading = async {
        for _ in 0..6 {
            pages(&reader, "limit=9").await;
            pages(&reader, "q=trip&limit=9").await;
        }
    };
    let (left, (), ()) = futures::join!(join_all(write), ranking, reading);
    let left = sorted(left.concat());
    for query in ["limit=9", "q=trip&limit=9", "q=trip%205", "regions=Portugal", "q=lisbon&regions=Europe"] {
        assert_eq!(sorted(walked(&reader, query).await), left, "{query}");
    }
    assert_eq!(walked(&reader, "q=trip%204").await, [""; 0]);
}

// Of several servers one ranks, every half hour.
#[api_test(limits = false)]
async fn ranking_is_due_once_in_half_an_hour_whoever_asks(world: World) {
    let app = App::of(&world, "ana").await;
    published(&app, &minimal()).await;
    let other = world.replica().await;
    // Each server ranked at its start if that was due.
    world.clock.advance(TimeDelta::hours(1));
    let due = async || [rank_if_due(world.service()).await, rank_if_due(&other.service).await];
    assert_eq!(due().await, [1, 0]);
    assert_eq!(due().await, [0, 0]);
    world.clock.advance(TimeDelta::minutes(30) - TimeDelta::milliseconds(1));
    assert_eq!(due().await, [0, 0]);
    world.clock.advance(TimeDelta::milliseconds(1));
    assert_eq!(due().await, [1, 0]);
    other.stop().await;
}
