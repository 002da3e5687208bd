//! Invitations: pending until they are accepted or declined, by their account alone.

use itinerary_model::{ListFilter, MemberRole};
use itinerary_store::{ContentSelection, ListContent, ListQuery, MemberOutcome, MemberRow, NewItinerary, Store};
use uuid::Uuid;

use crate::beside::{create, crowd, with_an_itinerary};
use crate::engines::at_once;
use crate::fixtures::{at, id, itinerary};

async fn invite(store: &Store, account: u128, role: MemberRole, seconds: i64) -> MemberOutcome {
    store.member_set(id(10), id(account), role, at(seconds)).await.expect("answered")
}

async fn accept(store: &Store, account: u128, seconds: i64) -> Option<MemberRow> {
    store.invitation_accept(id(10), id(account), at(seconds)).await.expect("answered")
}

async fn decline(store: &Store, account: u128, seconds: i64) -> bool {
    store.invitation_decline(id(10), id(account), at(seconds)).await.expect("answered")
}

/// The members and the invited accounts, with whether they have accepted.
async fn members(store: &Store) -> Vec<(Uuid, MemberRole, bool)> {
    let members = store.members(id(10)).await.expect("read");
    members.into_iter().map(|row| (row.account_id, row.role, row.accepted)).collect()
}

