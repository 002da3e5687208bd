//! The outline of a PNG: <https://www.w3.org/TR/png-3/>.

use super::{DecodingCost, ImageHeader, PictureFormat, array, check_cost, check_size, ends_early, pixels};
use crate::colours::{Declared, Measured};
use crate::rejected::Rejected;

pub(super) const SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";

/// The memory limit of the decoder for colour profile and texts, in bytes.
pub(crate) const MAX_METADATA_BYTES: u64 = 8_000_000;

pub(super) fn probe(bytes: &[u8]) -> Result<ImageHeader, Rejected> {
    let (first, header) = chunk(bytes, SIGNATURE.len())?;
    if &first != b"IHDR" || header.len() != 13 {
        return Err(Rejected::broken("a PNG starts with an IHDR chunk of 13 bytes"));
    }
    let (width, height) = (u32::from_be_bytes(array(header, 0)?), u32::from_be_bytes(array(header, 4)?));
    check_size(width, height)?;
    let (transparent, colours) = walk(bytes)?;
    let channels = match header[9] {
        0 => 1,
        2 | 3 => 3,
        4 => 2,
        6 => 4,
        _ => return Err(Rejected::broken("its PNG colour type is unknown")),
    };
    let (kind, sample_bytes) = if header[8] == 16 { ("a PNG of 16 bits", 2) } else { ("a PNG of 8 bits", 1) };
    let pixel_bytes = (channels + u64::from(transparent)) * sample_bytes;
    let fixed = bytes.len() as u64 + MAX_METADATA_BYTES;
    check_cost(width, height, &DecodingCost { kind, pixels: pixels(width, height) * pixel_bytes, fixed })?;
    Ok(ImageHeader { format: PictureFormat::Png, width, height, colours, lacks_end: false })
}

/// Walks all chunks up to IEND. Returns whether a tRNS chunk adds a channel for transparency, and the colour space.
fn walk(bytes: &[u8]) -> Result<(bool, Declared), Rejected> {
    let mut at = SIGNATURE.len();
    let (mut transparent, mut has_pixels) = (false, false);
    let mut colours = Colours::default();
    loop {
        let (kind, data) = chunk(bytes, at)?;
        match &kind {
            b"acTL" => return Err(Rejected::Animated),
            b"tRNS" => transparent = true,
            b"IDAT" => has_pixels = true,
            b"IEND" if has_pixels => return Ok((transparent, colours.declared()?)),
            b"IEND" => return Err(Rejected::broken("it has no IDAT chunk")),
            _ if !has_pixels => colours.read(kind, data),
            _ => {}
        }
        at += data.len() + 12;
    }
}

/// The chunks about colours.
#[derive(Default)]
struct Colours {
    code_points: Option<[u8; 4]>,
    has_profile: bool,
    is_srgb: bool,
    measured: Measured,
}

impl Colours {
    /// Reads a chunk, unless it is about something else or has the wrong length.
    fn read(&mut self, kind: [u8; 4], data: &[u8]) {
        match &kind {
            b"cICP" => self.code_points = data.first_chunk().copied(),
            b"iCCP" => self.has_profile = true,
            b"sRGB" => self.is_srgb = true,
            b"gAMA" => self.measured.gamma = numbers::<1>(data).map(|[gamma]| gamma),
            b"cHRM" => self.measured.chromaticities = numbers(data),
            _ => {}
        }
    }

    /// The chunk that counts: the most exact one.
    fn declared(&self) -> Result<Declared, Rejected> {
        match self.code_points {
            // Red, green and blue, of 0 to the largest number.
            Some([primaries, transfer, 0, 1]) => Ok(Declared::CodePoints { primaries, transfer }),
            Some(_) => Err(Rejected::Colours("its cICP chunk is not for RGB of the full range")),
            None if self.has_profile => Ok(Declared::Profile),
            None if self.is_srgb || self.measured == Measured::default() => Ok(Declared::Srgb),
            None => Ok(Declared::Measured(self.measured)),
        }
    }
}

/// Numbers in hundred-thousandths.
fn numbers<const N: usize>(data: &[u8]) -> Option<[f64; N]> {
    let (numbers, rest) = data.as_chunks::<4>();
    let numbers: &[[u8; 4]; N] = numbers.try_into().ok().filter(|_| rest.is_empty())?;
    Some(numbers.map(|number| f64::from(u32::from_be_bytes(number)) / 100_000.0))
}

/// The chunk at `at`: its kind and its data. Its checksum is present.
fn chunk(bytes: &[u8], at: usize) -> Result<([u8; 4], &[u8]), Rejected> {
    let length = u32::from_be_bytes(array(bytes, at)?) as usize;
    let kind = array(bytes, at + 4)?;
    let data = bytes.get(at + 8..).and_then(|rest| rest.get(..length)).ok_or_else(ends_early)?;
    array::<4>(bytes, at + 8 + length)?;
    Ok((kind, data))
}
