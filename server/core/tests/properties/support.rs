//! Helpers of all properties: a runner, a source of ids, and a content as one JSON object.

use std::sync::atomic::{AtomicU64, Ordering};

use itinerary_api::read;
use itinerary_core::clock::Random;
use proptest::strategy::Strategy;
use proptest::test_runner::{Config, TestRunner};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use uuid::Uuid;

use crate::plain::Content;

pub(crate) const ITINERARY: Uuid = Uuid::from_u128(0x0192_0000_0000_7000_8000_0000_0000_0001);

/// Runs a property with this many inputs, unless the environment sets another number. Failures are not persisted; the
/// message contains the smallest failing input.
pub(crate) fn check<S: Strategy>(cases: u32, strategy: S, property: impl Fn(S::Value)) {
    let config = Config {
        cases: wanted().unwrap_or(cases),
        failure_persistence: None,
        max_shrink_iters: 4_000,
        ..Config::default()
    };
    let outcome = TestRunner::new(config).run(&strategy, |input| {
        property(input);
        Ok(())
    });
    if let Err(failure) = outcome {
        panic!("{failure}");
    }
}

/// The number of inputs that the environment sets.
fn wanted() -> Option<u32> {
    std::env::var("PROPTEST_CASES").ok()?.parse().ok()
}

/// Fails if a property never met this kind of input, unless there were only a few inputs.
pub(crate) fn happens(times: usize, what: &str) {
    assert!(times > 0 || wanted().is_some_and(|cases| cases < 100), "it never happens that {what}");
}

/// A random source that never repeats ten bytes.
#[derive(Default)]
pub(crate) struct Counter(AtomicU64);

impl Counter {
    /// Starts at this number.
    pub(crate) fn from(first: u64) -> Self {
        Self(AtomicU64::new(first))
    }
}

impl Random for Counter {
    fn fill(&self, bytes: &mut [u8]) {
        let number = self.0.fetch_add(1, Ordering::Relaxed).to_be_bytes();
        for (to, from) in bytes.iter_mut().zip(number.into_iter().cycle()) {
            *to = from;
        }
    }
}

pub(crate) fn json(value: &impl Serialize) -> Value {
    serde_json::to_value(value).expect("plain data")
}

/// Deserialises JSON that the test itself made.
pub(crate) fn typed<T: DeserializeOwned>(value: &Value) -> T {
    try_typed(value).unwrap_or_else(|field| panic!("{field} is refused in {value}"))
}

/// Deserialises JSON like a request body, or returns the invalid field.
pub(crate) fn try_typed<T: DeserializeOwned>(value: &Value) -> Result<T, String> {
    read::json(value.to_string().as_bytes()).map_err(|error| error.field.unwrap_or_default())
}

/// A content as one object, as a reader with every section sees it.
pub(crate) fn whole(content: &Content) -> Value {
    let parts = [json(&content.everyone), json(&content.members), json(&content.pro), json(&content.documents)];
    parts
        .into_iter()
        .map(object)
        .reduce(|mut all, part| {
            all.extend(part);
            all
        })
        .map(Value::Object)
        .expect("four parts")
}

fn object(value: Value) -> serde_json::Map<String, Value> {
    match value {
        Value::Object(fields) => fields,
        other => panic!("no object: {other}"),
    }
}

/// The same JSON with every number as a double: `3`, `3.0` and `3e0` are the same number.
pub(crate) fn doubles(value: Value) -> Value {
    match value {
        Value::Number(number) => Value::from(number.as_f64().expect("a number")),
        Value::Array(items) => items.into_iter().map(doubles).collect(),
        Value::Object(fields) => fields.into_iter().map(|(name, value)| (name, doubles(value))).collect(),
        other => other,
    }
}
