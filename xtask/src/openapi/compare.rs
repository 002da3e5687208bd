//! Breaking differences between two versions of the document, modelled on oasdiff's rules.
//!
//! A difference is breaking if a client that was generated from the old document can fail against a server that follows
//! the new one. The comparison knows the part of OpenAPI 3.0 that the project's generator emits; a test fails if the
//! document starts to use more.

mod place;
mod schema;
mod security;

#[cfg(test)]
mod mutations;
#[cfg(test)]
mod operation_mutations;
#[cfg(test)]
mod operation_rules;
#[cfg(test)]
mod rules;

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use place::{Place, Side};

const METHODS: [&str; 8] = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

/// A breaking difference.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Break {
    /// The operation, the place and what happened to it, such as
    /// `PATCH /v1/itineraries/{id}: request field destination.name removed`.
    pub(crate) line: String,
    /// The same as a statement about the named schema it is in, such as `Destination in requests: field name removed`.
    /// One change of a schema breaks every operation that uses it; this line is the same for all of them.
    pub(crate) shared: Option<String>,
}

/// Lists the breaking differences, sorted, each once.
pub(crate) fn breaks(old: &Value, new: &Value) -> Vec<Break> {
    let mut comparison = Comparison { old, new, found: Vec::new(), under_way: Vec::new() };
    comparison.documents();
    comparison.found.sort();
    comparison.found.dedup();
    comparison.found
}

struct Comparison<'a> {
    old: &'a Value,
    new: &'a Value,
    found: Vec<Break>,
    /// The pairs of schemas that are being compared. Schemas may contain themselves.
    under_way: Vec<schema::Pair>,
}

/// An operation and the path item that it belongs to.
#[derive(Clone, Copy)]
struct Operation<'a> {
    document: &'a Value,
    item: &'a Value,
    value: &'a Value,
}

impl<'a> Comparison<'a> {
    fn found(&mut self, place: &Place, what: &str) {
        self.found.push(place.broken(what));
    }

    fn documents(&mut self) {
        let new = operations(self.new);
        for (name, old) in operations(self.old) {
            match new.get(&name) {
                Some(new) => self.operation(&name, old, *new),
                None => self.found(&Place::operation(&name), "operation removed"),
            }
        }
    }

    fn operation(&mut self, name: &str, old: Operation<'a>, new: Operation<'a>) {
        let place = Place::operation(name);
        let id = |operation: Operation<'a>| operation.value["operationId"].as_str().unwrap_or("none");
        if id(old) != id(new) {
            self.found(&place, &format!("operationId changed from {} to {}", id(old), id(new)));
        }
        for need in security::new_needs(old, new) {
            self.found(&place, &need);
        }
        self.parameters(name, old, new);
        self.request_body(name, old, new);
        self.responses(name, old, new);
    }

    fn parameters(&mut self, operation: &str, old: Operation<'a>, new: Operation<'a>) {
        let (old, new) = (parameters(old), parameters(new));
        for (name, was) in &old {
            let place = Place::part(operation, Side::Request, name);
            let Some(is) = new.get(name) else {
                self.found(&place, "removed");
                continue;
            };
            if is_true(&is["required"]) && !is_true(&was["required"]) {
                self.found(&place, "is required now");
            }
            for keyword in ["style", "explode", "content"] {
                if was[keyword] != is[keyword] {
                    self.found(&place, &format!("has another {keyword}"));
                }
            }
            self.schema(&was["schema"], &is["schema"], &place);
        }
        for (name, parameter) in &new {
            if is_true(&parameter["required"]) && !old.contains_key(name) {
                self.found(&Place::part(operation, Side::Request, name), "added as required");
            }
        }
    }

