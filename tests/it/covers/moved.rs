//! A server that is reached under another address than before.

use itinerary_app::itineraries::covers::adoption::adopt_all;
use itinerary_tests::app::{App, path};
use itinerary_tests::bodies::{on_day, with};
use itinerary_tests::{World, api_test};
use reqwest::Method;
use serde_json::json;

use super::files::{picture, png};
use super::{cover, covered, id, image_at, uploaded};
use crate::explore::published;

// A test's server has another port, and so another address, after each start.
#[api_test]
async fn covers_move_with_the_server(world: World) {
    let app = App::of(&world, "ana").await;
    let drawn = published(&app, &on_day(1)).await;
    let set = uploaded(&app, &app.created(&covered(2)).await, &png(&picture())).await;
    let other = app.created(&covered(3)).await;
    let (old, token) = (world.base_url.clone(), app.token.clone());
    let world = world.restart().await;
    assert_ne!(world.base_url, old);
    let app = App { world: &world, token };
    for before in [&drawn, &set] {
        let picture = cover(before).strip_prefix(&old).expect("the address of before");
        let known = app.call(Method::GET, &path(&before.id)).header("If-None-Match", &before.etag).send().await;
        assert_eq!(known.status, 200, "its representation is another");
        let now = app.viewed(&before.id).await;
        assert_eq!(cover(&now), format!("{}{picture}", world.base_url));
        assert_ne!(now.etag, before.etag);
        assert!(now.etag.starts_with(before.etag.trim_end_matches('"')), "{}", now.etag);
        let known = app.call(Method::GET, &path(&before.id)).header("If-None-Match", &now.etag).send().await;
        assert_eq!(known.status, 304);
        image_at(&world, cover(&now)).await;
        let list = app.list("").await.json();
        let entry = list["data"].as_array().expect("a page").iter().find(|entry| entry["id"] == *before.id);
        let entry = entry.expect("it is listed");
        assert_eq!((&entry["coverImageUrl"], &entry["etag"]), (&json!(cover(&now)), &json!(now.etag)));
        // A version is a version under any address.
        let changed = app.patched(before, &json!({ "title": "Changed" })).await;
        assert_eq!(id(&world, cover(&changed)), id(&world, cover(&now)));
        assert_eq!(app.viewed(&before.id).await.json["coverImage"], changed.json["coverImage"]);
    }
    assert_eq!(app.viewed(&other.id).await.etag, other.etag, "a picture of another site stays as it is");
    let page = world.call(Method::GET, &format!("/trips/{}", drawn.id)).send().await;
    assert!(page.text().contains(&format!("/images/{}", id(&world, cover(&app.viewed(&drawn.id).await)))));
}

#[api_test]
async fn former_addresses_are_recognised(world: World) {
    let app = App::of(&world, "ana").await;
    let set = uploaded(&app, &app.created(&covered(1)).await, &png(&picture())).await;
    let old = world.base_url.clone();
    let moved = world.replica_with(|config| config.former_base_urls = vec![old.clone()]).await;
    let base = moved.service.config.base_url.clone();
    let call = |method, path: &str| world.http.request(method, format!("{base}{path}")).bearer_auth(&app.token);
    let cover_image = json!({ "coverImage": set.json["coverImage"] });
    let patch = call(Method::PATCH, &path(&set.id)).header("If-Match", &set.etag).json(&cover_image);
    let patched: serde_json::Value = patch.send().await.expect("an answer").json().await.expect("JSON");
    let url = cover(&set).replace(&old, &base);
    assert_eq!(patched["coverImage"]["url"], url);
    let create = call(Method::POST, "/v1/itineraries").json(&with(on_day(2), cover_image));
    let created: serde_json::Value = create.send().await.expect("an answer").json().await.expect("JSON");
    let copy = created["coverImage"]["url"].as_str().expect("a cover");
    assert!(copy.starts_with(&base) && copy != url, "{copy}");
    assert_eq!(image_at(&world, copy).await, image_at(&world, cover(&set)).await);
    moved.stop().await;
}

/// Makes the rows of covers what servers of the version before have stored, under this address.
async fn as_before(world: &World, address: &str) {
    let move_to = |column: &str| format!("{column} = replace({column}, '{}', '{address}')", world.base_url);
    let (everyone, card) = (move_to("everyone"), move_to("card"));
    world.sql(&format!("UPDATE itineraries SET picture_id = NULL, {everyone}, {card}")).await;
    world.sql("DELETE FROM pictures").await;
}

/// A condition for one itinerary.
fn is(world: &World, id: &str) -> String {
    let id: uuid::Uuid = id.parse().expect("a UUID");
    if world.database_url().starts_with("sqlite") { format!("id = X'{}'", id.simple()) } else { format!("id = '{id}'") }
}

