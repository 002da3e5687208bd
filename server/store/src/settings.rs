//! Settings of the whole service that can change at run time: the pause of integrations.
//!
//! Requests read the pause together with the caller (`caller.rs`).

use chrono::{DateTime, Utc};

use crate::query::query;
use crate::{Result, Store, StoreError};

/// This row exists while integrations are paused; its value is `Retry-After`, in seconds.
const PAUSE: &str = "integrations_paused";

const FIND: &str = "SELECT value FROM settings WHERE name = $1";

const SET: &str = "INSERT INTO settings (name, value, updated_at) VALUES ($1, $2, $3) \
     ON CONFLICT (name) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at";

const CLEAR: &str = "DELETE FROM settings WHERE name = $1";

pub(crate) fn pause_seconds(value: &str) -> Result<u32> {
    value.parse().map_err(|_| StoreError::Corrupt(format!("the setting {PAUSE} is {value:?}")))
}

impl Store {
    /// Pauses integrations with this `Retry-After` in seconds, or (`None`) resumes them.
    pub async fn pause_set(&self, seconds: Option<u32>, now: DateTime<Utc>) -> Result<()> {
        let change = match seconds {
            Some(seconds) => query!(SET, PAUSE, seconds.to_string(), now),
            None => query!(CLEAR, PAUSE),
        };
        self.execute(change).await.map(|_| ())
    }

    /// The `Retry-After` in seconds, while integrations are paused.
    pub async fn pause(&self) -> Result<Option<u32>> {
        let value: Option<String> = self.fetch_optional(&query!(FIND, PAUSE)).await?;
        value.as_deref().map(pause_seconds).transpose()
    }
}
