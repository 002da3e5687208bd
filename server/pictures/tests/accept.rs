//! Accepted pictures, and their stored form.

mod files;

use files::{
    Bits, alike, corners, grey_jpeg, jpeg, lossless_webp, png, png_chunk, png_header, png_of, quarters, segment, webp,
    zlib,
};
use image::{DynamicImage, GrayImage, ImageBuffer, ImageFormat, Luma, LumaA, Rgb, Rgba, RgbaImage};
use itinerary_pictures::{Stored, megapixels, reencode};

const QUARTERS: [[u8; 3]; 4] = [[255, 0, 0], [0, 255, 0], [0, 0, 255], [255, 255, 255]];

fn size(jpeg: &[u8]) -> (u32, u32) {
    assert_eq!(image::guess_format(jpeg).unwrap(), ImageFormat::Jpeg);
    let picture = image::load_from_memory(jpeg).unwrap();
    (picture.width(), picture.height())
}

fn assert_corners(stored: &Stored, expected: [[u8; 3]; 4]) {
    for jpeg in [&stored.large, &stored.small] {
        let found = corners(jpeg);
        assert!(found.into_iter().zip(expected).all(|(found, expected)| alike(found, expected)), "{found:?}");
    }
}

#[test]
fn every_format_keeps_its_colours() {
    let picture = quarters(64, 48);
    for bytes in [jpeg(&picture), png(&picture), webp(&picture)] {
        let stored = reencode(&bytes).unwrap();
        assert_eq!((stored.width, stored.height), (64, 48));
        assert_eq!(stored.large, stored.small);
        assert_corners(&stored, QUARTERS);
    }
}

#[test]
fn large_pictures_are_shrunk_and_keep_their_aspect() {
    let stored = reencode(&png(&quarters(2_500, 1_000))).unwrap();
    assert_eq!((stored.width, stored.height), (2_048, 819));
    assert_eq!(size(&stored.large), (2_048, 819));
    assert_eq!(size(&stored.small), (640, 256));
    assert_corners(&stored, QUARTERS);
}

#[test]
fn tall_pictures_fit_by_their_height() {
    let stored = reencode(&png(&quarters(300, 700))).unwrap();
    assert_eq!((stored.width, stored.height), (300, 700));
    assert_eq!(size(&stored.small), (274, 640));
}

#[test]
fn the_widest_picture_is_accepted() {
    let wide = GrayImage::from_fn(12_000, 3_000, |x, _| Luma([if x < 6_000 { 0 } else { 200 }]));
    let stored = reencode(&png(&DynamicImage::ImageLuma8(wide))).unwrap();
    assert_eq!((stored.width, stored.height), (2_048, 512));
    assert_eq!(size(&stored.small), (640, 160));
    assert_corners(&stored, [[0; 3], [200; 3], [0; 3], [200; 3]]);
}

#[test]
fn very_long_pictures_keep_one_pixel() {
    let stored = reencode(&png(&quarters(12_000, 2))).unwrap();
    assert_eq!((stored.width, stored.height), (2_048, 1));
    assert_eq!(size(&stored.small), (640, 1));
}

#[test]
fn one_pixel_is_a_picture() {
    let picture = DynamicImage::ImageRgb8(ImageBuffer::from_pixel(1, 1, Rgb([10, 120, 230])));
    for bytes in [jpeg(&picture), png(&picture), webp(&picture)] {
        let stored = reencode(&bytes).unwrap();
        assert_eq!((stored.width, stored.height), (1, 1));
        assert!(alike(corners(&stored.large)[0], [10, 120, 230]));
    }
}

#[test]
fn transparent_pixels_are_put_on_white() {
    let mut picture = RgbaImage::from_pixel(32, 32, Rgba([0, 0, 0, 0]));
    for x in 0..32 {
        for y in 16..32 {
            picture.put_pixel(x, y, Rgba([0, 0, 0, if x < 16 { 255 } else { 128 }]));
        }
    }
    let picture = DynamicImage::ImageRgba8(picture);
    for bytes in [png(&picture), webp(&picture)] {
        assert_corners(&reencode(&bytes).unwrap(), [[255; 3], [255; 3], [0; 3], [127; 3]]);
    }
    let grey = ImageBuffer::from_pixel(16, 16, LumaA([0, 0]));
    let stored = reencode(&png(&DynamicImage::ImageLumaA8(grey))).unwrap();
    assert_corners(&stored, [[255; 3]; 4]);
}

#[test]
fn sixteen_bits_are_rounded_to_eight() {
    let grey = ImageBuffer::from_pixel(16, 16, Luma([0x8000]));
    assert_corners(&reencode(&png(&DynamicImage::ImageLuma16(grey))).unwrap(), [[128; 3]; 4]);
    let colour = ImageBuffer::from_pixel(16, 16, Rgba([0xFFFF, 0x8000, 0, 0xFFFF]));
    assert_corners(&reencode(&png(&DynamicImage::ImageRgba16(colour))).unwrap(), [[255, 128, 0]; 4]);
}

#[test]
fn grey_becomes_rgb() {
    let grey = DynamicImage::ImageLuma8(GrayImage::from_pixel(16, 16, Luma([90])));
    for bytes in [png(&grey), jpeg(&grey)] {
        assert_corners(&reencode(&bytes).unwrap(), [[90; 3]; 4]);
    }
}

#[test]
fn a_palette_is_looked_up() {
    // Sixteen rows of one filter byte and sixteen pixels of one bit; the second colour is transparent.
    let rows = [0, 0x00, 0xFF].repeat(16);
    let bytes = png_of(&[
        (b"IHDR", png_header(16, 16, 1, 3)),
        (b"PLTE", vec![200, 30, 40, 1, 2, 3]),
        (b"tRNS", vec![255, 0]),
        (b"IDAT", zlib(&rows)),
        (b"IEND", vec![]),
    ]);
    let (left, right) = ([200, 30, 40], [255, 255, 255]);
    assert_corners(&reencode(&bytes).unwrap(), [left, right, left, right]);
}

