//! An upload from beginning to end: answer, list, link, download.

use itinerary_tests::app::{App, Stored};
use itinerary_tests::raw::Call;
use itinerary_tests::world::READ_WRITE;
use itinerary_tests::{Database, Sqlite, api_test};
use openssl::sha::sha256;
use reqwest::multipart;
use serde_json::json;

use super::{ana, documents, downloaded, follow, free, kept, link, linked, listed, sealed_files, start, text, upload};
use super::{upload_file, uploaded, version};
use itinerary_tests::forms::Form;

#[api_test]
async fn a_file_comes_back_byte_for_byte(database: Database) {
    let Some(world) = start(database).await else { return };
    let (ana, at) = ana(&world).await;
    // Several of the pieces in which files are written and read.
    let file = sealed_files::age(1_000_003);
    let form = Form::new().text("name", "Boarding pass").text("category", "boardingPass").file(&file);
    let form = form.text("belongsTo", r#"{"kind":"flight","id":"flight-1"}"#).text("mimeType", "application/pdf");
    let response = upload(&ana, &at.id, form.end()).await;
    assert_eq!(response.status, 201, "{}", response.text());
    let document = response.json();
    let (id, url) = (text(&document["id"]), text(&document["url"]));
    assert_eq!(id.parse::<uuid::Uuid>().expect("a UUID").get_version_num(), 7);
    assert_eq!(
        document,
        json!({
            "id": id, "name": "Boarding pass", "kind": "boardingPass", "mimeType": "application/pdf",
            "size": file.len(), "url": url,
        })
    );

    let now = ana.viewed(&at.id).await;
    assert_eq!(response.header("etag"), now.etag, "it is ready for the next write");
    assert_eq!(version(&now.etag), version(&at.etag) + 1);
    let entry = now.json["documents"][0].clone();
    let path = text(&entry["file"]["path"]);
    let belongs_to = json!({ "kind": "flight", "id": "flight-1" });
    let shown = json!({
        "id": id, "name": "Boarding pass", "category": "boardingPass",
        "file": { "path": path, "name": "pass.age", "size": file.len() }, "belongsTo": belongs_to,
    });
    assert_eq!(now.json["documents"], json!([shown]), "what the spec names, and nothing else");
    assert!(!path.starts_with('/') && !path.contains("pass.age"), "{path} tells nothing");
    let mut as_listed = shown;
    as_listed["mimeType"] = json!("application/pdf");
    assert_eq!(listed(&ana, &at.id).await, [as_listed]);

    let kept = kept(&world).await;
    assert_eq!((kept.rows, kept.loose, kept.bytes, kept.files.len()), (1, 0, 1_000_003, 1));
    for url in [url, linked(&ana, &at.id, &id).await] {
        assert_eq!(sha256(&downloaded(&world, &url).await), sha256(&file));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_download_is_an_attachment_that_no_browser_shows() {
    let Some(world) = start(Sqlite).await else { return };
    let (ana, at) = ana(&world).await;
    let form = Form::new().file(sealed_files::age(5_000)).text("mimeType", "text/html").end();
    let document = uploaded(&ana, &at.id, form).await;
    let (id, url) = (text(&document["id"]), text(&document["url"]));
    let response = follow(&world, &url).await;
    for (name, value) in [
        ("content-type", "application/octet-stream"),
        ("content-disposition", "attachment; filename=\"pass.age\"; filename*=UTF-8''pass.age"),
        ("content-length", "5000"),
        ("x-content-type-options", "nosniff"),
        ("cache-control", "private, no-store"),
        ("accept-ranges", "bytes"),
        ("etag", &format!("\"{id}\"")),
        ("content-encoding", ""),
    ] {
        assert_eq!(response.header(name), value, "{name}");
    }
    assert!(response.header("content-security-policy").contains("default-src 'none'"));
    assert!(!response.header("x-request-id").is_empty());
    // Sealed bytes are not compressed, whatever the client accepts.
    let call = Call(world.http.get(&url)).header("Accept-Encoding", "gzip, br, deflate, zstd");
    assert_eq!((call.send().await).header("content-encoding"), "");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_upload_of_a_file_alone_takes_what_the_file_says() {
    let Some(world) = start(Sqlite).await else { return };
    let (ana, at) = ana(&world).await;
    let file = sealed_files::least_age();
    let headers = "Content-Disposition: form-data; name=\"file\"; filename=\"visa.pdf.age\"";
    for (content_type, mime_type) in [
        ("", "application/octet-stream"),
        ("\r\nContent-Type: image/png", "image/png"),
        ("\r\nContent-Type: text/plain; charset=utf-8", "text/plain"),
        ("\r\nContent-Type: nonsense", "application/octet-stream"),
    ] {
        let form = Form::new().part(&format!("{headers}{content_type}"), &file).end();
        let document = uploaded(&ana, &at.id, form).await;
        assert_eq!(document["name"], "visa.pdf.age");
        assert_eq!((&document["kind"], &document["mimeType"]), (&json!("other"), &json!(mime_type)));
        let entry = listed(&ana, &at.id).await.pop().expect("it was added at the end");
        assert_eq!((&entry["id"], &entry["category"]), (&document["id"], &json!("other")));
        assert_eq!(entry.get("belongsTo"), None);
    }
    // The form's field takes precedence.
    let form = Form::new().text("mimeType", "application/pdf").file(&file).end();
    assert_eq!(uploaded(&ana, &at.id, form).await["mimeType"], "application/pdf");
}

#[tokio::test(flavor = "multi_thread")]
async fn reqwest_uploads_a_form() {
    let Some(world) = start(Sqlite).await else { return };
    let (ana, at) = ana(&world).await;
    let file = sealed_files::age(300_000);
    let part =
        multipart::Part::bytes(file.clone()).file_name("搭乗券 \"1\".age").mime_str("application/pdf").expect("a type");
    let form = multipart::Form::new().text("name", "Pass").text("category", "ticket").part("file", part);
    let call = ana.call(reqwest::Method::POST, &documents(&at.id));
    let response = Call(call.0.multipart(form)).send().await;
    assert_eq!(response.status, 201, "{}", response.text());
    let entry = listed(&ana, &at.id).await.remove(0);
    assert_eq!(
        (&entry["name"], &entry["category"], &entry["mimeType"]),
        (&json!("Pass"), &json!("ticket"), &json!("application/pdf"))
    );
    assert_eq!(downloaded(&world, &text(&response.json()["url"])).await, file);
}

#[api_test]
async fn every_document_has_its_own_bytes_and_place(database: Database) {
    let Some(world) = start(database).await else { return };
    let (ana, at) = ana(&world).await;
    let other = ana.created(&itinerary_tests::bodies::on_day(2)).await;
    let files: Vec<_> = (0..4).map(|number| sealed_files::age_of(2_000 + number as usize, number)).collect();
    let mut ids = Vec::new();
    for (number, file) in files.iter().enumerate() {
        let itinerary = if number < 3 { &at.id } else { &other.id };
        let response = upload_file(&ana, itinerary, file).await;
        ids.push(text(&response.json()["id"]));
    }
    let in_order: Vec<_> = listed(&ana, &at.id).await.iter().map(|entry| text(&entry["id"])).collect();
    assert_eq!(in_order, ids[..3], "as they were uploaded");
    for (number, (id, file)) in ids.iter().zip(&files).enumerate() {
        let (own, foreign) = if number < 3 { (&at.id, &other.id) } else { (&other.id, &at.id) };
        assert_eq!(&downloaded(&world, &linked(&ana, own, id).await).await, file);
        link(&ana, foreign, id).await.expect_error(404, "notFound");
    }
}

// The itinerary does not reveal documents to readers who may not see them.
#[api_test]
async fn documents_are_shown_with_their_scope_to_members_only(database: Database) {
    let Some(world) = start(database).await else { return };
    let (ana, at) = ana(&world).await;
    let at = ana.patched(&at, &json!({ "visibility": "public" })).await;
    super::small(&ana, &at.id).await;
    let ben = free(&world, "ben").await;
    let shown = async |app: &App<'_>| Stored::of(&app.view(&at.id).await).json.get("documents").cloned();
    assert!(shown(&ana).await.is_some());
    assert_eq!(shown(&ben).await, None);
    let without_scope = App::with_scope(&world, "ana", READ_WRITE).await;
    assert_eq!(shown(&without_scope).await, None);
    let account = world.service().store.account_by_username("ben").await.expect("a database").expect("ben").id;
    world.member(&at.id, account, "viewer").await;
    // Only uploading needs Pro.
    assert!(shown(&ben).await.is_some());
    let without_scope = App::with_scope(&world, "ben", READ_WRITE).await;
    assert_eq!(shown(&without_scope).await, None);
}
