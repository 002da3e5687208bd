//! The published document: dropshot generates it from the endpoint trait, and the steps here complete it.
//!
//! Additions come from doc comments, from the policy table, or from `overlay.json`, where each entry has a reason.

mod compare;
#[cfg(test)]
mod descriptions;
pub(crate) mod directions;
mod errors;
mod examples;
mod headers;
#[cfg(test)]
mod names;
mod order;
mod overlay;
mod patches;
#[cfg(test)]
mod patterns;
pub(crate) mod released;
mod responses;
pub(crate) mod samples;
mod security;
mod tidy;
mod webhooks;

use std::error::Error;

use dropshot::semver::Version;
use itinerary_api::itinerary_api_mod::stub_api_description;
use itinerary_api::policy::Policy;
use serde_json::Value;

/// The path of the document from the workspace.
pub(crate) const FILE: &str = "openapi/itinerary.json";

/// The document as it is published.
pub(crate) fn text() -> Result<String, Box<dyn Error>> {
    let mut text = serde_json::to_string_pretty(&order::CommonFirst(&document()?))?;
    text.push('\n');
    Ok(text)
}

fn document() -> Result<Value, Box<dyn Error>> {
    let version = Version::parse(env!("CARGO_PKG_VERSION"))?;
    let mut document = stub_api_description()?.openapi("Itinerary Planning Service", version).json()?;
    webhooks::add(&mut document);
    tidy::tidy(&mut document);
    responses::add(&mut document);
    patches::add(&mut document);
    security::add(&mut document);
    headers::add(&mut document);
    errors::add(&mut document);
    overlay::apply(&mut document)?;
    directions::separate(&mut document);
    examples::add(&mut document)?;
    samples::add(&mut document);
    Ok(document)
}

/// Calls `visit` with each operation's path, policy row and object.
fn for_each_operation(document: &mut Value, mut visit: impl FnMut(&str, &'static Policy, &mut Value)) {
    let paths = document["paths"].as_object_mut().expect("a document has paths");
    for (path, operations) in paths {
        let operations = operations.as_object_mut().expect("a path has operations");
        for (_, operation) in operations.iter_mut().filter(|(name, _)| name.as_str() != "parameters") {
            let id = operation["operationId"].as_str().expect("an operation has an id");
            let policy = Policy::of(id).unwrap_or_else(|| panic!("the operation {id} has no policy row"));
            visit(path, policy, operation);
        }
    }
}

#[cfg(test)]
mod tests {
    use itinerary_api::policy::{POLICIES, Surface};

    use super::*;

    #[test]
    fn every_published_operation_is_there_with_words_one_tag_and_its_security() {
        let mut seen = Vec::new();
        for_each_operation(&mut document().expect("a document"), |_, policy, operation| {
            for words in ["summary", "description"] {
                assert!(
                    operation[words].as_str().is_some_and(|text| text.len() > 5),
                    "{words} of {}",
                    policy.operation
                );
            }
            assert_eq!(operation["tags"].as_array().map(Vec::len), Some(1), "tags of {}", policy.operation);
            let security = operation["security"].as_array().expect("security is stated");
            assert_eq!(security.is_empty(), !policy.token, "security of {}", policy.operation);
            seen.push(policy.operation);
        });
        for policy in POLICIES.iter().filter(|policy| !matches!(policy.surface, Surface::Page | Surface::File)) {
            assert!(seen.contains(&policy.operation), "{} is missing", policy.operation);
        }
    }

    #[test]
    fn nothing_says_that_its_default_is_to_be_cleared() {
        assert!(!text().expect("a document").contains("\"default\": null"));
    }
}