#[test]
fn other_kinds_of_jpeg_are_read() {
    for (frame, components) in [(0xC0, 1), (0xC0, 3), (0xC0, 4), (0xC2, 1)] {
        let stored = reencode(&grey_jpeg(frame, 8, 8, components)).unwrap();
        let [red, green, blue] = corners(&stored.large)[0];
        assert!(alike([red; 3], [green, blue, green]), "{frame:x} {components} {red} {green} {blue}");
    }
}

#[test]
fn a_jpeg_may_lack_its_end_marker() {
    let progressive = grey_jpeg(0xC2, 8, 8, 1);
    let second_scan = [segment(0xDA, &[1, 1, 0, 1, 63, 0]), vec![0x7F]].concat();
    let (start, end) = progressive.split_at(progressive.len() - 2);
    let progressive = [start, &second_scan, end].concat();
    for bytes in [jpeg(&quarters(300, 200)), jpeg(&quarters(9, 7)), grey_jpeg(0xC0, 8, 8, 1), progressive] {
        let whole = reencode(&bytes).unwrap();
        assert_eq!(reencode(&bytes[..bytes.len() - 2]).unwrap(), whole);
        assert_eq!(reencode(&bytes[..bytes.len() - 1]).unwrap(), whole);
    }
    // It is decoded twice, which counts.
    let bytes = jpeg(&quarters(1_000, 900));
    assert_eq!((megapixels(&bytes), megapixels(&bytes[..bytes.len() - 2])), (Ok(1), Ok(2)));
}

#[test]
fn other_kinds_of_webp_are_read() {
    for bytes in [files::LOSSY_WEBP, files::TRANSPARENT_WEBP] {
        assert_eq!(reencode(bytes).unwrap().width, 1);
    }
}

#[test]
fn a_lossless_webp_may_have_several_groups_of_codes() {
    let mut stream = Bits::default();
    // No transform, no colour cache, groups for blocks of 4 x 4 pixels: one block, of group 1.
    stream.push(0b00_0100, 6);
    stream.push(0, 1);
    for symbol in [1, 0, 0, 0, 0] {
        stream.push_lone_symbol(symbol);
    }
    for colour in [[9, 9, 9], [100, 200, 50]] {
        let [red, green, blue] = colour;
        for symbol in [green, red, blue, 255, 0] {
            stream.push_lone_symbol(symbol);
        }
    }
    let stored = reencode(&lossless_webp(&stream)).unwrap();
    assert!(alike(corners(&stored.large)[0], [100, 200, 50]), "{:?}", corners(&stored.large));
}

/// EXIF data that turns the picture by 90 degrees and has a position.
fn exif() -> Vec<u8> {
    let entry = |tag: u16, kind: u16, count: u32, value: [u8; 4]| {
        [&tag.to_be_bytes()[..], &kind.to_be_bytes(), &count.to_be_bytes(), &value].concat()
    };
    [
        &b"MM\0*"[..],
        &8_u32.to_be_bytes(),
        // The first directory: orientation 6, and where the GPS directory is.
        &2_u16.to_be_bytes(),
        &entry(0x0112, 3, 1, [0, 6, 0, 0]),
        &entry(0x8825, 4, 1, 38_u32.to_be_bytes()),
        &0_u32.to_be_bytes(),
        // The GPS directory: north.
        &1_u16.to_be_bytes(),
        &entry(0x0001, 2, 2, *b"N\0\0\0"),
        &0_u32.to_be_bytes(),
    ]
    .concat()
}

#[test]
fn the_orientation_is_applied_and_metadata_is_gone() {
    let picture = quarters(1_000, 500);
    let plain = jpeg(&picture);
    let app1 = segment(0xE1, &[&b"Exif\0\0"[..], &exif()].concat());
    let turned_jpeg = [&plain[..2], &app1, &plain[2..]].concat();
    let plain = png(&picture);
    let turned_png = [&plain[..33], &png_chunk(*b"eXIf", &exif()), &plain[33..]].concat();
    for bytes in [turned_jpeg, turned_png] {
        let stored = reencode(&bytes).unwrap();
        assert_eq!((stored.width, stored.height), (500, 1_000));
        assert_eq!(size(&stored.small), (320, 640));
        // Turned clockwise: the lower left comes to the upper left.
        let [upper_left, upper_right, lower_left, lower_right] = QUARTERS;
        assert_corners(&stored, [lower_left, upper_left, lower_right, upper_right]);
        for jpeg in [&stored.large, &stored.small] {
            assert!(!jpeg.windows(4).any(|bytes| bytes == b"Exif" || bytes == b"eXIf"));
        }
    }
}

#[test]
fn broken_exif_data_is_ignored() {
    let plain = jpeg(&quarters(40, 20));
    let app1 = segment(0xE1, b"Exif\0\0MM\0*\xFF\xFF\xFF\xFF");
    let stored = reencode(&[&plain[..2], &app1, &plain[2..]].concat()).unwrap();
    assert_eq!((stored.width, stored.height), (40, 20));
}

#[test]
fn trailing_bytes_after_the_image_are_dropped() {
    let picture = quarters(40, 20);
    for mut bytes in [jpeg(&picture), png(&picture), webp(&picture)] {
        bytes.extend(b"<script>alert(1)</script>");
        let stored = reencode(&bytes).unwrap();
        assert!(!stored.large.windows(8).any(|bytes| bytes == b"<script>"));
    }
}
