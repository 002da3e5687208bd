//! Which town a destination's name means, anywhere in the world.
//!
//! Towns share names with each other and with countries, islands and provinces. All names of a town count alike. A town
//! is chosen if `meanings` says so, if it is the only one of the name, or if it is much larger than the others. Otherwise
//! none is chosen.

use std::cmp::Reverse;

use super::meanings::{self, Meaning};
use super::states;
use crate::regions;

/// How many times larger than the next town of the same name a town must be to be chosen.
const LARGER: i64 = 5;
/// The maximum number of suggestions.
const TOLD: usize = 5;

/// Names of countries that travellers use and the table of regions does not have.
const COUNTRIES: &[(&str, &str)] = &[
    ("AE", "uae"),
    ("CD", "dr congo"),
    ("CI", "ivory coast"),
    ("CV", "cape verde"),
    ("CZ", "czech republic"),
    ("CZ", "czechia"),
    ("GB", "uk"),
    ("GB", "united kingdom"),
    ("GB", "great britain"),
    ("GB", "england"),
    ("GB", "scotland"),
    ("GB", "wales"),
    ("GB", "northern ireland"),
    ("KR", "korea"),
    ("KR", "south korea"),
    ("LA", "laos"),
    ("MK", "macedonia"),
    ("MM", "burma"),
    ("NL", "holland"),
    ("NL", "the netherlands"),
    ("RU", "russia"),
    ("SZ", "swaziland"),
    ("TR", "turkey"),
    ("TR", "turkiye"),
    ("TW", "taiwan"),
    ("US", "usa"),
    ("US", "u s a"),
    ("US", "united states"),
    ("US", "united states of america"),
    ("VA", "vatican"),
    ("VN", "vietnam"),
];

/// A town that a name may mean.
#[derive(Clone, Debug)]
pub struct City<'c> {
    /// The gazetteer's id.
    pub id: &'c str,
    /// The names, the usual one first.
    pub names: &'c [&'c str],
    /// ISO 3166-1 alpha-2.
    pub country: &'c str,
    /// The state in ISO 3166-2, such as `US-OR`. Empty if unknown or not needed.
    pub state: String,
    pub population: i64,
}

/// Which town a name means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Meant {
    /// The town at this index; others have the name too, the largest first.
    City(usize, Vec<usize>),
    /// One of these, the largest first.
    AnyOf(Vec<usize>),
    /// None of them has the name.
    None,
}

/// A name as travellers write it: `Lisbon`, `Lisbon, Portugal`, `Lisbon (Portugal)` or `Portland, Oregon`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CityName<'n> {
    /// The town's name alone.
    pub city: &'n str,
    /// The areas that contain it, as far as the text names known ones.
    within: Vec<AreaSuffix>,
    /// Whether the text names an area that is unknown.
    is_unclear: bool,
}

/// An area after a town's name: countries or states. `CA` may be Canada or California.
#[derive(Clone, Debug, PartialEq, Eq)]
struct AreaSuffix {
    countries: Vec<String>,
    states: Vec<&'static str>,
}

impl<'n> CityName<'n> {
    pub fn of(name: &'n str) -> Self {
        let mut parts = name.split([',', '(', ')']).map(str::trim).filter(|part| !part.is_empty());
        let city = parts.next().unwrap_or_default();
        let areas: Vec<_> = parts.map(AreaSuffix::of).collect();
        let within: Vec<_> = areas.iter().flatten().cloned().collect();
        Self { city, is_unclear: within.is_empty() && !areas.is_empty(), within }
    }

    /// Whether it names a state of this country, so that towns there need their state.
    pub fn names_state_of(&self, country: &str) -> bool {
        self.within.iter().flat_map(|area| &area.states).any(|state| state.starts_with(country))
    }

    fn admits(&self, city: &City<'_>) -> bool {
        self.within.iter().all(|area| area.has(city))
    }
}

impl AreaSuffix {
    /// All areas that the text may mean. `None` if no area has this name.
    fn of(text: &str) -> Option<Self> {
        let name = folded(text);
        let (mut countries, states) = (countries_named(text, &name), states::states(text, &name));
        let code = text.to_ascii_uppercase();
        countries.extend(regions::country_name(&code).map(|_| code));
        (!states.is_empty() || !countries.is_empty()).then_some(Self { countries, states })
    }

