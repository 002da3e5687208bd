//! Names of dots and of towns, where they hide no dots, no lines and not each other.

use std::fmt::Write;

use super::projection::MapFrame;
use super::towns::Town;
use super::{Placed, RADIUS, Track};
use crate::text::{line, markup};

/// The longest name on a map, in characters. The list beside the map has the whole name.
const LONGEST: usize = 26;
/// The same where there is room for less.
const SHORT: usize = 14;
/// How far names stay from the edge of the map.
const EDGE: f64 = 4.0;
/// The height of a line of text.
const HEIGHT: f64 = 15.0;
/// The distance of the points on lines that names keep off, and how many there are at most.
const STEP: f64 = 9.0;
const POINTS: usize = 3_000;
/// The radius of a town's dot.
const TOWN: f64 = 2.0;

/// An area that is taken: left, top, right, bottom.
pub(super) type LabelArea = (f64, f64, f64, f64);

/// A place for a name: its anchor and position, and the area that it takes.
type Room = (&'static str, f64, f64, LabelArea);

/// Points on the lines in the frame, near enough to each other that no name fits between them.
pub(super) fn points_on(lines: &[Track], frame: &MapFrame) -> Vec<(f64, f64)> {
    let mut points = Vec::new();
    for track in lines {
        for pair in track.positions.windows(2) {
            let (from, to) = (frame.place(pair[0]), frame.place(pair[1]));
            let (dx, dy) = (to.0 - from.0, to.1 - from.1);
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
            let steps = (dx.hypot(dy) / STEP).clamp(1.0, 200.0) as u32;
            points.extend(
                (0..=steps).map(|n| f64::from(n) / f64::from(steps)).map(|t| (from.0 + t * dx, from.1 + t * dy)),
            );
            if points.len() > POINTS {
                return points;
            }
        }
    }
    points
}

/// What names keep off.
pub(super) struct Labels<'f> {
    frame: &'f MapFrame,
    taken: Vec<LabelArea>,
    route: Vec<(f64, f64)>,
}

impl<'f> Labels<'f> {
    pub(super) fn around(
        frame: &'f MapFrame,
        placed: &[Placed<'_>],
        scale: Option<LabelArea>,
        route: Vec<(f64, f64)>,
    ) -> Self {
        let taken = placed.iter().map(|it| around(it.x, it.y, RADIUS)).chain(scale).collect();
        Self { frame, taken, route }
    }

    /// Writes at most `most` names of dots: beside the lines if there is room, else over them, else shorter. A name without
    /// room is left out.
    pub(super) fn write_names(&mut self, svg: &mut String, placed: &[Placed<'_>], most: usize) {
        let mut written: Vec<String> = Vec::new();
        for (longest, avoids_route) in [(LONGEST, true), (LONGEST, false), (SHORT, false)] {
            for it in placed {
                let name = shortened(&it.dot.name, LONGEST);
                if written.len() == most {
                    return;
                }
                if name.is_empty() || written.contains(&name) {
                    continue;
                }
                let text = shortened(&it.dot.name, longest);
                let room = self.free(it.x, it.y, RADIUS, width(&text, 6.6), avoids_route);
                let Some((anchor, x, y, area)) = room else { continue };
                self.taken.push(area);
                let _ = write!(svg, "<text class=\"name {anchor}\" x=\"{x:.1}\" y=\"{y:.1}\">{}</text>", markup(&text));
                written.push(name);
            }
        }
    }

    /// Writes at most `most` towns with their names. A town without room, or with the name of a dot, is left out.
    pub(super) fn write_towns(&mut self, svg: &mut String, towns: &[Town], placed: &[Placed<'_>], most: usize) {
        let named: Vec<String> = placed.iter().map(|it| shortened(&it.dot.name, LONGEST)).collect();
        let mut count = 0;
        for town in towns {
            if count == most {
                break;
            }
            let (x, y) = (town.x, town.y);
            let own = around(x, y, TOWN + 1.0);
            if self.taken.iter().any(|other| overlap(&own, other)) {
                continue;
            }
            let name = shortened(town.name, LONGEST);
            let free = self.free(x, y, TOWN, width(&name, 6.0), true).filter(|_| !named.contains(&name));
            let Some((anchor, left, base, area)) = free else { continue };
            self.taken.extend([own, area]);
            let _ = write!(
                svg,
                "<circle class=\"town\" cx=\"{x:.0}\" cy=\"{y:.0}\" r=\"{TOWN}\"/>\
                 <text class=\"town {anchor}\" x=\"{left:.0}\" y=\"{base:.0}\">{}</text>",
                markup(&name)
            );
            count += 1;
        }
    }

    /// The best place for a name of this width around a dot, if there is one.
    fn free(&self, x: f64, y: f64, radius: f64, width: f64, avoids_route: bool) -> Option<Room> {
        let is_free = |(_, _, _, area): &Room| {
            let is_inside =
                area.0 > EDGE && area.1 > EDGE && area.2 < self.frame.width - EDGE && area.3 < self.frame.height - EDGE;
            is_inside
                && !self.taken.iter().any(|other| overlap(area, other))
                && !(avoids_route && self.route.iter().any(|&(x, y)| overlap(area, &around(x, y, 1.5))))
        };
        rooms(x, y, radius, width, self.frame.width).into_iter().find(is_free)
    }
}

/// The places for a name of this width around a dot, the best first. The last two are below and above it, moved sideways
/// into the frame.
fn rooms(x: f64, y: f64, radius: f64, width: f64, frame: f64) -> [Room; 10] {
    let off = radius + 4.0;
    let inside = (x - width / 2.0).min(frame - width - EDGE - 1.0).max(EDGE + 1.0);
    let around_it = [
        ("start", x + off, y + 4.0),
        ("end", x - off, y + 4.0),
        ("middle", x, y + off + 9.0),
        ("middle", x, y - off),
        ("start", x + off * 0.7, y + off + 4.0),
        ("start", x + off * 0.7, y - off + 4.0),
        ("end", x - off * 0.7, y + off + 4.0),
        ("end", x - off * 0.7, y - off + 4.0),
        ("start", inside, y + off + 9.0),
        ("start", inside, y - off),
    ];
    around_it.map(|(anchor, x, y)| {
        let left = match anchor {
            "start" => x,
            "end" => x - width,
            _ => x - width / 2.0,
        };
        (anchor, x, y, (left, y - HEIGHT * 0.75, left + width, y + HEIGHT * 0.25))
    })
}

fn around(x: f64, y: f64, radius: f64) -> LabelArea {
    (x - radius, y - radius, x + radius, y + radius)
}

fn overlap(one: &LabelArea, other: &LabelArea) -> bool {
    one.0 < other.2 && other.0 < one.2 && one.1 < other.3 && other.1 < one.3
}

fn shortened(name: &str, longest: usize) -> String {
    let name = line(name);
    let mut characters = name.chars();
    let start: String = characters.by_ref().take(longest).collect();
    if characters.next().is_none() { start } else { start.trim_end().to_owned() + "…" }
}

/// An estimate of a text's width, from that of a character: those of East Asian scripts are twice as wide.
fn width(text: &str, of_character: f64) -> f64 {
    text.chars().map(|character| if character >= '\u{1100}' { of_character * 1.9 } else { of_character }).sum()
}
