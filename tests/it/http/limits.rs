//! Rate limits: what counts together, when a window opens and closes, and how to turn limits off.

use chrono::TimeDelta;
use itinerary_tests::{Database, RawResponse, World, api_test};
use reqwest::Method;
use serde_json::json;
use uuid::Uuid;

use super::{lisbon, rate_limit, token_through};

const BOTH: &str = "itineraries:read itineraries:write";

async fn read(world: &World, token: &str) -> RawResponse {
    world.call(Method::GET, "/v1/account").token(token).send().await
}

async fn write(world: &World, token: &str) -> RawResponse {
    world.call(Method::POST, "/v1/itineraries?dryRun=true").token(token).json(&lisbon()).send().await
}

/// Sends this many reads, which must all be allowed.
async fn reads(world: &World, token: &str, times: usize) {
    for n in 0..times {
        assert_eq!(read(world, token).await.status, 200, "read {n}");
    }
}

// H-20: the 121st read in a minute is rejected until the window closes, and affects nobody else.
#[api_test]
async fn a_window_is_one_travellers_through_one_app_of_one_kind(world: World) {
    let (ana, ben) = (world.account("ana").await, world.account("ben").await);
    let token = token_through(&world, ana, "app", BOTH, None).await;
    let other_token = token_through(&world, ana, "app", BOTH, None).await;
    let other_app = token_through(&world, ana, "other", BOTH, None).await;
    let other_traveller = token_through(&world, ben, "app", BOTH, None).await;

    // The window opens at its first request.
    reads(&world, &token, 1).await;
    world.clock.advance(TimeDelta::milliseconds(40_500));
    reads(&world, &token, 119).await;
    for token in [&token, &other_token] {
        let refused = read(&world, token).await;
        refused.expect_error(429, "rateLimited");
        assert_eq!(rate_limit(&refused), ["120", "120;w=60", "0", "20"]);
        assert_eq!(refused.header("retry-after"), "20", "not earlier than the window closes");
    }
    for token in [&other_app, &other_traveller] {
        assert_eq!(rate_limit(&read(&world, token).await), ["120", "120;w=60", "119", "60"]);
    }
    for left in (0..60).rev() {
        let written = write(&world, &token).await;
        assert_eq!((written.status.as_u16(), written.header("ratelimit-remaining")), (200, &*left.to_string()));
    }
    let refused = write(&world, &token).await;
    refused.expect_error(429, "rateLimited");
    assert_eq!(rate_limit(&refused), ["60", "60;w=60", "0", "60"]);

    // Retrying at the announced time succeeds; a moment earlier it does not.
    world.clock.advance(TimeDelta::milliseconds(19_499));
    let refused = read(&world, &token).await;
    refused.expect_error(429, "rateLimited");
    assert_eq!((refused.header("ratelimit-reset"), refused.header("retry-after")), ("1", "1"));
    world.clock.advance(TimeDelta::milliseconds(1));
    assert_eq!(rate_limit(&read(&world, &token).await), ["120", "120;w=60", "119", "60"]);
}

// A request counts once its token is known, whatever its outcome: without the scope too.
#[api_test]
async fn a_request_counts_whatever_its_outcome(world: World) {
    let ana = world.account("ana").await;
    let token = token_through(&world, ana, "app", BOTH, None).await;
    let writer = token_through(&world, ana, "app", "itineraries:write", None).await;
    for left in [119, 118] {
        let refused = read(&world, &writer).await;
        refused.expect_error(403, "forbidden");
        assert_eq!(rate_limit(&refused), ["120", "120;w=60", &left.to_string(), "60"]);
    }
    assert_eq!(read(&world, "bad").await.status, 401);
    assert_eq!(read(&world, &token).await.header("ratelimit-remaining"), "117");
    for path in ["/v1/itineraries?limit=0", "/v1/itineraries/no-uuid", "/v1/itineraries?cursor=x"] {
        world.call(Method::GET, path).token(&token).send().await.expect_error(422, "validationFailed");
    }
    for left in (0..114).rev() {
        let counted = read(&world, if left % 2 == 0 { &writer } else { &token }).await;
        assert_eq!(counted.header("ratelimit-remaining"), left.to_string());
    }
    // Observed before: a token without the scope was never limited.
    read(&world, &writer).await.expect_error(429, "rateLimited");
}

