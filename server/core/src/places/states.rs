//! States, provinces and regions that travellers write after the name of a town.

/// Codes in ISO 3166-2, and names. The boundaries have all of them.
const STATES: &[(&str, &str)] = &[
    ("US-AL", "alabama"),
    ("US-AK", "alaska"),
    ("US-AZ", "arizona"),
    ("US-AR", "arkansas"),
    ("US-CA", "california"),
    ("US-CO", "colorado"),
    ("US-CT", "connecticut"),
    ("US-DE", "delaware"),
    ("US-DC", "district of columbia"),
    ("US-FL", "florida"),
    ("US-GA", "georgia"),
    ("US-HI", "hawaii"),
    ("US-ID", "idaho"),
    ("US-IL", "illinois"),
    ("US-IN", "indiana"),
    ("US-IA", "iowa"),
    ("US-KS", "kansas"),
    ("US-KY", "kentucky"),
    ("US-LA", "louisiana"),
    ("US-ME", "maine"),
    ("US-MD", "maryland"),
    ("US-MA", "massachusetts"),
    ("US-MI", "michigan"),
    ("US-MN", "minnesota"),
    ("US-MS", "mississippi"),
    ("US-MO", "missouri"),
    ("US-MT", "montana"),
    ("US-NE", "nebraska"),
    ("US-NV", "nevada"),
    ("US-NH", "new hampshire"),
    ("US-NJ", "new jersey"),
    ("US-NM", "new mexico"),
    ("US-NY", "new york"),
    ("US-NC", "north carolina"),
    ("US-ND", "north dakota"),
    ("US-OH", "ohio"),
    ("US-OK", "oklahoma"),
    ("US-OR", "oregon"),
    ("US-PA", "pennsylvania"),
    ("US-RI", "rhode island"),
    ("US-SC", "south carolina"),
    ("US-SD", "south dakota"),
    ("US-TN", "tennessee"),
    ("US-TX", "texas"),
    ("US-UT", "utah"),
    ("US-VT", "vermont"),
    ("US-VA", "virginia"),
    ("US-WA", "washington"),
    ("US-WV", "west virginia"),
    ("US-WI", "wisconsin"),
    ("US-WY", "wyoming"),
    ("CA-AB", "alberta"),
    ("CA-BC", "british columbia"),
    ("CA-MB", "manitoba"),
    ("CA-NB", "new brunswick"),
    ("CA-NL", "newfoundland"),
    ("CA-NL", "newfoundland and labrador"),
    ("CA-NS", "nova scotia"),
    ("CA-NT", "northwest territories"),
    ("CA-NU", "nunavut"),
    ("CA-ON", "ontario"),
    ("CA-PE", "prince edward island"),
    ("CA-QC", "quebec"),
    ("CA-SK", "saskatchewan"),
    ("CA-YT", "yukon"),
    ("AU-ACT", "australian capital territory"),
    ("AU-NSW", "new south wales"),
    ("AU-NT", "northern territory"),
    ("AU-QLD", "queensland"),
    ("AU-SA", "south australia"),
    ("AU-TAS", "tasmania"),
    ("AU-VIC", "victoria"),
    ("AU-WA", "western australia"),
    ("ES-AN", "andalucia"),
    ("ES-AN", "andalusia"),
    ("ES-CT", "catalonia"),
    ("ES-CT", "catalunya"),
    ("ES-PV", "basque country"),
    ("IN-GA", "goa"),
    ("IN-KA", "karnataka"),
    ("IN-KL", "kerala"),
    ("IN-MH", "maharashtra"),
    ("IN-RJ", "rajasthan"),
    ("IN-TN", "tamil nadu"),
    ("IN-UP", "uttar pradesh"),
    ("IN-WB", "west bengal"),
    ("IT-82", "sicilia"),
    ("IT-82", "sicily"),
    ("IT-88", "sardegna"),
    ("IT-88", "sardinia"),
];

/// Countries whose states are also written as codes alone: `Vancouver, BC`.
const WITH_CODES: [&str; 3] = ["US", "CA", "AU"];

/// The states with a name or code: `WA` is Washington and Western Australia. `folded` is the text without case and
/// punctuation.
pub(super) fn states(text: &str, folded: &str) -> Vec<&'static str> {
    let letters: String = text.chars().filter(|c| !matches!(c, '.' | ' ')).collect();
    let is_code = |code: &str| WITH_CODES.contains(&&code[..2]) && code[3..].eq_ignore_ascii_case(&letters);
    STATES.iter().filter(|(code, name)| *name == folded || is_code(code)).map(|(code, _)| *code).collect()
}

/// Whether a state of the United States has the name.
pub(super) fn is_of_united_states(folded: &str) -> bool {
    STATES.iter().any(|(code, name)| code.starts_with("US-") && *name == folded)
}

#[cfg(test)]
mod tests {
    use super::states;

    #[test]
    fn states_have_names_and_some_have_codes() {
        assert_eq!(states("BC", "bc"), ["CA-BC"]);
        assert_eq!(states("N.Y.", "n y"), ["US-NY"]);
        assert_eq!(states("wa", "wa"), ["US-WA", "AU-WA"]);
        assert_eq!(states("Kerala", "kerala"), ["IN-KL"]);
        assert!(states("KL", "kl").is_empty(), "Kuala Lumpur");
    }
}
