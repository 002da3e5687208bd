//! Selects which of a place's names to keep.
//!
//! The language of a name is unknown: GeoNames' lists do not have it.

use std::collections::HashSet;
use std::ops::RangeInclusive;

/// The name in ASCII lower case with single spaces: names that differ only in case and accents fold to the same text.
pub fn fold(name: &str) -> String {
    let plain = deunicode::deunicode(name).to_lowercase();
    let folded = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    if folded.is_empty() { name.trim().to_lowercase() } else { folded }
}

/// The name as part of an id: folded, with hyphens for all characters except letters and digits.
pub fn slug(name: &str) -> String {
    let folded = fold(name).replace(['\'', '`'], "");
    let words = folded.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-")
}

/// The number of names to keep, by population: larger cities have names in more languages.
const fn limit(population: u32) -> usize {
    match population {
        1_000_000.. => 12,
        300_000.. => 8,
        _ => 6,
    }
}

/// The names of a city to keep: the first and the preferred ones. If there are no preferred ones: the others that
/// travellers could write, in the given order, up to a limit that depends on the population. Omits names that differ
/// from another only in case and accents, and others that contain all words of the first, such as "London City".
pub fn of_city<'a>(
    name: &'a str,
    preferred: impl IntoIterator<Item = &'a str>,
    others: impl IntoIterator<Item = &'a str>,
    population: u32,
) -> Vec<String> {
    let chosen = distinct(name, preferred);
    if chosen.len() > 1 {
        return chosen;
    }
    let own_words = words(name);
    let is_longer = |other: &str| own_words.is_subset(&words(other));
    let others = others.into_iter().filter(|other| is_usual(other) && !is_longer(other));
    let mut names = distinct(name, others);
    names.truncate(limit(population));
    names
}

/// The most names of a city in the scripts of its country, and of one of at least 300,000 inhabitants.
const NATIVE: usize = 6;
const NATIVE_OF_LARGE: usize = 24;
/// The most characters of such a name: Bangkok's ceremonial one has 168.
const LONGEST: usize = 60;

/// Those of the names that are written in the scripts of the country, such as `東京` for Tokyo: in Chinese characters
/// the shortest, in others the most similar to a kept Latin name. None for countries that write in Latin letters.
pub fn native<'a>(
    country: &str,
    kept: &[String],
    others: impl IntoIterator<Item = &'a str>,
    population: u32,
) -> Vec<String> {
    let is_of_country = |(countries, _): &&(&str, Script)| countries.split(' ').any(|code| code == country);
    let Some((_, script)) = SCRIPTS.iter().find(is_of_country) else { return Vec::new() };
    let is_native = |name: &str| name.chars().all(|c| matches!(c, ' ' | '-') || script.iter().any(|r| r.contains(&c)));
    let mut names: Vec<&str> = others.into_iter().map(str::trim).collect();
    names.retain(|name| (1..=LONGEST).contains(&name.chars().count()) && is_native(name));
    if is_native("\u{4e00}") {
        names.sort_by_key(|name| name.chars().count());
    } else {
        let kept: Vec<_> = kept.iter().map(|name| key(name)).collect();
        let likeness = |name: &&str| kept.iter().map(|kept| strsim::jaro_winkler(kept, &key(name))).fold(0.0, f64::max);
        names.sort_by(|a, b| likeness(b).total_cmp(&likeness(a)).then(a.cmp(b)));
    }
    names.dedup();
    names.truncate(if population >= 300_000 { NATIVE_OF_LARGE } else { NATIVE });
    names.into_iter().map(str::to_owned).collect()
}

type Script = &'static [RangeInclusive<char>];

/// Without the marks for vowels, which are hardly ever written.
const ARABIC: Script = &['\u{621}'..='\u{64a}', '\u{66e}'..='\u{6d3}', '\u{200c}'..='\u{200c}'];
const CYRILLIC: Script = &['\u{400}'..='\u{52f}'];
const GREEK: Script = &['\u{370}'..='\u{3ff}', '\u{1f00}'..='\u{1fff}'];
const HAN: Script = &['\u{3400}'..='\u{4dbf}', '\u{4e00}'..='\u{9fff}'];
const HAN_AND_KANA: Script =
    &['\u{3005}'..='\u{3007}', '\u{3040}'..='\u{30ff}', '\u{3400}'..='\u{4dbf}', '\u{4e00}'..='\u{9fff}'];
const HEBREW_AND_ARABIC: Script = &['\u{5d0}'..='\u{5ea}', '\u{621}'..='\u{64a}'];

