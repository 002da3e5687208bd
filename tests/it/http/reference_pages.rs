//! The reference pages over HTTP: caching, headers, paths and searches. Their contents are tested where they are rendered,
//! their script in a browser.

use std::collections::HashSet;
use std::io::Read;

use flate2::read::GzDecoder;
use futures::future::join_all;
use itinerary_tests::raw::Call;
use itinerary_tests::{RawResponse, Sqlite, World};
use reqwest::Method;

const PATHS: [(&str, &str); 14] = [
    ("/docs", "text/html; charset=utf-8"),
    ("/docs/itinerary_list", "text/html; charset=utf-8"),
    ("/docs/schemas/Itinerary", "text/html; charset=utf-8"),
    ("/docs/signed-in", "text/html; charset=utf-8"),
    ("/docs/docs.css", "text/css; charset=utf-8"),
    ("/docs/docs.js", "text/javascript; charset=utf-8"),
    ("/docs/search.json", "application/json"),
    ("/docs/quickstart", "text/html; charset=utf-8"),
    ("/docs/guides", "text/html; charset=utf-8"),
    ("/docs/guides/sign-in", "text/html; charset=utf-8"),
    ("/docs/guides/mcp", "text/html; charset=utf-8"),
    ("/docs/changelog", "text/html; charset=utf-8"),
    ("/llms.txt", "text/plain; charset=utf-8"),
    ("/llms-full.txt", "text/plain; charset=utf-8"),
];

async fn start() -> World {
    World::start(Sqlite).await.expect("SQLite is always there")
}

fn get(world: &World, path: &str) -> Call {
    world.call(Method::GET, path)
}

