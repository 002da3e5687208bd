//! Documents and the itinerary's version: uploads need none and make a new one; changes need the current one.

use itinerary_tests::app::{App, Stored, path};
use itinerary_tests::bodies::{full, with};
use itinerary_tests::world::READ_WRITE;
use itinerary_tests::{Database, RawResponse, api_test};
use reqwest::Method;
use serde_json::{Value, json};

use super::{
    Before, ana, delete_call, documents, listed, patch_call, sealed_files, small, start, text, upload_file, uploaded,
    version,
};
use itinerary_tests::forms::Form;

/// Changes a document from a version.
async fn patch(app: &App<'_>, seen: &Stored, document: &str, body: &Value) -> RawResponse {
    patch_call(app, &seen.id, document, body).header("If-Match", &seen.etag).send().await
}

/// Changes a document, which must succeed. Returns its entry.
async fn patched(app: &App<'_>, id: &str, document: &str, body: &Value) -> Value {
    let response = patch(app, &app.viewed(id).await, document, body).await;
    assert_eq!(response.status, 200, "{}", response.text());
    assert_eq!(response.header("etag"), app.viewed(id).await.etag, "it is ready for the next write");
    assert_eq!(listed(app, id).await[0], response.json());
    response.json()
}

#[api_test]
async fn an_upload_needs_no_version_and_makes_one(database: Database) {
    let Some(world) = start(database).await else { return };
    let (ana, at) = ana(&world).await;
    for number in 1..=3 {
        let response = upload_file(&ana, &at.id, &sealed_files::age(300)).await;
        assert_eq!(version(response.header("etag")), version(&at.etag) + number);
        assert_eq!(ana.viewed(&at.id).await.etag, response.header("etag"));
    }
    // It has no parameters; those of other operations are ignored.
    let path = format!("{}?dryRun=true&allowDuplicate=false", documents(&at.id));
    let form = Form::new().file(sealed_files::age(300)).end();
    let response = ana.call(Method::POST, &path).body(&super::content_type(), form).send().await;
    assert_eq!((response.status.as_u16(), listed(&ana, &at.id).await.len()), (201, 4));
    // A version that is sent is ignored.
    let call = super::upload_call(&ana, &at.id, Form::new().file(sealed_files::age(300)).end());
    assert_eq!(call.header("If-Match", &at.etag).send().await.status, 201);
    ana.patch(&at, &json!({ "title": "Stale" })).await.expect_error(409, "itineraryModified");
}

#[api_test]
async fn changing_and_deleting_need_the_version(database: Database) {
    let Some(world) = start(database).await else { return };
    let (ana, at) = ana(&world).await;
    let document = small(&ana, &at.id).await;
    let before = Before::of(&ana, &at.id).await;
    let rename = json!({ "name": "Renamed" });
    patch_call(&ana, &at.id, &document, &rename).send().await.expect_error(428, "preconditionRequired");
    delete_call(&ana, &at.id, &document).send().await.expect_error(428, "preconditionRequired");
    for (tag, status, code) in [
        (&*at.etag, 409, "itineraryModified"),
        ("W/\"v2.m\"", 409, "itineraryModified"),
        ("v2", 422, "validationFailed"),
    ] {
        for call in [patch_call(&ana, &at.id, &document, &rename), delete_call(&ana, &at.id, &document)] {
            let response = call.header("If-Match", tag).send().await;
            response.expect_error(status, code);
            assert_eq!(response.header("etag"), if status == 409 { &*before.at.etag } else { "" });
        }
    }
    before.expect_unchanged(&ana, "no version").await;

    let now = ana.viewed(&at.id).await;
    let response = patch(&ana, &now, &document, &rename).await;
    assert_eq!((response.status.as_u16(), version(response.header("etag"))), (200, version(&now.etag) + 1));
    let response = delete_call(&ana, &at.id, &document).header("If-Match", response.header("etag")).send().await;
    assert_eq!(
        (response.status.as_u16(), response.text(), version(response.header("etag"))),
        (204, String::new(), version(&now.etag) + 2)
    );
    let now = ana.viewed(&at.id).await;
    assert_eq!((&*now.etag, &now.json["documents"]), (response.header("etag"), &json!([])));
    patch(&ana, &now, &document, &rename).await.expect_error(404, "notFound");
    delete_call(&ana, &at.id, &document).header("If-Match", "*").send().await.expect_error(404, "notFound");
}

