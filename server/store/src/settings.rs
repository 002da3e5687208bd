//! Settings that hold for the whole service and may change while it runs: the pause of integrations.
//!
//! How a request learns of the pause is not here: it comes with the caller, in one statement.

use chrono::{DateTime, Utc};
use sea_orm::sea_query::OnConflict;
use sea_orm::{ActiveModelTrait, EntityTrait, IntoActiveModel};

use crate::entity::settings;
use crate::row::millis;
use crate::store::retry;
use crate::{Result, Store, StoreError};

/// The row whose presence pauses integrations; its value is Retry-After, in seconds.
const PAUSE: &str = "integrations_paused";

/// The seconds of a stored pause.
pub(crate) fn pause_seconds(value: &str) -> Result<u32> {
    value.parse().map_err(|_| StoreError::Corrupt(format!("the setting {PAUSE} is {value:?}")))
}

impl Store {
    /// Pauses integrations, telling callers to come back after so many seconds, or (`None`) resumes them.
    pub async fn pause_set(&self, seconds: Option<u32>, now: DateTime<Utc>) -> Result<()> {
        retry(|| async {
            match seconds {
                Some(seconds) => self.start_pause(seconds, now).await,
                None => self.end_pause().await,
            }
        })
        .await
    }

    /// After how many seconds callers are told to come back, while integrations are paused.
    pub async fn pause(&self) -> Result<Option<u32>> {
        let row = settings::Entity::find_by_id(PAUSE).one(&self.reader).await?;
        row.map(|row| pause_seconds(&row.value)).transpose()
    }

    async fn start_pause(&self, seconds: u32, now: DateTime<Utc>) -> Result<()> {
        let row = settings::Model { name: PAUSE.to_owned(), value: seconds.to_string(), updated_at: millis(now) };
        settings::Entity::insert(row.into_active_model().reset_all())
            .on_conflict(
                OnConflict::column(settings::Column::Name)
                    .update_columns([settings::Column::Value, settings::Column::UpdatedAt])
                    .to_owned(),
            )
            .exec_without_returning(&self.writer)
            .await?;
        Ok(())
    }

    async fn end_pause(&self) -> Result<()> {
        settings::Entity::delete_by_id(PAUSE).exec(&self.writer).await?;
        Ok(())
    }
}
