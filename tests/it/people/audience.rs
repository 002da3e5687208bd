//! The sections that each kind of reader is shown: followers while they follow, guests with the id.

use itinerary_sdk::types::MemberRole::{Editor, Viewer};
use itinerary_tests::app::{App, Stored, WITH_DOCUMENTS};
use itinerary_tests::bodies::full;
use itinerary_tests::{World, api_test};
use reqwest::Method;
use serde_json::{Value, json};

use super::{NOTHING, Person, account_path, entry, ids, path, refused, walked};

/// The public fields of an itinerary.
const EVERYONE: [&str; 17] = [
    "author",
    "coverImage",
    "createdAt",
    "currency",
    "days",
    "destination",
    "id",
    "likesCount",
    "role",
    "startDate",
    "summary",
    "tags",
    "title",
    "travellers",
    "updatedAt",
    "viewsCount",
    "visibility",
];

fn fields(itinerary: &Value) -> Vec<&str> {
    let mut fields: Vec<_> = itinerary.as_object().expect("an itinerary").keys().map(String::as_str).collect();
    fields.sort_unstable();
    fields
}

fn everyone_and(more: &[&'static str]) -> Vec<&'static str> {
    let mut fields: Vec<_> = EVERYONE.into_iter().chain(more.iter().copied()).collect();
    fields.sort_unstable();
    fields
}

// Exactly these fields: Pro and scopes do not make anyone a member.
#[api_test(limits = false)]
async fn each_reader_is_shown_their_sections(world: World) {
    let ana = Person::pro(&world, "ana").await;
    let mut at = ana.app.created(&full()).await;
    let (reader, member) = (Person::pro(&world, "reader").await, Person::of(&world, "member").await);
    let wide = App::with_scope(&world, "reader", WITH_DOCUMENTS).await;
    reader.follow(ana.id).await.expect("she is there");
    for visibility in ["followers", "unlisted", "public"] {
        at = ana.moves(&at, visibility).await;
        let own = ana.app.viewed(&at.id).await;
        for app in [&reader.app, &wide] {
            let read = app.viewed(&at.id).await;
            assert_eq!(fields(&read.json), EVERYONE, "{visibility}");
            assert!(read.etag.ends_with(".e\"") && read.json["role"] == "viewer", "{}", read.etag);
            for field in EVERYONE.into_iter().filter(|field| *field != "role") {
                assert_eq!(read.json[field], own.json[field], "{visibility}: {field}");
            }
            let days = app.call(Method::GET, &format!("{}/days", path(&at.id))).send().await;
            assert_eq!((days.status.as_u16(), &days.json()["data"]), (200, &own.json["days"]));
            assert_eq!(days.header("etag"), read.etag);
            for part in ["flights", "hotels", "transports", "reservations", "expenses", "packing"] {
                let response = app.call(Method::GET, &format!("{}/{part}", path(&at.id))).send().await;
                assert!(response.expect_error(403, "forbidden").is_null());
                assert_eq!(response.header("etag"), "");
            }
            let marks = app.call(Method::GET, &format!("{}/marks", path(&at.id))).send().await;
            assert_eq!(marks.status, 200);
            let tag = read.etag.as_str();
            let write = app.patch_call(&at.id, &json!({ "title": "Mine" })).header("If-Match", tag).send().await;
            assert!(write.expect_error(403, "forbidden").is_null());
        }
    }
    at = ana.moves(&at, "private").await;
    for (role, pro, more) in [
        (Viewer, false, &["flights", "hotels", "origin", "reservations", "transports"][..]),
        (Editor, true, &["expenses", "flights", "hotels", "origin", "packing", "reservations", "transports"]),
    ] {
        ana.shares(&at, &member, role).await;
        world.set_plan("member", if pro { itinerary_model::Plan::Pro } else { itinerary_model::Plan::Free }).await;
        let read = member.app.viewed(&at.id).await;
        assert_eq!(fields(&read.json), everyone_and(more), "{role:?}");
        let wide = App::with_scope(&world, "member", WITH_DOCUMENTS).await.viewed(&at.id).await;
        assert_eq!(fields(&wide.json), everyone_and(&[more, &["documents"]].concat()));
    }
}

#[api_test]
async fn saved_from_is_shown_to_every_reader_of_a_copy(world: World) {
    let (ana, ben, cleo) =
        (Person::of(&world, "ana").await, Person::of(&world, "ben").await, Person::of(&world, "cleo").await);
    let at = ana.shows(1, "public").await;
    let copy = Stored::of(&ben.app.call(Method::POST, &format!("{}/saves", path(&at.id))).send().await);
    ben.moves(&copy, "unlisted").await;
    let read = cleo.app.viewed(&copy.id).await;
    assert_eq!(read.json["savedFrom"], copy.json["savedFrom"]);
    // The source has neither summary, tags nor picture.
    let mut expected = everyone_and(&["savedFrom"]);
    expected.retain(|field| *field == "savedFrom" || at.json.get(*field).is_some());
    assert_eq!(fields(&read.json), expected);
}

/// Every place where a reader could find an itinerary.
async fn everywhere(reader: &Person<'_>, owner: &Person<'_>, at: &Stored) -> Vec<(String, bool)> {
    let mut found = Vec::new();
    for part in ["", "/days", "/marks"] {
        let response = reader.get(&format!("{}{part}", path(&at.id))).await;
        if response.status != 200 {
            response.expect_error(404, "notFound");
        }
        found.push((format!("the itinerary{part}"), response.status == 200));
    }
    let own = account_path(owner.id, "/itineraries");
    for list in
        [&*own, "/v1/explore?following=true", "/v1/explore?q=Lisbon&following=true", "/v1/itineraries?filter=liked"]
    {
        found.push((list.to_owned(), entry(&reader.got(list).await, &at.id).is_some()));
    }
    found
}

#[track_caller]
fn expect(found: &[(String, bool)], expected: bool) {
    let wrong: Vec<_> = found.iter().filter(|(_, seen)| *seen != expected).collect();
    assert!(wrong.is_empty(), "seen should be {expected}: {wrong:?}");
}

// From the next request on, whoever ends it.
#[api_test(limits = false)]
async fn followers_see_what_is_for_followers_while_they_follow(world: World) {
    let (ana, ben) = (Person::of(&world, "ana").await, Person::of(&world, "ben").await);
    let at = ana.shows(1, "followers").await;
    let like = format!("{}/like", path(&at.id));
    expect(&everywhere(&ben, &ana, &at).await, false);
    ben.app.call(Method::PUT, &like).send().await.expect_error(404, "notFound");

    ben.follow(ana.id).await.expect("she is there");
    assert_eq!(ben.app.call(Method::PUT, &like).send().await.status, 200);
    expect(&everywhere(&ben, &ana, &at).await, true);
    let tag = ben.app.viewed(&at.id).await.etag;
    for found in ["/v1/explore", "/v1/explore?q=Lisbon"] {
        assert!(ids(&ben.got(found).await).is_empty(), "{found} is for what is public");
    }
    ben.unfollow(ana.id).await.expect("she is there");
    expect(&everywhere(&ben, &ana, &at).await, false);
    for write in [Method::PUT, Method::DELETE] {
        ben.app.call(write, &like).send().await.expect_error(404, "notFound");
    }
    let known = ben.app.call(Method::GET, &path(&at.id)).header("If-None-Match", &tag).send().await;
    known.expect_error(404, "notFound");

    ben.follow(ana.id).await.expect("nobody has removed him");
    expect(&everywhere(&ben, &ana, &at).await, true);
    ana.remove_follower(ben.id).await.expect("he follows her");
    expect(&everywhere(&ben, &ana, &at).await, false);
    refused(ben.follow(ana.id).await, 403, "forbidden");
    expect(&everywhere(&ben, &ana, &at).await, false);
    // A member need not follow.
    ana.shares(&at, &ben, Viewer).await;
    assert_eq!(ben.app.viewed(&at.id).await.etag, "\"v2.mv\"");
    assert_eq!(ids(&ben.got(&account_path(ana.id, "/itineraries")).await), [at.id]);
}

// Being followed gives nothing, and neither does following someone whom the owner follows.
#[api_test(limits = false)]
async fn only_the_followers_of_the_owner_are_followers(world: World) {
    let (ana, ben, cleo) =
        (Person::of(&world, "ana").await, Person::of(&world, "ben").await, Person::of(&world, "cleo").await);
    let at = ana.shows(1, "followers").await;
    ana.follow(ben.id).await.expect("he is there");
    cleo.follow(ben.id).await.expect("he is there");
    // An editor does not share it with his own followers.
    ana.shares(&at, &ben, Editor).await;
    expect(&everywhere(&cleo, &ana, &at).await, false);
    assert!(walked(&cleo, &account_path(ben.id, "/itineraries"), 10).await.is_empty());
    ana.unshare(&at, ben.id).await.expect("it is the owner's");
    expect(&everywhere(&ben, &ana, &at).await, false);
}

// Anyone with the id can read it; nothing else reveals it.
#[api_test(limits = false)]
async fn an_unlisted_one_is_found_by_its_id_alone(world: World) {
    let (ana, ben) = (Person::of(&world, "ana").await, Person::of(&world, "ben").await);
    ben.follow(ana.id).await.expect("she is there");
    let mut at = ana.shows(1, "public").await;
    let lists = [
        account_path(ana.id, "/itineraries"),
        account_path(ana.id, "/itineraries?filter=owned"),
        "/v1/explore".to_owned(),
        "/v1/explore?q=Lisbon".to_owned(),
        "/v1/explore?regions=Portugal".to_owned(),
        "/v1/explore?following=true".to_owned(),
        "/v1/explore?filter=following&q=Lisbon".to_owned(),
    ];
    for list in &lists {
        assert_eq!(ids(&ben.got(list).await), [at.id.as_str()], "{list}");
    }
    // Another filter is refused whether it is one of the words or not, after the question who the account is.
    for filter in ["shared", "all", "ownedBy", ""] {
        let list = |account| account_path(account, &format!("/itineraries?filter={filter}"));
        ben.get(&list(ana.id)).await.expect_error(403, "forbidden");
        ben.get(&list(NOTHING)).await.expect_error(404, "notFound");
    }
    at = ana.moves(&at, "unlisted").await;
    assert_eq!(ben.app.viewed(&at.id).await.etag, "\"v3.e\"");
    for list in lists.iter().map(String::as_str).chain(["/v1/itineraries", "/v1/itineraries?filter=shared"]) {
        assert!(ids(&ben.got(list).await).is_empty(), "{list}");
    }
    // He finds what he likes, because he has its id.
    let like = ben.app.call(Method::PUT, &format!("{}/like", path(&at.id))).send().await;
    assert_eq!(like.status, 200);
    assert_eq!(ben.app.listed("filter=liked").await, [at.id.as_str()]);
    // A change of it does not add it to any list.
    ana.app.patched(&at, &json!({ "summary": "Lisbon, again" })).await;
    for list in &lists {
        assert!(ids(&ben.got(list).await).is_empty(), "{list}");
    }
}
