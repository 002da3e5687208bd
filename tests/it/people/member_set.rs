//! The list of members: who sees and changes it, the responses, and invalid members.

use chrono::TimeDelta;
use itinerary_sdk::types::MemberRole::{Editor, Viewer};
use itinerary_tests::app::{App, Stored};
use itinerary_tests::raw::Call;
use itinerary_tests::{RawResponse, World, api_test};
use reqwest::Method;
use serde_json::{Value, json};

use super::{NO_IDS, NOTHING, Person, path, refused};

fn list_path(at: &Stored) -> String {
    format!("{}/members", path(&at.id))
}

fn set_call(app: &App<'_>, itinerary: &str, account: &str, body: &Value) -> Call {
    app.call(Method::PUT, &format!("{}/members/{account}", path(itinerary))).json(body)
}

fn remove_call(app: &App<'_>, itinerary: &str, account: &str) -> Call {
    app.call(Method::DELETE, &format!("{}/members/{account}", path(itinerary)))
}

#[api_test]
async fn members_are_listed_in_the_order_in_which_they_came(world: World) {
    let (ana, ben, cleo) =
        (Person::of(&world, "ana").await, Person::of(&world, "ben").await, Person::of(&world, "cleo").await);
    let picture = ben.app.call(Method::PATCH, "/v1/account").json(&json!({
        "displayName": "Ben B.", "imageUrl": "https://images.example/ben.png",
    }));
    assert_eq!(picture.send().await.status, 200);
    let at = ana.shows(1, "private").await;
    assert_eq!(ana.got(&list_path(&at)).await, json!({ "data": [] }));

    ben.follow(ana.id).await.expect("she is there");
    let added = set_call(&ana.app, &at.id, &ben.id.to_string(), &json!({ "role": "editor" })).send().await;
    let member = json!({
        "accountId": ben.id, "username": "ben", "displayName": "Ben B.",
        "imageUrl": "https://images.example/ben.png", "role": "editor", "status": "accepted",
        "since": "2027-01-10T12:00:00.000Z",
    });
    assert_eq!((added.status.as_u16(), added.json()), (200, member.clone()));
    assert_eq!((added.header("etag"), added.header("location")), ("", ""), "a member has no version");
    assert_eq!(added.header("cache-control"), "private, no-cache");
    world.clock.advance(TimeDelta::minutes(1));
    ana.shares(&at, &cleo, Viewer).await;
    world.clock.advance(TimeDelta::minutes(1));

    // Neither another role nor the same one again changes the time.
    for role in ["viewer", "viewer", "editor", "viewer"] {
        let set = set_call(&ana.app, &at.id, &ben.id.to_string(), &json!({ "role": role })).send().await;
        let mut expected = member.clone();
        expected["role"] = role.into();
        assert_eq!((set.status.as_u16(), set.json()), (200, expected));
    }
    let list = ana.get(&list_path(&at)).await;
    let mut first = member.clone();
    first["role"] = "viewer".into();
    let second = json!({
        "accountId": cleo.id, "username": "cleo", "displayName": "cleo", "role": "viewer", "status": "accepted",
        "since": "2027-01-10T12:01:00.000Z",
    });
    assert_eq!((list.status.as_u16(), list.json()), (200, json!({ "data": [first, second] })));
    assert_eq!((list.header("etag"), list.header("cache-control")), ("", "private, no-cache"));
    ana.unshare(&at, ben.id).await.expect("it is the owner's");
    ana.shares(&at, &ben, Viewer).await;
    assert_eq!(ana.members(&at).await, [cleo.id, ben.id], "by when they came, not by who they are");
}

#[api_test]
async fn a_member_who_was_taken_out_may_come_again(world: World) {
    let (ana, ben) = (Person::of(&world, "ana").await, Person::of(&world, "ben").await);
    let at = ana.shows(1, "private").await;
    let first = ana.shares(&at, &ben, Editor).await;
    let removed = remove_call(&ana.app, &at.id, &ben.id.to_string()).send().await;
    assert_eq!((removed.status.as_u16(), removed.text().as_str(), removed.header("etag")), (204, "", ""));
    assert!(ana.members(&at).await.is_empty());
    remove_call(&ana.app, &at.id, &ben.id.to_string()).send().await.expect_error(404, "notFound");
    world.clock.advance(TimeDelta::minutes(30));
    let again = ana.shares(&at, &ben, Viewer).await;
    assert!(again.role == Viewer && again.since > first.since, "{again:?}");
    assert_eq!(ana.members(&at).await, [ben.id]);
}

