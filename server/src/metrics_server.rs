//! The listener from which Prometheus scrapes the metrics.

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
use itinerary_platform::context::Service;
use prometheus_client::encoding::text;
use prometheus_client::registry::Registry;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

mod collector;
mod process;

use collector::ServiceCollector;

const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
/// Scrapes at the same time; further ones wait.
const SCRAPES: usize = 8;
const SCRAPE_TIME: Duration = Duration::from_secs(10);
/// How long accepting pauses when the system has no descriptor left.
const PAUSE: Duration = Duration::from_millis(100);

fn registry(service: &Arc<Service>) -> Registry {
    let mut registry = Registry::default();
    service.metrics.register(&mut registry);
    registry.register_collector(Box::new(ServiceCollector(Arc::clone(service))));
    registry
}

fn respond(registry: &Registry, request: &Request<Incoming>) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::default());
    let mut body = String::new();
    *response.status_mut() = match (request.uri().path(), request.method()) {
        ("/metrics", &Method::GET | &Method::HEAD) if text::encode(&mut body, registry).is_ok() => StatusCode::OK,
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

/// Serves `/metrics` on a separate address, until the task is dropped.
pub(crate) async fn serve(service: Arc<Service>, address: SocketAddr) -> io::Result<JoinSet<()>> {
    let listener = TcpListener::bind(address).await?;
    let room = Arc::new(Semaphore::new(SCRAPES));
    let registry = Arc::new(registry(&service));
    let mut task = JoinSet::new();
    task.spawn(async move {
        loop {
            let place = Arc::clone(&room).acquire_owned().await;
            let Ok((socket, _)) = listener.accept().await else {
                sleep(PAUSE).await;
                continue;
            };
            let registry = Arc::clone(&registry);
            tokio::spawn(async move {
                let respond = service_fn(async |request| Ok::<_, io::Error>(respond(&registry, &request)));
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
