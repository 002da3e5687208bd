//! Bytes to text: charsets, and text of HTML without its tags.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};
use mail_parser::decoders::html::html_to_text;

/// The start of a page, in which it may name its charset.
const DECLARATION_BYTES: usize = 2_048;

/// Decodes text. A byte order mark wins over `declared`, the charset of the media type. Without both, text that is valid
/// UTF-8 is that, and other text is in the charset that it names itself, or in Windows-1252.
pub(crate) fn decode<'a>(content: &'a [u8], declared: Option<&str>) -> Cow<'a, str> {
    if let Some((encoding, mark)) = Encoding::for_bom(content) {
        return encoding.decode_without_bom_handling(&content[mark..]).0;
    }
    if let Some(encoding) = declared.and_then(|label| Encoding::for_label(label.as_bytes())) {
        return encoding.decode_without_bom_handling(content).0;
    }
    let encoding = match named_in(content) {
        // Pages that were sent on are often UTF-8 in spite of what they say.
        Some(named) if !content.is_ascii() && std::str::from_utf8(content).is_err() => named,
        Some(named) if content.is_ascii() && !named.is_ascii_compatible() => named,
        _ if std::str::from_utf8(content).is_ok() => UTF_8,
        _ => WINDOWS_1252,
    };
    encoding.decode_without_bom_handling(content).0
}

/// The charset of `<meta charset>` or of an XML declaration.
fn named_in(content: &[u8]) -> Option<&'static Encoding> {
    let head = &content[..content.len().min(DECLARATION_BYTES)];
    let head = head.to_ascii_lowercase();
    let at =
        ["charset=", "encoding="].iter().find_map(|name| find(&head, name.as_bytes()).map(|at| at + name.len()))?;
    let label = head[at..].iter().copied().skip_while(|byte| matches!(byte, b'"' | b'\''));
    let label: Vec<u8> = label.take_while(|byte| byte.is_ascii_alphanumeric() || b"-_:.".contains(byte)).collect();
    Encoding::for_label(&label)
}

/// The first position of `word` in `text`.
pub(crate) fn find(text: &[u8], word: &[u8]) -> Option<usize> {
    memchr::memmem::find(text, word)
}

/// Whether `text` has `word`, in any case of ASCII letters.
pub(crate) fn contains_ignoring_case(text: &[u8], word: &[u8]) -> bool {
    positions_ignoring_case(text, word).next().is_some()
}

/// The positions of `word` in `text`, in any case of ASCII letters. `word` must not be empty.
pub(crate) fn positions_ignoring_case<'a>(text: &'a [u8], word: &'a [u8]) -> impl Iterator<Item = usize> + 'a {
    let first = word[0];
    memchr::memchr2_iter(first.to_ascii_lowercase(), first.to_ascii_uppercase(), text)
        .filter(move |at| text.get(*at..at + word.len()).is_some_and(|found| found.eq_ignore_ascii_case(word)))
}

/// The charset of a media type, such as `text/html; charset=utf-8`.
pub(crate) fn charset_of(media_type: &str) -> Option<&str> {
    media_type.split(';').skip(1).find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        name.trim().eq_ignore_ascii_case("charset").then(|| value.trim().trim_matches('"'))
    })
}

/// Text for people: without tags and entities of HTML, with single spaces, trimmed. None if nothing remains.
pub(crate) fn plain(text: &str) -> Option<String> {
    let text = if looks_like_html(text) { Cow::Owned(html_to_text(text)) } else { Cow::Borrowed(text) };
    Some(single_spaced(&text)).filter(|text| !text.is_empty())
}

/// As [`plain`], but keeps line breaks.
pub(crate) fn plain_lines(text: &str) -> Option<String> {
    let text = if looks_like_html(text) { Cow::Owned(html_to_text(text)) } else { Cow::Borrowed(text) };
    let lines: Vec<String> = text.lines().map(single_spaced).collect();
    let text = lines.join("\n");
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

fn single_spaced(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether a text has an entity or a tag: `Fish & Chips <3` has none.
fn looks_like_html(text: &str) -> bool {
    let starts = |mark: char, follows: fn(char) -> bool, ends: char| {
        text.match_indices(mark).any(|(at, _)| {
            let rest = &text[at + 1..];
            rest.starts_with(follows) && rest.chars().take(200).any(|character| character == ends)
        })
    };
    starts('&', |next| next.is_ascii_alphabetic() || next == '#', ';')
        || starts('<', |next| next.is_ascii_alphabetic() || next == '/' || next == '!', '>')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn charsets_are_found() {
        assert_eq!(decode(b"\xef\xbb\xbfK\xc3\xb6ln", Some("iso-8859-1")), "Köln");
        assert_eq!(decode(b"\xff\xfeK\0\xf6\0", None), "Kö");
        assert_eq!(decode(b"K\xf6ln", Some("iso-8859-1")), "Köln");
        assert_eq!(decode(b"K\xc3\xb6ln", None), "Köln");
        assert_eq!(decode(b"K\xf6ln", None), "Köln");
        assert_eq!(decode(b"<meta charset=\"iso-8859-2\">\xa3\xf3d\xbc", None), "<meta charset=\"iso-8859-2\">Łódź");
        assert_eq!(decode("<meta charset=iso-8859-1>Köln".as_bytes(), None), "<meta charset=iso-8859-1>Köln");
        assert_eq!(decode(b"<meta charset=iso-2022-jp>\x1b$B%[%F%k\x1b(B", None), "<meta charset=iso-2022-jp>ホテル");
    }

    #[test]
    fn charset_is_a_parameter_of_the_media_type() {
        assert_eq!(charset_of("text/html; Charset=\"utf-8\""), Some("utf-8"));
        assert_eq!(charset_of("text/html"), None);
    }

    #[test]
    fn tags_and_entities_become_text() {
        assert_eq!(plain(" Fish &amp;\n Chips ").as_deref(), Some("Fish & Chips"));
        assert_eq!(plain("Fish & Chips <3").as_deref(), Some("Fish & Chips <3"));
        assert_eq!(plain("<b>Caf&eacute;</b> Zola").as_deref(), Some("Café Zola"));
        assert_eq!(plain(" \n"), None);
        assert_eq!(plain_lines("One<br>two\nthree").as_deref(), Some("One\ntwo three"));
        assert_eq!(plain_lines(" a  b \n\n c").as_deref(), Some("a b\n\nc"));
    }
}
