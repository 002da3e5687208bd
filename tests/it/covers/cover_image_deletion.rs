//! Deletion of images: a replaced one a minute later, those of a deleted itinerary at once, and none while an itinerary
//! shows it.

use chrono::TimeDelta;
use itinerary_app::itineraries::covers::{delete_due, delete_unused};
use itinerary_tests::app::{App, Stored, path};
use itinerary_tests::{World, api_test};
use reqwest::Method;
use serde_json::json;

use super::files::{picture, png};
use super::{age, cover, covered, files_of, id, image_at, no_image, size, stored_files, uploaded};
use crate::explore::published;

/// Runs the job for pictures that can no longer be read. Returns how many it deleted.
async fn clean_due(world: &World) -> u64 {
    delete_due(world.service()).await.expect("a database and files")
}

/// Runs the job for files without a picture. Returns how many files it deleted.
async fn clean(world: &World) -> u64 {
    delete_unused(world.service()).await.expect("a database and files")
}

async fn saved(app: &App<'_>, source: &Stored) -> Stored {
    let response = app.call(Method::POST, &format!("{}/saves", path(&source.id))).send().await;
    assert_eq!(response.status, 201, "{}", response.text());
    Stored::of(&response)
}

#[api_test]
async fn a_replaced_cover_is_deleted_after_a_minute(world: World) {
    let app = App::of(&world, "ana").await;
    let first = uploaded(&app, &app.created(&covered(1)).await, &png(&picture())).await;
    let second = uploaded(&app, &first, &png(&picture())).await;
    let (old, new) = (files_of(id(&world, cover(&first))), files_of(id(&world, cover(&second))));
    // Whoever was just given its address can still read it.
    world.clock.advance(TimeDelta::seconds(59));
    assert_eq!(clean_due(&world).await, 0);
    assert!(old.iter().all(|name| stored_files(&world).contains(name)));
    image_at(&world, cover(&first)).await;
    world.clock.advance(TimeDelta::seconds(2));
    no_image(&world, cover(&first)).await;
    assert_eq!(clean_due(&world).await, 1);
    assert_eq!(stored_files(&world), new);
    no_image(&world, cover(&first)).await;
    assert_eq!(size(&image_at(&world, cover(&second)).await), (40, 20));
    // However old an image in use is.
    age(&world, 1_000_000);
    assert_eq!((clean(&world).await, clean_due(&world).await), (0, 0));
    image_at(&world, cover(&second)).await;
    // The address of a deleted image never shows an image again.
    let back = app.patched(&second, &json!({ "coverImage": first.json["coverImage"] })).await;
    assert_eq!(cover(&back), cover(&second));
    no_image(&world, cover(&first)).await;
}

#[api_test]
async fn a_deleted_itinerarys_image_is_gone_at_once(world: World) {
    let app = App::of(&world, "ana").await;
    let drawn = app.created(&itinerary_tests::bodies::on_day(2)).await;
    let set = uploaded(&app, &app.created(&covered(1)).await, &png(&picture())).await;
    for itinerary in [&set, &drawn] {
        image_at(&world, cover(itinerary)).await;
        assert_eq!(app.delete(itinerary).await.status, 204);
        no_image(&world, cover(itinerary)).await;
    }
    assert_eq!(clean_due(&world).await, 2);
    assert!(stored_files(&world).is_empty());
    no_image(&world, cover(&set)).await;
}

// A copy keeps the original's image as long as one of them exists.
#[api_test]
async fn a_saved_copy_keeps_its_image(world: World) {
    let (ana, ben) = (App::of(&world, "ana").await, App::of(&world, "ben").await);
    let original = uploaded(&ana, &published(&ana, &covered(1)).await, &png(&picture())).await;
    let copy = saved(&ben, &original).await;
    assert_ne!(cover(&copy), cover(&original));
    assert_eq!(ana.delete(&original).await.status, 204);
    no_image(&world, cover(&original)).await;
    let before = image_at(&world, cover(&copy)).await;
    age(&world, 1_000);
    assert_eq!((clean_due(&world).await, clean(&world).await), (1, 0));
    assert_eq!(image_at(&world, cover(&copy)).await, before);
    assert_eq!(ben.delete(&copy).await.status, 204);
    no_image(&world, cover(&copy)).await;
    assert_eq!(clean_due(&world).await, 1);
    assert!(stored_files(&world).is_empty());
}

// The same for the original, and for a new cover instead of a deletion.
#[api_test]
async fn an_original_keeps_its_image_when_a_copy_goes(world: World) {
    let (ana, ben) = (App::of(&world, "ana").await, App::of(&world, "ben").await);
    let original = uploaded(&ana, &published(&ana, &covered(1)).await, &png(&picture())).await;
    let copy = saved(&ben, &original).await;
    let copy = uploaded(&ben, &copy, &png(&picture())).await;
    assert_eq!(ana.viewed(&original.id).await.json["coverImage"], original.json["coverImage"]);
    assert_eq!(ben.delete(&copy).await.status, 204);
    // The picture that it was saved with, and the one that it was given.
    assert_eq!(clean_due(&world).await, 2);
    image_at(&world, cover(&original)).await;
}

// Remains of a crash: half an image, and a file that is not an image.
#[api_test]
async fn files_that_nobody_knows_are_deleted(world: World) {
    let app = App::of(&world, "ana").await;
    let set = uploaded(&app, &app.created(&covered(1)).await, &png(&picture())).await;
    let unknown = uuid::Uuid::new_v4();
    for name in [format!("{unknown}-small.jpg"), "notes.txt".to_owned(), "x.jpg".to_owned()] {
        std::fs::write(world.data().join("files/images").join(name), b"left").expect("a file");
    }
    world.call(Method::GET, &format!("/images/{unknown}")).send().await.expect_error(404, "notFound");
    age(&world, 61);
    assert_eq!(clean(&world).await, 3);
    assert_eq!(stored_files(&world), files_of(id(&world, cover(&set))));
}

// It may be published again, and whoever has its address has already seen it.
#[api_test]
async fn making_an_itinerary_private_keeps_its_image(world: World) {
    let app = App::of(&world, "ana").await;
    let public = uploaded(&app, &published(&app, &covered(1)).await, &png(&picture())).await;
    let private = app.patched(&public, &json!({ "visibility": "private" })).await;
    assert_eq!(cover(&private), cover(&public));
    age(&world, 61);
    assert_eq!(clean(&world).await, 0);
    image_at(&world, cover(&private)).await;
}
