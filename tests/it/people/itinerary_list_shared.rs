//! Shared itineraries are in the member's library, with the member's role and ETag, from the moment of sharing.

use chrono::TimeDelta;
use futures::TryStreamExt;
use itinerary_sdk::Paged;
use itinerary_sdk::types::ListFilter;
use itinerary_sdk::types::MemberRole::{Editor, Viewer};
use itinerary_tests::app::{App, WITH_DOCUMENTS};
use itinerary_tests::bodies::full;
use itinerary_tests::{World, api_test};
use reqwest::Method;
use serde_json::json;

use super::{Person, account_path, cursor, entry, ids, path, walked};

#[api_test]
async fn a_role_holds_from_the_next_request(world: World) {
    let (ana, ben) = (Person::of(&world, "ana").await, Person::of(&world, "ben").await);
    let at = ana.shows(1, "private").await;
    let flights = format!("{}/flights", path(&at.id));
    let title = json!({ "title": "By Ben" });
    ben.app.view(&at.id).await.expect_error(404, "notFound");

    ana.shares(&at, &ben, Viewer).await;
    let read = ben.app.viewed(&at.id).await;
    assert_eq!((read.etag.as_str(), &read.json["role"]), ("\"v1.mv\"", &json!("viewer")));
    assert_eq!(ben.got(&flights).await, json!({ "data": [] }));
    ben.app.patch(&read, &title).await.expect_error(403, "forbidden");

    ana.shares(&at, &ben, Editor).await;
    let known = ben.app.call(Method::GET, &path(&at.id)).header("If-None-Match", &read.etag).send().await;
    assert_eq!((known.status.as_u16(), known.header("etag")), (200, "\"v1.mw\""), "another role, another tag");
    assert_eq!(known.json()["role"], "editor");
    // An ETag from the other role is valid for a write, because the version is the same.
    let changed = ben.app.patched(&read, &title).await;
    assert_eq!((changed.etag.as_str(), &changed.json["role"]), ("\"v2.mw\"", &json!("editor")));
    let added =
        ben.app.call(Method::POST, &flights).header("If-Match", &changed.etag).json(&json!({ "seatNumber": "1" }));
    assert_eq!(added.send().await.status, 200);
    ben.app.delete_call(&at.id).header("If-Match", "*").send().await.expect_error(403, "forbidden");

    ana.shares(&at, &ben, Viewer).await;
    let read = ben.app.viewed(&at.id).await;
    assert_eq!((read.etag.as_str(), &read.json["title"]), ("\"v3.mv\"", &json!("By Ben")));
    ben.app.patch(&read, &title).await.expect_error(403, "forbidden");
    assert_eq!(ben.got(&flights).await["data"][0]["seatNumber"], "1");

    ana.unshare(&at, ben.id).await.expect("it is the owner's");
    ben.app.patch(&read, &title).await.expect_error(404, "notFound");
    let known = ben.app.call(Method::GET, &path(&at.id)).header("If-None-Match", &read.etag).send().await;
    known.expect_error(404, "notFound");
    ben.get(&flights).await.expect_error(404, "notFound");
    assert_eq!(ana.app.viewed(&at.id).await.etag, "\"v3.m\"");
}

// Sharing changes nothing that the owner reads, including ETag and position in lists.
#[api_test(limits = false)]
async fn sharing_is_no_change_of_the_itinerary(world: World) {
    let (ana, ben) = (Person::of(&world, "ana").await, Person::of(&world, "ben").await);
    let at = ana.shows(1, "public").await;
    world.clock.advance(TimeDelta::minutes(1));
    let newer = ana.shows(2, "private").await;
    let (before, list) = (ana.app.view(&at.id).await, ana.app.list("").await);
    let reader = ben.app.view(&at.id).await;
    assert_eq!(ids(&list.json()), [newer.id.clone(), at.id.clone()]);
    for step in 0..5 {
        world.clock.advance(TimeDelta::minutes(1));
        match step {
            0 | 3 => drop(ana.shares(&at, &ben, Viewer).await),
            1 => drop(ana.shares(&at, &ben, Editor).await),
            2 => ana.unshare(&at, ben.id).await.expect("it is the owner's"),
            _ => ben.unshare(&at, ben.id).await.expect("a member may leave"),
        }
        let now = ana.app.view(&at.id).await;
        assert_eq!((now.text(), now.header("etag")), (before.text(), before.header("etag")), "step {step}");
        assert_eq!(ana.app.list("").await.text(), list.text(), "step {step}");
        assert!(ana.app.listed("updatedSince=2027-01-10T12:01:01Z").await.is_empty(), "step {step}");
        let call = ana.app.call(Method::GET, &path(&at.id)).header("If-None-Match", before.header("etag"));
        assert_eq!(call.send().await.status, 304, "step {step}");
    }
    let read = ben.app.view(&at.id).await;
    assert_eq!((read.text(), read.header("etag")), (reader.text(), reader.header("etag")), "he is a reader again");
    // The ETag from before is still valid for a write.
    ana.app.patched(&at, &json!({ "title": "T" })).await;
}

