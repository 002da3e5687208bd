//! The lists of followers and followed accounts: newest first, in pages that stay consistent while people come and go.

use std::collections::BTreeSet;

use chrono::TimeDelta;
use itinerary_tests::{World, api_test};
use serde_json::json;
use uuid::Uuid;

use super::{NOTHING, Person, account_path, accounts, altered, crowd, cursor, uuid, walked};

#[api_test]
async fn the_newest_comes_first_as_the_reader_knows_them(world: World) {
    let (ana, ben, cleo) =
        (Person::of(&world, "ana").await, Person::pro(&world, "ben").await, Person::of(&world, "cleo").await);
    let followers = account_path(ana.id, "/followers");
    assert_eq!(ana.got(&followers).await, json!({ "data": [], "nextCursor": null }));
    for person in [&ben, &cleo] {
        person.follow(ana.id).await.expect("she is there");
        world.clock.advance(TimeDelta::seconds(1));
    }
    cleo.follow(ben.id).await.expect("he is there");
    // Following again does not change the time.
    ben.follow(ana.id).await.expect("she is there");
    let profile = |person: &Person<'_>, name: &str, pro: bool, counts: (i64, i64), following: bool| {
        json!({
            "accountId": person.id, "username": name, "displayName": name, "isPro": pro,
            "followersCount": counts.0, "followingCount": counts.1, "following": following,
        })
    };
    let page = |of_ben: bool| {
        json!({
            "data": [profile(&cleo, "cleo", false, (0, 2), false), profile(&ben, "ben", true, (1, 1), of_ben)],
            "nextCursor": null,
        })
    };
    let response = cleo.get(&followers).await;
    assert_eq!((response.status.as_u16(), response.json()), (200, page(true)), "she follows him");
    assert_eq!((response.header("cache-control"), response.header("etag")), ("private, no-cache", ""));
    assert_eq!(ana.got(&followers).await, page(false), "the list is the same, the reader is not");
    let following = ana.got(&account_path(cleo.id, "/following")).await;
    assert_eq!(accounts(following["data"].as_array().expect("a page")), [ben.id, ana.id]);
    let typed = ana.sdk.following_list(cleo.id).limit(2).send().await.expect("a page");
    assert_eq!(typed.data.iter().map(|profile| profile.account_id).collect::<Vec<_>>(), [ben.id, ana.id]);
    assert!(following["data"].as_array().expect("a page").iter().all(|profile| profile["following"] == false));
    // Someone who unfollows and follows again is the newest.
    ben.unfollow(ana.id).await.expect("she is there");
    world.clock.advance(TimeDelta::seconds(1));
    ben.follow(ana.id).await.expect("nobody removed him");
    assert_eq!(accounts(&walked(&cleo, &followers, 1).await), [ben.id, cleo.id]);
    let page = cleo.sdk.follower_list(ana.id).limit(1).send().await.expect("a page");
    assert_eq!(page.data.iter().map(|profile| profile.account_id).collect::<Vec<_>>(), [ben.id]);
    let rest = cleo.sdk.follower_list(ana.id).limit(1).cursor(page.next_cursor.expect("another"));
    let rest = rest.send().await.expect("a page");
    assert_eq!((rest.data[0].account_id, rest.next_cursor), (cleo.id, None));
}

/// Walks a list with seven per page, and changes it between pages.
struct Walk {
    found: Vec<Uuid>,
    gone: BTreeSet<Uuid>,
}

impl Walk {
    /// `come` and `go` change the list. `here` is sorted, newest first.
    async fn through(
        reader: &Person<'_>,
        list: &str,
        here: &[Uuid],
        come: impl AsyncFn(usize),
        go: impl AsyncFn(Uuid),
    ) -> Self {
        let (mut found, mut gone, mut next) = (Vec::new(), BTreeSet::new(), String::new());
        for page_number in 0.. {
            let page = reader.got(&format!("{list}?limit=7{next}")).await;
            found.extend(accounts(page["data"].as_array().expect("a page")));
            let Some(after) = cursor(&page) else { break };
            next = format!("&cursor={after}");
            // The account at the cursor goes, one that was not shown goes, one comes.
            go(*found.last().expect("a page is not empty")).await;
            let unseen = here.iter().rev().find(|id| !found.contains(*id) && !gone.contains(*id));
            if let Some(unseen) = unseen {
                go(*unseen).await;
                gone.insert(*unseen);
            }
            come(page_number).await;
        }
        Self { found, gone }
    }

    #[track_caller]
    fn expect(&self, here: &[Uuid]) {
        let expected: Vec<_> = here.iter().filter(|id| !self.gone.contains(*id)).copied().collect();
        assert_eq!(self.found, expected, "each once, in their order, and neither who came nor who had gone");
        assert!(self.gone.len() >= 3, "{:?}", self.gone);
    }
}

