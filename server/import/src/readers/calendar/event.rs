//! Events of a calendar with the properties that are read.

use calcard::common::PartialDateTime;
use calcard::common::timezone::Tz;
use calcard::icalendar::timezone::TzResolver;
use calcard::icalendar::{
    ICalendarComponent, ICalendarDuration, ICalendarEntry, ICalendarProperty, ICalendarStatus, ICalendarValue, Uri,
};
use chrono::{DateTime, Days, NaiveDate, NaiveDateTime, TimeDelta, Utc};

use crate::booking::Time;
use crate::readers::text;

/// The most bytes of a description that are read.
const LONGEST_DESCRIPTION: usize = 20_000;
/// The most characters of a name and of a location.
const LONGEST_LINE: usize = 1_000;

/// One event.
#[derive(Clone, Debug, Default)]
pub(super) struct Event {
    pub(super) uid: String,
    /// What it is called, in one line and without `Canceled:`.
    pub(super) summary: String,
    /// The description as plain text.
    pub(super) description: String,
    pub(super) location: Option<String>,
    pub(super) start: Option<Time>,
    /// The end. Of an event of whole days its last day.
    pub(super) end: Option<Time>,
    pub(super) coordinate: Option<(f64, f64)>,
    pub(super) is_cancelled: bool,
    pub(super) repeats: bool,
    pub(super) modified: Option<DateTime<Utc>>,
    pub(super) url: Option<String>,
    pub(super) categories: Vec<String>,
    /// KDE's reservations as JSON-LD.
    pub(super) reservations: Option<String>,
    /// This service's booking: JSON in base64.
    pub(super) item: Option<String>,
}

impl Event {
    pub(super) fn read(component: &ICalendarComponent, zones: &TzResolver<&str>) -> Self {
        let mut event = Self::default();
        let mut duration = None;
        let mut stamp = None;
        for entry in &component.entries {
            match &entry.name {
                ICalendarProperty::Uid => event.uid = words(entry),
                ICalendarProperty::Summary => event.summary = line(&words(entry)),
                ICalendarProperty::Description => event.description = description(&words(entry)),
                ICalendarProperty::Location => event.location = text::some(&line(&words(entry))),
                ICalendarProperty::Dtstart => event.start = time(entry, zones),
                ICalendarProperty::Dtend => event.end = time(entry, zones),
                ICalendarProperty::Duration => duration = lasts(entry),
                ICalendarProperty::Rrule | ICalendarProperty::Rdate => event.repeats = true,
                ICalendarProperty::Geo => event.coordinate = coordinate(entry),
                ICalendarProperty::Status => {
                    event.is_cancelled =
                        matches!(entry.values.first(), Some(ICalendarValue::Status(ICalendarStatus::Cancelled)));
                }
                ICalendarProperty::LastModified => event.modified = instant(entry),
                ICalendarProperty::Dtstamp => stamp = instant(entry),
                ICalendarProperty::Url => event.url = Some(words(entry)).filter(|url| url.starts_with("http")),
                ICalendarProperty::Categories => event.categories.extend(entry.values.iter().filter_map(value_words)),
                ICalendarProperty::Other(name) if name.eq_ignore_ascii_case("X-KDE-KITINERARY-RESERVATION") => {
                    event.reservations = Some(words(entry));
                }
                ICalendarProperty::Other(name) if name.eq_ignore_ascii_case("X-ITINERARY-ITEM") => {
                    event.item = Some(words(entry));
                }
                _ => {}
            }
        }
        event.modified = event.modified.or(stamp);
        event.set_end(duration);
        event.take_cancelled();
        event
    }

    /// Sets the end by the duration if it has none, and makes the end of whole days, which is exclusive, the last day.
    fn set_end(&mut self, duration: Option<TimeDelta>) {
        let after = |local: NaiveDateTime| local.checked_add_signed(duration?);
        self.end = match (&self.start, self.end.take()) {
            (Some(Time::Day(start)), Some(Time::Day(end))) => {
                end.checked_sub_days(Days::new(1)).filter(|last| last > start).map(Time::Day)
            }
            (Some(Time::Offset(local, minutes)), None) => after(*local).map(|end| Time::Offset(end, *minutes)),
            (Some(Time::Zone(local, zone)), None) => after(*local).map(|end| Time::Zone(end, zone.clone())),
            (Some(Time::Local(local)), None) => after(*local).map(Time::Local),
            (start, end) => end.filter(|end| Some(end) != start.as_ref()),
        };
    }