// Each OAuth route names its own limit, and what is left of it once it was counted.
#[api_test]
async fn the_routes_of_oauth_name_their_limits(world: World) {
    let registered = register(&world, None).await;
    assert_eq!(rate_limit(&registered), ["10", "10;w=3600", "9", "3600"]);
    let malformed = world.call(Method::POST, "/oauth/register").body("application/json", "{").send().await;
    assert_eq!(rate_limit(&malformed), ["10", "10;w=3600", "", ""]);
    for (path, client) in [("/oauth/token", "app_one"), ("/oauth/revoke", "app_two")] {
        let form = [("grant_type", "authorization_code"), ("token", "x"), ("client_id", client)];
        let failed = world.call(Method::POST, path).form(&form).send().await;
        assert_eq!((failed.status.as_u16(), rate_limit(&failed)), (401, ["30", "30;w=60", "29", "60"]), "{path}");
        let other = world.call(Method::GET, path).send().await;
        assert_eq!((other.status.as_u16(), rate_limit(&other)), (405, ["30", "30;w=60", "", ""]), "{path}");
        for _ in 0..29 {
            assert_eq!(world.call(Method::POST, path).form(&form).send().await.status, 401);
        }
        let refused = world.call(Method::POST, path).form(&form).send().await;
        assert_eq!((refused.status.as_u16(), rate_limit(&refused)), (429, ["30", "30;w=60", "0", "60"]), "{path}");
    }
    let page = world.call(Method::GET, "/oauth/authorise").send().await;
    assert_eq!(rate_limit(&page), ["60", "60;w=3600", "", ""]);
    let nothing = world.call(Method::GET, "/oauth/nothing").send().await;
    assert_eq!((nothing.status.as_u16(), rate_limit(&nothing)), (404, ["120", "120;w=60", "", ""]));
}

// If the clock is set back, no new window opens, and nobody is locked out for longer than one window.
#[api_test]
async fn a_clock_that_is_set_back_opens_no_window(world: World) {
    let ana = world.account("ana").await;
    let token = token_through(&world, ana, "app", BOTH, None).await;
    reads(&world, &token, 119).await;
    world.clock.advance(TimeDelta::minutes(-10));
    assert_eq!(rate_limit(&read(&world, &token).await), ["120", "120;w=60", "0", "60"]);
    let refused = read(&world, &token).await;
    refused.expect_error(429, "rateLimited");
    assert_eq!(refused.header("retry-after"), "60");
    world.clock.advance(TimeDelta::seconds(60));
    assert_eq!(rate_limit(&read(&world, &token).await), ["120", "120;w=60", "119", "60"]);
}

// All apps of a traveller together have ten times the limit of one.
#[api_test]
async fn an_account_has_a_ceiling_over_all_its_apps(world: World) {
    let (ana, ben) = (world.account("ana").await, world.account("ben").await);
    let missing = format!("/v1/itineraries/{}/documents", Uuid::from_u128(1));
    let count = async |token: &str| {
        let upload = world.call(Method::POST, &missing).token(token);
        upload.body("multipart/form-data; boundary=x", "").send().await
    };
    let scopes = "documents:write";
    for app in 0..10 {
        let token = token_through(&world, ana, &format!("app-{app}"), scopes, None).await;
        for left in (0..10).rev() {
            let response = count(&token).await;
            assert_ne!(response.status, 429, "app {app}, {left} left");
            let remaining = response.header("ratelimit-remaining");
            assert_eq!((response.header("ratelimit-limit"), remaining), ("10", &*left.to_string()), "app {app}");
        }
        // Requests that an app's own limit rejects do not count for the others.
        count(&token).await.expect_error(429, "rateLimited");
        world.clock.advance(TimeDelta::seconds(1));
    }
    let further = token_through(&world, ana, "app-10", scopes, None).await;
    let refused = count(&further).await;
    refused.expect_error(429, "rateLimited");
    assert_eq!((refused.header("ratelimit-remaining"), refused.header("retry-after")), ("0", "50"));
    assert_eq!(read(&world, &token_through(&world, ana, "app-10", BOTH, None).await).await.status, 200, "another kind");
    let other = token_through(&world, ben, "app-10", scopes, None).await;
    assert_ne!(count(&other).await.status, 429, "another traveller");
    world.clock.advance(TimeDelta::seconds(50));
    assert_ne!(count(&further).await.status, 429, "in the next window");
}

