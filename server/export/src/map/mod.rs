//! Maps as SVG: numbered dots joined by lines, on land and water with the names of towns. Loads nothing, unless a street
//! map is asked for: then its tiles lie on the map's own land and towns, which remain where a tile cannot be loaded.
//!
//! The work is bounded: a map of some thousand dots draws them small and without numbers, few names are written, and the
//! more lines there are, the fewer points a great circle has.

mod labels;
mod land;
mod projection;
mod tiles;
mod towns;

use std::fmt::Write;

use crate::text::markup;
use crate::trip::GeoPoint;
use labels::{LabelArea, Labels};
use projection::{Flat, MapFrame, first_longitude, flat, great_circle, latitude, metres};

pub use tiles::StreetMap;

/// How far dots stay from the edge, as a part of the width and at least.
const MARGIN: (f64, f64) = (0.06, 30.0);
/// Lines longer than this, in metres, are drawn as great circles.
const STRAIGHT: f64 = 300_000.0;
/// The points of all great circles of a map together, apart from their ends.
const CURVES: usize = 2_000;
/// With more dots than this, they are small and have no numbers.
const NUMBERED: usize = 160;
/// The radius of a numbered dot and of a small one.
const RADIUS: f64 = 10.0;
const SMALL: f64 = 3.5;
/// How far the tip of an arrow is from the middle of its dot.
const ARROW: f64 = 17.0;
/// The number of colours in the style sheet, after which they repeat.
pub(crate) const COLOURS: usize = 8;

/// A dot with the text in it and beside it.
#[derive(Clone, Debug)]
pub(crate) struct Dot {
    pub(crate) at: GeoPoint,
    /// The text in the dot: one to three characters.
    pub(crate) mark: String,
    /// The text beside the dot, written if there is room. May be empty.
    pub(crate) name: String,
    /// A number of any size; colours repeat.
    pub(crate) colour: usize,
}

/// How a line is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Stroke {
    Solid,
    /// For means of transport that somebody else drives.
    Dashed,
    /// For flights.
    Dotted,
}

/// A line between two points.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MapLine {
    pub(crate) from: GeoPoint,
    pub(crate) to: GeoPoint,
    pub(crate) stroke: Stroke,
    pub(crate) colour: usize,
}

/// What a map shows.
#[derive(Clone, Debug)]
pub(crate) struct Map<'a> {
    /// Distinguishes the maps of a page. ASCII letters, digits and hyphens.
    pub(crate) id: &'a str,
    /// What the map is, for people who cannot see it.
    pub(crate) title: &'a str,
    /// What it shows.
    pub(crate) description: &'a str,
    pub(crate) dots: Vec<Dot>,
    pub(crate) lines: Vec<MapLine>,
    /// In the map's own units, of which a page should show about one a pixel.
    pub(crate) width: f64,
    /// The least and the greatest height.
    pub(crate) heights: (f64, f64),
    /// Whether the map may leave out a few dots far from the others, so that these do not lie on top of each other.
    pub(crate) is_focused: bool,
    /// How many names of dots may be written.
    pub(crate) names: usize,
    /// How many names of towns may be written besides.
    pub(crate) towns: usize,
    /// How many bytes land and lakes may take together. Details are left out first.
    pub(crate) land: usize,
    /// The street map to show, if the map is at a scale of streets.
    pub(crate) streets: Option<StreetMap<'a>>,
    /// How many of its tiles may be shown. If the map needs more, it shows none.
    pub(crate) tiles: usize,
}

/// A map that is drawn.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct DrawnMap {
    /// The SVG, and below it the credit for streets.
    pub(crate) html: String,
    /// How many tiles of a street map it has, or would have with one.
    pub(crate) tiles: usize,
}

