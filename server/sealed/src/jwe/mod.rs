//! JSON Web Encryption (RFC 7516). Reads headers, and the lengths and alphabet of everything else.

mod algorithms;
mod compact;
mod header;
mod json;
mod object;

pub(crate) use self::compact::Compact;
pub(crate) use self::json::JsonScanner;
