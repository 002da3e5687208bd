//! The outline of a WebP: RFC 9649.

use super::{DecodingCost, ImageHeader, PictureFormat, array, check_cost, check_size, ends_early, pixels, vp8l};
use crate::colours::Declared;
use crate::rejected::Rejected;

/// The chunk with the pixels of a WebP.
struct PixelChunk {
    lossless: bool,
    width: u32,
    height: u32,
}

pub(super) fn probe(bytes: &[u8]) -> Result<ImageHeader, Rejected> {
    let length = u32::from_le_bytes(array(bytes, 4)?) as usize;
    let chunks = bytes.get(8..).and_then(|rest| rest.get(..length)).ok_or_else(ends_early)?;
    let mut at = 4;
    let mut canvas = None;
    let (mut announces_profile, mut colours) = (false, Declared::Srgb);
    let mut found: Option<PixelChunk> = None;
    let mut alpha: Option<&[u8]> = None;
    let mut lossless_data: Option<&[u8]> = None;
    while at < chunks.len() {
        let kind: [u8; 4] = array(chunks, at)?;
        let length = u32::from_le_bytes(array(chunks, at + 4)?) as usize;
        let data = chunks.get(at + 8..).and_then(|rest| rest.get(..length)).ok_or_else(ends_early)?;
        match &kind {
            b"ANIM" | b"ANMF" => return Err(Rejected::Animated),
            b"VP8X" if data.first().is_some_and(|flags| flags & 2 != 0) => return Err(Rejected::Animated),
            b"VP8X" => {
                let (width, height) = (uint24(data, 4)? + 1, uint24(data, 7)? + 1);
                check_size(width, height)?;
                canvas = Some((width, height));
                announces_profile = data.first().is_some_and(|flags| flags & 0x20 != 0);
            }
            b"ICCP" if announces_profile => colours = Declared::Profile,
            b"ALPH" => alpha = Some(data),
            b"VP8 " | b"VP8L" if found.is_some() => return Err(Rejected::broken("it has several images")),
            b"VP8 " => found = Some(lossy(data)?),
            b"VP8L" => {
                lossless_data = Some(data);
                found = Some(lossless(data)?);
            }
            _ => {}
        }
        at += 8 + length + length % 2;
    }
    let PixelChunk { lossless, width, height } = found.ok_or_else(|| Rejected::broken("it has no image"))?;
    check_size(width, height)?;
    if canvas.is_some_and(|canvas| canvas != (width, height)) {
        return Err(Rejected::broken("its canvas and its image differ in size"));
    }
    check_cost(width, height, &cost(lossless, alpha, pixels(width, height), bytes.len() as u64))?;
    if let Some(data) = lossless_data {
        vp8l::check(&data[5..], width, height)?;
    } else if let Some(alpha) = alpha.filter(|alpha| compressed(alpha)) {
        vp8l::check(&alpha[1..], width, height)?;
    }
    Ok(ImageHeader { format: PictureFormat::WebP, width, height, colours, lacks_end: false })
}

/// The decoder's allocation in eighths of a byte per pixel, according to its source.
fn cost(lossless: bool, alpha: Option<&[u8]>, pixels: u64, length: u64) -> DecodingCost {
    // A lossless stream has at most three images of a sixteenth of the size: 0.875 bytes.
    const LOSSLESS: u64 = 7;
    let codes = if lossless || alpha.is_some_and(compressed) { vp8l::MAX_CODE_BYTES } else { 0 };
    let (kind, eighths) = match (lossless, alpha) {
        // Four bytes, then copied to three.
        (true, _) => ("a lossless WebP", 8 * 7 + LOSSLESS),
        // Planes of 1.5 bytes, then three.
        (false, None) => ("a WebP", 36),
        // Planes, then four; and the alpha channel, which has four bytes while it is decompressed.
        (false, Some(alpha)) if compressed(alpha) => ("a transparent WebP", 8 * 5 + 44 + LOSSLESS),
        (false, Some(_)) => ("a transparent WebP", 8 + 44),
    };
    DecodingCost { kind, pixels: pixels * eighths / 8, fixed: length + codes }
}

fn compressed(alpha: &[u8]) -> bool {
    alpha.first().is_some_and(|info| info & 3 == 1)
}

fn lossy(data: &[u8]) -> Result<PixelChunk, Rejected> {
    let start_code: [u8; 3] = array(data, 3)?;
    if start_code != [0x9D, 0x01, 0x2A] {
        return Err(Rejected::broken("its VP8 start code is missing"));
    }
    let side = |at| Ok(u32::from(u16::from_le_bytes(array(data, at)?) & 0x3FFF));
    Ok(PixelChunk { lossless: false, width: side(6)?, height: side(8)? })
}

fn lossless(data: &[u8]) -> Result<PixelChunk, Rejected> {
    let [signature] = array(data, 0)?;
    if signature != 0x2F {
        return Err(Rejected::broken("its VP8L signature is missing"));
    }
    let bits = u32::from_le_bytes(array(data, 1)?);
    Ok(PixelChunk { lossless: true, width: (bits & 0x3FFF) + 1, height: (bits >> 14 & 0x3FFF) + 1 })
}

fn uint24(data: &[u8], at: usize) -> Result<u32, Rejected> {
    let [low, middle, high] = array(data, at)?;
    Ok(u32::from_le_bytes([low, middle, high, 0]))
}
