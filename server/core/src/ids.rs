//! Identifiers and secrets, made from a given time and random source.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, Utc};
use openssl::sha::sha256;
use uuid::Uuid;

use crate::clock::Random;

/// A UUID version 7: sortable by millisecond, with 74 random bits.
pub fn uuid(now: DateTime<Utc>, random: &dyn Random) -> Uuid {
    let millis = u64::try_from(now.timestamp_millis()).unwrap_or_default();
    uuid::Builder::from_unix_timestamp_millis(millis, &random.bytes::<10>()).into_uuid()
}

/// An id for an item of an itinerary (a stop, a hotel, …): 16 characters of `[A-Za-z0-9_-]`, 96 random bits.
pub fn item(random: &dyn Random) -> String {
    URL_SAFE_NO_PAD.encode(random.bytes::<12>())
}

/// A secret of 256 random bits: 43 characters of `[A-Za-z0-9_-]` after a prefix that lets secret scanners recognise it.
pub fn secret(prefix: &str, random: &dyn Random) -> String {
    format!("{prefix}{}", URL_SAFE_NO_PAD.encode(random.bytes::<32>()))
}

/// The SHA-256 of a secret, which is stored in its place. It needs no salt or stretching, because the secret has 256
/// random bits.
pub fn hash(secret: &str) -> [u8; 32] {
    sha256(secret.as_bytes())
}

/// The first 64 bits of a text's SHA-256 as 16 hexadecimal digits, to tell versions of a page or file apart.
pub fn short_hash(text: &str) -> String {
    let first = hash(text).first_chunk().copied().expect("a hash has 32 bytes");
    format!("{:016x}", u64::from_be_bytes(first))
}
