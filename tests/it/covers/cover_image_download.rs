//! Images as browsers read them: by their address alone, cached forever.

use itinerary_tests::app::App;
use itinerary_tests::{RawResponse, World, api_test};
use reqwest::Method;

use super::files::{of_size, png};
use super::{cover, covered, get, id, size, uploaded};

#[api_test]
async fn an_image_needs_no_token_and_may_be_kept(world: World) {
    let app = App::of(&world, "ana").await;
    let seen = uploaded(&app, &app.created(&covered(1)).await, &png(&of_size(1_000, 500))).await;
    for (path, expected) in [("", (1_000, 500)), ("/small", (640, 320))] {
        let url = format!("{}{path}", cover(&seen));
        let response = get(&world, &url).await;
        assert_eq!(size(&response.body), expected);
        served(&response);
        let head = itinerary_tests::raw::Call(world.http.head(&url)).send().await;
        served(&head);
        assert!(head.body.is_empty());
        assert_eq!(head.header("content-length"), response.body.len().to_string());
        assert_eq!(get(&world, &url).await.body, response.body, "it is one image");
        // A query, a cookie or another person's token changes nothing.
        let other = itinerary_tests::raw::Call(world.http.get(format!("{url}?size=9")));
        let other = other.token("nobody's").header("Cookie", "a=b").send().await;
        served(&other);
        assert_eq!(other.body, response.body);
    }
}

#[track_caller]
fn served(response: &RawResponse) {
    assert_eq!(response.status, 200, "{}", response.text());
    for (name, value) in [
        ("content-type", "image/jpeg"),
        ("cache-control", "public, max-age=31536000, immutable"),
        ("x-content-type-options", "nosniff"),
        ("vary", ""),
        ("set-cookie", ""),
    ] {
        assert_eq!(response.header(name), value, "{name}");
    }
    assert!(!response.header("content-security-policy").is_empty());
}

#[api_test]
async fn unknown_image_addresses_are_not_found(world: World) {
    let app = App::of(&world, "ana").await;
    let seen = uploaded(&app, &app.created(&covered(1)).await, &png(&of_size(4, 4))).await;
    let id = id(&world, cover(&seen)).to_owned();
    let unknown = uuid::Uuid::new_v4().to_string();
    let wrong = [
        &*unknown,
        "00000000-0000-0000-0000-000000000000",
        &seen.id,
        &id[1..],
        &format!("{id}.jpg"),
        &format!("{id}-small"),
        "x",
        "..%2f..%2fitinerary.db",
        "%00",
        &"a".repeat(300),
    ]
    .map(|wrong| format!("/images/{wrong}"));
    for path in wrong.iter().flat_map(|path| [path.clone(), format!("{path}/small")]) {
        let response = world.call(Method::GET, &path).send().await;
        assert!(response.expect_error(404, "notFound").is_null(), "{path}");
        // A missing image may exist later.
        assert_eq!(response.header("cache-control"), "no-store", "{path}");
        let head = world.call(Method::HEAD, &path).send().await;
        assert_eq!((head.status.as_u16(), head.body.len()), (404, 0), "{path}");
    }
    for path in ["/images", "/images/", &format!("/images/{id}/large"), &format!("/images/{id}/small/small")] {
        world.call(Method::GET, path).send().await.expect_error(404, "notFound");
    }
}

#[api_test]
async fn an_image_is_only_read(world: World) {
    let app = App::of(&world, "ana").await;
    let seen = uploaded(&app, &app.created(&covered(1)).await, &png(&of_size(4, 4))).await;
    let path = format!("/images/{}", id(&world, cover(&seen)));
    for method in [Method::PUT, Method::POST, Method::PATCH, Method::DELETE] {
        let response = app.call(method.clone(), &path).send().await;
        response.expect_error(405, "methodNotAllowed");
        assert!(response.header("allow").contains("GET"), "{method}");
    }
    assert_eq!(world.call(Method::GET, &path).send().await.status, 200);
}
