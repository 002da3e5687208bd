//! Street maps under a map: which raster tiles (Web Mercator, of 256 pixels) a frame shows, and where.
//!
//! The projection of maps is Web Mercator's, so tiles need no warping, only a place and a size.

use std::f64::consts::{PI, TAU};
use std::fmt::Write;

use super::projection::{Flat, HIGHEST, MapFrame};
use crate::text::markup;
use crate::trip::GeoPoint;

/// The widest map with tiles, in metres. On a wider one, tiles show no streets, and the map's own land and towns say as
/// much.
const WIDEST: f64 = 60_000.0;
/// The side of a tile, in pixels. It is drawn at once to twice this size.
const SIDE: f64 = 256.0;
/// The highest zoom level that map services have in common.
const DEEPEST: u8 = 19;
/// The tiles of one map.
const MOST: usize = 24;
/// How far a tile reaches under its neighbours, in the frame's units, so that no gap shows between them.
const OVERLAP: f64 = 0.5;

/// A service of street maps, as pages use it.
#[derive(Clone, Copy, Debug)]
pub struct StreetMap<'a> {
    /// The address of a tile, with `{z}`, `{x}` and `{y}` for zoom, column and row.
    pub template: &'a str,
    /// The credit that the service asks for, as plain text.
    pub attribution: &'a str,
    /// The address to which the credit links.
    pub link: Option<&'a str>,
}

impl StreetMap<'_> {
    fn address(&self, tile: &Tile) -> String {
        let numbers = [("{z}", tile.zoom.into()), ("{x}", tile.column), ("{y}", tile.row)];
        numbers
            .iter()
            .fold(self.template.to_owned(), |address, (name, number)| address.replace(name, &number.to_string()))
    }

    /// The credit as a line of HTML, to stand under a map.
    pub(super) fn credit(&self) -> String {
        let text = markup(self.attribution);
        match self.link {
            Some(link) => {
                let link = markup(link);
                format!("<p class=\"credit\"><a href=\"{link}\" rel=\"noopener noreferrer nofollow\">{text}</a></p>")
            }
            None => format!("<p class=\"credit\">{text}</p>"),
        }
    }
}

/// A tile in the frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Tile {
    pub(super) zoom: u8,
    pub(super) column: u32,
    pub(super) row: u32,
    /// Its left and upper edge in the frame.
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) side: f64,
}

/// The tiles under a frame. Empty if it is wider than a city, or if one of its points lies so near to a pole that it is
/// not drawn where it is.
pub(super) fn under(frame: &MapFrame, points: impl IntoIterator<Item = GeoPoint>) -> Vec<Tile> {
    let is_polar = points.into_iter().any(|point| point.latitude.abs() > HIGHEST);
    if is_polar || frame.metres_per_unit() * frame.width > WIDEST {
        return Vec::new();
    }
    let deepest = (frame.scale * TAU / SIDE).log2().floor().clamp(0.0, DEEPEST.into());
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
    let levels = (0..=deepest as u8).rev();
    levels.map(|zoom| at_zoom(frame, zoom)).find(|tiles| tiles.len() <= MOST).unwrap_or_default()
}

/// The tiles of a zoom level that touch the frame, row by row. There are none beyond 85.05 degrees of latitude; columns
/// continue across the date line.
fn at_zoom(frame: &MapFrame, zoom: u8) -> Vec<Tile> {
    let count = 1_i64 << zoom;
    #[expect(clippy::cast_precision_loss, reason = "at most 2^19")]
    let side = TAU / count as f64;
    let (west, east, south, north) = frame.bounds();
    #[expect(clippy::cast_possible_truncation, reason = "a frame is at most some turns wide")]
    let numbers = |low: f64, high: f64| (low / side).floor() as i64..(high / side).ceil() as i64;
    let (columns, rows) = (numbers(west + PI, east + PI), numbers(PI - north, PI - south));
    let rows = rows.start.max(0)..rows.end.min(count);
    let tile = |row: i64, column: i64| {
        #[expect(clippy::cast_precision_loss, reason = "at most some turns of 2^19")]
        let corner = Flat { x: column as f64 * side - PI, y: PI - row as f64 * side };
        let (x, y) = frame.place(corner);
        let number = |number: i64| u32::try_from(number.rem_euclid(count)).unwrap_or_default();
        Tile { zoom, column: number(column), row: number(row), x, y, side: side * frame.scale }
    };
    rows.flat_map(|row| columns.clone().map(move |column| (row, column)))
        .map(|(row, column)| tile(row, column))
        .collect()
}

/// Writes the tiles as images. A page's policy forbids styles in elements, so their places are those of SVG elements.
pub(super) fn write(svg: &mut String, tiles: &[Tile], streets: &StreetMap<'_>) {
    for tile in tiles {
        let side = tile.side + OVERLAP;
        let _ = write!(
            svg,
            "<foreignObject class=\"tile\" x=\"{:.2}\" y=\"{:.2}\" width=\"{side:.2}\" height=\"{side:.2}\">\
             <img src=\"{}\" alt=\"\" width=\"{SIDE}\" height=\"{SIDE}\" loading=\"lazy\" referrerpolicy=\"origin\">\
             </foreignObject>",
            tile.x,
            tile.y,
            markup(&streets.address(tile))
        );
    }
    // Lines and names stand out from the paled streets.
    svg.push_str("<rect class=\"veil\" width=\"100%\" height=\"100%\"/>");
}

