//! The access matrix: every operation with every kind of invalid token, and the resulting error.
//!
//! Made from the policy table and the samples, so an operation without a cell fails.

use chrono::TimeDelta;
use itinerary_api::policy::{LimitKind, Scope, Surface};
use itinerary_tests::{RawResponse, World, api_test};
use reqwest::Method;

use super::samples::{Sample, guarded, public};
use super::{NOTHING, create_whole, lisbon, pause, rate_limit, token_through};

/// A write that changes nothing.
const DRY_RUN: &str = "/v1/itineraries?dryRun=true&allowDuplicate=true";
const ALL_SCOPES: &str = "itineraries:read itineraries:write documents:read documents:write";

/// Checks the headers of a request that was rejected before it was counted: the operation's limit, without a window.
#[track_caller]
fn expect_uncounted(response: &RawResponse, sample: &Sample) {
    let limit = sample.kind().per_minute();
    let expected = [limit.to_string(), format!("{limit};w=60"), String::new(), String::new()];
    assert_eq!(rate_limit(response), expected, "{}", sample.operation);
}

/// Checks a 401 with this challenge (V-03). The MCP endpoint adds where to get a token.
#[track_caller]
fn expect_unauthenticated(response: &RawResponse, challenge: &str, sample: &Sample) {
    assert!(response.expect_error(401, "unauthenticated").is_null(), "{}", sample.operation);
    let told = response.header("www-authenticate");
    if sample.policy().is_mcp() {
        assert!(told.starts_with(challenge) && told.contains("resource_metadata="), "{told}");
    } else {
        assert_eq!(told, challenge, "{}", sample.operation);
    }
    expect_uncounted(response, sample);
}

/// The id of a new itinerary.
async fn itinerary(world: &World, token: &str) -> String {
    create_whole(world, token).await.json()["id"].as_str().expect("an id").to_owned()
}

#[api_test]
async fn with_a_good_token_every_operation_works(world: World) {
    world.pro_account("ana").await;
    for sample in guarded() {
        // Each in its own window.
        world.clock.advance(TimeDelta::seconds(60));
        let token = world.token("ana", ALL_SCOPES).await;
        let id = itinerary(&world, &token).await;
        let response = sample.call(&world, &id).token(&token).send().await;
        assert_eq!(response.status.as_u16(), sample.status, "{}: {}", sample.operation, response.text());
        assert_eq!(response.header("www-authenticate"), "");
        let limit = sample.kind().per_minute().to_string();
        let [told, _, remaining, reset] = rate_limit(&response);
        assert_eq!((told, reset), (&*limit, "60"), "{}", sample.operation);
        assert!(remaining.parse::<u32>().is_ok_and(|left| left < told.parse().expect("a number")), "{remaining}");
    }
}

// V-02, V-03: missing credentials get a bare challenge, an invalid token one with a reason.
#[api_test]
async fn without_a_good_token_every_operation_is_refused(world: World) {
    world.pro_account("ana").await;
    let id = itinerary(&world, &world.token("ana", ALL_SCOPES).await).await;
    let good = world.token("ana", ALL_SCOPES).await;
    let basic = format!("Basic {good}");
    for sample in guarded() {
        let nothing = sample.call(&world, &id).send().await;
        expect_unauthenticated(&nothing, "Bearer", sample);
        let other = sample.call(&world, &id).header("Authorization", &basic).send().await;
        expect_unauthenticated(&other, "Bearer", sample);
        let unknown = sample.call(&world, &id).token("itp_at_unknown").send().await;
        expect_unauthenticated(&unknown, "Bearer error=\"invalid_token\"", sample);
        // Only the header is read.
        let path = format!("{}?access_token={good}", sample.path_to(&id));
        let query = world.call(sample.method(), &path).send().await;
        expect_unauthenticated(&query, "Bearer", sample);
    }
}

// V-03, V-05: expiry, revocation and a new password take effect with the next request.
#[api_test]
async fn a_token_that_has_ended_is_refused_by_every_operation(world: World) {
    world.pro_account("ana").await;
    let id = itinerary(&world, &world.token("ana", ALL_SCOPES).await).await;

    let expired = world.token("ana", ALL_SCOPES).await;
    world.clock.advance(TimeDelta::hours(1));

    let revoked = world.token("ana", ALL_SCOPES).await;
    let form = [("client_id", itinerary_app::accounts::COMMAND_LINE), ("token", &revoked)];
    assert_eq!(world.call(Method::POST, "/oauth/revoke").form(&form).send().await.status, 200);

    for sample in guarded() {
        for token in [&expired, &revoked] {
            let response = sample.call(&world, &id).token(token).send().await;
            expect_unauthenticated(&response, "Bearer error=\"invalid_token\"", sample);
        }
    }
    let before = world.token("ana", ALL_SCOPES).await;
    itinerary_app::accounts::set_password(world.service(), "ana", "another good one").await.expect("a password");
    for sample in guarded() {
        let response = sample.call(&world, &id).token(&before).send().await;
        expect_unauthenticated(&response, "Bearer error=\"invalid_token\"", sample);
    }
}

