//! A cursor is valid only for its own list, and reveals nothing about its content.

use chrono::TimeDelta;
use itinerary_tests::app::{App, ids};
use itinerary_tests::bodies::{minimal, with};
use itinerary_tests::raw::Call;
use itinerary_tests::{World, api_test};
use serde_json::json;

use super::many_itineraries::crowd;
use super::{account, cursor, explore, follow, page, published, q};

/// A world in which every list of Explore has a second page for Ben, who follows Ana.
async fn start(world: &World) -> (App<'_>, App<'_>) {
    let (ana, ben) = (App::of(world, "ana").await, App::of(world, "ben").await);
    let template = ana.created(&minimal()).await;
    crowd(world, &template, 6, |n| format!("Trip {n}")).await;
    published(&ben, &with(minimal(), json!({ "title": "Trip of ben" }))).await;
    follow(&ben, account(world, "ana").await, true).await;
    (ana, ben)
}

/// The lists, all different.
const LISTS: [&str; 10] = [
    "",
    "regions=Portugal",
    "regions=Europe",
    "regions=Portugal,Spain",
    "following=true",
    "following=true&regions=Portugal",
    "q=trip",
    "q=trip%20lisbon",
    "q=trip&regions=Portugal",
    "q=trip&following=true",
];

#[api_test(limits = false)]
async fn a_cursor_of_another_list_is_refused(world: World) {
    let (ana, ben) = start(&world).await;
    for list in LISTS {
        let cursor = cursor(&page(&ben, &format!("limit=2&{list}")).await).expect("another page");
        for other in LISTS.into_iter().filter(|other| *other != list) {
            let response = explore(&ben, &format!("{other}&cursor={cursor}")).await;
            assert_eq!(response.status, 422, "{list} in {other}: {}", response.text());
            response.expect_invalid("cursor");
        }
        assert_eq!(explore(&ben, &format!("limit=2&{list}&cursor={cursor}")).await.status, 200, "{list}");
        // Of another account, and of another operation.
        explore(&ana, &format!("{list}&cursor={cursor}")).await.expect_invalid("cursor");
        ben.list(&format!("cursor={cursor}")).await.expect_invalid("cursor");
    }
    let library = cursor(&ana.list("limit=2").await.json()).expect("another page");
    for list in LISTS {
        explore(&ana, &format!("{list}&cursor={library}")).await.expect_invalid("cursor");
    }
}

// Neither the page size nor the spelling of the same list matters.
#[api_test(limits = false)]
async fn a_cursor_goes_on_however_the_same_list_is_asked_for(world: World) {
    let (_, ben) = start(&world).await;
    for (list, same) in [
        ("", "following=false"),
        ("", "unknown=1"),
        ("following=true", "filter=following"),
        ("following=true", "filter=following&following=true"),
        ("regions=Portugal,Spain", "regions=spain,%20PORTUGAL,Portugal"),
        ("regions=Europe", "regions=Europe,Portugal"),
        ("q=trip", "q=TRIP"),
        ("q=trip", "q=%20tr%C3%ADp!"),
    ] {
        for (first, then) in [(list, same), (same, list)] {
            let page = page(&ben, &format!("limit=2&{first}")).await;
            let cursor = cursor(&page).expect("another page");
            let rest = super::page(&ben, &format!("limit=100&{then}&cursor={cursor}")).await;
            let all = if then.contains("follow") && !then.contains("false") { 6 } else { 7 };
            assert_eq!(ids(&rest).len(), all - 2, "{first} then {then}");
            assert!(ids(&page).iter().all(|id| !ids(&rest).contains(id)), "{first} then {then}");
        }
    }
}

#[api_test(limits = false)]
async fn an_altered_cursor_is_refused_wherever_it_was_altered(world: World) {
    let (_, ben) = start(&world).await;
    for list in ["", "q=trip", "following=true"] {
        let first = page(&ben, &format!("limit=2&{list}")).await;
        let plain = cursor(&first).expect("another page");
        assert!(plain.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_'), "{plain}");
        for at in 0..plain.len() {
            let mut altered = plain.clone().into_bytes();
            altered[at] = if altered[at] == b'A' { b'B' } else { b'A' };
            let altered = String::from_utf8(altered).expect("plain text");
            explore(&ben, &format!("{list}&cursor={altered}")).await.expect_invalid("cursor");
        }
        for bad in ["", "x", "null", &plain[1..], &plain[..plain.len() - 1], &format!("{plain}A"), "%00", "%C3%A9"] {
            explore(&ben, &format!("{list}&cursor={bad}")).await.expect_invalid("cursor");
        }
        explore(&ben, &format!("{list}&cursor={plain}&cursor={plain}")).await.expect_invalid("cursor");
        // No two cursors are equal, and none shows its content.
        assert_ne!(cursor(&page(&ben, &format!("limit=2&{list}")).await).expect("another page"), plain);
        assert!(ids(&first).iter().all(|id| !plain.contains(id)));
    }
}

// It works on another server with the same data, and with the traveller's next token, a day later.
#[api_test]
async fn a_cursor_outlives_token_and_server(world: World) {
    let (_, ben) = start(&world).await;
    let mut walks = Vec::new();
    for list in ["", "q=trip", "following=true"] {
        let next = cursor(&page(&ben, &format!("limit=2&{list}")).await).expect("another page");
        let query = format!("limit=100&{list}&cursor={next}");
        let rest = ids(&page(&ben, &query).await);
        assert!(rest.len() >= 4, "{list}");
        walks.push((query, rest));
    }
    let replica = world.replica().await;
    for (query, rest) in &walks {
        let address = format!("http://{}/v1/explore?{query}", replica.address);
        let there = Call(world.http.get(address)).token(&ben.token).send().await;
        assert_eq!(ids(&there.json()), *rest, "{query}");
    }
    replica.stop().await;
    world.clock.advance(TimeDelta::hours(24));
    explore(&ben, "").await.expect_error(401, "unauthenticated");
    let later = App::of(&world, "ben").await;
    for (query, rest) in &walks {
        assert_eq!(ids(&page(&later, query).await), *rest, "{query}");
    }
}

// Other words are another list, even if both look alike when written in sequence.
#[api_test(limits = false)]
async fn a_cursor_is_bound_to_each_word_and_the_last_one(world: World) {
    let (_, ben) = start(&world).await;
    let one = cursor(&page(&ben, "limit=2&q=trip%20l").await).expect("another page");
    for other in ["tripl", "l trip", "trip", "l", "trip l l", "trip li", "trip\", \"l\", \"x", "trip l [] None"] {
        explore(&ben, &format!("{}&cursor={one}", q(other))).await.expect_invalid("cursor");
    }
}
