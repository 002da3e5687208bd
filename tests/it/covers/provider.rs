//! Covers from a provider: by a query, or by the destination by default.

use itinerary_tests::app::{App, Stored, attention};
use itinerary_tests::bodies::on_day;
use itinerary_tests::{Database, World, api_test};
use serde_json::json;

use super::files::{GIF, jpeg, of_size, picture, png, with_exif};
use super::stub::{Reply, Stub, is_search, one};
use super::{cover, covered, image_at, no_image, put_call, put_json, size, source, stored_files, unchanged, was_set};

const ATTRIBUTION: &str = "openverse: \"Tram\" by C, CC BY 4.0";

/// A provider with one image, which it serves itself.
async fn finder(file: Vec<u8>) -> Stub {
    finder_of(move || Reply::File(file.clone())).await
}

async fn finder_of(file: impl Fn() -> Reply + Send + Sync + 'static) -> Stub {
    Stub::start(move |own, target| if is_search(target) { one(&format!("{own}/photo.jpg")) } else { file() }).await
}

/// A provider all of whose images have this address.
async fn pointer(url: String) -> Stub {
    Stub::start(move |_, _| one(&url)).await
}

#[api_test]
async fn a_found_image_is_kept_here_with_its_attribution(database: Database) {
    let stub = finder(with_exif(&jpeg(&of_size(800, 400)))).await;
    let Some(world) = World::start_with(database, stub.configure()).await else { return };
    let app = App::of(&world, "ana").await;
    let made = app.created(&on_day(1)).await;
    let asked = stub.asked();
    assert!(asked[0].starts_with("/v1/images/?q=Lisbon&"), "{asked:?}");
    assert_eq!(asked[1..], ["/photo.jpg"]);
    assert_eq!(source(&made), ATTRIBUTION);
    assert!(attention(&made.json).iter().all(|(field, _)| field != "coverImage"));
    let served = image_at(&world, cover(&made)).await;
    assert_eq!(size(&served), (400, 800));
    assert!(!served.windows(4).any(|bytes| bytes == b"Exif"));
    let set = put_json(&app, &made, &json!({ "query": "Lisbon tram & view" })).await;
    let set = was_set(&app, &made, &set).await;
    assert!(stub.asked()[0].starts_with("/v1/images/?q=Lisbon+tram+%26+view&"));
    assert_eq!((source(&set), size(&image_at(&world, cover(&set)).await)), (ATTRIBUTION, (400, 800)));
    let set = was_set(&app, &set, &put_call(&app, &set).send().await).await;
    assert!(stub.asked()[0].starts_with("/v1/images/?q=Lisbon&"));
    assert_eq!(source(&set), ATTRIBUTION);
    // The provider is not asked for a duplicate, which is not stored,
    app.create(&on_day(1)).await.expect_error(409, "duplicateItinerary");
    assert!(stub.asked().is_empty());
    // nor if an image was sent or uploaded.
    let made = app.created(&covered(2)).await;
    super::uploaded(&app, &made, &png(&picture())).await;
    assert!(stub.asked().is_empty());
}

// Private addresses are never fetched, whether a provider's response or a redirect names them.
#[api_test]
async fn no_image_is_fetched_from_a_private_address(database: Database) {
    let inside = Stub::start(|_, _| Reply::File(jpeg(&picture()))).await;
    let port = inside.port();
    let redirect = format!("{}/secret.jpg", inside.url());
    for stub in [
        pointer(format!("http://127.0.0.1:{port}/secret.jpg")).await,
        pointer(format!("http://localhost:{port}/secret.jpg")).await,
        pointer(format!("http://[::ffff:127.0.0.1]:{port}/secret.jpg")).await,
        pointer("file:///etc/passwd".to_owned()).await,
        finder_of(move || Reply::Redirect(redirect.clone())).await,
    ] {
        let Some(world) = World::start_with(database, stub.configure()).await else { return };
        let app = App::of(&world, "ana").await;
        let made = app.created(&on_day(1)).await;
        assert_eq!(source(&made), "generated");
        assert!(stub.asked().iter().any(|target| is_search(target)));
        let response = put_json(&app, &made, &json!({ "query": "x" })).await;
        response.expect_error(502, "upstreamFailed");
        assert!(!response.header("retry-after").is_empty());
        assert!(!response.text().contains("secret") && !response.text().contains("127."), "{}", response.text());
        unchanged(&app, &made).await;
        let set = was_set(&app, &made, &put_call(&app, &made).send().await).await;
        assert_eq!(source(&set), "generated");
        assert!(inside.asked().is_empty() && stored_files(&world).is_empty());
    }
}

// An invalid file is rejected whether a provider or a traveller sends it.
#[api_test]
async fn a_found_file_that_is_no_image_is_not_taken(database: Database) {
    let whole = jpeg(&picture());
    for file in [GIF.to_vec(), whole[..whole.len() / 2].to_vec(), super::files::animated_png()] {
        let stub = finder(file).await;
        let Some(world) = World::start_with(database, stub.configure()).await else { return };
        let app = App::of(&world, "ana").await;
        let made = app.created(&on_day(1)).await;
        assert_eq!(source(&made), "generated");
        let response = put_json(&app, &made, &json!({ "query": "x" })).await;
        // The caller did not send the file.
        response.expect_error(502, "upstreamFailed");
        unchanged(&app, &made).await;
        let set = was_set(&app, &made, &put_call(&app, &made).send().await).await;
        assert_eq!(source(&set), "generated");
        assert!(stored_files(&world).is_empty());
    }
}

#[api_test]
async fn a_query_that_finds_nothing_changes_nothing(database: Database) {
    let stub = Stub::start(|_, _| Reply::Json(json!({ "result_count": 0, "results": [] }))).await;
    let Some(world) = World::start_with(database, stub.configure()).await else { return };
    let app = App::of(&world, "ana").await;
    let made = app.created(&on_day(1)).await;
    assert_eq!(source(&made), "generated");
    put_json(&app, &made, &json!({ "query": "nothing of the kind" })).await.expect_error(422, "imageRejected");
    unchanged(&app, &made).await;
    assert_eq!(source(&was_set(&app, &made, &put_call(&app, &made).send().await).await), "generated");
}

// Providers are not asked for a write that is rejected.
#[api_test]
async fn rejected_write_calls_no_provider(database: Database) {
    let stub = finder(jpeg(&picture())).await;
    let Some(world) = World::start_with(database, stub.configure()).await else { return };
    let (app, other) = (App::of(&world, "ana").await, App::of(&world, "ben").await);
    let made = app.created(&covered(1)).await;
    let stale = Stored { etag: "\"v7.m\"".to_owned(), ..made.clone() };
    for body in [json!({ "query": "x" }), json!({ "url": "https://a.example/b" })] {
        put_json(&other, &made, &body).await;
        put_json(&app, &stale, &body).await;
    }
    put_json(&app, &made, &json!({ "query": "" })).await.expect_invalid("query");
    assert!(stub.asked().is_empty());
    unchanged(&app, &made).await;
}

// A dry run stores no image from a provider either.
#[api_test]
async fn trying_a_create_stores_no_found_image(database: Database) {
    let stub = finder(jpeg(&picture())).await;
    let Some(world) = World::start_with(database, stub.configure()).await else { return };
    let app = App::of(&world, "ana").await;
    let response = app.create_call("?dryRun=true", &on_day(1)).send().await;
    assert_eq!(response.status, 200, "{}", response.text());
    let tried = Stored { id: String::new(), etag: String::new(), json: response.json() };
    no_image(&world, cover(&tried)).await;
    assert_eq!(stored_files(&world), [""; 0]);
}
