//! Moving an itinerary to other dates. `core::shift` has the rules.

use itinerary_api::read::FieldError;
use itinerary_api::types::ItineraryShift;
use itinerary_api::values::Date;
use itinerary_core::content::Content;
use itinerary_core::edit_scope::EditScope;
use itinerary_core::shift::{self, Refusal};
use itinerary_platform::ports::coordinates;

use super::content_change::ChangeEffect;
use crate::{Error, Result};

/// A move to other dates.
pub(super) struct Shift {
    target: Target,
    /// Whether the outcome is only shown.
    pub(super) dry_run: bool,
}

enum Target {
    StartDate(Date),
    Days(i64),
}

impl Shift {
    pub(super) fn new(request: &ItineraryShift) -> Result<Self> {
        let target = match (request.start_date, request.days) {
            (Some(date), None) => Target::StartDate(date),
            (None, Some(days)) => Target::Days(days.get()),
            (None, None) => return Err(FieldError::new("startDate", "or `days` is required").into()),
            (Some(_), Some(_)) => return Err(FieldError::new("days", "must not be sent with `startDate`").into()),
        };
        Ok(Self { target, dry_run: request.dry_run == Some(true) })
    }

    pub(super) fn apply(&self, content: &mut Content) -> Result<ChangeEffect> {
        let days = match self.target {
            Target::StartDate(date) => (date.day() - content.everyone.start_date.day()).num_days(),
            Target::Days(days) => days,
        };
        let attention = shift::shift(content, days, coordinates::time_zone).map_err(|refusal| match refusal {
            Refusal::Invalid(error) => Error::from(error),
            Refusal::Corrupt(error) => Error::from(error),
        })?;
        Ok(ChangeEffect { attention, ..EditScope::Nothing.into() })
    }
}