#[api_test]
async fn a_change_is_a_merge_patch(database: Database) {
    let Some(world) = start(database).await else { return };
    let (ana, at) = ana(&world).await;
    let form = Form::new().text("category", "visa").text("mimeType", "application/pdf").file(sealed_files::age(300));
    let id = text(&uploaded(&ana, &at.id, form.end()).await["id"]);
    let first = listed(&ana, &at.id).await.remove(0);
    let link = json!({ "kind": "flight", "id": "flight-1" });

    assert_eq!(patched(&ana, &at.id, &id, &json!({})).await, first);
    let named = with(first.clone(), json!({ "name": "My visa" }));
    assert_eq!(patched(&ana, &at.id, &id, &json!({ "name": "My visa" })).await, named);
    let belonging = with(named.clone(), json!({ "belongsTo": link, "category": "ticket" }));
    assert_eq!(patched(&ana, &at.id, &id, &json!({ "belongsTo": link, "category": "ticket" })).await, belonging);
    // Half a link merges with the existing half.
    let call = patch_call(&ana, &at.id, &id, &json!({ "belongsTo": { "kind": "hotel" } })).header("If-Match", "*");
    call.send().await.expect_invalid("belongsTo.id");
    // What was read can be sent back. The file and its type cannot be changed.
    let other_file = json!({ "path": "../x", "name": "other.age", "size": 1 });
    let sent_back = with(belonging.clone(), json!({ "file": other_file, "mimeType": "text/html" }));
    assert_eq!(patched(&ana, &at.id, &id, &sent_back).await, belonging);
    // `null` clears what may be absent.
    let cleared = patched(&ana, &at.id, &id, &json!({ "category": null, "belongsTo": null })).await;
    assert_eq!((cleared.get("category"), cleared.get("belongsTo")), (None, None));
    assert_eq!(cleared["file"], first["file"]);

    let before = Before::of(&ana, &at.id).await;
    for (body, field) in [
        (json!({ "name": null }), "name"),
        (json!({ "name": "" }), "name"),
        (json!({ "name": "x".repeat(201) }), "name"),
        (json!({ "name": 1 }), "name"),
        (json!({ "category": "pet" }), "category"),
        (json!({ "belongsTo": { "kind": "flight" } }), "belongsTo.id"),
        (json!({ "belongsTo": { "kind": "flight", "id": "nothing" } }), "belongsTo.id"),
        (json!({ "belongsTo": { "kind": "day", "id": "flight-1" } }), "belongsTo.id"),
        (json!({ "belongsTo": { "kind": "flight", "id": "flight-1", "note": 1 } }), "belongsTo.note"),
        (json!({ "note": "x" }), "note"),
        (json!({ "size": 1 }), "size"),
        (json!({ "url": "https://elsewhere.example" }), "url"),
        (json!({ "id": at.id }), "id"),
    ] {
        patch(&ana, &before.at, &id, &body).await.expect_invalid(field);
    }
    before.expect_unchanged(&ana, "bad patches").await;
}

#[api_test]
async fn document_can_link_to_every_kind_of_item(database: Database) {
    let Some(world) = start(database).await else { return };
    let (ana, _) = ana(&world).await;
    let at = ana.created(&full()).await;
    let itinerary = ("itinerary", &*at.id);
    for (kind, id) in [("flight", "flight-1"), ("hotel", "hotel-1"), ("day", "day-1"), ("stop", "stop-2"), itinerary] {
        let link = json!({ "kind": kind, "id": id });
        let form = Form::new().file(sealed_files::age(300)).text("belongsTo", link.to_string()).end();
        uploaded(&ana, &at.id, form).await;
        assert_eq!(listed(&ana, &at.id).await.last().expect("it is there")["belongsTo"], link);
    }
    // When the flight is removed, the link is cleared and the document stays.
    let now = ana.viewed(&at.id).await;
    let flight = ana.call(Method::DELETE, &format!("{}/flights/flight-1", path(&at.id)));
    assert_eq!(flight.header("If-Match", &now.etag).send().await.status, 200);
    let left = listed(&ana, &at.id).await;
    assert_eq!((left.len(), left[0].get("belongsTo")), (5, None));
    assert_eq!(left[1]["belongsTo"]["id"], "hotel-1");
    let now = ana.patched(&ana.viewed(&at.id).await, &json!({ "days": [] })).await;
    let links: Vec<_> = listed(&ana, &now.id).await.iter().map(|entry| entry.get("belongsTo").is_some()).collect();
    assert_eq!(links, [false, true, false, false, true]);
}

#[api_test]
async fn an_itinerary_is_sent_back_with_its_documents(database: Database) {
    let Some(world) = start(database).await else { return };
    let (ana, at) = ana(&world).await;
    small(&ana, &at.id).await;
    small(&ana, &at.id).await;
    let seen = ana.viewed(&at.id).await;
    let sent_back = with(seen.json.clone(), json!({ "title": "Sent back" }));
    let now = ana.patched(&seen, &sent_back).await;
    assert_eq!(now.json["documents"], seen.json["documents"]);
    let mut renamed = seen.json["documents"].clone();
    renamed[0]["name"] = json!("Renamed");
    for changed in [renamed, json!([]), json!([seen.json["documents"][0]]), json!(null)] {
        ana.patch(&now, &json!({ "documents": changed })).await.expect_invalid("documents");
    }
    // A caller who is not shown documents cannot send them.
    let blind = App::with_scope(&world, "ana", READ_WRITE).await;
    blind.patch(&now, &json!({ "documents": seen.json["documents"] })).await.expect_invalid("documents");
    let unaware = blind.patched(&now, &json!({ "title": "Unaware" })).await;
    assert_eq!(unaware.json.get("documents"), None);
    assert_eq!(listed(&ana, &at.id).await.len(), 2);
}

#[api_test]
async fn a_list_that_is_known_is_not_sent_again(database: Database) {
    let Some(world) = start(database).await else { return };
    let (ana, at) = ana(&world).await;
    small(&ana, &at.id).await;
    let list = super::list(&ana, &at.id).await;
    let known = async |tag: &str| {
        let call = ana.call(Method::GET, &documents(&at.id));
        call.header("If-None-Match", tag).send().await
    };
    assert_eq!(list.header("etag"), ana.viewed(&at.id).await.etag);
    let again = known(list.header("etag")).await;
    assert_eq!((again.status.as_u16(), again.text()), (304, String::new()));
    assert_eq!(again.header("etag"), list.header("etag"));
    assert_eq!(known(&at.etag).await.status, 200);
    small(&ana, &at.id).await;
    assert_eq!(known(list.header("etag")).await.json()["data"].as_array().expect("a list").len(), 2);
}
