//! Moves a trip to other dates: the start date, and the dates of bookings and expenses, by the same number of days.
//!
//! Local times stay. Where the time zone of a place is known, the offset is that of the new date.

use chrono::{DateTime, FixedOffset, NaiveDate, NaiveDateTime, TimeDelta};
use itinerary_api::read::FieldError;
use itinerary_api::types::{Attention, AttentionCode, ConfirmationNumber, Coordinate, Place, Tickets};
use itinerary_api::values::{Date, OffsetTime, TimeZone};
use jiff::tz::{self, AmbiguousOffset};

use crate::content::{Content, Part};
use crate::entry::{Entry, ListItem};
use crate::entry_path::EntryPath;

const OUT_OF_RANGE: &str = "would be outside the years 1900 to 2200";

/// Why a trip cannot be moved.
#[derive(Debug)]
pub enum Refusal {
    /// A date would be out of range.
    Invalid(FieldError),
    /// The stored data is corrupt.
    Corrupt(serde_json::Error),
}

impl From<serde_json::Error> for Refusal {
    fn from(error: serde_json::Error) -> Self {
        Self::Corrupt(error)
    }
}

/// The time zone at a coordinate.
pub type ZoneAt = fn(&Coordinate) -> Option<TimeZone>;

/// Moves a trip by so many days. Returns what the traveller should check: bookings with tickets or a confirmation number,
/// and local times that do not exist on the new date or occur twice on the old one.
pub fn shift(content: &mut Content, days: i64, zone_at: ZoneAt) -> Result<Vec<Attention>, Refusal> {
    let mut shift = Shift { days: TimeDelta::days(days), attention: Vec::new() };
    if days == 0 {
        return Ok(shift.attention);
    }
    shift.start_date(content)?;
    Part::ALL.into_iter().try_for_each(|part| shift.part(part, content, zone_at))?;
    Ok(shift.attention)
}

struct Shift {
    days: TimeDelta,
    attention: Vec<Attention>,
}

impl Shift {
    fn start_date(&self, content: &mut Content) -> Result<(), Refusal> {
        let moved = self.moved(content.everyone.start_date);
        content.everyone.start_date =
            moved.ok_or_else(|| Refusal::Invalid(FieldError::new("startDate", OUT_OF_RANGE)))?;
        Ok(())
    }

    fn part(&mut self, part: Part, content: &mut Content, zone_at: ZoneAt) -> Result<(), Refusal> {
        let Content { members, pro, .. } = content;
        let zone = |place: &Option<Place>| zone(place.as_ref(), zone_at);
        match part {
            Part::Flights => self.each(part, &mut members.flights, |shift, path, flight| {
                let (from, to) = (zone(&flight.departure_airport), zone(&flight.arrival_airport));
                shift.time(path, "departureDate", &mut flight.departure_date, from.as_ref())?;
                shift.time(path, "arrivalDate", &mut flight.arrival_date, to.as_ref())?;
                shift.date(path, "departureDay", &mut flight.departure_day)?;
                shift.booking(path, flight.confirmation_number.as_ref(), &flight.tickets);
                Ok(())
            }),
            Part::Hotels => self.each(part, &mut members.hotels, |shift, path, hotel| {
                let zone = zone(&hotel.place);
                shift.time(path, "checkInDate", &mut hotel.check_in_date, zone.as_ref())?;
                shift.time(path, "checkOutDate", &mut hotel.check_out_date, zone.as_ref())?;
                shift.booking(path, hotel.confirmation_number.as_ref(), &hotel.tickets);
                Ok(())
            }),
            Part::Transports => self.each(part, &mut members.transports, |shift, path, transport| {
                let (from, to) = (zone(&transport.departure_place), zone(&transport.arrival_place));
                shift.time(path, "departureDate", &mut transport.departure_date, from.as_ref())?;
                shift.time(path, "arrivalDate", &mut transport.arrival_date, to.as_ref())?;
                shift.date(path, "departureDay", &mut transport.departure_day)?;
                shift.booking(path, transport.confirmation_number.as_ref(), &transport.tickets);
                Ok(())
            }),
            Part::Reservations => self.each(part, &mut members.reservations, |shift, path, reservation| {
                let zone = zone(&reservation.place);
                shift.time(path, "startDate", &mut reservation.start_date, zone.as_ref())?;
                shift.time(path, "endDate", &mut reservation.end_date, zone.as_ref())?;
                shift.date(path, "startDay", &mut reservation.start_day)?;
                shift.date(path, "endDay", &mut reservation.end_day)?;
                shift.booking(path, reservation.confirmation_number.as_ref(), &reservation.tickets);
                Ok(())
            }),
            Part::Expenses => {
                self.each(part, &mut pro.expenses, |shift, path, expense| shift.date(path, "date", &mut expense.date))
            }
            // Days follow `startDate`; packing items and documents have no dates.
            Part::Days | Part::Packing | Part::Documents => Ok(()),
        }
    }

