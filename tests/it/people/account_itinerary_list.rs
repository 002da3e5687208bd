//! A traveller's itineraries as others find them.

use chrono::TimeDelta;
use itinerary_sdk::types::ListFilter;
use itinerary_sdk::types::MemberRole::{Editor, Viewer};
use itinerary_tests::app::Stored;
use itinerary_tests::{World, api_test};
use reqwest::Method;
use serde_json::json;

use super::{NO_IDS, NOTHING, Person, account_path, altered, cursor, entry, ids, path, refused, walked};

/// Itineraries of each visibility, and for each visibility one that is shared with `member`. Newest last.
async fn filled(
    world: &itinerary_tests::World,
    ana: &Person<'_>,
    member: &Person<'_>,
) -> Vec<(&'static str, bool, Stored)> {
    let mut shelf = Vec::new();
    for (n, visibility) in ["private", "followers", "unlisted", "public"].into_iter().enumerate() {
        for shared in [false, true] {
            let day = u32::try_from(2 * n).expect("few") + 1 + u32::from(shared);
            let at = ana.shows(day, visibility).await;
            if shared {
                ana.shares(&at, member, if n % 2 == 0 { Viewer } else { Editor }).await;
            }
            shelf.push((visibility, shared, at));
            world.clock.advance(TimeDelta::seconds(1));
        }
    }
    shelf
}

