//! The fields of a schema as nested rows: type, limits, description, and the fields of objects inside.

use askama::Template;
use serde_json::Value;

use crate::document::{ApiDocument, list, members, schema_name, string};
use crate::text;

/// How deep fields are shown; deeper ones have a link to their schema.
const DEEPEST: usize = 5;

/// The pattern of text without control characters, which nearly all text has.
const NO_CONTROL_CHARACTERS: &str = r"^[^\x00-\x08\x0B-\x1F\x7F]*$";

/// A field with the fields inside it.
pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) required: bool,
    pub(crate) kind: ValueKind,
    /// HTML.
    pub(crate) about: String,
    pub(crate) inside: Vec<Field>,
    /// Whether links lead to it: one on the first level of a schema's page.
    pub(crate) is_target: bool,
}

impl Field {
    fn rows(&self) -> FieldRows<'_> {
        FieldRows { fields: &self.inside }
    }
}

/// The type of a value.
#[derive(Clone, Debug, Default)]
pub(crate) struct ValueKind {
    /// Such as `array of`, or `string`.
    pub(crate) words: String,
    /// The schema that the words lead to.
    pub(crate) schema: Option<String>,
    pub(crate) nullable: bool,
    /// Length, range and format.
    pub(crate) limits: Vec<String>,
    pub(crate) pattern: Option<String>,
    /// The known values.
    pub(crate) values: Vec<String>,
    /// Whether later versions may add values.
    pub(crate) is_open: bool,
    pub(crate) default: Option<String>,
}

/// The rows of a list of fields.
#[derive(Template)]
#[template(path = "fields.html")]
pub(crate) struct FieldRows<'a> {
    pub(crate) fields: &'a [Field],
}

/// The fields of an object's schema, or of the objects in an array. `above` are the schemas that contain it.
pub(crate) fn fields<'a>(document: &ApiDocument<'a>, schema: &'a Value, above: &[&'a str]) -> Vec<Field> {
    let (schema, above) = inner(document, schema, above);
    let Some(above) = above else { return Vec::new() };
    let required: Vec<&str> = list(&schema["required"]).iter().map(string).collect();
    let mut fields: Vec<Field> = members(&schema["properties"])
        .map(|(name, value)| Field {
            name: name.clone(),
            required: required.contains(&name.as_str()),
            kind: kind(document, value),
            about: about(document, value),
            inside: fields(document, value, &above),
            is_target: false,
        })
        .collect();
    // Required fields first; otherwise the document's order.
    fields.sort_by_key(|field| !field.required);
    fields
}

/// The object inside references, single-element combinations and arrays, and the schemas passed. `None` in place of them
/// if the object contains itself or is too deep.
fn inner<'a>(document: &ApiDocument<'a>, schema: &'a Value, above: &[&'a str]) -> (&'a Value, Option<Vec<&'a str>>) {
    let mut schema = schema;
    let mut passed = above.to_vec();
    // Every step goes one level further into the document, which is finite, or is counted.
    loop {
        if let Some(name) = schema_name(schema) {
            if passed.contains(&name) || passed.len() >= DEEPEST {
                return (schema, None);
            }
            passed.push(name);
            schema = document.schema(name);
        } else if let Some(only) = only(schema) {
            schema = only;
        } else if schema["items"].is_object() {
            schema = &schema["items"];
        } else {
            return (schema, Some(passed));
        }
    }
}

/// The schema that a schema wraps to describe it or to allow null.
fn only(schema: &Value) -> Option<&Value> {
    let parts = ["allOf", "oneOf", "anyOf"].iter().find_map(|it| schema[it].as_array())?;
    let mut kept = parts.iter().filter(|part| !is_null(part));
    kept.next().filter(|_| kept.next().is_none())
}

/// Whether a schema allows only null.
fn is_null(schema: &Value) -> bool {
    matches!(list(&schema["enum"]), [Value::Null])
}

/// The description of a value, or of its schema.
pub(crate) fn description<'a>(document: &ApiDocument<'a>, schema: &'a Value) -> &'a str {
    let own = string(&schema["description"]);
    if !own.is_empty() {
        return own;
    }
    let name = schema_name(schema).or_else(|| only(schema).and_then(schema_name));
    name.map(|name| string(&document.schema(name)["description"])).unwrap_or_default()
}

