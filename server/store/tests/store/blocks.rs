//! Blocks: they end what two accounts share, and prevent it, in both directions.

use itinerary_model::MemberRole;
use itinerary_store::{
    BlockOutcome, FollowOutcome, FollowSide, ListContent, ListQuery, MemberOutcome, NewItinerary, Store,
};

use crate::beside::{create, with_an_itinerary};
use crate::engines::at_once;
use crate::fixtures::{at, id, itinerary};

async fn block(store: &Store, account: u128, blocked: u128) -> BlockOutcome {
    store.block_set(id(account), id(blocked), at(5)).await.expect("answered")
}

async fn share(store: &Store, itinerary: u128, account: u128) -> MemberOutcome {
    store.member_set(id(itinerary), id(account), MemberRole::Viewer, at(6)).await.expect("answered")
}

/// Itinerary 20 of account 2, beside itinerary 10 of account 1.
async fn create_of_2(store: &Store) {
    let own = NewItinerary { owner_id: id(2), ..itinerary(20) };
    store.itinerary_create(own, None, None, at(0)).await.expect("stored");
}

#[tokio::test(flavor = "multi_thread")]
async fn block_removes_follows_and_memberships_between_two_accounts() {
    for blocker in [1, 2] {
        with_an_itinerary(async |store, beside| {
            create_of_2(&store).await;
            create(&store, 11).await;
            assert!(matches!(share(&store, 11, 2).await, MemberOutcome::Set(row) if !row.accepted));
            for (follower, followed) in [(1, 2), (2, 1)] {
                store.follow_set(id(follower), id(followed), at(0)).await.expect("followed");
            }
            assert!(matches!(share(&store, 10, 2).await, MemberOutcome::Set(row) if row.accepted));
            assert!(matches!(share(&store, 20, 1).await, MemberOutcome::Set(row) if row.accepted));
            let blocked = 3 - blocker;
            assert_eq!(block(&store, blocker, blocked).await, BlockOutcome::Blocked);
            assert_eq!(block(&store, blocker, blocked).await, BlockOutcome::Blocked, "again");
            for table in ["members", "invitations", "follows"] {
                assert_eq!(beside.number(&format!("SELECT count(*) FROM {table}"), []).await, 0, "{table}");
            }
            for account in [1, 2] {
                let profile = store.profile(id(account), id(account)).await.expect("read").expect("found");
                assert_eq!((profile.followers, profile.following), (0, 0));
            }
            // Until it ends, neither follows nor invites the other; the blocker is told why.
            let (own, other) = if blocker == 1 { (10, 20) } else { (20, 10) };
            let follow =
                async |follower, followed| store.follow_set(id(follower), id(followed), at(7)).await.expect("answered");
            assert_eq!(follow(blocker, blocked).await, FollowOutcome::Blocked);
            assert_eq!(follow(blocked, blocker).await, FollowOutcome::NoAccount);
            assert_eq!(share(&store, own, blocked).await, MemberOutcome::Blocked);
            assert_eq!(share(&store, other, blocker).await, MemberOutcome::NoAccount);
            assert!(!store.follow_clear(id(blocked), id(blocker)).await.expect("answered"));
            assert!(store.block_clear(id(blocker), id(blocked)).await.expect("answered"));
            assert_eq!(follow(blocked, blocker).await, FollowOutcome::Following);
            assert!(matches!(share(&store, own, blocked).await, MemberOutcome::Set(row) if row.accepted));
        })
        .await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_blocked_account_does_not_find_the_blocker() {
    with_an_itinerary(async |store, beside| {
        beside.execute("UPDATE itineraries SET visibility = 'public'", []).await;
        crate::beside::crowd(&store, 100..101).await;
        for (follower, followed) in [(1, 100), (100, 1)] {
            store.follow_set(id(follower), id(followed), at(0)).await.expect("followed");
        }
        block(&store, 1, 2).await;
        for (reader, is_found) in [(2, false), (100, true), (1, true)] {
            assert_eq!(store.profile(id(1), id(reader)).await.expect("read").is_some(), is_found);
            assert_eq!(store.profile_by_username("ana", id(reader)).await.expect("read").is_some(), is_found);
            let list = ListQuery {
                account_id: id(reader),
                content: ListContent::OwnedBy(id(1)),
                updated_since: None,
                after: None,
                limit: 9,
            };
            assert_eq!(!store.itinerary_page(&list).await.expect("read").is_empty(), is_found);
            for (side, of) in [
                (FollowSide::Followers, 1),
                (FollowSide::Following, 1),
                (FollowSide::Followers, 100),
                (FollowSide::Following, 100),
            ] {
                let page = store.follows_page(side, id(of), id(reader), None, 9).await.expect("read");
                assert_eq!(!page.is_empty(), is_found, "{side:?} of {of}");
            }
            let row =
                store.itinerary(id(10), id(reader), itinerary_store::ContentSelection::Nothing).await.expect("read");
            assert!(row.is_some(), "public itineraries stay readable");
        }
        assert!(store.profile(id(2), id(1)).await.expect("read").is_some(), "the blocker finds the blocked account");
        let page = store.block_page(id(1), None, 9).await.expect("read");
        assert_eq!(page.iter().map(|(since, row)| (*since, row.id)).collect::<Vec<_>>(), [(at(5), id(2))]);
        assert_eq!(block(&store, 1, 99).await, BlockOutcome::NoAccount);
        assert!(!store.block_clear(id(1), id(99)).await.expect("answered"));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_shared_across_a_block_of_the_same_moment() {
    with_an_itinerary(async |store, beside| {
        create_of_2(&store).await;
        for round in 0..10 {
            let before = share(&store, 10, 2).await;
            assert!(matches!(before, MemberOutcome::Set(_)), "{before:?}");
            at_once(12, |index| {
                let store = store.clone();
                async move {
                    match index % 6 {
                        0 => drop(block(&store, 1, 2).await),
                        1 => drop(block(&store, 2, 1).await),
                        2 => drop(store.invitation_accept(id(10), id(2), at(6)).await.expect("answered")),
                        3 => drop(share(&store, 10, 2).await),
                        4 => drop(share(&store, 20, 1).await),
                        _ => drop(store.follow_set(id(2), id(1), at(6)).await.expect("answered")),
                    }
                }
            })
            .await;
            for table in ["members", "invitations", "follows"] {
                assert_eq!(beside.number(&format!("SELECT count(*) FROM {table}"), []).await, 0, "{round}: {table}");
            }
            for (account, blocked) in [(1, 2), (2, 1)] {
                assert!(store.block_clear(id(account), id(blocked)).await.expect("answered"));
            }
        }
    })
    .await;
}