/// Draws a map. `None` without dots.
pub(crate) fn draw(map: &Map<'_>) -> Option<DrawnMap> {
    if map.dots.is_empty() {
        return None;
    }
    let first = first_longitude(map.dots.iter().map(|dot| dot.at));
    let lines: Vec<Track> = map.lines.iter().map(|line| Track::of(line, first, CURVES / map.lines.len())).collect();
    let (frame, outside) = frame_of(map, first, &lines);

    let id = map.id;
    let land = land::draw(&frame, map.land);
    let class = if land.is_some() { "map with-water" } else { "map" };
    let mut svg = format!(
        "<svg class=\"{class}\" viewBox=\"0 0 {:.0} {:.0}\" role=\"img\" aria-labelledby=\"{id}-title {id}-text\">\
         <title id=\"{id}-title\">{}</title><desc id=\"{id}-text\">{}</desc>",
        frame.width,
        frame.height,
        markup(map.title),
        match outside {
            0 => markup(map.description),
            1 => format!("{} One of them is outside the map: an arrow points to it.", markup(map.description)),
            more => format!("{} {more} of them are outside the map: arrows point to them.", markup(map.description)),
        }
    );
    svg.push_str(&land.unwrap_or_default());
    let _ = write!(svg, "<path class=\"grid\" d=\"{}\"/>", graticule(&frame));
    let mut tiles = tiles::under(&frame, map.dots.iter().map(|dot| dot.at));
    if tiles.len() > map.tiles {
        tiles.clear();
    }
    let streets = map.streets.filter(|_| !tiles.is_empty());
    let route = labels::points_on(&lines, &frame);
    let (mut over, mut towns) = (String::new(), String::new());
    write_lines(&mut over, &frame, lines, streets.is_some());
    write_dots((&mut over, &mut towns), &frame, map, first, route);
    match streets {
        // Streets have names of their own. Those of towns remain where no tile is loaded.
        Some(streets) => {
            svg.push_str(&towns);
            tiles::write(&mut svg, &tiles, &streets);
            svg.push_str(&over);
        }
        None => svg.extend([over, towns]),
    }
    svg.push_str("</svg>");
    svg.extend(streets.map(|streets| streets.credit()));
    Some(DrawnMap { html: svg, tiles: tiles.len() })
}

/// The frame of a map whose longitudes are counted from `first`, and how many dots are outside it.
fn frame_of(map: &Map<'_>, first: f64, lines: &[Track]) -> (MapFrame, usize) {
    let mut around: Vec<Flat> = map.dots.iter().map(|dot| flat(dot.at, first)).collect();
    let all = around.len();
    if map.is_focused {
        around = focus(around);
    }
    let outside = all - around.len();
    if outside == 0 {
        around.extend(lines.iter().filter(|track| !track.is_torn()).flat_map(|track| &track.positions));
    }
    (MapFrame::around(&around, map.width, map.heights, (map.width * MARGIN.0).max(MARGIN.1)), outside)
}

/// The positions without at most a quarter of them that lie far from the others, if the map becomes much larger.
fn focus(positions: Vec<Flat>) -> Vec<Flat> {
    const GAIN: f64 = 3.0;
    let middle = |of: fn(&Flat) -> f64| {
        let mut values: Vec<f64> = positions.iter().map(of).collect();
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    };
    let (x, y) = (middle(|it| it.x), middle(|it| it.y));
    let distance = |it: &Flat| (it.x - x).hypot(it.y - y);
    let mut sorted = positions.clone();
    sorted.sort_by(|a, b| distance(a).total_cmp(&distance(b)));
    let (Some(farthest), few) = (sorted.last().map(distance), sorted.len() / 4) else { return positions };
    let near = sorted.iter().filter(|it| distance(it) * GAIN < farthest).count();
    if near > 1 && sorted.len() - near <= few {
        sorted.truncate(near);
        return sorted;
    }
    positions
}

/// A line in the plane.
struct Track {
    stroke: Stroke,
    colour: usize,
    positions: Vec<Flat>,
    /// How far its end lies from where the end's dot is, in radians: a whole turn or nothing.
    torn: f64,
}

impl Track {
    /// A line of at most `most` pieces.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        clippy::cast_sign_loss,
        reason = "clamped before"
    )]
    fn of(line: &MapLine, first: f64, most: usize) -> Self {
        let length = metres(line.from, line.to);
        let pieces = (length / 150_000.0).clamp(1.0, most.clamp(1, 96) as f64) as u32;
        let points =
            if length > STRAIGHT { great_circle(line.from, line.to, pieces) } else { vec![line.from, line.to] };
        let mut positions: Vec<Flat> = Vec::with_capacity(points.len());
        for point in points {
            let mut position = flat(point, first);
            if let Some(last) = positions.last() {
                // The nearer way around the earth.
                position.x -= ((position.x - last.x) / std::f64::consts::TAU).round() * std::f64::consts::TAU;
            }
            positions.push(position);
        }
        let torn = flat(line.to, first).x - positions.last().map_or(0.0, |last| last.x);
        Self { stroke: line.stroke, colour: line.colour % COLOURS, positions, torn }
    }

    /// Whether it leaves the map on one side and comes back on the other.
    fn is_torn(&self) -> bool {
        self.torn.abs() > 1e-6
    }
}

