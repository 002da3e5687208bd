//! Readings of real files compared with those of KDE's extractor.
//!
//! The files are not part of the project. The environment variable `ITINERARY_BOOKING_SAMPLES` names their folder; without
//! it these tests are skipped.

use std::path::{Path, PathBuf};

use chrono::{NaiveDate, NaiveDateTime};
use itinerary_import::booking::{Booking, CodeContent, Kind, Mode, Time};
use itinerary_import::{Budget, readers};
use serde_json::Value;

/// Differences that are right, by file and value, each with its reason.
const DIFFERENCES: &[(&str, &str, &str)] = &[
    ("flight", "code", "it is the address of a picture of the barcode, not what the barcode contains"),
    ("train", "number", "ours has the product too: `TGV 5186`"),
    ("apple-store-UA", "to code", "KDE repeats the airport of departure; the pass says CDG"),
    ("apple-store-UA", "departs", "KDE gives the arrival's time; the pass says 2025-12-09T23:00Z"),
    (
        "apple-store-UA",
        "day",
        "the barcode says 9 July, but the pass itself 9 December, and its time is newer than the barcode's",
    ),
];

fn folder(name: &str) -> Option<PathBuf> {
    let Some(folder) = std::env::var_os("ITINERARY_BOOKING_SAMPLES") else {
        println!("skipped: ITINERARY_BOOKING_SAMPLES is not set");
        return None;
    };
    Some(Path::new(&folder).join(name))
}

/// The files of a folder with this extension, each with KDE's reading.
fn files(folder: &Path, extension: &str) -> Vec<(String, Vec<u8>, Value)> {
    let mut files: Vec<(String, Vec<u8>, Value)> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|found| found == extension))
        .map(|path| {
            let reading = std::fs::read(path.with_extension("json")).unwrap();
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            (name, std::fs::read(&path).unwrap(), serde_json::from_slice(&reading).unwrap())
        })
        .collect();
    files.sort_by(|one, other| one.0.cmp(&other.0));
    assert!(!files.is_empty(), "{} has no files", folder.display());
    files
}

/// A table of the values of one folder and its differences.
struct Comparison {
    differences: Vec<String>,
}

impl Comparison {
    fn run(folder: &str, extension: &str, read: impl Fn(&str, &[u8], &Value) -> Vec<Booking>) {
        let Some(path) = self::folder(folder) else { return };
        let mut comparison = Self { differences: Vec::new() };
        println!("{:<45} {:>8} {:>7} {:>7} {:>7}", folder, "bookings", "values", "agree", "known");
        for (name, content, theirs) in files(&path, extension) {
            let ours = read(&name, &content, &theirs);
            comparison.file(&name, &ours, &theirs);
        }
        assert!(comparison.differences.is_empty(), "{}", comparison.differences.join("\n"));
    }

    fn file(&mut self, name: &str, ours: &[Booking], theirs: &Value) {
        let theirs = theirs.as_array().unwrap();
        if ours.len() != theirs.len() {
            self.differences.push(format!("{name}: {} bookings, KDE has {}", ours.len(), theirs.len()));
        }
        let (mut values, mut agreeing, mut known) = (0, 0, 0);
        for (our, their) in ours.iter().zip(theirs) {
            let our = of_ours(our);
            for (key, value) in of_theirs(their) {
                values += 1;
                let found =
                    our.iter().find(|(name, _)| *name == key).map(|(_, value)| value.clone()).unwrap_or_default();
                if same(key, &found, &value) {
                    agreeing += 1;
                } else if DIFFERENCES.iter().any(|(file, of, _)| name.starts_with(file) && *of == key) {
                    known += 1;
                } else {
                    self.differences.push(format!("{name}: {key}: `{found}`, KDE has `{value}`"));
                }
            }
        }
        println!("{name:<45} {:>8} {values:>7} {agreeing:>7} {known:>7}", ours.len());
    }
}

fn same(key: &str, one: &str, other: &str) -> bool {
    let words = |text: &str| {
        let mut words: Vec<String> = text.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase).collect();
        words.retain(|word| !word.is_empty());
        words.sort();
        words
    };
    match key {
        "holder" => words(one) == words(other),
        // Ours may have a time where theirs has a day, and an offset where theirs has none.
        "day" | "departs" | "arrives" => {
            one.starts_with(other) || (other.len() > 16 && one.len() == 16 && other.starts_with(one))
        }
        _ => one == other,
    }
}

