//! Fields of responses that the OpenAPI document does not declare. Only their names are compared: what values mean is
//! checked by the rows, and the document itself says that clients must ignore unknown fields.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use serde_json::Value;

/// The document of the API, as it was when this program was built.
static DOCUMENT: LazyLock<Value> = LazyLock::new(|| {
    serde_json::from_str(include_str!("../../../openapi/itinerary.json"))
        .expect("the document is JSON, as a test checks")
});
/// The greatest depth of a response that is compared.
const DEEPEST: usize = 64;

/// The undeclared fields of a response, such as `itinerary_list 200: data[].score`. Empty for paths, statuses and media
/// types that the document does not describe.
pub(crate) fn undeclared(method: &str, path: &str, status: u16, body: &Value) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    if let Some((operation, schema)) = response(method, path, status) {
        let mut fields = BTreeSet::new();
        compare(body, schema, "", 0, &mut fields);
        found.extend(fields.into_iter().map(|field| format!("{operation} {status}: {field}")));
    }
    found
}

/// The id of the operation, and the schema of its JSON response.
fn response(method: &str, path: &str, status: u16) -> Option<(&'static str, &'static Value)> {
    let operation = operation(method, path)?;
    let responses = &operation["responses"];
    let exact = responses.get(status.to_string());
    let response =
        exact.or_else(|| responses.get(if status < 500 { "4XX" } else { "5XX" }).filter(|_| status >= 400))?;
    let schema = resolved(response).get("content")?.get("application/json")?.get("schema")?;
    Some((operation["operationId"].as_str()?, schema))
}

/// The operation of a path. Where several templates match, the one with the most literal segments.
fn operation(method: &str, path: &str) -> Option<&'static Value> {
    let path = path.split('?').next().unwrap_or_default();
    let paths = DOCUMENT["paths"].as_object()?;
    let matching = paths.iter().filter_map(|(template, methods)| Some((literals(template, path)?, methods)));
    let (_, methods) = matching.max_by_key(|(literals, _)| *literals)?;
    methods.get(method.to_ascii_lowercase())
}

/// The number of literal segments of a template that matches the path.
fn literals(template: &str, path: &str) -> Option<usize> {
    let (template, path): (Vec<&str>, Vec<&str>) = (template.split('/').collect(), path.split('/').collect());
    let is_parameter = |segment: &str| segment.starts_with('{');
    let matches = template.len() == path.len()
        && template.iter().zip(&path).all(|(wanted, found)| is_parameter(wanted) || wanted == found);
    matches.then(|| template.iter().filter(|segment| !is_parameter(segment)).count())
}

/// What a `$ref` refers to, or the value itself.
fn resolved(value: &'static Value) -> &'static Value {
    let reference = value.get("$ref").and_then(Value::as_str).and_then(|reference| reference.strip_prefix('#'));
    reference.and_then(|pointer| DOCUMENT.pointer(pointer)).unwrap_or(value)
}

fn compare(value: &Value, schema: &'static Value, at: &str, depth: usize, found: &mut BTreeSet<String>) {
    if depth > DEEPEST {
        return;
    }
    let variants = variants(schema);
    match value {
        Value::Object(fields) => {
            let declared = |name: &str| variants.iter().find_map(|variant| variant["properties"].get(name));
            // An object without properties is a map, whose names are data.
            let is_map = !variants.iter().any(|variant| variant["properties"].is_object());
            for (name, value) in fields {
                let at = if at.is_empty() { name.clone() } else { format!("{at}.{name}") };
                match declared(name) {
                    Some(schema) => compare(value, schema, &at, depth + 1, found),
                    None if is_map => {}
                    None => _ = found.insert(at),
                }
            }
        }
        Value::Array(items) => {
            let Some(schema) = variants.iter().find_map(|variant| variant.get("items")) else { return };
            let at = format!("{at}[]");
            for item in items {
                compare(item, schema, &at, depth + 1, found);
            }
        }
        _ => {}
    }
}

/// The schema itself, and the schemas that it is composed of.
fn variants(schema: &'static Value) -> Vec<&'static Value> {
    let schema = resolved(schema);
    let parts = ["allOf", "anyOf", "oneOf"].iter().filter_map(|keyword| schema.get(keyword)?.as_array()).flatten();
    [schema].into_iter().chain(parts.flat_map(variants)).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::undeclared;

    fn found(method: &str, path: &str, status: u16, body: &serde_json::Value) -> Vec<String> {
        undeclared(method, path, status, body).into_iter().collect()
    }

    #[test]
    fn undeclared_fields_are_found_at_any_depth() {
        let body = json!({ "data": [{ "id": "a", "score": 1, "author": { "email": "a" } }], "nextCursor": null });
        let expected = ["itinerary_list 200: data[].author.email", "itinerary_list 200: data[].score"];
        assert_eq!(found("GET", "/v1/itineraries?limit=1", 200, &body), expected);
        let error = json!({ "error": { "code": "notFound", "message": "No.", "trace": "" } });
        assert_eq!(found("GET", "/v1/itineraries/a", 404, &error), ["itinerary_view 404: error.trace"]);
    }

    #[test]
    fn undocumented_operations_are_not_compared() {
        let body = json!({ "anything": 1 });
        for (method, path, status) in [("GET", "/elsewhere", 200), ("TRACE", "/v1/itineraries", 200)] {
            assert_eq!(found(method, path, status, &body), [""; 0], "{method} {path}");
        }
    }
}