/// The description of a value as HTML.
fn about(document: &ApiDocument<'_>, schema: &Value) -> String {
    text::inline(&text::without_values(description(document, schema)))
}

/// The type of a value.
pub(crate) fn kind(document: &ApiDocument<'_>, schema: &Value) -> ValueKind {
    if let Some(name) = schema_name(schema) {
        let target = document.schema(name);
        return ValueKind { schema: Some(name.to_owned()), words: word(target).to_owned(), ..plain(target) };
    }
    if let Some(inner) = only(schema) {
        let or_null = list(&schema["oneOf"]).iter().chain(list(&schema["anyOf"])).any(is_null);
        let inner = kind(document, inner);
        return ValueKind { nullable: inner.nullable || or_null, ..inner };
    }
    if schema["items"].is_object() {
        let item = kind(document, &schema["items"]);
        let own = plain(schema);
        let limits =
            own.limits.into_iter().chain(item.limits.into_iter().map(|limit| format!("each {limit}"))).collect();
        return ValueKind {
            words: format!("array of {}", plural(&item.words)),
            limits,
            nullable: own.nullable,
            ..item
        };
    }
    ValueKind { words: word(schema).to_owned(), ..plain(schema) }
}

fn plural(word: &str) -> String {
    match word {
        "any JSON" => "any JSON values".to_owned(),
        word if word.starts_with("array") => word.replacen("array", "arrays", 1),
        word => format!("{word}s"),
    }
}

fn word(schema: &Value) -> &'static str {
    match (string(&schema["type"]), string(&schema["format"])) {
        ("string", "binary") => "file",
        ("string", _) => "string",
        ("integer", _) => "integer",
        ("number", _) => "number",
        ("boolean", _) => "boolean",
        ("array", _) => "array",
        ("object", _) => "object",
        _ if schema["properties"].is_object() => "object",
        _ => "any JSON",
    }
}

/// Limits, values and default, without what they apply to.
fn plain(schema: &Value) -> ValueKind {
    let values = ["x-extensible-enum", "enum"].iter().find_map(|it| schema[it].as_array());
    let values = values.into_iter().flatten().filter(|value| !value.is_null()).map(shown).collect();
    let pattern = schema["pattern"].as_str().filter(|pattern| *pattern != NO_CONTROL_CHARACTERS);
    ValueKind {
        nullable: schema["nullable"] == true,
        limits: limits(schema),
        pattern: pattern.map(str::to_owned),
        values,
        is_open: schema["x-extensible-enum"].is_array(),
        default: schema.get("default").map(shown),
        ..ValueKind::default()
    }
}

fn limits(schema: &Value) -> Vec<String> {
    let format = schema.get("format").unwrap_or(&schema["x-format"]);
    let format = match string(format) {
        "uuid" => Some("UUID"),
        "uri" => Some("URL"),
        "date" => Some("date, YYYY-MM-DD"),
        "date-time" => Some("RFC 3339 date-time"),
        _ => None,
    };
    let ranges =
        [("minLength", "maxLength", " characters"), ("minItems", "maxItems", " entries"), ("minimum", "maximum", "")];
    let ranges = ranges.iter().filter_map(|(least, most, unit)| range(&schema[least], &schema[most], unit));
    format.map(str::to_owned).into_iter().chain(ranges).collect()
}

fn range(least: &Value, most: &Value, unit: &str) -> Option<String> {
    match (number(least), number(most)) {
        (Some(least), Some(most)) if least == most => Some(format!("{least}{unit}")),
        (Some(least), Some(most)) => Some(format!("{least} to {most}{unit}")),
        (Some(least), None) => Some(format!("at least {least}{unit}")),
        (None, Some(most)) => Some(format!("at most {most}{unit}")),
        (None, None) => None,
    }
}

/// A number with separators between thousands, as in the descriptions.
fn number(value: &Value) -> Option<String> {
    let text = value.as_number()?.to_string();
    let text = text.strip_suffix(".0").unwrap_or(&text);
    let (sign, digits) = text.strip_prefix('-').map_or(("", text), |digits| ("-", digits));
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Some(text.to_owned());
    }
    let mut grouped = String::new();
    for (n, digit) in digits.chars().enumerate() {
        if n > 0 && (digits.len() - n).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    Some(format!("{sign}{grouped}"))
}

/// A value as text, without the quotes of JSON.
pub(crate) fn shown(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
