//! Merging without types, as RFC 7396 specifies it, and a function for each difference that the contract adds.

use std::collections::{BTreeSet, HashSet};

use serde_json::{Map, Value};

use crate::shape::{Field, Kind, Need};

/// `MergePatch` of RFC 7396, section 2, line by line.
pub(crate) fn merge_patch(target: Value, patch: Value) -> Value {
    let Value::Object(patch) = patch else { return patch };
    let mut target = match target {
        Value::Object(target) => target,
        _ => Map::new(),
    };
    for (name, value) in patch {
        if value.is_null() {
            target.remove(&name);
        } else {
            let old = target.remove(&name).unwrap_or(Value::Null);
            target.insert(name, merge_patch(old, value));
        }
    }
    Value::Object(target)
}

/// The outcome of merging a patch into an object, or the fields that its error may name.
pub(crate) fn merge(fields: &[Field], target: &Value, patch: &Value) -> Result<Value, BTreeSet<String>> {
    let mut wrong = BTreeSet::new();
    refused_nulls(fields, patch, "", &mut wrong);
    let merged = completed(fields, merge_patch(target.clone(), patch.clone()));
    lacks(fields, &merged, "", &mut wrong);
    if wrong.is_empty() { Ok(merged) } else { Err(wrong) }
}

/// Difference: required fields and ids cannot be cleared.
fn refused_nulls(fields: &[Field], patch: &Value, parent: &str, wrong: &mut BTreeSet<String>) {
    for field in fields {
        let named = format!("{parent}{}", field.name);
        match (patch.get(field.name), &field.need, &field.kind) {
            (Some(Value::Null), Need::Required | Need::Identity, _) => drop(wrong.insert(named)),
            (Some(inner), _, Kind::Object(fields)) => refused_nulls(fields, inner, &format!("{named}."), wrong),
            _ => {}
        }
    }
}

/// Difference: an object that a patch creates must have its required fields.
fn lacks(fields: &[Field], object: &Value, parent: &str, wrong: &mut BTreeSet<String>) {
    for field in fields {
        let named = format!("{parent}{}", field.name);
        match (object.get(field.name), &field.need, &field.kind) {
            (None, Need::Required, _) => drop(wrong.insert(named)),
            (Some(inner), _, Kind::Object(fields)) => lacks(fields, inner, &format!("{named}."), wrong),
            _ => {}
        }
    }
}

/// Differences: absent fields get their default, and null inside an array's object counts as absent.
pub(crate) fn completed(fields: &[Field], object: Value) -> Value {
    let mut object = object_of(object);
    for field in fields {
        let name = field.name;
        if object.get(name).is_some_and(Value::is_null) {
            object.remove(name);
        }
        let default = match field.need {
            Need::Else(default) => Some(serde_json::from_str(default).expect("the table holds JSON")),
            Need::Required | Need::Optional | Need::Identity | Need::Sparse => None,
        };
        let Some(value) = object.remove(name).or(default) else { continue };
        let value = completed_value(&field.kind, value);
        if !matches!(field.need, Need::Sparse) || value != Value::Array(Vec::new()) {
            object.insert(name.to_owned(), value);
        }
    }
    Value::Object(object)
}

fn completed_value(kind: &Kind, value: Value) -> Value {
    match (kind, value) {
        (Kind::Object(fields), value) => completed(fields, value),
        (Kind::List(fields, _), Value::Array(items)) => items.into_iter().map(|item| completed(fields, item)).collect(),
        (_, value) => value,
    }
}

/// A patch after it was read: its nulls stay, and objects in its arrays are complete.
pub(crate) fn completed_patch(fields: &[Field], patch: Value) -> Value {
    let mut patch = object_of(patch);
    for field in fields {
        let Some(value) = patch.get_mut(field.name).filter(|value| !value.is_null()) else { continue };
        let sent = value.take();
        *value = match &field.kind {
            Kind::Object(fields) => completed_patch(fields, sent),
            kind => completed_value(kind, sent),
        };
    }
    Value::Object(patch)
}

fn object_of(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(object) => object,
        other => panic!("no object: {other}"),
    }
}

/// Difference: an item keeps its id.
pub(crate) fn changes_id(item: &Value, patch: &Value) -> bool {
    patch.get("id").is_some_and(|id| Some(id) != item.get("id"))
}

/// Difference: if no legs were sent, legs between stops that are no longer adjacent are removed.
pub(crate) fn keep_neighbours(day: &mut Value) {
    let stops: Vec<Value> = items(day, "stops").iter().map(|stop| stop["id"].clone()).collect();
    let follows = |leg: &Value| stops.windows(2).any(|two| leg["from"] == two[0] && leg["to"] == two[1]);
    if let Some(legs) = day.get_mut("legs").and_then(Value::as_array_mut) {
        legs.retain(follows);
    }
}

/// Difference: links to removed entries are cleared in these lists.
pub(crate) fn drop_dangling(whole: &mut Value, lists: &[&str]) {
    let targets = targets(whole);
    for list in lists {
        for item in whole.get_mut(*list).and_then(Value::as_array_mut).expect("a list") {
            let Some(link) = item.get("belongsTo") else { continue };
            let (kind, id) = (link["kind"].as_str().expect("text"), link["id"].as_str().expect("text"));
            if kind != "itinerary" && !targets.contains(&(kind.to_owned(), id.to_owned())) {
                item.as_object_mut().expect("an object").remove("belongsTo");
            }
        }
    }
}

/// Everything that a link may refer to: kinds and ids.
fn targets(whole: &Value) -> HashSet<(String, String)> {
    let ids = |kind: &str, items: &[Value]| {
        let ids = items.iter().filter_map(|item| item["id"].as_str());
        ids.map(|id| (kind.to_owned(), id.to_owned())).collect::<Vec<_>>()
    };
    let days = items(whole, "days");
    let mut targets = HashSet::new();
    targets.extend(ids("day", days));
    targets.extend(days.iter().flat_map(|day| ids("stop", items(day, "stops"))));
    targets.extend(ids("flight", items(whole, "flights")));
    targets.extend(ids("hotel", items(whole, "hotels")));
    targets.extend(ids("transport", items(whole, "transports")));
    targets.extend(ids("reservation", items(whole, "reservations")));
    targets
}

fn items<'a>(object: &'a Value, list: &str) -> &'a [Value] {
    object[list].as_array().map_or(&[], Vec::as_slice)
}
