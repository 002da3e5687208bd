//! Settings of the whole service: the pause of integrations, its first address, and the servers' key if the database has
//! it.
//!
//! Requests read the pause together with the caller (`caller.rs`).

use std::fmt::Write as _;

use chrono::{DateTime, Utc};

use crate::entity::settings::{Column, Entity};
use crate::query::query;
use crate::query::statement::statements;
use crate::{Result, Store, StoreError};

/// This row exists while integrations are paused; its value is `Retry-After`, in seconds.
const PAUSE: &str = "integrations_paused";

/// The key, in hexadecimal.
const KEY: &str = "server_key";

/// The fingerprint of the key in a file with which this database was last served.
const KEY_FINGERPRINT: &str = "server_key_fingerprint";

/// The first address under which this database was served.
const FIRST_BASE_URL: &str = "first_base_url";

statements! {
    const ADD = insert([Column::Name, Column::Value, Column::UpdatedAt]).or_nothing([Column::Name]);

    pub(crate) const FIND = Entity::find().select_only().column(Column::Value).filter(Column::Name.eq(p(1)));

    pub(crate) const SET = insert([Column::Name, Column::Value, Column::UpdatedAt])
        .or_update([Column::Name], [Column::Value, Column::UpdatedAt]);

    pub(crate) const CLEAR = Entity::delete_many().filter(Column::Name.eq(p(1)));
}

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

    /// The address under which this database was first served: `base_url`, unless one is stored already.
    pub async fn first_base_url(&self, base_url: &str, now: DateTime<Utc>) -> Result<String> {
        let first = query!(FIND, FIRST_BASE_URL);
        if let Some(stored) = self.fetch_optional(&first).await? {
            return Ok(stored);
        }
        self.execute(query!(ADD, FIRST_BASE_URL, base_url, now)).await?;
        Ok(self.fetch_optional(&first).await?.unwrap_or_else(|| base_url.to_owned()))
    }

    /// The fingerprint of the last key in a file. Stores this one in its place.
    pub async fn server_key_fingerprint(&self, fingerprint: &str, now: DateTime<Utc>) -> Result<Option<String>> {
        if !self.has_schema().await? {
            return Ok(None);
        }
        let last: Option<String> = self.fetch_optional(&query!(FIND, KEY_FINGERPRINT)).await?;
        if last.as_deref() != Some(fingerprint) {
            self.execute(query!(SET, KEY_FINGERPRINT, fingerprint, now)).await?;
        }
        Ok(last)
    }

    /// The servers' key, if the database has it.
    pub async fn server_key(&self) -> Result<Option<[u8; 32]>> {
        if !self.has_schema().await? {
            return Ok(None);
        }
        let value: Option<String> = self.fetch_optional(&query!(FIND, KEY)).await?;
        value.map(|value| key_bytes(&value).ok_or_else(invalid_key)).transpose()
    }

    /// Stores a key unless there is one. Returns the stored key: of servers that start together, all get the same.
    pub async fn server_key_add(&self, key: &[u8; 32], now: DateTime<Utc>) -> Result<[u8; 32]> {
        let text = key.iter().fold(String::with_capacity(64), |mut text, byte| {
            write!(text, "{byte:02x}").expect("a string takes everything");
            text
        });
        self.execute(query!(ADD, KEY, text, now)).await?;
        self.server_key().await?.ok_or_else(invalid_key)
    }
}

fn invalid_key() -> StoreError {
    StoreError::Corrupt(format!("the setting {KEY} must have 64 hexadecimal digits"))
}

fn key_bytes(text: &str) -> Option<[u8; 32]> {
    let text = Some(text.trim()).filter(|text| text.len() == 64)?;
    let digits: Option<Vec<u8>> =
        text.chars().map(|digit| digit.to_digit(16).and_then(|digit| u8::try_from(digit).ok())).collect();
    let bytes: Vec<u8> = digits?.chunks(2).map(|pair| pair.iter().fold(0, |byte, digit| byte << 4 | digit)).collect();
    bytes.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_64_hexadecimal_digits() {
        let mut key = [0xab; 32];
        key[31] = 1;
        assert_eq!(key_bytes(&format!("{}01\n", "aB".repeat(31))), Some(key));
        for bad in ["", "ab", &"a".repeat(63), &"ab".repeat(33), &"ag".repeat(32), &"é".repeat(32)] {
            assert_eq!(key_bytes(bad), None, "{bad}");
        }
    }
}
