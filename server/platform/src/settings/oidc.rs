//! The setting `oidc`: the OpenID Connect providers by which travellers can sign in.
//!
//! In the config file it is an array of tables, `[[oidc]]`; as a flag or a variable, the same as JSON. Errors repeat no
//! values, because one is a secret.

use std::collections::HashSet;
use std::fmt::{self, Debug, Formatter};
use std::path::PathBuf;

use itinerary_core::legible::is_legible;
use serde_json::{Map, Value};
use url::{Host, Url};

/// The maximum number of providers.
const MOST: usize = 5;
/// The maximum length of a name, in characters.
const NAME: usize = 40;
/// The maximum length of a client id, a secret, a slug or a domain.
const TEXT: usize = 255;

/// The providers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OidcProviders(pub Vec<OidcProvider>);

/// A provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OidcProvider {
    /// Names it in addresses of this server.
    pub slug: String,
    /// Its name on buttons.
    pub name: String,
    /// The issuer, character for character as the provider writes it.
    pub issuer: String,
    /// What the provider knows this service by.
    pub client_id: String,
    /// The client's secret.
    pub client_secret: OidcSecret,
    /// The domains of mail addresses that may create an account; if empty, all.
    pub email_domains: Vec<String>,
    /// Whether an unknown traveller may create an account.
    pub create_accounts: bool,
}

/// Where a client's secret is.
#[derive(Clone, PartialEq, Eq)]
pub enum OidcSecret {
    /// In the setting.
    Text(String),
    /// In a file.
    File(PathBuf),
}

impl Debug for OidcSecret {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(_) => formatter.write_str("***"),
            Self::File(file) => Debug::fmt(file, formatter),
        }
    }
}

impl OidcProvider {
    /// Whether the address is of one of the domains, or all are accepted. The address must be verified.
    pub fn accepts(&self, verified_email: Option<&str>) -> bool {
        let domain = verified_email.and_then(|email| email.rsplit_once('@')).map(|(_, domain)| domain);
        self.email_domains.is_empty()
            || domain.is_some_and(|domain| self.email_domains.iter().any(|known| known.eq_ignore_ascii_case(domain)))
    }
}

/// Parses the setting.
pub(super) fn oidc(text: &str) -> Result<OidcProviders, String> {
    let Ok(Value::Array(tables)) = serde_json::from_str(text) else {
        return Err("must be an array of tables, `[[oidc]]` in the config file".to_owned());
    };
    if tables.len() > MOST {
        return Err(format!("must have at most {MOST} providers"));
    }
    let mut providers = Vec::new();
    for (index, table) in tables.iter().enumerate() {
        let provider = match table {
            Value::Object(table) => provider(table),
            _ => Err("must be a table".to_owned()),
        };
        providers.push(provider.map_err(|error| format!("provider {}: {error}", index + 1))?);
    }
    let is_unique = |value: fn(&OidcProvider) -> &String| {
        providers.iter().map(value).collect::<HashSet<_>>().len() == providers.len()
    };
    if !is_unique(|provider| &provider.issuer) {
        return Err("each provider must have another `issuer`".to_owned());
    }
    if !is_unique(|provider| &provider.slug) {
        return Err("each provider must have another `slug`, which follows from `name` if it is not set".to_owned());
    }
    Ok(OidcProviders(providers))
}

/// The keys of a provider.
const KEYS: [&str; 8] =
    ["name", "slug", "issuer", "client_id", "client_secret", "client_secret_file", "email_domains", "create_accounts"];

