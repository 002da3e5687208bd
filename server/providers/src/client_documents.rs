//! The port for metadata documents of OAuth clients, and its adapter. The URL comes from the client.
//!
//! Fetches bytes with the guards of the HTTP client: public addresses only, no redirects, bounded time and size. Makes
//! one attempt. Does not parse or cache the document.

use async_trait::async_trait;
use bytes::Bytes;
use reqwest::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderMap};
use tokio::time::Instant;
use url::Url;

use crate::http::{ProviderResponse, Request};
use crate::{Failure, Http};

pub const MAX_CLIENT_DOCUMENT_BYTES: usize = 5 * 1024;

/// A document as it was served; not checked to be JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientDocument {
    pub json: Bytes,
    /// The `Cache-Control` directives that it came with, separated by commas.
    pub cache_control: String,
}

/// Fetches metadata documents of OAuth clients.
#[async_trait]
pub trait ClientDocuments: Send + Sync {
    /// Returns the document at a URL, which must be `https` and lead to a public address.
    async fn fetch(&self, url: &str, deadline: Instant) -> Result<ClientDocument, Failure>;
}

/// Fetches documents over HTTPS.
#[derive(Clone)]
pub struct HttpsClientDocuments {
    http: Http,
}

impl HttpsClientDocuments {
    /// An adapter that calls through this client.
    pub fn new(http: Http) -> Self {
        Self { http }
    }
}

#[async_trait]
impl ClientDocuments for HttpsClientDocuments {
    async fn fetch(&self, url: &str, deadline: Instant) -> Result<ClientDocument, Failure> {
        let url = Url::parse(url).ok().filter(|url| url.scheme() == "https");
        let url = url.ok_or_else(|| Failure::Refused("the URL is not an https URL".into()))?;
        document(self.http.fetch_response(&request(url), None, deadline).await?)
    }
}

fn request(url: Url) -> Request {
    Request { max_bytes: MAX_CLIENT_DOCUMENT_BYTES, ..Request::get(url) }
}

fn document(response: ProviderResponse) -> Result<ClientDocument, Failure> {
    if response.status != 200 {
        return Err(Failure::Status(response.status));
    }
    // The type is required so that an arbitrary file uploaded to a host cannot act as metadata.
    if !is_json(&response.headers) {
        return Err(Failure::malformed("the content type is not application/json"));
    }
    let directives = response.headers.get_all(CACHE_CONTROL).iter().filter_map(|value| value.to_str().ok());
    let cache_control = directives.collect::<Vec<_>>().join(",");
    Ok(ClientDocument { json: response.body, cache_control })
}

/// Whether the content type is `application/json` or `application/…+json`.
fn is_json(headers: &HeaderMap) -> bool {
    let value = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let essence = value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let subtype = essence.strip_prefix("application/");
    subtype.is_some_and(|subtype| subtype == "json" || subtype.ends_with("+json"))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    use super::*;

    const OK: &str = "200 OK\r\nContent-Type: application/json";

    /// Fetches from a server on 127.0.0.1 that answers with this head and body; returns the result and the request that
    /// arrived. The server announces no length and never closes the connection. The guard allows this one address.
    async fn fetched(head: &str, body: &[u8]) -> (Result<ClientDocument, Failure>, String) {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a port");
        let url = format!("http://{}/client.json", listener.local_addr().expect("an address"));
        let response = [b"HTTP/1.1 ", head.as_bytes(), b"\r\n\r\n", body].concat();
        let server = tokio::spawn(async move {
            let (mut connection, _) = listener.accept().await.expect("a connection");
            let mut asked = Vec::new();
            while !asked.ends_with(b"\r\n\r\n") {
                asked.push(connection.read_u8().await.expect("a request"));
            }
            // The client stops reading at the limit.
            let _ = connection.write_all(&response).await;
            (connection, String::from_utf8(asked).expect("text"))
        });
        let url = Url::parse(&url).expect("a URL");
        let http = Http::new("itinerary-test/1.0").expect("a client");
        let deadline = Instant::now() + Duration::from_secs(1);
        let response = http.fetch_response(&request(url.clone()), Some(&url), deadline).await;
        let (_connection, asked) = server.await.expect("no panic");
        (response.and_then(document), asked)
    }

    /// A response with a length, which ends when that has arrived.
    async fn served(head: &str, body: &[u8]) -> Result<ClientDocument, Failure> {
        fetched(&format!("{head}\r\nContent-Length: {}", body.len()), body).await.0
    }

    #[tokio::test]
    async fn a_document_comes_with_its_cache_control() {
        let head = format!("{OK}\r\nCache-Control: public\r\nCache-Control: max-age=60\r\nContent-Length: 2");
        let (document, asked) = fetched(&head, b"{}").await;
        let expected =
            ClientDocument { json: Bytes::from_static(b"{}"), cache_control: "public,max-age=60".to_owned() };
        assert_eq!(document, Ok(expected));
        assert!(asked.starts_with("GET /client.json HTTP/1.1\r\n"), "{asked}");
        assert!(asked.contains("accept: application/json\r\n"), "{asked}");
    }

    #[tokio::test]
    async fn only_200_is_a_document() {
        for status in [201, 203, 204, 206, 301, 302, 307, 404, 500] {
            let head = format!("{status} S\r\nContent-Type: application/json\r\nLocation: /other.json");
            assert_eq!(served(&head, b"").await, Err(Failure::Status(status)), "{status}");
        }
    }

    #[tokio::test]
    async fn a_document_has_at_most_5_kilobytes() {
        let longest = vec![b' '; MAX_CLIENT_DOCUMENT_BYTES];
        assert_eq!(served(OK, &longest).await.map(|document| document.json.len()), Ok(MAX_CLIENT_DOCUMENT_BYTES));
        let longer = vec![b' '; MAX_CLIENT_DOCUMENT_BYTES + 1];
        assert_eq!(served(OK, &longer).await, Err(Failure::TooLarge));
        // Without a length, what has arrived counts.
        assert_eq!(fetched(OK, &longer).await.0, Err(Failure::TooLarge));
        assert_eq!(fetched(&format!("{OK}\r\nContent-Length: 5000000000"), b"").await.0, Err(Failure::TooLarge));
    }

    #[tokio::test]
    async fn a_document_arrives_by_the_deadline() {
        assert_eq!(fetched(OK, b"{").await.0, Err(Failure::TimedOut));
    }

    #[tokio::test]
    async fn only_json_is_a_document() {
        let typed = |kind: &'static str| async move { served(&format!("200 OK\r\nContent-Type: {kind}"), b"{}").await };
        for kind in ["application/json", "Application/JSON; charset=utf-8", "application/client+json"] {
            assert!(typed(kind).await.is_ok(), "{kind}");
        }
        for kind in ["text/plain", "text/html", "application/octet-stream", "image/png", "text/x+json", ""] {
            let result = typed(kind).await;
            assert!(matches!(result, Err(Failure::Malformed(_))), "{kind}: {result:?}");
        }
        assert!(matches!(served("200 OK", b"{}").await, Err(Failure::Malformed(_))));
    }
}
