//! The only writing thread. A transaction is one message to it; queued transactions are committed together.
//!
//! SQLite has one writer at a time, and with `synchronous = FULL` a commit waits for the disk. So transactions that
//! have queued up meanwhile share the next commit, each in its own savepoint: rolling one back does not affect the
//! others. Results are returned after the commit.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Instant;

use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::sync::oneshot;

use super::Connection;
use crate::engine::observed::{WriterCounts, WriterState};
use crate::engine::transaction::{End, Transaction};
use crate::query::query;
use crate::{Result, StoreError};

/// The maximum number of transactions in a commit, which bounds how long the first one waits.
const TOGETHER: usize = 128;

/// A handle to the writing thread.
#[derive(Debug)]
pub(super) struct Writer {
    messages: Sender<WriterMessage>,
    counts: Arc<WriterCounts>,
}

enum WriterMessage {
    /// A transaction, and when it was queued.
    Write(Box<dyn QueuedTransaction>, Instant),
    Close(oneshot::Sender<Result<()>>),
}

impl Writer {
    /// Starts the thread, which owns the connection.
    pub(super) fn start(connection: Connection) -> Result<Self> {
        let (messages, waiting) = channel();
        let counts = Arc::<WriterCounts>::default();
        let thread =
            WriterThread { transaction: Transaction::Sqlite(connection), waiting, counts: Arc::clone(&counts) };
        let started = thread::Builder::new().name("sqlite-writer".to_owned()).spawn(move || thread.run());
        started.map_err(|error| StoreError::unavailable(format!("the writer thread cannot start: {error}")))?;
        Ok(Self { messages, counts })
    }

    /// Runs a write transaction; returns its result after the commit.
    pub(super) async fn transaction<I, T, W>(&self, input: Arc<I>, work: W) -> Result<T>
    where
        I: Send + Sync + 'static,
        T: Send + 'static,
        W: for<'t> Fn(&'t I, &'t mut Transaction) -> BoxFuture<'t, Result<End<T>>> + Send + 'static,
    {
        let (reply, response) = oneshot::channel();
        let job = Write { input, work, reply, outcome: None };
        let _queued = self.counts.queue();
        self.messages.send(WriterMessage::Write(Box::new(job), Instant::now())).map_err(|_| StoreError::closed())?;
        response.await.map_err(|_| StoreError::closed())?
    }

    pub(super) fn state(&self, file: &Path) -> WriterState {
        self.counts.state(file)
    }

    /// Closes the connection after the queued transactions.
    pub(super) async fn close(&self) -> Result<()> {
        let (reply, response) = oneshot::channel();
        if self.messages.send(WriterMessage::Close(reply)).is_err() {
            return Ok(());
        }
        response.await.unwrap_or(Ok(()))
    }
}

/// A queued transaction and the channel for its result.
trait QueuedTransaction: Send {
    /// Runs the transaction; returns whether to keep its writes.
    fn run(&mut self, transaction: &mut Transaction) -> bool;

    /// Whether the transaction ended with an error.
    fn has_failed(&self) -> bool;

    /// Sends the result.
    fn response(self: Box<Self>);

    /// Sends the error of the commit.
    fn fail(self: Box<Self>, error: StoreError);
}

struct Write<I, T, W> {
    input: Arc<I>,
    work: W,
    outcome: Option<Result<T>>,
    reply: oneshot::Sender<Result<T>>,
}

impl<I, T, W> QueuedTransaction for Write<I, T, W>
where
    I: Send + Sync,
    T: Send,
    W: for<'t> Fn(&'t I, &'t mut Transaction) -> BoxFuture<'t, Result<End<T>>> + Send,
{
    fn run(&mut self, transaction: &mut Transaction) -> bool {
        let work = || (self.work)(&self.input, transaction).now_or_never();
        let (stays, outcome) = match catch_unwind(AssertUnwindSafe(work)) {
            Ok(Some(Ok(End::Commit(outcome)))) => (true, Ok(outcome)),
            Ok(Some(Ok(End::Rollback(outcome)))) => (false, Ok(outcome)),
            Ok(Some(Err(error))) => (false, Err(error)),
            Ok(None) => (false, Err(StoreError::unavailable("a transaction waited for something else"))),
            Err(_) => (false, Err(StoreError::unavailable("a transaction panicked"))),
        };
        self.outcome = Some(outcome);
        stays
    }

    fn has_failed(&self) -> bool {
        matches!(self.outcome, Some(Err(_)))
    }

    fn response(self: Box<Self>) {
        if let Some(outcome) = self.outcome {
            // The receiver may have been dropped.
            let _ = self.reply.send(outcome);
        }
    }

    fn fail(self: Box<Self>, error: StoreError) {
        let _ = self.reply.send(Err(error));
    }
}

