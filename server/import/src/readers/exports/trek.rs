//! TREK's bundle of a trip: days with their places, reservations and accommodations, which refer to days by id.

use std::collections::{HashMap, HashSet};

use chrono::NaiveDate;
use serde_json::Value;

use super::common::{coordinate, lines, link, local, price, time};
use crate::booking::{Booking, Call, Category, Kind, Mode, Spot, Ticket, Time, Waypoint};
use crate::file::{Found, Outline, OutlineDay};
use crate::readers::json::{elements, member};
use crate::readers::number;

pub(super) fn read(value: &Value) -> Found {
    let days: HashMap<String, String> =
        elements(value, "days").iter().filter_map(|day| Some((member(day, "id")?, member(day, "date")?))).collect();
    let mut found = Found { trip: value.get("trip").map(|trip| outline(trip, value)), ..Found::default() };
    let mut stays = HashSet::new();
    for accommodation in elements(value, "accommodations") {
        stays.extend(member(accommodation, "id"));
        found.bookings.push(stay(accommodation, &days));
    }
    for reservation in elements(value, "reservations") {
        // An accommodation is in both lists.
        let is_stay = member(reservation, "accommodation_id").is_some_and(|id| stays.contains(&id));
        if !is_stay {
            found.bookings.extend(bookings(reservation, &days));
        }
    }
    let mut planned = HashSet::new();
    for day in elements(value, "days") {
        for assignment in elements(day, "assignments") {
            let Some(place) = assignment.get("place") else { continue };
            planned.extend(member(place, "id"));
            found.waypoints.extend(stop(place, Some(assignment), Some(day)));
        }
    }
    for place in elements(value, "places") {
        if !member(place, "id").is_some_and(|id| planned.contains(&id)) {
            found.waypoints.extend(stop(place, None, None));
        }
    }
    found
}

fn outline(trip: &Value, value: &Value) -> Outline {
    let date = |name| member(trip, name).and_then(|date| date.get(..10)?.parse::<NaiveDate>().ok());
    let day = |day: &Value| {
        let texts = elements(day, "notes_items").iter().map(|note| {
            let text = member(note, "text")?;
            Some(member(note, "time").map_or(text.clone(), |time| format!("{time} {text}")))
        });
        let notes = lines(std::iter::once(member(day, "notes")).chain(texts));
        let title = member(day, "title");
        let has_words = title.is_some() || notes.is_some();
        has_words.then_some(OutlineDay { date: member(day, "date")?.parse().ok()?, title, notes })
    };
    Outline {
        title: member(trip, "title"),
        summary: member(trip, "description"),
        destination: None,
        start: date("start_date"),
        end: date("end_date"),
        days: elements(value, "days").iter().filter_map(day).collect(),
    }
}

fn stop(place: &Value, assignment: Option<&Value>, day: Option<&Value>) -> Option<Waypoint> {
    let date = day.and_then(|day| member(day, "date"));
    let clock =
        assignment.and_then(|assignment| member(assignment, "assignment_time")).or_else(|| member(place, "place_time"));
    let spot = Spot {
        name: member(place, "name"),
        address: member(place, "address"),
        coordinate: coordinate(place, "lat", "lng"),
        ..Spot::default()
    };
    let is_place = spot.name.is_some() || spot.coordinate.is_some();
    is_place.then(|| Waypoint {
        place: spot,
        notes: lines([
            assignment.and_then(|assignment| member(assignment, "notes")),
            member(place, "notes"),
            member(place, "description"),
        ]),
        time: local(date.as_deref(), clock.as_deref(), None),
        folder: day.and_then(|day| member(day, "title")).into_iter().collect(),
    })
}

fn stay(accommodation: &Value, days: &HashMap<String, String>) -> Booking {
    let at = |day: &str, clock: &str| {
        let date = member(accommodation, day).and_then(|id| days.get(&id));
        local(date.map(String::as_str), member(accommodation, clock).as_deref(), None)
    };
    let place = Spot {
        address: member(accommodation, "place_address"),
        coordinate: coordinate(accommodation, "place_lat", "place_lng"),
        ..Spot::default()
    };
    Booking {
        name: member(accommodation, "place_name").or_else(|| member(accommodation, "reservation_title")),
        start: Call { place, time: at("start_day_id", "check_in"), ..Call::default() },
        end: Call { time: at("end_day_id", "check_out"), ..Call::default() },
        confirmation_number: member(accommodation, "confirmation"),
        notes: member(accommodation, "notes"),
        ..Booking::new(Kind::Hotel)
    }
}

