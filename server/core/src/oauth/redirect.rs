//! Redirect URIs: which may be registered, whether a request's URI is registered, and how parameters are appended.
//!
//! URIs are compared as strings and never normalised, with one exception: the port of the two loopback hosts may
//! differ, because a program on the traveller's machine listens on any free port.

use std::collections::BTreeSet;
use std::net::{Ipv4Addr, Ipv6Addr};

use itinerary_api::oauth_error::OAuthError;
use itinerary_api::values::limits;
use url::Url;

/// The maximum number of redirect URIs of a client.
pub const MOST: usize = 20;

/// Checks the redirect URIs of a registration.
pub fn check_all<S: AsRef<str>>(addresses: &[S]) -> Result<(), OAuthError> {
    if addresses.is_empty() || addresses.len() > MOST {
        return Err(OAuthError::invalid_redirect_uri(&format!("redirect_uris must have 1 to {MOST} URIs")));
    }
    addresses.iter().try_for_each(|address| check(address.as_ref()))
}

/// Checks a redirect URI for registration: it must be `https://…`, or `http://localhost` or `http://127.0.0.1` with any
/// port, path and query, without a fragment or user information.
pub fn check(address: &str) -> Result<(), OAuthError> {
    let refuse = |why: &str| Err(OAuthError::invalid_redirect_uri(why));
    if address.len() > limits::URL {
        return refuse(&format!("a redirect URI must have at most {} characters", limits::URL));
    }
    if !has_plain_characters(address) {
        return refuse("a redirect URI must be a plain URL without a fragment");
    }
    if address.starts_with("https://") && !is_host(host(address)) {
        return refuse("the host of a redirect URI must be a valid host name or IP address");
    }
    if !is_plain_https(address) && loopback(address).is_none() {
        return refuse("a redirect URI must begin with https://, http://localhost or http://127.0.0.1");
    }
    match Url::parse(address) {
        Ok(_) => Ok(()),
        Err(_) => refuse("a redirect URI must be an absolute URL"),
    }
}

/// Whether the redirect URI of a request is registered.
pub fn is_registered<S: AsRef<str>>(requested: &str, registered: &[S]) -> bool {
    registered.iter().any(|registered| matches(requested, registered.as_ref()))
}

fn matches(requested: &str, registered: &str) -> bool {
    if requested == registered {
        return true;
    }
    match (loopback(requested), loopback(registered)) {
        (Some(requested), Some(registered)) => requested == registered,
        _ => false,
    }
}

/// Whether the URI leads to the traveller's own machine.
pub fn is_loopback(address: &str) -> bool {
    loopback(address).is_some()
}

/// The host of a registered URI, for display.
pub fn host(address: &str) -> &str {
    let authority = authority(after_scheme(address));
    // An IPv6 address in brackets has colons that do not start the port.
    match authority.rfind(':') {
        Some(colon) if !authority.ends_with(']') => &authority[..colon],
        _ => authority,
    }
}

/// The distinct hosts of a client's redirect URIs, sorted. `stored` is a JSON array.
pub fn hosts(stored: &str) -> Vec<String> {
    let addresses: Vec<String> = serde_json::from_str(stored).unwrap_or_default();
    let hosts: BTreeSet<_> = addresses.iter().map(|address| host(address).to_owned()).collect();
    hosts.into_iter().collect()
}

/// The origin of a registered URI: scheme, host and port.
pub fn origin(address: &str) -> &str {
    let scheme = address.len() - after_scheme(address).len();
    &address[..scheme + authority(after_scheme(address)).len()]
}

/// Appends parameters to the query and leaves the rest of the URI as it was registered.
pub fn with_parameters(address: &str, parameters: &[(&str, &str)]) -> String {
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    query.extend_pairs(parameters);
    let joint = match address.find('?') {
        None => "?",
        Some(_) if address.ends_with(['?', '&']) => "",
        Some(_) => "&",
    };
    format!("{address}{joint}{}", query.finish())
}

/// The host, and everything from the path on, of a loopback URI.
fn loopback(address: &str) -> Option<(&str, &str)> {
    let rest = address.strip_prefix("http://")?;
    let authority = authority(rest);
    let (host, port) = match authority.split_once(':') {
        Some((host, port)) => (host, Some(port)),
        None => (authority, None),
    };
    let port_is_good = port.is_none_or(|port| {
        port.bytes().all(|byte| byte.is_ascii_digit()) && port.parse::<u16>().is_ok_and(|port| port > 0)
    });
    (matches!(host, "localhost" | "127.0.0.1") && port_is_good).then(|| (host, &rest[authority.len()..]))
}

fn after_scheme(address: &str) -> &str {
    address.split_once("://").map_or(address, |(_, rest)| rest)
}

