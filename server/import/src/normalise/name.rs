//! Names of travellers, as tickets and boarding passes write them.

use super::text;
use crate::item::fold;

/// Titles before or after a name.
const TITLES: [&str; 12] = ["mr", "mrs", "ms", "miss", "mstr", "mx", "dr", "prof", "herr", "frau", "mme", "chd"];
/// Titles that boarding passes join to the given name.
const JOINED: [&str; 4] = ["MSTR", "MISS", "MRS", "MR"];
/// A boarding pass has room for so many characters of a name.
const BOARDING_PASS: usize = 18;

/// A name for people: `Ana Reis` of `REIS/ANA MRS`.
pub(crate) fn readable(name: &str) -> Option<String> {
    let name = text::line(name)?;
    let (given, family) = match name.split_once('/') {
        Some((family, given)) if !given.contains('/') => (without_joined_title(given.trim()), family.trim()),
        _ => (name.as_str(), ""),
    };
    let words: Vec<&str> = given.split(' ').chain(family.split(' ')).filter(|word| !word.is_empty()).collect();
    let kept: Vec<&str> = words.iter().copied().filter(|word| !is_title(word)).collect();
    // `Dr Konqui` is a name; so is `Ms`, if there is nothing else.
    let words = if kept.len() > 1 || (kept.len() == 1 && name.contains('/')) { kept } else { words };
    if words.iter().all(|word| *word == "/") {
        return None;
    }
    let name = words.join(" ");
    let shouts = name.chars().any(char::is_uppercase) && !name.chars().any(char::is_lowercase);
    Some(if shouts { capitalised(&name) } else { name })
}

fn is_title(word: &str) -> bool {
    TITLES.contains(&word.trim_end_matches('.').to_lowercase().as_str())
}

fn without_joined_title(given: &str) -> &str {
    let joined = |title: &&str| given.strip_suffix(*title).filter(|rest| rest.len() >= 3 && !rest.ends_with(' '));
    JOINED.iter().find_map(joined).unwrap_or(given)
}

/// `Anne-Marie O'Neill` of `ANNE-MARIE O'NEILL`.
fn capitalised(name: &str) -> String {
    let mut starts = true;
    let mut written = String::with_capacity(name.len());
    for c in name.chars() {
        if starts {
            written.push(c);
        } else {
            written.extend(c.to_lowercase());
        }
        starts = !c.is_alphanumeric();
    }
    written
}

/// Whether two names are of one traveller: in any order of words, with or without middle names, and cut off as on boarding
/// passes.
pub(crate) fn is_same(a: &str, b: &str) -> bool {
    let (a, b) = (words(a), words(b));
    let (short, long) = if letters(&a) <= letters(&b) { (a, b) } else { (b, a) };
    if short.concat() == long.concat() {
        return true;
    }
    if short.len() < 2 || long.len() < 2 {
        return false;
    }
    // One word may be cut off; a single letter counts only if the whole name is as long as a boarding pass allows.
    let shortest = if letters(&short) >= BOARDING_PASS - 2 { 1 } else { 3 };
    let mut left = long;
    let mut cut = 0;
    let matches = short.iter().all(|word| {
        let at = left.iter().position(|other| other == word).or_else(|| {
            cut += 1;
            left.iter().position(|other| word.len() >= shortest && (other.starts_with(word.as_str())))
        });
        at.map(|at| left.remove(at)).is_some()
    });
    matches && cut <= 1
}

fn words(name: &str) -> Vec<String> {
    fold(name).split(' ').filter(|word| !is_title(word)).map(str::to_owned).collect()
}

fn letters(words: &[String]) -> usize {
    words.iter().map(String::len).sum()
}

/// How well a name is written: long, with accents, in lower case.
pub(crate) fn quality(name: &str) -> (usize, usize, bool) {
    let accents = name.chars().filter(|c| !c.is_ascii()).count();
    (fold(name).len(), accents, name.chars().any(char::is_lowercase))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readable_names() {
        for (text, name) in [
            ("REIS/ANA MRS", "Ana Reis"),
            ("REIS/ANAMRS", "Ana Reis"),
            ("KRAUSE/VOLKERMR     ", "Volker Krause"),
            ("COSTA/ANA MARIA", "Ana Maria Costa"),
            ("O'NEILL/ANNE-MARIE", "Anne-Marie O'Neill"),
            ("ABDEL/AMR", "Amr Abdel"),
            ("Dr Konqui", "Dr Konqui"),
            ("Mr. Tom van der Berg", "Tom van der Berg"),
            ("ANA REIS", "Ana Reis"),
            ("Zoë Łuk", "Zoë Łuk"),
            ("REIS/", "Reis"),
            ("/", "/"),
            ("山田 花子", "山田 花子"),
        ] {
            assert_eq!(readable(text).unwrap_or_default(), if name == "/" { "" } else { name }, "{text}");
        }
    }

    #[test]
    fn same_travellers() {
        for (a, b) in [
            ("Ana Reis", "REIS ANA"),
            ("Zoë Łuk", "Zoe Luk"),
            ("Ana Maria Reis", "Ana Reis"),
            ("Volker Krause", "Volkermr Krause"),
            ("Aleksand Kowalczykiewicz", "Aleksandra Kowalczykiewicz"),
            ("A Kowalczykiewiczowa", "Anna Kowalczykiewiczowa"),
            ("Anamaria Costa", "Ana Maria Costa"),
        ] {
            assert!(is_same(a, b) && is_same(b, a), "{a}, {b}");
        }
        for (a, b) in
            [("Ana Reis", "Rui Reis"), ("Ana Reis", "Ana Costa"), ("A Reis", "Ana Reis"), ("Reis", "Ana Reis")]
        {
            assert!(!is_same(a, b) && !is_same(b, a), "{a}, {b}");
        }
    }
}