fn provider(table: &Map<String, Value>) -> Result<OidcProvider, String> {
    if let Some(unknown) = table.keys().find(|key| !KEYS.contains(&key.as_str())) {
        // A key that looks like one; any other may be a value at the wrong place.
        let is_plain = unknown.len() <= NAME && unknown.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
        let named = if is_plain { format!(" `{unknown}`") } else { String::new() };
        return Err(format!("there is no key{named}; the keys are {}", KEYS.join(", ")));
    }
    let name = text(table, "name")?.ok_or("needs `name`, which is shown on its button")?;
    if name.chars().count() > NAME || !is_legible(name) || name.trim() != name {
        return Err(format!("`name` must have 1 to {NAME} visible characters"));
    }
    let slug = match text(table, "slug")? {
        Some(slug) => slug.to_owned(),
        None => slug_of(name),
    };
    if !is_slug(&slug) {
        return Err(format!("`slug` must have 1 to {NAME} characters of a-z, 0-9 and -"));
    }
    let client_id = text(table, "client_id")?.ok_or("needs `client_id`")?;
    if !client_id.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err("`client_id` must have visible ASCII characters only".to_owned());
    }
    let client_secret = match (text(table, "client_secret")?, text(table, "client_secret_file")?) {
        (Some(secret), None) => OidcSecret::Text(secret.to_owned()),
        (None, Some(file)) => OidcSecret::File(file.into()),
        _ => return Err("needs either `client_secret` or `client_secret_file`".to_owned()),
    };
    let create_accounts = match table.get("create_accounts") {
        None => true,
        Some(Value::Bool(create)) => *create,
        Some(_) => return Err("`create_accounts` must be true or false".to_owned()),
    };
    Ok(OidcProvider {
        slug,
        name: name.to_owned(),
        issuer: issuer(table)?,
        client_id: client_id.to_owned(),
        client_secret,
        email_domains: domains(table)?,
        create_accounts,
    })
}

/// A text that is not empty, if the key is there.
fn text<'t>(table: &'t Map<String, Value>, key: &str) -> Result<Option<&'t str>, String> {
    match table.get(key) {
        None => Ok(None),
        Some(Value::String(text)) if !text.is_empty() && text.len() <= TEXT => Ok(Some(text)),
        Some(_) => Err(format!("`{key}` must be a string of 1 to {TEXT} characters")),
    }
}

fn issuer(table: &Map<String, Value>) -> Result<String, String> {
    let issuer = text(table, "issuer")?.ok_or("needs `issuer`")?;
    let is_usable = |url: Url| {
        let is_plain = url.query().is_none() && url.fragment().is_none() && url.username().is_empty();
        let is_loopback = match url.host() {
            Some(Host::Ipv4(address)) => address.is_loopback(),
            Some(Host::Ipv6(address)) => address.is_loopback(),
            Some(Host::Domain(name)) => name == "localhost",
            None => false,
        };
        is_plain && url.password().is_none() && (url.scheme() == "https" || url.scheme() == "http" && is_loopback)
    };
    if issuer.bytes().all(|byte| byte.is_ascii_graphic()) && Url::parse(issuer).is_ok_and(is_usable) {
        return Ok(issuer.to_owned());
    }
    Err("`issuer` must be an https URL without user, query and fragment, as in the provider's metadata".to_owned())
}

fn domains(table: &Map<String, Value>) -> Result<Vec<String>, String> {
    let refused = || "`email_domains` must be an array of domains, such as [\"example.org\"]".to_owned();
    let Some(domains) = table.get("email_domains") else { return Ok(Vec::new()) };
    let is_domain = |domain: &&str| {
        let is_label =
            |label: &str| !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        domain.len() <= TEXT && domain.contains('.') && domain.split('.').all(is_label)
    };
    let domains = domains.as_array().ok_or_else(refused)?.iter();
    let domains = domains.map(|domain| domain.as_str().filter(is_domain).map(str::to_ascii_lowercase));
    domains.collect::<Option<_>>().ok_or_else(refused)
}