/// Makes an itinerary show the cover of another, as copies did before.
async fn share(world: &World, (from, to): (&str, &str), (copy, original): (&str, &str)) {
    let column = |column: &str| format!("{column} = replace({column}, '{from}', '{to}')");
    let (everyone, card) = (column("everyone"), column("card"));
    let cover_id = format!("(SELECT o.cover_id FROM itineraries o WHERE o.{})", is(world, original));
    let copy = is(world, copy);
    world.sql(&format!("UPDATE itineraries SET {everyone}, {card}, cover_id = {cover_id} WHERE {copy}")).await;
}

// Whether the address of before is known or not.
#[api_test]
async fn no_cover_of_before_is_lost(world: World) {
    let (ana, ben) = (App::of(&world, "ana").await, App::of(&world, "ben").await);
    let drawn = published(&ana, &on_day(1)).await;
    let set = uploaded(&ana, &published(&ana, &covered(2)).await, &png(&picture())).await;
    let foreign = uuid::Uuid::new_v4();
    let elsewhere = json!({ "coverImage": { "url": format!("https://pictures.example/images/{foreign}") } });
    let elsewhere = ana.created(&with(on_day(3), elsewhere)).await;
    let mut copies = Vec::new();
    for original in [&drawn, &set] {
        let response = ben.call(Method::POST, &format!("{}/saves", path(&original.id))).send().await;
        copies.push(itinerary_tests::app::Stored::of(&response));
    }
    let old = "http://old.example:8080";
    as_before(&world, old).await;
    for (copy, original) in copies.iter().zip([&drawn, &set]) {
        share(&world, (id(&world, cover(copy)), id(&world, cover(original))), (&copy.id, &original.id)).await;
    }
    // Its last segment looks like an id of ours.
    world.sql(&format!("UPDATE itineraries SET cover_id = id WHERE {}", is(&world, &elsewhere.id))).await;
    // Both forms are read meanwhile.
    let read = ben.viewed(&copies[0].id).await;
    assert_eq!(cover(&read), cover(&drawn).replace(&world.base_url, old));
    let before = image_at(&world, cover(&set)).await;
    assert_eq!(adopt_all(world.service()).await.expect("a database"), 3, "reading one has adopted it");
    assert_eq!(adopt_all(world.service()).await.expect("a database"), 0);
    for original in [&drawn, &set] {
        let now = ana.viewed(&original.id).await;
        assert_eq!((&now.json["coverImage"], &now.etag), (&original.json["coverImage"], &original.etag));
    }
    for (copy, original) in copies.iter().zip([&drawn, &set]) {
        let now = ben.viewed(&copy.id).await;
        assert_ne!(id(&world, cover(&now)), id(&world, cover(original)));
        assert_ne!(now.etag, copy.etag, "its address is another");
        assert_eq!(image_at(&world, cover(&now)).await, image_at(&world, cover(original)).await);
        let list = ben.list("").await.json();
        assert!(list.to_string().contains(cover(&now)), "{list}");
    }
    assert_eq!(image_at(&world, cover(&set)).await, before);
    assert_eq!(ana.viewed(&elsewhere.id).await.json["coverImage"], elsewhere.json["coverImage"]);
    // The copy keeps the picture when the original goes.
    assert_eq!(ana.delete(&set).await.status, 204);
    super::age(&world, 61);
    itinerary_app::itineraries::covers::delete_due(world.service()).await.expect("a database");
    itinerary_app::itineraries::covers::delete_unused(world.service()).await.expect("a database");
    let copy = ben.viewed(&copies[1].id).await;
    assert_eq!(image_at(&world, cover(&copy)).await, before);
}

#[api_test]
async fn a_cover_of_before_is_changed_and_saved(world: World) {
    let (ana, ben) = (App::of(&world, "ana").await, App::of(&world, "ben").await);
    let drawn = published(&ana, &on_day(1)).await;
    let set = uploaded(&ana, &published(&ana, &covered(2)).await, &png(&picture())).await;
    as_before(&world, &world.base_url).await;
    let changed = ana.patched(&drawn, &json!({ "title": "T" })).await;
    assert_eq!(cover(&changed), cover(&drawn));
    let response = ben.call(Method::POST, &format!("{}/saves", path(&set.id))).send().await;
    let copy = itinerary_tests::app::Stored::of(&response);
    assert_ne!(cover(&copy), cover(&set));
    assert_eq!(image_at(&world, cover(&copy)).await, image_at(&world, cover(&set)).await);
    assert_eq!(adopt_all(world.service()).await.expect("a database"), 0);
}
