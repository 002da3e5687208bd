//! Image files, valid and invalid, byte by byte where no encoder writes them.

use image::codecs::jpeg::JpegEncoder;
use image::codecs::png::PngEncoder;
use image::codecs::webp::WebPEncoder;
use image::{DynamicImage, Rgb, RgbImage};

/// An arbitrary still image.
pub(super) fn picture() -> DynamicImage {
    of_size(40, 20)
}

/// An image of this size: red on the left, blue on the right.
pub(super) fn of_size(width: u32, height: u32) -> DynamicImage {
    let colour = |x, _| if x < width / 2 { Rgb([220, 10, 10]) } else { Rgb([10, 10, 220]) };
    DynamicImage::ImageRgb8(RgbImage::from_fn(width, height, colour))
}

pub(super) fn jpeg(picture: &DynamicImage) -> Vec<u8> {
    let mut bytes = Vec::new();
    picture.write_with_encoder(JpegEncoder::new_with_quality(&mut bytes, 90)).expect("a JPEG");
    bytes
}

pub(super) fn png(picture: &DynamicImage) -> Vec<u8> {
    let mut bytes = Vec::new();
    picture.write_with_encoder(PngEncoder::new(&mut bytes)).expect("a PNG");
    bytes
}

pub(super) fn webp(picture: &DynamicImage) -> Vec<u8> {
    let mut bytes = Vec::new();
    picture.write_with_encoder(WebPEncoder::new_lossless(&mut bytes)).expect("a WebP");
    bytes
}

/// A camera's metadata: the owner, the position, and an orientation that requires a clockwise turn.
pub(super) fn with_exif(jpeg: &[u8]) -> Vec<u8> {
    let segment = [&b"Exif\0\0"[..], &exif()].concat();
    let length = u16::try_from(segment.len() + 2).expect("a short segment").to_be_bytes();
    [&jpeg[..2], &[0xFF, 0xE1], &length, &segment, &jpeg[2..]].concat()
}

/// A JPEG with an ICC profile.
pub(super) fn with_profile(jpeg: &[u8], icc: &[u8]) -> Vec<u8> {
    let segment = [&b"ICC_PROFILE\0\x01\x01"[..], icc].concat();
    let length = u16::try_from(segment.len() + 2).expect("a short segment").to_be_bytes();
    [&jpeg[..2], &[0xFF, 0xE2], &length, &segment, &jpeg[2..]].concat()
}

/// The owner's name in [`with_exif`].
pub(super) const OWNER: &[u8; 12] = b"Ana Example\0";

fn exif() -> Vec<u8> {
    let entry = |tag: u16, kind: u16, count: u32, value: [u8; 4]| {
        [&tag.to_be_bytes()[..], &kind.to_be_bytes(), &count.to_be_bytes(), &value].concat()
    };
    [
        &b"MM\0*"[..],
        &8_u32.to_be_bytes(),
        // The first directory: orientation 6, the artist at 50, and the directory of the position at 62.
        &3_u16.to_be_bytes(),
        &entry(0x0112, 3, 1, [0, 6, 0, 0]),
        &entry(0x013B, 2, 12, 50_u32.to_be_bytes()),
        &entry(0x8825, 4, 1, 62_u32.to_be_bytes()),
        &0_u32.to_be_bytes(),
        OWNER,
        // The position: 38 degrees north.
        &2_u16.to_be_bytes(),
        &entry(0x0001, 2, 2, *b"N\0\0\0"),
        &entry(0x0002, 5, 1, 92_u32.to_be_bytes()),
        &0_u32.to_be_bytes(),
        &38_u32.to_be_bytes(),
        &1_u32.to_be_bytes(),
    ]
    .concat()
}

fn png_of(chunks: &[Vec<u8>]) -> Vec<u8> {
    [b"\x89PNG\r\n\x1a\n".as_slice(), &chunks.concat()].concat()
}

fn chunk(kind: [u8; 4], data: &[u8]) -> Vec<u8> {
    let body = [&kind, data].concat();
    [&u32::try_from(data.len()).expect("a short chunk").to_be_bytes()[..], &body, &crc32(&body).to_be_bytes()].concat()
}

fn crc32(data: &[u8]) -> u32 {
    !data.iter().fold(u32::MAX, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| if crc & 1 == 1 { crc >> 1 ^ 0xEDB8_8320 } else { crc >> 1 })
    })
}

/// A small PNG whose header claims this size.
pub(super) fn png_that_claims(width: u32, height: u32) -> Vec<u8> {
    let header = [&width.to_be_bytes()[..], &height.to_be_bytes(), &[8, 2, 0, 0, 0]].concat();
    let good = png(&picture());
    // After the signature and the real header.
    [png_of(&[chunk(*b"IHDR", &header)]), good[33..].to_vec()].concat()
}

/// A PNG of several frames.
pub(super) fn animated_png() -> Vec<u8> {
    let good = png(&picture());
    let control = [2_u32.to_be_bytes(), 0_u32.to_be_bytes()].concat();
    [&good[..33], &chunk(*b"acTL", &control), &good[33..]].concat()
}

/// A WebP of several frames.
pub(super) const ANIMATED_WEBP: &[u8] = b"RIFFR\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00\x12\x00\x00\x00\x00\x00\x00\x00\x00\x00ANIM\x06\x00\x00\x00\xff\xff\xff\xff\x00\x00ANMF&\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00d\x00\x00\x00VP8L\x0d\x00\x00\x00/\x00\x00\x00\x10\x07\x10\x11\x11\x88\x88\xfe\x07\x00";

/// A GIF of one pixel.
pub(super) const GIF: &[u8] =
    b"GIF89a\x01\x00\x01\x00\x80\x00\x00\xff\xff\xff\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;";
pub(super) const SVG: &[u8] =
    br#"<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><image href="file:///etc/passwd"/></svg>"#;
pub(super) const HTML: &[u8] = b"<!doctype html><script>alert(1)</script>";
