//! How the server is set up: flags, environment and file, in one place.
//!
//! A value comes from the flag, else from the environment variable `ITINERARY_…`, else from the key of the config file,
//! else from the default that its comment names.

use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::ValueEnum;
use itinerary_core::legs::Speeds;
use itinerary_store::Quotas;
use serde::Deserialize;

use crate::http::{Deadlines, is_origin};
use crate::passwords::Cost;

mod providers;
mod quotas;
mod wallet;

pub use providers::{GeocoderKind, ImagesKind, ProviderSettings, RoutesKind};
pub use quotas::QuotaSettings;
pub use wallet::WalletSettings;

/// A switch on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Switch {
    /// It is on.
    On,
    /// It is off.
    Off,
}

/// How log lines look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// For people.
    #[default]
    Text,
    /// One JSON object a line.
    Json,
}

/// When SQLite waits for the disk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Durability {
    /// At every commit, before it is answered: neither a killed process nor a power cut loses anything.
    #[default]
    Full,
    /// Now and then: a killed process loses nothing, a power cut may lose the last moments.
    Normal,
}

/// Where things are kept: for every command.
#[derive(Clone, Debug, Default, clap::Args, Deserialize)]
#[serde(default)]
pub struct StorageSettings {
    /// The data folder: the SQLite file and the server's key. Default: ./data
    #[arg(long, global = true, env = "ITINERARY_DATA", value_name = "FOLDER")]
    pub data: Option<PathBuf>,
    /// The database. Default: itinerary.db in the data folder
    #[arg(long, global = true, env = "ITINERARY_DATABASE_URL", value_name = "URL", hide_env_values = true)]
    pub database_url: Option<String>,
    /// When SQLite waits for the disk. Default: full
    #[arg(long, global = true, env = "ITINERARY_SQLITE_DURABILITY", value_name = "WHEN")]
    pub sqlite_durability: Option<Durability>,
    /// How many connections to PostgreSQL. Default: three for each processor, 6 to 32
    #[arg(long, global = true, env = "ITINERARY_DATABASE_CONNECTIONS", value_name = "NUMBER")]
    pub database_connections: Option<u32>,
    /// The file with the server's key, the same for every server on one database. Default: server.key in the data folder
    #[arg(long, global = true, env = "ITINERARY_KEY_FILE", value_name = "FILE")]
    pub key_file: Option<PathBuf>,
    /// Where images and documents are: `s3://BUCKET/PREFIX`, with the credentials in `AWS_…` variables. Default: the folder
    /// files in the data folder
    #[arg(long, global = true, env = "ITINERARY_FILES_URL", value_name = "URL")]
    pub files_url: Option<String>,
}

/// How the server answers: for `serve`.
#[derive(Clone, Debug, Default, clap::Args, Deserialize)]
#[serde(default)]
pub struct ServeSettings {
    /// The address to listen on. Default: 127.0.0.1:8080
    #[arg(long, env = "ITINERARY_LISTEN", value_name = "ADDRESS")]
    pub listen: Option<SocketAddr>,
    /// How travellers and programs reach the server, without a slash at the end. Default: http:// and the address
    #[arg(long, env = "ITINERARY_BASE_URL", value_name = "URL")]
    pub base_url: Option<String>,
    /// Whether requests are limited. Default: on
    #[arg(long, env = "ITINERARY_LIMITS", value_name = "SWITCH")]
    pub limits: Option<Switch>,
    /// Leave migrating the database to `migrate`
    #[arg(long, env = "ITINERARY_NO_MIGRATE", num_args = 0..=1, default_missing_value = "true")]
    pub no_migrate: Option<bool>,
    /// Proxies whose X-Forwarded-For is believed, separated by commas. Default: none
    #[arg(long, env = "ITINERARY_TRUSTED_PROXIES", value_name = "ADDRESSES", value_delimiter = ',')]
    pub trusted_proxies: Option<Vec<IpAddr>>,
    /// Web pages that may call the MCP endpoint, as origins separated by commas; its own and those on the same machine may.
    /// Default: none
    #[arg(long, env = "ITINERARY_MCP_ORIGINS", value_name = "ORIGINS", value_delimiter = ',')]
    pub mcp_origins: Option<Vec<String>>,
    /// How many seconds a body may stall. Default: 30
    #[arg(long, env = "ITINERARY_BODY_STALL_SECONDS", value_name = "SECONDS")]
    pub body_stall_seconds: Option<u64>,
    /// How many connections may be open at once; further ones wait. Default: 4096
    #[arg(long, env = "ITINERARY_CONNECTIONS", value_name = "NUMBER")]
    pub connections: Option<usize>,
    /// How many MiB large answers that are under way may hold together. Default: 64
    #[arg(long, env = "ITINERARY_ANSWERS_MEMORY", value_name = "MIB")]
    pub answers_memory: Option<u32>,
    /// How log lines look. Default: text
    #[arg(long, env = "ITINERARY_LOG_FORMAT", value_name = "FORMAT")]
    pub log_format: Option<LogFormat>,
    /// Whether the built-in gazetteer is stored in the database at start. Default: on
    #[arg(long, env = "ITINERARY_GAZETTEER", value_name = "SWITCH")]
    pub gazetteer: Option<Switch>,
    /// How many MiB the documents of an account's itineraries may have together. Default: 1024
    #[arg(long, env = "ITINERARY_DOCUMENT_QUOTA", value_name = "MIB")]
    pub document_quota: Option<u32>,
    /// Speeds and detours of estimated legs: only in the file, as the table `[legs]`.
    #[arg(skip)]
    pub legs: Option<Speeds>,
    // These have no doc comments: clap would use them as the help of the whole command.
    #[command(flatten)]
    pub oauth: OAuthSettings,
    #[command(flatten)]
    pub providers: ProviderSettings,
    #[command(flatten)]
    pub wallet: WalletSettings,
    #[command(flatten)]
    pub quotas: QuotaSettings,
}

