//! Damaged files: no panic, and nothing over the limits.

use std::cell::Cell;
use std::io::{Cursor, Write};
use std::path::Path;

use chrono::NaiveDate;
use itinerary_import::budget::MAX_ITEMS;
use itinerary_import::{Budget, File, Reading, read};
use proptest::prelude::*;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

const BOARDING_PASS: &[u8] =
    b"M1COSTA/ANA MARIA     EQ7RT2K LISAMSTP 0672 141Y012C0042 15D>6181WM6140BTP              2A0472401234567 1                          N";

fn zipped(name: &str, content: &[u8]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    zip.start_file(name, SimpleFileOptions::default()).unwrap();
    zip.write_all(content).unwrap();
    zip.finish().unwrap().into_inner()
}

/// The project's samples of passes, calendars, tracks and exports.
fn samples() -> Vec<Vec<u8>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples");
    let mut samples = vec![BOARDING_PASS.to_vec()];
    for folder in ["pass", "calendar", "gpx", "kml", "exports"] {
        let mut files: Vec<_> =
            std::fs::read_dir(root.join(folder)).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.sort();
        for file in files {
            let content = std::fs::read(file).unwrap();
            match folder {
                "pass" => samples.push(zipped("pass.json", &content)),
                "kml" => samples.extend([zipped("doc.kml", &content), content]),
                _ => samples.push(content),
            }
        }
    }
    let nested = zipped("1.pkpass", &samples[1].clone());
    samples.push(zipped("2.pkpass", &nested));
    samples.push(nested);
    samples
}

#[derive(Clone, Debug)]
enum Change {
    Set(usize, u8),
    Insert(usize, Vec<u8>),
    Remove(usize, usize),
    Repeat(usize, usize, usize),
    Cut(usize),
}

fn change() -> impl Strategy<Value = Change> {
    let at = any::<usize>();
    let pieces = prop::sample::select(vec![
        &b"\""[..],
        b"{",
        b"[",
        b"}",
        b"\\",
        b"\0",
        b"<",
        b">",
        b"&x;",
        b"<!DOCTYPE a>",
        b"]]>",
        b"\r\n ",
        b"\xff",
        b"\xc3",
        b"99999999999",
        b"PK\x01\x02",
        b"BEGIN:VEVENT\r\n",
        b"END:VEVENT\r\n",
        b"DTSTART:00000000T999999Z\r\n",
        b"-",
        b"T",
        b"2026-13-45",
        b":",
        b",",
        b"(",
        b" ",
    ]);
    prop_oneof![
        (at, any::<u8>()).prop_map(|(at, byte)| Change::Set(at, byte)),
        (at, pieces).prop_map(|(at, piece)| Change::Insert(at, piece.to_vec())),
        (at, 0..200_usize).prop_map(|(at, length)| Change::Remove(at, length)),
        (at, 1..100_usize, 1..50_usize).prop_map(|(at, length, times)| Change::Repeat(at, length, times)),
        at.prop_map(Change::Cut),
    ]
}

fn changed(mut content: Vec<u8>, changes: &[Change]) -> Vec<u8> {
    for change in changes {
        let length = content.len().max(1);
        match change {
            Change::Set(at, byte) => {
                if let Some(found) = content.get_mut(at % length) {
                    *found = *byte;
                }
            }
            Change::Insert(at, piece) => {
                let at = (at % length).min(content.len());
                content.splice(at..at, piece.iter().copied());
            }
            Change::Remove(at, count) => {
                let at = (at % length).min(content.len());
                content.drain(at..(at + count).min(content.len()));
            }
            Change::Repeat(at, count, times) => {
                let at = (at % length).min(content.len());
                let piece = content[at..(at + count).min(content.len())].repeat(*times);
                content.splice(at..at, piece);
            }
            Change::Cut(at) => content.truncate(at % length),
        }
    }
    content
}

fn read_bytes(content: &[u8]) -> Reading {
    let as_of: NaiveDate = "2026-04-01".parse().unwrap();
    read(&File { name: "file", media_type: None, content }, as_of, &mut Budget::new(&|| false))
}

#[test]
fn every_sample_is_read() {
    for (at, sample) in samples().iter().enumerate() {
        let reading = read_bytes(sample);
        let count: usize = reading.found.iter().map(|(_, found)| found.bookings.len() + found.waypoints.len()).sum();
        // A card of a shop, and a pass of passes of passes, are no bookings.
        assert!(count > 0 || reading.ignored.len() == 1, "sample {at}: {reading:?}");
    }
}

#[test]
fn reading_stops_when_it_is_told() {
    for sample in samples() {
        let asked = Cell::new(0);
        let should_stop = || {
            asked.set(asked.get() + 1);
            true
        };
        let as_of: NaiveDate = "2026-04-01".parse().unwrap();
        let reading =
            read(&File { name: "", media_type: None, content: &sample }, as_of, &mut Budget::new(&should_stop));
        assert!(asked.get() > 0 && reading.found.is_empty() && !reading.ignored.is_empty(), "{reading:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3_000))]

    #[test]
    fn damaged_samples_are_read_within_the_limits(
        sample in prop::sample::select(samples()),
        changes in prop::collection::vec(change(), 1..6),
    ) {
        let content = changed(sample, &changes);
        let reading = read_bytes(&content);
        let items: usize = reading.found.iter().map(|(_, found)| found.bookings.len() + found.waypoints.len()).sum();
        prop_assert!(items <= MAX_ITEMS as usize);
        // The same bytes are read the same.
        prop_assert_eq!(read_bytes(&content), reading);
    }

    #[test]
    fn any_text_behind_the_head_of_a_boarding_pass_is_read(text in "M[1-4][A-Z0-9/ >^äß]{20,200}") {
        read_bytes(text.as_bytes());
        itinerary_import::readers::boarding_pass::parse(&text);
    }

    #[test]
    fn any_pass_is_read(fields in prop::collection::vec(("[a-z]{1,12}", ".{0,20}", ".{0,30}"), 0..20)) {
        let field = |(key, label, value): &(String, String, String)| serde_json::json!({"key": key, "label": label, "value": value});
        let fields: Vec<_> = fields.iter().map(field).collect();
        for style in ["boardingPass", "eventTicket", "generic"] {
            let pass = serde_json::json!({style: {"primaryFields": fields, "transitType": "PKTransitTypeAir"}, "relevantDate": "2026-05-01T10:00Z"});
            read_bytes(&zipped("pass.json", pass.to_string().as_bytes()));
        }
    }

    #[test]
    fn any_event_is_read(summary in ".{0,60}", description in ".{0,120}", start in "[0-9TZ]{0,17}") {
        let line = |text: &str| text.replace(['\r', '\n'], " ");
        let uids = ["a", "item-1@tripit.com", "x.flight@1", "x.hotel@1", "trek-trip-1@trek"];
        for uid in uids {
            let event = format!(
                "BEGIN:VCALENDAR\r\nPRODID:Itinerary Planning Service\r\nBEGIN:VEVENT\r\nUID:{uid}\r\nSUMMARY:{}\r\nDESCRIPTION:[Flight] {}\\nDeparts {}\r\nDTSTART:{start}\r\nDTEND:20260520T100000Z\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n",
                line(&summary), line(&description), line(&description),
            );
            read_bytes(event.as_bytes());
        }
    }
}
