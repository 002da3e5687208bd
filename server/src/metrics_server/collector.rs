//! What is measured when Prometheus asks. Nothing here asks the database; the cost does not depend on what is stored.

use std::fmt;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use itinerary_platform::context::Service;
use itinerary_platform::limits::LimiterStats;
use itinerary_store::{DatabaseKind, JobRow, Observed, PoolState};
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::histogram::Histogram;
use serde_json::Value;

use super::process::Process;
use crate::jobs::JOBS;

/// Measures the service.
pub(super) struct ServiceCollector(pub(super) Arc<Service>);

impl fmt::Debug for ServiceCollector {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("ServiceCollector")
    }
}

impl Collector for ServiceCollector {
    fn encode(&self, encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let (mut sheet, service) = (Sheet(encoder), &*self.0);
        let version = env!("CARGO_PKG_VERSION");
        sheet.gauges("itinerary_build_info", "The version, always 1", "version", [(version, 1)])?;
        if let Some(process) = Process::now() {
            sheet.process(process)?;
        }
        sheet.gauge("http_connections_limit", "The setting connections", service.config.connections)?;
        sheet.store(&service.store.observed())?;
        sheet.queues(service)?;
        sheet.rate_limits(&service.limits.stats())?;
        if let Some(identity) = service.metrics.certificate() {
            let (name, help) = ("tls_certificate_expiry_timestamp_seconds", "End of the certificate, in Unix time");
            sheet.gauge(name, help, identity.expires())?;
        }
        sheet.watched(service)
    }
}

/// Writes metrics one by one.
struct Sheet<'a>(DescriptorEncoder<'a>);

