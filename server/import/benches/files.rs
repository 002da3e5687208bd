//! What reading passes, calendars, maps and exports of ordinary and of large size costs.

use std::hint::black_box;
use std::io::{Cursor, Write};

use chrono::NaiveDate;
use criterion::{Criterion, criterion_group, criterion_main};
use itinerary_import::file::File;
use itinerary_import::{Budget, read};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

const MIB: usize = 1_048_576;

fn sample(name: &str) -> Vec<u8> {
    std::fs::read(format!("{}/samples/{name}", env!("CARGO_MANIFEST_DIR"))).expect("the sample")
}

/// A pass with pictures and translations, as airlines send them.
fn pass() -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let strings = "\"gate_label\" = \"Gate\";\n".repeat(40).into_bytes();
    let picture: Vec<u8> = (0..60_000_u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let mut files = vec![("pass.json".to_owned(), sample("pass/flight.json"))];
    for name in ["icon.png", "icon@2x.png", "logo.png", "logo@2x.png"] {
        files.push((name.to_owned(), picture.clone()));
    }
    for language in ["de", "en", "es", "fr", "it", "nl", "pt"] {
        files.push((format!("{language}.lproj/pass.strings"), strings.clone()));
    }
    for (name, content) in files {
        zip.start_file(name, SimpleFileOptions::default()).expect("a new file");
        zip.write_all(&content).expect("room");
    }
    zip.finish().expect("an archive").into_inner()
}

/// A calendar of so many bytes, with the events of a sample in other weeks.
fn calendar(name: &str, size: usize) -> Vec<u8> {
    let calendar = String::from_utf8(sample(name)).expect("text");
    let start = calendar.find("BEGIN:VEVENT").expect("an event");
    let end = calendar.rfind("END:VCALENDAR").expect("an end");
    let events = &calendar[start..end];
    let mut text = calendar[..start].to_owned();
    for number in 0..size / events.len() {
        text.push_str(&events.replace(":202605", &format!(":{}{:02}", 2000 + number / 12, 1 + number % 12)));
    }
    text.push_str(&calendar[end..]);
    text.into_bytes()
}

/// A map with a track of so many bytes.
fn track(size: usize) -> Vec<u8> {
    let map = String::from_utf8(sample("gpx/other.gpx")).expect("text");
    let point = "<trkpt lat=\"38.7\" lon=\"-9.1\"><ele>12</ele><time>2026-05-18T09:00:00Z</time></trkpt>";
    map.replace("<trkseg>", &format!("<trkseg>{}", point.repeat(size / point.len()))).into_bytes()
}

fn files(criterion: &mut Criterion) {
    let cases = [
        ("pass", pass()),
        ("calendar of TripIt of 1 MiB", calendar("calendar/tripit.ics", MIB)),
        ("calendar of carriers of 1 MiB", calendar("calendar/carriers.ics", MIB)),
        ("our calendar of 1 MiB", calendar("calendar/own.ics", MIB)),
        ("track of 5 MiB", track(5 * MIB - 10_000)),
        ("export of TripIt", sample("exports/tripit.json")),
    ];
    for (name, content) in cases {
        criterion.bench_function(name, |bencher| {
            bencher.iter(|| {
                let file = File { name: "", media_type: None, content: black_box(&content) };
                let reading = read(&file, NaiveDate::default(), &mut Budget::new(&|| false));
                assert!(!reading.found.is_empty(), "{:?}", reading.ignored);
                reading
            });
        });
    }
}

criterion_group!(benches, files);
criterion_main!(benches);
