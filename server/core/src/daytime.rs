//! Local times and dates: converts times of a day across time zones to minutes since a common midnight, and back, and
//! instants to the local time of a place.

use chrono::{DateTime, FixedOffset, NaiveDate};
use itinerary_api::values::{Date, LocalTime, OffsetTime, TimeZone};
use jiff::civil;
use jiff::tz;

/// The midnight that a day's times are counted from, in one time zone.
#[derive(Clone, Debug)]
pub struct Midnight {
    date: civil::Date,
    zone: tz::TimeZone,
    instant: jiff::Timestamp,
}

impl Midnight {
    /// The start of a date in a time zone of the IANA database. Defaults to UTC.
    pub fn new(date: Date, zone: Option<&str>) -> Option<Self> {
        let date: civil::Date = date.to_string().parse().ok()?;
        let zone = zone.map_or(Some(tz::TimeZone::UTC), |zone| tz::TimeZone::get(zone).ok())?;
        let instant = zone.to_zoned(date.at(0, 0, 0, 0)).ok()?.timestamp();
        Some(Self { date, zone, instant })
    }

    /// Counts from the zone in which the date begins first, among these and the midnight's own, so that no time is
    /// negative.
    #[must_use]
    pub fn across<'z>(mut self, zones: impl IntoIterator<Item = &'z str>) -> Self {
        let begins = |zone: &str| {
            let midnight = tz::TimeZone::get(zone).ok()?.to_zoned(self.date.at(0, 0, 0, 0)).ok()?;
            Some(midnight.timestamp())
        };
        let earliest = zones.into_iter().filter_map(begins).min();
        self.instant = earliest.map_or(self.instant, |earliest| earliest.min(self.instant));
        self
    }

    /// Minutes from this midnight to a local time on this date. `zone` defaults to the midnight's own. A time that a
    /// change to summer time skips is read as the time after the gap; of a time that occurs twice, the first is used.
    /// Never negative.
    pub fn minutes_to(&self, time: &str, zone: Option<&str>) -> Option<u32> {
        let (hour, minute) = time.split_once(':')?;
        let local = self.date.to_datetime(civil::Time::new(hour.parse().ok()?, minute.parse().ok()?, 0, 0).ok()?);
        let instant = self.zone_or_own(zone)?.to_zoned(local).ok()?.timestamp();
        u32::try_from((instant.as_second() - self.instant.as_second()).max(0) / 60).ok()
    }

    /// The local time in a zone so many minutes after this midnight. `None` if it falls on another date there.
    pub fn time_after(&self, minutes: u32, zone: Option<&str>) -> Option<LocalTime> {
        let instant = self.instant.checked_add(jiff::SignedDuration::from_mins(i64::from(minutes))).ok()?;
        let local = self.zone_or_own(zone)?.to_datetime(instant);
        let is_same_date = local.date() == self.date;
        is_same_date.then(|| LocalTime::new(format!("{:02}:{:02}", local.hour(), local.minute())).ok()).flatten()
    }

    fn zone_or_own(&self, zone: Option<&str>) -> Option<tz::TimeZone> {
        zone.map_or_else(|| Some(self.zone.clone()), |zone| tz::TimeZone::get(zone).ok())
    }
}

/// An instant as the local time of a place: in its time zone if it is known, otherwise with the offset that was given.
pub fn at_place(time: DateTime<FixedOffset>, zone: Option<&TimeZone>) -> DateTime<FixedOffset> {
    let local = || {
        let zone = tz::TimeZone::get(zone?).ok()?;
        let offset = zone.to_offset(jiff::Timestamp::from_second(time.timestamp()).ok()?);
        Some(time.with_timezone(&FixedOffset::east_opt(offset.seconds())?))
    };
    local().unwrap_or(time)
}

/// The calendar date of an instant at a place: in its time zone if it is known, otherwise with the offset that was sent.
pub fn date_at(time: &OffsetTime, zone: Option<&TimeZone>) -> NaiveDate {
    at_place(time.instant(), zone).date_naive()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn midnight(date: &str, zone: &str) -> Midnight {
        let date = Date::new(date.parse().expect("a date")).expect("in range");
        Midnight::new(date, Some(zone)).expect("a midnight")
    }

    fn minutes(midnight: &Midnight, time: &str, zone: Option<&str>) -> u32 {
        midnight.minutes_to(time, zone).expect("minutes")
    }

    #[test]
    fn a_day_with_a_change_to_summer_time_has_23_hours() {
        let lisbon = midnight("2027-03-28", "Europe/Lisbon");
        assert_eq!(minutes(&lisbon, "00:30", None), 30);
        assert_eq!(minutes(&lisbon, "01:30", None), 90, "skipped: 02:30 in summer time");
        assert_eq!(minutes(&lisbon, "12:00", None), 11 * 60);
        assert_eq!(lisbon.time_after(11 * 60, None).expect("a time").to_string(), "12:00");
    }

    #[test]
    fn zones_of_half_and_quarter_hours() {
        let delhi = midnight("2027-01-10", "Asia/Kolkata");
        assert_eq!(minutes(&delhi, "10:00", Some("Asia/Kathmandu")), 10 * 60 - 15);
        assert_eq!(delhi.time_after(60, Some("Asia/Kathmandu")).expect("a time").to_string(), "01:15");
    }

    #[test]
    fn no_time_on_another_date() {
        let lisbon = midnight("2027-01-10", "Europe/Lisbon");
        assert_eq!(lisbon.time_after(24 * 60, None), None);
        assert_eq!(minutes(&lisbon, "03:00", Some("Asia/Tokyo")), 0, "before the midnight");
    }

    #[test]
    fn a_date_is_the_one_at_the_place() {
        for (time, zone, date) in [
            ("2027-05-10T01:25:00Z", Some("America/Los_Angeles"), "2027-05-09"),
            ("2027-07-01T08:00:00+13:00", Some("Pacific/Pago_Pago"), "2027-06-30"),
            ("2027-05-10T01:25:00Z", None, "2027-05-10"),
        ] {
            let zone = zone.map(|zone| TimeZone::new(zone).expect("a zone"));
            let time = OffsetTime::new(time).expect("a time");
            assert_eq!(date_at(&time, zone.as_ref()).to_string(), date);
        }
    }

    #[test]
    fn across_zones_no_time_is_before_the_midnight() {
        let day = midnight("2027-05-01", "Europe/Lisbon").across(["Pacific/Honolulu", "Asia/Tokyo"]);
        assert_eq!(minutes(&day, "08:00", Some("Asia/Tokyo")), 8 * 60);
        assert_eq!(minutes(&day, "08:00", None), (8 + 8) * 60);
        assert_eq!(minutes(&day, "08:00", Some("Pacific/Honolulu")), (8 + 19) * 60);
        assert_eq!(day.time_after(27 * 60, Some("Pacific/Honolulu")).expect("a time").to_string(), "08:00");
    }
}
