//! PostgreSQL: a bounded pool of connections, which reuses the most recently used one first.
//!
//! sqlx opens the connections; `postgres/hosts.rs` chooses the server. They are not in a pool of sqlx, which pings a
//! connection on every return and so costs a round trip, and knows one server. `connect.rs` sets the timeouts,
//! `migrate.rs` runs migrations.
//!
//! Behind PgBouncer in transaction mode, consecutive transactions of a connection run on different backends. So there
//! every statement runs in a transaction, which first sets the time limits, and none is prepared for later.

mod host;
mod hosts;
mod server;

use std::borrow::Cow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use futures::future::join_all;
use sea_orm::sqlx::postgres::{PgArguments, PgConnectOptions, PgConnection, PgDatabaseError, PgRow, PgSeverity};
use sea_orm::sqlx::query::Query as SqlxQuery;
use sea_orm::sqlx::{Arguments, AssertSqlSafe, Error, Postgres as Driver, SqlSafeStr, SqlStr, query_with, raw_sql};
use sea_orm::{DbErr, RuntimeErr, Value};
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::sleep;

use hosts::{Hosts, Purpose};
use server::{Server, cause, lost};

use crate::address::Target;
use crate::engine::observed::PoolState;
use crate::engine::permits::{NoPermit, Permits};
use crate::query::Query;
use crate::query::row::{Columns, FromRow};
use crate::{DatabaseKind, Result, StoreError};

/// Maximum age of a connection. The memory of a PostgreSQL backend only grows.
const LIFETIME: Duration = Duration::from_mins(30);

/// Maximum idle time. Firewalls and load balancers drop idle connections silently.
const IDLE: Duration = Duration::from_mins(4);

/// How long after its time limit in the database a statement is waited for. Then the connection is taken for broken: a
/// server that was cut off does not say so.
const LATE: Duration = Duration::from_secs(5);

/// The database refuses writes: it is a standby, or set to be read-only.
const READ_ONLY: &str = "25006";

#[derive(Clone, Debug)]
pub(crate) struct Postgres {
    /// A permit for each connection.
    permits: Permits,
    long_reads: Permits,
    idle: Arc<IdleConnections>,
    common: Arc<Common>,
}

/// What all connections share.
#[derive(Debug)]
struct Common {
    hosts: Hosts,
    server: Server,
    settings: PoolSettings,
}

/// The settings of a pool.
#[derive(Debug)]
pub(crate) struct PoolSettings {
    /// The maximum number of connections.
    pub(crate) connections: u32,
    /// How long to wait for one.
    pub(crate) wait: Duration,
    /// The time limit of a statement, which the database enforces.
    pub(crate) statement_timeout: Duration,
    pub(crate) begin: Begin,
}

/// How a transaction begins.
#[derive(Debug)]
pub(crate) enum Begin {
    /// The connection has its settings from the start.
    Plain,
    /// With these statements, which make the settings: PgBouncer gives every transaction another backend.
    WithSettings(Arc<str>),
}

/// Idle connections, a stack: the most recently used one is last.
#[derive(Debug, Default)]
struct IdleConnections(Mutex<Vec<Opened>>);

#[derive(Debug)]
struct Opened {
    connection: PgConnection,
    purpose: Purpose,
    since: Instant,
    last_used: Instant,
}

/// A connection in use.
#[derive(Debug)]
pub(crate) struct Connection {
    /// `None` once it is dropped.
    opened: Option<Opened>,
    /// Whether no statement is running.
    is_clean: bool,
    condition: Condition,
    in_transaction: bool,
    /// How long to wait for the end of a statement.
    limit: Option<Duration>,
    idle: Arc<IdleConnections>,
    common: Arc<Common>,
    _permit: OwnedSemaphorePermit,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Condition {
    Good,
    /// The server refuses writes. The transaction can be ended.
    ReadOnly,
    Broken,
}

impl Postgres {
    /// Opens connections on demand, to the one of these servers that the target asks for.
    pub(crate) fn new(hosts: Vec<PgConnectOptions>, target: Option<Target>, settings: PoolSettings) -> Self {
        let connections = settings.connections.max(1);
        let (permits, long_reads) = (Permits::new(connections), Permits::new(connections / 2));
        let hosts = Hosts::new(hosts, target);
        let server = Server::new(hosts.name());
        Self { permits, long_reads, idle: Arc::default(), common: Arc::new(Common { hosts, server, settings }) }
    }

