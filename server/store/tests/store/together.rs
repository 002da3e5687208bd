//! A newer version migrates while an older one serves: its migrations only add, and the older one goes on.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use itinerary_model::{ListFilter, MemberRole};
use itinerary_store::{
    ContentSelection, CreateOutcome, Idempotent, ListContent, ListQuery, Mark, Matching, MemberOutcome, Session, Store,
    StoreError, VisibleSections, WriteOutcome,
};

use crate::beside::Beside;
use crate::engines::{on_each_empty_database, open};
use crate::explore::published;
use crate::fixtures::{
    access, at, change, claim, code, grant, hash, id, insert_code, itinerary, people, refresh, response, signed_in,
    token,
};
use crate::stepwise::{LATER, later};

const WORKERS: usize = 4;
/// The number of rounds before the migration, and after it.
const ROUNDS: usize = 20;

/// What a server does for a traveller, with numbers that no other round uses.
async fn round(store: &Store, number: usize) {
    let wide = u128::try_from(number).expect("fits") + 1_000_000;
    let (key, stored) = (claim(wide, number), response("made"));
    let made = store.itinerary_create(itinerary(wide), None, Some((&key, &stored)), at(0)).await;
    assert_eq!(made.expect("stored"), Idempotent::Executed(CreateOutcome::Created));
    let changed = store.itinerary_update(change(wide, 1, "Porto"), None, at(9)).await;
    assert_eq!(changed.expect("stored"), Idempotent::Executed(WriteOutcome::Written));
    let selection =
        ContentSelection::Sections { visible: VisibleSections::All { pro: true, documents: true }, known: None };
    let (row, _) = store.itinerary(id(wide), id(1), selection).await.expect("read").expect("found");
    assert_eq!((row.version, row.plan.as_str()), (2, "free"));
    let list = ListQuery {
        account_id: id(1),
        content: ListContent::Library(ListFilter::Owned),
        updated_since: None,
        after: None,
        limit: 9,
    };
    assert!(!store.itinerary_page(&list).await.expect("read").is_empty());
    assert!(matches!(store.member_set(id(wide), id(2), MemberRole::Editor, at(0)).await, Ok(MemberOutcome::Set(_))));
    assert!(store.mark_set(id(wide), id(2), Mark::Like, at(0)).await.expect("stored").is_some());
    store.views_add(&[(id(wide), id(2))], 20_000).await.expect("stored");

    let base = number * 10 + 1_000_000;
    let session = Session {
        hash: hash(base),
        account_id: id(2),
        created_at: at(0),
        expires_at: at(90_000),
        authenticated_at: at(0),
    };
    assert!(store.session_insert(&session, None).await.expect("stored"));
    assert!(store.account_by_username("ana").await.expect("read").is_some());
    insert_code(store, &code(base + 1)).await;
    let granted = grant(id(wide), id(1));
    let first = refresh(base, base + 2, 90_000);
    let redeemed = store.code_redeem(&hash(base + 1), at(1), &granted, &token(base + 3, 3_600), &first).await;
    assert!(redeemed.expect("redeemed"));
    let next = refresh(base, base + 4, 90_000);
    let rotated = store.refresh_rotate(id(wide), &hash(base + 2), at(2), &token(base + 5, 3_600), &next).await;
    // Grants of other rounds may have ended this one, which is the oldest at some time.
    rotated.expect("answered");
    store.caller(&access(base + 5), at(3)).await.expect("read");

    let matching = Matching { words: vec!["journ".to_owned()], regions: Vec::new() };
    assert_eq!(store.explore_search(id(2), &matching, None, 9).await.expect("read").len(), 2);
    store.profile(id(1), id(2)).await.expect("read").expect("found");
    let deleted = store.itinerary_delete(id(wide), 2, at(10)).await;
    assert_eq!(deleted.expect("deleted"), WriteOutcome::Written);
}

/// A store of today's version, under load while a test runs.
async fn with_an_older_server(url: &str, test: impl AsyncFnOnce(&Store, &AtomicUsize)) {
    let older = open(url).await;
    older.migrate().await.expect("migrated");
    people(&older).await;
    signed_in(&older, id(1)).await;
    older.follow_set(id(2), id(1), at(0)).await.expect("stored");
    older.seed(vec![published(1, "journey"), published(2, "journey")], at(0)).await.expect("stored");
    let (rounds, ended) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
    let workers: Vec<_> = (0..WORKERS)
        .map(|_| {
            let (older, rounds, ended) = (older.clone(), rounds.clone(), ended.clone());
            tokio::spawn(async move {
                let mut slowest = Duration::ZERO;
                while !ended.load(Ordering::Relaxed) {
                    let started = Instant::now();
                    round(&older, rounds.fetch_add(1, Ordering::Relaxed)).await;
                    slowest = slowest.max(started.elapsed());
                }
                slowest
            })
        })
        .collect();
    reach(&rounds, ROUNDS).await;
    test(&older, &rounds).await;
    ended.store(true, Ordering::Relaxed);
    for worker in workers {
        let slowest = worker.await.expect("nothing fails for the older server");
        assert!(slowest < Duration::from_secs(5), "{slowest:?}");
    }
    older.close().await.expect("closed");
}

