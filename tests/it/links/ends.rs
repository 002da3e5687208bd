//! When a link ends: at its time, with its itinerary, with its owner, while moderation hides the itinerary. The page is then
//! the one for an unknown secret.

use chrono::TimeDelta;
use itinerary_app::audit::Actor;
use itinerary_app::reports;
use itinerary_core::clock::Clock;
use itinerary_tests::app::App;
use itinerary_tests::bodies::{minimal, on_day};
use itinerary_tests::browser::Browser;
use itinerary_tests::world::PASSWORD;
use itinerary_tests::{World, api_test, sql};
use reqwest::Method;
use serde_json::json;

use super::{comparable, created, labelled, listed, read};
use crate::explore::shown;

const UNKNOWN: &str = "/t/itn_link_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/// Checks that a page and its files are those of an unknown secret.
async fn expect_gone(world: &World, path: &str, why: &str) {
    for file in ["", "/trip.ics", "/trip.gpx"] {
        let (gone, unknown) =
            (read(world, &format!("{path}{file}")).await, read(world, &format!("{UNKNOWN}{file}")).await);
        assert_eq!(gone.status, 404, "{why}");
        assert_eq!(comparable(&gone), comparable(&unknown), "{why}{file}");
    }
}

#[api_test(limits = false)]
async fn a_link_ends_at_its_time(world: World) {
    let app = App::of(&world, "ana").await;
    let trip = app.created(&minimal()).await;
    let end = world.clock.now() + TimeDelta::days(30);
    let (_, path) = created(&app, &trip.id, &json!({ "label": "Parents", "expiresAt": end.to_rfc3339() })).await;
    let forever = labelled(&app, &trip.id, "Neighbours", "plan").await;
    world.clock.advance(TimeDelta::days(30) - TimeDelta::seconds(1));
    assert_eq!(read(&world, &path).await.status, 200);
    world.clock.advance(TimeDelta::seconds(1));
    expect_gone(&world, &path, "expired").await;
    assert_eq!(read(&world, &forever).await.status, 200);
    let app = App::of(&world, "ana").await;
    assert_eq!(listed(&app, &trip.id).await.len(), 2, "an ended link is listed until it is deleted");
    world.clock.advance(TimeDelta::days(3_650));
    assert_eq!(read(&world, &forever).await.status, 200);
}

#[api_test(limits = false)]
async fn no_other_text_is_a_secret(world: World) {
    let app = App::of(&world, "ana").await;
    let trip = app.created(&minimal()).await;
    let (link, path) = created(&app, &trip.id, &json!({ "label": "Parents" })).await;
    let secret = path.trim_start_matches("/t/");
    let id = link["id"].as_str().expect("an id");
    for other in [
        format!("/t/{}", secret.to_lowercase()),
        format!("/t/{}", secret.trim_start_matches("itn_link_")),
        format!("{path}x"),
        format!("{path}%20"),
        format!("{path}="),
        format!("/t/{id}"),
        format!("/t/{}", trip.id),
        "/t/%00".to_owned(),
        "/t/'--".to_owned(),
        format!("/t/{}", "a".repeat(4_000)),
    ] {
        let (gone, unknown) = (read(&world, &other).await, read(&world, UNKNOWN).await);
        assert_eq!(comparable(&gone), comparable(&unknown), "{other}");
    }
    assert_eq!(read(&world, &path).await.status, 200);
    world.call(Method::POST, &path).send().await.expect_error(405, "methodNotAllowed");
}

#[api_test(limits = false)]
async fn a_link_ends_with_its_itinerary(world: World) {
    let app = App::of(&world, "ana").await;
    let (trip, other) = (app.created(&on_day(1)).await, app.created(&on_day(2)).await);
    let (path, kept) =
        (labelled(&app, &trip.id, "Parents", "plan").await, labelled(&app, &other.id, "Parents", "plan").await);
    assert_eq!(app.delete(&trip).await.status, 204);
    expect_gone(&world, &path, "deleted").await;
    assert_eq!(read(&world, &kept).await.status, 200);
    let rows = sql::dump(world.database_url()).await;
    assert_eq!(rows.iter().filter(|(table, _)| table == "links").count(), 1);
}

// W-17: a link ends with its owner, its itinerary and its time.
#[api_test(limits = false)]
async fn a_link_ends_with_its_owner(world: World) {
    let browser = Browser::signed_up(&world, "ana").await;
    let app = App::of(&world, "ana").await;
    let trip = shown(&app, &minimal(), "public").await;
    let path = labelled(&app, &trip.id, "Parents", "bookings").await;
    let form = browser.visit("/account/delete").await.form("/account/delete");
    let page = browser.submit(&form, &[("password", PASSWORD)]).await;
    assert_eq!(page.response.status, 200, "{}", page.text());
    // Before its rows are erased.
    expect_gone(&world, &path, "its owner is gone").await;
    let (store, now) = (&world.service().store, world.clock.now());
    for id in store.accounts_deleted().await.expect("a database") {
        while store.account_erase(id, now).await.expect("a database") {}
    }
    let rows = sql::dump(world.database_url()).await;
    assert!(!rows.iter().any(|(table, _)| table == "links"));
    expect_gone(&world, &path, "its owner is erased").await;
}

#[api_test(limits = false)]
async fn moderation_hides_what_a_link_shows(world: World) {
    let app = App::of(&world, "ana").await;
    let trip = shown(&app, &minimal(), "public").await;
    let path = labelled(&app, &trip.id, "Parents", "bookings").await;
    let id = trip.id.parse().expect("a UUID");
    let resolve = async |hide: bool| {
        reports::resolve(world.service(), id, hide, Actor::Operator).await.expect("a database");
    };
    resolve(true).await;
    expect_gone(&world, &path, "hidden").await;
    resolve(false).await;
    assert_eq!(read(&world, &path).await.status, 200);
}
