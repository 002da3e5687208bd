//! Flight numbers and airports in text.

/// A flight number as the airline's code and the number without leading zeros: `LH 0489` is (`LH`, `489`). `None` if the
/// text is anything else.
pub(crate) fn flight(text: &str) -> Option<(String, String)> {
    let text: String = text.chars().filter(|c| !c.is_whitespace() && *c != '-').take(12).collect();
    if !text.is_ascii() || text.len() > 9 {
        return None;
    }
    // Three letters of ICAO, or two characters of IATA with at least one letter.
    let is_icao = text.len() > 3 && text.bytes().take(3).all(|byte| byte.is_ascii_uppercase());
    let (code, number) = text.split_at_checked(if is_icao { 3 } else { 2 })?;
    let is_code = code.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
        && code.bytes().any(|byte| byte.is_ascii_uppercase());
    let digits = number.trim_end_matches(|c: char| c.is_ascii_uppercase());
    let is_number = (1..=5).contains(&digits.len())
        && number.len() - digits.len() <= 1
        && digits.bytes().all(|byte| byte.is_ascii_digit());
    (is_code && is_number).then(|| (code.to_owned(), without_zeros(number)))
}

/// Without leading zeros; one zero of nothing but zeros.
pub(crate) fn without_zeros(text: &str) -> String {
    let rest = text.trim_start_matches('0');
    if rest.is_empty() { text.get(..1).unwrap_or_default().to_owned() } else { rest.to_owned() }
}

/// Whether the text is the IATA code of an airport by its form.
pub(crate) fn is_airport(text: &str) -> bool {
    text.len() == 3 && text.bytes().all(|byte| byte.is_ascii_uppercase())
}

/// The name and the code of `Lisbon (LIS)`.
pub(super) fn airport_in_full(text: &str) -> Option<(&str, &str)> {
    let (name, code) = text.trim().strip_suffix(')')?.rsplit_once('(')?;
    is_airport(code.trim()).then(|| (name.trim().trim_end_matches(','), code.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flight_numbers() {
        for (text, code, number) in [
            ("LH489", "LH", "489"),
            ("LH 0489", "LH", "489"),
            ("4U 8465", "4U", "8465"),
            ("U2-1234", "U2", "1234"),
            ("EZY8724", "EZY", "8724"),
            ("W61234", "W6", "1234"),
            ("TP672A", "TP", "672A"),
            ("QF1", "QF", "1"),
        ] {
            assert_eq!(flight(text), Some((code.to_owned(), number.to_owned())), "{text}");
        }
        for text in
            ["", "L", "LH", "12345", "ICE", "lh489", "LH 123456", "Flight 12", "LHR", "A1B2C3", "LH489 FRA", "ÄH489"]
        {
            assert_eq!(flight(text), None, "{text}");
        }
    }

    #[test]
    fn airports() {
        assert_eq!(airport_in_full("Lisbon, (LIS)"), Some(("Lisbon", "LIS")));
        assert_eq!(airport_in_full("Lisbon (Airport)"), None);
        assert_eq!(airport_in_full("Lisbon"), None);
        assert_eq!(without_zeros("00"), "0");
        assert_eq!(without_zeros(""), "");
    }
}
