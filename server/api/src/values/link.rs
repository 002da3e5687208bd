//! URLs.

use super::limits;
use super::text::checked_text;

checked_text!(
    /// An `https` or `http` URL of at most 2,000 characters. The server never fetches it.
    WebUrl,
    |text| {
        if text.chars().count() > limits::URL {
            return Err(format!("must have at most {} characters", limits::URL));
        }
        if text.chars().any(|c| c.is_control() || c.is_whitespace()) {
            return Err("must not contain spaces or control characters".to_owned());
        }
        match url::Url::parse(text) {
            Ok(url) if matches!(url.scheme(), "http" | "https") && url.has_host() => Ok(()),
            Ok(_) => Err("must be an https or http URL".to_owned()),
            Err(error) => Err(format!("must be a valid URL: {error}")),
        }
    },
    format: Some("uri"),
    pattern: None,
    max: Some(limits::URL)
);
