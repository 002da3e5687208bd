//! Forms as clients send them.

use serde_json::{Value, json};

use super::{ana, documents, downloaded, listed, sealed_files, start, text, upload, uploaded};
use itinerary_tests::app::{App, Stored};
use itinerary_tests::forms::{Form, head, in_chunks};
use itinerary_tests::wire::Wire;
use itinerary_tests::{RawResponse, Sqlite};
use reqwest::Method;

/// Sends a body with this Content-Type.
async fn send(app: &App<'_>, at: &Stored, content_type: &str, body: Vec<u8>) -> RawResponse {
    app.call(Method::POST, &documents(&at.id)).body(content_type, body).send().await
}

/// Surrounds a file with text, with the line ends of a form.
fn around(before: &str, file: &[u8], after: &str) -> Vec<u8> {
    let lines = |text: &str| text.replace('\n', "\r\n").into_bytes();
    [lines(before), file.to_vec(), lines(after)].concat()
}

/// Checks that a form created a visa with this name and these bytes.
async fn expect_visa(app: &App<'_>, at: &Stored, response: &RawResponse, name: &str, file: &[u8]) {
    assert_eq!(response.status, 201, "{}", response.text());
    let document = response.json();
    assert_eq!((&document["name"], &document["kind"]), (&json!(name), &json!("visa")));
    assert_eq!(document["mimeType"], "application/pdf");
    let entry = listed(app, &at.id).await.pop().expect("it was added at the end");
    assert_eq!((&entry["id"], &entry["file"]["size"]), (&document["id"], &json!(file.len())));
    assert!(downloaded(app.world, &text(&document["url"])).await == file);
}

/// `curl -F category=visa -F file=@visa.pdf.age\;type=application/pdf`.
#[tokio::test(flavor = "multi_thread")]
async fn curl() {
    let Some(world) = start(Sqlite).await else { return };
    let (ana, at) = ana(&world).await;
    let file = sealed_files::age(70_000);
    let before = "--------------------------d74496d66958873e\n\
         Content-Disposition: form-data; name=\"category\"\n\nvisa\n\
         --------------------------d74496d66958873e\n\
         Content-Disposition: form-data; name=\"file\"; filename=\"visa.pdf.age\"\n\
         Content-Type: application/pdf\n\n";
    let body = around(before, &file, "\n--------------------------d74496d66958873e--\n");
    let content_type = "multipart/form-data; boundary=------------------------d74496d66958873e";
    let response = send(&ana, &at, content_type, body.clone()).await;
    expect_visa(&ana, &at, &response, "visa.pdf.age", &file).await;
    // curl waits for 100 Continue before it sends more than a megabyte.
    let mut wire = Wire::to(&world).await;
    let framing = format!("Content-Length: {}\r\nExpect: 100-continue", body.len());
    let head = head(&at.id, &ana.token, &framing);
    wire.send(head.replace(&super::content_type(), content_type)).await;
    assert!(wire.is_asked_to_continue().await);
    wire.send(body).await;
    expect_visa(&ana, &at, &wire.response().await, "visa.pdf.age", &file).await;
}

/// `requests.post(url, data={"category": "visa"}, files={"file": ("visa.age", file, "application/pdf")})`.
#[tokio::test(flavor = "multi_thread")]
async fn python_requests() {
    let Some(world) = start(Sqlite).await else { return };
    let (ana, at) = ana(&world).await;
    let file = sealed_files::jwe();
    let before = "--1bd8f4d3f2a9c1b0a5e4d3c2b1a09f8e\nContent-Disposition: form-data; name=\"category\"\n\nvisa\n\
         --1bd8f4d3f2a9c1b0a5e4d3c2b1a09f8e\n\
         Content-Disposition: form-data; name=\"file\"; filename=\"visa.age\"\nContent-Type: application/pdf\n\n";
    let body = around(before, &file, "\n--1bd8f4d3f2a9c1b0a5e4d3c2b1a09f8e--\n");
    let content_type = "multipart/form-data; boundary=1bd8f4d3f2a9c1b0a5e4d3c2b1a09f8e";
    let response = send(&ana, &at, content_type, body).await;
    expect_visa(&ana, &at, &response, "visa.age", &file).await;
}

// .NET quotes the boundary, does not quote names, and sends the file's name twice.
#[tokio::test(flavor = "multi_thread")]
async fn dot_net() {
    let Some(world) = start(Sqlite).await else { return };
    let (ana, at) = ana(&world).await;
    let file = sealed_files::cms();
    let before = "--6b4ba5ba-1ed9-4e9c-8e8f-ad7b2d5b3f1c\nContent-Type: text/plain; charset=utf-8\n\
         Content-Disposition: form-data; name=category\n\nvisa\n--6b4ba5ba-1ed9-4e9c-8e8f-ad7b2d5b3f1c\n\
         Content-Type: application/pdf\nContent-Disposition: form-data; name=file; \
         filename=\"=?utf-8?B?dsOtc2EuYWdl?=\"; filename*=utf-8''v%C3%ADsa.age\n\n";
    let body = around(before, &file, "\n--6b4ba5ba-1ed9-4e9c-8e8f-ad7b2d5b3f1c--\n");
    let content_type = "multipart/form-data; boundary=\"6b4ba5ba-1ed9-4e9c-8e8f-ad7b2d5b3f1c\"";
    let response = send(&ana, &at, content_type, body).await;
    expect_visa(&ana, &at, &response, "vísa.age", &file).await;
}

