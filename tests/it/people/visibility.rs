//! Visibility: the four values, the changes between them, and the time of first publication.

use chrono::TimeDelta;
use itinerary_sdk::types::MemberRole::{Editor, Viewer};
use itinerary_tests::app::Stored;
use itinerary_tests::{World, api_test};
use serde_json::{Value, json};

use super::{Person, account_path, entry, path};

const ALL: [&str; 4] = ["private", "followers", "unlisted", "public"];

/// Whether a person finds it: by id, in the owner's list, in Explore, among followed people.
async fn finds(person: &Person<'_>, owner: &Person<'_>, at: &Stored) -> [bool; 4] {
    let read = person.app.view(&at.id).await;
    if read.status != 200 {
        read.expect_error(404, "notFound");
    }
    let mut found = [read.status == 200, false, false, false];
    let lists =
        [account_path(owner.id, "/itineraries"), "/v1/explore".to_owned(), "/v1/explore?following=true".to_owned()];
    for (n, list) in lists.iter().enumerate() {
        let page = person.got(list).await;
        found[n + 1] = entry(&page, &at.id).is_some();
        if let Some(entry) = entry(&page, &at.id) {
            assert_eq!((&entry["visibility"], &entry["role"]), (&read.json()["visibility"], &read.json()["role"]));
            assert_eq!(entry["etag"], read.header("etag"), "the tag that reading answers with");
        }
    }
    found
}

// Every change takes effect at once for everyone whom it concerns.
#[api_test(limits = false)]
async fn each_visibility_is_for_its_readers(world: World) {
    let ana = Person::of(&world, "ana").await;
    let (follower, stranger) = (Person::of(&world, "follower").await, Person::of(&world, "stranger").await);
    let (idol, member) = (Person::of(&world, "idol").await, Person::of(&world, "member").await);
    follower.follow(ana.id).await.expect("she is there");
    // Followers see it; accounts that she follows do not.
    ana.follow(idol.id).await.expect("he is there");
    let mut at = ana.shows(1, "private").await;
    ana.shares(&at, &member, Viewer).await;
    let mut version = 1;
    for from in ALL {
        for to in ALL {
            for visibility in [from, to] {
                version += u32::from(at.json["visibility"] != visibility);
                at = ana.moves(&at, visibility).await;
                assert_eq!(
                    (at.etag.as_str(), &at.json["visibility"]),
                    (&*format!("\"v{version}.m\""), &json!(visibility))
                );
            }
            let (yes, no) = (true, false);
            let (fan, nobody, shared) = match to {
                "private" => ([no; 4], [no; 4], [yes, yes, no, no]),
                "followers" => ([yes, yes, no, yes], [no; 4], [yes, yes, no, no]),
                "unlisted" => ([yes, no, no, no], [yes, no, no, no], [yes, yes, no, no]),
                _ => ([yes; 4], [yes, yes, yes, no], [yes, yes, yes, no]),
            };
            assert_eq!(finds(&follower, &ana, &at).await, fan, "a follower, {from} to {to}");
            for person in [&stranger, &idol] {
                assert_eq!(finds(person, &ana, &at).await, nobody, "a stranger, {from} to {to}");
            }
            assert_eq!(finds(&member, &ana, &at).await, shared, "a member, {from} to {to}");
            assert_eq!(finds(&ana, &ana, &at).await, [yes, yes, to == "public", no], "herself, {from} to {to}");
        }
    }
}

#[api_test(limits = false)]
async fn only_the_owner_moves_it(world: World) {
    let ana = Person::of(&world, "ana").await;
    let (editor, viewer) = (Person::of(&world, "editor").await, Person::of(&world, "viewer").await);
    let stranger = Person::of(&world, "stranger").await;
    let mut at = ana.shows(1, "private").await;
    ana.shares(&at, &editor, Editor).await;
    ana.shares(&at, &viewer, Viewer).await;
    for now in ALL {
        at = ana.moves(&at, now).await;
        for to in ALL {
            let body = json!({ "visibility": to, "title": "Taken" });
            // The permission check precedes the version check.
            for tag in [Some(at.etag.as_str()), Some("\"v0.m\""), None] {
                for (person, may_same) in [(&editor, true), (&viewer, false), (&stranger, false)] {
                    if may_same && to == now {
                        continue;
                    }
                    let call = person.app.patch_call(&at.id, &body);
                    let call = if let Some(tag) = tag { call.header("If-Match", tag) } else { call };
                    let response = call.send().await;
                    if person.id == stranger.id && ["private", "followers"].contains(&now) {
                        response.expect_error(404, "notFound");
                    } else {
                        assert!(response.expect_error(403, "forbidden").is_null());
                    }
                    assert_eq!(response.header("etag"), "");
                }
            }
        }
        assert_eq!(ana.app.viewed(&at.id).await.json, at_read(&at), "{now}: nothing was changed");
        // An editor may send back the current visibility, and change other fields.
        let seen = editor.app.viewed(&at.id).await;
        let back = editor.app.patched(&seen, &json!({ "visibility": now, "summary": now })).await;
        assert_eq!((&back.json["visibility"], &back.json["summary"]), (&json!(now), &json!(now)));
        at.etag = ana.app.viewed(&at.id).await.etag;
    }
}