async fn shared_with(store: &Store, account: u128) -> usize {
    let list = ListQuery {
        account_id: id(account),
        content: ListContent::Library(ListFilter::All),
        updated_since: None,
        after: None,
        limit: 9,
    };
    store.itinerary_page(&list).await.expect("read").len()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_invited_account_is_a_member_once_it_accepts() {
    with_an_itinerary(async |store, _| {
        assert!(matches!(invite(&store, 2, MemberRole::Viewer, 5).await, MemberOutcome::Set(row) if !row.accepted));
        assert!(
            matches!(invite(&store, 2, MemberRole::Editor, 6).await, MemberOutcome::Set(row) if row.since == at(5))
        );
        assert_eq!(members(&store).await, [(id(2), MemberRole::Editor, false)]);
        let read =
            async || store.itinerary(id(10), id(2), ContentSelection::Nothing).await.expect("read").expect("found").0;
        let row = read().await;
        assert_eq!((row.invited, row.member_role, shared_with(&store, 2).await), (true, None, 0));
        // Following the owner accepts nothing.
        store.follow_set(id(2), id(1), at(6)).await.expect("followed");
        assert_eq!(shared_with(&store, 2).await, 0);

        let page = store.invitation_page(id(2), None, 9).await.expect("read");
        let found: Vec<_> = page.iter().map(|row| (row.itinerary_id, row.owner_id, row.role, row.created_at)).collect();
        assert_eq!(found, [(id(10), id(1), MemberRole::Editor, at(5))]);
        assert_eq!(accept(&store, 3, 8).await, None, "another account");
        let accepted = accept(&store, 2, 9).await.expect("invited");
        assert!(accepted.accepted && accepted.since == at(9), "{accepted:?}");
        assert_eq!(accept(&store, 2, 10).await, Some(accepted), "again");
        let row = read().await;
        assert_eq!((row.invited, row.member_role, shared_with(&store, 2).await), (false, Some(MemberRole::Editor), 1));
        assert!(!decline(&store, 2, 11).await, "a member has no invitation");
        assert_eq!(store.invitation_count(id(2)).await.expect("read"), 0);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_declined_invitation_is_the_last_and_a_withdrawn_one_is_not() {
    with_an_itinerary(async |store, _| {
        invite(&store, 2, MemberRole::Viewer, 0).await;
        assert!(store.member_remove(id(10), id(2), false, at(1)).await.expect("withdrawn"));
        assert_eq!(accept(&store, 2, 1).await, None);
        assert!(!decline(&store, 2, 1).await);
        assert!(matches!(invite(&store, 2, MemberRole::Viewer, 2).await, MemberOutcome::Set(_)));
        // Removing oneself is for members.
        assert!(!store.member_remove(id(10), id(2), true, at(2)).await.expect("answered"));
        assert!(decline(&store, 2, 3).await);
        assert_eq!(members(&store).await, []);
        assert_eq!(invite(&store, 2, MemberRole::Viewer, 4).await, MemberOutcome::Left);
        store.follow_set(id(2), id(1), at(5)).await.expect("followed");
        assert_eq!(invite(&store, 2, MemberRole::Viewer, 5).await, MemberOutcome::Left, "not as a follower either");
        create(&store, 11).await;
        let other = store.member_set(id(11), id(2), MemberRole::Viewer, at(6)).await.expect("answered");
        assert!(matches!(other, MemberOutcome::Set(row) if row.accepted), "it declined the first one only");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn invitations_come_newest_first_in_pages_and_end_with_their_itinerary() {
    with_an_itinerary(async |store, beside| {
        for (number, seconds) in [(11, 7), (12, 7), (13, 9), (14, 8)] {
            create(&store, number).await;
            store.member_set(id(number), id(2), MemberRole::Viewer, at(seconds)).await.expect("answered");
        }
        let (mut found, mut after) = (Vec::new(), None);
        loop {
            let page = store.invitation_page(id(2), after, 2).await.expect("read");
            let Some(last) = page.last() else { break };
            after = Some((last.created_at, last.itinerary_id));
            found.extend(page.iter().map(|row| row.itinerary_id));
        }
        assert_eq!(found, [id(13), id(14), id(12), id(11)]);
        store.itinerary_delete(id(13), 1, at(10)).await.expect("deleted");
        beside.execute("UPDATE accounts SET deleted_at = 5 WHERE id = $1", [id(1).into()]).await;
        assert_eq!(store.invitation_page(id(2), None, 9).await.expect("read"), [], "the owner is deleted");
        assert_eq!(store.invitation_count(id(2)).await.expect("read"), 0);
        assert_eq!(beside.number("SELECT count(*) FROM invitations", []).await, 3);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_follower_who_is_invited_again_becomes_a_member() {
    with_an_itinerary(async |store, beside| {
        invite(&store, 2, MemberRole::Viewer, 0).await;
        store.follow_set(id(2), id(1), at(1)).await.expect("followed");
        assert!(matches!(invite(&store, 2, MemberRole::Editor, 2).await, MemberOutcome::Set(row) if row.accepted));
        assert_eq!(members(&store).await, [(id(2), MemberRole::Editor, true)]);
        let sent = "SELECT count(*) FROM sent_invitations";
        assert_eq!(beside.number(sent, []).await, 0);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn members_and_invitations_share_one_quota() {
    with_an_itinerary(async |store, _| {
        let quotas = itinerary_store::Quotas { members: 3, ..itinerary_store::Quotas::default() };
        let store = store.with_quotas(quotas);
        crowd(&store, 100..105).await;
        store.follow_set(id(100), id(1), at(0)).await.expect("followed");
        for account in [100, 101, 102] {
            assert!(matches!(invite(&store, account, MemberRole::Viewer, 0).await, MemberOutcome::Set(_)));
        }
        assert_eq!(invite(&store, 103, MemberRole::Viewer, 0).await, MemberOutcome::Full);
        assert!(accept(&store, 101, 1).await.is_some(), "an invitation has its place");
        assert!(decline(&store, 102, 1).await);
        assert!(matches!(invite(&store, 103, MemberRole::Viewer, 2).await, MemberOutcome::Set(_)));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_invitation_answered_at_once_is_answered_once() {
    with_an_itinerary(async |store, beside| {
        let quotas = itinerary_store::Quotas { invitations: 1_000, ..itinerary_store::Quotas::default() };
        let store = store.with_quotas(quotas);
        crowd(&store, 100..120).await;
        for account in 100..120 {
            invite(&store, account, MemberRole::Viewer, 0).await;
            let answers = at_once(8, |index| {
                let store = store.clone();
                async move {
                    match index % 4 {
                        0 => accept(&store, account, 1).await.is_some(),
                        1 => decline(&store, account, 1).await,
                        2 => store.member_remove(id(10), id(account), false, at(1)).await.expect("answered"),
                        _ => matches!(invite(&store, account, MemberRole::Editor, 1).await, MemberOutcome::Set(_)),
                    }
                }
            })
            .await;
            let departed = "SELECT count(*) FROM departures WHERE account_id = $1";
            let declined = beside.number(departed, [id(account).into()]).await == 1;
            assert_eq!(answers[1] || answers[5], declined, "{answers:?}");
            assert!(!declined || members(&store).await.iter().all(|(member, ..)| *member != id(account)));
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_erased_account_leaves_no_invitation_and_no_block() {
    with_an_itinerary(async |store, beside| {
        crowd(&store, 100..103).await;
        let own = NewItinerary { owner_id: id(100), ..itinerary(500) };
        store.itinerary_create(own, None, None, at(0)).await.expect("stored");
        store.member_set(id(500), id(101), MemberRole::Viewer, at(0)).await.expect("stored");
        store.member_set(id(10), id(100), MemberRole::Viewer, at(0)).await.expect("stored");
        store.block_set(id(100), id(102), at(0)).await.expect("stored");
        store.block_set(id(101), id(100), at(0)).await.expect("stored");
        beside.execute("UPDATE accounts SET deleted_at = 5 WHERE id = $1", [id(100).into()]).await;
        while store.account_erase(id(100), at(6)).await.expect("erased") {}
        for table in ["invitations", "blocks"] {
            assert_eq!(beside.number(&format!("SELECT count(*) FROM {table}"), []).await, 0, "{table}");
        }
        let sent = "SELECT count(*) FROM sent_invitations WHERE owner_id = $1";
        assert_eq!(beside.number(sent, [id(100).into()]).await, 0);
    })
    .await;
}
