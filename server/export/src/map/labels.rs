//! Names beside dots, where they hide neither dots nor each other.

use std::fmt::Write;

use super::projection::MapFrame;
use super::{Placed, RADIUS};
use crate::text::{line, markup};

/// The longest name on a map, in characters. The list beside the map has the whole name.
const LONGEST: usize = 26;
/// The height of a line of text.
const HEIGHT: f64 = 15.0;

/// An area that is taken: left, top, right, bottom.
pub(super) type LabelArea = (f64, f64, f64, f64);

/// Writes at most `most` names. A name without room is left out.
pub(super) fn write(svg: &mut String, frame: &MapFrame, placed: &[Placed<'_>], scale: Option<LabelArea>, most: usize) {
    let mut taken: Vec<LabelArea> = placed.iter().map(|it| around(it.x, it.y)).chain(scale).collect();
    let mut written: Vec<String> = Vec::new();
    for it in placed {
        if written.len() == most {
            break;
        }
        let name = shortened(&it.dot.name);
        if name.is_empty() || written.contains(&name) {
            continue;
        }
        let width = width(&name);
        let off = RADIUS + 4.0;
        let (x, y) = (it.x, it.y);
        let around_it = [
            ("start", x + off, y + 4.0),
            ("end", x - off, y + 4.0),
            ("middle", x, y + off + 9.0),
            ("middle", x, y - off),
            ("start", x + off * 0.7, y + off + 4.0),
            ("start", x + off * 0.7, y - off + 4.0),
            ("end", x - off * 0.7, y + off + 4.0),
            ("end", x - off * 0.7, y - off + 4.0),
        ];
        let free = around_it.into_iter().find_map(|(anchor, x, y)| {
            let left = match anchor {
                "start" => x,
                "end" => x - width,
                _ => x - width / 2.0,
            };
            let area = (left, y - HEIGHT * 0.75, left + width, y + HEIGHT * 0.25);
            let is_inside = area.0 > 4.0 && area.1 > 4.0 && area.2 < frame.width - 4.0 && area.3 < frame.height - 4.0;
            (is_inside && !taken.iter().any(|other| overlap(&area, other))).then_some((anchor, x, y, area))
        });
        let Some((anchor, x, y, area)) = free else { continue };
        taken.push(area);
        let _ = write!(svg, "<text class=\"name {anchor}\" x=\"{x:.1}\" y=\"{y:.1}\">{}</text>", markup(&name));
        written.push(name);
    }
}

fn around(x: f64, y: f64) -> LabelArea {
    (x - RADIUS, y - RADIUS, x + RADIUS, y + RADIUS)
}

fn overlap(one: &LabelArea, other: &LabelArea) -> bool {
    one.0 < other.2 && other.0 < one.2 && one.1 < other.3 && other.1 < one.3
}

fn shortened(name: &str) -> String {
    let name = line(name);
    let mut characters = name.chars();
    let start: String = characters.by_ref().take(LONGEST).collect();
    if characters.next().is_none() { start } else { start.trim_end().to_owned() + "…" }
}

/// An estimate of a text's width: characters of East Asian scripts are twice as wide.
fn width(text: &str) -> f64 {
    text.chars().map(|character| if character >= '\u{1100}' { 12.5 } else { 6.6 }).sum()
}
