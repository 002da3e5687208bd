//! The databases that tests run on: each test has a fresh one. The schema is made once a process, in a template that the
//! others are copied from.
//!
//! The store's tests use this file too.

use std::fs;
use std::path::{Path, PathBuf};

use itinerary_store::{Options, Store};
use tokio::sync::OnceCell;

use super::postgres::{self, Cluster};

/// What the tests' cluster leaves out. They kill our server, never PostgreSQL or the operating system, so what was
/// acknowledged is there without ever reaching the disk; and databases that live for a second need no vacuum.
const SETTINGS: [&str; 3] = ["fsync=off", "full_page_writes=off", "autovacuum=off"];

/// PostgreSQL's own empty template.
const EMPTY: &str = "template0";

/// A kind of database that the service runs on.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Database {
    Sqlite,
    Postgres,
}

impl Database {
    /// Makes an empty database and gives its address; `None` where PostgreSQL is not installed.
    pub(crate) fn empty(self, folder: &Path) -> Option<String> {
        match self {
            Self::Sqlite => Some(sqlite_url(folder)),
            Self::Postgres => Some(cluster()?.create_database(EMPTY)),
        }
    }

    /// Makes a database whose schema is up to date and gives its address; `None` where PostgreSQL is not installed.
    pub(crate) async fn migrated(self, folder: &Path) -> Option<String> {
        match self {
            Self::Sqlite => {
                fs::write(sqlite_file(folder), sqlite_template().await).expect("the template is copied");
                Some(sqlite_url(folder))
            }
            Self::Postgres => {
                let cluster = cluster()?;
                Some(cluster.create_database(postgres_template(cluster).await))
            }
        }
    }
}

fn sqlite_file(folder: &Path) -> PathBuf {
    folder.join("itinerary.db")
}

fn sqlite_url(folder: &Path) -> String {
    format!("sqlite://{}", sqlite_file(folder).display())
}

/// The process's cluster; `None` where PostgreSQL is not installed.
fn cluster() -> Option<&'static Cluster> {
    postgres::cluster(&SETTINGS)
}

/// The bytes of a migrated SQLite file.
async fn sqlite_template() -> &'static [u8] {
    static TEMPLATE: OnceCell<Vec<u8>> = OnceCell::const_new();
    let make = || async {
        let folder = tempfile::tempdir().expect("a folder for the template");
        migrate(&sqlite_url(folder.path())).await;
        fs::read(sqlite_file(folder.path())).expect("the template is there")
    };
    TEMPLATE.get_or_init(make).await
}

/// The name of the migrated PostgreSQL database.
async fn postgres_template(cluster: &Cluster) -> &'static str {
    static TEMPLATE: OnceCell<String> = OnceCell::const_new();
    let make = || async {
        let url = cluster.create_database(EMPTY);
        migrate(&url).await;
        url.rsplit('/').next().expect("an address ends with the database's name").to_owned()
    };
    TEMPLATE.get_or_init(make).await
}

/// Makes the schema, and leaves: a database with connections is no template, and SQLite's file is whole once it is closed.
async fn migrate(url: &str) {
    let store = Store::open(url, &Options::default()).await.expect("the database opens");
    store.migrate().await.expect("the schema can be made");
    store.close().await.expect("the store closes");
}
