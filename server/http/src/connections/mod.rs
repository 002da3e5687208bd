//! Connections: accepting, deadlines and shutdown.
//!
//! hyper serves HTTP/1.1 and 1.0, with or without TLS. A connection is closed if it is silent for too long (before its
//! first byte, within a request's headers, between two requests), if its TLS handshake takes too long, or if the client
//! reads nothing of a response for too long ([`socket`]). Bodies have their own deadlines (`body.rs`). The request
//! pipeline answers requests. The number of connections is limited, in total and for each address ([`room`]).

mod link;
mod refusals;
mod room;
mod session;
mod socket;

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use itinerary_platform::settings::Deadlines;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::contexts::Contexts;
use link::Idleness;
pub(crate) use link::Link;
use refusals::{NOT_SUPPORTED, PREFACE, TLS_HANDSHAKE, TLS_REQUIRED, refuse};
use room::{NoSeat, Room, Seat};
use session::HttpSession;
use socket::Socket;

/// The listening socket's backlog: connections that wait to be accepted.
const BACKLOG: u32 = 4096;
/// The kernel's send buffer of a connection, in bytes. Linux doubles it.
const SEND_BUFFER: u32 = 128 * 1024;
/// hyper's buffers of a connection, in bytes: incomplete headers, and an unsent response.
const BUFFER: usize = 128 * 1024;
/// How long accepting pauses if the system has no room for another connection.
const PAUSE: Duration = Duration::from_millis(100);
/// How long a connection without a request stays open when the server stops: a request that its client has already sent,
/// or sends before it learns that the server stops, is answered.
const LAST_CALL: Duration = Duration::from_secs(1);
/// How long connections that are cut off may take to end.
const CUT: Duration = Duration::from_millis(500);

/// How many connections may be open at a time.
#[derive(Clone, Copy, Debug)]
pub struct ConnectionLimits {
    /// In total.
    pub total: usize,
    /// Of one address; `None` without a limit.
    pub per_address: Option<usize>,
}

/// How a listener stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stopped {
    /// The number of connections whose last request was completed while stopping.
    pub completed: usize,
    /// The number of connections that were closed within a request or its response.
    pub cut_off: usize,
}

/// A listening address. Its connections end when this is dropped.
pub struct Listener {
    address: SocketAddr,
    tasks: TaskTracker,
    stopping: CancellationToken,
    cut: CancellationToken,
    ends: Arc<StoppedConnections>,
}

/// The ends of connections that had a request when the server stopped.
#[derive(Default)]
struct StoppedConnections {
    completed: AtomicUsize,
    cut_off: AtomicUsize,
}