/// The responses to a person who lists, adds, changes and removes members and tries to become an editor.
async fn attempts(person: &Person<'_>, at: &Stored, member: &Person<'_>, other: &Person<'_>) -> Vec<RawResponse> {
    let own = set_call(&person.app, &at.id, &person.id.to_string(), &json!({ "role": "editor" }));
    let mut responses = vec![person.get(&list_path(at)).await, own.send().await];
    for account in [member.id, other.id, NOTHING] {
        let account = account.to_string();
        responses.push(set_call(&person.app, &at.id, &account, &json!({ "role": "viewer" })).send().await);
        responses.push(remove_call(&person.app, &at.id, &account).send().await);
    }
    responses
}

#[api_test(limits = false)]
async fn only_the_owner_sees_and_changes_the_members(world: World) {
    let ana = Person::of(&world, "ana").await;
    let (editor, viewer) = (Person::of(&world, "editor").await, Person::of(&world, "viewer").await);
    let (reader, member) = (Person::pro(&world, "reader").await, Person::of(&world, "member").await);
    let mut at = ana.shows(1, "private").await;
    ana.shares(&at, &editor, Editor).await;
    ana.shares(&at, &viewer, Viewer).await;
    ana.shares(&at, &member, Editor).await;
    reader.follow(ana.id).await.expect("she is there");
    let before = ana.got(&list_path(&at)).await;
    for visibility in ["private", "followers", "unlisted", "public"] {
        at = ana.moves(&at, visibility).await;
        let tag = ana.app.viewed(&at.id).await.etag;
        for person in [&editor, &viewer, &reader] {
            let hidden = visibility == "private" && person.id == reader.id;
            for response in attempts(person, &at, &member, &reader).await {
                let details = if hidden {
                    response.expect_error(404, "notFound")
                } else {
                    response.expect_error(403, "forbidden")
                };
                assert!(details.is_null(), "{details}");
                assert_eq!(response.header("etag"), "", "a refusal tells no version");
            }
        }
        assert_eq!(ana.got(&list_path(&at)).await, before, "{visibility}: nobody came or went");
        assert_eq!(ana.app.viewed(&at.id).await.etag, tag);
    }
}

#[api_test]
async fn sharing_needs_a_token_with_the_scope(world: World) {
    let (ana, ben) = (Person::of(&world, "ana").await, Person::of(&world, "ben").await);
    let at = ana.shows(1, "private").await;
    let (reads, writes) = (
        App::with_scope(&world, "ana", "itineraries:read documents:read documents:write").await,
        App::with_scope(&world, "ana", "itineraries:write documents:read documents:write").await,
    );
    let account = ben.id.to_string();
    let role = json!({ "role": "viewer" });
    let list = writes.call(Method::GET, &list_path(&at)).send().await;
    assert_eq!(list.expect_error(403, "forbidden"), json!({ "required": "itineraries:read" }));
    for call in [set_call(&reads, &at.id, &account, &role), remove_call(&reads, &at.id, &account)] {
        let details = call.send().await.expect_error(403, "forbidden");
        assert_eq!(details, json!({ "required": "itineraries:write" }));
    }
    assert!(ana.members(&at).await.is_empty());
    // The scope for writing suffices for sharing.
    assert_eq!(set_call(&writes, &at.id, &account, &role).send().await.status, 200);
    let address = format!("{}/members/{account}", path(&at.id));
    for (method, path) in [(Method::GET, &list_path(&at)), (Method::PUT, &address), (Method::DELETE, &address)] {
        world.call(method, path).json(&role).send().await.expect_error(401, "unauthenticated");
    }
    assert_eq!(ana.members(&at).await, [ben.id]);
}

