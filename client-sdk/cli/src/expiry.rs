//! When something ends, as people write it: after so many days, or with a date.

use chrono::{DateTime, Local, NaiveDate, TimeDelta, TimeZone as _, Utc};
use itinerary_sdk::{Clock as _, SystemClock};

const EXPECTED: &str = "must be a duration such as 12h, 30d or 4w, a date such as 2027-05-15, or a time such as \
                        2027-05-15T12:00:00Z";

/// An end from now on, or at a time with an offset. A date alone means the end of that day on this machine.
pub(crate) fn expiry(text: &str) -> Result<DateTime<Utc>, String> {
    let end = duration(text).and_then(|duration| SystemClock.now().checked_add_signed(duration));
    let end = end.or_else(|| Some(DateTime::parse_from_rfc3339(text).ok()?.to_utc()));
    end.or_else(|| end_of_day(text)).ok_or_else(|| EXPECTED.to_owned())
}

fn duration(text: &str) -> Option<TimeDelta> {
    let unit = text.chars().last()?;
    let number = text.strip_suffix(unit)?;
    let number = if number.bytes().all(|byte| byte.is_ascii_digit()) { number.parse().ok()? } else { return None };
    match unit {
        'h' => TimeDelta::try_hours(number),
        'd' => TimeDelta::try_days(number),
        'w' => TimeDelta::try_weeks(number),
        _ => None,
    }
}

fn end_of_day(text: &str) -> Option<DateTime<Utc>> {
    let next = NaiveDate::parse_from_str(text, "%Y-%m-%d").ok()?.succ_opt()?.and_hms_opt(0, 0, 0)?;
    // Where summer time skips midnight, an hour later.
    let local = |time| Local.from_local_datetime(&time).earliest();
    Some(local(next).or_else(|| local(next + TimeDelta::hours(1)))?.to_utc())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_count_from_now() {
        for (text, duration) in
            [("12h", TimeDelta::hours(12)), ("30d", TimeDelta::days(30)), ("4w", TimeDelta::weeks(4))]
        {
            let before = SystemClock.now();
            let end = expiry(text).unwrap();
            assert!(end >= before + duration && end <= SystemClock.now() + duration, "{text}: {end}");
        }
    }

    #[test]
    fn a_date_ends_with_its_day() {
        let end = expiry("2027-05-15").unwrap().with_timezone(&Local);
        assert_eq!(
            end.to_rfc3339().split('+').next(),
            Local.with_ymd_and_hms(2027, 5, 16, 0, 0, 0).unwrap().to_rfc3339().split('+').next()
        );
        assert_eq!(expiry("2027-05-15T12:00:00+02:00").unwrap().to_rfc3339(), "2027-05-15T10:00:00+00:00");
    }

    #[test]
    fn other_texts_are_rejected() {
        for text in [
            "",
            "d",
            "-1d",
            "+1d",
            "1.5d",
            "30",
            "30m",
            "30 d",
            "99999999999d",
            "é",
            "tomorrow",
            "2027-02-30",
            "2027-05-15T12:00",
        ] {
            assert_eq!(expiry(text), Err(EXPECTED.to_owned()), "{text}");
        }
    }
}
