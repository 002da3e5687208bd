//! Parses untrusted JSON into a type, or into an error that names the invalid field.
//!
//! Rules between several values are in `itinerary-core`.

mod objects;

use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::Value;

use objects::{TOO_DEEP, objects};

/// An invalid field of the input, and what is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldError {
    /// The field's path in wire names, such as `days[0].stops[2].note`; `None` if the whole input is invalid.
    pub field: Option<String>,
    /// What the field must be, or what is wrong; follows the field's name in a sentence.
    pub message: String,
}

impl FieldError {
    /// An error about one field.
    pub fn new(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self { field: Some(field.into()), message: message.into() }
    }
}

/// Parses one JSON value. Rejects an array in place of an object, and more than 128 levels of nesting.
pub fn json<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, FieldError> {
    // Tracking the path is slow, and only errors need it. The text is validated as a whole: `from_slice` would validate each
    // string by itself.
    let read = std::str::from_utf8(bytes).ok().and_then(|text| read(text).ok());
    read.map_or_else(|| read_with_path(bytes), Ok)
}

/// `serde_json`'s own limit on nesting is one lower, and counts skipped values differently.
fn unbounded<'de, R: serde_json::de::Read<'de>>(mut json: serde_json::Deserializer<R>) -> serde_json::Deserializer<R> {
    json.disable_recursion_limit();
    json
}

fn read<T: DeserializeOwned>(text: &str) -> serde_json::Result<T> {
    let mut json = unbounded(serde_json::Deserializer::from_str(text));
    let value = T::deserialize(objects(&mut json))?;
    json.end()?;
    Ok(value)
}

/// Parses a JSON value that was parsed before, like [`json`].
pub fn value<T: DeserializeOwned>(value: &Value) -> Result<T, FieldError> {
    T::deserialize(objects(value)).or_else(|_| {
        serde_path_to_error::deserialize(objects(value)).map_err(|error| {
            let path = error.path().to_string();
            locate(&path, &error.into_inner())
        })
    })
}

fn read_with_path<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, FieldError> {
    let mut json = unbounded(serde_json::Deserializer::from_slice(bytes));
    let value = serde_path_to_error::deserialize(objects(&mut json)).map_err(|error| {
        let path = error.path().to_string();
        let error = error.into_inner();
        // serde_json reports some valid JSON as a syntax error: a number in place of an enum's string, a lone surrogate, a
        // number beyond the range of a double.
        let is_json = error.is_data() || serde_json::from_slice::<IgnoredAny>(bytes).is_ok();
        if is_json { locate(&path, &error) } else { not_json(&error) }
    })?;
    json.end().map_err(|error| not_json(&error))?;
    Ok(value)
}

fn not_json(error: &serde_json::Error) -> FieldError {
    FieldError { field: None, message: format!("The body is not JSON: {error}.") }
}

/// For a missing or repeated field, serde names only the object that holds it: the field's name is in the message.
fn locate(path: &str, error: &serde_json::Error) -> FieldError {
    let text = error.to_string();
    let text = text.rsplit_once(" at line ").map_or(text.as_str(), |(before, _)| before);
    if text == TOO_DEEP {
        // Its path would be as long as the nesting is deep.
        return FieldError { field: None, message: "must not be nested more than 128 levels deep".to_owned() };
    }
    let parent = if path == "." { "" } else { path };
    let within = |name: &str| if parent.is_empty() { name.to_owned() } else { format!("{parent}.{name}") };
    let named = |start: &str| text.strip_prefix(start).and_then(|rest| rest.split('`').next());
    if let Some(name) = named("missing field `") {
        return FieldError::new(within(name), "is required");
    }
    if let Some(name) = named("duplicate field `") {
        return FieldError::new(within(name), "appears more than once");
    }
    FieldError { field: Some(parent.to_owned()).filter(|path| !path.is_empty()), message: predicate(text) }
}

