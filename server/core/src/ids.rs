//! Identifiers and secrets, made from the clock and the random source that are given.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, Utc};
use openssl::sha::sha256;
use uuid::Uuid;

use crate::clock::Random;

/// A version 7 UUID: sortable by its millisecond, unguessable in its 74 random bits.
pub fn uuid(now: DateTime<Utc>, random: &dyn Random) -> Uuid {
    let millis = u64::try_from(now.timestamp_millis()).unwrap_or_default();
    uuid::Builder::from_unix_timestamp_millis(millis, &random.bytes::<10>()).into_uuid()
}

/// An id for something inside an itinerary (a stop, a hotel, …): 16 characters of `[A-Za-z0-9_-]`, 96 random bits.
pub fn item(random: &dyn Random) -> String {
    URL_SAFE_NO_PAD.encode(random.bytes::<12>())
}

/// A secret of 256 random bits behind a prefix that tells scanners what leaked: `prefix` and 43 characters of
/// `[A-Za-z0-9_-]`.
pub fn secret(prefix: &str, random: &dyn Random) -> String {
    format!("{prefix}{}", URL_SAFE_NO_PAD.encode(random.bytes::<32>()))
}

/// What is stored of a secret: its SHA-256. The secrets carry 256 random bits, so no salt or stretching is needed.
pub fn hash(secret: &str) -> [u8; 32] {
    sha256(secret.as_bytes())
}
