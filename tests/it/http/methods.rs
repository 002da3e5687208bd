//! Methods: which ones a path supports, OPTIONS, and that HEAD equals GET without the body.

use std::collections::BTreeSet;

use itinerary_tests::{World, api_test};
use reqwest::Method;
use reqwest::header::HeaderMap;

use super::samples::SAMPLES;
use super::{NOTHING, create, create_whole, lisbon};

/// The methods of a path according to the samples.
fn allowed(path: &str) -> BTreeSet<&'static str> {
    let mut methods: BTreeSet<&str> =
        SAMPLES.iter().filter(|sample| sample.path == path).map(|sample| &*sample.method).collect();
    if methods.contains("GET") {
        methods.insert("HEAD");
    }
    methods.insert("OPTIONS");
    methods
}

fn listed(headers: &HeaderMap, name: &str) -> BTreeSet<String> {
    let values = headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(", ")).map(str::to_owned).collect()
}

// H-32. OPTIONS lists them, too.
#[api_test]
async fn unsupported_methods_return_405_with_the_allowed_ones(world: World) {
    for sample in SAMPLES.iter() {
        let allowed = allowed(&sample.path);
        for method in ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] {
            if allowed.contains(method) {
                continue;
            }
            let method = Method::from_bytes(method.as_bytes()).expect("a method");
            let response = world.call(method.clone(), &sample.path_to(NOTHING)).send().await;
            assert_eq!(response.status, 405, "{method} {}", sample.path);
            assert!(listed(&response.headers, "allow").iter().eq(&allowed), "{method} {}", sample.path);
            if method != Method::HEAD && sample.path.starts_with("/oauth/") {
                assert_eq!(response.json()["error"], "invalid_request", "{method} {}", sample.path);
            } else if method != Method::HEAD {
                response.expect_error(405, "methodNotAllowed");
            }
        }
        let options = world.call(Method::OPTIONS, &sample.path_to(NOTHING)).send().await;
        assert_eq!(options.status, 204, "{}", sample.path);
        assert!(listed(&options.headers, "allow").iter().eq(&allowed), "OPTIONS {}", sample.path);
    }
}

// In a browser, the error is a page.
#[api_test]
async fn unsupported_methods_show_an_error_page_in_a_browser(world: World) {
    for path in ["/sign-in", "/account", "/oauth/authorise"] {
        let response = world.call(Method::PUT, path).header("Accept", "text/html").send().await;
        assert_eq!((response.status.as_u16(), response.header("content-type")), (405, "text/html; charset=utf-8"));
        assert!(!response.header("allow").is_empty());
        assert_eq!(response.header("cache-control"), "no-store");
    }
}

// H-31: HEAD answers like GET, without the body.
#[api_test]
async fn head_is_get_without_its_body(world: World) {
    world.pro_account("ana").await;
    let token = world.token("ana", "itineraries:read itineraries:write").await;
    let made = create_whole(&world, &token).await;
    let id = made.json()["id"].as_str().expect("an id").to_owned();
    for sample in SAMPLES.iter().filter(|sample| sample.method == "GET") {
        let call = |method: Method| {
            let call = world.call(method, &sample.path_to(&id));
            if sample.policy().token { call.token(&token) } else { call }
        };
        let (get, head) = (call(Method::GET).send().await, call(Method::HEAD).send().await);
        assert_eq!(head.status, get.status, "{}", sample.path);
        assert!(head.body.is_empty(), "{}", sample.path);
        assert_eq!(head.header("content-length"), get.body.len().to_string(), "{}", sample.path);
        assert_eq!(lasting(&head.headers), lasting(&get.headers), "{}", sample.path);
    }
    let at = made.header("location");
    for (method, body) in [(Method::GET, "a body"), (Method::HEAD, "")] {
        let refused = world.call(method, at).send().await;
        assert_eq!((refused.status.as_u16(), refused.body.is_empty()), (401, body.is_empty()));
        assert_eq!(refused.header("www-authenticate"), "Bearer");
    }
}

/// The headers that are the same in every response.
fn lasting(headers: &HeaderMap) -> HeaderMap {
    let mut lasting = headers.clone();
    for name in ["x-request-id", "ratelimit-remaining", "date", "set-cookie"] {
        lasting.remove(name);
    }
    lasting
}

// H-04: HEAD may be conditional, and a 304 says nothing about a body.
#[api_test]
async fn head_and_get_answer_a_known_tag_alike(world: World) {
    world.account("ana").await;
    let token = world.token("ana", "itineraries:read itineraries:write").await;
    let made = create(&world, &token).await;
    let call = |method| {
        let call = world.call(method, made.header("location")).token(&token);
        call.header("If-None-Match", made.header("etag"))
    };
    let (get, head) = (call(Method::GET).send().await, call(Method::HEAD).send().await);
    for response in [&get, &head] {
        assert_eq!((response.status.as_u16(), response.body.is_empty()), (304, true));
        assert_eq!(response.header("etag"), made.header("etag"));
        assert_eq!(response.header("cache-control"), "private, no-cache");
        assert_eq!(response.header("vary"), "Authorization, Service-Itinerary-Shape, Accept-Encoding");
        assert_eq!((response.header("content-type"), response.header("content-length")), ("", ""));
    }
    assert_eq!(lasting(&get.headers), lasting(&head.headers));
}

// Headers and parameters cannot override the method.
#[api_test]
async fn a_method_is_not_overridden(world: World) {
    world.account("ana").await;
    let token = world.token("ana", "itineraries:read itineraries:write").await;
    let at = create(&world, &token).await.header("location").to_owned();
    let get = world.call(Method::GET, &at).token(&token).header("X-HTTP-Method-Override", "DELETE");
    assert_eq!(get.header("If-Match", "*").json(&lisbon()).send().await.status, 200);
    assert_eq!(world.call(Method::GET, &at).token(&token).send().await.status, 200);
}
