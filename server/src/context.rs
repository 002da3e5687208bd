//! What every handler is given: the store, the clock, randomness, the limits, the configuration.

use std::sync::Arc;

use bytes::Bytes;
use itinerary_core::clock::{Clock, Random};
use itinerary_store::Store;

use crate::answers::Answers;
use crate::config::Config;
use crate::http::Compressed;
use crate::limits::Limiter;
use crate::metrics::Metrics;
use crate::passwords::Queue;
use crate::pictures::Pictures;
use crate::ports::Ports;
use crate::transfers::Transfers;
use crate::views::Views;

/// The service: everything that a request may need.
pub struct Service {
    /// Where everything is kept.
    pub store: Store,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Randomness fit for secrets.
    pub random: Arc<dyn Random>,
    /// The request counters.
    pub limits: Limiter,
    /// What is measured.
    pub metrics: Metrics,
    /// Who read what, until it is counted.
    pub views: Views,
    /// Seals cursors and consent requests, authenticates forms.
    pub key: itinerary_core::seal::Key,
    /// Who hashes passwords, and who waits to.
    pub hashing: Queue,
    /// Who decodes and draws images, and who waits to.
    pub pictures: Pictures,
    /// Held while a cover is drawn, so that uploads wait for one drawing at most.
    pub drawing: tokio::sync::Mutex<()>,
    /// Uploads of documents in progress.
    pub uploads: Transfers,
    /// The answers that are under way.
    pub answers: Answers,
    /// Downloads of accounts' data in progress.
    pub exports: Transfers,
    /// Told when an account was deleted, so that erasing it begins at once.
    pub erasing: tokio::sync::Notify,
    /// Turns to fetch metadata documents of clients: looking up a name may take a thread for long.
    pub document_fetches: tokio::sync::Semaphore,
    /// Providers and files.
    pub ports: Ports,
    /// How the server is set up.
    pub config: Config,
    /// The published OpenAPI document, with this server's address in it.
    pub document: Bytes,
    /// The same, compressed once somebody has asked for that.
    pub document_gzip: Compressed,
}
