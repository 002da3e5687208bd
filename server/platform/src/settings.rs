//! The settings. Each one is a field here: its doc comment is the flag's help, its default is the server's.
//!
//! Nothing here reads the command line, the environment or a file: the server's `config.rs` does.
//!
//! `hide_env_values = true` marks a secret, which no command prints.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgAction, Args, Command, ValueEnum};
use itinerary_store::{Quotas, sqlite_url};

use crate::log::LogFormat;
use crate::passwords::HashingCost;

mod database;
mod deadlines;
mod import;
mod legs;
mod limits;
mod mail;
mod maps;
mod oidc;
pub mod origins;
pub mod providers;
mod sign_in;
mod tls;
mod values;
mod wallet;
mod webhooks;

pub use database::{DatabaseSettings, KeyPlace, Pooler, ReplicaSettings};
pub use deadlines::Deadlines;
pub use import::ImportSettings;
pub use legs::LegSettings;
pub use limits::{LimitSettings, Limits, WhenUnavailable};
pub use mail::{MailEncryption, MailSender, MailSettings};
pub use maps::{MapSettings, TileTemplate};
pub use oidc::{OidcProvider, OidcProviders, OidcSecret};
pub use providers::{GeocoderKind, ImagesKind, ProviderSettings, RoutesKind};
pub use sign_in::{Contact, SignInSettings, SignUpMode};
pub use tls::TlsSettings;
use values::{FROM_ADDRESS, base_url, former_base_url, mebibytes, origin, proxy, seconds, socket, switch};
pub use wallet::WalletSettings;
pub use webhooks::WebhookSettings;

/// Settings that contradict each other.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// The address has no port, and no base URL says how the server is reached.
    #[error("`listen` with port 0 needs `base_url`, because the port is not known in advance")]
    NoPort,
    /// A setting without another that belongs to it.
    #[error("`{0}` needs `{1}`")]
    Needs(&'static str, &'static str),
    /// The server speaks TLS, but its base URL says otherwise.
    #[error("`base_url` must begin with https://, because `tls_certificate` is set")]
    TlsNeedsHttps,
    /// Nobody could sign in.
    #[error("`password_sign_in` is off, so `oidc` must have a provider")]
    NoWayIn,
    /// A secret that is set twice.
    #[error("set either `mail_password` or `mail_password_file`")]
    TwoMailPasswords,
    /// A password and links would be sent in clear text.
    #[error("`mail_encryption` is none, so `mail_host` must be localhost or a loopback address")]
    PlainMail,
    /// Both listeners have the same address.
    #[error("`metrics_listen` must have another port than `listen`")]
    SameListener,
}

/// When SQLite waits for the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Durability {
    /// At every commit, before the response: acknowledged writes survive a kill and a power cut.
    Full,
    /// Periodically: acknowledged writes survive a kill; a power cut may lose the most recent ones.
    Normal,
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
    /// SQLite's page cache, for each connection; there is one for each processor, and a few more
    #[arg(long, value_name = "MIB", default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..=65_536))]
    pub sqlite_cache_mb: u32,
    /// Whether SQLite reads its file through a memory map, which makes Explore in a large database up to 2.5 times as
    /// fast. A read error of the disk then ends the server instead of failing one request. Always off on 32-bit systems
    #[arg(long, value_name = "SWITCH", default_value = "on", action = ArgAction::Set, value_parser = switch())]
    pub sqlite_mmap: bool,
    #[command(flatten)]
    #[allow(missing_docs, reason = "a comment would become the help of the whole command")]
    pub database: DatabaseSettings,
    /// The file with the server's key, the same for every server on one database. Default: server.key in the data folder
    #[arg(long, value_name = "FILE")]
    pub key_file: Option<PathBuf>,
    /// The store for images and documents: `s3://BUCKET/PREFIX`, with the credentials in `AWS_…` variables. Default: the
    /// folder files in the data folder
    #[arg(long, value_name = "URL")]
    pub files_url: Option<String>,
    /// What a command may create. Not for operators to set.
    #[arg(skip)]
    pub access: Access,
}

/// What a command may create in the storage. Only commands that prepare a server create anything: with a mistyped folder or
/// address, the others would otherwise work on an empty service.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Access {
    /// What is missing is created: the data folder, the SQLite file, the key and the folder for files.
    #[default]
    Create,
    /// What is missing is an error.
    Existing,
    /// Only the database is used, which must exist: neither the key nor the files are read.
    DatabaseOnly,
}

