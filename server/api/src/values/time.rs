//! Dates and times on the wire.

use std::fmt;

use chrono::{DateTime, Datelike, FixedOffset, NaiveDate, SecondsFormat, Timelike, Utc};
use schemars::JsonSchema;
use schemars::r#gen::SchemaGenerator;
use schemars::schema::Schema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::text::{checked_text, string_schema};

/// The years of every date and date-time in a request.
const YEARS: std::ops::RangeInclusive<i32> = 1900..=2200;
/// Enough for a date-time with nanoseconds and an offset, in bytes.
const LONGEST_INSTANT: usize = 40;
const OUT_OF_RANGE: &str = "must be in the years 1900 to 2200";

/// A calendar date, `YYYY-MM-DD`, in the years 1900 to 2200.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date(NaiveDate);

impl Date {
    /// Returns `None` outside the years 1900 to 2200.
    pub fn new(date: NaiveDate) -> Option<Self> {
        YEARS.contains(&date.year()).then_some(Self(date))
    }

    /// The calendar date without its check.
    pub fn day(self) -> NaiveDate {
        self.0
    }

    fn parse(text: &str) -> Result<Self, &'static str> {
        let shaped = text.len() == 10
            && text.bytes().enumerate().all(|(at, b)| match at {
                4 | 7 => b == b'-',
                _ => b.is_ascii_digit(),
            });
        let date = shaped.then(|| NaiveDate::parse_from_str(text, "%Y-%m-%d").ok()).flatten();
        Self::new(date.ok_or("must be a date of the form YYYY-MM-DD, such as 2027-05-01")?).ok_or(OUT_OF_RANGE)
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Serialize for Date {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Date {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::parse(&String::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

impl JsonSchema for Date {
    fn schema_name() -> String {
        "Date".to_owned()
    }

    fn is_referenceable() -> bool {
        false
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        string_schema(Some("date"), None, None)
    }
}

fn parse_instant(text: &str) -> Result<DateTime<FixedOffset>, &'static str> {
    const SHAPE: &str = "must be a date-time with an offset, such as 2027-05-01T09:30:00+01:00";
    // The parser also accepts a space between date and time, any number of decimals, and a Unicode minus sign.
    if text.len() > LONGEST_INSTANT || !text.is_ascii() || !matches!(text.as_bytes().get(10), Some(b'T' | b't')) {
        return Err(SHAPE);
    }
    let instant = DateTime::parse_from_rfc3339(text).map_err(|_| SHAPE)?;
    if YEARS.contains(&instant.year()) { Ok(instant) } else { Err(OUT_OF_RANGE) }
}

checked_text!(
    /// An RFC 3339 date-time with an offset, in the years 1900 to 2200, kept as the text that was sent.
    OffsetTime,
    |text| match parse_instant(text) {
        Ok(_) => Ok(()),
        Err(error) => Err(error.to_owned()),
    },
    format: None,
    pattern: Some(OffsetTime::PATTERN),
    max: Some(LONGEST_INSTANT)
);

impl OffsetTime {
    /// A regular expression for it. The schema has no `format`: clients that parse a `date-time` into an instant would lose the
    /// offset (`docs/design/contract-and-sdk.md`).
    pub const PATTERN: &str = concat!(
        "^(19[0-9]{2}|2[01][0-9]{2}|2200)-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])",
        "[Tt]([01][0-9]|2[0-3]):[0-5][0-9]:([0-5][0-9]|60)([.][0-9]+)?([Zz]|[+-]([01][0-9]|2[0-3]):[0-5][0-9])$",
    );

    /// The instant with its offset.
    pub fn instant(&self) -> DateTime<FixedOffset> {
        parse_instant(self).expect("it was checked when it was made")
    }
}

checked_text!(
    /// A local time of day, `HH:MM`.
    LocalTime,
    |text| {
        let digits = |at: usize| text.get(at..at + 2).filter(|t| t.bytes().all(|b| b.is_ascii_digit()));
        let number = |at| digits(at).and_then(|t| t.parse::<u8>().ok());
        let colon = text.len() == 5 && text.as_bytes()[2] == b':';
        match (number(0), number(3)) {
            (Some(0..=23), Some(0..=59)) if colon => Ok(()),
            _ => Err("must be a time of the form HH:MM, such as 09:30".to_owned()),
        }
    },
    format: None,
    pattern: Some("^([01][0-9]|2[0-3]):[0-5][0-9]$"),
    max: None
);

/// An instant from the server's clock, written as RFC 3339 in UTC with milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(pub DateTime<Utc>);

impl Timestamp {
    /// Formats by hand: the library takes several times as long, which shows in a list of 100.
    fn with_text<R>(self, write: impl FnOnce(&str) -> R) -> R {
        let mut text = *b"0000-00-00T00:00:00.000Z";
        let (date, time) = (self.0.date_naive(), self.0.time());
        match u32::try_from(date.year()) {
            // A leap second has 1,000 milliseconds or more.
            Ok(year @ 0..=9_999) if time.nanosecond() < 1_000_000_000 => {
                put_digits(&mut text[..4], year);
                put_digits(&mut text[5..7], date.month());
                put_digits(&mut text[8..10], date.day());
                put_digits(&mut text[11..13], time.hour());
                put_digits(&mut text[14..16], time.minute());
                put_digits(&mut text[17..19], time.second());
                put_digits(&mut text[20..23], time.nanosecond() / 1_000_000);
                write(std::str::from_utf8(&text).expect("digits and marks"))
            }
            _ => write(&self.0.to_rfc3339_opts(SecondsFormat::Millis, true)),
        }
    }
}

/// Writes a number with leading zeros.
fn put_digits(text: &mut [u8], mut number: u32) {
    for digit in text.iter_mut().rev() {
        *digit = b"0123456789"[(number % 10) as usize];
        number /= 10;
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.with_text(|text| f.write_str(text))
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.with_text(|text| serializer.serialize_str(text))
    }
}

impl JsonSchema for Timestamp {
    fn schema_name() -> String {
        "Timestamp".to_owned()
    }

    fn is_referenceable() -> bool {
        false
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        string_schema(Some("date-time"), None, None)
    }
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;

    use super::*;

    #[test]
    fn a_timestamp_is_written_as_the_library_writes_it() {
        let epoch = DateTime::UNIX_EPOCH;
        let steps = (0..4_000).map(|n| epoch + TimeDelta::milliseconds(n * 86_399_123_457 / 7));
        let leap: DateTime<Utc> = "2016-12-31T23:59:60.5Z".parse().expect("a leap second");
        let far = [DateTime::<Utc>::MIN_UTC, DateTime::<Utc>::MAX_UTC, leap];
        for time in steps.chain(far) {
            let text = time.to_rfc3339_opts(SecondsFormat::Millis, true);
            assert_eq!(Timestamp(time).to_string(), text);
            assert_eq!(serde_json::to_string(&Timestamp(time)).expect("plain"), format!("\"{text}\""));
        }
    }
}
