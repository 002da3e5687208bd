//! Likes and dislikes: at most one at a time, repeatable, and never a change of the itinerary.

use chrono::TimeDelta;
use itinerary_tests::app::{App, path};
use itinerary_tests::bodies::minimal;
use itinerary_tests::{World, api_test};
use reqwest::Method;
use serde_json::json;

use super::{deleted, marks, rows, saved, seen, set};
use crate::explore::{page, published, shown};

#[api_test(limits = false)]
async fn each_mark_takes_the_other_back(world: World) {
    let (ana, ben) = (App::of(&world, "ana").await, App::of(&world, "ben").await);
    let id = published(&ana, &minimal()).await.id;
    let none = marks(false, false, false, 0, 0);
    let liked = marks(true, false, false, 1, 0);
    let disliked = marks(false, true, false, 0, 0);
    assert_eq!(seen(&ben, &id).await, none);
    // Every step from each of the three states, each twice.
    for (mark, is_set, expected) in [
        ("like", false, none.clone()),
        ("dislike", false, none.clone()),
        ("like", true, liked.clone()),
        ("dislike", false, liked.clone()),
        ("like", false, none.clone()),
        ("dislike", true, disliked.clone()),
        ("like", false, disliked.clone()),
        ("dislike", false, none.clone()),
        ("like", true, liked.clone()),
        ("dislike", true, disliked.clone()),
        ("like", true, liked.clone()),
        ("dislike", true, disliked),
        ("dislike", false, none.clone()),
    ] {
        for time in ["once", "again"] {
            assert_eq!(set(&ben, &id, mark, is_set).await, expected, "{mark} {is_set} {time}");
            assert_eq!(seen(&ben, &id).await, expected, "{mark} {is_set} {time}, read");
        }
        assert_eq!(seen(&ana, &id).await.likes_count, expected.likes_count, "others see the number");
        let own = seen(&ana, &id).await;
        assert_eq!((own.liked, own.disliked), (false, false), "and not whose it is");
        assert_eq!(rows(&world, "reactions").await, i64::from(expected.liked || expected.disliked));
    }
}

// Through the SDK. One's own itinerary may be marked, and all likes are counted.
#[api_test(limits = false)]
async fn everybodys_likes_are_counted(world: World) {
    let ana = App::of(&world, "ana").await;
    let stored = published(&ana, &minimal()).await;
    let id: uuid::Uuid = stored.id.parse().expect("a UUID");
    for (n, name) in (1..).zip(["ana", "ben", "cyn", "dan"]) {
        let client = world.client(name).await;
        assert_eq!(client.like_set(id).send().await.expect("marks"), marks(true, false, false, n, 0));
    }
    let ben = world.client("ben").await;
    assert_eq!(ben.dislike_set(id).send().await.expect("marks"), marks(false, true, false, 3, 0));
    let cyn = world.client("cyn").await;
    assert_eq!(cyn.like_clear(id).send().await.expect("marks"), marks(false, false, false, 2, 0));
    assert_eq!(ben.dislike_clear(id).send().await.expect("marks"), marks(false, false, false, 2, 0));
    let dan = world.client("dan").await;
    assert_eq!(dan.marks_view(id).send().await.expect("marks"), marks(true, false, false, 2, 0));
    assert_eq!(ben.itinerary_save(id).send_raw().await.expect("a copy").status(), 201);
    assert_eq!(ben.marks_view(id).send().await.expect("marks"), marks(false, false, true, 2, 1));
    // The count is the same wherever it is shown.
    let entry = page(&ana, "").await["data"][0].clone();
    let listed = ana.list("").await.json()["data"][0].clone();
    for shown in [
        &entry,
        &listed,
        &ana.viewed(&stored.id).await.json,
        &App::of(&world, "eve").await.viewed(&stored.id).await.json,
    ] {
        assert_eq!(shown["likesCount"], 2, "{shown}");
    }
    assert_eq!(ana.viewed(&stored.id).await.json.get("savesCount"), None);
}

// Neither ETag, version nor time of change, so conditional reads yield 304.
#[api_test(limits = false)]
async fn no_mark_changes_the_itinerary(world: World) {
    let (ana, ben) = (App::of(&world, "ana").await, App::of(&world, "ben").await);
    let made = published(&ana, &minimal()).await;
    let (own, read) = (ana.viewed(&made.id).await, ben.viewed(&made.id).await);
    world.clock.advance(TimeDelta::seconds(90));
    let conditional = async |app: &App<'_>, tag: &str| {
        app.call(Method::GET, &path(&made.id)).header("If-None-Match", tag).send().await
    };
    for (mark, is_set) in [("like", true), ("dislike", true), ("dislike", false), ("like", true), ("like", false)] {
        for app in [&ana, &ben] {
            set(app, &made.id, mark, is_set).await;
        }
        for (app, before) in [(&ana, &own), (&ben, &read)] {
            let unchanged = conditional(app, &before.etag).await;
            assert_eq!((unchanged.status.as_u16(), unchanged.header("etag")), (304, before.etag.as_str()), "{mark}");
            let mut now = app.viewed(&made.id).await;
            assert_eq!(now.etag, before.etag);
            for count in ["likesCount", "viewsCount"] {
                now.json[count] = before.json[count].clone();
            }
            assert_eq!(now.json, before.json, "{mark}");
        }
    }
    saved(&ben, &made.id).await;
    let entry = page(&ben, "").await["data"][0].clone();
    assert_eq!((&entry["etag"], &entry["updatedAt"]), (&json!(read.etag), &json!("2027-01-10T12:00:00.000Z")));
    assert_eq!(ana.viewed(&made.id).await.etag, own.etag);
    // A write with the ETag from before still succeeds.
    let changed = ana.patched(&own, &json!({ "title": "Changed" })).await;
    set(&ben, &made.id, "like", true).await;
    assert_eq!(ana.viewed(&made.id).await.etag, changed.etag);
    assert_eq!(conditional(&ben, &read.etag).await.status, 200);
}

// Unlisted with its id, for followers by followers, private by members.
#[api_test(limits = false)]
async fn everyone_who_can_see_an_itinerary_can_like_it(world: World) {
    let ana = App::of(&world, "ana").await;
    let ana_id = crate::explore::account(&world, "ana").await;
    let (ben, vic, sam) = (App::of(&world, "ben").await, App::of(&world, "vic").await, App::of(&world, "sam").await);
    crate::explore::follow(&ben, ana_id, true).await;
    for (visibility, may) in [
        ("public", [true, true, true]),
        ("unlisted", [true, true, true]),
        ("followers", [true, true, false]),
        ("private", [false, true, false]),
    ] {
        let id = shown(&ana, &minimal(), visibility).await.id;
        world.member(&id, crate::explore::account(&world, "vic").await, "viewer").await;
        let mut likes = 0;
        for (app, may) in [&ben, &vic, &sam].into_iter().zip(may) {
            if may {
                likes += 1;
                assert_eq!(set(app, &id, "like", true).await, marks(true, false, false, likes, 0), "{visibility}");
            } else {
                let response = app.call(Method::PUT, &format!("{}/like", path(&id))).send().await;
                assert!(response.expect_error(404, "notFound").is_null(), "{visibility}");
            }
        }
        assert_eq!(seen(&ana, &id).await.likes_count, likes, "{visibility}");
        // A mark stays while the itinerary is invisible, and is deleted with it.
        assert_eq!(rows(&world, "reactions").await, likes);
        deleted(&ana, &id).await;
        assert_eq!((rows(&world, "reactions").await, rows(&world, "itinerary_counters").await), (0, 0));
    }
}
