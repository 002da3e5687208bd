//! What a traveller needs to know while a trip runs: which day it is, and what is next.

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use jiff::civil;
use jiff::tz::TimeZone;

use crate::agenda;
use crate::moment::{Moment, Zone};
use crate::text;
use crate::trip::{Trip, TripDay};

/// The current day of a trip that runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Today {
    /// 1 for the first day.
    pub day: usize,
    /// `Tuesday 17 June`.
    pub date: String,
    /// `None` if nothing more is planned.
    pub next: Option<Next>,
}

/// The next departure, arrival, check-in, check-out, reservation or stop of the day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Next {
    /// The local time, `14:05`. `None` for a booking of which only the date is known, and for a stop without a start time.
    pub time: Option<String>,
    /// The time zone of the time in words, if it is not the destination's.
    pub zone: Option<String>,
    pub name: String,
    /// The id of its section on the page.
    pub anchor: String,
}

impl Today {
    /// The day of the trip on which `now` is, in the time zone of the destination. `None` before the first day, after the
    /// last one, and if the time zone is unknown.
    pub fn of(trip: &Trip<'_>, now: DateTime<Utc>) -> Option<Self> {
        let now = jiff::Timestamp::from_millisecond(now.timestamp_millis()).ok()?;
        let destination = trip.itinerary.destination.time_zone.as_deref()?;
        let date = TimeZone::get(destination).ok()?.to_datetime(now).date();
        let day = trip.days.iter().find(|day| day.date == date)?;
        let booked = booked(trip, date, now, destination);
        let planned = planned(day, now, destination);
        let next = [booked, planned].into_iter().flatten().min_by_key(|(at, _)| *at).map(|(_, next)| next);
        Some(Self {
            day: day.number,
            date: date.strftime("%A %-d %B").to_string(),
            next: next.or_else(|| booked_without_a_time(trip, date)).or_else(|| without_a_time(day, now)),
        })
    }
}

/// Whether a trip runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// It begins after this many days.
    Ahead(i64),
    /// It is on this day; 1 is the first.
    Runs(i64),
    Over,
}

impl Stage {
    /// The stage of a trip of so many days in the time zone of its destination, or in UTC if that is unknown. A trip
    /// without days takes one.
    pub fn of(first: NaiveDate, days: i64, zone: Option<&str>, now: DateTime<Utc>) -> Self {
        let zone = zone.and_then(|zone| TimeZone::get(zone).ok()).unwrap_or(TimeZone::UTC);
        let offset = jiff::Timestamp::from_second(now.timestamp()).map_or(0, |now| zone.to_offset(now).seconds());
        let passed = ((now + TimeDelta::seconds(offset.into())).date_naive() - first).num_days();
        match passed {
            ahead if ahead < 0 => Self::Ahead(-ahead),
            passed if passed < days.max(1) => Self::Runs(passed + 1),
            _ => Self::Over,
        }
    }
}

type Timed = (jiff::Timestamp, Next);

/// The next booking of a date that has a time.
fn booked(trip: &Trip<'_>, date: civil::Date, now: jiff::Timestamp, destination: &str) -> Option<Timed> {
    agenda::bookings(trip).iter().filter(|booking| booking.date == date).find_map(|booking| {
        let moment = booking.at?;
        let at = moment.instant.filter(|at| *at > now)?;
        let (time, zone) = (Some(moment.time()), elsewhere(moment, destination));
        Some((at, Next { time, zone, name: booking.name(), anchor: booking.anchor() }))
    })
}

/// The first booking of a date whose time is unknown. It precedes stops without a time, because one can miss it.
fn booked_without_a_time(trip: &Trip<'_>, date: civil::Date) -> Option<Next> {
    let bookings = agenda::bookings(trip);
    let booking = bookings.iter().find(|booking| booking.date == date && booking.at.is_none())?;
    Some(Next { time: None, zone: None, name: booking.name(), anchor: booking.anchor() })
}

/// The next stop of a day that has a start time.
fn planned(day: &TripDay<'_>, now: jiff::Timestamp, destination: &str) -> Option<Timed> {
    let timed = day.stops.iter().filter_map(|stop| {
        let starts = stop.starts.as_ref()?;
        let at = starts.instant.filter(|at| *at > now)?;
        let (time, zone) = (Some(starts.time()), elsewhere(starts, destination));
        Some((at, Next { time, zone, name: text::line(&stop.stop.name), anchor: anchor(day) }))
    });
    timed.min_by_key(|(at, _)| *at)
}

/// The first stop without a start time after the last one that has begun.
fn without_a_time(day: &TripDay<'_>, now: jiff::Timestamp) -> Option<Next> {
    let has_begun = |at: &Moment| at.instant.is_some_and(|at| at <= now);
    let begun = day.stops.iter().rposition(|stop| stop.starts.as_ref().is_some_and(has_begun));
    let rest = &day.stops[begun.map_or(0, |begun| begun + 1)..];
    let stop = rest.iter().find(|stop| stop.starts.is_none())?;
    Some(Next { time: None, zone: None, name: text::line(&stop.stop.name), anchor: anchor(day) })
}

fn anchor(day: &TripDay<'_>) -> String {
    format!("day-{}", day.number)
}

/// The zone of a time in words, unless it is the destination's.
fn elsewhere(at: &Moment, destination: &str) -> Option<String> {
    match &at.zone {
        Zone::Named { name, .. } if name == destination => None,
        Zone::Named { name, .. } => Some(format!("{} time", crate::html::city(name))),
        Zone::Offset(_) => Some(at.zone_words()),
        Zone::Floating => None,
    }
}

#[cfg(test)]
mod tests;