// T-15: a token for the MCP endpoint is valid only there.
#[api_test]
async fn a_token_for_the_mcp_endpoint_is_refused_under_v1(world: World) {
    let ana = world.pro_account("ana").await;
    let mcp = format!("{}/mcp", world.base_url);
    let bound = token_through(&world, ana, "app", ALL_SCOPES, Some(&mcp)).await;
    let everywhere = token_through(&world, ana, "app", ALL_SCOPES, Some(&world.base_url)).await;
    let id = itinerary(&world, &everywhere).await;
    for sample in guarded().filter(|sample| !sample.policy().is_mcp()) {
        let response = sample.call(&world, &id).token(&bound).send().await;
        expect_unauthenticated(&response, "Bearer error=\"invalid_token\"", sample);
    }
}

// V-02: the scheme is case-insensitive.
#[api_test]
async fn the_scheme_is_known_in_any_case(world: World) {
    world.pro_account("ana").await;
    let token = world.token("ana", ALL_SCOPES).await;
    for scheme in ["Bearer", "bearer", "BEARER"] {
        let call = world.call(Method::GET, "/v1/account").header("Authorization", &format!("{scheme} {token}"));
        assert_eq!(call.send().await.status, 200, "{scheme}");
    }
    for value in ["Bearer", "Bearer ", &format!("Bearer{token}"), &token] {
        let response = world.call(Method::GET, "/v1/account").header("Authorization", value).send().await;
        response.expect_error(401, "unauthenticated");
    }
    let twice = world.call(Method::GET, "/v1/account").token(&token).token(&token).send().await;
    twice.expect_error(401, "unauthenticated");
}

// V-04: body and challenge name the missing scope.
#[api_test]
async fn a_token_without_the_scope_is_refused_by_every_operation(world: World) {
    world.pro_account("ana").await;
    let id = itinerary(&world, &world.token("ana", ALL_SCOPES).await).await;
    for held in Scope::ALL {
        let token = world.token("ana", held.as_str()).await;
        for sample in guarded() {
            let Some(needed) = sample.policy().scope.filter(|needed| *needed != held) else { continue };
            let response = sample.call(&world, &id).token(&token).send().await;
            assert_eq!(response.expect_error(403, "forbidden")["required"], needed.as_str(), "{}", sample.operation);
            let challenge = format!("Bearer error=\"insufficient_scope\", scope=\"{needed}\"");
            assert_eq!(response.header("www-authenticate"), challenge, "{}", sample.operation);
            // The rate limit comes before the scope, so the request counts.
            assert_ne!(response.header("ratelimit-remaining"), "", "{}", sample.operation);
            world.clock.advance(TimeDelta::seconds(10));
        }
    }
}

// H-40: while integrations are paused, apps are told when to retry.
#[api_test]
async fn while_integrations_are_paused_every_operation_is_refused(world: World) {
    world.pro_account("ana").await;
    let token = world.token("ana", ALL_SCOPES).await;
    let id = itinerary(&world, &token).await;
    pause(&world, Some(90)).await;
    for sample in guarded() {
        let response = sample.call(&world, &id).token(&token).send().await;
        assert!(response.expect_error(503, "featureUnavailable").is_null(), "{}", sample.operation);
        assert_eq!(response.header("retry-after"), "90", "{}", sample.operation);
        expect_uncounted(&response, sample);
    }
    pause(&world, None).await;
    assert_eq!(world.call(Method::GET, "/v1/account").token(&token).send().await.status, 200);
}

// H-20: a request over its limit does nothing and is told when the window closes.
#[api_test]
async fn over_its_limit_every_operation_is_refused(world: World) {
    world.pro_account("ana").await;
    let token = world.token("ana", ALL_SCOPES).await;
    let id = itinerary(&world, &token).await;
    use_up(&world, &token, LimitKind::Read, 120).await;
    // Creating the itinerary was one.
    use_up(&world, &token, LimitKind::Write, 59).await;
    use_up(&world, &token, LimitKind::Search, 30).await;
    use_up(&world, &token, LimitKind::Image, 20).await;
    use_up(&world, &token, LimitKind::Document, 10).await;
    use_up(&world, &token, LimitKind::Delivery, 10).await;
    world.clock.advance(TimeDelta::milliseconds(17_001));
    for sample in guarded() {
        let response = sample.call(&world, &id).token(&token).send().await;
        assert!(response.expect_error(429, "rateLimited").is_null(), "{}", sample.operation);
        assert_eq!(response.header("retry-after"), "43", "{}", sample.operation);
        let limit = sample.kind().per_minute();
        let expected = [limit.to_string(), format!("{limit};w=60"), "0".to_owned(), "43".to_owned()];
        assert_eq!(rate_limit(&response), expected, "{}", sample.operation);
    }
    world.clock.advance(TimeDelta::seconds(43));
    let view = world.call(Method::GET, &format!("/v1/itineraries/{id}")).token(&token).send().await;
    assert_eq!(view.json()["title"], "Trip to Lisbon", "what was refused has changed nothing");
}