#[cfg(test)]
mod tests {
    use super::super::projection::{first_longitude, flat};
    use super::*;

    fn at(latitude: f64, longitude: f64) -> GeoPoint {
        GeoPoint { latitude, longitude }
    }

    fn frame(points: &[GeoPoint], width: f64) -> (MapFrame, f64) {
        let first = first_longitude(points.iter().copied());
        let positions: Vec<Flat> = points.iter().map(|&point| flat(point, first)).collect();
        (MapFrame::around(&positions, width, (240.0, 600.0), 30.0), first)
    }

    fn tiles(points: &[GeoPoint], width: f64) -> Vec<Tile> {
        under(&frame(points, width).0, points.iter().copied())
    }

    /// Checks the tile of a point at a zoom level, and the pixel of the tile under the point's dot.
    #[track_caller]
    fn assert_under(points: &[GeoPoint], (zoom, column, row): (u8, u32, u32), (right, down): (f64, f64)) {
        let (frame, first) = frame(points, 440.0);
        let (x, y) = frame.place(flat(points[0], first));
        let tiles = under(&frame, points.iter().copied());
        let is_under =
            |tile: &&Tile| (tile.x..tile.x + tile.side).contains(&x) && (tile.y..tile.y + tile.side).contains(&y);
        let tile = tiles.iter().find(is_under).expect("a tile under the dot");
        assert_eq!((tile.zoom, tile.column, tile.row), (zoom, column, row));
        let pixel = |offset: f64| offset / tile.side * SIDE;
        let (across, along) = (pixel(x - tile.x), pixel(y - tile.y));
        assert!((across - right).abs() < 0.01 && (along - down).abs() < 0.01, "{across} {along}");
    }

    // The numbers were worked out apart from this program, by the formulas of the OpenStreetMap wiki:
    // column = (longitude + 180) / 360 * 2^z, row = (1 - asinh(tan latitude) / pi) / 2 * 2^z.
    #[test]
    fn dots_are_on_the_right_pixel_of_the_right_tile() {
        let belem = at(38.6916, -9.2160);
        assert_under(&[belem, at(38.6979, -9.2068)], (15, 15_545, 12_559), (35.635, 74.190));
        assert_under(&[at(-33.8568, 151.2153), at(-33.8700, 151.2300)], (15, 30_147, 19_662), (243.876, 129.921));
        assert_under(&[at(-16.8, 179.99), at(-16.8, -179.99)], (14, 16_383, 8_967), (139.492, 200.733));
    }

    #[test]
    fn tiles_cover_the_frame_at_once_to_twice_their_size() {
        for (points, width) in [
            (&[at(38.71, -9.14)][..], 440.0),
            (&[at(38.80, -9.39), at(38.68, -9.13)], 880.0),
            (&[at(0.0, 0.0), at(0.01, 0.5)], 880.0),
            (&[at(69.6, 18.9), at(69.7, 19.0)], 420.0),
            (&[at(-16.8, 179.99), at(-16.8, -179.99)], 440.0),
        ] {
            let (frame, _) = frame(points, width);
            let tiles = tiles(points, width);
            assert!((1..=MOST).contains(&tiles.len()), "{points:?}: {}", tiles.len());
            assert!(tiles.iter().all(|tile| (SIDE..SIDE * 2.0).contains(&tile.side)), "{tiles:?}");
            let edges =
                |of: fn(&Tile) -> f64| tiles.iter().map(of).fold((f64::MAX, f64::MIN), |a, b| (a.0.min(b), a.1.max(b)));
            let ((left, right), (top, bottom)) = (edges(|tile| tile.x), edges(|tile| tile.y));
            let side = tiles[0].side;
            assert!(left <= 0.0 && right + side >= frame.width && top <= 0.0 && bottom + side >= frame.height);
        }
    }

    #[test]
    fn columns_continue_across_the_date_line() {
        let tiles = tiles(&[at(-16.8, 179.99), at(-16.8, -179.99)], 440.0);
        let zoom = tiles[0].zoom;
        let mut columns: Vec<u32> = tiles.iter().map(|tile| tile.column).collect();
        columns.dedup();
        assert!(columns.windows(2).any(|pair| pair == [(1 << zoom) - 1, 0]), "{columns:?}");
    }

    #[test]
    fn wide_maps_and_poles_have_no_tiles() {
        assert!(tiles(&[at(38.7, -9.1), at(41.1, -8.6)], 880.0).is_empty());
        assert!(tiles(&[at(60.0, -170.0), at(-50.0, 170.0)], 880.0).is_empty());
        assert!(tiles(&[at(89.0, 10.0), at(89.0, 10.1)], 440.0).is_empty());
        let near = tiles(&[at(83.99, 10.0)], 440.0);
        assert!(!near.is_empty() && near.iter().all(|tile| tile.row < 1 << tile.zoom), "{near:?}");
        // A frame that reaches beyond the last row.
        let ends = [flat(at(84.0, 10.0), 10.0), flat(at(80.0, 10.0), 10.0)];
        let pole = MapFrame::around(&ends, 440.0, (400.0, 400.0), 100.0);
        let rows: Vec<u32> = at_zoom(&pole, 4).iter().map(|tile| tile.row).collect();
        assert!(pole.bounds().3 > PI && rows.contains(&0) && rows.iter().all(|row| *row < 16), "{rows:?}");
    }
}
