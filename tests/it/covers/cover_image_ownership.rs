//! Whose a picture is: an address shows what its readers were allowed to see when they got it, and nobody else's trip
//! decides what it shows or how long it exists.

use chrono::TimeDelta;
use itinerary_app::accounts::erase_deleted;
use itinerary_app::itineraries::covers::delete_due;
use itinerary_tests::app::{App, Stored, attention, path};
use itinerary_tests::bodies::{on_day, with};
use itinerary_tests::{World, api_test};
use reqwest::Method;
use serde_json::{Value, json};

use super::files::{picture, png};
use super::{cover, covered, files_of, get, id, image_at, no_image, source, stored_files, uploaded};
use crate::explore::{account, follow, published, shown};

/// A change that gives the trip another route.
fn elsewhere() -> Value {
    let stop =
        |latitude: f64| json!({ "name": "S", "place": { "coordinate": { "latitude": latitude, "longitude": -9.3 } } });
    json!({ "days": [{ "stops": [stop(38.7), stop(39.4), stop(40.1)] }] })
}

/// What the drawn cover of a trip to Lisbon without stops looks like.
async fn without_stops(app: &App<'_>) -> Vec<u8> {
    image_at(app.world, cover(&app.created(&on_day(28)).await)).await
}

async fn saved(app: &App<'_>, source: &Stored) -> Stored {
    let response = app.call(Method::POST, &format!("{}/saves", path(&source.id))).send().await;
    assert_eq!(response.status, 201, "{}", response.text());
    Stored::of(&response)
}

/// A body with the cover of another itinerary.
fn with_cover_of(day: u32, other: &Stored) -> Value {
    with(on_day(day), json!({ "coverImage": other.json["coverImage"] }))
}

/// Deletes the account of a traveller as the page does, without its password.
async fn erased(world: &World, name: &str) {
    world.sql(&format!("UPDATE accounts SET deleted_at = 1 WHERE username = '{name}'")).await;
}

/// Checks that an address which was kept unread shows the trip as it was, for a minute, and then nothing.
async fn shows_the_past(app: &App<'_>, kept: &Stored, changed: &Stored) {
    let world = app.world;
    let (before, now) = (without_stops(app).await, image_at(world, cover(changed)).await);
    assert_ne!(cover(changed), cover(kept));
    assert_ne!(now, before, "another route is another picture");
    assert_eq!(image_at(world, cover(kept)).await, before);
    world.clock.advance(TimeDelta::seconds(61));
    no_image(world, cover(kept)).await;
    assert_eq!(delete_due(world.service()).await.expect("a database"), 1);
    assert!(files_of(id(world, cover(kept))).iter().all(|name| !stored_files(world).contains(name)));
    assert_eq!(image_at(world, cover(changed)).await, now);
}

#[api_test]
async fn removed_member_sees_no_new_route(world: World) {
    let (ana, ben) = (App::of(&world, "ana").await, App::of(&world, "ben").await);
    let made = ana.created(&on_day(1)).await;
    let reader = account(&world, "ben").await;
    world.member(&made.id, reader, "viewer").await;
    let kept = ben.viewed(&made.id).await;
    world.no_member(&made.id, reader).await;
    let changed = ana.patched(&made, &elsewhere()).await;
    shows_the_past(&ana, &kept, &changed).await;
}

#[api_test]
async fn former_follower_sees_no_new_route(world: World) {
    let (ana, ben) = (App::of(&world, "ana").await, App::of(&world, "ben").await);
    let made = shown(&ana, &on_day(1), "followers").await;
    let owner = account(&world, "ana").await;
    follow(&ben, owner, true).await;
    let kept = ben.viewed(&made.id).await;
    follow(&ben, owner, false).await;
    let changed = ana.patched(&made, &elsewhere()).await;
    shows_the_past(&ana, &kept, &changed).await;
}

#[api_test]
async fn a_copy_shows_the_trip_that_was_saved(world: World) {
    let (ana, ben) = (App::of(&world, "ana").await, App::of(&world, "ben").await);
    let made = published(&ana, &on_day(1)).await;
    let copy = saved(&ben, &made).await;
    assert_ne!(cover(&copy), cover(&made));
    assert_eq!(ben.viewed(&copy.id).await.json["coverImage"], copy.json["coverImage"]);
    let hidden = ana.patched(&made, &json!({ "visibility": "private" })).await;
    let changed = ana.patched(&hidden, &elsewhere()).await;
    assert_eq!(image_at(&world, cover(&copy)).await, without_stops(&ana).await);
    assert_ne!(image_at(&world, cover(&changed)).await, image_at(&world, cover(&copy)).await);
}

// Neither a later trip of an attacker's nor an older one.
#[api_test]
async fn a_strangers_cover_cannot_be_set(world: World) {
    let (ana, ben) = (App::of(&world, "ana").await, App::of(&world, "ben").await);
    let older = ben.created(&with(on_day(1), elsewhere())).await;
    let made = ana.created(&on_day(2)).await;
    // He may not read it, so it counts as not sent.
    let later = ben.created(&with_cover_of(3, &made)).await;
    assert!(attention(&later.json).contains(&("coverImage".to_owned(), "assumed".to_owned())), "{}", later.json);
    assert_ne!(cover(&later), cover(&made));
    let sent = json!({ "coverImage": made.json["coverImage"] });
    for own in [&older, &later] {
        ben.patch(own, &sent).await.expect_invalid("coverImage.url");
    }
    // Even a public one is not set by an update.
    let made = ana.patched(&made, &json!({ "visibility": "public" })).await;
    ben.patch(&older, &sent).await.expect_invalid("coverImage.url");
    let small = json!({ "coverImage": { "url": format!("{}/small?x", cover(&made)) } });
    ben.patch(&older, &small).await.expect_invalid("coverImage.url");
    assert_eq!(image_at(&world, cover(&made)).await, without_stops(&ana).await);
    let changed = ana.patched(&made, &elsewhere()).await;
    assert_ne!(image_at(&world, cover(&changed)).await, image_at(&world, cover(&later)).await);
}

