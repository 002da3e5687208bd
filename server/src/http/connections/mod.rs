//! Connections: accepting, deadlines and shutdown.
//!
//! hyper serves HTTP/1.1 and 1.0 without TLS, which is left to a proxy. A connection is closed if it is silent for too
//! long (before its first byte, within a request's headers, between two requests), or if the client reads nothing of a
//! response for too long ([`socket`]). Bodies have their own deadlines (`http::body`). The front door answers requests.

mod link;
mod session;
mod socket;

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::contexts::Contexts;
pub(crate) use link::Link;
use session::Session;
use socket::Socket;

/// The listening socket's backlog: connections that wait to be accepted.
const BACKLOG: u32 = 1024;
/// The kernel's send buffer of a connection, in bytes. Linux doubles it.
const SEND_BUFFER: u32 = 128 * 1024;
/// hyper's buffers of a connection, in bytes: incomplete headers, and an unsent answer.
const BUFFER: usize = 128 * 1024;
/// How long accepting pauses if the system has no room for another connection.
const PAUSE: Duration = Duration::from_millis(100);
/// The beginning of HTTP/2's connection preface, enough to recognise it.
const PREFACE: &[u8] = b"PRI * HTTP/2.0";
/// The answer to HTTP/2.
const NOT_SUPPORTED: &[u8] =
    b"HTTP/1.1 505 HTTP Version Not Supported\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
/// How many bytes of a rejected client are drained, so that it can read its answer.
const LEFTOVER: u64 = 64 * 1024;
const LEFTOVER_TIME: Duration = Duration::from_secs(1);
/// How long connections that are cut off may take to end.
const CUT: Duration = Duration::from_millis(500);

/// The deadlines of connections.
#[derive(Clone, Copy, Debug)]
pub struct Deadlines {
    /// How long a connection may be silent: before its first byte, between two requests, and until a request's headers
    /// end.
    pub silence: Duration,
    /// How long a client may read nothing of a response.
    pub stall: Duration,
}

impl Default for Deadlines {
    fn default() -> Self {
        Self { silence: Duration::from_secs(30), stall: Duration::from_secs(30) }
    }
}

/// A listening address. Its connections end when this is dropped.
pub(crate) struct Listener {
    address: SocketAddr,
    tasks: TaskTracker,
    stopping: CancellationToken,
    cut: CancellationToken,
}

