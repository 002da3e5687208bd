//! Regions of the world: the regions that contain a country, and the regions that a list of names means.
//!
//! Finds no country for a coordinate or an itinerary; the gazetteer does.

mod table;

use std::collections::{BTreeSet, HashMap};
use std::iter;
use std::sync::LazyLock;

use deunicode::deunicode_char;
use itinerary_api::read::FieldError;

use table::{ENTRIES, GROUPS, RegionEntry};

/// The maximum number of names in a list.
const MAX_NAMES: usize = 8;

/// A country, sub-region, continent or the world, by its UN M49 code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Region(i16);

impl Region {
    pub const WORLD: Self = Self(1);

    /// The code as it is stored.
    pub fn code(self) -> i16 {
        self.0
    }

    /// The region and the regions that contain it, ending with the world.
    fn outwards(self) -> impl Iterator<Item = Self> {
        iter::successors(Some(self), |region| INDEX.within.get(region).copied())
    }
}

/// The table, indexed by code and by name.
struct Index {
    within: HashMap<Region, Region>,
    countries: HashMap<&'static str, &'static RegionEntry>,
    /// The regions for each folded name.
    names: HashMap<String, Vec<Region>>,
}

static INDEX: LazyLock<Index> = LazyLock::new(|| {
    let entries = ENTRIES.iter().flat_map(|entry| {
        let names = iter::once(&entry.name).chain(entry.aliases);
        names.map(|name| (folded(name), vec![entry.region]))
    });
    let groups = GROUPS.iter().flat_map(|group| {
        let names = group.names.iter();
        names.map(|name| (folded(name), group.regions.to_vec()))
    });
    Index {
        within: ENTRIES.iter().map(|entry| (entry.region, entry.within)).collect(),
        countries: ENTRIES.iter().filter_map(|entry| Some((entry.alpha2?, entry))).collect(),
        names: entries.chain(groups).collect(),
    }
});

/// The regions that contain a country (ISO 3166-1 alpha-2, or XK), largest first: the world, its continent, its
/// sub-region, the country itself. Only the world if the country is `None` or unknown.
pub fn containing(country: Option<&str>) -> Vec<Region> {
    let country = country.and_then(|alpha2| INDEX.countries.get(alpha2));
    let mut regions: Vec<Region> = country.map_or(Region::WORLD, |entry| entry.region).outwards().collect();
    regions.reverse();
    regions
}

/// A country's English name.
pub fn country_name(alpha2: &str) -> Option<&'static str> {
    INDEX.countries.get(alpha2).map(|entry| entry.name)
}

/// The country (ISO 3166-1 alpha-2, or XK) with an English name. Case and accents are ignored.
pub fn country_named(name: &str) -> Option<&'static str> {
    let [region] = named(name).ok()? else { return None };
    INDEX.countries.iter().find(|(_, entry)| entry.region == *region).map(|(alpha2, _)| *alpha2)
}

/// Parses the comma-separated query parameter `regions`. The result is sorted, and contains no region inside another.
pub fn parse(list: &str) -> Result<Vec<Region>, FieldError> {
    if list.split(',').count() > MAX_NAMES {
        return Err(no_list());
    }
    let mut regions = BTreeSet::new();
    for name in list.split(',') {
        regions.extend(named(name)?);
    }
    let is_outermost = |region: &&Region| !region.outwards().skip(1).any(|larger| regions.contains(&larger));
    Ok(regions.iter().filter(is_outermost).copied().collect())
}

fn named(name: &str) -> Result<&'static [Region], FieldError> {
    let name = name.trim_matches(' ');
    if name.is_empty() {
        return Err(no_list());
    }
    if !name.chars().all(|c| c == ' ' || c.is_alphabetic() || is_accent(c)) {
        return Err(FieldError::new(
            "regions",
            "must be names of letters and spaces only, such as Bosnia and Herzegovina",
        ));
    }
    let regions = INDEX.names.get(&folded(name));
    // Long enough for every name of the table.
    let message = || format!("must name known countries or regions of the world, not {name:.60}");
    regions.map(Vec::as_slice).ok_or_else(|| FieldError::new("regions", message()))
}

fn no_list() -> FieldError {
    let message = format!("must be 1 to {MAX_NAMES} names of countries or regions of the world, separated by commas");
    FieldError::new("regions", message)
}

/// Whether a character is a combining accent.
fn is_accent(c: char) -> bool {
    ('\u{300}'..='\u{36f}').contains(&c)
}