    fn has(&self, city: &City<'_>) -> bool {
        self.countries.iter().any(|country| country == city.country)
            || self.states.iter().any(|state| *state == city.state)
    }
}

fn countries_named(text: &str, folded: &str) -> Vec<String> {
    let other = COUNTRIES.iter().find(|(_, name)| *name == folded).map(|(country, _)| *country);
    other.or_else(|| regions::country_named(text)).map(str::to_owned).into_iter().collect()
}

/// Whether a name without an area is better known as that of a country, continent, state or island than as that of the
/// largest town with the name.
fn is_of_an_area(name: &CityName<'_>, folded: &str, largest: &City<'_>) -> bool {
    /// A town of this population is better known than the state with the same name.
    const LARGER_THAN_A_STATE: i64 = 500_000;
    if !name.within.is_empty() || name.is_unclear {
        return false;
    }
    let countries = countries_named(name.city, folded);
    if countries.iter().any(|country| country == largest.country) {
        // Singapore, Luxembourg, Panama.
        return largest.names.first().is_none_or(|usual| self::folded(usual) != folded);
    }
    let is_state = states::is_of_united_states(folded) && largest.population < LARGER_THAN_A_STATE;
    let is_region = !name.city.contains(',') && regions::parse(name.city).is_ok();
    !countries.is_empty() || is_region || is_state
}

/// A name without case, accents and punctuation; `st` is short for `saint`.
pub(super) fn folded(name: &str) -> String {
    let plain = deunicode::deunicode(name).to_lowercase().replace(['\'', '`', '.'], " ");
    let words = plain.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.map(|word| if word == "st" { "saint" } else { word }).collect::<Vec<_>>().join(" ")
}

/// A name for comparison: in Latin letters folded, in others as it is, because transliteration makes different names
/// equal. `市` is the word for city after a name.
fn comparable(name: &str) -> String {
    let is_latin = |c: char| c < '\u{250}' || ('\u{1e00}'..'\u{1f00}').contains(&c);
    let words = || name.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    if name.chars().filter(|c| c.is_alphabetic()).all(is_latin) {
        folded(name)
    } else {
        words().trim_end_matches('市').to_owned()
    }
}

/// The town that a destination's name means.
pub fn meant(name: &CityName<'_>, cities: &[City<'_>]) -> Meant {
    let sought = comparable(name.city);
    if sought.is_empty() {
        return Meant::None;
    }
    let is_called = |city: &City<'_>| city.names.iter().any(|name| comparable(name) == sought);
    let towns = cities.iter().enumerate().filter(|(_, city)| name.admits(city) && is_called(city));
    let mut found: Vec<usize> = towns.map(|(index, _)| index).collect();
    found.sort_by_key(|index| Reverse(cities[*index].population));
    if found.is_empty() {
        return Meant::None;
    }
    let any_of = |found: Vec<usize>| Meant::AnyOf(found.into_iter().take(TOLD).collect());
    let meaning = meanings::of(&sought);
    if name.is_unclear {
        return any_of(found);
    }
    if let Some(Meaning::Town(id)) = meaning
        && let Some(town) = found.iter().copied().find(|index| cities[*index].id == id)
    {
        return chosen(town, found);
    }
    match meaning.filter(|_| name.within.is_empty()) {
        Some(Meaning::AnyTown) => any_of(found),
        Some(Meaning::Area) => Meant::None,
        _ if is_of_an_area(name, &sought, &cities[found[0]]) => Meant::None,
        _ if has_rival(&found, cities) => any_of(found),
        _ => chosen(found[0], found),
    }
}

