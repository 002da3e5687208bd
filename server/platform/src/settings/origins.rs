//! Web origins: scheme, host and port.

use url::{Origin, Url};

/// Whether the text is an origin as browsers write it: scheme, host, and the port unless it is the default.
pub(crate) fn is_origin(text: &str) -> bool {
    parse(text).is_some_and(|(_, origin)| origin.ascii_serialization() == text)
}

/// The URL and the origin of a text that is nothing but an origin.
pub fn parse(text: &str) -> Option<(Url, Origin)> {
    let url = Url::parse(text).ok()?;
    let bare = url.path() == "/" && url.query().is_none() && url.fragment().is_none() && url.username().is_empty();
    let origin = url.origin();
    (bare && matches!(url.scheme(), "http" | "https") && url.password().is_none()).then_some((url, origin))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_is_written_as_browsers_write_it() {
        assert!(is_origin("https://assistant.example") && is_origin("http://[::1]:3000"));
        for other in
            ["https://assistant.example/", "assistant.example", "*", "https://a.example/x", "https://A.example"]
        {
            assert!(!is_origin(other), "{other}");
        }
    }
}
