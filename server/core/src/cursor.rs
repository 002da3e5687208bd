//! Where a list goes on: a position, sealed, good for one account, operation and set of filters.

use itinerary_api::read::FieldError;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::clock::Random;
use crate::seal::Key;

/// The cursor for a position. `list` names the account, the operation and the filters.
pub fn seal(key: &Key, list: &str, position: &impl Serialize, random: &dyn Random) -> String {
    let plain = serde_json::to_vec(position).expect("a position is plain data");
    key.seal(&purpose(list), &plain, random)
}

/// The position of a cursor; one that is foreign, altered or of another list is refused.
pub fn open<P: DeserializeOwned>(key: &Key, list: &str, cursor: &str) -> Result<P, FieldError> {
    let plain = key.open(&purpose(list), cursor);
    plain
        .and_then(|plain| serde_json::from_slice(&plain).ok())
        .ok_or_else(|| FieldError::new("cursor", "must be the nextCursor of the previous page, with the same filters"))
}

fn purpose(list: &str) -> String {
    format!("cursor {list}")
}
