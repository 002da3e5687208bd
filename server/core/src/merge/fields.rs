//! Compares and merges the fields of an object: of the itinerary, of an item, or of an object in an item.
//!
//! Lists of items are not compared here: see `lists.rs` and `days.rs`.

use std::collections::BTreeSet;

use itinerary_api::error::MergeConflict;
use serde_json::{Map, Value};

pub(super) type Fields = Map<String, Value>;

/// Fields that are merged as one value.
const GROUPS: [&[&str]; 4] = [
    &["departureDate", "arrivalDate", "departureDay"],
    &["checkInDate", "checkOutDate"],
    &["startDate", "endDate", "startDay", "endDay"],
    &["startTime", "startTimeSuggested", "durationMinutes"],
];

/// Objects that are merged field by field. All others are one value.
const NESTED: [&str; 4] = ["flightAirline", "operator", "activity", "image"];

/// Places, of which the server fills in the fields of [`FILLED`].
const PLACES: [&str; 7] =
    ["origin", "destination", "place", "departureAirport", "arrivalAirport", "departurePlace", "arrivalPlace"];
const FILLED: [&str; 6] = ["name", "address", "coordinate", "placeId", "countryCode", "timeZone"];

/// Lists that are merged by other rules.
const LISTS: [&str; 2] = ["stops", "legs"];

/// Merges the fields of an object that all three versions have. Adds the conflicts.
pub(super) fn merge(path: &str, versions: [&Fields; 3], conflicts: &mut Vec<MergeConflict>) -> Fields {
    let [base, current, yours] = versions;
    let id = current.get_key_value("id").map(|(name, id)| (name.clone(), id.clone()));
    let mut merged: Fields = id.into_iter().collect();
    for unit in units(&versions) {
        let name = unit[0];
        if let Some(value) = nested(path, name, versions, conflicts).or_else(|| tags(name, versions)) {
            merged.insert(name.to_owned(), value);
            continue;
        }
        let takes_current = same(yours, base, &unit) || same(yours, current, &unit);
        let takes_yours = !takes_current && unchanged(base, current, &unit);
        if !takes_current && !takes_yours {
            conflicts.extend(unit.iter().filter_map(|name| conflict(path, name, versions)));
        }
        let source = if takes_yours { yours } else { current };
        let values = unit.iter().filter_map(|name| source.get_key_value(*name));
        merged.extend(values.map(|(name, value)| (name.clone(), value.clone())));
    }
    merged
}

/// The paths of the fields that differ.
pub(super) fn differences(path: &str, before: &Fields, after: &Fields) -> Vec<String> {
    let mut paths = Vec::new();
    for name in units(&[before, after]).into_iter().flatten().filter(|name| !same(before, after, &[*name])) {
        match (before.get(name), after.get(name)) {
            (Some(Value::Object(before)), Some(Value::Object(after))) if NESTED.contains(&name) => {
                paths.extend(differences(&join(path, name), before, after));
            }
            _ => paths.push(join(path, name)),
        }
    }
    paths
}

/// Whether two versions of an object differ.
pub(super) fn differ(one: &Fields, other: &Fields) -> bool {
    units(&[one, other]).iter().any(|unit| !same(one, other, unit))
}

/// Whether the current version changed an object. What the server fills in is no change.
pub(super) fn changed_by_current(base: &Fields, current: &Fields) -> bool {
    units(&[base, current]).iter().any(|unit| !unchanged(base, current, unit))
}

/// The path of a field.
fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

/// The fields of the objects, those of a group together.
fn units<'a>(objects: &[&'a Fields]) -> BTreeSet<Vec<&'a str>> {
    let names = objects.iter().flat_map(|object| object.keys()).map(String::as_str);
    let unit = |name| GROUPS.iter().find(|group| group.contains(&name)).map_or(vec![name], |group| group.to_vec());
    names.filter(|name| *name != "id" && !LISTS.contains(name)).map(unit).collect()
}

/// The value for comparisons: a suggested start time counts as none.
fn value<'a>(object: &'a Fields, name: &str) -> Option<&'a Value> {
    static FALSE: Value = Value::Bool(false);
    let is_suggested = || object.get("startTimeSuggested") == Some(&Value::Bool(true));
    match name {
        "startTime" if is_suggested() => None,
        "startTimeSuggested" if is_suggested() => Some(&FALSE),
        _ => object.get(name),
    }
}

fn same(one: &Fields, other: &Fields, unit: &[&str]) -> bool {
    unit.iter().all(|name| value(one, name) == value(other, name))
}

/// Whether the current version has the values of the base, but for what the server fills in.
fn unchanged(base: &Fields, current: &Fields, unit: &[&str]) -> bool {
    same(base, current, unit) || (PLACES.contains(&unit[0]) && is_filled(base.get(unit[0]), current.get(unit[0])))
}

/// Whether a place is the base's with fields filled in that were empty.
fn is_filled(base: Option<&Value>, current: Option<&Value>) -> bool {
    let empty = Fields::new();
    let base = base.map_or(Some(&empty), Value::as_object);
    let (Some(base), Some(current)) = (base, current.and_then(Value::as_object)) else { return false };
    base.iter().all(|(name, value)| current.get(name) == Some(value))
        && current.keys().all(|name| base.contains_key(name) || FILLED.contains(&&**name))
}

/// The merged object, if the field is one that is merged field by field and all versions have it.
fn nested(path: &str, name: &str, versions: [&Fields; 3], conflicts: &mut Vec<MergeConflict>) -> Option<Value> {
    let [base, current, yours] = versions.map(|version| version.get(name).and_then(Value::as_object));
    let objects = [base?, current?, yours?];
    NESTED.contains(&name).then(|| Value::Object(merge(&join(path, name), objects, conflicts)))
}

/// The merged tags, if both sides changed them: the current ones without those that you removed, then those that you
/// added.
fn tags(name: &str, versions: [&Fields; 3]) -> Option<Value> {
    let [base, current, yours] = versions.map(|version| version.get(name).and_then(Value::as_array));
    let (base, current, yours) = (base?, current?, yours?);
    if name != "tags" || base == current || base == yours {
        return None;
    }
    let mut tags: Vec<_> = current.iter().filter(|tag| yours.contains(tag) || !base.contains(tag)).cloned().collect();
    for tag in yours.iter().filter(|tag| !base.contains(tag)) {
        if !tags.contains(tag) {
            tags.push(tag.clone());
        }
    }
    Some(tags.into())
}

/// The conflict of a field, if a side changed it.
fn conflict(path: &str, name: &str, versions: [&Fields; 3]) -> Option<MergeConflict> {
    let [base, current, yours] = versions.map(|version| value(version, name).cloned());
    (base != current || base != yours).then(|| {
        let [base, current, yours] = [base, current, yours].map(Option::unwrap_or_default);
        MergeConflict { path: join(path, name), base, current, yours }
    })
}
