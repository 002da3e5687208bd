//! Follows, profiles and changes of them.

use std::time::Duration;

use chrono::{DateTime, Utc};
use itinerary_model::Plan;
use itinerary_store::FollowSide::{Followers, Following};
use itinerary_store::{AccountColumns, DatabaseKind, FollowOutcome, ProfileRow, Store};
use uuid::Uuid;

use crate::beside::{crowd, with_an_itinerary};
use crate::engines::at_once;
use crate::fixtures::{at, id};

async fn follow(store: &Store, follower: u128, account: u128) -> FollowOutcome {
    store.follow_set(id(follower), id(account), at(0)).await.expect("answered")
}

async fn profile(store: &Store, number: u128, reader: u128) -> ProfileRow {
    store.profile(id(number), id(reader)).await.expect("read").expect("there")
}

async fn counts(store: &Store, number: u128) -> (i64, i64) {
    let profile = profile(store, number, 1).await;
    (profile.followers, profile.following)
}

/// Followers and following of an account, counted from the rows.
async fn rows(store: &Store, number: u128) -> (i64, i64) {
    let followers = store.follows_page(Followers, id(number), id(1), None, 1000).await.expect("read").len();
    let following = store.follows_page(Following, id(number), id(1), None, 1000).await.expect("read").len();
    (i64::try_from(followers).expect("few"), i64::try_from(following).expect("few"))
}

