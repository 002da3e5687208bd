//! The outline of a JPEG: ITU-T T.81.
//!
//! The decoder fills the rest of a truncated JPEG with grey instead of failing, so completeness is checked here: every
//! segment up to the end-of-image marker must be present. What follows the marker (a gain map, for example) is ignored.
//! A file that stops within its pixels may lack nothing but that marker: [`with_end`] helps to find out.

use super::{DecodingCost, ImageHeader, PictureFormat, array, check_cost, check_size, ends_early, pixels};
use crate::colours::Declared;
use crate::rejected::Rejected;

/// Encoders write about a dozen scans at most. Each costs a pass over the picture, however few bytes it has.
const MAX_SCANS: usize = 40;

const START_OF_FRAME: [u8; 3] = [0xC0, 0xC1, 0xC2];
/// Lossless, hierarchical and arithmetic frames, which no browser shows either.
const OTHER_FRAMES: [u8; 10] = [0xC3, 0xC5, 0xC6, 0xC7, 0xC9, 0xCA, 0xCB, 0xCD, 0xCE, 0xCF];
const START_OF_SCAN: u8 = 0xDA;
const END_OF_IMAGE: u8 = 0xD9;
/// An APP2 segment with a part of an ICC profile.
const APP2: u8 = 0xE2;
const PROFILE: &[u8] = b"ICC_PROFILE\0";
/// More than the size of the largest reduced picture, which is kept while a file without an end is decoded again.
const REDUCED_BYTES: u64 = 13_000_000;

/// The data of a start-of-frame segment.
struct JpegFrame {
    progressive: bool,
    width: u32,
    height: u32,
    components: usize,
    /// The memory that the decoder uses if it has to hold all coefficients.
    coefficient_bytes: u64,
}

pub(super) fn probe(bytes: &[u8]) -> Result<ImageHeader, Rejected> {
    let mut at = 2;
    let mut frame: Option<JpegFrame> = None;
    let (mut scans, mut partial_scan) = (0, false);
    let (mut has_profile, mut in_scan, mut scanned) = (false, false, Scanned::default());
    let lacks_end = loop {
        let Some((marker, after)) = next_marker(bytes, at) else {
            if in_scan {
                break true;
            }
            return Err(ends_early());
        };
        at = after;
        match marker {
            END_OF_IMAGE => break false,
            // Restart markers, start of image and TEM have no length.
            0x01 | 0xD0..=0xD8 => continue,
            _ => in_scan = marker == START_OF_SCAN,
        }
        let segment = segment(bytes, at)?;
        at += segment.len() + 2;
        if OTHER_FRAMES.contains(&marker) {
            return Err(Rejected::broken("a baseline or progressive JPEG is expected"));
        } else if START_OF_FRAME.contains(&marker) {
            if frame.is_some() {
                return Err(Rejected::broken("it has several frames"));
            }
            frame = Some(read_frame(marker == 0xC2, segment)?);
        } else if marker == START_OF_SCAN {
            scans += 1;
            let components = segment.first().map_or(0, |&count| usize::from(count));
            partial_scan |= frame.as_ref().is_some_and(|frame| components < frame.components);
            scanned.note(segment);
        } else if marker == APP2 && segment.starts_with(PROFILE) {
            has_profile = true;
        }
    };
    let frame = frame.ok_or_else(|| Rejected::broken("it has no frame"))?;
    if scans == 0 || scans > MAX_SCANS {
        return Err(Rejected::broken(format!("it has {scans} scans; 1 to {MAX_SCANS} are expected")));
    }
    if lacks_end && scanned.components() < frame.components {
        return Err(ends_early());
    }
    if has_profile && frame.components == 4 {
        return Err(Rejected::Colours("it is for printing (CMYK)"));
    }
    let (kind, coefficient_bytes) = match (frame.progressive, partial_scan) {
        (true, _) => ("a progressive JPEG", frame.coefficient_bytes),
        (false, true) => ("a JPEG of several scans", frame.coefficient_bytes),
        (false, false) => ("a JPEG", 0),
    };
    let channels = if frame.components == 1 { 1 } else { 3 };
    let pixels = pixels(frame.width, frame.height) * channels + coefficient_bytes;
    // The decoder copies the file.
    let length = bytes.len() as u64;
    let fixed = if lacks_end { 2 * length + REDUCED_BYTES } else { length };
    check_cost(frame.width, frame.height, &DecodingCost { kind, pixels, fixed })?;
    let colours = if has_profile { Declared::Profile } else { Declared::Srgb };
    Ok(ImageHeader { format: PictureFormat::Jpeg, width: frame.width, height: frame.height, colours, lacks_end })
}

