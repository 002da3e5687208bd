//! Parsed contents of itineraries that were changed recently, because changes come in series.
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

/// How long a content is kept after the change that made it. This also bounds how long that of a deleted itinerary is.
const KEPT: TimeDelta = TimeDelta::minutes(10);

/// The memory of an entry or a stop besides its JSON, in bytes: its place in the list, and its index.
const MEMORY_OF_INDEX: usize = 256;

/// The latest content of each itinerary that was changed recently.
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
    pub fn get_or_parse<T: AsRef<[u8]>>(
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

    /// Adds the content that a change has stored as these fragments.
    pub fn insert(&self, id: Uuid, fragments: Fragments, content: Content, now: DateTime<Utc>) {
        // The JSON is there twice: in the fragments and in the entries.
        let bytes = 2 * fragments.size() + MEMORY_OF_INDEX * content.indexes();
        self.0.insert(id, Arc::new(StoredContent { fragments, content }), bytes, now);
    }

    /// Removes the contents that are too old.
    pub fn remove_expired(&self, now: DateTime<Utc>) {
        self.0.remove_expired(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fragments(title: &str) -> Fragments {
        let destination = r#"{"name":"Lisbon","coordinate":{"latitude":38.7,"longitude":-9.1}}"#;
        Fragments {
            everyone: format!(
                r#"{{"title":"{title}","destination":{destination},"startDate":"2027-05-01","travellers":1,"tags":[]}}"#
            ),
            members: "{}".to_owned(),
            pro: "{}".to_owned(),
            documents: "{}".to_owned(),
        }
    }

    #[test]
    fn a_content_is_used_for_the_same_bytes_only() {
        let (cache, id, now) = (ContentCache::default(), Uuid::nil(), DateTime::UNIX_EPOCH);
        let [one, other] = ["One", "Other"].map(fragments);
        let title = |stored| cache.get_or_parse(id, stored, now).expect("a content").everyone.title.to_string();
        // A content that is not of these bytes shows whether it was used.
        cache.insert(id, one.clone(), Content::parse(&fragments("Kept")).expect("a content"), now);
        assert_eq!((title(&one), title(&other)), ("Kept".to_owned(), "Other".to_owned()));
        assert_eq!(cache.get_or_parse(Uuid::max(), &one, now).expect("a content").everyone.title.to_string(), "One");
        cache.remove_expired(now + KEPT);
        assert_eq!(title(&one), "One");
    }
}
