//! Contents of itineraries.

use itinerary_api::types::ItineraryCreate;
use proptest::prelude::Strategy;
use proptest::strategy::BoxedStrategy;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::objects::object;
use super::resources::{CONTENT, DOCUMENTS};
use super::tidy::{self, Names};
use crate::model::completed;
use crate::plain::Content;

/// Any content: each value is valid, but rules between values may be broken.
pub(crate) fn raw() -> BoxedStrategy<Content> {
    (object(CONTENT), object(DOCUMENTS)).prop_map(|(content, documents)| assemble(content, documents)).boxed()
}

/// A content that satisfies the rules.
pub(crate) fn valid(prefix: &'static str) -> BoxedStrategy<Content> {
    raw()
        .prop_map(|mut content| {
            tidy::content(&mut content, &mut Names::new(prefix));
            content
        })
        .boxed()
}

/// A content from the objects with its fields.
fn assemble(content: Value, documents: Value) -> Content {
    fn part<T: DeserializeOwned>(whole: &Value) -> T {
        serde_json::from_value(whole.clone()).expect("fields of their types")
    }
    let (content, documents) = (completed(CONTENT, content), completed(DOCUMENTS, documents));
    Content { everyone: part(&content), members: part(&content), pro: part(&content), documents: part(&documents) }
}

/// The smallest body that creates an itinerary.
pub(crate) fn smallest() -> ItineraryCreate {
    let body = r#"{"destination": {"name": "Lisbon", "coordinate": {"latitude": 38.7, "longitude": -9.1}}}"#;
    serde_json::from_str(body).expect("a destination is enough")
}
