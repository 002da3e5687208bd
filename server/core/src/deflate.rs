//! Encoders of deflate that are used again: making one costs more than compressing a few kilobytes.

use std::cell::Cell;

use flate2::Compression;
use flate2::write::DeflateEncoder;

thread_local! {
    static SPARE: Cell<Option<DeflateEncoder<Vec<u8>>>> = const { Cell::new(None) };
}

/// An encoder that appends to `output`, at the fastest level.
pub fn encoder(output: Vec<u8>) -> DeflateEncoder<Vec<u8>> {
    let Some(mut spare) = SPARE.take() else { return DeflateEncoder::new(output, Compression::fast()) };
    *spare.get_mut() = output;
    spare
}

/// Completes the output, and keeps the encoder for the next one.
pub fn finish(mut encoder: DeflateEncoder<Vec<u8>>) -> Vec<u8> {
    let output = encoder.reset(Vec::new()).expect("writing to memory does not fail");
    SPARE.set(Some(encoder));
    output
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};

    use flate2::read::DeflateDecoder;

    use super::*;

    #[test]
    fn an_encoder_that_is_used_again_starts_anew() {
        for text in ["first", "", "second, which is longer than the first", "first"] {
            let mut encoder = encoder(b">".to_vec());
            encoder.write_all(text.as_bytes()).expect("written");
            let output = finish(encoder);
            let mut plain = String::new();
            DeflateDecoder::new(&output[1..]).read_to_string(&mut plain).expect("deflate");
            assert_eq!((output[0], &*plain), (b'>', text));
        }
    }
}
