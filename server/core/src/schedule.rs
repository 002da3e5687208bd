//! Start times that cannot be kept, because the stops before them and the legs between them take longer.

use chrono::Days;
use itinerary_api::types::{Attention, AttentionCode, Day, Itinerary};
use itinerary_api::values::{Date, TimeZone};

use crate::content::Content;
use crate::daytime::Midnight;
use crate::entry::ListItem;
use crate::item_index::Scan;

/// Minutes of a day.
const A_DAY: u32 = 1_440;

/// The start times of all days that cannot be kept.
pub fn conflicts(content: &Content) -> serde_json::Result<Vec<Attention>> {
    let mut attention = Vec::new();
    let destination = content.everyone.destination.time_zone.as_ref();
    for (d, day) in content.everyone.days.iter().enumerate() {
        if day.index().times_fit {
            continue;
        }
        let late = match day.stored() {
            Some(json) => late_stops(&serde_json::from_str(json)?, date_of(content, d), destination),
            None => late_stops(&day.value()?.scan(), date_of(content, d), destination),
        };
        attention.extend(late.into_iter().map(|late| Attention {
            field: format!("days[{d}].stops[{}].startTime", late.stop),
            code: AttentionCode::TimesConflict,
            message: late.message(),
        }));
    }
    Ok(attention)
}

/// The same for an itinerary that is shown: the indexes of the day and of the stop, and what is wrong.
pub fn late_stops_of(itinerary: &Itinerary) -> Vec<(usize, usize, String)> {
    let destination = itinerary.destination.time_zone.as_ref();
    let days = itinerary.days.iter().enumerate();
    let late = |(d, day): (usize, &Day)| {
        let late = late_stops(&day.scan(), nth_date(itinerary.start_date, d), destination);
        late.into_iter().map(|late| (d, late.stop, late.message())).collect::<Vec<_>>()
    };
    days.flat_map(late).collect()
}

/// The date of the day at an index. The first day's date if the day's own would be after the last possible date.
pub fn date_of(content: &Content, day: usize) -> Date {
    nth_date(content.everyone.start_date, day)
}

fn nth_date(start: Date, day: usize) -> Date {
    start.day().checked_add_days(Days::new(day as u64)).and_then(Date::new).unwrap_or(start)
}

/// A stop whose start time cannot be kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LateStop {
    /// Its index in the day.
    pub stop: usize,
    /// By how many minutes the start time is too early.
    pub minutes: u32,
}

impl LateStop {
    /// What is wrong, in English.
    pub fn message(self) -> String {
        let early = match (self.minutes / 60, self.minutes % 60) {
            (0, 1) => "1 minute".to_owned(),
            (0, minutes) => format!("{minutes} minutes"),
            (hours, 0) => format!("{hours} h"),
            (hours, minutes) => format!("{hours} h {minutes} min"),
        };
        format!("The start time is {early} before you can arrive from the previous stop.")
    }
}

/// A cheap check: true if all stops are in one time zone and none starts before the traveller can arrive. False if a time
/// zone has to be looked up to know. Without `destination`, true holds for every destination.
pub(crate) fn is_on_time(day: &Scan, destination: Option<&str>) -> bool {
    // A conflict needs two start times.
    if day.stops.iter().filter(|stop| stop.start_time.is_some()).nth(1).is_none() {
        return true;
    }
    let zones = || day.stops.iter().map(|stop| zone(stop).or(destination));
    let is_one_zone = zones().zip(zones().skip(1)).all(|(one, other)| one == other);
    is_one_zone && late_by(day, |stop| minute_of_day(stop.start_time?)).next().is_none()
}

/// The stops of a day that begin before one can arrive. Without a duration, a stop takes no time.
fn late_stops(day: &Scan, date: Date, destination: Option<&TimeZone>) -> Vec<LateStop> {
    let destination = destination.map(|zone| &**zone);
    if is_on_time(day, destination) {
        return Vec::new();
    }
    let Some(midnight) = Midnight::new(date, destination) else { return Vec::new() };
    let midnight = midnight.across(day.stops.iter().filter_map(zone));
    late_by(day, |stop| midnight.minutes_to(stop.start_time?, zone(stop))).collect()
}

/// The late stops; `minute_of` is when a stop begins, in minutes after some midnight.
fn late_by(day: &Scan, minute_of: impl Fn(&Scan) -> Option<u32>) -> impl Iterator<Item = LateStop> {
    // When the traveller can be at the stop.
    let mut earliest: Option<u32> = None;
    day.stops.iter().enumerate().filter_map(move |(n, stop)| {
        if let Some(minutes) = n.checked_sub(1).map(|before| leg_minutes(day, before)) {
            earliest = earliest.map(|minute| minute.saturating_add(minutes));
        }
        let planned = minute_of(stop);
        let planned = planned.map(|minute| if is_after_midnight(minute, earliest) { minute + A_DAY } else { minute });
        let minutes = earliest.zip(planned).and_then(|(earliest, planned)| earliest.checked_sub(planned));
        let duration = stop.duration_minutes.unwrap_or_default();
        earliest = planned.or(earliest).map(|minute| minute.saturating_add(duration));
        minutes.filter(|minutes| *minutes > 0).map(|minutes| LateStop { stop: n, minutes })
    })
}

