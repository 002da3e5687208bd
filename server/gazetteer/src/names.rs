//! Selects which of a place's names to keep.
//!
//! The language of a name is unknown: GeoNames' lists do not have it.

use std::collections::HashSet;

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
    fn larger_cities_keep_more_names() {
        let others: Vec<String> = ('a'..='z').map(|letter| format!("Name{letter}")).collect();
        let kept = |population| of_city("City", ["CITY"], others.iter().map(String::as_str), population).len();
        assert_eq!([0, 300_000, 1_000_000].map(kept), [6, 8, 12]);
        let many = of_city("City", others.iter().map(String::as_str), [], 0);
        assert_eq!(many.len(), 27, "all the preferred ones");
    }
}