    /// Changes when another server is used, or none.
    pub(crate) fn choice(&self) -> u64 {
        self.common.hosts.choice()
    }

    /// The server's name for messages.
    pub(crate) fn server(&self) -> &str {
        self.common.server.name()
    }

    /// Waits for a connection.
    pub(crate) async fn connection(&self) -> Result<Connection> {
        self.connection_until(self.deadline()).await
    }

    fn deadline(&self) -> tokio::time::Instant {
        tokio::time::Instant::now() + self.common.server.patience(self.common.settings.wait)
    }

    async fn connection_until(&self, deadline: tokio::time::Instant) -> Result<Connection> {
        let permit = self.permit(&self.permits, deadline).await?;
        let idle = self.idle.take();
        let opened = match idle {
            Some(opened) => opened,
            None => self.open(deadline).await?,
        };
        let (idle, common) = (Arc::clone(&self.idle), Arc::clone(&self.common));
        let limit = Some(common.settings.statement_timeout + LATE);
        Ok(Connection {
            opened: Some(opened),
            is_clean: true,
            condition: Condition::Good,
            in_transaction: false,
            limit,
            idle,
            common,
            _permit: permit,
        })
    }

    async fn permit(&self, permits: &Permits, deadline: tokio::time::Instant) -> Result<OwnedSemaphorePermit> {
        permits.take_until(deadline).await.map_err(|none| match none {
            NoPermit::TimedOut => self.common.server.busy(permits.count(), self.common.settings.wait),
            NoPermit::Closed => StoreError::closed(),
        })
    }

    /// Opens a connection. Attempts that are refused are repeated until the deadline: a database that restarts is waited
    /// for, and so is the promotion of another one.
    async fn open(&self, deadline: tokio::time::Instant) -> Result<Opened> {
        let Common { hosts, server, .. } = &*self.common;
        match hosts.connect(deadline).await {
            Ok((connection, purpose)) => {
                server.reached();
                Ok(Opened::new(connection, purpose))
            }
            Err(error) => {
                let known = hosts.why_none().or_else(|| error.as_ref().map(cause));
                Err(server.unreachable(known.unwrap_or_else(|| "it does not answer".to_owned())))
            }
        }
    }

    /// The first row, if any.
    pub(crate) async fn fetch_optional<R: FromRow>(&self, query: &Query) -> Result<Option<R>> {
        self.connection().await?.fetch_optional(query).await
    }

    pub(crate) async fn fetch_all<R: FromRow>(&self, query: &Query) -> Result<Vec<R>> {
        self.connection().await?.fetch_all(query).await
    }

    /// The rows of a slow statement. The number of concurrent ones is limited.
    pub(crate) async fn fetch_all_long<R: FromRow>(&self, query: &Query) -> Result<Vec<R>> {
        let deadline = self.deadline();
        let _permit = self.permit(&self.long_reads, deadline).await?;
        self.connection_until(deadline).await?.fetch_all(query).await
    }

    /// Connections in use, the number of idle ones, and long reads.
    pub(crate) fn state(&self) -> (PoolState, usize, PoolState) {
        (self.permits.state(), self.idle.lock().len(), self.long_reads.state())
    }

    /// Closes all connections, each after its current statement or transaction.
    pub(crate) async fn close(self) -> Result<()> {
        self.permits.close().await;
        let idle = std::mem::take(&mut *self.idle.lock());
        join_all(idle.into_iter().map(|opened| host::closed(opened.connection))).await;
        self.common.hosts.close().await;
        Ok(())
    }
}

impl IdleConnections {
    fn lock(&self) -> MutexGuard<'_, Vec<Opened>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Pops the most recently used connection. If that one has been idle for too long, so have all others; and if it is
    /// to a server that is no longer used, so are all others.
    fn take(&self) -> Option<Opened> {
        let opened = self.lock().pop()?;
        if opened.last_used.elapsed() < IDLE && opened.purpose.is_current() {
            return Some(opened);
        }
        opened.close();
        self.close_all();
        None
    }