    /// Reads a cancellation that is said by the name alone.
    fn take_cancelled(&mut self) {
        let starts = [
            "canceled:",
            "cancelled:",
            "abgesagt:",
            "storniert:",
            "annulé:",
            "annulé :",
            "cancelado:",
            "cancelada:",
            "annullato:",
        ];
        let lower = self.summary.to_lowercase();
        if let Some(start) = starts.iter().find(|start| lower.starts_with(**start)) {
            self.is_cancelled = true;
            let rest: String = self.summary.chars().skip(start.chars().count()).collect();
            self.summary = line(&rest);
        }
    }

    /// The lines of the description that are not blank, trimmed.
    pub(super) fn lines(&self) -> impl Iterator<Item = &str> {
        self.description.lines().map(str::trim).filter(|line| !line.is_empty())
    }

    pub(super) fn has_category(&self, name: &str) -> bool {
        self.categories.iter().any(|category| category.eq_ignore_ascii_case(name))
    }

    /// The local date of the start.
    pub(super) fn start_date(&self) -> Option<NaiveDate> {
        self.start.as_ref().map(Time::date)
    }

    /// The local date of the end.
    pub(super) fn end_date(&self) -> Option<NaiveDate> {
        self.end.as_ref().map(Time::date)
    }
}

fn description(words: &str) -> String {
    let mut end = words.len().min(LONGEST_DESCRIPTION);
    while !words.is_char_boundary(end) {
        end -= 1;
    }
    text::plain(&words[..end]).into_owned()
}

/// The text in one line, cut after so many characters.
fn line(text: &str) -> String {
    let start: String = text.chars().take(LONGEST_LINE).collect();
    start.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn value_words(value: &ICalendarValue) -> Option<String> {
    match value {
        ICalendarValue::Text(text) | ICalendarValue::Uri(Uri::Location(text)) => text::some(text),
        _ => None,
    }
}

/// The words of all values, as they were before they were split at commas.
fn words(entry: &ICalendarEntry) -> String {
    entry.values.iter().filter_map(value_words).collect::<Vec<_>>().join(", ")
}

fn coordinate(entry: &ICalendarEntry) -> Option<(f64, f64)> {
    match entry.values.as_slice() {
        [ICalendarValue::Float(latitude), ICalendarValue::Float(longitude)] => {
            let is_one = latitude.abs() <= 90.0 && longitude.abs() <= 180.0 && (*latitude, *longitude) != (0.0, 0.0);
            is_one.then_some((*latitude, *longitude))
        }
        _ => None,
    }
}

fn lasts(entry: &ICalendarEntry) -> Option<TimeDelta> {
    let Some(ICalendarValue::Duration(duration)) = entry.values.first() else { return None };
    let ICalendarDuration { neg: false, weeks, days, hours, minutes, seconds } = duration else { return None };
    let days = i64::from(*weeks) * 7 + i64::from(*days);
    let seconds = ((days * 24 + i64::from(*hours)) * 60 + i64::from(*minutes)) * 60 + i64::from(*seconds);
    TimeDelta::try_seconds(seconds)
}

fn partial(entry: &ICalendarEntry) -> Option<&PartialDateTime> {
    match entry.values.first()? {
        ICalendarValue::PartialDateTime(time) => Some(time),
        _ => None,
    }
}

/// The date and the time of day, if there is one.
fn local(time: &PartialDateTime) -> Option<(NaiveDate, Option<NaiveDateTime>)> {
    let date = NaiveDate::from_ymd_opt(time.year?.into(), time.month?.into(), time.day?.into())?;
    let clock = || date.and_hms_opt(time.hour?.into(), time.minute.unwrap_or_default().into(), 0);
    Some((date, clock()))
}

fn time(entry: &ICalendarEntry, zones: &TzResolver<&str>) -> Option<Time> {
    let partial = partial(entry)?;
    let (date, clock) = local(partial)?;
    let Some(clock) = clock else { return Some(Time::Day(date)) };
    if let Some(hours) = partial.tz_hour {
        let minutes = i32::from(hours) * 60 + i32::from(partial.tz_minute.unwrap_or_default());
        return Some(Time::Offset(clock, if partial.tz_minus { -minutes } else { minutes }));
    }
    let zone = entry.tz_id().and_then(|id| zones.resolve(id));
    Some(match zone {
        Some(zone) if zone.is_utc() => Time::Offset(clock, 0),
        Some(Tz::Fixed(offset)) => Time::Offset(clock, offset.local_minus_utc() / 60),
        Some(zone) => zone.name().map_or(Time::Local(clock), |name| Time::Zone(clock, name.into_owned())),
        None => Time::Local(clock),
    })
}

/// An instant. Times of changes are in UTC.
fn instant(entry: &ICalendarEntry) -> Option<DateTime<Utc>> {
    local(partial(entry)?)?.1.map(|local| local.and_utc())
}
