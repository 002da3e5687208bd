//! Turns answers into examples: values that differ from run to run are replaced by plausible constants.

use std::collections::HashMap;
use std::slice;

use itinerary_tests::{RawResponse, World};
use serde_json::Value;
use uuid::Uuid;

/// Where the examples' server is.
const SERVER: &str = "https://itineraries.example";

/// Replace the ids that have no name, in order of appearance.
const IDS: [&str; 3] = [
    "01a2ff78-3e00-7a42-b6c0-91e84d07f3a5",
    "01a2ff78-3e00-75d6-a1b8-3fe07c92d418",
    "01a2ff78-3e00-7b83-9c2e-e65d10f4a7b9",
];

/// Replaces the id of a request.
const REQUEST: &str = "7e4e9a52-4d4b-4a2e-9b6f-0c1f6f2d8a11";

/// Replaces a cursor.
const CURSOR: &str = "hN2vX8bQ5mLzR0tYwKcF7sDgJ4pA9uEo1iT6xZkVyBnM3qWrHfUeCjSl";

/// Prefixes of random or signed text, each with what replaces the rest.
const SECRETS: [(&str, &str); 9] = [
    ("app_", "01a2ff783e007d2e8b94f05c6a1e37d8"),
    ("itp_ac_", "q3Lw8ZkD0vXo5RtYb1NcHf7JgU2mSe9KiPaT4zQxWlE"),
    ("itp_at_", "V9xKp2mTq7RwLz0cYb4NfHs8JdGu1eXi5oAa3QlEkZM"),
    ("itp_rt_", "c8Yt1WnRj5Bx0KvLq7ZgPd3MhEs9Uf2oIaX6wTlNyCk"),
    ("whsec_", "7bXq0F3m1kT9uWvYd4RzH8sLcNpE2aGjQoI6fKxJtMA="),
    ("https://itineraries.example/documents/", "eyJkIjoiNDIifQ.mK4nQ9sZ1xYw7RtVb2LcHg"),
    ("https://itineraries.example/t/itn_link_", "Jw5XnC2vRq8LbT0sYzKd7MfH3uGp1eAi9oQx4EtZkVy"),
    ("https://itineraries.example/images/", "01a2ff78-3e00-7f09-8e57-c4a3b21d60ee"),
    ("https://pay.google.com/gp/v/save/", "eyJhbGciOiJSUzI1NiJ9.eyJ0eXAiOiJzYXZldG93YWxsZXQifQ.Zk3v9Qw"),
];

/// Replaces the id that the server generates for an item of an itinerary: 16 characters.
const ENTRY: &str = "Vn3kQ0aTz8WmYx1C";

/// Records answers of one server: an id is replaced by the same constant wherever it appears.
pub(super) struct Recorded {
    base_url: String,
    ids: HashMap<Uuid, String>,
    unnamed: slice::Iter<'static, &'static str>,
}

impl Recorded {
    pub(super) fn new(world: &World) -> Self {
        Self { base_url: world.base_url.clone(), ids: HashMap::new(), unnamed: IDS.iter() }
    }

    /// Sets what replaces an id.
    pub(super) fn name(&mut self, id: Uuid, fixed: &str) {
        self.ids.insert(id, fixed.to_owned());
    }

    /// The body of a response.
    pub(super) fn response(&mut self, response: &RawResponse) -> Value {
        self.value(response.json())
    }

    /// A value with everything in it.
    pub(super) fn value(&mut self, value: Value) -> Value {
        match value {
            Value::String(text) => self.text(&text).into(),
            Value::Array(values) => values.into_iter().map(|value| self.value(value)).collect(),
            Value::Object(fields) => fields.into_iter().map(|(name, value)| self.field(name, value)).collect(),
            value => value,
        }
    }

    fn field(&mut self, name: String, value: Value) -> (String, Value) {
        let value = match (name.as_str(), value.as_str()) {
            ("id" | "from" | "to", Some(id)) if id.len() == ENTRY.len() => ENTRY.into(),
            ("requestId", _) => REQUEST.into(),
            ("nextCursor", Some(_)) => CURSOR.into(),
            _ => self.value(value),
        };
        (name, value)
    }

    fn text(&mut self, text: &str) -> String {
        let text = text.replace(&self.base_url, SERVER);
        if let Some((prefix, fixed)) = SECRETS.iter().find(|(prefix, _)| text.starts_with(prefix)) {
            return format!("{prefix}{fixed}");
        }
        self.without_random_ids(&text)
    }

    /// The text with its UUIDs replaced.
    fn without_random_ids(&mut self, text: &str) -> String {
        const LENGTH: usize = 36;
        let (mut done, mut rest) = (String::new(), text);
        while let Some(next) = rest.chars().next() {
            let id = rest.get(..LENGTH).filter(|id| id.contains('-')).and_then(|id| Uuid::try_parse(id).ok());
            if let Some(id) = id {
                let unnamed = &mut self.unnamed;
                let next = || (*unnamed.next().expect("a value for each id")).to_owned();
                done.push_str(self.ids.entry(id).or_insert_with(next));
                rest = &rest[LENGTH..];
            } else {
                done.push(next);
                rest = &rest[next.len_utf8()..];
            }
        }
        done
    }
}

#[test]
fn only_values_that_vary_between_runs_are_replaced() {
    let base_url = "http://127.0.0.1:1234".to_owned();
    let mut recorded = Recorded { base_url, ids: HashMap::new(), unnamed: IDS.iter() };
    let (one, other, named) = (Uuid::new_v4(), Uuid::new_v4(), Uuid::new_v4());
    recorded.name(named, REQUEST);
    let said = serde_json::json!({
        "author": named, "id": one, "entry": { "id": "0123456789abcdef" }, "day": { "id": "day-1" }, "count": 3,
        "text": format!("é {other} and {one}"), "access_token": "itp_at_x", "url": "http://127.0.0.1:1234/mcp",
    });
    let expected = serde_json::json!({
        "author": REQUEST, "id": IDS[0], "entry": { "id": ENTRY }, "day": { "id": "day-1" }, "count": 3,
        "text": format!("é {} and {}", IDS[1], IDS[0]),
        "access_token": format!("itp_at_{}", SECRETS[2].1), "url": "https://itineraries.example/mcp",
    });
    // The fields come in the order of their names: the first id to come is that of `id`.
    assert_eq!(recorded.value(said), expected);
}
