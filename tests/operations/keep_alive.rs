//! A client that keeps its connection open, and says exactly how a request failed.

use std::fmt;
use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// No response may take longer.
const PATIENCE: Duration = Duration::from_secs(20);

/// How a request ended.
#[derive(Debug)]
pub(crate) enum Outcome {
    Answered(RawResponse),
    /// There was no connection: the server has not accepted the request.
    Refused,
    /// A new connection was reset before any byte of a response: the kernel has accepted it, the server has not.
    ResetWhenNew,
    /// The server closed a connection that it had used before, without a response.
    Dropped,
    /// The connection ended within the response.
    CutOff,
}

pub(crate) struct RawResponse {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

/// The status and the beginning of the body.
impl fmt::Debug for RawResponse {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let body: String = String::from_utf8_lossy(&self.body).chars().take(200).collect();
        write!(formatter, "{} {body}", self.status)
    }
}

impl RawResponse {
    /// Whether the server says that it closes the connection.
    pub(crate) fn is_last(&self) -> bool {
        self.head.to_lowercase().contains("connection: close")
    }
}

/// A request as bytes. The body is sent in parts with pauses between them.
pub(crate) struct Request {
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
    pub(crate) parts: usize,
    pub(crate) pause: Duration,
}

impl Request {
    pub(crate) fn get(path: &str, token: &str) -> Self {
        let head = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n\r\n");
        Self { head, body: Vec::new(), parts: 0, pause: Duration::ZERO }
    }

    pub(crate) fn post(path: &str, token: &str, content_type: &str, key: &str, body: Vec<u8>) -> Self {
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\nContent-Type: {content_type}\r\n\
             Content-Length: {}\r\nIdempotency-Key: {key}\r\n\r\n",
            body.len()
        );
        Self { head, body, parts: 1, pause: Duration::ZERO }
    }
}

/// A client of one address.
pub(crate) struct Client {
    address: SocketAddr,
    stream: Option<TcpStream>,
}

impl Client {
    pub(crate) fn of(address: SocketAddr) -> Self {
        Self { address, stream: None }
    }

    /// Sends a request on the open connection, or on a new one.
    pub(crate) async fn send(&mut self, request: &Request) -> Outcome {
        let is_new = self.stream.is_none();
        if is_new {
            let Ok(stream) = TcpStream::connect(self.address).await else { return Outcome::Refused };
            stream.set_nodelay(true).expect("an option");
            self.stream = Some(stream);
        }
        let mut stream = self.stream.take().expect("it was opened");
        let mut read = Vec::new();
        let exchange = timeout(PATIENCE, exchange(&mut stream, request, &mut read)).await.expect("no request hangs");
        match exchange {
            Some(response) => {
                if !response.is_last() {
                    self.stream = Some(stream);
                }
                Outcome::Answered(response)
            }
            None if !read.is_empty() => Outcome::CutOff,
            None if is_new => Outcome::ResetWhenNew,
            None => Outcome::Dropped,
        }
    }
}

/// Sends a request and reads its response. `None` if the connection ends before.
async fn exchange(stream: &mut TcpStream, request: &Request, read: &mut Vec<u8>) -> Option<RawResponse> {
    // If writing fails, there may still be a response to read.
    let _ = write(stream, request).await;
    loop {
        if let Some(end) = read.windows(4).position(|bytes| bytes == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&read[..end]).into_owned();
            let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
            let length = head.to_lowercase();
            let length = length.split("\r\n").find_map(|line| line.strip_prefix("content-length: ")?.parse().ok());
            let length: usize = length.unwrap_or(0);
            while read.len() < end + 4 + length {
                more(stream, read).await?;
            }
            return Some(RawResponse { status, head, body: read[end + 4..end + 4 + length].to_vec() });
        }
        more(stream, read).await?;
    }
}

async fn write(stream: &mut TcpStream, request: &Request) -> std::io::Result<()> {
    if request.parts <= 1 {
        return stream.write_all(&[request.head.as_bytes(), &request.body].concat()).await;
    }
    stream.write_all(request.head.as_bytes()).await?;
    for part in request.body.chunks(request.body.len().div_ceil(request.parts)) {
        stream.write_all(part).await?;
        tokio::time::sleep(request.pause).await;
    }
    Ok(())
}

async fn more(stream: &mut TcpStream, read: &mut Vec<u8>) -> Option<()> {
    read.reserve(16 * 1024);
    matches!(stream.read_buf(read).await, Ok(1..)).then_some(())
}
