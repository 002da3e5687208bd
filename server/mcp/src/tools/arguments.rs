//! Parses a tool's arguments into the types that its use cases take.
//!
//! The same types generate the tool's schema: see `schemas`. Rules between values are checked by the use cases.

use std::marker::PhantomData;

use itinerary_api::read::{self, FieldError};
use itinerary_api::values::{EntityTags, Whole, limits};
use schemars::JsonSchema;
use schemars::r#gen::SchemaGenerator;
use schemars::schema::Schema;
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::lenient;
use super::outcome::Refusal;
use super::schemas::{self, takes_null};

/// How many characters of an unknown name are repeated.
const SHOWN: usize = 60;

/// The arguments of a tool.
pub(super) trait ToolArguments: Sized {
    /// Their JSON Schema.
    fn schema() -> Value;

    fn parse(arguments: Map<String, Value>) -> Result<Self, FieldError>;
}

/// Arguments that several tools share. A tool's own arguments are beside them.
pub(super) trait Shared: DeserializeOwned + JsonSchema {
    const NAMES: &'static [&'static str];
}

impl<A: Shared, B: DeserializeOwned + JsonSchema> ToolArguments for (A, B) {
    fn schema() -> Value {
        schemas::arguments::<A, B>()
    }

    fn parse(arguments: Map<String, Value>) -> Result<Self, FieldError> {
        let (shared, own): (Map<_, _>, Map<_, _>) =
            arguments.into_iter().partition(|(name, _)| A::NAMES.contains(&name.as_str()));
        Ok((read::value(&Value::Object(shared))?, read::value(&Value::Object(own))?))
    }
}

/// Parses arguments, after rewriting what can have only one meaning. Ignores a `null` that the schema does not allow,
/// because some clients send every argument.
pub(super) fn parse<T: ToolArguments>(
    tool: &str,
    schema: &Value,
    mut arguments: Map<String, Value>,
) -> Result<T, Refusal> {
    lenient::rewrite(&mut arguments, &schema["required"]);
    let properties = schema["properties"].as_object();
    let property = |name: &str| properties.and_then(|properties| properties.get(name));
    arguments.retain(|name, value| !value.is_null() || property(name).is_none_or(takes_null));
    if let Some(name) = arguments.keys().find(|name| property(name).is_none()) {
        let known = properties.into_iter().flat_map(Map::keys).map(String::as_str).collect::<Vec<_>>().join(", ");
        let problem = format!("is unknown; the known names are {known}");
        return Err(Refusal::argument(tool, &cut(name), &problem));
    }
    // JSON Schema accepts 2.0 as an integer; the types require 2.
    arguments.values_mut().for_each(make_whole);
    T::parse(arguments).map_err(|FieldError { field, message }| {
        Refusal::argument(tool, &field.unwrap_or_else(|| "arguments".to_owned()), &message)
    })
}

fn cut(text: &str) -> String {
    let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
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

/// The itinerary that a tool reads.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct ReadTarget {
    pub itinerary_id: Uuid,
}

impl Shared for ReadTarget {
    const NAMES: &'static [&'static str] = &["itineraryId"];
}

/// The itinerary that a tool changes, with its version.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct ChangeTarget {
    pub itinerary_id: Uuid,
    pub if_match: IfMatch,
}

impl Shared for ChangeTarget {
    const NAMES: &'static [&'static str] = &["itineraryId", "ifMatch"];
}

/// The same for a change that can be retried with an idempotency key.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct RetriableTarget {
    pub itinerary_id: Uuid,
    pub if_match: IfMatch,
    pub idempotency_key: Option<Uuid>,
}

impl Shared for RetriableTarget {
    const NAMES: &'static [&'static str] = &["itineraryId", "ifMatch", "idempotencyKey"];
}

/// For tools without arguments of their own.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NoArguments {}

/// A one-based position in a list.
pub(super) type Position = Whole<1, { limits::POSITION }>;

/// A one-based position as a zero-based index.
pub(super) fn index(position: Position) -> usize {
    usize::try_from(position.get()).unwrap_or(usize::MAX) - 1
}

/// The version of the itinerary, as its `ETag`.
#[derive(Debug)]
pub(super) struct IfMatch(pub EntityTags);

