//! Local times with what is known of their zones.

use chrono::Datelike;
use itinerary_api::values::{Date, LocalTime, OffsetTime, TimeZone};
use jiff::civil;
use jiff::tz::{self, Offset};

/// The zone that a local time belongs to.
#[derive(Clone, Debug, PartialEq)]
pub enum Zone {
    /// An IANA time zone.
    Named { name: String, zone: tz::TimeZone },
    /// Only the offset from UTC is known.
    Offset(Offset),
    /// Nothing is known: the time is the local time of wherever the traveller is.
    Floating,
}

impl Zone {
    fn of(zone: Option<&TimeZone>) -> Option<Self> {
        let name = zone?;
        Some(Self::Named { name: name.to_string(), zone: tz::TimeZone::get(name).ok()? })
    }
}

/// A local time. Two moments are equal if they have the same local time in the same zone.
#[derive(Clone, Debug, PartialEq)]
pub struct Moment {
    /// The local date and time. It exists: a time that a change to summer time skips is stored as the time after the gap.
    pub local: civil::DateTime,
    pub zone: Zone,
    /// `None` for floating times.
    pub instant: Option<jiff::Timestamp>,
}

impl Moment {
    /// The instant of a flight or a stay, in the zone of its place, or with its own offset if the place has none. `None`
    /// if the instant cannot be represented, which no accepted value is.
    pub fn at_place(time: &OffsetTime, zone: Option<&TimeZone>) -> Option<Self> {
        let sent = time.instant();
        let instant = jiff::Timestamp::from_second(sent.timestamp()).ok()?;
        let zone = match Zone::of(zone) {
            Some(zone) => zone,
            None => Zone::Offset(Offset::from_seconds(sent.offset().local_minus_utc()).ok()?),
        };
        Some(Self::from_instant(instant, zone))
    }

    /// The time of a stop on a date. A time that a change to summer time skips is read as the time after the gap; of a
    /// time that occurs twice, the first is used.
    pub fn on_date(date: civil::Date, time: &LocalTime, zone: Option<&TimeZone>) -> Option<Self> {
        let (hour, minute) = time.split_once(':')?;
        let local = date.at(hour.parse().ok()?, minute.parse().ok()?, 0, 0);
        match Zone::of(zone) {
            Some(Zone::Named { name, zone }) => {
                let instant = zone.to_zoned(local).ok()?.timestamp();
                Some(Self::from_instant(instant, Zone::Named { name, zone }))
            }
            _ => Some(Self { local, zone: Zone::Floating, instant: None }),
        }
    }

    fn from_instant(instant: jiff::Timestamp, zone: Zone) -> Self {
        let local = match &zone {
            Zone::Named { zone, .. } => zone.to_datetime(instant),
            Zone::Offset(offset) => offset.to_datetime(instant),
            Zone::Floating => Offset::UTC.to_datetime(instant),
        };
        Self { local, zone, instant: Some(instant) }
    }

    /// So many minutes later. Elapsed time: on a day when clocks change, the local time may differ by more or less.
    pub fn after_minutes(&self, minutes: i64) -> Option<Self> {
        let span = jiff::SignedDuration::from_mins(minutes);
        match self.instant {
            Some(instant) => Some(Self::from_instant(instant.checked_add(span).ok()?, self.zone.clone())),
            None => Some(Self { local: self.local.checked_add(span).ok()?, ..self.clone() }),
        }
    }

    /// The offset from UTC. `None` for floating times.
    pub fn offset(&self) -> Option<Offset> {
        match (&self.zone, self.instant) {
            (Zone::Named { zone, .. }, Some(instant)) => Some(zone.to_offset(instant)),
            (Zone::Offset(offset), _) => Some(*offset),
            _ => None,
        }
    }

    /// Whether this is the second of two instants with the same local time.
    pub fn is_repeated(&self) -> bool {
        let Zone::Named { zone, .. } = &self.zone else { return false };
        zone.to_zoned(self.local).is_ok_and(|first| Some(first.timestamp()) != self.instant)
    }

    /// `14:05`.
    pub fn time(&self) -> String {
        format!("{:02}:{:02}", self.local.hour(), self.local.minute())
    }

