//! The signals of service managers and terminals. A signal counts from the call of `listen` on, even if nobody
//! awaits it yet, because the server may be stopped as soon as it reports that it runs.

use std::io;

#[cfg(unix)]
use tokio::signal::unix::{Signal, SignalKind, signal};

/// The signals that ask the server to stop.
#[cfg(unix)]
pub(super) struct Signals {
    interrupt: Signal,
    terminate: Signal,
}

#[cfg(unix)]
impl Signals {
    pub(super) fn listen() -> io::Result<Self> {
        Ok(Self { interrupt: signal(SignalKind::interrupt())?, terminate: signal(SignalKind::terminate())? })
    }

    /// Waits for the next one, and returns its name.
    pub(super) async fn next(&mut self) -> &'static str {
        tokio::select! {
            _ = self.interrupt.recv() => "SIGINT",
            _ = self.terminate.recv() => "SIGTERM",
        }
    }
}

/// The signal that asks the server to read its files again.
#[cfg(unix)]
pub(super) struct SighupStream(Signal);

#[cfg(unix)]
impl SighupStream {
    pub(super) fn listen() -> io::Result<Self> {
        Ok(Self(signal(SignalKind::hangup())?))
    }

    pub(super) async fn next(&mut self) {
        self.0.recv().await;
    }
}

/// Ctrl-C.
#[cfg(not(unix))]
pub(super) struct Signals;

#[cfg(not(unix))]
impl Signals {
    #[expect(clippy::unnecessary_wraps, reason = "elsewhere listening may fail at once")]
    pub(super) fn listen() -> io::Result<Self> {
        Ok(Self)
    }

    pub(super) async fn next(&mut self) -> &'static str {
        let _ = tokio::signal::ctrl_c().await;
        "Ctrl-C"
    }
}

/// There is no SIGHUP.
#[cfg(not(unix))]
pub(super) struct SighupStream;

#[cfg(not(unix))]
impl SighupStream {
    #[expect(clippy::unnecessary_wraps, reason = "elsewhere listening may fail at once")]
    pub(super) fn listen() -> io::Result<Self> {
        Ok(Self)
    }

    pub(super) async fn next(&mut self) {
        std::future::pending().await
    }
}
