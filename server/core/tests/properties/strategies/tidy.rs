//! Turns objects with valid fields into valid contents: unique ids, fitting legs, existing links.

use itinerary_api::types::{
    BelongsTo, BelongsToKind, Day, DayPatch, Flight, Hotel, Label, Leg, Place, Reservation, Stop, Transport,
};
use itinerary_api::values::{Date, ItemId, Patch};

use crate::plain::Content;
use crate::support::ITINERARY;

/// Gives out unique ids.
pub(crate) struct Names {
    prefix: String,
    next: usize,
}

impl Names {
    pub(crate) fn new(prefix: &str) -> Self {
        Self { prefix: prefix.to_owned(), next: 0 }
    }

    fn id(&mut self) -> Option<ItemId> {
        self.next += 1;
        ItemId::new(format!("{}-{}", self.prefix, self.next)).ok()
    }
}

fn place(place: &mut Option<Place>) {
    if let Some(place) = place {
        let named =
            place.name.is_some() || place.code.is_some() || place.coordinate.is_some() || place.place_id.is_some();
        if !named {
            place.name = Some(Label::truncated("Somewhere"));
        }
    }
}

pub(crate) fn stop(stop: &mut Stop, _: &mut Names) {
    place(&mut stop.place);
}

pub(crate) fn day(day: &mut Day, names: &mut Names) {
    stops(&mut day.stops, names);
    let count = day.legs.len().min(day.stops.len().saturating_sub(1));
    let mut n = 0;
    day.legs.retain(|_| {
        n += 1;
        n <= count
    });
    legs(&mut day.legs, &day.stops);
}

/// Makes a patch fit a day with these stops.
pub(crate) fn day_patch(patch: &mut DayPatch, stops_there: &[Stop], names: &mut Names) {
    if let Patch::Value(sent) = &mut patch.stops {
        stops(sent, names);
    }
    if let Patch::Value(sent) = &mut patch.legs {
        match &patch.stops {
            Patch::Absent => legs(sent, stops_there),
            Patch::Value(stops) => legs(sent, stops),
            Patch::Null => {}
        }
    }
}

fn stops(stops: &mut [Stop], names: &mut Names) {
    for item in stops {
        stop(item, names);
        item.id = names.id();
    }
}

/// Assigns the legs to the stops, last ones first.
fn legs(legs: &mut [Leg], stops: &[Stop]) {
    for (leg, two) in legs.iter_mut().zip(stops.windows(2).rev()) {
        if let (Some(from), Some(to)) = (&two[0].id, &two[1].id) {
            (leg.from, leg.to) = (from.clone(), to.clone());
        }
    }
}

pub(crate) fn flight(flight: &mut Flight, _: &mut Names) {
    place(&mut flight.departure_airport);
    place(&mut flight.arrival_airport);
    flight.seat_number.get_or_insert_with(|| Label::truncated("1A"));
    if let (Some(first), Some(last)) = (&flight.departure_date, &flight.arrival_date)
        && first.instant() >= last.instant()
    {
        flight.arrival_date = None;
    }
}

pub(crate) fn hotel(hotel: &mut Hotel, _: &mut Names) {
    place(&mut hotel.place);
    if let (Some(first), Some(last)) = (&hotel.check_in_date, &hotel.check_out_date)
        && first.instant() >= last.instant()
    {
        hotel.check_out_date = None;
    }
}

pub(crate) fn transport(transport: &mut Transport, _: &mut Names) {
    place(&mut transport.departure_place);
    place(&mut transport.arrival_place);
    transport.number.get_or_insert_with(|| Label::truncated("1"));
    if let (Some(first), Some(last)) = (&transport.departure_date, &transport.arrival_date)
        && first.instant() >= last.instant()
    {
        transport.arrival_date = None;
    }
}

pub(crate) fn reservation(reservation: &mut Reservation, _: &mut Names) {
    place(&mut reservation.place);
    if let (Some(first), Some(last)) = (&reservation.start_date, &reservation.end_date)
        && first.instant() >= last.instant()
    {
        reservation.end_date = None;
    }
    let start_date = reservation.start_date.as_ref().map(|time| time.instant().date_naive());
    let starts = start_date.or(reservation.start_day.map(Date::day));
    reservation.end_day.take_if(|ends| starts.is_some_and(|starts| ends.day() < starts));
}

/// Everything that a link may refer to.
pub(crate) fn targets(content: &Content) -> Vec<BelongsTo> {
    let days = content.everyone.days.iter().map(|day| (BelongsToKind::Day, &day.id));
    let stops = content.everyone.days.iter().flat_map(|day| &day.stops).map(|stop| (BelongsToKind::Stop, &stop.id));
    let flights = content.members.flights.iter().map(|flight| (BelongsToKind::Flight, &flight.id));
    let hotels = content.members.hotels.iter().map(|hotel| (BelongsToKind::Hotel, &hotel.id));
    let transports = content.members.transports.iter().map(|transport| (BelongsToKind::Transport, &transport.id));
    let reservations =
        content.members.reservations.iter().map(|reservation| (BelongsToKind::Reservation, &reservation.id));
    let all = days.chain(stops).chain(flights).chain(hotels).chain(transports).chain(reservations);
    all.filter_map(|(kind, id)| Some(BelongsTo { kind, id: id.clone()? })).collect()
}

/// A link to the itinerary itself.
pub(crate) fn to_itinerary() -> BelongsTo {
    let id = ItemId::new(ITINERARY.to_string()).expect("a UUID has the right characters");
    BelongsTo { kind: BelongsToKind::Itinerary, id }
}

/// Gives everything an id, assigns legs to adjacent stops, and makes every link refer to something that exists.
pub(crate) fn content(content: &mut Content, names: &mut Names) {
    place(&mut content.members.origin);
    for item in &mut content.everyone.days {
        day(item, names);
        item.id = names.id();
    }
    for item in &mut content.members.flights {
        flight(item, names);
        item.id = names.id();
    }
    for item in &mut content.members.hotels {
        hotel(item, names);
        item.id = names.id();
    }
    for item in &mut content.members.transports {
        transport(item, names);
        item.id = names.id();
    }
    for item in &mut content.members.reservations {
        reservation(item, names);
        item.id = names.id();
    }
    content.pro.expenses.iter_mut().for_each(|item| item.id = names.id());
    content.pro.packing.iter_mut().for_each(|item| item.id = names.id());
    links(content);
}

fn links(content: &mut Content) {
    let mut targets = targets(content);
    targets.push(to_itinerary());
    let expenses = content.pro.expenses.iter_mut().map(|item| &mut item.belongs_to);
    let packing = content.pro.packing.iter_mut().map(|item| &mut item.belongs_to);
    let documents = content.documents.documents.iter_mut().map(|item| &mut item.belongs_to);
    // The generated id selects the target.
    for link in expenses.chain(packing).chain(documents).flatten() {
        let sum: usize = link.id.bytes().map(usize::from).sum();
        *link = targets[sum % targets.len()].clone();
    }
}
