//! Membership needs consent: what an invitation shows and hides, and how it ends.

use chrono::TimeDelta;
use itinerary_sdk::types::MemberRole::{Editor, Viewer};
use itinerary_sdk::types::MemberStatus;
use itinerary_tests::app::{App, Stored};
use itinerary_tests::bodies::{full, on_day};
use itinerary_tests::browser::Browser;
use itinerary_tests::world::PASSWORD;
use itinerary_tests::{Database, World, api_test};
use reqwest::Method;
use serde_json::{Value, json};

use super::{NO_IDS, NOTHING, Person, altered, path, refused, uuid, walked};

fn invitation(at: &Stored) -> String {
    format!("/v1/invitations/{}", at.id)
}

/// The invitations on the first page of a person.
async fn invitations(person: &Person<'_>) -> Vec<Value> {
    person.got("/v1/invitations").await["data"].as_array().expect("a page").clone()
}

#[api_test]
async fn an_invitation_says_what_and_by_whom(world: World) {
    let (ana, ben) = (Person::pro(&world, "ana").await, Person::of(&world, "ben").await);
    let at = ana.app.created(&full()).await;
    assert_eq!(ben.got("/v1/invitations").await, json!({ "data": [], "nextCursor": null }));
    let member = ana.share(&at, ben.id, Editor).await.expect("a traveller");
    assert_eq!(member.account_id, ben.id);
    assert_eq!(member.status, MemberStatus::Pending);
    let expected = json!({
        "itineraryId": at.id, "title": at.json["title"], "destination": at.json["destination"], "role": "editor",
        "from": at.json["author"], "at": "2027-01-10T12:00:00.000Z",
    });
    assert_eq!(ben.got("/v1/invitations").await, json!({ "data": [expected], "nextCursor": null }));
    assert!(invitations(&ana).await.is_empty());
    world.clock.advance(TimeDelta::minutes(1));
    let accepted = ben.app.call(Method::PUT, &invitation(&at)).send().await;
    let member = json!({
        "accountId": ben.id, "username": "ben", "displayName": "ben", "role": "editor", "status": "accepted",
        "since": "2027-01-10T12:01:00.000Z",
    });
    assert_eq!((accepted.status.as_u16(), accepted.json()), (200, member.clone()));
    let members = ana.got(&format!("{}/members", path(&at.id))).await;
    assert_eq!(members, json!({ "data": [member.clone()] }));
    assert!(invitations(&ben).await.is_empty());
    let again = ben.app.call(Method::PUT, &invitation(&at)).send().await;
    assert_eq!((again.status.as_u16(), again.json()), (200, member), "idempotent");
    assert_eq!(ana.app.viewed(&at.id).await.etag, at.etag, "no change of the itinerary");
}

// A pending invitation lets its account read what everyone sees of an unlisted itinerary, and nothing else.
#[api_test(limits = false)]
async fn before_accepting_one_sees_what_an_unlisted_itinerary_shows(world: World) {
    let (ana, ben) = (Person::pro(&world, "ana").await, Person::pro(&world, "ben").await);
    let mut at = ana.app.created(&full()).await;
    ana.share(&at, ben.id, Editor).await.expect("a traveller");
    for visibility in ["private", "followers", "unlisted", "public"] {
        at = ana.moves(&at, visibility).await;
        let read = ben.app.viewed(&at.id).await;
        assert_eq!(
            (read.etag.as_str(), &read.json["role"]),
            (format!("\"v{}.e\"", version(&at)).as_str(), &json!("viewer"))
        );
        for hidden in ["origin", "flights", "hotels", "expenses", "packing", "documents"] {
            assert!(read.json.get(hidden).is_none(), "{hidden}");
        }
        for part in ["flights", "hotels", "expenses", "packing", "members", "wallet-passes"] {
            ben.get(&format!("{}/{part}", path(&at.id))).await.expect_error(403, "forbidden");
        }
        ben.app.patch(&read, &json!({ "title": "Mine" })).await.expect_error(403, "forbidden");
        refused(ben.unshare(&at, ben.id).await, 403, "forbidden");
        for list in ["", "filter=shared", "filter=all", "updatedSince=2027-01-01T00:00:00Z"] {
            assert!(ben.app.listed(list).await.is_empty(), "{visibility}: {list}");
        }
    }
}

fn version(at: &Stored) -> &str {
    at.etag.trim_start_matches("\"v").split('.').next().expect("a version")
}

