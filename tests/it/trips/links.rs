//! What programs show beside a link to a public page: title, description, picture.

use chrono::TimeDelta;
use image::GenericImageView;
use itinerary_app::itineraries::covers::{delete_due, delete_unused};
use itinerary_tests::app::{App, Stored, path};
use itinerary_tests::bodies::{minimal, on_day, with};
use itinerary_tests::browser::Browser;
use itinerary_tests::{RawResponse, World, api_test};
use reqwest::Method;
use serde_json::{Value, json};

use super::{picture, read};
use crate::covers::{age, stored_files};
use crate::explore::published;

#[track_caller]
fn expect_picture(response: &RawResponse) {
    assert_eq!((response.status.as_u16(), response.header("content-type")), (200, "image/jpeg"), "{}", response.text());
    assert_eq!(response.header("cache-control"), "public, max-age=600");
    assert_eq!(image::load_from_memory(&response.body).expect("an image").dimensions(), (1_200, 630));
}

#[api_test]
async fn a_public_page_describes_itself_for_links(world: World) {
    let app = App::of(&world, "ana").await;
    let body = json!({ "title": "Lisbon & \"Sintra\"", "summary": "A week\non foot.", "days": [{}, {}] });
    let trip = published(&app, &with(on_day(15), body)).await;
    let text = read(&Browser::new(&world), &trip.id).await.text();
    let address = format!("{}/trips/{}", world.base_url, trip.id);
    for (property, content) in [
        ("og:title", "Lisbon &#38; &#34;Sintra&#34;"),
        ("og:description", "A week on foot."),
        ("og:url", &address),
        ("og:image", &format!("{address}/picture.jpg")),
        ("og:image:width", "1200"),
        ("og:image:height", "630"),
    ] {
        let tag = format!("<meta property=\"{property}\" content=\"{content}\">");
        assert!(text.contains(&tag), "{tag} in {text}");
    }
    assert!(text.contains("summary_large_image") && !text.contains("noindex"), "{text}");
    expect_picture(&world.call(Method::GET, &format!("/trips/{}/picture.jpg", trip.id)).send().await);
}

#[api_test]
async fn the_picture_is_made_once_from_the_cover(world: World) {
    let app = App::of(&world, "ana").await;
    let trip = published(&app, &minimal()).await;
    let cover = |trip: &Stored| {
        trip.json["coverImage"]["url"].as_str().expect("a cover").rsplit('/').next().expect("an id").to_owned()
    };
    let drawn = cover(&trip);
    assert!(stored_files(&world).is_empty());
    let (first, second) = tokio::join!(picture(&world, &trip.id), picture(&world, &trip.id));
    expect_picture(&first);
    assert_eq!(first.body, second.body);
    let files = stored_files(&world);
    assert!(files.len() == 3 && files[1..] == [format!("{drawn}-small.jpg"), format!("{drawn}.jpg")], "{files:?}");
    assert!(files[0].starts_with(&drawn) && files[0].ends_with("-links.jpg"), "{files:?}");
    assert_eq!(picture(&world, &trip.id).await.body, first.body);
    // An uploaded cover.
    let mut png = Vec::new();
    let red = image::RgbImage::from_pixel(40, 20, image::Rgb([200, 0, 0]));
    red.write_to(&mut std::io::Cursor::new(&mut png), image::ImageFormat::Png).expect("an image");
    let put = app.call(Method::PUT, &format!("{}/cover-image", path(&trip.id)));
    let trip = Stored::of(&put.header("If-Match", &trip.etag).body("image/png", png).send().await);
    let uploaded = picture(&world, &trip.id).await;
    expect_picture(&uploaded);
    let corner = image::load_from_memory(&uploaded.body).expect("an image").get_pixel(2, 2);
    assert!(corner[0] > 150 && corner[1] < 60, "{corner:?}");
    // The earlier cover goes, and an hour later both pictures for links.
    world.clock.advance(TimeDelta::minutes(2));
    assert_eq!(delete_due(world.service()).await.expect("files"), 1);
    let id = cover(&trip);
    let mut files = stored_files(&world);
    files.retain(|file| !file.ends_with("-links.jpg"));
    assert_eq!(files, [format!("{id}-small.jpg"), format!("{id}.jpg")]);
    age(&world, 61);
    assert_eq!(delete_unused(world.service()).await.expect("files"), 2);
    assert_eq!(stored_files(&world), files);
    assert_eq!(picture(&world, &trip.id).await.body, uploaded.body, "it is made again");
}

#[api_test]
async fn the_picture_has_the_title(world: World) {
    let app = App::of(&world, "ana").await;
    let trip = published(&app, &with(on_day(15), json!({ "title": "Lisbon on foot" }))).await;
    let first = picture(&world, &trip.id).await;
    expect_picture(&first);
    let again =
        |tag: &str| world.call(Method::GET, &format!("/trips/{}/picture.jpg", trip.id)).header("If-None-Match", tag);
    let same = again(first.header("etag")).send().await;
    assert_eq!((same.status.as_u16(), same.body.len(), same.header("etag")), (304, 0, first.header("etag")));
    assert_eq!(same.header("cache-control"), "public, max-age=600");
    let cover = |trip: &Stored| trip.json["coverImage"]["url"].clone();
    // A change that the picture does not show.
    let noted = app.patched(&app.viewed(&trip.id).await, &json!({ "summary": "On foot." })).await;
    assert_eq!(picture(&world, &trip.id).await.header("etag"), first.header("etag"));
    let renamed = app.patched(&noted, &json!({ "title": "Lisbon by tram" })).await;
    assert_eq!(cover(&renamed), cover(&trip), "the cover is the same");
    let second = again(first.header("etag")).send().await;
    expect_picture(&second);
    assert_ne!(second.header("etag"), first.header("etag"));
    let [one, other] =
        [&first, &second].map(|picture| image::load_from_memory(&picture.body).expect("an image").to_rgb8());
    let differs =
        |y: u32| (0..1_200).any(|x| (0..3).any(|c| one.get_pixel(x, y)[c].abs_diff(other.get_pixel(x, y)[c]) > 40));
    assert!((430..540).any(differs) && !(0..400).any(differs), "the titles differ, and nothing above them");
}

#[api_test]
async fn without_a_cover_of_ours_a_picture_is_drawn(world: World) {
    let app = App::of(&world, "ana").await;
    let covers = [Value::Null, json!({ "url": "https://images.example/x.jpg" })];
    let trip = published(&app, &minimal()).await;
    for cover in covers {
        let now = app.viewed(&trip.id).await;
        app.patched(&now, &json!({ "coverImage": cover })).await;
        let first = picture(&world, &trip.id).await;
        expect_picture(&first);
        assert_eq!(picture(&world, &trip.id).await.body, first.body);
        let page = read(&Browser::new(&world), &trip.id).await.text();
        assert!(!page.contains("images.example"), "other sites do not learn who reads it: {page}");
    }
    assert_eq!(stored_files(&world).len(), 2, "one for each version");
    age(&world, 61);
    assert_eq!(delete_unused(world.service()).await.expect("files"), 2);
    world.clock.advance(TimeDelta::minutes(2));
    let now = app.viewed(&trip.id).await;
    app.patched(&now, &json!({ "visibility": "followers" })).await;
    picture(&world, &trip.id).await.expect_error(404, "notFound");
}
