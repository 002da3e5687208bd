//! Text of travellers, made safe to stand beside ours.

use url::Url;

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

/// A traveller's link as it is shown to people: without user information, which could make it look like a link to another
/// site, and in ASCII, so that no character of it changes the direction of the text. `None` if it is not a web address.
pub(crate) fn link(address: &str) -> Option<String> {
    let mut url = Url::parse(address).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
    url.set_username("").ok()?;
    url.set_password(None).ok()?;
    Some(url.into())
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
    fn control_and_direction_characters_are_removed() {
        assert_eq!(clean("a\u{202e}b\u{2066}c\0d\r\ne\u{ffff}\u{2028}f\u{85}"), "abcd\nef");
        assert_eq!(clean("שלום é 🗼"), "שלום é 🗼");
        assert_eq!(line(" a\n\tb \u{202e} c\r\n"), "a b c");
    }

    #[test]
    fn a_link_has_no_user_information_and_no_marks() {
        for (address, shown) in [
            ("https://tours.example/sintra?id=7&lang=pt#top", "https://tours.example/sintra?id=7&lang=pt#top"),
            ("https://bank.example@evil.example/pay", "https://evil.example/pay"),
            ("https://ana:secret@evil.example:8443/", "https://evil.example:8443/"),
            ("https://tours.example/\u{202e}moc.knab//:sptth", "https://tours.example/%E2%80%AEmoc.knab//:sptth"),
            ("https://bücher.example/é?q=\u{200f}", "https://xn--bcher-kva.example/%C3%A9?q=%E2%80%8F"),
        ] {
            assert_eq!(link(address).as_deref(), Some(shown));
        }
        assert_eq!(link("javascript:alert(1)"), None);
    }
}