/// How sign-in behaves.
#[derive(Clone, Debug, Default, clap::Args, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OAuthSettings {
    /// Refuse a confidential client's refresh without its secret. Default: false
    #[arg(long = "oauth-strict-refresh", env = "ITINERARY_OAUTH_STRICT_REFRESH", num_args = 0..=1, default_missing_value = "true")]
    pub strict_refresh: Option<bool>,
    /// Whether apps may be known by the URL of their metadata document, which the server then fetches. Default: on
    #[arg(long = "oauth-client-documents", env = "ITINERARY_OAUTH_CLIENT_DOCUMENTS", value_name = "SWITCH")]
    pub client_documents: Option<Switch>,
}

/// The config file: the same keys as the flags, with `_` for `-`, and `[oauth]` as a table.
#[derive(Clone, Debug, Default)]
pub struct ConfigFile {
    /// Where things are kept.
    pub storage: StorageSettings,
    /// How the server answers.
    pub serve: ServeSettings,
}

/// Why the server cannot be set up like this.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The config file cannot be read.
    #[error("the config file {0} cannot be read: {1}")]
    Unreadable(PathBuf, std::io::Error),
    /// The config file is not what it should be.
    #[error("the config file {0} is wrong: {1}")]
    Malformed(PathBuf, String),
    /// The address has no port, and there is no base URL to say how the server is reached.
    #[error("an address with port 0 needs a base URL: nobody would know the port")]
    NoPort,
    /// The base URL is not one.
    #[error("the base URL must be http:// or https:// and a host, without a path or a slash at the end: {0}")]
    BaseUrl(String),
    /// An origin of a web page is not one.
    #[error("mcp_origins must be origins as browsers write them, such as https://assistant.example: {0}")]
    McpOrigin(String),
    /// The table of speeds has a value that no way can have.
    #[error("in [legs], kmh must be more than 0, detour at least 1, and no number negative")]
    Legs,
}

/// The keys that a config file may have.
const KEYS: [&str; 23] = [
    "data",
    "database_url",
    "sqlite_durability",
    "database_connections",
    "key_file",
    "files_url",
    "listen",
    "base_url",
    "limits",
    "no_migrate",
    "trusted_proxies",
    "mcp_origins",
    "body_stall_seconds",
    "connections",
    "answers_memory",
    "log_format",
    "gazetteer",
    "document_quota",
    "legs",
    "oauth",
    "providers",
    "wallet",
    "quotas",
];

impl ConfigFile {
    /// Reads a file; a key that means nothing is refused.
    pub fn read(path: &Path) -> Result<Self, ConfigError> {
        let text = std::fs::read_to_string(path).map_err(|error| ConfigError::Unreadable(path.to_owned(), error))?;
        Self::parse(&text).map_err(|message| ConfigError::Malformed(path.to_owned(), message))
    }

