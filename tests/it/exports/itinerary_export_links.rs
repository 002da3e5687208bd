//! Links and images of travellers in exports and on the page of a trip: nothing is loaded from other sites, and a link says
//! where it leads.

use itinerary_tests::app::{App, Stored};
use itinerary_tests::bodies::{minimal, with};
use itinerary_tests::{World, api_test};
use reqwest::Method;
use serde_json::{Value, json};

use super::export;

/// A link that looks as if it led to a bank, with a mark that turns the rest of its line.
const DECEPTIVE: &str = "https://bank.example:login@tours.example/a\u{202e}b?x=1";
/// The same link as people see it.
const SHOWN: &str = "https://tours.example/a%E2%80%AEb?x=1";

fn trip(cover: Option<Value>) -> Value {
    let stop = json!({ "name": "Sintra", "startTime": "10:00",
        "activity": { "provider": "Tours", "bookingUrl": DECEPTIVE } });
    let trip = with(minimal(), json!({ "startDate": "2027-05-01", "days": [{ "stops": [stop] }] }));
    cover.map_or(trip.clone(), |cover| with(trip, json!({ "coverImage": cover })))
}

async fn public(app: &App<'_>, body: &Value) -> Stored {
    let stored = app.created(body).await;
    app.patched(&stored, &json!({ "visibility": "public" })).await
}

#[api_test]
async fn a_link_has_no_user_information_and_no_direction_marks(world: World) {
    let app = App::of(&world, "ana").await;
    let stored = public(&app, &trip(None)).await;
    let page = world.call(Method::GET, &format!("/trips/{}", stored.id)).send().await.text();
    let mut shown = vec![("page", page)];
    for format in ["html", "md", "ics"] {
        // Lines of a calendar are folded.
        shown.push((format, export(&app, &stored.id, format).await.text().replace("\r\n ", "")));
    }
    for (name, text) in shown {
        let text = text.replace("&#38;", "&").replace("&amp;", "&");
        assert!(text.contains(SHOWN), "{name}: {text}");
        assert!(!text.contains("login@") && !text.contains("bank.example") && !text.contains('\u{202e}'), "{name}");
    }
    // The stored link is what was sent.
    let read = app.viewed(&stored.id).await.json;
    assert_eq!(read["days"][0]["stops"][0]["activity"]["bookingUrl"], DECEPTIVE);
}

#[api_test]
async fn an_html_export_loads_nothing_from_other_sites(world: World) {
    let app = App::of(&world, "ana").await;
    let elsewhere = json!({ "url": "https://images.example/images/a.jpg", "source": "Somebody" });
    let similar = json!({ "url": format!("{}@evil.example/images/a", world.base_url), "source": "Somebody" });
    for cover in [elsewhere, similar] {
        let stored = app.create_call("?allowDuplicate=true", &trip(Some(cover))).send().await;
        let html = export(&app, &Stored::of(&stored).id, "html").await.text();
        assert!(!html.contains("<img") && !html.contains("Image: <bdi>Somebody"), "{html}");
        assert!(!html.contains("src=") && !html.contains("url(") && !html.contains("@import"), "{html}");
    }
    // A cover that the service stores is shown.
    let stored = app.create_call("?allowDuplicate=true", &trip(None)).send().await;
    let html = export(&app, &Stored::of(&stored).id, "html").await.text();
    assert!(html.contains(&format!("<img src=\"{}/images/", world.base_url)), "{html}");
}
