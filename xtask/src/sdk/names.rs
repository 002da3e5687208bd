//! Names of fields and parameters in descriptions, as they are in Rust: `startTime` is `start_time`. Only whole names
//! between backticks are changed, and only those of fields and parameters: values of enums, error codes and headers stay.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::derived::each_object;

/// Changes all descriptions and summaries.
pub(super) fn to_rust(document: &mut Value) {
    let names = names(document);
    each_object(document, &mut |object| {
        for key in ["description", "summary"] {
            if let Some(Value::String(text)) = object.get_mut(key) {
                *text = translate(text, &names);
            }
        }
    });
}

/// The names of fields and parameters, without those that are also values.
fn names(document: &mut Value) -> BTreeSet<String> {
    let (mut names, mut values) = (BTreeSet::new(), BTreeSet::new());
    each_object(document, &mut |object| {
        let properties = object.get("properties").and_then(Value::as_object).into_iter().flat_map(Map::keys);
        names.extend(properties.cloned());
        if let (Some(Value::String(name)), Some(Value::String(kind))) = (object.get("name"), object.get("in"))
            && kind != "header"
        {
            names.insert(name.clone());
        }
        for key in ["enum", "x-extensible-enum"] {
            let listed = object.get(key).and_then(Value::as_array).into_iter().flatten();
            values.extend(listed.filter_map(Value::as_str).map(str::to_owned));
        }
    });
    &names - &values
}

fn translate(text: &str, names: &BTreeSet<String>) -> String {
    let parts = text.split('`').enumerate();
    let parts = parts.map(|(index, part)| if index % 2 == 1 { translate_code(part, names) } else { part.to_owned() });
    parts.collect::<Vec<_>>().join("`")
}

/// A name, or a path of names such as `place.timeZone`.
fn translate_code(code: &str, names: &BTreeSet<String>) -> String {
    if code.split('.').all(|name| names.contains(name)) { snake_case(code) } else { code.to_owned() }
}

pub(super) fn snake_case(text: &str) -> String {
    let mut snake = String::new();
    for letter in text.chars() {
        if letter.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
    }
    snake
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_whole_names_of_fields_between_backticks_are_changed() {
        let text = "startTime, `startTime` and `place.timeZone`, not `boardingPass`, `itineraryModified`, `If-Match`, \
                    `GET /dryRun`, `days[0].startTime` or `other.timeZone`; `dryRun` is a parameter.";
        let mut document = json!({
            "description": text,
            "parameters": [{ "name": "dryRun", "in": "query" }, { "name": "If-Match", "in": "header" }],
            "properties": { "startTime": {}, "place": {}, "timeZone": {}, "boardingPass": {} },
            "kind": { "enum": ["boardingPass"] },
        });
        to_rust(&mut document);
        let expected = "startTime, `start_time` and `place.time_zone`, not `boardingPass`, `itineraryModified`, \
                        `If-Match`, `GET /dryRun`, `days[0].startTime` or `other.timeZone`; `dry_run` is a parameter.";
        assert_eq!(document["description"], expected);
    }
}
