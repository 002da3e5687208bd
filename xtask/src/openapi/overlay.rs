//! What neither the trait nor the policy table can say: `overlay.json`, a list of places and what goes there.

use std::error::Error;

use serde::Deserialize;
use serde_json::Value;

const OVERLAY: &str = include_str!("overlay.json");

/// One addition.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    /// Why it is there.
    reason: String,
    /// Where it goes: a JSON pointer to an object that exists.
    at: String,
    /// The fields to set there; null takes one away.
    set: serde_json::Map<String, Value>,
}

pub(super) fn apply(document: &mut Value) -> Result<(), Box<dyn Error>> {
    let entries: Vec<Entry> = serde_json::from_str(OVERLAY)?;
    for Entry { reason, at, set } in entries {
        let target = document.pointer_mut(&at).and_then(Value::as_object_mut);
        let target = target.ok_or_else(|| format!("the overlay's place {at} ({reason}) is not in the document"))?;
        for (name, value) in set {
            if value.is_null() {
                target.remove(&name).ok_or_else(|| format!("there is no {name} at {at} to take away ({reason})"))?;
            } else {
                target.insert(name, value);
            }
        }
    }
    Ok(())
}
