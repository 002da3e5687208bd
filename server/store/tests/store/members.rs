//! Members who follow the owner: at most a hundred, and members who left cannot return.

use itinerary_model::MemberRole;
use itinerary_store::{Idempotent, ItineraryChange, MemberOutcome, MemberRow, Store, WriteOutcome};
use uuid::Uuid;

use crate::beside::{create, crowd, with_an_itinerary};
use crate::engines::at_once;
use crate::fixtures::{at, change, id};

/// Makes an account a member; it follows the owner, so it needs no invitation.
async fn set(store: &Store, account: Uuid, role: MemberRole, seconds: i64) -> MemberOutcome {
    store.follow_set(account, id(1), at(0)).await.expect("answered");
    store.member_set(id(10), account, role, at(seconds)).await.expect("answered")
}

async fn roles(store: &Store) -> Vec<(Uuid, MemberRole)> {
    let members = store.members(id(10)).await.expect("read");
    members.into_iter().map(|member| (member.account_id, member.role)).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_member_keeps_its_place_when_its_role_changes() {
    with_an_itinerary(async |store, _| {
        crowd(&store, 100..103).await;
        assert_eq!(store.members(id(10)).await.expect("read"), []);
        for (number, seconds) in [(101, 5), (102, 5), (100, 9)] {
            assert!(matches!(set(&store, id(number), MemberRole::Viewer, seconds).await, MemberOutcome::Set(_)));
        }
        let expected = MemberRow {
            account_id: id(101),
            username: "TRAVELLER0101".to_owned(),
            display_name: "traveller0101 the traveller".to_owned(),
            image_url: None,
            role: MemberRole::Editor,
            accepted: true,
            since: at(5),
        };
        assert_eq!(set(&store, id(101), MemberRole::Editor, 50).await, MemberOutcome::Set(expected.clone()));
        assert_eq!(store.members(id(10)).await.expect("read")[0], expected);
        let listed = [(id(101), MemberRole::Editor), (id(102), MemberRole::Viewer), (id(100), MemberRole::Viewer)];
        assert_eq!(roles(&store).await, listed);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn sharing_needs_an_existing_account_and_itinerary() {
    with_an_itinerary(async |store, _| {
        assert_eq!(set(&store, id(99), MemberRole::Viewer, 0).await, MemberOutcome::NoAccount);
        let nothing = store.member_set(id(99), id(2), MemberRole::Viewer, at(0)).await.expect("answered");
        assert_eq!(nothing, MemberOutcome::Gone);
        for leaves in [false, true] {
            assert!(!store.member_remove(id(10), id(2), leaves, at(0)).await.expect("answered"));
            assert!(!store.member_remove(id(10), id(99), leaves, at(0)).await.expect("answered"));
            assert!(!store.member_remove(id(99), id(2), leaves, at(0)).await.expect("answered"));
        }
        assert!(
            matches!(set(&store, id(2), MemberRole::Viewer, 0).await, MemberOutcome::Set(_)),
            "who was none has not left"
        );
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_removed_editor_changes_nothing_more() {
    with_an_itinerary(async |store, _| {
        let write = async |version| {
            let change = ItineraryChange { editor: Some(id(2)), ..change(10, version, "Title") };
            store.itinerary_update(change, None, at(9)).await.expect("answered")
        };
        assert_eq!(write(1).await, Idempotent::Executed(WriteOutcome::NotAllowed), "not a member");
        set(&store, id(2), MemberRole::Editor, 0).await;
        assert_eq!(write(1).await, Idempotent::Executed(WriteOutcome::Written));
        set(&store, id(2), MemberRole::Viewer, 1).await;
        assert_eq!(write(2).await, Idempotent::Executed(WriteOutcome::NotAllowed), "a viewer");
        set(&store, id(2), MemberRole::Editor, 2).await;
        assert!(store.member_remove(id(10), id(2), false, at(3)).await.expect("answered"));
        assert_eq!(write(2).await, Idempotent::Executed(WriteOutcome::NotAllowed), "removed");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn removed_member_can_return_but_one_who_left_cannot() {
    with_an_itinerary(async |store, _| {
        set(&store, id(2), MemberRole::Viewer, 0).await;
        assert!(store.member_remove(id(10), id(2), false, at(1)).await.expect("answered"));
        assert_eq!(roles(&store).await, []);
        assert!(
            matches!(set(&store, id(2), MemberRole::Viewer, 2).await, MemberOutcome::Set(row) if row.since == at(2))
        );
        assert!(store.member_remove(id(10), id(2), true, at(3)).await.expect("answered"));
        assert!(!store.member_remove(id(10), id(2), true, at(4)).await.expect("answered"));
        assert_eq!(set(&store, id(2), MemberRole::Editor, 5).await, MemberOutcome::Left);
        assert_eq!(roles(&store).await, []);
        create(&store, 11).await;
        let other = store.member_set(id(11), id(2), MemberRole::Viewer, at(6)).await.expect("answered");
        assert!(matches!(other, MemberOutcome::Set(_)), "it left this one only");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_adds_stop_at_the_limit_of_100_members() {
    with_an_itinerary(async |store, _| {
        crowd(&store, 100..250).await;
        let outcomes = at_once(150, |index| {
            let store = store.clone();
            async move { set(&store, id(100 + index as u128), MemberRole::Viewer, 0).await }
        })
        .await;
        let is_set = |outcome: &&MemberOutcome| matches!(outcome, MemberOutcome::Set(_));
        assert_eq!(outcomes.iter().filter(is_set).count(), 100);
        assert_eq!(outcomes.iter().filter(|outcome| **outcome == MemberOutcome::Full).count(), 50);
        let members = roles(&store).await;
        assert_eq!(i64::try_from(members.len()).expect("few"), store.quotas().members);

        let (first, _) = members[0];
        assert!(
            matches!(set(&store, first, MemberRole::Editor, 1).await, MemberOutcome::Set(_)),
            "a role still changes"
        );
        let turned_away = (100..250).map(id).find(|account| members.iter().all(|(member, _)| member != account));
        let turned_away = turned_away.expect("fifty were");
        assert_eq!(set(&store, turned_away, MemberRole::Viewer, 1).await, MemberOutcome::Full);
        assert!(store.member_remove(id(10), first, false, at(2)).await.expect("answered"));
        assert!(matches!(set(&store, turned_away, MemberRole::Viewer, 3).await, MemberOutcome::Set(_)));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_account_added_often_at_once_is_one_member_of_the_last_role() {
    with_an_itinerary(async |store, _| {
        let outcomes = at_once(16, |index| {
            let store = store.clone();
            async move { set(&store, id(2), [MemberRole::Viewer, MemberRole::Editor][index % 2], 0).await }
        })
        .await;
        assert!(outcomes.iter().all(|outcome| matches!(outcome, MemberOutcome::Set(_))), "{outcomes:?}");
        assert_eq!(roles(&store).await.len(), 1);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn leaving_at_the_same_moment_leaves_no_member() {
    with_an_itinerary(async |store, beside| {
        crowd(&store, 100..196).await;
        for first in (100..196).step_by(16) {
            for number in first..first + 16 {
                set(&store, id(number), MemberRole::Viewer, 0).await;
            }
            let outcomes = at_once(64, |index| {
                let store = store.clone();
                async move {
                    let account = id(first + (index / 4) as u128);
                    match index % 4 {
                        0 => store.member_remove(id(10), account, true, at(1)).await.expect("answered"),
                        _ => matches!(set(&store, account, MemberRole::Editor, 1).await, MemberOutcome::Set(_)),
                    }
                }
            })
            .await;
            assert!(outcomes.iter().step_by(4).all(|left| *left), "each was a member and left");
            assert_eq!(roles(&store).await, []);
        }
        assert_eq!(beside.number("SELECT count(*) FROM departures", []).await, 96);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn adding_members_during_deletion_leaves_no_rows() {
    with_an_itinerary(async |store, beside| {
        crowd(&store, 100..120).await;
        for number in 100..120 {
            create(&store, number).await;
            at_once(8, |index| {
                let (store, beside) = (store.clone(), beside.clone());
                async move {
                    match index {
                        3 => drop(store.itinerary_delete(id(number), 1, at(5)).await.expect("answered")),
                        4 => drop(beside.execute("DELETE FROM accounts WHERE id = $1", [id(number).into()]).await),
                        5 => drop(store.member_remove(id(number), id(number), true, at(0)).await.expect("answered")),
                        6 => drop(store.member_remove(id(10), id(number), true, at(0)).await.expect("answered")),
                        7 => drop(set(&store, id(number), MemberRole::Viewer, 0).await),
                        _ => drop(
                            store
                                .member_set(id(number), id(number), MemberRole::Viewer, at(0))
                                .await
                                .expect("answered"),
                        ),
                    }
                }
            })
            .await;
            let gone = store.member_set(id(number), id(2), MemberRole::Viewer, at(0)).await.expect("answered");
            assert_eq!(gone, MemberOutcome::Gone);
            assert_eq!(set(&store, id(number), MemberRole::Viewer, 0).await, MemberOutcome::NoAccount);
        }
        assert_eq!(beside.number("SELECT count(*) FROM members", []).await, 0);
        assert_eq!(beside.number("SELECT count(*) FROM departures", []).await, 0);
    })
    .await;
}
