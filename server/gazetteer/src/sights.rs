//! The hand-written sights: tab-separated text with a heading for each city.
//!
//! `@`, the city's name and country open a city; each line below is a sight near it: class, latitude, longitude, then
//! one to six names. Lines that begin with `#` and empty lines are ignored.

use std::collections::HashSet;

use crate::lines::columns;
use crate::names::{key, slug};
use crate::place::{Class, Place, distance_km};

/// The largest distance of a sight from its city.
pub const REACH_KM: f64 = 60.0;

/// A city and the sights near it.
#[derive(Debug, Clone, PartialEq)]
pub struct CitySights {
    /// Its usual English name.
    pub name: String,
    /// ISO 3166-1 alpha-2 code of the country of city and sights.
    pub country: String,
    pub sights: Vec<Sight>,
}

/// A sight in the text.
#[derive(Debug, Clone, PartialEq)]
pub struct Sight {
    /// The line number in the file.
    pub line: usize,
    pub class: Class,
    pub latitude: f64,
    pub longitude: f64,
    /// The names, the usual English one first.
    pub names: Vec<String>,
}

impl CitySights {
    /// The sight as a place; the text does not have its time zone.
    pub fn place(&self, sight: &Sight, time_zone: &str) -> Place {
        Place {
            id: format!("sight:{}/{}/{}", self.country, slug(&self.name), slug(&sight.names[0])),
            class: sight.class,
            names: sight.names.clone(),
            latitude: sight.latitude,
            longitude: sight.longitude,
            country: self.country.clone(),
            time_zone: time_zone.to_owned(),
            population: 0,
            code: None,
        }
    }

    /// Finds the city: the one with the name in the same country that is nearest to the first sight.
    pub fn find<'a>(&self, cities: impl IntoIterator<Item = &'a Place>) -> Option<&'a Place> {
        let sight = self.sights.first()?;
        let wanted = key(&self.name);
        let is_it =
            |place: &&Place| place.country == self.country && place.names.iter().any(|name| key(name) == wanted);
        let named = cities.into_iter().filter(is_it);
        let distance = |place: &Place| distance_km(place.point(), (sight.latitude, sight.longitude));
        named.min_by(|a, b| distance(a).total_cmp(&distance(b))).filter(|place| distance(place) <= REACH_KM)
    }
}

/// Parses the cities and sights of a text, or returns all errors.
pub fn parse(text: &str) -> Result<Vec<CitySights>, Vec<String>> {
    let mut cities: Vec<CitySights> = Vec::new();
    let mut errors = Vec::new();
    for (line, row) in (1..).zip(text.lines()).filter(|(_, row)| !row.is_empty() && !row.starts_with('#')) {
        let cells: Vec<&str> = row.split('\t').collect();
        let result = if cells[0] == "@" {
            heading(&cells).map(|city| cities.push(city))
        } else {
            let city = cities.last_mut().ok_or_else(|| "a sight stands before the first city".to_owned());
            city.and_then(|city| sight(line, &cells).map(|sight| city.sights.push(sight)))
        };
        errors.extend(result.err().map(|reason| format!("line {line}: {reason}")));
    }
    if errors.is_empty() { Ok(cities) } else { Err(errors) }
}

fn heading(cells: &[&str]) -> Result<CitySights, String> {
    let [_, name, country] = cells else {
        return Err(format!("a city has 3 columns, not {}", cells.len()));
    };
    let (name, country) = (columns::name("the city", name)?, columns::country("the country", country)?);
    Ok(CitySights { name, country, sights: Vec::new() })
}

fn sight(line: usize, cells: &[&str]) -> Result<Sight, String> {
    let [class, latitude, longitude, names @ ..] = cells else {
        return Err(format!("a sight has at least 4 columns, not {}", cells.len()));
    };
    if !(1..=6).contains(&names.len()) {
        return Err(format!("a sight has 1 to 6 names, not {}", names.len()));
    }
    let class = Class::from_name(class).filter(|class| class.is_sight());
    let class = class.ok_or_else(|| format!("{:?} is not a class of sights", cells[0]))?;
    let latitude = columns::degrees("the latitude", latitude, 90.0)?;
    let longitude = columns::degrees("the longitude", longitude, 180.0)?;
    let names = names.iter().map(|name| tidy_name(name)).collect::<Result<Vec<_>, _>>()?;
    let mut seen = HashSet::new();
    match names.iter().find(|name| !seen.insert(name.as_str())) {
        Some(twice) => Err(format!("{twice:?} appears more than once")),
        None => Ok(Sight { line, class, latitude, longitude, names }),
    }
}

fn tidy_name(name: &str) -> Result<String, String> {
    let tidy = columns::name("a name", name)?;
    if tidy == name { Ok(tidy) } else { Err(format!("{name:?} begins or ends with a blank")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LISBON: &str = "# Portugal\n\n@\tLisbon\tPT\nlandmark\t38.6916\t-9.2160\tBelém Tower\tTorre de Belém\n";

    #[test]
    fn sights_stand_under_their_city() {
        let cities = parse(LISBON).expect("a good text");
        let place = cities[0].place(&cities[0].sights[0], "Europe/Lisbon");
        assert_eq!(place.id, "sight:PT/lisbon/belem-tower");
        assert_eq!(place.names, ["Belém Tower", "Torre de Belém"]);
        assert_eq!((place.latitude, place.longitude, &*place.country), (38.6916, -9.216, "PT"));
    }

    #[test]
    fn a_city_is_the_nearest_of_its_name() {
        let lisbon = &parse(LISBON).expect("a good text")[0];
        let at = |latitude, country: &str, name: &str| Place {
            latitude,
            names: vec!["Lisboa".to_owned(), name.to_owned()],
            country: country.to_owned(),
            ..lisbon.place(&lisbon.sights[0], "")
        };
        let cities =
            [at(38.5, "PT", "Lisbon"), at(38.7, "PT", "LISBON"), at(38.69, "ES", "Lisbon"), at(38.69, "PT", "X")];
        assert_eq!(lisbon.find(&cities), Some(&cities[1]));
        assert_eq!(lisbon.find(&[at(40.0, "PT", "Lisbon")]), None, "it is too far away");
    }

    #[test]
    fn each_bad_line_is_told() {
        let bad = [
            "@\tLisbon",
            "castle\t1\t2\tName",
            "city\t1\t2\tName",
            "museum\t91\t2\tName",
            "museum\t1\tx\tName",
            "museum\t1\t2",
            "museum\t1\t2\t",
            "museum\t1\t2\tName ",
            "museum\t1\t2\tName\tName",
            "museum\t1\t2\ta\tb\tc\td\te\tf\tg",
        ];
        let errors = parse(&format!("{LISBON}{}\n", bad.join("\n"))).expect_err("a bad text");
        assert_eq!(errors.len(), bad.len(), "{errors:#?}");
        assert!(parse("museum\t1\t2\tName").is_err(), "it has no city");
    }
}
