//! Who may export, which sections they get, and how exports count.

use itinerary_server::jobs::count_reads;
use itinerary_tests::app::App;
use itinerary_tests::bodies::{full, minimal};
use itinerary_tests::world::READ_WRITE;
use itinerary_tests::{World, api_test};
use serde_json::json;

use super::{call, export};

/// Words of the sections in a Markdown export: flights, hotels, expenses, packing.
const SECTIONS: [&str; 4] = ["TP1689", "Quinta", "Seat, 19.99 JPY", "2 × Boots"];

#[api_test]
async fn an_export_has_the_sections_of_its_reader(world: World) {
    let owner = App::pro(&world, "ana").await;
    let stored = owner.created(&full()).await;
    let stored = owner.patched(&stored, &json!({ "visibility": "unlisted" })).await;
    let viewer = world.account("viewer").await;
    world.member(&stored.id, viewer, "viewer").await;
    let app = |name: &'static str| App::with_scope(&world, name, READ_WRITE);
    let only_read = App::with_scope(&world, "viewer", "itineraries:read").await;
    for (app, shown, tag) in [
        (owner.clone(), 4, "mpd"),
        (app("ana").await, 4, "mp"),
        (app("viewer").await, 2, "mv"),
        (only_read, 2, "mv"),
        (app("ben").await, 0, "e"),
    ] {
        let response = export(&app, &stored.id, "md").await;
        let text = response.text();
        assert_eq!(response.header("etag"), format!("\"v2.{tag}.md\""));
        assert!(text.contains("Mercado dos Lavradores"), "{text}");
        for (n, words) in SECTIONS.iter().enumerate() {
            assert_eq!(text.contains(words), n < shown, "{tag}: {words} in {text}");
        }
        let calendar = export(&app, &stored.id, "ics").await.text();
        assert_eq!(calendar.contains("flight-1.flight@"), shown > 0, "{tag}");
        assert!(!calendar.contains("Boots"), "{tag}");
    }
    world.set_plan("ana", itinerary_model::Plan::Free).await;
    let response = export(&owner, &stored.id, "md").await;
    assert_eq!(response.header("etag"), "\"v2.md.md\"");
    assert!(!response.text().contains("Boots"));
}

#[api_test]
async fn export_requires_read_access(world: World) {
    let (owner, other) = (App::of(&world, "ana").await, App::of(&world, "ben").await);
    let stored = owner.created(&minimal()).await;
    let hidden = call(&other, &stored.id, "format=ics").header("If-None-Match", "*").send().await;
    let unknown = call(&other, &uuid::Uuid::new_v4().to_string(), "format=ics").send().await;
    assert_eq!(hidden.expect_error(404, "notFound"), unknown.expect_error(404, "notFound"));
    call(&owner, "not-an-id", "format=ics").send().await.expect_invalid("id");
    let blind = App::with_scope(&world, "ana", "itineraries:write").await;
    let refused = call(&blind, &stored.id, "format=ics").send().await;
    assert_eq!(refused.expect_error(403, "forbidden")["required"], "itineraries:read");
    let nobody = App { world: &world, token: "x".to_owned() };
    call(&nobody, &stored.id, "format=ics").send().await.expect_error(401, "unauthenticated");
}

#[api_test]
async fn an_export_counts_as_a_read(world: World) {
    let (owner, other) = (App::of(&world, "ana").await, App::of(&world, "ben").await);
    let stored = owner.created(&minimal()).await;
    let stored = owner.patched(&stored, &json!({ "visibility": "unlisted" })).await;
    for app in [&owner, &other, &other] {
        export(app, &stored.id, "gpx").await;
    }
    count_reads(world.service()).await.expect("a database");
    assert_eq!(owner.viewed(&stored.id).await.json["viewsCount"], 1);
    let response = export(&other, &stored.id, "gpx").await;
    assert_eq!((response.header("ratelimit-limit"), response.header("ratelimit-remaining")), ("120", "117"));
}
