//! Additions that neither the trait nor the policy table can express: `overlay.json`, a list of JSON pointers and fields.

use std::error::Error;

use serde::Deserialize;
use serde_json::Value;

const OVERLAY: &str = include_str!("overlay.json");

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    /// Why the generator cannot produce it. Shown if the pointer is wrong.
    reason: String,
    /// A JSON pointer to an existing object.
    at: String,
    /// The fields to set in it; null removes one.
    set: serde_json::Map<String, Value>,
}

pub(super) fn apply(document: &mut Value) -> Result<(), Box<dyn Error>> {
    let entries: Vec<Entry> = serde_json::from_str(OVERLAY)?;
    for Entry { reason, at, set } in entries {
        let target = document.pointer_mut(&at).and_then(Value::as_object_mut);
        let target = target.ok_or_else(|| format!("the overlay's pointer {at} ({reason}) is not in the document"))?;
        for (name, value) in set {
            if value.is_null() {
                target.remove(&name).ok_or_else(|| format!("cannot remove {name}: it is not at {at} ({reason})"))?;
            } else {
                target.insert(name, value);
            }
        }
    }
    Ok(())
}
