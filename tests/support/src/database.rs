//! The databases of tests: an empty one for each test. The schema is created once per process in a template, which is
//! copied.
//!
//! Tests run on SQLite, and if `ITINERARY_TEST_POSTGRES=1` is set, on PostgreSQL too.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use itinerary_store::{Options, Store};
use tokio::sync::OnceCell;

use super::postgres::Cluster;
use super::reuse::Lease;

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
    /// Creates an empty database and returns its address. `None` if PostgreSQL is not to be used or not installed.
    pub fn empty(self, folder: &Path) -> Option<String> {
        match self {
            Self::Sqlite => Some(sqlite_url(folder)),
            Self::Postgres => Some(cluster()?.create_database(EMPTY)),
        }
    }

    /// A database with the current schema for one test: its address, and the lease of a PostgreSQL database, which
    /// other tests use again when it is dropped. `None` if PostgreSQL is not to be used or not installed.
    pub async fn leased(self, folder: &Path) -> Option<(String, Option<Lease>)> {
        match self {
            Self::Sqlite => {
                fs::write(sqlite_file(folder), sqlite_template().await).expect("the template is copied");
                Some((sqlite_url(folder), None))
            }
            Self::Postgres => {
                let cluster = cluster()?;
                let lease = Lease::take(cluster, postgres_template(cluster).await).await;
                Some((lease.url().to_owned(), Some(lease)))
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

/// The process's cluster. `None` if PostgreSQL is not to be used or not installed.
fn cluster() -> Option<&'static Cluster> {
    static CLUSTER: OnceLock<Option<Cluster>> = OnceLock::new();
    CLUSTER.get_or_init(|| Cluster::for_tests(&SETTINGS)).as_ref()
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
