//! The settings. Each one is a field here: its doc comment is the flag's help, its default is the server's.
//!
//! The field's name is the flag, the environment variable and the key of the config file: `base_url` is `--base-url`,
//! `ITINERARY_BASE_URL` and `base_url = …` (see [`file`]). A flag takes precedence over the variable, the variable over the
//! file, the file over the default.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{ArgAction, Args, Command, ValueEnum};
use itinerary_core::legs::Speeds;
use itinerary_store::Quotas;

use crate::http::{Deadlines, is_origin};
use crate::passwords::Cost;

mod file;

pub use file::{ConfigError, command, parse};

/// How log lines look.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// For people.
    Text,
    /// One JSON object a line.
    Json,
}

/// When SQLite waits for the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Durability {
    /// At every commit, before the response: acknowledged writes survive a kill and a power cut.
    Full,
    /// Periodically: acknowledged writes survive a kill; a power cut may lose the most recent ones.
    Normal,
}

/// A geocoder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[expect(missing_docs, reason = "names of programs")]
pub enum GeocoderKind {
    Nominatim,
    Photon,
}

/// A route provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[expect(missing_docs, reason = "names of programs")]
pub enum RoutesKind {
    Osrm,
    Valhalla,
}

/// An image provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[expect(missing_docs, reason = "names of services")]
pub enum ImagesKind {
    Openverse,
}

/// Where data is stored. Every command takes these settings.
#[derive(Clone, Debug, Args)]
pub struct Storage {
    /// The data folder: the SQLite file and the server's key
    #[arg(long, value_name = "FOLDER", default_value = "./data")]
    pub data: PathBuf,
    /// The database. Default: itinerary.db in the data folder
    #[arg(long, value_name = "URL", hide_env_values = true)]
    pub database_url: Option<String>,
    /// When SQLite waits for the disk
    #[arg(long, value_name = "WHEN", default_value = "full")]
    pub sqlite_durability: Durability,
    /// SQLite's page cache, in MB for each connection: one for each processor, and a few more. Lists and Explore
    /// are faster in a database of millions of itineraries with 128
    #[arg(long, value_name = "MB", default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..=65_536))]
    pub sqlite_cache_mb: u32,
    /// Connections to PostgreSQL. The default is three for each processor, 6 to 32
    #[arg(long, value_name = "NUMBER", default_value_t = itinerary_store::Options::default().connections)]
    pub database_connections: u32,
    /// The file with the server's key, the same for every server on one database. Default: server.key in the data folder
    #[arg(long, value_name = "FILE")]
    pub key_file: Option<PathBuf>,
    /// The store for images and documents: `s3://BUCKET/PREFIX`, with the credentials in `AWS_…` variables. Default: the
    /// folder files in the data folder
    #[arg(long, value_name = "URL")]
    pub files_url: Option<String>,
}

impl Storage {
    /// The database's address.
    pub fn database_url(&self) -> String {
        let embedded = || format!("sqlite://{}", self.data.join("itinerary.db").display());
        self.database_url.clone().unwrap_or_else(embedded)
    }

    /// The file with the server's key.
    pub fn key_file(&self) -> PathBuf {
        self.key_file.clone().unwrap_or_else(|| self.data.join("server.key"))
    }
}

impl Default for Storage {
    fn default() -> Self {
        defaults()
    }
}

