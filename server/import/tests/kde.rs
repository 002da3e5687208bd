//! Compares readings with those of KDE Itinerary for the same files.
//!
//! The files are no part of this project. Set `ITINERARY_BOOKING_SAMPLES` to the folder with `jsonlddata`, `structureddata`
//! and so on; without it these tests are skipped.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use chrono::NaiveDate;
use itinerary_import::booking::{Booking, Category, CodeContent, Kind, Mode, Time};
use itinerary_import::file::File;
use itinerary_import::{Budget, read};
use serde_json::Value;

/// Differences that are right: file, field, reason.
const KNOWN: [(&str, &str, &str); 5] = [
    ("event-string-address", "start", "a day without a time stays a day; KDE writes its midnight"),
    ("event-string-address", "end", "a day without a time stays a day; KDE writes its last second"),
    ("person.lhs", "booking", "nothing but a traveller's name is no booking"),
    ("person.rhs", "booking", "nothing but a traveller's name is no booking"),
    ("person.merged", "booking", "nothing but a traveller's name is no booking"),
];

type Fields = BTreeMap<&'static str, String>;

fn samples() -> Option<PathBuf> {
    let folder = std::env::var_os("ITINERARY_BOOKING_SAMPLES").map(PathBuf::from);
    if folder.is_none() {
        println!("skipped: ITINERARY_BOOKING_SAMPLES is not set");
    }
    folder
}

/// The files of a folder whose name ends so, with the rest of the name.
fn files(folder: &Path, ending: &str) -> Vec<(String, PathBuf)> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<_> = entries
        .filter_map(|entry| {
            let path = entry.unwrap().path();
            let name = path.file_name()?.to_str()?.strip_suffix(ending)?.to_owned();
            Some((name, path))
        })
        .collect();
    files.sort();
    files
}

