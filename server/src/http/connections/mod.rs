//! The connections: accepting them, their deadlines, and their end.
//!
//! HTTP/1.1 and 1.0 in the clear, by hyper. A connection ends when it is silent for too long (before its first byte, in the
//! middle of a request's headers, between two requests), and when nothing of an answer is taken for too long ([`socket`]).
//! Bodies have deadlines of their own (`http::body`). Requests go to the front door. TLS is a proxy's.

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

/// How many connections may wait to be accepted.
const BACKLOG: u32 = 1024;
/// What the kernel may hold of a connection's answers. Linux doubles it.
const SEND_BUFFER: u32 = 128 * 1024;
/// What hyper may hold of a connection: headers that are not complete, and an answer that is not sent.
const BUFFER: usize = 128 * 1024;
/// How long accepting pauses when the system has no room for another connection.
const PAUSE: Duration = Duration::from_millis(100);
/// How HTTP/2 begins, whose version tells enough.
const PREFACE: &[u8] = b"PRI * HTTP/2.0";
/// The answer to it.
const NOT_SUPPORTED: &[u8] =
    b"HTTP/1.1 505 HTTP Version Not Supported\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
/// What a client that was refused may still have sent, which is read so that it gets to read its answer.
const LEFTOVER: u64 = 64 * 1024;
const LEFTOVER_TIME: Duration = Duration::from_secs(1);
/// How long connections that are cut off may take to end.
const CUT: Duration = Duration::from_millis(500);

/// The deadlines and limits of connections.
#[derive(Clone, Copy, Debug)]
pub struct Deadlines {
    /// How long a connection may be silent: before its first byte, between two requests, and for all of a request's headers.
    pub silence: Duration,
    /// How long nothing may be taken of an answer.
    pub stall: Duration,
}

impl Default for Deadlines {
    fn default() -> Self {
        Self { silence: Duration::from_secs(30), stall: Duration::from_secs(30) }
    }
}

/// An address that is listened on. Its connections end when this is dropped.
pub(crate) struct Listener {
    address: SocketAddr,
    tasks: TaskTracker,
    stopping: CancellationToken,
    cut: CancellationToken,
}

impl Listener {
    /// Listens, with at most so many connections at a time; further ones wait.
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

    /// The address.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Lets nobody in any more, closes the connections that wait for no answer, and waits for the answers that are under
    /// way. What is left after `patience` is cut off. Whether that was nothing.
    pub(crate) async fn stop(&self, patience: Duration) -> bool {
        self.stopping.cancel();
        self.tasks.close();
        let is_done = timeout(patience, self.tasks.wait()).await.is_ok();
        self.cut.cancel();
        // What a request does goes on without its connection; nothing waits for it but the end of the process.
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
    // Connections inherit it.
    socket.set_send_buffer_size(SEND_BUFFER)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// What accepting connections and serving them takes.
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
                    self.tasks.spawn(async move {
                        this.welcome(stream, remote).await;
                        drop(room);
                    });
                }
                Err(error) if is_of_one_connection(&error) => {}
                Err(error) => {
                    tracing::warn!(error = &error as &dyn std::error::Error, "no connection can be accepted");
                    tokio::time::sleep(PAUSE).await;
                }
            }
        }
    }

    /// Waits for the first bytes, which tell the version.
    async fn welcome(&self, mut stream: TcpStream, remote: SocketAddr) {
        let mut first = [0; PREFACE.len()];
        let peeked = tokio::select! {
            peeked = timeout(self.deadlines.silence, stream.peek(&mut first)) => peeked,
            () = self.stopping.cancelled() => return,
        };
        match peeked {
            Ok(Ok(1..)) if first == PREFACE => refuse_http2(&mut stream).await,
            // A silent connection costs no more than this task: what HTTP needs is made when there is something to read.
            Ok(Ok(1..)) => Box::pin(self.serve(stream, remote)).await,
            Ok(Ok(0) | Err(_)) | Err(_) => {}
        }
    }

    async fn serve(&self, stream: TcpStream, remote: SocketAddr) {
        // Answers are written whole: nothing is gained by waiting for more.
        let _ = stream.set_nodelay(true);
        let link = Arc::new(Link::new(remote));
        let socket = Socket::new(stream, Arc::clone(&link), self.deadlines.stall);
        let contexts = Arc::clone(&self.contexts);
        let session = Session { contexts, link: Arc::clone(&link), tasks: self.tasks.clone() };
        let mut http = http1::Builder::new();
        http.timer(TokioTimer::new()).header_read_timeout(self.deadlines.silence).max_buf_size(BUFFER);
        let mut connection = std::pin::pin!(http.serve_connection(TokioIo::new(socket), session));
        // An error is the client's: it has gone, stalled, or does not speak HTTP.
        tokio::select! {
            biased;
            _ = connection.as_mut() => return,
            () = self.stopping.cancelled() => {}
        }
        connection.as_mut().graceful_shutdown();
        let idle = std::future::poll_fn(|_| if link.is_idle() { Poll::Ready(()) } else { Poll::Pending });
        // Polled in order, in one task: the connection first, then whether anybody still waits for an answer of it.
        tokio::select! {
            biased;
            _ = connection => {}
            () = idle => {}
            () = self.cut.cancelled() => {}
        }
    }
}

/// Errors of the connection that was to be accepted, not of accepting.
fn is_of_one_connection(error: &io::Error) -> bool {
    use io::ErrorKind as E;
    matches!(error.kind(), E::ConnectionRefused | E::ConnectionAborted | E::ConnectionReset)
}

/// HTTP/2 in the clear is not spoken here.
async fn refuse_http2(stream: &mut TcpStream) {
    let refusing = async {
        stream.write_all(NOT_SUPPORTED).await?;
        stream.shutdown().await?;
        tokio::io::copy(&mut stream.take(LEFTOVER), &mut tokio::io::sink()).await
    };
    let _ = timeout(LEFTOVER_TIME, refusing).await;
}
