//! Parsers of settings' values.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser};

use super::origins::is_origin;

pub(super) fn switch() -> impl TypedValueParser<Value = bool> {
    PossibleValuesParser::new(["on", "off"]).map(|text| text == "on")
}

/// An address to listen on.
pub(super) fn socket(text: &str) -> Result<SocketAddr, &'static str> {
    text.parse().map_err(|_| "must be an IP address and a port, such as 127.0.0.1:8080 or [::1]:8080")
}

/// The address of a trusted proxy.
pub(super) fn proxy(text: &str) -> Result<IpAddr, &'static str> {
    text.parse().map_err(|_| "must be a single IP address, such as 10.0.0.7; networks and host names are not supported")
}

pub(super) fn seconds(text: &str) -> Result<Duration, &'static str> {
    text.parse().map(Duration::from_secs).map_err(|_| "must be a whole number of seconds")
}

/// A number of MiB, as bytes.
pub(super) fn mebibytes<T: TryFrom<u64>>(text: &str) -> Result<T, &'static str> {
    let number: Option<u32> = text.parse().ok();
    let bytes = number.and_then(|number| T::try_from(u64::from(number) << 20).ok());
    bytes.ok_or("must be a whole number of MiB")
}

/// Stands for a base URL that is derived from the address. An empty text cannot: a variable that is set to nothing by
/// mistake would give OAuth another issuer.
pub(super) const FROM_ADDRESS: &str = "http://ADDRESS";

pub(super) fn base_url(text: &str) -> Result<String, &'static str> {
    if text == FROM_ADDRESS { Ok(String::new()) } else { former_base_url(text) }
}

pub(super) fn former_base_url(text: &str) -> Result<String, &'static str> {
    let is_usable = |url: url::Url| {
        // A path would be in the way of the well-known addresses, and the pages' links begin at the root.
        let plain = url.path() == "/" && url.query().is_none() && url.fragment().is_none() && url.username().is_empty();
        matches!(url.scheme(), "http" | "https") && url.has_host() && plain && !text.ends_with('/')
    };
    if url::Url::parse(text).is_ok_and(is_usable) {
        return Ok(text.to_owned());
    }
    Err("must be http:// or https:// and a host, without a path or a slash at the end")
}

pub(super) fn origin(text: &str) -> Result<String, &'static str> {
    let refused = "must be an origin as browsers write it, such as https://assistant.example";
    if is_origin(text) { Ok(text.to_owned()) } else { Err(refused) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_addresses_are_rejected() {
        for url in [
            "http://a.example/",
            "ftp://a.example",
            "a.example",
            "https://a.example?x=1",
            "https://a.example/trips",
            "",
        ] {
            assert!(base_url(url).is_err(), "{url}");
        }
        for text in ["https://a.example/", "a.example", "*"] {
            assert!(origin(text).is_err(), "{text}");
        }
    }
}