/// Rephrases a message of serde so that it follows the field's name. Messages of the checked values do so already.
pub(crate) fn predicate(text: &str) -> String {
    if text.starts_with("unknown field `") {
        return "is not a known field".to_owned();
    }
    if text == "expected value" {
        return "must be a string from the list of allowed values".to_owned();
    }
    if let Some((_, expected)) = text.strip_prefix("unknown variant `").and_then(|rest| rest.split_once("`, expected "))
    {
        return format!("must be {expected}");
    }
    let invalid = ["invalid type: ", "invalid value: "].into_iter().find_map(|start| text.strip_prefix(start));
    if let Some((found, expected)) = invalid.and_then(|rest| rest.rsplit_once(", expected ")) {
        return format!("must be {}, not {}", json_kind(expected), json_name(found));
    }
    if text.starts_with("invalid length ") {
        return "has too few or too many entries".to_owned();
    }
    if text.starts_with("data did not match any variant") {
        return "has none of the allowed forms".to_owned();
    }
    if text.starts_with("UUID parsing failed") {
        return "must be a UUID".to_owned();
    }
    let follows = ["must ", "needs ", "is ", "cannot "].iter().any(|start| text.starts_with(start));
    if follows { text.to_owned() } else { format!("is invalid: {text}") }
}

/// What serde expects, in words of JSON. The types of this program mean nothing to callers.
fn json_kind(expected: &str) -> &str {
    let (first, _) = expected.split_once(' ').unwrap_or((expected, ""));
    match (first, expected) {
        ("f32" | "f64", _) => "a number",
        ("i8" | "i16" | "i32" | "i64" | "i128" | "isize" | "u8" | "u16" | "u32" | "u64" | "u128" | "usize", _) => {
            "a whole number"
        }
        ("bool", _) | (_, "a boolean") => "true or false",
        ("struct" | "map" | "internally" | "adjacently", _) | (_, "a map") => "an object",
        ("tuple", _) | (_, "a sequence") => "an array",
        _ if expected.starts_with("a tuple of size ") => "an array",
        ("enum" | "variant", _) => "one of the allowed values",
        ("unit", _) => "null",
        ("a", "a formatted UUID string") => "a UUID",
        ("char", _) | (_, "a character") => "a string of one character",
        ("str" | "string", _) | (_, "a borrowed string") => "a string",
        ("option", _) => "a value or null",
        _ => expected,
    }
}