impl Storage {
    /// The database's address.
    pub fn database_url(&self) -> String {
        let embedded = || sqlite_url(&self.data.join("itinerary.db"));
        self.database_url.clone().unwrap_or_else(embedded)
    }

    /// The folder for images and documents, unless they are in S3.
    pub fn files_folder(&self) -> PathBuf {
        self.data.join("files")
    }

    /// The same storage with this access.
    #[must_use]
    pub fn with_access(&self, access: Access) -> Self {
        Self { access, ..self.clone() }
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
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8080", value_parser = socket)]
    pub listen: SocketAddr,
    /// The URL by which travellers and programs reach the server, without a slash at the end; it is the OAuth issuer. Default:
    /// http:// and the address, with TLS https://
    #[arg(long, value_name = "URL", default_value = FROM_ADDRESS, hide_default_value = true, value_parser = base_url)]
    pub base_url: String,
    /// Base URLs that the server had before, separated by commas: an address of a cover under one of them is recognised when it
    /// is sent. Default: none
    #[arg(long, value_name = "URLS", value_delimiter = ',', value_parser = former_base_url)]
    pub former_base_urls: Vec<String>,
    /// The address at which Prometheus can read `/metrics` without authentication; use a loopback or private one. Default:
    /// none
    #[arg(long, value_name = "ADDRESS", value_parser = socket)]
    pub metrics_listen: Option<SocketAddr>,
    #[command(flatten)]
    #[allow(missing_docs, reason = "a comment would become the help of the whole command")]
    pub limit_settings: LimitSettings,
    /// Do not migrate the database at start; run the command migrate instead
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true", default_value = "false")]
    #[arg(action = ArgAction::Set)]
    pub no_migrate: bool,
    /// IP addresses of the proxies whose X-Forwarded-For is trusted, separated by commas. Default: none
    #[arg(long, value_name = "ADDRESSES", value_delimiter = ',', value_parser = proxy)]
    pub trusted_proxies: Vec<IpAddr>,
    /// Origins whose web pages may call the MCP endpoint, separated by commas; the server's own and those on the same machine
    /// always may. Default: none
    #[arg(long, value_name = "ORIGINS", value_delimiter = ',', value_parser = origin)]
    pub mcp_origins: Vec<String>,
    /// The longest pause within the body of a request
    #[arg(long = "body-stall-seconds", value_name = "SECONDS", default_value = "30", value_parser = seconds)]
    pub body_stall: Duration,
    /// The maximum number of open connections. When they are all open, idle ones give way to new ones
    #[arg(long, value_name = "NUMBER", default_value_t = 4096)]
    pub connections: usize,
    /// The maximum number of open connections from one address, or from one /64 of IPv6; none for `trusted_proxies`. Default: a
    /// quarter of `connections`
    #[arg(long, value_name = "NUMBER")]
    pub connections_per_address: Option<usize>,
    /// How long the server continues to serve after it was asked to stop, while `/readyz` answers 503, so that proxies
    /// notice; then it stops within 10 seconds
    #[arg(long, value_name = "SECONDS", default_value = "0", value_parser = seconds)]
    pub drain_delay: Duration,
    /// The maximum memory for large responses that are being sent
    #[arg(long, value_name = "MIB", default_value = "64", value_parser = mebibytes::<usize>)]
    pub answers_memory: usize,
    /// How log lines look
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub log_format: LogFormat,
    /// What is logged: off, error, warn, info, debug or trace, or levels of targets such as `info,access=off`. Read again
    /// from the file on SIGHUP. Default: `RUST_LOG` if that variable is set, otherwise info
    #[arg(long, value_name = "LEVEL", value_parser = crate::log::level::checked)]
    pub log_level: Option<String>,
    /// Whether places are looked up in the built-in gazetteer
    #[arg(long, value_name = "SWITCH", default_value = "on", action = ArgAction::Set, value_parser = switch())]
    pub gazetteer: bool,
    /// The maximum total size of the documents in an account's itineraries
    #[arg(long, value_name = "MIB", default_value = "1024", value_parser = mebibytes::<i64>)]
    pub document_quota: i64,
    /// The maximum number of itineraries that an account owns, saved copies included
    #[arg(long, value_name = "NUMBER", default_value_t = 2000)]
    pub quota_itineraries: u32,
    /// The maximum number of members of an itinerary, invitations included
    #[arg(long, value_name = "NUMBER", default_value_t = 100)]
    pub quota_members: u32,
    /// The maximum number of people that an account follows
    #[arg(long, value_name = "NUMBER", default_value_t = 5000)]
    pub quota_following: u32,
    /// The maximum number of invitations that one owner has sent in 30 days and that were not accepted
    #[arg(long, value_name = "NUMBER", default_value_t = 20)]
    pub quota_invitations: u32,
    /// The maximum number of accounts that an account blocks
    #[arg(long, value_name = "NUMBER", default_value_t = 1000)]
    pub quota_blocks: u32,
    /// Reject a confidential client's refresh without its secret
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true", default_value = "false")]
    #[arg(action = ArgAction::Set)]
    pub oauth_strict_refresh: bool,
    /// Whether an app's client id may be the URL of its metadata document, which the server then fetches
    #[arg(long, value_name = "SWITCH", default_value = "on", action = ArgAction::Set, value_parser = switch())]
    pub oauth_client_documents: bool,
    #[command(flatten)]
    #[allow(missing_docs, reason = "a comment would become the help of the whole command")]
    pub sign_in: SignInSettings,
    #[command(flatten)]
    #[allow(missing_docs, reason = "a comment would become the help of the whole command")]
    pub mail: MailSettings,
    #[command(flatten)]
    #[allow(missing_docs, reason = "a comment would become the help of the whole command")]
    pub replica: ReplicaSettings,
    #[command(flatten)]
    #[allow(missing_docs, reason = "a comment would become the help of the whole command")]
    pub tls: TlsSettings,
    #[command(flatten)]
    #[allow(missing_docs, reason = "a comment would become the help of the whole command")]
    pub providers: ProviderSettings,
    #[command(flatten)]
    #[allow(missing_docs, reason = "a comment would become the help of the whole command")]
    pub maps: MapSettings,
    #[command(flatten)]
    #[allow(missing_docs, reason = "a comment would become the help of the whole command")]
    pub wallet: WalletSettings,
    #[command(flatten)]
    #[allow(missing_docs, reason = "a comment would become the help of the whole command")]
    pub webhooks: WebhookSettings,
    #[command(flatten)]
    #[allow(missing_docs, reason = "a comment would become the help of the whole command")]
    pub import: ImportSettings,
    #[command(flatten)]
    #[allow(missing_docs, reason = "a comment would become the help of the whole command")]
    pub legs: LegSettings,
    /// If false, limits are off whatever the setting `limits` says. Not for operators to set.
    #[arg(skip = true)]
    pub limits: bool,
    /// The deadlines of connections. Not for operators to set.
    #[arg(skip)]
    pub deadlines: Deadlines,
    /// The cost of password hashes. Not for operators to set: a lower cost makes stolen hashes cheaper to guess.
    #[arg(skip)]
    pub password_cost: HashingCost,
}

impl Config {
    /// The defaults, for a server on this address.
    pub fn new(listen: SocketAddr) -> Self {
        Self { listen, base_url: format!("http://{listen}"), ..defaults() }
    }