/// Writes one path for all lines that look the same, with another under it that sets it off from streets.
fn write_lines(svg: &mut String, frame: &MapFrame, mut tracks: Vec<Track>, on_streets: bool) {
    tracks.sort_by_key(|track| (track.colour, track.stroke));
    for group in tracks.chunk_by(|a, b| (a.colour, a.stroke) == (b.colour, b.stroke)) {
        let Track { colour, stroke, .. } = &group[0];
        let class = match stroke {
            Stroke::Solid => "line",
            Stroke::Dashed => "line dashed",
            Stroke::Dotted => "line dotted",
        };
        let mut path = String::new();
        let mut end = None;
        for track in group {
            let turns = if track.is_torn() { &[0.0, track.torn][..] } else { &[0.0] };
            for turn in turns {
                let moved = track.positions.iter().map(|it| frame.place(Flat { x: it.x + turn, y: it.y }));
                end = write_line(&mut path, moved, end);
            }
        }
        if on_streets {
            let _ = write!(svg, "<path class=\"casing\" d=\"{path}\"/>");
        }
        let _ = write!(svg, "<path class=\"{class} c{colour}\" d=\"{path}\"/>");
    }
}

/// Continues a path with a line. Returns where it ends.
fn write_line(
    svg: &mut String,
    positions: impl Iterator<Item = (f64, f64)>,
    mut end: Option<(f64, f64)>,
) -> Option<(f64, f64)> {
    for (n, (x, y)) in positions.enumerate() {
        let is_here = end.is_some_and(|(a, b)| (a - x).abs() < 0.05 && (b - y).abs() < 0.05);
        if !is_here {
            let _ = write!(svg, "{}{x:.1} {y:.1}", if n == 0 { 'M' } else { 'L' });
        }
        end = Some((x, y));
    }
    end
}

/// A dot in the frame.
struct Placed<'a> {
    dot: &'a Dot,
    x: f64,
    y: f64,
    /// Where it belongs, if it was moved off another dot.
    from: Option<(f64, f64)>,
    /// The direction in which it lies, if it is outside the frame.
    beyond: Option<(f64, f64)>,
}

/// Writes dots with their names, and apart from them the towns.
fn write_dots(
    (svg, towns): (&mut String, &mut String),
    frame: &MapFrame,
    map: &Map<'_>,
    first: f64,
    route: Vec<(f64, f64)>,
) {
    let mut placed: Vec<Placed<'_>> = Vec::new();
    let all: Vec<(f64, f64)> = map.dots.iter().map(|dot| frame.place(flat(dot.at, first))).collect();
    if map.dots.len() > NUMBERED {
        for (dot, (x, y)) in map.dots.iter().zip(&all) {
            let _ = write!(
                svg,
                "<circle class=\"dot c{}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{SMALL}\"/>",
                dot.colour % COLOURS
            );
        }
        write_scale(svg, frame, &all);
        return;
    }
    for (dot, &(x, y)) in map.dots.iter().zip(&all) {
        let ((x, y), beyond) = at_edge((x, y), frame);
        let near = |it: &&Placed<'_>| (it.x - x).hypot(it.y - y) < RADIUS * 2.0;
        // A day's dots that would hide each other are one dot.
        if placed.iter().filter(near).any(|it| it.dot.mark == dot.mark && it.dot.colour == dot.colour) {
            continue;
        }
        let (free_x, free_y) = free_place((x, y), &placed, frame);
        let from = ((free_x, free_y) != (x, y)).then_some((x, y));
        placed.push(Placed { dot, x: free_x, y: free_y, from, beyond });
    }
    for it in &placed {
        if let Some((x, y)) = it.from {
            let colour = it.dot.colour % COLOURS;
            let _ = write!(svg, "<path class=\"lead c{colour}\" d=\"M{x:.1} {y:.1}L{:.1} {:.1}\"/>", it.x, it.y);
        }
    }
    for it in &placed {
        if let Some((east, south)) = it.beyond {
            let point =
                |along: f64, across: f64| (it.x + along * east - across * south, it.y + along * south + across * east);
            let [tip, left, right] = [point(ARROW, 0.0), point(RADIUS, -6.0), point(RADIUS, 6.0)];
            let _ = write!(
                svg,
                "<path class=\"beyond c{}\" d=\"M{:.1} {:.1}L{:.1} {:.1}L{:.1} {:.1}z\"/>",
                it.dot.colour % COLOURS,
                tip.0,
                tip.1,
                left.0,
                left.1,
                right.0,
                right.1
            );
        }
        let (x, y) = (it.x, it.y);
        let _ = write!(
            svg,
            "<g class=\"dot c{}\"><circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{RADIUS}\"/>\
             <text x=\"{x:.1}\" y=\"{:.1}\">{}</text></g>",
            it.dot.colour % COLOURS,
            y + 3.8,
            markup(&it.dot.mark)
        );
    }
    let centres: Vec<(f64, f64)> = placed.iter().map(|it| (it.x, it.y)).collect();
    let scale = write_scale(svg, frame, &centres);
    let mut labels = Labels::around(frame, &placed, scale, route);
    labels.write_names(svg, &placed, map.names);
    labels.write_towns(towns, &towns::of(frame, map.towns), &placed, map.towns);
}

