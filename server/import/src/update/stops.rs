//! Places to see as stops: by day and time, else by folder.

use std::ops::Range;

use chrono::{Days, NaiveDate};
use itinerary_api::types::{Day, ImportIgnoredCode, ImportState, ImportedChange, Name, Stop};
use itinerary_api::values::{Date, List, LocalTime, limits};
use jiff::tz::TimeZone;
use serde_json::Value;

use super::Update;
use super::compare::differences;
use crate::booking::{Time, Waypoint};
use crate::finish;
use crate::gather::Gathered;
use crate::item::{Fields, Item, Part, flatten, fold, kilometres, unflatten};
use crate::lookup::Lookup;
use crate::normalise::{self, Cuts, text, time};

/// Stops of one name that are so near are one, in kilometres.
const NEAR: f64 = 0.5;

/// A place to see, on the way to a stop.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    fields: Fields,
    day: Option<NaiveDate>,
    folder: Option<String>,
    source: usize,
}

/// The places to see of all files: those with a day first, by day and time.
pub(crate) fn candidates(gathered: &mut Gathered, lookup: &dyn Lookup) -> Vec<Candidate> {
    let mut found = Vec::new();
    for source in 0..gathered.origins.len() {
        for waypoint in &gathered.origins[source].found.waypoints {
            let mut cuts = Cuts::default();
            found.extend(candidate(waypoint, source, lookup, &mut cuts));
            for (code, message) in cuts.0 {
                gathered.ignore(Some(source), code, message);
            }
        }
    }
    found.sort_by_key(|found| {
        let clock = found.fields.get("startTime").and_then(Value::as_str).map(str::to_owned);
        (found.day.is_none(), found.day, found.day.and(clock))
    });
    found
}

fn candidate(waypoint: &Waypoint, source: usize, lookup: &dyn Lookup, cuts: &mut Cuts) -> Option<Candidate> {
    let mut item = Item::new(Part::Reservations, source);
    let end = Part::Reservations.start();
    normalise::spot(&mut item, end, &waypoint.place, cuts);
    let point = waypoint.place.coordinate.map(|(latitude, longitude)| format!("{latitude:.5}, {longitude:.5}"));
    let name = item.fields.remove("place.name").and_then(|name| name.as_str().map(str::to_owned));
    let address = item.at("place", "address").and_then(Value::as_str).map(str::to_owned);
    normalise::set(&mut item, "name", Some(&name.or(address).or(point)?), cuts);
    if let Some(notes) = waypoint.notes.as_deref().and_then(text::lines) {
        let notes = cuts.fit("notes", notes, limits::NOTES);
        item.fields.insert("notes".to_owned(), notes.into());
    }
    let (day, clock) = day_and_clock(waypoint, lookup);
    if let Some(clock) = clock {
        item.fields.insert("startTime".to_owned(), (*clock).into());
    }
    finish::name_places(&mut item);
    item.fields.retain(|path, _| !path.starts_with('@'));
    let folder = waypoint.folder.last().and_then(|folder| text::line(folder));
    Some(Candidate { fields: item.fields, day, folder: folder.map(|folder| text::cut(folder, limits::NAME).0), source })
}

/// The local day and time. A time in UTC is local only where the zone of its coordinate is known.
fn day_and_clock(waypoint: &Waypoint, lookup: &dyn Lookup) -> (Option<NaiveDate>, Option<LocalTime>) {
    let local = match &waypoint.time {
        None => return (None, None),
        Some(Time::Day(day)) => return (Date::new(*day).map(Date::day), None),
        Some(Time::Offset(utc, 0)) => {
            let zone = waypoint.place.coordinate.and_then(|(lat, lon)| lookup.zone_at(lat, lon));
            let zone = zone.and_then(|name| TimeZone::get(&name).ok());
            let instant = time::with_offset(*utc, 0).map(|time| time.instant());
            match zone.zip(instant).and_then(|(zone, instant)| time::local_in(&instant, &zone)) {
                Some(local) => local,
                None => return (Date::new(utc.date()).map(Date::day), None),
            }
        }
        Some(Time::Offset(local, _) | Time::Zone(local, _) | Time::Local(local)) => *local,
    };
    let day = Date::new(local.date()).map(Date::day);
    (day, LocalTime::new(local.format("%H:%M").to_string()).ok())
}

