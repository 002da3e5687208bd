//! Ways in words: `LH1234 FRA to LIS`, `Train 5186 from Nîmes to Lyon`, `AMS → LIS`.

use crate::booking::Spot;
use crate::readers::number;
use crate::readers::text;

/// What a text says about a flight.
#[derive(Debug, Default, PartialEq)]
pub(super) struct FlightWords {
    /// The airline's code and the number.
    pub(super) number: Option<(String, String)>,
    pub(super) from: Spot,
    pub(super) to: Spot,
}

/// Words for a flight. Each is a whole word.
const FLIGHT_WORDS: [&str; 12] =
    ["flight", "flug", "vol", "vuelo", "volo", "voo", "vlucht", "flights", "✈", "✈️", "🛫", "departure"];

/// What stands between two places.
const BETWEEN: [&str; 14] =
    [" → ", "→", " -> ", "->", " – ", " — ", " to ", " nach ", " naar ", " vers ", " - ", " > ", " ➔ ", " a "];

/// The words of a text, without marks around them.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let marks = |c: char| !c.is_alphanumeric() && c != '✈';
    let between =
        |c: char| c.is_whitespace() || matches!(c, '-' | '–' | '—' | '→' | '>' | '/' | '|' | ',' | '(' | ')' | ':');
    text.split(between).map(move |word| word.trim_matches(marks)).filter(|word| !word.is_empty())
}

/// Reads a flight. `None` if the text is of something else: a flight has a number and two airports, or one of these and a
/// word for a flight, or begins with `Flight to`.
pub(super) fn flight(text: &str) -> Option<FlightWords> {
    let mut found = FlightWords { number: flight_number(text), ..FlightWords::default() };
    let has_word = words(text).any(|word| FLIGHT_WORDS.contains(&word.to_lowercase().as_str()));
    let airports: Vec<&str> = words(text).filter(|word| number::is_airport(word)).collect();
    if let [from, to] = airports.as_slice()
        && from != to
    {
        found.from = full(text, from);
        found.to = full(text, to);
        return (has_word || found.number.is_some()).then_some(found);
    }
    if !has_word {
        return None;
    }
    let to = ["flight to ", "flug nach ", "vol pour ", "vuelo a ", "volo per "];
    if let Some(to) = to.iter().find_map(|start| text::after(text, start)) {
        found.to = named(to.split('(').next().unwrap_or(to));
    } else if let Some((from, to)) = places(text) {
        (found.from, found.to) = (named(from), named(to));
    }
    (found.number.is_some() || found.to != Spot::default()).then_some(found)
}

/// The first flight number of a text, whose code may be apart: `LH 1234`.
pub(super) fn flight_number(text: &str) -> Option<(String, String)> {
    let words: Vec<&str> = words(text).collect();
    let joined = words.iter().enumerate().find_map(|(at, word)| {
        let is_code = word.len() == 2 || number::is_airport(word);
        let next = words
            .get(at + 1)
            .filter(|next| is_code && next.len() <= 5 && next.starts_with(|c: char| c.is_ascii_digit()));
        next.and_then(|next| number::flight(&format!("{word}{next}"))).or_else(|| {
            // A code of two characters and one more would be a word such as `A1`.
            number::flight(word).filter(|_| word.len() > 3 || !word.starts_with(|c: char| c.is_ascii_digit()))
        })
    });
    joined.filter(|(code, _)| !matches!(code.as_str(), "IC" | "RE" | "RB" | "EC" | "NJ" | "RJ" | "AM" | "PM"))
}

/// The airport of a code with the name before it, if the text has one as `Lisbon (LIS)`.
fn full(text: &str, code: &str) -> Spot {
    let name = text.find(&format!("({code})")).map(|at| &text[..at]).map(|before| {
        let start = BETWEEN.iter().filter_map(|mark| before.rfind(mark).map(|at| at + mark.len())).max();
        let name = before[start.unwrap_or_default()..].trim().trim_end_matches(',');
        text::after(name, "from ").unwrap_or(name)
    });
    // The name behind the number of the flight is not told from the flight's own words.
    let name = name.filter(|name| {
        flight_number(name).is_none() && !words(name).any(|w| FLIGHT_WORDS.contains(&w.to_lowercase().as_str()))
    });
    Spot { code: Some(code.to_owned()), name: name.and_then(text::some), ..Spot::default() }
}