fn of_ours(booking: &Booking) -> Vec<(&'static str, String)> {
    let kind = match booking.kind {
        Kind::Flight => "FlightReservation",
        Kind::Hotel => "LodgingReservation",
        Kind::Transport(Mode::Train) => "TrainReservation",
        Kind::Transport(Mode::Bus) => "BusReservation",
        Kind::Transport(Mode::Ferry) => "BoatReservation",
        Kind::Transport(Mode::Car) => "RentalCarReservation",
        Kind::Transport(_) => "Transport",
        Kind::Reservation(_) => "Event",
    };
    let mut values = vec![("kind", kind.to_owned()), ("cancelled", booking.cancelled.to_string())];
    let mut add = |key, value: Option<&String>| values.extend(value.map(|value| (key, value.clone())));
    add("name", booking.name.as_ref());
    add("number", booking.number.as_ref());
    add("operator code", booking.operator.code.as_ref());
    add("operator name", booking.operator.name.as_ref());
    add("from code", booking.start.place.code.as_ref());
    add("to code", booking.end.place.code.as_ref());
    add("from name", booking.start.place.name.as_ref());
    add("to name", booking.end.place.name.as_ref());
    add("gate", booking.start.gate.as_ref());
    add("confirmation", booking.confirmation_number.as_ref());
    let start = booking.start.time.as_ref().map(time_words);
    add("day", start.as_ref());
    add("departs", start.as_ref());
    add("arrives", booking.end.time.as_ref().map(time_words).as_ref());
    let ticket = booking.tickets.first();
    add("holder", ticket.and_then(|ticket| ticket.holder.as_ref()));
    add("seat", ticket.and_then(|ticket| ticket.seat_number.as_ref()));
    add("coach", ticket.and_then(|ticket| ticket.coach_number.as_ref()));
    add("ticket", ticket.and_then(|ticket| ticket.ticket_number.as_ref()));
    let code = ticket.and_then(|ticket| ticket.code.as_ref()).and_then(|code| match &code.content {
        CodeContent::Text(text) => Some(text.clone()),
        CodeContent::Bytes(_) => None,
    });
    add("code", code.as_ref());
    values
}

fn time_words(time: &Time) -> String {
    let local = |local: &NaiveDateTime| local.format("%Y-%m-%dT%H:%M").to_string();
    match time {
        Time::Offset(at, minutes) => {
            let sign = if *minutes < 0 { '-' } else { '+' };
            format!("{}{sign}{:02}:{:02}", local(at), minutes.abs() / 60, minutes.abs() % 60)
        }
        Time::Zone(at, _) | Time::Local(at) => local(at),
        Time::Day(day) => day.to_string(),
    }
}

fn of_theirs(reservation: &Value) -> Vec<(&'static str, String)> {
    let text = |pointer: &str| reservation.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
    let time = |pointer: &str| {
        let value = reservation.pointer(pointer)?;
        let text = value.as_str().or(value.get("@value").and_then(Value::as_str))?;
        // Without seconds.
        Some(format!("{}{}", &text[..16], text.get(19..).unwrap_or_default()))
    };
    let status = text("/reservationStatus").unwrap_or_default();
    let mut values =
        vec![("kind", text("/@type").unwrap_or_default()), ("cancelled", status.ends_with("Cancelled").to_string())];
    let mut add = |key, found: Option<String>| values.extend(found.map(|value| (key, value)));
    let first = |pointers: &[&str]| pointers.iter().find_map(|pointer| text(pointer));
    add("name", first(&["/reservationFor/name", "/name"]));
    add("number", first(&["/reservationFor/flightNumber", "/reservationFor/trainNumber"]));
    add("operator code", text("/reservationFor/airline/iataCode"));
    add("operator name", first(&["/reservationFor/airline/name", "/reservationFor/trainCompany/name"]));
    add("from code", text("/reservationFor/departureAirport/iataCode"));
    add("to code", text("/reservationFor/arrivalAirport/iataCode"));
    add(
        "from name",
        first(&[
            "/reservationFor/departureAirport/name",
            "/reservationFor/departureStation/name",
            "/pickupLocation/name",
            "/location/name",
        ]),
    );
    add(
        "to name",
        first(&["/reservationFor/arrivalAirport/name", "/reservationFor/arrivalStation/name", "/dropoffLocation/name"]),
    );
    add("gate", text("/reservationFor/departureGate"));
    add("confirmation", text("/reservationNumber"));
    let starts = ["/reservationFor/departureTime", "/pickupTime", "/startDate"];
    add("day", text("/reservationFor/departureDay"));
    add("departs", starts.iter().find_map(|pointer| time(pointer)));
    add(
        "arrives",
        ["/reservationFor/arrivalTime", "/dropoffTime", "/endDate"].iter().find_map(|pointer| time(pointer)),
    );
    let family = text("/underName/givenName")
        .zip(text("/underName/familyName"))
        .map(|(given, family)| format!("{given} {family}"));
    add("holder", text("/underName/name").or(family));
    add("seat", first(&["/airplaneSeat", "/reservedTicket/ticketedSeat/seatNumber"]));
    add("coach", text("/reservedTicket/ticketedSeat/seatSection"));
    add("ticket", first(&["/reservedTicket/ticketNumber", "/ticketNumber"]));
    let code = first(&["/reservedTicket/ticketToken", "/ticketToken"]);
    add("code", code.map(|code| code.strip_prefix("aztecCode:").map(str::to_owned).unwrap_or(code)));
    values
}

fn as_of() -> NaiveDate {
    "2018-04-02".parse().unwrap()
}

#[test]
fn boarding_passes() {
    Comparison::run("bcbpdata", "txt", |_, _, theirs| {
        // The text files are KDE's own dumps; the barcode is in its reading.
        let token = theirs.pointer("/0/reservedTicket/ticketToken").and_then(Value::as_str).unwrap();
        let token = token.strip_prefix("aztecCode:").unwrap();
        readers::boarding_pass::read(token.as_bytes(), as_of(), &mut Budget::new(&|| false)).unwrap().bookings
    });
}

#[test]
fn passes() {
    Comparison::run("pkpassdata", "pkpass", |_, content, _| {
        readers::pass::read(content, as_of(), &mut Budget::new(&|| false)).unwrap().bookings
    });
}

#[test]
fn calendars() {
    Comparison::run("calendarhandlerdata", "ics", |_, content, _| {
        readers::calendar::read(content, &mut Budget::new(&|| false)).unwrap().bookings
    });
}
