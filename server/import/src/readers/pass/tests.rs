use std::io::{Cursor, Write};

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::*;
use crate::booking::{Category, Kind, Time};

const FLIGHT: &str = include_str!("../../../samples/pass/flight.json");
const TRAIN: &str = include_str!("../../../samples/pass/train.json");
const EVENT: &str = include_str!("../../../samples/pass/event.json");
const STAY: &str = include_str!("../../../samples/pass/stay.json");
const CARD: &str = include_str!("../../../samples/pass/card.json");

fn zipped(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in files {
        zip.start_file(*name, SimpleFileOptions::default()).unwrap();
        zip.write_all(content).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

fn read_pass(files: &[(&str, &[u8])]) -> Result<Vec<Booking>, Ignored> {
    let as_of = "2026-04-01".parse().unwrap();
    read(&zipped(files), as_of, &mut Budget::new(&|| false)).map(|found| found.bookings)
}

fn time(text: &str) -> chrono::NaiveDateTime {
    text.parse().unwrap()
}

fn own(text: &str) -> String {
    text.to_owned()
}

#[test]
fn a_flight_is_its_barcode_and_its_fields() {
    let strings = "\"gate_label\" = \"Porta\";\n\"seat_label\" = \"Seat\";\n\"boarding_label\" = \"Boarding\";\n\"departs_label\" = \"Departs\";\n\"class_label\" = \"Class\";\n\"pax_label\" = \"Passenger\";";
    let bytes: Vec<u8> = [0xff, 0xfe].into_iter().chain(strings.encode_utf16().flat_map(u16::to_le_bytes)).collect();
    let bookings = read_pass(&[("pass.json", FLIGHT.as_bytes()), ("en.lproj/pass.strings", &bytes)]).unwrap();
    let [flight] = bookings.as_slice() else { panic!("{bookings:?}") };
    assert_eq!(flight.kind, Kind::Flight);
    assert_eq!((flight.operator.code.as_deref(), flight.operator.name.as_deref()), (Some("TP"), Some("Example Air")));
    assert_eq!(flight.number, Some(own("672")));
    assert_eq!(flight.start.place.code, Some(own("LIS")));
    assert_eq!(flight.start.place.name, Some(own("Lisbon")));
    assert_eq!(flight.start.place.coordinate, Some((38.7742, -9.1342)));
    assert_eq!(flight.end.place.name, Some(own("Amsterdam")));
    assert_eq!(flight.start.time, Some(Time::Offset(time("2026-05-21T09:15:00"), 60)));
    assert_eq!(flight.end.time, None);
    assert_eq!((flight.start.gate.as_deref(), flight.start.terminal.as_deref()), (Some("S24"), Some("1")));
    assert_eq!(flight.confirmation_number, Some(own("Q7RT2K")));
    assert_eq!(flight.travel_class, Some(own("Economy")));
    assert_eq!(flight.notes, Some(own("Boarding: 08:35")));
    let ticket = &flight.tickets[0];
    assert_eq!(ticket.holder, Some(own("Ana Maria Costa")));
    assert_eq!(ticket.seat_number, Some(own("12C")));
    assert_eq!(ticket.ticket_number, Some(own("047 2401234567")));
    let code = ticket.code.as_ref().unwrap();
    assert_eq!(code.format, Some(CodeFormat::Aztec));
    assert!(matches!(&code.content, CodeContent::Text(text) if text.starts_with("M1COSTA") && text.ends_with('N')));
}

#[test]
fn a_train_has_stations_coach_and_bytes_in_its_barcode() {
    let bookings = read_pass(&[("pass.json", TRAIN.as_bytes())]).unwrap();
    let [train] = bookings.as_slice() else { panic!("{bookings:?}") };
    assert_eq!(train.kind, Kind::Transport(Mode::Train));
    assert_eq!((train.number.as_deref(), train.operator.name.as_deref()), (Some("AP 123"), Some("Example Railways")));
    assert_eq!((&train.start.place.name, &train.start.place.code), (&Some(own("Lisboa Oriente")), &None));
    assert_eq!(train.end.place.name, Some(own("Porto Campanhã")));
    assert_eq!(train.start.time, Some(Time::Offset(time("2026-05-18T08:39:00"), 60)));
    assert_eq!(train.end.time, Some(Time::Local(time("2026-05-18T11:25:00"))));
    assert_eq!(train.start.platform, Some(own("3")));
    assert_eq!(train.confirmation_number, Some(own("CP77XQ")));
    let ticket = &train.tickets[0];
    assert_eq!(
        (&ticket.coach_number, &ticket.seat_number, &ticket.holder),
        (&Some(own("5")), &Some(own("62")), &Some(own("Rui Sousa")))
    );
    assert_eq!(ticket.code.as_ref().unwrap().content, CodeContent::Bytes(b"#UT01\0\xff\x01".to_vec()));
}

#[test]
fn an_event_and_a_stay() {
    let bookings = read_pass(&[("pass.json", EVENT.as_bytes())]).unwrap();
    let [event] = bookings.as_slice() else { panic!("{bookings:?}") };
    assert_eq!((event.kind, event.cancelled), (Kind::Reservation(Category::Event), true));
    assert_eq!((&event.name, &event.start.place.name), (&Some(own("Fado evening")), &Some(own("Casa do Fado"))));
    assert_eq!(event.start.time, Some(Time::Offset(time("2026-05-20T20:30:00"), 60)));
    assert_eq!(event.confirmation_number, Some(own("88-1234")));
    assert_eq!(event.tickets[0].seat_number, Some(own("Row 3, 14")));

    let bookings = read_pass(&[("pass.json", STAY.as_bytes())]).unwrap();
    let [stay] = bookings.as_slice() else { panic!("{bookings:?}") };
    assert_eq!((stay.kind, &stay.name), (Kind::Hotel, &Some(own("Hotel Exemplo"))));
    assert_eq!(stay.start.time, Some(Time::Local(time("2026-05-18T15:00:00"))));
    assert_eq!(stay.end.time, Some(Time::Day("2026-05-21".parse().unwrap())));
    assert_eq!(stay.confirmation_number, Some(own("H-4711")));
}

#[test]
fn other_passes_are_no_bookings() {
    assert_eq!(read_pass(&[("pass.json", CARD.as_bytes())]).unwrap_err().reason, Reason::NotRecognised);
    assert_eq!(read_pass(&[("notes.txt", b"x")]).unwrap_err().reason, Reason::NotRecognised);
    assert_eq!(read_pass(&[("pass.json", b"{")]).unwrap_err().reason, Reason::Malformed);
    let coupon = br#"{"coupon": {"primaryFields": [{"key": "offer", "label": "Offer", "value": "10 %"}]}}"#;
    assert_eq!(read_pass(&[("pass.json", coupon)]).unwrap_err().reason, Reason::NotRecognised);
}

#[test]
fn several_passes_in_one_file() {
    let (flight, train) = (zipped(&[("pass.json", FLIGHT.as_bytes())]), zipped(&[("pass.json", TRAIN.as_bytes())]));
    let bookings = read_pass(&[("1.pkpass", &flight), ("2.pkpass", &train), ("3.pkpass", b"PK\x03\x04")]).unwrap();
    assert_eq!(bookings.len(), 2);
    // Passes of passes are not followed.
    let nested = zipped(&[("1.pkpass", &flight)]);
    assert_eq!(read_pass(&[("1.pkpass", &nested)]).unwrap_err().reason, Reason::NotRecognised);
}

#[test]
fn archives_over_a_limit_are_refused() {
    let bomb = zipped(&[("pass.json", &vec![b' '; 1_000_000])]);
    let as_of = "2026-04-01".parse().unwrap();
    assert_eq!(read(&bomb, as_of, &mut Budget::new(&|| false)).unwrap_err().reason, Reason::TooLarge);
    let names: Vec<String> = (0..201).map(|number| format!("{number}.txt")).collect();
    let files: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), &b""[..])).collect();
    assert_eq!(read_pass(&files).unwrap_err().reason, Reason::TooLarge);
    // Two entries of the directory that mean the same bytes.
    let mut shared = zipped(&[("a.json", FLIGHT.as_bytes()), ("pass.json", b"{}")]);
    let directory = shared.windows(4).position(|window| window == b"PK\x01\x02").unwrap();
    let second = directory + 46 + 6;
    shared.copy_within(directory + 42..directory + 46, second + 42);
    assert_eq!(read(&shared, as_of, &mut Budget::new(&|| false)).unwrap_err().reason, Reason::Malformed);
}