#[api_test(limits = false)]
async fn invalid_member_requests_are_rejected(world: World) {
    let (ana, ben) = (Person::of(&world, "ana").await, Person::of(&world, "ben").await);
    let stranger = Person::of(&world, "stranger").await;
    let at = ana.shows(1, "private").await;
    assert_eq!(refused(ana.share(&at, NOTHING, Viewer).await, 404, "notFound"), None);
    assert_eq!(refused(ana.unshare(&at, NOTHING).await, 404, "notFound"), None);
    for role in [Viewer, Editor] {
        let own = refused(ana.share(&at, ana.id, role).await, 422, "validationFailed");
        assert_eq!(own.as_deref(), Some("accountId"), "the owner is no member");
    }
    let account = ben.id.to_string();
    for (body, field) in [
        (json!({ "role": "owner" }), "role"),
        (json!({ "role": "admin" }), "role"),
        (json!({ "role": "Editor" }), "role"),
        (json!({ "role": "" }), "role"),
        (json!({ "role": null }), "role"),
        (json!({ "role": 1 }), "role"),
        (json!({}), "role"),
        (json!({ "role": "viewer", "note": "x" }), "note"),
        (json!({ "role": "viewer", "since": "2027-01-10T12:00:00Z" }), "since"),
    ] {
        set_call(&ana.app, &at.id, &account, &body).send().await.expect_invalid(field);
        // Syntax is checked before the itinerary is looked up.
        set_call(&stranger.app, &at.id, &account, &body).send().await.expect_invalid(field);
        set_call(&stranger.app, &NOTHING.to_string(), &account, &body).send().await.expect_invalid(field);
    }
    for body in [json!(["viewer"]), json!("viewer"), Value::Null] {
        set_call(&ana.app, &at.id, &account, &body).send().await.expect_error(422, "validationFailed");
    }
    let address = format!("{}/members/{account}", path(&at.id));
    for (kind, body, status, code) in [
        ("application/json", "", 422, "validationFailed"),
        ("application/json", "{\"role\":", 422, "validationFailed"),
        ("text/plain", "{\"role\":\"viewer\"}", 415, "unsupportedMediaType"),
        ("application/merge-patch+json", "{\"role\":\"viewer\"}", 415, "unsupportedMediaType"),
    ] {
        let response = ana.app.call(Method::PUT, &address).body(kind, body).send().await;
        response.expect_error(status, code);
    }
    for bad in NO_IDS {
        let role = json!({ "role": "viewer" });
        set_call(&ana.app, &at.id, bad, &role).send().await.expect_invalid("accountId");
        remove_call(&ana.app, &at.id, bad).send().await.expect_invalid("accountId");
        set_call(&ana.app, bad, &account, &role).send().await.expect_invalid("id");
        remove_call(&ana.app, bad, &account).send().await.expect_invalid("id");
        ana.get(&format!("/v1/itineraries/{bad}/members")).await.expect_invalid("id");
    }
    let nothing = Stored { id: NOTHING.to_string(), ..at.clone() };
    refused(ana.share(&nothing, ben.id, Viewer).await, 404, "notFound");
    refused(ana.unshare(&nothing, ben.id).await, 404, "notFound");
    ana.get(&list_path(&nothing)).await.expect_error(404, "notFound");
    assert!(ana.members(&at).await.is_empty(), "none of it made a member");
    assert_eq!(ana.app.viewed(&at.id).await.etag, at.etag);
}

#[api_test]
async fn members_go_with_the_itinerary(world: World) {
    let (ana, ben) = (Person::of(&world, "ana").await, Person::of(&world, "ben").await);
    let at = ana.shows(1, "private").await;
    ana.shares(&at, &ben, Editor).await;
    assert_eq!(ana.app.delete(&at).await.status, 204);
    for person in [&ana, &ben] {
        person.get(&list_path(&at)).await.expect_error(404, "notFound");
        refused(person.share(&at, ben.id, Viewer).await, 404, "notFound");
        refused(person.unshare(&at, ben.id).await, 404, "notFound");
        assert!(person.app.listed("filter=shared").await.is_empty());
    }
}