#[api_test(limits = false)]
async fn shared_itinerary_is_listed_with_the_members_role_and_etag(world: World) {
    let (ana, ben) = (Person::pro(&world, "ana").await, Person::of(&world, "ben").await);
    let at = ana.app.created(&full()).await;
    let own = ben.shows(3, "private").await;
    world.clock.advance(TimeDelta::minutes(1));
    let apps = [
        ben.app.clone(),
        App::with_scope(&world, "ben", WITH_DOCUMENTS).await,
        App::with_scope(&world, "ben", "itineraries:read").await,
    ];
    for (role, pro, letters) in [
        (Viewer, false, ["mv", "mdv", "mv"]),
        (Editor, false, ["mw", "mdw", "mw"]),
        (Editor, true, ["mpw", "mpdw", "mpw"]),
        (Viewer, true, ["mpv", "mpdv", "mpv"]),
    ] {
        ana.shares(&at, &ben, role).await;
        let plan = if pro { itinerary_model::Plan::Pro } else { itinerary_model::Plan::Free };
        world.set_plan("ben", plan).await;
        for (app, letters) in apps.iter().zip(letters) {
            let read = app.viewed(&at.id).await;
            assert_eq!(read.etag, format!("\"v1.{letters}\""));
            for filter in ["shared", "all"] {
                let page = app.list(&format!("filter={filter}")).await.json();
                let shown = entry(&page, &at.id).expect("it is shared");
                assert_eq!(shown["etag"], read.etag, "the tag that reading answers with");
                for field in ["role", "title", "visibility", "updatedAt", "startDate", "tags"] {
                    assert_eq!(shown[field], read.json[field], "{field}");
                }
                assert_eq!(shown["role"], role.to_string());
                assert_eq!(shown["author"]["username"], "ana", "it is still hers");
            }
        }
        // Both were created at the same instant, and the later id comes first.
        let mut both = [at.id.clone(), own.id.clone()];
        both.sort();
        both.reverse();
        assert_eq!(ben.app.listed("").await, both);
        assert_eq!(ben.app.listed("filter=shared").await, [at.id.as_str()]);
        assert_eq!(ben.app.listed("filter=owned").await, [own.id.as_str()]);
        for filter in ["saved", "liked", "disliked"] {
            assert!(ben.app.listed(&format!("filter={filter}")).await.is_empty(), "{filter}");
        }
        assert!(ana.app.listed("filter=shared").await.is_empty(), "with others is not with her");
    }
    let shared: Vec<_> =
        ben.sdk.itinerary_list().filter(ListFilter::Shared).stream().try_collect().await.expect("a list");
    assert!(shared.len() == 1 && shared[0].id.to_string() == at.id && shared[0].author.account_id == ana.id);

    ana.unshare(&at, ben.id).await.expect("it is the owner's");
    for query in ["filter=shared", "filter=shared&updatedSince=2027-01-01T00:00:00Z"] {
        assert!(ben.app.listed(query).await.is_empty());
    }
    assert_eq!(ben.app.listed("updatedSince=2027-01-01T00:00:00Z").await, [own.id.as_str()]);
    // Visible does not mean shared.
    ana.moves(&at, "public").await;
    assert_eq!(ben.app.listed("").await, [own.id.as_str()]);
    ana.shares(&at, &ben, Editor).await;
    assert_eq!(ben.app.listed("filter=shared").await, [at.id.as_str()]);
    ben.unshare(&at, ben.id).await.expect("a member may leave");
    assert_eq!(ben.app.listed("").await, [own.id]);
}