    fn parse(text: &str) -> Result<Self, String> {
        // Both parts are read from the one table, so neither can refuse what it does not know.
        let table: toml::Table = toml::from_str(text).map_err(|error| explain(&error, text))?;
        if let Some(unknown) = table.keys().find(|key| !KEYS.contains(&key.as_str())) {
            return Err(format!("there is no key {unknown}"));
        }
        let explain_it = |error: toml::de::Error| explain(&error, text);
        Ok(Self {
            storage: table.clone().try_into().map_err(explain_it)?,
            serve: table.try_into().map_err(explain_it)?,
        })
    }
}

/// What is told of an error in a config file: its line or its key, and no text of the file, in which passwords are.
fn explain(error: &toml::de::Error, text: &str) -> String {
    let message = error.message();
    if let Some(before) = error.span().and_then(|span| text.get(..span.start)) {
        return format!("line {}: {message}", before.matches('\n').count() + 1);
    }
    // A value of another type is quoted before what is expected. Without a place in the text, the key is named.
    let shown = match message.rsplit_once(", expected ") {
        Some((_, expected)) => format!("the value must be of another kind: {expected}"),
        None => message.to_owned(),
    };
    error.to_string().replace(message, &shown).trim_end().replace('\n', " ")
}

/// Where things are kept.
#[derive(Clone, Debug)]
pub struct Storage {
    /// The data folder.
    pub data: PathBuf,
    /// The database's address.
    pub database_url: String,
    /// When SQLite waits for the disk.
    pub sqlite_durability: Durability,
    /// How many connections to PostgreSQL.
    pub database_connections: u32,
    /// The file with the server's key.
    pub key_file: PathBuf,
    /// Where files are, if not in the data folder.
    pub files_url: Option<String>,
}

impl StorageSettings {
    /// Flags and environment first, then the file, then the defaults.
    pub fn resolve(self, file: Self) -> Storage {
        let data = self.data.or(file.data).unwrap_or_else(|| PathBuf::from("./data"));
        let embedded = || format!("sqlite://{}", data.join("itinerary.db").display());
        Storage {
            database_url: self.database_url.or(file.database_url).unwrap_or_else(embedded),
            sqlite_durability: self.sqlite_durability.or(file.sqlite_durability).unwrap_or_default(),
            database_connections: self
                .database_connections
                .or(file.database_connections)
                .unwrap_or_else(|| itinerary_store::Options::default().connections),
            key_file: self.key_file.or(file.key_file).unwrap_or_else(|| data.join("server.key")),
            files_url: self.files_url.or(file.files_url),
            data,
        }
    }
}

/// How the server answers.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "settings are independent yes-or-no questions")]
pub struct Config {
    /// The address to listen on.
    pub listen: SocketAddr,
    /// How travellers and programs reach the server, without a slash at the end. The OAuth issuer is this very string.
    pub base_url: String,
    /// Whether requests are limited.
    pub limits: bool,
    /// Whether pending migrations are applied at start.
    pub migrate: bool,
    /// Proxies whose `X-Forwarded-For` is believed.
    pub trusted_proxies: Vec<IpAddr>,
    /// Origins of web pages that may call the MCP endpoint.
    pub mcp_origins: Vec<String>,
    /// How long a body may stall.
    pub body_stall: Duration,
    /// How many connections may be open at once.
    pub connections: usize,
    /// How many bytes large answers that are under way may hold together.
    pub answers_memory: usize,
    /// The deadlines of connections. Not for operators to set.
    pub deadlines: Deadlines,
    /// How log lines look.
    pub log_format: LogFormat,
    /// Refuse a confidential client's refresh without its secret.
    pub strict_refresh: bool,
    /// Whether clients may be known by the URL of their metadata document.
    pub client_documents: bool,
    /// Whether the built-in gazetteer is stored in the database at start.
    pub gazetteer: bool,
    /// How legs are estimated.
    pub speeds: Speeds,
    /// The providers that are used.
    pub providers: ProviderSettings,
    /// What wallet passes are signed with.
    pub wallet: WalletSettings,
    /// How much an account may have.
    pub quotas: Quotas,
    /// How many bytes the documents of an account's itineraries may have together.
    pub document_quota: i64,
    /// What hashing a password costs. Not for operators to set: a lower cost makes stolen hashes cheaper to guess.
    pub password_cost: Cost,
}