fn values(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap();
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Reads `input` and compares with `expected`, KDE's reading. Returns the rows of the table and the differences.
fn compare(name: &str, input: &Path, expected: &[Value], table: &mut String) -> Vec<String> {
    let content = std::fs::read(input).unwrap();
    let file = File { name, media_type: None, content: &content };
    let reading = read(&file, NaiveDate::default(), &mut Budget::new(&|| false));
    let ours: Vec<Fields> = reading.found.iter().flat_map(|(_, found)| &found.bookings).map(our_fields).collect();
    let theirs: Vec<Fields> = expected.iter().filter_map(their_fields).collect();
    let mut differences = Vec::new();
    for index in 0..ours.len().max(theirs.len()) {
        let (ours, theirs) = (ours.get(index), theirs.get(index));
        let fields: Vec<&str> = match (ours, theirs) {
            (Some(ours), Some(theirs)) => ours.keys().chain(theirs.keys()).copied().collect(),
            _ => vec!["booking"],
        };
        let different =
            fields.into_iter().filter(|field| !agrees(field, ours, theirs)).collect::<std::collections::BTreeSet<_>>();
        for field in different {
            let reason =
                KNOWN.iter().find(|(file, known, _)| *file == name && *known == field).map(|(_, _, reason)| *reason);
            let values =
                [ours, theirs].map(|fields| fields.map(|fields| fields.get(field).cloned().unwrap_or_default()));
            let _ = writeln!(
                table,
                "{name:40} {field:10} ours {:?}, theirs {:?}: {}",
                values[0],
                values[1],
                reason.unwrap_or("DIFFERS")
            );
            if reason.is_none() {
                differences.push(format!("{name} {field}"));
            }
        }
    }
    let _ = writeln!(table, "{name:40} bookings: {} of {}", ours.len(), theirs.len());
    differences
}

fn agrees(field: &str, ours: Option<&Fields>, theirs: Option<&Fields>) -> bool {
    if ours.is_none() || theirs.is_none() {
        return false;
    }
    match (ours.and_then(|ours| ours.get(field)), theirs.and_then(|theirs| theirs.get(field))) {
        // The name of a train is part of our number.
        (Some(ours), Some(theirs)) if field == "number" => ours.ends_with(theirs.as_str()),
        // We write single spaces; KDE keeps those that do not break.
        (Some(ours), Some(theirs)) if field != "code" => ours.split_whitespace().eq(theirs.split_whitespace()),
        (ours, theirs) => ours == theirs,
    }
}

fn our_fields(booking: &Booking) -> Fields {
    let kind = match booking.kind {
        Kind::Flight => "Flight",
        Kind::Hotel => "Lodging",
        Kind::Transport(Mode::Train) => "Train",
        Kind::Transport(Mode::Bus) => "Bus",
        Kind::Transport(Mode::Ferry) => "Boat",
        Kind::Transport(Mode::Car) => "RentalCar",
        Kind::Transport(Mode::Taxi) => "Taxi",
        Kind::Transport(_) => "other",
        Kind::Reservation(Category::Restaurant) => "FoodEstablishment",
        Kind::Reservation(_) => "Event",
    };
    let ticket = booking.tickets.first();
    let code = ticket.and_then(|ticket| ticket.code.as_ref()).map(|code| match &code.content {
        CodeContent::Text(text) => text.clone(),
        CodeContent::Bytes(bytes) => format!("{bytes:?}"),
    });
    let has_places = !matches!(booking.kind, Kind::Hotel | Kind::Reservation(Category::Restaurant));
    let place = |call: &itinerary_import::booking::Call| call.place.name.clone().filter(|_| has_places);
    let fields = [
        ("kind", Some(kind.to_owned())),
        ("number", booking.number.clone()),
        ("operator", booking.operator.code.clone()),
        ("name", booking.name.clone()),
        ("from", booking.start.place.code.clone()),
        ("to", booking.end.place.code.clone()),
        ("fromName", place(&booking.start)),
        ("toName", place(&booking.end)),
        ("coordinate", booking.start.place.coordinate.map(|at| format!("{at:?}"))),
        ("start", booking.start.time.as_ref().map(our_time)),
        ("end", booking.end.time.as_ref().map(our_time)),
        ("locator", booking.confirmation_number.clone()),
        ("holder", ticket.and_then(|ticket| ticket.holder.clone())),
        ("seat", ticket.and_then(|ticket| ticket.seat_number.clone())),
        ("coach", ticket.and_then(|ticket| ticket.coach_number.clone())),
        ("code", code),
        ("cancelled", booking.cancelled.then(|| "yes".to_owned())),
    ];
    fields.into_iter().filter_map(|(field, value)| Some((field, value?))).collect()
}

fn our_time(time: &Time) -> String {
    match time {
        Time::Offset(local, minutes) => {
            let sign = if *minutes < 0 { '-' } else { '+' };
            format!("{}{sign}{:02}:{:02}", local.format("%FT%T"), minutes.abs() / 60, minutes.abs() % 60)
        }
        Time::Zone(local, zone) => format!("{}[{zone}]", local.format("%FT%T")),
        Time::Local(local) => local.format("%FT%T").to_string(),
        Time::Day(day) => day.format("%F").to_string(),
    }
}

/// The same fields of KDE's reading. None for what is no booking.
fn their_fields(object: &Value) -> Option<Fields> {
    let kind = object["@type"].as_str()?;
    let thing = if kind == "Event" { object } else { &object["reservationFor"] };
    let kind = if kind == "Event" { kind } else { kind.strip_suffix("Reservation")? };
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let first = |values: &[&Value]| values.iter().find_map(|value| text(value));
    let time = |values: &[&Value]| values.iter().find_map(|value| their_time(value));
    let airport = |name: &str| if kind == "Flight" { &thing[name] } else { &Value::Null };
    let station = |names: [&str; 4]| {
        names.iter().map(|name| &thing[*name]).find(|value| value.is_object()).unwrap_or(&Value::Null)
    };
    let from = station(["departureAirport", "departureStation", "departureBusStop", "departureBoatTerminal"]);
    let to = station(["arrivalAirport", "arrivalStation", "arrivalBusStop", "arrivalBoatTerminal"]);
    let (pickup, dropoff) = (&object["pickupLocation"], &object["dropoffLocation"]);
    let ticket = &object["reservedTicket"];
    let token = first(&[&ticket["ticketToken"], &object["ticketToken"]]);
    let geo = [from, &thing["location"], pickup].into_iter().map(|place| &place["geo"]).find(|geo| geo.is_object());
    let fields = [
        ("kind", Some(kind.to_owned())),
        ("number", first(&[&thing["flightNumber"], &thing["trainNumber"], &thing["busNumber"]])),
        ("operator", text(&thing["airline"]["iataCode"])),
        ("name", text(&thing["name"])),
        ("from", first(&[&airport("departureAirport")["iataCode"], &from["identifier"]])),
        ("to", first(&[&airport("arrivalAirport")["iataCode"], &to["identifier"]])),
        ("fromName", first(&[&from["name"], &pickup["name"], &thing["location"]["name"]])),
        ("toName", first(&[&to["name"], &dropoff["name"]])),
        ("coordinate", geo.and_then(their_coordinate)),
        (
            "start",
            time(&[
                &thing["departureTime"],
                &thing["departureDay"],
                &thing["startDate"],
                &object["checkinTime"],
                &object["checkinDate"],
                &object["startTime"],
                &object["pickupTime"],
            ]),
        ),
        (
            "end",
            time(&[
                &thing["arrivalTime"],
                &thing["endDate"],
                &object["checkoutTime"],
                &object["checkoutDate"],
                &object["endTime"],
                &object["dropoffTime"],
            ]),
        ),
        ("locator", text(&object["reservationNumber"])),
        ("holder", person(&ticket["underName"]).or_else(|| person(&object["underName"]))),
        ("seat", first(&[&ticket["ticketedSeat"]["seatNumber"], &object["airplaneSeat"]])),
        ("coach", text(&ticket["ticketedSeat"]["seatSection"])),
        ("code", token.filter(|token| !token.starts_with("http")).map(|token| their_code(&token))),
        (
            "cancelled",
            text(&object["reservationStatus"]).filter(|status| status.contains("Cancelled")).map(|_| "yes".to_owned()),
        ),
    ];
    Some(fields.into_iter().filter_map(|(field, value)| Some((field, value?))).collect())
}

fn person(person: &Value) -> Option<String> {
    let names = [&person["givenName"], &person["familyName"]].map(|name| name.as_str());
    let parts = names.into_iter().flatten().collect::<Vec<_>>().join(" ");
    person["name"].as_str().map(str::to_owned).or_else(|| Some(parts).filter(|parts| !parts.is_empty()))
}

fn their_time(value: &Value) -> Option<String> {
    let Some(object) = value.as_object() else {
        let text = value.as_str()?;
        let text = text.strip_suffix('Z').map_or(text.to_owned(), |local| format!("{local}+00:00"));
        return Some(text.replace("+0:00", "+00:00"));
    };
    let text = object["@value"].as_str()?;
    Some(format!("{}[{}]", &text[..19], object.get("timezone")?.as_str()?))
}

fn their_coordinate(geo: &Value) -> Option<String> {
    let number = |value: &Value| value.as_f64().or_else(|| value.as_str()?.parse().ok());
    Some(format!("{:?}", (number(&geo["latitude"])?, number(&geo["longitude"])?)))
}

fn their_code(token: &str) -> String {
    let (kind, content) = token.split_once(':').unwrap_or(("", token));
    if !kind.ends_with("bin") {
        return content.to_owned();
    }
    let config = GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true);
    let bytes = GeneralPurpose::new(&base64::alphabet::STANDARD, config).decode(content).unwrap();
    match String::from_utf8(bytes) {
        Ok(text) if !text.chars().any(char::is_control) => text,
        Ok(text) => format!("{:?}", text.into_bytes()),
        Err(error) => format!("{:?}", error.into_bytes()),
    }
}