/// Everything before the path, query or fragment.
fn authority(rest: &str) -> &str {
    rest.split(['/', '?', '#']).next().unwrap_or_default()
}

/// Whether the URI is an `https` URL without a fragment or user information.
pub(super) fn is_plain_https(address: &str) -> bool {
    let authority_is_plain = address.strip_prefix("https://").is_some_and(|rest| is_plain(authority(rest)));
    authority_is_plain && is_host(host(address)) && has_plain_characters(address)
}

/// Whether a host is an IP address, or a name whose labels are valid in DNS.
fn is_host(host: &str) -> bool {
    if let Some(address) = host.strip_prefix('[') {
        return address.strip_suffix(']').is_some_and(|address| address.parse::<Ipv6Addr>().is_ok());
    }
    // Browsers treat a host that ends in a number as an IPv4 address, even in unusual forms.
    let last = host.rsplit('.').next().unwrap_or_default();
    let hexadecimal = last.strip_prefix("0x").or_else(|| last.strip_prefix("0X"));
    let ends_in_number = last.bytes().all(|byte| byte.is_ascii_digit())
        || hexadecimal.is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
    if ends_in_number {
        return host.parse::<Ipv4Addr>().is_ok();
    }
    host.len() <= 253 && host.split('.').all(is_label)
}

/// Whether a label is 1 to 63 letters, digits and hyphens, and neither starts nor ends with a hyphen.
fn is_label(label: &str) -> bool {
    (1..=63).contains(&label.len())
        && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
        && !label.starts_with('-')
        && !label.ends_with('-')
}

/// Restricts the characters so that a browser cannot parse another host from the same string.
fn has_plain_characters(address: &str) -> bool {
    address.bytes().all(|byte| byte.is_ascii_graphic() && !b"\"<>\\^`{|}#".contains(&byte))
}

