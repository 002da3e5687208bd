//! Rejected forms, which are not read to their end if the error shows earlier.

use itinerary_tests::app::{App, Stored};
use itinerary_tests::raw::Call;
use itinerary_tests::{Database, RawResponse, Sqlite, api_test};
use reqwest::Method;

use super::{Before, ana, documents, sealed_files, start, upload};
use itinerary_tests::forms::{BOUNDARY, Form, content_type, head, in_chunks};
use itinerary_tests::wire::Wire;

/// A form with a valid file.
fn good() -> Form {
    Form::new().file(sealed_files::age(400))
}

/// The response to a body that the client began to send and holds open.
async fn response_to_part(app: &App<'_>, at: &Stored, pieces: &[&[u8]]) -> RawResponse {
    let mut wire = Wire::to(app.world).await;
    wire.send(head(&at.id, &app.token, "Transfer-Encoding: chunked")).await;
    for some in pieces.chunks(64) {
        wire.send(in_chunks(some)).await;
    }
    wire.response().await
}

#[api_test]
async fn a_part_that_is_wrong_is_named(database: Database) {
    let Some(world) = start(database).await else { return };
    let (ana, at) = ana(&world).await;
    let before = Before::of(&ana, &at.id).await;
    let long = "x".repeat(201);
    let too_long = "x".repeat(4_097);
    for (part, value, field) in [
        ("category", "pet", "category"),
        ("category", "BoardingPass", "category"),
        ("category", "null", "category"),
        ("name", &*long, "name"),
        ("name", "a\0b", "name"),
        ("name", "a\u{7}b", "name"),
        ("name", &too_long, "name"),
        ("category", &too_long, "category"),
        ("belongsTo", &too_long, "belongsTo"),
        ("mimeType", &too_long, "mimeType"),
        ("mimeType", "pdf", "mimeType"),
        ("mimeType", "application/pdf\r\nX-Header: 1", "mimeType"),
        ("mimeType", "text/html; charset=utf-8, x", "mimeType"),
        ("belongsTo", "flight-1", "belongsTo"),
        ("belongsTo", "{\"kind\":", "belongsTo"),
        ("belongsTo", "[\"flight\",\"flight-1\"]", "belongsTo"),
        ("belongsTo", "\"flight-1\"", "belongsTo"),
        ("belongsTo", "{\"kind\":\"car\",\"id\":\"flight-1\"}", "belongsTo.kind"),
        ("belongsTo", "{\"kind\":\"flight\"}", "belongsTo.id"),
        ("belongsTo", "{\"id\":\"flight-1\"}", "belongsTo.kind"),
        ("belongsTo", "{\"kind\":\"flight\",\"id\":\"a b\"}", "belongsTo.id"),
        ("belongsTo", "{\"kind\":\"flight\",\"id\":\"flight-1\",\"note\":1}", "belongsTo.note"),
        ("belongsTo", "{\"kind\":\"hotel\",\"id\":\"flight-1\"}", "belongsTo.id"),
        ("note", "x", "note"),
        ("File", "x", "File"),
        ("id", "x", "id"),
    ] {
        for form in [Form::new().text(part, value).file(sealed_files::age(400)), good().text(part, value)] {
            let response = upload(&ana, &at.id, form.end()).await;
            response.expect_invalid(field);
            before.expect_unchanged(&ana, part).await;
        }
    }
    upload(&ana, &at.id, good().text("name", [0xFF, 0xFE]).end()).await.expect_invalid("name");
    before.expect_unchanged(&ana, "not UTF-8").await;
    // A part of the maximum size is accepted as far as the form is concerned.
    let most = format!("{:4096}", "{\"kind\":\"flight\",\"id\":\"flight-1\"}");
    assert_eq!(upload(&ana, &at.id, good().text("belongsTo", most).end()).await.status, 201);
}

