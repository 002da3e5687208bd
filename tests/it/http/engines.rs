//! The databases of the tests that start the server as a program, or take its database away.

use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::support::{Database, sql};

/// A database, and a data folder beside it.
pub(crate) struct Engine {
    folder: TempDir,
    /// The address of a PostgreSQL database; `None`: the SQLite file in the data folder.
    postgres: Option<String>,
}

impl Engine {
    /// SQLite in a fresh folder.
    pub(crate) fn sqlite() -> Self {
        Self { folder: TempDir::new().expect("a folder"), postgres: None }
    }

    /// A fresh PostgreSQL database; `None` where that is not installed.
    pub(crate) fn postgres() -> Option<Self> {
        match Database::postgres()? {
            Database::Postgres(url) => Some(Self { postgres: Some(url), ..Self::sqlite() }),
            Database::Sqlite => None,
        }
    }

    /// The data folder.
    pub(crate) fn data(&self) -> &Path {
        self.folder.path()
    }

    /// A file in the data folder.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The database's address.
    pub(crate) fn url(&self) -> String {
        let embedded = || format!("sqlite://{}", self.file("itinerary.db").display());
        self.postgres.clone().unwrap_or_else(embedded)
    }

    /// The flags that name the data folder and the database.
    pub(crate) fn flags(&self) -> Vec<String> {
        let mut flags = vec!["--data".to_owned(), self.data().display().to_string()];
        flags.extend(self.postgres.iter().flat_map(|url| ["--database-url".to_owned(), url.clone()]));
        flags
    }
}

/// A test of the program on every database, as `on_each_database!` is for a server in this process.
macro_rules! on_each_engine {
    ($(#[$meta:meta])* async fn $name:ident($engine:ident: Engine) $body:block) => {
        $(#[$meta])*
        mod $name {
            #[allow(unused_imports, reason = "not every test needs what its module imports")]
            use super::*;

            async fn body($engine: crate::http::engines::Engine) $body

            #[tokio::test(flavor = "multi_thread")]
            async fn sqlite() {
                body(crate::http::engines::Engine::sqlite()).await;
            }

            #[tokio::test(flavor = "multi_thread")]
            async fn postgres() {
                let Some(engine) = crate::http::engines::Engine::postgres() else { return };
                body(engine).await;
            }
        }
    };
}
pub(crate) use on_each_engine;

/// A PostgreSQL database that can be taken away from its server.
pub(crate) struct Removable {
    /// Its address.
    pub(crate) url: String,
}

/// A fresh PostgreSQL database; `None` where that is not installed.
pub(crate) fn separate_postgres() -> Option<Removable> {
    match Database::postgres()? {
        Database::Postgres(url) => Some(Removable { url }),
        Database::Sqlite => None,
    }
}

impl Removable {
    /// Ends every connection to it and lets no new one in.
    pub(crate) async fn take_away(&self) {
        self.beside(&format!("ALTER DATABASE {} ALLOW_CONNECTIONS false", self.name())).await;
        let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname";
        self.beside(&format!("{end} = '{}'", self.name())).await;
    }

    /// Lets connections in again.
    pub(crate) async fn bring_back(&self) {
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
