//! Secret links: what one shows, when it ends, and how many there may be.

use itinerary_store::{
    AccountDeletion, Earlier, Idempotent, LINKS_PER_ITINERARY, LinkOutcome, LinkedSections, NewLink, Store,
};

use crate::beside::{create, with_an_itinerary};
use crate::engines::at_once;
use crate::fixtures::{at, claim, entry, hash, id, response};

/// A link of itinerary 10, with the number in its id, label and hash.
fn link(number: usize) -> NewLink {
    NewLink {
        id: id(5_000 + number as u128),
        itinerary_id: id(10),
        label: format!("link {number}"),
        hash: hash(number),
        sections: LinkedSections::Plan,
        expires_at: None,
        created_at: at(i64::try_from(number).expect("a small number")),
    }
}

async fn make(store: &Store, link: NewLink) -> LinkOutcome {
    match store.link_create(link, None).await.expect("answered") {
        Idempotent::Executed(outcome) => outcome,
        Idempotent::Replayed(_) => panic!("there is no key"),
    }
}

async fn is_shown(store: &Store, number: usize, seconds: i64) -> bool {
    store.linked(&hash(number), at(seconds)).await.expect("read").is_some()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_shows_its_sections_until_it_expires() {
    with_an_itinerary(async |store, beside| {
        beside.execute("UPDATE itineraries SET members = '{\"flights\":[]}', pro = '{\"expenses\":[]}'", []).await;
        assert_eq!(make(&store, link(1)).await, LinkOutcome::Created);
        let bookings = NewLink { sections: LinkedSections::Bookings, expires_at: Some(at(100)), ..link(2) };
        assert_eq!(make(&store, bookings).await, LinkOutcome::Created);
        let plan = store.linked(&hash(1), at(50)).await.expect("read").expect("shown");
        assert_eq!((plan.sections, plan.itinerary.id, plan.itinerary.owner_id), (LinkedSections::Plan, id(10), id(1)));
        assert_eq!(
            (&*plan.content.members, &*plan.content.pro, &*plan.content.documents),
            (&b""[..], &b""[..], &b""[..])
        );
        assert!(!plan.content.everyone.is_empty());
        let bookings = store.linked(&hash(2), at(99)).await.expect("read").expect("shown");
        assert_eq!(&*bookings.content.members, b"{\"flights\":[]}");
        assert_eq!((&*bookings.content.pro, &*bookings.content.documents), (&b""[..], &b""[..]));
        assert_eq!((bookings.itinerary.member_role, bookings.itinerary.follows), (None, false));
        assert!(!is_shown(&store, 2, 100).await, "at its time");
        assert!(!is_shown(&store, 3, 50).await, "an unknown hash");
        assert!(is_shown(&store, 1, 1_000_000_000).await);
        let rows = store.links(id(10)).await.expect("read");
        let told: Vec<_> = rows.iter().map(|row| (&*row.label, row.sections, row.expires_at)).collect();
        let expected = [("link 1", LinkedSections::Plan, None), ("link 2", LinkedSections::Bookings, Some(at(100)))];
        assert_eq!(told, expected);
        assert!(store.links(id(11)).await.expect("read").is_empty());
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_ends_when_it_is_deleted_or_its_itinerary_is_hidden_or_gone() {
    with_an_itinerary(async |store, _| {
        for number in 1..4 {
            assert_eq!(make(&store, link(number)).await, LinkOutcome::Created);
        }
        assert!(!store.link_delete(link(1).id, id(11)).await.expect("answered"), "of another itinerary");
        assert!(store.link_delete(link(1).id, id(10)).await.expect("answered"));
        assert!(!store.link_delete(link(1).id, id(10)).await.expect("answered"));
        assert_eq!((is_shown(&store, 1, 5).await, is_shown(&store, 2, 5).await), (false, true));
        store.reports_resolve(id(10), true, &entry(5)).await.expect("hidden");
        assert!(!is_shown(&store, 2, 5).await);
        store.reports_resolve(id(10), false, &entry(6)).await.expect("shown");
        assert!(is_shown(&store, 2, 6).await);
        let deletion = AccountDeletion {
            id: id(1),
            password_hash: "old".to_owned(),
            username_code: "code".to_owned(),
            username_free_at: at(1_000),
            notice: None,
        };
        assert!(store.account_delete(&deletion, at(7)).await.expect("deleted"));
        assert!(!is_shown(&store, 2, 7).await, "before anything is erased");
        while store.account_erase(id(1), at(8)).await.expect("erased") {}
        assert!(store.links(id(10)).await.expect("read").is_empty());
        assert_eq!(make(&store, link(9)).await, LinkOutcome::Gone);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_creations_stop_at_the_quota() {
    with_an_itinerary(async |store, _| {
        create(&store, 11).await;
        let outcomes = at_once(32, |number| {
            let store = store.clone();
            async move { make(&store, link(number)).await }
        })
        .await;
        let created = outcomes.iter().filter(|outcome| **outcome == LinkOutcome::Created).count();
        assert_eq!(i64::try_from(created), Ok(LINKS_PER_ITINERARY));
        assert!(outcomes.iter().all(|outcome| matches!(outcome, LinkOutcome::Created | LinkOutcome::Full)));
        let first = store.links(id(10)).await.expect("read").remove(0);
        let again = NewLink { label: first.label.clone(), ..link(100) };
        assert_eq!(make(&store, again).await, LinkOutcome::Taken, "said before that there are too many");
        let of_another = NewLink { itinerary_id: id(11), label: first.label.clone(), ..link(100) };
        assert_eq!(make(&store, of_another).await, LinkOutcome::Created);
        assert!(store.link_delete(first.id, id(10)).await.expect("deleted"));
        assert_eq!(make(&store, link(101)).await, LinkOutcome::Created);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_creates_one_link() {
    with_an_itinerary(async |store, _| {
        let (claim, stored) = (claim(1, 2), response("without the address"));
        let create = async |number| store.link_create(link(number), Some((&claim, &stored))).await.expect("answered");
        assert_eq!(create(1).await, Idempotent::Executed(LinkOutcome::Created));
        assert_eq!(create(2).await, Idempotent::Replayed(Earlier::Same(stored.clone())));
        assert_eq!(store.links(id(10)).await.expect("read").len(), 1);
    })
    .await;
}
