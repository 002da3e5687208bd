//! Concurrent sharing, leaving and removing.

use futures::future::join_all;
use itinerary_sdk::types::MemberRole::{Editor, Viewer};
use itinerary_sdk::{ErrorExt, code};
use itinerary_tests::{World, api_test};

use super::{Person, crowd, refused};

// Exactly a hundred members are added, however many requests are concurrent.
#[api_test(limits = false)]
async fn an_itinerary_has_at_most_a_hundred_members(world: World) {
    let ana = Person::of(&world, "ana").await;
    let at = ana.shows(1, "private").await;
    let people = crowd(&world, "p", 108).await;
    // Followers need no invitation.
    join_all(people.iter().map(|person| person.follow(ana.id)))
        .await
        .into_iter()
        .collect::<Result<Vec<_>, _>>()
        .expect("followed");
    let (early, late) = people.split_at(96);
    for some in early.chunks(16) {
        let shared = join_all(some.iter().map(|person| ana.share(&at, person.id, Viewer))).await;
        assert!(shared.iter().all(Result::is_ok), "{shared:?}");
    }
    let responses = join_all(late.iter().map(|person| ana.share(&at, person.id, Viewer))).await;
    let (came, stayed_out): (Vec<_>, Vec<_>) = responses.into_iter().partition(Result::is_ok);
    assert_eq!((came.len(), stayed_out.len()), (4, 8));
    for response in stayed_out {
        assert_eq!(refused(response, 409, "conflict"), None);
    }
    let members = ana.members(&at).await;
    assert_eq!(members.len(), 100, "they are listed on one page");
    let outside = late.iter().find(|person| !members.contains(&person.id)).expect("eight are");
    outside.app.view(&at.id).await.expect_error(404, "notFound");
    // A member's role can be changed, and a removed member makes room.
    ana.share(&at, early[0].id, Editor).await.expect("a member already");
    assert_eq!(early[0].app.viewed(&at.id).await.json["role"], "editor");
    refused(ana.share(&at, outside.id, Viewer).await, 409, "conflict");
    early[1].unshare(&at, early[1].id).await.expect("a member may leave");
    ana.share(&at, outside.id, Viewer).await.expect("there is room");
    assert_eq!(ana.members(&at).await.len(), 100);
    assert_eq!(ana.app.viewed(&at.id).await.etag, at.etag, "two hundred changes, and none of the itinerary");
}

// In either order, a member who leaves is not a member in the end.
#[api_test(limits = false)]
async fn leaving_wins_over_concurrent_role_changes(world: World) {
    let (ana, ben) = (Person::of(&world, "ana").await, Person::of(&world, "ben").await);
    ben.follow(ana.id).await.expect("she is there");
    for day in 1..=8 {
        let at = ana.shows(day, "private").await;
        ana.shares(&at, &ben, Viewer).await;
        let sets = join_all((0..4).map(|_| ana.share(&at, ben.id, Editor)));
        let (left, sets) = futures::join!(ben.unshare(&at, ben.id), sets);
        left.expect("nobody else takes him out");
        for set in sets {
            if let Err(error) = set {
                assert_eq!(error.code(), code::CONFLICT, "{error}");
            }
        }
        assert!(ana.members(&at).await.is_empty());
        refused(ana.share(&at, ben.id, Viewer).await, 409, "conflict");
    }
}

// Sharing precedes the deletion, or gets 404.
#[api_test(limits = false)]
async fn itinerary_deleted_while_being_shared_is_in_no_library(world: World) {
    let (ana, ben, cleo) =
        (Person::of(&world, "ana").await, Person::of(&world, "ben").await, Person::of(&world, "cleo").await);
    for day in 1..=8 {
        let at = ana.shows(day, "private").await;
        ana.shares(&at, &cleo, Viewer).await;
        let shared = join_all((0..3).map(|_| ana.share(&at, ben.id, Editor)));
        let (deleted, shared, left) = futures::join!(ana.app.delete(&at), shared, cleo.unshare(&at, cleo.id));
        assert_eq!(deleted.status, 204, "sharing is no change that it could miss");
        for response in shared.into_iter().filter(Result::is_err) {
            refused(response, 404, "notFound");
        }
        if left.is_err() {
            refused(left, 404, "notFound");
        }
        for person in [&ana, &ben, &cleo] {
            assert!(person.app.listed("").await.is_empty());
        }
    }
}

// Of concurrent requests one adds and one removes.
#[api_test(limits = false)]
async fn one_is_added_and_removed_once(world: World) {
    let (ana, ben) = (Person::of(&world, "ana").await, Person::of(&world, "ben").await);
    let at = ana.shows(1, "private").await;
    for _ in 0..4 {
        let roles = [Viewer, Editor, Viewer, Editor, Viewer, Editor];
        let added = join_all(roles.map(|role| ana.share(&at, ben.id, role))).await;
        assert!(added.iter().all(Result::is_ok), "{added:?}");
        assert_eq!(ana.members(&at).await, [ben.id]);
        let removed = join_all((0..6).map(|_| ana.unshare(&at, ben.id))).await;
        assert_eq!(removed.iter().filter(|response| response.is_ok()).count(), 1);
        for response in removed.into_iter().filter(Result::is_err) {
            refused(response, 404, "notFound");
        }
        assert!(ana.members(&at).await.is_empty());
    }
    assert_eq!(ana.app.viewed(&at.id).await.etag, at.etag);
}
