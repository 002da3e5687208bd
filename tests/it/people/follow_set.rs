//! Following: beginning, ending, being removed, and counts under concurrency.

use futures::future::join_all;
use itinerary_tests::{World, api_test};
use reqwest::Method;

use super::{NO_IDS, NOTHING, Person, account_path, accounts, crowd, refused, walked};

/// Checks that counts and lists of an account agree.
async fn expect_counts(reader: &Person<'_>, of: &Person<'_>, followers: usize, following: usize) {
    let (told_followers, told_following, _) = reader.counts(of.id).await;
    let lists = [("/followers", followers, told_followers), ("/following", following, told_following)];
    for (side, expected, told) in lists {
        let list = walked(reader, &account_path(of.id, side), 100).await;
        assert_eq!((list.len(), usize::try_from(told)), (expected, Ok(expected)), "{side}");
    }
}

#[api_test]
async fn following_is_set_and_cleared_and_may_be_said_twice(world: World) {
    let (ana, ben) = (Person::of(&world, "ana").await, Person::of(&world, "ben").await);
    let follow = account_path(ana.id, "/follow");
    for _ in 0..2 {
        for (method, counts) in [
            (Method::PUT, (1, 0, true)),
            (Method::PUT, (1, 0, true)),
            (Method::DELETE, (0, 0, false)),
            (Method::DELETE, (0, 0, false)),
        ] {
            let response = ben.app.call(method.clone(), &follow).send().await;
            assert_eq!((response.status.as_u16(), response.text().as_str()), (204, ""), "{method}");
            assert_eq!((response.header("etag"), response.header("content-type")), ("", ""));
            assert_eq!(ben.counts(ana.id).await, counts, "{method}");
            assert_eq!(ana.counts(ben.id).await, (0, counts.0, false), "she does not follow him for it");
            expect_counts(&ben, &ana, usize::try_from(counts.0).expect("few"), 0).await;
        }
    }
}

#[api_test]
async fn nobody_follows_themselves_or_nobody(world: World) {
    let ana = Person::of(&world, "ana").await;
    let own = refused(ana.follow(ana.id).await, 422, "validationFailed");
    assert_eq!(own.as_deref(), Some("accountId"));
    assert_eq!(refused(ana.follow(NOTHING).await, 404, "notFound"), None);
    assert_eq!(refused(ana.unfollow(NOTHING).await, 404, "notFound"), None);
    assert_eq!(refused(ana.remove_follower(NOTHING).await, 404, "notFound"), None);
    refused(ana.remove_follower(ana.id).await, 404, "notFound");
    for bad in NO_IDS {
        for (method, path) in [
            (Method::PUT, format!("/v1/accounts/{bad}/follow")),
            (Method::DELETE, format!("/v1/accounts/{bad}/follow")),
            (Method::DELETE, format!("/v1/account/followers/{bad}")),
        ] {
            ana.app.call(method, &path).send().await.expect_invalid("accountId");
        }
    }
    assert_eq!(ana.counts(ana.id).await, (0, 0, false));
}

#[api_test]
async fn a_removed_follower_may_not_follow_again(world: World) {
    let (ana, ben, cleo) =
        (Person::of(&world, "ana").await, Person::of(&world, "ben").await, Person::of(&world, "cleo").await);
    for person in [&ben, &cleo] {
        person.follow(ana.id).await.expect("she is there");
    }
    ana.follow(ben.id).await.expect("he is there");
    let path = format!("/v1/account/followers/{}", ben.id);
    for _ in 0..3 {
        let removed = ana.app.call(Method::DELETE, &path).send().await;
        assert_eq!((removed.status.as_u16(), removed.text().as_str()), (204, ""), "again is the same");
        expect_counts(&cleo, &ana, 1, 1).await;
        expect_counts(&cleo, &ben, 1, 0).await;
        for _ in 0..2 {
            let response = ben.app.call(Method::PUT, &account_path(ana.id, "/follow")).send().await;
            assert!(response.expect_error(403, "forbidden").is_null());
        }
        // Unfollowing without following succeeds, and does not undo a removal.
        ben.unfollow(ana.id).await.expect("she is there");
    }
    assert_eq!(accounts(&walked(&ben, &account_path(ana.id, "/followers"), 10).await), [cleo.id]);
    // A follow relation has one direction.
    cleo.unfollow(ana.id).await.expect("she is there");
    cleo.follow(ana.id).await.expect("nobody removed her");
    ana.unfollow(ben.id).await.expect("he is there");
    ana.follow(ben.id).await.expect("he removed nobody");
    ben.follow(cleo.id).await.expect("she is there");
    assert_eq!(ben.counts(ana.id).await, (1, 1, false));
    // He still sees what is public.
    let at = ana.shows(1, "public").await;
    assert_eq!(ben.app.viewed(&at.id).await.etag, "\"v2.e\"");
    assert!(ben.got("/v1/explore?following=true").await["data"].as_array().is_some_and(Vec::is_empty));
}

