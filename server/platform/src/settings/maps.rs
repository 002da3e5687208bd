//! The settings of street maps under the maps of pages.

use std::net::Ipv4Addr;

use clap::Args;
use url::{Host, Url};

use super::SettingsError;

/// The longest address, and the longest attribution, in characters.
const LONGEST_URL: usize = 500;
const LONGEST_TEXT: usize = 200;
/// What an address of tiles contains, each once.
const PLACEHOLDERS: [&str; 3] = ["{z}", "{x}", "{y}"];

/// A service of raster tiles. Without it, maps show the built-in land and water.
#[derive(Clone, Debug, Default, Args)]
pub struct MapSettings {
    /// The tiles of a street map, shown under maps at most 60 km wide, such as `https://tile.example/{z}/{x}/{y}.png`; needs
    /// `maps_attribution`. The reader's browser loads them. Default: none
    #[arg(long = "maps-tiles", value_name = "URL", value_parser = TileTemplate::parse)]
    pub tiles: Option<TileTemplate>,
    /// The credit that the map service asks for, such as © OpenStreetMap contributors; plain text, shown with each map
    #[arg(long = "maps-attribution", value_name = "TEXT", value_parser = attribution)]
    pub attribution: Option<String>,
    /// The https address to which the attribution links. Default: none
    #[arg(long = "maps-attribution-link", value_name = "URL", value_parser = link)]
    pub attribution_link: Option<String>,
}

impl MapSettings {
    /// Rejects tiles without an attribution.
    pub(super) fn check(&self) -> Result<(), SettingsError> {
        if self.tiles.is_some() && self.attribution.is_none() {
            return Err(SettingsError::Needs("maps_tiles", "maps_attribution"));
        }
        Ok(())
    }
}

/// The address of a tile, with placeholders for zoom, column and row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TileTemplate {
    text: String,
    origin: String,
    host: String,
}

impl TileTemplate {
    /// The address with `{z}`, `{x}` and `{y}`, in ASCII.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The origin of all tiles, for a page's policy: a scheme and a host of letters, digits, hyphens and dots, and a port.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// The host with its port, for people.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Reads an address. Errors do not repeat it, because it may contain a key.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        if text.len() > LONGEST_URL {
            return Err("must have at most 500 characters");
        }
        if text.contains("{s}") {
            return Err("must not contain {s}, which is not supported: name one host");
        }
        if PLACEHOLDERS.iter().any(|placeholder| text.matches(placeholder).count() != 1) {
            return Err("must contain {z}, {x} and {y}, each once, as in https://tile.example/{z}/{x}/{y}.png");
        }
        let example = PLACEHOLDERS.iter().fold(text.to_owned(), |text, placeholder| text.replace(placeholder, "1"));
        if example.contains(['{', '}']) {
            return Err("must contain no placeholders but {z}, {x} and {y}");
        }
        let url = web_address(&example)?;
        // A placeholder in the host, or `..` beside one, would name another address for each tile.
        let root = url.origin().ascii_serialization();
        if url.as_str() != example || !text.starts_with(&format!("{root}/")) {
            return Err("must be written as browsers write it, in ASCII, with placeholders after the host only");
        }
        let host = root.split_once("://").map_or("", |(_, host)| host).to_owned();
        Ok(Self { text: text.to_owned(), origin: root, host })
    }
}

/// An https address without user information and fragment, or an http address of this machine.
fn web_address(text: &str) -> Result<Url, &'static str> {
    let url = Url::parse(text).map_err(|_| "must be an https:// address")?;
    let is_local = match url.host() {
        Some(Host::Domain(name)) => {
            // Other characters are no part of a host in a page's policy.
            if !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-.".contains(&byte)) {
                return Err("must have a host of letters, digits, hyphens and dots");
            }
            name == "localhost"
        }
        Some(Host::Ipv4(address)) => Ipv4Addr::is_loopback(&address),
        _ => return Err("must have a host name or an IPv4 address"),
    };
    if !url.username().is_empty() || url.password().is_some() {
        return Err("must not contain a user or a password");
    }
    if url.fragment().is_some() {
        return Err("must not contain a fragment");
    }
    match url.scheme() {
        "https" => Ok(url),
        "http" if is_local => Ok(url),
        _ => Err("must begin with https:// (http:// is allowed for localhost and 127.0.0.1 only)"),
    }
}

