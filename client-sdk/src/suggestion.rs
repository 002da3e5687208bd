//! Suggested activities as new stops.

use crate::types::{StopInput, StopSuggestion};

/// A stop for a suggested activity, to be added to a day.
impl From<StopSuggestion> for StopInput {
    fn from(suggestion: StopSuggestion) -> Self {
        let StopSuggestion { name, category, place, activity } = suggestion;
        Self {
            name,
            category: Some(category),
            place: place.map(Into::into),
            activity: Some(activity.into()),
            id: None,
            duration_minutes: None,
            phone_number: None,
            start_time: None,
            start_time_suggested: None,
        }
    }
}