/// Sends this many counted requests of a kind, none of which changes anything.
async fn use_up(world: &World, token: &str, kind: LimitKind, times: usize) {
    for _ in 0..times {
        let response = match kind {
            LimitKind::Read => world.call(Method::GET, "/v1/account").token(token).send().await,
            LimitKind::Write => world.call(Method::POST, DRY_RUN).token(token).json(&lisbon()).send().await,
            LimitKind::Search => world.call(Method::GET, "/v1/explore").token(token).send().await,
            LimitKind::Image => {
                let nothing = format!("/v1/itineraries/{NOTHING}/cover-image");
                world.call(Method::PUT, &nothing).token(token).send().await
            }
            LimitKind::Document => {
                let nothing = format!("/v1/itineraries/{NOTHING}/documents");
                world.call(Method::POST, &nothing).token(token).send().await
            }
            LimitKind::Delivery => {
                let nothing = format!("/v1/webhooks/{NOTHING}/test");
                world.call(Method::POST, &nothing).token(token).send().await
            }
        };
        let has_nothing = matches!(kind, LimitKind::Image | LimitKind::Document | LimitKind::Delivery);
        assert!(response.status == 200 || has_nothing, "{}", response.text());
    }
}

// Public operations ignore tokens and work during a pause, except for those that give apps access (H-40).
#[api_test]
async fn public_operations_need_no_token(world: World) {
    for (paused, token) in [(None, None), (None, Some("itp_at_unknown")), (Some(90), None)] {
        pause(&world, paused).await;
        for sample in public() {
            let call = sample.call(&world, NOTHING);
            let response = token.map_or(call, |token| sample.call(&world, NOTHING).token(token)).send().await;
            if paused.is_some() && ["oauth_token", "oauth_register"].contains(&sample.operation) {
                assert_eq!(response.status, 503);
                assert_eq!(response.json()["error"], "temporarily_unavailable");
                assert_eq!(response.header("retry-after"), "90");
                continue;
            }
            if token.is_some() && ["oauth_token", "oauth_revoke"].contains(&sample.operation) {
                // There, a bearer token is client authentication of an unknown kind.
                assert!([400, 401].contains(&response.status.as_u16()), "{}", response.status);
                continue;
            }
            assert_eq!(response.status.as_u16(), sample.status, "{}: {}", sample.operation, response.text());
            // The routes of OAuth have limits of their own; see `limits`.
            if !sample.operation.starts_with("oauth_") {
                assert_eq!(rate_limit(&response), ["", "", "", ""], "{}", sample.operation);
            }
        }
    }
}

// H-40: during a pause, a traveller sees a page that says so, and a program gets JSON.
#[api_test]
async fn a_pause_is_told_at_the_authorise_address(world: World) {
    let request = authorise_request(&world).await;
    assert_eq!(world.call(Method::GET, &request).send().await.status, 303);
    pause(&world, Some(90)).await;
    let program = world.call(Method::GET, &request).send().await;
    assert_eq!(program.status, 503);
    assert_eq!(
        (&*program.json()["error"].to_string(), program.header("retry-after")),
        ("\"temporarily_unavailable\"", "90")
    );
    let person = world.call(Method::GET, &request).header("Accept", "text/html").send().await;
    assert_eq!(person.status, 503);
    assert_eq!((person.header("content-type"), person.header("retry-after")), ("text/html; charset=utf-8", "90"));
    assert_eq!(person.header("location"), "");
}

/// The address of a valid authorisation request.
async fn authorise_request(world: &World) -> String {
    let body = serde_json::json!({ "redirect_uris": ["https://app.example/back"] });
    let registered = world.call(Method::POST, "/oauth/register").json(&body).send().await.json();
    let client = registered["client_id"].as_str().expect("an id");
    format!(
        "/oauth/authorise?client_id={client}&redirect_uri=https://app.example/back&response_type=code\
         &scope=itineraries:read&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256"
    )
}

#[test]
fn the_operations_that_need_a_token_are_those_under_v1_and_mcp() {
    for sample in guarded() {
        assert_eq!(sample.policy().surface, Surface::Api, "{}", sample.operation);
        assert!(sample.path.starts_with("/v1/") || sample.policy().is_mcp(), "{}", sample.operation);
    }
    for sample in public() {
        assert!(!sample.path.starts_with("/v1/"), "{}", sample.operation);
        assert!(sample.policy().scope.is_none() && sample.policy().kind.is_none(), "{}", sample.operation);
    }
}