/// The body of a write as a read returns it.
fn at_read(at: &Stored) -> Value {
    let mut json = at.json.clone();
    json.as_object_mut().expect("an itinerary").remove("needsAttention");
    json
}

#[api_test]
async fn a_move_is_a_change_like_any_other(world: World) {
    let ana = Person::of(&world, "ana").await;
    let at = ana.shows(1, "private").await;
    for bad in [json!(null), json!("secret"), json!("Public"), json!(""), json!(1), json!(["public"])] {
        ana.app.patch(&at, &json!({ "visibility": bad })).await.expect_invalid("visibility");
    }
    let body = json!({ "visibility": "public" });
    ana.app.patch_call(&at.id, &body).send().await.expect_error(428, "preconditionRequired");
    let stale = ana.app.patch_call(&at.id, &body).header("If-Match", "\"v9.m\"").send().await;
    stale.expect_error(409, "itineraryModified");
    assert_eq!(stale.header("etag"), "\"v1.m\"");
    // A change that fails for another field does not publish it either.
    ana.app.patch(&at, &json!({ "visibility": "public", "title": null })).await.expect_invalid("title");
    let stranger = Person::of(&world, "stranger").await;
    stranger.app.view(&at.id).await.expect_error(404, "notFound");
    assert_eq!(stranger.got("/v1/explore").await["data"], json!([]));

    world.clock.advance(TimeDelta::minutes(1));
    let key = itinerary_tests::app::key();
    let send = || {
        let call = ana.app.patch_call(&at.id, &body).header("If-Match", &at.etag);
        call.header("Idempotency-Key", &key).send()
    };
    let first = send().await;
    let shown = Stored::of(&first);
    assert_eq!((shown.etag.as_str(), &shown.json["updatedAt"]), ("\"v2.m\"", &json!("2027-01-10T12:01:00.000Z")));
    ana.moves(&shown, "private").await;
    itinerary_tests::app::expect_replay(&send().await, &first);
    stranger.app.view(&at.id).await.expect_error(404, "notFound");
    assert_eq!(ana.app.viewed(&at.id).await.json["visibility"], "private", "a replay shows nothing again");
}

/// The time of first publication in a list.
async fn published(person: &Person<'_>, list: &str, at: &Stored) -> Option<Value> {
    let page = person.got(list).await;
    entry(&page, &at.id).expect("it is listed").get("publishedAt").cloned()
}

#[api_test(limits = false)]
async fn when_it_was_first_shown_is_kept(world: World) {
    let (ana, ben) = (Person::of(&world, "ana").await, Person::of(&world, "ben").await);
    ben.follow(ana.id).await.expect("she is there");
    let lists = ["/v1/itineraries".to_owned(), account_path(ana.id, "/itineraries")];
    for (n, first, instant) in [(1, "followers", "12:06"), (2, "public", "12:22")] {
        let mut at = ana.shows(n, "private").await;
        assert_eq!(published(&ana, &lists[0], &at).await, None);
        for hidden in ["unlisted", "private"] {
            world.clock.advance(TimeDelta::minutes(2));
            at = ana.moves(&at, hidden).await;
            for list in &lists {
                assert_eq!(published(&ana, list, &at).await, None, "{hidden} is not shown");
            }
        }
        let expected = Some(json!(format!("2027-01-10T{instant}:00.000Z")));
        for visibility in [first, "public", "followers", "unlisted", "private", "public"] {
            world.clock.advance(TimeDelta::minutes(2));
            at = ana.moves(&at, visibility).await;
            for list in &lists {
                assert_eq!(published(&ana, list, &at).await, expected, "{first}, now {visibility}");
            }
        }
        for list in ["/v1/explore", "/v1/explore?following=true", &*lists[1]] {
            assert_eq!(published(&ben, list, &at).await, expected, "{list}");
        }
        let read = ana.got(&path(&at.id)).await;
        assert_eq!(read.get("publishedAt"), None, "summaries say it, the itinerary does not");
    }
}