/// Countries, and the ranges of characters that they write in beside Latin letters.
const SCRIPTS: &[(&str, Script)] = &[
    ("JP", HAN_AND_KANA),
    ("CN HK MO TW", HAN),
    ("KR KP", &['\u{ac00}'..='\u{d7a3}']),
    ("GR CY", GREEK),
    ("RU UA BY BG RS MK KZ KG MN TJ BA ME", CYRILLIC),
    ("AE AF BH DZ EG EH IQ IR JO KW LB LY MA MR OM PK PS QA SA SD SY TN YE", ARABIC),
    ("IL", HEBREW_AND_ARABIC),
    ("TH", &['\u{e00}'..='\u{e7f}']),
    ("LA", &['\u{e80}'..='\u{eff}']),
    ("KH", &['\u{1780}'..='\u{17ff}']),
    ("MM", &['\u{1000}'..='\u{109f}']),
    ("GE", &['\u{10a0}'..='\u{10ff}']),
    ("AM", &['\u{530}'..='\u{58f}']),
    ("ET ER", &['\u{1200}'..='\u{139f}']),
    // From Devanagari to Malayalam.
    ("IN", &['\u{900}'..='\u{d7f}']),
    ("NP", &['\u{900}'..='\u{97f}']),
    ("BD", &['\u{980}'..='\u{9ff}']),
    ("LK", &['\u{b80}'..='\u{bff}', '\u{d80}'..='\u{dff}']),
    ("MV", &['\u{780}'..='\u{7bf}']),
];

/// The names without those that differ from an earlier one only in case and accents.
pub fn distinct<'a>(name: &'a str, others: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut keys = HashSet::from([key(name)]);
    let others = others.into_iter().filter(|other| keys.insert(key(other)));
    [name].into_iter().chain(others).map(str::to_owned).collect()
}

fn words(name: &str) -> HashSet<String> {
    fold(name).split(|c: char| !c.is_ascii_alphanumeric()).map(str::to_owned).collect()
}

/// The folded letters and digits, by which names are compared.
pub fn key(name: &str) -> String {
    fold(name).chars().filter(char::is_ascii_alphanumeric).collect()
}

/// Whether travellers could write the name: 3 to 60 Latin letters that begin with a capital and are not a code.
fn is_usual(name: &str) -> bool {
    let length = name.chars().count();
    let is_code = length <= 4 && name.chars().all(|c| !c.is_lowercase());
    let begins_well = name.chars().next().is_some_and(char::is_uppercase);
    (3..=60).contains(&length) && !is_code && begins_well && name.chars().all(is_latin) && !ends_in_mark(name)
}

fn is_latin(c: char) -> bool {
    // Latin-1, Latin Extended-A and B, Latin Extended Additional; without the modifier letters of transliterations.
    let is_letter = c.is_alphabetic() && matches!(c, 'A'..='z' | '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}');
    is_letter || matches!(c, ' ' | '-' | '\'' | '\u{2019}' | '.')
}

/// Transliterations of Cyrillic end in an apostrophe for the soft sign.
fn ends_in_mark(name: &str) -> bool {
    name.split([' ', '-']).any(|word| word.ends_with(['\'', '\u{2019}']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_folded_to_plain_letters() {
        assert_eq!(fold("  São  Vicente "), "sao vicente");
        assert_eq!(fold("Kraków"), fold("KRAKOW"));
        assert_eq!(slug("St. Peter's Basilica"), "st-peters-basilica");
        assert_eq!(slug("Château d’If"), "chateau-dif");
    }

    #[test]
    fn chosen_are_names_that_travellers_write() {
        let others = [
            "LIS",
            "li si ben",
            "Lisboa",
            "LISBOA",
            "Lisbôa",
            "Lisabon'",
            "http://lisbon",
            "Лисабон",
            "Lisbon City",
            "Lisbonne",
        ];
        assert_eq!(of_city("Lisbon", [], others, 0), ["Lisbon", "Lisboa", "Lisbonne"]);
        assert_eq!(of_city("Lisbon", ["Lisbonne", "LISBON", "L.A."], others, 0), ["Lisbon", "Lisbonne", "L.A."]);
        assert_eq!(of_city("Zürich", [], ["Zurich", "Zuerich", "Turicum"], 0), ["Zürich", "Zuerich", "Turicum"]);
    }

    #[test]
    fn names_in_the_scripts_of_the_country_are_kept() {
        let others = ["Tokio", "東京都", "Токио", "東京", "とうきょう", "도쿄", "江戸東京"];
        assert_eq!(native("JP", &[], others, 0), ["東京", "東京都", "江戸東京", "とうきょう"]);
        let kept = ["Moscow".to_owned(), "Moskva".to_owned()];
        let others = ["Маскав", "Муско", "Масква", "Мускав", "Москва", "Москох"];
        assert_eq!(native("RU", &kept, others, 0)[0], "Москва");
        assert_eq!(native("RU", &kept, others, 0).len(), 6);
        assert_eq!(native("RU", &kept, ["Питер"; 2], 0), ["Питер"]);
        assert_eq!(native("PT", &kept, others, 0), [""; 0]);
    }

    #[test]
    fn larger_cities_keep_more_names() {
        let others: Vec<String> = ('a'..='z').map(|letter| format!("Name{letter}")).collect();
        let kept = |population| of_city("City", ["CITY"], others.iter().map(String::as_str), population).len();
        assert_eq!([0, 300_000, 1_000_000].map(kept), [6, 8, 12]);
        let many = of_city("City", others.iter().map(String::as_str), [], 0);
        assert_eq!(many.len(), 27, "all the preferred ones");
    }
}
