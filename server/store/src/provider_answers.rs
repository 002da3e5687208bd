//! A cache of providers' responses.

use chrono::{DateTime, Utc};

use crate::query::query;
use crate::store::BATCH;
use crate::{Result, Store};

const FIND: &str = "SELECT answer, fetched_at FROM provider_answers WHERE key = $1";
const PUT: &str = "INSERT INTO provider_answers (key, answer, fetched_at) VALUES ($1, $2, $3) \
     ON CONFLICT (key) DO UPDATE SET answer = excluded.answer, fetched_at = excluded.fetched_at";
const PURGE: &str = "DELETE FROM provider_answers WHERE key IN \
     (SELECT key FROM provider_answers WHERE fetched_at < $1 ORDER BY fetched_at LIMIT $2)";

impl Store {
    /// A cached response, and when it was fetched.
    pub async fn provider_answer(&self, key: &str) -> Result<Option<(String, DateTime<Utc>)>> {
        self.fetch_optional(&query!(FIND, key)).await
    }

    pub async fn provider_answer_put(&self, key: &str, answer: &str, now: DateTime<Utc>) -> Result<()> {
        self.execute(query!(PUT, key, answer, now)).await.map(|_| ())
    }

    /// Deletes responses fetched before an instant; returns how many.
    pub async fn provider_answers_purge(&self, before: DateTime<Utc>) -> Result<u64> {
        self.delete_in_batches(query!(PURGE, before, BATCH)).await
    }
}
