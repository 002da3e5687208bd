//! Reading: the sections that each reader is shown, the ETag of the view, and conditional reads.

use itinerary_sdk::types::{ItineraryCreate, ItineraryPatch};
use itinerary_tests::world::READ_WRITE;
use itinerary_tests::{World, api_test};
use reqwest::Method;
use serde_json::{Value, json};

use super::fixtures::{full, minimal};
use super::{App, WITH_DOCUMENTS, path};

const MEMBERS: [&str; 3] = ["flights", "hotels", "origin"];
const PRO: [&str; 2] = ["expenses", "packing"];

/// The sections of an itinerary that are not public.
fn sections(itinerary: &Value) -> Vec<&'static str> {
    let all = MEMBERS.into_iter().chain(PRO).chain(["documents"]);
    all.filter(|section| itinerary.get(section).is_some()).collect()
}

#[api_test]
async fn sections_follow_the_reader_the_plan_and_the_scope(world: World) {
    let owner = App::pro(&world, "ana").await;
    let stored = owner.created(&full()).await;
    let stored = owner.patched(&stored, &json!({ "visibility": "unlisted" })).await;
    world.pro_account("ben").await;
    let app = |name, scope| App::with_scope(&world, name, scope);
    let everything = [&MEMBERS[..], &PRO, &["documents"]].concat();
    for (app, sees, letters) in [
        (app("ana", WITH_DOCUMENTS).await, everything, "mpd"),
        (app("ana", READ_WRITE).await, [&MEMBERS[..], &PRO].concat(), "mp"),
        (app("ana", "itineraries:read").await, [&MEMBERS[..], &PRO].concat(), "mp"),
        (app("ben", WITH_DOCUMENTS).await, Vec::new(), "e"),
    ] {
        let read = app.viewed(&stored.id).await;
        assert_eq!((sections(&read.json), read.etag), (sees, format!("\"v2.{letters}\"")));
    }
    world.set_plan("ana", itinerary_model::Plan::Free).await;
    world.set_plan("ben", itinerary_model::Plan::Free).await;
    for (app, sees, letters) in [
        (app("ana", WITH_DOCUMENTS).await, [&MEMBERS[..], &["documents"]].concat(), "md"),
        (app("ana", READ_WRITE).await, MEMBERS.to_vec(), "m"),
        (app("ben", WITH_DOCUMENTS).await, Vec::new(), "e"),
    ] {
        let read = app.viewed(&stored.id).await;
        assert_eq!((sections(&read.json), read.etag), (sees, format!("\"v2.{letters}\"")));
    }
}

#[api_test]
async fn visibility_decides_who_may_know_of_it(world: World) {
    let (owner, other) = (App::of(&world, "ana").await, App::pro(&world, "ben").await);
    let mut stored = owner.created(&minimal()).await;
    for (visibility, seen) in
        [("private", false), ("followers", false), ("unlisted", true), ("public", true), ("private", false)]
    {
        stored = owner.patched(&stored, &json!({ "visibility": visibility })).await;
        let read = other.view(&stored.id).await;
        if seen {
            assert_eq!(read.status, 200, "{visibility}");
            let read = read.json();
            assert_eq!((&read["role"], &read["visibility"]), (&json!("viewer"), &json!(visibility)));
            let mine = owner.viewed(&stored.id).await.json;
            for field in
                ["id", "title", "destination", "startDate", "travellers", "tags", "days", "author", "createdAt"]
            {
                assert_eq!(read[field], mine[field], "{field}");
            }
            assert_eq!(sections(&read), Vec::<&str>::new());
        } else {
            // The same response as for an id that never existed, also to a conditional read.
            assert!(read.expect_error(404, "notFound").is_null(), "{visibility}");
            let call = other.call(Method::GET, &path(&stored.id)).header("If-None-Match", "*");
            call.send().await.expect_error(404, "notFound");
        }
        assert!(other.listed("").await.is_empty(), "it is not in another's library");
    }
}