// H-21: `limits = false` rejects nobody, not even by address, and still sends the headers.
#[api_test(limits = false)]
async fn without_limits_nobody_is_refused(world: World) {
    let ana = world.account("ana").await;
    let token = token_through(&world, ana, "app", BOTH, None).await;
    reads(&world, &token, 125).await;
    assert_eq!(rate_limit(&read(&world, &token).await), ["120", "120;w=60", "0", "60"]);
    for _ in 0..12 {
        assert_eq!(register(&world, None).await.status, 201);
    }
}

async fn register(world: &World, forwarded_for: Option<&str>) -> RawResponse {
    let call = world.call(Method::POST, "/oauth/register").json(&json!({ "redirect_uris": ["https://app.example/"] }));
    match forwarded_for {
        Some(addresses) => call.header("X-Forwarded-For", addresses).send().await,
        None => call.send().await,
    }
}

#[track_caller]
fn expect_refused(response: &RawResponse, retry_after: &str) {
    assert_eq!(response.status, 429, "{}", response.text());
    assert_eq!(response.json()["error"], "temporarily_unavailable");
    assert_eq!(response.header("retry-after"), retry_after);
}

// ten registrations an hour from one address, and a made-up forwarded address is ignored.
#[api_test]
async fn ten_registrations_an_hour_from_one_address(world: World) {
    for n in 0..10 {
        // A request that is rejected as invalid does not count.
        let wrong = world.call(Method::POST, "/oauth/register").json(&json!({ "redirect_uris": ["ftp://a.example"] }));
        assert_eq!(wrong.send().await.status, 400);
        assert_eq!(register(&world, Some(&format!("192.0.2.{n}"))).await.status, 201, "registration {n}");
        world.clock.advance(TimeDelta::minutes(1));
    }
    expect_refused(&register(&world, None).await, "3000");
    expect_refused(&register(&world, Some("192.0.2.99")).await, "3000");
    world.clock.advance(TimeDelta::milliseconds(2_999_999));
    expect_refused(&register(&world, None).await, "1");
    world.clock.advance(TimeDelta::milliseconds(1));
    assert_eq!(register(&world, None).await.status, 201);
}

// behind a trusted proxy each client has its own ten; what a client sends before its own address is ignored.
#[api_test]
async fn behind_a_trusted_proxy_each_address_has_its_own_ten(database: Database) {
    let Some(world) = World::start_with(database, |config| {
        config.trusted_proxies =
            vec!["127.0.0.1".parse().expect("an address"), "10.0.0.9".parse().expect("an address")];
    })
    .await
    else {
        return;
    };
    for n in 0..10 {
        assert_eq!(register(&world, Some(&format!("198.51.100.{n}, 192.0.2.1"))).await.status, 201);
    }
    expect_refused(&register(&world, Some("192.0.2.1")).await, "3600");
    expect_refused(&register(&world, Some("192.0.2.1, 10.0.0.9")).await, "3600");
    expect_refused(&register(&world, Some("192.0.2.2, 192.0.2.1")).await, "3600");
    assert_eq!(register(&world, Some("192.0.2.2")).await.status, 201);
    assert_eq!(register(&world, Some("2001:db8::1")).await.status, 201);
}

// H-15: an idempotent replay counts like the first request.
#[api_test]
async fn a_replay_is_counted(world: World) {
    let ana = world.account("ana").await;
    let token = token_through(&world, ana, "app", BOTH, None).await;
    let key = Uuid::from_u128(7).to_string();
    for (n, replayed) in [(59, ""), (58, "true"), (57, "true")] {
        let create = world.call(Method::POST, "/v1/itineraries").token(&token).header("Idempotency-Key", &key);
        let response = create.json(&lisbon()).send().await;
        assert_eq!(response.status, 201);
        assert_eq!(response.header("idempotency-replayed"), replayed);
        assert_eq!(response.header("ratelimit-remaining"), n.to_string());
    }
}
