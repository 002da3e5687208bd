//! A cache in memory, bounded in bytes and in time.
//!
//! When it is full, the entries that were not used for the longest time are removed first. Old entries are not returned; the
//! memory of those that nobody asks for is freed by [`MemoryCache::remove_expired`], which the server calls every minute.

use std::hash::Hash;
use std::sync::{Mutex, MutexGuard, PoisonError};

use chrono::{DateTime, TimeDelta, Utc};
use hashlink::LinkedHashMap;

/// A cache that threads share.
pub struct MemoryCache<K, V> {
    entries: Mutex<Entries<K, V>>,
    max_bytes: usize,
    max_age: TimeDelta,
}

struct Entries<K, V> {
    /// The least recently used first.
    by_use: LinkedHashMap<K, Entry<V>>,
    /// The size of all.
    bytes: usize,
}

struct Entry<V> {
    value: V,
    bytes: usize,
    added: DateTime<Utc>,
}

impl<K: Hash + Eq, V: Clone> MemoryCache<K, V> {
    /// An empty cache of at most `max_bytes`, whose entries are valid up to `max_age`.
    pub fn new(max_bytes: usize, max_age: TimeDelta) -> Self {
        let entries = Entries { by_use: LinkedHashMap::new(), bytes: 0 };
        Self { entries: Mutex::new(entries), max_bytes, max_age }
    }

    /// The value of a key, if it is not too old.
    pub fn get(&self, key: &K, now: DateTime<Utc>) -> Option<V> {
        let mut entries = self.lock();
        let entry = entries.by_use.to_back(key)?;
        if self.is_fresh(entry, now) {
            return Some(entry.value.clone());
        }
        entries.remove(key);
        None
    }

    /// Adds a value of a size, or replaces the key's earlier value. One that is larger than the cache is not added.
    pub fn insert(&self, key: K, value: V, bytes: usize, now: DateTime<Utc>) {
        let mut entries = self.lock();
        entries.remove(&key);
        if bytes > self.max_bytes {
            return;
        }
        entries.bytes += bytes;
        entries.by_use.insert(key, Entry { value, bytes, added: now });
        while entries.bytes > self.max_bytes {
            entries.remove_least_recently_used();
        }
    }

    pub fn remove(&self, key: &K) {
        self.lock().remove(key);
    }

    /// Removes the entries that are too old.
    pub fn remove_expired(&self, now: DateTime<Utc>) {
        let Entries { by_use, bytes } = &mut *self.lock();
        by_use.retain(|_, entry| {
            let is_fresh = self.is_fresh(entry, now);
            *bytes -= if is_fresh { 0 } else { entry.bytes };
            is_fresh
        });
    }

    /// A clock may be set back, so an entry may be from the future.
    fn is_fresh(&self, entry: &Entry<V>, now: DateTime<Utc>) -> bool {
        (now - entry.added).abs() < self.max_age
    }

    fn lock(&self) -> MutexGuard<'_, Entries<K, V>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: Hash + Eq, V> Entries<K, V> {
    fn remove(&mut self, key: &K) {
        let removed = self.by_use.remove(key);
        self.bytes -= removed.map_or(0, |entry| entry.bytes);
    }

    fn remove_least_recently_used(&mut self) {
        let removed = self.by_use.pop_front();
        self.bytes -= removed.map_or(0, |(_, entry)| entry.bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(minute: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(1_800_000_000 + minute * 60, 0).expect("a date in range")
    }

    /// At most 100 bytes, for ten minutes.
    fn cache() -> MemoryCache<u8, &'static str> {
        MemoryCache::new(100, TimeDelta::minutes(10))
    }

    #[test]
    fn a_value_is_found_until_it_is_replaced_removed_or_old() {
        let cache = cache();
        cache.insert(1, "first", 10, at(0));
        assert_eq!((cache.get(&1, at(9)), cache.get(&2, at(0))), (Some("first"), None));
        cache.insert(1, "second", 20, at(9));
        assert_eq!(cache.get(&1, at(18)), Some("second"));
        assert_eq!(cache.get(&1, at(19)), None, "it is ten minutes old");
        cache.insert(1, "third", 30, at(20));
        assert_eq!(cache.get(&1, at(5)), None, "the clock was set back");
        cache.insert(1, "fourth", 30, at(20));
        cache.remove(&1);
        assert_eq!((cache.get(&1, at(20)), cache.lock().bytes), (None, 0));
    }

    #[test]
    fn the_least_recently_used_make_room() {
        let cache = cache();
        for key in 1..=4 {
            cache.insert(key, "quarter", 25, at(0));
        }
        cache.get(&1, at(0)).expect("used again");
        cache.insert(5, "half", 50, at(0));
        let found: Vec<_> = (1..=5).filter(|key| cache.get(key, at(0)).is_some()).collect();
        assert_eq!(found, [1, 4, 5]);
        cache.insert(6, "too large", 101, at(0));
        assert_eq!((cache.get(&6, at(0)), cache.lock().bytes), (None, 100));
        cache.insert(7, "later", 1, at(5));
        cache.remove_expired(at(10));
        assert_eq!((cache.get(&7, at(10)), cache.lock().bytes), (Some("later"), 1));
    }
}