/// Waits for this number of rounds.
async fn reach(rounds: &AtomicUsize, number: usize) {
    let deadline = Instant::now() + Duration::from_mins(1);
    while rounds.load(Ordering::Relaxed) < number {
        assert!(Instant::now() < deadline, "the load has stopped");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_older_server_goes_on_while_and_after_a_newer_one_migrates() {
    on_each_empty_database(async |url| {
        with_an_older_server(url, async |older, rounds| {
            let newer = open(url).await;
            let applied = newer.migrate_by(later(newer.kind())).await.expect("migrated under load");
            assert_eq!(applied.iter().map(|applied| applied.name.as_str()).collect::<Vec<_>>(), [LATER]);
            let migrated = rounds.load(Ordering::Relaxed);
            reach(rounds, migrated + ROUNDS + WORKERS).await;

            // Either reads the rows of the other.
            let beside = Beside::new(url).await;
            let made = older.itinerary_create(itinerary(500), None, None, at(0)).await.expect("stored");
            assert_eq!(made, Idempotent::Executed(CreateOutcome::Created));
            let of_older = "SELECT count(*) FROM itineraries WHERE id = $1 AND theme IS NULL";
            assert_eq!(beside.number(of_older, [id(500).into()]).await, 1);
            let copied = "INSERT INTO itineraries (id, owner_id, version, visibility, start_date, destination_key, \
                 latitude, longitude, created_at, updated_at, card, everyone, members, pro, documents, theme) \
                 SELECT $1, owner_id, 4, visibility, start_date, destination_key, latitude, longitude, created_at, \
                 updated_at, card, everyone, members, pro, documents, 'sea' FROM itineraries WHERE id = $2";
            assert_eq!(beside.execute(copied, [id(501).into(), id(500).into()]).await, 1);
            let (row, _) =
                older.itinerary(id(501), id(1), ContentSelection::Everything).await.expect("read").expect("found");
            assert_eq!(row.version, 4);
            let written = older.itinerary_update(change(501, 4, "Faro"), None, at(9)).await.expect("stored");
            assert_eq!(written, Idempotent::Executed(WriteOutcome::Written));
            let kept = "SELECT count(*) FROM itineraries WHERE id = $1 AND theme = 'sea' AND version = 5";
            assert_eq!(beside.number(kept, [id(501).into()]).await, 1, "an older server keeps what it does not know");

            // It would not start again.
            let refused = older.pending().await;
            assert!(matches!(&refused, Err(StoreError::NewerSchema(name)) if name == LATER), "{refused:?}");
            newer.close().await.expect("closed");
        })
        .await;
    })
    .await;
}

// A statement that waits for a table's lock makes all later statements on it wait.
#[tokio::test(flavor = "multi_thread")]
async fn a_migration_that_must_wait_for_a_lock_lets_the_others_pass() {
    on_each_empty_database(async |url| {
        if url.starts_with("sqlite") {
            return;
        }
        with_an_older_server(url, async |older, rounds| {
            let beside = Beside::new(url).await;
            let made = older.itinerary_create(itinerary(500), None, None, at(0)).await.expect("stored");
            assert_eq!(made, Idempotent::Executed(CreateOutcome::Created));
            let holder = beside.holding("UPDATE itineraries SET version = 9 WHERE id = $1", [id(500).into()]).await;
            let newer = open(url).await;
            let migrating = tokio::spawn(async move { (newer.migrate_by(later(newer.kind())).await, newer) });
            // More than one attempt; requests pass in between.
            tokio::time::sleep(Duration::from_millis(2_500)).await;
            assert!(!migrating.is_finished());
            let waited = rounds.load(Ordering::Relaxed);
            reach(rounds, waited + ROUNDS).await;
            assert!(!migrating.is_finished());
            holder.execute("COMMIT", []).await;
            let (applied, newer) = migrating.await.expect("no panic");
            assert_eq!(applied.expect("migrated").len(), 1);
            let migrated = rounds.load(Ordering::Relaxed);
            reach(rounds, migrated + ROUNDS).await;
            newer.close().await.expect("closed");
        })
        .await;
    })
    .await;
}
