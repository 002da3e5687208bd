//! The state that both sides of a connection share: the service that answers, and the socket that sends.
//!
//! HTTP/1.1 answers in order, so a connection has one response at a time, and hyper polls both sides in one task. The
//! side that the other one waits for wakes the task. The room ([`super::room`]) reads how idle a connection is, and may
//! ask it to leave.

use std::future::poll_fn;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::Poll;

use itinerary_platform::response_budget::HeldByResponse;
use tokio::sync::Notify;
use tokio::time::Instant;

/// The state of a connection.
#[derive(Debug)]
pub(crate) struct Link {
    /// The peer's address, which may be a proxy's.
    pub(crate) remote: SocketAddr,
    read_count: AtomicU64,
    state: Mutex<State>,
    leave: Notify,
    is_leaving: AtomicBool,
}

#[derive(Debug)]
struct State {
    phase: Phase,
    /// When the phase began.
    since: Instant,
    /// Since when the client takes nothing of a response.
    stalled: Option<Instant>,
    /// The slot and memory that the response holds until the kernel has accepted it.
    held: HeldByResponse,
    /// Whether the next response waits until the last one is sent.
    is_next_waiting: bool,
    /// Whether the response stays open until one side ends it.
    is_stream: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Nothing has arrived.
    Silent,
    /// No request is unanswered and no response unsent.
    Idle,
    /// A TLS handshake or the headers of a request have begun.
    Receiving,
    /// A request is being answered, whose body is not complete yet.
    ReceivingBody,
    /// A request is being answered.
    Answering,
    /// hyper has the whole response; the kernel may not have it yet.
    Sending,
}

impl Phase {
    /// Whether a request is unanswered, or a response unsent.
    fn is_busy(self) -> bool {
        matches!(self, Self::ReceivingBody | Self::Answering | Self::Sending)
    }
}

/// The order in which a full server closes connections: lowest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Idleness {
    /// Nothing has arrived.
    Silent,
    /// It is between two requests.
    Idle,
    /// The client has not sent all of a handshake, of headers or of a body.
    Unfinished,
    /// The client takes nothing of its response.
    Stalled,
    /// The response is a stream, which the client can continue on another connection.
    Streaming,
}

impl Link {
    pub(super) fn new(remote: SocketAddr) -> Self {
        let (held, is_next_waiting) = (HeldByResponse::default(), false);
        let (phase, since, stalled, is_stream) = (Phase::Silent, Instant::now(), None, false);
        let state = State { phase, since, stalled, held, is_next_waiting, is_stream };
        Self {
            remote,
            read_count: AtomicU64::new(0),
            state: Mutex::new(state),
            leave: Notify::new(),
            is_leaving: AtomicBool::new(false),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How idle the connection is, and since when; `None` while its request is worked on or its response is taken, unless
    /// that is a stream.
    pub(super) fn idleness(&self) -> Option<(Idleness, Instant)> {
        let state = self.state();
        let idleness = match state.phase {
            Phase::Silent => Idleness::Silent,
            Phase::Idle => Idleness::Idle,
            Phase::Receiving | Phase::ReceivingBody => Idleness::Unfinished,
            Phase::Answering | Phase::Sending => {
                let streams = state.is_stream.then_some((Idleness::Streaming, state.since));
                return state.stalled.map(|since| (Idleness::Stalled, since)).or(streams);
            }
        };
        Some((idleness, state.since))
    }

    /// Asks the connection to close, because another one needs its seat.
    pub(super) fn ask_to_leave(&self) {
        self.is_leaving.store(true, Ordering::Release);
        self.leave.notify_one();
    }

    /// Whether the connection has been asked to close.
    pub(super) fn is_leaving(&self) -> bool {
        self.is_leaving.load(Ordering::Acquire)
    }

    /// Completes when the connection is asked to close.
    pub(super) async fn leaves(&self) {
        self.leave.notified().await;
    }

    /// The number of reads from the socket. If it is unchanged since the headers, the body arrived with them.
    pub(crate) fn read_count(&self) -> u64 {
        self.read_count.load(Ordering::Acquire)
    }

    /// Counts a read from the socket.
    pub(super) fn read(&self) {
        self.read_count.fetch_add(1, Ordering::Release);
        self.begin_receiving();
    }

    /// The first bytes of a handshake or a request have arrived.
    pub(super) fn begin_receiving(&self) {
        let mut state = self.state();
        if matches!(state.phase, Phase::Silent | Phase::Idle) {
            state.begin(Phase::Receiving);
        }
    }

    /// Begins a response once the last one is sent, so that unread responses do not accumulate. `has_body`: the rest of
    /// the request may still have to arrive.
    pub(super) fn poll_begin(&self, has_body: bool) -> Poll<()> {
        let mut state = self.state();
        state.is_next_waiting = state.phase.is_busy();
        if state.is_next_waiting {
            return Poll::Pending;
        }
        state.begin(if has_body { Phase::ReceivingBody } else { Phase::Answering });
        Poll::Ready(())
    }

    /// The body of the request has ended, or is not read any more.
    pub(super) fn body_ended(&self) {
        let mut state = self.state();
        if state.phase == Phase::ReceivingBody {
            state.begin(Phase::Answering);
        }
    }

    /// The response stays open.
    pub(crate) fn streams(&self) {
        self.state().is_stream = true;
    }

    /// The kernel accepts no bytes of the response (`is_stalled`), or has accepted some.
    pub(super) fn set_stalled(&self, is_stalled: bool) {
        self.state().stalled = is_stalled.then(Instant::now);
    }

    /// hyper has taken the whole response, or has dropped it.
    pub(super) fn handed_over(&self, held: HeldByResponse) {
        let mut state = self.state();
        state.begin(Phase::Sending);
        state.held = held;
    }

    /// The kernel has taken everything from hyper. Returns whether the next response was waiting for this.
    pub(super) fn flushed(&self) -> bool {
        let mut state = self.state();
        if state.phase != Phase::Sending {
            return false;
        }
        state.begin(Phase::Idle);
        state.held = HeldByResponse::default();
        std::mem::take(&mut state.is_next_waiting)
    }

    /// Completes when the connection is idle (`idle`) or has a request (not `idle`). Registers no waker: poll it in the
    /// connection's task, after the connection.
    pub(super) async fn becomes_idle(&self, idle: bool) {
        poll_fn(|_| if self.is_idle() == idle { Poll::Ready(()) } else { Poll::Pending }).await;
    }

    /// Whether no request is unanswered and no response unsent.
    pub(super) fn is_idle(&self) -> bool {
        !self.state().phase.is_busy()
    }
}

impl State {
    fn begin(&mut self, phase: Phase) {
        (self.phase, self.since, self.is_stream) = (phase, Instant::now(), false);
    }
}