// `updatedSince` compares the later of the change and the sharing, so that a new shared itinerary is found.
#[api_test(limits = false)]
async fn arriving_is_news_for_the_member_alone(world: World) {
    let (ana, ben) = (Person::of(&world, "ana").await, Person::of(&world, "ben").await);
    let at = ana.shows(1, "private").await; // 12:00
    world.clock.advance(TimeDelta::minutes(1));
    let early = ben.shows(2, "private").await; // 12:01
    world.clock.advance(TimeDelta::minutes(1));
    ana.shares(&at, &ben, Viewer).await; // 12:02
    world.clock.advance(TimeDelta::minutes(1));
    let late = ben.shows(3, "private").await; // 12:03
    world.clock.advance(TimeDelta::minutes(1));
    ana.shares(&at, &ben, Editor).await; // 12:04: another role is no arrival

    let [at_id, early_id, late_id] = [&at, &early, &late].map(|stored| stored.id.as_str());
    for (since, expected) in [
        ("12:00:00Z", vec![early_id, at_id, late_id]),
        ("12:01:00.001Z", vec![at_id, late_id]),
        ("12:02:00Z", vec![at_id, late_id]),
        ("12:02:00.001Z", vec![late_id]),
        ("12:03:00.001Z", vec![]),
    ] {
        let since = format!("updatedSince=2027-01-10T{since}");
        assert_eq!(ben.app.listed(&since).await, expected, "{since}");
        let pages = walked(&ben, &format!("/v1/itineraries?{since}"), 1).await;
        assert_eq!(pages.iter().map(|entry| entry["id"].as_str().expect("an id")).collect::<Vec<_>>(), expected);
        let shared: Vec<_> = expected.iter().copied().filter(|id| *id == at_id).collect();
        assert_eq!(ben.app.listed(&format!("{since}&filter=shared")).await, shared, "{since}");
    }
    assert!(ana.app.listed("updatedSince=2027-01-10T12:00:00.001Z").await.is_empty());
    // Without it the list is sorted by the change only, which is what entries show.
    assert_eq!(ben.app.listed("").await, [late_id, early_id, at_id]);
    let page = ben.app.list("updatedSince=2027-01-10T12:02:00Z").await.json();
    assert_eq!(entry(&page, at_id).expect("it is there")["updatedAt"], at.json["updatedAt"]);

    world.clock.advance(TimeDelta::minutes(1));
    ana.app.patched(&at, &json!({ "title": "T" })).await; // 12:05
    for since in ["12:02:00.001Z", "12:05:00Z"] {
        let shared = ben.app.listed(&format!("filter=shared&updatedSince=2027-01-10T{since}")).await;
        assert_eq!(shared, [at_id], "a change is news as well");
    }
    world.clock.advance(TimeDelta::minutes(1));
    ana.unshare(&at, ben.id).await.expect("it is the owner's");
    assert_eq!(ben.app.listed("updatedSince=2027-01-10T12:00:00Z").await, [early_id, late_id]);
    ana.shares(&at, &ben, Viewer).await; // 12:06: he comes anew
    assert_eq!(ben.app.listed("updatedSince=2027-01-10T12:05:00.001Z").await, [at_id]);
}

// Pages of a library stay consistent while itineraries are shared and unshared.
#[api_test(limits = false)]
async fn pages_hold_while_things_are_shared(world: World) {
    let (ana, ben) = (Person::of(&world, "ana").await, Person::of(&world, "ben").await);
    let mut theirs = Vec::new();
    for n in 0..18 {
        let person = if n % 3 == 0 { &ben } else { &ana };
        let made = person.shows(n + 1, "private").await;
        if n % 3 != 0 && n < 15 {
            ana.shares(&made, &ben, Viewer).await;
        }
        theirs.push(made);
        world.clock.advance(TimeDelta::seconds(i64::from(n % 2)));
    }
    let first = ben.got("/v1/itineraries?limit=4").await;
    let shown = ids(&first);
    // One that was shown and one that was not are removed; an old one is added.
    let gone = [&theirs[14], &theirs[1]];
    for stored in gone {
        ana.unshare(stored, ben.id).await.expect("it is the owner's");
    }
    assert!(shown.contains(&gone[0].id) && !shown.contains(&gone[1].id), "{shown:?}");
    let mut found = shown.clone();
    let mut next = cursor(&first);
    while let Some(after) = next {
        let page = ben.got(&format!("/v1/itineraries?limit=4&cursor={after}")).await;
        found.extend(ids(&page));
        next = cursor(&page);
    }
    let expected: Vec<_> = (0..18).filter(|n| n % 3 == 0 || *n < 15).filter(|n| *n != 1).collect();
    let mut unique = found.clone();
    unique.sort();
    unique.dedup();
    assert_eq!((unique.len(), found.len()), (expected.len(), expected.len()), "each once, and nothing else");
    assert!(expected.iter().all(|n| unique.contains(&theirs[*n].id)));
    // No other list is affected.
    let list = account_path(ana.id, "/itineraries");
    assert!(walked(&Person::of(&world, "stranger").await, &list, 4).await.is_empty());
}
