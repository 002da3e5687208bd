//! Events by what they are called: flights, trains, stays, hired cars, tables, and everything else at a time.

use super::Part;
use super::details::Details;
use super::event::Event;
use super::ways;
use crate::booking::{Booking, Call, Category, Kind, Mode, Spot};
use crate::readers::labels::Role;
use crate::readers::text;

/// How the names of events begin that are trains and the like. The mark is what follows.
const TRANSPORTS: [(Mode, &[&str]); 5] = [
    (
        Mode::Train,
        &[
            "train",
            "zug",
            "zugfahrt",
            "bahnfahrt",
            "bahn",
            "db",
            "rail",
            "tren",
            "treno",
            "trein",
            "comboio",
            "eurostar",
            "thalys",
            "amtrak",
            "ice",
            "ic",
            "ec",
            "tgv",
            "ave",
            "railjet",
            "nightjet",
            "🚆",
            "🚄",
        ],
    ),
    (Mode::Bus, &["bus", "flixbus", "coach", "autobus", "autocar", "🚌"]),
    (Mode::Ferry, &["ferry", "fähre", "traghetto", "boat", "ship", "sailing", "⛴", "⛴️"]),
    (Mode::Taxi, &["taxi", "cab", "uber", "🚕"]),
    (Mode::Transfer, &["transfer", "shuttle", "airport transfer"]),
];
const STAYS: [&str; 13] = [
    "stay at ",
    "stay: ",
    "hotel: ",
    "hotel reservation: ",
    "lodging: ",
    "accommodation: ",
    "übernachtung: ",
    "unterkunft: ",
    "hostel: ",
    "airbnb: ",
    "hotel booking: ",
    "apartment: ",
    "🏨 ",
];
const CHECK_INS: [&str; 8] =
    ["check-in: ", "check in: ", "checkin: ", "check-in at ", "check in at ", "check-in ", "anreise: ", "arrivée: "];
const CHECK_OUTS: [&str; 9] = [
    "check-out: ",
    "check out: ",
    "checkout: ",
    "check-out at ",
    "check out at ",
    "check out from ",
    "check-out ",
    "abreise: ",
    "départ: ",
];
const CARS: [&str; 7] = [
    "rental car reservation: ",
    "rental car: ",
    "car rental: ",
    "car hire: ",
    "mietwagen: ",
    "hire car: ",
    "alquiler de coche: ",
];
const PICK_UPS: [&str; 7] = [
    "pick up rental car: ",
    "pick-up rental car: ",
    "rental car pick up: ",
    "rental car pickup: ",
    "car pick-up: ",
    "car pickup: ",
    "pick up car: ",
];
const DROP_OFFS: [&str; 8] = [
    "drop off rental car: ",
    "drop-off rental car: ",
    "rental car drop off: ",
    "rental car dropoff: ",
    "car drop-off: ",
    "car dropoff: ",
    "return rental car: ",
    "drop off car: ",
];
const TABLES: [&str; 12] = [
    "restaurant reservation: ",
    "restaurant: ",
    "reservation at ",
    "dinner at ",
    "lunch at ",
    "breakfast at ",
    "brunch at ",
    "table at ",
    "tisch: ",
    "tisch bei ",
    "dinner: ",
    "🍽 ",
];

/// The booking of an event, and which part of one it is. `None` if the event has no name or no time.
pub(super) fn read(event: &Event) -> Option<(Part, Booking)> {
    if event.summary.is_empty() || event.start.is_none() {
        return None;
    }
    let details = Details::read(event);
    let read = read_by_type(event, &details)
        .or_else(|| flight(event, &details).map(|booking| (Part::Whole, booking)))
        .or_else(|| named(event))
        .or_else(|| transport(event, &details).map(|booking| (Part::Whole, booking)))
        .or_else(|| is_stay(event).then(|| (Part::Whole, stay(event, &event.summary))));
    let (part, mut booking) =
        read.unwrap_or_else(|| (Part::Whole, reservation(event, Category::Event, &event.summary)));
    details.fill(&mut booking);
    finish(event, &mut booking);
    Some((part, booking))
}

/// Sets what all bookings of an event have.
pub(super) fn finish(event: &Event, booking: &mut Booking) {
    booking.cancelled = event.is_cancelled;
    booking.modified = event.modified;
    if booking.booking_url.is_none() {
        booking.booking_url.clone_from(&event.url);
    }
}

/// A booking at the times of the event.
pub(super) fn timed(event: &Event, kind: Kind) -> Booking {
    Booking {
        start: Call { time: event.start.clone(), ..Call::default() },
        end: Call { time: event.end.clone(), ..Call::default() },
        ..Booking::new(kind)
    }
}

