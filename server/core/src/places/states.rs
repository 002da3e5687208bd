//! The states of the United States, which often follow the name of a town.

/// Code and name.
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
];

/// The state with a name or code. `folded` is the text without case and punctuation.
pub(super) fn state(text: &str, folded: &str) -> Option<&'static str> {
    let letters: String = text.chars().filter(|c| !matches!(c, '.' | ' ')).collect();
    let is_code = |code: &str| letters.len() == 2 && code[3..].eq_ignore_ascii_case(&letters);
    STATES.iter().find(|(code, name)| *name == folded || is_code(code)).map(|(code, _)| *code)
}

pub(super) fn is_state(folded: &str) -> bool {
    STATES.iter().any(|(_, name)| *name == folded)
}
