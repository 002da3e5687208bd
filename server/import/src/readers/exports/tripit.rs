//! TripIt's API, version 1: a trip and objects such as `AirObject`, each one or several.

use chrono::NaiveDate;
use serde_json::Value;

use super::common::{coordinate, lines, link, price};
use crate::booking::{Booking, Call, Category, Kind, Mode, Spot, Ticket, Time};
use crate::file::{Found, Outline, OutlineDay};
use crate::readers::json::{elements, member};
use crate::readers::number;
use crate::readers::when;

const OBJECTS: [&str; 10] = [
    "AirObject",
    "LodgingObject",
    "CarObject",
    "RailObject",
    "TransportObject",
    "CruiseObject",
    "RestaurantObject",
    "ActivityObject",
    "ParkingObject",
    "NoteObject",
];

pub(super) fn is_one(value: &Value) -> bool {
    let is_trip = |trip: &Value| trip.get("display_name").is_some() && trip.get("start_date").is_some();
    OBJECTS.iter().any(|name| value.get(name).is_some()) || elements(value, "Trip").iter().any(is_trip)
}

pub(super) fn read(value: &Value) -> Found {
    let mut found = Found::default();
    for name in OBJECTS {
        for object in elements(value, name) {
            found.bookings.extend(bookings(name, object));
        }
    }
    if let [trip] = elements(value, "Trip") {
        let mut trip = outline(trip);
        trip.days = elements(value, "NoteObject").iter().filter_map(note).collect();
        trip.days.sort_by_key(|day| day.date);
        found.trip = Some(trip);
    }
    found
}

fn outline(trip: &Value) -> Outline {
    let date = |name| member(trip, name).and_then(|date| date.parse::<NaiveDate>().ok());
    let place = trip.get("PrimaryLocationAddress").map(address).unwrap_or_default();
    let destination = Spot { name: member(trip, "primary_location"), address: None, ..place };
    Outline {
        title: member(trip, "display_name"),
        summary: member(trip, "description"),
        destination: Some(destination).filter(|place| *place != Spot::default()),
        start: date("start_date"),
        end: date("end_date"),
        days: Vec::new(),
    }
}

/// A note of a day.
fn note(object: &Value) -> Option<OutlineDay> {
    let date = member(object.get("DateTime")?, "date")?.parse().ok()?;
    let notes = lines([member(object, "text"), member(object, "notes")])?;
    Some(OutlineDay { date, title: member(object, "display_name"), notes: Some(notes) })
}

fn bookings(name: &str, object: &Value) -> Vec<Booking> {
    let kind = match name {
        "AirObject" => Kind::Flight,
        "LodgingObject" => Kind::Hotel,
        "CarObject" => Kind::Transport(Mode::Car),
        "RailObject" => Kind::Transport(Mode::Train),
        "TransportObject" => Kind::Transport(Mode::Other),
        "CruiseObject" => Kind::Transport(Mode::Ferry),
        "RestaurantObject" => Kind::Reservation(Category::Restaurant),
        "ActivityObject" => Kind::Reservation(Category::Activity),
        "ParkingObject" => Kind::Reservation(Category::Event),
        _ => return Vec::new(),
    };
    let mut bookings: Vec<Booking> = match kind {
        Kind::Flight => elements(object, "Segment").iter().map(flight).collect(),
        Kind::Transport(Mode::Car) => vec![car(object)],
        Kind::Transport(Mode::Ferry) => cruise(object).into_iter().collect(),
        Kind::Transport(_) => elements(object, "Segment").iter().map(|segment| journey(segment, kind)).collect(),
        Kind::Hotel | Kind::Reservation(_) => vec![stay(object, kind)],
    };
    for booking in &mut bookings {
        complete(booking, object);
    }
    // The price is that of all segments.
    if let Some(first) = bookings.first_mut() {
        first.price = member(object, "total_cost").and_then(|cost| price(&cost, None));
    }
    bookings
}