// What was read can be created again: an uploaded picture with its source, a drawn one from the new trip.
#[api_test]
async fn a_new_trip_gets_a_copy_of_a_picture_that_may_be_read(world: World) {
    let (ana, ben) = (App::of(&world, "ana").await, App::of(&world, "ben").await);
    let set = uploaded(&ana, &published(&ana, &covered(1)).await, &png(&picture())).await;
    let drawn = published(&ana, &on_day(2)).await;
    let only_url = with(on_day(4), json!({ "coverImage": { "url": cover(&set) } }));
    for (made, of) in [(with_cover_of(3, &set), &set), (only_url, &set), (with_cover_of(5, &drawn), &drawn)] {
        let made = ben.created(&made).await;
        assert!(attention(&made.json).iter().all(|(field, _)| field != "coverImage"), "{}", made.json);
        assert_ne!(cover(&made), cover(of));
        assert_eq!(source(&made), source(of));
        assert_eq!(image_at(&world, cover(&made)).await, image_at(&world, cover(of)).await);
    }
    let copy = ben.created(&with_cover_of(6, &set)).await;
    assert_eq!(ana.delete(&set).await.status, 204);
    no_image(&world, cover(&set)).await;
    delete_due(world.service()).await.expect("a database");
    image_at(&world, cover(&copy)).await;
    // The last copy takes the files with it.
    for other in ben.listed("").await {
        assert_eq!(ben.delete_call(&other).header("If-Match", "*").send().await.status, 204);
    }
    delete_due(world.service()).await.expect("a database");
    let drawn = files_of(id(&world, cover(&drawn)));
    assert_eq!(stored_files(&world), drawn);
}

// A pending invitation shows the cover, so it may be sent back like any other.
#[api_test]
async fn an_invited_traveller_gets_a_copy_of_the_picture_too(world: World) {
    let (ana, ben) = (App::of(&world, "ana").await, App::of(&world, "ben").await);
    let set = uploaded(&ana, &ana.created(&covered(1)).await, &png(&picture())).await;
    let member = format!("{}/members/{}", path(&set.id), account(&world, "ben").await);
    let invited = ana.call(Method::PUT, &member).json(&json!({ "role": "viewer" })).send().await;
    assert_eq!(invited.json()["status"], "pending", "{}", invited.text());
    let copy = ben.created(&with_cover_of(2, &ben.viewed(&set.id).await)).await;
    assert!(attention(&copy.json).iter().all(|(field, _)| field != "coverImage"), "{}", copy.json);
    assert_ne!(cover(&copy), cover(&set));
    assert_eq!(image_at(&world, cover(&copy)).await, image_at(&world, cover(&set)).await);
}

#[api_test]
async fn nobody_keeps_the_picture_of_an_erased_account(world: World) {
    let (ana, ben) = (App::of(&world, "ana").await, App::of(&world, "ben").await);
    let set = uploaded(&ana, &ana.created(&covered(1)).await, &png(&picture())).await;
    let url = cover(&set);
    let named = ben.created(&with_cover_of(2, &set)).await;
    ben.patch(&named, &json!({ "coverImage": { "url": url } })).await.expect_invalid("coverImage.url");
    // Other fields keep the address, which keeps nothing alive.
    let day = json!({ "days": [{ "image": { "url": url } }] });
    let named = ben.patched(&named, &day).await;
    assert_eq!(named.json["days"][0]["image"]["url"], url);
    let own = json!({ "imageUrl": url });
    assert_eq!(ben.call(Method::PATCH, "/v1/account").json(&own).send().await.status, 200);
    erased(&world, "ana").await;
    no_image(&world, url).await;
    erase_deleted(world.service()).await.expect("a database");
    delete_due(world.service()).await.expect("a database");
    assert!(stored_files(&world).is_empty());
    get(&world, url).await.expect_error(404, "notFound");
}

// A client may send back what it has read, also a little late.
#[api_test]
async fn an_address_of_its_own_is_no_change(world: World) {
    let app = App::of(&world, "ana").await;
    let first = app.created(&on_day(1)).await;
    let sent = json!({ "title": "T", "coverImage": first.json["coverImage"] });
    let same = app.patched(&first, &sent).await;
    assert_eq!(same.json["coverImage"], first.json["coverImage"]);
    let second = app.patched(&same, &elsewhere()).await;
    for _ in 0..2 {
        let again = app.patched(&app.viewed(&first.id).await, &sent).await;
        assert_eq!(again.json["coverImage"], second.json["coverImage"]);
        world.clock.advance(TimeDelta::minutes(2));
        delete_due(world.service()).await.expect("a database");
    }
    let removed = app.patched(&app.viewed(&first.id).await, &json!({ "coverImage": null })).await;
    let again = app.patched(&removed, &sent).await;
    assert_eq!(again.json["coverImage"], Value::Null);
    // What changes no route changes no address.
    let third = app.created(&on_day(2)).await;
    let noted = app.patched(&third, &json!({ "title": "Other", "summary": "S", "tags": ["a"], "travellers": 3 })).await;
    assert_eq!(cover(&noted), cover(&third));
}
