//! Concurrent marks and copies: counts equal the rows, and of many first copies one is made.

use std::collections::BTreeSet;

use futures::future::join_all;
use itinerary_core::clock::Random;
use itinerary_platform::system::SystemRandom;
use itinerary_tests::app::{App, Stored, key, path};
use itinerary_tests::bodies::minimal;
use itinerary_tests::{World, api_test};
use reqwest::Method;
use serde_json::json;

use super::{deleted, marks, report_call, rows, save, save_call, saved, seen, set};
use crate::explore::published;

async fn travellers(world: &World, count: usize) -> Vec<App<'_>> {
    let mut apps = Vec::new();
    for n in 0..count {
        apps.push(App::of(world, &format!("traveller-{n}")).await);
    }
    apps
}

/// Random booleans.
fn coins<const N: usize>() -> [bool; N] {
    let random: &dyn Random = &SystemRandom;
    random.bytes::<N>().map(|byte| byte & 1 == 1)
}

// Fifty travellers like and unlike at random; the count equals those who like it in the end.
#[api_test(limits = false)]
async fn likes_and_unlikes_at_once_are_counted_right(world: World) {
    let ana = App::of(&world, "ana").await;
    let made = published(&ana, &minimal()).await;
    let before = ana.viewed(&made.id).await;
    let apps = travellers(&world, 50).await;
    let likes = apps.iter().map(async |app| {
        let coins = coins::<8>();
        for like in coins {
            assert_eq!(set(app, &made.id, "like", like).await.liked, like, "each sees what it did");
        }
        coins[7]
    });
    let last = join_all(likes).await;
    let likes = i64::try_from(last.iter().filter(|like| **like).count()).expect("a small number");
    for (app, liked) in apps.iter().zip(&last) {
        assert_eq!(seen(app, &made.id).await, marks(*liked, false, false, likes, 0));
    }
    assert_eq!(rows(&world, "reactions WHERE kind = 'like'").await, likes);
    assert_eq!(rows(&world, "reactions").await, likes);
    let after = ana.viewed(&made.id).await;
    assert_eq!((&after.etag, &after.json["updatedAt"]), (&before.etag, &before.json["updatedAt"]));
    assert_eq!(after.json["likesCount"], likes);
    let unchanged = ana.call(Method::GET, &path(&made.id)).header("If-None-Match", &before.etag).send().await;
    assert_eq!(unchanged.status, 304);
}

// Concurrent requests of one traveller leave at most one mark, which is counted once.
#[api_test(limits = false)]
async fn one_travellers_marks_at_once_leave_one_mark(world: World) {
    let (ana, ben) = (App::of(&world, "ana").await, App::of(&world, "ben").await);
    let id = published(&ana, &minimal()).await.id;
    for round in 0..3 {
        let requests = coins::<64>().into_iter().zip(coins::<64>()).map(async |(dislike, clear)| {
            // In the first round nothing is removed, so one mark certainly remains.
            let is_set = round == 0 || !clear;
            let told = set(&ben, &id, if dislike { "dislike" } else { "like" }, is_set).await;
            assert!(!(told.liked && told.disliked), "both at once");
            assert_eq!(if dislike { told.disliked } else { told.liked }, is_set);
            assert_eq!(told.likes_count, i64::from(told.liked));
        });
        join_all(requests).await;
        let left = seen(&ben, &id).await;
        assert_eq!(left, marks(left.liked, left.disliked, false, i64::from(left.liked), 0));
        assert!(!(left.liked && left.disliked) && (round > 0 || left.liked || left.disliked));
        assert_eq!(rows(&world, "reactions").await, i64::from(left.liked || left.disliked));
        assert_eq!(rows(&world, "reactions WHERE kind = 'like'").await, i64::from(left.liked));
        let lists = [ben.listed("filter=liked").await.len(), ben.listed("filter=disliked").await.len()];
        assert_eq!(lists, [usize::from(left.liked), usize::from(left.disliked)]);
    }
}

// Sixty-four concurrent first saves: one copy, one 201, and all get that copy.
#[api_test(limits = false)]
async fn many_first_saves_at_once_make_one_copy(world: World) {
    let (ana, ben) = (App::of(&world, "ana").await, App::of(&world, "ben").await);
    let id = published(&ana, &minimal()).await.id;
    let responses = join_all((0..64).map(|_| save(&ben, &id))).await;
    let mut statuses: Vec<_> = responses.iter().map(|response| response.status.as_u16()).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [vec![200; 63], vec![201]].concat());
    let copies: BTreeSet<_> = responses.iter().map(|response| Stored::of(response).id).collect();
    assert_eq!((copies.len(), ben.listed("filter=saved").await), (1, copies.into_iter().collect::<Vec<_>>()));
    assert_eq!(seen(&ben, &id).await, marks(false, false, true, 0, 1));
}

