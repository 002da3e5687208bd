//! Reads a file's outline before any decoder sees it: format, size, colour space, whether it is complete and still, and
//! how much memory decoding takes.
//!
//! Allocates nothing, so a hostile header costs nothing. Does not look at the compressed pixels and does not verify
//! checksums: the decoders do.

mod jpeg;
mod png;
mod vp8l;
mod webp;

pub(crate) use jpeg::with_end;
pub(crate) use png::MAX_METADATA_BYTES;

use crate::colours::Declared;
use crate::rejected::{MAX_PIXELS, MAX_SIDE, Rejected};

/// The most memory that a decoder may use, including its output, in bytes. With the file itself (at most 10 MB) and the
/// reduced picture, the total stays below 200 MB.
const MAX_DECODER_BYTES: u64 = 186_000_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PictureFormat {
    Jpeg,
    Png,
    WebP,
}

/// A file's header data.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ImageHeader {
    pub(crate) format: PictureFormat,
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) colours: Declared,
    /// Whether a JPEG stops within its pixels, without a marker for its end.
    pub(crate) lacks_end: bool,
}

impl ImageHeader {
    /// How many megapixels are decoded, rounded up. A file without an end is decoded twice.
    pub(crate) fn megapixels(&self) -> u32 {
        let times = if self.lacks_end { 2 } else { 1 };
        (self.width * self.height * times).div_ceil(1_000_000)
    }
}

/// The memory needed for decoding.
struct DecodingCost {
    /// For example "a progressive JPEG".
    kind: &'static str,
    /// In proportion to the number of pixels.
    pixels: u64,
    /// Independent of the number of pixels.
    fixed: u64,
}

/// Reads the outline of a picture, or rejects it.
pub(crate) fn probe(bytes: &[u8]) -> Result<ImageHeader, Rejected> {
    if bytes.starts_with(&[0xFF, 0xD8, 0xFF]) {
        jpeg::probe(bytes)
    } else if bytes.starts_with(png::SIGNATURE) {
        png::probe(bytes)
    } else if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
        webp::probe(bytes)
    } else {
        Err(Rejected::UnknownFormat)
    }
}

fn check_size(width: u32, height: u32) -> Result<(), Rejected> {
    if width == 0 || height == 0 {
        return Err(Rejected::broken("its width or height is zero"));
    }
    if width > MAX_SIDE || height > MAX_SIDE || pixels(width, height) > MAX_PIXELS {
        return Err(Rejected::TooManyPixels { width, height });
    }
    Ok(())
}

fn check_cost(width: u32, height: u32, cost: &DecodingCost) -> Result<(), Rejected> {
    if cost.pixels + cost.fixed <= MAX_DECODER_BYTES {
        return Ok(());
    }
    let affordable = MAX_DECODER_BYTES.saturating_sub(cost.fixed);
    let megapixels = pixels(width, height) * affordable / cost.pixels.max(1) / 1_000_000;
    Err(Rejected::TooCostly { width, height, kind: cost.kind, megapixels })
}

fn pixels(width: u32, height: u32) -> u64 {
    u64::from(width) * u64::from(height)
}

fn ends_early() -> Rejected {
    Rejected::broken("the file ends early")
}

/// The `N` bytes at `at`.
fn array<const N: usize>(bytes: &[u8], at: usize) -> Result<[u8; N], Rejected> {
    bytes.get(at..).and_then(|rest| rest.first_chunk()).copied().ok_or_else(ends_early)
}