#[tokio::test(flavor = "multi_thread")]
async fn following_shows_in_both_profiles_until_it_ends() {
    with_an_itinerary(async |store, _| {
        let ben = ProfileRow {
            id: id(2),
            username: "BEN".to_owned(),
            display_name: "ben the traveller".to_owned(),
            image_url: None,
            plan: Plan::Free,
            followers: 0,
            following: 0,
            followed: false,
        };
        assert_eq!(profile(&store, 2, 1).await, ben);
        for _ in 0..2 {
            assert_eq!(follow(&store, 1, 2).await, FollowOutcome::Following);
            let followed = ProfileRow { followers: 1, followed: true, ..ben.clone() };
            assert_eq!(profile(&store, 2, 1).await, followed);
            assert_eq!(store.profile_by_username("ben", id(1)).await.expect("read"), Some(followed));
            assert!(!profile(&store, 2, 2).await.followed, "that is the reader's");
            assert_eq!((counts(&store, 1).await, counts(&store, 2).await), ((0, 1), (1, 0)));
        }
        for _ in 0..2 {
            assert!(store.follow_clear(id(1), id(2)).await.expect("answered"));
            assert_eq!(profile(&store, 2, 1).await, ben);
            assert_eq!((counts(&store, 1).await, counts(&store, 2).await), ((0, 0), (0, 0)));
        }
        assert_eq!(follow(&store, 1, 2).await, FollowOutcome::Following, "and it may begin again");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn unknown_accounts_cannot_follow_or_be_followed() {
    with_an_itinerary(async |store, beside| {
        assert_eq!(follow(&store, 1, 99).await, FollowOutcome::NoAccount);
        assert_eq!(follow(&store, 99, 1).await, FollowOutcome::NoAccount);
        assert!(!store.follow_clear(id(1), id(99)).await.expect("answered"));
        assert!(store.follow_clear(id(99), id(1)).await.expect("answered"), "the other one is there");
        for (account, follower) in [(1, 2), (1, 99), (99, 1)] {
            assert!(!store.follower_remove(id(account), id(follower), at(0)).await.expect("answered"));
        }
        assert_eq!(store.profile(id(99), id(1)).await.expect("read"), None);
        assert_eq!(store.profile_by_username("nobody", id(1)).await.expect("read"), None);
        assert_eq!(store.follows_page(Followers, id(99), id(1), None, 10).await.expect("read"), []);
        let counted = "SELECT CAST(sum(followers + following) AS BIGINT) FROM account_counters";
        assert_eq!(beside.number(counted, []).await, 0);
        assert_eq!(beside.number("SELECT count(*) FROM removed_followers", []).await, 0);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn removed_follower_cannot_follow_again() {
    with_an_itinerary(async |store, _| {
        follow(&store, 1, 2).await;
        for _ in 0..2 {
            assert!(store.follower_remove(id(2), id(1), at(1)).await.expect("answered"));
            assert_eq!((counts(&store, 1).await, counts(&store, 2).await), ((0, 0), (0, 0)));
            assert_eq!(follow(&store, 1, 2).await, FollowOutcome::Removed);
        }
        assert!(store.follow_clear(id(1), id(2)).await.expect("answered"));
        assert_eq!(follow(&store, 2, 1).await, FollowOutcome::Following, "the other way round is another matter");

        assert!(store.follow_clear(id(2), id(1)).await.expect("answered"));
        assert!(!store.follower_remove(id(1), id(2), at(2)).await.expect("answered"), "who left was not removed");
        assert_eq!(follow(&store, 2, 1).await, FollowOutcome::Following);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn counters_stay_exact_while_all_follow_each_other() {
    with_an_itinerary(async |store, _| {
        crowd(&store, 100..108).await;
        let pairs: Vec<_> = (100..108)
            .flat_map(|follower| (100..108).map(move |account| (follower, account)))
            .filter(|(follower, account)| follower != account)
            .collect();
        for ends in [false, true] {
            at_once(56, |index| {
                let (store, (follower, account)) = (store.clone(), pairs[index]);
                async move {
                    for step in 0..4 {
                        if ends && (index + step) % 3 == 0 {
                            assert!(store.follow_clear(id(follower), id(account)).await.expect("answered"));
                        } else {
                            assert_eq!(follow(&store, follower, account).await, FollowOutcome::Following);
                        }
                    }
                }
            })
            .await;
            for number in 100..108 {
                assert_eq!(counts(&store, number).await, rows(&store, number).await);
                assert!(ends || counts(&store, number).await == (7, 7));
            }
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_follow_begun_and_ended_often_at_once_is_counted_once() {
    with_an_itinerary(async |store, _| {
        for ends in [1, 2, 3] {
            at_once(32, |index| {
                let store = store.clone();
                async move {
                    if index % ends == 0 && ends > 1 {
                        assert!(store.follow_clear(id(1), id(2)).await.expect("answered"));
                    } else {
                        assert_eq!(follow(&store, 1, 2).await, FollowOutcome::Following);
                    }
                }
            })
            .await;
            for number in [1, 2] {
                assert_eq!(counts(&store, number).await, rows(&store, number).await);
            }
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_follow_stands_beside_a_removal() {
    with_an_itinerary(async |store, beside| {
        crowd(&store, 100..180).await;
        for first in (100..180).step_by(16) {
            for follower in (first..first + 16).step_by(2) {
                follow(&store, follower, 2).await;
            }
            at_once(64, |index| {
                let store = store.clone();
                async move {
                    let follower = first + (index / 4) as u128;
                    match index % 4 {
                        0 => drop(store.follower_remove(id(2), id(follower), at(1)).await.expect("answered")),
                        1 => drop(store.follow_clear(id(follower), id(2)).await.expect("answered")),
                        _ => drop(follow(&store, follower, 2).await),
                    }
                }
            })
            .await;
        }
        let beside_each_other = "SELECT count(*) FROM follows f JOIN removed_followers r \
             ON r.account_id = f.followed_id AND r.follower_id = f.follower_id";
        assert_eq!(beside.number(beside_each_other, []).await, 0);
        for number in (100..180).chain([2]) {
            assert_eq!(counts(&store, number).await, rows(&store, number).await);
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_removal_that_is_under_way_is_waited_for() {
    with_an_itinerary(async |store, beside| {
        follow(&store, 1, 2).await;
        let counters = "UPDATE account_counters SET followers = followers WHERE account_id = $1";
        let held = beside.holding(counters, [id(2).into()]).await;
        let removing = tokio::spawn({
            let store = store.clone();
            async move { store.follower_remove(id(2), id(1), at(1)).await.expect("answered") }
        });
        tokio::time::sleep(Duration::from_millis(200)).await;
        let following = tokio::spawn({
            let store = store.clone();
            async move { follow(&store, 1, 2).await }
        });
        tokio::time::sleep(Duration::from_millis(200)).await;
        assert!(!removing.is_finished() && !following.is_finished(), "they wait");
        held.execute("COMMIT", []).await;
        assert!(removing.await.expect("no panic"));
        // Either may have been first; in both cases the follow is removed.
        let followed = following.await.expect("no panic");
        assert!(followed == FollowOutcome::Removed || store.kind() == DatabaseKind::Sqlite);
        assert_eq!((counts(&store, 1).await, rows(&store, 2).await), ((0, 0), (0, 0)));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_account_deleted_at_the_same_moment_is_not_there() {
    with_an_itinerary(async |store, beside| {
        crowd(&store, 100..120).await;
        for number in 100..120 {
            follow(&store, number, 2).await;
            at_once(8, |index| {
                let (store, beside) = (store.clone(), beside.clone());
                async move {
                    match index {
                        2 => drop(beside.execute("DELETE FROM accounts WHERE id = $1", [id(number).into()]).await),
                        3 => drop(store.follower_remove(id(2), id(number), at(1)).await.expect("answered")),
                        4 => drop(store.follow_clear(id(number), id(2)).await.expect("answered")),
                        5 | 6 => drop(follow(&store, 2, number).await),
                        _ => drop(follow(&store, number, 2).await),
                    }
                }
            })
            .await;
            assert_eq!(follow(&store, 2, number).await, FollowOutcome::NoAccount);
            assert_eq!(follow(&store, number, 2).await, FollowOutcome::NoAccount);
            assert!(!store.follow_clear(id(2), id(number)).await.expect("answered"));
        }
        assert_eq!(rows(&store, 2).await, (0, 0));
    })
    .await;
}

type Page = Vec<(DateTime<Utc>, ProfileRow)>;

async fn walk(page: impl AsyncFn(Option<(DateTime<Utc>, Uuid)>) -> Page) -> Vec<(DateTime<Utc>, Uuid)> {
    let (mut seen, mut after) = (Vec::new(), None);
    loop {
        let rows = page(after).await;
        assert!(rows.len() <= 4);
        seen.extend(rows.iter().map(|(since, profile)| (*since, profile.id)));
        let Some(last) = seen.last().copied().filter(|_| !rows.is_empty()) else { return seen };
        after = Some(last);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_walk_sees_every_follow_once_newest_first() {
    with_an_itinerary(async |store, _| {
        crowd(&store, 100..117).await;
        let mut expected = Vec::new();
        for number in 100..117 {
            let since = at(i64::try_from(number % 5).expect("small"));
            expected.push((since, id(number)));
            store.follow_set(id(number), id(2), since).await.expect("answered");
            store.follow_set(id(2), id(number), since).await.expect("answered");
        }
        follow(&store, 1, 100).await;
        expected.sort_unstable();
        expected.reverse();
        let followers = async |after| store.follows_page(Followers, id(2), id(1), after, 4).await.expect("read");
        let following = async |after| store.follows_page(Following, id(2), id(1), after, 4).await.expect("read");
        assert_eq!(walk(followers).await, expected);
        assert_eq!(walk(following).await, expected);
        let (since, last) =
            store.follows_page(Followers, id(2), id(1), None, 99).await.expect("read").pop().expect("rows");
        assert_eq!((last.clone(), since), (profile(&store, 100, 1).await, at(0)));
        assert!(last.followed && last.followers == 2 && last.following == 1);
        assert_eq!(store.follows_page(Following, id(1), id(2), None, 9).await.expect("read").len(), 1, "nobody else's");
    })
    .await;
}

fn columns(name: &str, image_url: Option<&str>, home_place: Option<&str>) -> AccountColumns {
    AccountColumns {
        display_name: name.to_owned(),
        image_url: image_url.map(str::to_owned),
        home_place: home_place.map(str::to_owned),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_account_changes_only_from_what_it_was() {
    with_an_itinerary(async |store, _| {
        let made = columns("ana the traveller", None, None);
        let full = columns("Ana", Some("https://pictures.example/ana"), Some(r#"{"name":"Porto"}"#));
        let update = async |id, from: &AccountColumns, to: &AccountColumns| {
            store.account_update(id, from, to).await.expect("answered")
        };
        assert!(!update(id(99), &made, &full).await);
        assert!(update(id(1), &made, &full).await);
        for stale in [
            AccountColumns { display_name: "Anna".to_owned(), ..full.clone() },
            AccountColumns { image_url: None, ..full.clone() },
            AccountColumns { home_place: None, ..full.clone() },
            made.clone(),
        ] {
            assert!(!update(id(1), &stale, &made).await, "{stale:?}");
        }
        let account = store.account(id(1)).await.expect("read").expect("there");
        assert_eq!(columns(&account.display_name, account.image_url.as_deref(), account.home_place.as_deref()), full);
        assert_eq!(profile(&store, 1, 2).await.image_url, full.image_url);
        assert!(update(id(1), &full, &made).await, "and back to nothing");
        assert!(update(id(1), &made, &made).await, "a change of nothing is one");

        let outcomes = at_once(16, |index| {
            let (store, made) = (store.clone(), made.clone());
            let to = columns(&format!("Ana {index}"), None, None);
            async move { store.account_update(id(1), &made, &to).await.expect("answered") }
        })
        .await;
        assert_eq!(outcomes.iter().filter(|written| **written).count(), 1);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn following_is_limited_by_the_quota() {
    with_an_itinerary(async |store, beside| {
        assert_eq!(follow(&store, 1, 2).await, FollowOutcome::Following);
        let full = "UPDATE account_counters SET following = $1 WHERE account_id = $2";
        assert_eq!(beside.execute(full, [store.quotas().following.into(), id(1).into()]).await, 1);
        crowd(&store, 300..301).await;
        assert_eq!(follow(&store, 1, 300).await, FollowOutcome::Full);
        assert_eq!(follow(&store, 1, 2).await, FollowOutcome::Following, "who is followed already stays so");
        assert_eq!(counts(&store, 300).await, (0, 0));
        assert!(store.follow_clear(id(1), id(2)).await.expect("answered"));
        assert_eq!(follow(&store, 1, 300).await, FollowOutcome::Following);
    })
    .await;
}
