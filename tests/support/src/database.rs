//! The databases of tests: a new one for each test. The schema is created once per process in a template, which is
//! copied.

use std::fs;
use std::path::{Path, PathBuf};

use itinerary_store::{Options, Store};
use tokio::sync::OnceCell;

use super::postgres::{self, Cluster};

/// Settings of the tests' cluster. The tests never kill PostgreSQL or the operating system, so acknowledged writes need
/// not reach the disk; and databases that live for a second need no vacuum.
const SETTINGS: [&str; 3] = ["fsync=off", "full_page_writes=off", "autovacuum=off"];

const EMPTY: &str = "template0";

/// A kind of database that the service runs on.
#[derive(Clone, Copy, Debug)]
pub enum Database {
    Sqlite,
    Postgres,
}

impl Database {
    /// Creates an empty database and returns its address. `None` if PostgreSQL is not installed.
    pub fn empty(self, folder: &Path) -> Option<String> {
        match self {
            Self::Sqlite => Some(sqlite_url(folder)),
            Self::Postgres => Some(cluster()?.create_database(EMPTY)),
        }
    }

    /// Creates a database with the current schema and returns its address. `None` if PostgreSQL is not installed.
    pub async fn migrated(self, folder: &Path) -> Option<String> {
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

/// The process's cluster. `None` if PostgreSQL is not installed.
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

/// Creates the schema and disconnects, because a template must have no connections, and SQLite's file is complete only
/// after closing.
async fn migrate(url: &str) {
    let store = Store::open(url, &Options::default()).await.expect("the database opens");
    store.migrate().await.expect("the schema can be made");
    store.close().await.expect("the store closes");
}
