//! The files of GeoNames: the cities files and the countries' files, as plain text with 19 tab-separated columns.
//!
//! Reads populated places and sights; counts the other rows. Does not unpack the zip archives.

use std::io::{self, BufRead, Seek};

use crate::lines::{Lines, Position, Refused, columns};
use crate::names;
use crate::place::{Class, Place};

const COLUMNS: usize = 19;

/// The rows of a file of GeoNames.
pub struct Geonames<R> {
    lines: Lines<R>,
    skipped: u64,
}

impl<R: BufRead + Seek> Geonames<R> {
    /// Reads from a position: the default one for the whole file, or a saved one.
    pub fn open(input: R, position: Position) -> io::Result<Self> {
        Ok(Self { lines: Lines::at(input, position)?, skipped: 0 })
    }
}

impl<R> Geonames<R> {
    pub const fn position(&self) -> Position {
        self.lines.position()
    }

    /// The number of rows skipped because of their feature class.
    pub const fn skipped(&self) -> u64 {
        self.skipped
    }
}

impl<R: BufRead> Iterator for Geonames<R> {
    type Item = io::Result<Result<Place, Refused>>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let line = match self.lines.next() {
                Ok(line) => line?,
                Err(error) => return Some(Err(error)),
            };
            match line.and_then(|line| place(&line)).transpose() {
                Some(row) => {
                    let line = self.lines.position().lines;
                    return Some(Ok(row.map_err(|reason| Refused { line, reason })));
                }
                None => self.skipped += 1,
            }
        }
    }
}

/// The place in a row; `None` if its feature class is not used.
fn place(line: &str) -> Result<Option<Place>, String> {
    let cells: Vec<&str> = line.split('\t').collect();
    let cells: [&str; COLUMNS] =
        cells.try_into().map_err(|cells: Vec<_>| format!("a row has {COLUMNS} columns, not {}", cells.len()))?;
    let [id, name, ascii, others, latitude, longitude, feature, code, country, .., population, _, _, zone, _] = cells;
    let Some(class) = class(feature, code) else { return Ok(None) };
    let id: u32 = id.parse().map_err(|_| format!("geonameid must be a whole number, not {id:?}"))?;
    let name = columns::name("name", name)?;
    let population = parse_population(population)?;
    let others = others.split(',').map(str::trim).chain([ascii]);
    let others = || others.clone().filter(|other| columns::name("alternatenames", other).is_ok());
    let country = columns::country("country code", country)?;
    let mut names = names::of_city(&name, [], others(), population);
    let native = names::native(&country, &names, others(), population);
    names.extend(native.into_iter().filter(|native| *native != name));
    Ok(Some(Place {
        id: format!("geonames:{id}"),
        class,
        names,
        latitude: columns::degrees("latitude", latitude, 90.0)?,
        longitude: columns::degrees("longitude", longitude, 180.0)?,
        country,
        time_zone: time_zone(zone)?,
        population,
        code: None,
    }))
}

/// 64 bits, because GeoNames has rows of whole continents; the population of a city fits into 32.
fn parse_population(text: &str) -> Result<u32, String> {
    if text.is_empty() {
        return Ok(0);
    }
    text.parse().map_err(|_| format!("population must be a whole number below 2^32, not {text:?}"))
}

fn time_zone(text: &str) -> Result<String, String> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '_' | '-' | '+');
    if text.len() <= 64 && text.chars().all(is_name) {
        Ok(text.to_owned())
    } else {
        Err(format!("timezone must be an IANA time zone, not {text:?}"))
    }
}

/// The class of a feature; `None` for codes that are not used or unknown.
fn class(feature: &str, code: &str) -> Option<Class> {
    Some(match (feature, code) {
        // Without historical, abandoned and destroyed places.
        ("P", "PPLH" | "PPLQ" | "PPLW" | "PPLCH") => return None,
        // A quarter of a city.
        ("P", "PPLX") => Class::Other,
        ("P", _) => Class::City,
        ("S", "AIRP") => Class::Airport,
        ("S", "MUS" | "OBS" | "OBSR") => Class::Museum,
        (
            "S",
            "AMTH" | "ANS" | "ARCH" | "BDG" | "CSTL" | "FT" | "GATE" | "HSTS" | "LTHSE" | "MNMT" | "PAL" | "PYR"
            | "PYRS" | "RUIN" | "SQR" | "TMB" | "TOWR" | "WALLA",
        ) => Class::Landmark,
        ("S", "CH" | "CTRR" | "CVNT" | "MSQE" | "MSTY" | "PGDA" | "SHRN" | "SYG" | "TMPL") => Class::Religious,
        ("S", "MKT") => Class::Market,
        ("S", "MALL") => Class::Shopping,
        ("S", "AQC" | "OPRA" | "THTR" | "ZOO") | ("L", "AMUS") => Class::Entertainment,
        ("S", "ATHF" | "RECG" | "RECR" | "STDM") => Class::Sport,
        ("S", "SPA") | ("H", "SPNT") => Class::Wellness,
        ("S", "BUSTN" | "FY" | "FYT" | "RSTN") => Class::Station,
        ("S", "REST") => Class::Restaurant,
        ("S", "CAFE") => Class::Cafe,
        ("S", "GHSE" | "HTL" | "RSRT") => Class::Lodging,
        ("S", "OBPT") => Class::Viewpoint,
        ("S", "GDN") | ("L", "PRK") => Class::Park,
        ("L", "RES" | "RESF" | "RESN" | "RESW") => Class::Nature,
        ("T", "BCH" | "BCHS") => Class::Beach,
        ("S", "CAVE")
        | (
            "T",
            "ATOL" | "CAPE" | "CLF" | "CNYN" | "CRTR" | "DSRT" | "DUNE" | "GRGE" | "HLL" | "ISL" | "ISLS" | "MT"
            | "MTS" | "PASS" | "PK" | "PKS" | "PT" | "RK" | "VAL" | "VLC",
        )
        | ("H", "BAY" | "COVE" | "FJD" | "FLLS" | "GLCR" | "GYSR" | "LGN" | "LK" | "LKS" | "RF" | "SPNG") => {
            Class::Nature
        }
        _ => return None,
    })
}
