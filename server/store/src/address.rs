//! Database URLs, and how they are displayed: never with a password, even if the URL is invalid.
//!
//! The database drivers quote parts of a URL that they cannot parse in their errors, and panic at some URLs. So only
//! URLs that they can parse are passed on. A PostgreSQL URL may name several hosts, as libpq's may; the driver knows
//! one, so each host gets a URL of its own.

use std::path::Path;
use std::str::FromStr;

use sea_orm::sqlx::postgres::PgConnectOptions;
use url::Url;

use crate::{Result, StoreError};

/// The parameters that a URL may have, besides `options[…]` and those that this module reads itself. Others are removed.
const PARAMETERS: [&str; 13] = [
    "sslmode",
    "ssl-mode",
    "sslrootcert",
    "ssl-root-cert",
    "ssl-ca",
    "sslcert",
    "ssl-cert",
    "sslkey",
    "ssl-key",
    "dbname",
    "user",
    "password",
    "application_name",
];

const MALFORMED: &str = "it must have the form postgres://USER:PASSWORD@HOST:PORT/DATABASE, with several hosts \
     HOST:PORT,HOST:PORT; special characters in user, password and database must be percent-encoded";
const HOSTS_TWICE: &str = "its hosts must be either before the database or in the parameter host";
const EMPTY_HOST: &str = "one of its hosts is empty";
const PORTS: &str = "it must have one port, or one for each host";
const TARGET: &str = "target_session_attrs must be any, read-write, read-only, primary, standby or prefer-standby";

/// `target_session_attrs`: which of the hosts are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    Any,
    /// Accepts writes.
    ReadWrite,
    /// Accepts none.
    ReadOnly,
    /// Follows no other server.
    Primary,
    /// Follows another server.
    Standby,
    PreferStandby,
}

impl FromStr for Target {
    type Err = StoreError;

    fn from_str(text: &str) -> Result<Self> {
        Ok(match text {
            "any" => Self::Any,
            "read-write" => Self::ReadWrite,
            "read-only" => Self::ReadOnly,
            "primary" => Self::Primary,
            "standby" => Self::Standby,
            "prefer-standby" => Self::PreferStandby,
            _ => return Err(invalid(TARGET)),
        })
    }
}

/// The hosts of a PostgreSQL URL. Not `Debug`: the options contain the password.
pub(crate) struct Address {
    /// How to connect to each host. At least one.
    pub(crate) hosts: Vec<PgConnectOptions>,
    /// `None` if the URL does not say.
    pub(crate) target: Option<Target>,
}

fn invalid(why: &str) -> StoreError {
    StoreError::Address(why.to_owned())
}

/// Reads a PostgreSQL URL that the driver can parse completely, for each of its hosts.
pub(crate) fn checked(address: &str) -> Result<Address> {
    let malformed = || invalid(MALFORMED);
    // A parser takes what follows the last `@` of the authority for the host. If the password has one, and a character
    // that ends the authority, a part of the password would be the host.
    if address.matches('@').count() > 1 {
        return Err(malformed());
    }
    let (before, hosts, after) = parts(address);
    let hosts: Vec<&str> = hosts.split(',').collect();
    if after.contains('@') {
        return Err(malformed());
    }
    if hosts.len() > 1 && hosts.iter().any(|host| host.is_empty() || host.starts_with(':')) {
        return Err(invalid(EMPTY_HOST));
    }
    let urls: Result<Vec<Url>, _> = hosts.iter().map(|host| Url::parse(&format!("{before}{host}{after}"))).collect();
    let urls = urls.map_err(|_| malformed())?;
    let parameters = Parameters::of(&urls[0])?;
    let hosts = parameters.apply(&urls)?.into_iter().map(|url| {
        let options: PgConnectOptions = url.as_str().parse().map_err(|_| malformed())?;
        Ok(without_brackets(options))
    });
    Ok(Address { hosts: hosts.collect::<Result<_>>()?, target: parameters.target })
}

/// The text before the hosts, the hosts, and the text after them.
fn parts(address: &str) -> (&str, &str, &str) {
    let Some(start) = address.find("//").map(|at| at + 2) else { return (address, "", "") };
    let end = address[start..].find(['/', '?', '#']).map_or(address.len(), |length| start + length);
    let start = address[start..end].rfind('@').map_or(start, |at| start + at + 1);
    (&address[..start], &address[start..end], &address[end..])
}

/// The driver looks up the name of a host, and no name has the brackets of an IPv6 address in a URL.
fn without_brackets(options: PgConnectOptions) -> PgConnectOptions {
    let inner = options.get_host().strip_prefix('[').and_then(|host| host.strip_suffix(']')).map(str::to_owned);
    match inner {
        Some(host) => options.host(&host),
        None => options,
    }
}