#[api_test(limits = false)]
async fn a_stranger_fills_no_list_page_or_calendar(world: World) {
    let (ana, ben) = (Person::of(&world, "ana").await, Person::of(&world, "ben").await);
    let mut sent = Vec::new();
    for day in 1..=20 {
        let at = ana.app.created(&on_day(day)).await;
        ana.share(&at, ben.id, Viewer).await.expect("twenty are allowed");
        sent.push(at);
    }
    let at = ana.app.created(&on_day(21)).await;
    refused(ana.share(&at, ben.id, Viewer).await, 409, "conflict");
    // Withdrawing them or deleting the itineraries makes no room.
    ana.unshare(&sent[0], ben.id).await.expect("withdrawn");
    assert_eq!(ana.app.delete(&sent[1]).await.status, 204);
    refused(ana.share(&at, ben.id, Viewer).await, 409, "conflict");

    let list = walked(&ben, "/v1/invitations", 5).await;
    assert_eq!(list.len(), 18);
    assert!(ben.app.listed("").await.is_empty());
    let browser = Browser::new(&world);
    browser.sign_in("ben", PASSWORD).await;
    let start = browser.visit("/").await;
    let made = browser
        .submit(&browser.visit("/account/calendar").await.form("/account/calendar"), &[("action", "make")])
        .await;
    let text = made.response.text();
    let address = text.split("/calendar/").nth(1).and_then(|rest| rest.split('<').next()).expect("an address");
    let calendar = world.call(Method::GET, &format!("/calendar/{address}")).send().await;
    assert_eq!(calendar.status, 200);
    for at in &sent {
        assert!(!start.response.text().contains(&at.id) && !calendar.text().contains(&at.id));
    }
    ben.accepts(&sent[2]).await;
    assert_eq!(ben.app.listed("").await, [sent[2].id.as_str()]);
    assert!(browser.visit("/").await.response.text().contains(&sent[2].id));
    assert!(world.call(Method::GET, &format!("/calendar/{address}")).send().await.text().contains(&sent[2].id));
}

#[api_test]
async fn a_declined_invitation_is_not_repeated(world: World) {
    let (ana, ben) = (Person::of(&world, "ana").await, Person::of(&world, "ben").await);
    let at = ana.shows(1, "private").await;
    ana.share(&at, ben.id, Viewer).await.expect("a traveller");
    let declined = ben.app.call(Method::DELETE, &invitation(&at)).send().await;
    assert_eq!((declined.status.as_u16(), declined.text().as_str()), (204, ""));
    ben.app.view(&at.id).await.expect_error(404, "notFound");
    assert!(ana.members(&at).await.is_empty());
    for role in [Viewer, Editor] {
        refused(ana.share(&at, ben.id, role).await, 409, "conflict");
    }
    ben.follow(ana.id).await.expect("she is there");
    refused(ana.share(&at, ben.id, Viewer).await, 409, "conflict");
    for method in [Method::PUT, Method::DELETE] {
        ben.app.call(method, &invitation(&at)).send().await.expect_error(404, "notFound");
    }
    let other = ana.shows(2, "private").await;
    assert_eq!(ana.share(&other, ben.id, Viewer).await.expect("another one").status, MemberStatus::Accepted);
}

#[api_test(limits = false)]
async fn invitations_end_and_are_answered_by_their_account_alone(world: World) {
    let (ana, ben, cleo) =
        (Person::of(&world, "ana").await, Person::of(&world, "ben").await, Person::of(&world, "cleo").await);
    let at = ana.shows(1, "private").await;
    ana.share(&at, ben.id, Viewer).await.expect("a traveller");
    for person in [&ana, &cleo] {
        for method in [Method::PUT, Method::DELETE] {
            person.app.call(method, &invitation(&at)).send().await.expect_error(404, "notFound");
        }
    }
    // Following the owner does not accept it.
    ben.follow(ana.id).await.expect("she is there");
    assert!(ben.app.listed("").await.is_empty());
    ana.unshare(&at, ben.id).await.expect("withdrawn");
    ben.app.view(&at.id).await.expect_error(404, "notFound");
    ben.app.call(Method::PUT, &invitation(&at)).send().await.expect_error(404, "notFound");

    let reads = App::with_scope(&world, "ben", "itineraries:read").await;
    for method in [Method::PUT, Method::DELETE] {
        let response = reads.call(method.clone(), &invitation(&at)).send().await;
        assert_eq!(response.expect_error(403, "forbidden")["required"], "itineraries:write");
        for bad in NO_IDS {
            let response = ben.app.call(method.clone(), &format!("/v1/invitations/{bad}")).send().await;
            response.expect_invalid("id");
        }
        let nothing = format!("/v1/invitations/{NOTHING}");
        ben.app.call(method, &nothing).send().await.expect_error(404, "notFound");
    }
    let writes = App::with_scope(&world, "ben", "itineraries:write").await;
    let list = writes.call(Method::GET, "/v1/invitations").send().await;
    assert_eq!(list.expect_error(403, "forbidden")["required"], "itineraries:read");
}

