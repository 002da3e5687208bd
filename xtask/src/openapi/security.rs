//! Servers, the OAuth scheme, and the scope that each operation needs.

use itinerary_api::policy::Scope;
use serde_json::{Map, Value, json};

/// The default address of a server. A running server replaces it by its own.
const BASE_URL: &str = "http://127.0.0.1:8080";

pub(super) fn add(document: &mut Value) {
    document["servers"] = json!([{ "url": BASE_URL, "description": "A server on the local machine" }]);
    let scopes: Map<_, _> = Scope::ALL.iter().map(|scope| (scope.to_string(), scope.meaning().into())).collect();
    document["components"]["securitySchemes"]["oauth2"] = json!({
        "type": "oauth2",
        "description": "Authorisation code grant with PKCE (S256). An access token acts for one traveller within the approved scopes, and is valid for one hour.",
        "flows": { "authorizationCode": {
            "authorizationUrl": format!("{BASE_URL}/oauth/authorise"),
            "tokenUrl": format!("{BASE_URL}/oauth/token"),
            "refreshUrl": format!("{BASE_URL}/oauth/token"),
            "scopes": scopes,
        } },
    });
    super::for_each_operation(document, |_, policy, operation| {
        let scopes: Vec<_> = policy.scope.iter().map(ToString::to_string).collect();
        operation["security"] = if policy.token { json!([{ "oauth2": scopes }]) } else { json!([]) };
    });
}