/// Sorts newest first. Of each pair with the same instant, the later id comes first.
fn newest_first(people: &[Person<'_>]) -> Vec<Uuid> {
    let mut keys: Vec<_> = people.iter().enumerate().map(|(n, person)| (n / 2, person.id)).collect();
    keys.sort_unstable();
    keys.into_iter().rev().map(|(_, id)| id).collect()
}

#[api_test(limits = false)]
async fn followers_are_walked_while_others_come_and_go(world: World) {
    let (ana, reader) = (Person::of(&world, "ana").await, Person::of(&world, "reader").await);
    let people = crowd(&world, "p", 36).await;
    let (here, later) = people.split_at(30);
    for (n, person) in here.iter().enumerate() {
        person.follow(ana.id).await.expect("she is there");
        world.clock.advance(TimeDelta::seconds(i64::from(n % 2 == 1)));
    }
    let order = newest_first(here);
    let list = account_path(ana.id, "/followers");
    assert_eq!(accounts(&walked(&reader, &list, 7).await), order);
    let come = async |n: usize| later[n].follow(ana.id).await.expect("she is there");
    let go = async |id: Uuid| {
        let person = here.iter().find(|person| person.id == id).expect("one of them");
        // Some unfollow, some are removed.
        if id.as_bytes()[15].is_multiple_of(2) {
            person.unfollow(ana.id).await.expect("she is there");
        } else {
            ana.remove_follower(id).await.expect("they follow");
        }
    };
    Walk::through(&reader, &list, &order, come, go).await.expect(&order);
}

#[api_test(limits = false)]
async fn the_followed_are_walked_while_others_come_and_go(world: World) {
    let (ana, reader) = (Person::of(&world, "ana").await, Person::of(&world, "reader").await);
    let people = crowd(&world, "p", 36).await;
    let (here, later) = people.split_at(30);
    for (n, person) in here.iter().enumerate() {
        ana.follow(person.id).await.expect("they are there");
        world.clock.advance(TimeDelta::seconds(i64::from(n % 2 == 1)));
    }
    let order = newest_first(here);
    let list = account_path(ana.id, "/following");
    assert_eq!(accounts(&walked(&reader, &list, 7).await), order);
    let come = async |n: usize| ana.follow(later[n].id).await.expect("they are there");
    let go = async |id: Uuid| ana.unfollow(id).await.expect("they are there");
    Walk::through(&reader, &list, &order, come, go).await.expect(&order);
}

#[api_test(limits = false)]
async fn a_page_holds_1_to_100_and_25_unless_it_is_said(world: World) {
    let ana = Person::of(&world, "ana").await;
    for person in crowd(&world, "p", 27).await {
        person.follow(ana.id).await.expect("she is there");
        ana.follow(person.id).await.expect("they are there");
    }
    for side in ["/followers", "/following"] {
        let list = account_path(ana.id, side);
        for (query, length, more) in [
            ("", 25, true),
            ("?limit=1", 1, true),
            ("?limit=26", 26, true),
            ("?limit=27", 27, false),
            ("?limit=100", 27, false),
        ] {
            let page = ana.got(&format!("{list}{query}")).await;
            assert_eq!(
                (page["data"].as_array().map(Vec::len), cursor(&page).is_some()),
                (Some(length), more),
                "{query}"
            );
        }
        for bad in ["0", "101", "-1", "abc", "", "1.5", "1&limit=1"] {
            ana.get(&format!("{list}?limit={bad}")).await.expect_invalid("limit");
        }
    }
}

// A cursor is valid only for its reader, account and direction; the page size may change.
#[api_test]
async fn a_cursor_is_good_for_its_list_alone(world: World) {
    let (ana, ben) = (Person::of(&world, "ana").await, Person::of(&world, "ben").await);
    let people = crowd(&world, "p", 4).await;
    for person in &people {
        for whom in [&ana, &ben] {
            person.follow(whom.id).await.expect("they are there");
            whom.follow(person.id).await.expect("they are there");
        }
    }
    let lists = [
        account_path(ana.id, "/followers"),
        account_path(ana.id, "/following"),
        account_path(ben.id, "/followers"),
        account_path(ben.id, "/following"),
        account_path(ana.id, "/itineraries"),
        "/v1/itineraries".to_owned(),
        "/v1/explore".to_owned(),
        "/v1/explore?following=true".to_owned(),
    ];
    for own in &lists[..4] {
        let page = ana.got(&format!("{own}?limit=2")).await;
        let real = cursor(&page).expect("another page");
        for other in lists.iter().filter(|list| *list != own) {
            let joint = if other.contains('?') { '&' } else { '?' };
            ana.get(&format!("{other}{joint}cursor={real}")).await.expect_invalid("cursor");
        }
        ben.get(&format!("{own}?cursor={real}")).await.expect_invalid("cursor");
        for bad in altered(&real) {
            ana.get(&format!("{own}?cursor={bad}")).await.expect_invalid("cursor");
        }
        ana.get(&format!("{own}?cursor={real}&cursor={real}")).await.expect_invalid("cursor");
        let rest = ana.got(&format!("{own}?limit=100&cursor={real}")).await;
        assert_eq!((rest["data"].as_array().map(Vec::len), cursor(&rest)), (Some(2), None));
        assert!(
            real.len() < 300
                && !real.contains(&uuid(page["data"][1]["accountId"].as_str().expect("an id")).simple().to_string())
        );
        // Syntax is checked before the account is looked up.
        let unknown =
            own.replace(&ana.id.to_string(), &NOTHING.to_string()).replace(&ben.id.to_string(), &NOTHING.to_string());
        ana.get(&format!("{unknown}?cursor={real}")).await.expect_invalid("cursor");
        ana.get(&format!("{unknown}?limit=0")).await.expect_invalid("limit");
        ana.get(&format!("{unknown}?limit=2")).await.expect_error(404, "notFound");
    }
}
