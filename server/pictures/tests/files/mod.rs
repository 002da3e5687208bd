//! Builds picture files for the tests, byte by byte where no encoder writes them.
#![allow(dead_code)] // Each test crate uses a part.

use image::codecs::jpeg::JpegEncoder;
use image::codecs::png::PngEncoder;
use image::codecs::webp::WebPEncoder;
use image::{DynamicImage, GenericImageView, Rgb, RgbImage};

/// A WebP of one pixel.
pub(crate) const LOSSY_WEBP: &[u8] = b"RIFF\x22\x00\x00\x00WEBPVP8 \x16\x00\x00\x000\x01\x00\x9d\x01*\x01\x00\x01\x00\x0e\xc0\xfe%\xa4\x00\x03p\x00\x00\x00\x00";
/// A WebP of one pixel.
pub(crate) const TRANSPARENT_WEBP: &[u8] = b"RIFFJ\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00\x10\x00\x00\x00\x00\x00\x00\x00\x00\x00ALPH\x0c\x00\x00\x00\x11\x07\x10\x11\xfd\x0fDD\xff\x03\x00\x00VP8 \x18\x00\x00\x00\x14\x01\x00\x9d\x01*\x01\x00\x01\x00\x00\x00\xfe\x00\x00\x0d\xc0\x00\xfe\xe6\xb5\x00\x00\x00";
/// A WebP of one pixel.
pub(crate) const ANIMATED_WEBP: &[u8] = b"RIFFR\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00\x12\x00\x00\x00\x00\x00\x00\x00\x00\x00ANIM\x06\x00\x00\x00\xff\xff\xff\xff\x00\x00ANMF&\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00d\x00\x00\x00VP8L\x0d\x00\x00\x00/\x00\x00\x00\x10\x07\x10\x11\x11\x88\x88\xfe\x07\x00";

/// A picture with red, green, blue and white quarters.
pub(crate) fn quarters(width: u32, height: u32) -> DynamicImage {
    let picture = RgbImage::from_fn(width, height, |x, y| match (x < width / 2, y < height / 2) {
        (true, true) => Rgb([255, 0, 0]),
        (false, true) => Rgb([0, 255, 0]),
        (true, false) => Rgb([0, 0, 255]),
        (false, false) => Rgb([255, 255, 255]),
    });
    DynamicImage::ImageRgb8(picture)
}

pub(crate) fn jpeg(picture: &DynamicImage) -> Vec<u8> {
    let mut bytes = Vec::new();
    picture.write_with_encoder(JpegEncoder::new_with_quality(&mut bytes, 90)).unwrap();
    bytes
}

pub(crate) fn png(picture: &DynamicImage) -> Vec<u8> {
    let mut bytes = Vec::new();
    picture.write_with_encoder(PngEncoder::new(&mut bytes)).unwrap();
    bytes
}

pub(crate) fn webp(picture: &DynamicImage) -> Vec<u8> {
    let mut bytes = Vec::new();
    picture.write_with_encoder(WebPEncoder::new_lossless(&mut bytes)).unwrap();
    bytes
}

/// The pixel at a quarter of the width and height, and so on: upper left, upper right, lower left, lower right.
pub(crate) fn corners(jpeg: &[u8]) -> [[u8; 3]; 4] {
    let picture = image::load_from_memory(jpeg).unwrap();
    let (width, height) = picture.dimensions();
    [(1, 1), (3, 1), (1, 3), (3, 3)].map(|(x, y)| {
        let [red, green, blue, _] = picture.get_pixel(width * x / 4, height * y / 4).0;
        [red, green, blue]
    })
}

/// Whether two colours are equal within JPEG's loss.
pub(crate) fn alike(left: [u8; 3], right: [u8; 3]) -> bool {
    left.iter().zip(right).all(|(&left, right)| left.abs_diff(right) <= 12)
}

/// A PNG of the chunks given, with its checksums.
pub(crate) fn png_of(chunks: &[(&[u8; 4], Vec<u8>)]) -> Vec<u8> {
    let mut bytes = b"\x89PNG\r\n\x1a\n".to_vec();
    for (kind, data) in chunks {
        bytes.extend(png_chunk(**kind, data));
    }
    bytes
}

pub(crate) fn png_chunk(kind: [u8; 4], data: &[u8]) -> Vec<u8> {
    let body = [&kind[..], data].concat();
    [&u32::try_from(data.len()).unwrap().to_be_bytes()[..], &body, &crc32(&body).to_be_bytes()].concat()
}

pub(crate) fn png_header(width: u32, height: u32, depth: u8, colour: u8) -> Vec<u8> {
    [&width.to_be_bytes()[..], &height.to_be_bytes(), &[depth, colour, 0, 0, 0]].concat()
}

