//! The databases that tests run on.

use std::path::Path;

use super::postgres;

/// A kind of database that the service runs on.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Database {
    Sqlite,
    Postgres,
}

impl Database {
    /// The address of an empty database that nobody else has: a file in `folder`, or a database on the throw-away
    /// cluster. `None` where PostgreSQL is not installed.
    pub(crate) fn empty(self, folder: &Path) -> Option<String> {
        match self {
            Self::Sqlite => Some(format!("sqlite://{}", folder.join("itinerary.db").display())),
            Self::Postgres => Some(postgres::postgres()?.fresh_database()),
        }
    }
}