impl Sheet<'_> {
    fn gauge(&mut self, name: &str, help: &str, value: impl Number) -> fmt::Result {
        self.0.encode_descriptor(name, help, None, MetricType::Gauge)?.encode_gauge(&value.number())
    }

    /// A gauge with one label.
    fn gauges<'l, N: Number>(
        &mut self,
        name: &str,
        help: &str,
        label: &'static str,
        values: impl IntoIterator<Item = (&'l str, N)>,
    ) -> fmt::Result {
        let mut metric = self.0.encode_descriptor(name, help, None, MetricType::Gauge)?;
        for (of, value) in values {
            metric.encode_family(&[(label, of)])?.encode_gauge(&value.number())?;
        }
        Ok(())
    }

    /// A counter; `_total` is added to its name.
    fn counter(&mut self, name: &str, help: &str, value: impl Number) -> fmt::Result {
        let mut metric = self.0.encode_descriptor(name, help, None, MetricType::Counter)?;
        metric.encode_counter::<[(&str, &str); 0], _, f64>(&value.number(), None)
    }

    fn histogram(&mut self, name: &str, help: &str, histogram: &Histogram) -> fmt::Result {
        histogram.encode(self.0.encode_descriptor(name, help, None, MetricType::Histogram)?)
    }

    fn process(&mut self, process: Process) -> fmt::Result {
        self.counter("process_cpu_seconds", "CPU time, in user and system mode", process.cpu_seconds)?;
        self.gauge("process_start_time_seconds", "Start of the process, in Unix time", process.start_time_seconds)?;
        self.gauge("process_resident_memory_bytes", "Resident memory", process.resident_bytes)?;
        self.gauge("process_virtual_memory_bytes", "Virtual memory", process.virtual_bytes)?;
        self.gauge("process_threads", "Threads", process.threads)?;
        self.gauge("process_open_fds", "Open file descriptors", process.open_descriptors)?;
        process
            .descriptor_limit
            .map_or(Ok(()), |limit| self.gauge("process_max_fds", "The limit of open file descriptors", limit))
    }

    fn store(&mut self, store: &Observed) -> fmt::Result {
        self.counter("database_retries", "Writes that were attempted again after a conflict", store.retries)?;
        if let Some(pool) = &store.connections {
            self.pool("database_connections", "PostgreSQL connections", pool)?;
            self.gauge("database_connections_idle", "PostgreSQL connections that wait for a statement", store.idle)?;
        }
        self.pool("database_long_reads", "Long reads", &store.long_reads)?;
        if let Some(used) = store.replicas {
            self.gauge("database_replica_used", "Read replicas that answer reads that may lag", used)?;
        }
        let Some(writer) = &store.writer else { return Ok(()) };
        self.gauge("sqlite_writer_queue_length", "Transactions that wait for SQLite's writer or commit", writer.queue)?;
        self.histogram("sqlite_writer_wait_seconds", "Time until a transaction begins", &writer.waits)?;
        self.histogram("sqlite_writer_group_size", "Transactions in a commit", &writer.groups)?;
        self.gauge("sqlite_wal_bytes", "Size of SQLite's write-ahead log", writer.wal_bytes)?;
        self.gauge("sqlite_database_bytes", "Size of SQLite's file, without the log", writer.database_bytes)
    }

    fn pool(&mut self, name: &str, what: &str, pool: &PoolState) -> fmt::Result {
        self.gauge(&format!("{name}_in_use"), &format!("{what} in use"), pool.in_use)?;
        self.gauge(&format!("{name}_limit"), "The maximum number in use", pool.limit)?;
        self.gauge(&format!("{name}_waiting"), "Requests that wait for one", pool.waiting)?;
        self.counter(&format!("{name}_timeouts"), "Requests that waited until the time limit", pool.timeouts)?;
        let waits = format!("{name}_wait_seconds");
        self.histogram(&waits, "Time that requests waited for one, of those that had to", &pool.waits)
    }

    fn queues(&mut self, service: &Service) -> fmt::Result {
        let passwords = service.hashing.state();
        self.gauge("password_queue_running", "Passwords that are being hashed", passwords.running)?;
        self.gauge("password_queue_waiting", "Passwords that wait to be hashed", passwords.waiting)?;
        self.gauge("password_queue_limit", "The maximum number that wait or run", passwords.limit)?;
        self.counter("password_queue_rejections", "Requests rejected because too many wait", passwords.rejections)?;
        let long_work = service.long_work.state();
        self.gauge("long_work_running", "Exports, pages and other long work in progress", long_work.running)?;
        self.gauge("long_work_waiting", "Long work that waits for its turn", long_work.waiting)?;
        let about = "Requests rejected because their account or address has used its share of processor time";
        self.counter("cpu_share_rejections", about, service.cpu_time.rejections())?;
        let (held, limit) = service.responses.memory();
        self.gauge("response_memory_bytes", "Memory reserved for large responses", held)?;
        self.gauge("response_memory_limit_bytes", "The setting answers_memory", limit)?;
        self.gauge("change_streams", "Open streams of changes", service.change_streams.number())?;
        if service.store.kind() == DatabaseKind::Postgres {
            let oldest = service.metrics.last_oldest_new_change();
            let age = oldest.map_or(0, |at| (service.clock.now() - at).num_milliseconds().max(0)).number() / 1000.0;
            self.gauge("change_feed_lag_seconds", "Age of the oldest change that readers cannot see yet", age)?;
        }
        self.gauge("noted_reads", "Reads that are not yet counted", service.reads.number())
    }

    fn rate_limits(&mut self, limits: &LimiterStats) -> fmt::Result {
        self.gauge("rate_limit_windows", "Windows in this server's memory", limits.windows)?;
        let Some(shared) = &limits.shared else { return Ok(()) };
        self.gauge("rate_limit_server_up", "1 while Redis can be reached", u32::from(shared.reachable))?;
        self.counter("rate_limit_server_calls", "Calls of Redis", shared.calls)?;
        self.counter("rate_limit_server_failures", "Calls of Redis that failed or took too long", shared.failures)?;
        self.counter("rate_limit_server_skipped", "Requests decided without Redis", shared.without)
    }

    /// What the database said a few seconds ago. Absent until then.
    fn watched(&mut self, service: &Service) -> fmt::Result {
        let watched = service.metrics.last_watched();
        let Some(watched) = watched.as_deref() else { return Ok(()) };
        self.gauge("integrations_paused", "1 while integrations are paused", u32::from(watched.paused))?;
        let help = "How long the delivery to a webhook that is due for the longest time has been waiting";
        let age = watched.delivery_due_at.map_or(0, |at| (service.clock.now() - at).num_milliseconds().max(0)).number()
            / 1000.0;
        self.gauge("webhook_delivery_lag_seconds", help, age)?;
        self.gauge("mails_waiting", "Mails that are not sent yet", watched.mails_waiting)?;
        self.job_runs(&watched.jobs)?;
        self.totals(&watched.jobs)
    }

    fn job_runs(&mut self, rows: &[JobRow]) -> fmt::Result {
        let of = |value: fn(&JobRow) -> Option<f64>| {
            rows.iter().filter_map(move |row| Some((row.name.as_str(), value(row)?)))
        };
        let periods = JOBS.iter().map(|job| (job.name, job.period.as_secs_f64()));
        self.gauges("job_period_seconds", "How often a job runs", "name", periods)?;
        let name = "job_last_start_timestamp_seconds";
        self.gauges(name, "Last start on any server", "name", of(|row| Some(at(row.started_at))))?;
        let name = "job_last_success_timestamp_seconds";
        self.gauges(name, "Last success on any server", "name", of(|row| row.succeeded_at.map(at)))?;
        let (name, help) = ("job_last_duration_seconds", "Duration of the last run that ended");
        self.gauges(name, help, "name", of(|row| row.took_ms.map(|took| took.number() / 1000.0)))?;
        let (name, help) = ("job_last_items", "Rows, files or steps that the last run has dealt with");
        self.gauges(name, help, "name", of(|row| row.items.map(Number::number)))?;
        let (name, help) = ("job_last_failed", "1 if the last run that ended failed");
        self.gauges(name, help, "name", of(|row| row.took_ms.map(|_| f64::from(u8::from(row.failure.is_some())))))
    }

    /// What jobs have counted.
    fn totals(&mut self, rows: &[JobRow]) -> fmt::Result {
        const TOTALS: [(&str, &str, &str, &str); 7] = [
            ("count-totals", "accessTokens", "oauth_access_tokens", "Valid access tokens"),
            ("count-totals", "grants", "oauth_grants", "Grants that are not revoked"),
            ("count-totals", "sessions", "sessions", "Valid sessions of browsers"),
            ("count-totals", "documents", "documents", "Documents"),
            ("count-totals", "documentBytes", "documents_bytes", "Size of all documents"),
            ("delete-images", "images", "images", "Image files"),
            ("delete-images", "imageBytes", "images_bytes", "Size of all image files"),
        ];
        for (job, figure, name, help) in TOTALS {
            let figures = rows.iter().find(|row| row.name == job).and_then(|row| row.figures.as_deref());
            let figures: Option<Value> = figures.and_then(|figures| serde_json::from_str(figures).ok());
            if let Some(number) = figures.and_then(|figures| figures[figure].as_f64()) {
                self.gauge(name, help, number)?;
            }
        }
        Ok(())
    }
}

/// Unix time in seconds.
fn at(time: DateTime<Utc>) -> f64 {
    time.timestamp_millis().number() / 1000.0
}

/// A number of any type, as Prometheus has it.
trait Number: Copy {
    fn number(self) -> f64;
}

macro_rules! numbers {
    ($($type:ty),*) => { $(
        impl Number for $type {
            #[allow(clippy::cast_precision_loss, clippy::cast_lossless, reason = "Prometheus has no other numbers")]
            fn number(self) -> f64 {
                self as f64
            }
        }
    )* };
}
numbers!(f64, i64, u64, usize, u32, i32);
