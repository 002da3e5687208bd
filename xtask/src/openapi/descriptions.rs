//! Checks that every schema, property, parameter, header and response has a description.

use serde_json::{Map, Value};

use super::document;

/// A shorter description rarely says more than the name.
const WORDS: usize = 5;

/// Asserts it of each value that is not a reference.
fn assert_described<'a>(kind: &str, values: impl IntoIterator<Item = (String, &'a Value)>) {
    let words = |value: &Value| value["description"].as_str().unwrap_or_default().split_whitespace().count();
    let is_lacking = |(_, value): &(String, &Value)| value.get("$ref").is_none() && words(value) < WORDS;
    let lacking: Vec<_> = values.into_iter().filter(is_lacking).map(|(name, _)| name).collect();
    assert!(lacking.is_empty(), "{kind} that need a description of {WORDS} words or more: {lacking:#?}");
}

/// The entries of an object in the document; none if it is absent.
fn entries<'a>(value: &'a Value, pointer: &str) -> Vec<(&'a String, &'a Value)> {
    value.pointer(pointer).and_then(Value::as_object).into_iter().flat_map(Map::iter).collect()
}

/// Every operation, by its id.
fn operations(document: &Value) -> Vec<(String, &Value)> {
    let methods = entries(document, "/paths").into_iter().flat_map(|(_, path)| entries(path, ""));
    methods.filter_map(|(_, operation)| Some((operation["operationId"].as_str()?.to_owned(), operation))).collect()
}

#[test]
fn schemas_and_their_properties_are_described() {
    let document = document().expect("a document");
    let schemas = entries(&document, "/components/schemas");
    assert_described("schemas", schemas.iter().map(|(name, schema)| ((*name).clone(), *schema)));
    let properties = schemas.iter().flat_map(|(name, schema)| {
        entries(schema, "/properties").into_iter().map(move |(field, property)| (format!("{name}.{field}"), property))
    });
    assert_described("properties", properties);
}

#[test]
fn parameters_and_headers_are_described() {
    let document = document().expect("a document");
    let parameters = operations(&document).into_iter().flat_map(|(id, operation)| {
        let parameters = operation["parameters"].as_array().into_iter().flatten();
        parameters.map(move |parameter| (format!("{id} {}", parameter["name"]), parameter))
    });
    assert_described("parameters", parameters);
    let headers = entries(&document, "/components/headers");
    assert_described("headers", headers.into_iter().map(|(name, header)| (name.clone(), header)));
}

#[test]
fn responses_are_described_by_a_sentence_of_their_own() {
    let document = document().expect("a document");
    let shared = entries(&document, "/components/responses");
    assert_described("shared responses", shared.into_iter().map(|(name, response)| (name.clone(), response)));
    for (id, operation) in operations(&document) {
        let description = operation["description"].as_str().unwrap_or_default();
        assert!(!description.contains("Returns "), "{id}: the last paragraph describes the success response");
        let responses = entries(operation, "/responses");
        assert_described(&id, responses.iter().map(|(status, response)| ((*status).clone(), *response)));
        for (status, response) in responses {
            let text = response["description"].as_str().unwrap_or_default();
            assert!(!text.starts_with("successful "), "{id} {status}: the generator's words are left: {text}");
        }
    }
}
