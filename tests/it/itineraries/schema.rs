//! A request's schema in the published document as a flat list of places.

use serde_json::{Map, Value};

/// A place in the schema.
#[derive(Clone, Debug)]
pub(super) struct Node {
    /// A JSON pointer into a body, with 0 as the index of arrays.
    pub(super) pointer: String,
    /// Its schema, with references resolved.
    pub(super) schema: Value,
    /// Whether null counts as absent.
    pub(super) nullable: bool,
    /// Whether it is required.
    pub(super) required: bool,
}

impl Node {
    /// The path as `details.field` has it.
    pub(super) fn field(&self) -> String {
        field(&self.pointer)
    }

    /// The last name of the pointer.
    pub(super) fn name(&self) -> &str {
        self.pointer.rsplit('/').next().unwrap_or_default()
    }

    pub(super) fn kind(&self) -> &str {
        self.schema["type"].as_str().unwrap_or_default()
    }
}

/// Converts a pointer to the form of `details.field`: `/days/0/id` is `days[0].id`.
pub(super) fn field(pointer: &str) -> String {
    let mut field = String::new();
    for step in pointer.split('/').skip(1) {
        if step.bytes().all(|byte| byte.is_ascii_digit()) {
            field = format!("{field}[{step}]");
        } else if field.is_empty() {
            step.clone_into(&mut field);
        } else {
            field = format!("{field}.{step}");
        }
    }
    field
}

/// Every place below the root of `ItineraryCreate`, except for `documents`, which must be empty.
pub(super) fn create_nodes() -> Vec<Node> {
    let document: Value =
        serde_json::from_str(include_str!("../../../openapi/itinerary.json")).expect("the document is JSON");
    let schemas = document["components"]["schemas"].as_object().expect("schemas");
    let mut nodes = Vec::new();
    walk(schemas, &schemas["ItineraryCreate"], "", &mut nodes);
    nodes.retain(|node| !node.pointer.starts_with("/documents"));
    // A code has either text or data, so that no body has both.
    nodes.retain(|node| !node.pointer.ends_with("/code/data"));
    nodes
}

fn walk(schemas: &Map<String, Value>, schema: &Value, pointer: &str, nodes: &mut Vec<Node>) {
    let resolved = resolve(schemas, schema);
    let properties = resolved.get("properties").and_then(Value::as_object);
    for (name, property) in properties.into_iter().flatten() {
        let required = resolved["required"].as_array().is_some_and(|names| names.iter().any(|other| other == name));
        let pointer = format!("{pointer}/{name}");
        nodes.push(node(schemas, property, &pointer, required));
        walk(schemas, property, &pointer, nodes);
    }
    if let Some(items) = resolved.get("items") {
        let pointer = format!("{pointer}/0");
        nodes.push(node(schemas, items, &pointer, true));
        walk(schemas, items, &pointer, nodes);
    }
}

fn node(schemas: &Map<String, Value>, schema: &Value, pointer: &str, required: bool) -> Node {
    Node {
        pointer: pointer.to_owned(),
        schema: resolve(schemas, schema).clone(),
        nullable: schema["nullable"] == true,
        required,
    }
}

fn resolve<'a>(schemas: &'a Map<String, Value>, schema: &'a Value) -> &'a Value {
    let reference = schema.get("$ref").or_else(|| schema.pointer("/allOf/0/$ref"));
    let Some(reference) = reference else { return schema };
    let name = reference.as_str().and_then(|text| text.rsplit('/').next()).expect("a reference");
    resolve(schemas, &schemas[name])
}
