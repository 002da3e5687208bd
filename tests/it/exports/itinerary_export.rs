//! The format that a request names, headers, tags and conditional reads.

use futures::TryStreamExt;
use itinerary_sdk::types::{ExportFormat, ItineraryCreate};
use itinerary_tests::app::{App, path};
use itinerary_tests::bodies::{full, minimal, with};
use itinerary_tests::{World, api_test};
use reqwest::Method;
use serde_json::json;

use super::{call, export};

/// Each format with the media type of its files and how these begin.
const FORMATS: [(&str, &str, &str); 7] = [
    ("ics", "text/calendar; charset=utf-8", "BEGIN:VCALENDAR\r\n"),
    ("gpx", "application/gpx+xml", "<?xml "),
    ("geojson", "application/geo+json", "{"),
    ("kml", "application/vnd.google-earth.kml+xml", "<?xml "),
    ("md", "text/markdown; charset=utf-8", "# A week in Madeira\n"),
    ("html", "text/html; charset=utf-8", "<!doctype html>"),
    ("json", "application/json", "{\n"),
];

#[api_test]
async fn every_format_is_a_file_with_a_tag_of_its_own(world: World) {
    let app = App::pro(&world, "ana").await;
    let stored = app.created(&full()).await;
    for (format, media_type, start) in FORMATS {
        let response = export(&app, &stored.id, format).await;
        assert_eq!(response.header("content-type"), media_type);
        assert!(response.text().starts_with(start), "{}", response.text());
        let etag = format!("\"v1.mpd.{format}\"");
        assert_eq!(response.header("etag"), etag);
        assert_eq!(response.header("cache-control"), "private, no-cache");
        assert_eq!(response.header("vary"), "Accept, Authorization, Service-Itinerary-Shape, Accept-Encoding");
        let name = format!("A week in Madeira.{format}");
        let encoded = name.replace(' ', "%20");
        let disposition = format!("attachment; filename=\"{name}\"; filename*=UTF-8''{encoded}");
        assert_eq!(response.header("content-disposition"), disposition);
        assert_eq!(response.header("x-content-type-options"), "nosniff");

        let read =
            |tag: String| call(&app, &stored.id, &format!("format={format}")).header("If-None-Match", &tag).send();
        for same in [etag.clone(), format!("W/{etag}"), "*".to_owned()] {
            let response = read(same).await;
            assert_eq!((response.status.as_u16(), response.body.len()), (304, 0));
            assert_eq!((response.header("etag"), response.header("content-disposition")), (etag.as_str(), ""));
        }
        for other in [stored.etag.clone(), "\"v1.mpd.xyz\"".to_owned(), etag.replace("v1", "v2")] {
            assert_eq!(read(other).await.status, 200);
        }
    }
    // The tag of an export names the version for a write.
    let change = app.patch_call(&stored.id, &json!({ "title": "T" }));
    assert_eq!(change.header("If-Match", "\"v1.mpd.ics\"").send().await.status, 200);
    let late = app.patch_call(&stored.id, &json!({ "title": "U" })).header("If-Match", "\"v1.mpd.ics\"").send().await;
    late.expect_error(409, "itineraryModified");
    let known = call(&app, &stored.id, "format=ics").header("If-None-Match", "\"v1.mpd.ics\"").send().await;
    assert_eq!((known.status.as_u16(), known.header("etag")), (200, "\"v2.mpd.ics\""));
}

#[api_test]
async fn the_query_wins_over_accept_and_one_of_them_is_needed(world: World) {
    let app = App::of(&world, "ana").await;
    let stored = app.created(&minimal()).await;
    let accepting = |query: &str, accept: &str| call(&app, &stored.id, query).header("Accept", accept).send();
    for (query, accept, tag) in [
        ("", "text/calendar", "ics"),
        ("", "text/html;q=0.4, application/gpx+xml;q=0.5, */*", "gpx"),
        ("format=md", "text/calendar", "md"),
        ("format=kml", "application/json", "kml"),
    ] {
        let response = accepting(query, accept).await;
        assert_eq!((response.status.as_u16(), response.header("etag")), (200, &*format!("\"v1.m.{tag}\"")), "{accept}");
    }
    for (query, accept) in [
        ("", "*/*"),
        ("", "application/json"),
        ("", "text/*"),
        ("", "application/json"),
        ("", "application/json, text/plain, */*"),
        ("format=", "text/calendar"),
        ("format=ICS", "text/calendar"),
        ("format=pdf", "text/calendar"),
        ("format=ics&format=md", "text/calendar"),
    ] {
        accepting(query, accept).await.expect_invalid("format");
    }
    let head = app.call(Method::HEAD, &format!("{}/export?format=ics", path(&stored.id))).send().await;
    assert_eq!((head.status.as_u16(), head.body.len(), head.header("etag")), (200, 0, "\"v1.m.ics\""));
    let method = app.call(Method::POST, &format!("{}/export?format=ics", path(&stored.id))).send().await;
    assert_eq!(method.status, 405);
}

#[api_test]
async fn a_title_is_safe_in_the_name_of_the_file(world: World) {
    let app = App::of(&world, "ana").await;
    let long = "é".repeat(200);
    for (title, name) in [
        ("../../etc/passwd", "..-..-etc-passwd"),
        ("a\"; filename=b.exe\nX: 1", "a%22%3B%20filename%3Db.exeX%3A%201"),
        ("\u{202e}cod.exe", "cod.exe"),
        ("...", "document"),
        (long.as_str(), &*"%C3%A9".repeat(80)),
    ] {
        let stored = app.create_call("?allowDuplicate=true", &with(minimal(), json!({ "title": title }))).send().await;
        let id = stored.json()["id"].as_str().expect("an id").to_owned();
        let response = export(&app, &id, "gpx").await;
        let disposition = response.header("content-disposition");
        assert!(disposition.ends_with(&format!("; filename*=UTF-8''{name}.gpx")), "{title:?}: {disposition}");
        assert_eq!(disposition.matches('"').count(), 2, "{disposition}");
    }
}

#[api_test]
async fn the_sdk_returns_the_bytes(world: World) {
    let client = world.client("ana").await;
    let body: ItineraryCreate = serde_json::from_value(minimal()).expect("typed");
    let made = client.itinerary_create(body).send().await.expect("created");
    let response = client.itinerary_export(made.id).format(ExportFormat::Md).send().await.expect("exported");
    let bytes: Vec<_> = response.into_inner().into_inner().try_collect().await.expect("bytes");
    assert!(bytes.concat().starts_with(b"# Trip to Lisbon\n"));
}

/// Exports as JSON are itineraries as their readers see them, and imports read them.
#[api_test]
async fn json_is_the_itinerary_as_its_reader_sees_it(world: World) {
    let app = App::pro(&world, "ana").await;
    let stored = app.created(&full()).await;
    let own = app.call(Method::GET, &path(&stored.id)).send().await.json();
    let exported = export(&app, &stored.id, "json").await;
    assert_eq!(exported.json(), own);
    assert!(own["expenses"].is_array());
    app.patched(&stored, &json!({ "visibility": "public" })).await;
    let reader = App::of(&world, "ben").await;
    let seen = export(&reader, &stored.id, "json").await.json();
    for hidden in ["flights", "hotels", "expenses", "packing", "documents"] {
        assert!(seen[hidden].as_array().is_none_or(Vec::is_empty), "{hidden}: {seen}");
    }
}
