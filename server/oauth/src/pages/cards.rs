//! The fields of stored cards that pages show, and when their trips take place.

use chrono::{DateTime, Days, NaiveDate, Utc};
use itinerary_export::{Stage, dates};
use itinerary_store::{StoreError, SummaryRow};
use serde::Deserialize;

/// What a page reads of a stored card.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Card {
    pub(super) title: String,
    pub(super) destination: CardDestination,
    pub(super) start_date: NaiveDate,
    pub(super) days_count: u32,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CardDestination {
    pub(super) name: String,
    time_zone: Option<String>,
}

impl Card {
    pub(super) fn of(row: &SummaryRow) -> Result<Self, StoreError> {
        serde_json::from_str(&row.card)
            .map_err(|error| StoreError::Corrupt(format!("the card of an itinerary: {error}")))
    }

    /// The dates in words.
    pub(super) fn dates(&self) -> String {
        dates(self.start_date, self.days_count.into())
    }

    /// The last day. A trip without days takes one.
    pub(super) fn last_date(&self) -> NaiveDate {
        let days = u64::from(self.days_count.saturating_sub(1));
        self.start_date.checked_add_days(Days::new(days)).unwrap_or(self.start_date)
    }

    /// Whether the trip is ahead, runs or is over, by the date at its destination.
    pub(super) fn stage(&self, now: DateTime<Utc>) -> Stage {
        Stage::of(self.start_date, self.days_count.into(), self.destination.time_zone.as_deref(), now)
    }
}
