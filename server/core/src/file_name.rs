//! Names of uploaded and of downloaded files. They are shown to people and never used as a path on the server.

use itinerary_api::types::Name;
use itinerary_api::values::limits;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// The name of a file whose own name has nothing left after cleaning.
const UNNAMED: &str = "document";

/// The number of characters of a title in the name of a file.
const TITLE: usize = 80;
/// The characters that are not escaped in `filename*` (RFC 8187).
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The name of a downloaded file: its title, shortened to 80 characters, and the extension.
pub fn from_title(title: &str, extension: &str) -> String {
    let title: String = title.replace(['/', '\\'], "-").chars().take(TITLE).collect();
    format!("{}.{extension}", &*clean(&title))
}

/// `Content-Disposition` of a download (RFC 6266): a name in ASCII for old clients, and the name itself.
pub fn attachment(name: &str) -> String {
    let is_plain = |c: char| c.is_ascii_graphic() && !matches!(c, '"' | '\\' | '%') || c == ' ';
    let fallback: String = name.chars().map(|c| if is_plain(c) { c } else { '_' }).collect();
    format!("attachment; filename=\"{fallback}\"; filename*=UTF-8''{}", utf8_percent_encode(name, PLAIN))
}

/// Removes folders, control characters and characters that change the text direction, which could disguise the
/// extension. A name that is too long is shortened in the middle, so that the extension stays.
pub fn clean(name: &str) -> Name {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let kept: Vec<char> = last.chars().filter(|c| !c.is_control() && !turns_writing(*c)).collect();
    let text: String = kept.iter().collect();
    let text = text.trim();
    if text.trim_matches('.').is_empty() {
        return Name::truncated(UNNAMED);
    }
    let length = text.chars().count();
    if length <= limits::NAME {
        return Name::truncated(text);
    }
    let extension = text.rsplit_once('.').map_or(0, |(_, extension)| extension.chars().count() + 1);
    let end = if extension <= MAX_EXTENSION { extension } else { 0 };
    let begin = text.chars().take(limits::NAME - end);
    Name::truncated(&begin.chain(text.chars().skip(length - end)).collect::<String>())
}

/// A longer extension is not kept when a name is shortened.
const MAX_EXTENSION: usize = 20;

/// Unicode's characters that embed, override or isolate a text direction.
fn turns_writing(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{061c}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_become_headers() {
        for (name, header) in [
            ("pass.age", "attachment; filename=\"pass.age\"; filename*=UTF-8''pass.age"),
            ("a \"b\".age", "attachment; filename=\"a _b_.age\"; filename*=UTF-8''a%20%22b%22.age"),
            ("搭乗券", "attachment; filename=\"___\"; filename*=UTF-8''%E6%90%AD%E4%B9%97%E5%88%B8"),
            ("50%.age", "attachment; filename=\"50_.age\"; filename*=UTF-8''50%25.age"),
        ] {
            assert_eq!(attachment(name), header);
        }
    }

    #[test]
    fn names_are_names_of_files_only() {
        for (sent, kept) in [
            ("boarding pass.pdf.age", "boarding pass.pdf.age"),
            ("../../etc/passwd", "passwd"),
            ("C:\\Users\\ana\\visa.age", "visa.age"),
            ("carte d'embarquement \"été\".age", "carte d'embarquement \"été\".age"),
            ("搭乗券.age", "搭乗券.age"),
            ("invoice\u{202e}fdp.exe", "invoicefdp.exe"),
            ("a\0b\r\nX-Header: 1.age", "abX-Header: 1.age"),
            ("..", "document"),
            ("a/", "document"),
            ("", "document"),
            ("   ", "document"),
        ] {
            assert_eq!(&*clean(sent), kept, "{sent:?}");
        }
    }

    #[test]
    fn downloads_are_named_after_their_titles() {
        for (title, name) in [
            ("A week in Madeira", "A week in Madeira.ics"),
            ("Porto/Lisbon", "Porto-Lisbon.ics"),
            ("リスボン", "リスボン.ics"),
            ("..", "document.ics"),
        ] {
            assert_eq!(from_title(title, "ics"), name);
        }
        assert_eq!(from_title(&"é".repeat(81), "ics"), format!("{}.ics", "é".repeat(80)));
    }

    #[test]
    fn long_names_keep_their_extension() {
        let name = clean(&format!("{}.pdf.age", "é".repeat(5_000)));
        assert_eq!(name.chars().count(), limits::NAME);
        assert!(name.ends_with("é.age"), "{name:?}");
        let name = clean(&format!("a.{}", "b".repeat(5_000)));
        assert_eq!(name.chars().count(), limits::NAME);
    }
}
