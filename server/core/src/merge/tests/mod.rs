//! The rules of merging, one by one. `tests/merge_model` compares random merges with a second implementation.

mod days;
mod fields;
mod lists;
mod order;

use serde_json::{Value, json};

use super::{Merged, changes, merge};
use crate::access::Sections;
use crate::content::{Content, Fragments};

pub(crate) const EVERYTHING: Sections = Sections { members: true, pro: true, documents: true, source: true };

/// A content with these fields, the others at their defaults.
pub(crate) fn trip(fields: &Value) -> Content {
    let mut whole = json!({
        "title": "Trip", "destination": {"name": "Lisbon", "coordinate": {"latitude": 38.7, "longitude": -9.1}},
        "startDate": "2027-05-01", "travellers": 2, "tags": [],
    });
    whole.as_object_mut().expect("an object").extend(fields.as_object().expect("an object").clone());
    let fragment = |names: &[&str]| {
        let fields = names.iter().filter_map(|name| Some(((*name).to_owned(), whole.get(*name)?.clone())));
        Value::Object(fields.collect()).to_string()
    };
    let everyone =
        ["title", "summary", "destination", "startDate", "travellers", "tags", "coverImage", "currency", "days"];
    let fragments = Fragments {
        everyone: fragment(&everyone),
        members: fragment(&["origin", "flights", "hotels"]),
        pro: fragment(&["expenses", "packing"]),
        documents: fragment(&["documents"]),
    };
    Content::parse(&fragments).expect("a content")
}

/// A content as one object.
fn whole(content: &Content) -> Value {
    let Fragments { everyone, members, pro, documents } = content.fragments();
    let mut whole = json!({});
    for fragment in [everyone, members, pro, documents] {
        let fields: Value = serde_json::from_str(&fragment).expect("JSON");
        whole.as_object_mut().expect("an object").extend(fields.as_object().expect("an object").clone());
    }
    whole
}

fn outcome(base: &Value, current: &Value, yours: &Value, shown: Sections) -> Merged {
    merge(&trip(base), &trip(current), &trip(yours), shown).expect("the contents can be read")
}

/// The merged content.
pub(super) fn merged_in(base: &Value, current: &Value, yours: &Value, shown: Sections) -> Value {
    match outcome(base, current, yours, shown) {
        Merged::Content(content) => whole(&content),
        other => panic!("not merged: {other:?}"),
    }
}

pub(super) fn merged(base: &Value, current: &Value, yours: &Value) -> Value {
    merged_in(base, current, yours, EVERYTHING)
}

/// The conflicts, each as `[path, base, current, yours]`.
pub(super) fn conflicts(base: &Value, current: &Value, yours: &Value) -> Value {
    match outcome(base, current, yours, EVERYTHING) {
        Merged::Conflicts(conflicts) => {
            conflicts.into_iter().map(|one| json!([one.path, one.base, one.current, one.yours])).collect()
        }
        other => panic!("no conflict: {other:?}"),
    }
}

/// The paths of the conflicts.
pub(super) fn paths(base: &Value, current: &Value, yours: &Value) -> Vec<String> {
    let conflicts = conflicts(base, current, yours);
    let path = |conflict: &Value| conflict[0].as_str().expect("a path").to_owned();
    conflicts.as_array().expect("conflicts").iter().map(path).collect()
}

/// The field that makes the merged content invalid.
pub(super) fn invalid(base: &Value, current: &Value, yours: &Value) -> String {
    match outcome(base, current, yours, EVERYTHING) {
        Merged::Invalid(error) => error.field.expect("a field"),
        other => panic!("not invalid: {other:?}"),
    }
}

/// The changes, each as its path and kind.
pub(super) fn changed(before: &Value, after: &Value) -> Vec<String> {
    let changes = changes(&trip(before), &trip(after), EVERYTHING, 100).expect("the contents can be read");
    changes.into_iter().map(|change| format!("{} {:?}", change.path, change.kind).to_lowercase()).collect()
}

/// Days with stops: `d1: a b, d2:` are two days, the first with two stops.
pub(super) fn days(text: &str) -> Value {
    let stop = |id: &str| json!({"id": id, "name": "Stop"});
    let day = |text: &str| {
        let (id, stops) = text.split_once(':').expect("a day");
        json!({"id": id, "stops": stops.split_whitespace().map(stop).collect::<Value>()})
    };
    json!({"days": text.split(", ").filter(|day| !day.is_empty()).map(day).collect::<Value>()})
}

/// The days of a content in the same form.
pub(super) fn layout(whole: &Value) -> String {
    let id = |item: &Value| item["id"].as_str().expect("an id").to_owned();
    let day = |day: &Value| {
        let stops = day["stops"].as_array().expect("stops").iter().map(|stop| format!(" {}", id(stop)));
        format!("{}:{}", id(day), stops.collect::<String>())
    };
    whole["days"].as_array().expect("days").iter().map(day).collect::<Vec<_>>().join(", ")
}
