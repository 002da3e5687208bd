//! Changes of a trip in words: `day 1, stop “Sé”: name changed`.

use itinerary_sdk::types::{ChangeKind, Revision, RevisionChange};
use serde_json::Value;

use crate::text;

/// What a line names at most.
const NAMED: usize = 4;

/// What a version changed, with the names that items have now. `trip` is the itinerary as JSON.
pub(crate) fn told(trip: &Value, revision: &Revision) -> String {
    if let Some(version) = revision.restored_from {
        return format!("version {version} restored");
    }
    if revision.version == 1 {
        return "created".to_owned();
    }
    let mut changes: Vec<_> = revision.changes.iter().take(NAMED).map(|change| one(trip, change)).collect();
    if let Some(more) = revision.changes.len().checked_sub(NAMED).filter(|more| *more > 0) {
        changes.push(format!("{more} more"));
    }
    changes.join("; ")
}

fn one(trip: &Value, change: &RevisionChange) -> String {
    let kind = change.kind.to_string();
    let (item, field) = named(trip, &change.path);
    // Moving to another day is a new day for the stop, so its old one would mislead.
    let is_moved = change.kind == ChangeKind::Moved;
    let item = match item.rsplit_once(", ") {
        Some((_, stop)) if is_moved => stop.to_owned(),
        _ => item,
    };
    match (item.as_str(), field.as_str()) {
        ("", field) => format!("{field} {kind}"),
        (item, "") => format!("{item} {kind}"),
        (item, field) => format!("{item}: {field} {kind}"),
    }
}

/// The items of a path with their names, and the field: `days[id=d].stops[id=s].name` is `day 1, stop “Sé”` and `name`.
fn named(trip: &Value, path: &str) -> (String, String) {
    let (mut items, mut field) = (Vec::new(), String::new());
    let mut within = trip;
    for segment in path.split('.') {
        let Some((list, id)) = segment.split_once("[id=").and_then(|(list, id)| Some((list, id.strip_suffix(']')?)))
        else {
            // A field within a field, such as a place's name, is a change of the first one for people.
            if field.is_empty() {
                field = text::words(segment);
            }
            continue;
        };
        let found = within[list].as_array().and_then(|found| found.iter().position(|item| item["id"] == id));
        within = found.map_or(&Value::Null, |index| &within[list][index]);
        items.push(item(list, id, found, within));
    }
    (items.join(", "), field)
}

fn item(list: &str, id: &str, index: Option<usize>, item: &Value) -> String {
    let noun = match list {
        "packing" => "packing item".to_owned(),
        list => text::words(list.strip_suffix('s').unwrap_or(list)),
    };
    if let (Some(index), "days") = (index, list) {
        return format!("{noun} {}", index + 1);
    }
    let name = ["name", "flightNumber"].iter().find_map(|field| item[field].as_str());
    match name {
        Some(name) => format!("{noun} “{name}”"),
        None => format!("{noun} {id}"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn lisbon() -> Value {
        json!({
            "title": "Lisbon",
            "days": [{ "id": "d1", "stops": [] }, { "id": "d2", "stops": [{ "id": "s", "name": "Sé" }] }],
            "flights": [{ "id": "f", "flightNumber": "TP1363" }],
            "packing": [{ "id": "p", "name": "Socks" }],
        })
    }

    fn revision(version: i64, changes: &Value) -> Revision {
        let json = json!({ "version": version, "etag": "\"v2.m\"", "updatedAt": "2027-01-01T00:00:00Z", "by": null,
            "app": null, "changes": changes });
        serde_json::from_value(json).unwrap()
    }

    #[test]
    fn items_have_their_names_and_days_their_numbers() {
        for (path, kind, expected) in [
            ("title", "changed", "title changed"),
            ("startDate", "changed", "start date changed"),
            ("days[id=d2]", "moved", "day 2 moved"),
            ("days[id=d2].stops[id=s]", "added", "day 2, stop “Sé” added"),
            ("days[id=d2].stops[id=s]", "moved", "stop “Sé” moved"),
            ("days[id=d2].stops[id=s].place.name", "changed", "day 2, stop “Sé”: place changed"),
            ("days[id=d9].stops[id=gone]", "removed", "day d9, stop gone removed"),
            ("flights[id=f].gateNumber", "changed", "flight “TP1363”: gate number changed"),
            ("packing[id=p].packed", "changed", "packing item “Socks”: packed changed"),
            ("days[id=", "twisted", "days[id= twisted"),
        ] {
            let revision = revision(2, &json!([{ "path": path, "kind": kind }]));
            assert_eq!(told(&lisbon(), &revision), expected);
        }
    }

    #[test]
    fn long_lists_are_cut_and_special_versions_named() {
        let change = json!({ "path": "title", "kind": "changed" });
        let six = json!([change, change, change, change, change, change]);
        assert!(told(&lisbon(), &revision(2, &six)).ends_with("title changed; 2 more"));
        assert_eq!(told(&lisbon(), &revision(1, &json!([]))), "created");
        let restored = Revision { restored_from: Some(3), ..revision(5, &six) };
        assert_eq!(told(&lisbon(), &restored), "version 3 restored");
    }
}