// H-04: with `ETag`, Cache-Control and Vary, by comparing the whole ETag.
#[api_test]
async fn matching_if_none_match_returns_304(world: World) {
    let app = App::of(&world, "ana").await;
    let stored = app.created(&minimal()).await;
    let read =
        |if_none_match: &str| app.call(Method::GET, &path(&stored.id)).header("If-None-Match", if_none_match).send();
    for same in ["\"v1.m\"", "W/\"v1.m\"", "\"x\", \"v1.m\"", "*"] {
        let response = read(same).await;
        assert_eq!((response.status.as_u16(), response.body.len()), (304, 0), "{same}");
        assert_eq!(response.header("etag"), "\"v1.m\"");
        assert_eq!(response.header("cache-control"), "private, no-cache");
        assert_eq!(response.header("vary"), "Authorization, Service-Itinerary-Shape, Accept-Encoding");
        assert_eq!(response.header("content-type"), "");
        assert_eq!(response.header("ratelimit-limit"), "120");
        assert!(!response.header("x-request-id").is_empty());
    }
    for other in ["\"v1.e\"", "\"v1.mp\"", "\"v2.m\"", "\"v1\""] {
        let response = read(other).await;
        assert_eq!((response.status.as_u16(), response.header("etag")), (200, "\"v1.m\""), "{other}");
        assert_eq!(response.header("cache-control"), "private, no-cache");
        assert_eq!(response.header("vary"), "Authorization, Service-Itinerary-Shape, Accept-Encoding");
    }
    read("v1.m").await.expect_invalid("If-None-Match");
}

// H-04: a change of plan, scope or version changes the ETag.
#[api_test]
async fn another_view_is_another_tag(world: World) {
    let client = world.client("ana").await;
    let trip: ItineraryCreate = serde_json::from_value(minimal()).expect("typed");
    let mut known = client.itinerary_create(trip).send().await.expect("created");
    known = client.itinerary_view(known.id).send().await.expect("read");
    assert_eq!(client.itinerary_view_if_changed(known.id, &known).await.expect("read"), None);
    world.set_plan("ana", itinerary_model::Plan::Pro).await;
    let pro = client.itinerary_view_if_changed(known.id, &known).await.expect("read").expect("another view");
    assert_eq!((pro.etag(), pro.author.is_pro), ("\"v1.mp\"", true));
    assert_eq!(client.itinerary_view_if_changed(pro.id, &pro).await.expect("read"), None);
    let with_documents = world.client_with(&world.token("ana", WITH_DOCUMENTS).await);
    let documents = with_documents.itinerary_view_if_changed(pro.id, &pro).await.expect("read").expect("another view");
    assert_eq!(documents.etag(), "\"v1.mpd\"");
    world.set_plan("ana", itinerary_model::Plan::Free).await;
    assert_eq!(
        client.itinerary_view_if_changed(known.id, &known).await.expect("read"),
        None,
        "the tag of before is right again"
    );
    let changed = client
        .itinerary_update(pro.id, pro.etag(), ItineraryPatch { title: Some("T".to_owned()), ..Default::default() })
        .send()
        .await
        .expect("any view's tag is good for a write");
    let read = client.itinerary_view_if_changed(known.id, &known).await.expect("read").expect("another version");
    assert_eq!((read.etag(), changed.etag()), ("\"v2.m\"", "\"v2.m\""));
}

// H-39: `clean` or absent; echoed on answers with an itinerary; part of Vary everywhere.
#[api_test]
async fn there_is_one_shape(world: World) {
    let app = App::of(&world, "ana").await;
    let stored = app.created(&minimal()).await;
    let calls = || {
        [
            app.call(Method::GET, &path(&stored.id)),
            app.call(Method::GET, "/v1/itineraries"),
            app.create_call("?allowDuplicate=true", &minimal()),
            app.patch_call(&stored.id, &json!({})).header("If-Match", "*"),
        ]
    };
    for call in calls().into_iter().chain(calls().map(|call| call.header("Service-Itinerary-Shape", "clean"))) {
        let response = call.send().await;
        assert!(response.status.is_success(), "{}", response.text());
        if response.json().get("data").is_none() {
            assert_eq!(response.header("service-itinerary-shape"), "clean");
        }
        assert_eq!(response.header("vary"), "Authorization, Service-Itinerary-Shape, Accept-Encoding");
        assert_eq!(response.header("content-type"), "application/json");
    }
    for other in ["raw", "Clean", "", "clean, clean"] {
        for call in calls() {
            call.header("Service-Itinerary-Shape", other).send().await.expect_invalid("Service-Itinerary-Shape");
        }
        let delete = app.delete_call(&stored.id).header("If-Match", "*").header("Service-Itinerary-Shape", other);
        delete.send().await.expect_invalid("Service-Itinerary-Shape");
    }
}
