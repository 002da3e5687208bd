//! Pages without a session: which are shown, where the others lead, and how many may be read.

use chrono::TimeDelta;
use itinerary_app::audit::Actor;
use itinerary_app::reports;
use itinerary_tests::app::App;
use itinerary_tests::bodies::{full, minimal, on_day, with};
use itinerary_tests::browser::Browser;
use itinerary_tests::world::PASSWORD;
use itinerary_tests::{World, api_test};
use reqwest::Method;
use serde_json::json;

use super::{comparable, page_of, picture, read, unknown};
use crate::explore::{published, shown};

#[api_test]
async fn public_and_unlisted_itineraries_are_shown_without_a_session(world: World) {
    let (app, nobody) = (App::of(&world, "ana").await, Browser::new(&world));
    let public = published(&app, &on_day(1)).await;
    let page = read(&nobody, &public.id).await;
    assert_eq!((page.status.as_u16(), page.header("content-type")), (200, "text/html; charset=utf-8"));
    assert!(page.text().contains("Trip to Lisbon") && !page.text().contains("noindex"), "{}", page.text());
    assert_eq!(page.header("x-robots-tag"), "");
    let unlisted = shown(&app, &on_day(4), "unlisted").await;
    let page = read(&nobody, &unlisted.id).await;
    assert_eq!((page.status.as_u16(), page.header("x-robots-tag")), (200, "noindex"));
    assert!(page.text().contains("<meta name=\"robots\" content=\"noindex\">"), "{}", page.text());
    assert!(page.text().contains("<meta property=\"og:image\""), "links to it have a picture");
    assert_eq!(picture(&world, &unlisted.id).await.status, 200);
    for (name, kind, start) in
        [("trip.ics", "text/calendar", "BEGIN:VCALENDAR"), ("trip.gpx", "application/gpx+xml", "<?xml")]
    {
        assert!(page.text().contains(&format!("href=\"{}/{name}\"", page_of(&unlisted.id))), "{}", page.text());
        let file = nobody.call(Method::GET, &format!("{}/{name}", page_of(&unlisted.id))).send().await;
        let extension = name.trim_start_matches("trip.");
        let disposition = format!(
            "attachment; filename=\"Trip to Lisbon.{extension}\"; filename*=UTF-8''Trip%20to%20Lisbon.{extension}"
        );
        let headers = (file.status.as_u16(), file.header("content-disposition"), file.header("x-robots-tag"));
        assert_eq!(headers, (200, &*disposition, "noindex"), "{name}");
        assert!(file.header("content-type").starts_with(kind) && file.text().starts_with(start), "{name}");
    }
    let reference = unknown();
    let expected = comparable(&read(&nobody, &reference).await, &reference);
    assert_eq!(expected.0, 303);
    let next = ("location".to_owned(), "/sign-in?next=%2Ftrips%2FID".to_owned());
    assert!(expected.1.contains(&next), "{expected:?}");
    let mut hidden = Vec::new();
    for (day, visibility) in [(2, "private"), (3, "followers")] {
        hidden.push(shown(&app, &on_day(day), visibility).await.id);
    }
    // Moderation has hidden it.
    let reported = [published(&app, &on_day(5)).await.id, shown(&app, &on_day(7), "unlisted").await.id];
    for id in &reported {
        let hide = reports::resolve(world.service(), id.parse().expect("a UUID"), true, Actor::Operator);
        hide.await.expect("a database");
    }
    // Its owner's account is deleted.
    let gone = published(&App::of(&world, "gone").await, &on_day(6)).await.id;
    world.sql("UPDATE accounts SET deleted_at = 1 WHERE username = 'gone'").await;
    hidden.extend(reported);
    hidden.extend([gone, "not-an-id".to_owned()]);
    for id in &hidden {
        for known in ["\"v1.e\"", "*"] {
            let response = nobody.call(Method::GET, &page_of(id)).header("If-None-Match", known).send().await;
            assert_eq!(comparable(&response, id), expected, "{id}");
        }
        picture(&world, id).await.expect_error(404, "notFound");
        assert_eq!(nobody.call(Method::GET, &format!("{}/trip.ics", page_of(id))).send().await.status, 404, "{id}");
        world.clock.advance(TimeDelta::minutes(1));
    }
    // An expired session is none.
    nobody.plant("session=made-up; Path=/");
    assert_eq!(comparable(&read(&nobody, &hidden[0]).await, &hidden[0]).0, 303);
}