    /// `2027-05-15 08:05 (Europe/Lisbon, UTC+01:00)`.
    pub(crate) fn in_words(&self) -> String {
        let zone = self.zone_words();
        let zone = if zone.is_empty() { zone } else { format!(" ({zone})") };
        format!("{} {}{zone}", self.local.date(), self.time())
    }

    /// The zone for people: `Europe/Lisbon, UTC+01:00`, or the offset alone. Empty for floating times.
    pub fn zone_words(&self) -> String {
        let offset = self.offset().map(offset_words);
        match (&self.zone, offset) {
            (Zone::Named { name, .. }, Some(offset)) => format!("{name}, {offset}"),
            (_, Some(offset)) => offset,
            (_, None) => String::new(),
        }
    }

    /// RFC 3339 with an offset, or without one for floating times.
    pub fn rfc3339(&self) -> String {
        let local = self.local.strftime("%Y-%m-%dT%H:%M:%S");
        match self.offset() {
            Some(Offset::UTC) => format!("{local}Z"),
            Some(offset) => format!("{local}{}", digits(offset, ":")),
            None => local.to_string(),
        }
    }
}

/// `UTC+01:00`, or `UTC`.
fn offset_words(offset: Offset) -> String {
    if offset == Offset::UTC { "UTC".to_owned() } else { format!("UTC{}", digits(offset, ":")) }
}

/// `+01:00`, with the separator between hours and minutes. Offsets of the nineteenth century had seconds; these are cut
/// off.
fn digits(offset: Offset, separator: &str) -> String {
    let seconds = offset.seconds();
    let sign = if seconds < 0 { '-' } else { '+' };
    let minutes = seconds.abs() / 60;
    format!("{sign}{:02}{separator}{:02}", minutes / 60, minutes % 60)
}

/// The date so many days after another. `None` past the last representable date, which no accepted itinerary reaches.
pub(crate) fn days_after(date: Date, days: usize) -> Option<civil::Date> {
    let first = date.day();
    let month = i8::try_from(first.month()).ok()?;
    let first = civil::Date::new(i16::try_from(first.year()).ok()?, month, i8::try_from(first.day()).ok()?).ok()?;
    first.checked_add(jiff::Span::new().try_days(i64::try_from(days).ok()?).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn zone(name: &str) -> TimeZone {
        TimeZone::new(name).expect("a zone")
    }

    fn stop(date: &str, time: &str, name: &str) -> Moment {
        let time = LocalTime::new(time).expect("a time");
        Moment::on_date(date.parse().expect("a date"), &time, Some(&zone(name))).expect("a moment")
    }

    #[test]
    fn a_skipped_time_is_the_time_after_the_gap() {
        let moment = stop("2027-03-28", "01:30", "Europe/Lisbon");
        assert_eq!(moment.rfc3339(), "2027-03-28T02:30:00+01:00");
        assert!(!moment.is_repeated());
    }

    #[test]
    fn the_first_of_two_equal_times_is_used_and_the_second_is_recognised() {
        let first = stop("2027-10-31", "01:30", "Europe/Lisbon");
        assert_eq!(first.rfc3339(), "2027-10-31T01:30:00+01:00");
        assert!(!first.is_repeated());
        let second = first.after_minutes(60).expect("an hour later");
        assert_eq!(second.rfc3339(), "2027-10-31T01:30:00Z");
        assert!(second.is_repeated());
    }

    #[test]
    fn without_a_zone_a_stop_floats_and_a_flight_keeps_its_offset() {
        let time = LocalTime::new("09:30").expect("a time");
        let floating = Moment::on_date("2027-05-01".parse().expect("a date"), &time, None).expect("a moment");
        assert_eq!((floating.instant, floating.rfc3339()), (None, "2027-05-01T09:30:00".to_owned()));
        assert_eq!(floating.zone_words(), "");
        let sent = OffsetTime::new("2027-05-01T23:30:00+05:45").expect("a time");
        let flight = Moment::at_place(&sent, None).expect("a moment");
        assert_eq!((flight.rfc3339(), flight.zone_words()), (sent.to_string(), "UTC+05:45".to_owned()));
        let flight = Moment::at_place(&sent, Some(&zone("Pacific/Honolulu"))).expect("a moment");
        assert_eq!(flight.rfc3339(), "2027-05-01T07:45:00-10:00");
        assert_eq!(flight.zone_words(), "Pacific/Honolulu, UTC-10:00");
    }
}
