//! Compressed responses: who gets them, and how their ETags behave.

use std::io::Read;

use flate2::read::GzDecoder;
use itinerary_tests::app::{App, Stored, path};
use itinerary_tests::browser::Browser;
use itinerary_tests::{RawResponse, World, api_test};
use reqwest::Method;
use serde_json::json;

use super::{lisbon, lisbon_with};

fn plain(response: &RawResponse) -> Vec<u8> {
    assert_eq!(response.header("content-encoding"), "gzip");
    assert_eq!(response.header("content-length"), response.body.len().to_string());
    let mut plain = Vec::new();
    GzDecoder::new(&response.body[..]).read_to_end(&mut plain).expect("gzip");
    plain
}

async fn long(ana: &App<'_>) -> Stored {
    ana.created(&lisbon_with(&json!({ "summary": "Lisbon and the sea. ".repeat(200) }))).await
}

#[api_test]
async fn long_responses_are_compressed_when_that_is_asked(world: World) {
    let ana = App::of(&world, "ana").await;
    let seen = long(&ana).await;
    for at in [path(&seen.id), "/v1/itineraries".to_owned(), "/openapi.json".to_owned()] {
        let whole = ana.call(Method::GET, &at).send().await;
        assert_eq!(whole.header("content-encoding"), "", "{at}: nobody asked");
        for accepted in ["gzip", "br, gzip;q=0.5"] {
            let response = ana.call(Method::GET, &at).header("Accept-Encoding", accepted).send().await;
            assert_eq!(plain(&response), whole.body, "{at}");
            assert!(response.body.len() * 2 < whole.body.len(), "{at}");
            assert!(response.header("vary").ends_with("Accept-Encoding"), "{at}");
            assert_eq!(response.header("vary"), whole.header("vary"), "{at}");
            assert_eq!(response.header("content-type"), "application/json", "{at}");
        }
        let head = ana.call(Method::HEAD, &at).header("Accept-Encoding", "gzip").send().await;
        assert_eq!((head.header("content-encoding"), head.body.len()), ("gzip", 0), "{at}");
        let refused = ana.call(Method::GET, &at).header("Accept-Encoding", "gzip;q=0").send().await;
        assert_eq!(refused.body, whole.body, "{at}");
    }
}

#[api_test]
async fn static_files_are_compressed_and_pages_with_forms_are_not(world: World) {
    for path in ["/style.css", "/trip.css"] {
        let whole = world.call(Method::GET, path).send().await;
        let response = world.call(Method::GET, path).header("Accept-Encoding", "gzip").send().await;
        assert_eq!(plain(&response), whole.body, "{path}");
        assert!(response.body.len() * 2 < whole.body.len(), "{path}");
        for name in ["vary", "etag", "cache-control", "content-type"] {
            assert_eq!(response.header(name), whole.header(name), "{path}: {name}");
        }
        assert_eq!(response.header("vary"), "Accept-Encoding", "{path}");
    }
    let browser = Browser::signed_up(&world, "ana").await;
    for path in ["/trips", "/account", "/account/password", "/account/calendar", "/sign-out", "/nowhere"] {
        let page = browser.call(Method::GET, path).header("Accept-Encoding", "gzip").send().await;
        assert!(page.body.len() > 1024, "{path}");
        assert_eq!((page.header("content-encoding"), page.header("vary")), ("", ""), "{path}");
    }
}

#[api_test]
async fn short_responses_forms_and_sign_in_are_not(world: World) {
    let ana = App::of(&world, "ana").await;
    let short = ana.created(&lisbon()).await;
    for at in ["/v1/account", "/v1/nothing", "/sign-up", "/", "/oauth/authorise", "/healthz"] {
        let response = ana.call(Method::GET, at).header("Accept-Encoding", "gzip").send().await;
        assert_eq!(response.header("content-encoding"), "", "{at}");
    }
    assert!(!short.etag.contains('z'), "{}", short.etag);
}

// Observed before: the itinerary's tag was `"v1.mz"` for readers who take gzip, and `"v1.m"` in lists and in a 409.
#[api_test]
async fn codings_share_the_tag(world: World) {
    let ana = App::of(&world, "ana").await;
    let seen = long(&ana).await;
    let get = |encoding: &str, known: &str| {
        let call = ana.call(Method::GET, &path(&seen.id)).header("Accept-Encoding", encoding);
        call.header("If-None-Match", known).send()
    };
    let compressed = get("gzip", "\"v9.m\"").await;
    plain(&compressed);
    assert_eq!(compressed.header("etag"), seen.etag);
    let list = ana.call(Method::GET, "/v1/itineraries").header("Accept-Encoding", "gzip").send().await;
    let list: serde_json::Value = serde_json::from_slice(&plain(&list)).expect("JSON");
    assert_eq!(list["data"][0]["etag"], seen.etag);
    for encoding in ["gzip", "identity"] {
        let known = get(encoding, &seen.etag).await;
        assert_eq!((known.status.as_u16(), known.body.len()), (304, 0), "{encoding}");
        assert_eq!((known.header("etag"), known.header("content-encoding")), (&*seen.etag, ""), "{encoding}");
        assert!(known.header("vary").ends_with("Accept-Encoding"), "{encoding}");
    }
    let patch = |title: &str, etag: &str| {
        let patch = ana.patch_call(&seen.id, &json!({ "title": title })).header("Accept-Encoding", "gzip");
        patch.header("If-Match", etag).send()
    };
    let changed = patch("Once", &seen.etag).await;
    plain(&changed);
    assert_eq!(changed.header("etag"), "\"v2.m\"");
    let stale = patch("Twice", &seen.etag).await;
    stale.expect_error(409, "itineraryModified");
    assert_eq!(stale.header("etag"), changed.header("etag"));
    assert_eq!(get("gzip", &seen.etag).await.status, 200, "it has changed");
}
