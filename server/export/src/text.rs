//! Text of travellers, made safe to stand beside ours.

/// Removes what no format can carry or what would change the text around it: control characters except newline and tab,
/// the characters that embed, override or isolate a text direction, line and paragraph separators, and noncharacters that
/// XML forbids.
pub(crate) fn clean(text: &str) -> String {
    let is_kept = |c: &char| match c {
        '\n' | '\t' => true,
        '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{fffe}' | '\u{ffff}' => false,
        c => !c.is_control(),
    };
    text.chars().filter(is_kept).collect()
}

/// The text as one line: runs of blanks and newlines become one space.
pub(crate) fn line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for word in clean(text).split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    line
}

/// Joins the texts that are not empty.
pub(crate) fn join(parts: impl IntoIterator<Item = String>, separator: &str) -> String {
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.join(separator)
}

/// Escapes text for HTML, and for XML in elements and in attributes in double quotes.
pub(crate) fn markup(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_change_its_surroundings_is_removed() {
        assert_eq!(clean("a\u{202e}b\u{2066}c\0d\r\ne\u{ffff}\u{2028}f\u{85}"), "abcd\nef");
        assert_eq!(clean("שלום é 🗼"), "שלום é 🗼");
        assert_eq!(line(" a\n\tb \u{202e} c\r\n"), "a b c");
    }
}
