//! Responses to clients that speak another protocol than the server, or HTTP without a host.

use std::time::Duration;

use http::{Request, Version, header};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// The beginning of HTTP/2's connection preface, enough to recognise it.
pub(super) const PREFACE: &[u8] = b"PRI * HTTP/2.0";
/// The first byte of a TLS connection.
pub(super) const TLS_HANDSHAKE: u8 = 22;

/// The response to HTTP/2 without TLS.
pub(super) const NOT_SUPPORTED: &[u8] =
    b"HTTP/1.1 505 HTTP Version Not Supported\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
/// The response to HTTP without TLS, with TLS on.
pub(super) const TLS_REQUIRED: &[u8] = b"HTTP/1.1 400 Bad Request\r\ncontent-type: text/plain; charset=utf-8\r\n\
    content-length: 38\r\nconnection: close\r\n\r\nThis address needs TLS: use https://.\n";

/// Whether the `Host` headers of a request are those that its version demands (RFC 9112 §3.2): one in HTTP/1.1, at most one in
/// HTTP/1.0.
pub(super) fn has_host<B>(request: &Request<B>) -> bool {
    match request.headers().get_all(header::HOST).iter().count() {
        0 => request.version() < Version::HTTP_11,
        number => number == 1,
    }
}

/// How many bytes of a rejected client are drained, so that it can read its response.
const LEFTOVER: u64 = 64 * 1024;
const LEFTOVER_TIME: Duration = Duration::from_secs(1);

/// Sends a response and closes the connection.
pub(super) async fn refuse(stream: &mut TcpStream, response: &[u8]) {
    let refusing = async {
        stream.write_all(response).await?;
        stream.shutdown().await?;
        tokio::io::copy(&mut stream.take(LEFTOVER), &mut tokio::io::sink()).await
    };
    let _ = timeout(LEFTOVER_TIME, refusing).await;
}
