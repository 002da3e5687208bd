//! SQLite: reads in the calling thread, long reads in a bounded pool, all writes in one thread.
//!
//! A statement takes a few microseconds, less than a switch to another thread and back. Therefore every thread of the
//! runtime reads on its own connection; only statements that may take long run elsewhere. Migrations have their own
//! connection.

mod connection;
mod long_reads;
mod readers;
#[cfg(test)]
mod tests;
mod writer;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use tokio::task::spawn_blocking;

use crate::engine::connect::Options;
use crate::engine::observed::{PoolState, WriterState};
use crate::engine::transaction::{End, Transaction};
use crate::query::Query;
use crate::query::row::FromRow;
use crate::{Result, StoreError};

pub(crate) use connection::Connection;
use long_reads::LongReads;
use readers::Readers;
use writer::Writer;

/// The busy timeout: how long a statement waits for another process that writes.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// Time limit of a page in the calling thread.
const MOMENT: Duration = Duration::from_millis(1);

#[derive(Clone, Debug)]
struct Settings {
    file: PathBuf,
    full_sync: bool,
    /// Switch a file that is not in WAL mode. Otherwise its mode stays, in which everything works too.
    use_wal: bool,
    cache_mb: u32,
    mmap: bool,
    statement_timeout: Duration,
}

#[derive(Debug)]
pub(crate) struct Sqlite {
    settings: Settings,
    writer: Writer,
    readers: Readers,
    long_reads: LongReads,
}

impl Sqlite {
    /// Opens an existing file. Blocks while another process switches the file's journal mode.
    pub(crate) fn open(file: PathBuf, options: &Options) -> Result<Self> {
        let Options { full_sync, create: use_wal, cache_mb, mmap, statement_timeout, .. } = *options;
        let settings = Settings { file, full_sync, use_wal, cache_mb, mmap, statement_timeout };
        // The writer first: it switches the file to WAL mode, which readers cannot.
        let writer = Writer::start(Connection::writing(&settings)?)?;
        let (readers, long_reads) = (options.readers, options.long_reads);
        Ok(Self {
            writer,
            readers: Readers::new(settings.clone(), readers),
            long_reads: LongReads::new(settings.clone(), long_reads),
            settings,
        })
    }

    pub(crate) fn file(&self) -> &Path {
        &self.settings.file
    }

    /// The first row, if any, read in the calling thread.
    pub(crate) fn fetch_optional<R: FromRow>(&self, query: &Query) -> Result<Option<R>> {
        self.readers.read(|connection| connection.fetch_optional(query))
    }

    /// All rows, read in the calling thread.
    pub(crate) fn fetch_all<R: FromRow>(&self, query: &Query) -> Result<Vec<R>> {
        self.readers.read(|connection| connection.fetch_all(query))
    }

    /// The same, but `None` if the statement takes longer than [`MOMENT`].
    pub(crate) fn fetch_all_briefly<R: FromRow>(&self, query: &Query) -> Result<Option<Vec<R>>> {
        self.readers.read(|connection| connection.fetch_all_within(query, MOMENT))
    }

    /// The rows of a slow statement, read in another thread.
    pub(crate) async fn fetch_all_long<R: FromRow + Send + 'static>(&self, query: Query) -> Result<Vec<R>> {
        self.long_reads.read(move |connection| connection.fetch_all(&query)).await
    }

    /// Runs a write transaction in the writer's thread.
    pub(crate) async fn transaction<I, T, W>(&self, input: Arc<I>, work: W) -> Result<T>
    where
        I: Send + Sync + 'static,
        T: Send + 'static,
        W: for<'t> Fn(&'t I, &'t mut Transaction) -> BoxFuture<'t, Result<End<T>>> + Send + 'static,
    {
        self.writer.transaction(input, work).await
    }

    /// Runs a write transaction on its own connection and thread, without a time limit.
    pub(crate) async fn transaction_without_limit<I, T, W>(&self, input: Arc<I>, work: W) -> Result<T>
    where
        I: Send + Sync + 'static,
        T: Send + 'static,
        W: for<'t> Fn(&'t I, &'t mut Transaction) -> BoxFuture<'t, Result<End<T>>> + Send + 'static,
    {
        let settings = Settings { statement_timeout: Duration::MAX, ..self.settings.clone() };
        let opening = spawn_blocking(move || Writer::start(Connection::writing(&settings)?));
        let writer = opening.await.map_err(|_| StoreError::unavailable("opening the database panicked"))??;
        let outcome = writer.transaction(input, work).await;
        if let Err(error) = writer.close().await {
            tracing::warn!(error = &error as &dyn std::error::Error, "closing a connection failed");
        }
        outcome
    }

    pub(crate) fn long_reads_state(&self) -> PoolState {
        self.long_reads.state()
    }

    pub(crate) fn writer_state(&self) -> WriterState {
        self.writer.state(&self.settings.file)
    }

    /// Closes every connection after its current work; later calls fail.
    pub(crate) async fn close(&self) -> Result<()> {
        self.long_reads.close().await;
        self.readers.close();
        self.writer.close().await
    }
}