impl Listener {
    /// Listens, with a maximum number of connections at a time.
    pub fn start(
        address: SocketAddr,
        tls: Option<TlsAcceptor>,
        connections: ConnectionLimits,
        deadlines: Deadlines,
        contexts: Arc<Contexts>,
    ) -> io::Result<Self> {
        let listener = bind(address, deadlines.stall)?;
        let (tasks, stopping, cut) = (TaskTracker::new(), CancellationToken::new(), CancellationToken::new());
        let ends = Arc::default();
        let this = Self { address: listener.local_addr()?, tasks: tasks.clone(), stopping, cut, ends };
        let proxies = &contexts.service.config.trusted_proxies;
        let room = Room::new(connections.total, connections.per_address, deadlines.grace, proxies);
        let acceptor = Acceptor {
            contexts,
            tls,
            ends: Arc::clone(&this.ends),
            deadlines,
            tasks,
            stopping: this.stopping.clone(),
            cut: this.cut.clone(),
            room: Arc::new(room),
        };
        this.tasks.spawn(Arc::new(acceptor).accept(listener));
        Ok(this)
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Stops listening, and waits for requests in progress, whose responses close their connections. Closes idle
    /// connections after `LAST_CALL`. Cuts off what is left after `patience`.
    pub async fn stop(&self, patience: Duration) -> Stopped {
        self.stopping.cancel();
        self.tasks.close();
        let _ = timeout(patience, self.tasks.wait()).await;
        self.cut.cancel();
        // The work of a request continues without its connection until the process ends.
        let _ = timeout(CUT, self.tasks.wait()).await;
        let StoppedConnections { completed, cut_off } = &*self.ends;
        Stopped { completed: completed.load(Ordering::Relaxed), cut_off: cut_off.load(Ordering::Relaxed) }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.stopping.cancel();
        self.cut.cancel();
    }
}

/// `stall`: how long a client may take nothing of a response.
fn bind(address: SocketAddr, stall: Duration) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    #[cfg(not(windows))]
    socket.set_reuseaddr(true)?;
    // Accepted connections inherit what follows.
    socket.set_send_buffer_size(SEND_BUFFER)?;
    end_unacknowledged(&socket, stall)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// Has the kernel end a connection whose client has vanished and acknowledges nothing for so long. By default it tries for
/// about 15 minutes, while little that is sent, such as the comments of a stream, fits into its buffer, so that no write
/// stalls.
#[cfg(target_os = "linux")]
fn end_unacknowledged(socket: &TcpSocket, after: Duration) -> io::Result<()> {
    socket2::SockRef::from(socket).set_tcp_user_timeout(Some(after))
}

/// Other systems end such connections after times of their own.
#[cfg(not(target_os = "linux"))]
fn end_unacknowledged(_: &TcpSocket, _: Duration) -> io::Result<()> {
    Ok(())
}

/// Accepts connections and serves them.
struct Acceptor {
    contexts: Arc<Contexts>,
    tls: Option<TlsAcceptor>,
    deadlines: Deadlines,
    tasks: TaskTracker,
    stopping: CancellationToken,
    cut: CancellationToken,
    ends: Arc<StoppedConnections>,
    room: Arc<Room>,
}

impl Acceptor {
    async fn accept(self: Arc<Self>, listener: TcpListener) {
        loop {
            let accepted = tokio::select! {
                accepted = listener.accept() => accepted,
                () = self.stopping.cancelled() => break,
            };
            match accepted {
                Ok((stream, remote)) => self.admit(stream, remote).await,
                Err(error) if is_of_one_connection(&error) => {}
                Err(error) => {
                    tracing::warn!(error = &error as &dyn std::error::Error, "accepting connections failed");
                    sleep(PAUSE).await;
                }
            }
        }
        if let Err(error) = self.accept_the_rest(listener) {
            tracing::warn!(error = &error as &dyn std::error::Error, "accepting the last connections failed");
        }
    }

