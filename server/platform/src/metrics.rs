//! What is counted where it happens. `metrics_server.rs` measures the rest, and shows all of it.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use chrono::{DateTime, Utc};
use itinerary_providers::Failure;
use itinerary_store::JobRow;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

use crate::tls::Identity;

/// The upper bounds of the buckets of request durations, in seconds.
const BUCKETS: [f64; 10] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.25, 1.0, 2.5, 10.0];
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

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct AttemptLabels {
    outcome: &'static str,
}

/// Counters and gauges.
pub struct Metrics {
    requests: Family<RequestLabels, Histogram>,
    in_flight: Gauge,
    connections: Gauge,
    connections_refused: Counter,
    connections_closed: Counter,
    calls: ProviderCalls,
    job_runs: Family<RunLabels, Counter>,
    job_items: Family<JobLabels, Counter>,
    webhook_attempts: Family<AttemptLabels, Counter>,
    mail_attempts: Family<AttemptLabels, Counter>,
    watched: Mutex<Option<Arc<Watched>>>,
    oldest_new_change: Mutex<Option<DateTime<Utc>>>,
    certificate: OnceLock<Arc<Identity>>,
}

/// Counts calls of providers.
#[derive(Clone, Default)]
pub struct ProviderCalls(Family<CallLabels, Counter>);

impl ProviderCalls {
    /// Counts a call that ended, with this failure or without.
    pub(crate) fn ended(&self, provider: &'static str, failure: Option<&Failure>) {
        self.ended_with(provider, failure.map_or("ok", Failure::kind));
    }

    /// Counts a call that ended with this outcome.
    pub fn ended_with(&self, provider: &'static str, outcome: &'static str) {
        self.0.get_or_create(&CallLabels { provider, outcome }).inc();
    }
}

/// What was last read from the database.
pub struct Watched {
    pub jobs: Vec<JobRow>,
    pub paused: bool,
    /// When the first attempt of a delivery to a webhook is due.
    pub delivery_due_at: Option<DateTime<Utc>>,
    /// Mails that are not sent yet.
    pub mails_waiting: i64,
}

/// Counts something until it is dropped.
pub struct Present(Gauge);

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

/// A family in which these labels are shown before anything is counted.
fn from_zero<L: Clone + Eq + std::hash::Hash>(labels: &[L]) -> Family<L, Counter> {
    let family = Family::default();
    for labels in labels {
        drop(Family::<L, Counter>::get_or_create(&family, labels));
    }
    family
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
            webhook_attempts: from_zero(&[AttemptLabels { outcome: "ok" }]),
            mail_attempts: from_zero(&["ok", "failed", "rejected"].map(|outcome| AttemptLabels { outcome })),
            watched: Mutex::default(),
            oldest_new_change: Mutex::default(),
            certificate: OnceLock::new(),
        }
    }
}

impl Metrics {
    /// Counts a request. If no operation has its path, the operation is `none`.
    pub fn request(&self, operation: &'static str, status: u16, took: Duration) {
        self.requests.get_or_create(&RequestLabels { operation, status }).observe(took.as_secs_f64());
    }

    /// Counts a request as in flight until the result is dropped.
    pub fn request_begins(&self) -> Present {
        Present::in_gauge(&self.in_flight)
    }

    /// Counts a connection as open until the result is dropped.
    pub fn connection_opens(&self) -> Present {
        Present::in_gauge(&self.connections)
    }

    /// Counts a new connection that was closed because its address holds its share.
    pub fn connection_refused(&self) {
        self.connections_refused.inc();
    }

    /// Counts a connection that was closed so that another one could open.
    pub fn connection_gave_way(&self) {
        self.connections_closed.inc();
    }

    pub fn provider_calls(&self) -> &ProviderCalls {
        &self.calls
    }

    /// Counts a job's run on this server, with its number of items if it succeeded.
    pub fn job(&self, name: &'static str, items: Option<u64>) {
        let outcome = if items.is_some() { "succeeded" } else { "failed" };
        self.job_runs.get_or_create(&RunLabels { name, outcome }).inc();
        self.job_items.get_or_create(&JobLabels { name }).inc_by(items.unwrap_or(0));
    }

    /// Keeps what was read from the database until the next time.
    pub fn watched(&self, watched: Watched) {
        *self.watched.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(watched));
    }

    /// Counts an attempt to deliver an event to a webhook.
    pub fn webhook_attempt(&self, outcome: &'static str) {
        self.webhook_attempts.get_or_create(&AttemptLabels { outcome }).inc();
    }

    /// Counts an attempt to send a mail.
    pub fn mail_attempt(&self, outcome: &'static str) {
        self.mail_attempts.get_or_create(&AttemptLabels { outcome }).inc();
    }

    /// Keeps the time of the oldest change that has no position yet, if there is one.
    pub fn oldest_new_change(&self, at: Option<DateTime<Utc>>) {
        *self.oldest_new_change.lock().unwrap_or_else(PoisonError::into_inner) = at;
    }

    /// The time of the oldest change that had no position when it was last looked for.
    pub fn last_oldest_new_change(&self) -> Option<DateTime<Utc>> {
        *self.oldest_new_change.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The server's certificate, with TLS.
    pub fn certificate(&self) -> Option<&Arc<Identity>> {
        self.certificate.get()
    }

    /// Shows until when the certificate is valid.
    pub fn watch_certificate(&self, identity: &Arc<Identity>) {
        // The server has one.
        let _ = self.certificate.set(Arc::clone(identity));
    }

    pub fn last_watched(&self) -> Option<Arc<Watched>> {
        self.watched.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Registers what is counted here.
    pub fn register(&self, registry: &mut Registry) {
        registry.register("http_request_duration_seconds", "Time to answer a request", self.requests.clone());
        registry.register("http_requests_in_flight", "Requests that are being answered", self.in_flight.clone());
        registry.register("http_connections", "Open connections", self.connections.clone());
        let help = "New connections that were closed because their address holds its share";
        registry.register("http_connections_refused", help, self.connections_refused.clone());
        let help = "Idle or unfinished connections that were closed so that others could open";
        registry.register("http_connections_gave_way", help, self.connections_closed.clone());
        registry.register("provider_calls", "Calls of providers, by outcome", self.calls.0.clone());
        registry.register("job_runs", "Runs of jobs on this server", self.job_runs.clone());
        let help = "Attempts to deliver events to webhooks, by outcome";
        registry.register("webhook_attempts", help, self.webhook_attempts.clone());
        registry.register("mail_attempts", "Attempts to send mails, by outcome", self.mail_attempts.clone());
        let help = "Rows, files or steps that jobs have dealt with on this server";
        registry.register("job_items", help, self.job_items.clone());
    }
}
