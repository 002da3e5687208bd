//! Draws on the landscape: a graticule, and the route as a smooth line with dots at its stops and a pin at the last.

use tiny_skia::{
    Color, FillRule, GradientStop, LineCap, LineJoin, Paint, Path, PathBuilder, Pixmap, Point, RadialGradient,
    SpreadMode, Stroke, Transform,
};

use super::palette::{Palette, colour};
use super::{CANVAS, SCALE};

/// A place on the canvas. All lengths here are in its units.
type RoutePlace = (f32, f32);

/// Stops closer together than this share a dot.
const MIN_GAP: f32 = 26.0;
const LINE: f32 = 9.0;
const CASING: f32 = 17.0;
const WHITE: u32 = 0x00FF_FFFF;

/// Paints the route, or a single pin in the middle if there are no stops.
pub(super) fn paint(pixmap: &mut Pixmap, palette: &Palette, stops: &[RoutePlace]) {
    let stops = thin_out(stops);
    let canvas = &mut Canvas { pixmap, route: paint_of(palette.route, 1.0), casing: paint_of(palette.casing, 1.0) };
    if let Some(line) = line(&stops) {
        canvas.line(&line);
    }
    match stops[..] {
        [] => canvas.lone_pin((CANVAS.0 / 2.0, CANVAS.1 / 2.0)),
        [only] => canvas.lone_pin(only),
        [first, ref between @ .., last] => {
            for &stop in between {
                canvas.dot(stop, 14.0, 8.5);
            }
            canvas.start(first);
            canvas.shadow(last, 46.0);
            canvas.dot(last, 14.0, 8.5);
            canvas.pin(last, 1.0);
        }
    }
}

/// Paints faint meridians and parallels, bent as on a map of half a continent.
pub(super) fn paint_graticule(pixmap: &mut Pixmap) {
    let (width, height) = CANVAS;
    let mut path = PathBuilder::new();
    for step in -3_i8..=3 {
        let offset = f32::from(step);
        let x = width / 2.0 + offset * width / 6.2;
        path.move_to(x - offset * 34.0, 0.0);
        path.quad_to(x - offset * 6.0, height / 2.0, x + offset * 34.0, height);
        let y = height / 2.0 + offset * height / 3.5;
        path.move_to(0.0, y - 40.0);
        path.quad_to(width / 2.0, y + 48.0, width, y - 40.0);
    }
    if let Some(path) = path.finish() {
        let paint = paint_of(WHITE, 0.16);
        pixmap.stroke_path(&path, &paint, &stroke(2.2), in_pixels(), None);
    }
}

/// Leaves out stops that lie on the one before; keeps the first and the last.
fn thin_out(stops: &[RoutePlace]) -> Vec<RoutePlace> {
    let mut kept: Vec<RoutePlace> = Vec::new();
    for &stop in stops {
        if kept.last().is_none_or(|&last| distance(last, stop) >= MIN_GAP) {
            kept.push(stop);
        }
    }
    if let (Some(&end), true) = (stops.last(), kept.len() > 1) {
        kept.pop_if(|last| *last != end && distance(*last, end) < MIN_GAP);
        if kept.last() != Some(&end) {
            kept.push(end);
        }
    }
    kept
}

fn distance(from: RoutePlace, to: RoutePlace) -> f32 {
    (to.0 - from.0).hypot(to.1 - from.1)
}

/// A smooth line: an arc between two stops, a centripetal Catmull-Rom spline through more.
fn line(stops: &[RoutePlace]) -> Option<Path> {
    let mut path = PathBuilder::new();
    let (&(x, y), &(last_x, last_y)) = (stops.first()?, stops.last()?);
    path.move_to(x, y);
    if stops.len() == 2 {
        let (dx, dy) = (last_x - x, last_y - y);
        // Bends upwards, as flights are drawn.
        let side = if dx < 0.0 { -0.22 } else { 0.22 };
        path.quad_to(f32::midpoint(x, last_x) + dy * side, f32::midpoint(y, last_y) - dx * side, last_x, last_y);
    } else {
        for index in 1..stops.len() {
            let before = stops[index.saturating_sub(2)];
            let after = stops[(index + 1).min(stops.len() - 1)];
            let (from, to) = (stops[index - 1], stops[index]);
            let leave = control(before, from, to);
            let arrive = control(after, to, from);
            path.cubic_to(leave.0, leave.1, arrive.0, arrive.1, to.0, to.1);
        }
    }
    path.finish()
}

