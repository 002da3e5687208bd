//! Checks a tool's arguments against its schema, and reads them.
//!
//! Supports only the keywords that the schemas here use. Rules between values are checked by the API.

use serde_json::{Map, Value};
use uuid::Uuid;

use super::lenient;
use super::outcome::Refusal;

/// How many characters of a wrong value are repeated.
const SHOWN: usize = 60;

/// Arguments that match their tool's schema.
#[derive(Debug, Default)]
pub(super) struct Arguments(Map<String, Value>);

/// An error in an argument.
#[derive(Debug, PartialEq)]
pub(super) struct Wrong {
    /// Its path, such as `days[0].stops[1].name`.
    pub path: String,
    /// The problem, as the end of a sentence that begins with the path.
    pub problem: String,
}

/// Checks arguments, after rewriting what can have only one meaning. Ignores a `null` that the schema does not allow, because some clients send every argument.
pub(super) fn check(tool: &str, schema: &Value, mut arguments: Map<String, Value>) -> Result<Arguments, Refusal> {
    lenient::rewrite(&mut arguments, &schema["required"]);
    let properties = &schema["properties"];
    arguments.retain(|name, value| !value.is_null() || properties.get(name).is_none_or(takes_null));
    let mut arguments = Value::Object(arguments);
    Checker { root: schema }.check(schema, &arguments, "").map_err(|wrong| Refusal::argument(tool, wrong))?;
    // JSON Schema accepts 2.0 as an integer; the API requires 2.
    make_whole(&mut arguments);
    let Value::Object(arguments) = arguments else { return Ok(Arguments::default()) };
    Ok(Arguments(arguments))
}

fn takes_null(schema: &Value) -> bool {
    schema["type"].as_array().is_some_and(|types| types.iter().any(|kind| kind == "null"))
}

struct Checker<'s> {
    root: &'s Value,
}

impl Checker<'_> {
    fn check(&self, schema: &Value, value: &Value, path: &str) -> Result<(), Wrong> {
        if let Some(name) = schema["$ref"].as_str().and_then(|reference| reference.strip_prefix("#/$defs/")) {
            self.check(&self.root["$defs"][name], value, path)?;
        }
        check_type(schema, value, path)?;
        match value {
            Value::String(text) => check_text(schema, text, path),
            Value::Number(number) => check_range(schema, number.as_f64().unwrap_or_default(), path),
            Value::Array(values) => self.check_array(schema, values, path),
            Value::Object(fields) => self.check_object(schema, fields, path),
            Value::Null | Value::Bool(_) => Ok(()),
        }
    }

    fn check_array(&self, schema: &Value, values: &[Value], path: &str) -> Result<(), Wrong> {
        if let Some(most) = schema["maxItems"].as_u64().filter(|most| values.len() as u64 > *most) {
            return Err(wrong(path, format!("has {} entries; at most {most} are allowed", values.len())));
        }
        let Some(items) = schema.get("items") else { return Ok(()) };
        values.iter().enumerate().try_for_each(|(index, value)| self.check(items, value, &format!("{path}[{index}]")))
    }

    fn check_object(&self, schema: &Value, fields: &Map<String, Value>, path: &str) -> Result<(), Wrong> {
        let within = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
        let properties = schema["properties"].as_object();
        for (name, value) in fields {
            if let Some(schema) = properties.and_then(|properties| properties.get(name)) {
                self.check(schema, value, &within(name))?;
            } else if schema["additionalProperties"] == false {
                let known = properties.into_iter().flat_map(Map::keys).map(String::as_str).collect::<Vec<_>>();
                let problem = format!("is unknown; the known names are {}", known.join(", "));
                return Err(wrong(&within(&cut(name)), problem));
            }
        }
        let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
        match required.into_iter().find(|name| !fields.contains_key(*name)) {
            Some(name) => Err(wrong(&within(name), "is missing")),
            None => Ok(()),
        }
    }
}

