//! Checks base64 without decoding it: the alphabet by a table, canonical form by the last character.

/// An alphabet: the value of each byte, or [`NONE`].
pub(crate) struct Alphabet([u8; 256]);

/// The alphabet of RFC 4648, section 4.
pub(crate) static STANDARD: Alphabet = Alphabet::new(*b"+/");
/// The alphabet of RFC 4648, section 5.
pub(crate) static URL_SAFE: Alphabet = Alphabet::new(*b"-_");

/// Not in the alphabet. Its top bit is set, unlike that of any value.
const NONE: u8 = 0x80;

impl Alphabet {
    const fn new(last_two: [u8; 2]) -> Self {
        let mut values = [NONE; 256];
        let mut value = 0;
        while value < 62 {
            let letter = match value {
                0..26 => b'A' + value,
                26..52 => b'a' + value - 26,
                _ => b'0' + value - 52,
            };
            values[letter as usize] = value;
            value += 1;
        }
        values[last_two[0] as usize] = 62;
        values[last_two[1] as usize] = 63;
        Self(values)
    }

    /// Whether all bytes are of this alphabet.
    pub(crate) fn has_all(&self, text: &[u8]) -> bool {
        // Without a branch for each byte, because whole payloads are checked with this.
        let (groups, rest) = text.as_chunks::<8>();
        let mut seen = 0;
        for &[a, b, c, d, e, f, g, h] in groups {
            seen |= (self.value(a) | self.value(b)) | (self.value(c) | self.value(d));
            seen |= (self.value(e) | self.value(f)) | (self.value(g) | self.value(h));
        }
        for &byte in rest {
            seen |= self.value(byte);
        }
        seen & NONE == 0
    }

    /// The length that canonical unpadded base64 decodes to.
    pub(crate) fn decoded_len(&self, text: &[u8]) -> Option<u64> {
        let mut unpadded = Unpadded::default();
        unpadded.push(self, text).then(|| unpadded.decoded_len(self)).flatten()
    }

    fn value(&self, byte: u8) -> u8 {
        self.0[usize::from(byte)]
    }
}

/// Unpadded base64 in chunks.
#[derive(Debug, Default)]
pub(crate) struct Unpadded {
    len: u64,
    last: u8,
}

impl Unpadded {
    /// Whether the text has been valid so far.
    pub(crate) fn push(&mut self, alphabet: &Alphabet, text: &[u8]) -> bool {
        if let Some(&last) = text.last() {
            self.len += text.len() as u64;
            self.last = last;
        }
        alphabet.has_all(text)
    }

    /// The number of characters.
    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    /// The decoded length, if the text is canonical: all leftover bits are zero.
    pub(crate) fn decoded_len(&self, alphabet: &Alphabet) -> Option<u64> {
        let value = alphabet.value(self.last);
        let (more, canonical) = match self.len % 4 {
            0 => (0, true),
            2 => (1, value.trailing_zeros() >= 4),
            3 => (2, value.trailing_zeros() >= 2),
            _ => (0, false),
        };
        canonical.then_some(self.len / 4 * 3 + more)
    }
}