/// Events whose description says what they are, as TREK writes it: `Type: flight`.
fn read_by_type(event: &Event, details: &Details<'_>) -> Option<(Part, Booking)> {
    let mode = match details.of("type")?.to_lowercase().as_str() {
        "flight" => {
            return Some((Part::Whole, with_flight(event, details, ways::flight(&event.summary).unwrap_or_default())));
        }
        "hotel" | "lodging" | "accommodation" => return Some((Part::Whole, stay(event, &event.summary))),
        "restaurant" => return Some((Part::Whole, reservation(event, Category::Restaurant, &event.summary))),
        "tour" | "activity" => return Some((Part::Whole, reservation(event, Category::Activity, &event.summary))),
        "event" => return Some((Part::Whole, reservation(event, Category::Event, &event.summary))),
        "train" => Mode::Train,
        "bus" => Mode::Bus,
        "ferry" | "boat" | "cruise" => Mode::Ferry,
        "taxi" => Mode::Taxi,
        "transfer" => Mode::Transfer,
        "car" => return Some((Part::Whole, car(event, &event.summary))),
        _ => return None,
    };
    let mut booking = timed(event, Kind::Transport(mode));
    set_ways(&mut booking, event, details, ways::places(&event.summary));
    booking.number = details.of("train").or_else(|| details.get(Role::Number)).map(str::to_owned);
    Some((Part::Whole, booking))
}

fn flight(event: &Event, details: &Details<'_>) -> Option<Booking> {
    let found = ways::flight(&event.summary)?;
    Some(with_flight(event, details, found))
}

/// A flight of words and of the lines of the description.
pub(super) fn with_flight(event: &Event, details: &Details<'_>, found: ways::FlightWords) -> Booking {
    let mut booking = timed(event, Kind::Flight);
    let number = found.number.or_else(|| ways::flight_number(details.get(Role::Number)?));
    (booking.operator.code, booking.number) = number.unzip();
    if booking.number.is_none() {
        booking.number = details.get(Role::Number).map(str::to_owned);
    }
    booking.start.place = found.from;
    booking.end.place = found.to;
    set_ways(&mut booking, event, details, None);
    booking
}

/// Sets the places of a journey: those found, those of the description's lines, and the event's own for the start.
fn set_ways(booking: &mut Booking, event: &Event, details: &Details<'_>, found: Option<(&str, &str)>) {
    let route =
        details.of("route").and_then(|route| Some((route.split('→').next()?.trim(), route.rsplit('→').next()?.trim())));
    for (place, of_found, of_route, role) in [
        (&mut booking.start.place, found.map(|found| found.0), route.map(|route| route.0), Role::From),
        (&mut booking.end.place, found.map(|found| found.1), route.map(|route| route.1), Role::To),
    ] {
        if *place == Spot::default() {
            *place = details.get(role).or(of_route).or(of_found).map(ways::named).unwrap_or_default();
        }
    }
    let start = &mut booking.start.place;
    let location = event
        .location
        .as_deref()
        .map(ways::named)
        .filter(|at| start.code.is_none() || at.code.is_none() || at.code == start.code);
    if let Some(location) = location {
        start.code = start.code.take().or(location.code);
        start.name = start.name.take().or(location.name);
    }
    start.coordinate = start.coordinate.or(event.coordinate);
    if booking.kind != Kind::Flight {
        // Stations have no codes of airports.
        for place in [&mut booking.start.place, &mut booking.end.place] {
            place.name = place.name.take().or(place.code.take());
        }
    }
}

/// Events whose names begin with what they are.
fn named(event: &Event) -> Option<(Part, Booking)> {
    let after = |starts: &[&str]| starts.iter().find_map(|start| text::some(start_of(&event.summary, start)?));
    if let Some(name) = after(&CHECK_INS).filter(|_| !is_flight_check_in(event)) {
        let is_whole = event.end_date() > event.start_date();
        let mut booking = stay(event, &name);
        if !is_whole {
            booking.end.time = None;
        }
        return Some((if is_whole { Part::Whole } else { Part::Start }, booking));
    }
    if let Some(name) = after(&CHECK_OUTS) {
        return Some((Part::End, ended(stay(event, &name), event)));
    }
    if let Some(name) = after(&STAYS) {
        return Some((Part::Whole, stay(event, &name)));
    }
    if let Some(name) = after(&PICK_UPS) {
        let mut booking = car(event, &name);
        booking.end.time = None;
        return Some((Part::Start, booking));
    }
    if let Some(name) = after(&DROP_OFFS) {
        let mut booking = ended(car(event, &name), event);
        booking.end.place = std::mem::take(&mut booking.start.place);
        return Some((Part::End, booking));
    }
    if let Some(name) = after(&CARS) {
        return Some((Part::Whole, car(event, &name)));
    }
    after(&TABLES).map(|name| (Part::Whole, reservation(event, Category::Restaurant, &name)))
}

/// Whether a check-in is an airline's.
fn is_flight_check_in(event: &Event) -> bool {
    let summary = event.summary.to_lowercase();
    ["flight", "flug", "online", "opens"].iter().any(|word| summary.contains(word))
}

