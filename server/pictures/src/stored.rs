//! The format in which every picture is stored.

use image::RgbImage;
use jpeg_encoder::{Encoder, ImageBuffer, JpegColorType, rgb_to_ycbcr};

use crate::resample::{fit, shrink};

/// The longest side of [`Stored::large`], in pixels.
pub const LARGE_SIDE: u32 = 2_048;
/// The longest side of [`Stored::small`], in pixels.
pub const SMALL_SIDE: u32 = 640;

const QUALITY: u8 = 82;

/// A stored picture: JPEG of quality 82, without metadata.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    /// At most [`LARGE_SIDE`] pixels a side.
    pub large: Vec<u8>,
    /// At most [`SMALL_SIDE`] pixels a side.
    pub small: Vec<u8>,
    /// Of `large`, in pixels.
    pub width: u32,
    /// Of `large`, in pixels.
    pub height: u32,
}

impl Stored {
    /// Encodes a picture that already has the size of `large`.
    pub(crate) fn encode(picture: &RgbImage) -> Self {
        let (width, height) = picture.dimensions();
        let large = jpeg(picture);
        let small = match fit((width, height), SMALL_SIDE) {
            size if size == (width, height) => large.clone(),
            size => jpeg(&shrink((width, height), size, |y, out| {
                let row = picture.as_raw().chunks_exact(width as usize * 3).nth(y as usize).unwrap_or_default();
                for (out, &value) in out.iter_mut().zip(row) {
                    *out = f32::from(value);
                }
            })),
        };
        Self { large, small, width, height }
    }
}

pub(crate) fn jpeg(picture: &RgbImage) -> Vec<u8> {
    let mut bytes = Vec::new();
    Encoder::new(&mut bytes, QUALITY)
        .encode_image(Pixels(picture))
        .expect("a Vec takes every byte, and both sides are far below JPEG's 65,535");
    bytes
}

/// Converts lines for the encoder. Its own conversion calls a function for each pixel, which takes five times as long.
struct Pixels<'p>(&'p RgbImage);

impl ImageBuffer for Pixels<'_> {
    fn get_jpeg_color_type(&self) -> JpegColorType {
        JpegColorType::Ycbcr
    }

    fn width(&self) -> u16 {
        u16::try_from(self.0.width()).unwrap_or(u16::MAX)
    }

    fn height(&self) -> u16 {
        u16::try_from(self.0.height()).unwrap_or(u16::MAX)
    }

    fn fill_buffers(&self, y: u16, [luma, blue, red, _]: &mut [Vec<u8>; 4]) {
        let length = self.0.width() as usize * 3;
        let line = self.0.as_raw()[usize::from(y) * length..][..length].as_chunks().0;
        // Three passes, because the compiler vectorises each.
        luma.extend(line.iter().map(|&[r, g, b]| rgb_to_ycbcr(r, g, b).0));
        blue.extend(line.iter().map(|&[r, g, b]| rgb_to_ycbcr(r, g, b).1));
        red.extend(line.iter().map(|&[r, g, b]| rgb_to_ycbcr(r, g, b).2));
    }
}
