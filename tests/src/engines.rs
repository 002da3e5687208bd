//! Databases for tests that start the server as a program, or take its database away.

use std::path::{Path, PathBuf};

use tempfile::TempDir;
use test_support::database::Database;
use test_support::sql;

use crate::World;

/// A database and a data folder.
pub struct Engine {
    folder: TempDir,
    /// The address of a PostgreSQL database. `None` for the SQLite file in the data folder.
    postgres: Option<String>,
}

impl Engine {
    /// An empty database. `None` if PostgreSQL is not installed.
    pub fn on(database: Database) -> Option<Self> {
        let sqlite = Self::sqlite();
        match database {
            Database::Sqlite => Some(sqlite),
            Database::Postgres => Some(Self { postgres: Some(database.empty(sqlite.data())?), ..sqlite }),
        }
    }

    /// A PostgreSQL database at this address, such as one of a test's own cluster.
    pub fn at(url: String) -> Self {
        Self { postgres: Some(url), ..Self::sqlite() }
    }

    /// A data folder, with a PostgreSQL database at this address, or SQLite in the folder.
    pub fn new(folder: TempDir, postgres: Option<String>) -> Self {
        Self { folder, postgres }
    }

    /// SQLite in a new folder.
    pub fn sqlite() -> Self {
        Self { folder: TempDir::new().expect("a folder"), postgres: None }
    }

    pub fn data(&self) -> &Path {
        self.folder.path()
    }

    /// A path in the data folder.
    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn url(&self) -> String {
        let embedded = || format!("sqlite://{}", self.file("itinerary.db").display());
        self.postgres.clone().unwrap_or_else(embedded)
    }

    /// The flags for data folder and database.
    pub fn flags(&self) -> Vec<String> {
        let mut flags = vec!["--data".to_owned(), self.data().display().to_string()];
        flags.extend(self.postgres.iter().flat_map(|url| ["--database-url".to_owned(), url.clone()]));
        flags
    }
}

/// A world's PostgreSQL database, which can be made unreachable.
pub struct Removable<'w> {
    url: &'w str,
}

impl<'w> Removable<'w> {
    pub fn of(world: &'w World) -> Self {
        Self { url: world.database_url() }
    }

    /// Ends every connection and accepts no new one.
    pub async fn take_away(&self) {
        self.beside(&format!("ALTER DATABASE {} ALLOW_CONNECTIONS false", self.name())).await;
        let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname";
        self.beside(&format!("{end} = '{}'", self.name())).await;
    }

    /// Accepts connections again.
    pub async fn bring_back(&self) {
        self.beside(&format!("ALTER DATABASE {} ALLOW_CONNECTIONS true", self.name())).await;
    }

    fn name(&self) -> &str {
        self.url.rsplit('/').next().expect("the database's name ends its address")
    }

    /// Runs a statement on the cluster, through another of its databases.
    async fn beside(&self, statement: &str) {
        let cluster = self.url.strip_suffix(self.name()).expect("the address ends so");
        sql::run(&format!("{cluster}postgres"), statement).await;
    }
}
