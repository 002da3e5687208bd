//! Rejects characters that make a text look like something else. Does not judge what the text says.

use unicode_width::UnicodeWidthChar as _;

/// The maximum number of successive combining marks. More would cover the lines above and below.
const MARKS: usize = 3;

/// Whether a name can be shown to people: it has visible characters, none that is a control character, is invisible or
/// changes the text direction, and at most three combining marks in a row. Otherwise a name could rearrange or cover the
/// text around it on the consent page.
pub fn is_legible(name: &str) -> bool {
    name.chars().any(char::is_alphanumeric) && !name.chars().any(is_deceptive) && !has_piled_marks(name)
}

fn has_piled_marks(name: &str) -> bool {
    let mut marks = 0;
    name.chars().any(|character| {
        // A character without a width is drawn over the one before it.
        marks = if character.width() == Some(0) { marks + 1 } else { 0 };
        marks > MARKS
    })
}

/// Whether a character is a control character, is invisible, or changes the text direction.
pub fn is_deceptive(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{ad}'
                | '\u{34f}'
                | '\u{61c}'
                | '\u{115f}'..='\u{1160}'
                | '\u{17b4}'..='\u{17b5}'
                | '\u{180b}'..='\u{180f}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{2800}'
                | '\u{3164}'
                | '\u{fe00}'..='\u{fe0f}'
                | '\u{feff}'
                | '\u{ffa0}'
                | '\u{e0000}'..='\u{e0fff}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invisible_and_bidi_characters_are_deceptive() {
        for c in ['\n', '\u{7f}', '\u{ad}', '\u{200b}', '\u{2028}', '\u{202e}', '\u{2066}', '\u{feff}', '\u{e0041}'] {
            assert!(is_deceptive(c) && !is_legible(&format!("a{c}b")), "{c:?}");
        }
        for name in ["Z\u{301}\u{302}\u{303}", "ที่นี่", "हिन्दी", "Việt Nam"] {
            assert!(is_legible(name), "{name}");
        }
        assert!(!is_legible("Z\u{301}\u{302}\u{303}\u{304}algo") && !is_legible(&format!("a{}", "\u{20dd}".repeat(4))));
        assert!(!"Café São Jorge 東京 القاهرة 🌊 \"…\"".chars().any(is_deceptive));
    }
}