impl Listener {
    /// Listens, with a maximum number of connections at a time. Further ones wait.
    pub(crate) fn start(
        address: SocketAddr,
        connections: usize,
        deadlines: Deadlines,
        contexts: Arc<Contexts>,
    ) -> io::Result<Self> {
        let listener = bind(address)?;
        let (tasks, stopping, cut) = (TaskTracker::new(), CancellationToken::new(), CancellationToken::new());
        let this = Self { address: listener.local_addr()?, tasks: tasks.clone(), stopping, cut };
        let acceptor = Acceptor {
            contexts,
            deadlines,
            tasks,
            stopping: this.stopping.clone(),
            cut: this.cut.clone(),
            room: Arc::new(Semaphore::new(connections.clamp(1, Semaphore::MAX_PERMITS))),
        };
        this.tasks.spawn(Arc::new(acceptor).accept(listener));
        Ok(this)
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Stops accepting, closes idle connections, and waits for answers in progress. Cuts off what is left after
    /// `patience`. Returns whether nothing was cut off.
    pub(crate) async fn stop(&self, patience: Duration) -> bool {
        self.stopping.cancel();
        self.tasks.close();
        let is_done = timeout(patience, self.tasks.wait()).await.is_ok();
        self.cut.cancel();
        // The work of a request continues without its connection until the process ends.
        let _ = timeout(CUT, self.tasks.wait()).await;
        is_done
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.stopping.cancel();
        self.cut.cancel();
    }
}

fn bind(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    #[cfg(not(windows))]
    socket.set_reuseaddr(true)?;
    // Accepted connections inherit it.
    socket.set_send_buffer_size(SEND_BUFFER)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// Accepts connections and serves them.
struct Acceptor {
    contexts: Arc<Contexts>,
    deadlines: Deadlines,
    tasks: TaskTracker,
    stopping: CancellationToken,
    cut: CancellationToken,
    room: Arc<Semaphore>,
}

impl Acceptor {
    async fn accept(self: Arc<Self>, listener: TcpListener) {
        loop {
            let next = async {
                let room = Arc::clone(&self.room).acquire_owned().await.expect("it is never closed");
                (listener.accept().await, room)
            };
            let (accepted, room) = tokio::select! {
                next = next => next,
                () = self.stopping.cancelled() => return,
            };
            match accepted {
                Ok((stream, remote)) => {
                    let this = Arc::clone(&self);
                    let open = self.contexts.service.metrics.connection_opens();
                    self.tasks.spawn(async move {
                        this.welcome(stream, remote).await;
                        drop((room, open));
                    });
                }
                Err(error) if is_of_one_connection(&error) => {}
                Err(error) => {
                    tracing::warn!(error = &error as &dyn std::error::Error, "accepting connections failed");
                    tokio::time::sleep(PAUSE).await;
                }
            }
        }
    }

    /// Waits for the first bytes, which reveal the HTTP version.
    async fn welcome(&self, mut stream: TcpStream, remote: SocketAddr) {
        let mut first = [0; PREFACE.len()];
        let peeked = tokio::select! {
            peeked = timeout(self.deadlines.silence, stream.peek(&mut first)) => peeked,
            () = self.stopping.cancelled() => return,
        };
        match peeked {
            Ok(Ok(1..)) if first == PREFACE => refuse_http2(&mut stream).await,
            // The rest is allocated only now, so that a silent connection costs no more than this task.
            Ok(Ok(1..)) => Box::pin(self.serve(stream, remote)).await,
            Ok(Ok(0) | Err(_)) | Err(_) => {}
        }
    }

    async fn serve(&self, stream: TcpStream, remote: SocketAddr) {
        // Answers are written whole, so delaying packets gains nothing.
        let _ = stream.set_nodelay(true);
        let link = Arc::new(Link::new(remote));
        let socket = Socket::new(stream, Arc::clone(&link), self.deadlines.stall);
        let contexts = Arc::clone(&self.contexts);
        let session = Session { contexts, link: Arc::clone(&link), tasks: self.tasks.clone() };
        let mut http = http1::Builder::new();
        http.timer(TokioTimer::new()).header_read_timeout(self.deadlines.silence).max_buf_size(BUFFER);
        let mut connection = std::pin::pin!(http.serve_connection(TokioIo::new(socket), session));
        // Errors are the client's: it closed the connection, stalled, or does not speak HTTP.
        tokio::select! {
            biased;
            _ = connection.as_mut() => return,
            () = self.stopping.cancelled() => {}
        }
        connection.as_mut().graceful_shutdown();
        let idle = std::future::poll_fn(|_| if link.is_idle() { Poll::Ready(()) } else { Poll::Pending });
        // Polled in this order in one task: first the connection, then whether it is idle.
        tokio::select! {
            biased;
            _ = connection => {}
            () = idle => {}
            () = self.cut.cancelled() => {}
        }
    }
}

/// Errors of the connection to be accepted, not of accepting itself.
fn is_of_one_connection(error: &io::Error) -> bool {
    use io::ErrorKind as E;
    matches!(error.kind(), E::ConnectionRefused | E::ConnectionAborted | E::ConnectionReset)
}

/// Rejects cleartext HTTP/2, which is not supported.
async fn refuse_http2(stream: &mut TcpStream) {
    let refusing = async {
        stream.write_all(NOT_SUPPORTED).await?;
        stream.shutdown().await?;
        tokio::io::copy(&mut stream.take(LEFTOVER), &mut tokio::io::sink()).await
    };
    let _ = timeout(LEFTOVER_TIME, refusing).await;
}
