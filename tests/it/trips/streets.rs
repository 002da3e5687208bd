//! Streets on the maps of a page: where they are shown, where only after a link, and where never.

use itinerary_platform::settings::{Config, MapSettings, TileTemplate};
use itinerary_tests::app::App;
use itinerary_tests::bodies::{minimal, with};
use itinerary_tests::browser::Browser;
use itinerary_tests::{Database, RawResponse, World, api_test};
use reqwest::Method;
use serde_json::{Value, json};

use super::{page_of, read};
use crate::explore::{published, shown};

const ORIGIN: &str = "https://tile.example";
const CREDIT: &str = "<p class=\"credit\"><a href=\"https://tile.example/copyright\" rel=\"noopener noreferrer nofollow\">\
    © Tile &amp; contributors</a></p>";

fn with_tiles(config: &mut Config) {
    config.maps = MapSettings {
        tiles: Some(TileTemplate::parse("https://tile.example/{z}/{x}/{y}.png").expect("a template")),
        attribution: Some("© Tile & contributors".to_owned()),
        attribution_link: Some("https://tile.example/copyright".to_owned()),
    };
}

/// A trip with a day between two points.
fn between(title: &str, ends: [(f64, f64); 2]) -> Value {
    let stop = |(latitude, longitude): (f64, f64)| json!({ "name": "Stop", "place": { "coordinate": { "latitude": latitude, "longitude": longitude } } });
    with(minimal(), json!({ "title": title, "days": [{ "stops": ends.map(stop) }] }))
}

fn city(title: &str) -> Value {
    between(title, [(38.6916, -9.2160), (38.6979, -9.2068)])
}

async fn read_with_streets(browser: &Browser, id: &str) -> RawResponse {
    browser.call(Method::GET, &format!("{}?map=streets", page_of(id))).send().await
}

#[track_caller]
fn expect_streets(page: &RawResponse) {
    let text = page.text();
    let tiles: Vec<&str> = text.split("<img src=\"https://tile.example/").skip(1).collect();
    assert!((4..=24).contains(&tiles.len()), "{text}");
    assert!(text.contains("<img src=\"https://tile.example/15/15545/12559.png\" alt=\"\""), "the tower's tile: {text}");
    for tile in tiles {
        let attributes = tile.split('>').next().expect("a tag");
        assert!(attributes.ends_with("loading=\"lazy\" referrerpolicy=\"origin\""), "{attributes}");
    }
    assert_eq!(text.matches(CREDIT).count(), 1, "{text}");
    let policy = page.header("content-security-policy");
    assert!(
        policy.contains("; img-src 'self' https://tile.example; ") && policy.contains("script-src 'self'"),
        "{policy}"
    );
    assert_eq!(page.header("referrer-policy"), "no-referrer", "only the tiles are told the origin");
    assert!(!text.contains("style=\""), "the policy forbids it");
}

#[track_caller]
fn expect_no_streets(page: &RawResponse) {
    assert_eq!(page.status, 200, "{}", page.text());
    assert!(!page.text().contains(ORIGIN) && !page.text().contains("class=\"credit\""), "{}", page.text());
    let policy = page.header("content-security-policy");
    assert!(policy.contains("; img-src 'self'; ") && !policy.contains(ORIGIN), "{policy}");
}

