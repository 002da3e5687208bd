//! The present document against itself with a kind of mutation wherever it applies: each one is found, and nothing else.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::{METHODS, breaks, resolve};

/// What a mutation of a schema breaks, in requests and in responses.
#[derive(Default)]
struct Broken {
    requests: Vec<String>,
    responses: Vec<String>,
}

impl Broken {
    fn requests(what: impl Into<String>) -> Self {
        Self { requests: vec![what.into()], ..Self::default() }
    }

    fn responses(what: impl Into<String>) -> Self {
        Self { responses: vec![what.into()], ..Self::default() }
    }

    fn both(what: impl Into<String>) -> Self {
        let what = what.into();
        Self { requests: vec![what.clone()], responses: vec![what] }
    }
}

pub(super) fn present() -> Value {
    crate::openapi::document().expect("a document")
}

/// The names of the schemas that these values refer to, directly or not.
fn reached(document: &Value, value: &Value, names: &mut BTreeSet<String>) {
    match value {
        Value::Object(object) => {
            if let Some(reference) = object.get("$ref").and_then(Value::as_str) {
                let schema = reference.strip_prefix("#/components/schemas/");
                if schema.is_none_or(|name| names.insert(name.to_owned())) {
                    reached(document, resolve(document, value), names);
                }
            }
            object.values().for_each(|value| reached(document, value, names));
        }
        Value::Array(values) => values.iter().for_each(|value| reached(document, value, names)),
        _ => {}
    }
}

pub(super) fn each_operation(document: &mut Value, mut visit: impl FnMut(&str, &mut Map<String, Value>)) {
    for (path, item) in document["paths"].as_object_mut().expect("paths") {
        for (method, operation) in item.as_object_mut().expect("a path item") {
            assert!(METHODS.contains(&method.as_str()), "{method} of {path}");
            visit(&format!("{} {path}", method.to_uppercase()), operation.as_object_mut().expect("an operation"));
        }
    }
}

/// Visits a schema and the schemas within that have no name of their own, with their paths.
fn each_inline(schema: &mut Value, path: &str, visit: &mut impl FnMut(&str, &mut Map<String, Value>)) {
    let Some(schema) = schema.as_object_mut().filter(|schema| !schema.contains_key("$ref")) else { return };
    visit(path, schema);
    let dot = if path.is_empty() { "" } else { "." };
    for (name, property) in schema.get_mut("properties").and_then(Value::as_object_mut).into_iter().flatten() {
        each_inline(property, &format!("{path}{dot}{name}"), visit);
    }
    for (keyword, step) in [("items", "[]"), ("additionalProperties", "{}")] {
        if let Some(schema) = schema.get_mut(keyword) {
            each_inline(schema, &format!("{path}{step}"), visit);
        }
    }
}

/// Checks a mutation that applies to some schema.
fn check_schemas(mutate: impl FnMut(&str, &mut Map<String, Value>) -> Broken) {
    assert!(mutated_schemas(mutate) > 0, "the mutation applies nowhere");
}

/// Mutates every named schema and what is inline in it. Compares what is found with what the mutation says. Returns how
/// many differences the mutation has made.
fn mutated_schemas(mut mutate: impl FnMut(&str, &mut Map<String, Value>) -> Broken) -> usize {
    let old = present();
    let (mut requests, mut responses) = (BTreeSet::new(), BTreeSet::new());
    each_operation(&mut old.clone(), |_, operation| {
        for (keyword, value) in operation {
            let side = if keyword == "responses" { &mut responses } else { &mut requests };
            reached(&old, value, side);
        }
    });
    let mut new = old.clone();
    let (mut wanted, mut mutated) = (BTreeSet::new(), 0);
    for (name, schema) in new["components"]["schemas"].as_object_mut().expect("schemas") {
        each_inline(schema, "", &mut |path, schema| {
            let broken = mutate(path, schema);
            mutated += broken.requests.len() + broken.responses.len();
            for (side, names, broken) in
                [("requests", &requests, broken.requests), ("responses", &responses, broken.responses)]
            {
                if names.contains(name) {
                    wanted.extend(broken.into_iter().map(|what| format!("{name} in {side}: {what}")));
                }
            }
        });
    }
    let found: BTreeSet<_> = breaks(&old, &new).into_iter().filter_map(|found| found.shared).collect();
    let missed: Vec<_> = wanted.difference(&found).collect();
    let surplus: Vec<_> = found.difference(&wanted).collect();
    assert!(missed.is_empty() && surplus.is_empty(), "missed: {missed:#?}, surplus: {surplus:#?}");
    mutated
}

