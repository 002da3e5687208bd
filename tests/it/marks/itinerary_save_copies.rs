//! Copies are independent: they show their author's current profile, survive their source, and can be copied again.

use itinerary_model::Plan;
use itinerary_tests::app::{App, path};
use itinerary_tests::bodies::{lisbon, minimal};
use itinerary_tests::{World, api_test};
use reqwest::Method;
use serde_json::{Value, json};

use super::{changed, deleted, marks, rows, save, saved, seen};
use crate::explore::{account, follow, published, shown};

/// The expected `savedFrom`.
fn saved_from(id: &str, name: &str, display_name: &str, is_pro: bool) -> Value {
    json!({ "itineraryId": id, "author": name, "authorDisplayName": display_name, "authorIsPro": is_pro })
}

// The author's new name or plan shows in the next read; the copy itself is unchanged.
#[api_test(limits = false)]
async fn the_author_is_told_as_they_are_now(world: World) {
    let (ana, ben) = (App::of(&world, "ana").await, App::of(&world, "ben").await);
    let source = published(&ana, &minimal()).await;
    let copy = saved(&ben, &source.id).await;
    assert_eq!(copy.json["savedFrom"], saved_from(&source.id, "ana", "ana", false));
    for (n, (name, pro)) in
        [("Ana Maria", false), ("Ana Maria", true), ("Ana", true), ("Ana", false)].into_iter().enumerate()
    {
        let rename = ana.call(Method::PATCH, "/v1/account").json(&json!({ "displayName": name })).send().await;
        assert_eq!(rename.status, 200, "{}", rename.text());
        world.set_plan("ana", if pro { Plan::Pro } else { Plan::Free }).await;
        let expected = saved_from(&source.id, "ana", name, pro);
        let read = ben.viewed(&copy.id).await;
        assert_eq!((&read.json["savedFrom"], &read.etag), (&expected, &copy.etag));
        assert_eq!(save(&ben, &source.id).await.json()["savedFrom"], expected);
        let cyn = App::of(&world, &format!("cyn-{n}")).await;
        assert_eq!(saved(&cyn, &source.id).await.json["savedFrom"], expected, "in the answer of a first save, too");
    }
}

// `savedFrom` is permanent; a change or a create that contains it is ignored.
#[api_test(limits = false)]
async fn saved_from_cannot_be_forged(world: World) {
    let (ana, ben) = (App::of(&world, "ana").await, App::of(&world, "ben").await);
    let source = published(&ana, &minimal()).await;
    let copy = saved(&ben, &source.id).await;
    let expected = saved_from(&source.id, "ana", "ana", false);
    let forged = saved_from(&copy.id, "mallory", "Mallory", true);
    for body in [json!({ "savedFrom": forged }), json!({ "savedFrom": null }), json!({ "savedFrom": {} })] {
        assert_eq!(changed(&ben, &copy.id, &body).await.json["savedFrom"], expected);
    }
    let own = ben
        .created(&itinerary_tests::bodies::with(minimal(), json!({ "savedFrom": forged, "startDate": "2028-01-01" })))
        .await;
    assert_eq!(own.json.get("savedFrom"), None);
    assert_eq!(ben.listed("filter=saved").await, [copy.id.as_str()]);
    assert_eq!(source.json.get("savedFrom"), None, "what is no copy has none");
}

