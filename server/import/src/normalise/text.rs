//! Texts and codes within the API's limits.

use itinerary_api::types::CabinClass;
use itinerary_api::values::{CountryCode, WebUrl, limits};

use crate::readers::number;

/// One line without control characters and repeated spaces. `None` if nothing remains.
pub(crate) fn line(text: &str) -> Option<String> {
    let spaced: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let line = spaced.split_whitespace().collect::<Vec<_>>().join(" ");
    (!line.is_empty()).then_some(line)
}

/// Lines without control characters, trimmed. `None` if nothing remains.
pub(crate) fn lines(text: &str) -> Option<String> {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let kept: String = text.chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')).collect();
    let trimmed = kept.trim();
    (!trimmed.is_empty()).then(|| trimmed.to_owned())
}

/// The first `max` characters, and whether that is not all.
pub(crate) fn cut(text: String, max: usize) -> (String, bool) {
    match text.char_indices().nth(max) {
        None => (text, false),
        Some((at, _)) => (text[..at].trim_end().to_owned(), true),
    }
}

/// A web address without credentials of its own. `None` if it is no `http` or `https` address, or too long.
pub(crate) fn url(text: &str) -> Option<WebUrl> {
    WebUrl::new(text.trim()).ok()
}

/// A country's code from its code or its English name.
pub(crate) fn country(text: &str) -> Option<CountryCode> {
    let text = text.trim();
    let upper = text.to_uppercase();
    let code = match upper.as_str() {
        "UK" | "ENGLAND" | "SCOTLAND" | "WALES" | "GREAT BRITAIN" | "UNITED KINGDOM" | "GBR" => "GB".to_owned(),
        "USA" | "UNITED STATES" | "UNITED STATES OF AMERICA" => "US".to_owned(),
        "DEUTSCHLAND" | "DEU" => "DE".to_owned(),
        _ if upper.len() == 2 => upper,
        _ => iso_currency::Country::from_name(text)?.to_string(),
    };
    CountryCode::new(code).ok()
}

/// An airport's code. `None` if the text is not three letters.
pub(crate) fn airport(text: &str) -> Option<String> {
    let code = text.trim().to_uppercase();
    number::is_airport(&code).then_some(code)
}

/// A flight number with the airline's code and without leading zeros: `TP1363` of `TP 1363`, or of `1363` and the airline `TP`.
pub(crate) fn flight_number(text: &str, airline: Option<&str>) -> Option<String> {
    let number = line(text)?.to_uppercase();
    let compact: String = number.chars().filter(|c| !matches!(c, ' ' | '-')).collect();
    let digits = compact.trim_end_matches(|c: char| c.is_ascii_uppercase());
    let is_plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) && digits.len() <= 5;
    if is_plain && compact.len() - digits.len() <= 1 {
        return Some(format!("{}{}", airline.unwrap_or_default(), number::without_zeros(&compact)));
    }
    match number::flight(&compact) {
        Some((code, number)) => Some(code + &number),
        None => Some(number),
    }
}

/// The cabin class of its name or its letter in fares.
pub(crate) fn cabin(text: &str) -> Option<CabinClass> {
    let text = text.trim().to_lowercase();
    match text.as_str() {
        "f" | "a" => return Some(CabinClass::First),
        "c" | "j" | "d" => return Some(CabinClass::Business),
        "w" => return Some(CabinClass::PremiumEconomy),
        "y" | "m" => return Some(CabinClass::Economy),
        _ => {}
    }
    let named = [
        ("premium", CabinClass::PremiumEconomy),
        ("business", CabinClass::Business),
        ("first", CabinClass::First),
        ("econom", CabinClass::Economy),
        ("coach", CabinClass::Economy),
    ];
    named.iter().find(|(name, _)| text.contains(name)).map(|(_, class)| *class)
}

/// A code of a company, upper case. `None` if it is longer than the API's.
pub(crate) fn company_code(text: &str) -> Option<String> {
    line(text).map(|code| code.to_uppercase()).filter(|code| code.chars().count() <= 10)
}

/// The longest line that a field of this name holds, in characters.
pub(crate) fn longest(path: &str) -> usize {
    match path.rsplit('.').next().unwrap_or_default() {
        "address" => limits::ADDRESS,
        "confirmationNumber" => limits::CONFIRMATION_NUMBER,
        "notes" => limits::NOTES,
        _ => limits::LABEL,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flight_numbers() {
        let of = |text, airline| flight_number(text, airline).unwrap();
        assert_eq!(of("TP 1363", None), "TP1363");
        assert_eq!(of("1363", Some("TP")), "TP1363");
        assert_eq!(of("0672", Some("TP")), "TP672");
        assert_eq!(of("tp-0672a", Some("TP")), "TP672A");
        assert_eq!(of("4U 8465", Some("EW")), "4U8465");
        assert_eq!(of("LH1363", Some("LH")), "LH1363");
        assert_eq!(of("110", None), "110");
        assert_eq!(of("Charter flight", None), "CHARTER FLIGHT");
        assert_eq!(flight_number(" \u{0}", None), None);
    }

    #[test]
    fn texts() {
        assert_eq!(line(" A\u{0}\tB \n C\u{85} ").as_deref(), Some("A B C"));
        assert_eq!(line(" \u{1} "), None);
        assert_eq!(lines(" one\r\ntwo\u{7}\rthree ").as_deref(), Some("one\ntwo\nthree"));
        assert_eq!(cut("Überall".to_owned(), 4), ("Über".to_owned(), true));
        assert_eq!(cut("Über".to_owned(), 4), ("Über".to_owned(), false));
    }

    #[test]
    fn codes() {
        assert_eq!(airport("lis").as_deref(), Some("LIS"));
        assert_eq!(airport("LISB"), None);
        assert_eq!(airport("uic:8000105"), None);
        for (text, code) in [("pt", "PT"), ("Portugal", "PT"), ("USA", "US"), ("UK", "GB"), ("XK", "XK")] {
            assert_eq!(country(text).as_deref(), Some(code), "{text}");
        }
        assert_eq!(country("Atlantis"), None);
        assert_eq!(cabin("Premium Economy"), Some(CabinClass::PremiumEconomy));
        assert_eq!(cabin("ECONOMY LIGHT"), Some(CabinClass::Economy));
        assert_eq!(cabin("2nd"), None);
        assert!(url("https://example.com/b?x=1").is_some());
        assert!(url("javascript:alert(1)").is_none() && url("mailto:a@example.com").is_none());
    }
}
