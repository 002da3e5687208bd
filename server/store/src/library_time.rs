//! The latest time that any change or arrival in a library was given. Servers exchange it here, because their clocks
//! differ.

use chrono::{DateTime, Utc};

use crate::engine::transaction::End;
use crate::entity::settings::{Column, Entity};
use crate::query::query;
use crate::query::statement::statements;
use crate::{Result, Store};

/// The row in `settings` whose `updated_at` is the latest time.
const NAME: &str = "library_time";

statements! {
    const RAISE = insert_values([(Column::Name, p(1)), (Column::Value, "".into()), (Column::UpdatedAt, p(2))])
        .on_conflict(
            OnConflict::column(Column::Name)
                .update_column(Column::UpdatedAt)
                .action_and_where(Column::UpdatedAt.lt(excluded(Column::UpdatedAt)))
                .to_owned(),
        );

    const FIND = Entity::find().select_only().column(Column::UpdatedAt).filter(Column::Name.eq(p(1)));

    /// Reads an index of the itineraries from end to end, once at each start.
    const LATEST = "SELECT at FROM (SELECT max(updated_at) AS at FROM itineraries \
         UNION ALL SELECT max(updated_at) FROM settings WHERE name = $1) AS times WHERE at IS NOT NULL";
}

impl Store {
    /// Raises the exchanged time to `latest`, unless it is later already. Returns it.
    pub async fn library_time_exchange(&self, latest: DateTime<Utc>) -> Result<DateTime<Utc>> {
        let exchanged: Option<DateTime<Utc>> = self
            .transaction(latest, |&latest, transaction| {
                Box::pin(async move {
                    transaction.execute(&query!(RAISE, NAME, latest)).await?;
                    Ok(End::Commit(transaction.fetch_optional(&query!(FIND, NAME)).await?))
                })
            })
            .await?;
        Ok(exchanged.unwrap_or(latest).max(latest))
    }

    /// The latest of the exchanged time and the times of all itineraries. `None` if there are none.
    pub async fn library_time(&self) -> Result<Option<DateTime<Utc>>> {
        let times: Vec<DateTime<Utc>> = self.fetch_all_long(query!(LATEST, NAME)).await?;
        Ok(times.into_iter().max())
    }
}
