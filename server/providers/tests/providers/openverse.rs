//! Openverse: the documented request, the recorded response, and the choice of the file to download.

use std::time::Duration;

use hyper::body::Bytes;
use itinerary_providers::{Failure, Images, Openverse, Picture};

use crate::stub::{Reply, Seen, Stub, USER_AGENT, later};

const JPEG: &[u8] = b"\xff\xd8\xff\xe0 a photograph";
const THUMBNAIL: &str = "/v1/images/4bc43a04-ef46-4544-a0c1-63c63f56e276/thumb/";
const RECORDED: &str = include_str!("../recorded/openverse.json");

/// The recorded response with Openverse's own host replaced by the stub's.
fn recorded(seen: &Seen) -> Reply {
    RECORDED.replace("https://api.openverse.org", &own(seen)).into()
}

fn own(seen: &Seen) -> String {
    format!("http://{}", seen.header("host").expect("a host"))
}

fn is_search(seen: &Seen) -> bool {
    seen.line.starts_with("GET /v1/images/?")
}

fn jpeg() -> Reply {
    Reply::Body(Bytes::from_static(JPEG))
}

fn one(url: &str, thumbnail: &str) -> Reply {
    format!(
        r#"{{"results": [{{"title": "T", "creator": "C", "license": "by", "license_version": "4.0",
            "url": "{url}", "thumbnail": "{thumbnail}"}}]}}"#
    )
    .into()
}

#[tokio::test]
async fn openverse_is_asked_as_documented() {
    let stub = Stub::always(r#"{"results": []}"#).await;
    let found = Openverse::new(stub.endpoint()).find(" Lisbon,\tPortugal ", later()).await;
    assert_eq!(found, Ok(None));
    let seen = stub.only();
    assert_eq!(seen.line, "GET /v1/images/?q=Lisbon%2C+Portugal&license_type=commercial%2Cmodification&page_size=5");
    assert_eq!(seen.header("user-agent"), Some(USER_AGENT));
}

#[tokio::test]
async fn the_first_usable_result_is_downloaded_with_its_attribution() {
    let stub = Stub::start(|seen, _| if is_search(seen) { recorded(seen) } else { jpeg() }).await;
    let found = Openverse::new(stub.endpoint()).find("Lisbon", later()).await;
    let picture = Picture {
        bytes: Bytes::from_static(JPEG),
        source: "openverse: \"Lisbon\" by X, CC BY 2.0".into(),
        page: Some("https://photos.example/people/x/3".into()),
    };
    assert_eq!(found, Ok(Some(picture)));
    // The original's host resolves to a private address, so the thumbnail is next.
    let lines: Vec<_> = stub.seen().into_iter().map(|seen| seen.line).collect();
    assert_eq!(lines[1..], [format!("GET {THUMBNAIL}")]);
}

#[tokio::test]
async fn the_next_result_is_tried_if_the_first_cannot_be_downloaded() {
    let stub = Stub::start(|seen, _| match seen.line.as_str() {
        _ if is_search(seen) => recorded(seen),
        "GET /original/4.png" => Reply::Body(Bytes::from_static(b"\x89PNG\r\n\x1a\n...")),
        _ => Reply::Status(404),
    })
    .await;
    let picture = Openverse::new(stub.endpoint()).find("Lisbon", later()).await.expect("an answer").expect("a picture");
    assert_eq!(picture.source, "openverse: image, CC0 1.0");
    assert_eq!(picture.page, None);
}

#[tokio::test]
async fn a_file_that_is_no_image_is_not_returned() {
    let stub = Stub::start(|seen, _| if is_search(seen) { recorded(seen) } else { "<html>".into() }).await;
    let result = Openverse::new(stub.endpoint()).find("Lisbon", later()).await;
    assert_eq!(result, Err(Failure::Malformed("the file is not a JPEG, PNG or WebP image".into())));
}

#[tokio::test]
async fn an_original_that_hangs_leaves_time_for_the_thumbnail() {
    let stub = Stub::start(|seen, _| match seen.line.as_str() {
        _ if is_search(seen) => one(&format!("{}/original", own(seen)), &format!("{}/thumbnail", own(seen))),
        "GET /original" => Reply::Hang,
        _ => jpeg(),
    })
    .await;
    let deadline = itinerary_providers::Instant::now() + Duration::from_secs(4);
    let picture = Openverse::new(stub.endpoint()).find("Lisbon", deadline).await.expect("an answer");
    assert_eq!(picture.expect("a picture").source, "openverse: \"T\" by C, CC BY 4.0");
}

#[tokio::test]
async fn an_image_of_more_than_10_mb_is_too_large() {
    for (size, expected) in [(10_000_000, None), (10_000_001, Some(Failure::TooLarge))] {
        let stub = Stub::start(move |seen, _| {
            if is_search(seen) {
                return one(&format!("{}/original", own(seen)), "");
            }
            let mut bytes = vec![0; size];
            bytes[..JPEG.len()].copy_from_slice(JPEG);
            Reply::Body(bytes.into())
        })
        .await;
        let result = Openverse::new(stub.endpoint()).find("Lisbon", later()).await;
        assert_eq!(result.err(), expected, "{size} bytes");
    }
}

#[tokio::test]
async fn wrong_shapes_are_malformed() {
    for response in ["[]", "{}", r#"{"results": [{"title": "no license"}]}"#, r#"{"results": {}}"#] {
        let stub = Stub::always(response).await;
        let result = Openverse::new(stub.endpoint()).find("Lisbon", later()).await;
        assert!(matches!(result, Err(Failure::Malformed(_))), "{response}: {result:?}");
    }
}

#[tokio::test]
async fn a_blank_query_is_not_asked_for() {
    let stub = Stub::always("{}").await;
    assert_eq!(Openverse::new(stub.endpoint()).find(" \n", later()).await, Ok(None));
    assert!(stub.seen().is_empty());
}
