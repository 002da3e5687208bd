//! Leaving: members remove themselves and cannot be added again.

use chrono::TimeDelta;
use itinerary_sdk::types::MemberRole::{Editor, Viewer};
use itinerary_tests::app::App;
use itinerary_tests::{World, api_test};
use reqwest::Method;

use super::{Person, path, refused};

#[api_test]
async fn a_member_leaves_and_is_not_added_again(world: World) {
    let (ana, ben, cleo) =
        (Person::of(&world, "ana").await, Person::of(&world, "ben").await, Person::of(&world, "cleo").await);
    for (day, role) in [(1, Viewer), (2, Editor)] {
        let at = ana.shows(day, "private").await;
        ana.shares(&at, &ben, role).await;
        ana.shares(&at, &cleo, Viewer).await;
        let own = format!("{}/members/{}", path(&at.id), ben.id);
        let left = ben.app.call(Method::DELETE, &own).send().await;
        assert_eq!((left.status.as_u16(), left.text().as_str()), (204, ""));
        ben.app.view(&at.id).await.expect_error(404, "notFound");
        assert_eq!(ben.app.listed("").await, [""; 0]);
        assert_eq!(ana.members(&at).await, [cleo.id], "the others stay");
        // A former member cannot leave again or be removed.
        refused(ben.unshare(&at, ben.id).await, 404, "notFound");
        refused(ana.unshare(&at, ben.id).await, 404, "notFound");
        world.clock.advance(TimeDelta::minutes(20));
        for role in [Viewer, Editor] {
            assert_eq!(refused(ana.share(&at, ben.id, role).await, 409, "conflict"), None);
        }
        let again = ana.app.call(Method::PUT, &own).json(&serde_json::json!({ "role": "viewer" })).send().await;
        assert!(again.expect_error(409, "conflict").is_null());
        assert_eq!(again.header("etag"), "", "no version is out of date");
        assert_eq!(ana.members(&at).await, [cleo.id]);
        ben.app.view(&at.id).await.expect_error(404, "notFound");
        assert_eq!(ana.app.viewed(&at.id).await.etag, at.etag, "leaving is no change of the itinerary");
    }
}

// Leaving affects one itinerary, and being removed is not leaving.
#[api_test]
async fn leaving_one_itinerary_is_leaving_that_one(world: World) {
    let (ana, ben) = (Person::of(&world, "ana").await, Person::of(&world, "ben").await);
    let (one, other) = (ana.shows(1, "private").await, ana.shows(2, "private").await);
    for at in [&one, &other] {
        ana.shares(at, &ben, Viewer).await;
    }
    ben.unshare(&one, ben.id).await.expect("a member may leave");
    assert_eq!(ben.app.listed("filter=shared").await, [other.id.as_str()]);
    ana.unshare(&other, ben.id).await.expect("it is the owner's");
    ana.shares(&other, &ben, Editor).await;
    assert_eq!(ben.app.viewed(&other.id).await.json["role"], "editor");
}

#[api_test]
async fn non_members_cannot_leave(world: World) {
    let (ana, ben) = (Person::of(&world, "ana").await, Person::of(&world, "ben").await);
    let at = ana.shows(1, "private").await;
    refused(ben.unshare(&at, ben.id).await, 404, "notFound");
    refused(ana.unshare(&at, ana.id).await, 403, "forbidden");
    let at = ana.moves(&at, "public").await;
    refused(ben.unshare(&at, ben.id).await, 403, "forbidden");
    // That was not leaving, because they were not members.
    ana.shares(&at, &ben, Viewer).await;
    assert_eq!(ana.members(&at).await, [ben.id]);
    let reads = App::with_scope(&world, "ben", "itineraries:read").await;
    let address = format!("{}/members/{}", path(&at.id), ben.id);
    let response = reads.call(Method::DELETE, &address).send().await;
    assert_eq!(response.expect_error(403, "forbidden")["required"], "itineraries:write");
    assert_eq!(ana.members(&at).await, [ben.id]);

    // Of a public itinerary a former member is a reader; asking to return does not work.
    ben.unshare(&at, ben.id).await.expect("a member may leave");
    let read = ben.app.viewed(&at.id).await;
    assert_eq!((read.etag.as_str(), read.json.get("flights")), ("\"v2.e\"", None));
    refused(ben.unshare(&at, ben.id).await, 403, "forbidden");
    refused(ben.share(&at, ben.id, Editor).await, 403, "forbidden");
    refused(ana.share(&at, ben.id, Editor).await, 409, "conflict");
}