/// Whether the second-largest town is large enough to be meant instead of the largest.
fn has_rival(found: &[usize], cities: &[City<'_>]) -> bool {
    let population = |index: usize| cities[index].population;
    found.get(1).is_some_and(|next| population(found[0]) < population(*next).saturating_mul(LARGER).max(1))
}

fn chosen(town: usize, found: Vec<usize>) -> Meant {
    Meant::City(town, found.into_iter().filter(|index| *index != town).take(TOLD).collect())
}

#[cfg(test)]
mod tests {
    use super::{City, CityName, Meant, meant};

    fn city(names: &'static [&'static str], country: &'static str, state: &str, population: i64) -> City<'static> {
        City { id: names[0], names, country, state: state.to_owned(), population }
    }

    fn find(name: &str) -> Meant {
        let cities = [
            city(&["Lisbon", "Lisboa"], "PT", "", 517_000),
            city(&["Lisbon"], "US", "US-OH", 9_000),
            city(&["Valencia", "València"], "ES", "", 814_000),
            city(&["Valencia"], "VE", "", 1_385_000),
            city(&["New York City", "New York"], "US", "US-NY", 8_800_000),
            city(&["York"], "GB", "", 153_000),
            city(&["Portland"], "US", "US-OR", 650_000),
            city(&["Portland"], "US", "US-ME", 68_000),
            city(&["Porto"], "PT", "", 249_000),
            city(&["Le Port", "Port"], "RE", "", 40_000),
            city(&["Singapore"], "SG", "", 5_600_000),
            city(&["Jordan"], "HK", "", 40_000),
            city(&["Queens", "Jamaica"], "US", "US-NY", 2_270_000),
            city(&["Bali"], "IN", "", 110_000),
            city(&["Jing'an", "京都"], "CN", "", 247_000),
            city(&["St. Petersburg"], "RU", "", 5_300_000),
            city(&["Antigua Guatemala", "Antigua"], "GT", "", 39_000),
            city(&["Kyoto", "京都"], "JP", "", 1_460_000),
            city(&["Kolkata", "Calcutta"], "IN", "", 4_600_000),
            city(&["Calcutta"], "ZA", "", 20_000),
            City { id: "geonames:6204696", ..city(&["Queenstown"], "NZ", "", 10_000) },
            city(&["Queenstown"], "ZA", "", 118_000),
            city(&["Vancouver"], "CA", "CA-BC", 660_000),
            city(&["Vancouver"], "US", "US-WA", 190_000),
        ];
        meant(&CityName::of(name), &cities)
    }

    #[test]
    fn the_town_that_most_would_think_of_is_meant() {
        for name in
            ["Lisbon", "lisboa", " LISBON , Portugal", "Lisbon, PT", "Lisbon (Portugal)", "Lisbon, Lisboa, Portugal"]
        {
            assert!(matches!(find(name), Meant::City(0, _)), "{name}");
        }
        assert_eq!(find("Lisbon"), Meant::City(0, vec![1]), "the other one is told");
        assert_eq!(find("Lisbon, PT"), Meant::City(0, vec![]));
        for (name, index) in [
            ("Lisbon, USA", 1),
            ("Valencia, Spain", 2),
            ("York", 5),
            ("York, UK", 5),
            ("New York", 4),
            ("New York, NY", 4),
            ("New York, N.Y., USA", 4),
            ("Portland", 6),
            ("Portland, Maine", 7),
            ("Portland, OR, United States", 6),
            ("Porto", 8),
            ("Singapore", 10),
            ("Saint Petersburg", 15),
            ("Bali, India", 13),
            ("京都", 17),
            ("京都市", 17),
            ("Calcutta", 18),
            ("Calcutta, South Africa", 19),
            // By the table, against the population.
            ("Queenstown", 20),
            ("Queenstown, South Africa", 21),
            ("Vancouver, BC", 22),
            ("Vancouver, WA", 23),
        ] {
            assert!(matches!(find(name), Meant::City(found, _) if found == index), "{name}: {:?}", find(name));
        }
    }

    #[test]
    fn nothing_is_guessed() {
        assert_eq!(find("Valencia"), Meant::AnyOf(vec![3, 2]));
        assert_eq!(find("Vancouver"), Meant::AnyOf(vec![22, 23]));
        assert_eq!(find("Lisbon, Estremadura"), Meant::AnyOf(vec![0, 1]), "what is no country is not believed");
        for name in [
            "",
            ",",
            "Lisb",
            "Old York",
            "Lisbon, Spain",
            "Lisbon, Maine",
            "Jordan",
            "Jamaica",
            "Bali",
            "Europe",
            "京",
            "Jing Du",
            "Portugal",
        ] {
            assert_eq!(find(name), Meant::None, "{name}");
        }
    }
}
