//! Deliveries to webhooks: which addresses are called, and what is read of a response.

use std::io::ErrorKind;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use itinerary_providers::{Failure, HttpWebhookSender, Reach, WebhookResponse, WebhookSender};
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::HeaderMap;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use url::Url;

use crate::stub::{ToLoopback, USER_AGENT, later, soon};

async fn post(sender: &HttpWebhookSender, url: &str) -> Result<WebhookResponse, Failure> {
    let url = Url::parse(url).expect("a URL");
    sender.post(&url, HeaderMap::new(), "{}".into(), later()).await
}

fn sender(reach: Reach, resolver: impl Resolve + 'static) -> HttpWebhookSender {
    HttpWebhookSender::with_resolver(USER_AGENT, reach, Arc::new(resolver)).expect("a sender")
}

#[tokio::test]
async fn only_public_addresses_are_called() {
    let victim = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
    victim.set_nonblocking(true).expect("a setting");
    let port = victim.local_addr().expect("an address").port();
    let sender = sender(Reach::Public, ToLoopback);
    let literal =
        ["127.0.0.1", "2130706433", "0x7f.1", "0.0.0.0", "[::1]", "[::ffff:127.0.0.1]", "[64:ff9b::127.0.0.1]"];
    for host in literal {
        let url = format!("https://{host}:{port}/hook");
        assert!(sender.check(&Url::parse(&url).expect("a URL")).is_err(), "{host}");
        let result = post(&sender, &url).await;
        assert!(matches!(result, Err(Failure::Refused(_))), "{host}: {result:?}");
    }
    // A name says nothing until it is resolved.
    for host in ["localhost", "hooks.example"] {
        let url = format!("https://{host}:{port}/hook");
        assert_eq!(sender.check(&Url::parse(&url).expect("a URL")), Ok(()));
        let result = post(&sender, &url).await;
        assert_eq!(result, Err(Failure::Refused(format!("{host} is not a public host"))));
    }
    assert_eq!(victim.accept().map(drop).map_err(|error| error.kind()), Err(ErrorKind::WouldBlock));
}

/// Resolves every name to 127.0.0.1, and counts how often.
#[derive(Clone, Default)]
struct Counting(Arc<AtomicUsize>);

impl Resolve for Counting {
    fn resolve(&self, _: Name) -> Resolving {
        self.0.fetch_add(1, Ordering::Relaxed);
        Box::pin(async { Ok(Box::new(std::iter::once(SocketAddr::from(([127, 0, 0, 1], 0)))) as Addrs) })
    }
}

/// Responds to every request with this text, on connections that stay open.
async fn respond(response: String) -> u16 {
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.expect("a port");
    let port = listener.local_addr().expect("an address").port();
    tokio::spawn(async move {
        while let Ok((mut connection, _)) = listener.accept().await {
            let response = response.clone();
            tokio::spawn(async move {
                let mut asked = Vec::new();
                while !asked.ends_with(b"{}") {
                    asked.push(connection.read_u8().await.expect("a request"));
                }
                let _ = connection.write_all(response.as_bytes()).await;
                let _ = connection.read_u8().await;
            });
        }
    });
    port
}

// A name that has led to a public address may lead elsewhere the next time.
#[tokio::test]
async fn a_name_is_resolved_with_each_attempt() {
    let (resolver, port) = (Counting::default(), respond("HTTP/1.1 204 No Content\r\n\r\n".to_owned()).await);
    let sender = sender(Reach::Any, resolver.clone());
    for attempts in 1..=3 {
        let response = post(&sender, &format!("http://hooks.example:{port}/")).await.expect("a response");
        assert_eq!(response, WebhookResponse { status: 204, retry_after: None, body: Vec::new() });
        assert_eq!(resolver.0.load(Ordering::Relaxed), attempts);
    }
}

#[tokio::test]
async fn the_status_counts_and_the_start_of_the_body_is_read() {
    let sender = sender(Reach::Any, ToLoopback);
    let head = "HTTP/1.1 429 Slow\r\nRetry-After: 60\r\nContent-Length: 5000000";
    let port = respond(format!("{head}\r\n\r\n{}", "x".repeat(2_000))).await;
    let response = post(&sender, &format!("http://127.0.0.1:{port}/")).await.expect("a response");
    let expected = WebhookResponse { status: 429, retry_after: Some("60".to_owned()), body: vec![b'x'; 1_024] };
    assert_eq!(response, expected);
    // Redirects are not followed.
    let port =
        respond("HTTP/1.1 307 There\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n".to_owned()).await;
    let response = post(&sender, &format!("http://127.0.0.1:{port}/")).await.expect("a response");
    assert_eq!(response.status, 307);
    // A body that does not arrive in time changes nothing.
    let port = respond("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf".to_owned()).await;
    let url = Url::parse(&format!("http://127.0.0.1:{port}/")).expect("a URL");
    let response = sender.post(&url, HeaderMap::new(), "{}".into(), soon()).await.expect("a response");
    assert_eq!((response.status, &response.body[..]), (200, &b"half"[..]));
    let silent = respond(String::new()).await;
    let url = Url::parse(&format!("http://127.0.0.1:{silent}/")).expect("a URL");
    assert_eq!(sender.post(&url, HeaderMap::new(), "{}".into(), soon()).await, Err(Failure::TimedOut));
}