    /// Pushes a connection, and closes the least recently used one if it has been idle for too long.
    fn put(&self, opened: Opened) {
        let mut idle = self.lock();
        let unused = idle.first().is_some_and(|oldest| oldest.last_used.elapsed() >= IDLE).then(|| idle.remove(0));
        idle.push(Opened { last_used: Instant::now(), ..opened });
        drop(idle);
        if let Some(unused) = unused {
            unused.close();
        }
    }

    fn close_all(&self) {
        let all = std::mem::take(&mut *self.lock());
        all.into_iter().for_each(Opened::close);
    }
}

impl Connection {
    /// The first row, if any.
    pub(crate) async fn fetch_optional<R: FromRow>(&mut self, query: &Query) -> Result<Option<R>> {
        let statement = self.statement(query)?;
        let row = self.single(async |connection| statement.fetch_optional(connection).await).await?;
        row.as_ref().map(|row: &PgRow| Columns::from(row).take()).transpose()
    }

    pub(crate) async fn fetch_all<R: FromRow>(&mut self, query: &Query) -> Result<Vec<R>> {
        let statement = self.statement(query)?;
        let rows = self.single(async |connection| statement.fetch_all(connection).await).await?;
        rows.iter().map(|row| Columns::from(row).take()).collect()
    }

    pub(crate) async fn execute(&mut self, query: &Query) -> Result<u64> {
        let statement = self.statement(query)?;
        Ok(self.single(async |connection| statement.execute(connection).await).await?.rows_affected())
    }

    /// Waits for the ends of statements without limit, for as long as this connection is in use.
    pub(crate) fn without_limit(&mut self) {
        self.limit = None;
    }

    /// Begins a transaction. If it is dropped before it ends, the connection is closed, which rolls it back.
    pub(crate) async fn begin(&mut self) -> Result<()> {
        self.in_transaction = true;
        let text = match &self.common.settings.begin {
            Begin::Plain => "BEGIN".into_sql_str(),
            // A text of `connect.rs`.
            Begin::WithSettings(text) => AssertSqlSafe(Arc::clone(text)).into_sql_str(),
        };
        self.command(text).await
    }

    /// Ends the transaction with `COMMIT` or `ROLLBACK`.
    pub(crate) async fn end(&mut self, command: &'static str) -> Result<()> {
        self.command(command.into_sql_str()).await?;
        self.in_transaction = false;
        Ok(())
    }

    /// Executes statements without values, sent together.
    pub(crate) async fn execute_all(&mut self, statements: &[String]) -> Result<()> {
        self.command(AssertSqlSafe(statements.join(";\n")).into_sql_str()).await
    }

    /// The driver's connection, for `COPY`. Only within a transaction, which closes the connection if it is dropped.
    pub(crate) fn driver(&mut self) -> &mut PgConnection {
        &mut self.opened.as_mut().expect("it is not dropped").connection
    }

    async fn command(&mut self, command: SqlStr) -> Result<()> {
        self.run(async |connection| raw_sql(command).execute(connection).await).await.map(drop)
    }

