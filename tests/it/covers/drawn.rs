//! Drawn covers: named in the first response, drawn at the first read, and never changed afterwards.

use chrono::TimeDelta;
use itinerary_tests::app::{App, Stored, attention};
use itinerary_tests::bodies::{on_day, to, with};
use itinerary_tests::{World, api_test};
use reqwest::Method;
use serde_json::json;

use super::{cover, files_of, get, id, image_at, no_image, size, source, stored_files, was_set};
use crate::explore::{found, page, shown};

/// The size of a drawn image.
const DRAWN: ((u32, u32), (u32, u32)) = ((1_280, 720), (640, 360));

#[api_test]
async fn a_new_itinerary_has_a_cover_at_once(world: World) {
    let app = App::of(&world, "ana").await;
    let made = app.created(&on_day(1)).await;
    assert_eq!(source(&made), "generated");
    assert!(attention(&made.json).iter().all(|(field, _)| field != "coverImage"), "{}", made.json);
    assert_eq!(app.viewed(&made.id).await.json["coverImage"], made.json["coverImage"]);
    let list = app.list("").await.json();
    assert_eq!(list["data"][0]["coverImageUrl"], cover(&made));
    assert!(stored_files(&world).is_empty(), "it is not drawn before somebody looks");
    // The first request needs no token, and may be a HEAD.
    let head = itinerary_tests::raw::Call(world.http.head(cover(&made))).send().await;
    assert_eq!((head.status.as_u16(), head.header("content-type")), (200, "image/jpeg"));
    let large = image_at(&world, cover(&made)).await;
    let small = image_at(&world, &format!("{}/small", cover(&made))).await;
    assert_eq!((size(&large), size(&small)), DRAWN);
    assert_eq!(head.header("content-length"), large.len().to_string());
    assert_eq!(stored_files(&world), files_of(id(&world, cover(&made))));
    assert_eq!(app.viewed(&made.id).await.etag, made.etag, "drawing is no change");
}

// An address always shows the same image, even if the trip changes or the server restarts.
#[api_test]
async fn a_drawn_cover_stays_as_it_is(world: World) {
    let app = App::of(&world, "ana").await;
    let made = app.created(&on_day(1)).await;
    let path = format!("/images/{}", id(&world, cover(&made)));
    let first = image_at(&world, cover(&made)).await;
    let stops = json!([{ "name": "S", "place": { "coordinate": { "latitude": 38.7, "longitude": -9.2 } } }]);
    let moved = json!({ "days": [{ "stops": stops }], "destination": { "name": "Sintra" } });
    let other = app.patched(&made, &moved).await;
    assert_ne!(cover(&other), cover(&made), "another route has another address");
    assert_eq!(image_at(&world, cover(&made)).await, first);
    let world = world.restart().await;
    let again = world.call(Method::GET, &path).send().await;
    assert_eq!((again.status.as_u16(), &again.body), (200, &first));
    let small = world.call(Method::GET, &format!("{path}/small")).send().await;
    assert_eq!((small.status.as_u16(), size(&small.body)), (200, DRAWN.1));
}

// A cover of an earlier run of the server is drawn after a restart.
#[api_test]
async fn a_cover_may_be_drawn_after_a_restart(world: World) {
    let app = App::of(&world, "ana").await;
    let made = app.created(&on_day(1)).await;
    let path = format!("/images/{}", id(&world, cover(&made)));
    let world = world.restart().await;
    let first = world.call(Method::GET, &path).send().await;
    assert_eq!((first.status.as_u16(), size(&first.body)), (200, DRAWN.0));
    let world = world.restart().await;
    assert_eq!(world.call(Method::GET, &path).send().await.body, first.body);
}

// Concurrent first requests and later ones get the same image.
#[api_test]
async fn a_cover_is_drawn_once_for_all(world: World) {
    let app = App::of(&world, "ana").await;
    let made = app.created(&on_day(1)).await;
    let first = futures::future::join_all((0..4).map(|_| image_at(&world, cover(&made)))).await;
    assert!(first.iter().all(|image| *image == first[0]));
    assert_eq!(image_at(&world, cover(&made)).await, first[0]);
    assert_eq!(stored_files(&world), files_of(id(&world, cover(&made))));
}

