//! Moving a trip to other dates and back.

use std::cell::Cell;

use itinerary_core::shift::shift;

use crate::strategies::content::valid;
use crate::support::{check, happens};

/// The fields that differ, by JSON pointer.
fn differences(path: &str, one: &serde_json::Value, other: &serde_json::Value, found: &mut Vec<String>) {
    use serde_json::Value::{Array, Object};
    match (one, other) {
        (Object(one), Object(other)) if one.len() == other.len() => {
            for (name, value) in one {
                differences(&format!("{path}.{name}"), value, &other[name], found);
            }
        }
        (Array(one), Array(other)) if one.len() == other.len() => {
            for (n, (one, other)) in one.iter().zip(other).enumerate() {
                differences(&format!("{path}[{n}]"), one, other, found);
            }
        }
        _ if one != other && !same_instant(one, other) => found.push(path.trim_start_matches('.').to_owned()),
        _ => {}
    }
}

/// Whether two texts are the same time, perhaps with other offsets.
fn same_instant(one: &serde_json::Value, other: &serde_json::Value) -> bool {
    let instant = |text: &serde_json::Value| chrono::DateTime::parse_from_rfc3339(text.as_str()?).ok();
    instant(one).is_some_and(|one| instant(other) == Some(one))
}

fn json(content: &itinerary_core::content::Content) -> serde_json::Value {
    let fragments = content.fragments();
    let texts = [fragments.everyone, fragments.members, fragments.pro];
    let fields = texts.iter().flat_map(|text| {
        let object: serde_json::Map<String, serde_json::Value> = serde_json::from_str(text).expect("a fragment");
        object
    });
    fields.collect()
}

#[test]
fn a_trip_moved_there_and_back_is_as_it_was_but_for_what_needs_attention() {
    let moved_back = Cell::new(0);
    check(400, (valid("p"), -3_660..=3_660_i64), |(content, days)| {
        let before = content.stored();
        let mut moved = before.clone();
        let Ok(mut attention) = shift(&mut moved, days, |_| None) else { return };
        attention.extend(shift(&mut moved, -days, |_| None).expect("it was there before"));
        let mut found = Vec::new();
        differences("", &json(&before), &json(&moved), &mut found);
        for field in &found {
            assert!(attention.iter().any(|entry| field == &entry.field), "{field} is not as it was");
        }
        moved_back.set(moved_back.get() + 1);
    });
    happens(moved_back.get(), "a trip is moved");
}
