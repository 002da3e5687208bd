//! What a connection's two sides tell each other: the service that answers, and the socket that the answers leave by.
//!
//! HTTP/1.1 answers in order, so a connection has one answer at a time, and hyper polls both sides in one task. Where one
//! side waits for the other, the other wakes that task.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::Poll;

use crate::response_budget::HeldByResponse;

/// What is known of a connection.
#[derive(Debug)]
pub(crate) struct Link {
    /// Who is at the other end; may be a proxy.
    pub(crate) remote: SocketAddr,
    read_count: AtomicU64,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    phase: Phase,
    /// What the answer holds until the kernel has taken it.
    held: HeldByResponse,
    /// Whether the next answer waits for the last one to be sent.
    is_next_waiting: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Phase {
    /// Nothing has been asked that is not answered and sent.
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

    /// How often bytes have come from the socket. A body for which this has not changed was complete with its headers.
    pub(crate) fn read_count(&self) -> u64 {
        self.read_count.load(Ordering::Acquire)
    }

    /// Bytes have come.
    pub(super) fn read(&self) {
        self.read_count.fetch_add(1, Ordering::Release);
    }

    /// Begins an answer, once the last one has been sent: nobody makes answers pile up that they do not read.
    pub(super) fn poll_begin(&self) -> Poll<()> {
        let mut state = self.state();
        state.is_next_waiting = state.phase != Phase::Idle;
        if state.is_next_waiting {
            return Poll::Pending;
        }
        state.phase = Phase::Answering;
        Poll::Ready(())
    }

    /// hyper has taken all of the answer, or has given it up.
    pub(super) fn handed_over(&self, held: HeldByResponse) {
        let mut state = self.state();
        state.phase = Phase::Sending;
        state.held = held;
    }

    /// The kernel has taken everything that hyper had. Whether the next answer has been waiting for that.
    pub(super) fn flushed(&self) -> bool {
        let mut state = self.state();
        if state.phase != Phase::Sending {
            return false;
        }
        state.phase = Phase::Idle;
        state.held = HeldByResponse::default();
        std::mem::take(&mut state.is_next_waiting)
    }

    /// Whether nobody waits for an answer.
    pub(super) fn is_idle(&self) -> bool {
        self.state().phase == Phase::Idle
    }
}
