//! Text with its lines, of HTML too, and its beginnings.

use std::borrow::Cow;

/// Text with line breaks where HTML has them and without its tags. Text without tags is returned as it is.
pub(super) fn plain(text: &str) -> Cow<'_, str> {
    let is_tag = |at: usize| text[at + 1..].starts_with(|c: char| c.is_ascii_alphabetic() || c == '/');
    if !text.match_indices('<').any(|(at, _)| is_tag(at)) && !text.contains("&amp;") {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, tag)) = rest.split_once('<') {
        plain.push_str(before);
        if !tag.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/') {
            plain.push('<');
            rest = tag;
            continue;
        }
        // What is left has no further tag.
        let Some((tag, after)) = tag.split_once('>') else {
            plain.push('<');
            rest = tag;
            break;
        };
        let name: String = tag.trim_start_matches('/').chars().take_while(char::is_ascii_alphanumeric).collect();
        if matches!(
            name.to_ascii_lowercase().as_str(),
            "br" | "p" | "div" | "li" | "tr" | "h1" | "h2" | "h3" | "table" | "ul"
        ) {
            plain.push('\n');
        }
        rest = after;
    }
    plain.push_str(rest);
    let entities = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&nbsp;", " "), ("&amp;", "&")];
    Cow::Owned(entities.iter().fold(plain, |text, (entity, character)| text.replace(entity, character)))
}

/// The text trimmed, if it is not blank.
pub(super) fn some(text: &str) -> Option<String> {
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// The rest of a text that begins with some words, in whatever case.
pub(super) fn after<'t>(text: &'t str, words: &str) -> Option<&'t str> {
    let (start, rest) = text.split_at_checked(words.len())?;
    start.eq_ignore_ascii_case(words).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn html_as_text() {
        assert_eq!(
            plain("Class: Economy<br>PNR: <span class=\"x\">Q7</span><BR/>Fish &amp; chips"),
            "Class: Economy\nPNR: Q7\nFish & chips"
        );
        assert_eq!(plain("1 < 2 & 3 > 2"), "1 < 2 & 3 > 2");
        assert_eq!(plain("<b>1 < 2</b> <unclosed"), "1 < 2 <unclosed");
    }
}
