//! Search words of itineraries and queries, normalised alike to lower-case Latin letters and digits without accents.
//! Other scripts are transliterated.
//!
//! The store does the search.

use std::collections::HashSet;

use crate::content::Everyone;
use crate::regions;

/// The maximum number of distinct words of an itinerary. The summary's are dropped first.
const WORDS: usize = 2_000;
/// Words are cut to this many letters, because the store looks up prefixes of at most this length without a scan.
const LETTERS: usize = 12;

/// The distinct words of an itinerary, separated by spaces: from title, destination and its country, tags, names of
/// stops and summary.
pub fn of(content: &Everyone) -> String {
    let Everyone { title, summary, destination, tags, days, .. } = content;
    let country = destination.country_code.as_ref().and_then(|code| regions::country_name(code));
    let stops = days.iter().flat_map(|day| &day.index().stops).map(|stop| &*stop.name);
    let texts = [&**title, &*destination.name, destination.address.as_deref().unwrap_or_default()];
    let texts = texts.into_iter().chain(country).chain(tags.iter().map(|tag| &**tag)).chain(stops);
    let mut seen = HashSet::new();
    let mut words = String::new();
    for text in texts.chain(summary.as_deref()) {
        for word in folded(text) {
            if seen.len() < WORDS && seen.insert(word.clone()) {
                if !words.is_empty() {
                    words.push(' ');
                }
                words.push_str(&word);
            }
        }
    }
    words
}

/// The maximum number of words of a query. Further words are ignored.
const LOOKED_FOR: usize = 12;

/// The distinct words of a query, in order. The last word is kept at the end even if it occurred before, because it may
/// be an unfinished word.
pub fn looked_for(text: &str) -> Vec<String> {
    let mut words = folded(text);
    words.truncate(LOOKED_FOR);
    let Some(last) = words.pop() else { return words };
    let mut seen = HashSet::new();
    words.retain(|word| seen.insert(word.clone()));
    words.push(last);
    words
}

fn folded(text: &str) -> Vec<String> {
    let plain = deunicode::deunicode(&apart(text)).to_ascii_lowercase();
    let words = plain.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.map(|word| word.chars().take(LETTERS).collect()).collect()
}

/// Puts a space before each ideograph, because such scripts separate no words; each ideograph counts as a word.
fn apart(text: &str) -> String {
    let is_ideograph =
        |c: char| matches!(c, '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}');
    let mut apart = String::with_capacity(text.len());
    for character in text.chars() {
        if is_ideograph(character) {
            apart.push(' ');
        }
        apart.push(character);
    }
    apart
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_folded_alike_however_they_are_written() {
        assert_eq!(looked_for("São Tomé, d'Orsay & 東京"), ["sao", "tome", "d", "orsay", "dong", "jing"]);
        assert_eq!(looked_for("STRASSE straße"), ["strasse", "strasse"]);
        assert_eq!(looked_for("a a b a"), ["a", "b", "a"]);
        assert_eq!(looked_for("a b c d e f g h i j k l m n o p").last().map(String::as_str), Some("l"));
        assert_eq!(looked_for("京都の秋"), ["jing", "du", "no", "qiu"]);
        assert_eq!(looked_for("_public \"x\" OR y* : | &"), ["public", "x", "or", "y"]);
        assert!(looked_for("?! _ \u{301}").is_empty());
        assert_eq!(looked_for(&"x".repeat(200)), ["x".repeat(LETTERS)]);
    }

    #[test]
    fn an_itinerary_is_found_by_what_it_says() {
        let content: Everyone = serde_json::from_value(serde_json::json!({
            "title": "Slow days by the Tejo", "summary": "Trams, and tiles", "startDate": "2027-05-01", "travellers": 2,
            "destination": { "name": "Lisboa", "countryCode": "PT", "coordinate": { "latitude": 38.7, "longitude": -9.1 } },
            "tags": ["food"], "days": [{ "stops": [{ "name": "Sé de Lisboa" }] }]
        }))
        .expect("content");
        assert_eq!(of(&content), "slow days by the tejo lisboa portugal food se de trams and tiles");
    }

    #[test]
    fn search_words_are_limited() {
        let summary: Vec<_> = (0..1_200).map(|n: i32| n.to_string()).collect();
        let stops: Vec<_> = (0..3_000).map(|n| serde_json::json!({ "name": format!("stop{n}") })).collect();
        let days: Vec<_> = stops.chunks(100).map(|stops| serde_json::json!({ "stops": stops })).collect();
        let content: Everyone = serde_json::from_value(serde_json::json!({
            "title": "Many", "summary": summary.join(" "), "startDate": "2027-05-01", "travellers": 2, "tags": [],
            "destination": { "name": "Far", "coordinate": { "latitude": 0, "longitude": 0 } }, "days": days
        }))
        .expect("content");
        assert_eq!(of(&content).split(' ').count(), WORDS);
    }
}
