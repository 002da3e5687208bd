//! Quotas hold under concurrent writes.

use itinerary_model::MemberRole;
use itinerary_store::{
    BlockOutcome, CreateOutcome, FollowOutcome, INVITATION_DAYS, Idempotent, MemberOutcome, NewItinerary, Quotas,
    SaveOutcome, Saved, Store, WriteOutcome,
};

use crate::beside::{Beside, create, crowd, with_an_itinerary};
use crate::engines::at_once;
use crate::fixtures::{at, change, claim, id, itinerary, response, rule};

const CROWD: usize = 64;

const QUOTAS: Quotas = Quotas { itineraries: 10, members: 100, following: 7, invitations: 5, blocks: 3 };

fn of_account_2(number: u128) -> NewItinerary {
    NewItinerary { owner_id: id(2), ..itinerary(number) }
}

async fn create_for_2(store: &Store, number: u128) -> Idempotent<CreateOutcome> {
    store.itinerary_create(of_account_2(number), None, None, at(0)).await.expect("answered")
}

async fn owned(beside: &Beside, account: u128) -> (i64, i64) {
    let rows = beside.number("SELECT count(*) FROM itineraries WHERE owner_id = $1", [id(account).into()]).await;
    let counter = "SELECT itineraries FROM account_counters WHERE account_id = $1";
    (rows, beside.number(counter, [id(account).into()]).await)
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_creates_stop_at_the_itinerary_quota() {
    with_an_itinerary(async |store, beside| {
        let store = store.with_quotas(QUOTAS);
        let outcomes = at_once(CROWD, |index| {
            let store = store.clone();
            async move {
                let mut new = of_account_2(100 + index as u128);
                new.columns.start_date = format!("2027-05-{index:02}");
                let duplicates = (index % 2 == 0)
                    .then(|| rule(&new))
                    .map(|rule| itinerary_store::DuplicateRule { owner_id: id(2), ..rule });
                let (mut key, reply) = (claim(index as u128, 1), response("made"));
                key.account_id = id(2);
                let claim = (index % 3 == 0).then_some((&key, &reply));
                store.itinerary_create(new, duplicates, claim, at(0)).await.expect("answered")
            }
        })
        .await;
        let count =
            |wanted: CreateOutcome| outcomes.iter().filter(|outcome| **outcome == Idempotent::Executed(wanted)).count();
        assert_eq!((count(CreateOutcome::Created), count(CreateOutcome::Full)), (10, CROWD - 10));
        assert_eq!(owned(&beside, 2).await, (10, 10));
        assert_eq!(owned(&beside, 1).await, (1, 1), "another's are not counted");
        assert!(beside.number("SELECT count(*) FROM idempotency", []).await <= 10, "a refusal is not stored");

        let first = 100
            + outcomes.iter().position(|made| *made == Idempotent::Executed(CreateOutcome::Created)).expect("one")
                as u128;
        let stale = store.itinerary_delete(id(first), 9, at(1)).await.expect("answered");
        assert_eq!(stale, WriteOutcome::Stale(1));
        assert_eq!(create_for_2(&store, 200).await, Idempotent::Executed(CreateOutcome::Full), "nothing was deleted");
        let changed = store.itinerary_update(change(first, 1, "New"), None, at(1)).await.expect("answered");
        assert_eq!(changed, Idempotent::Executed(WriteOutcome::Written), "what is there can be changed");
        store.itinerary_delete(id(first), 2, at(1)).await.expect("deleted");
        assert_eq!(owned(&beside, 2).await, (9, 9));
        assert_eq!(create_for_2(&store, 200).await, Idempotent::Executed(CreateOutcome::Created));
        assert_eq!(create_for_2(&store, 201).await, Idempotent::Executed(CreateOutcome::Full));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn saved_copies_count_and_one_that_is_there_is_found_all_the_same() {
    with_an_itinerary(async |store, beside| {
        let store = store.with_quotas(QUOTAS);
        let bulk = store.clone().with_quotas(Quotas::default());
        for number in 11..30 {
            create(&bulk, number).await;
        }
        let outcomes = at_once(CROWD, |index| {
            let (store, source) = (store.clone(), 10 + index as u128 % 20);
            async move {
                let of = Saved { itinerary_id: id(source), author_id: id(1) };
                let copy = of_account_2(100 + index as u128);
                (source, store.itinerary_save(copy, of, None, at(0)).await.expect("answered"))
            }
        })
        .await;
        let created =
            |(_, outcome): &&(u128, Idempotent<SaveOutcome>)| *outcome == Idempotent::Executed(SaveOutcome::Created);
        assert_eq!(outcomes.iter().filter(created).count(), 10);
        assert_eq!(owned(&beside, 2).await, (10, 10));
        let saves = "SELECT CAST(sum(saves) AS BIGINT) FROM itinerary_counters";
        assert_eq!(beside.number(saves, []).await, 10, "a refused copy is no save");
        let (source, _) = outcomes.iter().find(created).expect("some were");
        let again =
            store.itinerary_save(of_account_2(300), Saved { itinerary_id: id(*source), author_id: id(1) }, None, at(0));
        assert!(matches!(again.await.expect("answered"), Idempotent::Executed(SaveOutcome::Exists(_))));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_follows_stop_at_the_following_quota() {
    with_an_itinerary(async |store, beside| {
        let store = store.with_quotas(QUOTAS);
        crowd(&store, 100..164).await;
        let outcomes = at_once(CROWD, |index| {
            let store = store.clone();
            async move { store.follow_set(id(2), id(100 + index as u128), at(0)).await.expect("answered") }
        })
        .await;
        let count = |wanted| outcomes.iter().filter(|outcome| **outcome == wanted).count();
        assert_eq!((count(FollowOutcome::Following), count(FollowOutcome::Full)), (7, CROWD - 7));
        assert_eq!(beside.number("SELECT count(*) FROM follows", []).await, 7);
        let counters = "SELECT CAST(sum(followers) AS BIGINT) FROM account_counters";
        assert_eq!(beside.number(counters, []).await, 7);
        let stricter = store.with_quotas(Quotas { following: 2, ..QUOTAS });
        let followed = outcomes.iter().position(|outcome| *outcome == FollowOutcome::Following).expect("some");
        assert!(stricter.follow_clear(id(2), id(100 + followed as u128)).await.expect("a lower quota ends nothing"));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_invitations_stay_within_the_quota() {
    with_an_itinerary(async |store, beside| {
        let store = store.with_quotas(QUOTAS);
        crowd(&store, 100..164).await;
        let bulk = store.clone().with_quotas(Quotas::default());
        for number in 11..75 {
            create(&bulk, number).await;
        }
        let invite = |itinerary: u128, account: u128, seconds: i64| {
            let store = store.clone();
            async move {
                store.member_set(id(itinerary), id(account), MemberRole::Viewer, at(seconds)).await.expect("answered")
            }
        };
        let outcomes = at_once(CROWD, |index| invite(11 + index as u128, 100 + index as u128, 0)).await;
        let refused = outcomes.iter().filter(|outcome| **outcome == MemberOutcome::TooManyInvitations).count();
        assert_eq!(refused, CROWD - 5, "{outcomes:?}");
        assert_eq!(beside.number("SELECT count(*) FROM invitations", []).await, 5);
        assert_eq!(beside.number("SELECT count(*) FROM members", []).await, 0);
        let sent = "SELECT CAST(sum(number) AS BIGINT) FROM sent_invitations";
        assert_eq!(beside.number(sent, []).await, 5);

        let is_set = |outcome: &MemberOutcome| matches!(outcome, MemberOutcome::Set(_));
        let invited: Vec<_> = (0..CROWD as u128).filter(|index| is_set(&outcomes[*index as usize])).collect();
        let (first, second) = (invited[0], invited[1]);
        // Neither withdrawing an invitation, declining it nor deleting the itinerary makes room.
        assert!(store.member_remove(id(11 + first), id(100 + first), false, at(1)).await.expect("withdrawn"));
        assert!(store.invitation_decline(id(11 + second), id(100 + second), at(1)).await.expect("declined"));
        store.itinerary_delete(id(11 + invited[2]), 1, at(1)).await.expect("deleted");
        assert_eq!(invite(10, 100, 2).await, MemberOutcome::TooManyInvitations);
        // A role can be changed, and another owner has a quota of their own.
        assert!(is_set(&invite(11 + invited[3], 100 + invited[3], 2).await));
        store.itinerary_create(of_account_2(500), None, None, at(0)).await.expect("stored");
        assert!(is_set(&invite(500, 100, 2).await));
        // An accepted one makes room, and so do thirty days.
        let accepted = store.invitation_accept(id(11 + invited[4]), id(100 + invited[4]), at(3)).await;
        assert!(accepted.expect("answered").is_some_and(|member| member.accepted));
        assert!(is_set(&invite(10, 100, 3).await));
        assert_eq!(invite(10, 101, 3).await, MemberOutcome::TooManyInvitations);
        let days = INVITATION_DAYS * 24 * 3_600;
        assert_eq!(invite(10, 101, days - 1).await, MemberOutcome::TooManyInvitations);
        assert!(is_set(&invite(10, 101, days).await));
        assert_eq!(beside.number("SELECT count(*) FROM sent_invitations WHERE sent_at = 0", []).await, 0);
        // A follower needs no invitation.
        store.follow_set(id(110), id(1), at(4)).await.expect("followed");
        let others = (11..).filter(|number| *number != 11 + invited[2]).take(5);
        for number in [10].into_iter().chain(others) {
            assert!(matches!(invite(number, 110, 4).await, MemberOutcome::Set(member) if member.accepted));
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_blocks_stay_within_the_quota() {
    with_an_itinerary(async |store, beside| {
        let store = store.with_quotas(QUOTAS);
        crowd(&store, 100..164).await;
        let outcomes = at_once(CROWD, |index| {
            let store = store.clone();
            async move { store.block_set(id(2), id(100 + index as u128), at(0)).await.expect("answered") }
        })
        .await;
        let count = |wanted| outcomes.iter().filter(|outcome| **outcome == wanted).count();
        assert_eq!((count(BlockOutcome::Blocked), count(BlockOutcome::Full)), (3, CROWD - 3));
        assert_eq!(beside.number("SELECT count(*) FROM blocks", []).await, 3);
    })
    .await;
}
