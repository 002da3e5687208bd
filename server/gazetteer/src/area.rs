//! Squares of one degree, by which places are indexed, and the squares of an area.

/// The number of a square of one degree.
pub type Cell = u32;

/// The square of a point, in degrees.
pub fn cell(latitude: f64, longitude: f64) -> Cell {
    let (row, column) = (floor(latitude) + 90, floor(longitude) + 180);
    Cell::try_from(row.clamp(0, 180) * 360 + column.rem_euclid(360)).unwrap_or_default()
}

#[expect(clippy::cast_possible_truncation, reason = "degrees")]
fn floor(degrees: f64) -> i64 {
    degrees.floor() as i64
}

/// A bounding box in degrees. If it crosses the 180th meridian, `west` is greater than `east`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Area {
    pub south: f64,
    pub north: f64,
    pub west: f64,
    pub east: f64,
}

impl Area {
    /// A bounding box of all points within this distance.
    pub fn around(latitude: f64, longitude: f64, metres: f64) -> Self {
        const METRES_A_DEGREE: f64 = 111_195.0;
        let height = metres / METRES_A_DEGREE;
        let (south, north) = ((latitude - height).max(-90.0), (latitude + height).min(90.0));
        let width = height / latitude.to_radians().cos();
        // A circle around a pole covers all longitudes.
        if latitude.abs() + height >= 90.0 || width >= 179.0 {
            return Self { south, north, west: -180.0, east: 180.0 };
        }
        let wrapped = |longitude: f64| (longitude + 180.0).rem_euclid(360.0) - 180.0;
        Self { south, north, west: wrapped(longitude - width), east: wrapped(longitude + width) }
    }

    /// Whether a point, given as latitude and longitude, is in the area.
    pub fn contains(self, (latitude, longitude): (f64, f64)) -> bool {
        let is_between = if self.west <= self.east {
            self.west <= longitude && longitude <= self.east
        } else {
            self.west <= longitude || longitude <= self.east
        };
        is_between && self.south <= latitude && latitude <= self.north
    }

    /// Whether everything within this distance of the point, in metres, is in the area.
    pub fn reaches(self, latitude: f64, longitude: f64, metres: f64) -> bool {
        let around = Self::around(latitude, longitude, metres);
        // Near the 180th meridian, areas are not compared: the point gets an area of its own.
        let is_plain = |area: Self| area.west <= area.east;
        is_plain(self)
            && is_plain(around)
            && (self.south <= around.south && around.north <= self.north)
            && (self.west <= around.west && around.east <= self.east)
    }

    fn cells(self) -> impl Iterator<Item = Cell> {
        let (west, east) = (floor(self.west), floor(self.east));
        let east = if east < west { east + 360 } else { east };
        let (south, north) = (floor(self.south), floor(self.north).min(89));
        #[expect(clippy::cast_precision_loss, reason = "degrees")]
        let cell = |latitude: i64, longitude: i64| cell(latitude as f64, longitude as f64);
        (south..=north).flat_map(move |latitude| (west..=east).map(move |longitude| cell(latitude, longitude)))
    }
}

/// The squares of the areas, sorted, each once.
pub fn cells(areas: &[Area]) -> Vec<Cell> {
    let mut cells: Vec<_> = areas.iter().flat_map(|area| area.cells()).collect();
    cells.sort_unstable();
    cells.dedup();
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_area_is_in_a_few_cells_everywhere() {
        for (latitude, longitude) in [(38.7, -9.1), (0.0, 0.0), (-18.0, 179.9), (-18.0, -179.9), (70.0, 25.0)] {
            let cells = cells(&[Area::around(latitude, longitude, 60_000.0)]);
            assert!(cells.contains(&cell(latitude, longitude)), "{latitude} {longitude}");
            assert!(cells.len() <= 12, "{latitude} {longitude}: {}", cells.len());
        }
    }

    #[test]
    fn an_area_crosses_the_180th_meridian() {
        let cells = cells(&[Area::around(-18.0, 179.9, 60_000.0)]);
        assert!(cells.contains(&cell(-18.0, -179.9)));
    }

    #[test]
    fn the_poles_have_cells() {
        assert!(cells(&[Area::around(90.0, 0.0, 60_000.0)]).len() <= 800);
        for (latitude, longitude) in [(-90.0, 12.0), (-90.0, 170.0), (-89.9, -120.0)] {
            assert!(cells(&[Area::around(-90.0, 0.0, 60_000.0)]).contains(&cell(latitude, longitude)), "{longitude}");
        }
    }
}
