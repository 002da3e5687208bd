//! Revisions: one row for each version, within the limits.

use itinerary_store::{
    Idempotent, ItineraryChange, MemberOutcome, NewRevision, REVISION_DAYS, REVISIONS_KEPT, Store, WriteOutcome,
};

use crate::beside::with_an_itinerary;
use crate::fixtures::{at, change, id};

const DAY: i64 = 24 * 60 * 60;

/// Changes itinerary 10 from a version, with as many bytes of what it replaced.
async fn write(store: &Store, version: i64, editor: Option<u128>, replaced: Option<usize>) -> WriteOutcome {
    let change = change(10, version, "Title");
    let revision =
        NewRevision { replaced: replaced.map(|size| vec![version.to_le_bytes()[0]; size]), ..change.revision };
    let change = ItineraryChange { editor: editor.map(id), revision, ..change };
    match store.itinerary_update(change, None, at(9)).await.expect("answered") {
        Idempotent::Executed(outcome) => outcome,
        Idempotent::Replayed(_) => unreachable!("there is no key"),
    }
}

async fn versions(store: &Store) -> Vec<i64> {
    let rows = store.revisions(id(10), 1, i64::MAX).await.expect("rows");
    rows.into_iter().map(|row| row.version).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn each_version_has_a_row_with_what_it_replaced() {
    with_an_itinerary(async |store, _| {
        assert_eq!(write(&store, 1, None, Some(3)).await, WriteOutcome::Written);
        assert_eq!(write(&store, 2, None, Some(5)).await, WriteOutcome::Written);
        assert_eq!(write(&store, 2, None, Some(7)).await, WriteOutcome::Stale(3));
        let rows = store.revisions(id(10), 1, 3).await.expect("rows");
        let [third, second, first] = &rows[..] else { panic!("three rows: {rows:?}") };
        assert_eq!((third.version, third.replaced.as_deref()), (3, Some(&[2; 5][..])));
        assert_eq!((second.version, second.replaced.as_deref()), (2, Some(&[1; 3][..])));
        assert_eq!((first.version, first.replaced.as_deref()), (1, None));
        assert_eq!((third.updated_at, first.updated_at), (at(9), at(0)));
        assert_eq!((third.account_id, third.username.as_deref()), (Some(id(1)), Some("ANA")));
        assert_eq!(store.replaced_since(id(10), 1, 3).await.expect("steps"), Some(vec![vec![2; 5], vec![1; 3]]));
        assert_eq!(store.replaced_since(id(10), 3, 3).await.expect("steps"), Some(Vec::new()));
        for (base, version) in [(0, 3), (4, 3), (1, 4)] {
            assert_eq!(store.replaced_since(id(10), base, version).await.expect("steps"), None, "{base} to {version}");
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rejected_change_stores_no_row() {
    with_an_itinerary(async |store, _| {
        assert_eq!(write(&store, 1, Some(2), Some(3)).await, WriteOutcome::NotAllowed);
        assert_eq!(versions(&store).await, [1]);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_oldest_rows_beyond_the_limits_are_deleted() {
    with_an_itinerary(async |store, _| {
        let count = REVISIONS_KEPT + 5;
        for version in 1..count {
            write(&store, version, None, Some(1)).await;
        }
        assert_eq!(versions(&store).await, (count - REVISIONS_KEPT + 1..=count).rev().collect::<Vec<_>>());
        // Two of these are more than a megabyte.
        for version in count..count + 3 {
            write(&store, version, None, Some(600_000)).await;
        }
        assert_eq!(versions(&store).await, [count + 3]);
        write(&store, count + 3, None, Some(400_000)).await;
        assert_eq!(versions(&store).await, [count + 4, count + 3]);
        // Nothing before a version whose former content is too large, or missing, can be rebuilt.
        write(&store, count + 4, None, Some(1_100_000)).await;
        assert_eq!(versions(&store).await, [count + 5]);
        assert_eq!(store.replaced_since(id(10), count + 4, count + 5).await.expect("steps"), None);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_expire_by_age_and_by_the_size_for_an_owner() {
    with_an_itinerary(async |store, beside| {
        for version in 1..4 {
            write(&store, version, None, Some(20_000)).await;
        }
        let age = "UPDATE revisions SET updated_at = $1 WHERE version = $2";
        for (seconds, version) in [(0, 1_i64), (2, 2), (3, 3), (4, 4)] {
            beside.execute(age, [at(seconds).timestamp_millis().into(), version.into()]).await;
        }
        assert_eq!(store.revisions_expire(at(REVISION_DAYS * DAY)).await.expect("done"), 0);
        assert_eq!(store.revisions_expire(at(REVISION_DAYS * DAY + 1)).await.expect("done"), 1);
        assert_eq!(versions(&store).await, [4, 3, 2]);
        beside.execute("UPDATE revisions SET size = 27000000 WHERE version < $1", [4_i64.into()]).await;
        assert_eq!(store.revisions_expire(at(5)).await.expect("done"), 1);
        assert_eq!(versions(&store).await, [4, 3]);
        assert_eq!(store.itinerary_delete(id(10), 4, at(9)).await.expect("answered"), WriteOutcome::Written);
        assert_eq!(versions(&store).await, [0; 0]);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_member_remembers_the_version_at_which_they_joined() {
    with_an_itinerary(async |store, beside| {
        assert_eq!(store.member_since_version(id(10), id(2)).await.expect("answered"), None);
        write(&store, 1, None, Some(1)).await;
        let follow = "INSERT INTO follows (follower_id, followed_id, created_at) VALUES ($1, $2, 0)";
        beside.execute(follow, [id(2).into(), id(1).into()]).await;
        let set = store.member_set(id(10), id(2), itinerary_model::MemberRole::Editor, at(3)).await;
        assert!(matches!(set, Ok(MemberOutcome::Set(_))), "{set:?}");
        write(&store, 2, Some(2), Some(1)).await;
        assert_eq!(store.member_since_version(id(10), id(2)).await.expect("answered"), Some(2));
    })
    .await;
}
