//! The limit of 20 MB, with and without Content-Length.

use itinerary_tests::{Database, Postgres, RawResponse, Sqlite, World};
use rstest::rstest;

use super::{Before, ana, downloaded, sealed_files, start, text, upload_file};
use itinerary_tests::forms::{Form, LAST_CHUNK, head, in_chunks};
use itinerary_tests::wire::Wire;

const MOST: usize = 20 * 1_048_576;

/// Sends a form in HTTP chunks, without Content-Length.
async fn upload_in_chunks(world: &World, id: &str, token: &str, form: &[u8]) -> RawResponse {
    let mut wire = Wire::to(world).await;
    wire.send(head(id, token, "Transfer-Encoding: chunked")).await;
    let pieces: Vec<&[u8]> = form.chunks(64 * 1024).collect();
    wire.send(in_chunks(&pieces)).await;
    wire.send(LAST_CHUNK).await;
    wire.response().await
}

#[rstest]
#[case::declared(Sqlite, true)]
#[case::in_chunks(Postgres, false)]
#[tokio::test(flavor = "multi_thread")]
async fn a_file_has_at_most_20_mb(#[case] database: Database, #[case] is_declared: bool) {
    let Some(world) = start(database).await else { return };
    let (ana, at) = ana(&world).await;
    let file = sealed_files::age(MOST + 1);
    let send = async |size: usize| {
        if is_declared {
            upload_file(&ana, &at.id, &file[..size]).await
        } else {
            upload_in_chunks(&world, &at.id, &ana.token, &Form::new().file(&file[..size]).end()).await
        }
    };
    for size in [MOST - 1, MOST] {
        let response = send(size).await;
        assert_eq!(response.status, 201, "{}", response.text());
        assert_eq!(response.json()["size"], size);
        assert!(downloaded(&world, &text(&response.json()["url"])).await == file[..size]);
    }
    let before = Before::of(&ana, &at.id).await;
    let response = send(MOST + 1).await;
    assert!(response.expect_error(413, "payloadTooLarge").is_null());
    assert_eq!(response.header("connection"), "close");
    before.expect_unchanged(&ana, "a byte too much").await;
}

// A body that is too large for any accepted file is rejected before it arrives, an endless one when it exceeds the
// limit.
#[tokio::test(flavor = "multi_thread")]
async fn a_body_that_is_too_large_is_refused_while_it_comes() {
    let Some(world) = start(Sqlite).await else { return };
    let (ana, at) = ana(&world).await;
    let before = Before::of(&ana, &at.id).await;
    for length in [MOST + 65_537, usize::MAX >> 1] {
        let mut wire = Wire::to(&world).await;
        wire.send(head(&at.id, &ana.token, &format!("Content-Length: {length}"))).await;
        wire.response().await.expect_error(413, "payloadTooLarge");
    }
    // A client that waits for 100 Continue need not send it.
    let mut wire = Wire::to(&world).await;
    wire.send(head(&at.id, &ana.token, "Content-Length: 30000000\r\nExpect: 100-continue")).await;
    wire.response().await.expect_error(413, "payloadTooLarge");

    let mut wire = Wire::to(&world).await;
    wire.send(head(&at.id, &ana.token, "Transfer-Encoding: chunked")).await;
    let form = Form::new().file(sealed_files::age(MOST + 1)).unended();
    wire.send(in_chunks(&[&form])).await;
    // It has not ended.
    wire.response().await.expect_error(413, "payloadTooLarge");
    drop(wire);
    before.expect_unchanged(&ana, "the body did not end").await;
}
