//! Dates and times in requests, as text: what was passed, whether text or a value of chrono. The service validates them,
//! like every other field, so a malformed one is an error of the request and not a panic.

use std::fmt;

use chrono::{DateTime, NaiveDate, SecondsFormat, TimeZone};
use serde::{Deserialize, Serialize};

/// A date in a request: text such as `2027-05-15`, or a [`NaiveDate`]. If the text is no date, the request fails with
/// [`VALIDATION_FAILED`](crate::code::VALIDATION_FAILED).
///
/// ```
/// use itinerary_sdk::{DateInput, chrono::NaiveDate};
///
/// let date = NaiveDate::from_ymd_opt(2027, 5, 15).unwrap();
/// assert_eq!(DateInput::from(date), DateInput::from("2027-05-15"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct DateInput(String);

/// A date and time with an offset in a request: text such as `2027-05-15T08:05:00+01:00` (RFC 3339), or a [`DateTime`].
/// If the text is none, the request fails with [`VALIDATION_FAILED`](crate::code::VALIDATION_FAILED).
///
/// ```
/// use itinerary_sdk::{TimeInput, chrono::DateTime};
///
/// let time = DateTime::parse_from_rfc3339("2027-05-15T08:05:00+01:00").unwrap();
/// assert_eq!(TimeInput::from(time), TimeInput::from("2027-05-15T08:05:00+01:00"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TimeInput(String);

macro_rules! text {
    ($($name:ident)+) => {
        $(
            impl From<&str> for $name {
                fn from(text: &str) -> Self {
                    Self(text.to_owned())
                }
            }

            impl From<String> for $name {
                fn from(text: String) -> Self {
                    Self(text)
                }
            }

            impl From<&String> for $name {
                fn from(text: &String) -> Self {
                    Self(text.clone())
                }
            }

            impl fmt::Display for $name {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    f.write_str(&self.0)
                }
            }
        )+
    };
}

text!(DateInput TimeInput);

impl From<NaiveDate> for DateInput {
    fn from(date: NaiveDate) -> Self {
        Self(date.to_string())
    }
}

/// Keeps the offset, and writes no more digits of a second than the time has.
impl<Z: TimeZone> From<DateTime<Z>> for TimeInput {
    fn from(time: DateTime<Z>) -> Self {
        Self(time.fixed_offset().to_rfc3339_opts(SecondsFormat::AutoSi, true))
    }
}

#[cfg(test)]
mod tests {
    use chrono::Utc;

    use super::*;
    use crate::types::{Flight, FlightInput, FlightPatch};

    #[test]
    fn a_time_keeps_its_offset() {
        for text in ["2027-05-15T08:05:00+01:00", "2027-05-15T08:05:00.250-03:30", "2027-05-15T08:05:00Z"] {
            let time = DateTime::parse_from_rfc3339(text).unwrap();
            assert_eq!(TimeInput::from(time).to_string(), text);
        }
        assert_eq!(TimeInput::from(DateTime::<Utc>::UNIX_EPOCH).to_string(), "1970-01-01T00:00:00Z");
    }

    #[test]
    fn text_is_sent_as_it_is() {
        let flight = FlightInput::default().departure_date("tomorrow");
        assert_eq!(serde_json::to_string(&flight).unwrap(), r#"{"departureDate":"tomorrow"}"#);
        let patch = FlightPatch::default().departure_date("2027-05-15T08:05:00+01:00").clear_arrival_date();
        let expected = r#"{"arrivalDate":null,"departureDate":"2027-05-15T08:05:00+01:00"}"#;
        assert_eq!(serde_json::to_string(&patch).unwrap(), expected);
    }

    #[test]
    fn a_flight_that_was_read_can_be_sent_back() {
        let json = r#"{"departureDate":"2027-05-15T08:05:00+01:00","id":"out"}"#;
        let flight: Flight = serde_json::from_str(json).unwrap();
        assert_eq!(serde_json::to_string(&FlightInput::from(flight)).unwrap(), json);
    }
}