fn check_type(schema: &Value, value: &Value, path: &str) -> Result<(), Wrong> {
    let types = match &schema["type"] {
        Value::String(one) => vec![one.as_str()],
        Value::Array(several) => several.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    if !types.is_empty() && !types.iter().any(|kind| is_of(kind, value)) {
        return Err(wrong(path, format!("must be {}, not {}", types.join(" or "), shown(value))));
    }
    let Some(values) = schema["enum"].as_array().filter(|values| !values.contains(value)) else { return Ok(()) };
    let values: Vec<_> = values.iter().filter_map(Value::as_str).collect();
    Err(wrong(path, format!("must be one of {}, not {}", values.join(", "), shown(value))))
}

fn is_of(kind: &str, value: &Value) -> bool {
    match kind {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        _ => value.is_null(),
    }
}

fn check_text(schema: &Value, text: &str, path: &str) -> Result<(), Wrong> {
    let is_uuid = || text.len() == uuid::fmt::Hyphenated::LENGTH && Uuid::try_parse(text).is_ok();
    if schema["format"] == "uuid" && !is_uuid() {
        return Err(wrong(path, format!("must be a UUID, not \"{}\"", cut(text))));
    }
    Ok(())
}

fn check_range(schema: &Value, number: f64, path: &str) -> Result<(), Wrong> {
    let (least, most) = (schema["minimum"].as_f64(), schema["maximum"].as_f64());
    if least.is_none_or(|least| number >= least) && most.is_none_or(|most| number <= most) {
        return Ok(());
    }
    let range = match (least, most) {
        (Some(least), Some(most)) => format!("from {least} to {most}"),
        (Some(least), None) => format!("at least {least}"),
        (_, most) => format!("at most {}", most.unwrap_or_default()),
    };
    Err(wrong(path, format!("must be {range}, not {number}")))
}

fn wrong(path: &str, problem: impl Into<String>) -> Wrong {
    Wrong { path: path.to_owned(), problem: problem.into() }
}

fn shown(value: &Value) -> String {
    match value {
        Value::Array(_) => "an array".to_owned(),
        Value::Object(_) => "an object".to_owned(),
        value => cut(&value.to_string()),
    }
}

fn cut(text: &str) -> String {
    let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

impl Arguments {
    /// A required text. Empty if absent.
    pub(super) fn text(&self, name: &str) -> &str {
        self.optional_text(name).unwrap_or_default()
    }

    pub(super) fn optional_text(&self, name: &str) -> Option<&str> {
        self.0.get(name)?.as_str()
    }

    pub(super) fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }

    /// Whether an argument is true.
    pub(super) fn is_true(&self, name: &str) -> bool {
        self.0.get(name) == Some(&Value::Bool(true))
    }

    /// A one-based number as a zero-based index.
    pub(super) fn index(&self, name: &str) -> Option<usize> {
        to_index(self.0.get(name)?)
    }

    /// Removes and returns an object. Empty if absent.
    pub(super) fn take_object(&mut self, name: &str) -> Value {
        self.0.remove(name).unwrap_or_else(|| Value::Object(Map::new()))
    }

    /// Removes and returns a text. Empty if absent.
    pub(super) fn take_text(&mut self, name: &str) -> String {
        match self.0.remove(name) {
            Some(Value::String(text)) => text,
            _ => String::new(),
        }
    }

    /// Removes and returns an argument, so that it is not part of the [`body`](Self::body).
    pub(super) fn take(&mut self, name: &str) -> Option<Value> {
        self.0.remove(name)
    }

    /// The remaining arguments as the body of an operation.
    pub(super) fn body(self) -> Value {
        Value::Object(self.0)
    }
}

/// A one-based number as a zero-based index, capped at a value that no list reaches.
pub(super) fn to_index(number: &Value) -> Option<usize> {
    const MOST: f64 = 100_000.0;
    let number = number.as_f64().filter(|number| *number >= 1.0)?.min(MOST);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "within the limits by now")]
    Some(number as usize - 1)
}

fn make_whole(value: &mut Value) {
    match value {
        Value::Array(values) => values.iter_mut().for_each(make_whole),
        Value::Object(fields) => fields.values_mut().for_each(make_whole),
        Value::Number(number) => {
            const EXACT: f64 = 9e15;
            let whole = number.as_f64().filter(|float| number.is_f64() && float.fract() == 0.0 && float.abs() < EXACT);
            if let Some(whole) = whole {
                #[expect(clippy::cast_possible_truncation, reason = "a whole number that a double has exactly")]
                let whole = whole as i64;
                *value = Value::from(whole);
            }
        }
        _ => {}
    }
}
