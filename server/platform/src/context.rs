//! The state shared by all requests, jobs and commands: store, clock, randomness, limits, configuration.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use chrono::{DateTime, Utc};
use itinerary_api::policy::Policy;
use itinerary_core::clock::{Clock, Random};
use itinerary_store::{Store, StoreError};

use crate::account_limit::AccountLimit;
use crate::addresses::Addresses;
use crate::change_streams::ChangeStreams;
use crate::content_cache::ContentCache;
use crate::cpu_time::CpuTime;
use crate::fair_pool::FairPool;
use crate::kept_calendars::KeptCalendars;
use crate::library_clock::LibraryClock;
use crate::limits::Limiter;
use crate::long_work::LongWork;
use crate::metrics::Metrics;
use crate::passwords::Queue;
use crate::pictures::Pictures;
use crate::ports::Ports;
use crate::reads::Reads;
use crate::response_budget::ResponseBudget;
use crate::settings::Config;
use crate::turns::Turns;

/// The state of a server.
pub struct Service {
    /// The policy row of each operation. Tests replace them.
    pub policies: &'static [Policy],
    pub store: Store,
    pub clock: Arc<dyn Clock>,
    /// The time for changes and arrivals in libraries: see [`Service::library_now`].
    pub library_clock: LibraryClock,
    /// Cryptographically secure randomness.
    pub random: Arc<dyn Random>,
    /// The addresses of pictures.
    pub addresses: Addresses,
    /// The rate limit counters.
    pub limits: Limiter,
    pub metrics: Metrics,
    /// Reads that have not been counted yet.
    pub reads: Reads,
    /// Seals cursors and consent requests, and authenticates forms.
    pub key: itinerary_core::seal::Key,
    /// The queue for password hashing.
    pub hashing: Queue,
    /// The processor time that each account and address has taken in its current minute.
    pub cpu_time: Arc<CpuTime>,
    /// The pool for work that occupies a processor for more than about a millisecond.
    pub long_work: LongWork,
    /// The turns of merges into an itinerary.
    pub merges: Turns,
    /// Parsed contents of itineraries that were changed recently.
    pub contents: ContentCache,
    /// Calendars that have been written.
    pub calendars: KeptCalendars,
    /// The turns for decoding and drawing images.
    pub pictures: Pictures,
    /// The turns of imports, one for each account.
    pub imports: FairPool,
    /// Document uploads in progress.
    pub uploads: AccountLimit,
    /// Responses in progress.
    pub responses: ResponseBudget,
    /// Open streams of changes.
    pub change_streams: Arc<ChangeStreams>,
    /// Attempts to deliver events to webhooks that may be in progress.
    pub webhook_attempts: Arc<tokio::sync::Semaphore>,
    /// Downloads of accounts' data in progress.
    pub exports: AccountLimit,
    /// Notified when an account is deleted, so that erasing starts at once.
    pub erasing: tokio::sync::Notify,
    /// Limits concurrent fetches of client metadata documents, because a DNS lookup may block a thread for long.
    pub document_fetches: tokio::sync::Semaphore,
    /// Notified when a mail is queued or a slot for sending is free, so that sending starts at once.
    pub mail_due: tokio::sync::Notify,
    /// Providers and file store.
    pub ports: Ports,
    /// Set when the server is asked to stop: `/readyz` then answers 503.
    pub stopping: AtomicBool,
    pub config: Config,
}

impl Service {
    /// The time for a change of an itinerary, or for its arrival in somebody's library.
    pub async fn library_now(&self) -> Result<DateTime<Utc>, StoreError> {
        self.library_clock.now(self.clock.now(), &self.store).await
    }
}