    /// A statement with its values: prepared once per connection, or not kept behind PgBouncer.
    fn statement<'q>(&self, query: &'q Query) -> Result<SqlxQuery<'q, Driver, PgArguments>> {
        let statement = prepared(query)?;
        Ok(match self.common.settings.begin {
            Begin::Plain => statement,
            Begin::WithSettings(_) => statement.persistent(false),
        })
    }

    /// Runs a statement, behind PgBouncer in a transaction.
    async fn single<T>(&mut self, work: impl AsyncFnOnce(&mut PgConnection) -> Result<T, Error>) -> Result<T> {
        if self.in_transaction || matches!(self.common.settings.begin, Begin::Plain) {
            return self.run(work).await;
        }
        self.begin().await?;
        let outcome = self.run(work).await;
        let ended = self.end(if outcome.is_ok() { "COMMIT" } else { "ROLLBACK" }).await;
        // The first error is the one to report.
        outcome.and_then(|outcome| ended.map(|()| outcome))
    }

    /// Runs a statement. An error that PostgreSQL reports leaves the connection usable; any other one breaks it, and so
    /// do the limit and the choice of another server.
    async fn run<T>(&mut self, work: impl AsyncFnOnce(&mut PgConnection) -> Result<T, Error>) -> Result<T> {
        let Opened { connection, purpose, .. } = self.opened.as_mut().expect("it is not dropped");
        let host = purpose.host;
        if !purpose.is_current() {
            // Nothing more is sent to it, least of all a `COMMIT`.
            (self.is_clean, self.condition) = (false, Condition::Broken);
            return Err(lost(self.common.hosts.name_of(host), cause(&hosts::no_longer_chosen())));
        }
        if self.condition == Condition::Broken {
            return Err(lost(self.common.hosts.name_of(host), "it was lost before".to_owned()));
        }
        self.is_clean = false;
        let outcome = tokio::select! {
            biased;
            outcome = work(connection) => outcome,
            () = purpose.moved() => Err(hosts::no_longer_chosen()),
            () = over(self.limit) => Err(Error::Io(std::io::ErrorKind::TimedOut.into())),
        };
        let error = match outcome {
            Err(error) => error,
            Ok(done) => {
                self.is_clean = true;
                return Ok(done);
            }
        };
        let condition = Condition::after(&error);
        self.is_clean = condition != Condition::Broken;
        if condition != Condition::Good {
            self.condition = condition;
            // The idle connections are probably no better, for example after a restart of the database.
            self.idle.close_all();
            self.common.hosts.doubt();
        }
        Err(match condition {
            Condition::Broken => lost(self.common.hosts.name_of(host), cause(&error)),
            _ => error.into(),
        })
    }
}

/// Ends after this time, or never.
async fn over(limit: Option<Duration>) {
    match limit {
        Some(limit) => sleep(limit).await,
        None => std::future::pending().await,
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        let Some(opened) = self.opened.take() else { return };
        let is_good = self.is_clean && self.condition == Condition::Good && !self.in_transaction;
        if is_good && opened.purpose.is_current() && opened.since.elapsed() < LIFETIME {
            self.idle.put(opened);
        } else {
            opened.close();
        }
    }
}

impl Opened {
    fn new(connection: PgConnection, purpose: Purpose) -> Self {
        let now = Instant::now();
        Self { connection, purpose, since: now, last_used: now }
    }

    /// Closes the connection. An open transaction is rolled back.
    fn close(self) {
        host::close(self.connection);
    }
}

impl Condition {
    /// The condition of a connection after an error. PostgreSQL also reports one before it closes a connection (`FATAL`).
    fn after(error: &Error) -> Self {
        let reported = error.as_database_error().and_then(|error| error.try_downcast_ref::<PgDatabaseError>());
        match reported {
            Some(error) if matches!(error.severity(), PgSeverity::Fatal | PgSeverity::Panic) => Self::Broken,
            Some(error) if error.code() == READ_ONLY => Self::ReadOnly,
            Some(_) => Self::Good,
            None => Self::Broken,
        }
    }
}

/// A statement with its values.
fn prepared(query: &Query) -> Result<SqlxQuery<'_, Driver, PgArguments>> {
    let mut values = PgArguments::default();
    query.values().iter().try_for_each(|value| bind(&mut values, value)).map_err(Error::Encode)?;
    Ok(match query.text(DatabaseKind::Postgres) {
        Cow::Borrowed(text) => query_with(*text, values),
        // Written by sea-orm or concatenated, from constants and parameter names, never from input.
        Cow::Owned(text) => query_with(AssertSqlSafe(text.as_str()), values),
    })
}

/// Converts a sea-orm value for PostgreSQL.
fn bind(values: &mut PgArguments, value: &Value) -> Result<(), sea_orm::sqlx::error::BoxDynError> {
    match value {
        Value::Bool(value) => values.add(value),
        Value::SmallInt(value) => values.add(value),
        Value::BigInt(value) => values.add(value),
        Value::Double(value) => values.add(value),
        Value::String(value) => values.add(value.as_deref()),
        Value::Bytes(value) => values.add(value.as_deref()),
        Value::Uuid(value) => values.add(value),
        other => Err(format!("no column takes {other:?}").into()),
    }
}

impl From<Error> for StoreError {
    fn from(error: Error) -> Self {
        DbErr::Query(RuntimeErr::SqlxError(Arc::new(error))).into()
    }
}