/// What is said about the field at a path.
fn at(path: &str, what: &str) -> String {
    if path.is_empty() { what.to_owned() } else { format!("field {path} {what}") }
}

fn below(path: &str, name: &str, what: &str) -> String {
    let dot = if path.is_empty() { "" } else { "." };
    at(&format!("{path}{dot}{name}"), what)
}

fn names(schema: &Map<String, Value>, keyword: &str) -> BTreeSet<String> {
    let listed = schema.get(keyword).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let named = schema.get(keyword).and_then(Value::as_object).into_iter().flat_map(Map::keys);
    listed.map(str::to_owned).chain(named.cloned()).collect()
}

#[test]
fn the_document_breaks_nothing_of_itself() {
    assert_eq!(breaks(&present(), &present()), []);
}

#[test]
fn the_document_uses_nothing_that_the_comparison_does_not_know() {
    let mut document = present();
    let mut seen = 0;
    let mut look = |path: &str, schema: &mut Map<String, Value>| {
        let value = Value::Object(schema.clone());
        let unknown: Vec<_> = super::schema::Schema::new(&Value::Null, &without_references(&value))
            .unknown()
            .map(str::to_owned)
            .collect();
        assert_eq!(unknown, Vec::<String>::new(), "{path} of {value}");
        // Two layers with properties would have to be merged.
        let wraps = schema.contains_key("allOf");
        assert!(
            !wraps
                || !["properties", "required", "items", "additionalProperties"].iter().any(|k| schema.contains_key(*k)),
            "{value}"
        );
        seen += 1;
    };
    for kind in ["schemas", "parameters", "headers", "responses"] {
        for (_, component) in document["components"].get_mut(kind).and_then(Value::as_object_mut).into_iter().flatten()
        {
            if kind == "schemas" { each_inline(component, "", &mut look) } else { each_schema(component, &mut look) }
        }
    }
    each_operation(&mut document, |_, operation| {
        operation.values_mut().for_each(|value| each_schema(value, &mut look));
    });
    assert!(seen > 300, "{seen}");
}

/// Visits what is called `schema` at any depth.
fn each_schema(value: &mut Value, visit: &mut impl FnMut(&str, &mut Map<String, Value>)) {
    match value {
        Value::Object(object) => {
            for (name, value) in object {
                if name == "schema" { each_inline(value, "", visit) } else { each_schema(value, visit) }
            }
        }
        Value::Array(values) => values.iter_mut().for_each(|value| each_schema(value, visit)),
        _ => {}
    }
}

/// The schema alone; those that it refers to are looked at by themselves.
fn without_references(schema: &Value) -> Value {
    let mut schema = schema.clone();
    if let Some(schemas) = schema.get_mut("allOf").and_then(Value::as_array_mut) {
        schemas.fill(json!({}));
    }
    if let Some(schema) = schema.pointer_mut("/oneOf/0") {
        *schema = json!({});
    }
    schema
}

#[test]
fn removed_properties_are_found() {
    check_schemas(|path, schema| {
        // A property that refers to another schema would take that schema with it.
        let leaf = |property: &Value| !property.to_string().contains("$ref");
        let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
        let Some(properties) = properties else { return Broken::default() };
        let Some(name) = properties.iter().find(|(_, property)| leaf(property)).map(|(name, _)| name.clone()) else {
            return Broken::default();
        };
        properties.remove(&name);
        if let Some(required) = schema.get_mut("required").and_then(Value::as_array_mut) {
            required.retain(|required| *required != name);
        }
        Broken::both(below(path, &name, "removed"))
    });
}