/// A name as a segment of an address.
fn slug_of(name: &str) -> String {
    let words = name.split(|character: char| !character.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-").to_ascii_lowercase()
}

fn is_slug(slug: &str) -> bool {
    let is_known = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    (1..=NAME).contains(&slug.len()) && slug.bytes().all(is_known)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FULL: &str = r#"[{"name": "Acme SSO", "issuer": "https://id.acme.example/realms/a", "client_id": "trips",
        "client_secret": "Sesame", "email_domains": ["Acme.example"], "create_accounts": false},
        {"name": "Б", "slug": "b", "issuer": "http://127.0.0.1:9000", "client_id": "x",
        "client_secret_file": "/run/secrets/b"}]"#;

    #[test]
    fn providers_are_read() {
        let OidcProviders(providers) = oidc(FULL).expect("valid");
        assert_eq!((providers[0].slug.as_str(), providers[1].slug.as_str()), ("acme-sso", "b"));
        assert!(!providers[0].create_accounts && providers[1].create_accounts);
        assert_eq!(providers[1].client_secret, OidcSecret::File("/run/secrets/b".into()));
        assert!(!format!("{providers:?}").contains("Sesame"));
        assert_eq!(oidc("[]"), Ok(OidcProviders::default()));
    }

    #[test]
    fn domains_are_those_of_verified_addresses() {
        let OidcProviders(providers) = oidc(FULL).expect("valid");
        assert!(providers[0].accepts(Some("ana@acme.example")) && providers[0].accepts(Some("ana@ACME.example")));
        for email in [
            None,
            Some("ana@other.example"),
            Some("ana@acme.example@other.example"),
            Some("acme.example"),
            Some("ana@sub.acme.example"),
            Some("ana@xacme.example"),
        ] {
            assert!(!providers[0].accepts(email), "{email:?}");
        }
        assert!(providers[1].accepts(None));
    }

    #[test]
    fn mistakes_are_named_without_values() {
        let with = |change: &str| {
            format!(
                r#"[{{"name": "A", "issuer": "https://a.example", "client_id": "x", "client_secret": "Sesame"{change}}}]"#
            )
        };
        assert!(oidc(&with("")).is_ok());
        for (text, told) in [
            ("Sesame".to_owned(), "must be an array of tables"),
            ("{}".to_owned(), "must be an array of tables"),
            ("[3]".to_owned(), "provider 1: must be a table"),
            ("[{}]".to_owned(), "provider 1: needs `name`"),
            (with(r#", "isuer": "Sesame""#), "provider 1: there is no key `isuer`"),
            (with(r#", "Sesame!": 1"#), "provider 1: there is no key; the keys are"),
            (with(r#", "name": "a\u202eSesame""#), "provider 1: `name` must have 1 to 40 visible characters"),
            (with(r#", "slug": "Sesame/x""#), "provider 1: `slug` must have"),
            (with(r#", "client_id": "Ses ame""#), "provider 1: `client_id` must have visible"),
            (with(r#", "client_id": 3"#), "provider 1: `client_id` must be a string"),
            (with(r#", "client_secret_file": "Sesame""#), "provider 1: needs either"),
            (with(r#", "create_accounts": "Sesame""#), "provider 1: `create_accounts` must be true or false"),
            (with(r#", "email_domains": "Sesame""#), "provider 1: `email_domains` must be an array"),
            (with(r#", "email_domains": ["@Sesame"]"#), "provider 1: `email_domains` must be an array"),
            (with(r#", "issuer": "http://a.example""#), "provider 1: `issuer` must be an https URL"),
            (with(r#", "issuer": "https://ana:Sesame@a.example""#), "provider 1: `issuer` must be an https URL"),
            (with(r#", "issuer": "https://a.example/?Sesame""#), "provider 1: `issuer` must be an https URL"),
        ] {
            let error = oidc(&text).expect_err(&text);
            assert!(error.contains(told) && !error.contains("Sesame"), "{text}: {error}");
        }
        let one = with("");
        let both = format!("[{0},{0}]", &one[1..one.len() - 1]);
        assert!(oidc(&both).expect_err("twice").contains("another `issuer`"));
        let same_name = both.replacen("a.example", "b.example", 1);
        assert!(oidc(&same_name).expect_err("twice").contains("another `slug`"));
        let six = [&one[1..one.len() - 1]; 6].join(",");
        assert!(oidc(&format!("[{six}]")).expect_err("six").contains("at most 5"));
    }
}
