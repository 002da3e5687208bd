//! Bookings that have a date without a time, at places whose time zone is unknown.

use itinerary_api::types::{Attention, AttentionCode, Place};
use itinerary_api::values::{Date, OffsetTime};

use crate::content::{Content, Part};
use crate::entry::{Entry, ListItem};
use crate::entry_path::EntryPath;

/// What to check of the bookings that a write has sent or changed: their dates had no time that the server could give an
/// offset.
pub fn unknown(content: &Content) -> Vec<Attention> {
    let members = &content.members;
    let flights = touched(Part::Flights, &members.flights, |flight| {
        let is_known = is_known(flight.departure_airport.as_ref());
        ("departureDay", lacks_time(flight.departure_date.as_ref(), flight.departure_day), is_known)
    });
    let transports = touched(Part::Transports, &members.transports, |transport| {
        let is_known = is_known(transport.departure_place.as_ref());
        ("departureDay", lacks_time(transport.departure_date.as_ref(), transport.departure_day), is_known)
    });
    let reservations = touched(Part::Reservations, &members.reservations, |reservation| {
        let is_known = is_known(reservation.place.as_ref());
        ("startDay", lacks_time(reservation.start_date.as_ref(), reservation.start_day), is_known)
    });
    flights.chain(transports).chain(reservations).collect()
}

/// Reports touched entries: the name of the field with the day, whether there is a day alone, whether the zone is known.
fn touched<T: ListItem>(
    part: Part,
    list: &[Entry<T>],
    facts: impl Fn(&T) -> (&'static str, bool, bool),
) -> impl Iterator<Item = Attention> {
    let touched = list.iter().enumerate().filter_map(|(n, entry)| Some((n, entry.touched()?)));
    touched.filter_map(move |(n, item)| {
        let (field, lacks_time, is_known) = facts(item);
        (lacks_time && !is_known).then(|| Attention {
            field: format!("{}.{field}", EntryPath::new(part, n)),
            code: AttentionCode::TimeZoneUnknown,
            message:
                "The time zone of the place is unknown, so that only the date is kept. Add the time with its offset."
                    .to_owned(),
        })
    })
}

fn lacks_time(time: Option<&OffsetTime>, day: Option<Date>) -> bool {
    time.is_none() && day.is_some()
}

/// Whether a place tells its time zone: by its name or by its coordinate.
fn is_known(place: Option<&Place>) -> bool {
    place.is_some_and(|place| place.time_zone.is_some() || place.coordinate.is_some())
}
