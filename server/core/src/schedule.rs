//! Start times that cannot be kept, because the stops before them and the legs between them take longer.

use chrono::Days;
use itinerary_api::types::{Attention, AttentionCode, Day, Itinerary, Leg, Stop};
use itinerary_api::values::{Date, ItemId, LocalTime, Measure, TimeZone};
use serde::Deserialize;

use crate::content::Content;
use crate::daytime::Midnight;

/// Minutes of a day.
const A_DAY: u32 = 1_440;

/// The start times of all days that cannot be kept.
pub fn conflicts(content: &Content) -> serde_json::Result<Vec<Attention>> {
    let mut attention = Vec::new();
    let destination = content.everyone.destination.time_zone.as_ref();
    for (d, day) in content.everyone.days.iter().enumerate() {
        if day.index().stops.iter().filter(|stop| stop.has_time).count() < 2 {
            continue;
        }
        let day = match day.stored() {
            Some(json) => serde_json::from_str(json)?,
            None => TimedDay::from(&*day.value()?),
        };
        attention.extend(late_stops(&day, date_of(content, d), destination).into_iter().map(|late| Attention {
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
        let late = late_stops(&day.into(), nth_date(itinerary.start_date, d), destination);
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

/// The stops of a day that begin before one can arrive. Without a duration, a stop takes no time.
fn late_stops(day: &TimedDay, date: Date, destination: Option<&TimeZone>) -> Vec<LateStop> {
    // Most days are in one time zone and have no late stop; then no time zone is looked up.
    let zones = || day.stops.iter().map(|stop| stop.zone().or(destination));
    let is_one_zone = zones().zip(zones().skip(1)).all(|(one, other)| one == other);
    if is_one_zone && late_by(day, |stop| stop.start_time.as_ref().and_then(minute_of_day)).is_empty() {
        return Vec::new();
    }
    let Some(midnight) = Midnight::new(date, destination) else { return Vec::new() };
    let midnight = midnight.across(day.stops.iter().filter_map(TimedStop::zone));
    late_by(day, |stop| stop.start_time.as_ref().and_then(|time| midnight.minutes_to(time, stop.zone())))
}

/// The late stops; `minute_of` is when a stop begins, in minutes after some midnight.
fn late_by(day: &TimedDay, minute_of: impl Fn(&TimedStop) -> Option<u32>) -> Vec<LateStop> {
    let mut late = Vec::new();
    // When the traveller can be at the stop.
    let mut earliest: Option<u32> = None;
    for (n, stop) in day.stops.iter().enumerate() {
        if let Some(minutes) = n.checked_sub(1).map(|before| day.leg_minutes(before)) {
            earliest = earliest.map(|minute| minute.saturating_add(minutes));
        }
        let planned = minute_of(stop);
        let planned = planned.map(|minute| if is_after_midnight(minute, earliest) { minute + A_DAY } else { minute });
        if let Some(minutes) = earliest.zip(planned).and_then(|(earliest, planned)| earliest.checked_sub(planned))
            && minutes > 0
        {
            late.push(LateStop { stop: n, minutes });
        }
        earliest = planned.or(earliest).map(|minute| minute.saturating_add(stop.duration()));
    }
    late
}

/// Whether a time is meant as one after midnight: it would be more than half a day too early.
fn is_after_midnight(minute: u32, earliest: Option<u32>) -> bool {
    earliest.is_some_and(|earliest| earliest > minute + A_DAY / 2)
}

fn minute_of_day(time: &LocalTime) -> Option<u32> {
    let (hour, minute) = time.split_once(':')?;
    Some(hour.parse::<u32>().ok()? * 60 + minute.parse::<u32>().ok()?)
}

/// The fields of a day that its schedule depends on. Stored days are read without the others.
#[derive(Default, Deserialize)]
#[serde(default)]
struct TimedDay {
    stops: Vec<TimedStop>,
    legs: Vec<TimedLeg>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct TimedStop {
    id: Option<ItemId>,
    start_time: Option<LocalTime>,
    duration_minutes: Option<u32>,
    place: Option<TimedPlace>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct TimedPlace {
    time_zone: Option<TimeZone>,
}

#[derive(Deserialize)]
struct TimedLeg {
    from: ItemId,
    to: ItemId,
    #[serde(default)]
    minutes: f64,
}

impl TimedStop {
    fn zone(&self) -> Option<&TimeZone> {
        self.place.as_ref()?.time_zone.as_ref()
    }

    fn duration(&self) -> u32 {
        self.duration_minutes.unwrap_or_default()
    }
}

impl TimedDay {
    /// Minutes of the leg from a stop to the next one; 0 if there is none.
    fn leg_minutes(&self, stop: usize) -> u32 {
        let ends = [self.stops[stop].id.as_ref(), self.stops[stop + 1].id.as_ref()];
        let leg = self.legs.iter().find(|leg| [Some(&leg.from), Some(&leg.to)] == ends);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "minutes, never negative")]
        let minutes = leg.map_or(0.0, |leg| leg.minutes).floor() as u32;
        minutes
    }
}

impl From<&Day> for TimedDay {
    fn from(day: &Day) -> Self {
        let stop = |stop: &Stop| TimedStop {
            id: stop.id.clone(),
            start_time: stop.start_time.clone(),
            duration_minutes: stop.duration_minutes.and_then(|minutes| u32::try_from(minutes.get()).ok()),
            place: stop.place.as_ref().map(|place| TimedPlace { time_zone: place.time_zone.clone() }),
        };
        let leg = |leg: &Leg| TimedLeg {
            from: leg.from.clone(),
            to: leg.to.clone(),
            minutes: leg.minutes.map_or(0.0, Measure::get),
        };
        Self { stops: day.stops.iter().map(stop).collect(), legs: day.legs.iter().map(leg).collect() }
    }
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
        late_stops(&TimedDay::from(&day), date, None).into_iter().map(|late| (late.stop, late.minutes)).collect()
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
