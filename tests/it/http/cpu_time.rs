//! The processor time that one account may take in a minute.

use std::time::Duration;

use chrono::TimeDelta;
use itinerary_platform::settings::Config;
use itinerary_tests::{Database, RawResponse, World, api_test};
use reqwest::Method;
use serde_json::json;

use super::{lisbon, rate_limit, token_through};

const BOTH: &str = "itineraries:read itineraries:write";

/// So little that one request uses it up.
fn little(config: &mut Config) {
    config.limit_settings.cpu = Duration::from_nanos(1);
}

async fn read(world: &World, token: &str) -> RawResponse {
    world.call(Method::GET, "/v1/account").token(token).send().await
}

#[api_test]
async fn an_account_waits_once_it_has_taken_its_share(database: Database) {
    let Some(world) = World::start_with(database, little).await else { return };
    let (ana, ben) = (world.account("ana").await, world.account("ben").await);
    let token = token_through(&world, ana, "app", BOTH, None).await;
    let other_app = token_through(&world, ana, "other", BOTH, None).await;
    let other_traveller = token_through(&world, ben, "app", BOTH, None).await;

    assert_eq!(rate_limit(&read(&world, &token).await), ["120", "120;w=60", "119", "60"]);
    world.clock.advance(TimeDelta::seconds(20));
    let refused = read(&world, &token).await;
    refused.expect_error(429, "rateLimited");
    assert_eq!(refused.header("retry-after"), "40");
    assert_eq!(rate_limit(&refused), ["120", "120;w=60", "118", "40"], "requests are counted as always");
    let write = world.call(Method::POST, "/v1/itineraries").token(&other_app).json(&lisbon()).send().await;
    write.expect_error(429, "rateLimited");
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" });
    let call = world
        .call(Method::POST, "/mcp")
        .token(&token)
        .header("Accept", "application/json, text/event-stream")
        .json(&call);
    call.send().await.expect_error(429, "rateLimited");
    assert_eq!(read(&world, &other_traveller).await.status, 200);

    world.clock.advance(TimeDelta::seconds(40));
    assert_eq!(read(&world, &token).await.status, 200);
}

#[api_test]
async fn without_limits_no_time_is_too_much(database: Database) {
    let off = |config: &mut Config| {
        little(config);
        config.limits = false;
    };
    let Some(world) = World::start_with(database, off).await else { return };
    let ana = world.account("ana").await;
    let token = token_through(&world, ana, "app", BOTH, None).await;
    for _ in 0..3 {
        assert_eq!(read(&world, &token).await.status, 200);
    }
}