fn check(table: &str, count: usize, differences: &[String]) {
    println!("{table}");
    assert!(count > 0, "the folder has no such files");
    assert!(differences.is_empty(), "{differences:#?}\n{table}");
}

#[test]
fn json_ld_as_kde_reads_it() {
    let Some(samples) = samples() else { return };
    let (mut table, mut differences) = (String::new(), Vec::new());
    let files = files(&samples.join("jsonlddata"), ".in.json");
    for (name, input) in &files {
        let expected = values(&input.with_file_name(format!("{name}.out.json")));
        differences.extend(compare(name, input, &expected, &mut table));
    }
    check(&table, files.len(), &differences);
}

#[test]
fn pages_as_kde_reads_them() {
    let Some(samples) = samples() else { return };
    let (mut table, mut differences) = (String::new(), Vec::new());
    let files = files(&samples.join("structureddata"), ".html");
    for (name, input) in &files {
        let expected = values(&input.with_extension("json"));
        differences.extend(compare(name, input, &expected, &mut table));
    }
    check(&table, files.len(), &differences);
}

/// KDE's own files are input as well.
#[test]
fn what_kde_writes_is_read() {
    let Some(samples) = samples() else { return };
    let (mut table, mut differences, mut count) = (String::new(), Vec::new(), 0);
    for folder in ["bcbpdata", "calendarhandlerdata", "jsonlddata", "mergedata", "pkpassdata", "structureddata"] {
        for (name, input) in files(&samples.join(folder), ".json") {
            if name.rsplit('.').next() == Some("in") {
                continue;
            }
            differences.extend(compare(&name, &input, &values(&input), &mut table));
            count += 1;
        }
    }
    check(&table, count, &differences);
}
