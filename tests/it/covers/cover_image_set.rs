//! Uploads in the three formats, whatever the Content-Type: what is kept of a file, and what is not.

use image::{DynamicImage, Rgb, RgbImage};
use itinerary_sdk::{ErrorExt, code};
use itinerary_tests::app::App;
use itinerary_tests::{World, api_test};
use moxcms::ColorProfile;
use reqwest::Body;

use super::files::{OWNER, jpeg, of_size, picture, png, webp, with_exif, with_profile};
use super::{
    covered, files_of, get, id, image_at, no_image, put, put_call, put_json, size, source, stored_files, unchanged,
    uploaded, was_set,
};

#[api_test(limits = false)]
async fn an_image_is_known_by_its_content(world: World) {
    let app = App::of(&world, "ana").await;
    let mut seen = app.created(&covered(1)).await;
    for bytes in [jpeg(&picture()), png(&picture()), webp(&picture())] {
        let types = ["image/jpeg", "image/png", "IMAGE/WebP", "image/*; q=1", "application/octet-stream", ""];
        for content_type in types {
            let call = put_call(&app, &seen);
            let response = if content_type.is_empty() {
                let call = itinerary_tests::raw::Call(call.0.body(bytes.clone()));
                call.send().await
            } else {
                call.body(content_type, bytes.clone()).send().await
            };
            seen = was_set(&app, &seen, &response).await;
            assert_eq!(source(&seen), "upload", "{content_type}");
            let served = image_at(&world, super::cover(&seen)).await;
            assert_eq!(size(&served), (40, 20));
            let (left, right) = (pixel(&served, 5, 10), pixel(&served, 35, 10));
            assert!(left[0] > 150 && left[2] < 100 && right[0] < 100 && right[2] > 150, "{left:?} {right:?}");
        }
    }
}

// An iPhone's photo: the profile is dropped, so its colours are converted to sRGB.
#[api_test(sqlite)]
async fn colours_of_display_p3_are_converted(world: World) {
    let app = App::of(&world, "ana").await;
    let photo = DynamicImage::ImageRgb8(RgbImage::from_pixel(32, 32, Rgb([220, 30, 30])));
    let icc = ColorProfile::new_display_p3().encode().expect("a profile");
    let seen = uploaded(&app, &app.created(&covered(1)).await, &with_profile(&jpeg(&photo), &icc)).await;
    let served = pixel(&image_at(&world, super::cover(&seen)).await, 16, 16);
    for (stored, expected) in served.into_iter().zip([240, 0, 0]) {
        assert!(stored.abs_diff(expected) <= 4, "{served:?}");
    }
}

fn pixel(jpeg: &[u8], x: u32, y: u32) -> [u8; 3] {
    image::load_from_memory(jpeg).expect("an image").into_rgb8().get_pixel(x, y).0
}