#[tokio::test(flavor = "multi_thread")]
async fn parts_that_are_missing_repeated_or_nameless_are_refused() {
    let Some(world) = start(Sqlite).await else { return };
    let (ana, at) = ana(&world).await;
    let before = Before::of(&ana, &at.id).await;
    let second = good().file(sealed_files::age(400));
    for (why, form, field) in [
        ("no file", Form::new().text("name", "Pass"), "file"),
        ("two files", second, "file"),
        ("two names", good().text("name", "a").text("name", "a"), "name"),
        ("two empty names", good().text("name", "").text("name", ""), "name"),
        (
            "two links",
            Form::new().text("belongsTo", "").text("belongsTo", "{}").file(sealed_files::age(400)),
            "belongsTo",
        ),
    ] {
        upload(&ana, &at.id, form.end()).await.expect_invalid(field);
        before.expect_unchanged(&ana, why).await;
    }
    for (why, headers) in [
        ("no name", "Content-Disposition: form-data; filename=\"a.age\""),
        ("no disposition", "Content-Type: application/octet-stream"),
        ("no header", "X: 1"),
        ("a header without a colon", "nonsense"),
        ("a header with a blank name", ": x"),
    ] {
        let response = upload(&ana, &at.id, good().part(headers, "x").end()).await;
        response.expect_error(422, "validationFailed");
        before.expect_unchanged(&ana, why).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_that_is_no_form_is_refused() {
    let Some(world) = start(Sqlite).await else { return };
    let (ana, at) = ana(&world).await;
    let before = Before::of(&ana, &at.id).await;
    let send = async |content_type: Option<&str>, body: Vec<u8>| {
        let call = ana.call(Method::POST, &documents(&at.id));
        let call = match content_type {
            Some(content_type) => call.body(content_type, body),
            None => Call(call.0.body(body)),
        };
        call.send().await
    };
    let json = Some("application/json");
    let mixed = format!("multipart/mixed; boundary={BOUNDARY}");
    for other in [None, json, Some("application/octet-stream"), Some(&*mixed), Some("multipart/form-dat"), Some("")] {
        send(other, good().end()).await.expect_error(415, "unsupportedMediaType");
        before.expect_unchanged(&ana, "another type").await;
    }
    let long = format!("multipart/form-data; boundary={}", "b".repeat(71));
    for without in
        ["multipart/form-data", "multipart/form-data; boundary=", "multipart/form-data; boundary=\"\"", &long]
    {
        send(Some(without), good().end()).await.expect_invalid("Content-Type");
        before.expect_unchanged(&ana, without).await;
    }
    let form = good().end();
    let other_boundary = "multipart/form-data; boundary=another";
    for (why, content_type, body) in [
        ("nothing", &*content_type(), Vec::new()),
        ("a file alone", &*content_type(), sealed_files::age(400)),
        ("another boundary", other_boundary, form.clone()),
        ("no terminator", &*content_type(), good().unended()),
        ("half a terminator", &*content_type(), form[..form.len() - 3].to_vec()),
        ("a terminator alone", &*content_type(), Form::new().end()),
        ("cut in a part's header", &*content_type(), form[..80].to_vec()),
        ("bare newlines", &*content_type(), form.iter().copied().filter(|byte| *byte != b'\r').collect()),
    ] {
        let response = send(Some(content_type), body).await;
        response.expect_error(422, "validationFailed");
        before.expect_unchanged(&ana, why).await;
    }
}

// The first part beyond the limit ends the form.
#[tokio::test(flavor = "multi_thread")]
async fn a_hundred_thousand_parts_are_not_read() {
    let Some(world) = start(Sqlite).await else { return };
    let (ana, at) = ana(&world).await;
    let before = Before::of(&ana, &at.id).await;
    let number = 100_000;
    let repeated = (0..number).fold(Form::new(), |form, _| form.text("name", ""));
    upload(&ana, &at.id, repeated.file(sealed_files::age(400)).end()).await.expect_invalid("name");
    let unknown = (0..number).fold(good(), |form, n| form.text(&format!("part{n}"), ""));
    upload(&ana, &at.id, unknown.end()).await.expect_invalid("part0");
    let nameless = (0..number).fold(Form::new(), |form, _| form.part("Content-Disposition: form-data", ""));
    upload(&ana, &at.id, nameless.end()).await.expect_error(422, "validationFailed");
    let files = (0..1_000).fold(Form::new(), |form, _| form.file(sealed_files::age(400)));
    upload(&ana, &at.id, files.end()).await.expect_invalid("file");
    before.expect_unchanged(&ana, "too many parts").await;
    // The response precedes the remaining parts.
    let two = Form::new().text("name", "a").text("name", "b").text("category", "visa").unended();
    response_to_part(&ana, &at, &[&two]).await.expect_invalid("name");
}

// In one piece, or in many small ones.
#[tokio::test(flavor = "multi_thread")]
async fn headers_of_a_part_are_bounded() {
    let Some(world) = start(Sqlite).await else { return };
    let (ana, at) = ana(&world).await;
    let before = Before::of(&ana, &at.id).await;
    let first = "Content-Disposition: form-data; name=\"file\"; filename=\"a.age\"";
    let one = format!("{first}\r\nX-Long: {}", "x".repeat(1_000_000));
    let many = format!("{first}{}", "\r\nX-Header: some text".repeat(50_000));
    let name = format!("Content-Disposition: form-data; name=\"{}\"", "n".repeat(1_000_000));
    for (why, headers) in [("one header", one), ("many headers", many), ("a name", name)] {
        for begin in [Form::new(), good(), Form::new().text("name", "Pass")] {
            let form = begin.part(&headers, sealed_files::age(400)).end();
            let response = upload(&ana, &at.id, form.clone()).await;
            assert_eq!(response.status, 422, "{why}: {}", response.text());
            let response = response_to_part(&ana, &at, &[&form[..form.len() - 600]]).await;
            response.expect_error(422, "validationFailed");
            before.expect_unchanged(&ana, why).await;
        }
    }
    // Headers, or text before the first part, that never end.
    let endless = Form::new().part(&format!("{first}\r\nX-Long: {}", "x".repeat(60_000)), "").unended();
    let preamble = vec![b'x'; 60_000];
    for body in [&endless, &preamble] {
        let pieces: Vec<&[u8]> = body.chunks(50).collect();
        let response = response_to_part(&ana, &at, &pieces).await;
        response.expect_error(422, "validationFailed");
    }
    before.expect_unchanged(&ana, "tiny pieces").await;
}
