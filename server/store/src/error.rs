//! Errors of the store, and which of them to retry.
//!
//! HTTP statuses and messages for users are the server's task.

use std::time::Duration;

use rusqlite::ErrorCode;
use sea_orm::sqlx;
use sea_orm::{DbErr, RuntimeErr};

pub type Result<T, E = StoreError> = std::result::Result<T, E>;

#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// An unsupported or invalid database URL; without its password.
    #[error("the database URL is invalid: {0}")]
    Address(String),
    /// The SQLite file or its folder cannot be used.
    #[error("the database {0} cannot be opened: {1}. Check owner and mode of the file and its folder")]
    File(String, std::io::Error),
    /// There is no SQLite file of this name, and none is to be created.
    #[error("the database {0} does not exist")]
    Missing(String),
    /// The database failed: no connection, a lock or statement timeout, a full disk. Says why itself, because the JSON log
    /// writes no sources.
    #[error("{0}")]
    Unavailable(DatabaseError),
    /// A stored row is corrupt.
    #[error("the stored data is corrupt: {0}")]
    Corrupt(String),
    /// The database has had this migration, which this program does not know.
    #[error(
        "the database is newer than this program, which does not know its migration {0}: run the newer version, or \
         restore a backup that this version can read"
    )]
    NewerSchema(String),
}