/// Whether an authority is a host with an optional port, without user information or escapes.
fn is_plain(authority: &str) -> bool {
    !authority.is_empty() && authority.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-_:[]".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn https_and_the_two_loopback_hosts_may_be_registered() {
        for address in [
            "https://app.example/cb",
            "https://app.example",
            "https://app.example:8443/cb?keep=1&x=%20",
            "https://[2001:db8::1]/cb",
            "https://[2001:db8::1]:8443/cb",
            "https://192.0.2.1/cb",
            "https://a-b.1app.example/cb",
            "https://localhost/cb",
            "https://xn--bcher-kva.example/cb",
            "http://localhost",
            "http://localhost/cb",
            "http://localhost:3000/cb?x=1",
            "http://127.0.0.1",
            "http://127.0.0.1:51004/cb",
            "http://127.0.0.1:51004?x=1",
        ] {
            assert_eq!(check(address), Ok(()), "{address}");
        }
    }

    #[test]
    fn nothing_else_may_be_registered() {
        for address in [
            "",
            "cb",
            "/cb",
            "//app.example/cb",
            "app.example/cb",
            "http://app.example/cb",
            "http://localhost.evil.example/cb",
            "http://localhost@evil.example/cb",
            "http://localhost:80@evil.example/cb",
            "http://localhost:@evil.example",
            "http://user@localhost/cb",
            "http://127.0.0.1.nip.io/cb",
            "http://127.0.0.1@evil.example",
            "http://127.1/cb",
            "http://127.0.0.2/cb",
            "http://2130706433/cb",
            "http://[::1]/cb",
            "http://0.0.0.0/cb",
            "http://localhost./cb",
            "http://LOCALHOST/cb",
            "http://local%68ost/cb",
            "http://localhost:99999/cb",
            "http://localhost:0/cb",
            "http://localhost:/cb",
            "http://localhost:8x/cb",
            "http://localhost:+80/cb",
            "http:/localhost/cb",
            "http:localhost/cb",
            "HTTP://localhost/cb",
            "HTTPS://app.example/cb",
            "https:///cb",
            "https://",
            "https:app.example/cb",
            "https://user@app.example/cb",
            "https://user:password@app.example/cb",
            "https://-./",
            "https://-/cb",
            "https://./cb",
            "https://-app.example/cb",
            "https://app-.example/cb",
            "https://app..example/cb",
            "https://.app.example/cb",
            "https://app.example./cb",
            "https://_app.example/cb",
            "https://1.2.3/cb",
            "https://127.1/cb",
            "https://0x7f.1/cb",
            "https://app.0x7f/cb",
            "https://1.2.3.256/cb",
            "https://[::g]/cb",
            "https://[::1/cb",
            "https://[]/cb",
            "https://:443/cb",
            "https://app.example%2eevil.example/cb",
            "https://app.example:port/cb",
            "https://app.example:99999/cb",
            "https://app.example/cb#fragment",
            "https://app.example/cb#",
            "https://evil.example\\@app.example/cb",
            "https://app.example/a b",
            " https://app.example/cb",
            "https://app.example/cb\n",
            "https://bücher.example/cb",
            "javascript:alert(1)",
            "data:text/html,x",
            "com.example.app:/cb",
            "urn:ietf:wg:oauth:2.0:oob",
            "file:///etc/passwd",
        ] {
            let refused = check(address).expect_err(address);
            assert_eq!((refused.error.as_str(), refused.status.as_u16()), ("invalid_redirect_uri", 400), "{address}");
        }
        assert!(check(&format!("https://app.example/{}", "a".repeat(limits::URL))).is_err());
        for (host, valid) in [
            ("a".repeat(63) + ".example", true),
            ("a".repeat(64) + ".example", false),
            ("a.".repeat(126) + "a", true),
            ("a.".repeat(126) + "ab", false),
        ] {
            assert_eq!(check(&format!("https://{host}/")).is_ok(), valid, "{host}");
        }
    }

    #[test]
    fn the_number_of_addresses_is_limited() {
        assert!(check_all::<&str>(&[]).is_err());
        assert_eq!(check_all(&["https://app.example/cb"; MOST]), Ok(()));
        assert!(check_all(&["https://app.example/cb"; MOST + 1]).is_err());
        assert!(check_all(&["https://app.example/cb", "javascript:alert(1)"]).is_err());
    }

    #[test]
    fn addresses_are_compared_as_strings() {
        let registered = ["https://app.example/cb"];
        assert!(is_registered("https://app.example/cb", &registered));
        for requested in [
            "https://app.example/cb/",
            "https://app.example/CB",
            "https://APP.example/cb",
            "https://app.example/cb?x=1",
            "https://app.example/%63b",
            "https://app.example:443/cb",
            "https://app.example:8443/cb",
            "https://www.app.example/cb",
            "https://app.example/cb/../cb",
            "https://app.example",
            "http://app.example/cb",
            "https://app.example/cb#x",
            "",
        ] {
            assert!(!is_registered(requested, &registered), "{requested}");
        }
    }

    #[test]
    fn only_the_port_of_a_loopback_address_may_differ() {
        let registered = ["http://127.0.0.1:1/cb"];
        assert!(is_registered("http://127.0.0.1:51004/cb", &registered));
        assert!(is_registered("http://127.0.0.1/cb", &registered));
        assert!(is_registered("http://localhost:51004/cb?x=1", &["http://localhost/cb?x=1"]));
        for requested in [
            "http://localhost:1/cb",
            "http://127.0.0.1:1/cb/",
            "http://127.0.0.1:1/cb?x=1",
            "http://127.0.0.1:1@evil.example/cb",
            "http://127.0.0.1:99999/cb",
            "http://127.0.0.1:0/cb",
            "http://127.0.0.1:/cb",
            "https://127.0.0.1:1/cb",
            "http://127.0.0.1.nip.io:1/cb",
        ] {
            assert!(!is_registered(requested, &registered), "{requested}");
        }
        assert!(!is_registered("https://localhost:2/cb", &["https://localhost:1/cb"]));
    }

    #[test]
    fn the_query_of_a_registered_address_is_kept() {
        let sent = |address| with_parameters(address, &[("code", "c"), ("state", "a b&c=é"), ("iss", "https://s")]);
        let added = "code=c&state=a+b%26c%3D%C3%A9&iss=https%3A%2F%2Fs";
        assert_eq!(sent("https://app.example/cb"), format!("https://app.example/cb?{added}"));
        assert_eq!(sent("https://app.example/cb?x=1"), format!("https://app.example/cb?x=1&{added}"));
        assert_eq!(sent("https://app.example/cb?"), format!("https://app.example/cb?{added}"));
        assert_eq!(sent("http://localhost:1"), format!("http://localhost:1?{added}"));
    }

    #[test]
    fn host_and_origin_are_those_of_the_string() {
        for (address, expected_host, expected_origin) in [
            ("https://app.example/cb", "app.example", "https://app.example"),
            ("https://app.example:8443?x=/", "app.example", "https://app.example:8443"),
            ("http://127.0.0.1:51004/cb", "127.0.0.1", "http://127.0.0.1:51004"),
            ("https://[2001:db8::1]/cb", "[2001:db8::1]", "https://[2001:db8::1]"),
            ("https://[2001:db8::1]:444/cb", "[2001:db8::1]", "https://[2001:db8::1]:444"),
        ] {
            assert_eq!((host(address), origin(address)), (expected_host, expected_origin));
        }
        let stored = r#"["https://b.example/1","http://127.0.0.1:5/","https://b.example:8443/2"]"#;
        assert_eq!(hosts(stored), ["127.0.0.1", "b.example"]);
        assert!(is_loopback("http://localhost:8/cb"));
        assert!(!is_loopback("https://localhost/cb"));
    }
}
