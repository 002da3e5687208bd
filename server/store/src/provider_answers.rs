//! A cache of providers' responses.

use chrono::{DateTime, Utc};

use crate::entity::provider_answers::{Column, Entity};
use crate::query::query;
use crate::query::statement::statements;
use crate::{Result, Store};

statements! {
    const FIND = Entity::find()
        .select_only()
        .columns([Column::Answer, Column::FetchedAt])
        .filter(Column::Key.eq(p(1)));

    const PUT = insert([Column::Key, Column::Answer, Column::FetchedAt])
        .or_update([Column::Key], [Column::Answer, Column::FetchedAt]);

    const PURGE = delete_batch(Entity::find().filter(Column::FetchedAt.lt(p(1))));
}

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
        self.delete_in_batches(query!(PURGE, before)).await
    }
}
