//! The change feed: which rows a change adds, positions in the order of commits, sweeping, and epochs.

use std::time::{Duration, Instant};

use itinerary_model::MemberRole;
use itinerary_store::{ChangeKind, ChangeRow, FeedSequence, Store, WriteOutcome};
use sea_orm::Value;
use uuid::Uuid;

use crate::beside::{Beside, create, crowd, with_an_itinerary};
use crate::engines::at_once;
use crate::fixtures::{at, id};

const EVERYTHING: u32 = 10_000;

/// Gives positions to all committed changes.
async fn sequence(store: &Store) {
    while store.changes_sequence().await.expect("sequenced") != FeedSequence::Placed(0) {}
}

/// The changes of an account after a position.
async fn after(store: &Store, account: Uuid, position: i64) -> Vec<ChangeRow> {
    sequence(store).await;
    store.change_page(account, position, EVERYTHING).await.expect("read").rows
}

/// The kinds and itineraries of an account's changes after a position.
async fn kinds(store: &Store, account: Uuid, position: i64) -> Vec<(ChangeKind, Uuid)> {
    after(store, account, position).await.into_iter().map(|row| (row.kind, row.itinerary_id)).collect()
}

/// The last position.
async fn last(store: &Store) -> i64 {
    sequence(store).await;
    store.change_feed().await.expect("a feed").last
}

async fn settled(store: &Store) {
    assert!(store.change_feed_settle("first").await.expect("settled"));
}

/// Makes a follower of account 1 a member of itinerary 10.
async fn share(store: &Store, account: Uuid, role: MemberRole) {
    store.follow_set(account, id(1), at(0)).await.expect("followed");
    store.member_set(id(10), account, role, at(1)).await.expect("shared");
}