    /// Accepts the connections that the kernel has established, which closing the listener would reset; then closes it.
    fn accept_the_rest(self: Arc<Self>, listener: TcpListener) -> io::Result<()> {
        // Not tokio's, whose record of what is ready may be older than the last connection.
        let listener = listener.into_std()?;
        loop {
            match listener.accept() {
                Ok((stream, remote)) => {
                    let seat = match self.room.enter(remote) {
                        Ok(seat) => seat,
                        Err(NoSeat::Share) => continue,
                        Err(NoSeat::Full) => break,
                    };
                    stream.set_nonblocking(true)?;
                    self.spawn(TcpStream::from_std(stream)?, seat);
                }
                Err(error) if is_of_one_connection(&error) => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Serves a new connection once it has a seat. Closes it if its address holds its share, or when the server stops.
    async fn admit(self: &Arc<Self>, stream: TcpStream, remote: SocketAddr) {
        loop {
            match self.room.enter(remote) {
                Ok(seat) => return self.spawn(stream, seat),
                Err(NoSeat::Share) => return self.contexts.service.metrics.connection_refused(),
                Err(NoSeat::Full) => {}
            }
            tokio::select! {
                () = self.room.changes() => {}
                () = self.stopping.cancelled() => return,
            }
        }
    }

    fn spawn(self: &Arc<Self>, stream: TcpStream, seat: Seat) {
        let this = Arc::clone(self);
        let open = self.contexts.service.metrics.connection_opens();
        self.tasks.spawn(async move {
            this.welcome(stream, &seat.link).await;
            drop((seat, open));
        });
    }

    /// Waits for the first bytes, which reveal the protocol.
    async fn welcome(&self, mut stream: TcpStream, link: &Arc<Link>) {
        let mut first = [0; PREFACE.len()];
        let peeked = tokio::select! {
            peeked = timeout(self.deadlines.first_byte, stream.peek(&mut first)) => peeked,
            () = link.leaves() => return self.gives_way(),
            () = self.last_call() => return,
        };
        let Ok(Ok(1..)) = peeked else { return };
        link.begin_receiving();
        // Responses are written whole, so delaying packets gains nothing.
        let _ = stream.set_nodelay(true);
        // The rest is allocated only now, so that a silent connection costs no more than this task.
        match &self.tls {
            Some(tls) if first[0] == TLS_HANDSHAKE => Box::pin(self.serve_tls(tls, stream, link)).await,
            Some(_) if first[0].is_ascii_alphabetic() => refuse(&mut stream, TLS_REQUIRED).await,
            Some(_) => {}
            None if first == PREFACE => refuse(&mut stream, NOT_SUPPORTED).await,
            None => Box::pin(self.serve(self.watched(stream, link), link)).await,
        }
    }

    /// Completes at [`LAST_CALL`] after the server was asked to stop.
    async fn last_call(&self) {
        self.stopping.cancelled().await;
        sleep(LAST_CALL).await;
    }

    /// A socket that fails when its reader stalls. It is below TLS: only there it is known what the kernel accepts.
    fn watched(&self, stream: TcpStream, link: &Arc<Link>) -> Socket<TcpStream> {
        Socket::new(stream, Arc::clone(link), self.deadlines.stall)
    }

    /// Counts a connection that was closed for another one.
    fn gives_way(&self) {
        self.contexts.service.metrics.connection_gave_way();
    }

    async fn serve_tls(&self, tls: &TlsAcceptor, stream: TcpStream, link: &Arc<Link>) {
        let handshake = tokio::select! {
            handshake = timeout(self.deadlines.handshake, tls.accept(self.watched(stream, link))) => handshake,
            () = link.leaves() => return self.gives_way(),
            () = self.last_call() => return,
        };
        // A failed handshake is the client's: it does not trust the certificate, or offers no common protocol.
        if let Ok(Ok(stream)) = handshake {
            self.serve(stream, link).await;
        }
    }

    async fn serve<S: AsyncRead + AsyncWrite + Send + Unpin + 'static>(&self, stream: S, link: &Arc<Link>) {
        let contexts = Arc::clone(&self.contexts);
        let (tasks, stopping) = (self.tasks.clone(), self.stopping.clone());
        let session = HttpSession { contexts, link: Arc::clone(link), tasks, stopping };
        let mut http = http1::Builder::new();
        http.timer(TokioTimer::new()).header_read_timeout(self.deadlines.silence).max_buf_size(BUFFER);
        let mut connection = std::pin::pin!(http.serve_connection(TokioIo::new(stream), session));
        // Errors are the client's: it closed the connection, stalled, or does not speak HTTP.
        tokio::select! {
            biased;
            _ = connection.as_mut() => return,
            () = link.leaves() => {
                self.gives_way();
                // A request that has arrived meanwhile is answered; what is unfinished or stalled is dropped.
                if link.idleness().is_none_or(|(idleness, _)| idleness == Idleness::Idle) {
                    connection.as_mut().graceful_shutdown();
                    let _ = connection.await;
                }
                return;
            }
            () = self.stopping.cancelled() => {}
        }
        // Polled in this order in one task: first the connection, then whether it is idle.
        tokio::select! {
            biased;
            _ = connection.as_mut() => return,
            () = link.becomes_idle(false) => {}
            () = sleep(LAST_CALL) => {}
        }
        let is_answering = !link.is_idle();
        // From now on a response says `Connection: close`.
        connection.as_mut().graceful_shutdown();
        let is_cut_off = tokio::select! {
            biased;
            _ = connection => false,
            () = link.becomes_idle(true) => false,
            () = self.cut.cancelled() => true,
        };
        if is_answering {
            let StoppedConnections { completed, cut_off } = &*self.ends;
            if is_cut_off { cut_off } else { completed }.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// Errors of the connection to be accepted, not of accepting itself.
fn is_of_one_connection(error: &io::Error) -> bool {
    use io::ErrorKind as E;
    matches!(error.kind(), E::ConnectionRefused | E::ConnectionAborted | E::ConnectionReset)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[tokio::test]
    async fn accepted_connections_inherit_the_time_for_acknowledgements() {
        let listener = bind(([127, 0, 0, 1], 0).into(), Duration::from_secs(30)).expect("a free port");
        let client = TcpStream::connect(listener.local_addr().expect("an address"));
        let (accepted, client) = tokio::join!(listener.accept(), client);
        let (accepted, _client) = (accepted.expect("a connection").0, client.expect("a connection"));
        let timeout = socket2::SockRef::from(&accepted).tcp_user_timeout();
        assert_eq!(timeout.expect("Linux has it"), Some(Duration::from_secs(30)));
    }
}
