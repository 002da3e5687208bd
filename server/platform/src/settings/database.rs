//! The settings of PostgreSQL: its pool, its pooler and its replicas, and where the servers' key is.

use std::time::Duration;

use clap::{Args, ValueEnum};
use itinerary_store::Options;

use super::{defaults, seconds};

/// What is between the server and PostgreSQL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Pooler {
    /// Nothing, or a pooler that keeps a connection for the whole session.
    None,
    /// A pooler like PgBouncer that gives each transaction another connection.
    Transaction,
}

/// Where the servers' key is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum KeyPlace {
    /// In the file `key_file`.
    File,
    /// In the database, shared by its servers.
    Database,
}

impl KeyPlace {
    /// The setting's value.
    pub fn name(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Database => "database",
        }
    }
}

/// The database's pool and the place of the key. Every command takes these settings.
#[derive(Clone, Debug, Args)]
pub struct DatabaseSettings {
    /// The maximum number of connections to PostgreSQL, and as many to each replica. The default is three for each processor, 6
    /// to 32
    #[arg(long, value_name = "NUMBER", default_value_t = Options::default().connections)]
    pub database_connections: u32,
    /// The longest wait for a connection to PostgreSQL; then requests get 502
    #[arg(long, value_name = "SECONDS", default_value = "2", value_parser = seconds)]
    pub database_wait_seconds: Duration,
    /// What is between the server and PostgreSQL: `none`, or `transaction` for PgBouncer with `pool_mode = transaction`
    #[arg(long, value_name = "POOLER", default_value = "none")]
    pub database_pooler: Pooler,
    /// Where the server's key is: `file`, in `key_file`; or `database`, where all servers of the database find it
    #[arg(long, value_name = "PLACE", default_value = "file")]
    pub server_key: KeyPlace,
}

impl Default for DatabaseSettings {
    fn default() -> Self {
        defaults()
    }
}

/// Replicas of the database, for reads that may lag.
#[derive(Clone, Debug, Args)]
pub struct ReplicaSettings {
    /// PostgreSQL servers that follow the database, from which Explore, other people's lists and profiles are read: each host
    /// of the URL is one. Default: none
    #[arg(long, value_name = "URL", hide_env_values = true)]
    pub database_replica_url: Option<String>,
    /// How far a replica may be behind; beyond that, it is not used
    #[arg(long, value_name = "SECONDS", default_value = "2", value_parser = seconds)]
    pub database_replica_lag_seconds: Duration,
}