fn unpacked(response: &RawResponse) -> Vec<u8> {
    assert_eq!(response.header("content-encoding"), "gzip");
    let mut plain = Vec::new();
    GzDecoder::new(&response.body[..]).read_to_end(&mut plain).expect("gzip");
    plain
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_are_compressed_and_revalidated() {
    let world = start().await;
    for (path, media_type) in PATHS {
        let plain = get(&world, path).send().await;
        assert_eq!((plain.status.as_u16(), plain.header("content-type")), (200, media_type), "{path}");
        assert_eq!(plain.header("content-encoding"), "", "{path}");
        let packed = get(&world, path).header("Accept-Encoding", "gzip").send().await;
        assert_eq!(unpacked(&packed), plain.body, "{path}");
        assert!(packed.body.len() < plain.body.len(), "{path}");
        assert_eq!(packed.header("etag"), plain.header("etag"), "{path}: codings share the tag");
        for response in [&plain, &packed] {
            assert_eq!(response.header("cache-control"), "public, no-cache", "{path}");
            assert_eq!(response.header("vary"), "Accept-Encoding", "{path}");
            let tag = response.header("etag");
            let list = format!("\"other\", {tag}");
            for known in [tag, &list, "*"] {
                let again = get(&world, path).header("If-None-Match", known).send().await;
                assert_eq!((again.status.as_u16(), again.body.len()), (304, 0), "{path} {known}");
                assert_eq!(again.header("etag"), plain.header("etag"), "{path} {known}");
                assert_eq!(again.header("content-encoding"), "", "{path} {known}");
            }
        }
        for unknown in ["\"other\"", "nonsense", ""] {
            let again = get(&world, path).header("If-None-Match", unknown).send().await;
            assert_eq!(again.status, 200, "{path} {unknown}");
        }
        let head = world.call(Method::HEAD, path).send().await;
        assert_eq!((head.status.as_u16(), head.body.len()), (200, 0), "{path}");
        assert_eq!(head.header("content-length"), plain.body.len().to_string(), "{path}");
        assert_eq!(head.header("etag"), plain.header("etag"), "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_run_no_script_but_their_own() {
    let world = start().await;
    for (path, _) in PATHS.into_iter().chain([("/docs?q=hotel", "")]) {
        let page = get(&world, path).send().await;
        let policy = page.header("content-security-policy");
        let parts: HashSet<&str> = policy.split("; ").collect();
        let expected = [
            "default-src 'none'",
            "script-src 'self'",
            "connect-src 'self'",
            "style-src 'self'",
            "img-src 'self'",
            "form-action 'self'",
            "frame-ancestors 'none'",
            "base-uri 'none'",
        ];
        assert_eq!(parts, HashSet::from(expected), "{path}");
        assert_eq!(page.header("x-frame-options"), "DENY", "{path}");
        assert_eq!(page.header("referrer-policy"), "no-referrer", "{path}");
        assert_eq!(page.header("x-content-type-options"), "nosniff", "{path}");
        assert_eq!(page.header("set-cookie"), "", "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_path_is_found_or_not() {
    let world = start().await;
    let long = format!("/docs/{}", "x".repeat(4_000));
    let deep = format!("/docs{}", "/x".repeat(2_000));
    for path in [
        "/docs/nothing",
        "/docs/Itinerary_list",
        "/docs/itinerary_list/more",
        "/docs/schemas/itinerary",
        "/docs/schemas/Itinerary/x",
        "/docs/docs.js.map",
        "/docs/%2e%2e%2fitinerary_list",
        "/docs/%00",
        "/docs/%ff",
        "/docs/%3Cscript%3E",
        "/docsx",
        &long,
        &deep,
    ] {
        let response = get(&world, path).send().await;
        assert_eq!(response.status, 404, "{path}");
        assert_eq!(response.json()["error"]["code"], "notFound", "{path}");
        let page = get(&world, path).header("Accept", "text/html").send().await;
        assert_eq!((page.status.as_u16(), page.header("content-type")), (404, "text/html; charset=utf-8"), "{path}");
        assert!(page.text().contains("Page not found") && !page.text().contains("<script"), "{path}");
    }
    for path in ["/docs/", "//docs//itinerary_list/", "/docs/?x=1", "/docs/itinerary_list?q=x&q=%ff"] {
        assert_eq!(get(&world, path).send().await.status, 200, "{path}");
    }
    let posted = world.call(Method::POST, "/docs").send().await;
    assert_eq!((posted.status.as_u16(), posted.header("allow")), (405, "GET, HEAD, OPTIONS"));
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_name_the_servers_own_address() {
    let world = World::start_with(Sqlite, |config| config.base_url = "https://trips.example".to_owned()).await;
    let world = world.expect("SQLite is always there");
    let url = format!("http://{}/docs/itinerary_list", world.address());
    let page = world.http.get(url).header("Host", "evil.example").header("X-Forwarded-Host", "evil.example");
    let page = page.send().await.expect("an answer").text().await.expect("text");
    assert!(page.contains("https://trips.example/v1/itineraries"));
    assert!(!page.contains("evil.example") && !page.contains(&world.address().to_string()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_is_answered_without_a_script() {
    let world = start().await;
    let found = get(&world, "/docs?q=hotel+add").send().await;
    assert_eq!((found.status.as_u16(), found.header("cache-control")), (200, "no-store"));
    assert!(found.text().contains("href=\"/docs/hotel_add\"") && found.text().contains("for <strong>"));
    let field = get(&world, "/docs?q=stopinput.starttime").send().await;
    assert!(field.text().contains("href=\"/docs/schemas/StopInput#field-startTime\""));
    let hostile = get(&world, "/docs?q=%22%3E%3Cscript%3Ealert(1)%3C/script%3E%00%ff").send().await;
    assert!(hostile.text().contains("Nothing matches") && !hostile.text().contains("<script>"));
    let blank = get(&world, "/docs?q=+").send().await;
    assert_eq!(blank.body, get(&world, "/docs").send().await.body);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_requests_share_one_rendering() {
    let world = start().await;
    let responses = join_all((0..32).map(|_| get(&world, "/docs/itinerary_view").send())).await;
    let tags: HashSet<&str> = responses.iter().map(|response| response.header("etag")).collect();
    assert_eq!(tags.len(), 1);
    assert!(responses.iter().all(|response| response.status == 200));
}