#[tokio::test(flavor = "multi_thread")]
async fn everyone_concerned_reads_a_change() {
    use ChangeKind::{Deleted, Role, Shared, Unshared, Updated};
    with_an_itinerary(async |store, _| {
        settled(&store).await;
        crowd(&store, 100..102).await;
        let (owner, ben, cleo) = (id(1), id(100), id(101));
        assert_eq!(kinds(&store, owner, 0).await, [(Updated, id(10))]);
        assert_eq!(kinds(&store, ben, 0).await, []);

        let mut reached = last(&store).await;
        share(&store, ben, MemberRole::Viewer).await;
        share(&store, cleo, MemberRole::Viewer).await;
        // Of before, too: it may not have been read before it was shared.
        assert_eq!(kinds(&store, ben, 0).await, [(Updated, id(10)), (Shared, id(10))]);
        assert_eq!(kinds(&store, ben, reached).await, [(Shared, id(10))]);
        assert_eq!(kinds(&store, owner, reached).await, [], "members of others are no change");

        reached = last(&store).await;
        share(&store, ben, MemberRole::Viewer).await;
        assert_eq!(kinds(&store, ben, reached).await, [], "the same role again");
        share(&store, ben, MemberRole::Editor).await;
        assert_eq!(kinds(&store, ben, reached).await, [(Role, id(10))]);
        assert_eq!(kinds(&store, cleo, reached).await, []);

        reached = last(&store).await;
        assert!(store.member_remove(id(10), ben, false, at(3)).await.expect("removed"));
        assert_eq!(kinds(&store, ben, reached).await, [(Unshared, id(10))]);
        share(&store, ben, MemberRole::Viewer).await;
        store.block_set(owner, ben, at(4)).await.expect("blocked");
        assert_eq!(kinds(&store, ben, reached).await, [(Unshared, id(10)), (Shared, id(10)), (Unshared, id(10))]);

        reached = last(&store).await;
        assert_eq!(store.itinerary_delete(id(10), 7, at(5)).await.expect("answered"), WriteOutcome::Stale(1));
        assert_eq!(kinds(&store, cleo, reached).await, [], "what was refused is no change");
        assert_eq!(store.itinerary_delete(id(10), 1, at(5)).await.expect("deleted"), WriteOutcome::Written);
        for (account, expected) in [(owner, &[(Deleted, id(10))][..]), (cleo, &[(Deleted, id(10))]), (ben, &[])] {
            assert_eq!(kinds(&store, account, reached).await, expected);
        }
        let rows = after(&store, owner, 0).await;
        assert_eq!(rows.iter().map(|row| (row.kind, row.version)).collect::<Vec<_>>(), [(Deleted, None)]);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_is_cut_and_continued_without_a_gap() {
    with_an_itinerary(async |store, _| {
        settled(&store).await;
        for number in 11..30 {
            create(&store, number).await;
        }
        sequence(&store).await;
        let (mut read, mut reached) = (Vec::new(), 0);
        loop {
            let page = store.change_page(id(1), reached, 3).await.expect("read").rows;
            let Some(end) = page.last() else { break };
            reached = end.position;
            read.extend(page.into_iter().map(|row| row.itinerary_id));
        }
        assert_eq!(read, (10..30).map(id).collect::<Vec<_>>());
    })
    .await;
}

// On PostgreSQL, versions that have no position yet are forgotten too, also while a server gives positions.
#[tokio::test(flavor = "multi_thread")]
async fn no_version_of_a_deleted_itinerary_stays_in_the_feed() {
    with_an_itinerary(async |store, beside: Beside| {
        settled(&store).await;
        for number in 20..40 {
            create(&store, number).await;
            let delete = store.itinerary_delete(id(number), 1, at(5));
            // Without a position, and while it gets one.
            let deleted = if number < 25 { delete.await } else { tokio::join!(delete, sequence(&store)).0 };
            assert_eq!(deleted.expect("deleted"), WriteOutcome::Written);
            sequence(&store).await;
            let versions = "SELECT count(*) FROM changes WHERE itinerary_id = $1 AND kind = 'updated'";
            assert_eq!(beside.number(versions, [Value::from(id(number))]).await, 0, "{number}");
        }
    })
    .await;
}

/// Creates itineraries while a transaction that has added one stays open for `open`. Checks that
/// the others are read meanwhile, at once, and that afterwards nothing is missing.
async fn late_commit(open: Duration) {
    with_an_itinerary(async |store, beside: Beside| {
        if store.kind() == itinerary_store::DatabaseKind::Sqlite {
            // Transactions of other processes wait for each other.
            return;
        }
        settled(&store).await;
        let mut reached = last(&store).await;
        let late = "INSERT INTO new_changes (kind, itinerary_id, account_id, at) VALUES ('shared', $1, $2, 0)";
        let holder = beside.holding(late, [Value::from(id(77)), id(1).into()]).await;
        let (began, mut number) = (Instant::now(), 1_000);
        while began.elapsed() < open {
            create(&store, number).await;
            let committed = Instant::now();
            let read = after(&store, id(1), reached).await;
            assert!(committed.elapsed() < Duration::from_secs(2), "it waits for nobody");
            assert_eq!(read.iter().map(|row| row.itinerary_id).collect::<Vec<_>>(), [id(number)]);
            reached = read[0].position;
            number += 1;
            tokio::time::sleep(open / 150).await;
        }
        holder.execute("COMMIT", []).await;
        let read = after(&store, id(1), reached).await;
        assert_eq!(
            read.iter().map(|row| (row.kind, row.itinerary_id)).collect::<Vec<_>>(),
            [(ChangeKind::Shared, id(77))]
        );
        assert!(number > 1_002, "others have committed meanwhile");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_transaction_that_commits_late_is_read_and_delays_nobody() {
    late_commit(Duration::from_secs(3)).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "it takes five minutes"]
async fn a_transaction_that_stays_open_for_five_minutes_is_read_and_delays_nobody() {
    late_commit(Duration::from_mins(5)).await;
}

// Servers give positions at the same time; a reader must never see a position before a lower one.
#[tokio::test(flavor = "multi_thread")]
async fn a_reader_misses_nothing_while_many_write_and_sequence() {
    const WRITERS: u128 = 8;
    const EACH: u128 = 12;
    with_an_itinerary(async |store, _| {
        settled(&store).await;
        let mut reached = last(&store).await;
        let writing = store.clone();
        let writers = tokio::spawn(async move {
            at_once(usize::try_from(WRITERS).expect("few"), |writer| {
                let store = writing.clone();
                async move {
                    for number in 0..EACH {
                        create(&store, 1_000 + u128::try_from(writer).expect("few") * EACH + number).await;
                        store.changes_sequence().await.expect("sequenced");
                    }
                }
            })
            .await
        });
        let mut read = Vec::new();
        while !writers.is_finished() {
            for row in store.change_page(id(1), reached, EVERYTHING).await.expect("read").rows {
                assert!(row.position > reached);
                reached = row.position;
                read.push(row.itinerary_id);
            }
            tokio::task::yield_now().await;
        }
        writers.await.expect("no panic");
        read.extend(after(&store, id(1), reached).await.into_iter().map(|row| row.itinerary_id));
        read.sort_unstable();
        assert_eq!(read, (1_000..1_000 + WRITERS * EACH).map(id).collect::<Vec<_>>(), "each once");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_newest_changes_name_the_accounts_concerned() {
    with_an_itinerary(async |store, _| {
        settled(&store).await;
        crowd(&store, 100..102).await;
        share(&store, id(100), MemberRole::Viewer).await;
        let reached = last(&store).await;
        create(&store, 11).await;
        store.member_set(id(10), id(100), MemberRole::Editor, at(2)).await.expect("set");
        sequence(&store).await;
        let mut since = store.changes_since(reached, 100).await.expect("read");
        since.accounts.sort_unstable();
        assert_eq!(since.accounts, [(id(1), reached + 1), (id(100), reached + 2)]);
        assert_eq!((since.state.last, since.has_moved, since.state.has_new), (reached + 2, false, false));
        let first = store.changes_since(reached, 1).await.expect("read");
        assert_eq!(first.accounts, [(id(1), reached + 1)], "in their order");
        // Everything of the first itinerary concerns its member, too.
        let all = store.changes_since(0, 100).await.expect("read").accounts;
        assert!(all.contains(&(id(100), reached + 2)), "{all:?}");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn sweeping_deletes_old_changes_and_remembers_how_far() {
    with_an_itinerary(async |store, _| {
        settled(&store).await;
        create(&store, 11).await;
        let kept = last(&store).await;
        store.member_set(id(11), id(2), MemberRole::Viewer, at(50)).await.expect("invited");
        assert!(store.invitation_accept(id(11), id(2), at(60)).await.expect("accepted").is_some());
        sequence(&store).await;
        assert_eq!(store.changes_sweep(at(-1)).await.expect("swept"), 0);
        assert_eq!(store.changes_sweep(at(0)).await.expect("swept"), 2);
        let state = store.change_feed().await.expect("a feed");
        assert_eq!((state.swept, state.last), (kept, kept + 1));
        assert_eq!(kinds(&store, id(2), kept).await, [(ChangeKind::Shared, id(11))]);
        assert_eq!(store.changes_sweep(at(100)).await.expect("swept"), 1);
        let state = store.change_feed().await.expect("a feed");
        assert_eq!((state.swept, state.last), (kept + 1, kept + 1), "although no change is left");
        create(&store, 12).await;
        assert_eq!(last(&store).await, kept + 2, "no position is given twice");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_elsewhere_has_a_new_epoch() {
    with_an_itinerary(async |store, beside: Beside| {
        settled(&store).await;
        assert!(!store.change_feed_settle("second").await.expect("settled"), "it is where it was");
        assert_eq!(store.change_feed().await.expect("a feed").epoch, "first");
        beside.execute("UPDATE change_feed SET place = 'elsewhere'", []).await;
        if store.kind() == itinerary_store::DatabaseKind::Postgres {
            assert!(store.changes_since(0, 1).await.expect("read").has_moved);
            assert_eq!(store.changes_sequence().await.expect("answered"), FeedSequence::NotNow, "not in the old epoch");
        }
        assert!(store.change_feed_settle("third").await.expect("settled"));
        assert_eq!(store.change_feed().await.expect("a feed").epoch, "third");
        assert_eq!(kinds(&store, id(1), 0).await, [(ChangeKind::Updated, id(10))]);
    })
    .await;
}