/// The rest of a text that begins with some words, in whatever case.
fn start_of<'t>(text: &'t str, start: &str) -> Option<&'t str> {
    let (first, rest) = text.split_at_checked(start.len())?;
    (first.to_lowercase() == start).then_some(rest)
}

/// A booking whose end is the start of the event.
fn ended(mut booking: Booking, event: &Event) -> Booking {
    booking.start.time = None;
    booking.end.time.clone_from(&event.start);
    booking
}

/// Whether an event of any name is a stay: over a night, and at a hotel by its category or its name.
fn is_stay(event: &Event) -> bool {
    let is_overnight = event.end_date() > event.start_date();
    let words =
        ["hotel", "hostel", "airbnb", "lodging", "pension", "guesthouse", "motel", "apartment", "hôtel", "albergo"];
    let is_hotel =
        |text: &str| text.to_lowercase().split(|c: char| !c.is_alphanumeric()).any(|word| words.contains(&word));
    is_overnight && (event.categories.iter().any(|category| is_hotel(category)) || is_hotel(&event.summary))
}

pub(super) fn stay(event: &Event, name: &str) -> Booking {
    let mut booking = timed(event, Kind::Hotel);
    booking.name = Some(name.to_owned());
    booking.start.place = place(event, Some(name));
    booking
}

fn car(event: &Event, name: &str) -> Booking {
    let mut booking = timed(event, Kind::Transport(Mode::Car));
    booking.name = Some(name.to_owned());
    let details = Details::read(event);
    booking.start.place = Spot { name: event.location.clone(), coordinate: event.coordinate, ..Spot::default() };
    booking.end.place = details.of("dropofflocation").map(ways::named).unwrap_or_default();
    booking
}

pub(super) fn reservation(event: &Event, category: Category, name: &str) -> Booking {
    let mut booking = timed(event, Kind::Reservation(category));
    booking.name = Some(name.to_owned());
    booking.start.place = place(event, None);
    booking.notes = text::some(&event.description);
    booking
}

/// The place of an event. The location may begin with the name of what is there.
pub(super) fn place(event: &Event, name: Option<&str>) -> Spot {
    let location = event.location.as_deref().unwrap_or_default();
    let rest = name.and_then(|name| text::after(location, name)).map(|rest| rest.trim_start_matches([',', ' ', '|']));
    let mut place = Spot { coordinate: event.coordinate, ..Spot::default() };
    match (name, rest) {
        (_, Some(rest)) => place.address = text::some(rest),
        (Some(_), None) => place.address = text::some(location),
        // A place by its name alone, or with an address behind it.
        (None, None) => match location.split_once(", ") {
            Some((name, address)) if !name.chars().any(|c| c.is_ascii_digit()) => {
                (place.name, place.address) = (text::some(name), text::some(address));
            }
            Some(_) => place.address = text::some(location),
            None => place.name = text::some(location),
        },
    }
    place
}

/// A train and the like: a name that begins with the word, and two places or a number.
fn transport(event: &Event, details: &Details<'_>) -> Option<Booking> {
    let first = event.summary.split([' ', ':', ',']).next()?.to_lowercase();
    let mode = TRANSPORTS.iter().find(|(_, names)| names.contains(&first.as_str()))?.0;
    let rest = event.summary[first.len().min(event.summary.len())..].trim_start_matches([':', ' ', ',']);
    let found = ways::places(rest);
    let number = number(&event.summary, &first).or_else(|| details.get(Role::Number).map(str::to_owned));
    if found.is_none() && number.is_none() {
        return None;
    }
    let mut booking = timed(event, Kind::Transport(mode));
    // Before `A - B` without `from` stands the number.
    let found = found.map(|(from, to)| {
        (
            number
                .as_deref()
                .and_then(|number| text::after(from, number))
                .unwrap_or(from)
                .trim_start_matches([':', ',', ' ']),
            to,
        )
    });
    set_ways(&mut booking, event, details, found);
    booking.number = number;
    Some(booking)
}

/// The number behind a word: `5186` of `Train 5186 from …`, `ICE 1234` of `ICE 1234 Berlin …` and `Zug ICE 1234 …`.
fn number(summary: &str, first: &str) -> Option<String> {
    let words: Vec<&str> = summary.split([' ', ':', ',']).filter(|word| !word.is_empty()).take(4).collect();
    let is_number = |word: &str| word.len() <= 6 && word.bytes().any(|byte| byte.is_ascii_digit());
    let at = words.iter().position(|word| is_number(word))?;
    let product = words.get(at.checked_sub(1)?).filter(|word| word.len() <= 4 && word.chars().all(char::is_uppercase));
    (at <= 2).then(|| match product {
        Some(product) if !matches!(first, "db") || at > 1 => format!("{product} {}", words[at]),
        _ => words[at].to_owned(),
    })
}