/// The days of stops that have one.
pub(crate) fn dates(candidates: &[Candidate]) -> impl Iterator<Item = NaiveDate> {
    candidates.iter().filter_map(|candidate| candidate.day)
}

/// Adds stops to days of which the first is on `start`.
pub(crate) fn add(
    update: &mut Update,
    gathered: &mut Gathered,
    days: &mut Vec<Day>,
    start: Option<NaiveDate>,
    candidates: &[Candidate],
) {
    let mut layout = Layout { is_new: days.iter().all(|day| day.stops.is_empty()), first_free: 0 };
    let mut left_out = 0;
    for candidate in candidates {
        let day = candidate.day.map(|day| start.and_then(|start| index(start, day)));
        let (from, until) = match day {
            Some(None) => {
                left_out += 1;
                continue;
            }
            Some(Some(at)) => (at, at + 1),
            None => (0, days.len()),
        };
        let placed = match same(days, from..until.min(days.len()), candidate, update.overwrite) {
            Some((at, stop)) => Some((at, stop, merge(&mut days[at].stops[stop], candidate, update.overwrite))),
            None => layout
                .day(days, day.flatten(), candidate.folder.as_deref())
                .and_then(|at| Some((at, insert(&mut days[at], candidate)?, (ImportState::Added, Vec::new())))),
        };
        let Some((at, stop, (state, changes))) = placed else {
            left_out += 1;
            continue;
        };
        update.report(gathered, candidate.source, format!("days[{at}].stops[{stop}]"), state, changes);
    }
    if left_out > 0 {
        let message = format!("{left_out} stops were left out: their days are full or not within the trip's.");
        gathered.ignore(None, ImportIgnoredCode::TooLarge, message);
    }
}

/// The index of a day. `None` before the first and beyond the API's number.
fn index(start: NaiveDate, day: NaiveDate) -> Option<usize> {
    let at = usize::try_from((day - start).num_days()).ok()?;
    (at < limits::DAYS).then_some(at)
}

/// Where stops without a day go.
struct Layout {
    is_new: bool,
    /// The first day that no folder has.
    first_free: usize,
}

impl Layout {
    /// The index of the day for a stop; days are added as needed. `None` if there is no room.
    fn day(&mut self, days: &mut Vec<Day>, day: Option<usize>, folder: Option<&str>) -> Option<usize> {
        let numbered = || folder?.strip_prefix("Day ")?.parse::<usize>().ok()?.checked_sub(1);
        if let Some(at) = day.or_else(numbered).filter(|at| *at < limits::DAYS) {
            while days.len() <= at {
                days.push(Day::default());
            }
            return has_room(&days[at]).then_some(at);
        }
        let Some(folder) = folder else { return self.free(days, None) };
        let is_its = |day: &Day| day.title.as_ref().is_some_and(|title| fold(title) == fold(folder)) && has_room(day);
        match days.iter().position(is_its) {
            Some(at) => Some(at),
            None => self.free(days, Some(folder)),
        }
    }

    /// A day that no folder has; in a trip that has stops, a new one.
    fn free(&mut self, days: &mut Vec<Day>, title: Option<&str>) -> Option<usize> {
        if !self.is_new {
            self.first_free = self.first_free.max(days.len());
            self.is_new = true;
        }
        while days.get(self.first_free).is_some_and(|day| day.title.is_some() || !has_room(day)) {
            self.first_free += 1;
        }
        if self.first_free >= limits::DAYS {
            return None;
        }
        while days.len() <= self.first_free {
            days.push(Day::default());
        }
        let at = self.first_free;
        if let Some(title) = title {
            days[at].title = Name::new(title).ok();
            self.first_free += 1;
        }
        Some(at)
    }
}