#[api_test(limits = false)]
async fn cursors_of_invitations_belong_to_their_account(world: World) {
    let (ana, ben) = (Person::of(&world, "ana").await, Person::of(&world, "ben").await);
    for day in 1..=3 {
        let at = ana.shows(day, "private").await;
        ana.share(&at, ben.id, Viewer).await.expect("a traveller");
        world.clock.advance(TimeDelta::minutes(1));
    }
    let page = ben.got("/v1/invitations?limit=2").await;
    let cursor = super::cursor(&page).expect("a further page");
    ben.get(&format!("/v1/account/blocks?cursor={cursor}")).await.expect_invalid("cursor");
    ana.get(&format!("/v1/invitations?cursor={cursor}")).await.expect_invalid("cursor");
    for altered in altered(&cursor) {
        ben.get(&format!("/v1/invitations?cursor={altered}")).await.expect_invalid("cursor");
    }
    let times: Vec<_> = walked(&ben, "/v1/invitations", 1).await.iter().map(|entry| entry["at"].to_string()).collect();
    assert!(times.len() == 3 && times.is_sorted_by(|one, next| one > next), "newest first: {times:?}");
}

#[api_test]
async fn invitations_are_answered_on_a_page(database: Database) {
    const PAGE: &str = "/account/invitations";
    let Some(world) = World::start(database).await else { return };
    let (ana, ben, cleo) =
        (Person::of(&world, "ana").await, Person::of(&world, "ben").await, Person::of(&world, "cleo").await);
    let browser = Browser::new(&world);
    browser.sign_in("ben", PASSWORD).await;
    browser.visit(PAGE).await.assert_says("You have no pending invitations.");
    let mut made = Vec::new();
    for (owner, day) in [(&ana, 1), (&ana, 2), (&cleo, 3), (&cleo, 4)] {
        let at = owner.shows(day, "private").await;
        owner.share(&at, ben.id, Viewer).await.expect("a traveller");
        made.push(at);
    }
    browser.visit("/account").await.assert_says("4 are pending");
    let page = browser.visit(PAGE).await;
    let form = |at: &Stored| {
        let mut forms = page.forms(PAGE).into_iter();
        forms.find(|form| form.get("itinerary") == at.id).expect("a form for each invitation")
    };
    assert_eq!(page.forms(PAGE).len(), 4);
    browser.visit(&format!("/trips/{}", made[0].id)).await.assert_says("Lisbon");
    let accepted = browser.submit(&form(&made[0]), &[("do", "accept")]).await;
    accepted.assert_says("You have accepted.");
    accepted.assert_says(&format!("<a href=\"/trips/{}\">Open the trip</a>", made[0].id));
    let planted = browser.visit(&format!("{PAGE}?done=accept&trip=//evil.example")).await;
    assert!(!planted.text().contains("evil"));
    browser.submit(&form(&made[1]), &[("do", "decline")]).await.assert_says("You have declined.");
    assert_eq!(ben.app.listed("").await, [made[0].id.as_str()]);
    let gone = browser.submit(&form(&made[1]), &[("do", "accept")]).await;
    gone.assert_says("This invitation is not pending any more.");
    browser.submit(&form(&made[2]), &[("do", "block")]).await.assert_says("The traveller is blocked.");
    assert!(invitations(&ben).await.is_empty(), "a block ends all of them");
    refused(cleo.share(&made[2], ben.id, Viewer).await, 404, "notFound");
    // A form of nobody, or of another session, changes nothing.
    ana.share(&made[2], ben.id, Viewer).await.expect_err("another's");
    let stranger = Browser::new(&world);
    stranger.sign_in("ana", PASSWORD).await;
    let at = ana.shows(5, "private").await;
    ana.share(&at, ben.id, Viewer).await.expect("a traveller");
    let page = browser.visit(PAGE).await;
    let refused_form = stranger.submit(&page.form(PAGE), &[("do", "accept")]).await;
    assert_eq!(refused_form.response.status, 403);
    assert_eq!(ana.sdk.member_list(uuid(&at.id)).send().await.expect("hers").data[0].status, MemberStatus::Pending);
}