// Nobody can be kept away in advance.
#[api_test]
async fn only_followers_can_be_removed(world: World) {
    let (ana, ben) = (Person::of(&world, "ana").await, Person::of(&world, "ben").await);
    refused(ana.remove_follower(ben.id).await, 404, "notFound");
    ben.follow(ana.id).await.expect("nobody removed him");
    refused(ben.remove_follower(ana.id).await, 404, "notFound");
    ben.unfollow(ana.id).await.expect("she is there");
    refused(ana.remove_follower(ben.id).await, 404, "notFound");
    ben.follow(ana.id).await.expect("nobody removed him");
    assert_eq!(ana.counts(ana.id).await, (1, 0, false));
}

#[api_test(limits = false)]
async fn counts_are_right_however_many_come_and_go_at_once(world: World) {
    let ana = Person::of(&world, "ana").await;
    let people = crowd(&world, "p", 20).await;
    let twice = || people.iter().chain(&people);
    let responses = join_all(twice().map(|person| person.follow(ana.id))).await;
    assert!(responses.iter().all(Result::is_ok), "{responses:?}");
    expect_counts(&ana, &ana, 20, 0).await;
    // The first ten unfollow, each twice, while the others follow again.
    let responses = join_all(twice().enumerate().map(|(n, person)| async move {
        if n % 20 < 10 { person.unfollow(ana.id).await } else { person.follow(ana.id).await }
    }))
    .await;
    assert!(responses.iter().all(Result::is_ok), "{responses:?}");
    expect_counts(&ana, &ana, 10, 0).await;
    // She follows and removes at the same time; each is removed once.
    let removals = people[10..15].iter().chain(&people[10..15]).map(|person| ana.remove_follower(person.id));
    let follows = join_all(people.iter().map(|person| ana.follow(person.id)));
    let (removals, follows) = futures::join!(join_all(removals), follows);
    assert!(removals.iter().chain(&follows).all(Result::is_ok), "{removals:?} {follows:?}");
    expect_counts(&ana, &ana, 5, 20).await;
    for (n, person) in people.iter().enumerate() {
        let (followers, following, followed) = ana.counts(person.id).await;
        assert_eq!((followers, following, followed), (1, i64::from(n >= 15), true), "{n}");
    }
}

// Two accounts that follow each other concurrently do not deadlock.
#[api_test(limits = false)]
async fn two_follow_each_other_at_once(world: World) {
    let people = crowd(&world, "p", 8).await;
    for _ in 0..5 {
        let pairs = people.iter().flat_map(|one| people.iter().map(move |other| (one, other)));
        let follows: Vec<_> = pairs.filter(|(one, other)| one.id != other.id).collect();
        let responses = join_all(follows.iter().map(|(one, other)| one.follow(other.id))).await;
        assert!(responses.iter().all(Result::is_ok), "{responses:?}");
        for person in &people {
            expect_counts(person, person, 7, 7).await;
        }
        let responses = join_all(follows.iter().map(|(one, other)| one.unfollow(other.id))).await;
        assert!(responses.iter().all(Result::is_ok), "{responses:?}");
        for person in &people {
            assert_eq!(person.counts(person.id).await, (0, 0, false));
        }
    }
}

// In either order, a removed follower does not follow in the end.
#[api_test(limits = false)]
async fn removed_follower_no_longer_follows(world: World) {
    let ana = Person::of(&world, "ana").await;
    let people = crowd(&world, "p", 8).await;
    for person in &people {
        person.follow(ana.id).await.expect("nobody removed them");
    }
    for person in &people {
        let moves = join_all((0..6).map(|n| async move {
            if n % 3 == 0 { person.unfollow(ana.id).await } else { person.follow(ana.id).await }
        }));
        let (removed, moves) = futures::join!(ana.remove_follower(person.id), moves);
        for response in moves.into_iter().filter(Result::is_err) {
            refused(response, 403, "forbidden");
        }
        if removed.is_err() {
            // He had unfollowed, so he was not removed and may follow again.
            refused(removed, 404, "notFound");
            person.follow(ana.id).await.expect("nobody removed them");
            ana.remove_follower(person.id).await.expect("he follows");
        }
        refused(person.follow(ana.id).await, 403, "forbidden");
        assert!(!person.counts(ana.id).await.2);
        assert_eq!(ana.counts(person.id).await, (0, 0, false));
    }
    expect_counts(&ana, &ana, 0, 0).await;
}
