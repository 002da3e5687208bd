//! The examples of the published document: `openapi/examples.json` holds a request and the responses of every
//! operation, and a response for every error, as a server gives them. `cargo xtask openapi` puts them into the
//! document.
//!
//! To renew the file: `INSTA_UPDATE=always cargo test -p itinerary-tests --test it http::examples`, then `cargo xtask openapi`.

mod recorded;
mod refusals;
mod story;
mod valid;

use std::{env, fs};

use itinerary_api::policy::Surface;
use itinerary_tests::Sqlite;
use serde_json::{Map, Value, json};

use super::errors;
use super::samples::SAMPLES;
use recorded::Recorded;
use story::Story;

/// The file.
const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../openapi/examples.json");

/// On SQLite only: other tests compare the responses of both databases.
#[tokio::test(flavor = "multi_thread")]
async fn the_examples_are_what_the_server_answers() {
    let examples = json!({
        "operations": Box::pin(operations()).await,
        "errors": errors().await,
        "oauthErrors": Box::pin(refusals::oauth_errors()).await,
    });
    if env::var("INSTA_UPDATE").is_ok_and(|value| value == "always") {
        let text = serde_json::to_string_pretty(&examples).expect("JSON") + "\n";
        fs::write(FILE, text).expect("the file is written");
        return;
    }
    let committed = fs::read_to_string(FILE).unwrap_or_default();
    let committed = serde_json::from_str(&committed).unwrap_or_default();
    let mut differences = Vec::new();
    compare("", &committed, &examples, &mut differences);
    let how = "renew them with INSTA_UPDATE=always, and then the document with `cargo xtask openapi`";
    assert!(differences.is_empty(), "the examples are stale; {how}:\n{}", differences.join("\n"));
}

/// The request and the responses of each operation that programs call.
async fn operations() -> Map<String, Value> {
    let mut operations = Map::new();
    for sample in SAMPLES.iter() {
        let is_for_programs = !matches!(sample.policy().surface, Surface::Page | Surface::File);
        // Browsers go there, and the responses are pages.
        if !is_for_programs || ["oauth_authorise", "oauth_decision"].contains(&sample.operation) {
            continue;
        }
        let story = Box::pin(Story::begin(sample)).await;
        if let Some(exchange) = story.exchange().await {
            operations.insert(sample.operation.to_owned(), exchange);
        }
    }
    operations
}

/// A response for each error code.
async fn errors() -> Map<String, Value> {
    let world = errors::start(Sqlite).await.expect("SQLite is there");
    let reached = errors::reach_all(&world).await;
    let example = |(code, response, _): &(itinerary_api::error::ErrorCode, _, _)| {
        (code.as_str().to_owned(), Recorded::new(&world).response(response))
    };
    reached.iter().map(example).collect()
}

/// Lists the JSON pointers at which two values differ.
fn compare(at: &str, committed: &Value, now: &Value, differences: &mut Vec<String>) {
    match (committed, now) {
        (Value::Object(committed), Value::Object(now)) => {
            for (name, value) in now {
                compare(&format!("{at}/{name}"), committed.get(name).unwrap_or(&Value::Null), value, differences);
            }
            for (name, value) in committed.iter().filter(|(name, _)| !now.contains_key(*name)) {
                compare(&format!("{at}/{name}"), value, &Value::Null, differences);
            }
        }
        (Value::Array(committed), Value::Array(now)) if committed.len() == now.len() => {
            for (index, (committed, now)) in committed.iter().zip(now).enumerate() {
                compare(&format!("{at}/{index}"), committed, now, differences);
            }
        }
        _ if committed == now => {}
        _ => differences.push(format!("{at}: {committed} is now {now}")),
    }
}

#[test]
fn a_difference_is_listed_with_its_pointer() {
    let (old, new) = (json!({ "a": [1, { "b": 2 }], "c": 3 }), json!({ "a": [1, { "b": 4 }], "d": 5 }));
    let mut differences = Vec::new();
    compare("", &old, &new, &mut differences);
    assert_eq!(differences, ["/a/1/b: 2 is now 4", "/d: null is now 5", "/c: 3 is now null"]);
    differences.clear();
    compare("", &new, &new, &mut differences);
    assert!(differences.is_empty());
}
