//! Messages of refused input: in words of JSON, whatever type a field has and whatever was sent instead.

use itinerary_tests::{World, api_test};
use reqwest::Method;
use serde_json::{Value, json};

use super::App;
use super::fixtures::full;

/// Words of the server's language and libraries, which mean nothing to callers.
const FOREIGN: [&str; 24] = [
    "f32", "f64", "i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32", "u64", "u128", "usize", "bool",
    "struct", "enum", "variant", "variants", "untagged", "tuple", "sequence", "unit", "Option",
];

/// The values in place of which each field is sent.
fn wrong() -> [Value; 7] {
    [json!(null), json!(true), json!(-1.5), json!(1e300), json!("\u{1}"), json!([[]]), json!({ "surprise": {} })]
}

#[track_caller]
fn assert_plain(text: &str, sent: &str) {
    let mut words = text.split(|c: char| !c.is_ascii_alphanumeric());
    assert_eq!(words.find(|word| FOREIGN.contains(word)), None, "{text} for {sent}");
}

/// The JSON pointers of all values within a value.
fn pointers(value: &Value, at: &str) -> Vec<String> {
    let inside: Vec<_> = match value {
        Value::Object(fields) => fields.iter().map(|(name, value)| (name.clone(), value)).collect(),
        Value::Array(values) => values.iter().enumerate().map(|(n, value)| (n.to_string(), value)).collect(),
        _ => Vec::new(),
    };
    let inside = inside.iter().flat_map(|(name, value)| pointers(value, &format!("{at}/{name}")));
    std::iter::once(at.to_owned()).chain(inside).collect()
}

// Storage is not reached.
#[api_test(sqlite, limits = false)]
async fn no_message_about_a_body_names_a_type_of_the_server(world: World) {
    let app = App::pro(&world, "ana").await;
    let mut refused = 0;
    for pointer in pointers(&full(), "") {
        for wrong in wrong() {
            let mut body = full();
            *body.pointer_mut(&pointer).expect("it is there") = wrong;
            let response = app.create_call("?dryRun=true", &body).send().await;
            if response.status == 422 {
                refused += 1;
                let message = response.json()["error"]["message"].as_str().expect("a message").to_owned();
                assert_plain(&message, &format!("{pointer} of {body}"));
            }
        }
    }
    assert!(refused > 500, "{refused}");
}

#[api_test(sqlite, limits = false)]
async fn no_message_about_a_parameter_or_client_names_one(world: World) {
    let app = App::pro(&world, "ana").await;
    for query in ["limit=x", "limit=1.5", "filter=x", "updatedSince=1", "cursor=1", "limit=99999999999999999999"] {
        let response = app.list(query).await;
        response.expect_error(422, "validationFailed");
        assert_plain(&response.text(), query);
    }
    for path in ["/v1/itineraries/x", "/v1/accounts/1/itineraries", "/v1/explore?regions=1&limit=x"] {
        let response = app.call(Method::GET, path).send().await;
        response.expect_error(422, "validationFailed");
        assert_plain(&response.text(), path);
    }
    for member in ["redirect_uris", "client_name", "token_endpoint_auth_method", "grant_types", "contacts", "scope"] {
        for wrong in wrong().into_iter().skip(1) {
            let body = json!({ "redirect_uris": ["https://app.example/cb"], member: wrong });
            let response = world.call(Method::POST, "/oauth/register").json(&body).send().await;
            assert_plain(&response.text(), &body.to_string());
        }
    }
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": "create_itinerary",
        "arguments": { "destination": { "name": "Lisbon", "coordinate": { "latitude": "38.7", "longitude": [] } } } } });
    let response = app.call(Method::POST, "/mcp").header("Accept", "application/json, text/event-stream").json(&call);
    assert_plain(&response.send().await.text(), "a tool's argument");
}
