//! Rejected files, and their error messages.

mod files;

use files::{Bits, grey_jpeg, jpeg, lossless_webp, png, png_chunk, png_header, png_of, quarters, segment, webp, zlib};
use itinerary_pictures::{MAX_BYTES, Rejected, reencode};

fn refused(bytes: &[u8]) -> Rejected {
    reencode(bytes).unwrap_err()
}

fn assert_broken(bytes: &[u8]) {
    let rejected = refused(bytes);
    assert!(matches!(rejected, Rejected::Broken(_)), "{rejected:?}");
}

/// A PNG with complete chunks but without pixel data.
fn empty_png(width: u32, height: u32, depth: u8, colour: u8) -> Vec<u8> {
    png_of(&[(b"IHDR", png_header(width, height, depth, colour)), (b"IDAT", zlib(&[0; 1_000])), (b"IEND", vec![])])
}

#[test]
fn other_formats_are_unknown() {
    for bytes in [
        &b""[..],
        b"\xFF",
        b"\x89PNG",
        b"RIFF",
        b"GIF89a\x01\0\x01\0\0\0\0;",
        b"<svg xmlns='http://www.w3.org/2000/svg'/>",
        b"<!DOCTYPE html><html></html>",
        b"RIFF\x04\0\0\0WAVE",
        b"BM\0\0\0\0",
        b"%PDF-1.7",
    ] {
        assert_eq!(refused(bytes), Rejected::UnknownFormat);
    }
    assert_eq!(Rejected::UnknownFormat.to_string(), "The file is not a JPEG, PNG or WebP image.");
}

#[test]
fn large_files_are_refused() {
    let mut bytes = png(&quarters(8, 8));
    bytes.resize(MAX_BYTES, 0);
    assert!(reencode(&bytes).is_ok());
    bytes.push(0);
    assert_eq!(refused(&bytes), Rejected::TooLarge { bytes: MAX_BYTES + 1 });
}

#[test]
fn large_dimensions_are_refused() {
    let rejected = refused(&empty_png(60_000, 60_000, 8, 2));
    assert_eq!(rejected, Rejected::TooManyPixels { width: 60_000, height: 60_000 });
    assert_eq!(
        rejected.to_string(),
        "The image is 60000 x 60000 pixels; at most 12000 a side and 40 megapixels are accepted."
    );
    for (width, height) in [(12_001, 1), (1, 12_001), (8_000, 5_001), (u32::MAX, u32::MAX)] {
        assert_eq!(refused(&empty_png(width, height, 8, 2)), Rejected::TooManyPixels { width, height });
    }
    let rejected = refused(&grey_jpeg(0xC0, 60_000, 60_000, 3));
    assert_eq!(rejected, Rejected::TooManyPixels { width: 60_000, height: 60_000 });
    let mut canvas = files::TRANSPARENT_WEBP.to_vec();
    canvas[24..30].fill(0xFF);
    assert!(matches!(refused(&canvas), Rejected::TooManyPixels { .. }));
}

#[test]
fn images_that_need_too_much_memory_are_refused() {
    let rejected = refused(&empty_png(6_000, 4_000, 16, 6));
    assert_eq!(
        rejected.to_string(),
        "The image is 6000 x 4000 pixels; at most 22 megapixels are accepted for a PNG of 16 bits."
    );
    // With eight bits the same size is accepted, so the error is about the missing pixels.
    assert_broken(&empty_png(6_000, 4_000, 8, 6));
    let rejected = refused(&grey_jpeg(0xC2, 6_000, 4_000, 3));
    assert_eq!(
        rejected.to_string(),
        "The image is 6000 x 4000 pixels; at most 20 megapixels are accepted for a progressive JPEG."
    );
}

#[test]
fn truncated_files_are_broken() {
    let picture = quarters(300, 200);
    for bytes in [jpeg(&picture), png(&picture), webp(&picture), files::LOSSY_WEBP.to_vec()] {
        // A JPEG may lack its last two bytes.
        let length = bytes.len() - if bytes.starts_with(&[0xFF]) { 2 } else { 0 };
        for kept in [16, 30, length / 4, length / 2, length * 3 / 4, length - 12, length - 2, length - 1] {
            assert_broken(&bytes[..kept.clamp(12, length - 1)]);
        }
        assert!(reencode(&bytes).is_ok());
    }
}

