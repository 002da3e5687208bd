//! Reading a revision: the itinerary as it was, for whom.

use itinerary_tests::app::App;
use itinerary_tests::{World, api_test};
use reqwest::Method;
use serde_json::json;

use super::{joined, revision_path, two_days};

#[api_test]
async fn each_version_is_read_as_it_was(world: World) {
    let ana = App::of(&world, "ana").await;
    let mut seen = vec![ana.created(&two_days()).await];
    for change in [
        json!({ "title": "May", "summary": "A week", "tags": [] }),
        json!({ "days": [{ "id": "d2", "stops": [{ "id": "x", "name": "Sintra" }, { "id": "n", "name": "New" }] }] }),
        json!({ "hotels": null, "flights": [{ "id": "f1", "flightNumber": "TP1" }], "visibility": "public" }),
        json!({ "destination": { "name": "Porto" }, "startDate": "2027-06-01", "currency": null, "origin": null }),
    ] {
        let last = ana.patched(seen.last().expect("one"), &change).await;
        seen.push(last);
    }
    for (version, expected) in (1..).zip(&seen) {
        let response = ana.call(Method::GET, &revision_path(&expected.id, version)).send().await;
        assert_eq!((response.status.as_u16(), response.header("etag")), (200, ""), "{}", response.text());
        let (mut was, mut is) = (expected.json.clone(), response.json());
        for fields in [&mut was, &mut is] {
            let fields = fields.as_object_mut().expect("an object");
            fields.remove("needsAttention");
        }
        assert_eq!(is, was, "version {version}");
    }
}

#[api_test]
async fn unknown_versions_are_not_found(world: World) {
    let ana = App::of(&world, "ana").await;
    let at = ana.created(&two_days()).await;
    for version in [0, 2, -1, i64::MAX] {
        ana.call(Method::GET, &revision_path(&at.id, version)).send().await.expect_error(404, "notFound");
    }
    for version in ["x", "1.5", "9223372036854775808"] {
        let path = revision_path(&at.id, 1).replace("/1", &format!("/{version}"));
        ana.call(Method::GET, &path).send().await.expect_invalid("version");
    }
}

#[api_test]
async fn an_editor_reads_versions_since_joining_in_the_sections_of_today(world: World) {
    let ana = App::pro(&world, "ana").await;
    let first = ana.created(&two_days()).await;
    let second = ana.patched(&first, &json!({ "packing": [{ "id": "p1", "name": "Hat" }] })).await;
    let ben = joined(&world, &ana, &first, ("ben", "editor")).await;
    ana.patched(&second, &json!({ "title": "Three" })).await;
    ben.call(Method::GET, &revision_path(&first.id, 1)).send().await.expect_error(404, "notFound");
    let read = ben.call(Method::GET, &revision_path(&first.id, 2)).send().await.json();
    assert_eq!((&read["title"], read.get("packing"), &read["role"]), (&json!("Lisbon"), None, &json!("editor")));
    let of_ana = ana.call(Method::GET, &revision_path(&first.id, 2)).send().await.json();
    assert_eq!((&of_ana["packing"][0]["name"], of_ana.get("documents")), (&json!("Hat"), None));
    let cleo = joined(&world, &ana, &first, ("cleo", "viewer")).await;
    cleo.call(Method::GET, &revision_path(&first.id, 3)).send().await.expect_error(403, "forbidden");
}