impl Config {
    /// What a server on this address answers like when nothing is said.
    pub fn new(listen: SocketAddr) -> Self {
        ServeSettings { listen: Some(listen), ..ServeSettings::default() }
            .resolve(ServeSettings::default())
            .expect("the defaults are right")
    }

    /// Whether the server is reached over TLS.
    pub fn is_https(&self) -> bool {
        self.base_url.starts_with("https://")
    }
}

impl ServeSettings {
    /// These settings, and `other` where nothing is said.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self {
            listen: self.listen.or(other.listen),
            base_url: self.base_url.or(other.base_url),
            limits: self.limits.or(other.limits),
            no_migrate: self.no_migrate.or(other.no_migrate),
            trusted_proxies: self.trusted_proxies.or(other.trusted_proxies),
            mcp_origins: self.mcp_origins.or(other.mcp_origins),
            body_stall_seconds: self.body_stall_seconds.or(other.body_stall_seconds),
            connections: self.connections.or(other.connections),
            answers_memory: self.answers_memory.or(other.answers_memory),
            log_format: self.log_format.or(other.log_format),
            gazetteer: self.gazetteer.or(other.gazetteer),
            legs: self.legs.or(other.legs),
            oauth: OAuthSettings {
                strict_refresh: self.oauth.strict_refresh.or(other.oauth.strict_refresh),
                client_documents: self.oauth.client_documents.or(other.oauth.client_documents),
            },
            providers: self.providers.or(other.providers),
            wallet: self.wallet.or(other.wallet),
            quotas: self.quotas.or(other.quotas),
            document_quota: self.document_quota.or(other.document_quota),
        }
    }

    /// Flags and environment first, then the file, then the defaults.
    pub fn resolve(self, file: Self) -> Result<Config, ConfigError> {
        let settings = self.or(file);
        let listen = settings.listen.unwrap_or(SocketAddr::from(([127, 0, 0, 1], 8080)));
        if listen.port() == 0 && settings.base_url.is_none() {
            return Err(ConfigError::NoPort);
        }
        let base_url = settings.base_url.unwrap_or_else(|| format!("http://{listen}"));
        check_base_url(&base_url)?;
        let mcp_origins = settings.mcp_origins.unwrap_or_default();
        if let Some(wrong) = mcp_origins.iter().find(|origin| !is_origin(origin)) {
            return Err(ConfigError::McpOrigin(wrong.clone()));
        }
        let speeds = settings.legs.unwrap_or_default();
        if !speeds.are_usable() {
            return Err(ConfigError::Legs);
        }
        Ok(Config {
            listen,
            base_url,
            limits: settings.limits.unwrap_or(Switch::On) == Switch::On,
            migrate: !settings.no_migrate.unwrap_or(false),
            trusted_proxies: settings.trusted_proxies.unwrap_or_default(),
            mcp_origins,
            body_stall: Duration::from_secs(settings.body_stall_seconds.unwrap_or(30)),
            connections: settings.connections.unwrap_or(4096),
            answers_memory: usize::try_from(settings.answers_memory.unwrap_or(64)).unwrap_or(64) * 1024 * 1024,
            deadlines: Deadlines::default(),
            log_format: settings.log_format.unwrap_or_default(),
            strict_refresh: settings.oauth.strict_refresh.unwrap_or(false),
            client_documents: settings.oauth.client_documents.unwrap_or(Switch::On) == Switch::On,
            gazetteer: settings.gazetteer.unwrap_or(Switch::On) == Switch::On,
            speeds,
            providers: settings.providers,
            wallet: settings.wallet,
            quotas: settings.quotas.resolve(),
            document_quota: i64::from(settings.document_quota.unwrap_or(1024)) * 1024 * 1024,
            password_cost: Cost::default(),
        })
    }
}

fn check_base_url(base_url: &str) -> Result<(), ConfigError> {
    let refuse = || ConfigError::BaseUrl(base_url.to_owned());
    let url = url::Url::parse(base_url).map_err(|_| refuse())?;
    // A path would be in the way of the well-known addresses, and the pages' links begin at the root.
    let plain = url.path() == "/" && url.query().is_none() && url.fragment().is_none() && url.username().is_empty();
    let good = matches!(url.scheme(), "http" | "https") && url.has_host() && plain && !base_url.ends_with('/');
    if good { Ok(()) } else { Err(refuse()) }
}

#[cfg(test)]
mod tests;
