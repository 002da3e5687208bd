//! Compares the token scopes that operations require.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{Operation, fields};

/// A scheme, and with a scope, the scope of it.
type Need<'a> = (&'a str, Option<&'a str>);

/// Lists the previously sufficient sets of scopes that no longer are.
pub(super) fn new_needs(old: Operation<'_>, new: Operation<'_>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let now = alternatives(new);
    for before in alternatives(old) {
        let missing = now.iter().map(|needs| needs.difference(&before).copied().collect::<Vec<_>>());
        let fewest = missing.min_by_key(Vec::len).unwrap_or_default();
        found.extend(fewest.into_iter().map(|(scheme, scope)| match scope {
            Some(scope) => format!("needs the scope {scope} now"),
            None => format!("needs {scheme} now"),
        }));
    }
    found
}

/// Any one of these sets admits a request. An operation without security has one empty set.
fn alternatives(operation: Operation<'_>) -> Vec<BTreeSet<Need<'_>>> {
    let own = operation.value.get("security").unwrap_or(&operation.document["security"]);
    let sets: Vec<BTreeSet<_>> = own
        .as_array()
        .into_iter()
        .flatten()
        .map(|set| fields(set).flat_map(|(scheme, scopes)| needs(scheme, scopes)).collect())
        .collect();
    if sets.is_empty() { vec![BTreeSet::new()] } else { sets }
}

fn needs<'a>(scheme: &'a str, scopes: &'a Value) -> Vec<Need<'a>> {
    let scopes = scopes.as_array().into_iter().flatten().filter_map(Value::as_str);
    scopes.map(|scope| (scheme, Some(scope))).chain([(scheme, None)]).collect()
}
