//! The requests that the server sends to webhooks: `x-webhooks`, because OpenAPI 3.0 has no field for them.

use itinerary_api::types::{ChangeType, TEST_EVENT, WebhookEvent, WebhookTest};
use schemars::JsonSchema;
use schemars::r#gen::SchemaSettings;
use serde_json::{Map, Value, json};

const RESPONSES: &str = "Any response. Status 2xx within 15 seconds is success, 410 disables the webhook, and `Retry-After` \
     delays the next attempt. Redirects are not followed.";

/// Adds a request for each type of event, and the schemas of their bodies.
pub(super) fn add(document: &mut Value) {
    let (event, test) = (schema::<WebhookEvent>(document), schema::<WebhookTest>(document));
    let events = ChangeType::ALL.into_iter().map(|kind| {
        let about = format!("Sent to webhooks whose `types` contain `{}`.", kind.name());
        (kind.name().to_owned(), request(kind.name(), &about, &event))
    });
    let tests = (TEST_EVENT.to_owned(), request(TEST_EVENT, "Sent by the operation `webhook_test`.", &test));
    document["x-webhooks"] = Value::Object(events.chain([tests]).collect::<Map<_, _>>());
}

/// Adds the schemas of a type; returns a reference to its own.
fn schema<T: JsonSchema>(document: &mut Value) -> Value {
    let root = SchemaSettings::openapi3().into_generator().into_root_schema_for::<T>();
    let mut own = root.schema;
    own.metadata().title = None;
    let name = T::schema_name();
    let all = root.definitions.into_iter().chain([(name.clone(), own.into())]);
    let schemas = document["components"]["schemas"].as_object_mut().expect("a document has schemas");
    for (name, schema) in all {
        let schema = serde_json::to_value(schema).expect("a schema is plain data");
        let earlier = schemas.entry(name.clone()).or_insert_with(|| schema.clone());
        assert_eq!(*earlier, schema, "two schemas are named {name}");
    }
    json!({ "$ref": format!("#/components/schemas/{name}") })
}

fn request(name: &str, about: &str, schema: &Value) -> Value {
    let header = |name: &str, about: &str, example: &str| {
        let schema = json!({ "type": "string" });
        json!({ "in": "header", "name": name, "required": true, "description": about, "schema": schema, "example": example })
    };
    json!({ "post": {
        "operationId": format!("on_{}", name.replace('.', "_")),
        "summary": format!("Receive {name}"),
        "description": about,
        // The signature in its headers is no scheme of OpenAPI.
        "security": [],
        "parameters": [
            header("webhook-id", "The id of the delivery, the same in every attempt.", "0197a1f0-6a3e-7c1d-9d3f-2b8a4c5d6e7f"),
            header("webhook-timestamp", "When the attempt was made, in seconds since 1970.", "1798761600"),
            header(
                "webhook-signature",
                "`v1,` and an HMAC-SHA-256 in base64 of id, timestamp and body, joined by dots; after a rotation of the \
                 secret two, separated by a space.",
                "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
            ),
        ],
        "requestBody": { "required": true, "content": { "application/json": { "schema": schema } } },
        "responses": { "default": { "description": RESPONSES } },
    } })
}
