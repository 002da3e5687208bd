//! Draws a trip's cover: the land and water where the trip is, in layered paper seen from above, with its route.
//!
//! Deterministic: the same input gives the same bytes on one platform. Uses no text, and so no font.

// Pixels and colours are small numbers: casts between integers and floats lose nothing visible.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss
)]
mod coast;
#[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss, clippy::cast_sign_loss)]
mod field;
// A colour is written 0xRRGGBB, as in a style sheet.
#[allow(clippy::unreadable_literal)]
mod palette;
#[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss, clippy::cast_sign_loss)]
mod paper;
mod projection;
#[allow(clippy::cast_precision_loss)]
mod route;
mod seed;

use image::RgbImage;
use tiny_skia::Pixmap;

use crate::stored::{SMALL_SIDE, Stored, jpeg};
use projection::View;
use seed::Seed;

/// Wide enough for the picture for links. Sharper pictures of paper would cost more than they show.
const WIDTH: u32 = 1_280;
const HEIGHT: u32 = 720;
/// The route is laid out on a canvas of this size, and painted with [`SCALE`].
const CANVAS: (f32, f32) = (2_048.0, 1_152.0);
/// Pixels for a unit of the canvas.
const SCALE: f32 = 0.625;

/// The input for a cover.
#[derive(Debug, Clone, PartialEq)]
pub struct Drawing {
    pub name: String,
    pub latitude: f64,
    pub longitude: f64,
    /// Latitude and longitude of the stops, in order, in degrees. May be empty. Points that are not finite are ignored.
    pub points: Vec<(f64, f64)>,
}

/// Draws a cover of 1,280 x 720 pixels.
///
/// The destination determines the palette, the stops the route and what is under it.
pub fn draw(drawing: &Drawing) -> Stored {
    let mut seed = Seed::of(&drawing.name, drawing.latitude, drawing.longitude);
    let palette = palette::choose(drawing.latitude, drawing.longitude, &mut seed);
    let mut pixmap = Pixmap::new(WIDTH, HEIGHT).expect("the size is valid");
    let view = View::of(drawing);
    paper::paint(&mut pixmap, palette, &mut seed, &view);
    route::paint_graticule(&mut pixmap);
    route::paint(&mut pixmap, palette, &view.stops);
    let large = opaque(&pixmap);
    Stored { large: jpeg(&large), small: jpeg(&halved(&large)), width: WIDTH, height: HEIGHT }
}

/// Half as wide and high: the average of four pixels each, which costs less than the filter for photos.
fn halved(picture: &RgbImage) -> RgbImage {
    const { assert!(WIDTH == 2 * SMALL_SIDE) };
    let mut pixels = Vec::with_capacity(picture.len() / 4);
    for lines in picture.chunks_exact(WIDTH as usize * 3 * 2) {
        let (upper, lower) = lines.split_at(WIDTH as usize * 3);
        for (upper, lower) in upper.as_chunks::<6>().0.iter().zip(lower.as_chunks::<6>().0) {
            pixels.extend_from_slice(&[0, 1, 2].map(|part| {
                let above = u8::midpoint(upper[part], upper[part + 3]);
                u8::midpoint(above, u8::midpoint(lower[part], lower[part + 3]))
            }));
        }
    }
    RgbImage::from_raw(WIDTH / 2, HEIGHT / 2, pixels).expect("one pixel was taken for each four")
}

fn opaque(pixmap: &Pixmap) -> RgbImage {
    let mut pixels = Vec::with_capacity(pixmap.data().len() / 4 * 3);
    for [red, green, blue, _] in pixmap.data().as_chunks().0 {
        pixels.extend_from_slice(&[*red, *green, *blue]);
    }
    RgbImage::from_raw(WIDTH, HEIGHT, pixels).expect("one pixel was taken for each")
}
