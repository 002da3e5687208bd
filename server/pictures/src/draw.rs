//! Draws a trip's cover: a landscape of layered paper, seen from above, with the trip's route on it.
//!
//! Deterministic: the same input gives the same bytes on one platform. Uses no text, and so no font, and no map data:
//! the landscape is invented, only the route is real.

// Pixels and colours are small numbers: casts between integers and floats lose nothing visible.
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

use crate::stored::Stored;
use seed::Seed;

const WIDTH: u32 = 2_048;
const HEIGHT: u32 = 1_152;

/// The input for a cover.
#[derive(Debug, Clone, PartialEq)]
pub struct Drawing {
    pub name: String,
    pub latitude: f64,
    pub longitude: f64,
    /// Latitude and longitude of the stops, in order, in degrees. May be empty. Points that are not finite are ignored.
    pub points: Vec<(f64, f64)>,
}

/// Draws a cover of 2,048 x 1,152 pixels.
///
/// The destination determines palette and landscape, the stops the route.
pub fn draw(drawing: &Drawing) -> Stored {
    let mut seed = Seed::of(&drawing.name, drawing.latitude, drawing.longitude);
    let palette = palette::choose(drawing.latitude, drawing.longitude, &mut seed);
    let mut pixmap = Pixmap::new(WIDTH, HEIGHT).expect("the size is valid");
    paper::paint(&mut pixmap, palette, &mut seed);
    route::paint_graticule(&mut pixmap);
    route::paint(&mut pixmap, palette, &projection::project(drawing));
    Stored::encode(&opaque(&pixmap))
}

fn opaque(pixmap: &Pixmap) -> RgbImage {
    let pixels = pixmap.pixels().iter().flat_map(|pixel| [pixel.red(), pixel.green(), pixel.blue()]).collect();
    RgbImage::from_raw(WIDTH, HEIGHT, pixels).expect("one pixel was taken for each")
}