/// The underlying error.
#[derive(Debug, thiserror::Error)]
pub enum DatabaseError {
    #[error(transparent)]
    SeaOrm(#[from] DbErr),
    #[error(transparent)]
    Sqlite(#[from] rusqlite::Error),
    /// No connection to PostgreSQL can be opened.
    #[error("the database {server} cannot be reached: {cause}")]
    Unreachable { server: String, cause: String },
    /// Other requests used all connections.
    #[error("all {connections} connections to {server} were in use for {} s", waited.as_secs_f64())]
    Busy { connections: u32, server: String, waited: Duration },
    /// The connection broke during a statement, whose effect is unknown.
    #[error("the connection to the database {server} was lost: {cause}")]
    Lost { server: String, cause: String },
    #[error("{0}")]
    NotAsked(String),
}

impl StoreError {
    /// The store is closed.
    pub(crate) fn closed() -> Self {
        Self::unavailable("the store is closed")
    }

    /// The statement was not sent to the database, for this reason.
    pub(crate) fn unavailable(why: impl Into<String>) -> Self {
        Self::Unavailable(DatabaseError::NotAsked(why.into()))
    }

    /// The number of retries of a write after this error. After any other error, a write is not repeated: it may have been
    /// committed.
    pub(crate) fn retries(&self) -> usize {
        match self.database_code().as_deref() {
            // PostgreSQL: serialisation failure, deadlock. The conflicting transaction ends soon.
            Some("40001" | "40P01") => 3,
            // SQLite: busy, busy in recovery, busy with a stale snapshot, busy timeout. The first attempt has already
            // waited for the whole busy timeout.
            Some("5" | "261" | "517" | "773") => 1,
            _ => 0,
        }
    }

    /// Whether PostgreSQL gave up waiting for a lock.
    pub(crate) fn is_lock_timeout(&self) -> bool {
        self.database_code().as_deref() == Some("55P03")
    }

    /// Whether SQLite interrupted the statement at its time limit.
    pub(crate) fn is_interrupted(&self) -> bool {
        let Self::Unavailable(DatabaseError::Sqlite(error)) = self else { return false };
        error.sqlite_error_code() == Some(ErrorCode::OperationInterrupted)
    }

    /// Whether another database may have a response: this one has no connection, has cancelled the statement because it
    /// follows another database, or lacks a table or column.
    pub(crate) fn is_of_the_replica(&self) -> bool {
        const RECOVERY_CONFLICT: [&str; 2] = ["40001", "40P01"];
        const OLDER_SCHEMA: [&str; 3] = ["42P01", "42703", "42883"];
        match self {
            Self::Unavailable(DatabaseError::SeaOrm(_)) => {
                let code = self.database_code().unwrap_or_default();
                RECOVERY_CONFLICT.contains(&&*code) || OLDER_SCHEMA.contains(&&*code)
            }
            Self::Unavailable(_) => true,
            _ => false,
        }
    }

    /// Whether there was no connection, or it broke.
    pub(crate) fn is_of_the_connection(&self) -> bool {
        matches!(self, Self::Unavailable(DatabaseError::Unreachable { .. } | DatabaseError::Lost { .. }))
    }

    fn database_code(&self) -> Option<String> {
        match self {
            Self::Unavailable(DatabaseError::SeaOrm(error)) => {
                let error = sqlx_error(error)?.as_database_error()?;
                error.code().map(std::borrow::Cow::into_owned)
            }
            Self::Unavailable(DatabaseError::Sqlite(error)) => {
                error.sqlite_error().map(|error| error.extended_code.to_string())
            }
            _ => None,
        }
    }
}

/// Whether a foreign key was violated.
pub(crate) fn is_missing_reference(error: &StoreError) -> bool {
    // The codes of PostgreSQL and SQLite.
    matches!(error.database_code().as_deref(), Some("23503" | "787"))
}

impl From<DbErr> for StoreError {
    fn from(error: DbErr) -> Self {
        if is_decode_error(&error) { Self::Corrupt(error.to_string()) } else { Self::Unavailable(error.into()) }
    }
}

fn is_decode_error(error: &DbErr) -> bool {
    match error {
        DbErr::Type(_) | DbErr::Json(_) | DbErr::TryIntoErr { .. } => true,
        _ => matches!(
            sqlx_error(error),
            Some(
                sqlx::Error::Decode(_)
                    | sqlx::Error::ColumnDecode { .. }
                    | sqlx::Error::ColumnNotFound(_)
                    | sqlx::Error::ColumnIndexOutOfBounds { .. }
            )
        ),
    }
}

fn sqlx_error(error: &DbErr) -> Option<&sqlx::Error> {
    match error {
        DbErr::Conn(RuntimeErr::SqlxError(error))
        | DbErr::Exec(RuntimeErr::SqlxError(error))
        | DbErr::Query(RuntimeErr::SqlxError(error)) => Some(error),
        _ => None,
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::borrow::Cow;
    use std::sync::Arc;

    use sea_orm::sqlx::error::{DatabaseError, ErrorKind};

    use super::*;

    /// A database error with a given code.
    #[derive(Debug, thiserror::Error)]
    #[error("code {0}")]
    struct Coded(&'static str);

    impl DatabaseError for Coded {
        fn message(&self) -> &str {
            self.0
        }

        fn code(&self) -> Option<Cow<'_, str>> {
            Some(self.0.into())
        }

        fn as_error(&self) -> &(dyn std::error::Error + Send + Sync + 'static) {
            self
        }

        fn as_error_mut(&mut self) -> &mut (dyn std::error::Error + Send + Sync + 'static) {
            self
        }

        fn into_error(self: Box<Self>) -> Box<dyn std::error::Error + Send + Sync + 'static> {
            self
        }

        fn kind(&self) -> ErrorKind {
            ErrorKind::Other
        }
    }

    pub(crate) fn coded(code: &'static str) -> StoreError {
        let error = sqlx::Error::Database(Box::new(Coded(code)));
        DbErr::Exec(RuntimeErr::SqlxError(Arc::new(error))).into()
    }

    #[test]
    fn only_passing_conflicts_are_worth_another_attempt() {
        for (code, retries) in [("40001", 3), ("40P01", 3), ("5", 1), ("517", 1), ("23505", 0), ("13", 0), ("57014", 0)]
        {
            assert_eq!(coded(code).retries(), retries, "{code}");
        }
        assert_eq!(StoreError::Corrupt(String::new()).retries(), 0);
    }

    #[test]
    fn only_a_broken_foreign_key_is_a_missing_reference() {
        for (code, missing) in [("23503", true), ("787", true), ("23505", false), ("1555", false), ("19", false)] {
            assert_eq!(is_missing_reference(&coded(code)), missing, "{code}");
        }
        assert!(!is_missing_reference(&StoreError::Corrupt("23503".to_owned())));
    }

    #[test]
    fn a_value_of_another_type_is_a_corrupt_row() {
        let decode = sqlx::Error::Decode("not a number".into());
        let error: StoreError = DbErr::Query(RuntimeErr::SqlxError(Arc::new(decode))).into();
        assert!(matches!(error, StoreError::Corrupt(_)), "{error:?}");
    }
}
