//! Sanitises texts and links from providers: bounded length, one line, `http` or `https` only.

use url::Url;

/// The longest name or title, in characters.
pub(crate) const MAX_NAME_CHARS: usize = 200;
/// The longest address, in characters.
pub(crate) const MAX_ADDRESS_CHARS: usize = 500;
const MAX_LINK_BYTES: usize = 2_000;

/// The text in one line without control characters, truncated. `None` if nothing remains.
pub(crate) fn clean(text: &str, max_chars: usize) -> Option<String> {
    let words = text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty());
    let line = words.collect::<Vec<_>>().join(" ");
    let cut: String = line.chars().take(max_chars).collect();
    let cut = cut.trim_end();
    (!cut.is_empty()).then(|| cut.to_owned())
}

/// The link, unchanged, if it is an absolute `http` or `https` URL of bounded length.
pub(crate) fn web_link(link: &str) -> Option<String> {
    let valid = link.len() <= MAX_LINK_BYTES
        && Url::parse(link).is_ok_and(|url| matches!(url.scheme(), "http" | "https"))
        // The URL parser ignores white space around and within a URL, which must not reach a page.
        && !link.contains(|c: char| c.is_whitespace() || c.is_control());
    valid.then(|| link.to_owned())
}

/// A two-letter country code in upper case.
pub(crate) fn country_code(code: &str) -> Option<String> {
    let valid = code.len() == 2 && code.bytes().all(|byte| byte.is_ascii_alphabetic());
    valid.then(|| code.to_ascii_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_one_bounded_line() {
        assert_eq!(clean("  Torre\tde\u{0}\r\nBelém ", 200).as_deref(), Some("Torre de Belém"));
        assert_eq!(clean("Belém Tower", 5).as_deref(), Some("Belém"));
        assert_eq!(clean("Belém Tower", 6).as_deref(), Some("Belém"));
        assert_eq!(clean(" \u{7} ", 200), None);
    }

    #[test]
    fn links_are_of_the_web_and_unchanged() {
        let link = "https://example.com/tour?pid=P1&mcid=42#top";
        assert_eq!(web_link(link).as_deref(), Some(link));
        let long = format!("https://example.com/{}", "a".repeat(MAX_LINK_BYTES));
        for link in
            ["javascript:alert(1)", "/tours", "ftp://example.com/", "https://exa mple.com", " https://a.com", &long]
        {
            assert_eq!(web_link(link), None, "{link}");
        }
    }

    #[test]
    fn country_codes_have_two_letters() {
        assert_eq!(country_code("pt").as_deref(), Some("PT"));
        for code in ["", "p", "prt", "p1", "é"] {
            assert_eq!(country_code(code), None, "{code}");
        }
    }
}
