//! Times of bookings: with an offset where the file says one, else local.

use chrono::{DateTime, FixedOffset, NaiveDate, NaiveDateTime, Offset as _, TimeDelta, TimeZone as _, Timelike};
use itinerary_api::types::ImportIgnoredCode;
use itinerary_api::values::OffsetTime;
use jiff::tz::TimeZone;

use crate::booking::{Booking, Time};
use crate::item::{End, Item};
use crate::lookup::{self, Lookup};
use crate::normalise::{Cuts, text};

/// The format of a local time in a field.
const LOCAL: &str = "%Y-%m-%dT%H:%M:%S";

/// Sets the times of both ends, and lists those that are left out.
pub(super) fn set_times(item: &mut Item, booking: &Booking, lookup: &dyn Lookup, cuts: &mut Cuts) {
    let [start, end] = item.part.ends();
    for (end, call) in [(start, &booking.start), (end, &booking.end)] {
        set(item, end, call.time.as_ref(), lookup);
        if let Some(time) = &call.time
            && !item.fields.contains_key(end.local_day)
        {
            let message = format!("The date {} was left out: its year is out of range.", time.date());
            cuts.left_out(ImportIgnoredCode::Malformed, &message);
        }
    }
    for text in &booking.unread_times {
        let (text, _) = text::cut(text::line(text).unwrap_or_default(), 50);
        cuts.left_out(ImportIgnoredCode::Malformed, &format!("The time `{text}` was left out: it cannot be read."));
    }
}

fn set(item: &mut Item, end: End, time: Option<&Time>, lookup: &dyn Lookup) {
    match time {
        None => {}
        Some(Time::Day(day)) => set_day(item, end, *day),
        Some(Time::Local(local)) => set_local(item, end, *local),
        Some(Time::Offset(local, minutes)) => set_exact(item, end, *local, *minutes, lookup),
        Some(Time::Zone(local, zone)) => match TimeZone::get(zone).ok().and_then(|zone| offset(*local, &zone)) {
            Some(minutes) => set_exact(item, end, *local, minutes, lookup),
            None => set_local(item, end, *local),
        },
    }
}

/// Sets a date-time, and the day that it is at its place.
fn set_exact(item: &mut Item, end: End, local: NaiveDateTime, minutes: i32, lookup: &dyn Lookup) {
    let Some(text) = with_offset(local, minutes) else { return set_local(item, end, local) };
    let day = lookup::zone(item, end, lookup).and_then(|zone| day_in(&text, &zone)).unwrap_or(local.date());
    item.fields.insert(end.date.to_owned(), (*text).into());
    set_day(item, end, day);
}

fn set_local(item: &mut Item, end: End, local: NaiveDateTime) {
    if is_in_range(local.date()) {
        item.fields.insert(end.local.to_owned(), local.format(LOCAL).to_string().into());
        set_day(item, end, local.date());
    }
}

fn set_day(item: &mut Item, end: End, day: NaiveDate) {
    if is_in_range(day) {
        item.fields.insert(end.local_day.to_owned(), day.to_string().into());
    }
}

fn is_in_range(day: NaiveDate) -> bool {
    itinerary_api::values::Date::new(day).is_some()
}

/// Sets the days of an item of an itinerary from its date-times, at their places.
pub(crate) fn set_days(item: &mut Item, lookup: &dyn Lookup) {
    for end in item.part.ends() {
        if let Some(time) = item.text(end.date).and_then(|time| OffsetTime::new(time).ok()) {
            let day = lookup::zone(item, end, lookup).and_then(|zone| day_in(&time, &zone));
            set_day(item, end, day.unwrap_or_else(|| time.instant().date_naive()));
        }
    }
}

/// The local time of a field that [`set_times`] wrote.
pub(crate) fn local(item: &Item, end: End) -> Option<NaiveDateTime> {
    NaiveDateTime::parse_from_str(item.text(end.local)?, LOCAL).ok()
}

/// A date-time with an offset in minutes. `None` outside the API's years.
pub(crate) fn with_offset(local: NaiveDateTime, minutes: i32) -> Option<OffsetTime> {
    let offset = FixedOffset::east_opt(minutes.checked_mul(60)?)?;
    let time = offset.from_local_datetime(&local.with_nanosecond(0)?).single()?;
    OffsetTime::new(time.format("%Y-%m-%dT%H:%M:%S%:z").to_string()).ok()
}

/// The date-time of a local time in a zone.
pub(crate) fn in_zone(local: NaiveDateTime, zone: &TimeZone) -> Option<OffsetTime> {
    with_offset(local, offset(local, zone)?)
}

/// The offset of a zone at a local time, in minutes.
fn offset(local: NaiveDateTime, zone: &TimeZone) -> Option<i32> {
    let civil: jiff::civil::DateTime = local.format(LOCAL).to_string().parse().ok()?;
    let timestamp = zone.to_ambiguous_timestamp(civil).compatible().ok()?;
    Some(zone.to_offset(timestamp).seconds() / 60)
}

/// The local time of a date-time in a zone.
pub(crate) fn local_in(time: &DateTime<FixedOffset>, zone: &TimeZone) -> Option<NaiveDateTime> {
    let timestamp = jiff::Timestamp::from_second(time.timestamp()).ok()?;
    let seconds = zone.to_offset(timestamp).seconds();
    time.naive_utc().checked_add_signed(TimeDelta::seconds(seconds.into()))
}

fn day_in(time: &OffsetTime, zone: &TimeZone) -> Option<NaiveDate> {
    local_in(&time.instant(), zone).map(|local| local.date())
}

/// The offset of a date-time in minutes.
pub(crate) fn minutes_of(time: &DateTime<FixedOffset>) -> i32 {
    time.offset().fix().local_minus_utc() / 60
}