/// The settings of the command `serve`.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Options of serve")]
#[expect(clippy::struct_excessive_bools, reason = "settings are independent yes-or-no questions")]
pub struct Config {
    /// The address to listen on
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8080")]
    pub listen: SocketAddr,
    /// The URL by which travellers and programs reach the server, without a slash at the end; it is the OAuth issuer. Default:
    /// http:// and the address
    #[arg(long, value_name = "URL", default_value = FROM_ADDRESS, hide_default_value = true, value_parser = base_url)]
    pub base_url: String,
    /// The address at which Prometheus can read `/metrics` without authentication; use a loopback or private one. Default:
    /// none
    #[arg(long, value_name = "ADDRESS")]
    pub metrics_listen: Option<SocketAddr>,
    /// Whether rate limits and limits per account apply
    #[arg(long, value_name = "SWITCH", default_value = "on", action = ArgAction::Set, value_parser = switch())]
    pub limits: bool,
    /// Do not migrate the database at start; run the command migrate instead
    #[arg(long, num_args = 0..=1, default_missing_value = "true", default_value = "false", action = ArgAction::Set)]
    pub no_migrate: bool,
    /// Proxies whose X-Forwarded-For is trusted, separated by commas. Default: none
    #[arg(long, value_name = "ADDRESSES", value_delimiter = ',')]
    pub trusted_proxies: Vec<IpAddr>,
    /// Origins whose web pages may call the MCP endpoint, separated by commas; the server's own and those on the same machine
    /// always may. Default: none
    #[arg(long, value_name = "ORIGINS", value_delimiter = ',', value_parser = origin)]
    pub mcp_origins: Vec<String>,
    /// The longest pause within the body of a request
    #[arg(long = "body-stall-seconds", value_name = "SECONDS", default_value = "30", value_parser = seconds)]
    pub body_stall: Duration,
    /// The maximum number of open connections; further ones wait
    #[arg(long, value_name = "NUMBER", default_value_t = 4096)]
    pub connections: usize,
    /// The maximum memory for large responses that are being sent
    #[arg(long, value_name = "MIB", default_value = "64", value_parser = mebibytes::<usize>)]
    pub answers_memory: usize,
    /// How log lines look
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub log_format: LogFormat,
    /// Whether the built-in gazetteer is stored in the database at start
    #[arg(long, value_name = "SWITCH", default_value = "on", action = ArgAction::Set, value_parser = switch())]
    pub gazetteer: bool,
    /// The maximum total size of the documents in an account's itineraries
    #[arg(long, value_name = "MIB", default_value = "1024", value_parser = mebibytes::<i64>)]
    pub document_quota: i64,
    /// The maximum number of itineraries that an account owns, saved copies included
    #[arg(long, value_name = "NUMBER", default_value_t = 2000)]
    pub quota_itineraries: u32,
    /// The maximum number of members of an itinerary
    #[arg(long, value_name = "NUMBER", default_value_t = 100)]
    pub quota_members: u32,
    /// The maximum number of people that an account follows
    #[arg(long, value_name = "NUMBER", default_value_t = 5000)]
    pub quota_following: u32,
    /// The maximum number of memberships that one owner gives to an account that does not follow them
    #[arg(long, value_name = "NUMBER", default_value_t = 20)]
    pub quota_unsolicited_memberships: u32,
    /// Reject a confidential client's refresh without its secret
    #[arg(long, num_args = 0..=1, default_missing_value = "true", default_value = "false", action = ArgAction::Set)]
    pub oauth_strict_refresh: bool,
    /// Whether an app's client id may be the URL of its metadata document, which the server then fetches
    #[arg(long, value_name = "SWITCH", default_value = "on", action = ArgAction::Set, value_parser = switch())]
    pub oauth_client_documents: bool,
    #[command(flatten)]
    #[allow(missing_docs, reason = "a comment would become the help of the whole command")]
    pub providers: ProviderSettings,
    #[command(flatten)]
    #[allow(missing_docs, reason = "a comment would become the help of the whole command")]
    pub wallet: WalletSettings,
    /// Speeds and detours of estimated legs: only in the file, as the table `[legs]`.
    #[arg(skip)]
    pub speeds: Speeds,
    /// The deadlines of connections. Not for operators to set.
    #[arg(skip)]
    pub deadlines: Deadlines,
    /// The cost of password hashes. Not for operators to set: a lower cost makes stolen hashes cheaper to guess.
    #[arg(skip)]
    pub password_cost: Cost,
}

/// Providers outside the server. Without a provider, the embedded default is used.
#[derive(Clone, Debug, Args)]
pub struct ProviderSettings {
    /// Finds places that the gazetteer does not have. Default: none
    #[arg(long = "providers-geocoder", value_name = "NAME")]
    pub geocoder: Option<GeocoderKind>,
    /// The geocoder's base URL. Default: its public server
    #[arg(long = "providers-geocoder-url", value_name = "URL")]
    pub geocoder_url: Option<String>,
    /// Milliseconds between two calls of the geocoder. Public servers require at least the default
    #[arg(long = "providers-geocoder-interval", value_name = "MILLISECONDS", default_value_t = 1000)]
    pub geocoder_interval: u64,
    /// Computes legs. Default: none, legs are estimated
    #[arg(long = "providers-routes", value_name = "NAME")]
    pub routes: Option<RoutesKind>,
    /// The base URL of Valhalla, or of OSRM for driving
    #[arg(long = "providers-routes-url", value_name = "URL")]
    pub routes_url: Option<String>,
    /// The base URL of OSRM for walking. Default: none, walks are estimated
    #[arg(long = "providers-routes-walk-url", value_name = "URL")]
    pub routes_walk_url: Option<String>,
    /// The base URL of OSRM for cycling. Default: none
    #[arg(long = "providers-routes-bicycle-url", value_name = "URL")]
    pub routes_bicycle_url: Option<String>,
    /// Finds cover images. Default: none, covers are drawn
    #[arg(long = "providers-images", value_name = "NAME")]
    pub images: Option<ImagesKind>,
    /// The image provider's base URL. Default: its public server
    #[arg(long = "providers-images-url", value_name = "URL")]
    pub images_url: Option<String>,
    /// The key for Viator, which suggests activities. Default: none, places of the gazetteer are suggested
    #[arg(long = "providers-viator-key", value_name = "KEY", hide_env_values = true)]
    pub viator_key: Option<String>,
    /// Viator's base URL. Default: its public server
    #[arg(long = "providers-viator-url", value_name = "URL")]
    pub viator_url: Option<String>,
    /// A web or mail address at which providers can reach the operator, sent in User-Agent. Default: the base URL
    #[arg(long = "providers-contact", value_name = "ADDRESS")]
    pub contact: Option<String>,
}

