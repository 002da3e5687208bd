//! Deleting links, and who may see that there are any.

use itinerary_sdk::{ErrorExt, code};
use itinerary_tests::app::App;
use itinerary_tests::bodies::on_day;
use itinerary_tests::{World, api_test};
use reqwest::Method;
use serde_json::json;

use super::{create_call, created, labelled, links_of, listed, read};
use crate::explore::shown;

#[api_test]
async fn a_deleted_link_ends_at_once(world: World) {
    let (app, client) = (App::of(&world, "ana").await, world.client("ana").await);
    let trip = app.created(&on_day(1)).await;
    let (link, path) = created(&app, &trip.id, &json!({ "label": "Parents" })).await;
    let kept = labelled(&app, &trip.id, "Neighbours", "bookings").await;
    assert_eq!(read(&world, &path).await.status, 200);
    let (id, link) = (trip.id.parse().expect("a UUID"), link["id"].as_str().expect("an id").parse().expect("a UUID"));
    let response = client.links().delete(id, link).send_raw().await.expect("deleted");
    assert_eq!(response.status().as_u16(), 204);
    for file in ["", "/trip.ics", "/trip.gpx"] {
        assert_eq!(read(&world, &format!("{path}{file}")).await.status, 404, "{file}");
        assert_eq!(read(&world, &format!("{kept}{file}")).await.status, 200, "{file}");
    }
    assert!(client.link_delete(id, link).send().await.expect_err("gone").is(code::NOT_FOUND));
    assert_eq!(listed(&app, &trip.id).await.len(), 1);
    assert_eq!(app.viewed(&trip.id).await.etag, trip.etag, "a link is no change");
}

#[api_test]
async fn a_link_is_deleted_by_the_address_of_its_own_itinerary(world: World) {
    let (ana, ben) = (App::of(&world, "ana").await, App::of(&world, "ben").await);
    let (trip, other) = (ana.created(&on_day(1)).await, ana.created(&on_day(2)).await);
    let bens = ben.created(&on_day(3)).await;
    let (link, path) = created(&ana, &trip.id, &json!({ "label": "Parents" })).await;
    let id = link["id"].as_str().expect("an id");
    for (app, itinerary) in [(&ana, &other.id), (&ben, &bens.id), (&ben, &trip.id)] {
        let delete = app.call(Method::DELETE, &format!("{}/{id}", links_of(itinerary)));
        delete.send().await.expect_error(404, "notFound");
    }
    for id in ["x", "%7B0194a000-0000-7000-8000-000000000001%7D"] {
        let delete = ana.call(Method::DELETE, &format!("{}/{id}", links_of(&trip.id)));
        delete.send().await.expect_invalid("linkId");
    }
    assert_eq!(read(&world, &path).await.status, 200);
}

// Without rights, nobody learns whether there are links.
#[api_test]
async fn links_are_the_owners(world: World) {
    let ana = App::of(&world, "ana").await;
    let (private, public) = (ana.created(&on_day(1)).await, shown(&ana, &on_day(2), "public").await);
    let mut ids = Vec::new();
    for trip in [&private, &public] {
        ids.push(
            created(&ana, &trip.id, &json!({ "label": "Parents" })).await.0["id"].as_str().expect("an id").to_owned(),
        );
    }
    let (editor, stranger) = (App::of(&world, "editor").await, App::of(&world, "stranger").await);
    let account = world.service().store.account_by_username("editor").await.expect("a database").expect("there").id;
    world.member(&private.id, account, "editor").await;
    for (app, trip, link, expected) in [
        (&editor, &private, &ids[0], (403, "forbidden")),
        (&editor, &public, &ids[1], (403, "forbidden")),
        (&stranger, &public, &ids[1], (403, "forbidden")),
        (&stranger, &private, &ids[0], (404, "notFound")),
    ] {
        let list = app.call(Method::GET, &links_of(&trip.id)).send().await;
        let create = create_call(app, &trip.id, &json!({ "label": "Mine" })).send().await;
        let delete = app.call(Method::DELETE, &format!("{}/{link}", links_of(&trip.id))).send().await;
        for response in [list, create, delete] {
            response.expect_error(expected.0, expected.1);
        }
        assert_eq!(listed(&ana, &trip.id).await.len(), 1);
    }
}