// A browser also sends empty fields.
#[tokio::test(flavor = "multi_thread")]
async fn a_browser() {
    let Some(world) = start(Sqlite).await else { return };
    let (ana, at) = ana(&world).await;
    let file = sealed_files::armored_age();
    let form = Form::new().text("name", "").text("category", "visa").text("belongsTo", "").text("mimeType", "");
    let headers =
        "Content-Disposition: form-data; name=\"file\"; filename=\"vísa %22.age\"\r\nContent-Type: application/pdf";
    let response = upload(&ana, &at.id, form.part(headers, &file).end()).await;
    expect_visa(&ana, &at, &response, "vísa %22.age", &file).await;
    assert_eq!(listed(&ana, &at.id).await[0].get("belongsTo"), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn parts_come_in_any_order_and_once_each() {
    let Some(world) = start(Sqlite).await else { return };
    let (ana, at) = ana(&world).await;
    let parts: [(&str, &str); 4] = [
        ("name", "My visa"),
        ("category", "visa"),
        ("belongsTo", r#"{ "id": "flight-1", "kind": "flight" }"#),
        ("mimeType", "application/pdf"),
    ];
    for at_end in 0..=parts.len() {
        let file = sealed_files::age_of(3_000, u32::try_from(at_end).expect("a small number"));
        let add = |form: Form, part: &(&str, &str)| form.text(part.0, part.1);
        let form = parts[at_end..].iter().rev().fold(Form::new(), add).file(&file);
        let form = parts[..at_end].iter().fold(form, add).end();
        let response = upload(&ana, &at.id, form).await;
        expect_visa(&ana, &at, &response, "My visa", &file).await;
        let entry = listed(&ana, &at.id).await.pop().expect("it is there");
        assert_eq!(entry["belongsTo"], json!({ "kind": "flight", "id": "flight-1" }));
    }
}

// RFC 2046: text before the first boundary and after the last is ignored; lines may end in white space.
#[tokio::test(flavor = "multi_thread")]
async fn a_preamble_and_an_epilogue_are_passed_over() {
    let Some(world) = start(Sqlite).await else { return };
    let (ana, at) = ana(&world).await;
    let file = sealed_files::age(2_000);
    let form = Form::new().file(&file).text("name", "Pass").end();
    for (before, after) in
        [("", ""), ("This is a form.\r\n", ""), ("", "\r\nThat was a form.\r\n"), ("\r\n", "\r\n\r\n")]
    {
        let body = [before.as_bytes(), &form, after.as_bytes()].concat();
        let document = uploaded(&ana, &at.id, body).await;
        assert_eq!(document["name"], "Pass", "{before:?} {after:?}");
        assert_eq!(downloaded(&world, &text(&document["url"])).await, file);
    }
}

// The form does not depend on how its bytes are split.
#[tokio::test(flavor = "multi_thread")]
async fn a_form_in_tiny_pieces_is_the_same_form() {
    let Some(world) = start(Sqlite).await else { return };
    let (ana, at) = ana(&world).await;
    // Contains the beginning of a boundary again and again.
    let mut file = sealed_files::age(1_500);
    let length = file.len();
    for (n, end) in ["\r\n", "\r\n--", "\r\n------TestForm", "--"].iter().enumerate() {
        let start = length - 200 - 40 * n;
        file[start..start + end.len()].copy_from_slice(end.as_bytes());
    }
    file[length - 4..].copy_from_slice(b"\r\n--");
    let form =
        Form::new().text("name", "Pass").file(&file).text("category", "visa").text("mimeType", "application/pdf");
    let form = form.end();
    for size in [1, 2, 7, 64] {
        let mut wire = Wire::to(&world).await;
        wire.send(head(&at.id, &ana.token, "Transfer-Encoding: chunked")).await;
        let pieces: Vec<&[u8]> = form.chunks(size).collect();
        // Also in several TCP writes.
        for some in pieces.chunks(100) {
            wire.send(in_chunks(some)).await;
        }
        wire.send(itinerary_tests::forms::LAST_CHUNK).await;
        expect_visa(&ana, &at, &wire.response().await, "Pass", &file).await;
    }
    let entries: Vec<Value> = listed(&ana, &at.id).await;
    assert_eq!(entries.len(), 4);
}