/// The bookings of a reservation: of a flight with changes, one for each flight.
fn bookings(reservation: &Value, days: &HashMap<String, String>) -> Vec<Booking> {
    let kind = match member(reservation, "type").unwrap_or_default().as_str() {
        "flight" => Kind::Flight,
        "hotel" | "accommodation" | "lodging" => Kind::Hotel,
        "train" => Kind::Transport(Mode::Train),
        "bus" => Kind::Transport(Mode::Bus),
        "ferry" | "boat" | "cruise" => Kind::Transport(Mode::Ferry),
        "car" | "rental_car" => Kind::Transport(Mode::Car),
        "taxi" => Kind::Transport(Mode::Taxi),
        "transfer" => Kind::Transport(Mode::Transfer),
        "transport" => Kind::Transport(Mode::Other),
        "restaurant" => Kind::Reservation(Category::Restaurant),
        "tour" | "activity" => Kind::Reservation(Category::Activity),
        _ => Kind::Reservation(Category::Event),
    };
    // The metadata is JSON in a text.
    let parsed = member(reservation, "metadata").filter(|text| text.starts_with('{') && text.len() < 50_000);
    let parsed = parsed.and_then(|text| crate::readers::json::parse(text.as_bytes()).ok());
    let metadata = parsed.as_ref().or(reservation.get("metadata")).unwrap_or(&Value::Null);
    let mut ends: Vec<&Value> = elements(reservation, "endpoints").iter().take(20).collect();
    ends.sort_by_key(|end| end.get("sequence").and_then(Value::as_i64));
    let whole = whole(reservation, metadata, kind, days);
    if !matches!(kind, Kind::Flight | Kind::Transport(_)) || ends.len() < 2 {
        return vec![whole];
    }
    let legs = elements(metadata, "legs");
    let between = ends.windows(2).enumerate().map(|(at, pair)| {
        let mut booking = whole.clone();
        let leg = legs.get(at);
        // A stop has the time of the arrival; the departure is that of the leg.
        let departs = leg.filter(|_| at > 0).and_then(|leg| member(leg, "dep_time"));
        booking.start = call(pair[0], departs.as_deref(), kind);
        booking.end = call(pair[1], None, kind);
        booking.start.platform = member(metadata, "platform").filter(|_| kind != Kind::Flight);
        if let Some(leg) = leg {
            set_number(&mut booking, leg);
        }
        booking
    });
    between.collect()
}

/// A reservation without regard to its legs.
fn whole(reservation: &Value, metadata: &Value, kind: Kind, days: &HashMap<String, String>) -> Booking {
    let mut booking = Booking::new(kind);
    let day = |name| member(reservation, name).and_then(|id| days.get(&id).cloned());
    let at = |name: &str, day: Option<String>| {
        let text = member(reservation, name);
        let by_text = text.as_deref().and_then(|text| time(text, None));
        by_text.or_else(|| local(day.as_deref(), text.as_deref(), None))
    };
    booking.start.time = at("reservation_time", day("day_id"));
    booking.end.time = at("reservation_end_time", day("end_day_id").or_else(|| booking.start.time.as_ref().map(date)));
    let location = member(reservation, "location").or_else(|| member(reservation, "place_name"));
    let title = member(reservation, "title");
    let is_journey = matches!(kind, Kind::Flight | Kind::Transport(_));
    if is_journey {
        let code = |name| member(metadata, name).filter(|code| number::is_airport(code));
        booking.start.place = Spot { code: code("departure_airport"), name: location, ..Spot::default() };
        booking.end.place.code = code("arrival_airport");
    } else {
        booking.start.place.address = location;
    }
    booking.name = title.clone().filter(|_| !is_journey || kind == Kind::Transport(Mode::Car));
    booking.operator.name = member(metadata, "airline").or_else(|| member(metadata, "rental_company"));
    set_number(&mut booking, metadata);
    booking.travel_class = member(metadata, "class");
    booking.confirmation_number = member(reservation, "confirmation_number");
    booking.booking_url = link(reservation, "url");
    booking.notes = lines([title.filter(|_| is_journey && booking.name.is_none()), member(reservation, "notes")]);
    booking.cancelled = member(reservation, "status").is_some_and(|status| status.starts_with("cancel"));
    booking.price = member(metadata, "price").and_then(|amount| price(&amount, member(metadata, "priceCurrency")));
    let seat = member(metadata, "seat");
    booking.tickets = seat.map(|seat| Ticket { seat_number: Some(seat), ..Ticket::default() }).into_iter().collect();
    booking
}

fn date(time: &Time) -> String {
    match time {
        Time::Offset(local, _) | Time::Zone(local, _) | Time::Local(local) => local.date().to_string(),
        Time::Day(day) => day.to_string(),
    }
}

/// The number of metadata or of a leg.
fn set_number(booking: &mut Booking, metadata: &Value) {
    let number = member(metadata, "flight_number").or_else(|| member(metadata, "train_number"));
    let Some(number) = number else { return };
    match number::flight(&number).filter(|_| booking.kind == Kind::Flight) {
        Some((code, number)) => (booking.operator.code, booking.number) = (Some(code), Some(number)),
        None => booking.number = Some(number),
    }
}

fn call(end: &Value, clock: Option<&str>, kind: Kind) -> Call {
    let clock = clock.map(str::to_owned).or_else(|| member(end, "local_time"));
    let place = Spot {
        name: member(end, "name"),
        code: member(end, "code").filter(|code| kind == Kind::Flight && number::is_airport(code)),
        coordinate: coordinate(end, "lat", "lng"),
        ..Spot::default()
    };
    let time = local(member(end, "local_date").as_deref(), clock.as_deref(), member(end, "timezone").as_deref());
    Call { place, time, ..Call::default() }
}
