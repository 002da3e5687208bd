//! The server's metrics, and the listener that Prometheus scrapes them from.

use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use http::{Method, Request, Response, StatusCode, header};
use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use itinerary_providers::Failure;
use itinerary_store::JobRow;
use prometheus_client::encoding::{EncodeLabelSet, text};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use crate::context::Service;
use crate::tls::Identity;

mod collector;
mod process;

use collector::ServiceCollector;

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

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct CallLabels {
    provider: &'static str,
    outcome: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RunLabels {
    name: &'static str,
    outcome: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct JobLabels {
    name: &'static str,
}

/// What is counted where it happens. The rest is measured at a scrape (`collector.rs`).
pub struct Metrics {
    requests: Family<RequestLabels, Histogram>,
    in_flight: Gauge,
    connections: Gauge,
    connections_refused: Counter,
    connections_closed: Counter,
    calls: ProviderCalls,
    job_runs: Family<RunLabels, Counter>,
    job_items: Family<JobLabels, Counter>,
    watched: Mutex<Option<Arc<Watched>>>,
    certificate: OnceLock<Arc<Identity>>,
}

/// Counts calls of providers.
#[derive(Clone, Default)]
pub struct ProviderCalls(Family<CallLabels, Counter>);

impl ProviderCalls {
    /// Counts a call that ended, with this failure or without.
    pub(crate) fn ended(&self, provider: &'static str, failure: Option<&Failure>) {
        let outcome = failure.map_or("ok", Failure::kind);
        self.0.get_or_create(&CallLabels { provider, outcome }).inc();
    }
}

/// What was last read from the database.
pub(crate) struct Watched {
    jobs: Vec<JobRow>,
    paused: bool,
}

/// Counts something until it is dropped.
pub(crate) struct Present(Gauge);

impl Present {
    fn in_gauge(gauge: &Gauge) -> Self {
        gauge.inc();
        Self(gauge.clone())
    }
}

impl Drop for Present {
    fn drop(&mut self) {
        self.0.dec();
    }
}

impl Default for Metrics {
    fn default() -> Self {
        Self {
            requests: Family::new_with_constructor((|| Histogram::new(BUCKETS)) as fn() -> _),
            in_flight: Gauge::default(),
            connections: Gauge::default(),
            connections_refused: Counter::default(),
            connections_closed: Counter::default(),
            calls: ProviderCalls::default(),
            job_runs: Family::default(),
            job_items: Family::default(),
            watched: Mutex::default(),
            certificate: OnceLock::new(),
        }
    }
}

impl Metrics {
    /// Counts a request. If no operation has its path, the operation is `none`.
    pub(crate) fn request(&self, operation: &'static str, status: u16, took: Duration) {
        self.requests.get_or_create(&RequestLabels { operation, status }).observe(took.as_secs_f64());
    }

    /// Counts a request as in flight until the result is dropped.
    pub(crate) fn request_begins(&self) -> Present {
        Present::in_gauge(&self.in_flight)
    }

    /// Counts a connection as open until the result is dropped.
    pub(crate) fn connection_opens(&self) -> Present {
        Present::in_gauge(&self.connections)
    }

    /// Counts a new connection that was closed because its address holds its share.
    pub(crate) fn connection_refused(&self) {
        self.connections_refused.inc();
    }

    /// Counts a connection that was closed so that another one could open.
    pub(crate) fn connection_gave_way(&self) {
        self.connections_closed.inc();
    }

    pub(crate) fn provider_calls(&self) -> &ProviderCalls {
        &self.calls
    }

    /// Counts a job's run on this server, with its number of items if it succeeded.
    pub(crate) fn job(&self, name: &'static str, items: Option<u64>) {
        let outcome = if items.is_some() { "succeeded" } else { "failed" };
        self.job_runs.get_or_create(&RunLabels { name, outcome }).inc();
        self.job_items.get_or_create(&JobLabels { name }).inc_by(items.unwrap_or(0));
    }

    /// Keeps what was read from the database until the next time.
    pub(crate) fn watched(&self, jobs: Vec<JobRow>, paused: bool) {
        *self.watched.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(Watched { jobs, paused }));
    }

    /// Shows until when the certificate is valid.
    pub(crate) fn watch_certificate(&self, identity: &Arc<Identity>) {
        // The server has one.
        let _ = self.certificate.set(Arc::clone(identity));
    }

    fn last_watched(&self) -> Option<Arc<Watched>> {
        self.watched.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn registry(service: &Arc<Service>) -> Registry {
        let (mut registry, this) = (Registry::default(), &service.metrics);
        registry.register("http_request_duration_seconds", "Time to answer a request", this.requests.clone());
        registry.register("http_requests_in_flight", "Requests that are being answered", this.in_flight.clone());
        registry.register("http_connections", "Open connections", this.connections.clone());
        let help = "New connections that were closed because their address holds its share";
        registry.register("http_connections_refused", help, this.connections_refused.clone());
        let help = "Idle or unfinished connections that were closed so that others could open";
        registry.register("http_connections_gave_way", help, this.connections_closed.clone());
        registry.register("provider_calls", "Calls of providers, by outcome", this.calls.0.clone());
        registry.register("job_runs", "Runs of jobs on this server", this.job_runs.clone());
        let help = "Rows, files or steps that jobs have dealt with on this server";
        registry.register("job_items", help, this.job_items.clone());
        registry.register_collector(Box::new(ServiceCollector(Arc::clone(service))));
        registry
    }
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
    let registry = Arc::new(Metrics::registry(&service));
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