#[test]
fn newly_required_and_newly_optional_properties_are_found() {
    check_schemas(|path, schema| {
        let (all, required) = (names(schema, "properties"), names(schema, "required"));
        if all.is_empty() {
            return Broken::default();
        }
        schema.insert("required".to_owned(), json!(all));
        let optional = all.difference(&required);
        Broken { requests: optional.map(|name| below(path, name, "is required now")).collect(), ..Broken::default() }
    });
    check_schemas(|path, schema| {
        let required = names(schema, "required");
        schema.remove("required");
        Broken {
            responses: required.iter().map(|name| below(path, name, "may be absent now")).collect(),
            ..Broken::default()
        }
    });
}

#[test]
fn null_that_goes_or_comes_is_found() {
    check_schemas(|path, schema| match schema.remove("nullable") {
        Some(Value::Bool(true)) => Broken::requests(at(path, "no longer takes null")),
        _ => Broken::default(),
    });
    check_schemas(|path, schema| {
        let was = schema.insert("nullable".to_owned(), json!(true));
        // The root of a named schema is a field of other schemas.
        if path.is_empty() {
            schema.remove("nullable");
        }
        if path.is_empty() || was == Some(json!(true)) {
            Broken::default()
        } else {
            Broken::responses(at(path, "may be null now"))
        }
    });
}

#[test]
fn tighter_limits_are_found_and_looser_ones_break_nothing() {
    let limits = [
        ("maxLength", -1.0),
        ("maxItems", -1.0),
        ("maximum", -1.0),
        ("minLength", 1.0),
        ("minItems", 1.0),
        ("minimum", 1.0),
    ];
    let mut tightened = 0;
    for (keyword, step) in limits {
        tightened += mutated_schemas(|path, schema| {
            let Some(was) = schema.get(keyword).and_then(Value::as_f64) else { return Broken::default() };
            schema.insert(keyword.to_owned(), json!(was + step));
            Broken::requests(at(path, &format!("has {keyword} {} instead of {was}", was + step)))
        });
    }
    assert!(tightened > 50, "{tightened}");
    let old = present();
    let mut new = old.clone();
    let mut loosened = 0;
    for (_, schema) in new["components"]["schemas"].as_object_mut().expect("schemas") {
        each_inline(schema, "", &mut |_, schema| {
            for (keyword, _) in limits {
                loosened += usize::from(schema.remove(keyword).is_some());
            }
        });
    }
    assert!(loosened > 50, "{loosened}");
    assert_eq!(breaks(&old, &new), []);
}

#[test]
fn other_patterns_are_found() {
    check_schemas(|path, schema| {
        let Some(was) = schema.insert("pattern".to_owned(), json!("^other$")) else {
            schema.remove("pattern");
            return Broken::default();
        };
        let was = was.as_str().expect("a pattern is a string");
        Broken::requests(at(path, &format!("has pattern ^other$ instead of {was}")))
    });
}

#[test]
fn other_types_are_found() {
    check_schemas(|path, schema| {
        // A schema and what wraps it have the same type, and are mutated as one.
        if path.is_empty() || schema.contains_key("allOf") || schema.get("type") != Some(&json!("string")) {
            return Broken::default();
        }
        schema.insert("type".to_owned(), json!("boolean"));
        Broken::both(at(path, "changed its type from string to boolean"))
    });
}

#[test]
fn values_that_go_or_come_are_found() {
    check_schemas(|path, schema| {
        let Some(values) = schema.get_mut("enum").and_then(Value::as_array_mut) else { return Broken::default() };
        let last = values.pop().expect("a list has values");
        Broken::requests(at(path, &format!("no longer takes {last}")))
    });
    check_schemas(|path, schema| {
        let Some(values) = schema.get_mut("enum").and_then(Value::as_array_mut) else { return Broken::default() };
        values.push(json!("brandNew"));
        Broken::responses(at(path, "may be \"brandNew\" now"))
    });
}

#[test]
fn objects_that_close_are_found() {
    check_schemas(|path, schema| {
        if schema.get("type") != Some(&json!("object")) || schema.contains_key("allOf") {
            return Broken::default();
        }
        match schema.insert("additionalProperties".to_owned(), json!(false)) {
            Some(Value::Bool(false)) => Broken::default(),
            None | Some(Value::Bool(true)) => Broken::requests(at(path, "no longer takes fields that are not listed")),
            Some(_) => Broken {
                requests: vec![at(path, "no longer takes fields that are not listed")],
                responses: vec![at(path, "no longer has fields that are not listed")],
            },
        }
    });
}
