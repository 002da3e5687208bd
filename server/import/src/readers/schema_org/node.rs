//! Access to schema.org objects, whatever form a sender gives them.
//!
//! A property may be missing, an array, a reference by `@id`, a text instead of an object, or be spelt with a prefix or in
//! another case.

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::HashMap;

use serde_json::{Map, Value};

use crate::text;

type Object = Map<String, Value>;

/// Values of one property that are read.
const MAX_VALUES: usize = 100;
/// Properties of an object that are searched for other spellings.
const MAX_PROPERTIES: usize = 200;
/// Bytes of a text that are read. Longer ones are cut.
const MAX_TEXT: usize = 10_000;

/// The objects of a file by their `@id`.
#[derive(Default)]
pub(super) struct Graph<'a> {
    by_id: HashMap<&'a str, &'a Value>,
    copied: Cell<usize>,
}

impl<'a> Graph<'a> {
    /// Bytes of all texts that were read. A short file can refer to a long text many times.
    pub(super) fn copied(&self) -> usize {
        self.copied.get()
    }

    /// Collects the objects with an id. Of several with the same id, the one with the most properties.
    pub(super) fn new(values: &'a [Value]) -> Self {
        let mut graph = Self::default();
        for value in values {
            graph.collect(value);
        }
        graph
    }

    fn collect(&mut self, value: &'a Value) {
        match value {
            Value::Array(values) => {
                for value in values {
                    self.collect(value);
                }
            }
            Value::Object(object) => {
                if let Some(id) = id(object).filter(|_| !is_reference(object)) {
                    let known = self.by_id.entry(id).or_insert(value);
                    if known.as_object().is_some_and(|known| known.len() < object.len()) {
                        *known = value;
                    }
                }
                for value in object.values() {
                    self.collect(value);
                }
            }
            _ => {}
        }
    }

    /// The value as a node, after following a reference.
    pub(super) fn node(&'a self, value: &'a Value) -> Node<'a> {
        let target = value.as_object().filter(|object| is_reference(object)).and_then(id);
        let value = target.and_then(|id| self.by_id.get(id).copied()).unwrap_or(value);
        Node { graph: self, value }
    }

    /// The value as a node, without following a reference.
    pub(super) fn written(&'a self, value: &'a Value) -> Node<'a> {
        Node { graph: self, value }
    }
}

fn id(object: &Object) -> Option<&str> {
    object.get("@id").and_then(Value::as_str).filter(|id| !id.is_empty())
}

/// Whether an object only names another one.
fn is_reference(object: &Object) -> bool {
    object.keys().all(|key| key == "@id" || key == "@type") && object.contains_key("@id")
}

/// A value of a property, or an object.
#[derive(Clone, Copy)]
pub(super) struct Node<'a> {
    graph: &'a Graph<'a>,
    value: &'a Value,
}