#[api_test]
async fn sign_in_leads_back_to_the_page(world: World) {
    let app = App::of(&world, "ana").await;
    let trip = app.created(&minimal()).await;
    let browser = Browser::new(&world);
    let sign_in = browser.visit(&page_of(&trip.id.to_uppercase())).await;
    assert_eq!(sign_in.address.path(), "/sign-in");
    sign_in.assert_says("Trips that are not open to everyone are shown to their owner");
    let typed = [("username", "ana"), ("password", PASSWORD)];
    let page = browser.submit(&sign_in.form("/sign-in"), &typed).await;
    assert_eq!((page.address.path(), page.response.status.as_u16()), (&*page_of(&trip.id), 200));
    page.assert_says("Trip to Lisbon");
    // No address of another site gets into the redirect.
    for path in ["//evil.example/trips/x", "/trips/%2F%2Fevil.example", "/trips/x?next=https://evil.example"] {
        let response =
            Browser::new(&world).call(Method::GET, &format!("http://{}{path}", world.address())).send().await;
        let to = response.header("location");
        assert!(to.is_empty() || to.starts_with("/sign-in") && !to.contains("%2F%2Fevil"), "{path}: {to}");
    }
}

#[api_test]
async fn visitors_see_the_public_sections(world: World) {
    let app = App::pro(&world, "ana").await;
    let trip = published(&app, &full()).await;
    let page = read(&Browser::new(&world), &trip.id).await;
    let text = page.text();
    for part in [
        "A week in Madeira",
        "Mercado dos Lavradores",
        "Walk · 1 h 2 min · 5.0 km",
        "rel=\"noopener noreferrer nofollow\"",
        "https://book.example/mkt-1",
        "<svg class=\"map",
        "1 – 1 September 2027",
        "by <bdi>ana</bdi>",
    ] {
        let part = part.replace("1 – 1 September", "1 September");
        assert!(text.contains(&part), "{part} in {text}");
    }
    for hidden in ["TP1689", "Quinta", "Seat", "Boots", "Lisboa", "images.example"] {
        assert!(!text.contains(hidden), "{hidden} in {text}");
    }
    for (name, value) in [
        ("cache-control", "private, no-cache"),
        ("vary", "Cookie"),
        ("x-frame-options", "DENY"),
        ("referrer-policy", "no-referrer"),
        ("x-content-type-options", "nosniff"),
    ] {
        assert_eq!(page.header(name), value, "{name}");
    }
    let policy = page.header("content-security-policy");
    for part in
        ["default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'", "frame-ancestors 'none'"]
    {
        assert!(policy.contains(part), "{policy}");
    }
    let scripts: Vec<&str> =
        text.split("<script").skip(1).map(|rest| rest.split("</").next().unwrap_or(rest)).collect();
    assert_eq!(scripts, [" src=\"/page.js\" defer>"], "the policy forbids others");
    assert!(!text.contains("style=\""), "the policy forbids it");
    let head = Browser::new(&world).call(Method::HEAD, &page_of(&trip.id)).send().await;
    assert_eq!((head.status.as_u16(), head.body.len()), (200, 0));
    assert_eq!(head.header("content-length"), page.body.len().to_string());
    assert_eq!(head.header("etag"), page.header("etag"));
}

