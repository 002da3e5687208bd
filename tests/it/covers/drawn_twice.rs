//! A drawn cover of a copy, or whose source was changed before the cover was first read.

use itinerary_tests::app::{App, Stored, path};
use itinerary_tests::bodies::on_day;
use itinerary_tests::{World, api_test};
use serde_json::{Value, json};

use super::{cover, id, image_at, size};
use crate::explore::{published, shown};

async fn saved(app: &App<'_>, source: &Stored) -> Stored {
    let response = app.call(reqwest::Method::POST, &format!("{}/saves", path(&source.id))).send().await;
    assert_eq!(response.status, 201, "{}", response.text());
    Stored::of(&response)
}

// Travellers may change `source`; the image is still one of this server's.
#[api_test]
async fn a_cover_is_drawn_whatever_is_said_of_its_source(world: World) {
    let app = App::of(&world, "ana").await;
    for (day, source) in [(1, json!("My own words")), (2, Value::Null)] {
        let made = app.created(&on_day(day)).await;
        let changed = app.patched(&made, &json!({ "coverImage": { "source": source } })).await;
        assert_eq!((cover(&changed), &changed.json["coverImage"]["source"]), (cover(&made), &source));
        assert_eq!(size(&image_at(&world, cover(&made)).await), (1_280, 720));
    }
}

// The `source` in the copy does not matter to readers of the original, and vice versa.
#[api_test]
async fn a_copys_cover_and_the_originals_are_drawn(world: World) {
    let (ana, ben) = (App::of(&world, "ana").await, App::of(&world, "ben").await);
    for (day, changes_the_copy) in [(1, true), (2, false)] {
        let original = published(&ana, &on_day(day)).await;
        let copy = saved(&ben, &original).await;
        assert_ne!(cover(&copy), cover(&original));
        let (app, changed) = if changes_the_copy { (&ben, &copy) } else { (&ana, &original) };
        app.patched(changed, &json!({ "coverImage": { "source": "Changed" } })).await;
        for itinerary in [&original, &copy] {
            assert_eq!(size(&image_at(&world, cover(itinerary)).await), (1_280, 720));
        }
    }
}

// Itineraries keep their images if the operator changes the server's address.
#[api_test]
async fn a_change_of_the_servers_address_loses_no_cover(world: World) {
    let app = App::of(&world, "ana").await;
    let made = shown(&app, &on_day(1), "unlisted").await;
    let set = super::uploaded(&app, &made, &super::files::png(&super::files::picture())).await;
    let path = format!("/images/{}", id(&world, cover(&set)));
    let (before, old) = (world.base_url.clone(), set);
    let world = world.restart().await;
    assert_ne!(world.base_url, before, "a test's server has another port each time");
    let app = App::of(&world, "ana").await;
    let changed = app.patched(&old, &json!({ "title": "Changed under the new address" })).await;
    assert_eq!(cover(&changed), cover(&old).replace(&before, &world.base_url));
    super::age(&world, 1_000);
    itinerary_app::itineraries::covers::delete_unused(world.service()).await.expect("a database");
    let response = world.call(reqwest::Method::GET, &path).send().await;
    assert_eq!((response.status.as_u16(), response.header("content-type")), (200, "image/jpeg"));
}