    fn each<T: ListItem>(
        &mut self,
        part: Part,
        list: &mut [Entry<T>],
        change: impl Fn(&mut Self, EntryPath, &mut T) -> Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        for (n, entry) in list.iter_mut().enumerate() {
            entry.change(|item| change(self, EntryPath::new(part, n), item))??;
        }
        Ok(())
    }

    fn moved(&self, date: Date) -> Option<Date> {
        date.day().checked_add_signed(self.days).and_then(Date::new)
    }

    fn date(&self, path: EntryPath, field: &str, date: &mut Option<Date>) -> Result<(), Refusal> {
        if let Some(date) = date {
            *date = self.moved(*date).ok_or_else(|| out_of_range(path, field))?;
        }
        Ok(())
    }

    /// Moves a time. Its text is otherwise kept as it was sent.
    fn time(
        &mut self,
        path: EntryPath,
        field: &str,
        time: &mut Option<OffsetTime>,
        zone: Option<&TimeZone>,
    ) -> Result<(), Refusal> {
        let Some(sent) = time else { return Ok(()) };
        let zone = zone.and_then(|zone| tz::TimeZone::get(zone).ok());
        let (moved, is_certain) = match zone {
            Some(zone) => self.in_zone(sent, &zone),
            None => (self.with_offset(sent, None), true),
        };
        *time = Some(moved.ok_or_else(|| out_of_range(path, field))?);
        if !is_certain {
            self.attention.push(Attention {
                field: format!("{path}.{field}"),
                code: AttentionCode::Assumed,
                message: "Because of a change to or from daylight saving time, this local time is ambiguous."
                    .to_owned(),
            });
        }
        Ok(())
    }

    /// Moves a time by its local date at a place. Also returns whether moving it back would restore it.
    fn in_zone(&self, sent: &OffsetTime, zone: &tz::TimeZone) -> (Option<OffsetTime>, bool) {
        let at = sent.instant();
        let here = offset_at(at, zone);
        let own = at.offset().local_minus_utc();
        let local = at.naive_local();
        let was = possible(local, zone);
        if here != Some(own) && !was.contains(&own) {
            // Sent in another offset, such as UTC: moves with the local time of the place, and keeps that offset.
            let Some(here) = here else { return (None, true) };
            let local = at.naive_utc() + TimeDelta::seconds(here.into());
            let (was, new) = (possible(local, zone), possible(local + self.days, zone));
            let more = new.first().map(|then| TimeDelta::seconds((here - then).into()));
            return (self.with_offset(sent, more), new.len() == 1 && was.len() == 1);
        }
        let new = possible(local + self.days, zone);
        let Some(offset) = new.first() else { return (None, true) };
        let moved = if offset % 60 == 0 {
            self.with_offset(sent, None).and_then(|moved| replace_offset(&moved, *offset))
        } else {
            // An offset from before standard time, which RFC 3339 cannot write: the time keeps the one that it has.
            self.with_offset(sent, Some(TimeDelta::seconds((own - offset).into())))
        };
        (moved, new.len() == 1 && was.len() == 1)
    }