#[test]
fn damaged_files_never_panic() {
    let picture = quarters(24, 24);
    for bytes in [jpeg(&picture), png(&picture), webp(&picture), files::TRANSPARENT_WEBP.to_vec()] {
        let mut refusals = 0;
        for index in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[index] ^= 0xA5;
            refusals += usize::from(reencode(&damaged).is_err());
        }
        assert!(refusals > 0);
    }
}

#[test]
fn animations_are_refused() {
    let plain = png(&quarters(8, 8));
    let control = png_chunk(*b"acTL", &[0, 0, 0, 2, 0, 0, 0, 0]);
    assert_eq!(refused(&[&plain[..33], &control, &plain[33..]].concat()), Rejected::Animated);
    assert_eq!(refused(files::ANIMATED_WEBP), Rejected::Animated);
    // Without the flag for animations.
    let mut unannounced = files::ANIMATED_WEBP.to_vec();
    unannounced[20] &= !2;
    assert_eq!(refused(&unannounced), Rejected::Animated);
}

#[test]
fn headers_must_agree() {
    // A canvas of one pixel around an image of 16,383 x 16,383, which the decoder would allocate.
    let mut lying = files::TRANSPARENT_WEBP.to_vec();
    let start_code = lying.windows(3).position(|bytes| bytes == [0x9D, 0x01, 0x2A]).unwrap();
    lying[start_code + 3..start_code + 7].copy_from_slice(&[0xFF, 0x3F, 0xFF, 0x3F]);
    assert!(matches!(refused(&lying), Rejected::TooManyPixels { .. }));
    lying[start_code + 3..start_code + 7].copy_from_slice(&[2, 0, 2, 0]);
    assert_broken(&lying);
    // A second frame in a JPEG.
    let plain = grey_jpeg(0xC0, 8, 8, 1);
    let frame = segment(0xC0, &[8, 0, 32, 0, 32, 1, 1, 0x11, 0]);
    assert_broken(&[&plain[..2], &frame, &plain[2..]].concat());
}

#[test]
fn malformed_outlines_are_broken() {
    for bytes in [
        empty_png(0, 5, 8, 2),
        empty_png(5, 5, 8, 9),
        png_of(&[(b"IHDR", png_header(5, 5, 8, 2)), (b"IEND", vec![])]),
        png_of(&[(b"IDAT", vec![]), (b"IHDR", png_header(5, 5, 8, 2))]),
        grey_jpeg(0xC0, 0, 8, 3),
        grey_jpeg(0xC0, 8, 8, 2),
        grey_jpeg(0xC3, 8, 8, 3),
        grey_jpeg(0xC9, 8, 8, 3),
        b"\xFF\xD8\xFF\xD9".to_vec(),
        b"\xFF\xD8\xFF\xE0\0\x01\xFF\xD9".to_vec(),
        b"RIFF\x04\0\0\0WEBP".to_vec(),
    ] {
        assert_broken(&bytes);
    }
}

#[test]
fn jpegs_of_many_scans_are_broken() {
    let plain = grey_jpeg(0xC2, 8, 8, 1);
    let end = plain.len() - 2;
    let scan = [segment(0xDA, &[1, 1, 0, 0, 0, 0]), vec![0x7F]].concat();
    assert_broken(&[&plain[..end], &scan.repeat(100), &plain[end..]].concat());
}

/// The decoder would allocate 1.3 GB for the codes of this file of 4 MB.
#[test]
fn lossless_webps_with_many_codes_are_broken() {
    let mut stream = Bits::default();
    // No transform, no colour cache, groups for blocks of 4 x 4 pixels: one block, of group 65,535.
    stream.push(0b00_0100, 6);
    stream.push(0, 1);
    for symbol in [255, 255, 0, 0, 0] {
        stream.push_lone_symbol(symbol);
    }
    for _ in 0..65_536 * 5 {
        stream.push_long_code();
    }
    let rejected = refused(&lossless_webp(&stream));
    assert_eq!(rejected.to_string(), "The image is broken: its lossless WebP stream has too many codes.");
}
