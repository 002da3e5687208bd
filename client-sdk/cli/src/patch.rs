//! What an edit changed, as a JSON merge patch.

use serde_json::{Map, Value};

/// The merge patch (RFC 7396) that turns one object into another. A removed field is null; an array is replaced as a
/// whole.
pub(crate) fn between(old: &Map<String, Value>, new: &Map<String, Value>) -> Map<String, Value> {
    let mut patch = Map::new();
    for (name, value) in new {
        match (old.get(name), value) {
            (Some(before), value) if before == value => {}
            (Some(Value::Object(before)), Value::Object(after)) => {
                patch.insert(name.clone(), Value::Object(between(before, after)));
            }
            (_, value) => {
                patch.insert(name.clone(), value.clone());
            }
        }
    }
    for name in old.keys().filter(|name| !new.contains_key(*name)) {
        patch.insert(name.clone(), Value::Null);
    }
    patch
}

/// Removes legs that the edit has left behind: those of the old days that no longer join a stop to the next one. Legs that
/// the edit has written are kept, so that the server can reject them.
pub(crate) fn drop_stale_legs(old: &Map<String, Value>, new: &mut Map<String, Value>) {
    let old_legs: Vec<Value> = days(old).flat_map(|day| items(day, "legs").cloned()).collect();
    let Some(Value::Array(days)) = new.get_mut("days") else { return };
    for day in days {
        let stops: Vec<Value> = items(day, "stops").map(|stop| stop["id"].clone()).collect();
        if let Some(Value::Array(legs)) = day.get_mut("legs") {
            legs.retain(|leg| {
                let joins = stops.windows(2).any(|pair| pair[0] == leg["from"] && pair[1] == leg["to"]);
                joins || !old_legs.contains(leg)
            });
        }
    }
}

fn days(itinerary: &Map<String, Value>) -> impl Iterator<Item = &Value> {
    itinerary.get("days").and_then(Value::as_array).into_iter().flatten()
}

fn items<'a>(day: &'a Value, name: &str) -> impl Iterator<Item = &'a Value> {
    day.get(name).and_then(Value::as_array).into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn object(value: &Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    fn patched(old: &Value, new: &Value) -> Value {
        Value::Object(between(&object(old), &object(new)))
    }

    #[test]
    fn only_changes_are_sent() {
        let old = json!({ "title": "a", "tags": ["x"], "place": { "name": "n", "code": "LIS" }, "summary": "s" });
        assert_eq!(patched(&old, &old), json!({}));
        let new = json!({ "title": "b", "tags": ["x", "y"], "place": { "name": "n" }, "currency": "EUR" });
        let expected = json!({
            "title": "b", "tags": ["x", "y"], "place": { "code": null }, "summary": null, "currency": "EUR" });
        assert_eq!(patched(&old, &new), expected);
    }

    #[test]
    fn legs_follow_their_stops() {
        let leg = |from: &str, to: &str| json!({ "from": from, "to": to, "mode": "walk" });
        let day = |stops: &[&str], legs: Vec<Value>| {
            let stops: Vec<_> = stops.iter().map(|id| json!({ "id": id })).collect();
            json!({ "days": [{ "stops": stops, "legs": legs }] })
        };
        let old = object(&day(&["a", "b", "c"], vec![leg("a", "b"), leg("b", "c")]));
        let mut new = object(&day(&["b", "c", "a"], vec![leg("a", "b"), leg("b", "c"), leg("c", "x")]));
        drop_stale_legs(&old, &mut new);
        assert_eq!(new["days"][0]["legs"], json!([leg("b", "c"), leg("c", "x")]));
    }
}