/// A position in the frame. One outside is moved to the edge, where an arrow shows its direction from the middle.
fn at_edge((x, y): (f64, f64), frame: &MapFrame) -> ((f64, f64), Option<(f64, f64)>) {
    if (0.0..=frame.width).contains(&x) && (0.0..=frame.height).contains(&y) {
        return ((x, y), None);
    }
    let middle = (frame.width / 2.0, frame.height / 2.0);
    let (east, south) = (x - middle.0, y - middle.1);
    let part = ((middle.0 - ARROW - 2.0) / east.abs()).min((middle.1 - ARROW - 2.0) / south.abs());
    let length = east.hypot(south);
    ((middle.0 + east * part, middle.1 + south * part), Some((east / length, south / length)))
}

/// The nearest place where a dot hides no other, or its own if there is none near.
fn free_place((x, y): (f64, f64), placed: &[Placed<'_>], frame: &MapFrame) -> (f64, f64) {
    let is_free = |&(x, y): &(f64, f64)| {
        (RADIUS..frame.width - RADIUS).contains(&x)
            && (RADIUS..frame.height - RADIUS).contains(&y)
            && placed.iter().all(|it| (it.x - x).hypot(it.y - y) >= RADIUS * 1.7)
    };
    let rings = [1.8, 2.8, 3.8].into_iter().flat_map(|ring| (0..12).map(move |n| (ring, f64::from(n))));
    let near = rings.map(|(ring, n)| {
        let (sine, cosine) = (n * std::f64::consts::TAU / 12.0).sin_cos();
        (x + ring * RADIUS * cosine, y + ring * RADIUS * sine)
    });
    std::iter::once((x, y)).chain(near).find(is_free).unwrap_or((x, y))
}

/// Lines of equal latitude and longitude.
fn graticule(frame: &MapFrame) -> String {
    const STEPS: [f64; 13] = [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0];
    let (west, east, south, north) = frame.bounds();
    let degrees = (east - west).to_degrees();
    let step = STEPS.into_iter().find(|step| degrees / step <= 7.0).unwrap_or(30.0);
    let mut path = String::new();
    // Numbers of steps are small.
    #[expect(clippy::cast_possible_truncation, reason = "at most some hundred steps")]
    let steps = |low: f64, high: f64| ((low / step).ceil() as i32)..=((high / step).floor() as i32);
    for n in steps(west.to_degrees(), east.to_degrees()) {
        let (x, _) = frame.place(Flat { x: (f64::from(n) * step).to_radians(), y: south });
        let _ = write!(path, "M{x:.1} 0V{:.0}", frame.height);
    }
    for n in steps(latitude(south).to_degrees(), latitude(north).to_degrees()) {
        let (_, y) = frame.place(Flat { x: west, y: projection::northing(f64::from(n) * step) });
        let _ = write!(path, "M0 {y:.1}H{:.0}", frame.width);
    }
    path
}

/// Writes a scale bar in a corner without dots, and returns where. Leaves it out if every corner has dots, or if the
/// scale differs much within the map.
fn write_scale(svg: &mut String, frame: &MapFrame, dots: &[(f64, f64)]) -> Option<LabelArea> {
    let (_, _, south, north) = frame.bounds();
    let (a, b) = (latitude(south).cos(), latitude(north).cos());
    if a.min(b) * 1.35 < a.max(b) {
        return None;
    }
    let longest = frame.metres_per_unit() * 140.0;
    let power = 10_f64.powf(longest.log10().floor());
    let nice = [5.0, 2.0, 1.0].into_iter().map(|n| n * power).find(|length| *length <= longest)?;
    let length = nice / frame.metres_per_unit();
    let (right, bottom) = (frame.width - length - 16.0, frame.height - 16.0);
    let corners = [(16.0, bottom), (right, bottom), (right, 32.0), (16.0, 32.0)];
    let area = |(x, y): (f64, f64)| (x - 12.0, y - 24.0, x + length + 12.0, y + 12.0);
    let is_free = |corner: &(f64, f64)| {
        let (left, top, right, bottom) = area(*corner);
        !dots
            .iter()
            .any(|&(x, y)| (left - RADIUS..right + RADIUS).contains(&x) && (top - RADIUS..bottom + RADIUS).contains(&y))
    };
    let (x, y) = corners.into_iter().find(is_free)?;
    let text = if nice < 1000.0 { format!("{nice:.0} m") } else { format!("{:.0} km", nice / 1000.0) };
    let _ = write!(
        svg,
        "<g class=\"scale\"><path d=\"M{x:.1} {:.1}v5h{length:.1}v-5\"/><text x=\"{x:.1}\" y=\"{:.1}\">{text}</text></g>",
        y - 5.0,
        y - 10.0
    );
    Some(area((x, y)))
}

#[cfg(test)]
mod tests;
