//! The pages of schemas.

use askama::Template;
use serde_json::Value;

use crate::document::{ApiDocument, members, schema_name, string};
use crate::fields::{Field, FieldRows, ValueKind, fields, kind};
use crate::operation::Operation;
use crate::{PageFrame, Tag, text};

#[derive(Template)]
#[template(path = "schema.html")]
pub(crate) struct SchemaPage<'a> {
    frame: PageFrame,
    tags: &'a [Tag],
    current: &'a str,
    name: &'a str,
    /// HTML.
    about: String,
    kind: ValueKind,
    fields: Vec<Field>,
    /// Whether fields that the schema does not name are rejected; only for objects.
    is_closed: bool,
    operations: Vec<&'a Operation>,
    /// Schemas with a field of this schema.
    containers: Vec<&'a str>,
}

impl<'a> SchemaPage<'a> {
    pub(crate) fn new(
        document: &ApiDocument<'a>,
        tags: &'a [Tag],
        operations: &'a [Operation],
        name: &'a str,
        schema: &'a Value,
    ) -> Self {
        let fields = fields(document, schema, &[name]);
        let fields = fields.into_iter().map(|field| Field { is_target: true, ..field }).collect();
        let is_container = |other: &Value| members(&other["properties"]).any(|(_, field)| refers_to(field, name));
        Self {
            frame: PageFrame::PUBLIC,
            tags,
            current: "schemas",
            name,
            about: text::paragraphs(&text::without_values(string(&schema["description"]))),
            kind: kind(document, schema),
            fields,
            is_closed: schema["additionalProperties"] == false,
            operations: operations.iter().filter(|it| it.schemas.iter().any(|used| used == name)).collect(),
            containers: document.schemas().filter(|(_, other)| is_container(other)).map(|(name, _)| name).collect(),
        }
    }

    fn rows(&self) -> FieldRows<'_> {
        FieldRows { fields: &self.fields }
    }
}

/// Whether a field's schema refers to another, directly, in a combination or as the type of its elements.
fn refers_to(schema: &Value, name: &str) -> bool {
    let parts = ["allOf", "oneOf", "anyOf"].iter().filter_map(|it| schema[it].as_array()).flatten();
    let mut parts = parts.chain([schema, &schema["items"]]);
    parts.any(|part| schema_name(part) == Some(name) || schema_name(&part["items"]) == Some(name))
}

#[derive(Template)]
#[template(path = "schemas.html")]
pub(crate) struct SchemaIndexPage<'a> {
    frame: PageFrame,
    tags: &'a [Tag],
    current: &'a str,
    /// Names and the first sentences of their descriptions.
    schemas: Vec<(&'a str, String)>,
}

impl<'a> SchemaIndexPage<'a> {
    pub(crate) fn new(document: &ApiDocument<'a>, tags: &'a [Tag]) -> Self {
        let schemas = document
            .schemas()
            .map(|(name, schema)| (name, text::inline(text::first_sentence(string(&schema["description"])))));
        Self { frame: PageFrame::PUBLIC, tags, current: "schemas", schemas: schemas.collect() }
    }
}