/// The parameters of a URL.
struct Parameters {
    /// The hosts in `host` or `hostaddr`, with the parameter's name.
    hosts: Option<(String, Vec<String>)>,
    ports: Option<Vec<String>>,
    target: Option<Target>,
    /// Those that the driver reads.
    others: Vec<(String, String)>,
}

impl Parameters {
    fn of(url: &Url) -> Result<Self> {
        let mut parameters = Self { hosts: None, ports: None, target: None, others: Vec::new() };
        let mut ignored = false;
        for (name, value) in url.query_pairs().into_owned() {
            let list = || value.split(',').map(str::to_owned).collect();
            match &*name {
                "host" | "hostaddr" => parameters.hosts = Some((name, list())),
                "port" => parameters.ports = Some(list()),
                "target_session_attrs" => parameters.target = Some(value.parse()?),
                known if PARAMETERS.contains(&known) || known == "options" || known.starts_with("options[") => {
                    parameters.others.push((name, value));
                }
                _ => ignored = true,
            }
        }
        if ignored {
            // The parameter's name is not printed: if the password contains a question mark, this is part of the password.
            tracing::warn!("ignored an unknown parameter of the database URL");
        }
        Ok(parameters)
    }

    /// A URL for each host, with the parameters that the driver reads.
    fn apply(&self, urls: &[Url]) -> Result<Vec<Url>> {
        let named = self.hosts.as_ref().map_or(1, |(_, hosts)| hosts.len());
        if self.hosts.is_some() && urls.len() > 1 {
            return Err(invalid(HOSTS_TWICE));
        }
        let count = named.max(urls.len());
        if self.hosts.as_ref().is_some_and(|(_, hosts)| hosts.len() > 1 && hosts.iter().any(String::is_empty)) {
            return Err(invalid(EMPTY_HOST));
        }
        if self.ports.as_ref().is_some_and(|ports| ports.len() != 1 && ports.len() != count) {
            return Err(invalid(PORTS));
        }
        let url = |number: usize| {
            // Either has one for each host, or one.
            let mut url = urls.get(number).unwrap_or(&urls[0]).clone();
            let mut parameters = self.others.clone();
            parameters.extend(self.hosts.as_ref().map(|(name, hosts)| (name.clone(), hosts[number].clone())));
            let port = self.ports.as_ref().map(|ports| ports.get(number).unwrap_or(&ports[0]));
            parameters.extend(port.map(|port| ("port".to_owned(), port.clone())));
            url.set_query(None);
            if !parameters.is_empty() {
                url.query_pairs_mut().extend_pairs(parameters);
            }
            url
        };
        Ok((0..count).map(url).collect())
    }
}

/// Host and port, or the folder of the socket.
pub(crate) fn name(options: &PgConnectOptions) -> String {
    let (host, port) = (options.get_host(), options.get_port());
    match options.get_socket() {
        Some(folder) => folder.display().to_string(),
        None if host.starts_with('/') => host.to_owned(),
        None if host.contains(':') => format!("[{host}]:{port}"),
        None => format!("{host}:{port}"),
    }
}

/// Hosts, ports and database of a PostgreSQL URL, without user, password and parameters. Empty if the URL is invalid.
pub fn postgres_name(url: &str) -> String {
    let Ok(Address { hosts, .. }) = checked(url) else { return String::new() };
    let names: Vec<String> = hosts.iter().map(name).collect();
    let database = hosts.first().and_then(|host| host.get_database()).unwrap_or_default();
    format!("{}/{database}", names.join(","))
}

/// A file's path for messages; hidden if it looks like a URL with a password.
pub(crate) fn shown(path: &Path) -> String {
    let path = path.display().to_string();
    if path.contains(['@', ':']) { "the file in the URL".to_owned() } else { path }
}

#[cfg(test)]
mod tests {
    use sea_orm::sqlx::ConnectOptions as _;
    use sea_orm::sqlx::postgres::PgSslMode;

    use super::*;

    fn names(address: &str) -> Vec<String> {
        let Address { hosts, .. } = checked(address).unwrap_or_else(|error| panic!("{address}: {error}"));
        hosts.iter().map(name).collect()
    }

    fn refused(address: &str) -> String {
        match checked(address).map(|_| ()) {
            Err(StoreError::Address(why)) => why,
            other => panic!("{address}: {other:?}"),
        }
    }

    #[test]
    fn one_host_is_read_with_all_parameters() {
        let address = "postgres://ana:p%40ss@db.example:5432/trips?sslmode=require&options[search_path]=x";
        let Address { hosts, target } = checked(address).expect("a good address");
        let [options] = &hosts[..] else { panic!("one host") };
        assert_eq!((name(options).as_str(), options.get_database()), ("db.example:5432", Some("trips")));
        assert!(matches!(options.get_ssl_mode(), PgSslMode::Require));
        assert_eq!(options.get_options(), Some("-c search_path=x"));
        assert_eq!(options.to_url_lossy().password(), Some("p%40ss"));
        assert_eq!(target, None);
        for folder in ["postgres://%2Frun%2Fpostgresql/trips", "postgres:///trips?host=/run/postgresql"] {
            assert_eq!(names(folder), ["/run/postgresql"]);
        }
    }

