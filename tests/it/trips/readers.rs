//! Pages with a session: who may see them, which sections they show, tags, and how visits count.

use itinerary_model::Plan;
use itinerary_server::jobs::count_reads;

use itinerary_tests::app::App;
use itinerary_tests::bodies::{full, minimal, on_day};
use itinerary_tests::browser::Browser;
use itinerary_tests::{World, api_test};
use reqwest::Method;
use serde_json::json;

use super::{comparable, page_of, read, unknown};
use crate::explore::{follow, published, shown};

/// Words of the sections: flights, hotels, expenses, packing.
const SECTIONS: [&str; 4] = ["TP1689", "Quinta", "19.99 JPY", "Boots"];

#[api_test]
async fn a_page_has_the_sections_of_its_reader(world: World) {
    let ana = Browser::signed_up(&world, "ana").await;
    world.set_plan("ana", Plan::Pro).await;
    let app = App::of(&world, "ana").await;
    let trip = shown(&app, &full(), "unlisted").await;
    let viewer = Browser::signed_up(&world, "viewer").await;
    let account = crate::explore::account(&world, "viewer").await;
    world.member(&trip.id, account, "viewer").await;
    let ben = Browser::signed_up(&world, "ben").await;
    for (browser, sections, tag) in [(&ana, 4, "mp"), (&viewer, 2, "mv"), (&ben, 0, "e")] {
        let page = read(browser, &trip.id).await;
        let text = page.text();
        assert!(text.contains("Mercado dos Lavradores"), "{text}");
        assert!(page.header("etag").starts_with(&format!("\"v2.{tag}.page-")), "{}", page.header("etag"));
        for (n, words) in SECTIONS.iter().enumerate() {
            assert_eq!(text.contains(words), n < sections, "{tag}: {words} in {text}");
        }
        assert!(text.contains("<meta name=\"robots\" content=\"noindex\">"), "{text}");
    }
    app.patched(&app.viewed(&trip.id).await, &json!({ "visibility": "private" })).await;
    let text = read(&ana, &trip.id).await.text();
    assert!(!text.contains("og:") && !text.contains("canonical") && !text.contains("picture.jpg"), "{text}");
    world.set_plan("ana", Plan::Free).await;
    assert!(!read(&ana, &trip.id).await.text().contains("Boots"));
}

#[api_test(limits = false)]
async fn hidden_trip_pages_return_the_same_404_as_unknown_ones(world: World) {
    let (ana, ben) = (App::of(&world, "ana").await, Browser::signed_up(&world, "ben").await);
    let private = ana.created(&on_day(1)).await;
    let followers = shown(&ana, &on_day(2), "followers").await;
    let reference = unknown();
    let expected = comparable(&read(&ben, &reference).await, &reference);
    assert_eq!(expected.0, 404);
    assert!(expected.2.contains("Page not found"), "{expected:?}");
    for id in [&*private.id, &followers.id, "not-an-id"] {
        for known in ["*", &private.etag] {
            let response = ben.call(Method::GET, &page_of(id)).header("If-None-Match", known).send().await;
            assert_eq!(comparable(&response, id), expected, "{id}");
        }
    }
    let (app, author) = (App::of(&world, "ben").await, crate::explore::account(&world, "ana").await);
    follow(&app, author, true).await;
    assert_eq!(read(&ben, &followers.id).await.status, 200);
    assert_eq!(read(&ben, &private.id).await.status, 404);
}

#[api_test]
async fn visits_of_others_who_are_signed_in_count_as_reads(world: World) {
    let (ana, ben) = (Browser::signed_up(&world, "ana").await, Browser::signed_up(&world, "ben").await);
    let app = App::of(&world, "ana").await;
    let trip = published(&app, &minimal()).await;
    let nobody = Browser::new(&world);
    for browser in [&ana, &nobody, &nobody] {
        read(browser, &trip.id).await;
    }
    count_reads(world.service()).await.expect("a database");
    assert_eq!(app.viewed(&trip.id).await.json["viewsCount"], 0);
    read(&ben, &trip.id).await;
    read(&ben, &trip.id).await;
    count_reads(world.service()).await.expect("a database");
    assert_eq!(app.viewed(&trip.id).await.json["viewsCount"], 1);
}

#[api_test]
async fn a_page_is_sent_again_only_if_it_has_changed(world: World) {
    let (ana, ben) = (Browser::signed_up(&world, "ana").await, Browser::signed_up(&world, "ben").await);
    let app = App::of(&world, "ana").await;
    let trip = published(&app, &minimal()).await;
    let etag = read(&ana, &trip.id).await.header("etag").to_owned();
    let again =
        |browser: &Browser, etag: &str| browser.call(Method::GET, &page_of(&trip.id)).header("If-None-Match", etag);
    let same = again(&ana, &etag).send().await;
    assert_eq!((same.status.as_u16(), same.body.len(), same.header("etag")), (304, 0, &*etag));
    assert_eq!((same.header("cache-control"), same.header("vary")), ("private, no-cache", "Cookie"));
    // Another reader's page, the same one without a session, and tags of the API.
    for (browser, tag) in [(&ben, &*etag), (&Browser::new(&world), &etag), (&ana, &trip.etag), (&ana, "nonsense")] {
        assert_eq!(again(browser, tag).send().await.status, 200, "{tag}");
    }
    let name = app.call(Method::PATCH, "/v1/account").json(&json!({ "displayName": "Ana R." })).send().await;
    assert_eq!(name.status, 200, "{}", name.text());
    let renamed = again(&ana, &etag).send().await;
    assert!(renamed.status == 200 && renamed.text().contains("by <bdi>Ana R.</bdi>"), "{}", renamed.text());
    app.patched(&trip, &json!({ "title": "Lisbon again" })).await;
    let changed = again(&ana, renamed.header("etag")).send().await;
    assert!(changed.status == 200 && changed.text().contains("Lisbon again"), "{}", changed.text());
}

#[api_test]
async fn the_start_page_links_to_ones_trips(world: World) {
    let ana = Browser::signed_up(&world, "ana").await;
    let trip = App::of(&world, "ana").await.created(&minimal()).await;
    let start = ana.visit("/").await.text();
    assert!(start.contains(&format!("<a href=\"/trips/{}\">", trip.id)), "{start}");
}