/// A zlib stream that holds the data as it is.
pub(crate) fn zlib(data: &[u8]) -> Vec<u8> {
    let length = u16::try_from(data.len()).unwrap();
    let (mut low, mut high) = (1_u32, 0_u32);
    for &byte in data {
        low = (low + u32::from(byte)) % 65_521;
        high = (high + low) % 65_521;
    }
    let adler = high << 16 | low;
    [&[0x78, 0x01, 0x01][..], &length.to_le_bytes(), &(!length).to_le_bytes(), data, &adler.to_be_bytes()].concat()
}

fn crc32(data: &[u8]) -> u32 {
    !data.iter().fold(u32::MAX, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| if crc & 1 == 1 { crc >> 1 ^ 0xEDB8_8320 } else { crc >> 1 })
    })
}

/// A JPEG segment.
pub(crate) fn segment(marker: u8, data: &[u8]) -> Vec<u8> {
    let length = u16::try_from(data.len() + 2).unwrap();
    [&[0xFF, marker][..], &length.to_be_bytes(), data].concat()
}

/// A JPEG of `components` components, each of medium grey: a block of eight by eight pixels, if the size says so.
/// `frame` is the marker of its frame; a progressive one has one scan, with all that is needed for plain grey.
pub(crate) fn grey_jpeg(frame: u8, width: u16, height: u16, components: u8) -> Vec<u8> {
    let mut frame_data = vec![8];
    frame_data.extend(height.to_be_bytes());
    frame_data.extend(width.to_be_bytes());
    frame_data.push(components);
    let mut scan = vec![components];
    for id in 1..=components {
        frame_data.extend([id, 0x11, 0]);
        scan.extend([id, 0x00]);
    }
    let progressive = frame == 0xC2;
    scan.extend([0, if progressive { 0 } else { 63 }, 0]);
    // One code of one bit, for symbol 0: no difference, or no more coefficients.
    let table = |class: u8| [&[class, 1][..], &[0; 15], &[0]].concat();
    [
        vec![0xFF, 0xD8],
        segment(0xDB, &[&[0][..], &[1; 64]].concat()),
        segment(frame, &frame_data),
        segment(0xC4, &table(0x00)),
        segment(0xC4, &table(0x10)),
        segment(0xDA, &scan),
        // All blocks are zero bits, filled up with ones.
        vec![0xFF_u8.checked_shr(u32::from(components) * if progressive { 1 } else { 2 }).unwrap_or(0)],
        vec![0xFF, 0xD9],
    ]
    .concat()
}

/// A lossless WebP of 4 x 4 pixels from a stream of bits, which starts after the image's size.
pub(crate) fn lossless_webp(stream: &Bits) -> Vec<u8> {
    // Width and height less one, of 14 bits each; no alpha; version 0.
    let size: u32 = 3 | 3 << 14;
    let mut data = vec![0x2F];
    data.extend(size.to_le_bytes());
    data.extend(&stream.bytes);
    let length = u32::try_from(data.len()).unwrap();
    if data.len() % 2 == 1 {
        data.push(0);
    }
    let all = u32::try_from(data.len() + 12).unwrap();
    [&b"RIFF"[..], &all.to_le_bytes(), b"WEBPVP8L", &length.to_le_bytes(), &data].concat()
}

/// Bits, the least significant of a byte first.
#[derive(Default)]
pub(crate) struct Bits {
    bytes: Vec<u8>,
    used: usize,
}

impl Bits {
    pub(crate) fn push(&mut self, value: u32, count: usize) {
        for shift in 0..count {
            if self.used.is_multiple_of(8) {
                self.bytes.push(0);
            }
            *self.bytes.last_mut().unwrap() |= u8::from(value >> shift & 1 == 1) << (self.used % 8);
            self.used += 1;
        }
    }

    /// A code of one symbol, which takes no bits.
    pub(crate) fn push_lone_symbol(&mut self, symbol: u32) {
        self.push(0b101, 3);
        self.push(symbol, 8);
    }

    /// A code whose table has 1,024 entries: symbols 0 to 10 with lengths 1 to 9, 10 and 10.
    pub(crate) fn push_long_code(&mut self) {
        self.push(0, 1);
        // Sixteen lengths follow, in the format's order: codes of three or four bits for 0 to 10.
        self.push(12, 4);
        for symbol in [17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8, 9, 10, 11, 12] {
            let length = match symbol {
                1..=6 => 3,
                7..=10 => 4,
                _ => 0,
            };
            self.push(length, 3);
        }
        // Only eleven lengths are given: two more than nine, which takes four bits.
        self.push(1, 1);
        self.push(1, 3);
        self.push(9, 4);
        for length in [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10_u32] {
            // Canonical codes, the most significant bit first.
            let (code, bits) = if length <= 6 { (length - 1, 3) } else { (12 + length - 7, 4) };
            self.push(code.reverse_bits() >> (32 - bits), bits);
        }
    }
}