/// A value by its name in JSON instead of serde's.
fn json_name(found: &str) -> String {
    let name = match found {
        "sequence" => "an array",
        "map" => "an object",
        other => other,
    };
    match name.split_once(' ') {
        Some(("boolean" | "integer" | "string", _)) => format!("the {name}"),
        Some(("floating", rest)) => format!("the number {}", rest.trim_start_matches("point ")),
        _ => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{ItineraryCreate, ItineraryPatch};

    fn refused<T: DeserializeOwned + std::fmt::Debug>(body: &str) -> (String, String) {
        let error = json::<T>(body.as_bytes()).expect_err(body);
        (error.field.unwrap_or_default(), error.message)
    }

    const LISBON: &str = r#""destination": {"name": "Lisbon", "coordinate": {"latitude": 38.7, "longitude": -9.1}}"#;

    #[test]
    fn every_refusal_names_its_field() {
        for (rest, field) in [
            (r#""days": [{"stops": [{"name": "a"}, {"name": "b", "note": 1}]}]"#, "days[0].stops[1].note"),
            (r#""days": [{"stops": [{}]}]"#, "days[0].stops[0].name"),
            (r#""days": [{"stops": [{"name": "a", "name": "b"}]}]"#, "days[0].stops[0].name"),
            (r#""days": [{"stops": [{"name": "a", "category": "pub"}]}]"#, "days[0].stops[0].category"),
            (r#""days": [[]]"#, "days[0]"),
            (r#""origin": {"coordinate": [1, 2]}"#, "origin.coordinate"),
            (r#""title": """#, "title"),
            (r#""title": "a\u0000b""#, "title"),
            (r#""days": [{"stops": [{"name": "a", "category": 1}]}]"#, "days[0].stops[0].category"),
            (r#""title": "\ud800""#, "title"),
            (r#""travellers": 1e400"#, "travellers"),
            (r#""travellers": 101"#, "travellers"),
            (r#""tags": ["a", 2]"#, "tags[1]"),
            (r#""startDate": "2027-02-30""#, "startDate"),
            (r#""startDate": "1899-12-31""#, "startDate"),
            (r#""currency": "EUX""#, "currency"),
            (r#""surprise": true"#, "surprise"),
            (r#""destination": {}"#, "destination"),
            (r#""expenses": [{"name": "a", "cost": {}}]"#, "expenses[0].cost.amount"),
            (r#""coverImage": {"url": "ftp://a.example/b"}"#, "coverImage.url"),
            (r#""hotels": [{"name": "a", "checkInDate": "2027-05-01T10:00:00"}]"#, "hotels[0].checkInDate"),
            (r#""origin": {"timeZone": "Europe/Lisboa"}"#, "origin.timeZone"),
        ] {
            assert_eq!(refused::<ItineraryCreate>(&format!("{{{LISBON}, {rest}}}")).0, field, "{rest}");
        }
        assert_eq!(refused::<ItineraryCreate>("{}"), ("destination".into(), "is required".into()));
        assert_eq!(refused::<ItineraryCreate>(r#"{"destination": {"name": "x"}}"#).0, "destination.coordinate");
        assert_eq!(refused::<ItineraryPatch>(r#"{"title": null}"#).0, "title");
        assert_eq!(refused::<ItineraryPatch>(r#"{"destination": {"name": null}}"#).0, "destination.name");
    }

    #[test]
    fn every_refusal_says_what_is_expected() {
        for (rest, message) in [
            (r#""title": 7"#, "must be a string, not the integer `7`"),
            (r#""title": null, "title": "a""#, "appears more than once"),
            (r#""days": {}"#, "must be an array of at most 366 entries, not an object"),
            (r#""days": [7.5]"#, "must be an object, not the number `7.5`"),
            (r#""origin": []"#, "must be an object, not an array"),
            (r#""travellers": "two""#, "must be a whole number from 1 to 100, not the string \"two\""),
            (r#""travellers": 0"#, "must be a whole number from 1 to 100"),
            (r#""tags": [""]"#, "must have 1 to 50 characters, not 0"),
            (r#""surprise": true"#, "is not a known field"),
            (r#""visibility": "secret""#, "must be one of `private`, `followers`, `unlisted`, `public`"),
            (r#""visibility": 7"#, "must be a string from the list of allowed values"),
            (r#""travellers": 1e400"#, "is invalid: number out of range"),
            (
                r#""origin": {"coordinate": {"latitude": "38.7", "longitude": 1}}"#,
                "must be a number from -90 to 90, not the string \"38.7\"",
            ),
            (
                r#""origin": {"coordinate": {"latitude": 1, "longitude": null}}"#,
                "must be a number from -180 to 180, not null",
            ),
            (
                r#""expenses": [{"name": "a", "cost": {"amount": "9"}}]"#,
                "must be a number from 0 to 999999999999.999 with at most three decimals, not the string \"9\"",
            ),
            (r#""packing": [{"name": "a", "isPacked": "yes"}]"#, "must be true or false, not the string \"yes\""),
        ] {
            assert_eq!(refused::<ItineraryCreate>(&format!("{{{LISBON}, {rest}}}")).1, message, "{rest}");
        }
        assert_eq!(refused::<ItineraryPatch>("null").1, "must be an object, not null");
    }

    /// serde's messages never expose names of Rust types.
    #[test]
    fn no_message_names_a_type_of_the_language() {
        fn message<T: DeserializeOwned>(json: &str) -> String {
            serde_json::from_str::<T>(json).map(|_| ()).expect_err(json).to_string()
        }
        #[derive(Debug, serde::Deserialize)]
        struct Unit;
        #[derive(Debug, serde::Deserialize)]
        #[serde(untagged)]
        #[expect(dead_code, reason = "only errors are read")]
        enum Either {
            One(bool),
            Two(u8),
        }
        for (message, said) in [
            (message::<f64>("\"a\""), "must be a number, not the string \"a\""),
            (message::<f32>("[]"), "must be a number, not an array"),
            (message::<u8>("300"), "must be a whole number, not the integer `300`"),
            (message::<i64>("1.5"), "must be a whole number, not the number `1.5`"),
            (message::<usize>("{}"), "must be a whole number, not an object"),
            (message::<bool>("1"), "must be true or false, not the integer `1`"),
            (message::<char>("\"ab\""), "must be a string of one character, not the string \"ab\""),
            (message::<String>("1"), "must be a string, not the integer `1`"),
            (message::<Vec<u8>>("1"), "must be an array, not the integer `1`"),
            (message::<std::collections::BTreeMap<u8, u8>>("1"), "must be an object, not the integer `1`"),
            (message::<(u8, u8)>("1"), "must be an array, not the integer `1`"),
            (message::<(u8, u8)>("[1]"), "has too few or too many entries"),
            (message::<()>("1"), "must be null, not the integer `1`"),
            (message::<Unit>("1"), "must be null, not the integer `1`"),
            (message::<Either>("\"a\""), "has none of the allowed forms"),
            (message::<uuid::Uuid>("\"a\""), "must be a UUID"),
        ] {
            let text = message.rsplit_once(" at line ").map_or(message.as_str(), |(text, _)| text);
            assert_eq!(predicate(text), said);
        }
    }

    #[test]
    fn null_is_absence_where_there_is_a_default() {
        let body = format!(
            r#"{{{LISBON}, "days": [{{"stops": null, "legs": null}}], "packing": [
            {{"name": "a", "quantity": null, "isPacked": null}}]}}"#
        );
        let plain = format!(r#"{{{LISBON}, "days": [{{}}], "packing": [{{"name": "a"}}]}}"#);
        let read = |body: &str| json::<ItineraryCreate>(body.as_bytes()).expect("a trip");
        assert_eq!(read(&body), read(&plain));
    }

    #[test]
    fn an_object_is_an_object() {
        assert_eq!(refused::<ItineraryPatch>("[]").0, "");
        assert_eq!(refused::<ItineraryPatch>("null").0, "");
        assert!(refused::<ItineraryPatch>("{").1.starts_with("The body is not JSON"));
        assert!(refused::<ItineraryPatch>("{} {}").1.starts_with("The body is not JSON"));
        assert!(refused::<ItineraryPatch>("").1.starts_with("The body is not JSON"));
    }

    #[test]
    fn read_only_fields_are_accepted_and_ignored() {
        let body = r#"{"id": 1, "role": {}, "author": [], "createdAt": null, "updatedAt": "x", "likesCount": -1,
            "viewsCount": 0, "savedFrom": {"a": {"b": []}}, "needsAttention": [], "title": "T"}"#;
        let patch: ItineraryPatch = json(body.as_bytes()).expect("a patch");
        assert_eq!(patch.title, crate::values::Change::Value(crate::types::Title::new("T").expect("short")));
    }

    #[test]
    fn nesting_may_be_128_deep() {
        // The body is one object deep itself.
        let body = |depth: usize| format!(r#"{{"savedFrom": {}{}}}"#, "[".repeat(depth - 1), "]".repeat(depth - 1));
        assert!(json::<ItineraryPatch>(body(128).as_bytes()).is_ok());
        assert!(json::<ItineraryPatch>(body(129).as_bytes()).is_err());
    }

    #[test]
    fn deep_nesting_is_refused_without_harm() {
        let body = format!(r#"{{"savedFrom": {}{}}}"#, "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(
            refused::<ItineraryPatch>(&body),
            (String::new(), "must not be nested more than 128 levels deep".into())
        );
    }
}