fn has_room(day: &Day) -> bool {
    day.stops.len() < limits::STOPS
}

/// The stop of these days that is the same: its day and its index. Several may have the name; then one in which the candidate
/// changes nothing, so that importing again changes nothing: of these the one that differs least.
fn same(days: &[Day], range: Range<usize>, candidate: &Candidate, overwrite: bool) -> Option<(usize, usize)> {
    let name = fold(candidate.fields.get("name")?.as_str()?);
    let place = point(&candidate.fields);
    let is_same = |stop: &Stop| {
        let own = stop.place.as_ref().and_then(|place| place.coordinate);
        let own = own.map(|own| (own.latitude.get(), own.longitude.get()));
        let is_near = place.zip(own).is_none_or(|(a, b)| kilometres(a, b) < NEAR);
        is_near && fold(&stop.name) == name
    };
    let all = range.flat_map(|at| days[at].stops.iter().enumerate().map(move |(index, stop)| (at, index, stop)));
    let change = |stop: &Stop| match merge(&mut stop.clone(), candidate, overwrite) {
        (ImportState::Unchanged, differences) => differences.len(),
        _ => usize::MAX,
    };
    all.filter(|(_, _, stop)| is_same(stop)).min_by_key(|(_, _, stop)| change(stop)).map(|(at, index, _)| (at, index))
}

fn point(fields: &Fields) -> Option<(f64, f64)> {
    let coordinate = fields.get("place.coordinate")?;
    Some((coordinate.get("latitude")?.as_f64()?, coordinate.get("longitude")?.as_f64()?))
}

/// Fills the empty fields of a stop, or replaces them.
fn merge(stop: &mut Stop, candidate: &Candidate, overwrite: bool) -> (ImportState, Vec<ImportedChange>) {
    let mut known = Fields::new();
    if let Ok(value) = serde_json::to_value(&*stop) {
        flatten("", value, &mut known);
    }
    let mut result = known.clone();
    let changes = differences(&known, &candidate.fields, &mut result, overwrite);
    let typed = serde_json::from_value::<Stop>(Value::Object(unflatten(&result)));
    match typed {
        Ok(typed) if typed != *stop => {
            *stop = typed;
            (ImportState::Updated, changes)
        }
        _ => (ImportState::Unchanged, changes),
    }
}

/// Inserts a stop before the first that starts later, and removes the leg that it interrupts.
fn insert(day: &mut Day, candidate: &Candidate) -> Option<usize> {
    let stop: Stop = serde_json::from_value(Value::Object(unflatten(&candidate.fields))).ok()?;
    let later =
        |other: &Stop| matches!((&stop.start_time, &other.start_time), (Some(own), Some(time)) if **time > **own);
    let at = day.stops.iter().position(later).unwrap_or(day.stops.len());
    let interrupted = at.checked_sub(1).and_then(|before| day.stops[before].id.clone());
    let followed = day.stops.get(at).is_some();
    day.stops.insert(at, stop).ok()?;
    if followed {
        day.legs.retain(|leg| Some(&leg.from) != interrupted.as_ref());
    }
    Some(at)
}

/// As many empty days as there are dates from `first` to `last`. `None` if those are too many.
pub(crate) fn empty_days(first: NaiveDate, last: NaiveDate) -> Option<Vec<Day>> {
    let count = index(first, last)? + 1;
    first.checked_add_days(Days::new(u64::try_from(count).ok()?))?;
    Some(vec![Day::default(); count])
}

/// The days as the API's list.
pub(crate) fn list<T, const MAX: usize>(mut items: Vec<T>) -> List<T, MAX> {
    items.truncate(MAX);
    List::new(items).unwrap_or_default()
}
