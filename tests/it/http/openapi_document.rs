//! The documents for programs: the OpenAPI document, the OAuth metadata, the health checks.

use itinerary_tests::engines::Removable;
use itinerary_tests::{Database, Postgres, RawResponse, World, api_test};
use reqwest::Method;
use serde_json::{Value, json};

const PUBLISHED: &str = include_str!("../../../openapi/itinerary.json");

async fn get(world: &World, path: &str) -> RawResponse {
    world.call(Method::GET, path).send().await
}

/// The published document with another server's address.
fn published_at(base_url: &str) -> Value {
    serde_json::from_str(&PUBLISHED.replace("http://127.0.0.1:8080", base_url)).expect("a document")
}

#[api_test]
async fn the_openapi_document_is_the_published_one_with_this_servers_address(world: World) {
    let response = get(&world, "/openapi.json").await;
    assert_eq!((response.status.as_u16(), response.header("content-type")), (200, "application/json"));
    let document = response.json();
    assert_eq!(document["openapi"], "3.0.3");
    assert_eq!(document["servers"][0]["url"], world.base_url);
    let flow = &document["components"]["securitySchemes"]["oauth2"]["flows"]["authorizationCode"];
    assert_eq!(flow["authorizationUrl"], format!("{}/oauth/authorise", world.base_url));
    assert_eq!(flow["tokenUrl"], format!("{}/oauth/token", world.base_url));
    assert_eq!(document, published_at(&world.base_url));
}

// O-01, O-03 to O-05, V-01: the capabilities and endpoints of the authorisation server.
#[api_test]
async fn the_authorisation_server_describes_itself(world: World) {
    let response = get(&world, "/.well-known/oauth-authorization-server").await;
    assert_eq!((response.status.as_u16(), response.header("content-type")), (200, "application/json"));
    let base = &world.base_url;
    let methods = json!(["client_secret_basic", "client_secret_post", "none"]);
    let expected = json!({
        "issuer": base,
        "authorization_endpoint": format!("{base}/oauth/authorise"),
        "token_endpoint": format!("{base}/oauth/token"),
        "registration_endpoint": format!("{base}/oauth/register"),
        "revocation_endpoint": format!("{base}/oauth/revoke"),
        "scopes_supported": ["itineraries:read", "itineraries:write", "documents:read", "documents:write"],
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
        "token_endpoint_auth_methods_supported": methods,
        "revocation_endpoint_auth_methods_supported": methods,
        "code_challenge_methods_supported": ["S256"],
        "authorization_response_iss_parameter_supported": true,
        "client_id_metadata_document_supported": true,
    });
    assert_eq!(response.json(), expected);
    assert!(!base.ends_with('/'));
}

// O-06, O-07: the MCP endpoint and the whole service as protected resources.
#[api_test]
async fn the_protected_resources_describe_themselves(world: World) {
    let base = &world.base_url;
    let mcp = get(&world, "/.well-known/oauth-protected-resource/mcp").await;
    let root = get(&world, "/.well-known/oauth-protected-resource").await;
    for (response, resource) in [(&mcp, format!("{base}/mcp")), (&root, base.clone())] {
        assert_eq!((response.status.as_u16(), response.header("content-type")), (200, "application/json"));
        let document = response.json();
        assert_eq!(document["resource"], resource);
        assert_eq!(document["authorization_servers"], json!([base]));
        assert_eq!(document["bearer_methods_supported"], json!(["header"]));
    }
    assert_eq!(mcp.json()["scopes_supported"], json!(["itineraries:read", "itineraries:write"]));
    let all = json!(["itineraries:read", "itineraries:write", "documents:read", "documents:write"]);
    assert_eq!(root.json()["scopes_supported"], all);
}

// O-02: the issuer is the configured string, byte for byte, everywhere.
#[api_test]
async fn the_issuer_is_the_configured_string(database: Database) {
    let Some(world) = World::start_with(database, |config| {
        "https://Trips.example:8443".clone_into(&mut config.base_url);
    })
    .await
    else {
        return;
    };
    let get = async |path: &str| -> Value {
        let response = world.http.get(format!("http://{}{path}", world.address())).send().await.expect("an answer");
        response.json().await.expect("JSON")
    };
    let issuer = "https://Trips.example:8443";
    let server = get("/.well-known/oauth-authorization-server").await;
    assert_eq!(server["issuer"], issuer);
    assert_eq!(server["token_endpoint"], format!("{issuer}/oauth/token"));
    let mcp = get("/.well-known/oauth-protected-resource/mcp").await;
    assert_eq!((&mcp["authorization_servers"][0], &mcp["resource"]), (&json!(issuer), &json!(format!("{issuer}/mcp"))));
    assert_eq!(get("/openapi.json").await, published_at(issuer));
}

// O-07: unknown addresses are 404, however often they are requested, because clients give up on 429 and 5xx.
#[api_test]
async fn unknown_well_known_addresses_are_not_found(world: World) {
    for path in [
        "/.well-known/openid-configuration",
        "/.well-known/oauth-authorization-server/mcp",
        "/.well-known/oauth-protected-resource/v1",
        "/.well-known",
        "/mcp/.well-known/oauth-protected-resource",
    ] {
        for _ in 0..40 {
            get(&world, path).await.expect_error(404, "notFound");
        }
    }
}

#[api_test]
async fn the_health_checks_answer(world: World) {
    for path in ["/healthz", "/readyz"] {
        let response = get(&world, path).await;
        assert_eq!((response.status.as_u16(), response.json()), (200, json!({ "status": "ok" })), "{path}");
    }
}

// A server that loses its database is alive but not ready, and recovers when the database returns.
#[tokio::test(flavor = "multi_thread")]
async fn without_its_database_the_server_is_alive_and_not_ready() {
    let Some(world) = World::start(Postgres).await else { return };
    let database = Removable::of(&world);
    world.account("ana").await;
    let token = world.token("ana", "itineraries:read").await;
    database.take_away().await;
    // Dead connections are discovered one by one; then no new one can be opened.
    for _ in 0..10 {
        let ready = get(&world, "/readyz").await;
        assert!(ready.expect_error(502, "upstreamFailed").is_null());
        assert_eq!(ready.header("retry-after"), "1");
        let list = world.call(Method::GET, "/v1/itineraries").token(&token).send().await;
        assert!(list.expect_error(502, "upstreamFailed").is_null());
        assert_eq!(list.header("retry-after"), "1");
        assert_eq!(get(&world, "/healthz").await.status, 200);
    }
    database.bring_back().await;
    assert_eq!(get(&world, "/readyz").await.status, 200);
    assert_eq!(world.call(Method::GET, "/v1/itineraries").token(&token).send().await.status, 200);
}
