//! Bounds the prefix codes of a lossless WebP stream: RFC 9649, section 3.
//!
//! The decoder builds as many groups of codes as the stream declares, up to 65,536, so a file of 5 MB can make it
//! allocate more than 1 GB. This module reads the codes of the stream and adds up what the decoder will allocate for
//! them. It stores no pixels, because code lengths do not depend on pixel values: back-references and colour-cache
//! codes only repeat earlier pixels.

use super::ends_early;
use crate::rejected::Rejected;

/// The most memory that the codes of a stream may take in the decoder, in bytes. Encoders stay far below.
pub(super) const MAX_CODE_BYTES: u64 = 24_000_000;

const LITERALS: u32 = 256;
const LENGTHS: u32 = 24;
/// How many symbols each code of a group has: green with lengths, red, blue, alpha, distance.
const ALPHABETS: [u32; 5] = [LITERALS + LENGTHS, LITERALS, LITERALS, LITERALS, 40];
const LENGTH_CODE_ORDER: [usize; 19] = [17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];
const MAX_CODE_LENGTH: usize = 15;
/// The decoder looks up this many bits in a table and the rest in a tree.
const TABLE_BITS: usize = 10;

/// Checks a stream, which starts after the image's size.
pub(super) fn check(stream: &[u8], width: u32, height: u32) -> Result<(), Rejected> {
    let mut reader = Reader { stream, at: 0, code_bytes: 0 };
    let width = reader.read_transforms(width, height)?;
    let cache_size = reader.read_cache_size()?;
    let mut groups = 1;
    if reader.read(1)? == 1 {
        let bits = reader.read(3)? + 2;
        groups = reader.read_image(blocks(width, bits), blocks(height, bits))? + 1;
    }
    for _ in 0..groups {
        reader.read_group(cache_size)?;
    }
    Ok(())
}

fn blocks(side: u32, bits: u32) -> u32 {
    side.div_ceil(1 << bits)
}

fn invalid() -> Rejected {
    Rejected::broken("its lossless WebP stream is invalid")
}

struct Reader<'a> {
    stream: &'a [u8],
    /// Index of the next bit.
    at: usize,
    /// The decoder's allocation for the codes read so far, in bytes.
    code_bytes: u64,
}

