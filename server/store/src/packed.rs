//! Compression of stored responses: the JSON of an itinerary is very repetitive.
//!
//! LZ4, because it adds little time to a write. Uncompressed bodies stored by older versions are still read.

use crate::row::FromColumn;
use crate::{Result, StoreError};

/// The first byte of a compressed body; no JSON begins with it.
const PACKED: u8 = 1;

/// An uncompressed body.
pub(crate) struct Packed(pub(crate) Vec<u8>);

impl FromColumn for Packed {
    type Stored = Vec<u8>;

    fn from_column(stored: Vec<u8>) -> Result<Self> {
        unpack(stored).map(Self)
    }
}

pub(crate) fn pack(body: &[u8]) -> Vec<u8> {
    let mut packed = lz4_flex::compress_prepend_size(body);
    packed.insert(0, PACKED);
    packed
}

fn unpack(stored: Vec<u8>) -> Result<Vec<u8>> {
    match stored.split_first() {
        Some((&PACKED, packed)) => lz4_flex::decompress_size_prepended(packed)
            .map_err(|error| StoreError::Corrupt(format!("a compressed response: {error}"))),
        _ => Ok(stored),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_packed_comes_back() {
        let itinerary = r#"{"name":"Miradouro das Portas do Sol","category":"viewpoint"},"#.repeat(4_000);
        for body in [&b""[..], b"{}", &[PACKED], itinerary.as_bytes()] {
            assert_eq!(unpack(pack(body)).expect("packed by us"), body);
        }
        assert!(pack(itinerary.as_bytes()).len() * 20 < itinerary.len());
    }

    #[test]
    fn what_was_stored_plain_is_read_as_it_is() {
        for body in [&b""[..], b"{\"id\":1}"] {
            assert_eq!(unpack(body.to_vec()).expect("plain"), body);
        }
        assert!(matches!(unpack(vec![PACKED, 9, 9]), Err(StoreError::Corrupt(_))));
    }
}
