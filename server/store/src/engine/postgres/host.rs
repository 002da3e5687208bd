//! One server of a database: connecting to it, and asking what it is.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use sea_orm::sqlx::postgres::{PgConnectOptions, PgConnection, PgSslMode};
use sea_orm::sqlx::{ConnectOptions as _, Connection as _, Error, Row as _, SqlSafeStr as _, raw_sql};
use tokio::time::timeout;

use crate::address;

/// How long a host may take to say what it is. Then it counts as away.
pub(super) const ANSWER: Duration = Duration::from_secs(4);

/// Whether the host follows another one and whether it refuses writes. If it follows none, also its timeline, which is
/// higher after every promotion.
const ROLE: &str = "SELECT pg_is_in_recovery(), current_setting('transaction_read_only') = 'on', \
     CASE WHEN NOT pg_is_in_recovery() \
     THEN ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::bigint END";

/// What a host is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Primary { timeline: i64, is_read_only: bool },
    Standby,
}

impl Role {
    /// Whether it follows no other server and refuses writes nevertheless.
    pub(super) fn is_read_only(self) -> bool {
        matches!(self, Self::Primary { is_read_only: true, .. })
    }
}

pub(super) struct Host {
    options: PgConnectOptions,
    name: String,
    /// Whether the log says that its certificate cannot be used.
    said: AtomicBool,
}

/// Without the options, which contain the password.
impl std::fmt::Debug for Host {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.name)
    }
}

impl Host {
    pub(super) fn new(options: PgConnectOptions) -> Self {
        let options = options.disable_statement_logging();
        Self { name: address::name(&options), options, said: AtomicBool::new(false) }
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Opens a connection. With `sslmode=prefer`, without TLS if there can be none: the host has none, or its certificate
    /// cannot be used, such as one of X.509 version 1.
    pub(super) async fn connect(&self) -> Result<PgConnection, Error> {
        let error = match self.options.connect().await {
            Err(error) if is_of_tls(&error) && matches!(self.options.get_ssl_mode(), PgSslMode::Prefer) => error,
            outcome => return outcome,
        };
        if !self.said.swap(true, Ordering::Relaxed) {
            let (server, why) = (&*self.name, error.to_string());
            tracing::warn!(server, why, "TLS is not possible: connections to the database are not encrypted");
        }
        self.options.clone().ssl_mode(PgSslMode::Disable).connect().await
    }

    /// Asks what the host is, through this connection.
    pub(super) async fn role(connection: &mut PgConnection) -> Result<Role, Error> {
        // The simple protocol, which PgBouncer passes on as one transaction.
        let row = in_time(ANSWER, raw_sql(ROLE.into_sql_str()).fetch_one(connection)).await?;
        let (follows, is_read_only): (bool, bool) = (row.try_get(0)?, row.try_get(1)?);
        let timeline: Option<i64> = row.try_get(2)?;
        Ok(match timeline {
            Some(timeline) if !follows => Role::Primary { timeline, is_read_only },
            _ => Role::Standby,
        })
    }
}

/// The outcome, or an error after this time.
pub(super) async fn in_time<T>(limit: Duration, work: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
    timeout(limit, work).await.unwrap_or_else(|_| Err(Error::Io(std::io::ErrorKind::TimedOut.into())))
}

/// Closes a connection in the background, so that the server learns it at once. An open transaction is rolled back.
pub(super) fn close(connection: PgConnection) {
    if let Ok(runtime) = tokio::runtime::Handle::try_current() {
        runtime.spawn(closed(connection));
    }
}

/// Closes a connection.
pub(super) async fn closed(connection: PgConnection) {
    // A server that does not answer closes it by itself.
    let _ = timeout(ANSWER, connection.close()).await;
}

/// Whether the two sides found no way to encrypt, rather than not reaching each other.
fn is_of_tls(error: &Error) -> bool {
    match error {
        Error::Tls(_) => true,
        Error::Io(error) => error.kind() == std::io::ErrorKind::InvalidData,
        _ => false,
    }
}
