//! Writes under an Idempotency-Key.

use chrono::TimeDelta;
use itinerary_store::{
    Claim, ContentSelection, CreateOutcome, EVICTION_BYTES, EVICTION_RESPONSES, Earlier, Idempotent, KEPT_BYTES,
    KEPT_HOURS, KEPT_RESPONSES, KeepOutcome, Store, StoredResponse, WriteOutcome,
};
use uuid::Uuid;

use crate::beside::{Beside, with_an_itinerary};
use crate::engines::{at_once, on_each_engine};
use crate::fixtures::{at, change, claim, hash, id, itinerary, people, response, rule};

#[tokio::test(flavor = "multi_thread")]
async fn one_of_twenty_creates_with_one_key_is_made_and_replayed() {
    on_each_engine(async |store| {
        people(&store).await;
        let outcomes = at_once(20, |index| {
            let store = store.clone();
            async move {
                let number = 100 + index as u128;
                let (claim, response) = (claim(1, 1), response(&number.to_string()));
                store
                    .itinerary_create(itinerary(number), None, Some((&claim, &response)), at(0))
                    .await
                    .expect("answered")
            }
        })
        .await;
        let winners: Vec<_> =
            (0..20).filter(|index| outcomes[*index] == Idempotent::Executed(CreateOutcome::Created)).collect();
        assert_eq!(winners.len(), 1, "{outcomes:?}");
        let winner = 100 + winners[0] as u128;
        let replay = Idempotent::Replayed(Earlier::Same(response(&winner.to_string())));
        assert_eq!(outcomes.iter().filter(|outcome| **outcome == replay).count(), 19, "{outcomes:?}");
        for number in 100..120 {
            assert_eq!(
                store.itinerary(id(number), id(1), ContentSelection::Everything).await.expect("read").is_some(),
                number == winner
            );
        }
        let found = store.idempotency_find(&claim(1, 1), at(1)).await.expect("read");
        assert_eq!(found, Some(Earlier::Same(response(&winner.to_string()))));
        assert_eq!(store.idempotency_find(&claim(1, 5), at(1)).await.expect("read"), Some(Earlier::Other));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_belongs_to_one_request_of_one_app_of_one_traveller() {
    on_each_engine(async |store| {
        people(&store).await;
        let create = async |number, claim| {
            let response = response("first");
            store.itinerary_create(itinerary(number), None, Some((&claim, &response)), at(0)).await.expect("answered")
        };
        assert_eq!(create(10, claim(1, 1)).await, Idempotent::Executed(CreateOutcome::Created));
        assert_eq!(create(11, claim(1, 2)).await, Idempotent::Replayed(Earlier::Other));
        assert_eq!(create(11, claim(1, 1)).await, Idempotent::Replayed(Earlier::Same(response("first"))));
        let mut others = [claim(1, 1), claim(1, 1), claim(2, 1)];
        others[0].account_id = id(2);
        others[1].operation = "PATCH /v1/itineraries/x".to_owned();
        for (number, other) in (20..).zip(others) {
            assert_eq!(store.idempotency_find(&other, at(0)).await.expect("read"), None);
            assert_eq!(create(number, other).await, Idempotent::Executed(CreateOutcome::Created));
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_is_free_again_after_a_day() {
    on_each_engine(async |store| {
        people(&store).await;
        let create = async |number, fingerprint, now| {
            let (claim, response) = (claim(1, fingerprint), response(&format!("answer {number}")));
            store.itinerary_create(itinerary(number), None, Some((&claim, &response)), now).await.expect("answered")
        };
        let day = TimeDelta::hours(KEPT_HOURS);
        let almost = at(0) + day - TimeDelta::milliseconds(1);
        assert_eq!(create(10, 1, at(0)).await, Idempotent::Executed(CreateOutcome::Created));
        assert_eq!(create(11, 1, almost).await, Idempotent::Replayed(Earlier::Same(response("answer 10"))));
        assert_eq!(store.idempotency_expire(almost).await.expect("deleted"), 0);
        assert_eq!(store.idempotency_find(&claim(1, 1), at(0) + day).await.expect("read"), None);
        assert_eq!(
            create(12, 2, at(0) + day).await,
            Idempotent::Executed(CreateOutcome::Created),
            "the old row is in nobody's way"
        );
        let found = store.idempotency_find(&claim(1, 2), at(1) + day).await.expect("read");
        assert_eq!(found, Some(Earlier::Same(response("answer 12"))));
        assert_eq!(store.idempotency_expire(at(0) + day + day).await.expect("deleted"), 1);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_write_that_is_refused_leaves_its_key_free() {
    on_each_engine(async |store| {
        people(&store).await;
        let first = itinerary(10);
        assert_eq!(
            store.itinerary_create(first.clone(), None, None, at(0)).await.expect("stored"),
            Idempotent::Executed(CreateOutcome::Created)
        );
        let (key, reply) = (claim(1, 1), response("answer"));
        let duplicate = store.itinerary_create(itinerary(11), Some(rule(&first)), Some((&key, &reply)), at(0)).await;
        assert_eq!(duplicate.expect("answered"), Idempotent::Executed(CreateOutcome::Duplicate(id(10))));
        let stale = store.itinerary_update(change(10, 9, "x"), Some((&key, &reply)), at(0)).await;
        assert_eq!(stale.expect("answered"), Idempotent::Executed(WriteOutcome::Stale(1)));
        let gone = store.itinerary_update(change(99, 1, "x"), Some((&key, &reply)), at(0)).await;
        assert_eq!(gone.expect("answered"), Idempotent::Executed(WriteOutcome::Gone));
        assert_eq!(store.idempotency_find(&key, at(0)).await.expect("read"), None);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_replayed_change_is_made_once_and_its_response_goes_with_the_itinerary() {
    on_each_engine(async |store| {
        people(&store).await;
        store.itinerary_create(itinerary(10), None, None, at(0)).await.expect("stored");
        let outcomes = at_once(20, |_| {
            let store = store.clone();
            async move {
                let (claim, response) = (claim(1, 1), response("changed"));
                store.itinerary_update(change(10, 1, "New"), Some((&claim, &response)), at(0)).await.expect("answered")
            }
        })
        .await;
        let count = |wanted: &Idempotent<WriteOutcome>| outcomes.iter().filter(|outcome| *outcome == wanted).count();
        assert_eq!(count(&Idempotent::Executed(WriteOutcome::Written)), 1, "{outcomes:?}");
        assert_eq!(count(&Idempotent::Replayed(Earlier::Same(response("changed")))), 19, "{outcomes:?}");
        let (other, reply) = (claim(1, 2), response("other"));
        let reused = store.itinerary_update(change(10, 2, "Newer"), Some((&other, &reply)), at(0)).await;
        assert_eq!(reused.expect("answered"), Idempotent::Replayed(Earlier::Other));
        assert_eq!(
            store.itinerary(id(10), id(1), ContentSelection::Everything).await.expect("read").expect("there").0.version,
            2
        );

        assert_eq!(store.itinerary_delete(id(10), 1, at(5)).await.expect("answered"), WriteOutcome::Stale(2));
        assert!(store.idempotency_find(&claim(1, 1), at(1)).await.expect("read").is_some());
        assert_eq!(store.itinerary_delete(id(10), 2, at(5)).await.expect("answered"), WriteOutcome::Written);
        assert_eq!(store.idempotency_find(&claim(1, 1), at(1)).await.expect("read"), None, "purged");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_response_of_what_changed_nothing_is_kept_while_its_itinerary_is_there() {
    on_each_engine(async |store| {
        people(&store).await;
        let (first, second) = (claim(1, 1), claim(2, 2));
        let keep = async |claim: &Claim, itinerary| {
            store.idempotency_keep((claim, &response("there")), id(itinerary), at(0)).await.expect("answered")
        };
        assert_eq!(keep(&first, 10).await, Idempotent::Executed(KeepOutcome::Gone));
        assert_eq!(store.idempotency_find(&first, at(1)).await.expect("read"), None);
        store.itinerary_create(itinerary(10), None, None, at(0)).await.expect("stored");
        assert_eq!(keep(&first, 10).await, Idempotent::Executed(KeepOutcome::Kept));
        assert_eq!(keep(&first, 10).await, Idempotent::Replayed(Earlier::Same(response("there"))));
        let other = Claim { fingerprint: hash(9), ..first.clone() };
        assert_eq!(keep(&other, 10).await, Idempotent::Replayed(Earlier::Other));
        assert_eq!(keep(&second, 10).await, Idempotent::Executed(KeepOutcome::Kept));
        store.itinerary_delete(id(10), 1, at(5)).await.expect("deleted");
        for claim in [first, second] {
            assert_eq!(store.idempotency_find(&claim, at(1)).await.expect("read"), None);
        }
    })
    .await;
}

/// Stores responses about itinerary 10 under `keys`, each with a body of this size that cannot be compressed.
async fn keep(store: &Store, account: Uuid, keys: std::ops::RangeInclusive<u128>, bytes: usize) {
    let body: Vec<u8> = std::iter::repeat_with(Uuid::new_v4).flat_map(Uuid::into_bytes).take(bytes).collect();
    for key in keys {
        let claim = Claim { account_id: account, ..claim(key, 1) };
        let reply = StoredResponse { body: body.clone(), ..response("kept") };
        let kept = store.idempotency_keep((&claim, &reply), id(10), at(0)).await.expect("answered");
        assert_eq!(kept, Idempotent::Executed(KeepOutcome::Kept));
    }
}

/// The keys of an account's stored responses.
async fn kept(beside: &Beside, account: Uuid, keys: std::ops::RangeInclusive<u128>) -> Vec<u128> {
    let is_kept = "SELECT count(*) FROM idempotency WHERE account_id = $1 AND key = $2";
    let mut kept = Vec::new();
    for key in keys {
        if beside.number(is_kept, [account.into(), id(key).into()]).await == 1 {
            kept.push(key);
        }
    }
    kept
}

#[tokio::test(flavor = "multi_thread")]
async fn an_account_keeps_its_newest_thousand_responses() {
    with_an_itinerary(async |store, beside| {
        keep(&store, id(2), 1..=3, 10).await;
        keep(&store, id(1), 1..=1_000, 10).await;
        assert_eq!(kept(&beside, id(1), 1..=1_000).await.len(), 1_000, "exactly");
        keep(&store, id(1), 1_001..=1_040, 10).await;
        let left = kept(&beside, id(1), 1..=1_040).await;
        let oldest = *left.first().expect("some");
        assert_eq!(left, (oldest..=1_040).collect::<Vec<_>>(), "the oldest went first");
        assert!((1_000..1_000 + EVICTION_RESPONSES).contains(&count(left.len())), "{oldest}");
        at_once(64, |index| {
            let store = store.clone();
            let key = 2_000 + index as u128;
            async move { keep(&store, id(1), key..=key, 10).await }
        })
        .await;
        let stored = beside.number("SELECT count(*) FROM idempotency WHERE account_id = $1", [id(1).into()]).await;
        let limits = KEPT_RESPONSES..KEPT_RESPONSES + EVICTION_RESPONSES;
        assert!(limits.contains(&stored), "also of many at once: {stored}");
        assert_eq!(kept(&beside, id(2), 1..=3).await, [1, 2, 3], "another's stay");
    })
    .await;
}

fn count(length: usize) -> i64 {
    i64::try_from(length).expect("few")
}

#[tokio::test(flavor = "multi_thread")]
async fn an_account_keeps_sixteen_mebibytes_of_responses() {
    /// Sixteen responses of this size fit, and some small ones.
    const LARGE: usize = (1 << 20) - 5_000;
    with_an_itinerary(async |store, beside| {
        let bytes = "SELECT CAST(sum(length(body)) AS BIGINT) FROM idempotency";
        keep(&store, id(1), 1..=100, 1_000).await;
        keep(&store, id(1), 101..=115, LARGE).await;
        assert_eq!(kept(&beside, id(1), 1..=115).await.len(), 115);
        // A large response replaces many small ones.
        keep(&store, id(1), 116..=116, LARGE).await;
        let left = kept(&beside, id(1), 1..=116).await;
        assert_eq!(left, (*left.first().expect("some")..=116).collect::<Vec<_>>(), "the oldest went first");
        assert!((17..115).contains(&left.len()) && beside.number(bytes, []).await <= KEPT_BYTES, "{left:?}");
        keep(&store, id(1), 117..=140, LARGE).await;
        assert_eq!(kept(&beside, id(1), 1..=140).await, (125..=140).collect::<Vec<_>>());
        assert!(beside.number(bytes, []).await <= KEPT_BYTES);
        // Small ones may exceed the limit until the next cleanup.
        keep(&store, id(1), 141..=145, 600).await;
        assert!(beside.number(bytes, []).await <= KEPT_BYTES + EVICTION_BYTES);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn bodies_are_compressed_and_older_ones_are_read_as_they_are() {
    with_an_itinerary(async |store, beside| {
        let large = StoredResponse { body: br#"{"name":"Lisbon"}"#.repeat(1_000), ..response("") };
        store.idempotency_keep((&claim(1, 1), &large), id(10), at(0)).await.expect("kept");
        let length = "SELECT CAST(length(body) AS BIGINT) FROM idempotency";
        assert!(beside.number(length, []).await < 1_000);
        assert_eq!(store.idempotency_find(&claim(1, 1), at(1)).await.expect("read"), Some(Earlier::Same(large)));
        let plain = br#"{"name":"Porto"}"#.repeat(1_000);
        beside.execute("UPDATE idempotency SET body = $1", [plain.clone().into()]).await;
        let Some(Earlier::Same(found)) = store.idempotency_find(&claim(1, 1), at(1)).await.expect("read") else {
            panic!("it is there");
        };
        assert_eq!(found.body, plain);
    })
    .await;
}
