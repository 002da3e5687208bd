//! Range requests and conditional downloads (RFC 9110).

use itinerary_tests::raw::Call;
use itinerary_tests::{RawResponse, Sqlite, World};
use reqwest::Method;

use super::{ana, linked, sealed_files, small, start, text, uploaded};
use itinerary_tests::forms::Form;

/// Several of the pieces in which files are read.
const SIZE: usize = 700_000;

async fn get(world: &World, url: &str, headers: &[(&str, &str)]) -> RawResponse {
    let call = Call(world.http.get(url));
    headers.iter().fold(call, |call, (name, value)| call.header(name, value)).send().await
}

/// A document of this size, and a link to it.
async fn document(world: &World) -> (Vec<u8>, String) {
    let (ana, at) = ana(world).await;
    small(&ana, &at.id).await;
    let file = sealed_files::age_of(SIZE, 7);
    let document = uploaded(&ana, &at.id, Form::new().file(&file).end()).await;
    small(&ana, &at.id).await;
    (file, text(&document["url"]))
}

#[tokio::test(flavor = "multi_thread")]
async fn one_range_is_sent_alone() {
    let Some(world) = start(Sqlite).await else { return };
    let (file, url) = document(&world).await;
    for (asked, first, end) in [
        ("bytes=0-0", 0, 1),
        ("bytes=0-", 0, SIZE),
        ("bytes=1-", 1, SIZE),
        ("bytes=699999-", SIZE - 1, SIZE),
        ("bytes=-1", SIZE - 1, SIZE),
        ("bytes=-300000", SIZE - 300_000, SIZE),
        ("bytes=-9999999", 0, SIZE),
        ("bytes=262143-262144", 262_143, 262_145),
        ("bytes=100-599999", 100, 600_000),
        ("bytes=699990-800000", 699_990, SIZE),
        ("bytes=0-18446744073709551614", 0, SIZE),
    ] {
        let response = get(&world, &url, &[("Range", asked)]).await;
        assert_eq!(response.status, 206, "{asked}: {}", response.status);
        assert!(response.body == file[first..end], "{asked}");
        assert_eq!(response.header("content-range"), format!("bytes {first}-{}/{SIZE}", end - 1), "{asked}");
        assert_eq!(response.header("content-length"), (end - first).to_string(), "{asked}");
        assert!(response.header("content-disposition").starts_with("attachment"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_range_past_the_end_is_refused() {
    let Some(world) = start(Sqlite).await else { return };
    let (_, url) = document(&world).await;
    for asked in ["bytes=700000-", "bytes=700000-800000", "bytes=9999999999-"] {
        let response = get(&world, &url, &[("Range", asked)]).await;
        assert_eq!(response.status, 416, "{asked}");
        assert_eq!(response.header("content-range"), format!("bytes */{SIZE}"), "{asked}");
        assert!(!response.text().contains("age-encryption"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn invalid_or_multiple_ranges_return_the_whole_file() {
    let Some(world) = start(Sqlite).await else { return };
    let (file, url) = document(&world).await;
    for asked in [
        "bytes=0-0,5-6",
        "bytes=x",
        "bytes=5-2",
        "bytes=-0",
        "bytes=0-1,700000-",
        "lines=0-1",
        "bytes=",
        "",
        "0-1",
        "bytes=1",
    ] {
        let response = get(&world, &url, &[("Range", asked)]).await;
        assert_eq!(response.status, 200, "{asked}");
        assert!(response.body == file, "{asked}");
        assert_eq!(response.header("content-range"), "");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_range_can_depend_on_the_file() {
    let Some(world) = start(Sqlite).await else { return };
    let (file, url) = document(&world).await;
    let etag = get(&world, &url, &[]).await.header("etag").to_owned();
    let response = get(&world, &url, &[("Range", "bytes=5-9"), ("If-Range", &etag)]).await;
    assert!(response.status == 206 && response.body == file[5..10]);
    for other in ["\"another\"", &format!("W/{etag}"), "Sun, 10 Jan 2027 12:00:00 GMT"] {
        let response = get(&world, &url, &[("Range", "bytes=5-9"), ("If-Range", other)]).await;
        assert!(response.status == 200 && response.body == file, "{other}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_is_known_is_not_sent_again() {
    let Some(world) = start(Sqlite).await else { return };
    let (file, url) = document(&world).await;
    let etag = get(&world, &url, &[]).await.header("etag").to_owned();
    for known in [&*etag, "*", &format!("\"x\", {etag}"), &format!("W/{etag}")] {
        let response = get(&world, &url, &[("If-None-Match", known), ("Range", "bytes=0-4")]).await;
        assert_eq!((response.status.as_u16(), response.body.len()), (304, 0), "{known}");
        assert_eq!(response.header("etag"), etag);
    }
    let response = get(&world, &url, &[("If-None-Match", "\"another\"")]).await;
    assert!(response.status == 200 && response.body == file);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_head_alone_can_be_asked_for() {
    let Some(world) = start(Sqlite).await else { return };
    let (ana, at) = ana(&world).await;
    let document = small(&ana, &at.id).await;
    let url = linked(&ana, &at.id, &document).await;
    let whole = get(&world, &url, &[]).await;
    let head = Call(world.http.request(Method::HEAD, &url)).send().await;
    assert_eq!((head.status.as_u16(), head.body.len()), (200, 0));
    for name in ["content-length", "content-type", "content-disposition", "etag", "accept-ranges"] {
        assert_eq!(head.header(name), whole.header(name), "{name}");
    }
    for method in [Method::POST, Method::PUT, Method::DELETE, Method::PATCH] {
        let response = Call(world.http.request(method, &url)).send().await;
        response.expect_error(405, "methodNotAllowed");
        assert!(response.header("allow").contains("GET"), "{}", response.header("allow"));
    }
}
