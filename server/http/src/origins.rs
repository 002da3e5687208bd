//! The web pages that may call the MCP endpoint: those of the server's own origin, of the same machine, and of configured
//! origins. Protects a server on somebody's machine against DNS rebinding.

use http::header::HeaderValue;
use itinerary_platform::settings::Config;
use itinerary_platform::settings::origins::parse;
use url::{Host, Url};

use super::headers::Cors;

/// Whether the `Origin` of a request is allowed. Requests without one do not come from a web page.
pub(super) fn check(origin: Option<&HeaderValue>, config: &Config) -> Cors {
    let Some(value) = origin else { return Cors::Only(None) };
    let is_allowed = value.to_str().ok().and_then(parse).is_some_and(|(url, origin)| {
        let is = |allowed: &str| parse(allowed).is_some_and(|(_, allowed)| allowed == origin);
        is_loopback(&url) || is(&config.base_url) || config.mcp_origins.iter().any(|allowed| is(allowed))
    });
    if is_allowed { Cors::Only(Some(value.clone())) } else { Cors::Refused }
}

fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_allowed(origin: &str) -> bool {
        let mut config = Config::new(([127, 0, 0, 1], 9).into());
        config.base_url = "https://trips.example".to_owned();
        config.mcp_origins = vec!["https://assistant.example:8443".to_owned()];
        let origin = HeaderValue::from_bytes(origin.as_bytes()).expect("a header");
        let judged = check(Some(&origin), &config);
        assert!(judged == Cors::Refused || judged == Cors::Only(Some(origin)));
        judged != Cors::Refused
    }

    #[test]
    fn own_loopback_and_configured_origins_are_allowed() {
        for origin in [
            "https://trips.example",
            "https://trips.example:443",
            "https://assistant.example:8443",
            "http://localhost",
            "http://localhost:6274",
            "https://127.0.0.1:1",
            "http://[::1]:3000",
        ] {
            assert!(is_allowed(origin), "{origin}");
        }
    }

    #[test]
    fn other_origins_are_refused() {
        for origin in [
            "https://evil.example.com",
            "http://trips.example",
            "https://trips.example:444",
            "https://trips.example.evil.example",
            "https://assistant.example",
            "http://localhost.evil.example",
            "http://127.0.0.1.evil.example",
            "http://localhost@evil.example",
            "http://evil.example@localhost",
            "null",
            "",
            "file://",
            "https://",
            "\u{ff}",
            "chrome-extension://abc",
        ] {
            assert!(!is_allowed(origin), "{origin}");
        }
    }
}
