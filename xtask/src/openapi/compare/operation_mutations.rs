//! The present document against itself with every operation mutated.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::mutations::{each_operation, present};
use super::{breaks, fields, resolve};

/// Mutates every operation. Compares what is found with what the mutation says.
fn check_operations(mut mutate: impl FnMut(&Value, &mut Map<String, Value>) -> Vec<String>) {
    let old = present();
    let mut new = old.clone();
    let mut wanted = BTreeSet::new();
    each_operation(&mut new, |name, operation| {
        wanted.extend(mutate(&old, operation).into_iter().map(|what| format!("{name}: {what}")));
    });
    let found: BTreeSet<_> = breaks(&old, &new).into_iter().map(|found| found.line).collect();
    assert!(!wanted.is_empty(), "the mutation applies nowhere");
    assert_eq!(found, wanted);
}

fn parameter(document: &Value, parameter: &Value) -> String {
    let parameter = resolve(document, parameter);
    let (kind, name) = (parameter["in"].as_str().expect("a kind"), parameter["name"].as_str().expect("a name"));
    let name = if kind == "header" { name.to_lowercase() } else { name.to_owned() };
    format!("{kind} parameter {name}")
}

#[test]
fn operations_that_go_are_found() {
    let old = present();
    let mut new = old.clone();
    new["paths"] = json!({});
    let mut wanted = BTreeSet::new();
    each_operation(&mut old.clone(), |name, _| _ = wanted.insert(format!("{name}: operation removed")));
    let found: BTreeSet<_> = breaks(&old, &new).into_iter().map(|found| found.line).collect();
    assert_eq!(found, wanted);
}

#[test]
fn mutated_operations_are_found() {
    check_operations(|_, operation| {
        let id = operation["operationId"].as_str().expect("an id").to_owned();
        operation.insert("operationId".to_owned(), json!("other"));
        vec![format!("operationId changed from {id} to other")]
    });
    check_operations(|_, operation| {
        let schemes = operation["security"].as_array_mut().expect("security");
        let scopes = schemes.iter_mut().filter_map(|scheme| scheme["oauth2"].as_array_mut());
        scopes.map(|scopes| scopes.push(json!("more"))).map(|()| "needs the scope more now".to_owned()).collect()
    });
}

#[test]
fn mutated_parameters_are_found() {
    check_operations(|document, operation| {
        let parameters = operation.get_mut("parameters").and_then(Value::as_array_mut);
        let last = parameters.and_then(Vec::pop);
        last.map(|last| format!("{} removed", parameter(document, &last))).into_iter().collect()
    });
    check_operations(|document, operation| {
        let mut broken = Vec::new();
        for parameter in operation.get_mut("parameters").and_then(Value::as_array_mut).into_iter().flatten() {
            *parameter = resolve(document, parameter).clone();
            if parameter["required"] != true {
                parameter["required"] = json!(true);
                broken.push(format!("{} is required now", self::parameter(document, parameter)));
            }
        }
        broken
    });
}

#[test]
fn mutated_bodies_and_responses_are_found() {
    check_operations(|_, operation| {
        let Some(content) = operation.get_mut("requestBody").map(|body| body["content"].take()) else {
            return Vec::new();
        };
        fields(&content).map(|(kind, _)| format!("request body can no longer be {kind}")).collect()
    });
    check_operations(|_, operation| {
        let responses = operation["responses"].as_object_mut().expect("responses");
        let gone = responses.keys().filter(|status| !status.starts_with(['4', '5'])).cloned().collect::<Vec<_>>();
        responses.clear();
        gone.iter().map(|status| format!("{status} response removed")).collect()
    });
    check_operations(|document, operation| {
        let mut broken = Vec::new();
        for (status, response) in operation["responses"].as_object_mut().expect("responses") {
            *response = resolve(document, response).clone();
            let headers = response["headers"].take();
            broken.extend(fields(&headers).map(|(name, _)| format!("{status} response header {name} removed")));
            let content = response["content"].take();
            broken.extend(fields(&content).map(|(kind, _)| format!("{status} response body can no longer be {kind}")));
        }
        broken
    });
}