#[api_test]
async fn lists_and_explore_show_the_cover(world: World) {
    let (app, other) = (App::of(&world, "ana").await, App::of(&world, "ben").await);
    let made = shown(&app, &on_day(1), "public").await;
    assert_eq!(found(&other, "").await, [made.id.as_str()]);
    let page = page(&other, "").await;
    assert_eq!(page["data"][0]["coverImageUrl"], cover(&made));
    let set = super::put_call(&app, &made).send().await;
    let set = was_set(&app, &made, &set).await;
    assert_eq!(app.list("").await.json()["data"][0]["coverImageUrl"], cover(&set));
    assert_eq!(crate::explore::page(&other, "").await["data"][0]["coverImageUrl"], cover(&set));
    // Whoever was just given the old address can still read it.
    image_at(&world, cover(&made)).await;
    world.clock.advance(TimeDelta::seconds(61));
    get(&world, cover(&made)).await.expect_error(404, "notFound");
}

// An image from elsewhere is neither fetched nor replaced.
#[api_test]
async fn a_cover_that_was_sent_is_kept(world: World) {
    let app = App::of(&world, "ana").await;
    let own = json!({ "url": "https://images.example/own.jpg", "source": "Me" });
    let made = app.created(&with(on_day(1), json!({ "coverImage": own }))).await;
    assert_eq!(made.json["coverImage"], own);
    let made = app.patched(&made, &json!({ "title": "T" })).await;
    assert_eq!(made.json["coverImage"], own);
    // An address of this server without an image.
    let nothing = format!("{}/images/{}", world.base_url, uuid::Uuid::new_v4());
    let sent = json!({ "coverImage": { "url": nothing, "source": "Me" } });
    app.patch(&made, &sent).await.expect_invalid("coverImage.url");
    let other = app.created(&with(on_day(2), sent)).await;
    assert!(attention(&other.json).contains(&("coverImage".to_owned(), "assumed".to_owned())), "{}", other.json);
    assert_eq!(source(&other), "generated");
    get(&world, &nothing).await.expect_error(404, "notFound");
}

// A dry run leaves nothing behind, and its cover's address leads nowhere.
#[api_test]
async fn trying_a_create_stores_no_image(world: World) {
    let app = App::of(&world, "ana").await;
    let response = app.create_call("?dryRun=true", &on_day(1)).send().await;
    assert_eq!(response.status, 200, "{}", response.text());
    let tried = Stored { id: String::new(), etag: String::new(), json: response.json() };
    assert_eq!(source(&tried), "generated");
    super::no_image(&world, cover(&tried)).await;
    assert!(stored_files(&world).is_empty());
    world.clock.advance(TimeDelta::minutes(1));
    assert_eq!(app.listed("").await, [""; 0]);
}

// Trips with unusual places: the poles, the date line, a thousand stops, a name in any script.
#[api_test]
async fn every_trip_can_be_drawn(world: World) {
    let app = App::of(&world, "ana").await;
    let stop = |latitude: f64, longitude: f64| json!({ "name": "S", "place": { "coordinate": { "latitude": latitude, "longitude": longitude } } });
    let days: Vec<_> = (0..12_u8)
        .map(|day| {
            let stops: Vec<_> =
                (0..90_u8).map(|s| stop(f64::from(day) * 15.0 - 90.0, f64::from(s) * 4.0 - 180.0)).collect();
            json!({ "stops": stops })
        })
        .collect();
    let poles = json!([{ "stops": [stop(90.0, 180.0), stop(-90.0, -180.0), stop(90.0, 0.0), { "name": "Nowhere" }] }]);
    for body in [
        with(to(&"\u{202e}\u{1f30a}\u{e9}".repeat(60), 90.0, 180.0), json!({ "days": poles })),
        with(to("Many", -90.0, -180.0), json!({ "days": days })),
        to("\u{6771}\u{4eac}", 0.0, 0.0),
    ] {
        let made = app.created(&body).await;
        assert_eq!(size(&image_at(&world, cover(&made)).await), DRAWN.0, "{}", made.json["destination"]);
    }
}

// Someone who kept the old address must not see where the itinerary goes afterwards.
#[api_test]
async fn a_drawn_cover_has_a_new_address_once_it_is_hidden(world: World) {
    let app = App::of(&world, "ana").await;
    let made = app.created(&on_day(1)).await;
    let public = app.patched(&made, &json!({ "visibility": "public" })).await;
    assert_eq!(cover(&public), cover(&made));
    let hidden = app.patched(&public, &json!({ "visibility": "private" })).await;
    assert_ne!(cover(&hidden), cover(&public));
    world.clock.advance(TimeDelta::seconds(61));
    no_image(&world, cover(&public)).await;
    image_at(&world, cover(&hidden)).await;
}
