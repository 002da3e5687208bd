//! A durable cache in front of a geocoder. It stores results, including empty ones, but no failures.
//!
//! The server implements the storage and supplies the time. If the storage fails or hangs, a call is delayed by a
//! fraction of a second.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use tokio::time::{Instant, timeout_at};

use crate::{Failure, Found, Geocoder, Question};

const DAY: Duration = Duration::from_hours(24);
/// The lifetime of a result with candidates.
const MAX_AGE: Duration = DAY.saturating_mul(60);
/// The lifetime of an empty result: the place may be added.
const MAX_AGE_OF_EMPTY: Duration = DAY;
/// How long a call may wait for the storage.
const STORAGE_TIMEOUT: Duration = Duration::from_millis(250);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CachedValue {
    /// The stored JSON.
    pub json: String,
    /// The time since it was stored.
    pub age: Duration,
}

/// Storage of results by key. It logs its own errors; callers treat them as a missing entry.
#[async_trait]
pub trait Cache: Send + Sync {
    async fn get(&self, key: &str) -> Option<CachedValue>;

    /// Stores JSON text under a key, replacing an existing entry. Entries older than 60 days may be deleted.
    async fn put(&self, key: &str, json: &str);
}

#[async_trait]
impl<C: Cache + ?Sized> Cache for Arc<C> {
    async fn get(&self, key: &str) -> Option<CachedValue> {
        (**self).get(key).await
    }

    async fn put(&self, key: &str, json: &str) {
        (**self).put(key, json).await;
    }
}

/// A geocoder whose results are cached: for 60 days, or for one day if empty.
#[derive(Clone, Debug)]
pub struct Cached<G, C> {
    geocoder: G,
    cache: C,
}

impl<G: Geocoder, C: Cache> Cached<G, C> {
    /// Puts a cache in front of a geocoder.
    pub fn new(geocoder: G, cache: C) -> Self {
        Self { geocoder, cache }
    }

    async fn recall(&self, key: &str, deadline: Instant) -> Option<Vec<Found>> {
        let entry = bounded(self.cache.get(key), deadline).await??;
        let found: Vec<Found> = serde_json::from_str(&entry.json).ok()?;
        let max_age = if found.is_empty() { MAX_AGE_OF_EMPTY } else { MAX_AGE };
        (entry.age < max_age).then_some(found)
    }

    async fn remember(&self, key: &str, found: &[Found], deadline: Instant) {
        if let Ok(json) = serde_json::to_string(found) {
            bounded(self.cache.put(key, &json), deadline).await;
        }
    }
}

#[async_trait]
impl<G: Geocoder, C: Cache> Geocoder for Cached<G, C> {
    async fn search(&self, question: &Question<'_>, deadline: Instant) -> Result<Vec<Found>, Failure> {
        let key = key(self.geocoder.name(), question);
        if let Some(found) = self.recall(&key, deadline).await {
            return Ok(found);
        }
        let found = self.geocoder.search(question, deadline).await?;
        self.remember(&key, &found, deadline).await;
        Ok(found)
    }

    fn name(&self) -> &str {
        self.geocoder.name()
    }
}

async fn bounded<T>(future: impl Future<Output = T>, deadline: Instant) -> Option<T> {
    timeout_at(deadline.min(Instant::now() + STORAGE_TIMEOUT), future).await.ok()
}

/// Such as `nominatim/en/PT/38.7/-9.1/60/torre de belém`. The name comes last, so that keys are unique.
fn key(provider: &str, question: &Question<'_>) -> String {
    let Question { name, near, radius_km, country, language } = question;
    let name = name.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ");
    let country = country.unwrap_or_default().to_ascii_uppercase();
    // Avoids negative zero, which is the same place.
    let tenth = |degrees: f64| (degrees * 10.0).round() / 10.0 + 0.0;
    let (latitude, longitude) = (tenth(near.latitude), tenth(near.longitude));
    format!("{provider}/{language}/{country}/{latitude:.1}/{longitude:.1}/{radius_km:.0}/{name}")
}
