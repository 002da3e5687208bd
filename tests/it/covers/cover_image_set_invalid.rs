//! Unusable images are rejected with a reason and change nothing.

use itinerary_tests::app::App;
use itinerary_tests::{World, api_test};
use reqwest::Method;

use super::files::{
    ANIMATED_WEBP, GIF, HTML, SVG, animated_png, jpeg, of_size, picture, png, png_that_claims, webp, with_profile,
};
use super::{cover, covered, image_at, put, put_call, stored_files, unchanged, uploaded};

/// Every cause, with a word of its reason.
fn unusable() -> Vec<(&'static str, Vec<u8>, &'static str)> {
    let (jpeg, png, webp) = (jpeg(&of_size(64, 64)), png(&of_size(64, 64)), webp(&of_size(64, 64)));
    let half = |bytes: &[u8]| bytes[..bytes.len() / 2].to_vec();
    let mut damaged = png.clone();
    let middle = damaged.len() / 2;
    damaged[middle] ^= 0xFF;
    vec![
        ("a GIF", GIF.to_vec(), "JPEG, PNG or WebP"),
        ("an SVG", SVG.to_vec(), "JPEG, PNG or WebP"),
        ("a page", HTML.to_vec(), "JPEG, PNG or WebP"),
        ("text", b"no image".to_vec(), "JPEG, PNG or WebP"),
        ("a blank", b" ".to_vec(), "JPEG, PNG or WebP"),
        ("zeros", vec![0; 1_000], "JPEG, PNG or WebP"),
        ("a JPEG's beginning", b"\xff\xd8\xff".to_vec(), "broken"),
        ("half a JPEG", half(&jpeg), "broken"),
        ("a JPEG but for its last bytes", jpeg[..jpeg.len() - 4].to_vec(), "broken"),
        ("a JPEG with a strange profile", with_profile(&jpeg, b"no profile"), "colour profile cannot be read"),
        ("half a PNG", half(&png), "broken"),
        ("half a WebP", half(&webp), "broken"),
        ("a damaged PNG", damaged, "broken"),
        ("a huge PNG", png_that_claims(60_000, 60_000), "60000 x 60000"),
        ("a wide PNG", png_that_claims(12_001, 1), "12001 x 1"),
        ("a PNG of too many pixels", png_that_claims(8_000, 5_001), "8000 x 5001"),
        ("a PNG of no pixels", png_that_claims(0, 0), "broken"),
        ("a PNG whose header lies", png_that_claims(400, 400), "broken"),
        ("an animated PNG", animated_png(), "animated"),
        ("an animated WebP", ANIMATED_WEBP.to_vec(), "animated"),
    ]
}

#[api_test(limits = false)]
async fn a_file_that_is_no_usable_image_changes_nothing(world: World) {
    let app = App::of(&world, "ana").await;
    let seen = uploaded(&app, &app.created(&covered(1)).await, &png(&picture())).await;
    let (before, files) = (image_at(&world, cover(&seen)).await, stored_files(&world));
    for (what, bytes, word) in unusable() {
        for content_type in ["image/jpeg", "application/octet-stream"] {
            let response = put(&app, &seen, content_type, bytes.clone()).await;
            response.expect_error(422, "imageRejected");
            let message = response.json()["error"]["message"].as_str().expect("text").to_owned();
            assert!(message.contains(word), "{what}: {message}");
        }
        unchanged(&app, &seen).await;
    }
    assert_eq!(stored_files(&world), files, "nothing of it is kept");
    assert_eq!(image_at(&world, cover(&seen)).await, before);
}

#[api_test(limits = false)]
async fn a_body_over_the_limit_is_refused_whatever_it_is(world: World) {
    let app = App::of(&world, "ana").await;
    let seen = app.created(&covered(1)).await;
    let most = 10 * 1_048_576;
    let mut large = jpeg(&picture());
    large.resize(most + 1, 0);
    for content_type in ["image/jpeg", "application/json", "text/plain"] {
        put(&app, &seen, content_type, large.clone()).await.expect_error(413, "payloadTooLarge");
    }
    // Without Content-Length.
    let pieces = large.chunks(100_000).map(|piece| Ok::<_, std::io::Error>(piece.to_vec())).collect::<Vec<_>>();
    let stream = reqwest::Body::wrap_stream(futures::stream::iter(pieces));
    put(&app, &seen, "image/jpeg", stream).await.expect_error(413, "payloadTooLarge");
    unchanged(&app, &seen).await;
    // Bytes after the end of a JPEG are ignored.
    large.truncate(most);
    uploaded(&app, &seen, &large).await;
}

#[api_test(limits = false)]
async fn other_media_types_are_refused(world: World) {
    let app = App::of(&world, "ana").await;
    let seen = app.created(&covered(1)).await;
    for content_type in ["text/plain", "text/html", "application/merge-patch+json", "multipart/form-data", "video/mp4"]
    {
        let response = put(&app, &seen, content_type, jpeg(&picture())).await;
        response.expect_error(415, "unsupportedMediaType");
    }
    for method in [Method::GET, Method::POST, Method::DELETE] {
        let call = app.call(method, &format!("/v1/itineraries/{}/cover-image", seen.id));
        let response = call.send().await;
        response.expect_error(405, "methodNotAllowed");
        assert!(response.header("allow").contains("PUT"));
    }
    unchanged(&app, &seen).await;
    let response = put_call(&app, &seen).send().await;
    assert_eq!(response.status, 200, "neither a type nor a body: {}", response.text());
}