// Unpublishing or deleting the source does not affect the copies.
#[api_test(limits = false)]
async fn a_copy_outlives_its_source(world: World) {
    let (ana, ben) = (App::of(&world, "ana").await, App::of(&world, "ben").await);
    let source = published(&ana, &lisbon()).await;
    let copy = saved(&ben, &source.id).await;
    let mut content = copy.json.clone();
    content.as_object_mut().expect("an object").remove("needsAttention");
    for visibility in ["followers", "private"] {
        changed(&ana, &source.id, &json!({ "visibility": visibility })).await;
        assert_eq!(ben.viewed(&copy.id).await.json, content, "{visibility}");
        let hidden = save(&ben, &source.id).await;
        assert!(hidden.expect_error(404, "notFound").is_null(), "what one has of it tells nothing of it");
        assert_eq!((hidden.header("etag"), hidden.header("location")), ("", ""));
    }
    assert_eq!(seen(&ana, &source.id).await.saves_count, 1);
    deleted(&ana, &source.id).await;
    assert_eq!(ben.viewed(&copy.id).await.json, content);
    assert_eq!(ben.listed("filter=saved").await, [copy.id.as_str()]);
    save(&ben, &source.id).await.expect_error(404, "notFound");
    let patched = ben.patched(&copy, &json!({ "title": "Still mine" })).await;
    assert_eq!(patched.json["savedFrom"], saved_from(&source.id, "ana", "ana", false));
    deleted(&ben, &copy.id).await;
    assert_eq!((ben.listed("").await, rows(&world, "itinerary_counters").await), (vec![], 0));
}

// A copy of a copy refers to that copy and its owner, and each save counts for its own source.
#[api_test(limits = false)]
async fn a_copy_of_a_copy_is_from_the_copy(world: World) {
    let (ana, ben, cyn) = (App::of(&world, "ana").await, App::of(&world, "ben").await, App::of(&world, "cyn").await);
    let source = published(&ana, &lisbon()).await;
    let copy = saved(&ben, &source.id).await;
    save(&cyn, &copy.id).await.expect_error(404, "notFound");
    changed(&ben, &copy.id, &json!({ "visibility": "unlisted", "title": "By ben" })).await;
    let second = saved(&cyn, &copy.id).await;
    assert_eq!(second.json["savedFrom"], saved_from(&copy.id, "ben", "ben", false));
    assert_eq!(second.json["title"], "By ben");
    // Cyn has no copy of the source itself, and may save one, too.
    assert_eq!(seen(&cyn, &source.id).await, marks(false, false, false, 0, 1));
    let third = saved(&cyn, &source.id).await;
    assert_eq!((seen(&cyn, &source.id).await.saves_count, seen(&cyn, &copy.id).await.saves_count), (2, 1));
    // One's own copy may be copied.
    let fourth = saved(&cyn, &third.id).await;
    assert_eq!(fourth.json["savedFrom"], saved_from(&third.id, "cyn", "cyn", false));
    deleted(&ben, &copy.id).await;
    assert_eq!(cyn.viewed(&second.id).await.json["savedFrom"], saved_from(&copy.id, "ben", "ben", false));
    assert_eq!(seen(&ana, &source.id).await.saves_count, 1);
    assert_eq!(cyn.listed("filter=saved").await.len(), 3);
}

#[api_test(limits = false)]
async fn everyone_who_can_see_an_itinerary_can_save_it(world: World) {
    let ana = App::of(&world, "ana").await;
    let (ben, vic, sam) = (App::of(&world, "ben").await, App::of(&world, "vic").await, App::of(&world, "sam").await);
    follow(&ben, account(&world, "ana").await, true).await;
    for (visibility, may) in [
        ("public", [true, true, true]),
        ("unlisted", [true, true, true]),
        ("followers", [true, true, false]),
        ("private", [false, true, false]),
    ] {
        let id = shown(&ana, &minimal(), visibility).await.id;
        world.member(&id, account(&world, "vic").await, "viewer").await;
        for (app, may) in [&ben, &vic, &sam].into_iter().zip(may) {
            let response = save(app, &id).await;
            if !may {
                response.expect_error(404, "notFound");
                continue;
            }
            assert_eq!(response.status, 201, "{visibility}: {}", response.text());
            let copy = itinerary_tests::app::Stored::of(&response);
            assert_eq!((&copy.json["visibility"], &copy.json["role"]), (&json!("private"), &json!("owner")));
            // Members of the source are not members of the copy.
            ana.call(Method::GET, &path(&copy.id)).send().await.expect_error(404, "notFound");
        }
        let expected = i64::try_from(may.iter().filter(|may| **may).count()).expect("a small number");
        assert_eq!(seen(&ana, &id).await.saves_count, expected, "{visibility}");
    }
}
