//! Which town a destination's name means, anywhere in the world.
//!
//! Towns share names. A town is meant when it is the only one, or so much larger than its namesakes that few would think of
//! them; otherwise nothing is guessed.

use std::cmp::Reverse;

use super::names::{Word, words};
use crate::regions;

/// How many times as many people must live in the town that is meant as in the next one of its name.
const LARGER: i64 = 5;
/// How many namesakes are told.
const TOLD: usize = 5;

/// A town that a name may mean.
#[derive(Clone, Copy, Debug)]
pub struct City<'c> {
    /// Its names, the usual one first.
    pub names: &'c [&'c str],
    /// Its country: ISO 3166-1 alpha-2.
    pub country: &'c str,
    /// How many people live there.
    pub population: i64,
}

/// Which town is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Meant {
    /// The town of this index.
    City(usize),
    /// One of these, the largest first.
    AnyOf(Vec<usize>),
    /// None of them has the name.
    None,
}

/// A name as travellers write it: `Lisbon`, or `Lisbon, Portugal`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CityName<'n> {
    /// The town.
    pub city: &'n str,
    /// What stands after the last comma, a country's name or its two letters; empty if there is none.
    pub country: &'n str,
}

impl<'n> CityName<'n> {
    /// Splits a name.
    pub fn of(name: &'n str) -> Self {
        let mut parts = name.split(',').map(str::trim).filter(|part| !part.is_empty());
        Self { city: parts.next().unwrap_or_default(), country: parts.next_back().unwrap_or_default() }
    }

    fn is_in(self, country: &str) -> bool {
        if self.country.is_empty() || self.country.eq_ignore_ascii_case(country) {
            return true;
        }
        let written = words(self.country);
        let texts = |words: &[Word]| words.iter().map(|word| word.text.clone()).collect::<Vec<_>>();
        regions::country_name(country).is_some_and(|name| texts(&words(name)) == texts(&written))
            || SHORT.iter().any(|(code, short)| *code == country && short.eq_ignore_ascii_case(self.country))
    }
}

/// What travellers call countries for short.
const SHORT: &[(&str, &str)] =
    &[("US", "USA"), ("GB", "UK"), ("GB", "England"), ("GB", "Scotland"), ("GB", "Wales"), ("AE", "UAE")];

/// The town that a destination's name means.
pub fn meant(name: CityName<'_>, cities: &[City<'_>]) -> Meant {
    let sought = words(name.city);
    let has_name = |city: &City<'_>| city.names.iter().any(|name| words(name) == sought);
    let fits = |city: &&City<'_>| name.is_in(city.country) && has_name(city);
    let mut found: Vec<_> = cities.iter().enumerate().filter(|(_, city)| fits(city)).collect();
    found.sort_by_key(|(_, city)| Reverse(city.population));
    match *found.as_slice() {
        [] => Meant::None,
        [(only, _)] => Meant::City(only),
        [(largest, city), (_, next), ..] if city.population >= next.population.saturating_mul(LARGER).max(1) => {
            Meant::City(largest)
        }
        _ => Meant::AnyOf(found.iter().take(TOLD).map(|(index, _)| *index).collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::{City, CityName, Meant, meant};

    const CITIES: &[City<'_>] = &[
        City { names: &["Lisbon", "Lisboa"], country: "PT", population: 517_000 },
        City { names: &["Lisbon"], country: "US", population: 9_000 },
        City { names: &["Valencia", "València"], country: "ES", population: 814_000 },
        City { names: &["Valencia"], country: "VE", population: 1_385_000 },
        City { names: &["New York City", "New York"], country: "US", population: 8_800_000 },
        City { names: &["York"], country: "GB", population: 153_000 },
    ];

    fn find(name: &str) -> Meant {
        meant(CityName::of(name), CITIES)
    }

    #[test]
    fn the_town_that_most_would_think_of_is_meant() {
        for name in ["Lisbon", "lisboa", " LISBON , Portugal", "Lisbon, PT", "Lisbon, Lisboa, Portugal"] {
            assert_eq!(find(name), Meant::City(0), "{name}");
        }
        assert_eq!((find("Lisbon, USA"), find("Valencia, Spain")), (Meant::City(1), Meant::City(2)));
        assert_eq!(
            (find("York"), find("York, UK"), find("New York")),
            (Meant::City(5), Meant::City(5), Meant::City(4))
        );
    }

    #[test]
    fn nothing_is_guessed() {
        assert_eq!(find("Valencia"), Meant::AnyOf(vec![3, 2]));
        for name in ["", ",", "Lisb", "Old York", "Lisbon, Spain", "Lisbon, Ohio"] {
            assert_eq!(find(name), Meant::None, "{name}");
        }
    }
}
