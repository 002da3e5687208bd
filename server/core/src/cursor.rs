//! Where a list goes on: a position, sealed, good for one account, operation and set of filters.

use chrono::{DateTime, Utc};
use itinerary_api::read::FieldError;
use uuid::Uuid;

use crate::clock::Random;
use crate::seal::Key;

/// The last entry of a page: its time, and its id as the tie-breaker.
pub type Position = (DateTime<Utc>, Uuid);

/// The cursor for a position. `list` names the account, the operation and the filters.
pub fn seal(key: &Key, list: &str, (time, id): Position, random: &dyn Random) -> String {
    let mut plain = [0; 24];
    plain[..8].copy_from_slice(&time.timestamp_millis().to_be_bytes());
    plain[8..].copy_from_slice(id.as_bytes());
    key.seal(&purpose(list), &plain, random)
}

/// The position of a cursor; one that is foreign, altered or of another list is refused.
pub fn open(key: &Key, list: &str, cursor: &str) -> Result<Position, FieldError> {
    position(key, list, cursor)
        .ok_or_else(|| FieldError::new("cursor", "must be the nextCursor of the page before, with the same filters"))
}

fn purpose(list: &str) -> String {
    format!("cursor {list}")
}

fn position(key: &Key, list: &str, cursor: &str) -> Option<Position> {
    let plain: [u8; 24] = key.open(&purpose(list), cursor)?.try_into().ok()?;
    let (time, id) = plain.split_first_chunk::<8>()?;
    let time = DateTime::from_timestamp_millis(i64::from_be_bytes(*time))?;
    Some((time, Uuid::from_slice(id).ok()?))
}