    /// The text with its date moved, and its time by `more`.
    fn with_offset(&self, sent: &OffsetTime, more: Option<TimeDelta>) -> Option<OffsetTime> {
        match more.filter(|more| !more.is_zero()) {
            None => {
                let date =
                    NaiveDate::parse_from_str(sent.get(..10)?, "%Y-%m-%d").ok()?.checked_add_signed(self.days)?;
                OffsetTime::new(format!("{date}{}", &sent[10..])).ok()
            }
            // The seconds stay, of which a leap second has sixty.
            Some(more) if more.num_seconds() % 60 == 0 => {
                let minute = NaiveDateTime::parse_from_str(&sent.get(..16)?.to_uppercase(), "%Y-%m-%dT%H:%M").ok()?;
                let moved = minute.checked_add_signed(self.days)?.checked_add_signed(more)?;
                let (date, time) = (moved.format("%Y-%m-%d"), moved.format("%H:%M"));
                OffsetTime::new(format!("{date}{}{time}{}", &sent[10..11], &sent[16..])).ok()
            }
            Some(more) => {
                let moved = sent.instant().checked_add_signed(self.days)?.checked_add_signed(more)?;
                let (date, time) = (moved.naive_local().format("%Y-%m-%d"), moved.naive_local().format("%H:%M:%S"));
                OffsetTime::new(format!("{date}{}{time}{}", &sent[10..11], &sent[19..])).ok()
            }
        }
    }

    /// Notes that a booking was made for the old dates.
    fn booking(&mut self, path: EntryPath, number: Option<&ConfirmationNumber>, tickets: &Tickets) {
        if number.is_some() || !tickets.is_empty() {
            self.attention.push(Attention {
                field: path.to_string(),
                code: AttentionCode::BookingMayBeInvalid,
                message: "This was booked for another date. Check with whoever sold it.".to_owned(),
            });
        }
    }
}

fn out_of_range(path: EntryPath, field: &str) -> Refusal {
    Refusal::Invalid(FieldError::new(format!("{path}.{field}"), OUT_OF_RANGE))
}

fn zone(place: Option<&Place>, zone_at: ZoneAt) -> Option<TimeZone> {
    let place = place?;
    place.time_zone.clone().or_else(|| zone_at(place.coordinate.as_ref()?))
}

/// The offset of a zone at an instant, in seconds east of UTC.
fn offset_at(at: DateTime<FixedOffset>, zone: &tz::TimeZone) -> Option<i32> {
    Some(zone.to_offset(jiff::Timestamp::from_second(at.timestamp()).ok()?).seconds())
}

/// The offsets that a local time can have: two, if it occurs twice or not at all.
fn possible(local: NaiveDateTime, zone: &tz::TimeZone) -> Vec<i32> {
    let Ok(local) = local.format("%Y-%m-%dT%H:%M:%S").to_string().parse::<jiff::civil::DateTime>() else {
        return Vec::new();
    };
    match zone.to_ambiguous_timestamp(local).offset() {
        AmbiguousOffset::Unambiguous { offset } => vec![offset.seconds()],
        AmbiguousOffset::Gap { before, after } | AmbiguousOffset::Fold { before, after } => {
            vec![before.seconds(), after.seconds()]
        }
    }
}

/// The text with another offset, which keeps its form if it is the same.
fn replace_offset(time: &OffsetTime, offset: i32) -> Option<OffsetTime> {
    if time.instant().offset().local_minus_utc() == offset {
        return Some(time.clone());
    }
    let length = if time.ends_with(['Z', 'z']) { 1 } else { 6 };
    let local = time.get(..time.len() - length)?;
    let (sign, minutes) = (if offset < 0 { '-' } else { '+' }, offset.abs() / 60);
    OffsetTime::new(format!("{local}{sign}{:02}:{:02}", minutes / 60, minutes % 60)).ok()
}

#[cfg(test)]
mod tests;