/// The components whose averages (and with them all that a picture needs) have been seen in scans.
struct Scanned([bool; 256]);

impl Default for Scanned {
    fn default() -> Self {
        Self([false; 256])
    }
}

impl Scanned {
    /// Reads the header of a scan.
    fn note(&mut self, segment: &[u8]) {
        let Some((&count, rest)) = segment.split_first() else { return };
        let Some((components, spectrum)) = rest.split_at_checked(usize::from(count) * 2) else { return };
        if spectrum.first() == Some(&0) {
            components.as_chunks::<2>().0.iter().for_each(|[id, _]| self.0[usize::from(*id)] = true);
        }
    }

    fn components(&self) -> usize {
        self.0.iter().filter(|seen| **seen).count()
    }
}

/// The two files that result from a file without an end. They look the same if it lacks nothing but the end: the decoder
/// reads what is put between only if there are pixels for which it has no data.
pub(crate) fn with_end(bytes: &[u8]) -> [Vec<u8>; 2] {
    let length = bytes.iter().rposition(|&byte| byte != 0xFF).map_or(0, |last| last + 1);
    [&[][..], &[0x55, 0xB6, 0x2D, 0xD3]].map(|between| [&bytes[..length], between, &[0xFF, END_OF_IMAGE]].concat())
}

/// The next marker from `at` on, and the index after it. Skips entropy-coded data and stray bytes.
fn next_marker(bytes: &[u8], mut at: usize) -> Option<(u8, usize)> {
    loop {
        at += bytes.get(at..)?.iter().position(|&byte| byte == 0xFF)? + 1;
        match bytes.get(at)? {
            // A stuffed byte; it belongs to the data.
            0 => at += 1,
            // Padding before a marker.
            0xFF => {}
            &marker => return Some((marker, at + 1)),
        }
    }
}

/// The segment whose length is at `at`, without its length.
fn segment(bytes: &[u8], at: usize) -> Result<&[u8], Rejected> {
    let length = usize::from(u16::from_be_bytes(array(bytes, at)?));
    let length = length.checked_sub(2).ok_or_else(|| Rejected::broken("a segment is shorter than its own length"))?;
    bytes.get(at + 2..).and_then(|rest| rest.get(..length)).ok_or_else(ends_early)
}

fn read_frame(progressive: bool, segment: &[u8]) -> Result<JpegFrame, Rejected> {
    let height = u32::from(u16::from_be_bytes(array(segment, 1)?));
    let width = u32::from(u16::from_be_bytes(array(segment, 3)?));
    check_size(width, height)?;
    let [components] = array(segment, 5)?;
    let (sampling, _) = segment[6..].as_chunks::<3>();
    if sampling.len() != usize::from(components) || !matches!(components, 1 | 3 | 4) {
        return Err(Rejected::broken("a JPEG has one, three or four components"));
    }
    let factors: Vec<(u32, u32)> =
        sampling.iter().map(|[_, factors, _]| (u32::from(factors >> 4), u32::from(factors & 15))).collect();
    if factors.iter().any(|(across, down)| !(1..=4).contains(across) || !(1..=4).contains(down)) {
        return Err(Rejected::broken("its sampling factors are invalid"));
    }
    let most_across = factors.iter().map(|factor| factor.0).max().unwrap_or(1);
    let most_down = factors.iter().map(|factor| factor.1).max().unwrap_or(1);
    let units = pixels(width.div_ceil(8 * most_across), height.div_ceil(8 * most_down));
    let blocks: u64 = factors.iter().map(|(across, down)| units * u64::from(across * down)).sum();
    // A block has 64 coefficients of two bytes.
    Ok(JpegFrame { progressive, width, height, components: usize::from(components), coefficient_bytes: blocks * 128 })
}