/// A name as names are compared: without case and accents, with one space for each run of other characters, `saint` for
/// `st`, and no leading `the`.
fn folded(name: &str) -> String {
    let mut plain = String::with_capacity(name.len());
    for c in name.chars().filter(|c| !is_accent(*c)) {
        match deunicode_char(c) {
            _ if !c.is_alphabetic() => plain.push(' '),
            Some(latin) if is_word(latin) => plain.push_str(&latin.to_ascii_lowercase()),
            // A letter without a Latin equivalent stays; without it, the name would equal another one.
            _ => plain.push(c),
        }
    }
    let words = plain.split(' ').filter(|word| !word.is_empty());
    let words: Vec<&str> = words.map(|word| if word == "st" { "saint" } else { word }).collect();
    let joined = words.join(" ");
    joined.strip_prefix("the ").map(str::to_owned).unwrap_or(joined)
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use itinerary_api::values::CountryCode;

    use super::*;

    fn codes(list: &str) -> Vec<i16> {
        parse(list).unwrap_or_else(|error| panic!("{list}: {error:?}")).into_iter().map(Region::code).collect()
    }

    fn refused(list: &str) -> String {
        let error = parse(list).expect_err(list);
        assert_eq!(error.field.as_deref(), Some("regions"), "{list}");
        error.message
    }

    /// A name of the table as a client can send it.
    fn askable(name: &str) -> String {
        name.replace(|c: char| !c.is_alphabetic(), " ")
    }

    fn countries() -> impl Iterator<Item = (&'static str, &'static RegionEntry)> {
        ENTRIES.iter().filter_map(|entry| Some((entry.alpha2?, entry)))
    }

    #[test]
    fn the_countries_are_those_that_a_place_may_have() {
        let pairs = ('A'..='Z').flat_map(|first| ('A'..='Z').map(move |second| format!("{first}{second}")));
        let valid: BTreeSet<String> = pairs.filter(|pair| CountryCode::new(pair.as_str()).is_ok()).collect();
        let listed: BTreeSet<String> = countries().map(|(alpha2, _)| alpha2.to_owned()).collect();
        assert_eq!(listed, valid);
        assert_eq!(countries().count(), 250);
    }

    #[test]
    fn nothing_is_in_the_table_twice() {
        let mut numbers = HashSet::from([Region::WORLD]);
        let mut names = HashSet::new();
        for entry in ENTRIES {
            assert!(entry.region.0 > 0 && numbers.insert(entry.region), "{}", entry.name);
            for name in iter::once(&entry.name).chain(entry.aliases) {
                assert!(names.insert(folded(name)), "{name}");
            }
        }
        for name in GROUPS.iter().flat_map(|group| group.names) {
            assert!(names.insert(folded(name)), "{name}");
        }
        let alpha2: HashSet<_> = countries().map(|(alpha2, _)| alpha2).collect();
        assert_eq!(alpha2.len(), 250);
    }

    #[test]
    fn everything_ends_at_the_world_in_at_most_four_steps() {
        for entry in ENTRIES {
            let way: Vec<Region> = entry.region.outwards().take(5).collect();
            assert!((2..=4).contains(&way.len()) && way.last() == Some(&Region::WORLD), "{}", entry.name);
        }
    }

    #[test]
    fn every_sub_region_has_as_many_countries_as_in_m49() {
        // Eastern Asia with Taiwan, Southern Europe with Kosovo, Northern Europe with each of the Channel Islands.
        let african = [(11, 17), (14, 22), (15, 7), (17, 9), (18, 5)];
        let american = [(5, 16), (13, 8), (21, 5), (29, 28)];
        let asian = [(30, 8), (34, 9), (35, 11), (143, 5), (145, 18)];
        let european = [(39, 17), (151, 10), (154, 16), (155, 9)];
        let oceanian = [(53, 6), (54, 5), (57, 8), (61, 10)];
        let antarctic = [(1, 1)];
        let expected = [&african[..], &american, &asian, &european, &oceanian, &antarctic].concat();
        let mut counted = HashMap::new();
        countries().for_each(|(_, entry)| *counted.entry(entry.within.code()).or_insert(0) += 1);
        assert_eq!(counted, expected.into_iter().collect());
    }

    #[test]
    fn a_country_is_in_its_regions() {
        let of = |country| containing(country).into_iter().map(Region::code).collect::<Vec<_>>();
        for (country, regions) in [
            (Some("PT"), &[1, 150, 39, 620][..]),
            (Some("XK"), &[1, 150, 39, 983]),
            (Some("MX"), &[1, 3, 13, 484]),
            (Some("BR"), &[1, 5, 76]),
            (Some("AQ"), &[1, 10]),
            (Some("TW"), &[1, 142, 30, 158]),
            (Some("IR"), &[1, 142, 34, 364]),
            (Some("pt"), &[1]),
            (Some("ZZ"), &[1]),
            (Some(""), &[1]),
            (None, &[1]),
        ] {
            assert_eq!(of(country), regions, "{country:?}");
        }
        assert_eq!(
            (country_name("KR"), country_name("FM")),
            (Some("South Korea"), Some("Federated States of Micronesia"))
        );
        assert_eq!((country_name("ZZ"), country_name("")), (None, None));
    }

    #[test]
    fn every_name_is_found() {
        for entry in ENTRIES {
            for name in iter::once(&entry.name).chain(entry.aliases) {
                assert_eq!(parse(&askable(name)), Ok(vec![entry.region]), "{name}");
                assert_eq!(parse(&askable(name).to_uppercase()), Ok(vec![entry.region]), "{name}");
            }
        }
        for group in GROUPS {
            for name in group.names {
                assert_eq!(parse(&askable(name)).as_deref(), Ok(group.regions), "{name}");
            }
        }
    }

    #[test]
    fn names_are_found_however_they_are_written() {
        for (list, expected) in [
            ("cote d ivoire", &[384][..]),
            ("Côte  d Ivoire", &[384]),
            ("Co\u{302}te d Ivoire", &[384]),
            (" portugal ,  SPAIN", &[620, 724]),
            ("SOUTH EASTERN ASIA", &[35]),
            ("Southeast Asia", &[35]),
            ("Sao Tome and Principe", &[678]),
            ("guinea bissau", &[624]),
            ("St Lucia,Saint Kitts and Nevis", &[659, 662]),
            ("the Gambia,The Americas", &[3, 5, 270]),
            ("TÜRKİYE", &[792]),
            ("aland", &[248]),
            ("Georgia", &[268]),
            ("Micronesia", &[57]),
            ("Federated States of Micronesia", &[583]),
            ("Congo", &[178]),
            ("DR Congo", &[180]),
            ("Antarctica", &[10]),
            ("Latin America", &[5, 13, 29]),
            ("Sub Saharan Africa", &[11, 14, 17, 18]),
        ] {
            assert_eq!(codes(list), expected, "{list}");
        }
    }

    #[test]
    fn regions_within_another_are_dropped() {
        for (list, expected) in [
            ("Portugal,Europe", &[150][..]),
            ("Europe,Southern Europe,Portugal,Japan", &[150, 392]),
            ("Holland,Netherlands,Netherlands", &[528]),
            ("Latin America,Mexico,North America", &[3, 5]),
            ("Americas,Latin America,Brazil", &[3, 5]),
            ("Africa,Sub Saharan Africa", &[2]),
            ("South Africa,Southern Africa", &[18]),
        ] {
            assert_eq!(codes(list), expected, "{list}");
        }
        for (alpha2, entry) in countries() {
            for larger in ENTRIES.iter().filter(|other| other.alpha2.is_none()) {
                let both = parse(&format!("{},{}", askable(entry.name), askable(larger.name))).expect("known names");
                let inside = containing(Some(alpha2)).contains(&larger.region);
                let mut expected = if inside { vec![larger.region] } else { vec![entry.region, larger.region] };
                expected.sort();
                assert_eq!(both, expected, "{} {}", entry.name, larger.name);
            }
        }
    }

    #[test]
    fn invalid_region_lists_are_rejected() {
        let eight = ["Portugal"; 8].join(",");
        assert_eq!(codes(&eight), [620]);
        let nine = format!("{eight},Portugal");
        for list in ["", " ", ",", "Portugal,", ",Portugal", "Portugal,,Spain", "Portugal, ,Spain", nine.as_str()] {
            assert!(refused(list).contains("1 to 8 names"), "{list}");
        }
        let signs =
            ["Guinea-Bissau", "Côte d'Ivoire", "Côte d’Ivoire", "St. Lucia", "Spain1", "P\u{0}", "Spain\t", "620"];
        for list in signs {
            assert!(refused(list).contains("letters and spaces only"), "{list}");
        }
    }

    #[test]
    fn the_first_unknown_name_is_named() {
        assert!(refused("Portugal, Atlantis ,Mordor").ends_with("not Atlantis"));
        assert!(refused(&"a".repeat(10_000)).ends_with(&format!("not {}", "a".repeat(60))));
        for list in ["World", "PT", "the", "Saint", "Portugals", "Portu gal", "Portugalь", "Portugal𐀀", "Мир", "日本"]
        {
            assert!(refused(list).ends_with(&format!("not {list}")), "{list}");
        }
    }
}