    /// Derives the base URL from the address if none was given, and checks it against the settings of TLS. Rejects settings
    /// that lack another one.
    pub fn with_base_url(self) -> Result<Self, SettingsError> {
        self.tls.check()?;
        if self.metrics_listen.is_some_and(|address| address == self.listen && address.port() != 0) {
            return Err(SettingsError::SameListener);
        }
        self.maps.check()?;
        self.mail.check()?;
        if !self.sign_in.has_way_in() {
            return Err(SettingsError::NoWayIn);
        }
        match (self.base_url.is_empty(), self.listen) {
            (true, listen) if listen.port() == 0 => Err(SettingsError::NoPort),
            (true, listen) => Ok(Self { base_url: format!("{}://{listen}", self.scheme()), ..self }),
            (false, _) if self.tls.is_on() && !self.is_https() => Err(SettingsError::TlsNeedsHttps),
            (false, _) => Ok(self),
        }
    }

    /// Whether rate limits and limits per account apply.
    pub fn has_limits(&self) -> bool {
        self.limits && !matches!(self.limit_settings.from, Limits::Off)
    }

    /// The maximum number of open connections from one address; `None` without limits.
    pub fn connections_per_address(&self) -> Option<usize> {
        self.has_limits().then(|| self.connections_per_address.unwrap_or(self.connections / 4))
    }

    /// The scheme at the address that the server listens on.
    pub fn scheme(&self) -> &'static str {
        if self.tls.is_on() { "https" } else { "http" }
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
            invitations: self.quota_invitations.into(),
            blocks: self.quota_blocks.into(),
        }
    }
}

/// The defaults: no flag, no variable, no file.
fn defaults<T: Args>() -> T {
    let matches = T::augment_args(Command::new("defaults")).get_matches_from(["defaults"]);
    T::from_arg_matches(&matches).expect("every setting has a valid default")
}
