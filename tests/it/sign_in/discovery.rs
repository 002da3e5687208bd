//! Discovery metadata.

use itinerary_tests::{World, api_test};
use reqwest::Method;
use serde_json::Value;

use crate::snapshot::assert_body;

async fn read(world: &World, path: &str) -> Value {
    let response = world.call(Method::GET, path).send().await;
    assert_eq!((response.status.as_u16(), response.header("content-type")), (200, "application/json"), "{path}");
    assert_eq!(response.header("access-control-allow-origin"), "*");
    response.json()
}

#[api_test]
async fn the_authorisation_server_describes_itself(world: World) {
    // O-01, O-03, O-04, O-05
    let server = read(&world, "/.well-known/oauth-authorization-server").await;
    assert_body("discovery_authorisation_server", &world, &server);
}

#[api_test]
async fn the_resources_name_their_authorisation_server(world: World) {
    // O-02, O-06, O-07
    for (path, name) in [("", "discovery_protected_resource"), ("/mcp", "discovery_protected_resource_mcp")] {
        let document = read(&world, &format!("/.well-known/oauth-protected-resource{path}")).await;
        assert_body(name, &world, &document);
    }
}

#[api_test(base_url = "https://Trips.example:443".to_owned())]
async fn the_issuer_is_the_configured_string(world: World) {
    // O-02: never normalised.
    let url = format!("http://{}/.well-known/oauth-authorization-server", world.address());
    let response = world.http.get(url).send().await.expect("an answer").text().await.expect("text");
    let server: Value = serde_json::from_str(&response).expect("JSON");
    assert_eq!(server["issuer"], "https://Trips.example:443");
    assert_eq!(server["token_endpoint"], "https://Trips.example:443/oauth/token");
}

#[api_test]
async fn other_well_known_addresses_are_simply_not_there(world: World) {
    // O-07
    for path in ["openid-configuration", "oauth-authorization-server/mcp", "oauth-protected-resource/v1", "x"] {
        let response = world.call(Method::GET, &format!("/.well-known/{path}")).send().await;
        assert_eq!(response.status, 404, "{path}");
    }
    // Without a rate limit.
    for _ in 0..150 {
        read(&world, "/.well-known/oauth-protected-resource/mcp").await;
    }
}