/// Whether a time is meant as one after midnight: it would be more than half a day too early.
fn is_after_midnight(minute: u32, earliest: Option<u32>) -> bool {
    earliest.is_some_and(|earliest| earliest > minute + A_DAY / 2)
}

fn minute_of_day(time: &str) -> Option<u32> {
    let (hour, minute) = time.split_once(':')?;
    Some(u32::from(hour.parse::<u8>().ok()?) * 60 + u32::from(minute.parse::<u8>().ok()?))
}

/// The time zone of a stop's place.
fn zone<'s>(stop: &Scan<'s>) -> Option<&'s str> {
    stop.place?.time_zone
}

/// Minutes of the leg from a stop to the next one; 0 if there is none.
fn leg_minutes(day: &Scan, stop: usize) -> u32 {
    let ends = [day.stops[stop].id, day.stops[stop + 1].id];
    let leg = day.legs.iter().find(|leg| [Some(leg.from), Some(leg.to)] == ends);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "minutes, never negative")]
    let minutes = leg.map_or(0.0, |leg| leg.minutes).floor() as u32;
    minutes
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// Stops of an id, a start time and a duration; legs of minutes between them.
    fn late(stops: &[(&str, Option<&str>, Option<i64>)], legs: &[f64]) -> Vec<(usize, u32)> {
        let stop = |(id, time, minutes): &(&str, Option<&str>, Option<i64>)| json!({ "id": id, "name": id, "startTime": time, "durationMinutes": minutes });
        let legs: Vec<Value> = stops
            .windows(2)
            .zip(legs)
            .map(|(pair, minutes)| json!({ "from": pair[0].0, "to": pair[1].0, "mode": "walk", "minutes": minutes }))
            .collect();
        let day = json!({ "stops": stops.iter().map(stop).collect::<Vec<_>>(), "legs": legs });
        let day: Day = serde_json::from_value(day).expect("a day");
        let date = Date::new(chrono::NaiveDate::from_ymd_opt(2027, 5, 1).expect("a date")).expect("in range");
        late_stops(&day.scan(), date, None).into_iter().map(|late| (late.stop, late.minutes)).collect()
    }

    /// Two stops, each with the time zone of its place, on a day of 23 hours in Lisbon.
    fn in_zones(zones: [Option<&str>; 2], destination: Option<&str>) -> Vec<(usize, u32)> {
        let stop = |(n, zone): (usize, Option<&str>)| {
            let place = zone.map(|zone| json!({ "name": "A", "timeZone": zone }));
            let start = ["00:30", "02:30"][n];
            json!({ "id": n.to_string(), "name": "A", "place": place, "startTime": start, "durationMinutes": 90 })
        };
        let stops: Vec<Value> = zones.into_iter().enumerate().map(stop).collect();
        let day: Day = serde_json::from_value(json!({ "stops": stops })).expect("a day");
        let date = Date::new(chrono::NaiveDate::from_ymd_opt(2027, 3, 28).expect("a date")).expect("in range");
        let destination = destination.map(|zone| TimeZone::new(zone).expect("a zone"));
        let late = late_stops(&day.scan(), date, destination.as_ref());
        assert!(late.is_empty() || !is_on_time(&day.scan(), None), "the cheap check missed a late stop");
        late.into_iter().map(|late| (late.stop, late.minutes)).collect()
    }

    #[test]
    fn stops_without_a_time_zone_use_the_destinations() {
        let [lisbon, madrid] = ["Europe/Lisbon", "Europe/Madrid"].map(Some);
        for zones in [[None, None], [lisbon, None], [None, lisbon], [lisbon, lisbon]] {
            assert_eq!(in_zones(zones, lisbon), [], "one time zone: {zones:?}");
        }
        assert_eq!(in_zones([lisbon, madrid], lisbon), [(1, 30)], "from 00:30 to 02:00 UTC, and at 01:30 UTC");
        assert_eq!(in_zones([lisbon, None], madrid), in_zones([lisbon, madrid], lisbon));
        assert_eq!(in_zones([madrid, lisbon], None), []);
    }

    #[test]
    fn a_start_before_the_arrival_is_late() {
        let day = |second: &'static str| [("a", Some("08:00"), Some(30)), ("b", Some(second), None)];
        assert_eq!(late(&day("09:05"), &[117.0]), [(1, 82)]);
        assert_eq!(late(&day("10:27"), &[117.0]), []);
        assert_eq!(late(&day("08:29"), &[]), [(1, 1)], "even without a leg");
        assert_eq!(late(&day("07:00"), &[]), [(1, 90)], "in the wrong order");
    }

    #[test]
    fn stops_without_times_take_their_time() {
        let stops = [("a", Some("08:00"), None), ("b", None, Some(60)), ("c", Some("09:00"), None)];
        assert_eq!(late(&stops, &[20.0, 20.0]), [(2, 40)]);
        assert_eq!(late(&stops[1..], &[20.0]), [], "it is not known when the day begins");
    }

    #[test]
    fn a_day_may_go_on_after_midnight() {
        let stops = [("a", Some("22:00"), Some(120)), ("b", Some("00:30"), None), ("c", Some("00:40"), None)];
        assert_eq!(late(&stops, &[20.0, 30.0]), [(2, 20)]);
    }
}
