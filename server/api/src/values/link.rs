//! URLs.

use super::limits;
use super::text::checked_text;

checked_text!(
    /// An `https` or `http` URL of at most 2,000 characters. The server never fetches it.
    WebUrl,
    |text| web_url(text).map(|_| ()),
    format: Some("uri"),
    pattern: None,
    max: Some(limits::URL)
);

checked_text!(
    /// An `https` URL of at most 2,000 characters, without user name, password and fragment. The server posts to it; the
    /// settings decide which ports, and whether `http` is possible.
    WebhookUrl,
    |text| {
        let url = web_url(text)?;
        if !url.username().is_empty() || url.password().is_some() {
            return Err("must not contain a user name or password".to_owned());
        }
        if url.fragment().is_some() { Err("must not contain a fragment (#)".to_owned()) } else { Ok(()) }
    },
    format: Some("uri"),
    pattern: None,
    max: Some(limits::URL)
);

/// Parses an `https` or `http` URL with a host.
fn web_url(text: &str) -> Result<url::Url, String> {
    if text.chars().count() > limits::URL {
        return Err(format!("must have at most {} characters", limits::URL));
    }
    if text.chars().any(|c| c.is_control() || c.is_whitespace()) {
        return Err("must not contain spaces or control characters".to_owned());
    }
    match url::Url::parse(text) {
        Ok(url) if matches!(url.scheme(), "http" | "https") && url.has_host() => Ok(url),
        Ok(_) => Err("must be an https or http URL".to_owned()),
        Err(error) => Err(format!("must be a valid URL: {error}")),
    }
}