/// The control point of a centripetal Catmull-Rom segment from `from` to `to`, on the side of `from`.
fn control(before: RoutePlace, from: RoutePlace, to: RoutePlace) -> RoutePlace {
    let (behind, ahead) = (distance(before, from).sqrt(), distance(from, to).sqrt());
    let part = |before: f32, from: f32, to: f32| {
        if behind < 1e-3 {
            return from + (to - from) / 3.0;
        }
        let weight = 2.0 * behind * behind + 3.0 * behind * ahead + ahead * ahead;
        (behind * behind * to - ahead * ahead * before + weight * from) / (3.0 * behind * (behind + ahead))
    };
    (part(before.0, from.0, to.0), part(before.1, from.1, to.1))
}

struct Canvas<'a> {
    pixmap: &'a mut Pixmap,
    route: Paint<'static>,
    casing: Paint<'static>,
}

impl Canvas<'_> {
    fn line(&mut self, line: &Path) {
        let fallen = in_pixels().pre_translate(5.0, 8.0);
        for (extra, alpha) in [(11.0, 0.075), (-1.0, 0.15)] {
            self.pixmap.stroke_path(line, &paint_of(0, alpha), &stroke(CASING + extra), fallen, None);
        }
        self.pixmap.stroke_path(line, &self.casing, &stroke(CASING), in_pixels(), None);
        self.pixmap.stroke_path(line, &self.route, &stroke(LINE), in_pixels(), None);
    }

    fn disc(&mut self, (x, y): RoutePlace, radius: f32, paint: &Paint) {
        if let Some(circle) = PathBuilder::from_circle(x, y, radius) {
            self.pixmap.fill_path(&circle, paint, FillRule::Winding, in_pixels(), None);
        }
    }

    fn dot(&mut self, at: RoutePlace, outer: f32, inner: f32) {
        let (route, casing) = (self.route.clone(), self.casing.clone());
        self.disc(at, outer + 4.0, &route);
        self.disc(at, outer, &casing);
        self.disc(at, inner, &route);
    }

    fn start(&mut self, at: RoutePlace) {
        let (route, casing) = (self.route.clone(), self.casing.clone());
        self.disc(at, 29.0, &casing);
        self.disc(at, 23.0, &route);
        self.disc(at, 10.0, &casing);
    }

    /// A large pin, centred.
    fn lone_pin(&mut self, (x, y): RoutePlace) {
        let tip = (x, y + 60.0);
        self.shadow(tip, 69.0);
        self.pin(tip, 1.5);
    }

    /// A map pin whose tip is at `tip`.
    fn pin(&mut self, tip: RoutePlace, size: f32) {
        let (route, casing) = (self.route.clone(), self.casing.clone());
        let (head_x, head_y) = (tip.0, tip.1 - 74.0 * size);
        for (radius, paint) in [(46.0, &casing), (39.0, &route)] {
            let drop = 46.0 - radius;
            if let Some(path) = teardrop((head_x, head_y), radius * size, tip.1 - drop * 1.35 * size) {
                self.pixmap.fill_path(&path, paint, FillRule::Winding, in_pixels(), None);
            }
        }
        self.disc((head_x, head_y), 16.0 * size, &casing);
    }

    /// A soft shadow on the ground.
    fn shadow(&mut self, (x, y): RoutePlace, radius: f32) {
        let stops = [(0.0, 0.34), (0.45, 0.14), (1.0, 0.0)]
            .map(|(at, alpha)| GradientStop::new(at, Color::from_rgba(0.0, 0.0, 0.0, alpha).unwrap_or(Color::BLACK)));
        let flat = Transform::from_row(1.0, 0.0, 0.0, 0.38, 0.0, y * 0.62);
        let centre = Point::from_xy(x, y);
        let shader = RadialGradient::new(centre, 0.0, centre, radius, stops.to_vec(), SpreadMode::Pad, flat);
        let (Some(shader), Some(circle)) = (shader, PathBuilder::from_circle(x, y, radius)) else { return };
        let circle = circle.transform(flat);
        if let Some(ellipse) = circle {
            let paint = Paint { shader, anti_alias: true, ..Paint::default() };
            self.pixmap.fill_path(&ellipse, &paint, FillRule::Winding, in_pixels(), None);
        }
    }
}

/// A circle that runs out into a tip below it.
fn teardrop((x, y): RoutePlace, radius: f32, tip: f32) -> Option<Path> {
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

/// From the canvas to the picture.
fn in_pixels() -> Transform {
    Transform::from_scale(SCALE, SCALE)
}

fn stroke(width: f32) -> Stroke {
    Stroke { width, line_cap: LineCap::Round, line_join: LineJoin::Round, ..Stroke::default() }
}

fn paint_of(hex: u32, alpha: f32) -> Paint<'static> {
    let [red, green, blue] = colour(hex);
    let mut paint = Paint { anti_alias: true, ..Paint::default() };
    paint.set_color(Color::from_rgba(red, green, blue, alpha).unwrap_or(Color::BLACK));
    paint
}
