//! Cursors of paginated lists: a sealed position that is valid for one account, operation and set of filters.

use itinerary_api::read::FieldError;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::clock::Random;
use crate::seal::Key;

/// Seals a position. `list` identifies the account, the operation and the filters.
pub fn seal(key: &Key, list: &str, position: &impl Serialize, random: &dyn Random) -> String {
    let plain = serde_json::to_vec(position).expect("a position is plain data");
    key.seal(&purpose(list), &plain, random)
}

/// Opens a cursor. Rejects one that was altered, or issued for another list or by another server.
pub fn open<P: DeserializeOwned>(key: &Key, list: &str, cursor: &str) -> Result<P, FieldError> {
    let plain = key.open(&purpose(list), cursor);
    plain.and_then(|plain| serde_json::from_slice(&plain).ok()).ok_or_else(|| {
        FieldError::new("cursor", "must be the `nextCursor` of the previous page, sent with the same filters")
    })
}

fn purpose(list: &str) -> String {
    format!("cursor {list}")
}