impl IfMatch {
    /// The tag of a version in place of `*`.
    pub(super) fn or_version(self, etag: Option<&str>) -> Self {
        match (&self.0, etag.and_then(|etag| EntityTags::parse(etag).ok())) {
            (EntityTags::Any, Some(tags)) => Self(tags),
            _ => self,
        }
    }
}

impl<'de> Deserialize<'de> for IfMatch {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let tag = String::deserialize(deserializer)?;
        EntityTags::parse(&in_quotes(tag.trim())).map(Self).map_err(D::Error::custom)
    }
}

impl JsonSchema for IfMatch {
    fn schema_name() -> String {
        "IfMatch".to_owned()
    }

    fn is_referenceable() -> bool {
        false
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        schema(json!({ "type": "string", "description": "Last ETag" }))
    }
}

/// Adds the quotes of an `ETag`, which models often drop. Leaves other text to be rejected.
fn in_quotes(tag: &str) -> String {
    if is_bare_tag(tag) { format!("\"{tag}\"") } else { tag.to_owned() }
}

/// Whether a text is one of this server's `ETag`s without its quotes, such as `v12.m`.
fn is_bare_tag(text: &str) -> bool {
    let parts = text.strip_prefix('v').and_then(|rest| rest.split_once('.'));
    parts.is_some_and(|(version, view)| {
        let is_version = !version.is_empty() && version.bytes().all(|byte| byte.is_ascii_digit());
        is_version && !view.is_empty() && view.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}

/// A day by its number, date or id; or the id of anything else.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Reference(pub Value);

impl<'de> Deserialize<'de> for Reference {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        let is_whole = value.as_f64().is_some_and(|number| number.fract() == 0.0);
        if value.is_string() || is_whole {
            Ok(Self(value))
        } else {
            Err(D::Error::custom("must be an integer or a string"))
        }
    }
}

impl JsonSchema for Reference {
    fn schema_name() -> String {
        "Reference".to_owned()
    }

    fn is_referenceable() -> bool {
        false
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        schema(json!({
            "anyOf": [{ "type": "integer" }, { "type": "string" }],
            "description": "Number (1 = first), date or id",
        }))
    }
}

/// An object that is parsed as a `T` when it is complete.
#[derive(Debug, Deserialize)]
#[serde(transparent, bound = "")]
pub(super) struct Unparsed<T> {
    pub fields: Map<String, Value>,
    #[serde(skip)]
    target: PhantomData<fn() -> T>,
}

impl<T> Unparsed<T> {
    /// The same, to be parsed as another type.
    pub(super) fn into_unparsed<U>(self) -> Unparsed<U> {
        Unparsed { fields: self.fields, target: PhantomData }
    }
}

impl<T: DeserializeOwned> Unparsed<T> {
    pub(super) fn parse(self) -> Result<T, FieldError> {
        read::value(&Value::Object(self.fields))
    }
}

impl<T: JsonSchema> JsonSchema for Unparsed<T> {
    fn schema_name() -> String {
        T::schema_name()
    }

    fn is_referenceable() -> bool {
        false
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        generator.subschema_for::<T>()
    }
}

/// A schema that is written as JSON.
pub(super) fn schema(json: Value) -> Schema {
    serde_json::from_value(json).expect("a schema")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bare_etags_get_quotes() {
        for (sent, tag) in [
            ("v12.m", "\"v12.m\""),
            ("v1.msw", "\"v1.msw\""),
            ("\"v12.m\"", "\"v12.m\""),
            ("*", "*"),
            ("v12", "v12"),
            ("v.m", "v.m"),
            ("v1.", "v1."),
            ("v1.\u{e9}", "v1.\u{e9}"),
            ("v\u{661}.m", "v\u{661}.m"),
            ("", ""),
        ] {
            assert_eq!(in_quotes(sent), tag);
        }
    }

    #[test]
    fn shared_arguments_are_named_completely() {
        fn check<T: Shared>() {
            let schema = schemas::arguments::<T, NoArguments>();
            let names: Vec<_> = schema["properties"].as_object().expect("properties").keys().collect();
            let mut expected = T::NAMES.to_vec();
            expected.sort_unstable();
            assert_eq!(names, expected);
        }
        check::<ReadTarget>();
        check::<ChangeTarget>();
        check::<RetriableTarget>();
    }
}