/// A place by its name, or by name and code.
pub(super) fn named(name: &str) -> Spot {
    match number::airport_in_full(name) {
        Some((name, code)) => Spot { name: text::some(name), code: Some(code.to_owned()), ..Spot::default() },
        None if number::is_airport(name.trim()) => Spot { code: text::some(name), ..Spot::default() },
        None => Spot { name: text::some(name), ..Spot::default() },
    }
}

/// The two places of `from A to B`, `A → B` or `A - B`. Anything before `from` is left out.
pub(super) fn places(text: &str) -> Option<(&str, &str)> {
    let starts = [" from ", " von ", " de ", " da ", " van "];
    let text = starts.iter().find_map(|start| text.find(start).map(|at| &text[at + start.len()..])).unwrap_or(text);
    let text = ["from ", "von "].iter().find_map(|start| text::after(text, start)).unwrap_or(text);
    let mark = BETWEEN.iter().find(|mark| text.contains(**mark))?;
    let (from, to) = text.split_once(mark)?;
    let (from, to) = (from.trim(), to.trim());
    (!from.is_empty() && !to.is_empty()).then_some((from, to))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flights_in_words() {
        for (text, number, from, to) in [
            ("LH1234 FRA to LIS", Some("LH1234"), "FRA", "LIS"),
            ("Flight: LH1234 FRA to LIS", Some("LH1234"), "FRA", "LIS"),
            ("NK 859 FLL to CTG", Some("NK859"), "FLL", "CTG"),
            ("Flight UA 110 from SFO to JFK", Some("UA110"), "SFO", "JFK"),
            ("TP1363 AMS → LIS", Some("TP1363"), "AMS", "LIS"),
            ("Flug LX 1234, Zürich (ZRH) - Lissabon (LIS)", Some("LX1234"), "ZRH", "LIS"),
            ("✈ FRA-LIS", None, "FRA", "LIS"),
            ("Vuelo IB3102 MAD/LIS", Some("IB3102"), "MAD", "LIS"),
            ("EZY8724 MRS-LGW", Some("EZY8724"), "MRS", "LGW"),
            ("Flight to Lisbon (TP 1363)", Some("TP1363"), "", "Lisbon"),
            ("Flight LH 1234 from Frankfurt to Lisbon", Some("LH1234"), "Frankfurt", "Lisbon"),
            ("Flight to Paris", None, "", "Paris"),
        ] {
            let found = flight(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!(found.number.map(|(code, number)| code + &number).as_deref(), number, "{text}");
            let end = |spot: Spot| spot.code.or(spot.name).unwrap_or_default();
            assert_eq!((end(found.from), end(found.to)), (from.to_owned(), to.to_owned()), "{text}");
        }
        let named = flight("Flug LX 1234, Zürich (ZRH) - Lissabon (LIS)").unwrap();
        assert_eq!(named.to.name.as_deref(), Some("Lissabon"));
        for text in [
            "",
            "Dinner with Ana",
            "Team sync Q3 2026",
            "ICE 1234 Berlin - Hamburg",
            "USA trip",
            "Meeting A1 to B2",
            "BBC and NHK",
        ] {
            assert_eq!(flight(text), None, "{text}");
        }
    }

    #[test]
    fn two_places() {
        for (text, from, to) in [
            ("Train 5186 from Nîmes Gare to Lyon Part-Dieu", "Nîmes Gare", "Lyon Part-Dieu"),
            ("Berlin Hbf → Hamburg Hbf", "Berlin Hbf", "Hamburg Hbf"),
            ("Berlin Hbf - Hamburg-Harburg", "Berlin Hbf", "Hamburg-Harburg"),
        ] {
            assert_eq!(places(text), Some((from, to)), "{text}");
        }
        assert_eq!(places("Lyon Part-Dieu"), None);
    }
}