#[api_test]
async fn start_times_that_cannot_be_kept_are_told(world: World) {
    let app = App::of(&world, "ana").await;
    let stop = |id: &str, latitude: f64, time: &str| {
        let place = json!({ "coordinate": { "latitude": latitude, "longitude": -9.1 } });
        json!({ "id": id, "name": id, "place": place, "startTime": time, "durationMinutes": 30 })
    };
    let day = json!({ "stops": [stop("a", 38.7, "08:00"), stop("b", 38.9, "08:45"), stop("c", 38.9, "10:00")] });
    let made = app.created(&with(minimal(), json!({ "days": [day] }))).await;
    let attention = made.json["needsAttention"].as_array().expect("entries").clone();
    let late = attention.iter().find(|entry| entry["code"] == "timesConflict").expect("an entry");
    assert_eq!(late["field"], "days[0].stops[1].startTime");
    assert_eq!(attention.iter().filter(|entry| entry["code"] == "timesConflict").count(), 1);
    let now = app.patched(&made, &json!({ "visibility": "public" })).await;
    let message = late["message"].as_str().expect("a message");
    let page = read(&Browser::new(&world), &now.id).await.text();
    assert!(
        message.contains("minutes before you can arrive") && page.contains(&format!("<p class=\"late\">{message}")),
        "{page}"
    );
    assert!(page.contains(" · about 33 min"), "the leg is an estimate: {page}");
}

#[api_test]
async fn a_page_that_is_not_found_shows_who_is_signed_in(world: World) {
    let private = App::of(&world, "ana").await.created(&minimal()).await;
    let ben = Browser::signed_up(&world, "ben").await;
    for address in [page_of(&unknown()), page_of(&private.id), format!("{}/trip.ics", page_of(&private.id))] {
        let missing = ben.call(Method::GET, &address).send().await;
        assert_eq!(missing.status, 404, "{address}");
        let text = missing.text();
        assert!(text.contains("Page not found") && text.contains("<span class=\"viewer\">ben</span>"), "{text}");
    }
}

#[api_test]
async fn hostile_texts_stay_texts(world: World) {
    let app = App::of(&world, "ana").await;
    let evil = "\"><script>alert(1)</script>\u{202e}<meta http-equiv=refresh content=0>";
    let stop = json!({ "name": evil, "place": { "name": evil, "coordinate": { "latitude": 1.0, "longitude": 1.0 } } });
    let body = json!({ "title": evil, "summary": evil, "tags": ["</head>"], "days": [{ "stops": [stop, stop] }] });
    let trip = published(&app, &with(minimal(), body)).await;
    let text = read(&Browser::new(&world), &trip.id).await.text();
    assert_eq!(text.matches("<script").count(), 1, "the page's own: {text}");
    assert!(!text.contains("<script>") && !text.contains("<meta http-equiv"), "{text}");
    assert_eq!(text.matches("</head>").count(), 1);
    let head = text.split("</head>").next().expect("a head");
    assert!(!head.contains('\u{202e}'), "nothing isolates its direction there: {head}");
}

#[api_test]
async fn an_address_reads_sixty_pages_a_minute(world: World) {
    let app = App::of(&world, "ana").await;
    let trip = published(&app, &on_day(1)).await;
    let ben = Browser::signed_up(&world, "ben").await;
    let nobody = Browser::new(&world);
    for n in 0..20 {
        assert_eq!(read(&nobody, &trip.id).await.status, 200, "{n}");
        assert_eq!(read(&ben, "nothing").await.status, 404, "{n}");
        assert_eq!(picture(&world, &unknown()).await.status, 404, "{n}");
    }
    for (browser, is_signed_in) in [(&nobody, false), (&ben, true)] {
        let refused = read(browser, &trip.id).await;
        assert_eq!((refused.status.as_u16(), refused.header("retry-after")), (429, "60"));
        assert!(refused.text().contains("One moment, please"), "{}", refused.text());
        assert_eq!(refused.text().contains("<span class=\"viewer\">ben</span>"), is_signed_in, "{}", refused.text());
    }
    let refused = picture(&world, &trip.id).await;
    refused.expect_error(429, "rateLimited");
    assert_eq!(refused.header("retry-after"), "60");
    app.viewed(&trip.id).await;
    world.clock.advance(TimeDelta::seconds(60));
    assert_eq!(read(&nobody, &trip.id).await.status, 200);
}
