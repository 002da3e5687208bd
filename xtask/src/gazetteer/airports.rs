//! Compares the airports with a second source, and applies the decisions in `server/data/airports.tsv`.

use std::collections::{BTreeMap, HashSet};
use std::error::Error;
use std::fs::File;
use std::path::Path;

use flate2::read::GzDecoder;
use itinerary_gazetteer::{distance_km, names};
use serde::Deserialize;

use super::sources::Airport;

pub(crate) const FILE: &str = "server/data/airports.tsv";

/// Positions farther apart than this need a decision.
const APART_KM: f64 = 5.0;
/// Words that do not distinguish airports.
const COMMON: &[&str] = &[
    "aerodrome",
    "aeroport",
    "aeropuerto",
    "air",
    "airfield",
    "airport",
    "airstrip",
    "al",
    "and",
    "base",
    "city",
    "county",
    "da",
    "de",
    "do",
    "domestic",
    "el",
    "field",
    "force",
    "inter",
    "international",
    "intl",
    "la",
    "municipal",
    "national",
    "of",
    "regional",
    "saint",
    "st",
    "the",
];

/// A row of the file: what an airport's position and names are.
#[derive(Debug, PartialEq)]
pub(crate) struct Decision {
    latitude: f64,
    longitude: f64,
    /// Empty: the source's.
    country: String,
    is_added: bool,
    /// The name and other names; empty: the source's.
    names: Vec<String>,
}

/// The rows of the file by code.
pub(crate) fn decisions(text: &str) -> Result<BTreeMap<String, Decision>, String> {
    let mut decisions = BTreeMap::new();
    for row in text.lines().filter(|row| !row.starts_with('#')) {
        let (code, decision) = decision(row).ok_or_else(|| format!("{FILE}: {row:?} is no decision"))?;
        if decisions.insert(code.clone(), decision).is_some() {
            return Err(format!("{FILE}: {code} appears more than once"));
        }
    }
    Ok(decisions)
}

fn decision(row: &str) -> Option<(String, Decision)> {
    let mut cells = row.split('\t');
    let code = cells.next().filter(|code| code.len() == 3)?.to_owned();
    let (latitude, longitude) = (cells.next()?.parse().ok()?, cells.next()?.parse().ok()?);
    let (country, reasons) = (cells.next()?.to_owned(), cells.next().filter(|reasons| !reasons.is_empty())?);
    let names: Vec<_> = cells.map(str::to_owned).collect();
    let is_added = reasons == "added";
    let is_whole = !is_added || (!country.is_empty() && !names.is_empty());
    is_whole.then_some((code, Decision { latitude, longitude, country, is_added, names }))
}

/// The airports with the decisions applied, and the added ones.
pub(crate) fn decided(mut airports: Vec<Airport>, mut decisions: BTreeMap<String, Decision>) -> Vec<Airport> {
    for airport in &mut airports {
        let Some(decision) = decisions.remove(&airport.code) else { continue };
        if !decision.country.is_empty() {
            // The airport is elsewhere, and so are its town and time zone.
            (airport.town, airport.time_zone) = Default::default();
            airport.country = decision.country;
        }
        (airport.latitude, airport.longitude) = (decision.latitude, decision.longitude);
        if let Some((name, others)) = decision.names.split_first() {
            airport.name.clone_from(name);
            airport.other_names = others.to_vec();
        }
    }
    let added = decisions.into_iter().filter(|(_, decision)| decision.is_added).map(|(code, decision)| {
        let Decision { latitude, longitude, country, names, .. } = decision;
        let (town, time_zone) = Default::default();
        let other_names = names[1..].to_vec();
        Airport { code, name: names[0].clone(), town, latitude, longitude, country, time_zone, other_names }
    });
    airports.extend(added);
    airports
}

/// An airport of airports-py.
#[derive(Deserialize)]
pub(crate) struct Second {
    iata: String,
    airport: String,
    latitude: f64,
    longitude: f64,
    scheduled_service: String,
}

