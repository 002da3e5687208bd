//! Sealed files are accepted, others are rejected and leave nothing behind.

use itinerary_model::Plan;
use itinerary_tests::{Database, RawResponse, Sqlite, api_test};

use super::{Before, ana, downloaded, sealed_files, start, text, upload, upload_file};
use itinerary_tests::forms::{Form, head, in_chunks};
use itinerary_tests::wire::Wire;

#[track_caller]
fn expect_not_sealed(response: &RawResponse) {
    assert!(response.expect_error(422, "documentNotSealed").is_null());
    let message = text(&response.json()["error"]["message"]);
    for format in ["age v1", "EnvelopedData", "AuthEnvelopedData", "JWE"] {
        assert!(message.contains(format), "{message}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn sealed_files_of_each_format_are_taken() {
    let Some(world) = start(Sqlite).await else { return };
    let (ana, at) = ana(&world).await;
    for (kind, file) in sealed_files::sealed() {
        let response = upload_file(&ana, &at.id, &file).await;
        assert_eq!(response.status, 201, "{kind}: {}", response.text());
        assert!(downloaded(&world, &text(&response.json()["url"])).await == file, "{kind}");
    }
    let least = upload_file(&ana, &at.id, &sealed_files::least_age()).await;
    assert_eq!(least.status, 201, "{}", least.text());
}

#[api_test]
async fn plain_files_are_refused_and_nothing_is_stored(database: Database) {
    let Some(world) = start(database).await else { return };
    let (ana, at) = ana(&world).await;
    super::small(&ana, &at.id).await;
    let before = Before::of(&ana, &at.id).await;
    for (kind, file) in sealed_files::plain() {
        expect_not_sealed(&upload_file(&ana, &at.id, &file).await);
        before.expect_unchanged(&ana, kind).await;
    }
    // Neither name nor media type makes a file sealed.
    let form = Form::new().text("mimeType", "application/age").file_as("filename=\"visa.age\"", b"%PDF-1.7 of mine");
    expect_not_sealed(&upload(&ana, &at.id, form.end()).await);
    before.expect_unchanged(&ana, "a PDF called age").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn damaged_sealed_files_are_refused() {
    let Some(world) = start(Sqlite).await else { return };
    let (ana, at) = ana(&world).await;
    let before = Before::of(&ana, &at.id).await;
    for (kind, file) in sealed_files::damaged() {
        let response = upload_file(&ana, &at.id, &file).await;
        assert_eq!(response.status, 422, "{kind}: {}", response.text());
        expect_not_sealed(&response);
        before.expect_unchanged(&ana, &kind).await;
    }
}

// A large file that is rejected at its end was partly written.
#[api_test]
async fn partly_written_rejected_files_are_deleted(database: Database) {
    let Some(world) = start(database).await else { return };
    let (ana, at) = ana(&world).await;
    let before = Before::of(&ana, &at.id).await;
    let whole = sealed_files::age_header().len() + 16 + 12 * 65_552;
    let cut = sealed_files::age(whole + 17)[..=whole].to_vec();
    expect_not_sealed(&upload_file(&ana, &at.id, &cut).await);
    before.expect_unchanged(&ana, "cut after twelve chunks").await;
    // Somewhere in the middle of the armor.
    let mut armored = sealed_files::armored_age();
    let length = armored.len();
    armored.splice(length / 2..length / 2, *b"!");
    let form = Form::new().file([armored, vec![b'\n'; 700_000]].concat()).end();
    expect_not_sealed(&upload(&ana, &at.id, form).await);
    before.expect_unchanged(&ana, "refused in the middle").await;
}

// Errors of the form precede those of the file, because they are syntax.
#[api_test]
async fn a_fault_of_the_form_is_answered_before_one_of_the_file(database: Database) {
    let Some(world) = start(database).await else { return };
    let (ana, at) = ana(&world).await;
    let before = Before::of(&ana, &at.id).await;
    for file in [&b"%PDF-1.7"[..], &sealed_files::age(400)] {
        let form = Form::new().file(file).text("category", "pet").end();
        upload(&ana, &at.id, form).await.expect_invalid("category");
        before.expect_unchanged(&ana, "a bad category").await;
        let form = Form::new().file(file).text("belongsTo", r#"{"kind":"flight","id":"nothing"}"#).end();
        let response = upload(&ana, &at.id, form).await;
        if file.starts_with(b"%PDF") {
            expect_not_sealed(&response);
        } else {
            response.expect_invalid("belongsTo.id");
        }
        before.expect_unchanged(&ana, "a link to nothing").await;
    }
    // A caller who may not upload does not learn whether the file is sealed.
    world.set_plan("ana", Plan::Free).await;
    upload_file(&ana, &at.id, b"%PDF-1.7").await.expect_error(403, "subscriptionRequired");
    world.set_plan("ana", Plan::Pro).await;
    before.expect_unchanged(&ana, "without Pro").await;
}

// A client that disconnects leaves at most a loose file.
#[api_test]
async fn a_form_that_breaks_off_is_no_document(database: Database) {
    let Some(world) = start(database).await else { return };
    let (ana, at) = ana(&world).await;
    let before = Before::of(&ana, &at.id).await;
    let form = Form::new().file(sealed_files::age(600_000)).unended();
    for framing in ["Content-Length: 900000", "Transfer-Encoding: chunked"] {
        let mut wire = Wire::to(&world).await;
        wire.send(head(&at.id, &ana.token, framing)).await;
        wire.send(if framing.starts_with('C') { form.clone() } else { in_chunks(&[&form]) }).await;
        wire.finish_sending().await;
        wire.response().await.expect_error(422, "validationFailed");
        before.expect_unchanged(&ana, framing).await;
    }
}
