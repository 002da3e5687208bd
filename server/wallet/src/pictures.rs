//! The pictures of passes: the service's mark, a route that ends in a pin. No text, so no font is needed.
//!
//! Drawn once, as vectors, for each of the sizes that Apple documents.

use std::sync::LazyLock;

use tiny_skia::{
    Color, FillRule, GradientStop, LineCap, LinearGradient, Paint, Path, PathBuilder, Pixmap, Point, Rect, Shader,
    SpreadMode, Stroke, Transform,
};

/// The background colour of passes (red, green, blue): the darkest colour of the mark.
pub(crate) const BACKGROUND: [u8; 3] = [0x15, 0x52, 0x7F];
/// The colour of texts.
pub(crate) const FOREGROUND: [u8; 3] = [0xFF, 0xFF, 0xFF];
/// The colour of labels.
pub(crate) const LABEL: [u8; 3] = [0xBF, 0xE6, 0xE6];

const LIGHT: [u8; 3] = [0x3F, 0xBF, 0xC6];
const MIDDLE: [u8; 3] = [0x1F, 0x8C, 0xB0];
const PIN: [u8; 3] = [0xF2, 0x50, 0x3F];
const PAPER: [u8; 3] = [0xFF, 0xFD, 0xF7];

/// Width and height of the mark, before it is scaled.
const MARK: f32 = 100.0;
/// The share of the icon's side that the mark takes.
const MARK_IN_ICON: f32 = 0.86;

/// File names and PNGs.
pub(crate) static PICTURES: LazyLock<[(&str, Vec<u8>); 6]> = LazyLock::new(|| {
    [
        ("icon.png", icon(29)),
        ("icon@2x.png", icon(58)),
        ("icon@3x.png", icon(87)),
        ("logo.png", clear_logo(50)),
        ("logo@2x.png", clear_logo(100)),
        ("logo@3x.png", clear_logo(150)),
    ]
});

/// A PNG for Google Wallet, which shows it in a circle: 660 pixels wide and high, as Google recommends.
pub fn logo() -> &'static [u8] {
    static LOGO: LazyLock<Vec<u8>> = LazyLock::new(|| icon(660));
    &LOGO
}

/// The mark on a gradient. Opaque, because the device rounds the corners.
fn icon(side: u16) -> Vec<u8> {
    let mut canvas = canvas(side);
    let length = f32::from(side);
    if let Some(square) = Rect::from_xywh(0.0, 0.0, length, length) {
        canvas.fill_rect(square, &gradient(length), Transform::identity(), None);
    }
    let scale = length / MARK * MARK_IN_ICON;
    let margin = length * (1.0 - MARK_IN_ICON) / 2.0;
    mark(&mut canvas, Transform::from_row(scale, 0.0, 0.0, scale, margin, margin));
    png(&canvas)
}

/// The mark alone, on the pass's own background.
fn clear_logo(side: u16) -> Vec<u8> {
    let mut canvas = canvas(side);
    let scale = f32::from(side) / MARK;
    mark(&mut canvas, Transform::from_scale(scale, scale));
    png(&canvas)
}

/// A ring and a line that winds from it to a pin.
fn mark(canvas: &mut Pixmap, place: Transform) {
    let (start, tip, head) = ((18.0, 76.0), (67.0, 70.0), (67.0, 34.0));
    let mut line = PathBuilder::new();
    line.move_to(start.0, start.1);
    line.cubic_to(16.0, 40.0, 42.0, 42.0, 40.0, 66.0);
    line.cubic_to(38.0, 98.0, 68.0, 98.0, tip.0, tip.1);
    if let Some(line) = line.finish() {
        let stroke = Stroke { width: 6.5, line_cap: LineCap::Round, ..Stroke::default() };
        canvas.stroke_path(&line, &solid(PAPER), &stroke, place, None);
    }
    fill(canvas, PathBuilder::from_circle(start.0, start.1, 11.0), PAPER, place);
    fill(canvas, PathBuilder::from_circle(start.0, start.1, 5.0), MIDDLE, place);
    fill(canvas, pin(head, 27.0, tip.1 + 5.0), PAPER, place);
    fill(canvas, pin(head, 21.5, tip.1 - 3.5), PIN, place);
    fill(canvas, PathBuilder::from_circle(head.0, head.1, 8.5), PAPER, place);
}

/// A circle that runs out into a tip below it.
fn pin((x, y): (f32, f32), radius: f32, tip: f32) -> Option<Path> {
    // The control points of a quarter of a circle.
    let arc = radius * 0.552;
    let side = radius * 0.62;
    let mut path = PathBuilder::new();
    path.move_to(x, tip);
    path.cubic_to(x - side * 0.35, tip - radius * 0.45, x - radius, y + side, x - radius, y);
    path.cubic_to(x - radius, y - arc, x - arc, y - radius, x, y - radius);
    path.cubic_to(x + arc, y - radius, x + radius, y - arc, x + radius, y);
    path.cubic_to(x + radius, y + side, x + side * 0.35, tip - radius * 0.45, x, tip);
    path.close();
    path.finish()
}

fn fill(canvas: &mut Pixmap, path: Option<Path>, colour: [u8; 3], place: Transform) {
    if let Some(path) = path {
        canvas.fill_path(&path, &solid(colour), FillRule::Winding, place, None);
    }
}

/// From the top left to the bottom right.
fn gradient(length: f32) -> Paint<'static> {
    let stops = vec![
        GradientStop::new(0.0, colour(LIGHT)),
        GradientStop::new(0.5, colour(MIDDLE)),
        GradientStop::new(1.0, colour(BACKGROUND)),
    ];
    let corners = (Point::from_xy(0.0, 0.0), Point::from_xy(length, length));
    let shader = LinearGradient::new(corners.0, corners.1, stops, SpreadMode::Pad, Transform::identity());
    Paint { shader: shader.unwrap_or(Shader::SolidColor(colour(BACKGROUND))), ..Paint::default() }
}

fn solid(rgb: [u8; 3]) -> Paint<'static> {
    Paint { shader: Shader::SolidColor(colour(rgb)), anti_alias: true, ..Paint::default() }
}

fn colour([red, green, blue]: [u8; 3]) -> Color {
    Color::from_rgba8(red, green, blue, u8::MAX)
}

fn canvas(side: u16) -> Pixmap {
    Pixmap::new(side.into(), side.into()).expect("the sizes are not zero")
}

fn png(canvas: &Pixmap) -> Vec<u8> {
    canvas.encode_png().expect("a picture in memory can be encoded")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sizes_are_as_documented() {
        for ((name, bytes), side) in PICTURES.iter().zip([29, 58, 87, 50, 100, 150]) {
            let picture = Pixmap::decode_png(bytes).unwrap();
            assert_eq!((picture.width(), picture.height()), (side, side), "{name}");
        }
    }

    #[test]
    fn icons_are_opaque_and_logos_have_clear_corners() {
        for (name, bytes) in PICTURES.iter() {
            let picture = Pixmap::decode_png(bytes).unwrap();
            let clear = picture.pixels().iter().filter(|pixel| pixel.alpha() == 0).count();
            let total = picture.pixels().len();
            assert_eq!(clear == 0, name.starts_with("icon"), "{name}: {clear} of {total} pixels are clear");
            assert!(clear < total * 3 / 4, "{name} is nearly empty");
        }
    }
}
