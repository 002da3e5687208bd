//! Open streams of changes: their number, whom they belong to, and the signals that wake and end them.
//!
//! A stream holds no changes: it is woken, and reads them itself when its client has taken what came before. So a slow
//! client costs no memory.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use itinerary_store::Hash;
use tokio::sync::Notify;
use uuid::Uuid;

/// The maximum number of streams of an app for one account.
pub const PER_APP: usize = 5;
/// The maximum number of streams of a server.
pub const PER_SERVER: usize = 10_000;

/// The streams of a server.
#[derive(Debug)]
pub struct ChangeStreams {
    /// Whether apps are limited.
    limits: bool,
    open: Mutex<Streams>,
}

#[derive(Debug, Default)]
struct Streams {
    by_account: HashMap<Uuid, Vec<Arc<Signals>>>,
    number: usize,
    is_closed: bool,
}

/// What a stream waits for.
#[derive(Debug)]
struct Signals {
    client: String,
    /// The hash of its access token.
    token: Hash,
    /// Notified when there may be changes, or when the stream ends.
    woken: Notify,
    is_ended: AtomicBool,
}

/// Why a stream is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoStream {
    /// The app has [`PER_APP`] for this account.
    App,
    /// The server has [`PER_SERVER`].
    Server,
    /// The server is stopping.
    Stopping,
}

/// An open stream, until it is dropped.
#[derive(Debug)]
pub struct OpenStream {
    streams: Arc<ChangeStreams>,
    account: Uuid,
    signals: Arc<Signals>,
}

impl ChangeStreams {
    /// `limits`: whether apps are limited.
    pub fn new(limits: bool) -> Self {
        Self { limits, open: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, Streams> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens a stream for an account and app with this token.
    pub fn open(self: &Arc<Self>, account: Uuid, client: &str, token: Hash) -> Result<OpenStream, NoStream> {
        let mut open = self.lock();
        if open.is_closed {
            return Err(NoStream::Stopping);
        }
        if open.number >= PER_SERVER {
            return Err(NoStream::Server);
        }
        let of_account = open.by_account.entry(account).or_default();
        let of_app = of_account.iter().filter(|signals| signals.client == client).count();
        if self.limits && of_app >= PER_APP {
            return Err(NoStream::App);
        }
        let (client, woken, is_ended) = (client.to_owned(), Notify::new(), AtomicBool::new(false));
        let signals = Arc::new(Signals { client, token, woken, is_ended });
        of_account.push(Arc::clone(&signals));
        open.number += 1;
        drop(open);
        Ok(OpenStream { streams: Arc::clone(self), account, signals })
    }

    /// The number of open streams.
    pub fn number(&self) -> usize {
        self.lock().number
    }

    /// Wakes the streams of an account.
    pub fn wake(&self, account: Uuid) {
        for signals in self.lock().by_account.get(&account).into_iter().flatten() {
            signals.woken.notify_one();
        }
    }

    /// Wakes all streams.
    pub fn wake_all(&self) {
        self.lock().all().for_each(|signals| signals.woken.notify_one());
    }

    /// The tokens of the open streams, each once.
    pub fn tokens(&self) -> Vec<Hash> {
        let mut tokens: Vec<Hash> = self.lock().all().map(|signals| signals.token).collect();
        tokens.sort_unstable();
        tokens.dedup();
        tokens
    }

    /// Ends the streams whose token is one of these.
    pub fn end(&self, tokens: &[Hash]) {
        self.lock().all().filter(|signals| tokens.contains(&signals.token)).for_each(|signals| signals.end());
    }

    /// Ends all streams.
    pub fn end_all(&self) {
        self.lock().all().for_each(|signals| signals.end());
    }

    /// Ends all streams, and refuses new ones.
    pub fn close(&self) {
        self.lock().is_closed = true;
        self.end_all();
    }
}

impl Streams {
    fn all(&self) -> impl Iterator<Item = &Arc<Signals>> {
        self.by_account.values().flatten()
    }
}

impl Signals {
    fn end(&self) {
        self.is_ended.store(true, Ordering::Release);
        self.woken.notify_one();
    }
}

impl OpenStream {
    /// Completes when there may be changes that came after the last call, or when the stream ends.
    pub async fn woken(&self) {
        self.signals.woken.notified().await;
    }

    /// Whether the stream must end.
    pub fn is_ended(&self) -> bool {
        self.signals.is_ended.load(Ordering::Acquire)
    }
}

impl Drop for OpenStream {
    fn drop(&mut self) {
        let mut open = self.streams.lock();
        open.number -= 1;
        if let Some(of_account) = open.by_account.get_mut(&self.account) {
            of_account.retain(|signals| !Arc::ptr_eq(signals, &self.signals));
            if of_account.is_empty() {
                open.by_account.remove(&self.account);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    const ANA: Uuid = Uuid::from_u128(1);
    const BEN: Uuid = Uuid::from_u128(2);

    fn streams(limits: bool) -> Arc<ChangeStreams> {
        Arc::new(ChangeStreams::new(limits))
    }

    #[test]
    fn an_app_has_five_streams_for_an_account() {
        let streams = streams(true);
        let mut open: Vec<_> = (0..PER_APP).map(|_| streams.open(ANA, "app", [0; 32]).expect("one of five")).collect();
        assert_eq!(streams.open(ANA, "app", [0; 32]).expect_err("the sixth"), NoStream::App);
        let _others = [streams.open(ANA, "other", [0; 32]), streams.open(BEN, "app", [0; 32])].map(Result::unwrap);
        open.pop();
        assert!(streams.open(ANA, "app", [0; 32]).is_ok());
        drop(open);
        assert_eq!(streams.number(), 2);
        streams.close();
        assert_eq!(streams.open(BEN, "app", [0; 32]).expect_err("stopping"), NoStream::Stopping);
    }

    #[test]
    fn only_the_streams_that_are_meant_are_woken_and_ended() {
        let streams = streams(false);
        let [ana, ben] = [(ANA, [1; 32]), (BEN, [2; 32])].map(|(id, token)| streams.open(id, "app", token).unwrap());
        streams.wake(ANA);
        assert!(ana.woken().now_or_never().is_some(), "it is remembered until it is waited for");
        assert!(ana.woken().now_or_never().is_none() && ben.woken().now_or_never().is_none());
        assert_eq!(streams.tokens(), [[1; 32], [2; 32]]);
        streams.end(&[[2; 32]]);
        assert!(ben.woken().now_or_never().is_some() && ben.is_ended() && !ana.is_ended());
        streams.wake_all();
        assert!(ana.woken().now_or_never().is_some() && !ana.is_ended());
    }
}