impl<'a> Node<'a> {
    /// The values of a property: those of an array, or the only one. Without nulls and empty texts.
    pub(super) fn all(self, property: &str) -> Vec<Node<'a>> {
        match self.property(property) {
            None => Vec::new(),
            Some(Value::Array(values)) => self.values(values),
            Some(value) => vec![self.graph.node(value)],
        }
    }

    fn values(self, values: &'a [Value]) -> Vec<Node<'a>> {
        values.iter().filter(|value| !is_empty(value)).take(MAX_VALUES).map(|value| self.graph.node(value)).collect()
    }

    /// The first value of a property.
    pub(super) fn get(self, property: &str) -> Option<Node<'a>> {
        match self.property(property)? {
            Value::Array(values) => values.iter().find(|value| !is_empty(value)).map(|value| self.graph.node(value)),
            value => Some(self.graph.node(value)),
        }
    }

    /// The first value of the first of `properties` that has one.
    pub(super) fn any(self, properties: &[&str]) -> Option<Node<'a>> {
        properties.iter().find_map(|property| self.get(property))
    }

    /// As [`Node::any`], as text for people.
    pub(super) fn text_of(self, properties: &[&str]) -> Option<String> {
        properties.iter().find_map(|property| self.get(property)?.text())
    }

    /// As [`Node::any`], as the name of a person or thing.
    pub(super) fn name_of(self, properties: &[&str]) -> Option<String> {
        properties.iter().find_map(|property| self.get(property)?.name())
    }

    /// The value as it is, if it is a text or a number, or an object with an `@value`. Cut after 10,000 bytes.
    pub(super) fn raw(self) -> Option<Cow<'a, str>> {
        let value = self.value.as_object().map_or(Some(self.value), |object| object.get("@value"))?;
        let text = match value {
            Value::String(text) => Cow::Borrowed(&text[..text.floor_char_boundary(MAX_TEXT)]),
            Value::Number(number) => Cow::Owned(number.to_string()),
            _ => return None,
        };
        self.graph.copied.set(self.graph.copied.get() + text.len());
        Some(text)
    }

    /// Whether [`Node::raw`] is the whole text.
    pub(super) fn is_whole(self) -> bool {
        self.value.as_str().is_none_or(|text| text.len() <= MAX_TEXT)
    }

    /// The value as text for people: trimmed, without markup.
    pub(super) fn text(self) -> Option<String> {
        self.raw().and_then(|text| text::plain(&text))
    }

    /// The name of a person or thing: a text, its `name`, or a person's given and family name.
    pub(super) fn name(self) -> Option<String> {
        self.text().or_else(|| self.text_of(&["name", "legalName"])).or_else(|| {
            let names = [self.text_of(&["givenName"]), self.text_of(&["familyName"])];
            let names: Vec<String> = names.into_iter().flatten().collect();
            (!names.is_empty()).then(|| names.join(" "))
        })
    }

    pub(super) fn is_object(self) -> bool {
        self.value.is_object()
    }

    /// The types without their vocabulary: `Flight` for `http://schema.org/Flight`.
    pub(super) fn types(self) -> impl Iterator<Item = &'a str> {
        let types = self.value.as_object().and_then(|object| object.get("@type").or_else(|| object.get("type")));
        let types = match types {
            Some(Value::Array(types)) => types.as_slice(),
            Some(one) => std::slice::from_ref(one),
            None => &[],
        };
        types.iter().filter_map(Value::as_str).map(local_name)
    }

    /// Whether one of the types is one of `names`.
    pub(super) fn is_a(self, names: &[&str]) -> bool {
        self.types().any(|name| names.iter().any(|wanted| name.eq_ignore_ascii_case(wanted)))
    }

    fn property(self, property: &str) -> Option<&'a Value> {
        let object = self.value.as_object()?;
        let found = object.get(property).filter(|value| !is_empty(value));
        if object.len() > MAX_PROPERTIES {
            return found;
        }
        found.or_else(|| {
            let spelt =
                |(key, value): &(&String, &Value)| local_name(key).eq_ignore_ascii_case(property) && !is_empty(value);
            object.iter().find(spelt).map(|(_, value)| value)
        })
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(values) => values.iter().all(is_empty_element),
        _ => false,
    }
}

/// Arrays in arrays are no values of properties, so this does not recur.
fn is_empty_element(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        _ => false,
    }
}

/// A term without its vocabulary.
fn local_name(term: &str) -> &str {
    let term = term.trim();
    term.rfind(['/', '#', ':']).map_or(term, |at| &term[at + 1..])
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn properties_are_found_in_every_form() {
        let values = [
            json!({
                "http://schema.org/name": {"@value": " Hotel &amp; Bar "}, "schema:url": ["", "u"], "CheckInTime": "t", "telephone": 49,
                "address": {"@id": "#a"}, "geo": null, "image": [], "@type": ["http://schema.org/Hotel", "schema:Place"],
            }),
            json!([{"@id": "#a", "streetAddress": "Road 1"}, {"@id": "#a", "x": 1, "streetAddress": "Road 2"}]),
        ];
        let graph = Graph::new(&values);
        let node = graph.node(&values[0]);
        assert_eq!(node.name().as_deref(), Some("Hotel & Bar"));
        assert_eq!(node.text_of(&["geo", "image", "url"]).as_deref(), Some("u"));
        assert_eq!(node.text_of(&["checkinTime"]).as_deref(), Some("t"));
        assert_eq!(node.text_of(&["telephone"]).as_deref(), Some("49"));
        assert_eq!(node.get("address").unwrap().text_of(&["streetAddress"]).as_deref(), Some("Road 2"));
        assert!(node.is_a(&["hotel"]) && node.is_a(&["Place"]) && !node.is_a(&["Flight"]));
        assert!(node.get("geo").is_none() && node.all("image").is_empty());
    }

    #[test]
    fn references_in_a_circle_end() {
        let values = [json!({"@id": "a", "location": {"@id": "a"}, "name": "A"}), json!({"@id": "b"})];
        let graph = Graph::new(&values);
        let inner = graph.node(&values[0]).get("location").unwrap().get("location").unwrap();
        assert_eq!(inner.name().as_deref(), Some("A"));
        assert!(graph.node(&values[1]).name().is_none());
    }

    #[test]
    fn people_have_names_in_parts() {
        let values = [json!({"@type": "Person", "givenName": "Ada", "familyName": "Kern"})];
        let graph = Graph::new(&values);
        assert_eq!(graph.node(&values[0]).name().as_deref(), Some("Ada Kern"));
    }
}
