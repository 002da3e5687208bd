//! The files of a link's page: the same sections, and no secret.

use itinerary_tests::app::App;
use itinerary_tests::bodies::full;
use itinerary_tests::{World, api_test};

use super::{BOOKINGS, WITHHELD, labelled, read, store_more};

/// The text of a file: its lines unfolded, and the JSON of bookings in it decoded.
fn readable(text: &str) -> String {
    use base64::Engine;
    let mut text = text.replace("\r\n ", "");
    let items: Vec<String> =
        text.lines().filter_map(|line| line.strip_prefix("X-ITINERARY-ITEM:").map(str::to_owned)).collect();
    for item in items {
        let json = base64::engine::general_purpose::STANDARD.decode(item).expect("base64");
        text.push_str(&String::from_utf8(json).expect("JSON"));
    }
    text
}

#[api_test]
async fn files_have_the_sections_of_the_link(world: World) {
    let app = App::pro(&world, "ana").await;
    let trip = app.created(&full()).await;
    store_more(&world).await;
    for sections in ["plan", "bookings"] {
        let path = labelled(&app, &trip.id, sections, sections).await;
        let secret = path.trim_start_matches("/t/");
        let page = read(&world, &path).await.text();
        for (file, kind, name) in [
            ("trip.ics", "text/calendar", "A week in Madeira.ics"),
            ("trip.gpx", "application/gpx+xml", "A week in Madeira.gpx"),
        ] {
            assert!(page.contains(&format!("href=\"{path}/{file}\"")), "{page}");
            let response = read(&world, &format!("{path}/{file}")).await;
            assert_eq!(response.status, 200, "{}", response.text());
            assert!(response.header("content-type").starts_with(kind), "{file}");
            assert!(response.header("content-disposition").contains(name), "{file}");
            for (name, value) in
                [("cache-control", "no-store"), ("x-robots-tag", "noindex"), ("referrer-policy", "no-referrer")]
            {
                assert_eq!(response.header(name), value, "{file}: {name}");
            }
            let text = readable(&response.text());
            assert!(text.contains("Mercado dos Lavradores") && !text.contains(secret), "{text}");
            for hidden in WITHHELD {
                assert!(!text.contains(hidden), "{hidden} in {text}");
            }
            for booking in BOOKINGS {
                assert_eq!(text.contains(booking), sections == "bookings", "{booking} in {text}");
            }
        }
    }
}