struct WriterThread {
    transaction: Transaction,
    waiting: Receiver<WriterMessage>,
    counts: Arc<WriterCounts>,
}

impl WriterThread {
    fn run(mut self) {
        while let Ok(message) = self.waiting.recv() {
            let close = match message {
                WriterMessage::Write(first, queued) => {
                    self.counts.begun(queued);
                    self.write_together(first)
                }
                WriterMessage::Close(reply) => Some(reply),
            };
            if self.connection().take_full() {
                self.make_room();
            }
            if let Some(reply) = close {
                let Transaction::Sqlite(connection) = self.transaction else { return };
                let _ = reply.send(connection.finish());
                return;
            }
        }
    }

    /// Writes a job and those queued behind it, and sends their results. Returns the message to close, if there is one.
    fn write_together(&mut self, first: Box<dyn QueuedTransaction>) -> Option<oneshot::Sender<Result<()>>> {
        if let Err(error) = self.command("BEGIN IMMEDIATE") {
            first.fail(error);
            return None;
        }
        let (mut written, mut next, mut close) = (Vec::new(), Some(first), None);
        while let Some(mut job) = next.take() {
            self.write(&mut *job);
            if !self.is_in_transaction() && job.has_failed() {
                // The error has ended the shared transaction, for example a full disk or a timeout.
                job.response();
                break;
            }
            written.push(job);
            if !self.is_in_transaction() || written.len() == TOGETHER {
                break;
            }
            match self.waiting.try_recv() {
                Ok(WriterMessage::Write(job, queued)) => {
                    self.counts.begun(queued);
                    next = Some(job);
                }
                Ok(WriterMessage::Close(reply)) => close = Some(reply),
                Err(_) => {}
            }
        }
        self.counts.grouped(written.len());
        if self.is_in_transaction() && self.commit().is_ok() {
            for job in written {
                job.response();
            }
        } else {
            // Retries each job alone, so that only the failing one fails.
            for job in written {
                self.write_alone(job);
            }
        }
        close
    }

    /// Runs a job in a savepoint, so that its failure does not affect the others.
    fn write(&mut self, job: &mut dyn QueuedTransaction) {
        let stays = self.command("SAVEPOINT job").is_ok() && job.run(&mut self.transaction);
        if !self.is_in_transaction() {
            return;
        }
        let undone = if stays { Ok(()) } else { self.command("ROLLBACK TO job") };
        if undone.and_then(|()| self.command("RELEASE job")).is_err() {
            self.roll_back();
        }
    }

    fn write_alone(&mut self, mut job: Box<dyn QueuedTransaction>) {
        if let Err(error) = self.command("BEGIN IMMEDIATE") {
            return job.fail(error);
        }
        let stays = job.run(&mut self.transaction) && self.is_in_transaction();
        let outcome = if stays { self.commit() } else { Ok(()) };
        if !stays {
            self.roll_back();
        }
        match outcome {
            Ok(()) => job.response(),
            Err(error) => job.fail(error),
        }
    }

    /// Commits; rolls back if that fails.
    fn commit(&mut self) -> Result<()> {
        let committed = self.command("COMMIT");
        if committed.is_err() {
            self.roll_back();
        }
        committed
    }

    fn roll_back(&mut self) {
        if self.is_in_transaction()
            && let Err(error) = self.command("ROLLBACK")
        {
            tracing::error!(error = &error as &dyn std::error::Error, "rolling a transaction back failed");
        }
    }

    /// Copies the write-ahead log into the database, so that its space is used again. SQLite does so after a commit once
    /// the log is long enough, and on a full disk there is none.
    fn make_room(&self) {
        if let Err(error) = self.connection().fetch_all::<i64>(&query!("PRAGMA wal_checkpoint(PASSIVE)")) {
            tracing::debug!(%error, "the write-ahead log cannot be emptied");
        }
    }

    fn command(&self, text: &'static str) -> Result<()> {
        self.connection().command(text)
    }

    fn is_in_transaction(&self) -> bool {
        self.connection().is_in_transaction()
    }

    fn connection(&self) -> &Connection {
        match &self.transaction {
            Transaction::Sqlite(connection) => connection,
            Transaction::Postgres(_) => unreachable!("the thread was started with a connection to SQLite"),
        }
    }
}
