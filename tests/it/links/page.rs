//! The page: what each kind of link shows, its headers, and how many may be read.

use chrono::TimeDelta;
use itinerary_tests::app::App;
use itinerary_tests::bodies::{full, minimal, on_day, with};
use itinerary_tests::browser::Browser;
use itinerary_tests::world::PASSWORD;
use itinerary_tests::{World, api_test};
use reqwest::Method;
use serde_json::json;

use super::{BOOKINGS, WITHHELD, labelled, read, store_more};
use crate::explore::shown;

#[api_test]
async fn a_plan_shows_what_everyone_sees_of_a_public_trip(world: World) {
    let app = App::pro(&world, "ana").await;
    let trip = app.created(&full()).await;
    store_more(&world).await;
    let page = read(&world, &labelled(&app, &trip.id, "Parents", "plan").await).await;
    assert_eq!((page.status.as_u16(), page.header("content-type")), (200, "text/html; charset=utf-8"));
    let text = page.text();
    for part in [
        "A week in Madeira",
        "Levadas, markets",
        "Market and beach",
        "Mercado dos Lavradores",
        "Closed on Sundays.",
        "Walk · 1 h 2 min · 5.0 km",
        "<svg class=\"map",
        "by <bdi>ana</bdi>",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    for hidden in WITHHELD.iter().chain(&BOOKINGS) {
        assert!(!text.contains(hidden), "{hidden} in {text}");
    }
    // It is the page that visitors see of the same trip once it is public.
    app.patched(&app.viewed(&trip.id).await, &json!({ "visibility": "public" })).await;
    let public = read(&world, &format!("/trips/{}", trip.id)).await.text();
    let plan =
        |page: &str| page.split("</header>").nth(2).map(|rest| rest.split("</main>").next().unwrap_or(rest).to_owned());
    assert!(plan(&text).is_some_and(|plan| plan.contains("Mercado dos Lavradores")), "{text}");
    assert_eq!(plan(&text), plan(&public));
}

// W-16: the sections of a link.
#[api_test]
async fn bookings_are_shown_without_what_is_secret_about_them(world: World) {
    let app = App::pro(&world, "ana").await;
    let trip = app.created(&full()).await;
    store_more(&world).await;
    let owner = app.view(&trip.id).await.text();
    assert!(owner.contains("LATER") && owner.contains("Passport of Ana"), "the owner's app sees them: {owner}");
    let text = read(&world, &labelled(&app, &trip.id, "Parents", "bookings").await).await.text();
    for part in [
        "Mercado dos Lavradores",
        "TAP Air Portugal TP1689",
        "Humberto Delgado",
        "Cristiano Ronaldo",
        "Agência Abreu",
        "gate 22",
        "seat 14A",
        "Quinta",
        "Wed 1 September 2027, 15:00",
        "7 nights",
        "Bus Rodoeste 139",
        "Porto Moniz",
        "from platform 4",
        "Taberna Madeira",
        "3 people",
        "TheFork",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    for hidden in WITHHELD {
        assert!(!text.contains(hidden), "{hidden} in {text}");
    }
}

// W-18: neither cached, indexed nor sent to others.
#[api_test]
async fn the_page_is_neither_cached_nor_indexed_nor_told_to_others(world: World) {
    let app = App::pro(&world, "ana").await;
    let cover = json!({ "coverImage": { "url": "https://images.example/madeira.jpg" } });
    let trip = shown(&app, &with(full(), cover), "public").await;
    let path = labelled(&app, &trip.id, "Parents", "bookings").await;
    let page = read(&world, &path).await;
    for (name, value) in [
        ("cache-control", "no-store"),
        ("x-robots-tag", "noindex"),
        ("referrer-policy", "no-referrer"),
        ("x-frame-options", "DENY"),
        ("x-content-type-options", "nosniff"),
        ("etag", ""),
        ("set-cookie", ""),
        ("access-control-allow-origin", ""),
        ("content-encoding", ""),
    ] {
        assert_eq!(page.header(name), value, "{name}");
    }
    let policy = page.header("content-security-policy");
    for part in ["default-src 'none'", "img-src 'self'", "frame-ancestors 'none'", "form-action 'self'"] {
        assert!(policy.contains(part), "{policy}");
    }
    let text = page.text();
    assert!(text.contains("<meta name=\"robots\" content=\"noindex\">"), "{text}");
    assert!(!text.contains("og:") && !text.contains("canonical") && !text.contains("images.example"), "{text}");
    let known = world.call(Method::GET, &path).header("If-None-Match", "*").header("Accept-Encoding", "gzip");
    let known = known.send().await;
    assert_eq!((known.status.as_u16(), known.header("content-encoding")), (200, ""));
    let head = world.call(Method::HEAD, &path).send().await;
    assert_eq!((head.status.as_u16(), head.body.len(), head.header("x-robots-tag")), (200, 0, "noindex"));
    let gone = read(&world, "/t/itn_link_x").await;
    assert_eq!((gone.header("cache-control"), gone.header("x-robots-tag")), ("no-store", "noindex"));
    assert_eq!(gone.header("referrer-policy"), "no-referrer");
    // A visit counts as no read.
    assert_eq!(app.viewed(&trip.id).await.json["viewsCount"], 0);
    let robots = read(&world, "/robots.txt").await.text();
    assert!(!robots.contains("/t/"), "a crawler must read a page to find that it is not to be indexed: {robots}");
}

#[api_test]
async fn the_cover_of_a_private_trip_is_shown(world: World) {
    let app = App::of(&world, "ana").await;
    let trip = app.created(&minimal()).await;
    let text = read(&world, &labelled(&app, &trip.id, "Parents", "plan").await).await.text();
    let cover = text.split("<img src=\"").nth(1).and_then(|rest| rest.split('"').next()).expect("a cover").to_owned();
    assert!(cover.starts_with("/images/"), "{cover}");
    let image = world.call(Method::GET, &cover).send().await;
    assert_eq!((image.status.as_u16(), image.header("content-type")), (200, "image/jpeg"));
}

#[api_test]
async fn a_link_follows_its_trip(world: World) {
    let app = App::of(&world, "ana").await;
    let trip = app.created(&minimal()).await;
    let path = labelled(&app, &trip.id, "Parents", "plan").await;
    let mut trip = trip;
    for visibility in ["followers", "unlisted", "public", "private"] {
        trip = app.patched(&trip, &json!({ "visibility": visibility, "title": format!("It is {visibility}") })).await;
        let page = read(&world, &path).await;
        assert!(page.status == 200 && page.text().contains(&format!("It is {visibility}")), "{}", page.text());
    }
}

#[api_test]
async fn likes_and_saves_ask_to_sign_in(world: World) {
    let app = App::of(&world, "ana").await;
    let (open, closed) = (shown(&app, &on_day(1), "unlisted").await, app.created(&on_day(2)).await);
    let to_open = labelled(&app, &open.id, "Parents", "plan").await;
    let to_closed = labelled(&app, &closed.id, "Parents", "plan").await;
    let sign_in = |id: &str| format!("<a href=\"/sign-in?next=%2Ftrips%2F{id}\">");
    let (visitor, ben) = (Browser::new(&world), Browser::signed_up(&world, "ben").await);
    let ana = Browser::new(&world);
    ana.sign_in("ana", PASSWORD).await;

    let page = visitor.visit(&to_open).await;
    page.assert_says("0 likes · 0 saved copies");
    assert!(page.text().contains(&format!("{}Sign in to like or save</a>", sign_in(&open.id))), "{}", page.text());
    let page = visitor.visit(&to_closed).await.text().clone();
    let offer = format!("{}Sign in to like or save, if this trip is shared with you</a>", sign_in(&closed.id));
    assert!(page.contains(&offer) && page.contains("<a href=\"/sign-in\">Sign in</a>"), "{page}");

    let own_page = |id: &str| format!("<a href=\"/trips/{id}\">Like or save on the trip’s own page</a>");
    let page = ben.visit(&to_open).await.text().clone();
    assert!(page.contains(&own_page(&open.id)) && page.contains("<span class=\"viewer\">ben</span>"), "{page}");
    let page = ben.visit(&to_closed).await;
    assert_eq!(page.response.status, 200);
    assert!(!page.text().contains(&closed.id) && !page.text().contains("like or save"), "{}", page.text());
    let page = ana.visit(&to_closed).await.text().clone();
    assert!(page.contains(&own_page(&closed.id)), "{page}");
    for browser in [&visitor, &ben, &ana] {
        for path in [&to_open, &to_closed] {
            let text = browser.visit(path).await.text().clone();
            assert!(!text.contains("/like\"") && !text.contains("/save\"") && !text.contains("/history"), "{text}");
        }
    }
    // An expired session is none.
    visitor.plant("session=made-up; Path=/");
    assert_eq!(visitor.visit(&to_open).await.response.status, 200);
}

// W-19: 60 pages a minute for an address.
#[api_test]
async fn an_address_reads_sixty_pages_a_minute(world: World) {
    let app = App::of(&world, "ana").await;
    let trip = shown(&app, &minimal(), "public").await;
    let path = labelled(&app, &trip.id, "Parents", "plan").await;
    for n in 0..20 {
        assert_eq!(read(&world, &path).await.status, 200, "{n}");
        assert_eq!(read(&world, "/t/itn_link_x").await.status, 404, "{n}");
        assert_eq!(read(&world, &format!("{path}/trip.ics")).await.status, 200, "{n}");
    }
    for path in [path.clone(), format!("{path}/trip.gpx"), "/t/itn_link_x".to_owned()] {
        let refused = read(&world, &path).await;
        assert_eq!((refused.status.as_u16(), refused.header("retry-after")), (429, "60"), "{path}");
        assert_eq!((refused.header("x-robots-tag"), refused.header("referrer-policy")), ("noindex", "no-referrer"));
        assert!(refused.text().contains("One moment, please"), "{}", refused.text());
    }
    assert_eq!(read(&world, &format!("/trips/{}", trip.id)).await.status, 200, "pages of trips have their own limit");
    world.clock.advance(TimeDelta::seconds(60));
    assert_eq!(read(&world, &path).await.status, 200);
}

#[api_test]
async fn hostile_texts_stay_texts(world: World) {
    let app = App::of(&world, "ana").await;
    let evil = "\"><script>alert(1)</script>\u{202e}<meta http-equiv=refresh content=0>";
    let hotel = json!({ "name": evil, "place": { "name": evil, "address": evil } });
    let body = json!({ "title": evil, "summary": evil, "tags": ["</head>"], "hotels": [hotel] });
    let trip = app.created(&with(minimal(), body)).await;
    let text = read(&world, &labelled(&app, &trip.id, evil.trim_end_matches('>'), "bookings").await).await.text();
    assert_eq!(text.matches("<script").count(), 1, "the page's own: {text}");
    assert!(!text.contains("<script>") && !text.contains("<meta http-equiv"), "{text}");
}
