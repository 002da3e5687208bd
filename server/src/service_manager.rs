//! Tells the service manager that the server is ready, reloads or stops, by systemd's protocol for `Type=notify`. If
//! `NOTIFY_SOCKET` is not set, nothing is sent.

use std::time::Duration;

#[cfg(unix)]
use sd_notify::NotifyState;

/// The server accepts requests, at first or after a reload.
pub(crate) fn ready() {
    #[cfg(unix)]
    notify(&[NotifyState::Ready]);
}

/// The server reads its files again.
pub(crate) fn reloading() {
    #[cfg(unix)]
    notify(&[NotifyState::Reloading]);
}

/// The server stops, which takes at most this time.
#[cfg_attr(not(unix), expect(unused_variables))]
pub(crate) fn stopping(longest: Duration) {
    #[cfg(unix)]
    notify(&[
        NotifyState::Stopping,
        NotifyState::ExtendTimeoutUsec(u32::try_from(longest.as_micros()).unwrap_or(u32::MAX)),
    ]);
}

/// A failure is logged, because the service manager will wait in vain.
#[cfg(unix)]
fn notify(state: &[NotifyState<'_>]) {
    if let Err(error) = sd_notify::notify(state) {
        tracing::warn!(error = &error as &dyn std::error::Error, "the service manager cannot be notified");
    }
}
