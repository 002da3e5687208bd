//! Comparing schemas.

use std::collections::BTreeSet;
use std::fmt;
use std::ptr;

use serde_json::{Map, Value};

use super::place::{Place, Side};
use super::{Comparison, fields, is_true, target};

/// Keywords that say nothing about which values are valid.
const ANNOTATIONS: [&str; 7] = ["title", "description", "default", "example", "examples", "deprecated", "externalDocs"];

/// Keywords that are compared by a rule.
const COMPARED: [&str; 23] = [
    "type",
    "nullable",
    "format",
    "enum",
    OPEN_ENUM,
    "pattern",
    "maximum",
    "maxLength",
    "maxItems",
    "maxProperties",
    "minimum",
    "minLength",
    "minItems",
    "minProperties",
    "multipleOf",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "uniqueItems",
    "properties",
    "required",
    "additionalProperties",
    "items",
    // Of one schema; more are compared literally.
    "allOf",
];

/// Lists the values of an enum that may grow.
const OPEN_ENUM: &str = "x-extensible-enum";

/// Formats whose values are all valid in the other one.
const NARROWER_FORMATS: [(&str, &str); 10] = [
    ("int32", "int64"),
    ("uint8", "uint16"),
    ("uint8", "uint32"),
    ("uint8", "uint64"),
    ("uint16", "uint32"),
    ("uint16", "uint64"),
    ("uint32", "uint64"),
    ("uint32", "int64"),
    ("uint16", "int32"),
    ("float", "double"),
];

/// Patterns whose texts all match the other one.
const NARROWER_PATTERNS: [(&str, &str); 1] =
    // Text without control characters: the newer pattern leaves out those above ASCII.
    [(r"^[^\x00-\x08\x0B-\x1F\x7F-\x9F]*$", r"^[^\x00-\x08\x0B-\x1F\x7F]*$")];

/// Two schemas, by where they are in memory.
pub(super) type Pair = (*const Map<String, Value>, *const Map<String, Value>);

/// A schema with its references followed.
pub(super) struct Schema<'a> {
    /// The name of the component, if the schema is one.
    pub(super) name: Option<&'a str>,
    /// The schema, outermost first. `allOf` of one reference wraps a component to add to it.
    layers: Vec<&'a Map<String, Value>>,
    /// Whether it is a choice between a schema and null.
    or_null: bool,
}

impl<'a> Schema<'a> {
    pub(super) fn new(document: &'a Value, mut value: &'a Value) -> Self {
        let mut schema = Self { name: None, layers: Vec::new(), or_null: false };
        while let Some(layer) = value.as_object() {
            if let Some(reference) = layer.get("$ref").and_then(Value::as_str) {
                schema.name = schema.name.or(reference.rsplit('/').next());
                value = target(document, reference);
                continue;
            }
            schema.layers.push(layer);
            if let Some(some) = layer.get("oneOf").and_then(or_null) {
                schema.or_null = true;
                value = some;
                continue;
            }
            let Some([only]) = layer.get("allOf").and_then(Value::as_array).map(Vec::as_slice) else { break };
            value = only;
        }
        schema
    }

    fn get(&self, keyword: &str) -> Option<&'a Value> {
        self.layers.iter().find_map(|layer| layer.get(keyword))
    }

    fn text(&self, keyword: &str) -> Option<&'a str> {
        self.get(keyword).and_then(Value::as_str)
    }

    fn number(&self, keyword: &str) -> Option<f64> {
        self.get(keyword).and_then(Value::as_f64)
    }

    fn flag(&self, keyword: &str) -> bool {
        self.get(keyword).is_some_and(is_true)
    }

    fn nullable(&self) -> bool {
        self.or_null || self.flag("nullable")
    }

    /// The listed values but null, which `nullable` speaks of; `None` if there is no list.
    fn values(&self, keyword: &str) -> Option<Vec<&'a Value>> {
        let values = self.get(keyword)?.as_array()?;
        Some(values.iter().filter(|value| !value.is_null()).collect())
    }

    fn required(&self) -> BTreeSet<&'a str> {
        let names = self.get("required").and_then(Value::as_array);
        names.into_iter().flatten().filter_map(Value::as_str).collect()
    }

    fn properties(&self) -> &'a Value {
        self.get("properties").unwrap_or(&Value::Null)
    }

    /// Which fields there may be besides those that are named.
    fn rest(&self) -> Rest<'a> {
        match self.get("additionalProperties") {
            None | Some(Value::Bool(true)) => Rest::Any,
            Some(Value::Bool(false)) => Rest::None,
            Some(Value::Object(schema)) if schema.is_empty() => Rest::Any,
            Some(schema) => Rest::Of(schema),
        }
    }

    /// The keywords that no rule compares.
    pub(super) fn unknown(&self) -> impl Iterator<Item = &'a str> {
        let keywords = self.layers.iter().flat_map(|layer| layer.iter());
        let unknown = |(keyword, value): &(&String, &Value)| {
            let keyword = keyword.as_str();
            let several = keyword == "allOf" && value.as_array().is_none_or(|schemas| schemas.len() != 1);
            let extension = keyword.starts_with("x-");
            let or_null = keyword == "oneOf" && or_null(value).is_some();
            several || !(or_null || extension || COMPARED.contains(&keyword) || ANNOTATIONS.contains(&keyword))
        };
        keywords.filter(unknown).map(|(keyword, _)| keyword.as_str())
    }

    fn address(&self) -> *const Map<String, Value> {
        self.layers.last().map_or(ptr::null(), |layer| ptr::from_ref(*layer))
    }
}

