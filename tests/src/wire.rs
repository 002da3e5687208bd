//! HTTP by hand over a socket, for requests that no client library sends.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use crate::{RawResponse, World};
use reqwest::StatusCode;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::timeout;

/// The timeout of every wait.
const PATIENCE: Duration = Duration::from_secs(20);

/// A connection to the server.
pub struct Wire {
    stream: TcpStream,
    read: Vec<u8>,
}

impl Wire {
    pub async fn to(world: &World) -> Self {
        Self::connect(world.address()).await
    }

    pub async fn connect(address: SocketAddr) -> Self {
        Self::try_connect(address).await.expect("the server listens")
    }

    /// Fails if the server resets the connection before the client sees it open.
    pub async fn try_connect(address: SocketAddr) -> std::io::Result<Self> {
        Ok(Self { stream: TcpStream::connect(address).await?, read: Vec::new() })
    }

    /// Connects from this local address.
    pub async fn connect_from(local: IpAddr, address: SocketAddr) -> Self {
        let socket = TcpSocket::new_v4().expect("a socket");
        socket.bind((local, 0).into()).expect("a loopback address");
        Self { stream: socket.connect(address).await.expect("the server listens"), read: Vec::new() }
    }

    /// Connects with a small receive buffer.
    pub async fn to_reluctant(address: SocketAddr) -> Self {
        let socket = TcpSocket::new_v4().expect("a socket");
        socket.set_recv_buffer_size(4096).expect("a size");
        Self { stream: socket.connect(address).await.expect("the server listens"), read: Vec::new() }
    }

    pub async fn send(&mut self, bytes: impl AsRef<[u8]>) {
        let sent = timeout(PATIENCE, self.stream.write_all(bytes.as_ref())).await;
        sent.expect("the server reads").expect("the connection is open");
    }

    /// Closes the sending side. Answers can still be read.
    pub async fn finish_sending(&mut self) {
        self.stream.shutdown().await.expect("the connection is open");
    }

    /// Sends a request and reads its response. `None` if the connection is closed.
    pub async fn try_exchange(&mut self, request: impl AsRef<[u8]>) -> Option<RawResponse> {
        self.stream.write_all(request.as_ref()).await.ok()?;
        let mut bytes = vec![0; 16 * 1024];
        while !self.has_response() {
            let read = timeout(PATIENCE, self.stream.read(&mut bytes)).await.expect("an answer or an end");
            let length = read.ok().filter(|length| *length > 0)?;
            self.read.extend_from_slice(&bytes[..length]);
        }
        Some(self.response().await)
    }

    /// Reads one response, skipping interim ones.
    pub async fn response(&mut self) -> RawResponse {
        loop {
            let response = self.next_response().await;
            if !response.status.is_informational() {
                return response;
            }
        }
    }

    /// Reads one response, which must not be an interim one.
    pub async fn response_at_once(&mut self) -> RawResponse {
        let response = self.next_response().await;
        assert!(!response.status.is_informational(), "{}", response.status);
        response
    }

    async fn next_response(&mut self) -> RawResponse {
        let head = self.head().await;
        let mut lines = head.split("\r\n");
        let status = lines.next().and_then(|line| line.split(' ').nth(1)).unwrap_or_default();
        let status: StatusCode = status.parse().unwrap_or_else(|_| panic!("no status line: {head}"));
        let headers: HeaderMap = lines.filter_map(header).collect();
        let length = headers.get("content-length").and_then(|value| value.to_str().ok()?.parse().ok());
        let body = self.take(length.unwrap_or(0)).await;
        RawResponse { status, headers, body }
    }

    /// Reads at most this many bytes per interval until one response was read.
    pub async fn read_slowly(&mut self, step: usize, every: Duration) {
        let mut bytes = vec![0; step];
        while !self.has_response() {
            tokio::time::sleep(every).await;
            let mut read = 0;
            while read < step && !self.has_response() {
                let more = timeout(PATIENCE, self.stream.read(&mut bytes[read..])).await.expect("the server answers");
                let length = more.expect("the connection is open");
                assert!(length > 0, "the server closed in the middle of its answer");
                self.read.extend_from_slice(&bytes[read..read + length]);
                read += length;
            }
        }
    }

    /// Whether one complete response was read.
    fn has_response(&self) -> bool {
        let Some(end) = self.read.windows(4).position(|bytes| bytes == b"\r\n\r\n") else { return false };
        let head = String::from_utf8_lossy(&self.read[..end]).to_lowercase();
        let length = head.split("\r\n").find_map(|line| line.strip_prefix("content-length: ")?.parse().ok());
        self.read.len() >= end + 4 + length.unwrap_or(0)
    }

    /// Whether something arrives within a tenth of a second.
    pub async fn is_answered(&mut self) -> bool {
        timeout(Duration::from_millis(100), self.stream.readable()).await.is_ok()
    }

    /// Waits until something arrives.
    pub async fn begins(&mut self) {
        let readable = timeout(PATIENCE, self.stream.readable()).await.expect("the server answers");
        readable.expect("the connection is open");
    }

    /// Whether the server sends 100 Continue.
    pub async fn is_asked_to_continue(&mut self) -> bool {
        self.head().await == "HTTP/1.1 100 Continue"
    }

    /// Whether the server closes the connection without sending anything.
    pub async fn is_closed(&mut self) -> bool {
        let mut rest = Vec::new();
        let read = timeout(PATIENCE, self.stream.read_to_end(&mut rest)).await.expect("the server closes");
        // A reset counts as a close, too.
        self.read.is_empty() && rest.is_empty() && read.map_or(true, |length| length == 0)
    }

    /// Whether the server closes the connection, whatever it sends before.
    pub async fn is_ended(&mut self) -> bool {
        timeout(PATIENCE, self.stream.read_to_end(&mut Vec::new())).await.is_ok()
    }

    async fn head(&mut self) -> String {
        loop {
            if let Some(end) = self.read.windows(4).position(|bytes| bytes == b"\r\n\r\n") {
                let head = String::from_utf8_lossy(&self.read[..end]).into_owned();
                self.read.drain(..end + 4);
                return head;
            }
            self.more().await;
        }
    }

    async fn take(&mut self, length: usize) -> Vec<u8> {
        while self.read.len() < length {
            self.more().await;
        }
        self.read.drain(..length).collect()
    }

    async fn more(&mut self) {
        let mut bytes = vec![0; 16 * 1024];
        let read = timeout(PATIENCE, self.stream.read(&mut bytes)).await.expect("the server answers");
        let length = read.expect("the connection is open");
        assert!(length > 0, "the server closed without an answer: {}", String::from_utf8_lossy(&self.read));
        self.read.extend_from_slice(&bytes[..length]);
    }
}

fn header(line: &str) -> Option<(HeaderName, HeaderValue)> {
    let (name, value) = line.split_once(':')?;
    Some((name.parse().ok()?, value.trim().parse().ok()?))
}

/// Sends a complete request and reads the response.
pub async fn exchange(world: &World, request: impl AsRef<[u8]>) -> RawResponse {
    let mut wire = Wire::to(world).await;
    wire.send(request).await;
    wire.response().await
}

/// The head of a request with a JSON body. `framing` ends it, as in `Content-Length: 3`.
pub fn json_head(method: &str, path: &str, token: &str, framing: &str) -> String {
    format!(
        "{method} {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n\
         Content-Type: application/json\r\n{framing}\r\n\r\n"
    )
}
