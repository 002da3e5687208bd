//! The server's metrics, and the listener that Prometheus scrapes them from.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use http::{Method, Request, Response, StatusCode, header};
use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use prometheus_client::encoding::{EncodeLabelSet, text};
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use crate::context::Service;

/// The upper bounds of the buckets of request durations, in seconds.
const BUCKETS: [f64; 10] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.25, 1.0, 2.5, 10.0];
const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
/// Scrapes at the same time; further ones wait.
const SCRAPES: usize = 8;
const SCRAPE_TIME: Duration = Duration::from_secs(10);
/// How long accepting pauses when the system has no descriptor left.
const PAUSE: Duration = Duration::from_millis(100);

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RequestLabels {
    operation: &'static str,
    status: u16,
}

/// The server's metrics.
pub struct Metrics {
    registry: Registry,
    requests: Family<RequestLabels, Histogram>,
}

impl Default for Metrics {
    fn default() -> Self {
        let requests = Family::new_with_constructor((|| Histogram::new(BUCKETS)) as fn() -> _);
        let mut registry = Registry::default();
        registry.register("http_request_duration_seconds", "Time to answer a request", Family::clone(&requests));
        Self { registry, requests }
    }
}

impl Metrics {
    /// Counts a request. If no operation has its path, the operation is `none`.
    pub(crate) fn request(&self, operation: &'static str, status: u16, took: Duration) {
        self.requests.get_or_create(&RequestLabels { operation, status }).observe(took.as_secs_f64());
    }

    fn respond(&self, request: &Request<Incoming>) -> Response<Full<Bytes>> {
        let mut response = Response::new(Full::default());
        let mut body = String::new();
        *response.status_mut() = match (request.uri().path(), request.method()) {
            ("/metrics", &Method::GET | &Method::HEAD) if text::encode(&mut body, &self.registry).is_ok() => {
                StatusCode::OK
            }
            ("/metrics", &Method::GET | &Method::HEAD) => StatusCode::INTERNAL_SERVER_ERROR,
            ("/metrics", _) => StatusCode::METHOD_NOT_ALLOWED,
            _ => StatusCode::NOT_FOUND,
        };
        if response.status() == StatusCode::OK {
            response.headers_mut().insert(header::CONTENT_TYPE, header::HeaderValue::from_static(OPEN_METRICS));
            *response.body_mut() = body.into();
        }
        response
    }
}

/// Serves `/metrics` on a separate address, until the task is dropped.
pub(crate) async fn serve(service: Arc<Service>, address: SocketAddr) -> io::Result<JoinSet<()>> {
    let listener = TcpListener::bind(address).await?;
    let room = Arc::new(Semaphore::new(SCRAPES));
    let mut task = JoinSet::new();
    task.spawn(async move {
        loop {
            let place = Arc::clone(&room).acquire_owned().await;
            let Ok((socket, _)) = listener.accept().await else {
                sleep(PAUSE).await;
                continue;
            };
            let service = Arc::clone(&service);
            tokio::spawn(async move {
                let respond = service_fn(async |request| Ok::<_, io::Error>(service.metrics.respond(&request)));
                let connection =
                    http1::Builder::new().keep_alive(false).serve_connection(TokioIo::new(socket), respond);
                // Not logged: a scraper reports failures and timeouts itself.
                let _ = timeout(SCRAPE_TIME, connection).await;
                drop(place);
            });
        }
    });
    Ok(task)
}