/// Certificates and keys for wallet passes. Without them, passes answer `featureUnavailable`.
#[derive(Clone, Debug, Args)]
pub struct WalletSettings {
    /// The pass type identifier of Apple Wallet passes, such as pass.example.trips. Default: none, no Apple passes
    #[arg(long = "wallet-apple-pass-type", value_name = "IDENTIFIER")]
    pub apple_pass_type: Option<String>,
    /// The Apple developer team
    #[arg(long = "wallet-apple-team", value_name = "IDENTIFIER")]
    pub apple_team: Option<String>,
    /// The organisation named on passes
    #[arg(long = "wallet-organisation", value_name = "NAME", default_value = "Itinerary Planning Service")]
    pub organisation: String,
    /// The pass type's certificate, a PEM or DER file
    #[arg(long = "wallet-apple-certificate", value_name = "FILE")]
    pub apple_certificate: Option<PathBuf>,
    /// The certificate's private key, a PEM file
    #[arg(long = "wallet-apple-key", value_name = "FILE")]
    pub apple_key: Option<PathBuf>,
    /// The key's password. Default: none
    #[arg(long = "wallet-apple-key-password", value_name = "PASSWORD", hide_env_values = true)]
    pub apple_key_password: Option<String>,
    /// Apple's intermediate certificate (WWDR), a PEM or DER file
    #[arg(long = "wallet-apple-intermediate", value_name = "FILE")]
    pub apple_intermediate: Option<PathBuf>,
    /// The Google Wallet issuer. Default: none, no Google passes
    #[arg(long = "wallet-google-issuer", value_name = "IDENTIFIER")]
    pub google_issuer: Option<String>,
    /// The key file of the issuer's service account, JSON
    #[arg(long = "wallet-google-service-account", value_name = "FILE")]
    pub google_service_account: Option<PathBuf>,
}

impl Config {
    /// The defaults, for a server on this address.
    pub fn new(listen: SocketAddr) -> Self {
        Self { listen, base_url: format!("http://{listen}"), ..defaults() }
    }

    /// Derives the base URL from the address if none was given.
    pub fn with_base_url(self) -> Result<Self, ConfigError> {
        match (self.base_url.is_empty(), self.listen) {
            (true, listen) if listen.port() == 0 => Err(ConfigError::NoPort),
            (true, listen) => Ok(Self { base_url: format!("http://{listen}"), ..self }),
            (false, _) => Ok(self),
        }
    }

    /// Whether the server is reached over TLS.
    pub fn is_https(&self) -> bool {
        self.base_url.starts_with("https://")
    }

    /// How much an account may have.
    pub fn quotas(&self) -> Quotas {
        Quotas {
            itineraries: self.quota_itineraries.into(),
            members: self.quota_members.into(),
            following: self.quota_following.into(),
            unsolicited_memberships: self.quota_unsolicited_memberships.into(),
        }
    }
}

/// The defaults: no flag, no variable, no file.
fn defaults<T: Args>() -> T {
    let matches = T::augment_args(Command::new("defaults")).get_matches_from(["defaults"]);
    T::from_arg_matches(&matches).expect("every setting has a valid default")
}

fn switch() -> impl TypedValueParser<Value = bool> {
    PossibleValuesParser::new(["on", "off"]).map(|text| text == "on")
}

fn seconds(text: &str) -> Result<Duration, std::num::ParseIntError> {
    text.parse().map(Duration::from_secs)
}

/// A number of MiB, as bytes.
fn mebibytes<T: TryFrom<u64>>(text: &str) -> Result<T, &'static str> {
    let number: Option<u32> = text.parse().ok();
    let bytes = number.and_then(|number| T::try_from(u64::from(number) << 20).ok());
    bytes.ok_or("must be a whole number of MiB")
}

/// Stands for a base URL that is derived from the address. An empty text cannot: a variable that is set to nothing by
/// mistake would give OAuth another issuer.
const FROM_ADDRESS: &str = "http://ADDRESS";

fn base_url(text: &str) -> Result<String, &'static str> {
    if text == FROM_ADDRESS {
        return Ok(String::new());
    }
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

fn origin(text: &str) -> Result<String, &'static str> {
    let refused = "must be an origin as browsers write it, such as https://assistant.example";
    if is_origin(text) { Ok(text.to_owned()) } else { Err(refused) }
}

#[cfg(test)]
mod tests;