    #[test]
    fn each_host_has_its_port_and_shares_the_rest() {
        let list = "postgres://ana:a%2Cb@a.example:5433,b.example,[::1]:6432,10.0.0.4/trips?sslmode=disable";
        assert_eq!(names(list), ["a.example:5433", "b.example:5432", "[::1]:6432", "10.0.0.4:5432"]);
        for options in checked(list).expect("a good address").hosts {
            assert_eq!((options.get_username(), options.get_database()), ("ana", Some("trips")));
            assert!(matches!(options.get_ssl_mode(), PgSslMode::Disable) && !options.get_host().contains('['));
            // The driver panics for IPv6 here.
            if !options.get_host().contains(':') {
                assert_eq!(options.to_url_lossy().password(), Some("a%2Cb"));
            }
        }
        assert_eq!(names("postgres:///trips?host=a,b&port=5433,5434"), ["a:5433", "b:5434"]);
        assert_eq!(names("postgres:///trips?host=a,/run/x&port=5433"), ["a:5433", "/run/x"]);
        assert_eq!(names("postgres://a,b/trips?port=5433"), ["a:5433", "b:5433"]);
        assert_eq!(names("postgres://ana:x@[2001:db8::1]/trips"), ["[2001:db8::1]:5432"]);
    }

    #[test]
    fn lists_that_do_not_fit_are_refused() {
        for (address, why) in [
            ("postgres://a,,b/trips", EMPTY_HOST),
            ("postgres://a,/trips", EMPTY_HOST),
            ("postgres://a,:5433/trips", EMPTY_HOST),
            ("postgres:///trips?host=a,", EMPTY_HOST),
            ("postgres://a,b/trips?host=c", HOSTS_TWICE),
            ("postgres://a,b,c/trips?port=1,2", PORTS),
            ("postgres://a/trips?port=1,2", PORTS),
            ("postgres://a,b:x/trips", MALFORMED),
            ("postgres://a,b:99999/trips", MALFORMED),
            ("postgres://a,[::1/trips", MALFORMED),
            // What looks like a list may be a part of the password.
            ("postgres://ana:1,b/c@db.example/trips", MALFORMED),
            ("postgres://ana:1,b?c@db.example/trips", MALFORMED),
            ("postgres://a,b/trips?target_session_attrs=Sesame", TARGET),
        ] {
            assert_eq!(refused(address), why, "{address}");
        }
    }

    #[test]
    fn the_wanted_kind_of_session_is_read() {
        for (text, target) in [
            ("any", Target::Any),
            ("read-write", Target::ReadWrite),
            ("read-only", Target::ReadOnly),
            ("primary", Target::Primary),
            ("standby", Target::Standby),
            ("prefer-standby", Target::PreferStandby),
        ] {
            let address = format!("postgres://a,b/trips?target_session_attrs={text}&sslmode=disable");
            assert_eq!(checked(&address).expect(text).target, Some(target));
        }
    }

    #[test]
    fn a_password_that_is_not_encoded_is_refused() {
        for password in ["p@ss", "p@ss#w/rd", "secret@part/x", "p@ss?x", "p/w", "p#w", "p?w", "1/w", "1#w", "1?w"] {
            assert_eq!(refused(&format!("postgres://ana:{password}@db.example/trips")), MALFORMED, "{password}");
        }
    }

    #[test]
    fn parameters_that_are_not_known_are_left_out() {
        let parameters =
            Parameters::of(&Url::parse("postgres://a/t?channel_binding=require&sslmode=require&x=1").expect("a URL"));
        assert_eq!(parameters.expect("good").others, [("sslmode".to_owned(), "require".to_owned())]);
    }

    #[test]
    fn names_contain_no_secrets() {
        for (url, shown) in [
            ("postgres://ana:Sesame@db.example:6432/trips?sslmode=require&password=Sesame", "db.example:6432/trips"),
            ("postgres://ana:Sesame@a,b:6432/trips?target_session_attrs=read-write", "a:5432,b:6432/trips"),
            ("postgres:///trips?user=ana&host=/run/postgresql", "/run/postgresql/trips"),
        ] {
            assert_eq!(postgres_name(url), shown, "{url}");
        }
    }

    #[test]
    fn paths_are_told_unless_they_may_be_addresses() {
        assert_eq!(shown(Path::new("/data/itinerary.db")), "/data/itinerary.db");
        assert_eq!(shown(Path::new("ana:secret@db.example/trips")), "the file in the URL");
    }
}