/// The schema of a choice between it and null.
fn or_null(choices: &Value) -> Option<&Value> {
    let [schema, null] = choices.as_array()?.as_slice() else { return None };
    null.get("nullable").is_some_and(is_true).then_some(schema)
}

enum Rest<'a> {
    Any,
    None,
    Of(&'a Value),
}

impl<'a> Comparison<'a> {
    pub(super) fn schema(&mut self, old: &'a Value, new: &'a Value, place: &Place) {
        let (old, new) = (Schema::new(self.old, old), Schema::new(self.new, new));
        // Whether a field may be null is said by the object that has the field, not by the field's schema.
        self.null(&old, &new, place);
        let pair = (old.address(), new.address());
        if self.under_way.contains(&pair) || (old.layers.is_empty() && new.layers.is_empty()) {
            return;
        }
        let place = place.within(&old, &new);
        if !is_within(place.side, old.text("type"), new.text("type"), &[("integer", "number")]) {
            let (was, is) = (Said(old.text("type")), Said(new.text("type")));
            // Nothing else can be compared.
            return self.found(&place, &format!("changed its type from {was} to {is}"));
        }
        self.under_way.push(pair);
        if !is_within(place.side, old.text("format"), new.text("format"), &NARROWER_FORMATS) {
            self.replaced("format", old.text("format"), new.text("format"), &place);
        }
        match place.side {
            Side::Request => self.request_values(&old, &new, &place),
            Side::Response => self.response_values(&old, &new, &place),
        }
        self.properties(&old, &new, &place);
        self.rest(&old, &new, &place);
        let items = |schema: &Schema<'a>| schema.get("items").unwrap_or(&Value::Null);
        self.schema(items(&old), items(&new), &place.items());
        let unknown: BTreeSet<_> = old.unknown().chain(new.unknown()).collect();
        for keyword in unknown.into_iter().filter(|keyword| old.get(keyword) != new.get(keyword)) {
            self.found(&place, &format!("has another {keyword}"));
        }
        self.under_way.pop();
    }

    fn replaced(
        &mut self,
        keyword: &str,
        was: Option<impl fmt::Display>,
        is: Option<impl fmt::Display>,
        place: &Place,
    ) {
        self.found(place, &format!("has {keyword} {} instead of {}", Said(is), Said(was)));
    }

    fn null(&mut self, old: &Schema<'a>, new: &Schema<'a>, place: &Place) {
        match (place.side, old.nullable(), new.nullable()) {
            (Side::Request, true, false) => self.found(place, "no longer takes null"),
            (Side::Response, false, true) => self.found(place, "may be null now"),
            _ => {}
        }
    }

    /// Every value that was valid must be valid still.
    fn request_values(&mut self, old: &Schema<'a>, new: &Schema<'a>, place: &Place) {
        let was = old.values("enum");
        let is = new.values("enum");
        if let (None, Some(is)) = (&was, &is) {
            let values: Vec<_> = is.iter().map(ToString::to_string).collect();
            self.found(place, &format!("takes only {} now", values.join(", ")));
        } else if let (Some(was), Some(is)) =
            (was.or_else(|| old.values(OPEN_ENUM)), is.or_else(|| new.values(OPEN_ENUM)))
        {
            for value in was.iter().filter(|value| !is.contains(value)) {
                self.found(place, &format!("no longer takes {value}"));
            }
        }
        if let (Some(was), Some(is)) = (old.get("default"), new.get("default"))
            && was != is
        {
            self.replaced("default", Some(was), Some(is), place);
        }
        self.limits(old, new, place);
    }