// With one key all get the first response; with a key each, one makes the copy.
#[api_test(limits = false)]
async fn many_saves_at_once_with_keys_make_one_copy(world: World) {
    let (ana, ben) = (App::of(&world, "ana").await, App::of(&world, "ben").await);
    for one_key in [true, false] {
        let id = published(&ana, &minimal()).await.id;
        let shared = key();
        let sends = (0..32).map(|_| {
            let key = if one_key { shared.clone() } else { key() };
            save_call(&ben, &id).header("Idempotency-Key", &key).send()
        });
        let responses = join_all(sends).await;
        let first: Vec<_> =
            responses.iter().filter(|response| response.header("idempotency-replayed") != "true").collect();
        let created: Vec<_> = responses.iter().filter(|response| response.status == 201).collect();
        assert_eq!((first.len(), created.len()), if one_key { (1, 32) } else { (32, 1) });
        if one_key {
            assert!(responses.iter().all(|response| response.text() == first[0].text()));
        }
        let copies: BTreeSet<_> = responses.iter().map(|response| Stored::of(response).id).collect();
        assert_eq!((copies.len(), seen(&ben, &id).await.saves_count), (1, 1));
    }
    assert_eq!(ben.listed("filter=saved").await.len(), 2);
}

// Concurrent saves, deletions of copies and likes: the counts equal the rows.
#[api_test(limits = false)]
async fn counts_equal_the_rows_after_concurrent_changes(world: World) {
    let ana = App::of(&world, "ana").await;
    let id = published(&ana, &minimal()).await.id;
    let apps = travellers(&world, 16).await;
    let left = join_all(apps.iter().map(async |app| {
        let coins = coins::<8>();
        for like in &coins[..4] {
            let copy = Stored::of(&save(app, &id).await);
            set(app, &id, "like", *like).await;
            deleted(app, &copy.id).await;
        }
        for save in &coins[4..] {
            let copy = Stored::of(&super::save(app, &id).await);
            if !save {
                deleted(app, &copy.id).await;
            }
        }
        (coins[3], coins[7])
    }))
    .await;
    let count = |of: fn(&(bool, bool)) -> bool| i64::try_from(left.iter().filter(|x| of(x)).count()).expect("small");
    let (likes, saves) = (count(|(liked, _)| *liked), count(|(_, saved)| *saved));
    assert_eq!(rows(&world, "itineraries WHERE saved_from IS NOT NULL").await, saves);
    for (app, (liked, has_copy)) in apps.iter().zip(&left) {
        assert_eq!(seen(app, &id).await, marks(*liked, false, *has_copy, likes, saves));
    }
}

// Marks, saves and reports succeed or get 404.
#[api_test(limits = false)]
async fn marking_during_deletion_leaves_no_rows_behind(world: World) {
    let ana = App::of(&world, "ana").await;
    let apps = travellers(&world, 8).await;
    for _ in 0..4 {
        let id = published(&ana, &minimal()).await.id;
        let marking = join_all(apps.iter().enumerate().map(async |(n, app)| {
            let like = app.call(Method::PUT, &format!("{}/{}", path(&id), ["like", "dislike"][n % 2])).send();
            let report = report_call(app, &id).json(&json!({ "reason": "other" })).send();
            let (like, save, report) = futures::join!(like, save(app, &id), report);
            for (response, good) in [(like, 200), (save, 201), (report, 201)] {
                if response.status != good {
                    response.expect_error(404, "notFound");
                }
            }
        }));
        futures::join!(marking, deleted(&ana, &id));
        for table in ["reactions", "reports", "explore", "hidden"] {
            assert_eq!(rows(&world, table).await, 0, "{table}");
        }
        for app in &apps {
            for copy in app.listed("filter=saved").await {
                assert_eq!(app.viewed(&copy).await.json["savedFrom"]["itineraryId"], id.as_str());
                deleted(app, &copy).await;
            }
        }
        assert_eq!(rows(&world, "itinerary_counters").await, 0);
    }
}

// A save counts for its source, not for the source's own source.
#[api_test(limits = false)]
async fn saves_are_counted_where_they_belong(world: World) {
    let (ana, ben) = (App::of(&world, "ana").await, App::of(&world, "ben").await);
    let (one, other) = (published(&ana, &minimal()).await.id, published(&ana, &minimal()).await.id);
    let copy = saved(&ben, &one).await;
    saved(&ana, &one).await;
    assert_eq!(seen(&ben, &one).await, marks(false, false, true, 0, 2));
    assert_eq!(seen(&ben, &other).await, marks(false, false, false, 0, 0));
    assert_eq!(seen(&ben, &copy.id).await, marks(false, false, false, 0, 0));
}
