//! Checks an uploaded picture and re-encodes it without metadata, as sRGB.

use std::io::Cursor;
use std::panic::{AssertUnwindSafe, catch_unwind};

use image::codecs::jpeg::JpegDecoder;
use image::codecs::png::PngDecoder;
use image::codecs::webp::WebPDecoder;
use image::metadata::Orientation;
use image::{ColorType, DynamicImage, ImageDecoder, ImageResult, Limits, RgbImage};

use crate::colours::{self, Declared};
use crate::probe::{ImageHeader, MAX_METADATA_BYTES, PictureFormat, probe, with_end};
use crate::rejected::{MAX_BYTES, Rejected};
use crate::resample::{fit, shrink};
use crate::stored::{LARGE_SIDE, Stored};

/// Checks a picture and re-encodes it for storage.
///
/// Accepts JPEG, PNG and WebP, recognised by content, and rejects truncated files; a JPEG may lack its end marker. Converts
/// to sRGB from an embedded colour profile and from what a PNG says of its colours, and rejects what cannot be
/// converted. Applies the EXIF orientation, puts transparent pixels on white, and removes all metadata. Uses at most
/// 200 MB of memory, including the file. A PNG of 16 bits a channel is accepted up to the size that this leaves: 22
/// megapixels with transparency, 29 without.
///
/// A panic in a decoder is caught and reported as [`Rejected::Broken`]. The panic hook still runs and may log it. With
/// `panic = "abort"` it would end the process.
pub fn reencode(bytes: &[u8]) -> Result<Stored, Rejected> {
    if bytes.len() > MAX_BYTES {
        return Err(Rejected::TooLarge { bytes: bytes.len() });
    }
    Ok(Stored::encode(&read(bytes)?))
}

/// How many megapixels [`reencode`] would decode, rounded up, so at least 1. Reads the header only.
pub fn megapixels(bytes: &[u8]) -> Result<u32, Rejected> {
    if bytes.len() > MAX_BYTES {
        return Err(Rejected::TooLarge { bytes: bytes.len() });
    }
    Ok(probe(bytes)?.megapixels())
}

/// Decodes a picture, turned as it is to be seen, with at most [`LARGE_SIDE`] pixels a side.
pub(crate) fn read(bytes: &[u8]) -> Result<RgbImage, Rejected> {
    let outline = probe(bytes)?;
    if !outline.lacks_end {
        return decode_safely(bytes, outline);
    }
    let [first, second] = with_end(bytes);
    let picture = decode_safely(&first, outline)?;
    drop(first);
    if picture == decode_safely(&second, outline)? { Ok(picture) } else { Err(Rejected::broken("the file ends early")) }
}

fn decode_safely(bytes: &[u8], outline: ImageHeader) -> Result<RgbImage, Rejected> {
    catch_unwind(AssertUnwindSafe(|| decode(bytes, outline)))
        .unwrap_or_else(|_| Err(Rejected::broken("its decoder failed")))
}

fn decode(bytes: &[u8], outline: ImageHeader) -> Result<RgbImage, Rejected> {
    let file = Cursor::new(bytes);
    match outline.format {
        PictureFormat::Jpeg => decode_with(JpegDecoder::new(file), outline),
        PictureFormat::Png => {
            let mut limits = Limits::no_limits();
            limits.max_alloc = Some(MAX_METADATA_BYTES);
            decode_with(PngDecoder::with_limits(file, limits), outline)
        }
        PictureFormat::WebP => decode_with(WebPDecoder::new(file), outline),
    }
}

/// Decodes, shrinks and turns a picture. All pixels of the source are dropped on return.
fn decode_with(decoder: ImageResult<impl ImageDecoder>, outline: ImageHeader) -> Result<RgbImage, Rejected> {
    let mut decoder = decoder.map_err(|error| broken(&error))?;
    let (width, height) = decoder.dimensions();
    if (width, height) != (outline.width, outline.height) {
        return Err(Rejected::broken("its headers contradict each other"));
    }
    // Invalid EXIF data does not make the pixels invalid.
    let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
    let icc = if outline.colours == Declared::Profile { decoder.icc_profile().ok().flatten() } else { None };
    let space = colours::space(outline.colours, icc.as_deref())?;
    let color = decoder.color_type();
    let length = usize::try_from(decoder.total_bytes()).map_err(|error| Rejected::broken(error.to_string()))?;
    let mut pixels = vec![0; length];
    decoder.read_image(&mut pixels).map_err(|error| broken(&error))?;
    let row_length = width as usize * usize::from(color.bytes_per_pixel());
    let mut rows = pixels.chunks_exact(row_length);
    let small = shrink((width, height), fit((width, height), LARGE_SIDE), |_, out| {
        read_row(color, rows.next().unwrap_or_default(), out);
    });
    drop(pixels);
    let small = match space {
        Some(space) => colours::to_srgb(&small, &space, !color.has_color())?,
        None => small,
    };
    let mut picture = DynamicImage::ImageRgb8(small);
    picture.apply_orientation(orientation);
    Ok(picture.into_rgb8())
}

fn broken(error: &image::ImageError) -> Rejected {
    Rejected::broken(error.to_string().trim_end_matches('.'))
}

/// Converts a row of pixels to red, green and blue of 0 to 255, on white.
fn read_row(color: ColorType, row: &[u8], out: &mut [f32]) {
    let channels = usize::from(color.channel_count());
    let (out, _) = out.as_chunks_mut::<3>();
    if color.bytes_per_pixel() == color.channel_count() {
        for (out, pixel) in out.iter_mut().zip(row.chunks_exact(channels)) {
            *out = on_white(pixel, |&byte| f32::from(byte));
        }
    } else {
        let (samples, _) = row.as_chunks::<2>();
        for (out, pixel) in out.iter_mut().zip(samples.chunks_exact(channels)) {
            *out = on_white(pixel, |&sample| f32::from(u16::from_ne_bytes(sample)) / 257.0);
        }
    }
}

/// One pixel of one (grey), two (grey, alpha), three or four (with alpha) samples.
fn on_white<T>(pixel: &[T], sample: impl Fn(&T) -> f32) -> [f32; 3] {
    let blend = |colour: &T, alpha: &T| {
        let alpha = sample(alpha) / 255.0;
        sample(colour) * alpha + 255.0 * (1.0 - alpha)
    };
    match pixel {
        [grey] => [sample(grey); 3],
        [grey, alpha] => [blend(grey, alpha); 3],
        [red, green, blue] => [sample(red), sample(green), sample(blue)],
        [red, green, blue, alpha] => [blend(red, alpha), blend(green, alpha), blend(blue, alpha)],
        _ => [255.0; 3],
    }
}