    fn request_body(&mut self, operation: &str, old: Operation<'a>, new: Operation<'a>) {
        let place = Place::body(operation, Side::Request, "request");
        let was = resolve(self.old, &old.value["requestBody"]);
        let is = resolve(self.new, &new.value["requestBody"]);
        if !was.is_null() && is.is_null() {
            self.found(&place, "removed");
            return;
        }
        if is_true(&is["required"]) && !is_true(&was["required"]) {
            self.found(&place, "is required now");
        }
        self.content(was, is, &place);
    }

    fn responses(&mut self, operation: &str, old: Operation<'a>, new: Operation<'a>) {
        for (status, was) in fields(&old.value["responses"]) {
            let prefix = format!("{status} response");
            let was = resolve(self.old, was);
            let Some(is) = new.value["responses"].get(status) else {
                // Clients must handle unknown errors, and a removed error breaks nothing.
                if !status.starts_with(['4', '5']) {
                    self.found(&Place::part(operation, Side::Response, &prefix), "removed");
                }
                continue;
            };
            let is = resolve(self.new, is);
            self.headers(operation, &prefix, was, is);
            self.content(was, is, &Place::body(operation, Side::Response, &prefix));
        }
    }

    fn headers(&mut self, operation: &str, prefix: &str, old: &'a Value, new: &'a Value) {
        for (name, was) in fields(&old["headers"]) {
            let place = Place::part(operation, Side::Response, &format!("{prefix} header {name}"));
            let is = fields(&new["headers"]).find(|(other, _)| name.eq_ignore_ascii_case(other));
            let Some((_, is)) = is else {
                self.found(&place, "removed");
                continue;
            };
            self.schema(&resolve(self.old, was)["schema"], &resolve(self.new, is)["schema"], &place);
        }
    }

    /// Compares bodies by media type.
    fn content(&mut self, old: &'a Value, new: &'a Value, place: &Place) {
        for (media_type, was) in fields(&old["content"]) {
            match new["content"].get(media_type) {
                Some(is) => self.schema(&was["schema"], &is["schema"], place),
                None => self.found(place, &format!("can no longer be {media_type}")),
            }
        }
    }
}

fn operations(document: &Value) -> BTreeMap<String, Operation<'_>> {
    let items = fields(&document["paths"]);
    let of_item = |(path, item): (&'_ String, _)| {
        let named = move |(method, value): (&String, _)| {
            (format!("{} {path}", method.to_ascii_uppercase()), Operation { document, item, value })
        };
        fields(item).filter(|(method, _)| METHODS.contains(&method.as_str())).map(named).collect::<Vec<_>>()
    };
    items.flat_map(of_item).collect()
}

/// The parameters by kind and name, such as `query parameter limit`. Those of the operation override those of its path.
fn parameters<'a>(operation: Operation<'a>) -> BTreeMap<String, &'a Value> {
    let lists = [&operation.item["parameters"], &operation.value["parameters"]];
    let named = |parameter: &'a Value| {
        let parameter = resolve(operation.document, parameter);
        let (kind, name) =
            (parameter["in"].as_str().unwrap_or_default(), parameter["name"].as_str().unwrap_or_default());
        // Names of headers are case-insensitive.
        let name = if kind == "header" { name.to_ascii_lowercase() } else { name.to_owned() };
        (format!("{kind} parameter {name}"), parameter)
    };
    lists.into_iter().filter_map(Value::as_array).flatten().map(named).collect()
}

/// The value that a reference points to; any other value is itself.
fn resolve<'a>(document: &'a Value, value: &'a Value) -> &'a Value {
    match value["$ref"].as_str() {
        Some(reference) => resolve(document, target(document, reference)),
        None => value,
    }
}

fn target<'a>(document: &'a Value, reference: &str) -> &'a Value {
    let pointer = reference.strip_prefix('#').unwrap_or_else(|| panic!("{reference} points outside of the document"));
    document.pointer(pointer).unwrap_or_else(|| panic!("the document refers to {reference}, which it does not have"))
}

fn fields(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flat_map(Map::iter)
}

fn is_true(value: &Value) -> bool {
    value.as_bool() == Some(true)
}
