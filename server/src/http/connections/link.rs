//! The state that both sides of a connection share: the service that answers, and the socket that sends.
//!
//! HTTP/1.1 answers in order, so a connection has one answer at a time, and hyper polls both sides in one task. The side
//! that the other one waits for wakes the task.

use std::future::poll_fn;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::Poll;

use crate::response_budget::HeldByResponse;

/// The state of a connection.
#[derive(Debug)]
pub(crate) struct Link {
    /// The peer's address, which may be a proxy's.
    pub(crate) remote: SocketAddr,
    read_count: AtomicU64,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    phase: Phase,
    /// The slot and memory that the response holds until the kernel has accepted it.
    held: HeldByResponse,
    /// Whether the next answer waits until the last one is sent.
    is_next_waiting: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Phase {
    /// No request is unanswered and no answer unsent.
    #[default]
    Idle,
    /// A request is being answered.
    Answering,
    /// hyper has the whole answer; the kernel may not have it yet.
    Sending,
}

impl Link {
    pub(super) fn new(remote: SocketAddr) -> Self {
        Self { remote, read_count: AtomicU64::new(0), state: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of reads from the socket. If it is unchanged since the headers, the body arrived with them.
    pub(crate) fn read_count(&self) -> u64 {
        self.read_count.load(Ordering::Acquire)
    }

    /// Counts a read from the socket.
    pub(super) fn read(&self) {
        self.read_count.fetch_add(1, Ordering::Release);
    }

    /// Begins an answer once the last one is sent, so that unread responses do not accumulate.
    pub(super) fn poll_begin(&self) -> Poll<()> {
        let mut state = self.state();
        state.is_next_waiting = state.phase != Phase::Idle;
        if state.is_next_waiting {
            return Poll::Pending;
        }
        state.phase = Phase::Answering;
        Poll::Ready(())
    }

    /// hyper has taken the whole answer, or has dropped it.
    pub(super) fn handed_over(&self, held: HeldByResponse) {
        let mut state = self.state();
        state.phase = Phase::Sending;
        state.held = held;
    }

    /// The kernel has taken everything from hyper. Returns whether the next answer was waiting for this.
    pub(super) fn flushed(&self) -> bool {
        let mut state = self.state();
        if state.phase != Phase::Sending {
            return false;
        }
        state.phase = Phase::Idle;
        state.held = HeldByResponse::default();
        std::mem::take(&mut state.is_next_waiting)
    }

    /// Completes when the connection is idle (`idle`) or has a request (not `idle`). Registers no waker: poll it in the
    /// connection's task, after the connection.
    pub(super) async fn becomes_idle(&self, idle: bool) {
        poll_fn(|_| if self.is_idle() == idle { Poll::Ready(()) } else { Poll::Pending }).await;
    }

    /// Whether no request is unanswered and no answer unsent.
    pub(super) fn is_idle(&self) -> bool {
        self.state().phase == Phase::Idle
    }
}
