//! Colour spaces: what a file declares, and the colours that are stored.

mod files;

use files::{corners, grey_jpeg, png_chunk, segment};
use image::codecs::jpeg::JpegEncoder;
use image::codecs::png::PngEncoder;
use image::codecs::webp::WebPEncoder;
use image::{DynamicImage, GrayImage, ImageBuffer, ImageEncoder, Luma, Rgb, RgbImage, Rgba, RgbaImage};
use itinerary_pictures::{Rejected, reencode};
use moxcms::{ColorProfile, ToneReprCurve};

type Colour = [u8; 3];

/// A colour, and what it is in sRGB: computed from the primaries, the white point and the curve of each space.
const IN_DISPLAY_P3: [(Colour, Colour); 3] =
    [([220, 30, 30], [240, 0, 0]), ([120, 160, 90], [108, 161, 80]), ([60, 90, 200], [50, 91, 207])];
const IN_ADOBE_RGB: [(Colour, Colour); 3] =
    [([220, 30, 30], [255, 24, 24]), ([120, 160, 90], [99, 161, 85]), ([60, 90, 200], [36, 90, 204])];
/// A grey of gamma 1.8.
const GREY_OF_GAMMA_1_8: [(u8, u8); 3] = [(40, 53), (100, 119), (200, 210)];

fn plain([red, green, blue]: Colour) -> DynamicImage {
    DynamicImage::ImageRgb8(RgbImage::from_pixel(16, 16, Rgb([red, green, blue])))
}

fn grey(value: u8) -> DynamicImage {
    DynamicImage::ImageLuma8(GrayImage::from_pixel(16, 16, Luma([value])))
}

fn with_profile(mut encoder: impl ImageEncoder, picture: &DynamicImage, icc: &[u8]) {
    encoder.set_icc_profile(icc.to_vec()).unwrap();
    picture.write_with_encoder(encoder).unwrap();
}

fn jpeg(picture: &DynamicImage, icc: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    with_profile(JpegEncoder::new_with_quality(&mut bytes, 100), picture, icc);
    bytes
}

fn png(picture: &DynamicImage, icc: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    with_profile(PngEncoder::new(&mut bytes), picture, icc);
    bytes
}

fn webp(picture: &DynamicImage, icc: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    with_profile(WebPEncoder::new_lossless(&mut bytes), picture, icc);
    bytes
}

/// A PNG with chunks about its colours.
fn png_with(picture: &DynamicImage, chunks: &[(&[u8; 4], Vec<u8>)]) -> Vec<u8> {
    let bytes = files::png(picture);
    let chunks: Vec<u8> = chunks.iter().flat_map(|(kind, data)| png_chunk(**kind, data)).collect();
    // After the signature and the header.
    [&bytes[..33], &chunks, &bytes[33..]].concat()
}

/// Numbers of hundred-thousandths.
fn numbers(numbers: &[u32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_be_bytes()).collect()
}

#[track_caller]
fn assert_colour(bytes: &[u8], expected: Colour, what: &str) {
    let [found, ..] = corners(&reencode(bytes).unwrap().large);
    let is_near = found.iter().zip(expected).all(|(found, expected)| found.abs_diff(expected) <= 3);
    assert!(is_near, "{what}: {found:?} is not {expected:?}");
}

fn encoded(profile: &ColorProfile) -> Vec<u8> {
    profile.encode().unwrap()
}

#[test]
fn colours_are_converted_from_the_profile() {
    // Red and green change places.
    let mut swapped = ColorProfile::new_srgb();
    (swapped.red_colorant, swapped.green_colorant) = (swapped.green_colorant, swapped.red_colorant);
    swapped.cicp = None;
    let in_srgb = IN_DISPLAY_P3.map(|(colour, _)| (colour, colour));
    let in_swapped = in_srgb.map(|([red, green, blue], _)| ([red, green, blue], [green, red, blue]));
    for (name, profile, samples) in [
        ("sRGB", ColorProfile::new_srgb(), in_srgb),
        ("Display P3", ColorProfile::new_display_p3(), IN_DISPLAY_P3),
        ("Adobe RGB", ColorProfile::new_adobe_rgb(), IN_ADOBE_RGB),
        ("swapped", swapped, in_swapped),
    ] {
        let icc = encoded(&profile);
        for (colour, expected) in samples {
            let picture = plain(colour);
            assert_colour(&jpeg(&picture, &icc), expected, name);
            assert_colour(&png(&picture, &icc), expected, name);
            assert_colour(&webp(&picture, &icc), expected, name);
        }
    }
}

#[test]
fn greys_are_converted_from_the_profile() {
    let icc = encoded(&ColorProfile::new_gray_with_gamma(1.8));
    for (value, expected) in GREY_OF_GAMMA_1_8 {
        assert_colour(&jpeg(&grey(value), &icc), [expected; 3], "JPEG");
        assert_colour(&png(&grey(value), &icc), [expected; 3], "PNG");
    }
    // A grey picture may have a profile for colours.
    let mut linear = ColorProfile::new_display_p3();
    let curve = Some(ToneReprCurve::Parametric(vec![1.8]));
    (linear.red_trc, linear.green_trc, linear.blue_trc) = (curve.clone(), curve.clone(), curve);
    linear.cicp = None;
    let icc = encoded(&linear);
    for (value, expected) in GREY_OF_GAMMA_1_8 {
        assert_colour(&jpeg(&grey(value), &icc), [expected; 3], "JPEG");
        assert_colour(&png(&grey(value), &icc), [expected; 3], "PNG");
    }
}