// The SDK's builder sends any bytes.
#[api_test(limits = false)]
async fn the_sdk_sets_covers(world: World) {
    let app = App::of(&world, "ana").await;
    let (client, mut seen) = (world.client("ana").await, app.created(&covered(1)).await);
    let itinerary: uuid::Uuid = seen.id.parse().expect("a UUID");
    let put = |etag: &str, body: Vec<u8>| client.itinerary_cover_image_set(itinerary, etag, Body::from(body)).send();
    for (body, expected) in [
        (jpeg(&picture()), "upload"),
        (png(&picture()), "upload"),
        (webp(&picture()), "upload"),
        (Vec::new(), "generated"),
        (br#" {"query": "Lisbon tram"}"#.to_vec(), "generated"),
    ] {
        let set = put(&seen.etag, body).await.expect("set");
        let image = set.cover_image.as_ref().expect("a cover");
        assert_eq!(image.source.as_deref(), Some(expected));
        id(&world, &image.url);
        assert!(set.needs_attention.is_some(), "it is the answer to a write");
        assert_ne!(set.etag(), seen.etag);
        seen = app.viewed(&seen.id).await;
        assert_eq!((seen.etag.as_str(), super::cover(&seen)), (set.etag(), &*image.url));
    }
    // The short form, starting from a read itinerary.
    for (bytes, expected) in [(png(&picture()), "upload"), (Vec::new(), "generated")] {
        let read = client.itinerary_view(itinerary).send().await.expect("it is there");
        let set = client.itinerary_cover_image_set(read.id, read.etag(), bytes).send().await.expect("set");
        let image = set.cover_image.as_ref().expect("a cover");
        assert_eq!(image.source.as_deref(), Some(expected));
        seen = app.viewed(&seen.id).await;
        assert_eq!((seen.etag.as_str(), super::cover(&seen)), (set.etag(), &*image.url));
    }
    let error = put(&seen.etag, b"no image".to_vec()).await.expect_err("no image");
    assert_eq!((error.status().map(|status| status.as_u16()), error.code()), (Some(422), code::IMAGE_REJECTED));
    let error = put(&seen.etag, br#"{"url": "https://a.example/b"}"#.to_vec()).await.expect_err("no address");
    assert_eq!((error.code(), error.field()), (code::VALIDATION_FAILED, Some("url")));
    let error = put("\"v1.m\"", jpeg(&picture())).await.expect_err("stale");
    assert_eq!((error.code(), error.current_etag()), (code::ITINERARY_MODIFIED, Some(&*seen.etag)));
    unchanged(&app, &seen).await;
}

#[api_test]
async fn exif_metadata_is_removed_and_its_orientation_applied(world: World) {
    let app = App::of(&world, "ana").await;
    let seen = app.created(&covered(1)).await;
    let photograph = with_exif(&jpeg(&of_size(800, 400)));
    assert!(image::load_from_memory(&photograph).is_ok() && contains(&photograph, OWNER), "it is a good photograph");
    let set = uploaded(&app, &seen, &photograph).await;
    for (url, expected) in
        [(super::cover(&set).to_owned(), (400, 800)), (format!("{}/small", super::cover(&set)), (320, 640))]
    {
        let served = image_at(&world, &url).await;
        assert_eq!(size(&served), expected, "{url}");
        for secret in [OWNER.as_slice(), b"Exif", b"MM\0*", b"\xff\xe1"] {
            assert!(!contains(&served, secret), "{url}: {secret:?}");
        }
        let (above, below) = (pixel(&served, 100, 20), pixel(&served, 100, expected.1 - 20));
        assert!(above[0] > 150 && below[2] > 150, "{above:?} {below:?}");
    }
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

#[api_test]
async fn an_image_is_served_in_two_sizes(world: World) {
    let app = App::of(&world, "ana").await;
    let mut seen = app.created(&covered(1)).await;
    for ((width, height), large, small) in [
        ((2_600, 1_300), (2_048, 1_024), (640, 320)),
        ((300, 1_280), (300, 1_280), (150, 640)),
        ((640, 1), (640, 1), (640, 1)),
        ((1, 1), (1, 1), (1, 1)),
    ] {
        seen = uploaded(&app, &seen, &png(&of_size(width, height))).await;
        let url = super::cover(&seen);
        assert_eq!(size(&image_at(&world, url).await), large);
        assert_eq!(size(&image_at(&world, &format!("{url}/small")).await), small);
    }
}

// A script after the image or in its texts is never served from this server's address.
#[api_test]
async fn data_beside_the_image_is_not_served(world: World) {
    let app = App::of(&world, "ana").await;
    let mut seen = app.created(&covered(1)).await;
    for mut bytes in [jpeg(&picture()), png(&picture()), webp(&picture())] {
        bytes.extend(b"<script>alert(1)</script>");
        seen = uploaded(&app, &seen, &bytes).await;
        let response = get(&world, super::cover(&seen)).await;
        assert!(!contains(&response.body, b"<script>"));
        assert_eq!(
            (response.header("content-type"), response.header("x-content-type-options")),
            ("image/jpeg", "nosniff")
        );
    }
}

#[api_test]
async fn a_cover_is_replaced(world: World) {
    let app = App::of(&world, "ana").await;
    let first = uploaded(&app, &app.created(&covered(1)).await, &png(&of_size(10, 10))).await;
    image_at(&world, super::cover(&first)).await;
    let second = uploaded(&app, &first, &png(&of_size(20, 20))).await;
    assert_eq!(size(&image_at(&world, super::cover(&second)).await), (20, 20));
    world.clock.advance(chrono::TimeDelta::seconds(61));
    no_image(&world, super::cover(&first)).await;
    // The same image again gets another address, because each write has its own.
    let third = uploaded(&app, &second, &png(&of_size(20, 20))).await;
    world.clock.advance(chrono::TimeDelta::seconds(61));
    no_image(&world, super::cover(&second)).await;
    // Sent back, it stays. Replaced, it is gone.
    let kept = app.patched(&third, &serde_json::json!({ "coverImage": third.json["coverImage"] })).await;
    assert_eq!(size(&image_at(&world, super::cover(&kept)).await), (20, 20));
    let bare = app.patched(&kept, &serde_json::json!({ "coverImage": null })).await;
    assert_eq!(bare.json.get("coverImage"), None);
    world.clock.advance(chrono::TimeDelta::seconds(61));
    no_image(&world, super::cover(&third)).await;
    // An image at an address elsewhere is left alone.
    let own = serde_json::json!({ "url": "https://images.example/2.jpg", "source": "Mine" });
    let own = app.patched(&bare, &serde_json::json!({ "coverImage": own })).await;
    assert_eq!((super::cover(&own), source(&own)), ("https://images.example/2.jpg", "Mine"));
    let drawn = was_set(&app, &own, &put_json(&app, &own, &serde_json::json!({ "query": "x" })).await).await;
    assert_eq!(source(&drawn), "generated");
    assert!(stored_files(&world).len() >= 2, "the files are deleted later");
    let set = was_set(&app, &drawn, &put(&app, &drawn, "image/png", png(&picture())).await).await;
    let files = stored_files(&world);
    assert!(files_of(id(&world, super::cover(&set))).iter().all(|name| files.contains(name)), "{files:?}");
}