/// The ids of matching itineraries, newest change first.
fn those(shelf: &[(&'static str, bool, Stored)], fits: impl Fn(&str, bool) -> bool) -> Vec<String> {
    let fitting = shelf.iter().rev().filter(|(visibility, shared, _)| fits(visibility, *shared));
    fitting.map(|(_, _, at)| at.id.clone()).collect()
}

// Strangers find public ones, followers also those for followers, members also shared ones, owners all.
#[api_test(limits = false)]
async fn everyone_finds_what_they_may(world: World) {
    let (ana, ben) = (Person::of(&world, "ana").await, Person::of(&world, "ben").await);
    let (fan, member, stranger) =
        (Person::of(&world, "fan").await, Person::of(&world, "member").await, Person::of(&world, "stranger").await);
    let both = Person::of(&world, "both").await;
    let shelf = filled(&world, &ana, &member).await;
    for person in [&fan, &both] {
        person.follow(ana.id).await.expect("she is there");
    }
    // Her own list does not contain what is shared with her.
    let theirs = ben.shows(1, "public").await;
    ben.shares(&theirs, &ana, Editor).await;
    ana.shares(&shelf[0].2, &both, Viewer).await;
    ben.follow(fan.id).await.expect("she is there");

    let public = those(&shelf, |visibility, _| visibility == "public");
    let open = those(&shelf, |visibility, _| ["followers", "public"].contains(&visibility));
    let shared = those(&shelf, |visibility, shared| shared || visibility == "public");
    let all = those(&shelf, |_, _| true);
    let and_one: Vec<_> = open.iter().chain([&shelf[0].2.id]).cloned().collect();
    let list = account_path(ana.id, "/itineraries");
    for (who, person, expected) in [
        ("a stranger", &stranger, &public),
        ("one who follows somebody else", &ben, &public),
        ("a follower", &fan, &open),
        ("a member", &member, &shared),
        ("a follower with one private one", &both, &and_one),
        ("herself", &ana, &all),
    ] {
        for query in ["", "?filter=owned"] {
            assert_eq!(&ids(&person.got(&format!("{list}{query}")).await), expected, "{who}{query}");
        }
        let found = walked(person, &list, 2).await;
        assert_eq!(found.len(), expected.len(), "{who}, page by page");
        for (entry, id) in found.iter().zip(expected) {
            let read = person.app.viewed(id).await;
            assert_eq!((&entry["id"], &entry["etag"]), (&json!(id), &json!(read.etag)), "{who}");
            for field in ["role", "visibility", "title", "updatedAt"] {
                assert_eq!(entry[field], read.json[field], "{who}: {field}");
            }
            assert_eq!(entry["author"]["accountId"], ana.id.to_string());
        }
    }
    let typed = fan.sdk.account_itinerary_list(ana.id).filter(ListFilter::Owned).limit(3);
    let typed = typed.send().await.expect("a page");
    assert_eq!(typed.data.iter().map(|entry| entry.id.to_string()).collect::<Vec<_>>(), open[..3]);
    let response = stranger.get(&list).await;
    assert_eq!((response.header("etag"), response.header("cache-control")), ("", "private, no-cache"));
    // Without visible itineraries the list is empty, and not 404.
    assert_eq!(stranger.got(&account_path(member.id, "/itineraries")).await, json!({ "data": [], "nextCursor": null }));
}

#[api_test]
async fn copies_are_owned_and_private(world: World) {
    let (ana, ben) = (Person::of(&world, "ana").await, Person::of(&world, "ben").await);
    let at = ana.shows(1, "public").await;
    let saved = ben.app.call(Method::POST, &format!("{}/saves", path(&at.id))).send().await;
    let copy = Stored::of(&saved);
    let list = account_path(ben.id, "/itineraries");
    assert_eq!(ids(&ben.got(&list).await), [copy.id.as_str()]);
    assert!(ids(&ana.got(&list).await).is_empty(), "that he has a copy is not told");
    ben.moves(&copy, "public").await;
    assert_eq!(ids(&ana.got(&list).await), [copy.id]);
    assert_eq!(ids(&ben.got(&account_path(ana.id, "/itineraries")).await), [at.id]);
}

#[api_test(limits = false)]
async fn lists_of_other_accounts_accept_only_the_owned_filter(world: World) {
    let (ana, ben) = (Person::of(&world, "ana").await, Person::of(&world, "ben").await);
    ana.shows(1, "public").await;
    for person in [&ana, &ben] {
        let list = account_path(ana.id, "/itineraries");
        let nowhere = account_path(NOTHING, "/itineraries");
        for filter in ["all", "shared", "saved", "liked", "disliked", "mine", "", "Owned", "owned,all"] {
            let response = person.get(&format!("{list}?filter={filter}")).await;
            assert!(response.expect_error(403, "forbidden").is_null(), "{filter}");
            assert!(person.get(&format!("{nowhere}?filter={filter}")).await.expect_error(404, "notFound").is_null());
        }
        for path in [&list, &nowhere] {
            person.get(&format!("{path}?filter=owned&filter=owned")).await.expect_invalid("filter");
        }
        person.get(&nowhere).await.expect_error(404, "notFound");
        person.get(&format!("{nowhere}?filter=owned")).await.expect_error(404, "notFound");
        for bad in ["0", "101", "-1", "abc", "", "1&limit=1"] {
            person.get(&format!("{list}?limit={bad}")).await.expect_invalid("limit");
        }
        for bad in NO_IDS {
            person.get(&format!("/v1/accounts/{bad}/itineraries?filter=all")).await.expect_invalid("accountId");
        }
        // Parameters of other lists are ignored.
        let more = person.got(&format!("{list}?updatedSince=2030-01-01T00:00:00Z")).await;
        assert_eq!(ids(&more).len(), 1);
    }
    let liked = ben.sdk.account_itinerary_list(ana.id).filter(ListFilter::Liked).send().await;
    assert_eq!(refused(liked, 403, "forbidden"), None);
}

#[api_test(limits = false)]
async fn a_cursor_is_good_for_its_reader_and_shelf_alone(world: World) {
    let (ana, ben) = (Person::of(&world, "ana").await, Person::of(&world, "ben").await);
    for person in [&ana, &ben] {
        for day in 1..=4 {
            person.shows(day, "public").await;
            world.clock.advance(TimeDelta::seconds(i64::from(day % 2)));
        }
    }
    let (list, other) = (account_path(ana.id, "/itineraries"), account_path(ben.id, "/itineraries"));
    let real = cursor(&ben.got(&format!("{list}?limit=2")).await).expect("another page");
    ana.get(&format!("{list}?cursor={real}")).await.expect_invalid("cursor");
    for wrong in [
        &*other,
        "/v1/itineraries",
        "/v1/itineraries?filter=owned",
        "/v1/explore",
        "/v1/explore?following=true",
        &account_path(ana.id, "/followers"),
        &account_path(ana.id, "/following"),
        &account_path(NOTHING, "/itineraries"),
    ] {
        let joint = if wrong.contains('?') { '&' } else { '?' };
        ben.get(&format!("{wrong}{joint}cursor={real}")).await.expect_invalid("cursor");
    }
    for bad in altered(&real) {
        ben.get(&format!("{list}?cursor={bad}")).await.expect_invalid("cursor");
    }
    // The library and the list of one's own account are different lists.
    let own = cursor(&ben.got("/v1/itineraries?filter=owned&limit=2").await).expect("another page");
    ben.get(&format!("{other}?cursor={own}")).await.expect_invalid("cursor");
    // The default filter, or another page size, continues the same list.
    let rest = ben.got(&format!("{list}?cursor={real}")).await;
    assert_eq!((ids(&rest).len(), cursor(&rest)), (2, None));
    assert_eq!(ids(&ben.got(&format!("{list}?filter=owned&limit=100&cursor={real}")).await), ids(&rest));
}

// Publishing, unpublishing and deleting during a walk make nothing else skip or repeat.
#[api_test(limits = false)]
async fn pages_hold_while_the_owner_shows_and_hides(world: World) {
    let (ana, ben) = (Person::of(&world, "ana").await, Person::of(&world, "ben").await);
    let mut shelf = Vec::new();
    for day in 1..=21 {
        shelf.push(ana.shows(day, "public").await);
        world.clock.advance(TimeDelta::seconds(i64::from(day % 2)));
    }
    let list = account_path(ana.id, "/itineraries");
    let order: Vec<String> = ids(&ben.got(&format!("{list}?limit=100")).await);
    let at = |id: &str| shelf.iter().find(|stored| stored.id == id).expect("one of them");
    let (mut found, mut gone, mut next) = (Vec::new(), Vec::new(), String::new());
    loop {
        let page = ben.got(&format!("{list}?limit=4{next}")).await;
        found.extend(ids(&page));
        let Some(after) = cursor(&page) else { break };
        next = format!("&cursor={after}");
        // The itinerary at the cursor is hidden, the last one is deleted, a new one is published.
        ana.moves(at(found.last().expect("a page is not empty")), "private").await;
        let oldest = order.iter().rev().find(|id| !gone.contains(*id) && !found.contains(id));
        if let Some(oldest) = oldest {
            assert_eq!(ana.app.delete(at(oldest)).await.status, 204);
            gone.push(oldest.clone());
        }
        ana.app.create_call("?allowDuplicate=true", &itinerary_tests::bodies::on_day(30)).send().await;
    }
    let expected: Vec<_> = order.into_iter().filter(|id| !gone.contains(id)).collect();
    assert!(gone.len() >= 3);
    assert_eq!(found, expected);
    let now = ben.got(&format!("{list}?limit=100")).await;
    assert!(gone.iter().all(|id| entry(&now, id).is_none()));
}
