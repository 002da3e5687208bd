//! Database URLs, and how they are displayed: never with a password, even if the URL is invalid.
//!
//! The database drivers quote parts of a URL that they cannot parse in their errors, and panic at some URLs. So only
//! URLs that they can parse are passed on.

use std::path::Path;

use sea_orm::sqlx::postgres::PgConnectOptions;
use url::Url;

use crate::{Result, StoreError};

/// The parameters that a URL may have, besides `options[…]`. Others are removed.
const PARAMETERS: [&str; 16] = [
    "sslmode",
    "ssl-mode",
    "sslrootcert",
    "ssl-root-cert",
    "ssl-ca",
    "sslcert",
    "ssl-cert",
    "sslkey",
    "ssl-key",
    "host",
    "hostaddr",
    "port",
    "dbname",
    "user",
    "password",
    "application_name",
];

const MALFORMED: &str = "it must have the form postgres://USER:PASSWORD@HOST:PORT/DATABASE; \
     special characters in user, password and database must be percent-encoded";

/// A PostgreSQL URL that its driver can parse completely.
pub(crate) fn checked(address: &str) -> Result<String> {
    let malformed = || StoreError::Address(MALFORMED.to_owned());
    // A parser takes what follows the last `@` of the authority for the host. If the password has one, and a character
    // that ends the authority, a part of the password would be the host.
    if address.matches('@').count() > 1 {
        return Err(malformed());
    }
    let mut url = Url::parse(address).map_err(|_| malformed())?;
    let is_known = |name: &str| PARAMETERS.contains(&name) || name == "options" || name.starts_with("options[");
    let pairs: Vec<(String, String)> = url.query_pairs().into_owned().collect();
    let known: Vec<_> = pairs.iter().filter(|(name, _)| is_known(name)).collect();
    if known.len() < pairs.len() {
        // The parameter's name is not printed: if the password contains a question mark, this is part of the password.
        tracing::warn!("ignored an unknown parameter of the database URL");
        url.set_query(None);
        if !known.is_empty() {
            url.query_pairs_mut().extend_pairs(known);
        }
    }
    let address = String::from(url);
    address.parse::<PgConnectOptions>().map(|_| address).map_err(|_| malformed())
}

/// A file's path for messages; hidden if it looks like a URL with a password.
pub(crate) fn shown(path: &Path) -> String {
    let path = path.display().to_string();
    if path.contains(['@', ':']) { "the file in the URL".to_owned() } else { path }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_good_address_stays_as_it_is() {
        for address in [
            "postgres://ana:p%40ss@db.example:5432/trips?sslmode=require&options[search_path]=x",
            "postgres://%2Frun%2Fpostgresql/trips",
            "postgres:///trips?host=/run/postgresql",
        ] {
            assert_eq!(checked(address).expect("a good address"), address);
        }
    }

    #[test]
    fn a_password_that_is_not_encoded_is_refused() {
        for password in ["p@ss", "p@ss#w/rd", "secret@part/x", "p@ss?x", "p/w", "p#w", "p?w"] {
            let error = checked(&format!("postgres://ana:{password}@db.example/trips")).expect_err(password);
            assert!(matches!(&error, StoreError::Address(told) if told == MALFORMED), "{error}");
        }
    }

    #[test]
    fn parameters_that_are_not_known_are_left_out() {
        let address = checked("postgres://db.example/trips?channel_binding=require&sslmode=require&x=1");
        assert_eq!(address.expect("a good address"), "postgres://db.example/trips?sslmode=require");
        assert_eq!(checked("postgres://db.example/?x").expect("a good address"), "postgres://db.example/");
    }

    #[test]
    fn paths_are_told_unless_they_may_be_addresses() {
        assert_eq!(shown(Path::new("/data/itinerary.db")), "/data/itinerary.db");
        assert_eq!(shown(Path::new("ana:secret@db.example/trips")), "the file in the URL");
    }
}