/// Adds what an object says of all its segments.
fn complete(booking: &mut Booking, object: &Value) {
    let first = |names: [&str; 3]| names.iter().find_map(|name| member(object, name));
    booking.confirmation_number = booking
        .confirmation_number
        .take()
        .or_else(|| first(["supplier_conf_num", "record_locator", "booking_site_conf_num"]));
    booking.provider = member(object, "booking_site_name").filter(|name| Some(name) != booking.operator.name.as_ref());
    booking.booking_url = link(object, "booking_site_url").or_else(|| link(object, "supplier_url"));
    booking.phone_number = member(object, "supplier_phone").or_else(|| member(object, "booking_site_phone"));
    booking.modified = member(object, "last_modified").and_then(|time| when::instant(&time));
    booking.notes = lines([booking.notes.take(), member(object, "notes"), member(object, "restrictions")]);
    booking.cancelled = member(object, "is_cancelled").as_deref() == Some("true");
    let names = ["Traveler", "Guest", "Driver", "Participant", "ReservationHolder"];
    let travellers = names.iter().flat_map(|name| elements(object, name)).take(20);
    let coach = booking.tickets.first().and_then(|ticket| ticket.coach_number.clone());
    let seats: Vec<String> = booking.tickets.drain(..).filter_map(|ticket| ticket.seat_number).collect();
    for (at, traveller) in travellers.enumerate() {
        let name = lines_in_one(["first_name", "middle_name", "last_name"].map(|part| member(traveller, part)));
        booking.tickets.push(Ticket {
            holder: name,
            seat_number: seats.get(at).cloned(),
            coach_number: coach.clone(),
            ticket_number: member(traveller, "ticket_num"),
            code: None,
        });
    }
    // Seats of nobody in particular.
    let rest: Vec<String> = seats.into_iter().skip(booking.tickets.len()).collect();
    for seat in rest {
        booking.tickets.push(Ticket { seat_number: Some(seat), coach_number: coach.clone(), ..Ticket::default() });
    }
}

fn lines_in_one(texts: [Option<String>; 3]) -> Option<String> {
    lines(texts).map(|text| text.replace('\n', " "))
}

/// Tickets of seats: `12A, 12B`.
fn seats(segment: &Value) -> Vec<Ticket> {
    let seats = member(segment, "seats").unwrap_or_default();
    let coach = member(segment, "coach_number");
    let tickets = seats.split([',', ';', ' ']).filter(|seat| !seat.is_empty()).take(20);
    tickets
        .map(|seat| Ticket { seat_number: Some(seat.to_owned()), coach_number: coach.clone(), ..Ticket::default() })
        .collect()
}

fn flight(segment: &Value) -> Booking {
    let end = |name: &str| {
        let of = |field: &str| member(segment, &format!("{name}_{field}"));
        let place = Spot {
            name: of("airport_name"),
            code: of("airport_code"),
            city: of("city_name"),
            country: of("country_code"),
            coordinate: coordinate(segment, &format!("{name}_airport_latitude"), &format!("{name}_airport_longitude")),
            address: None,
        };
        let time = if name == "start" { "StartDateTime" } else { "EndDateTime" };
        Call { place, time: time_of(segment, time), terminal: of("terminal"), gate: of("gate"), platform: None }
    };
    let mut booking = Booking { start: end("start"), end: end("end"), ..Booking::new(Kind::Flight) };
    booking.operator.code = member(segment, "marketing_airline_code");
    booking.operator.name = member(segment, "marketing_airline");
    booking.number = member(segment, "marketing_flight_number").map(|number| number::without_zeros(&number));
    booking.travel_class = member(segment, "service_class");
    booking.confirmation_number = member(segment, "confirmation_num");
    booking.tickets = seats(segment);
    booking
}

fn journey(segment: &Value, kind: Kind) -> Booking {
    let end = |name: &str, upper: &str| {
        let names = ["station_name", "location_name"];
        let found_name = names.iter().find_map(|field| member(segment, &format!("{name}_{field}")));
        let addresses = ["StationAddress", "LocationAddress"];
        let found = addresses.iter().find_map(|field| segment.get(format!("{upper}{field}")));
        let place = found.map(address).unwrap_or_default();
        Call {
            place: Spot { name: found_name, ..place },
            time: time_of(segment, &format!("{upper}DateTime")),
            ..Call::default()
        }
    };
    let mut booking = Booking { start: end("start", "Start"), end: end("end", "End"), ..Booking::new(kind) };
    if kind != Kind::Transport(Mode::Train) {
        booking.kind = Kind::Transport(match member(segment, "detail_type_code").as_deref() {
            Some("F") => Mode::Ferry,
            _ => Mode::Other,
        });
    }
    booking.operator.name = member(segment, "carrier_name");
    let number = member(segment, "train_number").map(|number| match member(segment, "train_type") {
        Some(product) => format!("{product} {number}"),
        None => number,
    });
    booking.number = number;
    booking.name = member(segment, "vehicle_description");
    booking.travel_class = member(segment, "service_class");
    booking.confirmation_number = member(segment, "confirmation_num");
    booking.start.platform = member(segment, "start_platform");
    booking.tickets = seats(segment);
    booking
}