fn attribution(text: &str) -> Result<String, &'static str> {
    if text.trim().is_empty() || text.chars().count() > LONGEST_TEXT {
        return Err("must have 1 to 200 characters");
    }
    if text.contains(['<', '>']) || text.chars().any(char::is_control) {
        return Err("must be plain text in one line; the address of a link goes into maps_attribution_link");
    }
    Ok(text.trim().to_owned())
}

fn link(text: &str) -> Result<String, &'static str> {
    if text.len() > LONGEST_URL {
        return Err("must have at most 500 characters");
    }
    let url = Url::parse(text).map_err(|_| "must be an https:// address")?;
    if url.scheme() != "https" {
        return Err("must begin with https://");
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("must not contain a user or a password");
    }
    Ok(url.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_tiles_have_one_host_and_three_placeholders() {
        for (text, origin, host) in [
            ("https://tile.example/{z}/{x}/{y}.png", "https://tile.example", "tile.example"),
            ("https://tile.example/{z}/{x}/{y}@2x.png?key=a&v=2", "https://tile.example", "tile.example"),
            ("https://tile.example:8443/a/{z}/{y}/{x}", "https://tile.example:8443", "tile.example:8443"),
            ("http://127.0.0.1:9/{z}/{x}/{y}.png", "http://127.0.0.1:9", "127.0.0.1:9"),
            ("http://localhost/?z={z}&x={x}&y={y}", "http://localhost", "localhost"),
        ] {
            let template = TileTemplate::parse(text).expect(text);
            assert_eq!((template.as_str(), template.origin(), template.host()), (text, origin, host));
        }
    }

    #[test]
    fn other_addresses_of_tiles_are_rejected() {
        let long = format!("https://tile.example/{{z}}/{{x}}/{{y}}?{}", "a".repeat(500));
        for (text, told) in [
            ("https://{s}.tile.example/{z}/{x}/{y}.png", "{s}"),
            ("https://tile.example/{z}/{x}.png", "each once"),
            ("https://tile.example/{z}/{x}/{y}/{y}.png", "each once"),
            ("https://tile.example/{z}/{x}/{y}{r}.png", "no placeholders but"),
            ("https://tile.example/{z}/{x}/{y}}.png", "no placeholders but"),
            ("https://{z}.tile.example/{x}/{y}.png", "after the host only"),
            ("https://tile.example:{z}/{x}/{y}.png", "after the host only"),
            ("https://TILE.example/{z}/{x}/{y}.png", "as browsers write it"),
            ("https://tile.example/{z}/{x}/é{y}.png", "as browsers write it"),
            ("https://tile.example/{z}/../{x}/{y}.png", "as browsers write it"),
            ("https://tile.example/{z}/{x}/{y}.png\"><script>", "as browsers write it"),
            ("https://a;b.example/{z}/{x}/{y}.png", "letters, digits"),
            ("https://[::1]/{z}/{x}/{y}.png", "host name"),
            ("http://tile.example/{z}/{x}/{y}.png", "https://"),
            ("http://127.0.0.1.example/{z}/{x}/{y}.png", "https://"),
            ("ftp://tile.example/{z}/{x}/{y}.png", "https://"),
            ("data:image/png,{z}{x}{y}", "host name"),
            ("/{z}/{x}/{y}.png", "https://"),
            ("https://ana:secret@tile.example/{z}/{x}/{y}.png", "user or a password"),
            ("https://tile.example/{z}/{x}/{y}.png#a", "fragment"),
            (&long, "at most 500"),
        ] {
            let error = TileTemplate::parse(text).expect_err(text);
            assert!(error.contains(told), "{text}: {error}");
        }
    }

    #[test]
    fn attributions_are_short_plain_texts_and_their_links_https() {
        assert_eq!(attribution(" © OpenStreetMap contributors ").as_deref(), Ok("© OpenStreetMap contributors"));
        for text in ["", " ", "&copy; <a href='https://osm.example'>OSM</a>", "a\nb", &"a".repeat(201)] {
            assert!(attribution(text).is_err(), "{text}");
        }
        assert_eq!(link("https://osm.example/copyright").as_deref(), Ok("https://osm.example/copyright"));
        for text in ["http://osm.example/", "javascript:alert(1)", "osm.example", "https://a:b@osm.example/"] {
            assert!(link(text).is_err(), "{text}");
        }
    }
}
