//! A provider on 127.0.0.1 that records requests and responds as a test defines.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;

use futures::stream;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full, StreamBody};
use hyper::body::{Bytes, Frame, Incoming};
use hyper::service::service_fn;
use hyper::{HeaderMap, Request, Response};
use hyper_util::rt::TokioIo;
use itinerary_providers::{Endpoint, Http, Instant, Limiter};
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

pub(crate) const USER_AGENT: &str = "itinerary-test/1.0 (operator@example.com)";

/// A response of the provider.
#[derive(Clone, Debug)]
pub(crate) enum Reply {
    Body(Bytes),
    Status(u16),
    Redirect(String),
    /// Never answers.
    Hang,
    /// Closes the connection without a response.
    Close,
    /// Announces a length and sends next to nothing.
    Announced(u64),
    /// A body without an end and without `Content-Length`, in pieces with pauses.
    Endless {
        piece: usize,
        pause: Duration,
    },
}

impl From<&'static str> for Reply {
    fn from(body: &'static str) -> Self {
        Self::Body(Bytes::from_static(body.as_bytes()))
    }
}

impl From<String> for Reply {
    fn from(body: String) -> Self {
        Self::Body(body.into())
    }
}

/// A request that arrived.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    /// Method, path and query, such as `GET /search?q=x`.
    pub(crate) line: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: String,
}

impl Seen {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }
}

type Script = dyn Fn(&Seen, usize) -> Reply + Send + Sync;

/// The provider. Stops when dropped.
pub(crate) struct Stub {
    pub(crate) address: SocketAddr,
    seen: Arc<Mutex<Vec<Seen>>>,
    task: JoinHandle<()>,
}

impl Stub {
    /// A provider that computes its response from the request and its zero-based index.
    pub(crate) async fn start(script: impl Fn(&Seen, usize) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let seen = Arc::new(Mutex::new(Vec::new()));
        let task = tokio::spawn(accept(listener, Arc::clone(&seen), Arc::new(script)));
        Self { address, seen, task }
    }

    /// A provider that always sends the same response.
    pub(crate) async fn always(reply: impl Into<Reply>) -> Self {
        let reply = reply.into();
        Self::start(move |_, _| reply.clone()).await
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.seen.lock().expect("no panic").clone()
    }

    pub(crate) fn only(&self) -> Seen {
        let mut seen = self.seen();
        assert_eq!(seen.len(), 1, "{seen:?}");
        seen.remove(0)
    }

    /// An unlimited endpoint at this provider.
    pub(crate) fn endpoint(&self) -> Endpoint {
        endpoint(&self.url())
    }
}

impl Drop for Stub {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Shared, because it reads the system's root certificates.
static HTTP: LazyLock<Http> =
    LazyLock::new(|| Http::with_resolver(USER_AGENT, Arc::new(ToLoopback)).expect("a client"));

/// An unlimited endpoint. Every name resolves to 127.0.0.1.
pub(crate) fn endpoint(base_url: &str) -> Endpoint {
    Endpoint::new(HTTP.clone(), base_url, Limiter::new(Duration::ZERO)).expect("an endpoint")
}

/// A deadline that no test should reach.
pub(crate) fn later() -> Instant {
    Instant::now() + Duration::from_secs(20)
}

/// A deadline for tests that must reach it.
pub(crate) fn soon() -> Instant {
    Instant::now() + Duration::from_secs(1)
}

/// Resolves every name to 127.0.0.1, except that `hang.example` is never resolved.
pub(crate) struct ToLoopback;

impl Resolve for ToLoopback {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            if name.as_str() == "hang.example" {
                std::future::pending::<()>().await;
            }
            Ok(Box::new(std::iter::once(SocketAddr::from(([127, 0, 0, 1], 0)))) as Addrs)
        })
    }
}

async fn accept(listener: TcpListener, seen: Arc<Mutex<Vec<Seen>>>, script: Arc<Script>) {
    while let Ok((connection, _)) = listener.accept().await {
        tokio::spawn(serve(connection, Arc::clone(&seen), Arc::clone(&script)));
    }
}

async fn serve(connection: TcpStream, seen: Arc<Mutex<Vec<Seen>>>, script: Arc<Script>) {
    let service = service_fn(|request| {
        let (seen, script) = (Arc::clone(&seen), Arc::clone(&script));
        async move {
            let request = record(request).await;
            let index = {
                let mut seen = seen.lock().expect("no panic");
                seen.push(request.clone());
                seen.len() - 1
            };
            answer(script(&request, index)).await
        }
    });
    // Clients that hang up are part of the tests.
    let _ = hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(connection), service).await;
}

async fn record(request: Request<Incoming>) -> Seen {
    let (head, body) = request.into_parts();
    let body = body.collect().await.expect("a body").to_bytes();
    Seen {
        line: format!("{} {}", head.method, head.uri),
        headers: head.headers,
        body: String::from_utf8(body.to_vec()).expect("text"),
    }
}

type Body = UnsyncBoxBody<Bytes, Infallible>;

async fn answer(reply: Reply) -> Result<Response<Body>, std::io::Error> {
    let response = Response::builder().header("content-type", "application/json");
    let response = match reply {
        Reply::Body(body) => response.body(Full::new(body).boxed_unsync()),
        Reply::Status(status) => response.status(status).body(Full::new(Bytes::from_static(b"{}")).boxed_unsync()),
        Reply::Redirect(location) => {
            response.status(302).header("location", location).body(Full::new(Bytes::new()).boxed_unsync())
        }
        Reply::Hang => std::future::pending().await,
        Reply::Close => return Err(std::io::Error::other("closed by the test")),
        Reply::Announced(length) => response.header("content-length", length).body(endless(1, Duration::from_secs(1))),
        Reply::Endless { piece, pause } => response.body(endless(piece, pause)),
    };
    Ok(response.expect("a response"))
}

fn endless(piece: usize, pause: Duration) -> Body {
    let pieces = stream::unfold((), move |()| async move {
        tokio::time::sleep(pause).await;
        Some((Ok::<_, Infallible>(Frame::data(Bytes::from(vec![b' '; piece]))), ()))
    });
    StreamBody::new(pieces).boxed_unsync()
}
