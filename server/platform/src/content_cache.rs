//! Parsed contents of itineraries that were changed recently, because changes come in series: parsing takes longer than
//! all else that a change of one entry needs.
//!
//! A content is found by its stored bytes, which a change reads in any case. So it is never an old one, whoever else
//! changes the itinerary.

use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use itinerary_core::content::{Content, Fragments};
use uuid::Uuid;

use crate::memory_cache::MemoryCache;

/// The maximum size of all contents, in bytes: a few hundred itineraries with all kinds of parts.
const MEMORY: usize = 32 * 1024 * 1024;

/// How long a content is kept after the change that made it.
const KEPT: TimeDelta = TimeDelta::minutes(10);

/// The memory that a content takes, for each byte of its JSON: the stored bytes, the same in its entries, and their indexes.
const MEMORY_PER_BYTE: usize = 3;

/// The latest content of each itinerary.
pub struct ContentCache(MemoryCache<Uuid, Arc<StoredContent>>);

/// A content, and the bytes that it is stored as.
struct StoredContent {
    fragments: Fragments,
    content: Content,
}

impl Default for ContentCache {
    fn default() -> Self {
        Self(MemoryCache::new(MEMORY, KEPT))
    }
}

impl ContentCache {
    /// The itinerary's content that these bytes store, parsed if it is not here.
    pub fn parse<T: AsRef<[u8]>>(
        &self,
        id: Uuid,
        stored: &Fragments<T>,
        now: DateTime<Utc>,
    ) -> serde_json::Result<Content> {
        match self.0.get(&id, now).filter(|kept| kept.fragments.is_same_as(stored)) {
            Some(kept) => Ok(kept.content.clone()),
            None => Content::parse(stored),
        }
    }

    /// Keeps the content that a change has stored as these fragments.
    pub fn keep(&self, id: Uuid, fragments: Fragments, content: Content, now: DateTime<Utc>) {
        let bytes = fragments.size() * MEMORY_PER_BYTE;
        self.0.insert(id, Arc::new(StoredContent { fragments, content }), bytes, now);
    }

    /// Forgets a deleted itinerary.
    pub fn forget(&self, id: Uuid) {
        self.0.remove(&id);
    }
}
