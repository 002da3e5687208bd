//! The document's examples of request bodies are valid: each is sent and succeeds.

use reqwest::header::{HeaderName, HeaderValue};
use rstest::rstest;
use serde_json::Value;

use super::create_whole;
use super::samples::{Sample, guarded};
use crate::support::{Database, Postgres, Sqlite, World};

/// An operation's examples in the published document.
fn examples(document: &Value, sample: &Sample) -> Vec<Value> {
    let operation = &document["paths"][sample.path][sample.method.to_lowercase()];
    let json = &operation["requestBody"]["content"]["application/json"];
    let named = json["examples"].as_object().into_iter().flatten().map(|(_, example)| example["value"].clone());
    named.chain(json.get("example").cloned()).collect()
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn every_example_of_a_body_is_accepted(#[values(Sqlite, Postgres)] database: Database) {
    let Some(world) = World::start_with(database, |config| config.limits = false).await else { return };
    world.pro_account("ana").await;
    let token = world.token("ana", "itineraries:read itineraries:write").await;
    let document: Value = serde_json::from_str(include_str!("../../../openapi/itinerary.json")).expect("a document");
    let mut sent = 0;
    for sample in guarded() {
        for example in examples(&document, sample) {
            let id = create_whole(&world, &token).await.json()["id"].as_str().expect("an id").to_owned();
            let call = sample.call(&world, &id).token(&token);
            // The example replaces the sample's body.
            let mut request = call.0.body(example.to_string()).build().expect("a request");
            let json = HeaderValue::from_static("application/json");
            request.headers_mut().insert(HeaderName::from_static("content-type"), json);
            let answer = world.http.execute(request).await.expect("an answer");
            assert_eq!(answer.status().as_u16(), sample.status, "{}: {example}", sample.operation);
            sent += 1;
        }
    }
    assert!(sent >= 10, "{sent} examples");
}
