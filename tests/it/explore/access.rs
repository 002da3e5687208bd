//! Who may use Explore, how often, and what an entry contains.

use itinerary_sdk::{ErrorExt, code};
use itinerary_tests::app::{App, WITH_DOCUMENTS};
use itinerary_tests::bodies::{full, minimal, with};
use itinerary_tests::{World, api_test};
use reqwest::Method;
use serde_json::{Value, json};

use super::{account, explore, found, mark, page, published, q};

// Any token suffices, whatever its scopes; without one the request is rejected.
#[api_test]
async fn it_needs_a_token_and_no_scope(world: World) {
    let owner = App::of(&world, "ana").await;
    let stored = published(&owner, &minimal()).await;
    for scope in ["documents:read", "documents:write", "itineraries:write", "itineraries:read"] {
        let app = App::with_scope(&world, "ben", scope).await;
        for query in ["", "q=lisbon"] {
            assert_eq!(found(&app, query).await, [stored.id.as_str()], "{scope}");
        }
    }
    for query in ["", "q=", "limit=0", "following=true", "cursor=x"] {
        let call = || world.call(Method::GET, &format!("/v1/explore?{query}"));
        for response in [call().send().await, call().token("nobody").send().await] {
            assert!(response.expect_error(401, "unauthenticated").is_null());
            assert!(!response.text().contains(&stored.id));
        }
    }
    let error = world.client_builder().build().expect("a client").explore_list().send().await;
    assert!(error.expect_err("no token was sent").is(code::UNAUTHENTICATED));
    let response = owner.call(Method::POST, "/v1/explore").json(&json!({})).send().await;
    response.expect_error(405, "methodNotAllowed");
    assert!(response.header("allow").contains("GET"), "{}", response.header("allow"));
}

// Thirty a minute, counted separately from reads and writes, including invalid requests.
#[api_test]
async fn it_counts_as_a_search(world: World) {
    let app = App::of(&world, "ana").await;
    for n in 0..30 {
        let query = ["", "q=lisbon", "following=true", "limit=0", "cursor=x"][n % 5];
        let response = explore(&app, query).await;
        assert_eq!(response.status.as_u16(), if n % 5 < 3 { 200 } else { 422 }, "{query}");
        let headers = ["ratelimit-limit", "ratelimit-policy", "ratelimit-remaining"].map(|name| response.header(name));
        assert_eq!(headers, ["30", "30;w=60", &*(29 - n).to_string()], "request {n}");
    }
    let refused = explore(&app, "").await;
    assert!(refused.expect_error(429, "rateLimited").is_null());
    assert_eq!((refused.header("retry-after"), refused.header("ratelimit-remaining")), ("60", "0"));
    let read = app.list("").await;
    assert_eq!((read.status.as_u16(), read.header("ratelimit-remaining")), (200, "119"));
    assert_eq!(explore(&App::of(&world, "ben").await, "").await.status, 200);
}

// An entry equals that of other lists, and its ETag is the one that reading returns: for owner, member and stranger.
#[api_test(limits = false)]
async fn explore_entries_equal_entries_of_other_lists(world: World) {
    let owner = App::pro(&world, "ana").await;
    let stored = published(&owner, &full()).await;
    let mut readers = vec![("owner", owner.clone()), ("owner", App::of(&world, "ana").await)];
    for (name, member, role) in
        [("eva", Some("editor"), "editor"), ("vic", Some("viewer"), "viewer"), ("sam", None, "viewer")]
    {
        let poor = App::of(&world, name).await;
        if let Some(member) = member {
            world.member(&stored.id, account(&world, name).await, member).await;
        }
        readers.push((role, poor));
        let pro = App::pro(&world, &format!("{name}-pro")).await;
        if let Some(member) = member {
            world.member(&stored.id, account(&world, &format!("{name}-pro")).await, member).await;
        }
        readers.push((role, pro));
        readers.push((role, App::with_scope(&world, name, WITH_DOCUMENTS).await));
    }
    mark(&readers[2].1, &stored.id, "like").await;
    mark(&readers[3].1, &stored.id, "like").await;
    mark(&readers[3].1, &stored.id, "dislike").await;

    for (role, app) in &readers {
        let read = app.viewed(&stored.id).await;
        let author = &read.json["author"];
        let mut expected = json!({
            "coverImageUrl": "https://images.example/madeira.jpg?w=1&h=2", "daysCount": 1, "stopsCount": 2,
            "etag": read.etag, "likesCount": 1, "role": role, "publishedAt": "2027-01-10T12:00:00.000Z",
            "author": { "accountId": author["accountId"], "username": "ana", "displayName": "ana" },
        });
        for field in ["id", "title", "destination", "summary", "startDate", "tags", "visibility", "updatedAt"] {
            expected[field] = read.json[field].clone();
        }
        let search = q("madeira");
        for query in ["", search.as_str()] {
            let response = explore(app, query).await;
            let data = response.json()["data"].clone();
            let disliked = query.is_empty() && app.token == readers[3].1.token;
            assert_eq!(data, if disliked { json!([]) } else { json!([expected]) }, "{role} {query}");
            assert_eq!(response.header("cache-control"), "private, no-cache");
            assert_eq!(response.header("vary"), "Authorization, Service-Itinerary-Shape, Accept-Encoding");
            assert_eq!((response.header("etag"), response.header("content-type")), ("", "application/json"));
        }
        let conditional = app.call(Method::GET, &format!("/v1/itineraries/{}", stored.id));
        let conditional = conditional.header("If-None-Match", expected["etag"].as_str().expect("a tag")).send().await;
        assert_eq!(conditional.status, 304);
    }
}

// Being found does not count as a read, and only a change of the itinerary changes the ETag.
#[api_test(limits = false)]
async fn explore_reads_do_not_change_an_itinerary(world: World) {
    let owner = App::of(&world, "ana").await;
    let reader = App::of(&world, "ben").await;
    let stored = published(&owner, &with(minimal(), json!({ "tags": ["one"] }))).await;
    for _ in 0..3 {
        let entry = page(&reader, "q=one").await["data"][0].clone();
        assert_eq!(entry["etag"], "\"v2.e\"");
    }
    assert_eq!(itinerary_server::jobs::count_reads(world.service()).await.expect("a database"), 0);
    let read = owner.viewed(&stored.id).await;
    assert_eq!((&read.etag, &read.json["viewsCount"]), (&stored.etag, &json!(0)));
    let changed = owner.patched(&read, &json!({ "tags": ["one", "two"] })).await;
    let entry = page(&reader, "").await["data"][0].clone();
    assert_eq!((&entry["etag"], &entry["tags"]), (&json!("\"v3.e\""), &json!(["one", "two"])));
    assert_ne!(changed.etag, stored.etag);
    assert_eq!(entry.get("origin"), None::<&Value>);
}