#[api_test]
async fn public_pages_show_streets_and_others_only_after_a_link(database: Database) {
    let Some(world) = World::start_with(database, with_tiles).await else { return };
    let (ana, nobody) = (Browser::signed_up(&world, "ana").await, Browser::new(&world));
    let app = App::of(&world, "ana").await;
    let public = published(&app, &city("Public")).await.id;
    expect_streets(&read(&nobody, &public).await);
    expect_streets(&read_with_streets(&nobody, &public).await);
    assert!(!read(&nobody, &public).await.text().contains("map=streets"), "there is nothing to choose");
    for (browser, visibility) in [(&nobody, "unlisted"), (&ana, "followers"), (&ana, "private")] {
        let id = shown(&app, &city(visibility), visibility).await.id;
        let page = read(browser, &id).await;
        expect_no_streets(&page);
        let offer = format!(
            "<a href=\"/trips/{id}?map=streets\">Show streets</a>: the map service tile.example sees your address and \
             which area you look at."
        );
        assert!(page.text().contains(&offer), "{visibility}: {}", page.text());
        for query in ["map=", "map=Streets", "map=street", "streets", "x=map%3Dstreets"] {
            expect_no_streets(&browser.call(Method::GET, &format!("{}?{query}", page_of(&id))).send().await);
        }
        let chosen = read_with_streets(browser, &id).await;
        expect_streets(&chosen);
        let hide = format!("<a href=\"/trips/{id}\">Hide streets</a>");
        assert!(chosen.text().contains(&hide) && !chosen.text().contains("Show streets"), "{}", chosen.text());
    }
}

#[api_test]
async fn pages_with_and_without_streets_have_different_tags(database: Database) {
    let Some(world) = World::start_with(database, with_tiles).await else { return };
    let (app, nobody) = (App::of(&world, "ana").await, Browser::new(&world));
    let id = shown(&app, &city("Unlisted"), "unlisted").await.id;
    let (plain, streets) = (read(&nobody, &id).await, read_with_streets(&nobody, &id).await);
    assert_ne!(plain.header("etag"), streets.header("etag"));
    let again = |query: &str, tag: &str| {
        nobody.call(Method::GET, &format!("{}{query}", page_of(&id))).header("If-None-Match", tag)
    };
    for (query, tag, status) in [
        ("", plain.header("etag"), 304),
        ("", streets.header("etag"), 200),
        ("?map=streets", streets.header("etag"), 304),
        ("?map=streets", plain.header("etag"), 200),
    ] {
        let response = again(query, tag).send().await;
        assert_eq!(response.status.as_u16(), status, "{query} {tag}");
        // The policy of a 304 would replace that of the page that the browser has.
        assert_eq!(response.header("content-security-policy").is_empty(), status == 304, "{query} {tag}");
    }
}

#[api_test]
async fn maps_of_countries_and_exports_have_no_streets(database: Database) {
    let Some(world) = World::start_with(database, with_tiles).await else { return };
    let (app, nobody) = (App::of(&world, "ana").await, Browser::new(&world));
    let continent = between("Europe", [(38.72, -9.14), (52.52, 13.4)]);
    for (trip, visibility) in [(&continent, "public"), (&with(minimal(), json!({ "title": "Empty" })), "unlisted")] {
        let id = shown(&app, trip, visibility).await.id;
        for page in [read(&nobody, &id).await, read_with_streets(&nobody, &id).await] {
            expect_no_streets(&page);
            assert!(!page.text().contains("map=streets"), "there are no streets to show: {}", page.text());
        }
    }
    let public = published(&app, &city("Public")).await.id;
    for format in ["html", "markdown", "kml", "geojson"] {
        let path = format!("/v1/itineraries/{public}/export?format={format}&map=streets");
        let export = app.call(Method::GET, &path).send().await;
        assert!(!export.text().contains("tile.example"), "{format}: {}", export.text());
    }
    let html = app.call(Method::GET, &format!("/v1/itineraries/{public}/export?format=html")).send().await;
    assert!(html.status == 200 && html.text().contains("<svg class=\"map"), "{}", html.text());
    for other in ["/", "/sign-in"] {
        let policy = nobody.call(Method::GET, other).send().await.header("content-security-policy").to_owned();
        assert!(policy.contains("img-src 'self';"), "{other}: {policy}");
    }
}

#[api_test]
async fn without_a_map_service_there_are_no_streets(world: World) {
    let (app, nobody) = (App::of(&world, "ana").await, Browser::new(&world));
    for visibility in ["public", "unlisted"] {
        let id = shown(&app, &city(visibility), visibility).await.id;
        for page in [read(&nobody, &id).await, read_with_streets(&nobody, &id).await] {
            expect_no_streets(&page);
            assert!(!page.text().contains("treets"), "{}", page.text());
        }
    }
}
