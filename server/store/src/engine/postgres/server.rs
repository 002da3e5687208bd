//! A database as messages name it, and why there is no connection to it.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use sea_orm::sqlx::Error;

use crate::StoreError;
use crate::error::DatabaseError;

/// How long a failure explains why requests wait.
const RECENT: Duration = Duration::from_secs(5);

/// How long to wait for a database that could not be reached a moment ago.
const SHORT: Duration = Duration::from_millis(500);

#[derive(Debug)]
pub(crate) struct Server {
    /// Its hosts and ports, or the folder of the socket.
    name: String,
    /// The last failure to connect, until a connection succeeds.
    failure: Mutex<Option<(Instant, Arc<str>)>>,
}

impl Server {
    pub(super) fn new(name: String) -> Self {
        Self { name, failure: Mutex::default() }
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// How long to wait for a connection: shortly while the database is away, so that waiting requests do not pile up.
    pub(super) fn patience(&self, wait: Duration) -> Duration {
        if self.recent_failure().is_some() { wait.min(SHORT) } else { wait }
    }

    fn recent_failure(&self) -> Option<Arc<str>> {
        let failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        let recent = failure.as_ref().filter(|(since, _)| since.elapsed() < RECENT);
        recent.map(|(_, cause)| Arc::clone(cause))
    }

    /// Records a successful connection.
    pub(super) fn reached(&self) {
        *self.failure.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// The error when no connection could be opened, for this reason.
    pub(super) fn unreachable(&self, cause: String) -> StoreError {
        let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        *failure = Some((Instant::now(), cause.as_str().into()));
        StoreError::Unavailable(DatabaseError::Unreachable { server: self.name.clone(), cause })
    }

    /// The error when no connection became free in time: all are in use, or waiting for a database that is away.
    pub(super) fn busy(&self, connections: u32, waited: Duration) -> StoreError {
        let server = self.name.clone();
        StoreError::Unavailable(match self.recent_failure() {
            Some(cause) => DatabaseError::Unreachable { server, cause: cause.as_ref().to_owned() },
            None => DatabaseError::Busy { connections, server, waited },
        })
    }
}

/// The error when a connection to a server broke during a statement.
pub(super) fn lost(server: &str, cause: String) -> StoreError {
    StoreError::Unavailable(DatabaseError::Lost { server: server.to_owned(), cause })
}

/// The reason in a driver's error, in few words and without a password.
pub(super) fn cause(error: &Error) -> String {
    match error {
        Error::Io(error) if error.kind() == std::io::ErrorKind::TimedOut => "it does not answer".to_owned(),
        Error::Io(error) if error.get_ref().is_none() => error.kind().to_string(),
        Error::Io(error) => error.to_string(),
        Error::Database(error) => error.message().to_owned(),
        other => other.to_string(),
    }
}