/// The airports with scheduled flights of airports-py.
pub(crate) fn scheduled(folder: &Path) -> Result<Vec<Second>, Box<dyn Error>> {
    let file = GzDecoder::new(File::open(folder.join("airports/data/airports.gz"))?);
    let mut airports: Vec<Second> = serde_json::from_reader(file)?;
    airports.retain(|airport| airport.scheduled_service == "TRUE");
    Ok(airports)
}

/// The airports of the second source with another position or name that the file does not decide.
pub(crate) fn undecided(
    airports: &[Airport],
    second: &[Second],
    decisions: &BTreeMap<String, Decision>,
) -> Vec<String> {
    let by_code: BTreeMap<&str, &Airport> = airports.iter().map(|airport| (&*airport.code, airport)).collect();
    let open = second.iter().filter(|other| !decisions.contains_key(&other.iata));
    let pairs = open.filter_map(|other| Some((*by_code.get(&*other.iata)?, other)));
    let describe = |(one, other): (&Airport, &Second)| {
        let apart = distance_km((one.latitude, one.longitude), (other.latitude, other.longitude));
        let is_same = apart <= APART_KM && have_a_word_in_common(&one.name, &other.airport);
        let line = || format!("{FILE}: decide {}: {}, or {} {apart:.0} km away", one.code, one.name, other.airport);
        (!is_same).then(line)
    };
    pairs.filter_map(describe).collect()
}

fn have_a_word_in_common(one: &str, other: &str) -> bool {
    let words = |name: &str| -> HashSet<String> {
        let slug = names::slug(name);
        slug.split('-').filter(|word| !COMMON.contains(word)).map(str::to_owned).collect()
    };
    !words(one).is_disjoint(&words(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn airport(code: &str, name: &str, latitude: f64) -> Airport {
        Airport {
            code: code.to_owned(),
            name: name.to_owned(),
            town: "Kunming".to_owned(),
            latitude,
            longitude: 102.7,
            country: "CN".to_owned(),
            time_zone: "Asia/Shanghai".to_owned(),
            other_names: Vec::new(),
        }
    }

    fn second(code: &str, name: &str, latitude: f64) -> Second {
        let (iata, airport, scheduled_service) = (code.to_owned(), name.to_owned(), "TRUE".to_owned());
        Second { iata, airport, latitude, longitude: 102.7, scheduled_service }
    }

    #[test]
    fn other_positions_and_names_need_a_decision() {
        let airports = [airport("KMG", "Wujiaba Airport", 25.0), airport("LYG", "Lianyungang Airport", 34.5)];
        let others = [second("KMG", "Changshui Airport", 25.0), second("LYG", "Lianyungang Airport", 34.4)];
        assert_eq!(undecided(&airports, &others, &BTreeMap::new()).len(), 2);
        let decisions = decisions("KMG\t25.1\t102.9\t\tmoved\nLYG\t34.4\t119.2\t\tmoved").expect("decisions");
        assert_eq!(undecided(&airports, &others, &decisions), [""; 0]);
        let near = [second("LYG", "Lianyungang Huaguoshan International", 34.51)];
        assert_eq!(undecided(&airports, &near, &BTreeMap::new()), [""; 0]);
    }

    #[test]
    fn decisions_replace_and_add() {
        let text = "KMG\t25.1\t102.9\t\tmoved renamed\tChangshui Airport\tKunming Airport\n\
                    KMC\t27.9\t45.5\tSA\tadded\tKing Khaled Military City Airport";
        let found = decided(vec![airport("KMG", "Wujiaba Airport", 25.0)], decisions(text).expect("decisions"));
        assert_eq!((found.len(), &*found[1].code, &*found[1].country, &*found[1].time_zone), (2, "KMC", "SA", ""));
        let names = found[0].clone().place().names;
        assert_eq!(names, ["Changshui Airport", "Kunming Changshui Airport", "Kunming Airport"]);
        assert!(decisions("KMC\t27.9\t45.5\t\tadded\tName").is_err(), "an added airport needs its country");
        assert!(decisions("KMG\t25.1").is_err());
    }
}
