//! Times as people write them: local to a place, or with an offset.

use chrono::DateTime;
use jiff::civil;
use jiff::tz::TimeZone;

/// A time of an argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Moment {
    /// A time with an offset, in RFC 3339.
    Fixed(String),
    /// A local time.
    Local(civil::DateTime),
    /// A date without a time.
    Date(civil::Date),
}

impl Moment {
    /// The time in RFC 3339. A local time is one in the zone; a date alone is at `hour`. `None` if the zone is needed and
    /// unknown.
    pub(crate) fn in_zone(&self, zone: Option<&str>, hour: i8) -> Option<String> {
        let local = match self {
            Self::Fixed(time) => return Some(time.clone()),
            Self::Local(time) => *time,
            Self::Date(date) => date.at(hour, 0, 0, 0),
        };
        // A time that a change to summer time skips is the time after the gap.
        let zoned = TimeZone::get(zone?).ok()?.to_ambiguous_zoned(local).compatible().ok()?;
        Some(zoned.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string())
    }

    /// Whether a zone decides which instant it is.
    pub(crate) fn needs_zone(&self) -> bool {
        !matches!(self, Self::Fixed(_))
    }
}

/// A date and a time of day, with or without an offset.
pub(crate) fn with_time(text: &str) -> Result<Moment, String> {
    fixed(text).or_else(|| local(text)).ok_or_else(|| "must be a time such as 2027-05-15T07:00".to_owned())
}

/// The same, or a date alone.
pub(crate) fn or_date(text: &str) -> Result<Moment, String> {
    let date = || if text.contains(':') { None } else { text.parse().ok().map(Moment::Date) };
    date()
        .or_else(|| with_time(text).ok())
        .ok_or_else(|| "must be a date such as 2027-05-15, or a time such as 2027-05-15T15:00".to_owned())
}

fn fixed(text: &str) -> Option<Moment> {
    let utc = text.strip_suffix(['Z', 'z']).map(|text| format!("{text}+00:00"));
    let text = utc.as_deref().unwrap_or(text);
    let formats = ["%Y-%m-%dT%H:%M:%S%:z", "%Y-%m-%dT%H:%M%:z", "%Y-%m-%d %H:%M%:z"];
    let time = formats.iter().find_map(|format| DateTime::parse_from_str(text, format).ok())?;
    Some(Moment::Fixed(time.to_rfc3339()))
}

fn local(text: &str) -> Option<Moment> {
    let formats = ["%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M"];
    formats.iter().find_map(|format| civil::DateTime::strptime(format, text).ok()).map(Moment::Local)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str, zone: Option<&str>) -> Option<String> {
        or_date(text).unwrap().in_zone(zone, 15)
    }

    #[test]
    fn a_local_time_gets_the_offset_of_its_place() {
        let told = |text: &str, zone: &str| at(text, Some(zone)).unwrap();
        assert_eq!(told("2027-05-15T07:00", "Europe/London"), "2027-05-15T07:00:00+01:00");
        assert_eq!(told("2027-01-15 07:00", "Europe/London"), "2027-01-15T07:00:00+00:00");
        assert_eq!(told("2027-05-15", "Asia/Kolkata"), "2027-05-15T15:00:00+05:30");
        // Skipped by the change to summer time.
        assert_eq!(told("2027-03-28T01:30", "Europe/London"), "2027-03-28T02:30:00+01:00");
        assert_eq!((at("2027-05-15T07:00", None), at("2027-05-15T07:00", Some("Moon/Base"))), (None, None));
    }

    #[test]
    fn an_offset_is_kept() {
        for text in ["2027-05-15T07:00:00+03:00", "2027-05-15T07:00+03:00", "2027-05-15 07:00+03:00"] {
            assert_eq!(at(text, Some("Europe/London")).unwrap(), "2027-05-15T07:00:00+03:00");
        }
        assert_eq!(at("2027-05-15T07:00Z", None).unwrap(), "2027-05-15T07:00:00+00:00");
    }

    #[test]
    fn invalid_times_are_rejected() {
        for text in ["", "07:00", "2027-05-15", "2027-02-30T07:00", "2027-05-15T25:00", "tomorrow"] {
            assert!(with_time(text).is_err(), "{text}");
        }
        for text in ["", "2027-02-30", "15.5.2027", "2027-05-15T7"] {
            assert!(or_date(text).is_err(), "{text}");
        }
    }
}