impl Reader<'_> {
    /// Reads up to 18 bits, the least significant first.
    fn read(&mut self, count: u32) -> Result<u32, Rejected> {
        let mut value = 0;
        for shift in 0..count {
            value |= self.read_bit()? << shift;
        }
        Ok(value)
    }

    fn read_bit(&mut self) -> Result<u32, Rejected> {
        let byte = self.stream.get(self.at / 8).ok_or_else(ends_early)?;
        let bit = byte >> (self.at % 8) & 1;
        self.at += 1;
        Ok(u32::from(bit))
    }

    /// Skips the transforms. Returns the image's width after them.
    fn read_transforms(&mut self, mut width: u32, height: u32) -> Result<u32, Rejected> {
        let mut seen = [false; 4];
        while self.read(1)? == 1 {
            let kind = self.read(2)?;
            if std::mem::replace(&mut seen[kind as usize], true) {
                return Err(invalid());
            }
            match kind {
                // Predictor and colour transform.
                0 | 1 => {
                    let bits = self.read(3)? + 2;
                    self.read_image(blocks(width, bits), blocks(height, bits))?;
                }
                // Colour indexing: small palettes put several pixels into one.
                3 => {
                    let colours = self.read(8)? + 1;
                    self.read_image(colours, 1)?;
                    let bits = match colours {
                        ..=2 => 3,
                        3..=4 => 2,
                        5..=16 => 1,
                        _ => 0,
                    };
                    width = blocks(width, bits);
                }
                // Subtract green.
                _ => {}
            }
        }
        Ok(width)
    }

    fn read_cache_size(&mut self) -> Result<u32, Rejected> {
        if self.read(1)? == 0 {
            return Ok(0);
        }
        match self.read(4)? {
            bits @ 1..=11 => Ok(1 << bits),
            _ => Err(invalid()),
        }
    }

    /// Reads an image that has one group of codes. Returns the largest number that its pixels' red and green make.
    fn read_image(&mut self, width: u32, height: u32) -> Result<u32, Rejected> {
        let cache_size = self.read_cache_size()?;
        let [green, red, blue, alpha, distance] = self.read_group(cache_size)?;
        let (mut left, mut largest) = (width * height, 0);
        while left > 0 {
            let symbol = self.read_symbol(&green)?;
            let count = if symbol < LITERALS {
                largest = largest.max(self.read_symbol(&red)? << 8 | symbol);
                self.read_symbol(&blue)?;
                self.read_symbol(&alpha)?;
                1
            } else if symbol < LITERALS + LENGTHS {
                let length = self.read_number(symbol - LITERALS)?;
                let prefix = self.read_symbol(&distance)?;
                self.read_number(prefix)?;
                length
            } else {
                1
            };
            left = left.checked_sub(count).ok_or_else(invalid)?;
        }
        Ok(largest)
    }

    /// A length or distance, which has a prefix and extra bits.
    fn read_number(&mut self, prefix: u32) -> Result<u32, Rejected> {
        if prefix < 4 {
            return Ok(prefix + 1);
        }
        let extra = (prefix - 2) / 2;
        let offset = (2 + prefix % 2) << extra;
        Ok(offset + self.read(extra)? + 1)
    }

    fn read_group(&mut self, cache_size: u32) -> Result<[PrefixCode; 5], Rejected> {
        let mut group = ALPHABETS.map(|_| PrefixCode::default());
        for (index, (code, symbols)) in group.iter_mut().zip(ALPHABETS).enumerate() {
            *code = self.read_code(if index == 0 { symbols + cache_size } else { symbols })?;
            self.code_bytes += code.decoder_bytes();
        }
        if self.code_bytes > MAX_CODE_BYTES {
            return Err(Rejected::broken("its lossless WebP stream has too many codes"));
        }
        Ok(group)
    }

    fn read_code(&mut self, symbols: u32) -> Result<PrefixCode, Rejected> {
        if self.read(1)? == 1 {
            let two = self.read(1)? == 1;
            let bits = if self.read(1)? == 1 { 8 } else { 1 };
            let first = self.read(bits)?;
            let listed = if two { vec![first, self.read(8)?] } else { vec![first] };
            if listed.iter().any(|&symbol| symbol >= symbols) {
                return Err(invalid());
            }
            return Ok(PrefixCode::of_listed(listed));
        }
        let mut lengths = [0; 19];
        let count = self.read(4)? as usize + 4;
        for &index in &LENGTH_CODE_ORDER[..count] {
            lengths[index] = self.read(3)? as usize;
        }
        let code = PrefixCode::of_lengths(&lengths)?;
        let lengths = self.read_lengths(&code, symbols)?;
        PrefixCode::of_lengths(&lengths)
    }

    fn read_lengths(&mut self, code: &PrefixCode, symbols: u32) -> Result<Vec<usize>, Rejected> {
        let mut left = symbols;
        if self.read(1)? == 1 {
            let bits = 2 + 2 * self.read(3)?;
            left = self.read(bits)? + 2;
            if left > symbols {
                return Err(invalid());
            }
        }
        let symbols = symbols as usize;
        let mut lengths = Vec::with_capacity(symbols);
        let mut previous = 8;
        while lengths.len() < symbols && left > 0 {
            left -= 1;
            let (length, repeat) = match self.read_symbol(code)? as usize {
                16 => (previous, self.read(2)? + 3),
                17 => (0, self.read(3)? + 3),
                18 => (0, self.read(7)? + 11),
                length => (length, 1),
            };
            if length != 0 {
                previous = length;
            }
            lengths.resize(lengths.len() + repeat as usize, length);
        }
        if lengths.len() > symbols {
            return Err(invalid());
        }
        Ok(lengths)
    }

    fn read_symbol(&mut self, code: &PrefixCode) -> Result<u32, Rejected> {
        if let [symbol] = code.symbols[..] {
            return Ok(symbol);
        }
        let (mut bits, mut first, mut index) = (0, 0, 0);
        for count in &code.counts[1..] {
            bits |= self.read_bit()? as usize;
            if bits < first + count {
                return Ok(code.symbols[index + bits - first]);
            }
            index += count;
            first = (first + count) << 1;
            bits <<= 1;
        }
        Err(invalid())
    }
}

/// A canonical prefix code.
#[derive(Default)]
struct PrefixCode {
    /// How many symbols have each length.
    counts: [usize; MAX_CODE_LENGTH + 1],
    /// In the order of their codes. A lone symbol takes no bits.
    symbols: Vec<u32>,
}

impl PrefixCode {
    /// A code of one or two symbols, in the order given, as the decoder takes them.
    fn of_listed(symbols: Vec<u32>) -> Self {
        let mut counts = [0; MAX_CODE_LENGTH + 1];
        counts[1] = symbols.len();
        Self { counts, symbols }
    }

    fn of_lengths(lengths: &[usize]) -> Result<Self, Rejected> {
        let mut counts = [0; MAX_CODE_LENGTH + 1];
        let mut coded: Vec<(usize, u32)> =
            lengths.iter().copied().zip(0..).filter(|&(length, _)| length != 0).collect();
        coded.sort_unstable();
        for &(length, _) in &coded {
            counts[length] += 1;
        }
        let symbols: Vec<u32> = coded.into_iter().map(|(_, symbol)| symbol).collect();
        let used: usize = counts.iter().enumerate().map(|(length, count)| count << (MAX_CODE_LENGTH - length)).sum();
        if symbols.len() != 1 && used != 1 << MAX_CODE_LENGTH {
            return Err(invalid());
        }
        Ok(Self { counts, symbols })
    }

    /// Four bytes for each entry of its table, two nodes of 16 bytes for each longer code, and the code itself.
    fn decoder_bytes(&self) -> u64 {
        if self.symbols.len() == 1 {
            return 64;
        }
        let longest = self.counts.iter().rposition(|&count| count > 0).unwrap_or(0);
        let long_codes: usize = self.counts[TABLE_BITS + 1..].iter().sum();
        64 + (4 << longest.min(TABLE_BITS)) + 32 * long_codes as u64
    }
}
