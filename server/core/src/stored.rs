//! Parses stored JSON into types, and keeps unknown fields: those that a server of a later version stored.
//!
//! While servers of two versions use one database, the older one changes what the newer one wrote. It parses the JSON
//! without its unknown fields, and writes them back unchanged. JSON without any is parsed once, at no extra cost.

use serde::de::{self, DeserializeOwned};
use serde::ser::Error as _;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use serde_path_to_error::Path;

use self::json::{Json, Pattern, Step};

mod json;

/// The fields of stored JSON that a type does not have, and the objects that they are in. An item of a list is identified by
/// its id, so that it may move.
#[derive(Clone, Debug, Default)]
pub struct UnknownFields(Vec<UnknownField>);

#[derive(Clone, Debug)]
struct UnknownField {
    /// The object that has it.
    object: Vec<Step>,
    name: String,
    json: Box<RawValue>,
}

impl PartialEq for UnknownFields {
    fn eq(&self, other: &Self) -> bool {
        self.sorted() == other.sorted()
    }
}

/// The highest number of different unknown fields. A field is taken out of all objects of its kind at once.
const MOST_LEFT_OUT: usize = 1_000;

/// Parses stored JSON without its unknown fields.
pub fn parse<T: DeserializeOwned>(stored: &[u8]) -> serde_json::Result<T> {
    parse_with_unknown(stored).map(|(value, _)| value)
}

/// Parses stored JSON, and returns its unknown fields too.
pub fn parse_with_unknown<T: DeserializeOwned>(stored: &[u8]) -> serde_json::Result<(T, UnknownFields)> {
    // Validated once here; `from_slice` would validate each string by itself.
    let stored = std::str::from_utf8(stored).map_err(de::Error::custom)?;
    let mut last = match serde_json::from_str(stored) {
        Ok(value) => return Ok((value, UnknownFields::default())),
        Err(error) => error,
    };
    let mut tree: Json = serde_json::from_str(stored)?;
    let mut unknown = UnknownFields::default();
    for _ in 0..MOST_LEFT_OUT {
        let text = serde_json::to_string(&tree)?;
        match serde_path_to_error::deserialize(&mut serde_json::Deserializer::from_str(&text)) {
            Ok(value) => return Ok((value, unknown)),
            Err(error) => {
                let path = error.path().clone();
                last = error.into_inner();
                if !unknown.leave_out(&mut tree, &path, &last.to_string()) {
                    break;
                }
            }
        }
    }
    Err(last)
}

/// Whether a parse error is about an unknown field or an unknown value of an enum.
pub(crate) fn is_of_newer_server(error: &str) -> bool {
    ["unknown field `", "unknown variant `"].iter().any(|start| error.starts_with(start))
}

/// The JSON of a value with its unknown fields.
pub fn to_string<T: Serialize>(value: &T, unknown: &UnknownFields) -> serde_json::Result<String> {
    let mut json = Vec::new();
    serialize(value, unknown, &mut serde_json::Serializer::new(&mut json))?;
    String::from_utf8(json).map_err(serde::ser::Error::custom)
}

/// Serialises a value with its unknown fields.
pub fn serialize<T: Serialize, S: Serializer>(
    value: &T,
    unknown: &UnknownFields,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    if unknown.is_empty() {
        return value.serialize(serializer);
    }
    let text = serde_json::to_string(value).map_err(S::Error::custom)?;
    let mut tree: Json = serde_json::from_str(&text).map_err(S::Error::custom)?;
    for field in &unknown.0 {
        // An object that was removed takes its unknown fields along.
        if let Some(object) = tree.find(&field.object) {
            object.add(&field.name, &field.json);
        }
    }
    tree.serialize(serializer)
}

impl UnknownFields {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The fields without the order in which they were found.
    fn sorted(&self) -> Vec<(&[Step], &str, &str)> {
        let mut fields: Vec<_> = self.0.iter().map(|field| (&*field.object, &*field.name, field.json.get())).collect();
        fields.sort_unstable();
        fields
    }

    /// Takes the field that a parse error is about out of all objects of its kind, if a newer server can have written it.
    /// Returns whether it did.
    fn leave_out(&mut self, tree: &mut Json, path: &Path, error: &str) -> bool {
        let mut pattern = Pattern::of(path);
        let named = |start: &str| error.strip_prefix(start).and_then(|rest| rest.split('`').next());
        let mut left_out = Vec::new();
        let mut keep = |object: &[Step], name: &str, json: &Json| {
            left_out.push(UnknownField { object: object.to_vec(), name: name.to_owned(), json: json.raw() });
        };
        if let Some(name) = named("unknown field `") {
            pattern.end_with(name);
            tree.take(&pattern, &|_| true, &mut keep);
        } else if let Some(variant) = named("unknown variant `") {
            tree.take(&pattern, &|json| json.is_text(variant), &mut keep);
        } else if let Some(name) = named("missing field `") {
            // An object whose required field was taken out is taken out as a whole.
            let put_back = self.put_back(tree, name);
            let has_lost = |object: &Json| {
                object.field(name).is_some_and(|json| put_back.iter().any(|lost| lost.json.get() == json.raw().get()))
            };
            tree.take(&pattern, &has_lost, &mut keep);
        }
        let did = !left_out.is_empty();
        self.0.extend(left_out);
        did
    }

    /// Puts fields of a name back into a tree. Returns them.
    fn put_back(&mut self, tree: &mut Json, name: &str) -> Vec<UnknownField> {
        let fields: Vec<_> = self.0.extract_if(.., |field| field.name == name).collect();
        for field in &fields {
            if let Some(object) = tree.find(&field.object) {
                object.add(name, &field.json);
            }
        }
        fields
    }
}

#[cfg(test)]
mod tests;