    fn limits(&mut self, old: &Schema<'a>, new: &Schema<'a>, place: &Place) {
        let text = old.text("pattern");
        if !is_within(Side::Request, text, new.text("pattern"), &NARROWER_PATTERNS) {
            self.replaced("pattern", text, new.text("pattern"), place);
        }
        for (keyword, least) in
            [("minimum", f64::NEG_INFINITY), ("minLength", 0.0), ("minItems", 0.0), ("minProperties", 0.0)]
        {
            let (was, is) = (old.number(keyword), new.number(keyword));
            if is.unwrap_or(least) > was.unwrap_or(least) {
                self.replaced(keyword, was, is, place);
            }
        }
        for keyword in ["maximum", "maxLength", "maxItems", "maxProperties"] {
            let (was, is) = (old.number(keyword), new.number(keyword));
            if is.unwrap_or(f64::INFINITY) < was.unwrap_or(f64::INFINITY) {
                self.replaced(keyword, was, is, place);
            }
        }
        let (was, is) = (old.number("multipleOf"), new.number("multipleOf"));
        if is.is_some() && was != is {
            self.replaced("multipleOf", was, is, place);
        }
        for keyword in ["exclusiveMinimum", "exclusiveMaximum", "uniqueItems"] {
            if new.flag(keyword) && !old.flag(keyword) {
                self.found(place, &format!("has {keyword} now"));
            }
        }
    }

    /// Clients must know every value that they get. A list that is declared open may grow, and limits may be loosened.
    fn response_values(&mut self, old: &Schema<'a>, new: &Schema<'a>, place: &Place) {
        match (old.values("enum"), new.values("enum")) {
            (Some(was), Some(is)) => {
                for value in is.iter().filter(|value| !was.contains(value)) {
                    self.found(place, &format!("may be {value} now"));
                }
            }
            (Some(_), None) => self.found(place, "may have values that are not listed now"),
            (None, _) => {}
        }
    }

    fn properties(&mut self, old: &Schema<'a>, new: &Schema<'a>, place: &Place) {
        for (name, was) in fields(old.properties()) {
            match new.properties().get(name) {
                Some(is) => self.schema(was, is, &place.field(name)),
                None => self.found(&place.field(name), "removed"),
            }
        }
        let (was, is) = (old.required(), new.required());
        match place.side {
            Side::Request => {
                for name in is.difference(&was) {
                    self.found(&place.field(name), "is required now");
                }
            }
            Side::Response => {
                for name in was.difference(&is).filter(|name| new.properties().get(**name).is_some()) {
                    self.found(&place.field(name), "may be absent now");
                }
            }
        }
    }

    fn rest(&mut self, old: &Schema<'a>, new: &Schema<'a>, place: &Place) {
        match (place.side, old.rest(), new.rest()) {
            (_, Rest::Of(was), Rest::Of(is)) => self.schema(was, is, &place.values()),
            (Side::Request, Rest::Any | Rest::Of(_), Rest::None) => {
                self.found(place, "no longer takes fields that are not listed");
            }
            (Side::Request, Rest::Any, Rest::Of(_)) => self.found(place, "limits fields that are not listed now"),
            (Side::Response, Rest::Of(_), Rest::None) => self.found(place, "no longer has fields that are not listed"),
            (Side::Response, Rest::Of(_), Rest::Any) => {
                self.found(place, "may have any value in fields that are not listed now");
            }
            _ => {}
        }
    }
}

/// Whether the new set of values is within what the other side understands. `None` stands for all values.
fn is_within(side: Side, old: Option<&str>, new: Option<&str>, narrower: &[(&str, &str)]) -> bool {
    let (inner, outer) = if side == Side::Request { (old, new) } else { (new, old) };
    match (inner, outer) {
        (_, None) => true,
        (None, Some(_)) => false,
        (Some(inner), Some(outer)) => inner == outer || narrower.contains(&(inner, outer)),
    }
}

/// A value, or `none`.
struct Said<T>(Option<T>);

impl<T: fmt::Display> fmt::Display for Said<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Some(value) => value.fmt(f),
            None => f.write_str("none"),
        }
    }
}
