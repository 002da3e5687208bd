//! The feed: who is shown what, the length of pages, and the order of each walk.

use std::collections::BTreeSet;

use itinerary_tests::app::{App, ids};
use itinerary_tests::bodies::{minimal, on_day};
use itinerary_tests::{World, api_test};
use reqwest::Method;
use serde_json::{Value, json};

use super::many_itineraries::crowd;
use super::{account, changed, cursor, explore, follow, found, mark, page, published, shown, sorted, walked};

#[api_test]
async fn explore_is_an_empty_page_without_published_itineraries(world: World) {
    let app = App::of(&world, "ana").await;
    for visibility in ["private", "unlisted", "followers"] {
        shown(&app, &minimal(), visibility).await;
    }
    for query in ["", "q=lisbon", "following=true", "following=true&q=lisbon", "regions=Portugal"] {
        assert_eq!(explore(&app, query).await.text(), r#"{"data":[],"nextCursor":null}"#, "{query}");
    }
}

#[api_test(limits = false)]
async fn the_feed_has_the_own_itineraries_and_everybody_elses(world: World) {
    let (ana, ben) = (App::of(&world, "ana").await, App::of(&world, "ben").await);
    let both = [published(&ana, &minimal()).await.id, published(&ben, &minimal()).await.id];
    for app in [&ana, &ben] {
        for query in ["", "q=lisbon", "regions=Portugal"] {
            assert_eq!(sorted(found(app, query).await), sorted(both.clone()), "{query}");
        }
    }
}

// Search and the feed of followed people keep it.
#[api_test(limits = false)]
async fn disliked_itineraries_are_left_out_of_that_users_feed_only(world: World) {
    let (ana, ben) = (App::of(&world, "ana").await, App::of(&world, "ben").await);
    let (one, other) = (published(&ana, &on_day(1)).await.id, published(&ana, &on_day(2)).await.id);
    follow(&ben, account(&world, "ana").await, true).await;
    let both = sorted([one.clone(), other.clone()]);
    mark(&ben, &one, "dislike").await;
    for query in ["", "regions=Portugal", "following=false"] {
        assert_eq!(found(&ben, query).await, [other.as_str()], "{query}");
        assert_eq!(sorted(found(&ana, query).await), both, "{query}");
    }
    for query in ["q=lisbon", "following=true", "following=true&q=lisbon", "q=lisbon&regions=Portugal"] {
        assert_eq!(sorted(found(&ben, query).await), both, "{query}");
    }
    // One's own, too. After liking it instead, or removing the dislike, it is shown again.
    mark(&ana, &other, "dislike").await;
    assert_eq!(found(&ana, "").await, [one.as_str()]);
    mark(&ben, &one, "like").await;
    assert_eq!(sorted(found(&ben, "").await), both);
    let clear = ana.call(Method::DELETE, &format!("/v1/itineraries/{other}/dislike")).send().await;
    assert_eq!(clear.status, 200);
    assert_eq!(sorted(found(&ana, "").await), both);
    // Everything may be disliked.
    for id in [&one, &other] {
        mark(&ben, id, "dislike").await;
    }
    assert_eq!(explore(&ben, "limit=1").await.text(), r#"{"data":[],"nextCursor":null}"#);
}

#[api_test(limits = false)]
async fn a_page_holds_1_to_100_and_25_unless_it_is_said(world: World) {
    let app = App::of(&world, "ana").await;
    let template = app.created(&minimal()).await;
    let all = sorted(crowd(&world, &template, 101, |n| format!("Trip {n}")).await);
    for modes in ["", "&q=trip"] {
        for (query, length) in [("", 25), ("limit=1", 1), ("limit=25", 25), ("limit=100", 100)] {
            let page = page(&app, &format!("{query}{modes}")).await;
            assert_eq!((ids(&page).len(), cursor(&page).is_some()), (length, true), "{query}{modes}");
        }
        // The last page has no cursor, even if it is full.
        let first = page(&app, &format!("limit=100{modes}")).await;
        let next = cursor(&first).expect("another page");
        let last = page(&app, &format!("limit=1&cursor={next}{modes}")).await;
        assert_eq!((ids(&last).len(), cursor(&last)), (1, None));
        assert_eq!(sorted([ids(&first), ids(&last)].concat()), all);
        assert_eq!(sorted(walked(&app, &format!("limit=1{modes}")).await), all);
    }
    for bad in ["0", "101", "-1", "abc", "", "1.5", "99999999999999999999", "1&limit=1"] {
        explore(&app, &format!("limit={bad}")).await.expect_invalid("limit");
    }
}

// Each first request draws a random order, which its walk keeps to the end.
#[api_test(limits = false)]
async fn each_first_request_draws_an_order_to_keep(world: World) {
    let app = App::of(&world, "ana").await;
    let template = app.created(&minimal()).await;
    let all = sorted(crowd(&world, &template, 40, |n| format!("Trip {n}")).await);
    let mut orders = BTreeSet::new();
    for _ in 0..8 {
        let first = page(&app, "limit=20").await;
        let next = format!("limit=20&cursor={}", cursor(&first).expect("another page"));
        let second = page(&app, &next).await;
        assert_eq!(cursor(&second), None);
        let order = [ids(&first), ids(&second)].concat();
        assert_eq!(sorted(order.clone()), all, "each once");
        for limit in [1, 7] {
            let again = format!("limit={limit}&cursor={}", cursor(&first).expect("another page"));
            assert_eq!(ids(&page(&app, &again).await), order[20..20 + limit], "the same cursor, the same order");
        }
        assert_eq!(ids(&page(&app, &next).await), ids(&second), "a walk may be gone twice");
        orders.insert(order);
    }
    assert!(orders.len() >= 4, "{} orders", orders.len());
}

// A dislike during a walk removes the itinerary from the remaining pages and moves nothing else.
#[api_test(limits = false)]
async fn dislike_between_pages_removes_only_that_itinerary(world: World) {
    let app = App::of(&world, "ana").await;
    let template = app.created(&minimal()).await;
    let all = crowd(&world, &template, 30, |n| format!("Trip {n}")).await;
    let first = page(&app, "limit=10").await;
    let shown = ids(&first);
    let unseen: Vec<_> = all.iter().filter(|id| !shown.contains(id)).cloned().collect();
    // Including the itinerary at the cursor.
    for id in shown.last().into_iter().chain(&unseen[..5]) {
        mark(&app, id, "dislike").await;
    }
    let next = format!("limit=100&cursor={}", cursor(&first).expect("another page"));
    assert_eq!(sorted(ids(&page(&app, &next).await)), sorted(unseen[5..].to_vec()));
}

// Pages are full while there are enough itineraries, however many are disliked.
#[api_test(limits = false)]
async fn pages_are_full_however_much_is_disliked(world: World) {
    let app = App::of(&world, "ana").await;
    let template = app.created(&minimal()).await;
    let all = crowd(&world, &template, 60, |n| format!("Trip {n}")).await;
    for id in &all[12..] {
        mark(&app, id, "dislike").await;
    }
    for query in ["limit=5", "limit=5&regions=Europe"] {
        let (mut found, mut lengths, mut next) = (Vec::new(), Vec::new(), String::new());
        loop {
            let page = page(&app, &format!("{query}{next}")).await;
            lengths.push(ids(&page).len());
            found.extend(ids(&page));
            let Some(cursor) = cursor(&page) else { break };
            next = format!("&cursor={cursor}");
        }
        assert_eq!((lengths, sorted(found)), (vec![5, 5, 2], sorted(all[..12].to_vec())), "{query}");
    }
}

// Its words and regions change; its position in every walk stays.
#[api_test(limits = false)]
async fn itineraries_edited_between_pages_are_shown_once(world: World) {
    let app = App::of(&world, "ana").await;
    let template = app.created(&minimal()).await;
    let all = crowd(&world, &template, 30, |n| format!("Trip {n}")).await;
    for _ in 0..6 {
        let first = page(&app, "limit=10").await;
        let shown = ids(&first);
        let unseen: Vec<_> = all.iter().filter(|id| !shown.contains(id)).cloned().collect();
        for (n, id) in shown[5..].iter().chain(&unseen[..10]).enumerate() {
            let country = ["PT", "JP", "ES"][n % 3];
            changed(&app, id, &json!({ "title": format!("Other {n}"), "destination": { "countryCode": country } }))
                .await;
        }
        let next = format!("limit=100&cursor={}", cursor(&first).expect("another page"));
        let rest = page(&app, &next).await;
        assert_eq!((sorted(ids(&rest)), &rest["nextCursor"]), (sorted(unseen), &Value::Null));
    }
}
