//! A failing provider never makes a write fail that can succeed without it.

use itinerary_tests::app::App;
use itinerary_tests::bodies::on_day;
use itinerary_tests::{Database, Postgres, Sqlite, World, api_test};
use rstest::rstest;
use serde_json::json;

use super::stub::{Reply, Stub, is_search, one};
use super::{cover, covered, put, put_call, put_json, source, stored_files, unchanged, was_set};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    Error,
    Unavailable,
    Long,
    NoJson,
    OtherJson,
    Gone,
    NoFile,
    LongFile,
}

impl Fault {
    fn reply(self, own: &str, target: &str) -> Reply {
        match self {
            Self::Error => Reply::Status(500),
            Self::Unavailable => Reply::Status(429),
            Self::Long => Reply::Long(10_000_000),
            Self::NoJson => Reply::File(b"<html>".to_vec()),
            Self::OtherJson => Reply::Json(json!({ "results": 1 })),
            Self::Gone => Reply::Status(404),
            Self::NoFile | Self::LongFile if is_search(target) => one(&format!("{own}/photo.jpg")),
            Self::NoFile => Reply::Status(503),
            Self::LongFile => Reply::Long(10_000_001),
        }
    }
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn a_provider_that_fails_loses_no_write(
    #[values(Sqlite, Postgres)] database: Database,
    #[values(
        Fault::Error,
        Fault::Unavailable,
        Fault::Long,
        Fault::NoJson,
        Fault::OtherJson,
        Fault::Gone,
        Fault::NoFile,
        Fault::LongFile
    )]
    fault: Fault,
) {
    let stub = Stub::start(move |own, target| fault.reply(own, target)).await;
    let Some(world) = World::start_with(database, stub.configure()).await else { return };
    let app = App::of(&world, "ana").await;
    let mut seen = app.created(&on_day(1)).await;
    assert_eq!(source(&seen), "generated", "{fault:?}");
    assert!(!stub.asked().is_empty());
    // More often than a provider that always fails is asked.
    for _ in 0..4 {
        let response = put_json(&app, &seen, &json!({ "query": "tram" })).await;
        response.expect_error(502, "upstreamFailed");
        assert!(response.header("retry-after").parse::<u32>().is_ok(), "{:?}", response.headers);
        unchanged(&app, &seen).await;
        seen = was_set(&app, &seen, &put_call(&app, &seen).send().await).await;
        assert_eq!(source(&seen), "generated");
    }
    let set = put(&app, &seen, "image/png", super::files::png(&super::files::picture())).await;
    assert_eq!(source(&was_set(&app, &seen, &set).await), "upload", "an upload needs no provider");
    assert_eq!(stored_files(&world).len(), 2);
    assert_eq!(source(&app.created(&on_day(2)).await), "generated");
}

// Concurrent writes wait as long as the contract allows, and succeed.
#[api_test]
async fn a_provider_that_hangs_loses_no_write(database: Database) {
    let stub = Stub::start(|_, _| Reply::Hang).await;
    let Some(world) = World::start_with(database, stub.configure()).await else { return };
    let app = App::of(&world, "ana").await;
    let (first, second) = (app.created(&covered(1)).await, app.created(&covered(2)).await);
    let (query, body) = (json!({ "query": "tram" }), on_day(3));
    let empty = async { put_call(&app, &first).send().await };
    let (made, set, refused) = futures::join!(app.create(&body), empty, put_json(&app, &second, &query));
    assert_eq!(made.status, 201, "{}", made.text());
    assert_eq!(made.json()["coverImage"]["source"], "generated");
    let set = was_set(&app, &first, &set).await;
    assert_eq!((source(&set), cover(&set) == cover(&first)), ("generated", false));
    refused.expect_error(502, "upstreamFailed");
    unchanged(&app, &second).await;
    assert_eq!(stub.asked().len(), 3);
}
