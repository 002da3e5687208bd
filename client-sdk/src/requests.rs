//! Conversions into types of requests.

use crate::types::{CoordinateInput, StopInput, StopSuggestion};

/// A latitude and a longitude in degrees.
impl From<(f64, f64)> for CoordinateInput {
    fn from((latitude, longitude): (f64, f64)) -> Self {
        Self { latitude, longitude }
    }
}

/// A stop for a suggested activity, to be added to a day.
impl From<StopSuggestion> for StopInput {
    fn from(suggestion: StopSuggestion) -> Self {
        let StopSuggestion { name, category, place, activity } = suggestion;
        let stop = Self::new(name).category(category).activity(activity);
        Self { place: place.map(Into::into), ..stop }
    }
}