#[test]
fn transparent_and_deep_pictures_are_converted_too() {
    let icc = encoded(&ColorProfile::new_display_p3());
    let [(colour @ [red, green, blue], expected), ..] = IN_DISPLAY_P3;
    let clear = RgbaImage::from_fn(16, 16, |x, _| Rgba([red, green, blue, if x < 8 { 255 } else { 0 }]));
    let bytes = png(&DynamicImage::ImageRgba8(clear), &icc);
    assert_colour(&bytes, expected, "opaque");
    let [_, right, ..] = corners(&reencode(&bytes).unwrap().large);
    assert!(right.iter().all(|&part| part > 250), "white stays white: {right:?}");
    let deep = ImageBuffer::from_pixel(16, 16, Rgb(colour.map(|part| u16::from(part) * 257)));
    assert_colour(&png(&DynamicImage::ImageRgb16(deep), &icc), expected, "16 bits");
}

#[test]
fn pngs_may_declare_colours_without_a_profile() {
    let adobe = || (b"cHRM", numbers(&[31_270, 32_900, 64_000, 33_000, 21_000, 71_000, 15_000, 6_000]));
    let srgb = || (b"cHRM", numbers(&[31_270, 32_900, 64_000, 33_000, 30_000, 60_000, 15_000, 6_000]));
    let gamma = |gamma| (b"gAMA", numbers(&[gamma]));
    let points = |primaries, transfer| (b"cICP", vec![primaries, transfer, 0, 1]);
    for (colour, expected) in IN_DISPLAY_P3 {
        assert_colour(&png_with(&plain(colour), &[points(12, 13)]), expected, "Display P3");
        assert_colour(&png_with(&plain(colour), &[points(1, 13)]), colour, "sRGB");
        assert_colour(&png_with(&plain(colour), &[gamma(45_455), srgb()]), colour, "measured sRGB");
        assert_colour(&png_with(&plain(colour), &[gamma(45_455)]), colour, "the gamma of sRGB");
        assert_colour(&png_with(&plain(colour), &[gamma(0), (b"cHRM", numbers(&[0; 8]))]), colour, "nonsense");
        assert_colour(&png_with(&plain(colour), &[(b"sRGB", vec![0]), gamma(100_000), adobe()]), colour, "most exact");
    }
    for (colour, expected) in IN_ADOBE_RGB {
        assert_colour(&png_with(&plain(colour), &[gamma(45_455), adobe()]), expected, "Adobe RGB");
    }
    for (value, expected) in GREY_OF_GAMMA_1_8 {
        assert_colour(&png_with(&grey(value), &[gamma(55_556)]), [expected; 3], "gamma 1.8");
    }
    // Code points count more than a profile.
    let [(colour, expected), ..] = IN_DISPLAY_P3;
    let with_both = png(&plain(colour), &encoded(&ColorProfile::new_adobe_rgb()));
    let with_both = [&with_both[..33], &png_chunk(*b"cICP", &[12, 13, 0, 1]), &with_both[33..]].concat();
    assert_colour(&with_both, expected, "code points");
}

#[track_caller]
fn assert_refused(bytes: &[u8], word: &str) {
    let rejected = reencode(bytes).unwrap_err();
    assert!(matches!(rejected, Rejected::Colours(_)), "{rejected:?}");
    let message = rejected.to_string();
    assert!(message.contains(word) && message.ends_with("Save it as sRGB and send that."), "{message}");
}

#[test]
fn colours_that_cannot_be_converted_are_refused() {
    let picture = plain([220, 30, 30]);
    let icc = encoded(&ColorProfile::new_display_p3());
    for unreadable in [&b"no profile"[..], &icc[..200], &[0; 400]] {
        for bytes in [jpeg(&picture, unreadable), png(&picture, unreadable), webp(&picture, unreadable)] {
            assert_refused(&bytes, "colour profile cannot be read");
        }
    }
    // The first of two parts of a profile.
    let plain_jpeg = files::jpeg(&picture);
    let part = segment(0xE2, &[b"ICC_PROFILE\0\x01\x02", &icc[..]].concat());
    assert_refused(&[&plain_jpeg[..2], &part, &plain_jpeg[2..]].concat(), "colour profile cannot be read");
    let whole = segment(0xE2, &[b"ICC_PROFILE\0\x01\x01", &icc[..]].concat());
    let printed = grey_jpeg(0xC0, 8, 8, 4);
    assert_refused(&[&printed[..2], &whole, &printed[2..]].concat(), "CMYK");
    assert_refused(&png(&picture, &encoded(&ColorProfile::new_gray_with_gamma(2.2))), "for grey images");
    assert_refused(&png(&picture, &encoded(&ColorProfile::new_display_p3_pq())), "HDR");
    for (data, word) in
        [([9, 16, 0, 1], "HDR"), ([9, 18, 0, 1], "HDR"), ([1, 13, 1, 1], "RGB"), ([2, 2, 0, 1], "unknown")]
    {
        assert_refused(&png_with(&picture, &[(b"cICP", data.to_vec())]), word);
    }
}

#[test]
fn damaged_profiles_never_panic() {
    let picture = plain([220, 30, 30]);
    let icc = encoded(&ColorProfile::new_display_p3());
    let mut refusals = 0;
    for index in 0..icc.len() {
        let mut damaged = icc.clone();
        damaged[index] ^= 0xA5;
        refusals += usize::from(reencode(&png(&picture, &damaged)).is_err());
    }
    assert!(refusals > 0);
}