fn car(object: &Value) -> Booking {
    let end = |name: &str, upper: &str| Call {
        place: Spot {
            name: member(object, &format!("{name}_location_name")),
            ..object.get(format!("{upper}LocationAddress")).map(address).unwrap_or_default()
        },
        time: time_of(object, &format!("{upper}DateTime")),
        ..Call::default()
    };
    let mut booking =
        Booking { start: end("start", "Start"), end: end("end", "End"), ..Booking::new(Kind::Transport(Mode::Car)) };
    booking.operator.name = member(object, "supplier_name").or_else(|| member(object, "display_name"));
    booking.name = member(object, "car_description").or_else(|| member(object, "car_type"));
    booking
}

/// A cruise, from its first port to its last.
fn cruise(object: &Value) -> Option<Booking> {
    let ports = elements(object, "Segment");
    let (first, last) = (ports.first()?, ports.last()?);
    let call = |port: &Value, times: [&str; 2]| Call {
        place: Spot {
            name: member(port, "location_name"),
            ..port.get("LocationAddress").map(address).unwrap_or_default()
        },
        time: times.iter().find_map(|name| time_of(port, name)),
        ..Call::default()
    };
    let mut booking = Booking::new(Kind::Transport(Mode::Ferry));
    booking.start = call(first, ["EndDateTime", "StartDateTime"]);
    if ports.len() > 1 {
        booking.end = call(last, ["StartDateTime", "EndDateTime"]);
    }
    booking.name = member(object, "ship_name");
    booking.operator.name = member(object, "supplier_name");
    booking.travel_class = member(object, "cabin_type");
    Some(booking)
}

/// A stay, a table or an activity: one place with a start and an end.
fn stay(object: &Value, kind: Kind) -> Booking {
    let place = object.get("Address").map(address).unwrap_or_default();
    let name = member(object, "supplier_name").or_else(|| member(object, "display_name"));
    let mut booking = Booking::new(kind);
    booking.start = Call {
        place: Spot { name: member(object, "location_name"), ..place },
        time: time_of(object, "StartDateTime").or_else(|| time_of(object, "DateTime")),
        ..Call::default()
    };
    booking.end.time = time_of(object, "EndDateTime");
    booking.name = match kind {
        Kind::Reservation(Category::Activity) => member(object, "display_name").or(name),
        _ => name,
    };
    let sizes = ["number_guests", "number_patrons"];
    booking.party_size = sizes.iter().find_map(|size| member(object, size)?.parse().ok());
    booking.notes = member(object, "room_type");
    booking
}

/// A date and a time with their zone.
fn time_of(object: &Value, name: &str) -> Option<Time> {
    let value = object.get(name)?;
    let date: NaiveDate = member(value, "date")?.parse().ok()?;
    let Some(clock) = member(value, "time").and_then(|clock| when::words(&clock, None).time) else {
        return Some(Time::Day(date));
    };
    let at = date.and_time(clock);
    let offset = member(value, "utc_offset").and_then(|offset| when::offset(&offset));
    Some(match (member(value, "timezone").filter(|zone| zone.contains('/')), offset) {
        (Some(zone), _) => Time::Zone(at, zone),
        (None, Some(minutes)) => Time::Offset(at, minutes),
        (None, None) => Time::Local(at),
    })
}

fn address(value: &Value) -> Spot {
    let region = lines_in_one([member(value, "state"), member(value, "zip"), None]);
    let street = member(value, "addr1").map(|first| [Some(first), member(value, "addr2")]);
    let street = street.and_then(lines).map(|street| street.replace('\n', ", "));
    let city = member(value, "city");
    let built = || lines([street.clone()?.into(), city.clone(), region.clone()]).map(|text| text.replace('\n', ", "));
    Spot {
        name: None,
        code: None,
        address: member(value, "address").or_else(built),
        city: city.clone(),
        country: member(value, "country"),
        coordinate: coordinate(value, "latitude", "longitude"),
    }
}
